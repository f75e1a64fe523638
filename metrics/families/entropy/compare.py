"""Models side by side: every two on the ids they share, and how similar their means are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.compare import MOST_MODELS, ComparedBy, ComparedUnits, PairedComparison
from scoresheet.metrics.families.entropy.measures import (
    COMPARED_MEASURES,
    ENTROPY_AT_LENGTH,
    REPETITIVE,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    WORD_ENTROPY,
)
from scoresheet.metrics.families.entropy.result import PROMPTS, EntropyResult
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.stored_values import ValueStore

if TYPE_CHECKING:
    import pandas as pd

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

    pairs: Sequence[ModelPair]


COMPARED_BY: Final = ComparedBy(
    measures=tuple(measure.name for measure in COMPARED_MEASURES),
    headline=ENTROPY_AT_LENGTH.name,
    units="ids",
    first="higher",  # the richest stands first, which is no praise: the measure itself has no direction
    better=ENTROPY_AT_LENGTH.better,
    key=("Id",),
)
_REPETITIVE: Final = {"yes": "1", "no": "0"}  # as reports write it


def units_noun(models: Iterable[ComparedUnits | None]) -> str:
    """Return what ids are: prompts, where any model has several texts under one."""
    several = any(own is not None and len(own.key_of) > len(own.keys) for own in models)
    return PROMPTS if several else COMPARED_BY.units


def scored_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a written table that have a score, with what is a word there as a number."""
    names = list(COMPARED_BY.measures)
    table = table.assign(**{REPETITIVE.name: [_REPETITIVE.get(cell, cell) for cell in table[REPETITIVE.name]]})
    return table[(table[names] != "").any(axis=1)].reset_index(drop=True)


def compare_models(results: Mapping[str, EntropyResult], paired: PairedComparison) -> EntropyComparison:
    """Return models, measure by measure, each with those that it was compared with."""
    names = tuple(dict.fromkeys((*COMPARED_BY.measures, *(measure.name for measure in _SIMILARITY))))
    means = {
        model: {name: own[name] for name in names}
        for model, own in ((model, result.overall.measures) for model, result in results.items())
    }
    couples = list(dict.fromkeys((pair.model, pair.other) for pair in paired.of_headline()))
    pairs = (
        ModelPair(one, other, name, means[one][name], means[other][name], similarity)
        for one, other in couples
        for similarity in [entropy_similarity(means[one], means[other])]
        for name in COMPARED_BY.measures
    )
    return EntropyComparison(
        paired=paired, pairs=ValueStore().sequence(pairs) if len(results) > MOST_MODELS else tuple(pairs)
    )


def entropy_similarity(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    """Return the mean of min/max of the four entropies; two that are 0 are alike, an undefined one is left out."""
    return mean(_ratio(ours[measure.name], theirs[measure.name]) for measure in _SIMILARITY)


def _ratio(one: float, other: float) -> float:
    if math.isnan(one) or math.isnan(other):
        return math.nan
    return min(one, other) / max(one, other) if max(one, other) > 0 else 1.0
