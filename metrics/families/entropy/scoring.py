"""Scoring the texts of one sheet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Detail, Joined
from scoresheet.metrics.families.entropy.blocks import in_blocks
from scoresheet.metrics.families.entropy.columns import MEASURES, local_names
from scoresheet.metrics.families.entropy.corpus import VENDI_TEXTS, Corpus, CorpusDiversity
from scoresheet.metrics.families.entropy.local import TRENDS
from scoresheet.metrics.families.entropy.measures import Measures, measured
from scoresheet.metrics.families.entropy.ngrams import Counted
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.phrases import repeated_phrases
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import object_frame


@dataclass(frozen=True)
class Scored:
    """What the summary needs of a sheet besides its table."""

    measures: Measures
    diversity: CorpusDiversity
    chunks: int  # the most that a text has
    vendi_texts: int
    named: bool  # whether the sheet has ids
    keys: list[tuple[str, int]]  # what a row is drawn by in a resample, beside its like in other sheets

    @property
    def computed(self) -> NDArray[np.bool_]:
        """Return which rows have a score."""
        return self.measures.words > 0


def scored_sheet(joined: Joined, options: EntropyOptions) -> Detail:
    """Return the measures of a sheet's rows as a table, with the problems and what holds for the sheet as a whole."""
    frame = joined.sheet.frame
    rows = frame.index.tolist()
    shown = frame["text"].tolist()
    # a row that nobody could score is no text of the sheet
    texts = ["" if row in joined.unsound else text for row, text in zip(rows, shown, strict=True)]
    measures, phrases, corpus = _measured(texts, options)
    known = measures.words > 0
    counts = (~np.isnan(measures.local_entropy)).sum(axis=1)
    chunks = int(counts.max(initial=0))
    missing = [math.nan] * len(rows)
    columns: dict[str, Sequence[Any]] = {"Id": frame["id"].tolist(), "Text": shown}
    columns |= {name: _column(measures, name, known) for name in MEASURES}
    columns |= {"Local_Entropy": [""] * len(rows), "Repeated": phrases}
    for place, name in enumerate(local_names()):
        columns[name] = measures.local_entropy[:, place].tolist() if place < chunks else missing
    problems = tuple(
        _empty(row, text) for row, text, has in zip(rows, shown, known.tolist(), strict=True)
        if not has and row not in joined.unsound
    )  # fmt: skip
    extra = Scored(
        measures,
        corpus.diversity(options.seed),
        chunks,
        min(len(corpus.texts), VENDI_TEXTS) if len(corpus.texts) > 1 else 0,
        "id" not in joined.absent,
        _keys([join_key(cell) for cell in frame["id"]]),
    )
    return Detail(joined.sheet, object_frame(columns, index=frame.index), problems, extra=extra)


def _keys(ids: Sequence[str]) -> list[tuple[str, int]]:
    """Return a key for each row: its id and the how manieth of that id it is, or its place if a row has no id.

    Answers to one prompt are texts of their own; with ids the order of other rows cannot matter.
    """
    seen: Counter[str] = Counter()
    keys = []
    for own in ids if all(ids) else [""] * len(ids):
        keys.append((own, seen[own]))
        seen[own] += 1
    return keys


def _measured(texts: Sequence[str], options: EntropyOptions) -> tuple[Measures, list[str], Corpus]:
    rules = options.rules()
    reader, corpus = rules.reader(), Corpus()
    parts: list[Measures] = []
    phrases: list[str] = []
    for block in map(reader.block, in_blocks(texts)):
        counted = Counted(block.words)
        parts.append(measured(block, counted, rules))
        phrases += repeated_phrases(counted, reader)
        corpus.add(block, counted)
    return Measures.joined(parts), phrases, corpus


def _column(measures: Measures, name: str, known: NDArray[np.bool_]) -> list[Any]:
    """Return a measure as a column of the table: labels in words, whole numbers as such, empty without a score."""
    values = getattr(measures, name.lower())
    if name == "Entropy_Trend":
        return [TRENDS[place] for place in values.tolist()]
    if name == "Repetitive":
        return [("yes" if value else "no") if has else "" for value, has in zip(values, known, strict=True)]
    if name in ("Words", "Unique_Words", "Max_Bigram", "Entropy_Drops"):
        has = known & ~np.isnan(values)
        whole = np.where(has, values, 0).astype(np.int64).tolist()
        return [value if defined else math.nan for value, defined in zip(whole, has.tolist(), strict=True)]
    plain: list[float] = values.tolist()
    return plain


def _empty(row: int, text: str) -> Problem:
    wordless = "the text has no words (single letters and signs are none), there is nothing to measure"
    message = wordless if text.strip() else "the text is empty"
    return Problem(kind="empty-text", message=message, effect="row not scored", row=row, column="text")
