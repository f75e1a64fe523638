"""diversity: rankings that cover what users meant."""

from scoresheet.metrics.families.diversity.api import diversity_of_run
from scoresheet.metrics.families.diversity.distances import expected_intra_list_diversity, intra_list_diversity
from scoresheet.metrics.families.diversity.family import Diversity

__all__ = ["Diversity", "diversity_of_run", "expected_intra_list_diversity", "intra_list_diversity"]
