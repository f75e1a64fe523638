"""collective: is an ensemble more than its best member."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any, Literal

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, grouped, one_value
from scoresheet.metrics.role import LABEL, MODEL, SAMPLE, Role, Table, normal, outputs

OWN = ("collective", "ensemble", "fused")  # names that only the ensemble itself can have
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class CollectiveOptions:
    """How members are fused and what the ensemble is compared with."""

    fusion: Literal["majority", "mean"] = option(
        "majority", "Fuse the members by their votes, or by their mean probabilities or logits."
    )
    ties: Literal["first", "wrong"] = option(
        "first", "A tie goes to the class of the leftmost member that voted for one, or is wrong."
    )
    member: str = option("", "Compare with this member instead of the best one.", "STREAM")
    clean: str = option("", "Condition of the headline.", "NAME", shown="clean")
    split: str = option("", "Split of the headline.", "NAME", shown="validation")
    classes: str = option(
        "", "Table of id and name, where predictions are ids.", "FILE", table="classes"
    )
    accept: tuple[str, ...] = ()  # this and the following are common options
    ci: float = 0.95
    seed: int = 0


COMMAND = Command(
    "collective",
    "Ensembles: is the collective more accurate than its best member.",
    CollectiveOptions,
    {"outputs": "data/collective", "references": "data/collective_labels"},
    "results/collective",
    ("collective",),
)


def same_classes(texts: Iterable[str]) -> dict[str, str]:
    """Return the class that each text names: if all are numbers, equal ones name the first.

    >>> same_classes(["1", "2", "1.0"])
    {'1': '1', '2': '2', '1.0': '1'}
    >>> same_classes(["1", "1.0", "cat"])
    {'1': '1', '1.0': '1.0', 'cat': 'cat'}
    """
    found = dict.fromkeys(filter(None, texts))
    if not all(map(_NUMBER.fullmatch, found)):
        return {text: text for text in found}
    first: dict[Decimal, str] = {}
    return {text: first.setdefault(Decimal(text), text) for text in found}


# --- what makes the tables of an ensemble look wrong ----------------------------------------


def labels_differ(columns: Columns, unused: Unused, further: Further) -> Doubt | None:
    """Return the column of labels that says other than the references do."""
    references = further.get("references") or {"sample": [], "label": []}
    labels = dict(zip(references["sample"], references["label"], strict=True))
    header = next(filter(Role("label", words=LABEL).takes, unused), "")
    here = columns.get("label") or [unused.get(header, {}).get(row, "") for row in columns["row"]]
    pairs = zip(columns["sample"], map(str.strip, map(str, here)), strict=True)
    differ = sum(bool(cell) and labels.get(key, cell) != cell for key, cell in pairs)
    if not differ:
        return None
    message = f"{header or 'label'} and the references differ in {differ} rows"
    options = (("ignore", header),) if header else ()
    return Doubt("labels-differ", message, "name no references, or use theirs only", options)


def not_classes(columns: Columns, _: Unused, further: Further) -> Doubt | None:
    """Return the stream of which most predictions are no label, or labels that have no scores."""
    source = columns if "label" in columns else further.get("references", {"label": []})
    pairs, allowed = Counter(("", label) for label in source["label"]), columns.get("class", ())
    if "prediction" in columns:
        pairs = Counter(zip(columns["stream"], columns["prediction"], strict=True))
        allowed = source["label"]
    same = same_classes([*dict.fromkeys(allowed), *(text for _, text in pairs)])
    known = {same[text] for text in dict.fromkeys(allowed) if text}
    if not known or "classes" in further:  # the names of ids are not known here
        return None
    surplus: Counter[str] = Counter()
    for (who, text), count in pairs.items():
        surplus[who] += 0 if not text else count if same[text] in known else -count
    for who in [who for who, count in surplus.items() if count < 0]:
        text = next(text for name, text in pairs if name == who and text)
        what = f"predictions of {who} are not labels" if who else "labels are not classes"
        message = f"most {what} ({text}; {', '.join(sorted(known)[:5])})"
        advice = "map ids to names with --classes FILE, or accept it"
        return Doubt("not-classes", message, advice, (("probability", "@cells"),))
    return None


def own_stream(columns: Columns, _: Unused, __: Further) -> Doubt | None:
    """Return the stream that is called as only the ensemble itself can be."""
    for stream in dict.fromkeys(columns.get("stream", ())):
        if normal(stream) in OWN:
            message = f"a stream is called {stream}, as if it were the ensemble itself"
            advice = "leave it out, or give its predictions in a column of their own, collective"
            return Doubt("own-stream", message, advice)
    return None


def weights_sum(columns: Columns, unused: Unused, _: Further) -> Doubt | None:
    """Return how many groups of routing weights do not sum to 1."""
    keys = [key for key in ROUTING_KEYS if key in columns] or ["row"]
    weights = [0 if math.isnan(weight) else weight for weight in columns.get("weight", ())]
    groups = grouped(columns, *keys).values() if weights else []
    sums = [sum(weights[at] for at in rows) for rows in groups]
    wrong = sum(abs(total - 1) > 1e-4 for total in sums) or sum(weight < 0 for weight in weights)
    if not wrong:
        return None
    message = f"the weights of {wrong} of {len(sums)} groups do not sum to 1"
    advice = "correct the weights, or name the column that divides the groups"
    free = [key for key in ("token", "slot", "layer", "sample") if key not in columns]
    return Doubt("weights-sum", message, advice, tuple((free[0], h) for h in unused if free))


# --- the tables -----------------------------------------------------------------------------

ROUTING_KEYS = ("sample", "token", "stream", "slot", "layer", "epoch")
SAMPLE_ROLE = Role("sample", words=SAMPLE, needed=True)
LABEL_ROLE = Role("label", "label", LABEL, needed=True)
STREAM = Role("stream", words=("member", *MODEL[:2]), needed=True, open=True)
EPOCH = Role("epoch", "number")


def _keyed(name: str, *roles: Role, **declared: Any) -> Table:
    """Return a table in which the first role identifies a row."""
    return Table(name, roles, unique=((roles[0].name,),), **declared)


TABLES = (
    outputs(
        (
            # in an ensemble's table the header `model` names its members
            Role("model", words=("system", "ensemble"), own_name=False),
            *(Role("split", words=("sheet",)), Role("condition"), EPOCH, SAMPLE_ROLE),
            *(replace(LABEL_ROLE, elsewhere="references"), STREAM, Role("class", "label")),
            Role("prediction", "label", ("pred", "y_pred", "vote")),
            *(Role("probability", "number", ("prob",)), Role("logit", "number")),
            Role("collective", "label"),
        ),
        cells=("prediction",),
        unique=(("split", "condition", "epoch", "sample", "stream", "class"),),
        one_of=(("prediction", "probability", "logit"),),
        checks=(labels_differ, partial(one_value, role="stream"), not_classes, own_stream),
    ),
    _keyed("references", SAMPLE_ROLE, LABEL_ROLE, key="sample"),
    _keyed("classes", Role("id", needed=True), Role("name", "label", needed=True)),
    Table(
        "routing",
        (
            *(replace(SAMPLE_ROLE, needed=False), Role("token")),
            *(Role("stream", words=STREAM.words), Role("slot"), Role("layer"), EPOCH),
            Role("expert", words=("expert_id",), open=True),
            Role("weight", "number", ("gate",)),
        ),
        cells=("weight",),
        by_name=True,
        open_values=True,
        checks=(weights_sum,),
    ),
    *(
        _keyed(name, replace(role, needed=True, open=False), by_name=True, open_values=True)
        for name, role in (("anchors", STREAM), ("fingerprints", STREAM), ("history", EPOCH))
    ),
    _keyed(
        "parameters", Role("name", needed=True), Role("value", "label", needed=True), by_name=True
    ),
    _keyed(
        "targets",
        Role("dataset", needed=True),
        *(Role(name, "number") for name in ("baseline", "target", "state_of_the_art")),
        by_name=True,
    ),
)
