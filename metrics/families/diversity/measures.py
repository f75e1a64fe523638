"""The measures of diversity, each declared once; most are taken at several cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from scoresheet.metrics.families.diversity.constants import DISCOUNT, NDEVAL
from scoresheet.metrics.families.diversity.options import DEFAULTS
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import flag

QUERY_KEY: Final = "Query"  # the key column of the units
QUERIES: Final = "queries"  # what is drawn as one, and what systems are compared on

SUBTOPICS: Final = Measure(
    name="Subtopics",
    field="Subtopics",
    about=f"Subtopics of the query: with a relevant item, or named by {flag('intents')} or {flag('targets')}.",
    quantity="count",
    highest=None,
    average="none",
)
RETRIEVED: Final = Measure(
    name="Retrieved",
    field="Retrieved",
    about="Items in the ranking, each once.",
    quantity="count",
    highest=None,
    average="none",
)
S_RECALL: Final = Measure(
    name="S_Recall",
    field="S_Recall",
    about="Share of the query's subtopics that the first k items cover.",
    better="higher",
    shown=("unit", "model", "terminal"),
)
S_ENTROPY: Final = Measure(
    name="S_Entropy",
    field="S_Entropy",
    about=f"Entropy of the items' subtopics, natural logarithm unless {flag('log-base')} says another.",
    highest=None,
    shown=("unit", "model"),
)
S_ENTROPY_NORM: Final = Measure(
    name="S_Entropy_Norm",
    field="S_Entropy_Norm",
    about="Entropy as a share of its maximum: 1 all subtopics alike.",
    better="higher",
    shown=("unit", "model"),
)
GINI: Final = Measure(
    name="Gini",
    field="Gini",
    about="Inequality among all subtopics, uncovered ones included: 0 all alike.",
    better="lower",
    shown=("unit", "model"),
)
PROPORTIONALITY: Final = Measure(
    name="Proportionality",
    field="Proportionality",
    about="1 less the total variation distance from the target shares.",
    better="higher",
    shown=("unit", "model"),
)
ALPHA_DCG: Final = Measure(
    name="alpha_DCG",
    field="alpha_DCG",
    about="α-DCG divided by the number of subtopics.",
    highest=None,
    shown=("unit", "model"),
)
ALPHA_NDCG: Final = Measure(
    name="alpha_nDCG",
    field="alpha_nDCG",
    about="α-DCG as a share of that of the ideal ranking.",
    highest=None,  # the ideal of ndeval is not always the best
    better="higher",
    shown=("unit", "model", "terminal"),
)
ERR_IA: Final = Measure(
    name="ERR_IA",
    field="ERR_IA",
    about="Expected reciprocal rank, intent-aware.",
    better="higher",
    shown=("unit", "model", "terminal"),
)
ILD: Final = Measure(
    name="ILD",
    field="ILD",
    about="Mean distance between two of the first k items.",
    highest=2,
    better="higher",
    shown=("unit", "model", "terminal"),
)
EILD: Final = Measure(
    name="EILD",
    field="EILD",
    about="Σ P(i)·P(j)·d(i,j) as printed: grows with k.",
    highest=None,
    shown=("unit", "model"),
)
EILD_NORM: Final = Measure(
    name="EILD_Norm",
    field="EILD_Norm",
    about=f"Rank-discounted ({DISCOUNT} a rank), relevance-aware mean distance, which does not.",
    highest=2,
    better="higher",
    shown=("unit", "model"),
)
JUDGED_ITEMS: Final = Measure(
    name="Judged",
    field="Judged",
    about="Share of the first k items that anybody judged, relevant or not.",
    quantity="share",
    shown=("unit", "model"),
)
SCORED_QUERIES: Final = Measure(
    name="Queries",
    field="Queries",
    about="Queries with any measure, each once, though it may stand in several sheets.",
    quantity="count",
    highest=None,
    average="none",
    shown=("model", "terminal"),
)
JUDGED_QUERIES: Final = Measure(
    name="Judged",
    field="Judged",
    about="Queries of the run that are judged; empty where there are no judgments.",
    quantity="count",
    highest=None,
    average="none",
    shown=("model", "terminal"),
)
ANSWERED: Final = Measure(
    name="Answered",
    field="Answered",
    about="Share of the judged queries for which the system has a ranking.",
    quantity="share",
    average="none",
    shown=("model", "terminal"),
)
IDEAL: Final = Measure(
    name="Ideal",
    field="Ideal",
    about="How the ideal of α-nDCG was found: exact; or greedy, with a bound: at least this share of the best "
    "possible.",
    quantity="label",
    average="none",
)

COVERAGE_MEASURES: Final = (S_RECALL, S_ENTROPY, S_ENTROPY_NORM, GINI, PROPORTIONALITY)  # need subtopics alone
JUDGED_MEASURES: Final = (*COVERAGE_MEASURES, ALPHA_DCG, ALPHA_NDCG, ERR_IA)
DISTANCE_MEASURES: Final = (ILD, EILD, EILD_NORM)
RANKING_MEASURES: Final = (*JUDGED_MEASURES, *DISTANCE_MEASURES)  # what systems are compared by
CUTOFF_MEASURES: Final = (*RANKING_MEASURES, JUDGED_ITEMS)  # all that are taken at cut-offs
ZERO_WITHOUT_RANKING: Final = (S_RECALL, ALPHA_DCG, ALPHA_NDCG, ERR_IA)  # the others are undefined where nothing is
QUERY_COUNTS: Final = (SCORED_QUERIES, JUDGED_QUERIES, ANSWERED)
HEADLINE: Final = ALPHA_NDCG
UNJUDGED_HEADLINE: Final = ILD  # where nobody judged, only distances are measured
MEASURES: Final = (SUBTOPICS, RETRIEVED, *CUTOFF_MEASURES, IDEAL, *QUERY_COUNTS)

_ABOUT_NDEVAL: Final = {  # what differs by the definition of ndeval
    ALPHA_DCG: "α-DCG as a share of that of a list whose every item is on every subtopic, as ndeval has it.",
    ALPHA_NDCG: "α-DCG as a share, which can exceed 1, of that of ndeval's greedy ideal.",
    ERR_IA: "Expected reciprocal rank, intent-aware, as a share of that of a list whose every item is on every "
    "subtopic, as ndeval has it.",
    SUBTOPICS: "Subtopics of the query with a relevant item.",
}


def measures_taken(*, judged: bool, covered: bool = False) -> tuple[Measure, ...]:
    """Return what can be measured by judgments, by genres that rankings cover, or by neither."""
    if judged:
        return CUTOFF_MEASURES
    return (*COVERAGE_MEASURES, *DISTANCE_MEASURES) if covered else DISTANCE_MEASURES


def headline_measure(*, judged: bool) -> Measure:
    """Return what systems are ranked by."""
    return HEADLINE if judged else UNJUDGED_HEADLINE


def name_at(measure: Measure, cutoff: int | str) -> str:
    """Return what a measure is called at a cut-off.

    >>> name_at(ALPHA_NDCG, 10)
    'alpha_nDCG@10'
    """
    return f"{measure.name}@{cutoff}"


def names_at(cutoffs: Iterable[int], measures: Sequence[Measure] = RANKING_MEASURES) -> list[str]:
    """Return the names of measures at cut-offs, cut-off by cut-off."""
    return [name_at(measure, cutoff) for cutoff in cutoffs for measure in measures]


def defined_by(definition: str, measure: Measure) -> Measure:
    """Return a measure with what it means by a definition."""
    return replace(measure, about=_ABOUT_NDEVAL.get(measure, measure.about)) if definition == NDEVAL else measure


def measure_at(measure: Measure, cutoff: int | str, definition: str = DEFAULTS.definition) -> Measure:
    """Return a measure as it is at a cut-off; the docs write k for any."""
    name, about = name_at(measure, cutoff), defined_by(definition, measure).about
    return replace(measure, name=name, field=name, about=f"{about.removesuffix('.')}, at rank {cutoff}.")
