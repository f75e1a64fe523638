"""`scoresheet explain`: how the number of one unit was computed."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from scoresheet.cli.commands.score import finish


def explain(
    results: Annotated[Path, typer.Argument(help="The folder that a run wrote.")],
    model: Annotated[str, typer.Option(metavar="M", help="The model.")],
    sheet: Annotated[str, typer.Option(metavar="S", help="One of its sheets.")] = "",
    unit: Annotated[str, typer.Option(metavar="KEY", help="The unit, as in the results.")] = "",
    row: Annotated[int | None, typer.Option(metavar="N", help="Or its row in the input.")] = None,
    format: Annotated[  # noqa: A002
        Literal["table", "json"], typer.Option(help="How it is printed.")
    ] = "table",
) -> None:
    """Show how one number was computed, step by step."""
    from scoresheet.cli.again import explain_outcome

    finish(lambda: explain_outcome(results, model, (sheet, unit, row)), format)
