"""The table that scores reads."""

from scoresheet.metrics.role import ASKED, ITEM, MODEL, SAMPLE, Role, outputs

TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet"),
            Role("item", words=("id", *ITEM, *ASKED, *SAMPLE), needed=True),
            Role("measure", open=True),
            Role("score", "number", ("accuracy", "acc", "correct", "value"), needed=True),
        ),
        cells=("score",),
        unique=(("item", "measure"),),
    ),
)
