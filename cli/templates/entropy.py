"""The template of scoresheet entropy."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import Template, TemplateSheet
from scoresheet.metrics.families.entropy.schema import ID, TEXT

TEMPLATE: Final = Template(
    outputs={
        "my_model": TemplateSheet(
            name="responses",
            columns=(ID, TEXT),
            rows=(
                ("p01", "Bread rises because yeast turns sugar into gas, and the dough holds the bubbles."),
                ("p02", "Rain falls, rain falls, rain falls again, and then the rain falls."),
            ),
        )
    }
)
