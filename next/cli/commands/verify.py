"""`scoresheet verify`: whether results are still what their manifest says."""

from pathlib import Path
from typing import Annotated

import typer

from scoresheet.cli.commands.score import finish


def verify(
    results: Annotated[Path, typer.Argument(help="The folder that a run wrote.")],
) -> None:
    """Check that inputs and reports are as they were; score again and compare."""
    from scoresheet.cli.again import verify_outcome

    finish(lambda: verify_outcome(results), verbose=True)
