"""What a family reads: its columns with their aliases, its references, further tables, and formats of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, Literal

from scoresheet.metrics.records import dataclass

# Where a row of a side table stood; a user's own column can hardly have such a name.
SOURCE: Final = "@source"
SHEET: Final = "@sheet"
ROW: Final = "@row"


@dataclass(frozen=True)
class InputColumn:
    """A column that is read: its name, what it means, and how it is found."""

    name: str
    about: str
    kind: Literal["key", "text", "label"] = "text"  # of a key or label, a merged cell is named; a key is never empty
    aliases: tuple[str, ...] = ()
    required: bool = True
    former_names: tuple[str, ...] = ()  # what it was called before; a user may still name it so
    both_sides: bool = False  # several tables have it, such as outputs and references, each perhaps by its own name
    # headers that will do where neither name nor alias is there, the first first; a column that has some and is not
    # required never refuses a table: the first header that could be it is taken, and the others are named
    fallbacks: tuple[str, ...] = ()
    replaced_by: Callable[[str], bool] | None = None  # other headers that may hold what it would have held
    shared_without: str = (
        ""  # a column of ours without which several headers that could be this one are all the user's own
    )
    only_with: str = ""  # a column of ours without which this one is the user's own, whatever it is called
    lists: bool = False  # whether a cell of JSON may hold a list of names
    takes_lone: bool = False  # whether the only column of a table is this one, whatever it is called

    def __hash__(self) -> int:
        return hash(self.name)  # what is known of headers is looked up by columns, for each sheet again


@dataclass(frozen=True)
class TableSchema:
    """What a table must have, and whether its other columns matter too."""

    columns: tuple[InputColumn, ...] = ()
    keeps_others: bool = False
    built_in: str = ""  # the word that asks for the family's own table instead of a file's
    list_of: str = ""  # the column that a plain list, one value a line in a .txt, is; '' where such a file is no table
    identity: tuple[str, ...] = ()  # columns by which two rows are the same thing twice, where that is not the key

    @property
    def key(self) -> str:
        """The column that says what a row is about; '' if there is none."""
        return next((column.name for column in self.columns if column.kind == "key"), "")

    @property
    def identifying(self) -> tuple[str, ...]:
        """The columns that together say what a row is about; none where rows are samples of one thing."""
        return self.identity or ((self.key,) if self.key else ())


@dataclass(frozen=True)
class Schema:
    """Everything that a family reads."""

    outputs: TableSchema
    references: TableSchema | None = None
    references_required: bool = True
    tables: Mapping[str, TableSchema] = field(default_factory=dict)  # by the option that names the file
    reads_trec: bool = False  # whether TREC run and qrels files are inputs
    by_sheet: Callable[[str], TableSchema] | None = None  # where what a sheet must have depends on its name
    is_one_model: Callable[[Sequence[str]], bool] | None = None  # whether files of such names are sheets of one model
    splits_models: bool = (
        True  # whether a column called model says which model a row is of; else it is the family's own
    )
    groups_by_model: str = ""  # the family's own column of models, which users may switch off
    sheet_columns: tuple[str, ...] = ()  # headers besides Sheet that name the sheet of a row
    asked_by: tuple[str, ...] = ()  # headers that say what was asked: rows asked the same are one sample
    further_outputs: tuple[TableSchema, ...] = ()  # what it may say besides `outputs`

    def of_sheet(self, name: str) -> TableSchema:
        """Return what a sheet of the outputs must have."""
        return self.outputs if self.by_sheet is None else self.by_sheet(name)

    def columns(self) -> tuple[InputColumn, ...]:
        """Return every column of every table, those of the outputs first."""
        tables = (self.outputs, *self.further_outputs, *filter(None, [self.references]), *self.tables.values())
        return tuple(column for table in tables for column in table.columns)
