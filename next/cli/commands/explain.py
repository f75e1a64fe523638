"""`scoresheet explain`: how the number of one unit was computed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from scoresheet.cli.commands.score import show

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome


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
    """Print how a unit was scored, computed again from the inputs."""
    from scoresheet.cli.again import explain as explain_unit
    from scoresheet.cli.input.grammar import usage
    from scoresheet.cli.report.files import dump, records
    from scoresheet.cli.report.tables import plain_table
    from scoresheet.cli.run.outcome import Exit, RunOutcome, attempt
    from scoresheet.cli.run.recorded import open_recorded

    def run() -> "RunOutcome":
        if bool(unit) == (row is not None):
            raise usage("name one unit: by --unit KEY, or by --row N")
        recorded = open_recorded(results)
        found = explain_unit(recorded, model, sheet, unit, row)
        tables = {title: table for title, table in found.tables.items() if len(table)}
        if format == "json":
            shown = {title: records(table) for title, table in tables.items()}
            typer.echo(dump({"sentences": found.sentences, "tables": shown}), nl=False)
            raise typer.Exit
        measures = recorded.measures
        pages = [plain_table(title, table, measures, "note") for title, table in tables.items()]
        return RunOutcome(Exit.OK, answer=[*found.sentences], breakdowns=pages)

    outcome = attempt(run)
    show(outcome, format=format, quiet=False, verbose=False)
    raise typer.Exit(int(outcome.exit_code))
