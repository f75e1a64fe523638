"""How S_Info can be computed and combined; the help text lives beside each option."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.sinfo.components import EDGE
from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.text.rouge_l import DEFINITIONS, LIBRARY
from scoresheet.metrics.text.rouge_tokenizer import TOKENIZERS

LENGTHS: Final = ("chars", "tokens")
COMBINATIONS: Final = ("max", "mean", "first")
BY_SCRIPT: Final = "auto"  # the script of the prediction decides on its language
BY_DETECTOR: Final = "detect"  # among languages of one script, the offline detector decides


@dataclass(frozen=True, kw_only=True)
class SinfoOptions(Options):
    """How S_Info is computed and combined."""

    rouge: str = option(
        DEFINITIONS[0],
        f"ROUGE-L precision: 'rouge' equals PyPI rouge {LIBRARY} bit for bit, 'lin' is the textbook LCS / length, "
        "'charset' compares sets of characters.",
        choices=DEFINITIONS,
        sign="rouge",
        always=True,
        common="Kind of ROUGE-L precision.",
    )
    tokenizer: str = option(
        TOKENIZERS[0],
        "Words: 'auto' splits at white space and cuts unspaced scripts into characters; 'whitespace'; 'chars'; "
        "'words' segments Chinese (extra 'words').",
        choices=TOKENIZERS,
        sign="tok",
        always=True,
        common="What a word is.",
    )
    references_by: str = option(
        COMBINATIONS[0],
        "Several references for one idiom: take the best, the mean, or the first.",
        choices=COMBINATIONS,
        sign="refs",
        always=True,
        common="Which of several references counts.",
    )
    length: str = option(
        LENGTHS[0], "What the brevity penalty counts.", choices=LENGTHS, sign="len", always=True
    )  # fmt: skip
    missing: str = option(
        "nan",
        "A row with no prediction or no reference: left out of the mean, counted as zero, or an error for its model.",
        choices=("nan", "zero", "error"),
        sign="missing",
        always=True,
        common="Rows without prediction or reference.",
    )
    aggregate: str = option(
        "sheets",
        "Overall is the mean of the sheet averages, or of all rows pooled.",
        choices=("sheets", "rows"),
        sign="agg",
        always=True,
    )
    reference_separator: str = option(
        "||", "Separates several references inside one cell; '' switches splitting off.", sign="sep", metavar="TEXT"
    )
    language: str = option(
        BY_SCRIPT,
        "Language of the predictions, for idioms with references in several: 'auto' goes by script, 'detect' also "
        "tells languages of one script apart (extra 'langid'), or a code such as ja.",
        sign="lang",
        metavar="CODE",
        common="Language of the predictions.",
    )
    match: str = option(
        "exact",
        "Keys: 'loose' takes for equal what differs by case, width, blanks, end marks or leading zeros, and lists it.",
        choices=("exact", "loose"),
        sign="match",
        common="Whether keys must be equal to the letter.",
    )
    language_mismatch: str = option(
        "note",
        "A prediction in a script that none of its references has: scored and noted, or left unscored.",
        choices=("note", "unscored"),
        sign="mismatch",
    )
    lowercase: bool = option(False, "Compare texts in lower case.", sign="lower")
    strip_punctuation: bool = option(False, "Compare texts without punctuation.", sign="nopunct")
    component_edge: float = option(
        EDGE,
        "P_ROUGE and BP are high from here on, in the analysis of components.",
        sign="edge",
        minimum=0,
        maximum=1,
        metavar="SHARE",
    )
    audit: int = option(
        20, "Rows of the run to score again with PyPI rouge itself; 0 switches the audit off.", minimum=0
    )

    def compared(self, text: str) -> str:
        """Return a text as it is compared."""
        text = text.lower() if self.lowercase else text
        if not self.strip_punctuation:
            return text
        from scoresheet.metrics.text.word_tokenizer import without_punctuation  # not needed to show help

        return without_punctuation(text)

    @property
    def audits(self) -> bool:
        """Whether rows are scored again by the library; the other definitions have none."""
        return self.rouge == DEFINITIONS[0] and self.audit > 0

    def in_signature(self, name: str, value: object) -> str:
        """Return the library's release where the definition is the library's."""
        return LIBRARY if (name, value) == ("rouge", "rouge") else super().in_signature(name, value)
