"""What paired tests draw: signs for the units' differences and units again and again, and what systems sum to then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bootstrap import RESAMPLES, bootstrap_weights

N_PERMUTATIONS: Final = 10_000
_BATCH: Final = 2_000_000  # signs in flight
_FIRST_BIT: Final = np.uint32(1 << 31)  # of a number of 32 bits; of one with a point it is the sign
_MINUS_ONE: Final = np.float32(-1).view(np.uint32)
_IN_CACHE: Final = 200_000  # signs whose sums are made at once, where they are made for the sums alone
_COUNTED_AT_ONCE: Final = 1_000_000  # sums that are counted and not kept
_KEPT: Final = 1_000  # units up to which the signs are kept
_KEPT_BITS: Final = 8_000  # and where a sign is a bit

Table = NDArray[np.float64]


class ResampledSums(NamedTuple):
    """What the scores of a system sum to in each resample."""

    system: Table
    sums: Table  # measure × resample
    sizes: Table  # of each measure, the sum of all scores without their signs


class SystemSums:
    """What the scores of systems sum to under each flip of the units' signs and in each resample, kept for more pairs.

    A system is an array of unit × measure, known by its `id`: it is held as long as its sums are. Nobody asks for the
    sums of a measure with gaps.
    """

    def __init__(self) -> None:
        self._flipped: dict[int, tuple[Table, Table]] = {}
        self._resampled: dict[int, ResampledSums] = {}

    def forget_others(self, systems: Sequence[Table]) -> None:
        """Keep nothing of any systems but these."""
        known = set(map(id, systems))
        self._flipped = {place: own for place, own in self._flipped.items() if place in known}
        self._resampled = {place: own for place, own in self._resampled.items() if place in known}

    def add_flipped(self, systems: Sequence[Table], others: CountedFlips, seed: int, picked: NDArray[np.intp]) -> Table:
        """Make the sums of systems under all flips, and let those of other columns be counted by the way.

        Return the signs of some units that were picked, unit × flip.
        """
        missing = list({id(each): each for each in systems if id(each) not in self._flipped}.values())
        units = len(others.values)
        columns = np.hstack([np.empty((units, 0)), *map(np.nan_to_num, missing)])
        number = min(2**units, N_PERMUTATIONS)
        signs = np.empty((len(picked), number))
        if not len(picked) and are_hits(columns) and are_hits(others.values):
            sums = sums_of_hits(columns, seed)
            others.add_all(seed)
        else:
            sums = np.empty((columns.shape[1], number))
            start = 0
            # the sums take less room than the signs, which are drawn once for all of these
            for batch in flips(units, seed, kept=False) if columns.size or others.values.size or len(picked) else ():
                np.matmul(columns.T, batch.T, out=sums[:, start : start + len(batch)])
                signs[:, start : start + len(batch)] = batch.T[picked]
                others.add(batch)
                start += len(batch)
        parts = np.split(sums, np.cumsum([each.shape[1] for each in missing])[:-1])
        self._flipped |= {id(each): (each, part) for each, part in zip(missing, parts, strict=False)}
        return signs

    def flipped(self, system: Table) -> Table:
        """Return the sums of a system, measure × flip."""
        return self._flipped[id(system)][1]

    def resampled(self, system: Table, seed: int) -> ResampledSums:
        """Return the sums in resamples, by a product of their own: with others beside it, last digits may differ."""
        found = self._resampled.get(id(system))
        if found is None:
            scores = np.nan_to_num(system)
            (sums,) = sums_of_resamples([scores], drawn_weights(len(scores), seed))
            found = self._resampled[id(system)] = ResampledSums(system, sums, np.abs(scores).sum(axis=0))
        return found


class CountedFlips:
    """Columns of differences, and under how many flips of the units' signs each sums to an edge at least, or less it.

    No sum is kept: there are thousands for each column.
    """

    def __init__(self, values: Table, edges: Table) -> None:
        self.values = values
        self.reached = np.zeros(values.shape[1])
        self._edges = edges
        self._sums = np.empty((values.shape[1], 0))  # room for those of some flips, which is asked for once

    def add(self, signs: Table) -> None:
        """Count some more flips, so many at a time that the sums of all columns take little room."""
        together = max(1, _COUNTED_AT_ONCE // max(1, len(self._edges)))
        for start in range(0, len(signs) if self.values.size else 0, together):
            some = signs[start : start + together]
            if self._sums.shape[1] != len(some):
                self._sums = np.empty((len(self._edges), len(some)))
            # a column's flips lie side by side, which makes them quick to count
            np.matmul(self.values.T, some.T, out=self._sums)
            self.reached += counts_reached(self._sums, self._edges)

    def add_all(self, seed: int) -> None:
        """Count all flips."""
        if are_hits(self.values):
            together = max(1, _COUNTED_AT_ONCE // N_PERMUTATIONS)
            for start in range(0, len(self._edges), together):
                some = slice(start, start + together)
                self.reached[some] += counts_reached(sums_of_hits(self.values[:, some], seed), self._edges[some])
        else:
            for signs in flips(len(self.values), seed):
                self.add(signs)


def are_hits(values: Table) -> bool:
    """Return whether values are hits and misses or their differences, 1, 0 and -1, of more units than all flips of."""
    return 2 ** len(values) > N_PERMUTATIONS and bool(((values == 0) | (np.abs(values) == 1)).all())


def sums_of_hits(values: Table, seed: int) -> Table:
    """Return the sums of hits and misses and their differences, which are 1, 0 and -1: by bits, 64 units at a time.

    These are whole numbers, and so the very sums that a product has.
    """
    columns = np.ascontiguousarray(values.T)
    counted, turned = _packed(columns != 0), _packed(columns < 0)
    sums = np.empty((len(columns), N_PERMUTATIONS))
    start = 0
    for batch in _packed_signs(len(values), seed):
        for own, units, minus in zip(sums, counted, turned, strict=True):
            plus = np.bitwise_count((batch ^ minus) & units).sum(axis=1, dtype=np.int64)
            own[start : start + len(batch)] = 2 * plus - np.bitwise_count(units).sum(dtype=np.int64)
        start += len(batch)
    return sums


def counts_reached(sums: Table, edges: Table) -> Table:
    """Return how many sums of each row are as far from 0 as its edge; the rows lose their signs."""
    np.abs(sums, out=sums)
    return np.array([np.count_nonzero(row) for row in sums >= edges[:, None]], dtype=np.float64)


def sums_of_resamples(tables: Sequence[Table], weights: Iterable[Table]) -> list[Table]:
    """Return what each column of tables sums to in each resample, column × resample, by a product for each table.

    All tables are multiplied with some weights before the next, which stay in the processor's cache meanwhile.
    """
    sums = [np.empty((values.shape[1], RESAMPLES)) for values in tables]
    start = 0
    for batch in weights:
        for own, values in zip(sums, tables, strict=True):
            own[:, start : start + len(batch)] = (batch @ values).T
        start += len(batch)
    return sums


def flips(units: int, seed: int, *, kept: bool = True) -> Iterable[Table]:
    """Return signs for every unit: all there are if they are few, else draws, kept for the next pair where wanted."""
    if 2**units <= N_PERMUTATIONS:
        codes = np.arange(2**units)[:, None] >> np.arange(units)
        return (((codes & 1) * 2 - 1).astype(np.float64),)
    if not kept:
        return _drawn_signs(units, seed, _IN_CACHE)
    return _kept_signs(units, seed) if units <= _KEPT else _drawn_signs(units, seed)


def drawn_weights(units: int, seed: int) -> Iterable[Table]:
    """Return how often each unit is drawn in each resample, kept for the next pair likewise."""
    return _kept_weights(units, seed) if units <= _KEPT else bootstrap_weights(units, seed)


def forget_draws() -> None:
    """Keep no signs and no weights any longer."""
    _kept_signs.cache_clear()
    _kept_bits.cache_clear()
    _kept_weights.cache_clear()


@lru_cache(maxsize=1)
def _kept_weights(units: int, seed: int) -> tuple[Table, ...]:
    return tuple(bootstrap_weights(units, seed))


@lru_cache(maxsize=1)
def _kept_signs(units: int, seed: int) -> tuple[Table, ...]:
    return tuple(_drawn_signs(units, seed))


def _packed_signs(units: int, seed: int) -> Iterable[NDArray[np.uint64]]:
    """Return the same signs as bits, flip × 64 units: a set one is a plus."""
    return _kept_bits(units, seed) if units <= _KEPT_BITS else _drawn_bits(units, seed)


@lru_cache(maxsize=1)
def _kept_bits(units: int, seed: int) -> tuple[NDArray[np.uint64], ...]:
    return tuple(_drawn_bits(units, seed))


def _drawn_bits(units: int, seed: int) -> Iterator[NDArray[np.uint64]]:
    return (_packed(drawn >= _FIRST_BIT) for drawn in _drawn_numbers(units, seed, _IN_CACHE))


def _packed(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return rows of truth values as bits, 64 to a number, the last ones of a row filled up with false."""
    packed = np.packbits(rows, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)


