"""mode-collapse: how evenly a model chooses among options."""

from dataclasses import dataclass

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, by_model, pooled
from scoresheet.metrics.role import MODEL, WROTE, Role, Table, outputs


@dataclass(frozen=True)
class ModeCollapseOptions:
    """How choices are counted and tested."""

    options: str = option(
        "", "The options, instead of a table of them, e.g. 'Japan|Nippon,Peru'.", "LIST"
    )
    target: str = option(
        "", "Table of shares to test against, instead of equal shares.", "FILE", table="target"
    )
    extract: str = ""  # this and the following are common options
    ci: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.options and len(listed_options(self.options)) < 2:
            raise ValueError(f"options must name two or more, as in A,B,C, not {self.options!r}")


def listed_options(text: str) -> dict[str, list[str]]:
    """Return the options of a list, each with its aliases.

    >>> listed_options("Japan|Nippon, Peru,")
    {'Japan': ['Nippon'], 'Peru': []}
    """
    parts = [[name.strip() for name in item.split("|")] for item in text.split(",")]
    return {name: [alias for alias in aliases if alias] for name, *aliases in parts if name}


COMMAND = Command(
    "mode-collapse",
    "Choices that models repeat: Gini, entropy and effective number of options.",
    ModeCollapseOptions,
    {"outputs": "data/choices", "options": "data/choice_options"},
    "results/mode_collapse",
    ("choices", "choice_options"),
)


LEVEL = Role("level", "number", ("tree_level",))
PARENT = Role("parent", words=("parent_path",))
CHOSE = ("category", "raw_response", *WROTE)
OPTION_ROLES = (
    LEVEL,
    PARENT,
    Role("option", "label", ("choice", "category"), needed=True),
    Role("aliases", lists="cell"),
    Role("share", "number"),
)


def all_different(columns: Columns, unused: Unused, _: Further) -> Doubt | None:
    """Return the model of which no choice occurs twice, or the column that names counts."""
    wide = len(set(columns["row"])) < len(columns["row"]) and "part" not in columns
    numbers = wide and all(map(str.isdecimal, columns["choice"]))
    for name, cells in unused.items() if numbers else ():
        names = list(map(str, cells.values()))
        if len(set(names)) == len(names) and not any(map(str.isdecimal, names)):
            message = f"the cells are numbers; {name} names rows"
            return Doubt("all-different", message, options=(("choice", name),))
    counts = [name for name in unused if _are_counts([*map(str, unused[name].values())])]
    source = (("model", f"@header:{','.join(counts)}"),) if len(counts) > 1 else ()
    place = [columns[role] for role in ("sheet", "level", "parent") if role in columns]
    for model, rows in by_model(columns) if "count" not in columns else ():
        choices = [columns["choice"][at] for at in rows]
        where = [tuple(values[at] for values in place) for at in rows]
        once = len(set(zip(where, choices, strict=True))) == len(rows) > len(set(where))
        if len(set(choices)) == len(rows) >= 6 or (once and counts):
            message = f"{model}no choice occurs twice in {len(rows)} rows"
            options = source or tuple(("count", name) for name in counts)
            return Doubt("all-different", message, options=options)
    return None


def _are_counts(cells: list[str]) -> bool:
    """Return whether cells are whole numbers, and do not simply number the rows."""
    numbers = [int(cell) for cell in cells if cell.isdecimal()]
    return len(numbers) == len(cells) and numbers[1:] != [number + 1 for number in numbers[:-1]]


TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet", words=("question", "prompt", "prompt_id", "question_id")),
            LEVEL,
            PARENT,
            Role("choice", "label", CHOSE, needed=True, lists="rows"),
            Role("count", "number", ("counts", "frequency", "freq")),
            Role("corrected", "label", seed=("corrected_category",)),
            Role("flagged", "label", seed=("is_flagged",)),
        ),
        cells=("choice", "count"),
        unique=(("level", "parent", "choice"),),
        unique_with="count",
        walk=("level", "parent"),
        checks=(pooled, all_different),
    ),
    *(
        Table(name, OPTION_ROLES, unique=(("level", "parent", "option"),), single="option")
        for name in ("options", "target")
    ),
)
