"""The p-value of a cell against every way the choices could have fallen, counted one by one."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoresheet.metrics import collapse_p_value, debiased_gini, gini, normalized_entropy
from tests.helpers.soak import examples

pytestmark = pytest.mark.usefixtures("no_workbooks")

Counts = tuple[int, ...]
Shares = tuple[Fraction, ...]


class Outcome(Protocol):
    @property
    def code(self) -> int: ...
    @property
    def err(self) -> str: ...


class Run(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


EXAMPLES = examples(40)
LEVEL = Fraction(5, 100)
# the fewest draws a simulated p-value may rest on
DRAWS = 10_000


# --- the oracle ----------------------------------------------------------------------------------


def compositions(total: int, options: int) -> Iterator[Counts]:
    """Yield every way `total` choices can fall on the options."""
    if options == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, options - 1):
            yield (first, *rest)


def spread(counts: Sequence[int]) -> int:
    """Return the sum of all differences: Gini without its denominator, so ties are ties of whole numbers."""
    return sum(abs(a - b) for i, a in enumerate(counts) for b in counts[:i])


def orders(counts: Counts) -> int:
    """Return in how many orders these choices can have been made."""
    ways, left = 1, sum(counts)
    for count in counts:
        ways *= math.comb(left, count)
        left -= count
    return ways


def uniform(options: int) -> Shares:
    return (Fraction(1, options),) * options


@cache
def null(total: int, shares: Shares) -> dict[int, Fraction]:
    """Return the exact distribution of the spread when `total` choices follow the shares."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    # all shares over one denominator: whole numbers add up much faster than fractions
    scale = math.lcm(*(share.denominator for share in shares))
    parts = [int(share * scale) for share in shares]
    weights: dict[int, int] = defaultdict(int)
    for counts in compositions(total, len(shares)):
        weights[spread(counts)] += orders(counts) * math.prod(p**c for p, c in zip(parts, counts, strict=True))
    for value, weight in weights.items():
        found[value] = Fraction(weight, scale**total)
    assert sum(found.values()) == 1
    return dict(found)


def enumerated_p(counts: Sequence[int], shares: Shares) -> Fraction:
    seen = spread(counts)
    return sum((chance for value, chance in null(sum(counts), shares).items() if value >= seen), Fraction())


@cache
def cell_with_spread(total: int, options: int) -> dict[int, Counts]:
    """Return one cell for each Gini that `total` choices can have."""
    return {spread(counts): counts for counts in compositions(total, options)}


def as_p(value: Fraction | float) -> object:
    return pytest.approx(float(value), rel=1e-9, abs=1e-15)


# --- exact where the cells can be counted --------------------------------------------------------

SMALL = [(1, 2), (2, 2), (5, 2), (12, 2), (1, 3), (4, 3), (7, 3), (10, 3), (6, 4), (5, 5), (4, 6)]


@pytest.mark.parametrize(("total", "options"), SMALL)
def test_uniform_chooser_by_enumeration_of_every_cell(total: int, options: int) -> None:
    for counts in compositions(total, options):
        assert collapse_p_value(list(counts)) == as_p(enumerated_p(counts, uniform(options))), counts


@pytest.mark.parametrize(("total", "options"), [(6, 5), (10, 5), (9, 4), (20, 3), (40, 2), (32, 5)])
def test_uniform_chooser_by_enumeration_of_every_gini(total: int, options: int) -> None:
    for counts in cell_with_spread(total, options).values():
        assert collapse_p_value(list(counts)) == as_p(enumerated_p(counts, uniform(options))), counts


TARGETS = [
    ("1/2 1/2", 9),
    ("9/10 1/10", 9),
    ("1/2 1/4 1/4", 7),
    ("7/10 2/10 1/10", 7),
    ("1/3 1/3 1/3", 6),
    ("1/2 1/2 0", 6),
    ("4/10 3/10 2/10 1/10", 6),
    ("1/2 1/8 1/8 1/8 1/8", 5),
    ("1 0 0", 4),
]


@pytest.mark.parametrize(("target", "total"), TARGETS)
def test_target_chooser_by_enumeration_of_every_cell(target: str, total: int) -> None:
    shares = tuple(Fraction(share) for share in target.split())
    given_shares = [float(share) for share in shares]
    for counts in compositions(total, len(shares)):
        assert collapse_p_value(list(counts), target=given_shares) == as_p(enumerated_p(counts, shares)), counts