def _drawn_signs(units: int, seed: int, batch: int = _BATCH) -> Iterator[Table]:
    """Yield the signs that `Generator.integers(0, 2)` draws, in a third of its time: the first bit of 32 says which."""
    for drawn in _drawn_numbers(units, seed, batch):
        np.bitwise_and(drawn, _FIRST_BIT, out=drawn)
        np.bitwise_xor(drawn, _MINUS_ONE, out=drawn)  # a set bit is a plus
        yield drawn.view("<f4").astype(np.float64)


def _drawn_numbers(units: int, seed: int, batch: int) -> Iterator[NDArray[np.uint32]]:
    """Yield numbers of 32 bits, flip × unit, for some flips at a time: whose they are is the same for any batch."""
    source = np.random.default_rng([seed, units]).bit_generator
    step = max(1, batch // units)
    drawn = np.zeros(0, "<u4")
    for start in range(0, N_PERMUTATIONS, step):
        shape = min(step, N_PERMUTATIONS - start), units
        wanted = shape[0] * units
        more = source.random_raw((wanted - len(drawn) + 1) // 2).astype("<u8", copy=False).view("<u4")
        drawn = np.concatenate([drawn, more]) if len(drawn) else more
        some, drawn = drawn[:wanted], drawn[wanted:].copy()
        yield some.reshape(shape)
