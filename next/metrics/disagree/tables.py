"""The table that disagree reads."""

from functools import partial

from scoresheet.metrics.checks import one_value
from scoresheet.metrics.role import ITEM, MODEL, Role, outputs

JUDGE = (
    *("rater", "annotator", "grader", "evaluator", "reviewer", "strategy"),
    *("annotator_id", "worker_id"),
)

TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet", words=("round",)),
            Role(
                "item",
                words=(*ITEM, "id", "prompt", "question", "sample", "hit_id"),
                needed=True,
                open=True,
            ),
            Role("judge", words=JUDGE, needed=True, open=True),
            Role("dimension", words=("criterion", "aspect"), open=True),
            Role("score", "number", ("rating", "grade", "points"), needed=True),
            Role("confidence", "number"),
            Role("cultural_relevance", "number"),
        ),
        cells=("score",),
        unique=(("item", "judge", "dimension"),),
        checks=(partial(one_value, role="judge"),),
    ),
)
