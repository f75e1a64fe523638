"""What the items of a run are compared by: features, subtopics or texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import BY_FEATURES, BY_SUBTOPICS, BY_TEXT, CHOSEN_DISTANCE
from scoresheet.metrics.families.diversity.distances import unit_vectors
from scoresheet.metrics.families.diversity.features import parse_features
from scoresheet.metrics.families.diversity.judgments import JudgmentsByQuery, QueryJudgments, query_judgments
from scoresheet.metrics.keys import loose_keys
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import Noted, UsageError
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.text.tfidf import Tfidf
from scoresheet.metrics.text.word_tokenizer import lower_words

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ItemDescriptions:
    """What is known of items besides their relevance, as far as the distance of the run asks for it."""

    distance: str = BY_SUBTOPICS
    feature_columns: tuple[str, ...] = ()  # of the table
    vectors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # item → features
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)  # item → words of the table's text
    tfidf: Tfidf | None = None
    near_items: Mapping[str, str] = field(default_factory=dict)  # items of the table, for suggestions
    catalogue: QueryJudgments[str, str] | None = None  # every item with its genres, as if all were relevant
    compares_genres: bool = False  # whether distances are those of the genres, not of judged subtopics

    @property
    def items(self) -> Collection[str]:
        """The items that something is known of."""
        if self.distance == BY_SUBTOPICS:
            return self.catalogue.index.keys() if self.catalogue else ()
        return self.vectors.keys() | self.words.keys()

    def item_genres(self, items: Sequence[str]) -> NDArray[np.float64]:
        """Return the genres that the items of a ranking are compared by, item × genre; nothing where there are none."""
        if self.compares_genres and self.catalogue is not None:
            return self.catalogue.relevance(items)
        return np.zeros((len(items), 1))

    def item_vectors(self, items: Sequence[str], texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return what the items of a ranking are compared by if it is no subtopics, and which have it.

        A text may stand beside an item.
        """
        if self.tfidf is not None:
            known = self.words
            words = [
                known[item] if item in known else lower_words(text) for item, text in zip(items, texts, strict=True)
            ]
            return unit_vectors(self.tfidf.vectors(words))
        width = len(next(iter(self.vectors.values()), ()))
        nothing = np.zeros(width)
        return unit_vectors(np.array([self.vectors.get(item, nothing) for item in items]).reshape(len(items), width))


def item_descriptions(
    table: pd.DataFrame | None,
    inline_texts: Iterable[tuple[str, str]],
    inline_genres: Iterable[tuple[str, tuple[str, ...]]],
    wanted: str,
    separator: str = "",
) -> Noted[ItemDescriptions]:
    """Return what items are compared by, given the table of features, if any, and what stands beside the rankings."""
    features, problems = parse_features(table, wanted, separator)
    genres = features.genres.items() if features.genres else inline_genres
    catalogue = _catalogue(genres)
    distance = wanted
    if wanted == CHOSEN_DISTANCE:
        distance = BY_FEATURES if features.columns else BY_SUBTOPICS
    if distance == BY_FEATURES:
        near_items = loose_keys(features.vectors)
        return Noted(
            ItemDescriptions(distance, features.columns, features.vectors, near_items=near_items, catalogue=catalogue),
            problems,
        )
    if distance == BY_SUBTOPICS:
        near_items = loose_keys(catalogue.index) if catalogue else {}
        return Noted(
            ItemDescriptions(
                distance, near_items=near_items, catalogue=catalogue, compares_genres=catalogue is not None
            ),
            problems,
        )
    inline = {text for item, text in inline_texts if item not in features.texts}
    if not inline and not features.texts:
        raise UsageError(
            f"{flag(f'distance {BY_TEXT}')} needs texts: a column text beside the rankings, or in the "
            f"{flag('features')} table"
        )
    return Noted(
        ItemDescriptions(
            distance,
            words={item: lower_words(text) for item, text in features.texts.items()},
            # a text counts once however many rows have it, so that neither their order nor their number matters
            tfidf=Tfidf(map(lower_words, inline.union(features.texts.values()))),
            near_items=loose_keys(features.texts),
            catalogue=catalogue,
        ),
        problems,
    )


def _catalogue(genres: Iterable[tuple[str, tuple[str, ...]]]) -> QueryJudgments[str, str] | None:
    """Return items with their genres as the judgments of any query; None where there are none."""
    judgments = JudgmentsByQuery[str, str, str]()
    judgments.add(("", name, item, 1.0) for item, names in sorted(genres) for name in names)
    return query_judgments(judgments).get("")
