"""How the measures of the texts of an id were computed: windows, and phrases that repeat."""

import pandas as pd

from scoresheet.metrics.entropy import EntropyOptions
from scoresheet.metrics.entropy.measures import entropy
from scoresheet.metrics.entropy.score import ids_of
from scoresheet.metrics.entropy.words import content_words
from scoresheet.metrics.family import Explanation, Tables

LONGEST = 12  # words of a phrase


def explain(tables: Tables, options: EntropyOptions, sheet: str, unit: str) -> Explanation:
    """Return the entropy of each window and the phrases that repeat, text by text."""
    rows, windows, phrases = tables["outputs"], [], []
    chosen = (ids_of(rows) == unit) & ((rows["sheet"] == sheet) | (sheet == ""))
    for row, text in rows.loc[chosen, ["row", "text"]].itertuples(index=False):
        words, size = content_words(text, options.tokenizer), options.window
        starts = range(0, len(words) - size + 1, size)
        windows += [(row, start + 1, entropy(words[start : start + size])) for start in starts]
        phrases += [(row, phrase, times) for phrase, times in repeated_phrases(text)]
    sentences = (
        f"Segment_Entropy is the mean entropy of windows of {options.window} words.",
        "Repetitive is about words in runs of five that occurred before in the text.",
    )
    found = {
        "Windows": pd.DataFrame(windows, columns=["Row", "First word", "Entropy"]),
        "Repeated phrases": pd.DataFrame(phrases, columns=["Row", "Phrase", "Times"]),
    }
    return Explanation(sentences, found)


def repeated_phrases(text: str) -> list[tuple[str, int]]:
    """Return the phrases of two words or more that repeat without overlap, the longest first.

    >>> repeated_phrases("It never rains here. So it never rains here, or there.")
    [('it never rains here', 2)]
    """
    words, found = content_words(text), []
    free = [True] * len(words)
    for n in range(min(LONGEST, len(words) // 2), 1, -1):
        places: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(words) - n + 1):
            own = places.setdefault(tuple(words[place : place + n]), [])
            if all(free[place : place + n]) and (not own or place >= own[-1] + n):
                own.append(place)
        for phrase, candidates in places.items():
            starts = [start for start in candidates if all(free[start : start + n])]
            if len(starts) > 1:
                found.append((" ".join(phrase), len(starts)))
                for start in starts:
                    free[start : start + n] = [False] * n
    return found
