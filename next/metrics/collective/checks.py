"""What makes the tables of an ensemble look wrong."""

import math

from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, grouped
from scoresheet.metrics.role import LABEL, Role


def labels_differ(columns: Columns, unused: Unused, further: Further) -> Doubt | None:
    """Return the column of labels that says other than the references do."""
    references = further.get("references") or {"sample": [], "label": []}
    labels = dict(zip(references["sample"], references["label"], strict=True))
    header = next(filter(Role("label", words=LABEL).takes, unused), "")
    here = columns.get("label") or [unused.get(header, {}).get(row, "") for row in columns["row"]]
    pairs = zip(columns["sample"], map(str.strip, map(str, here)), strict=True)
    differ = [at for at, (key, cell) in enumerate(pairs) if cell and labels.get(key, cell) != cell]
    if not differ:
        return None
    message = f"{header or 'label'} and the references differ in {len(differ)} rows"
    options = (("ignore", header),) if header else ()
    return Doubt("labels-differ", message, "name no references, or use theirs only", options)


def not_classes(columns: Columns, _: Unused, further: Further) -> Doubt | None:
    """Return the stream of which most predictions are no label."""
    source = columns if "label" in columns else further.get("references")
    if not source or "prediction" not in columns or "classes" in further:
        return None
    labels = set(source["label"])
    for (stream,), rows in grouped(columns, "stream").items():
        votes = [vote for at in rows if (vote := columns["prediction"][at])]
        if 2 * sum(vote not in labels for vote in votes) > len(votes):
            known = ", ".join(sorted(labels)[:5])
            message = f"most predictions of {stream} are not labels ({votes[0]}; {known})"
            advice = "map ids to names with --classes FILE, or accept it"
            return Doubt("not-classes", message, advice, (("probability", "@cells"),))
    return None


def weights_sum(columns: Columns, unused: Unused, _: Further) -> Doubt | None:
    """Return how many groups of routing weights do not sum to 1."""
    keys = ["sample", "token", "stream", "slot", "layer", "epoch"]
    groups = grouped(columns, *([key for key in keys if key in columns] or ["row"])).values()
    weights = [0 if math.isnan(weight) else weight for weight in columns.get("weight", ())]
    sums = [sum(weights[at] for at in rows) for rows in groups if weights]
    wrong = sum(abs(total - 1) > 1e-4 for total in sums)
    if not wrong:
        return None
    message = f"the weights of {wrong} of {len(sums)} groups do not sum to 1"
    advice = "correct the weights, or name the column that divides the groups"
    free = [key for key in ("token", "slot", "layer", "sample") if key not in columns]
    return Doubt("weights-sum", message, advice, tuple((free[0], h) for h in unused if free))
