"""The command and the options of sinfo."""

from dataclasses import dataclass
from typing import Literal

from scoresheet.metrics.command import Command, option


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
