"""sinfo: how much of an explanation is information."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, by_model
from scoresheet.metrics.role import ASKED, GOLD, ITEM, MODEL, WROTE, Role, Table, outputs


@dataclass(frozen=True)
class SinfoOptions:
    """How explanations are compared with their references."""

    rouge: Literal["rouge", "lin", "charset"] = option(
        "rouge", "Overlap: the library rouge 1.0.1, the textbook LCS, or sets of characters."
    )
    tokenizer: Literal["auto", "whitespace", "chars"] = option(
        "auto", "Words: auto also cuts scripts that are written without spaces."
    )
    references_by: Literal["max", "mean", "first"] = option(
        "max", "How the scores against several references are combined."
    )
    language: str = option("auto", "Language of the predictions, e.g. en; auto: by their script.")
    unanswered: Literal["drop", "zero"] = option(
        "drop", "Leave empty predictions out, or count them as 0."
    )
    length: Literal["chars", "tokens"] = option(
        "chars", "What the brevity penalty counts: characters or tokens."
    )
    aggregate: Literal["sheets", "rows"] = option(
        "sheets", "Overall is the mean of the sheets, or of all rows."
    )
    normalize: bool = option(False, "Ignore case and punctuation.")

    def __post_init__(self) -> None:
        if self.language != "auto":
            from scoresheet.metrics.text.languages import scripts_of

            if not scripts_of(self.language):
                raise ValueError(f"unknown language {self.language!r}")


COMMAND = Command(
    "sinfo",
    "Information density of explanations: brevity penalty × ROUGE-L precision.",
    SinfoOptions,
    {"outputs": "data/baseline_mean", "references": "data/reference_explanations"},
    "results/information_density",
    ("baseline_mean", "reference_explanations"),
)


def language_of_file(name: str) -> str:
    """Return the language that a file's name says."""
    from scoresheet.metrics.text.languages import language_in_name  # heavy, and --help is quick

    return language_in_name(name)


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
    Role("language", words=LANGUAGE, from_name=language_of_file),
)


def same_as_reference(columns: Columns, _: Unused, further: Further) -> Doubt | None:
    """Return the model of which nearly every prediction equals its reference."""
    source = columns if "reference" in columns else further.get("references", {})
    known: dict[str, set[str]] = defaultdict(set)
    for idiom, cell in zip(source.get("idiom", ()), source.get("reference", ()), strict=True):
        texts = cell if isinstance(cell, list) else cell.split("||")
        known[idiom] |= {text.strip() for text in texts} - {""}
    for model, rows in by_model(columns):
        pairs = [(columns["prediction"][at].strip(), known[columns["idiom"][at]]) for at in rows]
        equal = [text in references for text, references in pairs if text and references]
        if sum(equal) > 1 and sum(equal) >= NEARLY_EVERY * len(equal):
            share = sum(equal) / len(equal)
            message = f"{model}{share:.0%} of the predictions equal their reference"
            return Doubt("same-as-reference", message)
    return None


TABLES = (
    outputs(OUTPUTS, cells=("prediction",), unique=(("idiom",),), checks=(same_as_reference,)),
    Table("references", REFERENCES, cells=("reference",), key="idiom"),
)
