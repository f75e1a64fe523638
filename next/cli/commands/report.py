"""`scoresheet report`: one HTML page for results folders."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoresheet.cli.commands.score import finish

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome

PAGE = "report.html"


def report(
    results: Annotated[list[Path], typer.Argument(metavar="RESULTS …", help="Results folders.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            metavar="FILE",
            show_default=False,
            help=f"Write the page to this file (default: {PAGE} in the results folder; in the "
            "working folder for several results).",
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(metavar="TEXT", show_default=False, help="Title of the page.")
    ] = "",
) -> None:
    """Write one HTML page with scores, charts, texts and problems."""
    path = out or (results[0] if len(results) == 1 else Path()) / PAGE
    finish(lambda: write_report(results, path, title))


def write_report(folders: list[Path], path: Path, title: str) -> "RunOutcome":
    """Write the page of some results folders, but never over a file of another kind."""
    from scoresheet.cli.report.answers import count
    from scoresheet.cli.report.html import START, Job, report_page
    from scoresheet.cli.run.outcome import STATES, Exit, RunOutcome
    from scoresheet.cli.run.recorded import open_recorded
    from scoresheet.cli.run.results_folder import check_single, write_single

    recorded = [open_recorded(folder) for folder in folders]
    check_single(path, START)
    jobs = [
        Job(folder.resolve().name, found, STATES[found.manifest["exit_code"]])
        for folder, found in zip(folders, recorded, strict=True)
    ]
    page = report_page(jobs, title or ("Results" if len(jobs) > 1 else recorded[0].family.title))
    write_single(path, page.encode(errors="backslashreplace"))
    return RunOutcome(Exit.OK, status=(f"{count(len(jobs), 'run')} → {path}",))
