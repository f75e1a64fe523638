"""The version, which is written in pyproject.toml and nowhere else."""

from importlib.metadata import version
from typing import Final

VERSION: Final = version("scoresheet")
