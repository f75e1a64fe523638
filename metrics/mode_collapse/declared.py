"""The options of each cell: declared in a table, or else the choices seen; and the target's shares of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.core import ROW, SHEET, SOURCE
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.mode_collapse.chance import Shares
from scoresheet.metrics.mode_collapse.matching import Clash, Matcher, plain
from scoresheet.metrics.numbers import weight, whole_number
from scoresheet.metrics.problems import Misuse, Problem

if TYPE_CHECKING:
    import pandas as pd

ARROW: Final = " → "
ALIAS_SEPARATOR: Final = "|"
EVERYWHERE: Final = ""  # the question of an option that holds for every sheet
_NAMELESS: Final = re.compile(r"(?:sheet|tabelle|feuil|hoja|工作表)\s*\d*", re.IGNORECASE)  # names nobody chose

Path = tuple[str, ...]  # the choices from the root down to a parent
Seen = Mapping[tuple[str, int, Path], Mapping[str, int]]  # (sheet, level, parent) → spelling → how often
Group = dict[int, dict[Path | None, dict[str, list[str]]]]  # level → parent (None for all) → option → its aliases


def parts_of(parent: str, level: int) -> Path:
    """Return the choices that a parent path names; the parent of level 1 is one choice, whatever it holds.

    >>> parts_of("Japan → Food", 2), parts_of("Japan/Food", 2), parts_of("AC/DC", 1)
    (('Japan', 'Food'), ('Japan', 'Food'), ('AC/DC',))
    """
    if level <= 1:
        return (parent.strip(),) if parent.strip() else ()
    separator = ARROW.strip() if ARROW.strip() in parent else "/"
    return tuple(part.strip() for part in parent.split(separator) if part.strip())


def question_key(name: str) -> str:
    """Return the form in which a question and the name of a sheet are equal.

    >>> question_key(" Food ") == question_key("food")
    True
    """
    return join_key(name).casefold()


@dataclass
class Choices:
    """Which options each cell has; the same for all models of a run."""

    groups: dict[str, Group] = field(default_factory=dict)  # by question
    # options of a table's own sheets: they hold for the outputs' sheet of that name, and if none has it, for all
    by_sheet: dict[str, Group] = field(default_factory=dict)
    targets: dict[tuple[str, int, Path | None], dict[str, float]] | None = None
    observed: bool = False
    _merged: dict[str, Group] = field(default_factory=dict)
    _matchers: dict[tuple[str, int, Path | None], Matcher | None] = field(default_factory=dict)

    def questions(self) -> list[str]:
        """Return the questions that options were declared for."""
        return sorted({*self.groups, *self.by_sheet} - {EVERYWHERE})

    def levels(self, sheet: str) -> set[int]:
        """Return the levels at which a sheet has options."""
        return set(self.group(self._question(sheet)))

    def matcher(self, sheet: str, level: int, path: Path) -> Matcher | None:
        """Return the options of a cell; None where it has none."""
        question, own = self._question(sheet), _plain(path)
        return self._matcher(question, level, own if own in self.group(question).get(level, {}) else None)

    def place(self, sheet: str, level: int, parts: Sequence[str]) -> Path:
        """Return a parent path with each choice spelt as its option is; one that is no option stays as it is."""
        path: Path = ()
        for part in parts:
            above = self.matcher(sheet, level - len(parts) + len(path), path)
            found = above.named(part) if above else ""
            path = (*path, found or part)
        return path

    def order(self, sheet: str, level: int, path: Path) -> tuple[object, ...]:
        """Return what sorts cells: by level, then as the table lists the choices of their parent paths."""
        places = []
        for depth, part in enumerate(path):
            above = self.matcher(sheet, level - len(path) + depth, path[:depth])
            listed = above is not None and part in above.options
            places.append((above.options.index(part) if above and listed else len(path) + 10**6, part))
        return (level, *places)

    def shares(self, sheet: str, level: int, path: Path) -> Shares | None:
        """Return the target's shares of a cell's options, () without a target, None where the target is silent."""
        if self.targets is None:
            return ()
        matcher = self.matcher(sheet, level, path)
        for question in (question_key(sheet), EVERYWHERE):
            for place in (_plain(path), None):
                weights = self.targets.get((question, level, place))
                if weights and matcher:
                    named: Counter[str] = Counter()
                    for option, share in weights.items():
                        named[matcher.named(option)] += share  # type: ignore[assignment]  # a Counter of floats
                    listed = [float(named[option]) for option in matcher.options]
                    if sum(listed):
                        return tuple(share / sum(listed) for share in listed)
        return None

    def add(self, question: str, level: int, path: Path | None, option: str, aliases: Iterable[str] = ()) -> None:
        """Declare an option for a question; the same spelling again adds its aliases."""
        _add(self.groups.setdefault(question, {}), level, path, option, aliases)
        self._forget()

    def add_of_sheet(self, sheet: str, level: int, path: Path | None, option: str, aliases: Iterable[str]) -> None:
        """Declare an option in a sheet of the table that has a name of its own."""
        _add(self.by_sheet.setdefault(sheet, {}), level, path, option, aliases)
        self._forget()

    def check(self) -> None:
        """Raise Misuse if two options of one cell cannot be told apart."""
        for question in (*self.questions(), EVERYWHERE):
            for level, places in self.group(question).items():
                for path in (*places, None):
                    self._matcher(question, level, path)

    def _question(self, sheet: str) -> str:
        """Return the question of a sheet; all sheets that no options were declared for are alike."""
        key = question_key(sheet)
        return key if key in self.groups or key in self.by_sheet else EVERYWHERE

    def group(self, question: str) -> Group:
        """Return all options of a question."""
        if question not in self._merged:
            claimed = [self.by_sheet[question]] if question in self.by_sheet else list(self.by_sheet.values())
            merged: Group = {}
            for group in (self.groups.get(EVERYWHERE, {}), *claimed, self.groups.get(question, {})):
                for level, places in group.items():
                    for path, options in places.items():
                        for option, aliases in options.items():
                            _add(merged, level, path, option, aliases)
            self._merged[question] = merged
        return self._merged[question]

    def _matcher(self, question: str, level: int, path: Path | None) -> Matcher | None:
        key = (question, level, path)
        if key not in self._matchers:
            places = self.group(question).get(level, {})
            together: dict[str, list[str]] = {}
            for place in dict.fromkeys((None, path)):
                for option, aliases in places.get(place, {}).items():
                    together.setdefault(option, []).extend(aliases)
            try:
                self._matchers[key] = Matcher(together) if together else None
            except Clash as clash:
                below = f" under {ARROW.join(path)}" if path else ""
                raise Misuse(f"the table of options, level {level}{below}: {clash}") from None
        return self._matchers[key]

    def _forget(self) -> None:
        self._merged.clear()
        self._matchers.clear()


def declared_choices(table: pd.DataFrame) -> tuple[Choices, list[Problem]]:
    """Return the options that a table declares; a parent may be named by an alias, so levels are read from the top."""
    choices = Choices()
    problems: list[Problem] = []
    rows: dict[int, list[tuple[str, str, str, str, str]]] = {}
    names = ["question", "level", "parent", "option", "aliases", SOURCE, SHEET, ROW]
    for question, level, parent, option, aliases, source, sheet, row in table[names].itertuples(index=False, name=None):
        number = whole_number(level)
        if number is None:
            message = f"the level of option {option!r} is {level!r}; it must be a whole number of 0 or more"
            problems.append(
                Problem(
                    kind="unknown-level",
                    message=message,
                    effect="row not scored",
                    file=source,
                    sheet=sheet,
                    row=row,
                    column="level",
                )
            )
        else:
            rows.setdefault(number, []).append((question_key(question), sheet, parent, option.strip(), aliases))
    for number in sorted(rows):
        placed = []
        for question, sheet, parent, option, aliases in rows[number]:
            parts = parts_of(parent, number)
            path = _plain(choices.place(question or sheet, number, parts)) if parts else None
            placed.append((question, sheet, path, option, filter(None, map(str.strip, aliases.split(ALIAS_SEPARATOR)))))
        for question, sheet, path, option, names_of_option in placed:
            if question or _NAMELESS.fullmatch(sheet.strip()):
                choices.add(question, number, path, option, names_of_option)
            else:
                choices.add_of_sheet(question_key(sheet), number, path, option, names_of_option)
    choices.check()
    return choices, problems


def observed_choices(surveys: Sequence[Seen], *, by: str) -> Choices:
    """Return the choices seen as the options; of the spellings that are equal, the most frequent names the option.

    `by` says among what: all of the run, sheets of the same name, or these and the same parent.
    """
    spellings: dict[tuple[str, int, Path | None, str], Counter[str]] = {}
    for seen in surveys:
        for (sheet, level, parts), texts in seen.items():
            place = _plain(parts) if by == "parent" and parts else None
            question = EVERYWHERE if by == "run" else question_key(sheet)
            for text, times in texts.items():
                spellings.setdefault((question, level, place, plain(text)), Counter())[text] += times
    choices = Choices(observed=True)
    totals = {key: (-counted.total(), key[3]) for key, counted in spellings.items()}
    for key in sorted(spellings, key=totals.__getitem__):
        question, level, place, _ = key
        choices.add(question, level, place, min(spellings[key], key=_plainness(spellings[key])))
    return choices


def with_targets(choices: Choices, table: pd.DataFrame) -> None:
    """Add the shares of a target table to the choices; one that cannot be meant stops the run."""
    targets: dict[tuple[str, int, Path | None], dict[str, float]] = {}
    names = ["question", "level", "parent", "option", "share"]
    for question, level, parent, option, share in table[names].itertuples(index=False, name=None):
        number, given = whole_number(level), weight(share)
        if number is None:
            raise Misuse(f"--target: the level of {option!r} is {level!r}; it must be a whole number of 0 or more")
        if given is None:
            raise Misuse(f"--target: the share of {option!r} is {share!r}; it must be a number of 0 or more")
        parts = parts_of(parent, number)
        path = choices.place(question, number, parts)
        if not _is_declared(choices, question, number, path if parts else None, option):
            raise Misuse(f"--target: {option!r} at level {number} is not declared there by the table of options")
        weights = targets.setdefault((question_key(question), number, _plain(path) if parts else None), {})
        weights[option] = weights.get(option, 0.0) + given
    for (_, number, place), weights in targets.items():
        if not sum(weights.values()):
            below = f" under {ARROW.join(place)}" if place else ""
            raise Misuse(f"--target: all shares of level {number}{below} are 0; at least one option must have some")
    choices.targets = targets


def _is_declared(choices: Choices, question: str, level: int, path: Path | None, option: str) -> bool:
    """Return whether an option is one somewhere that a row of the target speaks of: it need not fit every parent."""
    questions = [question] if question.strip() else [EVERYWHERE, *choices.questions()]
    for each in questions:
        places = [path] if path is not None else [None, *choices.group(question_key(each)).get(level, {})]
        for place in places:
            matcher = choices.matcher(each, level, place or ())
            if matcher is not None and matcher.named(option):
                return True
    return False


def _add(group: Group, level: int, path: Path | None, option: str, aliases: Iterable[str]) -> None:
    group.setdefault(level, {}).setdefault(path, {}).setdefault(option, []).extend(aliases)


def _plainness(spellings: Mapping[str, int]) -> Callable[[str], tuple[object, ...]]:
    """Return what orders spellings: the frequent before the rare, then the short and quiet before ROME!."""
    return lambda text: (-spellings[text], len(text), text.isupper(), text)


def _plain(path: Iterable[str]) -> Path:
    return tuple(map(plain, path))
