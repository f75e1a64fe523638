"""How the numbers were made, in words: what holds for every run, and what one run's options made of it."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.diversity.distances import DISCOUNT
from scoresheet.metrics.families.diversity.given import Ready
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.messages import join_names

Lines = tuple[tuple[str, str], ...]

METHOD: Final[Lines] = (
    ("Order", "By rank where there is one, else by score, largest first; ties by item, ascending."),
    ("S_Recall", "Covered subtopics / subtopics."),
    ("S_Entropy", "−Σ P(j) log P(j) over the shares of assignments; normalised by log of the number of subtopics."),
    ("Gini", "Σ_i Σ_j |s_i − s_j| / (2·|S|·Σ s), uncovered subtopics included."),
    ("Proportionality", "1 − ½ Σ |target(j) − share(j)|; the target is uniform unless given."),
    (
        "ILD, EILD",
        "Mean distance of two items; Σ P(i)·P(j)·d(i,j), P(i) the item's largest relevance; and its rank-discounted "
        f"mean EILD_Norm, in which a reader goes on from each rank to the next with a chance of {DISCOUNT}.",
    ),
    ("Means", "Over the queries of a sheet for which a measure is defined, then over sheets."),
    ("Interval", "95 % percentile bootstrap over queries, 2,000 resamples, seeded."),
)
_DEFINITIONS: Final[dict[str, Lines]] = {
    "seed": (
        (
            "Subtopics",
            "Those with a relevant item (grade > 0), and those named by --intents or --targets. An item with several "
            "counts once for each.",
        ),
        ("alpha_DCG", "Gain (1−α)^(earlier items on j), discount 1/log2(i+1), divided by the number of subtopics."),
        ("alpha_nDCG", "The same gains and discounts, over the ideal ranking's."),
        (
            "Ideal",
            "Exact for up to 10 relevant items, else greedy, ties by what they leave to gain; never below the ranking "
            "itself, so that α-nDCG is at most 1.",
        ),
        ("ERR_IA", "Σ P(j) Σ (1/i)·rel(i,j)·Π(1 − rel(l,j))."),
    ),
    "ndeval": (
        (
            "Subtopics",
            "Those with a relevant item (grade > 0); what --targets names besides counts in Proportionality alone. An "
            "item with several counts once for each.",
        ),
        (
            "alpha_DCG",
            "Gain (1−α)^(earlier items on j), discount 1/log2(i+1), divided by |S|·Σ_{i≤k} (1−α)^(i−1)/log2(i+1).",
        ),
        ("alpha_nDCG", "The same gains and discounts, over the ideal ranking's."),
        ("Ideal", "Greedy, ties by item name descending, as the TREC tool ndeval does; α-nDCG can exceed 1."),
        ("ERR_IA", "Σ_j Σ_i (1−α)^(earlier items on j)/i, divided by |S|·Σ_{i≤k} (1−α)^(i−1)/i."),
    ),
}
_DISTANCES: Final = {
    "features": "cosine of the item features",
    "subtopics": "Jaccard of the items' subtopics",
    "text": "cosine of TF-IDF vectors of the items' texts",
}


def facts_of(ready: Ready, options: DiversityOptions) -> Lines:
    """Return how the numbers of this run were made: definition, relevance, where judgments came from, distance."""
    distance = _DISTANCES[ready.distance]
    if ready.features:
        distance += f" {join_names(ready.features, most=12)} ({len(ready.features)} columns of --features)"
    if ready.tfidf is not None:
        distance += f", inverse frequencies over the {ready.tfidf.texts} distinct texts of the run"
    if options.distance == "auto":
        distance += "; chosen by --distance auto"
    source = "of the references whose hashes are below"
    if ready.in_line:
        source = "in line, pooled over all models of the run" if ready.judged else "none: only distances are measured"
    relevance = (("Relevance", _relevance(ready.top, options)),) if ready.judged else ()
    return *_DEFINITIONS[options.definition], *relevance, ("Judgments", source), ("Distance", distance)


def _relevance(top: float, options: DiversityOptions) -> str:
    if not top:
        return "The grades as they are: all lie in 0..1."
    said = "named by --max-grade" if options.max_grade else "the largest grade of the judgments"
    return f"(2^g − 1)/2^{top:g} of a grade g; {top:g} is {said}."
