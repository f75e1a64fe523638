"""scoresheet report: results of every family on one page in a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from scoresheet.cli.exits import Exit
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import one_line
from scoresheet.cli.tools.tool import Tool

RESULTS: Final = "results"
PAGE: Final = "report.html"


def report(
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESULTS]...",
            help=f"Folders of results, or one that holds some; without any, {RESULTS} or what SCORESHEET_OUT names.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[str, typer.Option("--out", "-o", metavar="PAGE", help="The file to write.")] = PAGE,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file even if it is no page of scoresheet report.")
    ] = False,
) -> None:
    """Write one page that shows results of every family in a browser.

    The page is a single file that needs no network: tables that sort, scores with their intervals, comparisons, how
    units are spread, history where several folders of one family are given, problems, and how the numbers were made.
    It shows what the folders hold and computes nothing. It goes into the current folder unless -o says otherwise.
    """
    folders = results_folders(results or [os.environ.get("SCORESHEET_OUT") or RESULTS])
    write_page(folders, Path(page), force=force)
    said = f"{page}: {len(folders)} folder{'s' if len(folders) != 1 else ''} of results"
    raise typer.Exit(Exit.OK if print_answer(one_line(said)) else Exit.UNPRINTED)


def write_page(results_folders: Sequence[Path], path: Path, *, force: bool = False) -> None:
    """Write the page over these folders of results; Stop if one is none, or another file is in the page's place."""
    from scoresheet.cli.write.html.content import page_content
    from scoresheet.cli.write.html.page import page_html, write_html

    write_html(path, page_html(page_content(results_folders, path)), force=force)


def results_folders(given: Sequence[str]) -> list[Path]:
    """Return the folders of results that are given or lie in what is given, each once."""
    from scoresheet.cli.input.manifests import MANIFEST, read_record

    found: dict[Path, Path] = {}
    for name in given:
        folder = Path(name)
        below = _scored_below(folder, "*") or _scored_below(folder, "*/*")
        whole = [folder] if read_record(folder / MANIFEST) or not below else below
        found |= {each.resolve(): each for each in whole if each.resolve() not in found}
    return list(found.values())


def _scored_below(folder: Path, pattern: str) -> list[Path]:
    """Return the folders below one that hold scores; what `compare` wrote beside them has none of its own."""
    from scoresheet.cli.commands import command_names
    from scoresheet.cli.input.manifests import MANIFEST, read_record

    records = {each.parent: read_record(each) for each in folder.glob(f"{pattern}/{MANIFEST}")}
    return sorted(each for each, record in records.items() if record and record.get("command") in command_names())


TOOL: Final = Tool(
    name="report",
    run=report,
    position=230,
    summary="Results of every family on one page in a browser: tables, charts, units; scores nothing.",
    example=f"scoresheet report {RESULTS} -o {PAGE}",
)
