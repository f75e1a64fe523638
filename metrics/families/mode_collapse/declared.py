"""The options of each cell, and the target's shares of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scoresheet.metrics.families.mode_collapse.chance import Shares
from scoresheet.metrics.families.mode_collapse.matching import Clash, Matcher, plain
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import UsageError

ARROW: Final = " → "
ALIAS_SEPARATOR: Final = "|"
EVERYWHERE: Final = ""  # the question of an option that holds for every sheet

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
        question, own = self._question(sheet), plain_path(path)
        return self._matcher(question, level, own if own in self.group(question).get(level, {}) else None)

    def stranger(self, sheet: str) -> str:
        """Return whose options the table has, if its sheets are questions and this sheet is named as none of them."""
        if self.observed or self._question(sheet) != EVERYWHERE or not self._apart():
            return ""
        names = sorted(self.by_sheet)
        return f"{join_names(map(repr, names))}, none for this sheet, {sheet!r}"

    def mistaken(self, sheet: str) -> str:
        """Return which of the table's sheets a stranger was to be named as, '' if it resembles none."""
        return Matcher(dict.fromkeys(self.by_sheet, ())).suggestion(sheet) if self.stranger(sheet) else ""

    def unknown_parent(self, sheet: str, level: int, path: Path) -> str:
        """Return why a path cannot have been chosen: one of its choices is none of the declared options."""
        if self.observed or plain_path(path) in self.group(self._question(sheet)).get(level, {}):
            return ""  # what was seen is noted elsewhere, and a parent that the table names is one
        for depth, part in enumerate(path):
            above = self.matcher(sheet, depth, path[:depth])
            if above and not above.named(part):
                return f"{part!r} is none of the options of level {depth}{above.suggestion(part)}"
        return ""

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
            join_names = above is not None and part in above.options
            places.append((above.options.index(part) if above and join_names else len(path) + 10**6, part))
        return (level, *places)

    def shares(self, sheet: str, level: int, path: Path) -> Shares | None:
        """Return the target's shares of a cell's options, () without a target, None where the target is silent."""
        if self.targets is None:
            return ()
        matcher = self.matcher(sheet, level, path)
        for question in (question_key(sheet), EVERYWHERE):
            for place in (plain_path(path), None):
                weights = self.targets.get((question, level, place))
                if weights and matcher:
                    named: Counter[str] = Counter()
                    for option, share in weights.items():
                        named[matcher.named(option)] += share  # type: ignore[assignment]  # a Counter of floats
                    join_names = [float(named[option]) for option in matcher.options]
                    if sum(join_names):
                        return tuple(share / sum(join_names) for share in join_names)
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

    def _apart(self) -> bool:
        """Return whether two sheets of the table declare different options for the same cell: they are questions."""
        cells: dict[tuple[int, Path | None], set[str]] = {}
        for group in self.by_sheet.values():
            for level, places in group.items():
                for path, options in places.items():
                    if cells.setdefault((level, path), set(options)) != set(options):
                        return True
        return False

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
                raise UsageError(f"the table of options, level {level}{below}: {clash}") from None
        return self._matchers[key]

    def _forget(self) -> None:
        self._merged.clear()
        self._matchers.clear()


def observed_choices(surveys: Sequence[Seen], *, by: str) -> Choices:
    """Return the choices seen as the options; of the spellings that are equal, the most frequent names the option.

    `by` says among what: all of the run, sheets of the same name, or these and the same parent.
    """
    spellings: dict[tuple[str, int, Path | None, str], Counter[str]] = {}
    for seen in surveys:
        for (sheet, level, parts), texts in seen.items():
            place = plain_path(parts) if by == "parent" and parts else None
            question = EVERYWHERE if by == "run" else question_key(sheet)
            for text, times in texts.items():
                spellings.setdefault((question, level, place, plain(text)), Counter())[text] += times
    choices = Choices(observed=True)
    totals = {key: (-counted.total(), key[3]) for key, counted in spellings.items()}
    for key in sorted(spellings, key=totals.__getitem__):
        question, level, place, _ = key
        choices.add(question, level, place, min(spellings[key], key=_plainness(spellings[key])))
    return choices


def _add(group: Group, level: int, path: Path | None, option: str, aliases: Iterable[str]) -> None:
    group.setdefault(level, {}).setdefault(path, {}).setdefault(option, []).extend(aliases)


def _plainness(spellings: Mapping[str, int]) -> Callable[[str], tuple[object, ...]]:
    """Return what orders spellings: the frequent before the rare, then the short and quiet before ROME!."""
    return lambda text: (-spellings[text], len(text), text.isupper(), text)


def plain_path(path: Iterable[str]) -> Path:
    """Return a path in the form in which two of them are equal."""
    return tuple(map(plain, path))
