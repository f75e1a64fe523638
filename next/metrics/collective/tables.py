"""The tables that collective reads."""

from functools import partial

from scoresheet.metrics.checks import one_value
from scoresheet.metrics.collective.checks import labels_differ, not_classes, weights_sum
from scoresheet.metrics.role import LABEL, MODEL, SAMPLE, Role, Table, outputs

SAMPLE_ROLE = Role("sample", words=SAMPLE, needed=True)
STREAM = Role("stream", words=("member", *MODEL[:2]), needed=True, open=True)
EPOCH = Role("epoch", "number")

TABLES = (
    outputs(
        (
            # in an ensemble's table the header `model` names its members
            Role("model", words=("system", "ensemble"), own_name=False),
            Role("split", words=("sheet",)),
            Role("condition"),
            EPOCH,
            SAMPLE_ROLE,
            Role("label", "label", LABEL, needed=True, elsewhere="references"),
            STREAM,
            Role("class", "label"),
            Role("prediction", "label", ("pred", "y_pred", "vote")),
            Role("probability", "number", ("prob",)),
            Role("logit", "number"),
            Role("collective", "label"),
        ),
        cells=("prediction",),
        unique=(("split", "condition", "epoch", "sample", "stream", "class"),),
        one_of=(("prediction", "probability", "logit"),),
        checks=(labels_differ, partial(one_value, role="stream"), not_classes),
    ),
    Table(
        "references",
        (SAMPLE_ROLE, Role("label", "label", LABEL, needed=True)),
        unique=(("sample",),),
        key="sample",
    ),
    Table(
        "classes",
        (Role("id", needed=True), Role("name", "label", needed=True)),
        unique=(("id",),),
    ),
    Table(
        "routing",
        (
            Role("sample", words=SAMPLE),
            *(Role("token"), Role("stream", words=STREAM.words), Role("slot"), Role("layer")),
            EPOCH,
            Role("expert", words=("expert_id",), open=True),
            Role("weight", "number", ("gate",)),
        ),
        cells=("weight",),
        by_name=True,
        open_values=True,
        checks=(weights_sum,),
    ),
    *(
        Table(
            name,
            (Role("stream", words=STREAM.words, needed=True),),
            unique=(("stream",),),
            by_name=True,
            open_values=True,
        )
        for name in ("anchors", "fingerprints")
    ),
    Table(
        "history",
        (Role("epoch", "number", needed=True),),
        unique=(("epoch",),),
        by_name=True,
        open_values=True,
    ),
    Table(
        "parameters",
        (Role("name", needed=True), Role("value", "label", needed=True)),
        unique=(("name",),),
        by_name=True,
    ),
    Table(
        "targets",
        (
            Role("dataset", needed=True),
            *(Role(name, "number") for name in ("baseline", "target", "state_of_the_art")),
        ),
        unique=(("dataset",),),
        by_name=True,
    ),
)
