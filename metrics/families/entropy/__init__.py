"""entropy: how much texts say, how much they repeat themselves and each other."""

from scoresheet.metrics.families.entropy.api import corpus_diversity, text_entropies, text_entropy
from scoresheet.metrics.families.entropy.family import Entropy

__all__ = ["Entropy", "corpus_diversity", "text_entropies", "text_entropy"]
