"""From the rows of a sheet to its cells: which option each row chose, counted by level and parent path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from scoresheet.metrics.core import Joined
from scoresheet.metrics.families.mode_collapse.chance import Shares
from scoresheet.metrics.families.mode_collapse.declared import ARROW, Choices, Path, parts_of
from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, Matcher, plain
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_count
from scoresheet.metrics.problems import Problem

CORRECTION: Final = "correction"
_TRUE: Final = frozenset({"true", "yes", "y", "t", "1", "1.0"})
_FALSE: Final = frozenset({"", "false", "no", "n", "f", "0", "0.0"})
_COLUMNS: Final = ("level", "parent", "choice", "response", "count", "corrected_category", "is_flagged")
_DEEPEST: Final = 1_000  # levels; each has columns of its own in the results
_MOST_SAMPLES: Final = 10**12  # of a cell; sums of ranks stay exact
_UNFIT: Final = {"none": "unknown-option", "ambiguous": "ambiguous-option", INCOMPLETE: "incomplete"}


class Row(NamedTuple):
    """What the cells of a row say; rows that say the same are looked at once."""

    level: str
    parent: str
    choice: str
    response: str
    samples: str
    correction: str
    flagged: str


@dataclass
class Cell:
    """One (sheet, level, parent path): how often each of its options was chosen."""

    level: int
    path: Path
    options: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    incomplete: int = 0
    rows: int = 0  # of the input that were counted
    first_row: int = 0
    shares: Shares | None = ()  # of the target; () for the uniform chooser, None where the target is silent
    weight: float = 1.0  # how often its parent path was chosen

    @property
    def listed(self) -> list[int]:
        """The counts in the order of the options, zeros included."""
        return [self.counts[option] for option in self.options]

    @property
    def total(self) -> int:
        """How many samples chose one of the options."""
        return self.counts.total()

    @property
    def parent(self) -> str:
        """The parent path as reports show it."""
        return ARROW.join(self.path)


class Mapped(NamedTuple):
    """A text that was not simply the name of an option, and what became of it."""

    level: int
    parent: str
    text: str
    option: str
    how: str


@dataclass
class Counted:
    """The cells of a sheet, the texts that had to be mapped, and what was wrong."""

    cells: list[Cell] = field(default_factory=list)
    mappings: Counter[Mapped] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


class _Unusable(NamedTuple):
    kind: str
    message: str
    column: str


def seen_choices(joined: Joined) -> dict[tuple[str, int, Path], dict[str, int]]:
    """Return how often each text was chosen in each cell; a text with count 0 was seen too: it is declared."""
    seen: dict[tuple[str, int, Path], dict[str, int]] = {}
    for cells, times in Counter(_sound(joined, _rows(joined))).items():
        row = Row._make(cells)
        level, count = parse_count(row.level), parse_count(row.samples)
        if level is not None and len(parts_of(row.parent, level)) != level:
            continue  # it has no place in the tree, and declares nothing there
        text = (_correction(row, joined) or row.choice).strip()
        if level is not None and count is not None and plain(text) not in ("", INCOMPLETE):
            texts = seen.setdefault((joined.sheet.name, level, parts_of(row.parent, level)), {})
            texts[text] = texts.get(text, 0) + times * count
    return seen


def counted_sheet(joined: Joined, choices: Choices, options: ModeCollapseOptions) -> Counted:
    """Return the cells of a sheet, sorted by level and parent; which order the rows have cannot matter."""
    counter = _Counter(joined, choices, options)
    rows = _rows(joined)
    numbers = joined.sheet.frame.index.tolist()
    first = {row: number for number, row in zip(reversed(numbers), reversed(rows), strict=True)}
    unusable: dict[tuple[str, ...], _Unusable] = {}
    for row, times in Counter(_sound(joined, rows)).items():
        problem = counter.count(Row._make(row), times, first[row])
        if problem is not None:
            unusable[row] = problem
    counted = counter.counted()
    if unusable:
        counted.problems = [
            Problem(kind=why.kind, message=why.message, effect="row not scored", row=number, column=why.column)
            for number, row in zip(numbers, rows, strict=True)
            if number not in joined.unsound and (why := unusable.get(row)) is not None
        ]
    counted.problems += _flags_in_doubt(joined, rows)
    return counted


class _Counter:
    """Counts the rows of one sheet into cells."""

    def __init__(self, joined: Joined, choices: Choices, options: ModeCollapseOptions) -> None:
        self.joined = joined
        self.sheet = joined.sheet.name
        self.choices = choices
        self.fuzzy = options.fuzzy
        self.mistaken = choices.mistaken(joined.sheet.name)
        self.places: dict[tuple[str, str], tuple[Cell, Matcher] | _Unusable] = {}
        self.cells: dict[tuple[int, Path], Cell] = {}
        self.mappings: Counter[Mapped] = Counter()

    def count(self, row: Row, times: int, number: int) -> _Unusable | None:
        """Count rows that say the same, or return why they cannot be counted."""
        place = self.places.get((row.level, row.parent))
        if place is None:
            place = self.places[row.level, row.parent] = self._place(row.level, row.parent)
        if isinstance(place, _Unusable):
            return place
        cell, matcher = place
        cell.first_row = min(cell.first_row or number, number)
        samples = parse_count(row.samples)
        if samples is None:
            message = f"the count is {row.samples!r}; it must be a whole number of 0 or more"
            return _Unusable("bad-count", message, "count")
        if cell.total + cell.incomplete + samples * times > _MOST_SAMPLES:
            return _Unusable("bad-count", f"with this count the cell has more than {_MOST_SAMPLES:,} samples", "count")
        return self._counted(cell, matcher, row, samples * times, times)

    def _no_level(self, level: int, known: set[int]) -> str:
        if known:
            join_names = ", ".join(map(str, sorted(known)))
            return f"no option is declared at level {level}; there are options at levels {join_names}"
        questions = ", ".join(map(repr, self.choices.questions()))
        return f"no option is declared for this sheet, {self.sheet!r}; the table has options for {questions}"

    def counted(self) -> Counted:
        """Return what was counted."""
        order = sorted(self.cells, key=lambda key: self.choices.order(self.sheet, *key))
        return Counted([self.cells[key] for key in order], self.mappings)

    def _place(self, level_text: str, parent: str) -> tuple[Cell, Matcher] | _Unusable:
        """Return the cell of a level and a parent, or why there is none."""
        level = parse_count(level_text)
        if level is None or level > _DEEPEST:
            message = f"the level is {level_text!r}; it must be a whole number from 0 to {_DEEPEST:,}"
            return _Unusable("unknown-level", message, "level")
        if self.mistaken:
            message = f"the table has options for {self.choices.stranger(self.sheet)}{self.mistaken}"
            return _Unusable("unknown-question", message, "")
        known = self.choices.levels(self.sheet)
        parts = parts_of(parent, level)
        if level not in known and not (parts and self.choices.observed):  # what has no place declares no level
            return _Unusable("unknown-level", self._no_level(level, known), "level")
        if parts and len(parts) != level:
            what = "the root has no parent" if not level else f"level {level} has a path of {level} choices"
            message = f"{what}, and the parent is {parent.strip()!r}; correct the level or write the whole path"
            return _Unusable("unknown-parent", message, "parent")
        if level and not parts:
            what = "there is no column parent" if "parent" in self.joined.absent else f"level {level} has no parent"
            message = f"{what}; name the choice it was sampled under, or put it at level 0"
            return _Unusable("empty-key", message, "parent")
        path = self.choices.place(self.sheet, level, parts)
        wrong = self.choices.unknown_parent(self.sheet, level, path)
        matcher = self.choices.matcher(self.sheet, level, path)
        if wrong or matcher is None:
            message = wrong or f"no option is declared at level {level} under {ARROW.join(parts)!r}"
            return _Unusable("unknown-parent", message, "parent")
        if (level, path) not in self.cells:
            shares = self.choices.shares(self.sheet, level, path)
            self.cells[level, path] = Cell(level, path, matcher.options, shares=shares)
        return self.cells[level, path], matcher

    def _counted(self, cell: Cell, matcher: Matcher, row: Row, samples: int, times: int) -> _Unusable | None:
        correction = _correction(row, self.joined)
        chosen = row.choice.strip() or "response" in self.joined.absent
        column, text = ("choice", row.choice) if chosen else ("response", row.response)
        if correction:
            column, text = "corrected_category", correction
        match = matcher.match(text, fuzzy=self.fuzzy)
        if match.how not in ("exact", INCOMPLETE) or (correction and text.strip() != row.choice.strip()):
            shown = f"{row.choice.strip() or row.response.strip()} ⇒ {text.strip()}" if correction else text.strip()
            how = f"{CORRECTION}, {match.how}" if correction else match.how
            self.mappings[Mapped(cell.level, cell.parent, shown, match.option, how)] += samples
        if match.found:
            cell.counts[match.option] += samples
            cell.rows += times
            return None
        cell.incomplete += samples
        return _Unusable(_UNFIT[match.how], _unfit_message(text.strip(), match.how, matcher), column)


def _rows(joined: Joined) -> list[tuple[str, ...]]:
    """Return what the cells of each row say; a sheet without counts has one sample to a row."""
    frame = joined.sheet.frame
    columns = [frame[name].tolist() for name in _COLUMNS]
    if "count" in joined.absent:
        columns[_COLUMNS.index("count")] = ["1"] * len(frame)
    return list(zip(*columns, strict=True))


def _sound(joined: Joined, rows: list[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    if not joined.unsound:
        return rows
    numbers = joined.sheet.frame.index.tolist()
    return [row for number, row in zip(numbers, rows, strict=True) if number not in joined.unsound]


def _correction(row: Row, joined: Joined) -> str:
    """Return the human correction where it counts: on flagged rows, or on all where no column flags them."""
    flagged = "is_flagged" in joined.absent or row.flagged.strip().casefold() in _TRUE
    return row.correction if flagged and row.correction.strip() else ""


def _flags_in_doubt(joined: Joined, rows: list[tuple[str, ...]]) -> list[Problem]:
    """Return a note on marks beside a correction that are neither yes nor no: a person may have meant yes."""
    if "is_flagged" in joined.absent:
        return []
    marks = {(row.flagged.strip(), row.correction.strip()) for row in map(Row._make, rows)}
    odd = sorted({mark for mark, correction in marks if correction and mark.casefold() not in _TRUE | _FALSE})
    if not odd:
        return []
    marks_shown = join_names(map(repr, odd))
    message = f"is_flagged is {marks_shown} beside a correction, which counts as no; yes is true, yes, y, t or 1"
    return [Problem(kind="unknown-flag", message=message, effect="note", column="is_flagged")]


def _unfit_message(text: str, how: str, matcher: Matcher) -> str:
    shown = repr(text if len(text) <= 80 else text[:79] + "…")
    if how == INCOMPLETE:
        return "nothing was chosen" if not text else "the choice is marked incomplete"
    if how == "ambiguous":
        return f"{shown} means two of the declared options"
    hint = matcher.suggestion(text) or "; add it to the table, as an option or an alias, if it is one"
    return f"{shown} is none of the declared options{hint}"
