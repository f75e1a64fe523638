"""The pure core: numbers in, numbers out. What is listed here is the public Python API."""

from scoresheet.metrics.rouge_l import rouge_l_precision
from scoresheet.metrics.sinfo import brevity_penalty, s_info

__all__ = ["brevity_penalty", "rouge_l_precision", "s_info"]
