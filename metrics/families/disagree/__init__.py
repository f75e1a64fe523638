"""disagree: whether the judges agree, and which items cannot be trusted."""

from scoresheet.metrics.families.disagree.family import Disagree
from scoresheet.metrics.families.disagree.spread import (
    Disagreement,
    Disagreements,
    OutlierRules,
    disagreement,
    disagreements,
    overall_scores,
)
from scoresheet.metrics.families.disagree.strategies import DEFAULT_STRATEGIES, Strategy, apply_strategy

__all__ = [
    "DEFAULT_STRATEGIES",
    "Disagree",
    "Disagreement",
    "Disagreements",
    "OutlierRules",
    "Strategy",
    "apply_strategy",
    "disagreement",
    "disagreements",
    "overall_scores",
]