def test_p_values_worked_by_hand() -> None:
    # two coins: 1/2 fall on one side; six choices of five options all on one: 5 of 5^6 orders
    assert collapse_p_value([2, 0]) == as_p(Fraction(1, 2))
    assert collapse_p_value([1, 1]) == as_p(1.0)
    assert collapse_p_value([6, 0, 0, 0, 0]) == as_p(Fraction(5, 5**6))
    # 5 + 1: 5 · 4 options · 6 orders on top of that
    assert collapse_p_value([5, 1, 0, 0, 0]) == as_p(Fraction(5 + 120, 5**6))
    assert collapse_p_value([32, 0, 0, 0, 0]) == as_p(Fraction(5, 5**32))
    # all on one under .9/.1: either option
    assert collapse_p_value([3, 0], target=[0.9, 0.1]) == as_p(Fraction(9**3 + 1, 10**3))


def test_one_choice_says_nothing() -> None:
    for options in (2, 3, 5, 20):
        assert collapse_p_value([1] + [0] * (options - 1)) == as_p(1.0)


@EXAMPLES
@given(st.lists(st.integers(0, 4), min_size=2, max_size=4).filter(sum))
def test_uniform_target_is_the_default(counts: list[int]) -> None:
    target = [1 / len(counts)] * len(counts)
    assert collapse_p_value(counts, target=target) == pytest.approx(collapse_p_value(counts), rel=1e-9)


# --- larger cells: another simulation ------------------------------------------------------------


