"""`scoresheet check`: what would be read as what."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.commands.score import finish
from scoresheet.cli.options import InputOptions, merge, parameters, with_parameters
from scoresheet.cli.registry import load_command

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome


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
    from scoresheet.cli.checked import check_outcome
    from scoresheet.cli.config import read_config
    from scoresheet.cli.input.grammar import usage
    from scoresheet.cli.run.request import request_of

    def run() -> "RunOutcome":
        command = load_command(family)
        if references and len(command.arguments) < 2:
            raise usage(f"{family} reads no references: leave {references} out")
        named = {**typed, "outputs": outputs, "references": references}
        return check_outcome(request_of(command, merge(read_config(command), named)), save=save)

    finish(run, verbose=True)
