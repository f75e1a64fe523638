"""Variables of the environment that look like ours and are not: most likely misspelt, and then without effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

PREFIX: Final = "SCORESHEET_"
_OF_THE_BUILD: Final = "SCORESHEET_REPOSITORY"  # read when a package is built


def variable_name(option: str) -> str:
    """Return the variable that sets an option.

    >>> variable_name("min_coverage")
    'SCORESHEET_MIN_COVERAGE'
    """
    return PREFIX + option.upper()


def notes_of_unknown_variables(names: Iterable[str]) -> list[str]:
    """Return a note for each variable with our prefix that sets no option of any command."""
    given = [name for name in sorted(names) if name.startswith(PREFIX) and name != _OF_THE_BUILD]
    if not given:
        return []
    from scoresheet.cli.commands import all_commands
    from scoresheet.cli.config.values import command_fields
    from scoresheet.cli.input.header_matching import suggestion
    from scoresheet.cli.run.pool import START_METHOD
    from scoresheet.metrics.compiled import PURE

    fields = {name: field for command in all_commands() for name, field in command_fields(command).items()}
    listed = [name for name, field in fields.items() if isinstance(field.default, tuple)]
    notes = []
    for variable in given:
        if variable in (PURE, START_METHOD):
            continue  # they choose between compiled parts and their twins, and how workers are started
        name = variable.removeprefix(PREFIX).lower().replace("_", "-")
        if name in listed:
            notes.append(
                f"note: the variable {variable} sets nothing: --{name} may be repeated, which a variable cannot say; "
                "give it on the command line or in scoresheet.toml"
            )
        elif name not in fields or variable != variable_name(fields[name].name):
            near = suggestion(name, sorted(set(fields) - set(listed)))
            notes.append(f"note: the variable {variable} sets nothing: no command has an option --{name}{near}")
    return notes
