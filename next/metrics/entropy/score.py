"""Scoring of texts: each by itself, the texts of an id together, and what repeats in them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.entropy import EntropyOptions
from scoresheet.metrics.entropy import measures as m
from scoresheet.metrics.entropy import similarity as s
from scoresheet.metrics.family import Explanation, Scores, Tables, carried_along
from scoresheet.metrics.measure import Measure, measure_of
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.text import has_unspaced

OF_WINDOWS = (m.segment_entropy, m.is_too_short)
OF_WORDS = (m.entropy, m.bigram_entropy, m.trigram_entropy, m.vocabulary_diversity, m.unique_ratio)
OF_SENTENCES = (s.semantic_diversity, s.semantic_diversity_as_printed, s.semantic_entropy)
OF_CHUNKS = (m.entropy_variance, m.entropy_drops)
OF_TEXTS = (
    *(*OF_WINDOWS, *OF_WORDS, m.quality_ratio, *OF_SENTENCES, *OF_CHUNKS, m.top_word_share),
    *(m.max_bigram, m.repeated_share, m.is_repetitive, m.is_repetitive_as_printed),
)
OF_SETS = (s.distinct_1, s.distinct_2, s.vendi_score, s.compression_ratio)
KEYS = ("sheet", "id", "run")  # of a set of texts
NEARLY_ALL = 0.95  # of the ids have as many texts as are compared
NO_WORDS = "the text has no words"
LONGEST = 12  # words of a phrase that repeats
DESCRIBED = ["Words", "Entropy_Trend", "Chunk_Entropies"]  # what is not a measure


def score(tables: Tables, options: EntropyOptions) -> Scores:
    """Score every text of one model; the measures of a set are in the row of its first text."""
    rows = tables["outputs"].reset_index(drop=True)
    measured = measure_texts(rows["text"].tolist(), options)
    wordless = measured["Word_Entropy"].isna()
    keys, chosen, notes = _sets(rows[~wordless], tables["survey"])
    together = _measure_sets(chosen, keys, options)
    units = pd.DataFrame({"Sheet": rows["sheet"], "Id": ids_of(rows), "Text": rows["text"]})
    units = units.join([measured.drop(columns=DESCRIBED), together, measured[DESCRIBED]])
    units["Row"], units["Problem"] = rows["row"], np.where(wordless, NO_WORDS, "")
    problems = row_problems(rows, wordless, Problem("no-words", "row", NO_WORDS))
    further = {}
    if "id" in keys:
        columns = ["Segment_Entropy", "Semantic_Diversity", "Repetitive", *together.columns]
        how = dict.fromkeys(columns, "mean") | {"Texts": "sum"}
        named = [rows[key].rename(key.capitalize()) for key in keys]
        texts = units[columns].assign(Texts=~wordless)
        further["Prompts"] = texts.groupby(named, sort=False).agg(how).reset_index()
    measures, results = _declared(options), {"Window": options.window}
    units = units.assign(**carried_along(rows))
    return Scores(units, problems + notes, results=results, tables=further, measures=measures)


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
    how, unspaced, words = options.tokenizer, has_unspaced(text), m.content_words(text)
    if not words:
        return [*[math.nan] * len(OF_TEXTS), 0, "", ""]
    counted = words if how == "words" else m.content_words(text, how)
    spaced = words if unspaced else text.split()
    chunks = m.chunk_entropies(spaced, how)
    similar = s.cosines(m.sentences(text), options.vectors)
    repeated = m.repeated_share(words, m.RUN_UNSPACED if unspaced else m.RUN)
    return [
        *(f(counted, options.window) for f in OF_WINDOWS),
        *(f(counted) for f in OF_WORDS),
        m.quality_ratio(counted, len(spaced)),
        *(f(similar) for f in OF_SENTENCES),
        *(f(chunks) for f in OF_CHUNKS),
        *(m.top_word_share(words), m.max_bigram(words), repeated, m.is_repetitive(words, repeated)),
        m.is_repetitive_as_printed(words, len(spaced), chunks),
        *(len(counted), m.entropy_trend(chunks), str(chunks) if chunks else ""),
    ]


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


def _texts_per_id(rows: pd.DataFrame) -> int:
    """Return the number of texts that nearly every id has."""
    if "id" not in rows or rows.empty:
        return 1
    sizes = np.sort(rows.groupby([key for key in KEYS if key in rows]).size())
    return int(sizes[int((1 - NEARLY_ALL) * len(sizes) + m.TOLERANCE)])


def _sets(
    rows: pd.DataFrame, surveyed: pd.DataFrame
) -> tuple[list[str], pd.DataFrame, list[Problem]]:
    """Return the columns that identify a set of texts, the rows in sets, and what to note."""
    own, keys = _texts_per_id(rows), [key for key in KEYS if key in rows]
    message = "distinct-1, distinct-2, Vendi score and compression ratio are over "
    if own < 2:
        keys = [key for key in keys if key != "id"]
        message += "all texts of a sheet, because ids do not repeat"
        if (rows.groupby(keys).size() > s.MOST).any():
            message += f" (no Vendi score over more than {s.MOST:,} texts)"
        return keys, rows, [Problem("texts-of-a-sheet", "note", message)]
    used = min(own, *surveyed.loc[surveyed["Texts"] > 1, "Texts"])
    grouped = rows.groupby(keys, sort=False)
    fewer = int((grouped.size() < used).sum())
    message += f"the first {used} texts of each id"
    message += f"; {fewer} of {grouped.ngroups} ids have fewer and are left out" if fewer else ""
    chosen = rows[(grouped["row"].transform("size") >= used) & (grouped.cumcount() < used)]
    return keys, chosen, [Problem("texts-of-an-id", "note", message)]


def _measure_sets(rows: pd.DataFrame, keys: list[str], options: EntropyOptions) -> pd.DataFrame:
    """Return the measures of each set, at the index of its first text."""
    names, found = [measure_of(function).name for function in OF_SETS], {}
    for _, own in rows.groupby(keys, sort=False)["text"]:
        texts, vendi = own.tolist(), s.vendi_score(s.cosines(own.tolist(), options.vectors))
        sizes = s.distinct_1(texts), s.distinct_2(texts), vendi, s.compression_ratio(texts)
        found[own.index[0]] = sizes
    return pd.DataFrame.from_dict(found, "index", float, names)


def explain(tables: Tables, options: EntropyOptions, sheet: str, unit: str) -> Explanation:
    """Return the entropy of each window and the phrases that repeat, text by text."""
    rows, size = tables["outputs"], options.window
    chosen = (ids_of(rows) == unit) & ((rows["sheet"] == sheet) | (sheet == ""))
    windows, phrases = [], []
    for row, text in rows.loc[chosen, ["row", "text"]].itertuples(index=False):
        found = m.window_entropies(m.content_words(text, options.tokenizer), size)
        windows += [(row, size * n + 1, bits) for n, bits in enumerate(found)]
        phrases += [(row, *phrase) for phrase in repeated_phrases(m.content_words(text))]
    sentences = (
        f"Segment_Entropy is the mean entropy of windows of {size} words.",
        "Repetitive is about words in runs of five that occurred before in the text.",
    )
    found_tables = {
        "Windows": pd.DataFrame(windows, columns=["Row", "First word", "Entropy"]),
        "Repeated phrases": pd.DataFrame(phrases, columns=["Row", "Phrase", "Times"]),
    }
    return Explanation(sentences, found_tables)


def repeated_phrases(words: Sequence[str]) -> list[tuple[str, int]]:
    """Return the phrases of two words or more that repeat without overlap, the longest first.

    >>> repeated_phrases("it never rains here so it never rains here or there".split())
    [('it never rains here', 2)]
    """
    marked, found = "\0{}\0".format, []
    rest = "".join(map(marked, words))
    for n in range(min(LONGEST, len(words) // 2), 1, -1):
        for phrase in dict.fromkeys(m.runs(words, n)):
            parts = "".join(map(marked, phrase))
            if (times := rest.count(parts)) > 1:
                rest = rest.replace(parts, "\1")  # a shorter phrase is not found in it again
                found.append((" ".join(map(str, phrase)), times))
    return found
