"""What the family offers to Python, beside the command."""

from scoresheet.metrics.families.collective.contribution import Contributions, vote_contributions
from scoresheet.metrics.families.collective.diagnostics import fingerprint_diversity, routing_entropy
from scoresheet.metrics.families.collective.emergence import (
    ErrorDiversity,
    efficiency,
    emergence_ratio,
    error_diversity,
    mcnemar_p,
)
from scoresheet.metrics.families.collective.fusion import majority_vote

__all__ = [
    "Contributions",
    "ErrorDiversity",
    "efficiency",
    "emergence_ratio",
    "error_diversity",
    "fingerprint_diversity",
    "majority_vote",
    "mcnemar_p",
    "routing_entropy",
    "vote_contributions",
]
