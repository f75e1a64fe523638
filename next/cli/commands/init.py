"""`scoresheet init`: sample tables, a template workbook and a commented scoresheet.toml."""

from pathlib import Path
from typing import Annotated

import typer

from scoresheet.cli.commands.score import finish


def init(
    family: Annotated[str, typer.Argument(help="The command to start with.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write.")] = Path(),
) -> None:
    """Write sample tables, a template workbook and a commented scoresheet.toml."""
    from scoresheet.cli.samples import init_outcome

    finish(lambda: init_outcome(family, folder))
