"""The command line: builds the commands, and runs the one that is named."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import typer

# what only a run needs is imported where it runs: the list of commands and the version are there at once
from scoresheet.cli.calls import Call
from scoresheet.cli.commands import all_commands, command_named, command_names
from scoresheet.cli.config.defaults import PROJECT_FILE, SETTINGS_FILE, FileDefaults
from scoresheet.cli.endings import write_stderr
from scoresheet.cli.exits import Exit
from scoresheet.cli.help import HELP_ALL, FittingGroup, command_class, group_class
from scoresheet.cli.shortages import check_surroundings
from scoresheet.cli.terminal.printing import is_printed
from scoresheet.cli.tools import all_tools, tool_named, tool_names

_HELP = """Scores model outputs that live in CSV and Excel files.

Reads directories of spreadsheets, scores every model and every sheet, and writes Excel reports a person can open \
and files a machine can read. The answer goes to stdout, everything else to stderr.
"""


def build(only: str | None = None) -> typer.Typer:
    """Return the typer application with the list of all commands, or with the one that was asked for.

    Of a list, each command is made when it is called for after all.
    """
    app = typer.Typer(
        name="scoresheet",
        cls=FittingGroup if only else group_class(_summaries(), _made),
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes\n\n" + "\n\n".join(f"{int(code):>4}  {code.about}" for code in Exit),
    )

    @app.callback()
    def root(
        version: Annotated[  # noqa: ARG001 - its callback does the work
            bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_version)
        ] = False,
        verbose: Annotated[  # noqa: ARG001 - the same
            bool,
            typer.Option(
                "--verbose",
                "-v",
                help="With --version: also which parts are compiled.",
                is_eager=True,
                callback=_version,
            ),
        ] = False,
    ) -> None:
        return

    if only in command_names():
        from scoresheet.cli.parameters import common_options, with_parameters
        from scoresheet.cli.scoring_call import run_command

        command = command_named(only)
        app.command(
            command.name,
            cls=command_class(common_options(command)),
            short_help=command.summary,
            epilog=f"Example: {command.example}",
        )(with_parameters(command, run_command))
    elif only:
        tool = tool_named(only)
        app.command(
            tool.name,
            cls=command_class(),
            short_help=tool.summary,
            epilog=f"Example: {tool.example}",
            context_settings=dict(tool.context_settings),
            options_metavar=tool.usage,
        )(tool.run)
    return app


def _summaries() -> dict[str, str]:
    """Return the line of each command in the list of them."""
    commands = {command.name: command.summary for command in all_commands()}
    return commands | {tool.name: tool.summary for tool in all_tools()}


def _made(name: str) -> Any:
    """Return one command as typer makes it."""
    return _command(name).commands[name]


def _version(context: typer.Context, parameter: typer.CallbackParam, given: bool) -> None:
    """Print the version once it is known whether that, and more, was asked for; the order of the two words is free."""
    asked = context.meta.setdefault("scoresheet.version", {})
    asked[parameter.name] = given
    if asked.get("version") and "verbose" in asked:
        from scoresheet.cli.version import VERSION

        used = ""
        if asked["verbose"]:
            from scoresheet.cli.input.formats.plain_sheets import sheet_reader
            from scoresheet.cli.write.cell_maker import cell_maker
            from scoresheet.metrics.text.kernel import kernel

            parts = (("kernel", kernel()), ("cells", cell_maker()), ("sheets", sheet_reader()))
            used = "".join(f"\n{name}: {part.name} ({part.reason})" for name, part in parts)
        raise typer.Exit(Exit.OK if is_printed(lambda: typer.echo(f"scoresheet {VERSION}{used}")) else Exit.UNPRINTED)
    if asked.get("verbose") and "version" in asked:
        raise typer.BadParameter("it goes with --version, or after the name of a command", param_hint="-v")


@cache  # a program may call main() again and again, and the parameters of all commands are many
def _command(only: str | None) -> Any:
    return typer.main.get_command(build(only))


def invoke(arguments: list[str], call: Call | None = None) -> int:
    """Run one command line and return its exit code; its errors are the caller's.

    Unless the caller says what is to be known of the call, a file of settings in the working directory is asked.
    """
    # of a command that is named, the others need not be imported
    named = arguments[0] if arguments and arguments[0] in (*command_names(), *tool_names()) else None
    if call is None:
        asked = named in command_names() and not {"-h", "--help"} & set(arguments)
        call = Call(tuple(arguments), _file_defaults(named) if named and asked else FileDefaults())
    if named in tool_names() and not {"-h", "--help", HELP_ALL} & set(arguments):
        check_surroundings()  # a command does so itself, once its words are understood
    defaults = {named: dict(call.defaults.values)}
    try:
        done = _command(named)(arguments, prog_name="scoresheet", obj=call, default_map=defaults, standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's own errors have it, whichever click they are of
            raise
        _show_usage_error(error)
        return int(Exit.USAGE)
    except SystemExit as ended:
        done = ended.code
    return done if isinstance(done, int) else int(Exit.OK)


def _file_defaults(command: str) -> FileDefaults:
    """Return what a file of settings in the working directory says of a command; most have none."""
    if not any(map(os.path.lexists, (SETTINGS_FILE, PROJECT_FILE))):
        return FileDefaults()
    from scoresheet.cli.config.files import file_defaults

    return file_defaults(command)


def _show_usage_error(error: Any) -> None:
    """Show what typer did not understand, as typer does; there may be nobody to see it."""
    if type(error).__name__ == "NoArgsIsHelpError":  # nothing was said at all: its message is the help
        write_stderr(error.message)
        return
    from typer.rich_utils import rich_format_error

    from scoresheet.cli.terminal.tables import one_line

    error.message = one_line(error.message)
    with suppress(OSError, SystemExit):  # rich ends the process where a pipe is broken
        rich_format_error(error)
