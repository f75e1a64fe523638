"""Help that fits a screen: the common options first, all of them and every word under --help-all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from scoresheet.cli.exits import Exit
from scoresheet.cli.terminal.printing import is_printed

HELP_ALL: Final = "--help-all"
SCREEN: Final = (80, 50)  # columns and lines that every first screen of help fits in
_NAMES: Final = 31  # columns that options and their values take at most; longer ones have a line of their own
_SAYS_ALL: Final = "scoresheet.help_all"  # in the notes of a call: that everything was asked for


class FittingCommand(TyperCommand):
    """A command whose --help shows its common options, and --help-all everything.

    An option is common if `common` has a few words for it; where that is None, all are.
    """

    common: Mapping[str, str] | None = None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._help_all = _help_all_option()

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, with the option that shows them all."""
        return [*super().get_params(ctx), self._help_all]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option that shows the first screen."""
        return _printed_safely(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen, or everything where that was asked for."""
        if ctx.meta.get(_SAYS_ALL):
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        _write_text(formatter, (self.help or "").partition("\n\n")[0])
        parameters = [self._shown(parameter) for parameter in self.get_params(ctx)]
        shown = [parameter for parameter in parameters if parameter is not None]
        for heading, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = _rows((parameter for parameter in shown if parameter.param_type_name == kind), ctx)
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=_NAMES)
        _write_text(formatter, (self.epilog or "").partition("\n\n")[0])
        left = len(parameters) - len(shown)
        if left:
            _write_text(formatter, f"{left} more options: {ctx.command_path} {HELP_ALL}")

    def _shown(self, parameter: Any) -> Any:
        """Return a parameter as the first screen shows it, or None."""
        if getattr(parameter, "hidden", False):
            return None
        own = parameter.param_type_name == "argument" or parameter is self._help_all or parameter.name == "help"
        if self.common is None or own:
            return parameter
        if parameter.name not in self.common:
            return None
        shown = copy.copy(parameter)
        shown.help = self.common[parameter.name]
        return shown


class FittingGroup(TyperGroup):
    """The list of commands, one or two lines each, with exit codes by name; --help-all says what each means."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._help_all = _help_all_option()

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, with the option that shows every word."""
        return [*super().get_params(ctx), self._help_all]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option that shows the list."""
        return _printed_safely(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen, or everything where that was asked for."""
        if ctx.meta.get(_SAYS_ALL):
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        _write_text(formatter, (self.help or "").partition("\n\n")[0])
        self.format_commands(ctx, formatter)
        with formatter.section("Options"):
            formatter.write_dl(_rows(self.get_params(ctx), ctx), col_max=_NAMES)
        codes = ", ".join(f"{int(code)} {code.name.lower()}" for code in Exit)
        _write_text(formatter, f"Exit codes: {codes}.")
        _write_text(formatter, f"More on a command: {ctx.command_path} COMMAND --help")


class _ListingGroup(FittingGroup):
    """A list of commands that are made when one of them is called for."""

    listed: Mapping[str, str]  # the line of each
    make: Callable[[str], Any]

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.commands = {name: TyperCommand(name, short_help=line) for name, line in self.listed.items()}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command itself."""
        return self.make(cmd_name) if cmd_name in self.listed else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list, for which the commands themselves are not needed."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed.items()))


def group_class(listed: Mapping[str, str], make: Callable[[str], Any]) -> type[FittingGroup]:
    """Return the class of a group that lists commands, a line each, and has `make` make the one that is called."""
    return type("ListingGroup", (_ListingGroup,), {"listed": listed, "make": staticmethod(make)})


def command_class(common: Mapping[str, str] | None = None) -> type[FittingCommand]:
    """Return the class of a command whose first screen of help shows the options that `common` has words for.

    Without them it shows all options of the command: for one that has few.
    """
    return type("FittingCommand", (FittingCommand,), {"common": common})


def _help_all_option() -> TyperOption:
    return TyperOption(
        param_decls=[HELP_ALL],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_all,
        help="Show everything there is to say, and exit.",
    )


def _show_all(ctx: Any, _: Any, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_SAYS_ALL] = True
        _show_help(ctx, _, wanted)


def _show_help(ctx: Any, _: Any, wanted: bool) -> None:
    """Print help; that it could not be printed is in the exit code."""
    if wanted and not ctx.resilient_parsing:
        done = True
        with suppress(SystemExit):  # rich ends the process where a reader left early; it had what it wanted
            done = is_printed(lambda: typer.echo(ctx.get_help(), color=ctx.color))
        raise typer.Exit(Exit.OK if done else Exit.UNPRINTED)


def _printed_safely(option: Any) -> Any:
    """Return the option that shows help, made to say so if it cannot."""
    if option is not None:
        option.callback = _show_help
    return option


def _write_text(formatter: Any, text: str) -> None:
    """Write a paragraph, if there is one."""
    if text:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)


def _rows(parameters: Iterable[Any], ctx: Any) -> list[tuple[str, str]]:
    """Return what each parameter is called, and what is said of it; those that are hidden have no line."""
    records = [record for parameter in parameters if (record := parameter.get_help_record(ctx))]
    return [(name, about.replace("\\[", "[")) for name, about in records]  # older typers write it as markup
