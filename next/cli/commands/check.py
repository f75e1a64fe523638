"""`scoresheet check`: what would be read as what."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.commands.score import finish
from scoresheet.cli.options import InputOptions, merge, parameters, with_parameters
from scoresheet.cli.registry import load_command

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome
    from scoresheet.cli.run.request import Request


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
    from scoresheet.cli.config import read_config
    from scoresheet.cli.input.grammar import usage
    from scoresheet.cli.run.request import request_of

    def run() -> "RunOutcome":
        command = load_command(family)
        if references and len(command.arguments) < 2:
            raise usage(f"{family} reads no references: leave {references} out")
        named = {**typed, "outputs": outputs, "references": references}
        return _read(request_of(command, merge(read_config(command), named))[0], save=save)

    finish(run, verbose=True)


def _read(request: "Request", *, save: bool) -> "RunOutcome":
    """Return what would be read: the mapping, the models with their rows, the problems."""
    import pandas as pd

    from scoresheet.cli.config import FILE, save_columns
    from scoresheet.cli.report.tables import plain_table
    from scoresheet.cli.run.decide import mapping_lines, typed_columns
    from scoresheet.cli.run.outcome import Exit, RunOutcome
    from scoresheet.cli.run.pipeline import inputs_read
    from scoresheet.cli.run.tasks import tables_of

    with inputs_read(request) as run:
        family = run.family
    models = run.models.values()
    rows = [(model.name, len(model.parts), sum(p.rows for p in model.parts)) for model in models]
    frame = pd.DataFrame(rows, columns=[family.word.capitalize(), "Tables", "Rows"])
    if save:
        save_columns(family.name, typed_columns(run.files, optional=True))
    saved = (f"saved in {FILE}",) if save else ()
    skipped = any(problem.effect == "skipped" for problem in run.problems)
    return RunOutcome(
        Exit.PARTIAL if skipped else Exit.OK,
        "some input would be skipped" if skipped else "",
        mapping=mapping_lines(tables_of(run.files)),
        headline=plain_table("Models", frame),
        problems=run.problems,
        ignored=run.ignored,
        status=(f"{len(models)} {family.word}s, nothing was scored", *saved),
    )
