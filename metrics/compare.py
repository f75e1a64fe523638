"""Models compared on the units they share: paired differences, tested and corrected; one for all families."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, combinations, repeat
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.keys import join_key
from scoresheet.metrics.measures import Direction
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    POWER,
    detectable_difference,
    significance_level,
    t_quantile,
)
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.paired_draws import SystemSums, forget_draws
from scoresheet.metrics.stats.randomisation import (
    NOT_COMPARED,
    PairedTest,
    PickedTests,
    paired_tests,
    paired_tests_of_all,
    picked_tests,
    why_not_shown,
)
from scoresheet.metrics.stored_columns import ArrayStore, Texts
from scoresheet.metrics.stored_values import HELD_BYTES, MadeMapping, ValueStore
from scoresheet.metrics.text_columns import joined_texts, sorted_places

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_UNITS: Final = 5_000  # of a test; with more, a seeded sample of them
_TOGETHER: Final = 32  # pairs of models tested in one pass over the sign flips, at least
_AT_ONCE: Final = 4_000_000  # differences in as many more pairs as are tested in one pass where units are few
_SUMS_AT_ONCE: Final = 1_500_000  # what their measures sum to in all resamples, likewise
MOST_MODELS: Final = 30  # every two of which are compared; of more, each with the best alone


@dataclass(frozen=True)
class Pairing:
    """Which models are compared with which."""

    against: str = ""  # each with this one alone; '': every two, or each with the best where they are many
    wanted: bool = True  # whether models are compared at all; they are ranked in any case
    only: tuple[tuple[str, str], ...] = ()  # these pairs and no others
    # hears how many pairs are compared, and of how many
    tell: Callable[[int, int], None] = field(default=lambda _done, _of: None, compare=False, repr=False)


EVERY_TWO: Final = Pairing()  # as long as they are few


@dataclass(frozen=True)
class ComparedBy:
    """By what the models of a family are compared: the measures, and where its written tables hold them."""

    measures: tuple[str, ...]
    headline: str
    units: str  # what is paired, in the plural
    first: Direction | None  # which end of the headline stands first
    better: Direction | None  # and whether that is praise: gates on a drop go by it
    key: tuple[str, ...]  # columns that name a unit
    sheet: str = "Sheet"
    table: str = ""  # which table of a model holds them: '' that of its units, else the further one of this name


class KeyedValues(NamedTuple):
    """One sheet's units that can be paired: the key of each, and its measures, a column each."""

    keys: Sequence[str]
    values: Numbers


