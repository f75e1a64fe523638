"""The measures of sinfo: P_ROUGE, BP and their product."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.measure import measure
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.text.rouge_l import charset_precision, lin_precision, rouge_l_precision

COMPONENTS = ("balanced", "too short", "off the point", "poor")
BANDS = ((0.0, "low"), (0.5, "moderate"), (0.8, "high"))
_PRECISIONS = {"rouge": rouge_l_precision, "lin": lin_precision, "charset": charset_precision}


@measure("S_Info", label="S_Info", better="higher", bounds=(0, 1), bands=BANDS)
def s_info(brevity: ArrayLike, precision: ArrayLike) -> Floats:
    """Return the information density, brevity penalty × ROUGE-L precision.

    >>> s_info([0.5], [0.8]).tolist()
    [0.4]
    """
    return np.multiply(brevity, precision, dtype=float)


@measure("P_ROUGE", label="ROUGE-L precision", better="higher", bounds=(0, 1), reference="Lin 2004")
def precision(
    predictions: Sequence[str], references: Sequence[str], *, rouge: str = "rouge"
) -> Floats:
    """Return the share of the prediction's words that are in the longest common subsequence.

    >>> precision(["the cat sat on the mat"], ["the cat sat"]).tolist()
    [0.6]
    """
    return _PRECISIONS[rouge](predictions, references)


@measure("BP", label="Brevity penalty", better="higher", bounds=(0, 1))
def brevity_penalty(answer_length: ArrayLike, reference_length: ArrayLike) -> Floats:
    """Return 1 where the answer is longer than its reference, else exp(1 - r/c).

    >>> brevity_penalty([11, 22], [22, 11]).round(6).tolist()
    [0.367879, 1.0]
    """
    c, r = np.asarray(answer_length, float), np.asarray(reference_length, float)
    if (c <= 0).any() or (r <= 0).any():
        raise ValueError(f"lengths must be positive, not {min(c.min(), r.min())}")
    return np.where(c > r, 1.0, np.exp(1 - r / c))


def component(precision: ArrayLike, brevity: ArrayLike) -> NDArray[np.object_]:
    """Return which part of the score is high (0.5 or more), in words.

    >>> component([0.9, 0.9, 0.1, 0.1], [1.0, 0.2, 1.0, 0.2]).tolist()
    ['balanced', 'too short', 'off the point', 'poor']
    """
    p, b = np.asarray(precision, float), np.asarray(brevity, float)
    named = np.array(COMPONENTS, dtype=object)[2 * (p < 0.5 - 1e-9) + (b < 0.5 - 1e-9)]
    return np.where(np.isnan(p + b), "", named)
