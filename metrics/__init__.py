"""The pure core: numbers in, numbers out. What is listed here is the public Python API."""

from scoresheet.metrics.agreement import intraclass_correlation, krippendorff_alpha
from scoresheet.metrics.collective import (
    efficiency,
    emergence_ratio,
    error_diversity,
    fingerprint_diversity,
    majority_vote,
    mcnemar_p,
    routing_entropy,
    vote_contributions,
)
from scoresheet.metrics.counts import entropy, gini, miller_madow, normalized_entropy
from scoresheet.metrics.disagree import (
    DEFAULT_STRATEGIES,
    OutlierRules,
    Strategy,
    apply_strategy,
    disagreement,
    disagreements,
    overall_scores,
)
from scoresheet.metrics.diversity import diversity_of_run, expected_intra_list_diversity, intra_list_diversity
from scoresheet.metrics.entropies import corpus_diversity, text_entropies, text_entropy
from scoresheet.metrics.mode_collapse import collapse_p_value, match_option
from scoresheet.metrics.resampled_alpha import alpha_interval
from scoresheet.metrics.rouge_l import rouge_l_precision
from scoresheet.metrics.sinfo import brevity_penalty, s_info

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
