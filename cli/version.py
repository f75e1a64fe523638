"""The version, which is written in pyproject.toml and nowhere else."""

from typing import Final

from scoresheet.metrics.installed import version

VERSION: Final = version("scoresheet")
