"""Scoring of texts: each by itself, and the texts of an id together."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.entropy import EntropyOptions
from scoresheet.metrics.entropy import measures as m
from scoresheet.metrics.entropy import similarity as s
from scoresheet.metrics.entropy.words import content_words, sentences
from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import Measure, measure_of
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.text import has_unspaced

OF_TEXTS = (
    *(m.segment_entropy, m.word_entropy, m.bigram_entropy, m.trigram_entropy),
    *(m.vocabulary_diversity, m.unique_ratio, m.quality_ratio, s.semantic_diversity),
    *(s.semantic_diversity_as_printed, s.semantic_entropy, m.entropy_variance, m.entropy_drops),
    *(m.top_word_share, m.max_bigram, m.repeated_share, m.is_repetitive),
    *(m.is_repetitive_as_printed, m.is_too_short),
)
OF_SETS = (s.distinct_1, s.distinct_2, s.vendi_score, s.compression_ratio)
NEARLY_ALL = 0.95  # of the ids have as many texts as are compared
NO_WORDS = "the text has no words"
DESCRIBED = ["Words", "Entropy_Trend", "Chunk_Entropies"]  # what is not a measure


def score(tables: Tables, options: EntropyOptions) -> Scores:
    """Score every text of one model; the measures of a set are in the row of its first text."""
    rows = tables["outputs"].reset_index(drop=True)
    measured = measure_texts(rows["text"].tolist(), options)
    wordless = measured["Word_Entropy"].isna()
    keys, chosen, notes = _sets(rows[~wordless], tables.get("survey"))
    together = _measure_sets(chosen, keys, options)
    units = pd.DataFrame({"Sheet": rows["sheet"], "Id": ids_of(rows), "Text": rows["text"]})
    units = units.join([measured.drop(columns=DESCRIBED), together, measured[DESCRIBED]])
    units["Row"], units["Problem"] = rows["row"], np.where(wordless, NO_WORDS, "")
    problems = row_problems(rows, wordless, Problem("no-words", "row", NO_WORDS))
    scores = Scores(
        units.assign(**carried_along(rows)),
        problems + notes,
        results={"Window": options.window},
        measures=_declared(options),
    )
    if "id" in keys:
        columns = ["Segment_Entropy", "Semantic_Diversity", "Repetitive", *together.columns]
        grouped = units.assign(Texts=~wordless).groupby([rows[key] for key in keys], sort=False)
        prompts = grouped[columns].mean().assign(Texts=grouped["Texts"].sum()).reset_index()
        scores.tables["Prompts"] = prompts.rename(columns={key: key.capitalize() for key in keys})
    return scores


def survey(outputs: pd.DataFrame) -> pd.DataFrame:
    """Return how many texts nearly every id of a model has; all models use the least."""
    has_words = outputs["text"].str.contains(r"\w", regex=True)
    return pd.DataFrame({"Texts": [_texts_per_id(outputs[has_words])]})


def measure_texts(texts: Sequence[str], options: EntropyOptions) -> pd.DataFrame:
    """Return the measures of each text, a row per text; they are NaN for a text without words."""
    names = [measure_of(function).name for function in OF_TEXTS]
    found = [_measure_text(text, options) for text in texts]
    return pd.DataFrame(found, columns=[*names, *DESCRIBED]).astype(dict.fromkeys(names, float))


def _measure_text(text: str, options: EntropyOptions) -> list[Any]:
    """Return the measures of a text: entropy over --tokenizer, everything else over words."""
    how, window, unspaced = options.tokenizer, options.window, has_unspaced(text)
    words = content_words(text)
    if not words:
        return [*[math.nan] * len(OF_TEXTS), 0, "", ""]
    counted = words if how == "words" else content_words(text, how)
    spaced = words if unspaced else text.split()
    chunks = m.chunk_entropies(spaced, how)
    bits = m.word_entropy(counted)
    similar = s.cosines(sentences(text), options.vectors)
    repeated = m.repeated_share(words, m.RUN_UNSPACED if unspaced else m.RUN)
    found: dict[Callable[..., Any], float] = {
        **{f: f(counted, window) for f in (m.segment_entropy, m.is_too_short)},
        **{f: f(counted) for f in (m.bigram_entropy, m.trigram_entropy, m.unique_ratio)},
        m.word_entropy: bits,
        m.vocabulary_diversity: m.vocabulary_diversity(bits, len(set(counted))),
        m.quality_ratio: m.quality_ratio(bits, len(spaced)),
        **{f: f(chunks) for f in (m.entropy_variance, m.entropy_drops)},
        **{f: f(similar) for f in (s.semantic_diversity, s.semantic_diversity_as_printed)},
        s.semantic_entropy: s.semantic_entropy(similar),
        **{f: f(words) for f in (m.top_word_share, m.max_bigram)},
        m.repeated_share: repeated,
        m.is_repetitive: m.is_repetitive(words, repeated),
        m.is_repetitive_as_printed: m.is_repetitive_as_printed(words, len(spaced), chunks),
    }
    listed = str(chunks) if chunks else ""
    return [*(found[f] for f in OF_TEXTS), len(counted), m.entropy_trend(chunks), listed]


def _declared(options: EntropyOptions) -> tuple[Measure, ...]:
    """Return the measures; the cosines of embeddings can be negative, those of words cannot."""
    declared = [measure_of(function) for function in (*OF_TEXTS, *OF_SETS)]
    highest = 2 if options.vectors == "embed" else 1
    return tuple(
        replace(one, bounds=(0, highest)) if one.name.startswith("Semantic_Diversity") else one
        for one in declared
    )


def ids_of(rows: pd.DataFrame) -> pd.Series:
    """Return the id of each text; without ids its place, which no other text has."""
    if "id" in rows:
        return rows["id"]
    places = rows["file"] + " " + rows["worksheet"] + " row " + rows["row"].astype(str)
    places += " " + rows["part"].astype(str) if "part" in rows else ""
    return places.str.replace("  ", " ", regex=False)


def _keys(rows: pd.DataFrame) -> list[str]:
    return [key for key in ("sheet", "id", "run") if key in rows]


def _texts_per_id(rows: pd.DataFrame) -> int:
    """Return the number of texts that nearly every id has."""
    if "id" not in rows or rows.empty:
        return 1
    sizes = np.sort(rows.groupby(_keys(rows)).size())
    return int(sizes[int((1 - NEARLY_ALL) * len(sizes) + m.TOLERANCE)])


def _sets(
    rows: pd.DataFrame, surveyed: pd.DataFrame | None
) -> tuple[list[str], pd.DataFrame, list[Problem]]:
    """Return the columns that identify a set of texts, the rows in sets, and what to note."""
    own, keys = _texts_per_id(rows), _keys(rows)
    message = "distinct-1, distinct-2, Vendi score and compression ratio are over "
    if own < 2:
        keys = [key for key in keys if key != "id"]
        message += "all texts of a sheet, because ids do not repeat"
        if (rows.groupby(keys).size() > s.MOST).any():
            message += f" (no Vendi score over more than {s.MOST:,} texts)"
        return keys, rows, [Problem("texts-of-a-sheet", "note", message)]
    used = min([own, *(n for n in (() if surveyed is None else surveyed["Texts"]) if n > 1)])
    grouped = rows.groupby(keys, sort=False)
    enough = grouped["row"].transform("size") >= used
    ids, fewer = grouped.ngroups, int((grouped.size() < used).sum())
    message += f"the first {used} texts of each id"
    message += f"; {fewer} of {ids} ids have fewer and are left out" if fewer else ""
    chosen = rows[enough & (grouped.cumcount() < used)]
    return keys, chosen, [Problem("texts-of-an-id", "note", message)]


def _measure_sets(rows: pd.DataFrame, keys: list[str], options: EntropyOptions) -> pd.DataFrame:
    """Return the measures of each set, at the index of its first text."""
    found, first = [], []
    for _, own in rows.groupby(keys, sort=False)["text"]:
        texts, similar = own.tolist(), s.cosines(own.tolist(), options.vectors)
        distinct = s.distinct_1(texts), s.distinct_2(texts)
        found.append((*distinct, s.vendi_score(similar), s.compression_ratio(texts)))
        first.append(own.index[0])
    names = [measure_of(function).name for function in OF_SETS]
    return pd.DataFrame(found, first, names, dtype=float)
