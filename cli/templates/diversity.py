"""The template of scoresheet diversity."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import NumberRange, Template, TemplateSheet
from scoresheet.metrics.families.diversity.schema import GRADE, ITEM, JUDGED_QUERY, QUERY, RANK, SUBTOPIC

TEMPLATE: Final = Template(
    outputs={
        "my_system": TemplateSheet(
            name="run1",
            columns=(QUERY, ITEM, RANK),
            rows=(
                ("jaguar", "doc-cat-1", 1),
                ("jaguar", "doc-car-1", 2),
                ("jaguar", "doc-cat-2", 3),
            ),
            numbers={RANK.name: NumberRange(1, whole=True)},
        )
    },
    references={
        "judgments": TemplateSheet(
            name="judgments",
            columns=(JUDGED_QUERY, SUBTOPIC, ITEM, GRADE),
            rows=(
                ("jaguar", "the animal", "doc-cat-1", 1),
                ("jaguar", "the animal", "doc-cat-2", 1),
                ("jaguar", "the car", "doc-car-1", 1),
                ("jaguar", "the guitar", "doc-guitar-1", 1),
            ),
            numbers={GRADE.name: NumberRange(0)},
        )
    },
)
