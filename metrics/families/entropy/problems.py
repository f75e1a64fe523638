"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "empty-text": ProblemKind("The text is empty, or has no words."),
    "short-text": ProblemKind("Texts have fewer words than a window, and no entropy at equal length."),
}
