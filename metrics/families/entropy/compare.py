"""Models side by side: every two on the ids they share, and how similar their means are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from scoresheet.metrics.compare import compare_units
from scoresheet.metrics.families.entropy.measures import (
    COMPARED_MEASURES,
    ENTROPY_AT_LENGTH,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    WORD_ENTROPY,
)
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.result import PROMPTS, EntropyResult
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.stats.means import mean

# word entropy stands for itself and for vocabulary entropy, which is the same number
_SIMILARITY: Final = (WORD_ENTROPY, SEMANTIC_ENTROPY, WORD_ENTROPY, SEMANTIC_DIVERSITY)


@dataclass(frozen=True)
class ModelPair:
    """Two models in one measure: their means over all their own texts."""

    model: str
    other: str
    measure: str
    mean: float
    other_mean: float
    similarity: float  # of the two models, over several measures

    @property
    def difference(self) -> float:
        """The model's mean less the other's."""
        return self.mean - self.other_mean

    @property
    def ratio(self) -> float:
        """The model's mean over the other's."""
        return self.mean / self.other_mean if self.other_mean else math.nan


@dataclass(frozen=True, kw_only=True)
class EntropyComparison(Comparison):
    """Every two models of a run."""

    pairs: tuple[ModelPair, ...]


def compare_models(results: Mapping[str, EntropyResult], options: EntropyOptions) -> EntropyComparison:
    """Return every two models, measure by measure."""
    names = [measure.name for measure in COMPARED_MEASURES]
    prompts = any(result.overall.clusters == PROMPTS for result in results.values())
    paired = compare_units(
        {model: result.compared for model, result in results.items()},
        names,
        headline=ENTROPY_AT_LENGTH.name,
        better="higher",  # the richest stands first, which is no praise: the measure itself has no direction
        units=PROMPTS if prompts else "ids",
        confidence=options.ci,
        seed=options.seed,
    )
    means = {model: result.overall.measures for model, result in results.items()}
    return EntropyComparison(
        paired=paired,
        pairs=tuple(
            ModelPair(
                one, other, name, means[one][name], means[other][name], entropy_similarity(means[one], means[other])
            )
            for one, other in combinations(results, 2)
            for name in names
        ),
    )


def entropy_similarity(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    """Return the mean of min/max of the four entropies; two that are 0 are alike, an undefined one is left out."""
    return mean(_ratio(ours[measure.name], theirs[measure.name]) for measure in _SIMILARITY)


def _ratio(one: float, other: float) -> float:
    if math.isnan(one) or math.isnan(other):
        return math.nan
    return min(one, other) / max(one, other) if max(one, other) > 0 else 1.0
