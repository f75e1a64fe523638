"""The options of every scoring command, and how options become parameters of the command line."""

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from importlib.util import find_spec
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from scoresheet.metrics import option

Command = Callable[..., None]

ARGUMENTS = {
    "outputs": "Model outputs: a file, a folder or a quoted glob.",
    "references": "References: a file, a folder or a quoted glob.",
}

_input, _results, _compare, _running = (
    partial(option, panel=panel) for panel in ("Input", "Results", "Compare and gate", "Running")
)


@dataclass(frozen=True)
class InputOptions:
    """How files and tables are read."""

    column: tuple[str, ...] = _input((), "Say which column is which; repeatable.", "ROLE=SOURCE")
    sheet: tuple[str, ...] = _input((), "Read only matching sheets; repeatable.", "GLOB")
    skip_sheet: tuple[str, ...] = _input((), "Leave out matching sheets.", "GLOB")
    where: str = _input("", "Keep matching rows: 'COLUMN OP VALUE', joined by and.", "CONDITION")
    records: str = _input("", "Turn a list of objects inside JSON into rows.", "PATH")
    header_row: int | None = _input(None, "Row that holds the header.", "N", shown="the first")
    encoding: str = _input("utf-8", "Encoding of CSV files.", "NAME")
    missing_values: str = _input("", "Texts that mean 'no value', e.g. N/A,ignore.", "LIST")
    match: Literal["exact", "loose"] = _input(
        "exact", "Match keys exactly, or ignore case, width, spacing and leading zeros."
    )
    extract: str = _input("", "Take the answer from a longer text.", "REGEX|last|number")
    repeats: Literal["error", "first"] = _input(
        "error", "When a unit appears more than once: refuse, or keep the first."
    )
    accept: tuple[str, ...] = _input((), "Go on although this check fails; repeatable.", "KIND")


@dataclass(frozen=True)
class CommonOptions(InputOptions):
    """The options of every scoring command."""

    out: str = _results("", "Write reports to this folder.", "DIR", short="-o")
    by: tuple[str, ...] = _results((), "Break results down by a column; repeatable.", "COLUMN")
    format: Literal["table", "json", "markdown", "latex", "csv"] = _results(
        "table", "How results are printed on stdout."
    )
    plots: bool = _results(False, "Also write figures as PNG and SVG (extra plots).")
    no_workbooks: bool = _results(False, "Write only CSV and JSON.")
    against: str = _compare("", "Compare every model with this one only.", "MODEL")
    baseline: str = _compare("", "Show the change since earlier results.", "RESULTS")
    fail_if: tuple[str, ...] = _compare(
        (), "Exit 10 if true, e.g. 'S_Info.high<0.7'; repeatable.", "CONDITION"
    )
    fail_if_worse: bool = _compare(False, "Exit 10 if a model is worse than the baseline.")
    junit: str = _compare("", "Write the outcome of the gates as JUnit XML.", "FILE")
    ci: float = _compare(0.95, "Confidence level of intervals and tests.", "LEVEL")
    seed: int = _compare(0, "Random seed.", "N")
    strict: bool = _running(False, "Exit 3 on any problem, and on any column you did not name.")
    jobs: int = _running(0, "Worker processes; 0 means one per CPU.", "N", short="-j")
    dask: str = _running("", "Score on a Dask cluster with a shared file system.", "ADDRESS|local")
    timeout: float = _running(3600.0, "Limit for reading one file or scoring one model.", "SECONDS")
    memory: int | None = _running(None, "Memory limit of one worker.", "MB", shown="a fair share")
    max_file_mb: int = _running(200, "Refuse larger files.", "N")
    wait: float = _running(60.0, "How long to wait for another run.", "SECONDS")
    quiet: bool = _running(False, "Print only errors.", short="-q")
    verbose: bool = _running(False, "List every problem and ignored file.", short="-v")

    def __post_init__(self) -> None:
        if self.plots and find_spec("matplotlib") is None:
            raise ValueError("--plots needs matplotlib: pip install 'scoresheet[plots]'")


def flag_of(name: str) -> str:
    """Return the option's name as it is typed and written in scoresheet.toml.

    >>> flag_of("skip_sheet")
    'skip-sheet'
    """
    return name.replace("_", "-")


def value_type(hint: Any) -> Any:
    """Return the type of an option's value from its annotation: that of one, where it repeats."""
    if get_origin(hint) in (tuple, types.UnionType):
        return get_args(hint)[0]
    return hint


def with_parameters(*added: inspect.Parameter) -> Callable[[Command], Command]:
    """Replace the `**keywords` of the decorated function by parameters, for typer to read."""

    def decorate(function: Command) -> Command:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        function.__annotations__ = {p.name: p.annotation for p in (*own, *added)}
        return function

    return decorate


def parameters(options: type, panel: str = "") -> Iterator[inspect.Parameter]:
    """Return the fields of an options dataclass as parameters; `panel` is where --help has them.

    The default of each is None, so that what was typed can be told from what was not; --help
    shows the dataclass's default.
    """
    hints = get_type_hints(options)
    for field in [field for field in fields(options) if field.metadata]:
        hint, more = hints[field.name], field.metadata
        default = more.get("shown", field.default)
        info = typer.Option(
            *([more["short"]] if "short" in more else []),
            f"--{flag_of(field.name)}",
            help=more["help"] + (f" (default: {default})" if default else ""),
            rich_help_panel=more.get("panel", panel),
            show_default=False,
            metavar="" if hints[field.name] is bool else more["metavar"],
        )
        kind = list[str] if get_origin(hint) is tuple else value_type(hint)
        annotation = Annotated[kind | None, info]  # type: ignore[valid-type]
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )


def merge(configured: dict[str, Any], typed: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed, else what is configured; --column role by role.

    >>> merge({"ci": 0.9, "column": ["idiom=id", "run=seed"]}, {"ci": None, "column": ["run=no"]})
    {'ci': 0.9, 'column': ['run=no', 'idiom=id']}
    """
    typed = {name: value for name, value in typed.items() if value not in (None, [])}
    columns = typed.get("column", [])
    roles = {column.partition("=")[0] for column in columns}
    others = [c for c in configured.get("column", []) if c.partition("=")[0] not in roles]
    return {**configured, **typed, "column": [*columns, *others]}


def build(kind: type, values: dict[str, Any]) -> Any:
    """Return a dataclass with those of the values that it has fields for; lists become tuples."""
    given = {f.name: values[f.name] for f in fields(kind) if f.name in values}
    return kind(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})
