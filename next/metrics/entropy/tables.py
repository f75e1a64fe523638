"""The table that entropy reads."""

from scoresheet.metrics.checks import pooled
from scoresheet.metrics.role import ASKED, ITEM, MODEL, WROTE, Role, outputs

TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet"),
            Role("id", words=(*ITEM, *ASKED)),
            Role("text", "text", WROTE, needed=True, lists="rows"),
        ),
        cells=("text",),
        checks=(pooled,),
    ),
)
