"""Options as command-line parameters: the dataclasses that declare them are read, nothing is typed twice."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Set
from typing import Any, Final, NamedTuple

import typer

from scoresheet.cli.commands.command import Command
from scoresheet.cli.config.variables import variable_name
from scoresheet.cli.settings import Settings
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.options import own_first

JOINED_BY: Final = ","
SHORT: Final = {"out": "-o", "jobs": "-j", "quiet": "-q", "verbose": "-v"}
PANELS: Final = {
    "Output": (
        "out",
        "json",
        "format",
        "quiet",
        "verbose",
        "progress",
        "log_file",
        "workbooks",
        "tables",
        "raw_csv",
        "prune",
        "by",
        "keep",
    ),
    "Deciding": (
        "compare",
        "against",
        "baseline",
        "anyway",
        "fail_if",
        "fail_if_worse",
        "max_drop",
        "min_coverage",
        "junit",
    ),
    "Reading": (
        "sheet",
        "skip_sheet",
        "column",
        "model_column",
        "sheet_column",
        "header_row",
        "fill_down",
        "encoding",
        "reader",
        "limit",
    ),
    "Running": ("dry_run", "fresh", "strict", "jobs", "engine", "scheduler", "wait"),
    "Limits": (
        *("max_file_mb", "max_expanded_mb", "max_ratio", "max_parts", "max_cells", "max_columns", "max_sheets"),
        *("max_models", "max_cell_chars", "max_line_chars", "max_json_depth", "max_problems", "max_memory", "timeout"),
    ),
}


class Sources(NamedTuple):
    """Where values came from, if not from the command line and not built in: the names of the parameters."""

    variables: Set[str] = frozenset()
    file: Set[str] = frozenset()


def with_parameters(command: Command, run: Callable[..., None]) -> Callable[..., None]:
    """Return `run` with the signature that typer needs: the arguments, the family's options, the settings.

    It is called with the command, the values, where they came from, and what the context carries.
    """
    joined = {field.name for field in dataclasses.fields(command.options) if field.metadata["repeatable"]}

    def called(context: typer.Context, **values: Any) -> None:
        found = {name: source.name for name in values if (source := context.get_parameter_source(name))}
        variables = {name for name, source in found.items() if source == "ENVIRONMENT"}
        file = {name for name, source in found.items() if source == "DEFAULT_MAP"}
        if "references" in file and "outputs" not in file:  # one experiment is never scored against another's
            file.remove("references")
            values["references"] = None
        for name in joined:  # a variable was cut at its blanks
            values[name] = (" " if name in variables else JOINED_BY).join(values[name])
        run(command, values, Sources(variables, file), context.obj)

    parameters = [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        _argument(
            "outputs",
            "OUTPUTS",
            f"Folder, file or quoted pattern of model outputs (with no arguments: {command.outputs}).",
        ),
    ]
    if command.references:
        need = "needed if OUTPUTS is named" if command.references_required else "may be left out"
        about = f"{command.references_about} (with no arguments: {command.references}); {need}."
        parameters.append(_argument("references", command.references_name, about))
    parameters += [_option(field, "Metric") for field in own_first(command.options)]
    for panel, names in PANELS.items():
        own = {field.name: field for field in dataclasses.fields(Settings)}
        parameters += [_option(own[name], panel, default=command.results if name == "out" else None) for name in names]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    called.__name__ = command.name
    called.__doc__ = f"{command.summary}\n\n{command.about}"
    return called


def common_options(command: Command) -> dict[str, str]:
    """Return what the first screen of help says of the common options, by name."""
    fields = (*own_first(command.options), *dataclasses.fields(Settings))
    common = {field.name: field.metadata["common"] or "" for field in fields}
    abouts = {field.name: field.metadata["about"] for field in fields}
    return {
        name: spelled_for_shell(abouts[name] if words is True else words) for name, words in common.items() if words
    }


def _argument(name: str, metavar: str, about: str) -> inspect.Parameter:
    argument = typer.Argument(None, metavar=metavar, help=about, show_default=False)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=argument, annotation=str | None)


def _option(field: dataclasses.Field[Any], panel: str, default: Any = None) -> inspect.Parameter:
    flag = field.name.replace("_", "-")
    value: Any = field.default if default is None else default
    parts = field.metadata["repeatable"]
    several = isinstance(value, tuple)
    names = [f"--{flag}", SHORT[field.name]] if field.name in SHORT else [f"--{flag}"]
    if value is True:
        names = [f"--{flag}/--no-{flag}"]
    choices = field.metadata["choices"]
    option = typer.Option(  # as a default, not as a note of the type: typer takes three quarters of the time over it
        list(value) if several else value.split(JOINED_BY) if parts else value,
        *names,
        help=spelled_for_shell(field.metadata["about"]),
        metavar=_metavar(field, value),
        rich_help_panel=panel,
        envvar=None if several else variable_name(field.name),  # a list in a variable would split at blanks
        show_envvar=False,
        show_default=not (several or value == "" or isinstance(value, bool)),
        autocompletion=(lambda: list(choices)) if choices else None,
    )
    kind: Any = list[str] if several or parts else type(value)
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)


def _metavar(field: dataclasses.Field[Any], value: Any) -> str | None:
    if field.metadata["choices"]:
        return "|".join(field.metadata["choices"])
    if isinstance(value, bool):
        return ""
    return field.metadata["metavar"] or ("N" if isinstance(value, int) else None)
