"""The numbers that the rules of this family rest on; the rules, their options and every text about them read these."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from scoresheet.metrics.records import dataclass

CONSENSUS_SLOPE: Final = 2.0  # consensus = max(0, 1 - slope·CV)
RELIABILITY_SLOPE: Final = 5.0  # reliability = consensus·(1 - min(1, slope·variance))
RELIABILITY_BONUS: Final = 0.1  # added to it above a consensus of
BONUS_ABOVE: Final = 0.8

MAD_OF_NORMAL: Final = 0.6745  # MAD over standard deviation in a normal distribution

VERDICTS: Final = ((-math.inf, "unreliable"), (0.667, "tentative"), (0.8, "reliable"))  # of alpha, Krippendorff (2004)
DISCORDANT_FROM: Final = 0.05  # by how much alpha must rise without a judge who fits badly
RARE_SPREAD: Final = 0.001  # share of the items of a panel that are farther apart than what makes a flag high
TIE_LABELS: Final = ("tie", "draw", "equal", "same")  # labels that say that neither of two is better
MOST_SHOWN_JUDGES: Final = 20  # whose scores have room on an item's line
MOST_COMPARED_JUDGES: Final = 100  # up to which every two are compared, and the panel looked at without each


class Decreed(NamedTuple):
    """Consensus and reliability where there is nobody to agree with."""

    consensus: float
    reliability: float


ONE_JUDGE: Final = Decreed(1.0, 0.7)
NO_JUDGE: Final = Decreed(0.0, 0.0)


@dataclass(frozen=True)
class OutlierRules:
    """From where on a judge stands alone.

    Parameters
    ----------
    outlier : float, optional
        Standard deviations from the mean.
    robust : float, optional
        Robust standard deviations, made of the MAD, from the median.
    mad_floor : float, optional
        The least MAD, so that judges who nearly agree make no outliers.

    Raises
    ------
    ValueError
        If one of them is not a number of 0 or more.

    Examples
    --------
    >>> from scoresheet.metrics import disagreement
    >>> disagreement([0.8, 0.85, 0.82, 0.1, 0.83], OutlierRules(outlier=1.8)).outliers
    ()
    """

    outlier: float = 1.5
    robust: float = 3.5
    mad_floor: float = 0.02

    def __post_init__(self) -> None:
        """Refuse what is no distance."""
        for name in ("outlier", "robust", "mad_floor"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise ValueError(f"{name} is a number of 0 or more, not {value!r}")


def short_decimal(value: float) -> str:
    """Return a share as the texts write it.

    >>> short_decimal(0.8), short_decimal(0.667)
    ('.8', '.667')
    """
    return f"{value:g}".removeprefix("0")
