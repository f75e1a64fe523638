"""scoresheet explain: how one number came about."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from scoresheet.cli.commands import command_named, command_names
from scoresheet.cli.exits import Exit, Stop, worst
from scoresheet.cli.tools.tool import Tool

if TYPE_CHECKING:
    from scoresheet.cli.earlier.explaining import ExplainedUnit

_FROM_RESULTS: Final = "From results"
_FROM_TEXTS: Final = "From texts"


def explain(  # noqa: PLR0913 - its arguments and options
    place: Annotated[
        str,
        typer.Argument(metavar="RESULTS", help="A folder of results; or sinfo or entropy, to explain texts."),
    ],
    *,
    model: Annotated[
        str, typer.Option(help="The model, as the results table names it.", rich_help_panel=_FROM_RESULTS)
    ] = "",
    row: Annotated[
        int | None, typer.Option(min=1, help="The row, as a spreadsheet counts.", rich_help_panel=_FROM_RESULTS)
    ] = None,
    unit: Annotated[
        str,
        typer.Option(metavar="KEY", help="Idiom, cell, query, item, id or sample.", rich_help_panel=_FROM_RESULTS),
    ] = "",
    sheet: Annotated[str, typer.Option(help="The sheet, where several have it.", rich_help_panel=_FROM_RESULTS)] = "",
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also if inputs changed since.", rich_help_panel=_FROM_RESULTS)
    ] = False,
    prediction: Annotated[str, typer.Option(help="What a model wrote (sinfo).", rich_help_panel=_FROM_TEXTS)] = "",
    reference: Annotated[
        list[str] | None,
        typer.Option(help="What it is held to (sinfo); may be repeated.", rich_help_panel=_FROM_TEXTS),
    ] = None,
    text: Annotated[str, typer.Option(help="A text (entropy).", rich_help_panel=_FROM_TEXTS)] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="An option of that command, e.g. rouge=lin; may be repeated.",
            rich_help_panel=_FROM_TEXTS,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show how one number came about: what it is made of, step by step.

    The inputs are read again as the run read them, and the number is made again; if they changed since, or the number
    is not the reported one, that is said.
    """
    from scoresheet.cli.terminal.explanations import show_explanation
    from scoresheet.cli.terminal.json_errors import errors_in_json

    with errors_in_json(wanted=json):
        if place in command_names():
            if model or row or unit or sheet:
                raise Stop(Exit.USAGE, f"{place} is a command, for texts; to explain results, name their folder")
            found = _of_texts(place, prediction, reference or [], text, settings or [])
        else:
            if prediction or reference or text or settings:
                raise Stop(
                    Exit.USAGE, "--prediction, --reference, --text and --set are for sinfo or entropy, not results"
                )
            found = _of_results(place, model=model, row=row, unit=unit, sheet=sheet, anyway=anyway)
    is_printed = show_explanation(found, json=json)
    raise typer.Exit(worst([found.exit_code, *([] if is_printed else [Exit.UNPRINTED])]))


def _of_results(place: str, *, model: str, row: int | None, unit: str, sheet: str, anyway: bool) -> ExplainedUnit:
    from scoresheet.cli.earlier.explaining import Wanted, explained_unit
    from scoresheet.cli.input.results_reading import EarlierResults
    from scoresheet.cli.signals import interruptible

    with interruptible():
        return explained_unit(EarlierResults.of(place), Wanted(model, sheet, row, unit), anyway=anyway)


def _of_texts(name: str, prediction: str, references: list[str], text: str, settings: list[str]) -> ExplainedUnit:
    from scoresheet.cli.earlier.explaining import explained_texts

    command = command_named(name)
    options = _options(name, settings)
    if name == "sinfo" and prediction and references:
        return explained_texts(command, options, {"Prediction": prediction}, references)
    if name == "entropy" and text:
        return explained_texts(command, options, {"text": text}, [])
    ways = {"sinfo": "--prediction TEXT --reference TEXT", "entropy": "--text TEXT"}
    if name in ways:
        raise Stop(Exit.USAGE, f"scoresheet explain {name} needs {ways[name]}; for results, name their folder")
    raise Stop(
        Exit.USAGE, f"{name}: a single text has no score there; name a folder of results, such as results/{name}"
    )


def _options(name: str, settings: list[str]) -> Any:
    """Return the options of a command with what --set says; Stop if it has no such option or value."""
    from scoresheet.metrics.messages import spelled_for_shell

    kind = command_named(name).options
    fields = {field.name.replace("_", "-"): field for field in dataclasses.fields(kind)}
    given: dict[str, Any] = {}
    for setting in settings:
        option, _, value = setting.partition("=")
        field = fields.get(option.removeprefix("--").replace("_", "-"))
        if field is None:
            raise Stop(Exit.USAGE, f"--set {setting}: {name} has no option {option!r}; there are {', '.join(fields)}")
        given[field.name] = _value(setting, value, field.default)
    try:
        return kind(**given)
    except ValueError as error:
        raise Stop(Exit.USAGE, spelled_for_shell(f"--set {error}")) from None


def _value(setting: str, value: str, default: object) -> object:
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if value.lower() not in words:
            raise Stop(Exit.USAGE, f"--set {setting}: true or false")
        return words[value.lower()]
    try:
        return type(default)(value) if isinstance(default, int | float) else value
    except ValueError:
        raise Stop(Exit.USAGE, f"--set {setting}: {value!r} is no number") from None


TOOL: Final = Tool(
    name="explain",
    run=explain,
    position=220,
    summary="How one number came about: of a row, cell, query, item, text or sample.",
    example="scoresheet explain results/information_density --model Model_A --row 5 --sheet permutation1",
)
