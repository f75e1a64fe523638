"""How rankings are measured; the help text lives beside each option."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.diversity.constants import (
    AS_PRINTED,
    BY_FEATURES,
    CHOSEN_DISTANCE,
    DEFINITIONS,
    DISTANCES,
    EXACT,
    FORMER_DEFINITIONS,
    HEADLINE_CUTOFF,
    LARGEST_ALPHA,
    LARGEST_CUTOFF,
    LARGEST_GRADE,
    LOG_BASES,
    MATCHES,
    NDEVAL,
    UNNAMED_GRADE,
)
from scoresheet.metrics.messages import flag
from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class MeasureRules:
    """How the measures are computed; the defaults of the command and of Python are these."""

    cutoffs: tuple[int, ...] = (5, 10, 20)
    alpha: float = 0.5
    log_base: str = "e"
    definition: str = AS_PRINTED
    graded: bool = False

    @property
    def depth(self) -> int:
        """The ranks that matter."""
        return max(self.cutoffs)


DEFAULTS: Final = MeasureRules()
_CUTOFFS: Final = ",".join(map(str, DEFAULTS.cutoffs))


@dataclass(frozen=True, kw_only=True)
class DiversityOptions(Options):
    """How rankings are measured."""

    cutoffs: str = option(
        _CUTOFFS,
        "Ranks at which everything is measured, joined by commas.",
        sign="k",
        always=True,
        metavar="K,K,…",
        common="Ranks at which everything is measured.",
    )
    alpha: float = option(
        DEFAULTS.alpha,
        f"Redundancy penalty of α-nDCG, from 0 to {LARGEST_ALPHA}.",
        sign="alpha",
        always=True,
        minimum=0,
        metavar="ALPHA",
        common="Redundancy penalty of α-nDCG.",
    )
    log_base: str = option(
        DEFAULTS.log_base, "Base of the logarithm of S-Entropy.", choices=tuple(LOG_BASES), sign="log"
    )
    definition: str = option(
        DEFAULTS.definition,
        f"'{AS_PRINTED}': the formulas as printed, with the best possible ideal; '{NDEVAL}': α-DCG, α-nDCG and ERR-IA "
        "as the TREC tool ndeval computes them.",
        choices=DEFINITIONS,
        former=FORMER_DEFINITIONS,
        sign="def",
        always=True,
        common="Formulas as printed, or those of ndeval.",
    )
    distance: str = option(
        CHOSEN_DISTANCE,
        "Distance of ILD and EILD: cosine of item features, Jaccard of genres or subtopics, cosine of TF-IDF texts; "
        f"'{CHOSEN_DISTANCE}' takes the genres of {flag('features')}, else its numbers, else subtopics.",
        choices=DISTANCES,
        sign="dist",
        always=True,
        common="Distance of ILD and EILD.",
    )
    graded: bool = option(
        DEFAULTS.graded, "Let grades count in α-nDCG and α-DCG; else relevant is relevant.", sign="graded"
    )
    max_grade: float = option(
        UNNAMED_GRADE,
        f"Largest grade possible, for mapping grades g to (2^g - 1)/2^max; {UNNAMED_GRADE:g} takes the largest of the "
        "references.",
        sign="gmax",
        minimum=0,
        metavar="GRADE",
    )
    complete: bool = option(
        False,
        "Count judged queries that a sheet has no ranking for as 0: S-Recall, α-DCG, α-nDCG, ERR-IA.",
        sign="complete",
        common="Count queries without a ranking as 0.",
    )
    match: str = option(
        EXACT,
        "Queries and items: 'loose' takes for equal to a judged one what differs by case, width, blanks, end marks or "
        "leading zeros, and lists it.",
        choices=MATCHES,
        sign="match",
    )
    separator: str = option(
        "",
        "Sign between the subtopics or genres of a cell; without it |, and cells that seem to have another are named.",
        sign="sep",
        metavar="SIGN",
        common="Sign between subtopics or genres.",
    )
    targets: str = option(
        "",
        "Table of query, subtopic and share: what Proportionality compares with; without it, uniform.",
        sign="targets",
        metavar="FILE",
    )
    intents: str = option(
        "",
        "Table of query, subtopic and weight: the P(j) of ERR-IA; without it, uniform.",
        sign="intents",
        metavar="FILE",
    )
    features: str = option(
        "",
        "Table of item and what it is like: a column genres (a|b), columns of numbers, or a column text.",
        sign="features",
        metavar="FILE",
        common="Table of what items are like.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha > LARGEST_ALPHA:
            raise ValueError(f"alpha cannot be {self.alpha}; the most is {LARGEST_ALPHA}")
        if self.max_grade > LARGEST_GRADE:
            raise ValueError(f"max-grade cannot be {self.max_grade}; the most is {LARGEST_GRADE}")
        if self.definition == NDEVAL and (self.graded or self.intents):
            raise ValueError(
                f"definition {NDEVAL} knows neither grades nor weights; leave out {flag('graded')} and "
                f"{flag('intents')}"
            )
        self.ranks()
        if self.distance == BY_FEATURES and not self.features:
            raise ValueError(f"distance {BY_FEATURES} needs the features: name a table with {flag('features FILE')}")

    def ranks(self) -> tuple[int, ...]:
        """Return the cut-offs, ascending and each once."""
        parts = [part.strip() for part in self.cutoffs.split(",") if part.strip()]
        if not parts or not all(part.isdecimal() and 0 < int(part) <= LARGEST_CUTOFF for part in parts):
            raise ValueError(f"cutoffs cannot be {self.cutoffs!r}; name ranks from 1 on, such as {_CUTOFFS}")
        return tuple(sorted({int(part) for part in parts}))

    def rules(self) -> MeasureRules:
        """Return what the measures are told."""
        return MeasureRules(
            cutoffs=self.ranks(),
            alpha=self.alpha,
            log_base=self.log_base,
            definition=self.definition,
            graded=self.graded,
        )

    def headline_cutoff(self) -> int:
        """Return the cut-off of the headline: HEADLINE_CUTOFF, or the largest where that is none."""
        ranks = self.ranks()
        return HEADLINE_CUTOFF if HEADLINE_CUTOFF in ranks else ranks[-1]

    def in_signature(self, name: str, value: object) -> str:
        """Return that there is a table; which one, the hashes beside the signature say."""
        if name in ("targets", "intents", "features"):
            return "table"
        if name == "separator":  # the signature itself is joined by signs
            return {",": "comma", ";": "semicolon", "|": "bar"}.get(str(value), "other")
        return ",".join(map(str, self.ranks())) if name == "cutoffs" else super().in_signature(name, value)
