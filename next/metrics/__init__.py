"""Measures and families, and what the command line must know of a family.

Nothing heavy is imported here, so that --help is quick.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Command:
    """The command of a family.

    `options` is a frozen dataclass whose fields were made by `option`. `arguments` are the tables
    that OUTPUTS and REFERENCES name, with the folder that is read where none is named (empty: one
    must be named). `samples` are the folders of sample tables that `scoresheet init` copies.
    """

    name: str
    help: str
    options: type
    arguments: dict[str, str]
    results: str
    samples: tuple[str, ...] = ()


def option(default: Any, help: str, metavar: str | None = None, **metadata: Any) -> Any:  # noqa: A002
    """Return a dataclass field for an option, with the help text that the command line shows.

    Its type is the field's annotation, a Literal for a choice. `metavar` is shown for the value,
    `shown` for a default that says nothing by itself; `short` is a flag of one letter, `table`
    the table that is read from the file which the option names. A field that is not made here gets
    the value of the common option of its name.
    """
    return field(default=default, metadata={"help": help, "metavar": metavar, **metadata})
