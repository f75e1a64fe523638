"""`scoresheet compare`: the models of one run, or two runs pair by pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from scoresheet.cli.commands.score import finish

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome


def compare(
    results: Annotated[Path, typer.Argument(help="The folder that a run wrote.")],
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
    from scoresheet.cli.compared import compare_outcome, compare_runs
    from scoresheet.cli.run.recorded import open_recorded

    def run() -> "RunOutcome":
        runs = [open_recorded(folder) for folder in (results, others) if folder]
        return compare_outcome(compare_runs(runs, against=against, force=force))

    finish(run, format, verbose=True)