def simulated_spreads(cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    options = cells.shape[1]
    weights = 2 * np.arange(1, options + 1) - options - 1
    spreads: npt.NDArray[np.int64] = np.sort(cells, axis=1) @ weights
    return spreads


ZIPF = [1 / rank for rank in range(1, 11)]
LARGE = [
    pytest.param(60, [1 / 8] * 8, False, id="60 over 8"),
    pytest.param(50, [1 / 20] * 20, False, id="50 over 20"),
    pytest.param(300, [1 / 30] * 30, False, id="300 over 30"),
    pytest.param(200, [share / sum(ZIPF) for share in ZIPF], True, id="200 over a Zipf target"),
]


@pytest.mark.parametrize(("total", "shares", "is_target"), LARGE)
def test_large_cells_agree_with_another_simulation(total: int, shares: list[float], is_target: bool) -> None:
    ours = 100_000
    cells = np.random.default_rng(7).multinomial(total, shares, size=ours)
    spreads = simulated_spreads(cells)
    by_spread = np.argsort(spreads, kind="stable")
    # typical, unusual and rare cells of the null chooser itself
    for quantile in (0.2, 0.5, 0.9, 0.96, 0.99):
        place = by_spread[int(quantile * ours)]
        counts = [int(count) for count in cells[place]]
        expected = float(np.mean(spreads >= spreads[place]))
        # five standard errors of both simulations together, and the +1 rule
        slack = 5 * math.sqrt(expected * (1 - expected) * (1 / ours + 1 / DRAWS)) + 1 / DRAWS
        seen = collapse_p_value(counts, target=shares if is_target else None)
        assert seen == pytest.approx(expected, abs=slack), quantile


@pytest.mark.parametrize("options", [30, 100])
def test_large_total_collapse_is_beyond_chance(options: int) -> None:
    assert 0.0 <= collapse_p_value([500] + [0] * (options - 1)) <= 1 / (DRAWS + 1)


def test_large_flat_cell_is_no_evidence() -> None:
    assert collapse_p_value([10] * 30) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_digits() -> None:
    counts = [int(count) for count in np.random.default_rng(3).multinomial(240, [0.05] + [0.95 / 24] * 24)]
    for seed in (0, 1, 12345):
        assert len({collapse_p_value(counts, seed=seed) for _ in range(2)}) == 1
    assert collapse_p_value(counts) == collapse_p_value(counts, seed=0)


def test_another_seed_moves_a_large_cell_within_its_error_only() -> None:
    counts = [int(count) for count in np.random.default_rng(4).multinomial(240, [0.06] + [0.94 / 24] * 24)]
    values = [collapse_p_value(counts, seed=seed) for seed in range(3)]
    middle = sorted(values)[1]
    assert max(values) - min(values) <= 7 * math.sqrt(2 * middle * (1 - middle) / DRAWS) + 1 / DRAWS


def test_a_seed_changes_nothing_where_cells_can_be_counted() -> None:
    assert len({collapse_p_value([4, 1, 1], seed=seed) for seed in range(4)}) == 1
    assert len({collapse_p_value([4, 1, 1], target=[0.5, 0.3, 0.2], seed=seed) for seed in range(4)}) == 1


# --- what holds for any cell ---------------------------------------------------------------------

CELLS = st.lists(st.integers(0, 5), min_size=2, max_size=4).filter(sum)


@EXAMPLES
@given(CELLS)
def test_p_is_a_probability_that_is_never_nothing(counts: list[int]) -> None:
    assert 0.0 < collapse_p_value(counts) <= 1.0


@EXAMPLES
@given(CELLS, st.booleans(), st.data())
def test_a_more_concentrated_cell_never_has_the_larger_p(
    counts: list[int], has_target: bool, data: st.DataObject
) -> None:
    giver = data.draw(st.sampled_from([i for i, count in enumerate(counts) if count]))
    taker = data.draw(st.integers(0, len(counts) - 1))
    assume(taker != giver and counts[taker] >= counts[giver])
    moved = list(counts)
    moved[giver] -= 1
    moved[taker] += 1
    target = [(i + 1) * 2 / (len(counts) * (len(counts) + 1)) for i in range(len(counts))] if has_target else None
    assert collapse_p_value(moved, target=target) <= collapse_p_value(counts, target=target)


@pytest.mark.parametrize(("total", "options"), [(10, 5), (12, 4), (32, 5)])
def test_p_falls_as_gini_rises(total: int, options: int) -> None:
    cells = cell_with_spread(total, options)
    values = [collapse_p_value(list(cells[value])) for value in sorted(cells)]
    assert values[0] == as_p(1.0)
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("counts", [[4, 2, 1, 0], [5, 5, 0], [3, 1, 1, 0, 0]])
def test_order_of_the_options_does_not_matter_to_a_uniform_chooser(counts: list[int]) -> None:
    values = {collapse_p_value(list(order)) for order in permutations(counts)}
    assert max(values) == pytest.approx(min(values), rel=1e-12)


def test_order_does_not_matter_where_the_target_moves_along() -> None:
    cell = [(5, 0.5), (1, 0.3), (0, 0.2)]
    values = {collapse_p_value([c for c, _ in order], target=[t for _, t in order]) for order in permutations(cell)}
    assert max(values) == pytest.approx(min(values), rel=1e-9)


@pytest.mark.parametrize("counts", [[0], [7], [0, 0], [0, 0, 0, 0, 0]])
def test_without_a_gini_there_is_no_p(counts: list[int]) -> None:
    assert math.isnan(collapse_p_value(counts))


def test_the_arguments_stay_as_they_were() -> None:
    counts, target = [3, 0, 7, 1], [0.4, 0.1, 0.3, 0.2]
    collapse_p_value(counts, target=target)
    assert (counts, target) == ([3, 0, 7, 1], [0.4, 0.1, 0.3, 0.2])


# --- how often it cries wolf, and how often it sleeps ---------------------------------------------


def band_of(value: float, edges: Sequence[float]) -> int:
    """Return how many edges the value reaches, with the tolerance every band edge has."""
    return sum(value >= edge - 1e-9 for edge in edges)


def worse_band(counts: Sequence[int]) -> str:
    by_gini = band_of(gini(counts), (0.3, 0.6))
    by_entropy = 2 - band_of(normalized_entropy(counts), (0.4, 0.7))
    return ("low", "moderate", "high")[max(by_gini, by_entropy)]


@cache
def p_of_spread(total: int, options: int) -> dict[int, float]:
    return {value: collapse_p_value(list(cell)) for value, cell in cell_with_spread(total, options).items()}


def verdict(counts: Sequence[int]) -> str:
    """Return the verdict as the definitions have it: a word inside its band, else both ends; chance is asked first."""
    if p_of_spread(sum(counts), len(counts))[spread(counts)] >= 0.05:
        return "too few samples"  # so few would not have shown a moderate collapse
    found = debiased_gini(list(counts))
    return words_between(
        (band_of(found.low, (0.3, 0.6)), 2 - band_of(found.entropy_high, (0.4, 0.7))),
        (band_of(found.high, (0.3, 0.6)), 2 - band_of(found.entropy_low, (0.4, 0.7))),
    )


def words_between(best: tuple[int, int], worst: tuple[int, int]) -> str:
    first, last = (("low", "moderate", "high")[max(ends)] for ends in (best, worst))
    return first if first == last else f"{first} to {last}"


COLLAPSED = {"moderate", "moderate to high", "high"}


def chance(counts: Counts) -> Fraction:
    """Return how likely a uniform chooser gives exactly this cell."""
    return Fraction(orders(counts), len(counts) ** sum(counts))


@pytest.mark.parametrize("total", [6, 10, 32])
def test_a_uniform_chooser_is_significant_in_at_most_five_of_a_hundred_cells(total: int) -> None:
    values = p_of_spread(total, 5)
    distribution = null(total, uniform(5))
    assert sum(distribution[value] for value, p in values.items() if p < 0.05) <= LEVEL


@pytest.mark.parametrize("total", [6, 10])
def test_a_uniform_chooser_is_called_collapsed_in_at_most_five_of_a_hundred_cells(total: int) -> None:
    # one cell stands for all its orders: neither band nor p-value looks at which option is which
    alarms = Fraction()
    for counts in compositions(total, 5):
        if counts == tuple(sorted(counts)) and verdict(counts) in COLLAPSED:
            alarms += chance(counts) * len(list(distinct_orders(counts)))
    assert 0 < alarms <= LEVEL


def distinct_orders(counts: Counts) -> set[Counts]:
    return set(permutations(counts))


@pytest.mark.parametrize(("total", "mean"), [(32, 0.18), (10, 0.31), (6, 0.40)])
def test_mean_gini_of_a_uniform_chooser_is_as_printed(total: int, mean: float) -> None:
    cells = cell_with_spread(total, 5)
    expected = sum(float(weight) * gini(cells[value]) for value, weight in null(total, uniform(5)).items())
    assert expected == pytest.approx(mean, abs=0.005)


def test_without_the_p_value_most_small_uniform_cells_would_be_called_collapsed() -> None:
    share: dict[str, Fraction] = defaultdict(Fraction)
    for counts in compositions(6, 5):
        share[worse_band(counts)] += chance(counts)
    assert float(share["moderate"]) == pytest.approx(0.79, abs=0.005)
    assert float(share["moderate"] + share["high"]) == pytest.approx(0.88, abs=0.005)


@pytest.mark.parametrize(("target", "total"), [("7/10 2/10 1/10", 10), ("4/10 3/10 2/10 1/10", 8)])
def test_a_chooser_that_follows_its_target_is_significant_in_at_most_five_of_a_hundred_cells(
    target: str, total: int
) -> None:
    shares = tuple(Fraction(share) for share in target.split())
    floats = [float(share) for share in shares]
    cells = cell_with_spread(total, len(shares))
    distribution = null(total, shares)
    alarms = [v for v, cell in cells.items() if collapse_p_value(list(cell), target=floats) < 0.05]
    assert sum(distribution[value] for value in alarms) <= LEVEL


def test_four_of_five_choices_on_one_option_are_found_with_32_samples() -> None:
    cells = np.random.default_rng(11).multinomial(32, [0.8, 0.05, 0.05, 0.05, 0.05], size=5_000)
    kinds, numbers = np.unique(np.sort(cells, axis=1), axis=0, return_counts=True)
    found = sum(
        int(number)
        for kind, number in zip(kinds, numbers, strict=True)
        if collapse_p_value([int(count) for count in kind]) < 0.05
    )
    assert found / len(cells) >= 0.99


def write_csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_verdicts_in_the_report_of_every_cell_a_uniform_chooser_can_give(run: Run, tmp_path: Path) -> None:
    cells = {
        f"{total}-{'-'.join(map(str, counts))}": counts
        for total in (6, 10)
        for counts in compositions(total, 5)
        if counts == tuple(sorted(counts))
    }
    rows = [
        [sheet, 0, option, count]
        for sheet, counts in cells.items()
        for option, count in zip("VWXYZ", counts, strict=True)
    ]
    write_csv(tmp_path / "choices" / "m.csv", [["Sheet", "level", "choice", "count"], *rows])
    write_csv(tmp_path / "options" / "options.csv", [["level", "option"], *([0, option] for option in "VWXYZ")])
    outcome = run("mode-collapse", "choices", "options", "-o", "out")
    assert outcome.code == 0, outcome.err
    with (tmp_path / "out" / "m_mode_collapse.csv").open(encoding="utf-8-sig", newline="") as file:
        seen = {row["Sheet"]: row for row in csv.DictReader(file)}
    assert set(seen) == set(cells)
    p_values = {sheet: float(enumerated_p(counts, uniform(5))) for sheet, counts in cells.items()}
    corrected = 0.0
    for place, sheet in enumerate(sorted(cells, key=p_values.__getitem__)):
        counts, row = cells[sheet], seen[sheet]
        assert float(row["P_Value"]) == as_p(enumerated_p(counts, uniform(5))), sheet
        # Holm, by hand: the smallest times as many as there are, the next times one less, and never less than before
        corrected = max(corrected, min(1.0, p_values[sheet] * (len(cells) - place)))
        assert float(row["P_Holm"]) == pytest.approx(corrected, rel=1e-12)
        assert row["Verdict"] == (verdict(counts) if corrected < 0.05 else "too few samples"), sheet
    assert {seen[sheet]["Verdict"] for sheet in cells} >= {"too few samples", "moderate to high"}


# --- the smallest -----------------------------------------------------------------------------------------------------


def test_what_is_improbable_is_not_impossible() -> None:
    assert 0 < collapse_p_value([1_200, 0]) < 1e-300
