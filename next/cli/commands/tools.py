"""`scoresheet compare`, `explain`, `verify` and `init`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from scoresheet.cli.commands.score import finish

Results = Annotated[Path, typer.Argument(help="The folder that a run wrote.")]


def compare(
    results: Results,
    others: Annotated[
        Path | None, typer.Argument(metavar="[RESULTS]", help="Those of a later run.")
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="MODEL", help="Compare with this model only.", show_default=False)
    ] = "",
    format: Annotated[  # noqa: A002
        Literal["table", "json", "markdown", "latex", "csv"],
        typer.Option(help="How the comparison is printed."),
    ] = "table",
    force: Annotated[
        bool, typer.Option("--force", help="Compare runs that were made in different ways.")
    ] = False,
) -> None:
    """Compare the models of one run, or two runs pair by pair."""
    from scoresheet.cli.compared import compare_outcome

    folders = [folder for folder in (results, others) if folder]
    finish(lambda: compare_outcome(folders, against=against, force=force), format, verbose=True)


def explain(
    results: Results,
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


def verify(results: Results) -> None:
    """Check that inputs and reports are as they were; score again and compare."""
    from scoresheet.cli.again import verify_outcome

    finish(lambda: verify_outcome(results), verbose=True)


def init(
    family: Annotated[str, typer.Argument(help="The command to start with.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write.")] = Path(),
) -> None:
    """Write sample tables, a template workbook and a commented scoresheet.toml."""
    from scoresheet.cli.samples import init_outcome

    finish(lambda: init_outcome(family, folder))