@dataclass(frozen=True)
class ComparedUnits:
    """A model's units with a key: which key, which sheet, and the measures compared."""

    keys: Sequence[str]
    sheets: tuple[str, ...]
    key_of: NDArray[np.int32]
    sheet_of: NDArray[np.int32]
    values: Numbers  # a row per unit

    @classmethod
    def of_sheets(cls, sheets: Mapping[str, KeyedValues]) -> ComparedUnits | None:
        """Return the units of a model's sheets; None where no unit has a key."""
        coded = joined_texts([sheet.keys for sheet in sheets.values()])
        if not len(coded.values):
            return None
        sheet_of = np.repeat(np.arange(len(sheets), dtype=np.int32), [len(sheet.keys) for sheet in sheets.values()])
        own = [sheet.values for sheet in sheets.values()]
        keys = coded.values if isinstance(coded.values, Texts) else tuple(coded.values)
        return cls(keys, tuple(sheets), coded.codes, sheet_of, own[0] if len(own) == 1 else np.vstack(own))

    @classmethod
    def of_different(cls, sheet: str, keys: Sequence[str], values: Numbers) -> ComparedUnits | None:
        """Return the same of one sheet where no two units have the same key."""
        if not len(keys):
            return None
        places = np.arange(len(keys), dtype=np.int32)
        return cls(keys if isinstance(keys, Texts) else tuple(keys), (sheet,), places, np.zeros_like(places), values)

    @classmethod
    def of_table(cls, table: pd.DataFrame, by: ComparedBy) -> ComparedUnits | None:
        """Return the units that a written table holds, whose cells are texts; a row without a key cannot be paired."""
        columns = [[join_key(cell) for cell in table[name]] for name in by.key]
        keys = ["\n".join(parts) if all(parts) else "" for parts in zip(*columns, strict=True)]
        values = np.column_stack([number_cells(table[name]) for name in by.measures])
        rows: dict[str, list[int]] = {}
        for row, sheet in enumerate(table[by.sheet] if by.sheet else [""] * len(table)):
            own = rows.setdefault(sheet, [])
            if keys[row]:
                own.append(row)
        return cls.of_sheets({name: KeyedValues([keys[row] for row in own], values[own]) for name, own in rows.items()})

    def unit_counts(self, measure: int) -> Counter[tuple[str, str]]:
        """Return how many units with a measure each sheet has of each key."""
        known = np.flatnonzero(~np.isnan(self.values[:, measure])).tolist()
        return Counter((self.sheets[self.sheet_of[unit]], self.keys[self.key_of[unit]]) for unit in known)

    def defined_keys(self, measure: int) -> int:
        """Return how many keys have a measure on any sheet."""
        is_defined = np.zeros(len(self.keys), dtype=bool)
        is_defined[self.key_of[~np.isnan(self.values[:, measure])]] = True
        return int(np.count_nonzero(is_defined))

    def means_in_order(self, measure: int) -> Numbers:
        """Return the mean of each key that has a measure, by key, of a model of one sheet."""
        means = _group_means(self.key_of, self.values[:, measure], len(self.keys))[sorted_places(self.keys)]
        return means[~np.isnan(means)]

    def means(self, keys: Sequence[str], sheets: Sequence[str]) -> Numbers:
        """Return the measures' means, key × sheet × measure; NaN where there is none."""
        index = dict(zip(keys, range(len(keys)), strict=True))
        columns = {name: position for position, name in enumerate(sheets)}
        row_of = np.array(list(map(index.get, self.keys, repeat(-1))), dtype=np.int64)[self.key_of]
        column_of = np.array([columns.get(name, -1) for name in self.sheets], dtype=np.int64)[self.sheet_of]
        units = np.flatnonzero((row_of >= 0) & (column_of >= 0))
        cells = row_of[units] * len(sheets) + column_of[units]
        shape = (len(keys), len(sheets))
        means = [_group_means(cells, measure, len(keys) * len(sheets)) for measure in self.values[units].T]
        return np.stack([each.reshape(shape) for each in means], axis=2)


@dataclass(frozen=True)
class PairedDifference:
    """Two models in one measure, over the units that both have it for."""

    model: str
    other: str
    measure: str
    test: PairedTest
    p_holm: float
    exploratory: bool  # not the headline measure: corrected apart from it
    finding: str  # in words
    shown: bool  # whether the difference is shown at the level of the run


@dataclass(frozen=True)
class Standing:
    """Where a model stands in the headline measure among the models of a run."""

    units: int  # of its own that have the measure
    shared: int  # of these, units that every ranked model has it for
    on_shared: float  # its mean over the shared units
    rank: int | None  # by that mean, 1 is the best; None where nothing is shared, or the measure has no direction


@dataclass(frozen=True)
class PairedComparison:
    """Every two models of a run over the units they share, and where each stands."""

    units: str = "units"  # what is paired, in the plural
    headline: str = ""
    better: Direction | None = None
    confidence: float = CONFIDENCE_LEVEL
    differences: Sequence[PairedDifference] = ()
    standings: Mapping[str, Standing] = field(default_factory=dict)
    method: str = ""  # how two models are compared, in words, where it is not by the paired units themselves
    against: str = ""  # the one model that all others are compared with; '': every two are
    picked: bool = False  # whether that is so because it is the best of these very data

    @property
    def ranked(self) -> list[str]:
        """The models that have a rank."""
        return [model for model, standing in self.standings.items() if standing.rank is not None]

    @property
    def same_units(self) -> bool:
        """Whether all models have the headline for the same units."""
        return all(standing.units == standing.shared for standing in self.standings.values())

    @property
    def hypotheses(self) -> tuple[int, int]:
        """How many p-values were corrected together: of the headline, and of all else."""
        tested = [each.exploratory for each in self.differences if not math.isnan(each.p_holm)]
        return tested.count(False), tested.count(True)

    def of_headline(self) -> list[PairedDifference]:
        """Return the pairs in the headline measure."""
        return [each for each in self.differences if not each.exploratory]


