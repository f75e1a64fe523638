"""Paired comparisons: two systems on the same units, by bootstrap and by randomisation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.checks import check_whole, checked_array
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    check_confidence,
    detectable_difference,
    expanded_tail,
    percentile_ends,
    significance_level,
)
from scoresheet.metrics.stats.paired_draws import (
    N_PERMUTATIONS,
    CountedFlips,
    SystemSums,
    counts_reached,
    drawn_weights,
    flips,
    sums_of_resamples,
)

_PICKED_BATCH: Final = 200_000  # differences of all systems from a picked one in flight
_FEW_GAPS: Final = 3  # times as many units as there are with gaps, so that these are looked at by themselves
_PARTS: Final = 16  # pairs whose resampled means are in memory at once
_ROWS: Final = 192  # a multiple of the rows that libraries take at once
_SAME: Final = 1e-9  # sums that differ by less are equal but for the arithmetic's last digits
_TIE: Final = 1e-12  # differences of less are none
_LAST_DIGITS: Final = 1e-10  # of the units' differences: a part that is less than that is the arithmetic's

Scores = Sequence[Sequence[float]] | NDArray[np.float64]  # a row per unit, a column per measure
Pair = tuple[Scores, Scores]  # of two systems, on the same units
_Ends = list[tuple[float, float]]  # of the interval of each measure


class PairedTest(NamedTuple):
    """How two systems differ in one measure, over the units that both have.

    Attributes
    ----------
    units : int
        The units that both have a value for.
    mean, other_mean : float
        The mean of each system over these units.
    difference : float
        The mean difference, the first system less the second.
    low, high : float
        Its expanded percentile bootstrap interval; NaN for fewer than five units.
    p_value : float
        The two-sided p-value of the randomisation test.
    deviation : float
        The standard deviation of the differences; NaN for fewer than two units.
    effect_size : float
        The mean difference over that deviation (Cohen's d of paired units); NaN where there is none.
    wins, ties, losses : int
        The units on which the first system is the higher, neither is, and the second is.
    detectable : float
        The smallest true difference that a test of so many such units mostly finds: in four of five samples.
    """

    units: int
    mean: float
    other_mean: float
    difference: float
    low: float
    high: float
    p_value: float
    deviation: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    detectable: float


_NAN: Final = float("nan")
NOT_COMPARED: Final = PairedTest(0, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, 0, 0, 0, _NAN)


def paired_test(
    ours: ArrayLike, theirs: ArrayLike, *, confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> PairedTest:
    """Return how two systems differ on the same units.

    Parameters
    ----------
    ours, theirs : array_like of float, shape (n_units,)
        The scores of the two systems; the same position is the same unit. A unit that is NaN on either side is left
        out.
    confidence : float, optional
        Level of the interval, and one minus the level of the test that the detectable difference is for.
    seed : int, optional
        Seed of the resamples and, for more units than all signs can be listed for, of the sign flips.

    Returns
    -------
    PairedTest
        Units used, the two means over them, the mean difference with its bootstrap interval, and the two-sided p-value
        of the randomisation test: how often a difference as large arises when each unit's difference has either sign
        with the same chance; effect size, wins, ties and losses, and the difference that could have been shown.

    Raises
    ------
    ValueError
        If the two do not have one dimension and the same length, are empty or hold an infinite value, or the confidence
        or the seed is none.

    References
    ----------
    M. D. Smucker, J. Allan, B. Carterette (2007), A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation, CIKM.

    Examples
    --------
    >>> test = paired_test([0.9, 0.8, 0.7, 0.9, 0.6], [0.5, 0.6, 0.5, 0.7, 0.5])
    >>> test.units, round(test.difference, 3), test.p_value, (test.wins, test.ties, test.losses)
    (5, 0.22, 0.0625, (5, 0, 0))
    """
    first, second = checked_array("ours", ours, 1, gaps=True), checked_array("theirs", theirs, 1, gaps=True)
    if first.shape != second.shape:
        raise ValueError(f"scores must be two rows of one length, not of shapes {first.shape} and {second.shape}")
    check_confidence(confidence)
    check_whole("seed", seed)
    return paired_tests(
        first[:, None].tolist(), second[:, None].tolist(), measures=1, confidence=confidence, seed=seed
    )[0]


def paired_tests(
    ours: Scores,
    theirs: Scores,
    *,
    measures: int,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
    p_values: Sequence[float] | None = None,
) -> list[PairedTest]:
    """Return a comparison for each measure; both sides have a row per unit and a column per measure.

    The interval is that of the mean difference under resampled units. The p-value asks how often a difference as large
    arises when each unit's difference has either sign with the same chance; `p_values` stand in for it where they are
    known from elsewhere.
    """
    if p_values is None or not len(ours):
        return paired_tests_of_all([(ours, theirs)], measures=measures, confidence=confidence, seed=seed)[0]
    table = _Differences.of(ours, theirs)
    return _tests_of_measures([table], [np.asarray(p_values)], _intervals([table], confidence, seed), confidence)[0]


def paired_tests_of_all(
    pairs: Sequence[Pair],
    *,
    measures: int,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
    kept: SystemSums | None = None,
) -> list[list[PairedTest]]:
    """Return the same for many pairs of systems; those with equally many units share a pass over the signs.

    A system that is in several pairs is best given as the same array in all of them; `kept` has what is known of it
    from pairs before.
    """
    tables = [_Differences.of(*pair) for pair in pairs if len(pair[0])]
    sums = kept or SystemSums()
    sums.forget_others([each for table in tables for each in (table.first, table.second)])
    chances = _flipped_p_values(tables, seed, sums)
    tests = iter(_tests_of_measures(tables, chances, _intervals(tables, confidence, seed, sums), confidence))
    return [next(tests) if len(pair[0]) else [NOT_COMPARED] * measures for pair in pairs]


class _Differences(NamedTuple):
    """Two systems on the same units: a row per unit, a column per measure."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    both: NDArray[np.bool_]  # where both have a value
    values: NDArray[np.float64]  # the first less the second; 0 where one of them has no value

    @classmethod
    def of(cls, ours: Scores, theirs: Scores) -> _Differences:
        first, second = np.ascontiguousarray(ours, dtype=float), np.ascontiguousarray(theirs, dtype=float)
        both = ~(np.isnan(first) | np.isnan(second))
        return cls(first, second, both, np.where(both, first - second, 0.0))


def _flipped_p_values(tables: Sequence[_Differences], seed: int, kept: SystemSums) -> list[NDArray[np.float64]]:
    """Return for each table of differences how often flipped signs give a sum as far from 0 as each measure's own."""
    places: dict[int, list[int]] = {}
    for place, table in enumerate(tables):
        places.setdefault(len(table.values), []).append(place)
    found: dict[int, NDArray[np.float64]] = {}
    for units, together in places.items():
        reached = _reached([tables[place] for place in together], seed, kept)
        found |= {place: _chances(own, units) for place, own in zip(together, reached, strict=True)}
    return [found[place] for place in range(len(tables))]


def _reached(tables: Sequence[_Differences], seed: int, kept: SystemSums) -> Iterator[NDArray[np.float64]]:
    """Yield of each table how many flips of the units' signs give a sum as far from 0 as each measure's own."""
    gaps = _gap_units(tables)
    linear = _linear(tables, gaps)
    edges = [np.abs(table.values.sum(axis=0)) - _SAME for table in tables]
    apart = [np.flatnonzero(~own) for own in linear]
    values = np.hstack([table.values[:, columns] for table, columns in zip(tables, apart, strict=True)])
    counted = CountedFlips(values, np.hstack([own[columns] for own, columns in zip(edges, apart, strict=True)]))
    picked = np.empty((0, 0))
    if not np.any(linear):
        counted.add_all(seed)
    else:
        systems = [each for table in tables for each in (table.first, table.second)]
        picked = kept.add_flipped(systems, counted, seed, gaps)
    ends = np.cumsum([len(columns) for columns in apart])[:-1]
    flipped = np.empty((0, 0))  # room for a table's sums
    for table, edge, columns, own in zip(tables, edges, apart, np.split(counted.reached, ends), strict=True):
        reached = np.zeros(len(edge))
        if len(columns) < len(edge):
            ours, theirs = kept.flipped(table.first), kept.flipped(table.second)
            flipped = flipped if flipped.shape == ours.shape else np.empty_like(ours)
            np.subtract(ours, theirs, out=flipped)
            if len(gaps):
                places, beyond = _beyond_pairs(table, gaps)
                flipped[places] -= beyond.T @ picked
            reached += counts_reached(flipped, edge)
        reached[columns] = own
        yield reached


def _gap_units(tables: Sequence[_Differences]) -> NDArray[np.intp]:
    """Return the units that some system has no value for, if they are few among all."""
    gaps = np.flatnonzero(np.any([~table.both.all(axis=1) for table in tables], axis=0))
    return gaps if len(gaps) * _FEW_GAPS <= len(tables[0].both) else np.zeros(0, np.intp)


def _beyond_pairs(table: _Differences, gaps: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the measures with a gap, and what the difference of the systems' own sums has there beyond the pairs'.

    That is gap × measure: the value of the one system where the other has none.
    """
    places = np.flatnonzero(~table.both.all(axis=0))
    at = np.ix_(gaps, places)
    return places, np.nan_to_num(table.first[at]) - np.nan_to_num(table.second[at]) - table.values[at]


def _linear(tables: Sequence[_Differences], gaps: NDArray[np.intp]) -> list[NDArray[np.bool_]]:
    """Return for each table of which measures the flipped sums are the systems' own, with fewer of these to make.

    The sum of a difference is the difference of the sums, but for the arithmetic's last digits: they have to stay far
    below what counts as equal. A unit that a system has no value for is in no difference: so both must have all, or the
    `gaps` are known, and what their units add is taken away again.
    """
    systems = {id(each): each for table in tables for each in (table.first, table.second)}
    measures = tables[0].values.shape[1]
    if len(systems) >= len(tables):
        return [np.zeros(measures, dtype=bool)] * len(tables)
    largest = np.max([np.abs(np.nan_to_num(each)).sum(axis=0) for each in systems.values()], axis=0)
    small = np.finfo(np.float64).eps * np.sqrt(len(tables[0].values)) * largest < _SAME / 10
    return [small if len(gaps) else small & table.both.all(axis=0) for table in tables]


class _Part(NamedTuple):
    """Measures of a table that both systems have for the same units."""

    number: int  # of the table
    places: list[int]  # of the measures
    units: int
    known: NDArray[np.bool_] | None  # which units; None for all of them

    def rows(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return these measures of these units, measure × unit, from unit × measure."""
        own = columns if self.known is None else columns[self.known]
        return np.ascontiguousarray(own[:, self.places].T)


def _parts_by_units(tables: Sequence[_Differences]) -> Mapping[int, list[_Part]]:
    """Return the parts of all tables, those together that have equally many units."""
    found: dict[int, list[_Part]] = {}
    for number, table in enumerate(tables):
        every, measures = table.both.shape
        together: dict[bytes, list[int]] = {b"": list(range(measures))}
        if not table.both.all():
            together = {}
            for place, known in enumerate(np.ascontiguousarray(table.both.T)):
                together.setdefault(known.tobytes(), []).append(place)
        for places in together.values():
            own = table.both[:, places[0]]
            units = int(np.count_nonzero(own))
            found.setdefault(units, []).append(_Part(number, places, units, None if units == every else own))
    return found


def _tests_of_measures(
    tables: Sequence[_Differences], chances: Sequence[NDArray[np.float64]], ends: Sequence[_Ends], confidence: float
) -> list[list[PairedTest]]:
    """Return a comparison for each measure of each table, given their p-values and intervals."""
    tests = [[NOT_COMPARED] * table.both.shape[1] for table in tables]
    # over all units, with 0 where a value is missing: the sums that those of flipped signs were held against
    totals = [np.ascontiguousarray(table.values.T).sum(axis=1).tolist() for table in tables]
    means_of = _Means()
    for units, parts in _parts_by_units(tables).items():
        if not units:
            continue
        rows = np.concatenate([part.rows(tables[part.number].values) for part in parts])
        deviations = rows.std(axis=1, ddof=1).tolist() if units > 1 else [np.nan] * len(rows)
        wins, losses = (np.count_nonzero(side, axis=1).tolist() for side in (rows > _TIE, rows < -_TIE))
        row = 0
        for part in parts:
            table, number = tables[part.number], part.number
            both_means = zip(means_of(table.first, part), means_of(table.second, part), strict=True)
            for place, (mean, other_mean) in zip(part.places, both_means, strict=True):
                difference, deviation = _exact(totals[number][place] / units), deviations[row]
                low, high = ends[number][place]
                tests[number][place] = PairedTest(
                    units=units,
                    mean=mean,
                    other_mean=other_mean,
                    difference=difference,
                    low=low,
                    high=high,
                    p_value=float(chances[number][place]),
                    deviation=deviation,
                    effect_size=difference / deviation if deviation > _TIE else np.nan,
                    wins=wins[row],
                    ties=units - wins[row] - losses[row],
                    losses=losses[row],
                    detectable=detectable_difference(deviation, units, confidence=confidence),
                )
                row += 1
    return tests


class _Means:
    """The means of systems, those over all units made once for all pairs that a system is in."""

    def __init__(self) -> None:
        self._known: dict[int, list[float]] = {}  # by the array, which lives as long as this

    def __call__(self, system: NDArray[np.float64], part: _Part) -> list[float]:
        """Return the mean of each measure of a part."""
        if part.known is not None:
            return list(part.rows(system).mean(axis=1).tolist())
        if id(system) not in self._known:
            self._known[id(system)] = np.ascontiguousarray(system.T).mean(axis=1).tolist()
        every = self._known[id(system)]
        return [every[place] for place in part.places]


def _chances(reached: NDArray[np.float64], units: int) -> NDArray[np.float64]:
    """Return the p-values of what so many of the flips reached."""
    listed = 2**units <= N_PERMUTATIONS
    return reached / 2**units if listed else (1 + reached) / (1 + N_PERMUTATIONS)


class PickedTests(NamedTuple):
    """Systems against the one of them that was picked as the best on the same units."""

    p_values: NDArray[np.float64]  # system × measure; NaN where nothing is shared
    critical: NDArray[np.float64]  # the difference that is just beyond chance after the correction, likewise


def picked_tests(
    leads: Callable[[int], NDArray[np.float64]],
    rivals: int,
    *,
    headline: int,
    higher: bool,
    levels: Sequence[float],
    seed: int = 0,
) -> PickedTests:
    """Return p-values of differences from the best system that know it was picked on these very units.

    `leads` gives for a measure unit × system: the best system's value less the system's, NaN where either has none;
    `rivals` is how many systems have any. The signs
    of a unit's differences are flipped together for all systems, the best one is picked again by the headline (`higher`
    says by which end), and its differences from each system are those that chance makes. With all systems equal this
    is how the real best one came to lead; where some are worse, chance leads by less. The best one itself might have
    been any of these, so that there is one hypothesis more than systems it is held against, which the p-values pay for:
    of two systems they are those of the two-sided test. `levels` has the level of a single test in each measure.
    """
    measures = len(levels)
    more = (rivals + 1) / rivals
    picked: list[NDArray[np.int64]] = []  # by batch of flips: who leads
    is_itself: list[NDArray[np.bool_]] = []  # where the one that led leads again: its difference from itself is 0
    p_values, critical = [np.empty(0)] * measures, [np.empty(0)] * measures
    room = np.empty((0, 0))  # for the differences of one batch after the other: two of them would take twice as much
    for measure in (headline, *(place for place in range(measures) if place != headline)):
        values = leads(measure)
        units, systems = values.shape
        number = min(2**units, N_PERMUTATIONS)
        known = ~np.isnan(values)
        counts = known.sum(axis=0)
        values = np.where(known, values, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            edge = np.abs(values.sum(axis=0) / counts) - _SAME / max(units, 1)
        own = values / np.maximum(counts, 1)
        reached = np.zeros(systems)
        # the quantile is one of the largest differences: those are kept, and not what all flips make of all systems
        kept = number - int(np.ceil((number - 1) * (1 - levels[measure] / more)))
        largest = np.empty((0, systems))
        for batch, signs in enumerate(_some_at_a_time(flips(units, seed), systems)):
            room = room if len(room) >= len(signs) else np.empty((len(signs), systems))
            chance = np.matmul(signs, own, out=room[: len(signs)])
            if measure == headline:
                picked.append(chance.argmin(axis=1) if higher else chance.argmax(axis=1))
                ahead = np.take_along_axis(chance, picked[batch][:, None], axis=1)[:, 0]
                is_itself.append(ahead >= 0 if higher else ahead <= 0)
            leader = np.take_along_axis(chance, picked[batch][:, None], axis=1)[:, 0]
            chance -= np.where(is_itself[batch], 0.0, leader)[:, None]
            np.abs(chance, out=chance)
            reached += (chance >= edge).sum(axis=0)
            largest = _largest(np.concatenate([largest, _largest(chance, kept)]), kept)
        p_values[measure] = np.where(counts > 0, np.minimum(1.0, more * _chances(reached, units)), np.nan)
        critical[measure] = np.where(counts > 0, largest.min(axis=0), np.nan)
    return PickedTests(np.column_stack(p_values), np.column_stack(critical))


def _some_at_a_time(signs: Iterable[NDArray[np.float64]], systems: int) -> Iterator[NDArray[np.float64]]:
    """Yield flips of signs, so many at once that the differences of all systems fit into memory.

    Products are made of some rows at a time, and what is left over at the end is summed in another way, which may
    change the last digit: so the flips are cut where such rows end.
    """
    most = max(1, _PICKED_BATCH // systems // _ROWS) * _ROWS
    return (batch[start : start + most] for batch in signs for start in range(0, len(batch), most))


def _largest(rows: NDArray[np.float64], kept: int) -> NDArray[np.float64]:
    """Return so many of the largest values of each column, in no order; the rows lose theirs."""
    if len(rows) <= kept:
        return rows
    if kept == 1:
        return np.asarray(rows.max(axis=0, keepdims=True))
    rows.partition(len(rows) - kept, axis=0)
    return rows[len(rows) - kept :].copy()


def _exact(difference: float) -> float:
    """Return a difference that is nothing but the arithmetic's last digits as none."""
    return 0.0 if abs(difference) < 1e-15 else difference


def least_p_value(units: int) -> float:
    """Return the smallest p-value that so many units can give: all differences with one sign, or all with the other.

    >>> least_p_value(5)
    0.0625
    """
    return max(2.0 ** (1 - units), 1 / (1 + N_PERMUTATIONS)) if units else 1.0


def why_not_shown(test: PairedTest, noun: str, *, tests: int = 1, confidence: float = CONFIDENCE_LEVEL) -> str:
    """Return why a corrected p-value shows no difference, with the smallest one that this sample could have shown.

    >>> ours = np.linspace(0, 1, 30)
    >>> why_not_shown(paired_test(ours, ours[::-1]), "queries")
    'no difference shown; 0.321 could have been'
    >>> why_not_shown(paired_test(ours[:5], ours[5:10]), "queries"), why_not_shown(paired_test(ours, ours), "queries")
    ('too few queries to tell', 'equal on all 30 queries')
    """
    if test.ties == test.units:
        return f"equal on all {test.units:,} {noun}"
    least = least_p_value(test.units)
    # corrected for their number, not even the plainest case would be a finding
    if tests * least >= significance_level(confidence):
        return f"too few {noun} to tell" if least > 1 / (1 + N_PERMUTATIONS) else "too many pairs to tell"
    return f"no difference shown; {test.detectable:.3f} could have been"


def _intervals(
    tables: Sequence[_Differences], confidence: float, seed: int, kept: SystemSums | None = None
) -> list[_Ends]:
    """Return for each table the expanded percentile interval of each measure's mean difference.

    What is drawn are the units that have the measure, so that every resample has a value; measures that the same units
    have are resampled together. `kept` has the sums of systems.
    """
    ends: list[_Ends] = [[(np.nan, np.nan)] * table.both.shape[1] for table in tables]
    for units, parts in _parts_by_units(tables).items():
        if units < FEWEST_CLUSTERS:
            continue
        for start in range(0, len(parts), _PARTS):
            some = parts[start : start + _PARTS]
            sizes = [np.abs(tables[part.number].values[:, part.places]).sum(axis=0) for part in some]
            means = np.concatenate(_resampled_sums([tables[part.number] for part in some], some, sizes, seed, kept))
            means /= units
            found = np.array(percentile_ends(means, expanded_tail(confidence, units)))
            found[np.abs(found) < _LAST_DIGITS * np.concatenate(sizes) / units] = 0.0
            measures = ((part.number, place) for part in some for place in part.places)
            for (number, place), low, high in zip(measures, *found.tolist(), strict=True):
                ends[number][place] = (low, high)
    return ends


def _resampled_sums(
    tables: Sequence[_Differences],
    parts: Sequence[_Part],
    sizes: Sequence[NDArray[np.float64]],
    seed: int,
    kept: SystemSums | None,
) -> list[NDArray[np.float64]]:
    """Return what the differences in parts of as many units sum to in each resample of these: measure × resample."""
    own = [place for place, part in enumerate(parts) if kept is None or part.known is not None]
    values = [parts[place].rows(tables[place].values).T for place in own]
    found = dict(zip(own, sums_of_resamples(values, drawn_weights(parts[0].units, seed)), strict=True)) if own else {}
    if kept is not None:
        for place, part in enumerate(parts):
            if place not in found:
                found[place] = _sums_of_systems(tables[place], part, sizes[place], seed, kept)
    return [found[place] for place in range(len(parts))]


def _sums_of_systems(
    table: _Differences, part: _Part, sizes: NDArray[np.float64], seed: int, kept: SystemSums
) -> NDArray[np.float64]:
    """Return the same of a part whose units are all, by what the systems sum to.

    The sum of a difference is the difference of the systems' sums, which serve all pairs that a system is in; but not
    where systems are so nearly the same that little more than the arithmetic's last digits would be left. `sizes` has
    what the differences sum to without their signs. Each product is that of one table, or of one system: with others
    beside it, its last digits may differ.
    """
    places = part.places
    first, second = kept.resampled(table.first, seed), kept.resampled(table.second, seed)
    sums = first.sums[places] - second.sums[places]
    lost = np.finfo(np.float64).eps * np.sqrt(part.units) * np.maximum(first.sizes, second.sizes)[places]
    is_near = lost > _LAST_DIGITS * sizes
    if is_near.any():
        near = [place for place, own in zip(places, is_near.tolist(), strict=True) if own]
        (sums[is_near],) = sums_of_resamples([table.values[:, near]], drawn_weights(part.units, seed))
    return sums
