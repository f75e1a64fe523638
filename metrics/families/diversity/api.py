"""The same measures from Python: a run and judgments in, numbers by query out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoresheet.metrics.families.diversity.judgments import Judgment, Judgments, topics
from scoresheet.metrics.families.diversity.measures import DEFINITIONS, LOG_BASES, Rules, as_dicts, judged_measures
from scoresheet.metrics.options import check_choice


def diversity_of_run(  # noqa: PLR0913 - the options of the command, each by its name
    run: Mapping[Any, Sequence[Any]],
    judgments: Iterable[Judgment],
    *,
    cutoffs: Sequence[int] = (5, 10, 20),
    alpha: float = 0.5,
    definition: str = "seed",
    log_base: str = "e",
    graded: bool = False,
    max_grade: float = 0,
    intents: Mapping[Any, Mapping[Any, float]] | None = None,
    targets: Mapping[Any, Mapping[Any, float]] | None = None,
) -> dict[Any, dict[str, float]]:
    """Return the measures of each judged query of a run; a ranking is a sequence of items, best first.

    >>> judgments = [("q", "a", "A", 1), ("q", "b", "B", 1), ("q", "b", "D", 1), ("q", "c", "C", 1)]
    >>> found = diversity_of_run({"q": ["A", "D", "E", "B"]}, judgments, cutoffs=[5])
    >>> round(found["q"]["alpha_nDCG@5"], 6), found["q"]["ERR_IA@5"]
    (0.786896, 0.5)
    """
    check_choice("definition", definition, DEFINITIONS)
    check_choice("log-base", log_base, list(LOG_BASES))
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha cannot be {alpha}; it lies between 0 and 1")
    if not cutoffs or min(cutoffs) < 1:
        raise ValueError(f"cutoffs cannot be {list(cutoffs)}; name ranks from 1 on")
    known = Judgments()
    known.add(judgments)
    judged = topics(known, max_grade=max_grade, intents=intents, targets=targets, declare=definition == "seed")
    rules = Rules(
        cutoffs=tuple(sorted(set(cutoffs))), alpha=alpha, log_base=log_base, definition=definition, graded=graded
    )
    queries = [query for query in run if query in judged]
    rankings = [tuple(dict.fromkeys(run[query])) for query in queries]
    return as_dicts(queries, judged_measures(rankings, [judged[query] for query in queries], rules))
