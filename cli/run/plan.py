"""What a run is to do, settled before any model is read, and what came of each model; workers get and give these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Generic, Literal, Self

from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.header_matching import Renamings
from scoresheet.cli.input.run_tags import Tags
from scoresheet.cli.report.reporter import Numbers, Reporter
from scoresheet.cli.run.breakdown import Part
from scoresheet.cli.run.page_tables import Lines
from scoresheet.metrics.family import C, Family, K, O, P, R, S
from scoresheet.metrics.problems import KINDS, SKIPPED, Problem, ProblemKind
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stored_values import ValueStore

Status = Literal["ok", "partial", "unscored", "failed"]


@dataclass(frozen=True)
class Plan(Generic[O, P, C, S, R, K]):
    """A family and its reporter, the options, and where the reports are staged."""

    family: Family[O, P, C, S, R, K]
    reporter: Reporter[O, C, R, K]
    options: O
    signature: str
    rules: ReadRules
    renamed: Renamings
    folder: str  # the outputs as the user named them
    reference_sources: tuple[str, ...]  # the files with at least one reference, in order
    side_files: Mapping[str, str]  # file → SHA-256: references and further tables
    stage: Path | None  # None: a dry run writes nothing
    raw_csv: bool
    by: tuple[str, ...] = ()  # columns whose values the results are also shown by
    keep: tuple[str, ...] = ()  # columns carried along to the units
    lone_folder: bool = False  # whether the folder of one model is all that was found
    workbooks: bool = True  # whether what people look at is written: workbooks, Markdown, pictures
    tables: bool = False  # whether every page is written as a CSV too
    processes: int = 1  # that the work on one model may use besides its worker
    recipe: str = ""  # digest of all that a model's reports depend on but its files; '': nothing is kept of a model

    @property
    def referenced(self) -> bool:
        """Whether there are references to score against."""
        return bool(self.reference_sources)

    def kind_of(self, problem: Problem) -> ProblemKind:
        """Return what is declared of a problem's kind; an undeclared kind is a bug."""
        kind = self.family.problem_kinds.get(problem.kind) or KINDS.get(problem.kind)
        if kind is None:
            raise ValueError(f"{self.family.name} declares no kind of problem {problem.kind!r}")
        return kind

    def is_costly(self, problem: Problem) -> bool:
        """Return whether `--strict` counts a problem: whatever is no mere note."""
        return problem.effect != "note" or self.kind_of(problem).costly

    def makes_partial(self, problem: Problem) -> bool:
        """Return whether a model with this problem is scored in part only, or with what is not its own."""
        return problem.effect in SKIPPED or self.kind_of(problem).costly


@dataclass(frozen=True)
class SheetAccount:
    """What was read of one sheet, and as what."""

    name: str
    rows: int
    joined: int | None  # rows that found a reference, where a family joins
    file: str = ""
    header_row: int = 0
    sheet_column: str = ""  # the header that said which rows are of this sheet
    model_column: str = ""  # and of this model
    columns: Mapping[str, str] = field(default_factory=dict)  # what a column was taken for → its header
    ignored: tuple[str, ...] = ()  # headers that nothing was done with


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """What came of one model."""

    model: str
    status: Status = "failed"
    result: R | None = None  # slim: the pages are written
    numbers: Numbers = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    files: tuple[str, ...] = ()  # reports staged
    written: Mapping[str, str] = field(default_factory=dict)  # those whose SHA-256 is known from their writing
    pages: Mapping[str, Lines] = field(default_factory=dict)  # of its workbook, without those of the units
    sheets: Sequence[SheetAccount] = ()
    parts: Sequence[Part] = ()  # by the values of the columns that were asked for
    kept: tuple[Mapping[str, list[str]], ...] = ()  # for each sheet, columns carried along
    kept_cells: Mapping[str, Mapping[tuple[str, int], str]] = field(default_factory=dict)  # the same by sheet and row
    lost: int = 0  # rows of its files that name no model and stand right below its own
    tags: Tags = field(default_factory=dict)  # run tags of TREC files
    bug: str = ""  # the traceback, if scoresheet itself failed on the model
    unchanged: bool = False  # whether it is as it was in the last run, and was not scored again

    @property
    def rows(self) -> int:
        """Rows read, with those that name no model and may be its own."""
        return self.result.rows + self.lost if self.result else 0

    @property
    def scored(self) -> int:
        """Rows in the mean."""
        return self.result.scored if self.result else 0

    @property
    def coverage(self) -> float:
        """The share of rows with a computed score."""
        share = self.result.rows / self.rows if self.result and self.lost else 1.0
        return self.result.coverage * share if self.result else float("nan")

    def as_unchanged(self) -> Self:
        """Return it as that of a model which was not scored again."""
        return replace(self, unchanged=True)

    def put_away(self, store: ValueStore) -> Self:
        """Return it with what is asked for once or twice kept in a store: it stays to the end, as do all others."""
        return replace(
            self,
            result=self.result.put_away(store) if self.result else None,
            numbers=store.mapping(self.numbers),
            pages=store.mapping(self.pages),
            sheets=store.sequence(self.sheets),
            parts=store.sequence(self.parts),
        )
