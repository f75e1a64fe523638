"""The contract of a family: parse a sheet, make the context, score, combine, compare; typed from end to end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from scoresheet.metrics.compare import ComparedBy, ComparedUnits, PairedComparison, Pairing, compare_units
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import Noted, Problem, ProblemKind
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import Schema
from scoresheet.metrics.spread import Spread
from scoresheet.metrics.stored_values import MadeMapping, Stored, ValueStore
from scoresheet.metrics.tables import HeldTable, frame_of
from scoresheet.metrics.units import Units, Value, concatenate_units

if TYPE_CHECKING:
    import pandas as pd

    from scoresheet.metrics.tables import Table


@dataclass(frozen=True)
class Sheet:
    """One table of one model under the family's column names: every cell text, the rows as shown."""

    name: str
    table: Table
    unusable_rows: Mapping[int, Problem] = field(default_factory=dict)  # why no family could score them
    absent: frozenset[str] = frozenset()  # optional columns that the table does not have; the table has them empty
    # in columns that keep the user's names: cells that hold an error, by (row, header), and what they show
    error_cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    headers: tuple[str, ...] = ()  # as the file has them, in its order
    taken: Mapping[str, str] = field(default_factory=dict)  # our columns that are there → the header of each
    model: str = ""
    source: str = ""  # the file, as reports name it
    notes: tuple[Problem, ...] = ()  # what was found on the way to it

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a frame."""
        return frame_of(self.table)

    def header(self, column: str) -> str:
        """Return what the file calls one of our columns; our own name where it does not have it."""
        return self.taken.get(column, column)


@dataclass(frozen=True, kw_only=True)
class ParsedSheet:
    """A sheet as a family understands it; each family adds what it read."""

    name: str
    rows: int  # rows read
    used_columns: frozenset[str] = frozenset()  # headers beyond the schema's columns that the family used

    def reduced(self) -> Self:
        """Return what the context must know of the sheet, where a run goes over the models twice."""
        return self


P = TypeVar("P", bound=ParsedSheet)


@dataclass(frozen=True)
class Given(Generic[P]):
    """What a context is made of: everything but the sheet that is scored."""

    reference_table: Table  # the family's reference columns, and where they stood: SOURCE, SHEET, ROW
    further: Mapping[str, Table] = field(default_factory=dict)  # by the option that names the file
    sheets: Sequence[P] = ()  # all models' sheets, reduced, where the family goes over them twice

    @property
    def references(self) -> pd.DataFrame:
        """The table of references as a frame."""
        return frame_of(self.reference_table)

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The further tables as frames."""
        return {name: frame_of(table) for name, table in self.further.items()}


@dataclass(frozen=True, kw_only=True)
class ScoredSheet:
    """The scored units of one sheet; each family adds what its pages show."""

    name: str
    rows: int
    units: Units
    row_problems: Mapping[int, str] = field(default_factory=dict)  # what was said of single rows
    joined: int | None = None  # rows that found a reference, where a family joins

    @property
    def row_labels(self) -> Mapping[str, Sequence[str]]:
        """What the family found out of each unit that is a row, by the names of columns that users ask for."""
        return {}


S = TypeVar("S", bound=ScoredSheet)
S_co = TypeVar("S_co", bound=ScoredSheet, covariant=True)


@dataclass(frozen=True, kw_only=True)
class ModelResult(Generic[S_co]):
    """What the sheets of one model come to; each family adds what its pages show."""

    sheets: tuple[S_co, ...]
    measures: Mapping[str, Value]  # by the names of the results table
    rows: int
    scored: int  # rows in the mean
    computed: int  # rows with a computed score
    has_score: bool  # whether there is any number to show
    alerts: tuple[str, ...] = ()  # what calls for attention, in words
    # by which it is held against other models; None where it cannot be
    compared: ComparedUnits | Stored[ComparedUnits] | None = None

    @property
    def coverage(self) -> float:
        """Return the share of rows with a computed score."""
        return self.computed / self.rows if self.rows else float("nan")

    def unit_table(self) -> HeldTable:
        """Return the scored units of all sheets as one table."""
        return concatenate_units({sheet.name: sheet.units for sheet in self.sheets})

    def units(self) -> pd.DataFrame:
        """Return the same as a frame."""
        return self.unit_table().frame

    def comparable_units(self) -> Mapping[str, Units]:
        """Return the units by which the model can be held against another, by sheet."""
        return {sheet.name: sheet.units for sheet in self.sheets if len(sheet.units)}

    @abstractmethod
    def slim(self) -> Self:
        """Return what comparing the models of a run needs: it travels between processes and stays to the end."""

    def put_away(self, store: ValueStore) -> Self:
        """Return it with what takes room kept in a store, since what a run came to stays there for every model."""
        compared = self.compared_units()
        return replace(self, compared=None if compared is None else store.put(compared))

    def compared_units(self) -> ComparedUnits | None:
        """Return the units by which it is held against other models, wherever they are."""
        return self.compared.get() if isinstance(self.compared, Stored) else self.compared


