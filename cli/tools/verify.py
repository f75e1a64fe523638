"""scoresheet verify: whether results still hold."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from scoresheet.cli.exits import Exit, worst
from scoresheet.cli.tools.tool import Tool

SAMPLE: Final = 1_000  # rows


def verify(
    place: Annotated[str, typer.Argument(metavar="RESULTS", help="A folder of results.")],
    *,
    rows: Annotated[
        int, typer.Option(min=0, metavar="N", help="Rows to score again at the most, but one model at the least.")
    ] = SAMPLE,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of which models are drawn.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Look whether results still hold, and say what changed.

    Reports, inputs and references are held against the hashes in manifest.json, version and signature against those
    of today, and a sample of the models is read and scored again and compared number by number. Nothing is written.
    The exit code is 0 if all is as it was, else 10.
    """
    from scoresheet.cli.earlier.verifying import verify_results
    from scoresheet.cli.input.results_reading import EarlierResults
    from scoresheet.cli.signals import interruptible
    from scoresheet.cli.terminal.json_errors import errors_in_json
    from scoresheet.cli.terminal.verifications import show_verification

    with errors_in_json(wanted=json), interruptible():
        found = verify_results(EarlierResults.of(place), rows=rows, seed=seed)
    is_printed = show_verification(found, json=json)
    raise typer.Exit(worst([found.exit_code, *([] if is_printed else [Exit.UNPRINTED])]))


TOOL: Final = Tool(
    name="verify",
    run=verify,
    position=240,
    summary="Whether results still hold: files against the manifest, a sample scored again.",
    example="scoresheet verify results/information_density",
)
