"""The template of scoresheet mode-collapse."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import NumberRange, Template, TemplateSheet
from scoresheet.metrics.families.mode_collapse.schema import ALIASES, CHOICE, COUNT, LEVEL, OPTION, PARENT

_LEVELS: Final = NumberRange(0, whole=True)

TEMPLATE: Final = Template(
    outputs={
        "my_model": TemplateSheet(
            name="where to go",
            columns=(LEVEL, PARENT, CHOICE, COUNT),
            rows=(
                (0, "", "mountains", 9),
                (0, "", "seaside", 2),
                (0, "", "city", 1),
                (1, "mountains", "hiking", 7),
                (1, "mountains", "skiing", 5),
            ),
            numbers={LEVEL.name: _LEVELS, COUNT.name: NumberRange(0, whole=True)},
        )
    },
    references={
        "options": TemplateSheet(
            name="options",
            columns=(LEVEL, OPTION, PARENT, ALIASES),
            rows=(
                (0, "mountains", "", "the mountains|mountain"),
                (0, "seaside", "", "beach|coast"),
                (0, "city", "", "town"),
                (1, "hiking", "mountains", "a hike"),
                (1, "skiing", "mountains", "ski"),
                (1, "swimming", "seaside", ""),
                (1, "museum", "city", ""),
            ),
            numbers={LEVEL.name: _LEVELS},
        )
    },
)
