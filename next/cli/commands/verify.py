"""`scoresheet verify`: whether results are still what their manifest says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoresheet.cli.commands.score import show

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome


def verify(
    results: Annotated[Path, typer.Argument(help="The folder that a run wrote.")],
) -> None:
    """Compare inputs and reports with the manifest, score again and compare; exit 0 or 10."""
    from importlib.metadata import version

    from scoresheet.cli.again import verify as differences_of
    from scoresheet.cli.report.answers import count
    from scoresheet.cli.report.tables import plain_table
    from scoresheet.cli.run.outcome import Exit, RunOutcome, attempt
    from scoresheet.cli.run.recorded import open_recorded

    def run() -> "RunOutcome":
        recorded = open_recorded(results)
        differences, manifest = differences_of(recorded), recorded.manifest
        files = f"{count(len(manifest['inputs']), 'input')} and {len(manifest['outputs'])} reports"
        made = f"by scoresheet {manifest['version']} (this is {version('scoresheet')})"
        if differences.empty:
            sentence = f"{files} are as they were, made {made}; scoring again gives the same."
            return RunOutcome(Exit.OK, answer=[sentence])
        reason = f"{count(len(differences), 'difference')} in {files}, made {made}"
        return RunOutcome(Exit.GATE, reason, breakdowns=[plain_table("Differences", differences)])

    outcome = attempt(run)
    show(outcome, format=None, quiet=False, verbose=True)
    raise typer.Exit(int(outcome.exit_code))
