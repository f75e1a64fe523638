"""scoresheet compare: which model is better, and what has changed since an earlier run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Final

import typer

from scoresheet.cli.exits import Exit, Stop, worst
from scoresheet.cli.shared_values import FORMATS, JSON, MOST_GONE, TABLE
from scoresheet.cli.tools.tool import Tool
from scoresheet.metrics.messages import percent

_WHAT: Final = "What is compared"
_DECIDING: Final = "Deciding"
_OUTPUT: Final = "Output"


def compare(  # noqa: PLR0913, PLR0917 - each is an option
    context: typer.Context,
    folders: Annotated[
        list[str], typer.Argument(metavar="RESULTS...", help="Results folders of one command.", show_default=False)
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="Only these models; may be repeated.", rich_help_panel=_WHAT),
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="MODEL", help="Compare each with this one alone.", rich_help_panel=_WHAT)
    ] = "",
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Also folders made with other options or by another version.", rich_help_panel=_WHAT
        ),
    ] = False,
    baseline: Annotated[
        str,
        typer.Option(
            metavar="RESULTS", help="An earlier results folder: the change of each model.", rich_help_panel=_DECIDING
        ),
    ] = "",
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Exit 10 if this is so of a model's results, e.g. 'S_Info<0.7'; may be repeated.",
            rich_help_panel=_DECIDING,
        ),
    ] = None,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help=f"Exit 10 if a model is shown to be worse than in the baseline, is gone, or over {percent(MOST_GONE)} "
            "of its units are.",
            rich_help_panel=_DECIDING,
        ),
    ] = False,
    max_drop: Annotated[
        float,
        typer.Option(
            metavar="NUMBER", help="Exit 10 if a model is worse by more than this.", min=0, rich_help_panel=_DECIDING
        ),
    ] = math.inf,
    junit: Annotated[
        str, typer.Option(metavar="FILE", help="Write the gates' verdicts as JUnit XML.", rich_help_panel=_DECIDING)
    ] = "",
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the comparison's files.", rich_help_panel=_OUTPUT),
    ] = "",
    style: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How it is printed.", rich_help_panel=_OUTPUT)
    ] = TABLE,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON: short for --format json.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Say which model is better, and whether that is more than noise.

    One results folder: its models among themselves, every two, or each with the best where they are many. Several
    folders: models of the same name, now and then. Paired by units (idioms, queries, items, …) over those that both
    have: difference, interval, p-value after Holm, effect size, wins, ties and losses, what could have been shown, and
    the units that only one of them has.
    """
    from scoresheet.cli.run.comparing import Wanted, compare_results, write_comparison
    from scoresheet.cli.terminal.comparison import show_comparison
    from scoresheet.cli.terminal.log import Log
    from scoresheet.cli.terminal.messages import refuse_unwritable_junit, show_error, show_gates, write_verdicts
    from scoresheet.cli.write.junit import TestCase

    chosen = JSON if json and style == TABLE else style
    if style not in FORMATS or (json and chosen != JSON):
        raise Stop(Exit.USAGE, f"--format {style}: it is one of {', '.join(FORMATS)}, and --json is short for {JSON}")
    if not baseline and (fail_if_worse or not math.isinf(max_drop)):
        raise Stop(Exit.USAGE, "--fail-if-worse and --max-drop need --baseline RESULTS, the folder of an earlier run")
    refuse_unwritable_junit(junit)
    log = Log()
    wanted = Wanted(
        tuple(folders),
        tuple(model or ()),
        against,
        anyway,
        baseline,
        tuple(fail_if or ()),
        fail_if_worse,
        max_drop,
    )
    try:
        compared = compare_results(wanted)
        code = compared.code
        files = write_comparison(compared, Path(out), context.obj.arguments) if out and code != Exit.NOTHING else []
    except Stop as stop:
        if chosen == JSON:
            show_error(stop)
        raise
    show_gates(compared.gates, log, code=code)
    cases = [TestCase(each.gate, each.model, each.sentence() if each.failed else "") for each in compared.gates]
    if not write_verdicts(junit, "scoresheet compare", cases, log):
        code = worst([code, Exit.UNPRINTED])
    if not show_comparison(compared, chosen, code=code, files=files):
        code = worst([code, Exit.UNPRINTED])
    if files:
        log.info(f"{len(files)} reports and manifest.json are in {out}/; start with {files[1]}")
    raise typer.Exit(code)


TOOL: Final = Tool(
    name="compare",
    run=compare,
    position=200,
    summary="Which model is better, and what has changed since an earlier run: paired, tested, corrected.",
    example="scoresheet compare results/last_night results/tonight -o results/change",
)
