"""sinfo: information density of explanations, S_Info = brevity penalty × ROUGE-L precision."""

from scoresheet.metrics.families.sinfo.density import brevity_penalty, s_info
from scoresheet.metrics.families.sinfo.family import Sinfo

__all__ = ["Sinfo", "brevity_penalty", "s_info"]
