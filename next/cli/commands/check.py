"""`scoresheet check`: what would be read as what."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.commands.score import request_of, show
from scoresheet.cli.options import InputOptions, parameters, with_parameters
from scoresheet.cli.registry import family_entries, load_command

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import Request, RunOutcome


@with_parameters(*parameters(InputOptions))
def check(
    family: Annotated[str, typer.Argument(help="The command that would score the tables.")],
    outputs: Annotated[str | None, typer.Argument(help="Model outputs.")] = None,
    references: Annotated[str | None, typer.Argument(help="References.")] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write the mapping to scoresheet.toml.")
    ] = False,
    **typed: Any,
) -> None:
    """Show what would be read as what; score nothing."""
    from scoresheet.cli.run.outcome import attempt

    typed |= {"outputs": outputs, "references": references}
    outcome = attempt(lambda: _read(_request(family, typed), save=save))
    show(outcome, format=None, quiet=False, verbose=True)
    raise typer.Exit(int(outcome.exit_code))


def _request(family: str, typed: dict[str, Any]) -> "Request":
    from scoresheet.cli.input.grammar import nearest, usage

    if family not in family_entries():
        near = nearest(family, list(family_entries()))
        known = ", ".join(family_entries())
        raise usage(f"{family} is not one of {known}", f"did you mean {near}?" if near else "")
    command = load_command(family)
    if typed["references"] and len(command.arguments) < 2:
        raise usage(f"{family} reads no references: leave {typed['references']} out")
    return request_of(command, typed)[0]


def _read(request: "Request", *, save: bool) -> "RunOutcome":
    """Return what would be read: the mapping, the models with their rows, the problems."""
    from tempfile import TemporaryDirectory

    import pandas as pd

    from scoresheet.cli.config import FILE, save_columns
    from scoresheet.cli.registry import load_family
    from scoresheet.cli.report.tables import plain_table
    from scoresheet.cli.run.decide import Run, mapping_lines, saved_columns
    from scoresheet.cli.run.outcome import Exit, RunOutcome
    from scoresheet.cli.run.pipeline import discover_inputs, read_inputs
    from scoresheet.cli.run.reading import tables_of
    from scoresheet.cli.run.workers import Workers

    family = load_family(request.family)
    found = discover_inputs(family, request)
    with TemporaryDirectory() as parts, Workers(request.limits) as workers:
        run = Run(request, family, Path(parts), workers)
        read_inputs(run, found)
    models = run.models.values()
    rows = [(model.name, len(model.parts), sum(p.rows for p in model.parts)) for model in models]
    frame = pd.DataFrame(rows, columns=[family.word.capitalize(), "Tables", "Rows"])
    if save:
        save_columns(family.name, saved_columns(run.files))
    saved = (f"saved in {FILE}",) if save else ()
    skipped = any(problem.effect == "skipped" for problem in run.problems)
    return RunOutcome(
        Exit.PARTIAL if skipped else Exit.OK,
        "some input would be skipped" if skipped else "",
        mapping=mapping_lines(tables_of(run.files)),
        headline=plain_table("Models", frame),
        problems=run.problems,
        status=(f"{len(models)} {family.word}s, nothing was scored", *saved),
    )
