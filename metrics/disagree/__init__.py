"""disagree: whether the judges agree, and which items cannot be trusted."""

from scoresheet.metrics.disagree.api import (
    DEFAULT_STRATEGIES,
    Disagreement,
    Strategy,
    apply_strategy,
    disagreement,
    disagreements,
    overall_scores,
)
from scoresheet.metrics.disagree.family import Disagree

__all__ = [
    "DEFAULT_STRATEGIES",
    "Disagree",
    "Disagreement",
    "Strategy",
    "apply_strategy",
    "disagreement",
    "disagreements",
    "overall_scores",
]
