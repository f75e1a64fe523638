"""From texts to sheets, and from sheets to the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Detail, Histogram, Page, Report
from scoresheet.metrics.families.entropy.columns import CORPUS, COUNTS, MEANS, RESULTS, SUMMARY
from scoresheet.metrics.families.entropy.compare import paired_rows
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.scoring import Scored
from scoresheet.metrics.stats.bootstrap import Intervals, bootstrap_means
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import object_frame

OVERALL: Final = "Overall"
_BINS: Final = 20  # of the histogram at most
_WIDTHS: Final = (0.1, 0.2, 0.25, 0.5, 1.0)  # bits


def summarise_model(model: str, details: Sequence[Detail], options: EntropyOptions) -> Report:
    """Return a model's report: a line per sheet, and the mean over sheets."""
    sheets: list[Scored] = [detail.extra for detail in details]
    intervals = _intervals(sheets, options.seed)
    lines = [
        _line(detail.sheet.name, detail.extra, ends) for detail, ends in zip(details, intervals.sheets, strict=True)
    ]
    overall = _overall(lines, intervals.overall)
    measures = {column.name: overall[column.name] for column in RESULTS}
    page = Page(
        title="Summary",
        table=object_frame({column.name: [line[column.name] for line in (*lines, overall)] for column in SUMMARY}),
        columns=SUMMARY,
        chart=histogram(sheets),
        total_rows=1,
    )
    return Report(
        model=model,
        status="ok" if overall["Scored"] else "unscored",
        measures=measures,
        rows=overall["Rows"],
        scored=overall["Scored"],
        computed=overall["Scored"],
        summary=page,
        numbers={
            **measures,
            "Sheets": {line["Sheet"]: {name: line[name] for name in line if name != "Sheet"} for line in lines},
        },
        extra=paired_rows(details),
    )


def _line(name: str, scored: Scored, ends: tuple[float, float]) -> dict[str, Any]:
    known = scored.computed
    rows, count = len(known), int(known.sum())
    means = {column.name: mean(getattr(scored.measures, column.name.lower())[known].tolist()) for column in MEANS}
    return {
        "Sheet": name,
        **means,
        **{column.name: getattr(scored.diversity, column.name.lower()) for column in CORPUS},
        "Repetitive": int(scored.measures.repetitive.sum()) / count if count else math.nan,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        **_counts(scored),
        "Rows": rows,
        "Scored": count,
        "Coverage": count / rows if rows else math.nan,
    }


def _counts(scored: Scored) -> dict[str, int]:
    """Return over how many texts those measures are that not every text has."""
    measures, known = scored.measures, scored.computed
    with_runs = int((measures.words >= 4).sum())
    return {
        **{
            name: int((~np.isnan(values[known])).sum())
            for name, values in (
                ("Semantic_Texts", measures.semantic_diversity),
                ("Bigram_Texts", measures.bigram_entropy),
                ("Trigram_Texts", measures.trigram_entropy),
            )
        },
        "Self_Repetition_Texts": 0 if math.isnan(scored.diversity.self_repetition) else with_runs,
        "Vendi_Texts": scored.vendi_texts,
    }


def _overall(lines: Sequence[Mapping[str, Any]], ends: tuple[float, float]) -> dict[str, Any]:
    sums = {name: sum(line[name] for line in lines) for name in (*(column.name for column in COUNTS), "Rows", "Scored")}
    return {
        "Sheet": OVERALL,
        **{column.name: mean(line[column.name] for line in lines) for column in RESULTS if column not in COUNTS},
        "CI_Low": ends[0],
        "CI_High": ends[1],
        **sums,
        "Coverage": sums["Scored"] / sums["Rows"] if sums["Rows"] else math.nan,
    }


def _intervals(sheets: Sequence[Scored], seed: int) -> Intervals:
    """Return the bootstrap over texts; those of one key, in sheets of their own, are drawn together."""
    keys = sorted({key for sheet in sheets for key in sheet.keys})
    places = {key: place for place, key in enumerate(keys)}
    sums = np.zeros((len(keys), len(sheets)))
    counts = np.zeros_like(sums)
    for column, sheet in enumerate(sheets):
        known = np.flatnonzero(sheet.computed)
        own = np.array([places[key] for key in sheet.keys], dtype=np.int64)[known]
        sums[own, column] = sheet.measures.word_entropy[known]
        counts[own, column] = 1
    used = counts.any(axis=1)
    return bootstrap_means(sums[used], counts[used], seed=seed)


def histogram(sheets: Sequence[Scored]) -> Histogram | None:
    """Return how the word entropies of a model's texts are spread, in bins of a round width."""
    values = np.concatenate([sheet.measures.word_entropy[sheet.computed] for sheet in sheets])
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    width = next((width for width in _WIDTHS if (high - low) / width < _BINS - 1), _WIDTHS[-1])
    first, last = math.floor(low / width + 1e-9), math.floor(high / width + 1e-9)
    counts = _binned(values, width, first, last)
    names = tuple(f"{number * width:.4g}–{(number + 1) * width:.4g}" for number in range(first, last + 1))
    return Histogram("Word entropy of the model's texts, in bits", names, tuple(counts))


def _binned(values: NDArray[np.float64], width: float, first: int, last: int) -> list[int]:
    places = np.floor(values / width + 1e-9).astype(np.int64) - first
    counts: list[int] = np.bincount(places, minlength=last - first + 1).tolist()
    return counts
