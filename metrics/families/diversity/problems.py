"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "bad-grade": ProblemKind("The relevance is not a number, or too large for a grade."),
    "bad-rank": ProblemKind("The rank or score that orders the items is not a number."),
    "conflicting-judgments": ProblemKind(
        "An item was judged twice on one subtopic with different grades; the larger counts."
    ),
    "in-line-judgments": ProblemKind(
        "Judgments stand beside the ranking and were not used, because references were named."
    ),
    "large-grade": ProblemKind(f"A grade lies above {flag('max-grade')}; its relevance is at most 1."),
    "missing-query": ProblemKind("A judged query has no ranking."),
    "negative-grade": ProblemKind("A grade below 0 counts as 0."),
    "no-features": ProblemKind("An item has nothing to be compared by, and is not in ILD and EILD."),
    "no-judgments": ProblemKind("A query of the ranking has no relevant judgment."),
    "no-weight": ProblemKind("The intents give no weight to a judged subtopic."),
    "rank-and-score": ProblemKind("Rank and score would order the items differently."),
    "repeated-item": ProblemKind("An item stands twice in a ranking; its first place counts."),
    "unjudged-item": ProblemKind("An item of the ranking was never judged; it counts as not relevant."),
    "unmatched-weights": ProblemKind("A table of weights or shares names a query or subtopic that no judgment has."),
}
