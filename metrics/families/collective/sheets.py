"""Which sheet of a system is which."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.core import Column, Joined
from scoresheet.metrics.families.collective.names import squeezed
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import reject

PREDICTIONS: Final = "predictions"
PROBABILITIES: Final = "probabilities"
LOGITS: Final = "logits"
ROUTING: Final = "routing"
ANCHORS: Final = "anchors"
FINGERPRINTS: Final = "fingerprints"
HISTORY: Final = "history"
PARAMETERS: Final = "parameters"
GUESSED: Final = "predictions by their columns"
_ROLES: Final = (PREDICTIONS, PROBABILITIES, LOGITS, ROUTING, ANCHORS, FINGERPRINTS, HISTORY, PARAMETERS)
_ALIASES: Final = {
    "probability": PROBABILITIES,
    "probs": PROBABILITIES,
    "softmax": PROBABILITIES,
    "route": ROUTING,
    "routes": ROUTING,
    "params": PARAMETERS,
}

INPUTS: Final = (
    Column(
        "sample", "The sample, in predictions, probabilities and routing.", "label", ("sample_id", "id", "item"), False
    ),
    Column(
        "label",
        "What is right, in predictions.",
        "label",
        ("target", "truth", "gold", "y_true"),
        required=False,
        both_sides=True,
    ),
    Column("collective", "What the ensemble itself predicts.", "label", ("ensemble", "fused"), required=False),
    Column("condition", "Under which condition; empty: clean.", "label", required=False),
    Column("epoch", "At which epoch.", "label", required=False),
)


def named_role(sheet: str) -> str:
    """Return what a sheet's name says that it holds; '' if it says nothing.

    >>> named_role("Finger-print"), named_role("run/routing"), named_role("Sheet1")
    ('fingerprints', 'routing', '')
    """
    name = squeezed(sheet.rpartition("/")[2])
    return next((role for role in _ROLES if name in (role, role.removesuffix("s"))), _ALIASES.get(name, ""))


def role_of(joined: Joined) -> str:
    """Return what a sheet holds, by its name or, for predictions, by its columns; a Refusal names what it could be."""
    role = named_role(joined.sheet.name)
    if role:
        return role
    if not {"sample", "label"} & joined.absent:
        return GUESSED
    missing = [name for name in ("sample", "label") if name in joined.absent]
    headers = [str(header) for header in joined.sheet.frame.columns if header not in joined.absent]
    return reject(
        "unknown-sheet",
        f"{joined.sheet.name!r} is none of the sheets {', '.join(_ROLES)}, and to be predictions it has no column "
        f"{' and no column '.join(missing)}; the first row has {join_names(headers, most=8)}. Name yours with --column "
        f"{missing[0]}=HEADER, rename the sheet, or leave it out with --skip-sheet. If the files of this folder are "
        "the sheets of one system, name the folder above it",
        effect="sheet skipped",
    )
