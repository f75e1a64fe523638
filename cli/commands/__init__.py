"""The commands: one file each, listed here; a new family needs a file, a line below, and nothing else."""

from typing import Final

from scoresheet.cli.commands.collective import COLLECTIVE
from scoresheet.cli.commands.command import Command
from scoresheet.cli.commands.disagree import DISAGREE
from scoresheet.cli.commands.diversity import DIVERSITY
from scoresheet.cli.commands.entropy import ENTROPY
from scoresheet.cli.commands.mode_collapse import MODE_COLLAPSE
from scoresheet.cli.commands.sinfo import SINFO

COMMANDS: Final[tuple[Command, ...]] = (SINFO, MODE_COLLAPSE, DIVERSITY, DISAGREE, ENTROPY, COLLECTIVE)

__all__ = ["COMMANDS", "Command"]
