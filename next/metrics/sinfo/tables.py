"""The tables that sinfo reads."""

from scoresheet.metrics.role import ASKED, GOLD, ITEM, MODEL, WROTE, Role, Table, outputs
from scoresheet.metrics.text.languages import language_in_name

IDIOM = Role("idiom", words=("phrase", "expression", "term", "id", *ASKED, *ITEM), needed=True)
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
TABLES = (
    outputs(OUTPUTS, cells=("prediction",), unique=(("idiom",),), checks=("same-as-reference",)),
    Table("references", REFERENCES, cells=("reference",), key="idiom"),
)
