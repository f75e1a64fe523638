"""The cells of a sheet's tree: how often each option was chosen at a level, under a parent path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Final, NamedTuple

from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext
from scoresheet.metrics.families.mode_collapse.extraction import lost_message
from scoresheet.metrics.families.mode_collapse.inputs import Answer, ChoiceSheet, Location
from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, Match, Matcher
from scoresheet.metrics.families.mode_collapse.null_distribution import UNIFORM, Shares
from scoresheet.metrics.families.mode_collapse.option_sets import ARROW, Path
from scoresheet.metrics.families.mode_collapse.options import LAST, ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.schema import (
    CHOICE,
    CORRECTION,
    COUNT,
    LEVEL,
    PARENT,
    RESPONSE,
)
from scoresheet.metrics.problems import Problem, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn

MANUAL: Final = "correction"  # how a text was mapped that a person corrected
_DEEPEST: Final = 1_000  # levels; each has columns of its own in the results
_MOST_SAMPLES: Final = 10**12  # of a cell; sums of ranks stay exact
_LONGEST_QUOTE: Final = 80  # characters of a text in a message
REFUSED: Final = "refused"
_UNMATCHED: Final = {
    "none": "unknown-option",
    "ambiguous": "ambiguous-option",
    INCOMPLETE: "incomplete",
    REFUSED: REFUSED,
}


@dataclass(frozen=True)
class Cell:
    """One (sheet, level, parent path): how often each of its options was chosen."""

    level: int
    path: Path
    options: tuple[str, ...]
    counts: tuple[int, ...]  # of the options, zeros included
    incomplete: int = 0  # samples without a usable choice
    refused: int = 0  # samples that declined to choose
    rows: int = 0  # of the input that were counted
    first_row: int = 0
    shares: Shares | None = UNIFORM  # of the chooser it is tested against; None where the target is silent
    weight: float = 1.0  # how often its parent path was chosen

    @cached_property
    def total(self) -> int:
        """How many samples chose one of the options."""
        return sum(self.counts)

    @property
    def asked(self) -> int:
        """How many samples there are, whatever they answered."""
        return self.total + self.incomplete + self.refused

    @property
    def parent(self) -> str:
        """The parent path as reports show it."""
        return ARROW.join(self.path)

    @property
    def is_measured(self) -> bool:
        """Whether it has a Gini: something was chosen, and there was a choice."""
        return len(self.options) > 1 and self.total > 0

    def count_of(self, option: str) -> int:
        """Return how often an option was chosen; 0 for what is none."""
        return self.counts[self.options.index(option)] if option in self.options else 0


class MappedText(NamedTuple):
    """A text that was not simply the name of an option, and what became of it."""

    level: int
    parent: str
    text: str
    option: str
    how: str


class CountedAnswer(NamedTuple):
    """What rows that say the same were taken for."""

    rows: Sequence[int]
    level: str  # as it is known, '' where the row says none
    parent: str
    text: str
    option: str  # '' if it is none
    how: str  # by which rule it was found, or the kind of problem if it could not be counted
    samples: int  # of each row


@dataclass(frozen=True)
class CountedSheet:
    """The cells of a sheet, sorted by level and parent, and the texts that had to be mapped, with their samples."""

    cells: tuple[Cell, ...]
    mapped_texts: Mapping[MappedText, int]
    answers: tuple[CountedAnswer, ...]
    row_problems: tuple[Problem, ...]  # in the order of the rows


def count_choices(sheet: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions) -> CountedSheet:
    """Return the cells of a sheet; which order the rows have cannot matter."""
    counter = _CellCounter(sheet, context, options)
    problems = []
    answers = []
    for answer in sheet.answers:
        why = counter.count(answer)
        answers.append(counter.counted_answer(answer, why))
        if why is not None:
            problems += [unscored_row(why.kind, why.message, row=row, column=why.column) for row in answer.rows]
    cells = sorted(counter.tallies.values(), key=lambda each: context.option_sets.sort_key(sheet.name, *each.key))
    in_order = sorted(problems, key=lambda problem: problem.row or 0)
    return CountedSheet(tuple(each.cell() for each in cells), counter.mapped_texts, tuple(answers), tuple(in_order))


class _Unusable(NamedTuple):
    """Why rows cannot be counted."""

    kind: str
    message: str
    column: str


@dataclass
class _Tally:
    """A cell that is being counted."""

    level: int
    path: Path
    matcher: Matcher
    shares: Shares | None
    counts: Counter[str] = field(default_factory=Counter)
    samples: int = 0
    incomplete: int = 0
    refused: int = 0
    rows: int = 0
    first_row: int = 0

    @property
    def key(self) -> tuple[int, Path]:
        return self.level, self.path

    def cell(self) -> Cell:
        options = self.matcher.options
        return Cell(
            level=self.level,
            path=self.path,
            options=options,
            counts=tuple(self.counts[option] for option in options),
            incomplete=self.incomplete,
            refused=self.refused,
            rows=self.rows,
            first_row=self.first_row,
            shares=self.shares,
        )


class _CellCounter:
    """Counts the answers of one sheet into cells."""

    def __init__(self, sheet: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions) -> None:
        self.sheet = sheet
        self.context = context
        self.option_sets = context.option_sets
        self.fuzzy = options.fuzzy
        self.takes_last = options.extract == LAST
        self.suggested_question = context.option_sets.suggested_question(sheet.name)
        self.levels = context.option_sets.levels(sheet.name)
        self.located: dict[Location, _Tally | _Unusable] = {}
        self.tallies: dict[tuple[int, Path], _Tally] = {}
        self.mapped_texts: Counter[MappedText] = Counter()

    def count(self, answer: Answer) -> _Unusable | None:
        """Count rows that say the same, or return why they cannot be counted."""
        if answer.location not in self.located:
            self.located[answer.location] = self._tally_at(answer.location)
        tally = self.located[answer.location]
        if isinstance(tally, _Unusable):
            return tally
        tally.first_row = min(tally.first_row or answer.first_row, answer.first_row)
        if answer.samples is None:
            message = f"the count is {answer.samples_text!r}; it must be a whole number of 0 or more"
            return _Unusable("bad-count", message, COUNT.name)
        samples = answer.samples * len(answer.rows)
        if tally.samples + samples > _MOST_SAMPLES:
            message = f"with this count the cell has more than {_MOST_SAMPLES:,} samples"
            return _Unusable("bad-count", message, COUNT.name)
        tally.samples += samples
        return self._count_text(tally, answer, samples)

    def counted_answer(self, answer: Answer, why: _Unusable | None) -> CountedAnswer:
        """Return what rows were taken for, once they are counted."""
        tally = self.located[answer.location]
        _, text = self._text_of(answer)
        level, parent = answer.location.level_text, answer.location.parent_text
        option, how = "", why.kind if why else ""
        if not isinstance(tally, _Unusable):
            level, parent = str(tally.level), ARROW.join(tally.path)
            match = self._match(tally.matcher, text)
            option, how = ("", how) if why else (match.option, match.how)
        if answer.correction and option:
            how = f"{MANUAL}, {how}"
        return CountedAnswer(answer.rows, level.strip(), parent.strip(), text.strip(), option, how, answer.samples or 0)

    def _text_of(self, answer: Answer) -> tuple[InputColumn, str]:
        """Return what is looked at, and in which column it stands."""
        if answer.correction:
            return CORRECTION, answer.correction
        is_choice = answer.choice.strip() or not self.sheet.has_responses
        return (CHOICE, answer.choice) if is_choice else (RESPONSE, answer.response)

    def _match(self, matcher: Matcher, text: str) -> Match:
        return matcher.match(text, fuzzy=self.fuzzy, last=self.takes_last)

    def _count_text(self, tally: _Tally, answer: Answer, samples: int) -> _Unusable | None:
        """Count an answer as the option that its text means, or return why it means none."""
        column, text = self._text_of(answer)
        if answer.lost and not answer.correction:
            tally.incomplete += samples
            return _Unusable(answer.lost, lost_message(answer.lost), "" if answer.location.is_walk else column.name)
        match = self._match(tally.matcher, text)
        self._list_mapping(tally, answer, text.strip(), match, samples)
        if match.option:
            tally.counts[match.option] += samples
            tally.rows += len(answer.rows)
            return None
        if match.how == REFUSED:
            tally.refused += samples
        else:
            tally.incomplete += samples
        message = _unmatched_message(text.strip(), match, tally.matcher)
        return _Unusable(_UNMATCHED[match.how], message, "" if answer.location.is_walk else column.name)

    def _list_mapping(self, tally: _Tally, answer: Answer, text: str, match: Match, samples: int) -> None:
        """Keep a text that was not simply an option's name; a correction shows what was corrected."""
        is_corrected = bool(answer.correction) and text != answer.choice.strip()
        if match.how in ("exact", INCOMPLETE) and not is_corrected:
            return
        shown, how = text, str(match.how)
        if answer.correction:
            shown = f"{answer.choice.strip() or answer.response.strip()} ⇒ {text}"
            how = f"{MANUAL}, {match.how}"
        self.mapped_texts[MappedText(tally.level, ARROW.join(tally.path), shown, match.option, how)] += samples

    def _tally_at(self, location: Location) -> _Tally | _Unusable:
        """Return the cell of a level and a parent, or why there is none."""
        level, parts = location.level, location.path
        if level is None or level > _DEEPEST:
            message = f"the level is {location.level_text!r}; it must be a whole number from 0 to {_DEEPEST:,}"
            return _Unusable("unknown-level", message, LEVEL.name)
        wrong = self._wrong_level(level, parts) or self._wrong_parent(level, location)
        if wrong:
            return wrong
        if location.is_walk:  # where what was answered above may be a sentence
            path = self.option_sets.spelled_path(
                self.sheet.name, level, parts, lambda *given: self._match(*given).option
            )
        else:
            path = self.option_sets.spelled_path(self.sheet.name, level, parts)
        unknown = self.option_sets.unknown_parent(self.sheet.name, level, path)
        matcher = self.option_sets.matcher(self.sheet.name, level, path)
        if unknown or matcher is None:
            message = unknown or f"no option is declared at level {level} under {ARROW.join(parts)!r}"
            return _Unusable("unknown-parent", message, PARENT.name)
        if (level, path) not in self.tallies:
            shares = self.context.null_shares(self.sheet.name, level, path)
            self.tallies[level, path] = _Tally(level, path, matcher, shares)
        return self.tallies[level, path]

    def _wrong_level(self, level: int, parts: Path) -> _Unusable | None:
        """Return why a sheet has no options at a level."""
        if self.suggested_question:
            others = self.option_sets.questions_of_others(self.sheet.name)
            return _Unusable("unknown-question", f"the table has options for {others}{self.suggested_question}", "")
        # what has no place in the tree declares no level
        if level in self.levels or (parts and self.option_sets.are_observed):
            return None
        if self.levels:
            known = ", ".join(map(str, sorted(self.levels)))
            message = f"no option is declared at level {level}; there are options at levels {known}"
        else:
            questions = ", ".join(map(repr, self.option_sets.questions()))
            message = (
                f"no option is declared for this sheet, {self.sheet.name!r}; the table has options for {questions}"
            )
        return _Unusable("unknown-level", message, LEVEL.name)

    def _wrong_parent(self, level: int, location: Location) -> _Unusable | None:
        """Return why a parent cannot be one of this level."""
        if location.path and len(location.path) != level:
            what = "the root has no parent" if not level else f"level {level} has a path of {level} choices"
            parent = location.parent_text.strip()
            way = "correct the level or write the whole path"
            if not self.sheet.has_levels:
                way = "there is no column level, so that everything is at level 0; add one, or take the parents out"
            message = f"{what}, and the parent is {parent!r}; {way}"
            return _Unusable("unknown-parent", message, PARENT.name)
        if level and not location.path:
            what = f"level {level} has no parent" if self.sheet.has_parents else "there is no column parent"
            message = f"{what}; name the choice it was sampled under, or put it at level 0"
            return _Unusable("empty-key", message, PARENT.name)
        return None


def _unmatched_message(text: str, match: Match, matcher: Matcher) -> str:
    """Return why a text means no option."""
    if match.how == INCOMPLETE:
        return "nothing was chosen" if not text else "the choice is marked incomplete"
    shown = repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…")
    if match.how == "ambiguous":
        return f"{shown} means two of the declared options"
    if match.how == REFUSED:
        return f"{shown} declines to choose"
    hint = matcher.suggestion(text) or "; add it to the table, as an option or an alias, if it is one"
    return f"{shown} is none of the declared options{hint}"
