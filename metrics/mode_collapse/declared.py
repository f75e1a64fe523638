"""The options of each cell: declared in a table, or else the choices seen at its level; and the target's shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.keys import join_key
from scoresheet.metrics.mode_collapse.chance import Shares
from scoresheet.metrics.mode_collapse.matching import Clash, Matcher, plain
from scoresheet.metrics.numbers import whole_number
from scoresheet.metrics.problems import Misuse, Problem

if TYPE_CHECKING:
    import pandas as pd

ARROW: Final = " → "
ALIAS_SEPARATOR: Final = "|"

Path = tuple[str, ...]  # the choices from the root down to a parent
Seen = Mapping[tuple[str, int], Mapping[str, int]]  # (sheet, level) → spelling → how often


def parts_of(parent: str, level: int) -> Path:
    """Return the choices that a parent path names; the parent of level 1 is one choice, whatever it holds.

    >>> parts_of("Japan → Food", 2), parts_of("Japan/Food", 2), parts_of("AC/DC", 1)
    (('Japan', 'Food'), ('Japan', 'Food'), ('AC/DC',))
    """
    separator = ARROW.strip()
    if separator not in parent:
        if level <= 1:
            return (parent.strip(),) if parent.strip() else ()
        separator = "/"
    return tuple(part.strip() for part in parent.split(separator) if part.strip())


@dataclass
class Choices:
    """Which options each cell has; the same for all models of a run."""

    # sheet ('' for all) → level → parent path in plain form (None for all) → option → its aliases
    groups: dict[str, dict[int, dict[Path | None, dict[str, list[str]]]]] = field(default_factory=dict)
    targets: dict[tuple[str, int, Path | None], dict[str, float]] | None = None
    observed: bool = False
    _matchers: dict[tuple[str, int, Path | None], Matcher | None] = field(default_factory=dict)

    def levels(self, sheet: str) -> set[int]:
        """Return the levels at which a sheet has options."""
        return {level for key in {"", join_key(sheet)} for level in self.groups.get(key, {})}

    def matcher(self, sheet: str, level: int, path: Path) -> Matcher | None:
        """Return the options of a cell; None where it has none."""
        return self._matcher(*self._key(sheet, level, path))

    def place(self, sheet: str, level: int, parts: Sequence[str]) -> Path:
        """Return a parent path with each choice spelt as its option is; one that is no option stays as it is."""
        path: Path = ()
        for part in parts:
            above = self.matcher(sheet, level - len(parts) + len(path), path)
            found = above.named(part) if above else ""
            path = (*path, found or part)
        return path

    def shares(self, sheet: str, level: int, path: Path) -> Shares | None:
        """Return the target's shares of a cell's options, () without a target, None where the target is silent."""
        if self.targets is None:
            return ()
        matcher = self.matcher(sheet, level, path)
        own, everywhere = _plain(path), None
        for key in ((join_key(sheet), own), (join_key(sheet), everywhere), ("", own), ("", everywhere)):
            weights = self.targets.get((key[0], level, key[1]))
            if weights and matcher:
                named = {matcher.named(option): weight for option, weight in weights.items()}
                listed = [named.get(option, 0.0) for option in matcher.options]
                if sum(listed):
                    return tuple(weight / sum(listed) for weight in listed)
        return None

    def add(self, sheet: str, level: int, path: Path | None, option: str, aliases: Iterable[str] = ()) -> None:
        """Declare an option; the same spelling again adds its aliases."""
        group = self.groups.setdefault(sheet, {}).setdefault(level, {}).setdefault(path, {})
        group.setdefault(option, []).extend(aliases)

    def check(self) -> None:
        """Raise Misuse if two options of one cell cannot be told apart."""
        for sheet, levels in self.groups.items():
            for level in {*levels, *self.groups.get("", {})}:
                for path in {*levels.get(level, {}), *self.groups.get("", {}).get(level, {}), None}:
                    self._matcher(sheet, level, path)

    def _key(self, sheet: str, level: int, path: Path) -> tuple[str, int, Path | None]:
        """Return the key that all cells with the same options share."""
        name, own = join_key(sheet), _plain(path)
        name = name if name in self.groups else ""
        known = any(own in self.groups.get(key, {}).get(level, {}) for key in (name, ""))
        return name, level, own if known else None

    def _matcher(self, sheet: str, level: int, path: Path | None) -> Matcher | None:
        key = (sheet, level, path)
        if key not in self._matchers:
            together: dict[str, list[str]] = {}
            for name in dict.fromkeys(("", sheet)):
                groups = self.groups.get(name, {}).get(level, {})
                for place in dict.fromkeys((None, path)):
                    for option, aliases in groups.get(place, {}).items():
                        together.setdefault(option, []).extend(aliases)
            try:
                self._matchers[key] = Matcher(together) if together else None
            except Clash as clash:
                below = f" under {ARROW.join(path)}" if path else ""
                raise Misuse(f"the table of options, level {level}{below}: {clash}") from None
        return self._matchers[key]


def declared_choices(table: pd.DataFrame) -> tuple[Choices, list[Problem]]:
    """Return the options that a table declares; a parent may be named by an alias, so levels are read from the top."""
    choices = Choices()
    problems: list[Problem] = []
    rows = []
    for sheet, level, parent, option, aliases, source in table[
        ["question", "level", "parent", "option", "aliases", "source"]
    ].itertuples(index=False, name=None):
        number = whole_number(level)
        if number is None:
            message = f"the level of option {option!r} is {level!r}; it must be a whole number of 0 or more"
            problems.append(
                Problem(kind="unknown-level", message=message, effect="row not scored", file=source, column="level")
            )
        else:
            rows.append((number, join_key(sheet), parent, option.strip(), aliases))
    for number, sheet, parent, option, aliases in sorted(rows, key=lambda row: row[0]):
        parts = parts_of(parent, number)
        path = _plain(choices.place(sheet, number, parts)) if parts else None
        choices.add(sheet, number, path, option, filter(None, map(str.strip, aliases.split(ALIAS_SEPARATOR))))
    choices._matchers.clear()  # those made on the way may have been made too early
    choices.check()
    return choices, problems


def observed_choices(surveys: Sequence[Seen], *, by_sheet: bool) -> Choices:
    """Return the choices seen as the options; of the spellings that are equal, the most frequent names the option."""
    spellings: dict[tuple[str, int, str], Counter[str]] = {}
    for seen in surveys:
        for (sheet, level), texts in seen.items():
            for text, times in texts.items():
                key = (join_key(sheet) if by_sheet else "", level, plain(text))
                spellings.setdefault(key, Counter())[text] += times
    choices = Choices(observed=True)
    totals = {key: (-counted.total(), key) for key, counted in spellings.items()}
    for key in sorted(spellings, key=totals.__getitem__):
        sheet, level, _ = key
        label = min(spellings[key], key=_plainness(spellings[key]))
        choices.add(sheet, level, None, label)
    return choices


def with_targets(choices: Choices, table: pd.DataFrame) -> None:
    """Add the shares of a target table to the choices; one that cannot be meant stops the run."""
    targets: dict[tuple[str, int, Path | None], dict[str, float]] = {}
    names = ["question", "level", "parent", "option", "share"]
    for sheet, level, parent, option, share in table[names].itertuples(index=False, name=None):
        number, weight = whole_number(level), _weight(share)
        if number is None:
            raise Misuse(f"--target: the level of {option!r} is {level!r}; it must be a whole number of 0 or more")
        if weight is None:
            raise Misuse(f"--target: the share of {option!r} is {share!r}; it must be a number of 0 or more")
        parts = parts_of(parent, number)
        path = choices.place(sheet, number, parts)
        if not _is_declared(choices, sheet, number, path if parts else None, option):
            raise Misuse(f"--target: {option!r} at level {number} is not declared there by the table of options")
        weights = targets.setdefault((join_key(sheet), number, _plain(path) if parts else None), {})
        weights[option] = weights.get(option, 0.0) + weight
    for (_, number, place), weights in targets.items():
        if not sum(weights.values()):
            below = f" under {ARROW.join(place)}" if place else ""
            raise Misuse(f"--target: all shares of level {number}{below} are 0; at least one option must have some")
    choices.targets = targets


def _is_declared(choices: Choices, sheet: str, level: int, path: Path | None, option: str) -> bool:
    if path is not None:
        matcher = choices.matcher(sheet, level, path)
        return matcher is not None and bool(matcher.named(option))
    # a target for every parent need not fit each of them
    groups = [choices.groups.get(name, {}).get(level, {}) for name in {"", join_key(sheet)}]
    matchers = [choices.matcher(sheet, level, place or ()) for group in groups for place in group]
    return any(matcher is not None and matcher.named(option) for matcher in matchers)


def _plainness(spellings: Mapping[str, int]) -> Callable[[str], tuple[object, ...]]:
    """Return what orders spellings: the frequent before the rare, then the short and quiet before ROME!."""
    return lambda text: (-spellings[text], len(text), text.isupper(), text)


def _plain(path: Iterable[str]) -> Path:
    return tuple(map(plain, path))


def _weight(text: str) -> float | None:
    """Return a share or any other weight of 0 or more; a percent sign is only a unit."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
