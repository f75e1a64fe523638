"""The options of every scoring command, and how options become parameters of the command line."""

import enum
import inspect
import types
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from scoresheet.metrics.command import option


@dataclass(frozen=True)
class InputOptions:
    """How files and tables are read."""

    column: tuple[str, ...] = option(
        (), "Say which column is which; repeatable.", metavar="ROLE=SOURCE"
    )
    sheet: tuple[str, ...] = option((), "Read only matching sheets; repeatable.", metavar="GLOB")
    skip_sheet: tuple[str, ...] = option((), "Leave out matching sheets.", metavar="GLOB")
    where: str = option(
        "", "Keep matching rows: 'COLUMN OP VALUE', joined by and.", metavar="CONDITION"
    )
    records: str = option("", "Turn a list of objects inside JSON into rows.", metavar="PATH")
    header_row: int | None = option(None, "Row that holds the header.", shown="the first")
    encoding: str = option("utf-8", "Encoding of CSV files.", metavar="NAME")
    missing_values: str = option("", "Texts that mean 'no value', e.g. N/A,ignore.", metavar="LIST")
    match: Literal["exact", "loose"] = option(
        "exact", "Match keys exactly, or ignore case, width, spacing and leading zeros."
    )
    extract: str = option("", "Take the answer from a longer text.", metavar="REGEX|last|number")
    repeats: Literal["error", "first"] = option(
        "error", "When a unit appears more than once: refuse, or keep the first."
    )
    accept: tuple[str, ...] = option(
        (), "Go on although this check fails; repeatable.", metavar="KIND"
    )


@dataclass(frozen=True)
class ResultOptions:
    """What is written and printed."""

    out: str = option("", "Write reports to this folder.", flags=("-o", "--out"), metavar="DIR")
    by: tuple[str, ...] = option(
        (), "Break results down by a column; repeatable.", metavar="COLUMN"
    )
    format: Literal["table", "json", "markdown", "latex", "csv"] = option(
        "table", "How results are printed on stdout."
    )
    no_workbooks: bool = option(False, "Write only CSV and JSON.")


@dataclass(frozen=True)
class CompareOptions:
    """How models are compared."""

    against: str = option("", "Compare every model with this one only.", metavar="MODEL")
    ci: float = option(0.95, "Confidence level of intervals and tests.", metavar="LEVEL")
    seed: int = option(0, "Random seed.", metavar="N")


@dataclass(frozen=True)
class RunningOptions:
    """How the run behaves."""

    strict: bool = option(False, "Exit 3 on any problem, and on any column that you did not name.")
    jobs: int = option(
        0, "Worker processes; 0 means one per CPU.", flags=("-j", "--jobs"), metavar="N"
    )
    timeout: float = option(3600.0, "Limit for reading one file or scoring one model.")
    memory: int | None = option(
        None, "Memory limit of one worker.", metavar="MB", shown="a share of what is free"
    )
    max_file_mb: int = option(200, "Refuse larger files.", metavar="N")
    wait: float = option(60.0, "How long to wait for another run.", metavar="SECONDS")
    quiet: bool = option(False, "Print only errors.", flags=("-q", "--quiet"))
    verbose: bool = option(False, "List every problem and ignored file.", flags=("-v", "--verbose"))


PANELS: tuple[tuple[str, type], ...] = (
    ("Input", InputOptions),
    ("Results", ResultOptions),
    ("Compare and gate", CompareOptions),
    ("Running", RunningOptions),
)


def flag_of(name: str) -> str:
    """Return the option's name as it is typed and written in scoresheet.toml.

    >>> flag_of("skip_sheet")
    'skip-sheet'
    """
    return name.replace("_", "-")


def parameters(options: type, panel: str) -> list[inspect.Parameter]:
    """Return the fields of an options dataclass as parameters that typer understands.

    The default of every parameter is None, so that what was typed can be told from what was not;
    --help shows the dataclass's default.
    """
    hints = get_type_hints(options)
    return [_parameter(field, hints[field.name], panel) for field in fields(options)]


def _parameter(field: "Field[Any]", hint: Any, panel: str) -> inspect.Parameter:
    metadata = field.metadata
    flags = metadata.get("flags", (f"--{flag_of(field.name)}",))
    default = metadata.get("shown", field.default)
    has_default = default not in ("", (), None, MISSING, False)
    info = typer.Option(
        *flags,
        help=metadata["help"] + (f" (default: {default})" if has_default else ""),
        rich_help_panel=panel,
        show_default=False,
        metavar=metadata.get("metavar"),
    )
    kind = _typed(hint, field.name)
    annotation = Annotated[Union[kind, None], info]  # type: ignore[valid-type]  # noqa: UP007
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def _typed(hint: Any, name: str) -> Any:
    """Return the type by which typer parses an option: a choice becomes an Enum."""
    if get_origin(hint) is Literal:
        return enum.Enum(name, {value: value for value in get_args(hint)}, type=str)
    if get_origin(hint) is tuple:
        return list[str]
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def build(options: type, typed: dict[str, Any], configured: dict[str, Any]) -> Any:
    """Return the options of a command: what was typed, else what is configured, else defaults."""
    values = {}
    for field in fields(options):
        value = typed.get(field.name)
        if field.name == "column":
            value = _merged_columns(value or [], configured.get("column", []))
        if value in (None, []):
            value = configured.get(field.name)
        if value in (None, []):
            continue
        if isinstance(value, enum.Enum):
            value = value.value
        values[field.name] = tuple(value) if isinstance(value, list) else value
    return options(**values)  # raises ValueError where a value is wrong


def _merged_columns(typed: list[str], configured: list[str]) -> list[str]:
    """Return --column as typed, and as configured for the roles that were not typed."""
    roles = {column.partition("=")[0] for column in typed}
    return typed + [column for column in configured if column.partition("=")[0] not in roles]
