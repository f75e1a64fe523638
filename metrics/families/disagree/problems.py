"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "bad-score": ProblemKind("The score is not a number, and counts as missing."),
    "bad-weight": ProblemKind("A confidence or relevance is not a number of 0 or more."),
    "blank-score": ProblemKind("The score is empty, and counts as missing."),
    "dimensions-twice": ProblemKind(f"A column dimension says the dimensions, and {flag('dimensions')} names others."),
    "duplicate-rating": ProblemKind("A judge scored an item twice on one dimension."),
    "labels": ProblemKind("The labels that were found; one that differs only in case counts as another."),
    "many-judges": ProblemKind("There are too many judges to compare every two of them."),
    "no-alpha": ProblemKind("Alpha is undefined: no item has scores of two judges, or all scores are the same."),
    "no-interval": ProblemKind("Alpha has no interval: only one item to draw from, or too many different ratios."),
    "no-scores": ProblemKind("No column holds scores."),
    "numbers-not-used": ProblemKind(
        "A column holds numbers and was not used, since half of it or more is none, or by its name.", always_shown=True
    ),
    "out-of-scale": ProblemKind("A score lies outside the scale that was declared."),
    "several-judges": ProblemKind(
        "An ensemble was to be made out of one judge's scores, and there are several judges."
    ),
    "summary-row": ProblemKind(
        "An item is called as a summary of the others would be, and counts as one of them.", always_shown=True
    ),
    "zero-mean": ProblemKind("The mean of the scores is 0, so that CV, consensus and reliability are undefined."),
    "zero-weights": ProblemKind("All weights of a judge are 0 for an item, so that its overall score is undefined."),
}
