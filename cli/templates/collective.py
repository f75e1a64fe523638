"""The template of scoresheet collective."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import Template, TemplateSheet
from scoresheet.metrics.families.collective.schema import LABEL, PREDICTIONS, SAMPLE

_CLASSES: Final = ("cat", "dog")
_STREAM: Final = "What this stream predicts; head the column with its name, and add one for each stream."

TEMPLATE: Final = Template(
    outputs={
        "my_system": TemplateSheet(
            name=PREDICTIONS,
            columns=(SAMPLE, LABEL),
            own_columns=dict.fromkeys(("stream_1", "stream_2", "stream_3"), _STREAM),
            rows=(
                ("s01", "cat", "cat", "cat", "dog"),
                ("s02", "dog", "dog", "cat", "dog"),
                ("s03", "cat", "dog", "cat", "cat"),
                ("s04", "dog", "dog", "dog", "dog"),
                ("s05", "cat", "dog", "dog", "cat"),
            ),
            choices=dict.fromkeys((LABEL.name, "stream_1", "stream_2", "stream_3"), _CLASSES),
        )
    }
)
