"""The same measures from Python: a run and judgments in, numbers by query out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from scoresheet.metrics.checks import check_between, check_cutoffs, check_weights
from scoresheet.metrics.families.diversity.constants import (
    AS_PRINTED,
    DEFINITIONS,
    FORMER_DEFINITIONS,
    LARGEST_ALPHA,
    LARGEST_GRADE,
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
        If an option has a value that it cannot have, the run is no mapping to rankings, a judgment has not four parts
        or its grade is no number or above 60, or weights are negative, not finite or all 0.

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
    check_between("alpha", alpha, 0, LARGEST_ALPHA)
    check_between("max_grade", max_grade, UNNAMED_GRADE, LARGEST_GRADE)
    check_cutoffs(cutoffs)
    _check_run(run)
    for name, table in (("intents", intents), ("targets", targets)):
        for weights in (table or {}).values():
            check_weights(name, weights)
    known = JudgmentsByQuery[Query, Subtopic, Item]()
    known.add(_checked_judgments(judgments))
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
    shown = [judged[query].relevance(tuple(dict.fromkeys(run[query]))[: rules.depth]) for query in queries]
    found = judged_measures(shown, [judged[query] for query in queries], rules)
    rows = zip(*(values.tolist() for values in found.values()), strict=True)
    return {query: dict(zip(found, row, strict=True)) for query, row in zip(queries, rows, strict=True)}


def _check_run(run: Mapping[Query, Sequence[Item]]) -> None:
    """Raise ValueError if this is no mapping to rankings; a text is none, though it could be gone through."""
    if not isinstance(run, Mapping):
        raise ValueError(f"run must be a mapping of queries to rankings, not {run!r}")  # noqa: TRY004 - one kind of error
    for query, ranking in run.items():
        if isinstance(ranking, str) or not isinstance(ranking, Iterable):
            raise ValueError(f"the ranking of {query!r} must be a sequence of items, not {ranking!r}")  # noqa: TRY004


def _checked_judgments(
    judgments: Iterable[Judgment[Query, Subtopic, Item]],
) -> list[Judgment[Query, Subtopic, Item]]:
    """Return judgments as a list; ValueError for one that is not made of four parts, or whose grade is no number."""
    listed = list(judgments)
    for judgment in listed:
        try:
            query, _, item, grade = judgment
            is_finite = math.isfinite(grade)
        except (TypeError, ValueError):
            message = f"a judgment is (query, subtopic, item, grade) with a number as grade, not {judgment!r}"
            raise ValueError(message) from None
        if not is_finite:
            raise ValueError(f"the grade of {item!r} for {query!r} is {grade}, not a finite number")
    return listed
