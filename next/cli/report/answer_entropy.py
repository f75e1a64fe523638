"""What entropy says: which models repeat themselves, who ranks first, whose texts are too short."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from scoresheet.cli.report import AnyChart, Distribution, Lines
from scoresheet.cli.report.answers import count, ranking
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.measure import Measure

HUMAN = 0.05  # at most this share of what people write is called repetitive
FEW = 0.10  # a smaller share of texts that are too short needs no sentence
NAMED = 3  # models


def answer(
    results: pd.DataFrame, measure: Measure, comparison: Comparison | None, units: str, ci: float
) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentences that answer a run of entropy, and the words to show in bold."""
    repetitive = results[results["Repetitive_Low"] > HUMAN]
    repetitive = repetitive.sort_values("Repetitive", ascending=False, kind="stable")
    looping = repetitive.head(NAMED).to_dict("records")
    sentences = [_repeats(row, ci) for row in looping]
    if (more := len(repetitive) - NAMED) > 0:
        sentences.append(f"So do {count(more, 'more model')}.")
    ranked, words = ranking(results, measure, comparison, units, ci)
    short = results[results["Too_Short"] > FEW].head(NAMED).to_dict("records")
    if results[measure.name].notna().any() or not short:
        sentences += ranked
    sentences += [_too_short(row) for row in short]
    return sentences, (*words, *(row["Model Name"] for row in looping))


def _repeats(row: Mapping[Any, Any], ci: float) -> str:
    interval = show_interval(row["Repetitive_Low"], row["Repetitive_High"], "share")
    return (
        f"{row['Model Name']} repeats itself: {show(row['Repetitive'], 'share')} of "
        f"{row['Scored']} texts are repetitive ({ci_label(ci)} {interval})."
    )


def _too_short(row: Mapping[Any, Any]) -> str:
    model, window = row["Model Name"], int(row["Window"])
    if row["Too_Short"] == 1:
        return f"{model}: no text has {window} words, so set a shorter window with --window."
    return (
        f"{model}: {show(row['Too_Short'], 'share')} of the texts have fewer than {window} words, "
        "so its segment entropy is of longer texts only."
    )


def charts(
    _results: object, measure: Measure, units: Mapping[str, pd.DataFrame], _tables: object
) -> list[AnyChart]:
    """Return how the texts' entropies are spread, and the chunks of the most repetitive texts."""
    spread = tuple((model, texts[measure.name].tolist()) for model, texts in units.items())
    words = tuple((model, texts["Word_Entropy"].tolist()) for model, texts in units.items())
    found: list[AnyChart] = [
        Distribution(f"{measure.label} of texts, in bits", spread),
        Distribution("Word entropy of texts, in bits", words),
    ]
    lines = []
    for model, texts in units.items():
        chunked = texts[texts["Chunk_Entropies"].fillna("") != ""]
        for text in chunked.nlargest(1, "Repeated_Share").to_dict("records"):
            values = json.loads(text["Chunk_Entropies"])
            lines.append((f"{model}: {text['Id']}", list(range(1, len(values) + 1)), values))
    title = "Local entropy of the most repetitive text of each model"
    if lines:
        found.append(Lines(title, "Chunk of 20 words or more", "Entropy (bits)", tuple(lines)))
    return found
