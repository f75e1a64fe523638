"""The template of scoresheet sinfo."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import Template, TemplateSheet
from scoresheet.metrics.families.sinfo.schema import EXPLANATION, IDIOM, LANGUAGE, PREDICTION, REFERENCE_IDIOM

TEMPLATE: Final = Template(
    outputs={
        "my_model": TemplateSheet(
            name="arrangement1",
            columns=(IDIOM, PREDICTION),
            rows=(
                ("burn the midnight oil", "to work late into the night"),
                ("a drop in the ocean", "an amount so small that it makes no difference"),
            ),
        )
    },
    references={
        "references": TemplateSheet(
            name="references",
            columns=(REFERENCE_IDIOM, EXPLANATION, LANGUAGE),
            rows=(
                ("burn the midnight oil", "to work or study late into the night", "en"),
                (
                    "a drop in the ocean",
                    "a very small part of what is needed || an amount that makes no difference",
                    "en",
                ),
            ),
            choices={LANGUAGE.name: ("en", "zh", "ja", "ko", "de", "fr", "es")},
        )
    },
)