class ChosenPairs(NamedTuple):
    """The pairs of models that are compared, and the one model that is in all of them, if there is one."""

    pairs: tuple[tuple[str, str], ...]
    against: str = ""
    picked: bool = False  # whether it is the best of these very data


def choose_pairs(models: Sequence[str], standings: Mapping[str, Standing], pairing: Pairing) -> ChosenPairs:
    """Return which models are compared with which: every two, each with the one named, or, of many, with the best.

    >>> choose_pairs(["a", "b", "c"], {}, Pairing(against="b")).pairs
    (('a', 'b'), ('c', 'b'))
    """
    if not pairing.wanted:
        return ChosenPairs(())
    if pairing.only:
        return ChosenPairs(pairing.only)
    if pairing.against:
        return ChosenPairs(_with_one(models, pairing.against), pairing.against)
    if len(models) <= MOST_MODELS:
        return ChosenPairs(tuple(combinations(models, 2)))

    def place(model: str) -> tuple[float, int, str]:
        standing = standings.get(model, Standing(0, 0, math.nan, None))
        return (math.inf if standing.rank is None else standing.rank, -standing.units, model)

    best = min(models, key=place)
    return ChosenPairs(_with_one(models, best), best, picked=True)


def _with_one(models: Sequence[str], one: str) -> tuple[tuple[str, str], ...]:
    return tuple((model, one) for model in models if model != one)


