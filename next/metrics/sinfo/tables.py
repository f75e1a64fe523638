"""The tables that sinfo reads."""

from collections import defaultdict

from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, by_model
from scoresheet.metrics.role import ASKED, GOLD, ITEM, MODEL, WROTE, Role, Table, outputs
from scoresheet.metrics.text.languages import language_in_name

IDIOM = Role("idiom", words=("phrase", "expression", "term", "id", *ASKED, *ITEM), needed=True)
NEARLY_EVERY = 0.95
LANGUAGE = ("lang", "locale")
OUTPUTS = (
    Role("model", words=MODEL),
    Role("sheet", words=("arrangement", "permutation")),
    IDIOM,
    Role("prediction", "text", WROTE, needed=True, lists="rows"),
    Role("reference", "text", GOLD, needed=True, elsewhere="references", lists="cell"),
    Role("language", words=LANGUAGE),
)
REFERENCES = (
    IDIOM,
    Role("reference", "text", (*GOLD, "answer"), needed=True, lists="cell", seed=("explanation",)),
    Role("language", words=LANGUAGE, from_name=language_in_name),
)


def same_as_reference(columns: Columns, _: Unused, further: Further) -> Doubt | None:
    """Return the model of which nearly every prediction equals its reference."""
    none: Columns = {"idiom": [], "reference": []}
    source = columns if "reference" in columns else further.get("references") or none
    known: dict[str, set[str]] = defaultdict(set)
    for idiom, cell in zip(source["idiom"], source["reference"], strict=True):
        for text in cell if isinstance(cell, list) else cell.split("||"):
            known[idiom].add(text.strip())
    for model, rows in by_model(columns):
        pairs = [(columns["prediction"][at].strip(), known[columns["idiom"][at]]) for at in rows]
        equal = [text in references for text, references in pairs if text and references - {""}]
        if sum(equal) > 1 and sum(equal) >= NEARLY_EVERY * len(equal):
            share = sum(equal) / len(equal)
            message = f"{model}{share:.0%} of the predictions equal their reference"
            return Doubt("same-as-reference", message)
    return None


TABLES = (
    outputs(OUTPUTS, cells=("prediction",), unique=(("idiom",),), checks=(same_as_reference,)),
    Table("references", REFERENCES, cells=("reference",), key="idiom"),
)
