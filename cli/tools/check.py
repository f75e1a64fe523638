"""scoresheet check: what would be read as what."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from scoresheet.cli.commands import command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.tools.tool import Tool


def check(
    context: typer.Context,
    family: Annotated[str, typer.Option("--for", metavar="COMMAND", help="The command that the files are meant for.")],
) -> None:
    """Show what would be read as what, and write nothing.

    scoresheet check OUTPUTS [REFERENCES] --for COMMAND takes the arguments and options of that command. For every sheet
    it lists the file, the row of the header, which column was taken for what, which were not used, the rows and how
    many found a reference; the same with --json. It is the command's own --dry-run.
    """
    from scoresheet.cli.command_line import invoke  # it finds this tool, and each must be loadable without the other

    if family not in command_names():
        raise Stop(Exit.USAGE, f"--for {family}: there is no such command; there are {', '.join(command_names())}")
    raise typer.Exit(invoke([family, *context.args, "--dry-run"]))


TOOL: Final = Tool(
    name="check",
    run=check,
    position=210,
    usage="OUTPUTS [REFERENCES] --for COMMAND [OPTIONS]",
    summary="What would be read as what: files, sheets, header rows, columns; scores nothing.",
    example="scoresheet check runs/outputs runs/references --for sinfo --column Prediction=answer",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
