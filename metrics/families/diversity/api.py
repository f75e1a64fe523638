"""The same measures from Python: a run and judgments in, numbers by query out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from scoresheet.metrics.families.diversity.constants import (
    AS_PRINTED,
    DEFINITIONS,
    FORMER_DEFINITIONS,
    LARGEST_ALPHA,
    LOG_BASES,
    UNNAMED_GRADE,
)
from scoresheet.metrics.families.diversity.judgments import (
    Item,
    Judgment,
    JudgmentsByQuery,
    Query,
    Subtopic,
    Weights,
    query_judgments,
)
from scoresheet.metrics.families.diversity.options import DEFAULTS, MeasureRules
from scoresheet.metrics.families.diversity.ranking_measures import judged_measures
from scoresheet.metrics.options import check_choice, todays_word


def diversity_of_run(  # noqa: PLR0913 - the options of the command, each by its name
    run: Mapping[Query, Sequence[Item]],
    judgments: Iterable[Judgment[Query, Subtopic, Item]],
    *,
    cutoffs: Sequence[int] = DEFAULTS.cutoffs,
    alpha: float = DEFAULTS.alpha,
    definition: str = DEFAULTS.definition,
    log_base: str = DEFAULTS.log_base,
    graded: bool = DEFAULTS.graded,
    max_grade: float = UNNAMED_GRADE,
    intents: Weights[Query, Subtopic] | Mapping[Query, Mapping[Subtopic, float]] | None = None,
    targets: Weights[Query, Subtopic] | Mapping[Query, Mapping[Subtopic, float]] | None = None,
) -> dict[Query, dict[str, float]]:
    """Return the measures of each judged query of a run.

    Parameters
    ----------
    run : mapping of query to sequence of item
        The ranking of each query, best first; a repeated item counts where it first stands. Queries, subtopics and
        items are anything that can be a key.
    judgments : iterable of (query, subtopic, item, grade)
        A grade above 0 is relevant; of several on the same subtopic and item the largest counts.
    cutoffs : sequence of int, optional
        Ranks at which everything is measured.
    alpha : float, optional
        Redundancy penalty of α-nDCG: none for the smallest, nothing but novelty for the largest.
    definition : {'printed', 'ndeval'}, optional
        The formulas as printed, or as the TREC tool has them.
    log_base : {'e', '2', '10'}, optional
        Base of the logarithm of S-Entropy.
    graded : bool, optional
        Whether grades count in α-DCG and α-nDCG.
    max_grade : float, optional
        The max of the relevance (2^g - 1) / 2^max of a grade; by default the largest of the judgments.
    intents : mapping of query to mapping of subtopic to float, optional
        The weight of each subtopic in ERR-IA, None standing for all queries; uniform without.
    targets : mapping of query to mapping of subtopic to float, optional
        Likewise the shares that Proportionality compares with.

    Returns
    -------
    dict of query to dict of str to float
        For each query with judgments the measures by name and cut-off: S_Recall@5, S_Entropy@5, S_Entropy_Norm@5,
        Gini@5, Proportionality@5, alpha_DCG@5, alpha_nDCG@5, ERR_IA@5. What is undefined is NaN.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, a grade is no number or above 60, or weights are negative, not
        finite, or sum to nothing.

    References
    ----------
    C. Zhai, W. W. Cohen, J. Lafferty (2003), Beyond Independent Relevance, SIGIR.

    C. L. A. Clarke et al. (2008), Novelty and Diversity in Information Retrieval Evaluation, SIGIR.

    O. Chapelle et al. (2011), Intent-based Diversification of Web Search Results, Information Retrieval 14.

    Examples
    --------
    >>> judgments = [("q", "a", "A", 1), ("q", "b", "B", 1), ("q", "b", "D", 1), ("q", "c", "C", 1)]
    >>> found = diversity_of_run({"q": ["A", "D", "E", "B"]}, judgments, cutoffs=[5])
    >>> round(found["q"]["alpha_nDCG@5"], 6), found["q"]["ERR_IA@5"]
    (0.786896, 0.5)
    """
    definition = todays_word(definition, FORMER_DEFINITIONS)
    check_choice("definition", definition, DEFINITIONS)
    check_choice("log-base", log_base, list(LOG_BASES))
    if not 0 <= alpha <= LARGEST_ALPHA:
        raise ValueError(f"alpha cannot be {alpha}; it lies between 0 and {LARGEST_ALPHA}")
    if not cutoffs or min(cutoffs) < 1:
        raise ValueError(f"cutoffs cannot be {list(cutoffs)}; name ranks from 1 on")
    known = JudgmentsByQuery[Query, Subtopic, Item]()
    known.add(judgments)
    _check_grades(known)
    for name, weights in (("intents", intents), ("targets", targets)):
        _check_weights(name, weights or {})
    judged = query_judgments(
        known,
        max_grade=max_grade,
        intents=dict(intents.items()) if intents else None,
        targets=dict(targets.items()) if targets else None,
        declare=definition == AS_PRINTED,
    )
    rules = MeasureRules(
        cutoffs=tuple(sorted(set(cutoffs))), alpha=alpha, log_base=log_base, definition=definition, graded=graded
    )
    queries = [query for query in run if query in judged]
    rankings = [tuple(dict.fromkeys(run[query])) for query in queries]
    found = judged_measures(rankings, [judged[query] for query in queries], rules)
    rows = zip(*(values.tolist() for values in found.values()), strict=True)
    return {query: dict(zip(found, row, strict=True)) for query, row in zip(queries, rows, strict=True)}


def _check_grades(judgments: JudgmentsByQuery[Query, Subtopic, Item]) -> None:
    for query, judged in judgments.by_query.items():
        for _, _, item, grade in judged:
            if not math.isfinite(grade):
                raise ValueError(f"the grade of {item!r} for {query!r} is {grade}, not a finite number")


def _check_weights(
    name: str, weights: Mapping[Query | None, Mapping[Subtopic, float]] | Mapping[Query, Mapping[Subtopic, float]]
) -> None:
    for query, own in weights.items():
        for subtopic, weight in own.items():
            if not 0 <= weight < math.inf:
                raise ValueError(f"{name}: the weight of {subtopic!r} for {query!r} cannot be {weight}")
        if own and not sum(own.values()) > 0:
            raise ValueError(f"{name}: the weights for {query!r} sum to nothing")
