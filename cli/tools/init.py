"""scoresheet init: tables to be filled in."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.terminal.log import Log
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import one_line
from scoresheet.cli.tools.tool import Tool
from scoresheet.metrics.messages import spelled_for_shell

if TYPE_CHECKING:
    from scoresheet.cli.templates.template import Template

OUTPUTS: Final = "outputs"
REFERENCES: Final = "references"
SETTINGS: Final = "scoresheet.toml"
_WIDTH: Final = 100  # of a comment


def init(
    family: Annotated[str, typer.Argument(metavar="COMMAND", help="The command that the tables are for.")],
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Where they go; made if it is not there.", show_default=False)
    ] = ".",
) -> None:
    """Write tables to be filled in: workbooks with the right columns, and a file of settings.

    outputs/ and, where the command has any, references/ get a workbook each, with notes on the headers, rules for what
    cells may hold, and a few rows that show how; scoresheet.toml has the job and every option, commented. All of it can
    be scored as it is. No file that is there is ever replaced.
    """
    if family not in command_names():
        raise Stop(Exit.USAGE, f"{family}: there is no such command; there are {', '.join(command_names())}")
    command = command_named(family)
    template = command.template
    if template is None:
        raise Stop(Exit.USAGE, f"{family} has no template")
    root = Path(folder)
    files = _files(command, template)
    there = [root / name for name in files if (root / name).exists()]
    if there:
        raise Stop(Exit.USAGE, f"{there[0]}: is there already, and nothing is replaced; name another folder")
    try:
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            with (root / name).open("xb") as stream:
                stream.write(content)
    except OSError as error:
        raise Stop(Exit.UNWRITABLE, f"{root}: cannot be written ({error.strerror or error})") from None
    is_printed = print_answer("\n".join(one_line(str(root / name)) for name in files))
    places = [root / OUTPUTS, *([root / REFERENCES] if template.references else [])]
    words = " ".join(quote(str(place)) for place in places)
    Log().info(f"scoresheet {family} {words} -o {quote(str(root / command.results))}")
    raise typer.Exit(Exit.OK if is_printed else Exit.UNPRINTED)


def _files(command: Command, template: Template) -> dict[str, bytes]:
    """Return the files to be written, by their names below the folder."""
    from scoresheet.cli.write.templates import template_workbook

    tables = {f"{OUTPUTS}/{name}.xlsx": sheet for name, sheet in template.outputs.items()}
    tables |= {f"{REFERENCES}/{name}.xlsx": sheet for name, sheet in template.references.items()}
    books = {name: template_workbook(sheet) for name, sheet in tables.items()}
    return {**books, SETTINGS: settings_file(command, referenced=bool(template.references)).encode()}


def settings_file(command: Command, *, referenced: bool) -> str:
    """Return a file of settings with one job, and every option of its command commented out."""
    from scoresheet.metrics.options import own_first

    lines = [
        "# Settings of scoresheet: `scoresheet run` works through the jobs of this file, in order.",
        "# Paths are relative to this file; a key is an option of the command by its long name without the dashes.",
        "",
        f"[job.{command.name}]",
        f"command = {json.dumps(command.name)}",
        f"outputs = {json.dumps(OUTPUTS)}",
        *([f"references = {json.dumps(REFERENCES)}"] if referenced else []),
        f"out = {json.dumps(command.results)}",
        "",
        f"# What scoresheet {command.name} can be told, as it is unless you say otherwise:",
    ]
    for field in own_first(command.options):
        about = spelled_for_shell(field.metadata["about"])
        lines += ["#", *textwrap.wrap(about, _WIDTH, initial_indent="#   ", subsequent_indent="#   ")]
        lines.append(f"# {field.name.replace('_', '-')} = {json.dumps(field.default, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


TOOL: Final = Tool(
    name="init",
    run=init,
    position=205,
    summary="Tables to be filled in: workbooks with the right columns, and a file of settings.",
    example="scoresheet init sinfo my_study",
)
