"""Roles: what a family needs to know from a table, and the headers that name it."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from scoresheet.metrics.checks import Check

Kind = Literal["key", "label", "text", "number"]

# Words that several families share. A header fills a role if it is one of these as a whole.
MODEL = ("model", "model_name", "model_id", "llm", "llm_name")
ASKED = ("prompt", "question", "instruction", "input", "query")
ITEM = ("item", "item_id", "prompt_id", "question_id", "example_id", "doc_id")
WROTE = (
    *("prediction", "output", "response", "completion", "generation", "generated_text", "answer"),
    *(f"{who}_{what}" for who in ("model", "llm") for what in ("output", "response", "answer")),
)
GOLD = (
    *("reference", "references", "gold", "gold_answer", "target", "expected", "expected_output"),
    *("ideal", "explanation", "ground_truth", "reference_answer", "correct_answer"),
)
DOC = ("item", "item_id", "doc", "docno", "doc_id", "document", "movie_id", "product_id")
SAMPLE = ("sample", "sample_id", "id", "item", "item_id", "example", "example_id", "idx")
LABEL = ("label", "gold", "target", "truth", "true_label", "y_true", "ground_truth", "gold_label")
ID_WORDS = ("id", "query_id", "qid", *ITEM, *SAMPLE)

# Columns that may hold texts next to the text that is scored.
NOT_RIVALS = (
    *(*ASKED, *GOLD, "system_prompt", "context", "comment", "comments", "notes", "url", "title"),
)


def normal(header: str) -> str:
    """Return a header as it is compared with words: without case, blanks, `_` and `-`.

    >>> normal("Model_Name ") == normal("model-name")
    True
    """
    folded = unicodedata.normalize("NFC", str(header)).casefold()
    return "".join(c for c in folded if not c.isspace() and c not in "_-")


@dataclass(frozen=True)
class Role:
    """One thing a family reads from a table.

    `needed`: without it a table is refused, unless the table `elsewhere`, which then holds it, is
    given. `open`: takes a bare `@header`. `lists`: a list in a cell becomes `rows`, stays in the
    `cell`, or is refused (empty). `seed` are headers of the source documents that count as the
    role's own name. `as_labels` is the option by which a number may be a label. `from_name` finds
    the value in a file's name where no column has it.
    """

    name: str
    kind: Kind = "key"
    words: tuple[str, ...] = ()
    needed: bool = False
    elsewhere: str = ""
    open: bool = False
    lists: Literal["rows", "cell", ""] = ""
    seed: tuple[str, ...] = ()
    own_name: bool = True
    as_labels: str = ""
    from_name: Callable[[str], str] | None = None

    def is_named(self, header: str) -> bool:
        """Return whether a header is the role's own name, or its name in the source documents."""
        names = (self.name, *self.seed) if self.own_name else self.seed
        return normal(header) in map(normal, names)

    def takes(self, header: str) -> bool:
        """Return whether a header is the role's name or one of its words, as a whole."""
        return self.is_named(header) or normal(header) in map(normal, self.words)


# Every table of outputs also has these; they are filled only by --column.
FURTHER = (Role("cluster", own_name=False), Role("run", own_name=False))


@dataclass(frozen=True)
class Table:
    """One kind of table that a family reads: its roles and how rows are identified.

    `cells` are the roles that the cells of a wide table can fill, first choice first; in a tuple
    either could apply. `unique` are the roles that identify a row within model, sheet and run, as
    alternatives, once `unique_with` is filled; without any, rows are samples. `one_of` are groups
    of roles of which one is needed. `walk` are the roles of level and parent where the columns of
    a wide table are steps. `numbered` takes the position in a list, `single` the only column of a
    table. With `open_values` every column without a role is a value. A table `by_name` is a sheet
    or file of its own name; `key` joins it with the outputs. `checks` find values that look wrong.
    """

    name: str
    roles: tuple[Role, ...]
    cells: tuple[str | tuple[str, ...], ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    unique_with: str = ""
    one_of: tuple[tuple[str, ...], ...] = ()
    walk: tuple[str, str] | None = None
    numbered: str = ""
    single: str = ""
    open_values: bool = False
    by_name: bool = False
    key: str = ""
    checks: tuple[Check, ...] = ()

    def role(self, name: str) -> Role:
        """Return the role of that name."""
        return next(role for role in self.roles if role.name == name)

    @property
    def role_names(self) -> tuple[str, ...]:
        """Return the names of the roles, in their declared order."""
        return tuple(role.name for role in self.roles)


def outputs(roles: tuple[Role, ...], **declared: Any) -> Table:
    """Return the table of model outputs with the roles that every family has.

    >>> outputs((Role("model"), Role("item", needed=True))).role_names
    ('model', 'item', 'cluster', 'run')
    """
    return Table("outputs", (*roles, *FURTHER), **declared)
