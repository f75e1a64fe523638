"""The pure core: numbers in, numbers out. What is listed here is the public Python API, imported when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoresheet.metrics.families.collective.contribution import Contributions, vote_contributions
    from scoresheet.metrics.families.collective.diagnostics import fingerprint_diversity, routing_entropy
    from scoresheet.metrics.families.collective.emergence import efficiency, emergence_interval, emergence_ratio
    from scoresheet.metrics.families.collective.fusion import majority_vote
    from scoresheet.metrics.families.collective.pairwise_diversity import ErrorDiversity, error_diversity
    from scoresheet.metrics.families.disagree.constants import OutlierRules
    from scoresheet.metrics.families.disagree.dispersion import Disagreement, Disagreements, disagreement, disagreements
    from scoresheet.metrics.families.disagree.overall_scores import overall_scores
    from scoresheet.metrics.families.disagree.strategies import DEFAULT_STRATEGIES, Strategy, apply_strategy
    from scoresheet.metrics.families.diversity.api import diversity_of_run
    from scoresheet.metrics.families.diversity.distances import expected_intra_list_diversity, intra_list_diversity
    from scoresheet.metrics.families.entropy.corpus import CorpusDiversity
    from scoresheet.metrics.families.entropy.text_measures import (
        TextEntropy,
        corpus_diversity,
        text_entropies,
        text_entropy,
    )
    from scoresheet.metrics.families.mode_collapse.debiased_gini import DebiasedGini, debiased_gini
    from scoresheet.metrics.families.mode_collapse.matching import Match, OptionClash, match_option
    from scoresheet.metrics.families.mode_collapse.null_distribution import collapse_p_value
    from scoresheet.metrics.families.mode_collapse.permutation_test import PermutationTest, permutation_test
    from scoresheet.metrics.families.mode_collapse.power import samples_needed
    from scoresheet.metrics.families.sinfo.s_info import brevity_penalty, s_info
    from scoresheet.metrics.problems import MissingExtra
    from scoresheet.metrics.stats.agreement import Correlation, intraclass_correlation, krippendorff_alpha
    from scoresheet.metrics.stats.alpha_interval import alpha_interval
    from scoresheet.metrics.stats.beta_distribution import proportion_interval
    from scoresheet.metrics.stats.bootstrap import bootstrap_interval
    from scoresheet.metrics.stats.concentration import entropy, gini, miller_madow, normalized_entropy
    from scoresheet.metrics.stats.holm import holm
    from scoresheet.metrics.stats.kappa import cohen_kappa, fleiss_kappa
    from scoresheet.metrics.stats.mcnemar import mcnemar_p
    from scoresheet.metrics.stats.randomisation import PairedTest, paired_test
    from scoresheet.metrics.text.rouge_l import rouge_l_precision

_HOMES = {
    "families.collective.contribution": ("Contributions", "vote_contributions"),
    "families.collective.diagnostics": ("fingerprint_diversity", "routing_entropy"),
    "families.collective.emergence": ("efficiency", "emergence_interval", "emergence_ratio"),
    "families.collective.fusion": ("majority_vote",),
    "families.collective.pairwise_diversity": ("ErrorDiversity", "error_diversity"),
    "families.disagree.constants": ("OutlierRules",),
    "families.disagree.dispersion": ("Disagreement", "Disagreements", "disagreement", "disagreements"),
    "families.disagree.overall_scores": ("overall_scores",),
    "families.disagree.strategies": ("DEFAULT_STRATEGIES", "Strategy", "apply_strategy"),
    "families.diversity.api": ("diversity_of_run",),
    "families.diversity.distances": ("expected_intra_list_diversity", "intra_list_diversity"),
    "families.entropy.corpus": ("CorpusDiversity",),
    "families.entropy.text_measures": ("TextEntropy", "corpus_diversity", "text_entropies", "text_entropy"),
    "families.mode_collapse.debiased_gini": ("DebiasedGini", "debiased_gini"),
    "families.mode_collapse.matching": ("Match", "OptionClash", "match_option"),
    "families.mode_collapse.null_distribution": ("collapse_p_value",),
    "families.mode_collapse.permutation_test": ("PermutationTest", "permutation_test"),
    "families.mode_collapse.power": ("samples_needed",),
    "families.sinfo.s_info": ("brevity_penalty", "s_info"),
    "problems": ("MissingExtra",),
    "stats.agreement": ("Correlation", "intraclass_correlation", "krippendorff_alpha"),
    "stats.alpha_interval": ("alpha_interval",),
    "stats.beta_distribution": ("proportion_interval",),
    "stats.bootstrap": ("bootstrap_interval",),
    "stats.concentration": ("entropy", "gini", "miller_madow", "normalized_entropy"),
    "stats.holm": ("holm",),
    "stats.kappa": ("cohen_kappa", "fleiss_kappa"),
    "stats.mcnemar": ("mcnemar_p",),
    "stats.randomisation": ("PairedTest", "paired_test"),
    "text.rouge_l": ("rouge_l_precision",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: who wants one statistic need not load six families."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "DEFAULT_STRATEGIES",
    "Contributions",
    "CorpusDiversity",
    "Correlation",
    "DebiasedGini",
    "Disagreement",
    "Disagreements",
    "ErrorDiversity",
    "Match",
    "MissingExtra",
    "OptionClash",
    "OutlierRules",
    "PairedTest",
    "PermutationTest",
    "Strategy",
    "TextEntropy",
    "alpha_interval",
    "apply_strategy",
    "bootstrap_interval",
    "brevity_penalty",
    "cohen_kappa",
    "collapse_p_value",
    "corpus_diversity",
    "debiased_gini",
    "disagreement",
    "disagreements",
    "diversity_of_run",
    "efficiency",
    "emergence_interval",
    "emergence_ratio",
    "entropy",
    "error_diversity",
    "expected_intra_list_diversity",
    "fingerprint_diversity",
    "fleiss_kappa",
    "gini",
    "holm",
    "intra_list_diversity",
    "intraclass_correlation",
    "krippendorff_alpha",
    "majority_vote",
    "match_option",
    "mcnemar_p",
    "miller_madow",
    "normalized_entropy",
    "overall_scores",
    "paired_test",
    "permutation_test",
    "proportion_interval",
    "rouge_l_precision",
    "routing_entropy",
    "s_info",
    "samples_needed",
    "text_entropies",
    "text_entropy",
    "vote_contributions",
]
