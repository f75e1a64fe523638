"""The charts of sinfo besides its scores: which of its two factors a low score comes from."""

from collections.abc import Mapping

import pandas as pd

from scoresheet.cli.report import Points
from scoresheet.metrics.measure import Measure


def charts(
    _results: pd.DataFrame, _measure: Measure, units: Mapping[str, pd.DataFrame], _tables: object
) -> list[Points]:
    """Return ROUGE-L precision against brevity penalty, a point per explanation."""
    scored = {model: rows.dropna(subset=["P_ROUGE", "BP"]) for model, rows in units.items()}
    series = tuple((m, rows["BP"].tolist(), rows["P_ROUGE"].tolist()) for m, rows in scored.items())
    title = "ROUGE-L precision against brevity penalty"
    return [Points(title, "Brevity penalty", "ROUGE-L precision", series)]
