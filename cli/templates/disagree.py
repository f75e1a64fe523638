"""The template of scoresheet disagree."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.templates.template import NumberRange, Template, TemplateSheet
from scoresheet.metrics.families.disagree.schema import DIMENSION, ITEM, JUDGE, SCORE

TEMPLATE: Final = Template(
    outputs={
        "my_panel": TemplateSheet(
            name="round1",
            columns=(ITEM, JUDGE, DIMENSION, SCORE),
            rows=tuple(
                (item, judge, "accuracy", score)
                for item, scores in (
                    ("answer_1", (0.9, 0.85, 0.8)),
                    ("answer_2", (0.4, 0.5, 0.45)),
                    ("answer_3", (0.7, 0.2, 0.75)),
                )
                for judge, score in zip(("judge_a", "judge_b", "judge_c"), scores, strict=True)
            ),
            numbers={SCORE.name: NumberRange(0, 1)},
        )
    }
)
