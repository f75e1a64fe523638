"""Diversity worked by hand, by brute force and by what must hold whatever the ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoresheet.metrics import diversity_of_run, expected_intra_list_diversity, intra_list_diversity
from tests.helpers.soak import examples

# loaded by name: scipy publishes no types
distance: Any = import_module("scipy.spatial.distance")

Judgment = tuple[str, str, str, float]

EXAMPLES = examples(35)
FEW = examples(20)
CUTOFFS = (1, 2, 3, 4, 5, 8, 20)
ALPHAS = (0.0, 0.25, 0.5, 0.9, 1.0)
MEASURES = (
    "S_Recall",
    "S_Entropy",
    "S_Entropy_Norm",
    "Gini",
    "Proportionality",
    "alpha_DCG",
    "alpha_nDCG",
    "ERR_IA",
)
SHARES = ("S_Entropy", "S_Entropy_Norm", "Gini", "Proportionality")


# --- how the tests ask ---------------------------------------------------------------------------


def judged(**subtopics: str) -> list[Judgment]:
    """Return judgments of query q: `a="x y:2"` says that x (grade 1) and y (grade 2) are on subtopic a."""
    found: list[Judgment] = []
    for subtopic, items in subtopics.items():
        for item in items.split():
            name, _, grade = item.partition(":")
            found.append(("q", subtopic, name, float(grade or 1)))
    return found


def scores(ranking: str | Sequence[str], judgments: Iterable[Judgment], k: int = 5, **options: Any) -> dict[str, float]:
    """Return the measures of one ranking at one cut-off, without the cut-off in their names."""
    items = ranking.split() if isinstance(ranking, str) else ranking
    values = diversity_of_run({"q": items}, judgments, cutoffs=(k,), **options)["q"]
    return {measure: values[f"{measure}@{k}"] for measure in MEASURES}


def near(value: float | Sequence[float] | Mapping[str, float] | Mapping[int, float]) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


def discount(place: int) -> float:
    return 1 / math.log2(place + 1)


# --- the vector of the definitions ---------------------------------------------------------------

VECTOR = judged(a="A", b="B D", c="C")
RANKING = "A D E B"


def test_vector_of_the_definitions() -> None:
    values = scores(RANKING, VECTOR)
    assert values["alpha_nDCG"] == pytest.approx(0.786896, abs=5e-7)
    assert values["S_Recall"] == near(2 / 3)
    assert values["ERR_IA"] == near(0.5)
    # a maximum of 1 always maps: (2 − 1) / 2 stands for every relevant item
    assert scores(RANKING, VECTOR, max_grade=1)["ERR_IA"] == pytest.approx(0.270833, abs=5e-7)


def test_vector_in_ndevals_own_numbers() -> None:
    values = scores(RANKING, VECTOR, definition="ndeval")
    assert values["ERR_IA"] == pytest.approx(0.3933434, abs=5e-8)
    assert values["alpha_DCG"] == pytest.approx(0.4052892, abs=5e-8)
    assert values["alpha_nDCG"] == pytest.approx(0.786896, abs=5e-7)
    assert values["S_Recall"] == near(2 / 3)


def test_counts_of_three_one_and_none() -> None:
    values = scores("x y z w", judged(a="x y z", b="w", c="elsewhere"))
    assert values["Gini"] == near(0.5)
    assert values["S_Entropy"] == pytest.approx(0.562335, abs=5e-7)


# --- S-Entropy, Gini, Proportionality by hand ----------------------------------------------------

# x is on a and b: two assignments; y on a; z on c; d is nowhere in the top three
SHARED = judged(a="x y", b="x", c="z", d="far")


@pytest.mark.parametrize(("log_base", "unit"), [("e", math.e), ("2", 2.0), ("10", 10.0)])
def test_entropy_in_every_base_over_shares_of_assignments(log_base: str, unit: float) -> None:
    # a 2/4, b 1/4, c 1/4: 1.5 bits; log2 4 = 2 bits are the most
    values = scores("x y z", SHARED, 3, log_base=log_base)
    assert values["S_Entropy"] == near(1.5 * math.log(2, unit))
    assert values["S_Entropy_Norm"] == near(0.75)


def test_entropy_is_in_nats_unless_told() -> None:
    assert scores("x y z", SHARED, 3)["S_Entropy"] == near(1.5 * math.log(2))


def test_gini_counts_subtopics_that_nothing_covers() -> None:
    # counts 2, 1, 1, 0: all differences |s_i − s_j| add up to 2·6, over 2·4·4
    assert scores("x y z", SHARED, 3)["Gini"] == near(12 / 32)


def test_gini_has_its_greatest_value_when_one_subtopic_takes_all() -> None:
    values = scores("x y", judged(a="x y", b="far", c="far", d="far"))
    assert values["Gini"] == near(3 / 4)
    assert values["S_Entropy"] == 0
    assert values["S_Entropy_Norm"] == 0


def test_proportionality_to_a_uniform_target() -> None:
    # shares 1/2, 1/4, 1/4, 0 against 1/4 each
    assert scores("x y z", SHARED, 3)["Proportionality"] == near(0.75)
    assert scores("x z far", SHARED, 3)["Proportionality"] == near(1)


def test_proportionality_to_a_given_target() -> None:
    target = {"q": {"a": 0.5, "b": 0.3, "c": 0.2, "d": 0.0}}
    assert scores("x y z", SHARED, 3, targets=target)["Proportionality"] == near(1 - 0.5 * (0.05 + 0.05))


def test_proportionality_sums_over_both_supports() -> None:
    # a, b and c are in the results only; e, which nobody judged, in the target only
    nothing_shared = {"q": {"e": 1.0}}
    values = scores("x y z", SHARED, 3, targets=nothing_shared)
    assert values["Proportionality"] == near(0)
    # half of the target is where half of the results are
    partly = {"q": {"a": 0.5, "e": 0.5}}
    assert scores("x y z", SHARED, 3, targets=partly)["Proportionality"] == near(0.5)


def test_target_that_does_not_sum_to_one_is_a_proportion() -> None:
    target = {"q": {"a": 10.0, "b": 6.0, "c": 4.0, "d": 0.0}}
    assert scores("x y z", SHARED, 3, targets=target)["Proportionality"] == near(0.95)


@pytest.mark.parametrize("table", ["targets", "intents"])
def test_subtopics_named_in_a_table_count_as_subtopics(table: str) -> None:
    named: dict[str, Any] = {table: {"q": {"a": 0.4, "b": 0.2, "c": 0.2, "d": 0.1, "e": 0.1}}}
    values = scores("x y z", SHARED, 3, **named)
    assert values["S_Recall"] == near(3 / 5)
    assert values["S_Entropy_Norm"] == near(1.5 / math.log2(5))
    # counts 2, 1, 1, 0, 0
    assert values["Gini"] == near(2 * (0 + 0 + 3 + 4 + 10) / (5 * 4) - 6 / 5)


def test_zero_grade_declares_no_subtopic() -> None:
    values = scores("x y", judged(a="x", b="y", c="x:0 y:-1"))
    assert values["S_Recall"] == 1
    assert values["Proportionality"] == near(1)


# --- α-DCG and α-nDCG by hand --------------------------------------------------------------------


def test_alpha_dcg_as_printed() -> None:
    # x: a and b new; nothing; y: a again; z: c new; over four subtopics
    values = scores("x unknown y z", SHARED, 4)
    assert values["alpha_DCG"] == near((2 * discount(1) + 0.5 * discount(3) + 1 * discount(4)) / 4)
    # the best: x, then z and far in either order, then y
    best = 2 * discount(1) + discount(2) + discount(3) + 0.5 * discount(4)
    assert values["alpha_nDCG"] == near(values["alpha_DCG"] * 4 / best)


def test_alpha_zero_ignores_redundancy() -> None:
    values = scores("x y z", SHARED, 3, alpha=0.0)
    assert values["alpha_DCG"] == near((2 + discount(2) + discount(3)) / 4)
    assert values["alpha_nDCG"] == near(1)


def test_alpha_one_pays_for_the_first_item_only() -> None:
    values = scores("x y z", SHARED, 3, alpha=1.0)
    assert values["alpha_DCG"] == near((2 + discount(3)) / 4)
    assert values["alpha_nDCG"] == near((2 + discount(3)) / (2 + discount(2) + discount(3)))


def test_relevance_is_binary_unless_graded() -> None:
    # 3 maps to 7/8, 1 to 1/8, 2 to 3/8
    grades = judged(a="x:3 y:1", b="z:2")
    plain = scores("y x z", grades, 3)
    assert plain["alpha_DCG"] == near((1 + 0.5 * discount(2) + discount(3)) / 2)
    values = scores("y x z", grades, 3, graded=True)
    assert values["alpha_DCG"] == near((1 / 8 + 0.5 * 7 / 8 * discount(2) + 3 / 8 * discount(3)) / 2)
    # x, z, y leaves y half of an eighth
    best = 7 / 8 + 3 / 8 * discount(2) + 0.5 / 8 * discount(3)
    assert values["alpha_nDCG"] == near(2 * values["alpha_DCG"] / best)


@pytest.mark.parametrize("more", [0, 8])
@pytest.mark.parametrize("names", list(permutations("xyz")), ids="".join)
def test_ties_are_broken_by_what_they_leave_to_gain(names: tuple[str, str, str], more: int) -> None:
    # greed may begin with the bridge and then finds 1.5 and 1.5; one side, the other, the bridge gain 2, 2, 1
    side, other, bridge = names
    judgments = judged(a=f"{side} {bridge}", c=side, b=f"{other} {bridge}", d=other)
    # with eight more the pool is too large for the exact ideal; they gain less than all that matters here
    judgments += [("q", "a", f"filler{number}", 1.0) for number in range(more)]
    best, worse = 2 + 2 * discount(2) + discount(3), 2 + 1.5 * discount(2) + 1.5 * discount(3)
    assert scores([side, other, bridge], judgments, 3)["alpha_nDCG"] == near(1)
    assert scores([bridge, other, side], judgments, 3)["alpha_nDCG"] == near(worse / best)


# w is the best single item by far, but u and v together cover more than w and either of them
TRAP = {"a": "w u", "b": "w u", "c": "w v", "d": "w v", "e": "u", "f": "v"}
GREEDY, BEST = 4 + (1 + 0.1 + 0.1) * discount(2), 3 + 3 * discount(2)


@pytest.mark.parametrize("more", [0, 7])
def test_ideal_of_a_pool_of_up_to_ten_is_exact_where_greed_is_wrong(more: int) -> None:
    judgments = judged(**TRAP) + [("q", "a", f"filler{number}", 1.0) for number in range(more)]
    assert scores("w u", judgments, 2, alpha=0.9)["alpha_nDCG"] == near(GREEDY / BEST)
    assert scores("u v", judgments, 2, alpha=0.9)["alpha_nDCG"] == near(1)


def test_ideal_of_a_larger_pool_is_greedy_and_never_below_the_ranking() -> None:
    judgments = judged(**TRAP) + [("q", "a", f"filler{number}", 1.0) for number in range(8)]
    assert scores("w u", judgments, 2, alpha=0.9)["alpha_nDCG"] == near(1)
    assert scores("u v", judgments, 2, alpha=0.9)["alpha_nDCG"] == near(1)
    assert scores("u w", judgments, 2, alpha=0.9)["alpha_nDCG"] == near((3 + (2 + 0.2) * discount(2)) / GREEDY)


def test_ndevals_ideal_is_greedy_for_every_pool() -> None:
    value = scores("u v", judged(**TRAP), 2, alpha=0.9, definition="ndeval")["alpha_nDCG"]
    assert value == near(BEST / GREEDY)


# --- ERR-IA by hand ------------------------------------------------------------------------------


def test_err_ia_with_grades() -> None:
    # gmax 2: grade 1 is 1/4, grade 2 is 3/4
    grades = judged(a="x:1 y:2", b="z:2")
    a = 1 / 4 + (1 / 2) * (3 / 4) * (3 / 4)
    b = (1 / 3) * (3 / 4)
    assert scores("x y z", grades, 3)["ERR_IA"] == near((a + b) / 2)
    # gmax is that of the whole reference, not of the query
    elsewhere = [*grades, ("other", "a", "x", 3.0)]
    a = 1 / 8 + (1 / 2) * (7 / 8) * (3 / 8)
    b = (1 / 3) * (3 / 8)
    assert scores("x y z", elsewhere, 3)["ERR_IA"] == near((a + b) / 2)
    assert scores("x y z", grades, 3, max_grade=3)["ERR_IA"] == near((a + b) / 2)


def test_err_ia_takes_probabilities_as_they_are() -> None:
    grades = judged(a="x:0.3 y:0.5", b="z:0.8")
    a = 0.3 + 0.5 * 0.7 * 0.5
    b = 0.8 / 3
    assert scores("x y z", grades, 3)["ERR_IA"] == near((a + b) / 2)


def test_err_ia_with_weights() -> None:
    grades = judged(a="x:0.3 y:0.5", b="z:0.8")
    a = 0.3 + 0.5 * 0.7 * 0.5
    b = 0.8 / 3
    for weights in ({"a": 0.75, "b": 0.25}, {"a": 3.0, "b": 1.0}):
        assert scores("x y z", grades, 3, intents={"q": weights})["ERR_IA"] == near(0.75 * a + 0.25 * b)
    # an intent that no item serves keeps its weight
    assert scores("x y z", grades, 3, intents={"q": {"a": 0.5, "b": 0.25, "e": 0.25}})["ERR_IA"] == near(
        0.5 * a + 0.25 * b
    )


def test_err_ia_stops_at_the_cut_off() -> None:
    grades = judged(a="x:0.3 y:0.5", b="z:0.8")
    assert scores("x y z", grades, 1)["ERR_IA"] == near(0.15)
    assert scores("x y z", grades, 2)["ERR_IA"] == near((0.3 + 0.5 * 0.7 * 0.5) / 2)


def test_weights_of_intents_leave_alpha_ndcg_alone() -> None:
    weights = {"q": {"a": 0.7, "b": 0.1, "c": 0.1, "d": 0.1}}
    with_weights, without = scores("x y z", SHARED, 3, intents=weights), scores("x y z", SHARED, 3)
    for measure in (*SHARES, "S_Recall", "alpha_DCG", "alpha_nDCG"):
        assert with_weights[measure] == near(without[measure])


# --- undefined is NaN, zero is plain zero --------------------------------------------------------


def test_nothing_relevant_in_the_top_leaves_the_shares_undefined() -> None:
    values = scores("unknown x", SHARED, 1)
    assert all(math.isnan(values[measure]) for measure in SHARES)
    assert all(values[measure] == 0 for measure in MEASURES if measure not in SHARES)


def test_one_subtopic_leaves_inequality_undefined() -> None:
    values = scores("x y", judged(a="x y"), 2)
    assert math.isnan(values["Gini"])
    assert math.isnan(values["S_Entropy_Norm"])
    assert values["S_Entropy"] == 0
    assert values["Proportionality"] == near(1)
    assert values["S_Recall"] == 1
    assert values["alpha_nDCG"] == near(1)


@pytest.mark.parametrize("ranking", ["x y", "unknown", "x far", "z"])
def test_zero_has_no_sign(ranking: str) -> None:
    for judgments in (SHARED, judged(a="x y"), judged(a="x y", b="far")):
        for k in (1, 2, 5):
            values = scores(ranking, judgments, k)
            assert not [m for m, value in values.items() if value == 0 and math.copysign(1, value) < 0]


def test_queries_on_one_side_only_are_left_out() -> None:
    values = diversity_of_run({"q": ["x"], "unjudged": ["x"]}, [*SHARED, ("not run", "a", "x", 1.0)], cutoffs=(5,))
    assert set(values) == {"q"}


def test_grade_below_zero_is_zero() -> None:
    assert scores("y x z", judged(a="x:1 y:-2", b="z:1 x:-1")) == near(scores("y x z", judged(a="x", b="z")))


def test_larger_of_two_grades_counts() -> None:
    once = judged(a="x:2 y:1", b="z:1")
    for twice in ([*once, ("q", "a", "x", 0.0)], [("q", "a", "x", 1.0), *once]):
        assert scores("y x z", twice, graded=True) == near(scores("y x z", once, graded=True))


def test_repeated_item_keeps_its_first_place() -> None:
    assert scores("x x y x z", SHARED, 3) == near(scores("x y z", SHARED, 3))


# --- any topic -----------------------------------------------------------------------------------


class Topic(NamedTuple):
    ranking: list[str]
    judgments: list[Judgment]

    @property
    def relevant(self) -> dict[str, dict[str, float]]:
        """Return the subtopics of every relevant item with their grades."""
        items: dict[str, dict[str, float]] = {}
        for _, subtopic, item, grade in self.judgments:
            if grade > 0:
                items.setdefault(item, {})[subtopic] = grade
        return items

    @property
    def subtopics(self) -> set[str]:
        return {subtopic for found in self.relevant.values() for subtopic in found}


@st.composite
def topics(draw: st.DrawFn, most: int = 6, grades: Sequence[float] = (0, 1, 1), fewest: int = 1) -> Topic:
    """Draw a ranking of judged and unjudged items; items beyond the pool and a short ranking are common."""
    items = [f"i{number}" for number in range(draw(st.integers(fewest, most)))]
    subtopics = [f"s{number}" for number in range(draw(st.integers(1, 4)))]
    judgments = [("q", s, item, float(draw(st.sampled_from(grades)))) for item in items for s in subtopics]
    assume(any(grade > 0 for *_, grade in judgments))
    ranking = draw(st.permutations([*items, "u0", "u1"]))
    return Topic(list(ranking[: draw(st.integers(1, len(ranking)))]), judgments)


def gain_of(topic: Topic, order: Sequence[str], alpha: float, *, graded: bool = False) -> list[float]:
    """Return the α-DCG at every place of an order, over nothing, straight from the formula."""
    total, totals = 0.0, []
    greatest = max(grade for *_, grade in topic.judgments)
    for place, item in enumerate(order):
        for subtopic, grade in topic.relevant.get(item, {}).items():
            earlier = sum(subtopic in topic.relevant.get(other, {}) for other in order[:place])
            share = grade if greatest <= 1 else (2**grade - 1) / 2**greatest
            total += (share if graded else 1.0) * (1 - alpha) ** earlier * discount(place + 1)
        totals.append(total)
    return totals


def at(totals: Sequence[float], k: int) -> float:
    return totals[min(k, len(totals)) - 1]


def by_permutations(topic: Topic, k: int, alpha: float, *, graded: bool = False) -> float:
    """Return α-nDCG over the best of all orders of the pool."""
    best = max(at(gain_of(topic, order, alpha, graded=graded), k) for order in permutations(topic.relevant))
    return at(gain_of(topic, topic.ranking, alpha, graded=graded), k) / best


def at_all_cutoffs(topic: Topic, **options: Any) -> dict[str, float]:
    values = diversity_of_run({"q": topic.ranking}, topic.judgments, cutoffs=CUTOFFS, **options)["q"]
    return {f"{measure}@{k}": values[f"{measure}@{k}"] for measure in MEASURES for k in CUTOFFS}


@FEW
@given(topics(most=5), st.sampled_from(ALPHAS))
def test_ideal_is_the_best_of_all_orders(topic: Topic, alpha: float) -> None:
    values = at_all_cutoffs(topic, alpha=alpha)
    for k in (1, 2, 3, 5):
        assert values[f"alpha_nDCG@{k}"] == near(by_permutations(topic, k, alpha))


@settings(FEW, max_examples=12)
@given(topics(most=6, fewest=6))
def test_ideal_is_the_best_of_all_orders_of_six_items(topic: Topic) -> None:
    values = at_all_cutoffs(topic)
    for k in (3, 8):
        assert values[f"alpha_nDCG@{k}"] == near(by_permutations(topic, k, 0.5))


@FEW
@given(topics(most=4, grades=(0, 1, 2, 3)), st.sampled_from(ALPHAS))
def test_graded_ideal_is_the_best_of_all_orders(topic: Topic, alpha: float) -> None:
    values = at_all_cutoffs(topic, alpha=alpha, graded=True)
    for k in (1, 2, 4):
        assert values[f"alpha_nDCG@{k}"] == near(by_permutations(topic, k, alpha, graded=True))


@EXAMPLES
@given(topics(most=16, grades=(0, 0, 0, 1, 3)), st.sampled_from(ALPHAS), st.booleans())
def test_alpha_ndcg_lies_between_zero_and_one(topic: Topic, alpha: float, graded: bool) -> None:
    values = at_all_cutoffs(topic, alpha=alpha, graded=graded)
    assert all(0 <= values[f"alpha_nDCG@{k}"] <= 1 for k in CUTOFFS)


@EXAMPLES
@given(topics(most=8, grades=(0, 0, 0.25, 0.5, 1)), st.data())
def test_every_measure_is_its_formula(topic: Topic, data: st.DataObject) -> None:
    values = at_all_cutoffs(topic)
    size = len(topic.subtopics)
    k = data.draw(st.sampled_from(CUTOFFS))
    counts = Counter(subtopic for item in topic.ranking[:k] for subtopic in topic.relevant.get(item, {}))
    total = counts.total()
    shares = [counts[subtopic] / total if total else math.nan for subtopic in topic.subtopics]
    stops = []
    for subtopic in topic.subtopics:
        reading, expected = 1.0, 0.0
        for place, item in enumerate(topic.ranking[:k], 1):
            chance = topic.relevant.get(item, {}).get(subtopic, 0.0)
            expected += reading * chance / place
            reading *= 1 - chance
        stops.append(expected)
    entropy = math.fsum(-share * math.log(share) if share else 0.0 for share in shares)
    differences = math.fsum(abs(a - b) for a in shares for b in shares)
    assert {measure: values[f"{measure}@{k}"] for measure in MEASURES if measure != "alpha_nDCG"} == near(
        {
            "S_Recall": len(counts) / size,
            "S_Entropy": entropy,
            "S_Entropy_Norm": entropy / math.log(size) if size > 1 else math.nan,
            "Gini": differences / (2 * size) if size > 1 else math.nan,
            "Proportionality": 1 - math.fsum(abs(share - 1 / size) for share in shares) / 2,
            "alpha_DCG": at(gain_of(topic, topic.ranking, 0.5), k) / size,
            "ERR_IA": math.fsum(stops) / size,
        }
    )


@st.composite
def tied_topics(draw: st.DrawFn) -> Topic:
    """Draw a pool too large for the exact ideal, in which nearly every greedy choice is a tie that matters later."""
    patterns = st.sets(st.sampled_from("abcdef"), min_size=2, max_size=3)
    found = draw(st.lists(patterns, min_size=11, max_size=13))
    judgments = [("q", s, f"i{number}", 1.0) for number, pattern in enumerate(found) for s in sorted(pattern)]
    ranking = draw(st.permutations([f"i{number}" for number in range(len(found))]))
    return Topic(list(ranking[:8]), judgments)


# small pools, pools of which most are too large for the exact ideal, and ties
ANY_POOL = st.one_of(topics(most=8), topics(most=20, fewest=12, grades=(0, 0, 1)), tied_topics())


@EXAMPLES
@given(ANY_POOL, st.randoms(use_true_random=False), st.sampled_from(ALPHAS))
def test_renaming_the_items_changes_nothing(topic: Topic, rng: Any, alpha: float) -> None:
    names = sorted({*topic.ranking, *(item for _, _, item, _ in topic.judgments)})
    others = [f"n{number:02}" for number in range(len(names))]
    rng.shuffle(others)
    renamed = dict(zip(names, others, strict=True))
    other = Topic([renamed[item] for item in topic.ranking], [(q, s, renamed[i], g) for q, s, i, g in topic.judgments])
    assert at_all_cutoffs(other, alpha=alpha) == near(at_all_cutoffs(topic, alpha=alpha))


@EXAMPLES
@given(topics(most=8, grades=(0, 1, 2)), st.randoms(use_true_random=False), st.booleans())
def test_renaming_the_subtopics_changes_nothing(topic: Topic, rng: Any, graded: bool) -> None:
    others = ["d", "a", "c", "b"]
    rng.shuffle(others)
    other = Topic(topic.ranking, [(q, others[int(s[1:])], item, grade) for q, s, item, grade in topic.judgments])
    assert at_all_cutoffs(other, graded=graded) == near(at_all_cutoffs(topic, graded=graded))


@EXAMPLES
@given(ANY_POOL, st.randoms(use_true_random=False))
def test_order_of_the_judgments_changes_nothing(topic: Topic, rng: Any) -> None:
    judgments = list(topic.judgments)
    rng.shuffle(judgments)
    assert at_all_cutoffs(Topic(topic.ranking, judgments)) == near(at_all_cutoffs(topic))


@EXAMPLES
@given(topics(most=8))
def test_unjudged_item_at_the_end_changes_nothing(topic: Topic) -> None:
    longer = Topic([*topic.ranking, "nobody judged this"], topic.judgments)
    assert at_all_cutoffs(longer) == near(at_all_cutoffs(topic))


@EXAMPLES
@given(topics(most=14), st.sampled_from(CUTOFFS))
def test_a_cut_off_does_not_see_the_others(topic: Topic, k: int) -> None:
    alone = scores(topic.ranking, topic.judgments, k)
    together = at_all_cutoffs(topic)
    assert alone == near({measure: together[f"{measure}@{k}"] for measure in MEASURES})


@FEW
@given(st.lists(topics(most=12), min_size=2, max_size=4))
def test_a_query_does_not_see_the_others(several: list[Topic]) -> None:
    # all grades lie in [0, 1], so there is no common gmax either
    run = {f"q{number}": topic.ranking for number, topic in enumerate(several)}
    judgments = [(f"q{n}", s, item, grade) for n, topic in enumerate(several) for _, s, item, grade in topic.judgments]
    together = diversity_of_run(run, judgments, cutoffs=CUTOFFS)
    for number, topic in enumerate(several):
        alone = at_all_cutoffs(topic)
        assert {name: together[f"q{number}"][name] for name in alone} == near(alone)


@FEW
@given(topics(most=8), st.sampled_from((0.25, 0.5)))
def test_ideal_ranking_scores_one(topic: Topic, alpha: float) -> None:
    pool = list(topic.relevant)[:5]
    smaller = Topic(topic.ranking, [judgment for judgment in topic.judgments if judgment[2] in pool])
    best = max(permutations(pool), key=lambda order: gain_of(smaller, order, alpha)[-1])
    assert scores(best, smaller.judgments, 5, alpha=alpha)["alpha_nDCG"] == near(1)


# --- ILD -----------------------------------------------------------------------------------------


def vectors(seed: int, items: int, columns: int = 7) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(items, columns))


@pytest.mark.parametrize("seed", range(5))
def test_ild_is_the_mean_of_scipys_cosine_distances(seed: int) -> None:
    features = vectors(seed, 25)
    found = intra_list_diversity(features, (2, 3, 5, 10, 20, 25, 40))
    for k, value in found.items():
        # a list shorter than the cut-off is used as it is
        assert value == pytest.approx(float(np.mean(distance.pdist(features[:k], "cosine"))), abs=1e-12), k


def test_ild_by_hand() -> None:
    # right angles, then half of one
    features = np.array([[1.0, 0.0], [0.0, 3.0], [5.0, 5.0], [-1.0, 0.0]])
    found = intra_list_diversity(features, (2, 3, 4))
    near_angle = 1 - math.sqrt(0.5)
    assert found[2] == near(1)
    assert found[3] == near((1 + 2 * near_angle) / 3)
    assert found[4] == near((1 + 2 * near_angle + 2 + 1 + (1 + math.sqrt(0.5))) / 6)


def test_ild_of_fewer_than_two_items_is_undefined() -> None:
    assert math.isnan(intra_list_diversity(vectors(0, 5), (1, 2))[1])
    assert math.isnan(intra_list_diversity(vectors(0, 1), (5,))[5])


def test_ild_of_equal_items_is_zero() -> None:
    value = intra_list_diversity(np.tile(np.array([[0.1, 0.7, 0.3]]), (6, 1)), (6,))[6]
    assert value == pytest.approx(0, abs=1e-12)
    assert math.copysign(1, value) > 0 or value != 0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_ild_does_not_see_the_length_of_a_vector(scale: float) -> None:
    features = vectors(3, 10)
    stretched = features * np.linspace(scale, 1, 10)[:, None]
    assert intra_list_diversity(stretched, (5, 10)) == near(intra_list_diversity(features, (5, 10)))


# --- EILD ----------------------------------------------------------------------------------------

DEPTHS = (2, 3, 7, 12, 30)


def distances(seed: int, items: int = 12) -> npt.NDArray[np.float64]:
    square: npt.NDArray[np.float64] = distance.squareform(distance.pdist(vectors(seed, items), "cosine"))
    return square


def slow_eild(between: npt.NDArray[np.float64], relevance: Sequence[float], k: int, fade: float) -> tuple[float, float]:
    """Return EILD as printed and its rank-discounted form by Vargas and Castells, term by term."""
    places = range(min(k, len(relevance)))
    plain = math.fsum(relevance[i] * relevance[j] * between[i, j] for i in places for j in places if i != j)
    upper, lower = [], []
    for i in places:
        weights = {j: fade ** (max(1, j - i) - 1) * relevance[j] for j in places if j != i}
        known = math.fsum(weights.values())
        mean = math.fsum(weight * between[i, j] for j, weight in weights.items()) / known if known else 0.0
        upper.append(fade**i * relevance[i] * mean)
        lower.append(fade**i)  # the authors' own library, RankSys, divides by the discounts alone
    return plain, math.fsum(upper) / math.fsum(lower)


@pytest.mark.parametrize("seed", range(4))
def test_certain_relevance_makes_eild_k_times_k_minus_one_ild(seed: int) -> None:
    ild = intra_list_diversity(vectors(seed, 12), DEPTHS)
    found = expected_intra_list_diversity(distances(seed), [1.0] * 12, DEPTHS)
    for k in DEPTHS:
        used = min(k, 12)
        assert found[k][0] == near(used * (used - 1) * ild[k])


@pytest.mark.parametrize("seed", range(4))
def test_flat_discount_and_certain_relevance_make_normalised_eild_ild(seed: int) -> None:
    ild = intra_list_diversity(vectors(seed, 12), DEPTHS)
    found = expected_intra_list_diversity(distances(seed), [1.0] * 12, DEPTHS, discount=1.0)
    for k in DEPTHS:
        assert found[k][1] == near(ild[k])


@pytest.mark.parametrize("fade", [0.85, 0.5, 1.0])
def test_eild_is_its_formula(fade: float) -> None:
    relevance = [0.5, 0.0, 1.0, 0.25, 0.0, 0.75, 1.0, 0.1, 0.0, 0.0, 0.3, 0.9]
    found = expected_intra_list_diversity(distances(9), relevance, (3, 4, 7, 12, 30), discount=fade)
    for k, value in found.items():
        assert tuple(value) == near(slow_eild(distances(9), relevance, k, fade)), k


def test_eild_fades_by_the_papers_rate_unless_told() -> None:
    relevance = [1.0] * 12
    found = expected_intra_list_diversity(distances(2), relevance, (12,))
    assert tuple(found[12]) == near(slow_eild(distances(2), relevance, 12, 0.85))


def test_eild_by_hand() -> None:
    between = np.array([[0.0, 0.2, 0.6], [0.2, 0.0, 1.0], [0.6, 1.0, 0.0]])
    eild, normalised = expected_intra_list_diversity(between, [1.0, 0.5, 1.0], (3,), discount=0.5)[3]
    assert eild == near(2 * (0.5 * 0.2 + 0.6 + 0.5 * 1.0))
    # seen from the first: .5 on the second, .5 · 1 on the third; from the others nothing fades
    first = (0.5 * 0.2 + 0.5 * 0.6) / (0.5 + 0.5)
    second = (0.2 + 1.0) / 2
    third = (0.6 + 0.5 * 1.0) / 1.5
    assert normalised == near((first + 0.5 * 0.5 * second + 0.25 * third) / (1 + 0.5 + 0.25))


def test_items_that_are_not_relevant_add_nothing_to_eild_and_cost_their_place() -> None:
    between = distances(4, 6)
    found = expected_intra_list_diversity(between, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], (6,))[6]
    assert found[0] == near(2 * between[0, 3])
    assert found[1] == near(between[0, 3] * (1 + 0.85**3) / sum(0.85**i for i in range(6)))


@pytest.mark.parametrize("relevance", [[0.0] * 4, [0.0, 0.7, 0.0, 0.0]])
def test_without_two_relevant_items_there_is_no_diversity_to_expect(relevance: list[float]) -> None:
    assert tuple(expected_intra_list_diversity(distances(5, 4), relevance, (4,))[4]) == (0, 0)


def test_normalised_eild_of_fewer_than_two_items_is_undefined() -> None:
    assert math.isnan(expected_intra_list_diversity(distances(5, 4), [1.0] * 4, (1,))[1][1])
    assert math.isnan(expected_intra_list_diversity(distances(5, 1), [1.0], (5,))[5][1])


@FEW
@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.integers(0, 50), st.sampled_from((0.5, 0.85, 1.0)))
def test_normalised_eild_never_exceeds_the_largest_distance(relevance: list[float], seed: int, fade: float) -> None:
    between = distances(seed, len(relevance))
    _, normalised = expected_intra_list_diversity(between, relevance, (len(relevance),), discount=fade)[len(relevance)]
    assert 0 <= normalised <= max(relevance) * between.max() + 1e-12
