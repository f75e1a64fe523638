"""mode-collapse: does a model keep choosing the same thing? Gini and entropy per tree level and parent."""

from scoresheet.metrics.families.mode_collapse.chance import collapse_p_value
from scoresheet.metrics.families.mode_collapse.family import ModeCollapse
from scoresheet.metrics.families.mode_collapse.matching import match_option

__all__ = ["ModeCollapse", "collapse_p_value", "match_option"]
