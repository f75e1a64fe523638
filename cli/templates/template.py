"""What a template is: sheets with the columns of a family, a few rows, and what each column may hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn


@dataclass(frozen=True)
class NumberRange:
    """Which numbers a column may hold."""

    least: float
    most: float | None = None
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class TemplateSheet:
    """A sheet to be filled in: columns of ours, columns of one's own, and rows that show how."""

    name: str
    columns: tuple[InputColumn, ...]
    own_columns: Mapping[str, str] = field(default_factory=dict)  # header → what it is for
    rows: tuple[tuple[str | int | float, ...], ...]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by column
    numbers: Mapping[str, NumberRange] = field(default_factory=dict)

    @property
    def headers(self) -> list[str]:
        """The header row."""
        return [*(column.name for column in self.columns), *self.own_columns]

    @property
    def notes(self) -> list[str]:
        """What each column is for."""
        ours = [f"{column.about}{'' if column.required else ' May be left out.'}" for column in self.columns]
        return [*ours, *self.own_columns.values()]


@dataclass(frozen=True, kw_only=True)
class Template:
    """The files that a command reads, by the names of their workbooks."""

    outputs: Mapping[str, TemplateSheet]
    references: Mapping[str, TemplateSheet] = field(default_factory=dict)
