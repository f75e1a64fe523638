"""collective: whether an ensemble is more than its best member."""

from scoresheet.metrics.families.collective.api import (
    efficiency,
    emergence_ratio,
    error_diversity,
    fingerprint_diversity,
    majority_vote,
    mcnemar_p,
    routing_entropy,
    vote_contributions,
)
from scoresheet.metrics.families.collective.family import Collective

__all__ = [
    "Collective",
    "efficiency",
    "emergence_ratio",
    "error_diversity",
    "fingerprint_diversity",
    "majority_vote",
    "mcnemar_p",
    "routing_entropy",
    "vote_contributions",
]
