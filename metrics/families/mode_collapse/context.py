"""What scoring needs of a run: the options of every cell, and whom the choices are tested against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet
from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, normalize_answer
from scoresheet.metrics.families.mode_collapse.null_distribution import UNIFORM, Shares
from scoresheet.metrics.families.mode_collapse.option_sets import (
    EVERYWHERE,
    OptionSets,
    Path,
    normalized_path,
    observed_option_sets,
    path_of,
    question_key,
)
from scoresheet.metrics.families.mode_collapse.options import ALIAS_SEPARATOR, OBSERVED_IN, ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.schema import ALIASES, LEVEL, OPTION, PARENT, QUESTION, TARGET
from scoresheet.metrics.families.mode_collapse.target_shares import (
    TargetShares,
    leveled_sheets,
    read_target_shares,
    shares_of_cell,
)
from scoresheet.metrics.family import Given
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.messages import argument, flag
from scoresheet.metrics.numbers import parse_count
from scoresheet.metrics.problems import Noted, Problem, UsageError, note, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import ROW, SHEET, SOURCE
from scoresheet.metrics.tables import column_values, text_cells

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table


@dataclass(frozen=True)
class ModeCollapseContext:
    """The options of every cell, and the shares of the target if there is one."""

    option_sets: OptionSets
    targets: TargetShares | None = None

    def null_shares(self, sheet: str, level: int, path: Path) -> Shares | None:
        """Return the shares of the chooser that a cell is tested against, None where the target is silent."""
        if self.targets is None:
            return UNIFORM
        return shares_of_cell(self.targets, self.option_sets, sheet, level, path)


def make_context(given: Given[ChoiceSheet], options: ModeCollapseOptions) -> Noted[ModeCollapseContext]:
    """Return the options that a table declares, or that the models chose; what contradicts itself stops the run."""
    table = argument("CHOICE_TABLE")
    if options.options and len(given.reference_table):
        raise UsageError(f"the options are declared twice, by {table} and by {flag('options')}; leave one of them out")
    if options.options or len(given.reference_table):
        if options.observed != OBSERVED_IN[0]:
            which = flag("options") if options.options else table
            raise UsageError(f"{flag('observed')} is for runs without declared options; leave it or {which} out")
        option_sets, problems = (
            inline_option_sets(options) if options.options else declared_option_sets(given.reference_table)
        )
        targets = read_target_shares(given.further[TARGET], option_sets) if options.target else None
        return Noted(ModeCollapseContext(option_sets, targets), problems)
    for name in (TARGET, "fuzzy"):
        if getattr(options, name):
            raise UsageError(
                f"{flag(name)} needs the options declared: list them with {flag('options A,B,C')}, or name a table of "
                f"them as {table}"
            )
    seen = ((sheet.name, sheet.choices_seen) for sheet in given.sheets)
    option_sets = observed_option_sets(seen, by=options.observed)
    # where nothing could be read, there is nothing to say of what was seen
    notes = [note("observed-options", describe_observed(options))] if given.sheets else []
    return Noted(ModeCollapseContext(option_sets), tuple(notes))


def describe_observed(options: ModeCollapseOptions) -> str:
    """Return what it means that no table of options was given."""
    among = {
        "run": "in the whole run, under whatever parent and question",
        "sheet": "in sheets of the same name, under whatever parent",
        "parent": "under the same parent in sheets of the same name",
    }[options.observed]
    wrong = "" if options.observed == "parent" else ", and one that belongs elsewhere counts as never chosen here"
    return (
        f"no table of options was given: the options of a cell are the choices seen at its level {among}. One that "
        f"nobody chose is missing{wrong}; declare the options to be sure"
    )


def inline_option_sets(options: ModeCollapseOptions) -> Noted[OptionSets]:
    """Return the options that were listed in line: those of level 0, for all questions."""
    option_sets = OptionSets()
    for name, aliases in options.inline.items():
        if normalize_answer(name) == INCOMPLETE:
            raise UsageError(f"{flag('options')}: {name!r} is no option: an answer of that name is one that is missing")
        option_sets.add(EVERYWHERE, 0, None, name, aliases)
    option_sets.check_distinct()
    return Noted(option_sets)


class _Declaration(NamedTuple):
    """A row of the table of options, and where it stood."""

    question: str
    sheet_question: str  # the question that its sheet or file is named after, if it is
    level: int
    parent: str
    option: str
    aliases: str
    source: str
    sheet: str
    row: int

    @property
    def path(self) -> Path:
        return path_of(self.parent, self.level)

    def add_to(self, option_sets: OptionSets, path: Path | None) -> None:
        aliases = filter(None, map(str.strip, self.aliases.split(ALIAS_SEPARATOR)))
        add = option_sets.add_of_sheet if self.sheet_question and not self.question else option_sets.add
        add(self.question or self.sheet_question, self.level, path, self.option, aliases)


def declared_option_sets(table: Table) -> Noted[OptionSets]:
    """Return the options that a table declares; a parent may be named by an alias, so levels are read from the top."""
    option_sets = OptionSets()
    problems: list[Problem] = []
    declarations = sorted(_declarations(table, problems), key=lambda each: each.level)
    for level, of_level in groupby(declarations, key=lambda each: each.level):
        with_paths: list[tuple[_Declaration, Path | None]] = []
        for each in of_level:
            if each.path and len(each.path) != level:
                what = "the root has no parent" if not level else f"level {level} has a path of {level} choices"
                message = f"{what}, and that of option {each.option!r} is {each.parent.strip()!r}"
                lost = unscored_row("unknown-parent", message, row=each.row, column=PARENT.name)
                problems.append(lost.at(file=each.source, sheet=each.sheet))
                continue
            question = each.question or each.sheet_question
            path = option_sets.spelled_path(question, level, each.path)
            wrong = option_sets.unknown_parent(question, level, path)
            if wrong:
                message = f"the parent of option {each.option!r}: {wrong}"
                doubt = note("unknown-parent", message, row=each.row, column=PARENT.name, sheet=each.sheet)
                problems.append(doubt.at(file=each.source))
            with_paths.append((each, normalized_path(path) if path else None))
        for each, own_path in with_paths:
            each.add_to(option_sets, own_path)
    option_sets.check_distinct()
    return Noted(option_sets, tuple(problems))


def _declarations(table: Table, problems: list[Problem]) -> Iterator[_Declaration]:
    """Yield the rows of the table that declare something; what is wrong with the others is added to the problems."""
    names = (QUESTION.name, LEVEL.name, PARENT.name, OPTION.name, ALIASES.name, SOURCE, SHEET)
    numbers = cast("Sequence[int]", column_values(table, ROW))
    rows = zip(*(text_cells(table, name) for name in names), numbers, strict=True)
    places = zip(text_cells(table, SOURCE), text_cells(table, SHEET), strict=True)
    questions = _questions_by_sheet(dict.fromkeys(places))
    leveled = leveled_sheets(table)
    for question, level_text, parent, option, aliases, source, sheet, row in rows:
        level = parse_count(level_text) if (source, sheet) in leveled else 0
        if normalize_answer(option) == INCOMPLETE:
            message = f"{option!r} is no option: an answer of that name is one that is missing, and is left out"
            lost = unscored_row("incomplete", message, row=row, column=OPTION.name)
        elif level is None:
            message = f"the level of option {option!r} is {level_text!r}; it must be a whole number of 0 or more"
            lost = unscored_row("unknown-level", message, row=row, column=LEVEL.name)
        else:
            own = questions[source, sheet]
            yield _Declaration(question_key(question), own, level, parent, option.strip(), aliases, source, sheet, row)
            continue
        problems.append(lost.at(file=source, sheet=sheet))


def _questions_by_sheet(sheets: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the question that each sheet of the table may be named after, '' for a lone sheet that nobody named.

    A sheet is named by its name; one called Sheet1 too, if it is not its file's only one, else by its file's name, if
    that is not the only file.
    """
    listed = list(sheets)
    in_file = Counter(source for source, _ in listed)
    questions = {}
    for source, sheet in listed:
        name = sheet
        if is_default_sheet_name(sheet) and in_file[source] == 1:
            name = source.rsplit("/", 1)[-1].rsplit(".", 1)[0] if len(in_file) > 1 else EVERYWHERE
        questions[source, sheet] = question_key(name)
    return questions
