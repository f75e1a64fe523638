"""The tables that mode-collapse reads."""

from scoresheet.metrics.role import MODEL, WROTE, Role, Table, outputs

LEVEL = Role("level", "number", ("tree_level",))
PARENT = Role("parent", words=("parent_path",))

OPTION_ROLES = (
    LEVEL,
    PARENT,
    Role("option", "label", ("choice", "category"), needed=True),
    Role("aliases", lists="cell"),
    Role("share", "number"),
)

TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet", words=("question", "prompt", "prompt_id", "question_id")),
            LEVEL,
            PARENT,
            Role(
                "choice", "label", ("category", "raw_response", *WROTE), needed=True, lists="rows"
            ),
            Role("count", "number", ("counts", "frequency", "freq")),
            Role("corrected", "label", seed=("corrected_category",)),
            Role("flagged", "label", seed=("is_flagged",)),
        ),
        cells=("choice", "count"),
        unique=(("level", "parent", "choice"),),
        unique_with="count",
        walk=("level", "parent"),
        checks=("pooled", "all-different"),
    ),
    Table("options", OPTION_ROLES, unique=(("level", "parent", "option"),), single="option"),
    Table("target", OPTION_ROLES, unique=(("level", "parent", "option"),), single="option"),
)