@dataclass(frozen=True)
class Audit:
    """How a sample of the run's rows compares with the reference library."""

    library: str
    checked: int
    too_long: int
    longest: int  # words; longer texts are not sampled
    mismatches: tuple[str, ...]

    def sentence(self) -> str:
        """Return the outcome as one sentence for people."""
        if not self.checked:
            return "no row could be sampled"
        text = f"{self.checked - len(self.mismatches)} of {self.checked} sampled rows equal {self.library} bit for bit"
        return text + (f"; {self.too_long} rows over {self.longest} words were not sampled" if self.too_long else "")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The models of a run held against each other; each family adds its own."""

    paired: PairedComparison = field(default_factory=PairedComparison)
    audit: Audit | None = None


O = TypeVar("O", bound=Options)  # noqa: E741 - the conventional single letter for a type variable
C = TypeVar("C")  # a family's context
R = TypeVar("R", bound=ModelResult[ScoredSheet])
K = TypeVar("K", bound=Comparison)


def compared_units(results: Mapping[str, R]) -> Mapping[str, ComparedUnits | None]:
    """Return by what each of the models is compared; what was put away is read whenever it is asked for."""
    return MadeMapping(results, lambda result: result.compared_units())


class Family(ABC, Generic[O, P, C, S, R, K]):
    """One family of measures: what it reads, and the way from sheets to numbers; it knows nothing about files."""

    name: str  # the command
    options: type[O]
    schema: Schema
    measures: tuple[Measure, ...]
    problem_kinds: Mapping[str, ProblemKind]  # those that only this family raises
    spreads_sheets: bool = True  # whether scoring a sheet takes long enough to be worth a process

    def require(self, options: O) -> None:
        """Raise MissingExtra if the options ask for a package that is not installed; called before anything is read."""
        return

    def two_pass(self, options: O, *, referenced: bool) -> bool:
        """Return whether the context depends on what the models' sheets hold; they are then read twice."""
        return False

    @abstractmethod
    def parse(self, sheet: Sheet, options: O, *, referenced: bool) -> Noted[P]:
        """Return a sheet as the family understands it; an InputError says why it cannot be used, and what is lost."""

    @abstractmethod
    def context(self, given: Given[P], options: O) -> Noted[C]:
        """Return whatever scoring needs of what was given, made once a run."""

    @abstractmethod
    def score(self, parsed: P, context: C, options: O) -> Noted[S]:
        """Return the measures of each unit of one sheet."""

    def score_in_blocks(self, parsed: P, context: C, options: O, spread: Spread) -> Noted[S]:
        """Return the same; a family that scores rows by themselves leaves their blocks to `spread`."""
        return self.score(parsed, context, options)

    @abstractmethod
    def combine(self, sheets: Sequence[S], context: C, options: O) -> Noted[R]:
        """Return what the sheets of one model come to."""

    def combine_in_blocks(self, sheets: Sequence[S], context: C, options: O, spread: Spread) -> Noted[R]:
        """Return the same; a family for which that takes long leaves parts of it to `spread`."""
        return self.combine(sheets, context, options)

    @abstractmethod
    def compare(self, results: Mapping[str, R], options: O, pairing: Pairing) -> K:
        """Return how the models of a run differ; each result is slim."""

    def compared_by(self, options: O, columns: Collection[str]) -> ComparedBy | None:
        """Return by what models are compared, given the columns of their units; None where they are not."""
        return None

    def read_units(self, table: pd.DataFrame, by: ComparedBy, options: O) -> ComparedUnits | None:
        """Return the units by which a model is compared from the table that a run wrote, all cells texts."""
        return ComparedUnits.of_table(table, by)

    def compare_units(
        self, models: Mapping[str, ComparedUnits | None], by: ComparedBy, options: O, pairing: Pairing
    ) -> PairedComparison:
        """Return how models differ by what was kept of each, be it in a run or read from what one wrote."""
        return compare_units(
            models,
            by.measures,
            headline=by.headline,
            better=by.first,
            units=by.units,
            confidence=options.ci,
            seed=options.seed,
            pairing=pairing,
        )

    def unit_counts(self, units: ComparedUnits, by: ComparedBy) -> Counter[tuple[str, str]]:
        """Return how much of a model stands under each sheet and key: what may be lost from one run to the next."""
        return units.unit_counts(by.measures.index(by.headline))