def compare_units(  # noqa: PLR0913 - what is compared, and how
    models: Mapping[str, ComparedUnits | None],
    measures: Sequence[str],
    *,
    headline: str,
    better: Direction | None,
    units: str,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
    pairing: Pairing = EVERY_TWO,
) -> PairedComparison:
    """Return pairs of models, measure by measure, in the order of the models; `units` names what is paired.

    The headline's p-values over all pairs of models are one family for Holm's correction, those of all other measures
    a second one.
    """
    column = list(measures).index(headline)
    tables, sums = _SharedTables(), SystemSums()
    few = len(models) <= MOST_MODELS
    models = dict(models) if few else models  # many are looked at one after the other
    standings = _standings(models, column, better, tables if few else None)  # the same tables are compared next
    chosen = choose_pairs(list(models), standings, pairing)
    size = len(measures)
    tests: Sequence[list[PairedTest]]
    p_values: Numbers | None = None
    critical: Numbers | None = None
    if chosen.picked:
        tests, (p_values, critical) = _tests_with_best(models, chosen, column, size, better, confidence, seed, pairing)
    else:
        tests = []
        most = min(_AT_ONCE // (size * _most_units(models)), _SUMS_AT_ONCE // (size * RESAMPLES))
        together = max(_TOGETHER, most) if few else _TOGETHER
        for start in range(0, len(chosen.pairs), together):
            pairs = chosen.pairs[start : start + together]
            own: Mapping[str, ComparedUnits | None] = models
            if not few:  # each is made when it is asked for: once for these pairs, and they are forgotten with them
                own, tables = {name: models[name] for name in {*chain(*pairs)}}, _SharedTables()
            scores = [_scores(own[one], own[other], size, seed, tables) for one, other in pairs]
            tests += paired_tests_of_all(scores, measures=size, confidence=confidence, seed=seed, kept=sums)
            pairing.tell(len(tests), len(chosen.pairs))
    if p_values is None:
        p_values = np.array([[test.p_value for test in own] for own in tests]).reshape(len(chosen.pairs), size)
    corrected, numbers = _corrected(p_values, column)
    level = significance_level(confidence)

    def differences() -> Iterator[PairedDifference]:
        for pair, ((one, other), own) in enumerate(zip(chosen.pairs, tests, strict=True)):
            for place, (test, p_value, p_holm) in enumerate(
                zip(own, p_values[pair].tolist(), corrected[pair].tolist(), strict=True)
            ):
                number = numbers[place]
                beyond = None if critical is None else float(critical[pair, place])
                detectable = _detectable(test, number, confidence, beyond)
                test = test._replace(p_value=p_value, detectable=detectable)  # noqa: PLW2901 - now known
                finding = _finding(one, other, test, p_holm, units, number, confidence)
                is_exploratory = place != column
                yield PairedDifference(
                    one, other, measures[place], test, p_holm, is_exploratory, finding, p_holm < level
                )

    return PairedComparison(
        units,
        headline,
        better,
        confidence,
        tuple(differences()) if few else ValueStore().sequence(differences()),
        standings,
        against=chosen.against,
        picked=chosen.picked,
    )


def _most_units(models: Mapping[str, ComparedUnits | None]) -> int:
    """Return how many units a test may be over."""
    return max(1, min(MOST_UNITS, max((len(own.keys) for own in models.values() if own is not None), default=1)))


def _corrected(p_values: Numbers, headline: int) -> tuple[Numbers, list[int]]:
    """Return p-values, pair × measure, after Holm's correction, and with how many others each measure was corrected."""
    corrected = np.empty_like(p_values)
    numbers = [0] * p_values.shape[1]
    for exploratory in (False, True):
        family = [place for place in range(len(numbers)) if (place != headline) == exploratory]
        found = np.array(holm(p_values[:, family].ravel().tolist()))
        corrected[:, family] = found.reshape(len(p_values), len(family))
        for place in family:
            numbers[place] = int((~np.isnan(found)).sum())
    return corrected, numbers


def _detectable(test: PairedTest, tests: int, confidence: float, beyond: float | None) -> float:
    """Return the smallest difference that is mostly found; `beyond` is where chance ends, if that was simulated."""
    if beyond is None or math.isnan(beyond):
        return detectable_difference(test.deviation, test.units, confidence=confidence, tests=max(1, tests))
    if test.units < 2:
        return math.nan
    return beyond + t_quantile(POWER, test.units - 1) * test.deviation / math.sqrt(test.units)


def _tests_with_best(  # noqa: PLR0913, PLR0917 - what is compared, and how
    models: Mapping[str, ComparedUnits | None],
    chosen: ChosenPairs,
    headline: int,
    measures: int,
    better: Direction | None,
    confidence: float,
    seed: int,
    pairing: Pairing,
) -> tuple[Sequence[list[PairedTest]], PickedTests]:
    """Return for each measure of each model a test against the best one, and what is known of all of them together."""
    best = models[chosen.against]
    if best is None:
        nothing = np.full((len(chosen.pairs), measures), np.nan)
        return [[NOT_COMPARED] * measures for _ in chosen.pairs], PickedTests(nothing, nothing)
    keys = _sampled(sorted(best.keys), seed)
    place = {key: row for row, key in enumerate(keys)}
    leads = ArrayStore(HELD_BYTES, must_stay=True)  # key × measure, of one model after the other
    compared: list[str] = []  # models that share anything with it
    unknown = [math.nan] * measures  # the p-values are those of all models together

    def tests_with_best() -> Iterator[list[PairedTest]]:
        for done, (model, _) in enumerate(chosen.pairs, start=1):
            own = models[model]
            shared = [] if own is None else sorted(key for key in own.keys if key in place)
            lead = np.full((len(keys), measures), np.nan)
            ours = theirs = np.empty((0, measures))
            if own is not None and shared:
                ours, theirs = _on_shared([own, best], shared)
                lead[[place[key] for key in shared]] = theirs - ours
                both = ~np.isnan(ours - theirs).all(axis=1)
                ours, theirs = ours[both], theirs[both]
            leads.add(lead)
            compared.extend([model] if len(ours) else [])
            yield paired_tests(ours, theirs, measures=measures, confidence=confidence, seed=seed, p_values=unknown)
            pairing.tell(done, len(chosen.pairs))

    def leads_in(measure: int) -> Numbers:
        table = np.empty((len(keys), len(chosen.pairs)))
        for column, lead in enumerate(leads.pieces()):
            table[:, column] = lead[:, measure]
        return table

    tests = ValueStore().sequence(tests_with_best())
    number = max(1, len(compared))
    level = significance_level(confidence)
    levels = [level / (number if each == headline else number * (measures - 1)) for each in range(measures)]
    found = picked_tests(leads_in, number, headline=headline, higher=better != "lower", levels=levels, seed=seed)
    forget_draws()  # what follows needs the room
    return tests, found


def _sampled(keys: list[str], seed: int) -> list[str]:
    """Return the keys that a test is over: all, or a seeded sample of many."""
    if len(keys) <= MOST_UNITS:
        return keys
    chosen = np.sort(np.random.default_rng(seed).choice(len(keys), MOST_UNITS, replace=False))
    return [keys[index] for index in chosen.tolist()]


class _SharedTables:
    """Means of models by key and sheet, kept from pair to pair as long as pairs share the same keys and sheets.

    What is kept of a model is known by the model's `id`, and so the model is held beside it: the place of one that is
    gone would soon be another's.
    """

    def __init__(self) -> None:
        self._key_sets: dict[int, tuple[ComparedUnits, frozenset[str]]] = {}
        self._different: dict[frozenset[str], frozenset[str]] = {}
        self._keys: tuple[frozenset[str], list[str]] = (frozenset(), [])  # of the last pair, and those that are tested
        self._shared: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._tables: dict[int, tuple[ComparedUnits, _KeyTable]] = {}

    def shared_keys(self, ours: ComparedUnits, theirs: ComparedUnits, seed: int) -> list[str]:
        """Return the keys that both models have, or a sample of many."""
        first, second = self.key_set(ours), self.key_set(theirs)
        shared = first if first is second else first & second
        if self._keys[0] is not shared and self._keys[0] != shared:
            self._keys = (shared, _sampled(sorted(shared), seed))
        return self._keys[1]

    def key_set(self, model: ComparedUnits) -> frozenset[str]:
        """Return the keys of a model, those of models that have the same as one object."""
        if id(model) not in self._key_sets:
            own = frozenset(model.keys)
            self._key_sets[id(model)] = (model, self._different.setdefault(own, own))
        return self._key_sets[id(model)][1]

    def of(self, model: ComparedUnits, keys: Sequence[str], sheets: Sequence[str]) -> _KeyTable:
        """Return the means of a model for these keys on these sheets."""
        if self._shared != (keys, sheets):
            self._shared = (keys, sheets)
            self._tables = {}
        if id(model) not in self._tables:
            self._tables[id(model)] = (model, _KeyTable.of(model.means(keys, sheets)))
        return self._tables[id(model)][1]


class _KeyTable(NamedTuple):
    """The means of a model's measures: key × sheet × measure, and over sheets."""

    by_sheet: Numbers
    over_sheets: Numbers
    missing: NDArray[np.bool_] | None  # where there is none; None if there is one everywhere

    @classmethod
    def of(cls, by_sheet: Numbers) -> _KeyTable:
        missing = np.isnan(by_sheet)
        return cls(by_sheet, _defined_mean(by_sheet), missing if missing.any() else None)


def _scores(
    ours: ComparedUnits | None, theirs: ComparedUnits | None, measures: int, seed: int, tables: _SharedTables
) -> tuple[Numbers, Numbers]:
    """Return the measures of two models for the keys that both have.

    A key is compared on the sheets of the same name where both have it; if no sheet has a name in common, whatever
    there is on the one side with whatever there is on the other.
    """
    if ours is None or theirs is None:
        return np.empty((0, measures)), np.empty((0, measures))
    shared = tables.shared_keys(ours, theirs, seed)
    first, second = _on_shared([ours, theirs], shared, tables)
    both = ~np.isnan(first - second).all(axis=1)
    return (first, second) if both.all() else (first[both], second[both])  # the same arrays for the model's next pair


def _on_shared(
    models: Collection[ComparedUnits], keys: Sequence[str], kept: _SharedTables | None = None
) -> Iterator[Numbers]:
    """Yield for each model the measures' means by key, over the sheets on which all of them have the key."""
    if len(models) <= MOST_MODELS:
        models = list(models)  # each may be made anew whenever it is asked for
    sheets = list(next(iter(models)).sheets)
    for model in models:
        sheets = [name for name in sheets if name in model.sheets]
    if not sheets:
        yield from (_defined_mean(model.means(keys, model.sheets)) for model in models)
        return
    if kept is None and len(models) <= MOST_MODELS:
        kept = _SharedTables()

    def table_of(model: ComparedUnits) -> _KeyTable:
        return _KeyTable.of(model.means(keys, sheets)) if kept is None else kept.of(model, keys, sheets)

    missing: NDArray[np.bool_] | None = None
    if len(sheets) > 1:  # one sheet's own gaps are those of its mean
        for model in models:
            gaps = table_of(model).missing
            if gaps is not None:
                missing = gaps if missing is None else missing | gaps
    for model in models:
        table = table_of(model)
        yield table.over_sheets if missing is None else _defined_mean(np.where(missing, np.nan, table.by_sheet))


def _defined_mean(table: Numbers) -> Numbers:
    """Return the mean over sheets of what is defined, key × measure."""
    known = ~np.isnan(table)
    counts = known.sum(axis=1)
    sums = np.where(known, table, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _standings(
    models: Mapping[str, ComparedUnits | None], headline: int, better: Direction | None, kept: _SharedTables | None
) -> dict[str, Standing]:
    """Return where each model that has the headline anywhere stands on the units that all of them share.

    A model that has none of them would leave nobody a rank: it is left out, beginning with those that have the fewest.
    """
    every = {model: 0 if own is None else own.defined_keys(headline) for model, own in models.items()}
    sizes = {model: size for model, size in every.items() if size}
    if not sizes:
        return {}
    units = cast("Mapping[str, ComparedUnits]", models)  # of those

    def means_of(some: Iterable[str], kept: _SharedTables | None = None) -> dict[str, tuple[float, int]]:
        return _means_on_shared(MadeMapping({model: model for model in some}, units.__getitem__), headline, kept)

    means = means_of(sizes, kept)
    if not means:
        among: list[str] = []
        for model in sorted(sizes, key=lambda model: (-sizes[model], model)):
            found = means_of([*among, model])
            among, means = ([*among, model], found) if found else (among, means)
        means = means if len(means) > 1 else {}
    best_first = sorted((round(mean, 12) for mean, _ in means.values()), reverse=better == "higher")
    standings = {}
    for model, size in sizes.items():
        mean, shared = means.get(model, (math.nan, 0))
        rank = best_first.index(round(mean, 12)) + 1 if shared and better is not None else None
        standings[model] = Standing(size, shared, mean, rank)
    return standings


def _means_on_shared(
    models: Mapping[str, ComparedUnits], headline: int, kept: _SharedTables | None = None
) -> dict[str, tuple[float, int]]:
    """Return each model's mean over the units that all of them have, and how many these are; {} if there are none."""
    if len(models) == 1:
        ((model, own),) = models.items()
        if len(own.sheets) == 1:  # which may be very long, and shares all of it with itself
            means = own.means_in_order(headline)
            return {model: (float(means.mean()), len(means))} if len(means) else {}
    every: frozenset[str] | None = None
    for own in models.values():
        keys_of = own.keys if kept is None else kept.key_set(own)
        every = frozenset(keys_of) if every is None else every.intersection(keys_of)
    keys = sorted(every or ())
    tables = ArrayStore(must_stay=True)
    shared = np.ones(len(keys), dtype=bool)
    for table in _on_shared(models.values(), keys, kept):
        tables.add(table[:, headline])
        shared &= ~np.isnan(table[:, headline])
    if not shared.any():
        return {}
    return {
        model: (float(table[shared].mean()), int(shared.sum()))
        for model, table in zip(models, tables.pieces(), strict=True)
    }


def _finding(one: str, other: str, test: PairedTest, p_holm: float, units: str, tests: int, confidence: float) -> str:
    if math.isnan(p_holm):
        return f"no {units} with a value in common"
    if p_holm >= significance_level(confidence):
        return why_not_shown(test, units, tests=tests, confidence=confidence)
    return f"{one if test.difference > 0 else other} is higher"


def _group_means(groups: Integers | NDArray[np.int32], values: Numbers, number: int) -> Numbers:
    """Return the mean of each group's defined values."""
    known = ~np.isnan(values)
    counts = np.bincount(groups[known], minlength=number)
    sums = np.bincount(groups[known], weights=values[known], minlength=number)
    return np.asarray(np.divide(sums, counts, out=np.full(number, np.nan), where=counts > 0))


def number_cells(cells: Iterable[str]) -> Numbers:
    """Return the cells of a written column of numbers; an empty one is undefined.

    >>> number_cells(["0.5", ""]).tolist()
    [0.5, nan]
    """
    return np.array([float(cell) if cell else math.nan for cell in cells], dtype=np.float64)
