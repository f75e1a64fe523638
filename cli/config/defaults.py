"""What a file of settings says of one command; `files` reads it there, and needs more than every call does."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field
from typing import Any, Final

from scoresheet.metrics.records import dataclass

SETTINGS_FILE: Final = "scoresheet.toml"
PROJECT_FILE: Final = "pyproject.toml"  # of a project, which may have a part of ours


@dataclass(frozen=True)
class FileDefaults:
    """What a file says of one command: values by the names of the parameters."""

    file: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def only(self, names: Set[str]) -> FileDefaults:
        """Return those that were not outranked: a run goes by these."""
        values = {name: value for name, value in self.values.items() if name in names}
        return FileDefaults(self.file, values) if values else FileDefaults()

    def by_option(self) -> dict[str, Any]:
        """Return the values by the names of the command line."""
        return {name.replace("_", "-"): value for name, value in self.values.items()}

    def __str__(self) -> str:
        return f"{self.file} says: " + "; ".join(f"{name} = {value}" for name, value in self.by_option().items())
