"""How rankings are measured; the help text lives beside each option."""

from __future__ import annotations

from dataclasses import dataclass

from scoresheet.metrics.families.diversity.judgments import LARGEST_GRADE
from scoresheet.metrics.families.diversity.measures import DEFINITIONS, LOG_BASES, Rules
from scoresheet.metrics.options import Options, option

DISTANCES = ("auto", "features", "subtopics", "text")


@dataclass(frozen=True, kw_only=True)
class DiversityOptions(Options):
    """How rankings are measured."""

    cutoffs: str = option(
        "5,10,20", "Ranks at which everything is measured, joined by commas.", sign="k", always=True, metavar="K,K,…"
    )
    alpha: float = option(
        0.5, "Redundancy penalty of α-nDCG, from 0 to 1.", sign="alpha", always=True, minimum=0, metavar="ALPHA"
    )
    log_base: str = option("e", "Base of the logarithm of S-Entropy.", choices=tuple(LOG_BASES), sign="log")
    definition: str = option(
        "seed",
        "'seed': the formulas as printed, with the best possible ideal; 'ndeval': α-DCG, α-nDCG and ERR-IA as the TREC "
        "tool ndeval computes them.",
        choices=DEFINITIONS,
        sign="def",
        always=True,
    )
    distance: str = option(
        "auto",
        "Distance of ILD and EILD: cosine of item features, Jaccard of subtopics, cosine of TF-IDF texts; 'auto' takes "
        "features if --features has numbers, else subtopics.",
        choices=DISTANCES,
        sign="dist",
        always=True,
    )
    graded: bool = option(False, "Let grades count in α-nDCG and α-DCG; else relevant is relevant.", sign="graded")
    max_grade: float = option(
        0.0,
        "Largest grade possible, for mapping grades g to (2^g - 1)/2^max; 0 takes the largest of the references.",
        sign="gmax",
        minimum=0,
        metavar="GRADE",
    )
    complete: bool = option(
        False,
        "Count judged queries that a sheet has no ranking for as 0: S-Recall, α-DCG, α-nDCG, ERR-IA.",
        sign="complete",
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
        "Table of item and its features, in columns of numbers or in a column text.",
        sign="features",
        metavar="FILE",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha > 1:
            raise ValueError(f"alpha cannot be {self.alpha}; the most is 1")
        if self.max_grade > LARGEST_GRADE:
            raise ValueError(f"max-grade cannot be {self.max_grade}; the most is {LARGEST_GRADE}")
        if self.definition == "ndeval" and (self.graded or self.intents):
            raise ValueError("definition ndeval knows neither grades nor weights; leave out --graded and --intents")
        self.ranks()
        if self.distance == "subtopics" and self.features:
            raise ValueError("distance subtopics compares no features; leave out --features, or name another distance")
        if self.distance == "features" and not self.features:
            raise ValueError("distance features needs the features: name a table with --features FILE")

    def ranks(self) -> tuple[int, ...]:
        """Return the cut-offs, ascending and each once."""
        parts = [part.strip() for part in self.cutoffs.split(",") if part.strip()]
        if not parts or not all(part.isdecimal() and 0 < int(part) <= 100_000 for part in parts):
            raise ValueError(f"cutoffs cannot be {self.cutoffs!r}; name ranks from 1 on, such as 5,10,20")
        return tuple(sorted({int(part) for part in parts}))

    def rules(self) -> Rules:
        """Return what the measures are told."""
        return Rules(
            cutoffs=self.ranks(),
            alpha=self.alpha,
            log_base=self.log_base,
            definition=self.definition,
            graded=self.graded,
        )

    def headline_rank(self) -> int:
        """Return the cut-off of the headline: 10, or the largest where 10 is none."""
        return 10 if 10 in self.ranks() else self.ranks()[-1]

    def in_signature(self, name: str, value: object) -> str:
        """Return that there is a table; which one, the hashes beside the signature say."""
        if name in ("targets", "intents", "features"):
            return "table"
        return ",".join(map(str, self.ranks())) if name == "cutoffs" else super().in_signature(name, value)
