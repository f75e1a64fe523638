"""The words of a text in sentences, made ready to be compared: in Python, always there, the twin of `_kernel.c`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scoresheet.metrics.text.lcs import Positions, union_of_lcs

if TYPE_CHECKING:  # it imports numpy, which the options of a command have no need of
    from scoresheet.metrics.text.lcs_lanes import LaneReference


class Words:
    """The words of a text, cut at full stops and white space, or of sentences that were cut before.

    >>> Words("the cat sat on the mat").union(Words("the cat sat"))
    3
    """

    __slots__ = ("_lane_reference", "_positions", "_sentences", "count")

    def __init__(self, source: str | list[list[str]]) -> None:
        self._sentences = spaced_sentences(source) if isinstance(source, str) else source
        self.count = sum(map(len, self._sentences))
        self._positions: Positions | None = None
        self._lane_reference: LaneReference | Literal[""] | None = None  # '': it is none

    @property
    def types(self) -> int:
        """How many distinct words there are; a blank sentence's empty word counts, as in `rouge`."""
        return len(set().union(*self._sentences))

    def union(self, reference: Words, /) -> int:
        """Return how many distinct words are in the union of the LCSs with the sentences of a reference."""
        if reference._positions is None:
            reference._positions = Positions.of(reference._sentences)
        return union_of_lcs(self._sentences, reference._positions)

    @classmethod
    def comparisons(cls, sources: list[str | list[list[str]]], references: list[Words]) -> list[tuple[int, int, int]]:
        """Return for each text the size of that union with its reference, its distinct words, and its words.

        >>> Words.comparisons(["the cat sat on the mat"], [Words("the cat sat")])
        [(3, 5, 6)]
        """
        from scoresheet.metrics.text.lcs_lanes import MOST_LANES, LanePair, union_sizes

        compared: list[tuple[int | None, int, int]] = []
        pairs = []
        for source, reference in zip(sources, references, strict=True):
            sentences = spaced_sentences(source) if isinstance(source, str) else source
            lanes = reference._lanes()
            pair = LanePair.of(sentences, lanes) if lanes else None
            if pair is not None and pair.lanes <= MOST_LANES:
                pairs.append(pair)
                size = None
            else:  # they are better compared alone
                size = cls(sentences).union(reference)
            compared.append((size, len(set().union(*sentences)), sum(map(len, sentences))))
        sizes = iter(union_sizes(pairs))
        return [(next(sizes) if size is None else size, types, count) for size, types, count in compared]

    def _lanes(self) -> LaneReference | Literal[""]:
        """Return it as a reference that many texts are compared with at once; '' if it is none."""
        if self._lane_reference is None:
            from scoresheet.metrics.text.lcs_lanes import LaneReference

            self._lane_reference = LaneReference.of(self._sentences) or ""
        return self._lane_reference


def spaced_sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence of a text with spaces between words.

    >>> spaced_sentences("It rains. . It  pours..")
    [['It', 'rains'], [''], ['It', 'pours']]
    """
    return [piece.split() or [""] for piece in text.split(".") if piece]
