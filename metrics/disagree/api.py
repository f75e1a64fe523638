"""What the family offers to Python, beside the command."""

from scoresheet.metrics.disagree.spread import Disagreement, disagreement, disagreements, overall_scores
from scoresheet.metrics.disagree.strategies import DEFAULT_STRATEGIES, Strategy, apply_strategy

__all__ = [
    "DEFAULT_STRATEGIES",
    "Disagreement",
    "Strategy",
    "apply_strategy",
    "disagreement",
    "disagreements",
    "overall_scores",
]
