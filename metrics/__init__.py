"""The pure core: numbers in, numbers out. What is listed here is the public Python API."""

from scoresheet.metrics.families.collective import (
    efficiency,
    emergence_ratio,
    error_diversity,
    fingerprint_diversity,
    majority_vote,
    mcnemar_p,
    routing_entropy,
    vote_contributions,
)
from scoresheet.metrics.families.disagree import (
    DEFAULT_STRATEGIES,
    OutlierRules,
    Strategy,
    apply_strategy,
    disagreement,
    disagreements,
    overall_scores,
)
from scoresheet.metrics.families.diversity import diversity_of_run, expected_intra_list_diversity, intra_list_diversity
from scoresheet.metrics.families.entropy import corpus_diversity, text_entropies, text_entropy
from scoresheet.metrics.families.mode_collapse import collapse_p_value, match_option
from scoresheet.metrics.families.sinfo import brevity_penalty, s_info
from scoresheet.metrics.stats.agreement import intraclass_correlation, krippendorff_alpha
from scoresheet.metrics.stats.alpha_interval import alpha_interval
from scoresheet.metrics.stats.concentration import entropy, gini, miller_madow, normalized_entropy
from scoresheet.metrics.text.rouge_l import rouge_l_precision

__all__ = [
    "DEFAULT_STRATEGIES",
    "OutlierRules",
    "Strategy",
    "alpha_interval",
    "apply_strategy",
    "brevity_penalty",
    "collapse_p_value",
    "corpus_diversity",
    "disagreement",
    "disagreements",
    "diversity_of_run",
    "efficiency",
    "emergence_ratio",
    "entropy",
    "error_diversity",
    "expected_intra_list_diversity",
    "fingerprint_diversity",
    "gini",
    "intra_list_diversity",
    "intraclass_correlation",
    "krippendorff_alpha",
    "majority_vote",
    "match_option",
    "mcnemar_p",
    "miller_madow",
    "normalized_entropy",
    "overall_scores",
    "rouge_l_precision",
    "routing_entropy",
    "s_info",
    "text_entropies",
    "text_entropy",
    "vote_contributions",
]
