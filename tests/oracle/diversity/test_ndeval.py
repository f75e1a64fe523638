"""Diversity against the tools of the field: TREC's ndeval (by pyndeval) and trec_eval (by ir_measures)."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import pytest

from scoresheet.metrics import diversity_of_run

# loaded by name: pyndeval publishes no types, ir_measures makes its measures at run time
pyndeval: Any = import_module("pyndeval")
ir_measures: Any = import_module("ir_measures")

Pattern = frozenset[str]
Judgment = tuple[str, str, str, float]
Values = dict[str, dict[str, float]]
# topic and cut-off, our value, theirs
Case = tuple[tuple[str, int], float, float]

TOLERANCE = 1e-9
TOPICS = 640
# ndeval knows no cut-off above 20
CUTOFFS = tuple(range(1, 21))
# at k = 1 it forgets to normalise α-DCG and ERR-IA
NORMALISED = CUTOFFS[1:]
EXACT_POOL = 10
# ndeval orders items by their bytes: capitals, accents, other scripts, and ids that begin like another
LETTERS = ("a", "a1", "Z", "b-", "é", "中", "😀", "_", "doc")


# --- random topics -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Topic:
    """A ranking and the grades of (subtopic, item)."""

    name: str
    ranking: tuple[str, ...]
    grades: dict[tuple[str, str], int] = field(hash=False)

    @property
    def judgments(self) -> list[Judgment]:
        return [(self.name, subtopic, item, grade) for (subtopic, item), grade in self.grades.items()]

    @cached_property
    def subtopics(self) -> set[str]:
        return {subtopic for (subtopic, _), grade in self.grades.items() if grade > 0}

    @cached_property
    def relevant(self) -> dict[str, Pattern]:
        """Return the subtopics of every item that has any."""
        items: dict[str, set[str]] = {}
        for (subtopic, item), grade in self.grades.items():
            if grade > 0:
                items.setdefault(item, set()).add(subtopic)
        return {item: frozenset(subtopics) for item, subtopics in items.items()}

    def dcg(self, k: int, alpha: float = 0.5) -> float:
        """Return the sum of gains times discounts, over nothing."""
        total, seen = 0.0, Counter[str]()
        for place, item in enumerate(self.ranking[:k]):
            pattern = self.relevant.get(item, frozenset())
            total += sum((1 - alpha) ** seen[subtopic] for subtopic in pattern) / math.log2(place + 2)
            seen.update(pattern)
        return total


def greedy_order(ranking: Sequence[str], grades: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the ranking a good system has: the most new at each place, ties as they come.

    Only such a ranking can be better than what ndeval takes for the best.
    """
    left, order, seen = list(ranking), [], Counter[str]()
    patterns = {item: [s for (s, other), grade in grades.items() if other == item and grade > 0] for item in left}
    while left:
        best = max(left, key=lambda item: sum(0.5 ** seen[subtopic] for subtopic in patterns[item]))
        left.remove(best)
        order.append(best)
        seen.update(patterns[best])
    return order


def random_topic(name: str, rng: random.Random) -> Topic:
    subtopics = [str(number) for number in range(rng.choice((1, 2, 3, 4, 5, 6, 6)))]
    ids = {f"{rng.choice(LETTERS)}{rng.randrange(10 ** rng.randint(0, 3))}" for _ in range(rng.choice((6, 12, 40)))}
    items = sorted(ids)
    rng.shuffle(items)
    # small pools, pools larger than the exact ideal takes, and pools where nearly every choice is a tie
    judged = items[: rng.randint((len(items) + 2) // 3, len(items))]
    density = rng.choice((0.1, 0.3, 0.6))
    marks = rng.choice(((1,), (1, 2, 3), (1, 2), (3,)))
    grades = {
        (subtopic, item): rng.choice(marks) if rng.random() < density else rng.choice((0, 0, -2))
        for item in judged
        for subtopic in subtopics
        if rng.random() < 0.9
    }
    grades.setdefault((subtopics[0], judged[0]), 1)
    unjudged = [f"unjudged{number}" for number in range(rng.choice((0, 3, 10)))]
    ranking = rng.sample(items, rng.choice((rng.randint(1, len(items)), len(items)))) + unjudged
    rng.shuffle(ranking)
    if rng.random() < 0.5:
        ranking = greedy_order(ranking, grades)
    return Topic(name, tuple(ranking[: rng.choice((3, 8, 40))]), grades)


def random_topics(seed: int, count: int) -> list[Topic]:
    rng = random.Random(seed)
    return [random_topic(f"q{number}", rng) for number in range(count)]


# z (or any other) may come first; if it does, x and y repeat one of its subtopics each, else only z repeats
TIED = Topic(
    "tied", ("x", "y", "z"), dict.fromkeys((("a", "x"), ("c", "x"), ("b", "y"), ("d", "y"), ("a", "z"), ("b", "z")), 1)
)

CORPUS = random_topics(2014, TOPICS)
SCORED = [topic for topic in CORPUS if topic.subtopics]


# --- oracles -------------------------------------------------------------------------------------


def by_ndeval(topics: Iterable[Topic], alpha: float = 0.5) -> Values:
    names = [f"{measure}@{k}" for measure in ("alpha-nDCG", "alpha-DCG", "ERR-IA", "strec") for k in CUTOFFS]
    values: Values = {}
    for topic in topics:
        # one call each: within a call ndeval numbers the subtopics of all topics together, and slows down
        run = [(topic.name, item, float(-place)) for place, item in enumerate(topic.ranking)]
        values.update(pyndeval.ndeval(topic.judgments, run, measures=names, alpha=alpha))
    return values


def ours(topics: Sequence[Topic], **options: Any) -> Mapping[str, Mapping[str, float]]:
    run = {topic.name: topic.ranking for topic in topics}
    judgments = [judgment for topic in topics for judgment in topic.judgments]
    values: Mapping[str, Mapping[str, float]] = diversity_of_run(run, judgments, cutoffs=CUTOFFS, **options)
    return values


@cache
def library() -> Values:
    return by_ndeval(CORPUS)


@cache
def as_ndeval() -> Mapping[str, Mapping[str, float]]:
    return ours(SCORED, definition="ndeval")


@cache
def as_seed() -> Mapping[str, Mapping[str, float]]:
    return ours(SCORED)


def gains_of(left: tuple[int, ...], patterns: Sequence[Pattern], seen: Counter[str], alpha: float) -> dict[int, float]:
    """Return what one more item of each pattern that remains would gain."""
    return {n: sum((1 - alpha) ** seen[s] for s in patterns[n]) for n, count in enumerate(left) if count}


@cache
def ideals(topic: Topic, greedy: bool, alpha: float = 0.5) -> list[tuple[float, float]]:
    """Return for each cut-off the least and the greatest α-DCG that any order (or any greedy order) of the pool has.

    Items on the same subtopics are interchangeable, so what is left of each kind is all there is to remember.
    """
    pool = Counter(topic.relevant.values())
    patterns = list(pool)
    reached = {tuple(pool.values()): (0.0, 0.0)}
    found = []
    for k in CUTOFFS:
        following: dict[tuple[int, ...], tuple[float, float]] = {}
        for left, (low, high) in reached.items():
            seen = Counter[str]()
            for pattern, count in zip(patterns, left, strict=True):
                seen.update(dict.fromkeys(pattern, pool[pattern] - count))
            gains = gains_of(left, patterns, seen, alpha)
            # a tie is one to the last bit only with powers of one half; elsewhere rounding makes and unmakes ties
            enough = max(gains.values(), default=0.0) * (1 - TOLERANCE) if greedy else 0.0
            for n, gain in gains.items():
                if gain >= enough:
                    state = (*left[:n], left[n] - 1, *left[n + 1 :])
                    least, most = following.get(state, (math.inf, -math.inf))
                    gained = gain * dcg_discount(k)
                    following[state] = (min(least, low + gained), max(most, high + gained))
        reached = following or reached
        found.append((min(low for low, _ in reached.values()), max(high for _, high in reached.values())))
    return found


def half_series(k: int, weight: Callable[[int], float]) -> float:
    """Return what ndeval divides by: a list whose every item is on every subtopic."""
    return math.fsum(0.5 ** (place - 1) * weight(place) for place in range(1, k + 1))


def dcg_discount(place: int) -> float:
    return 1 / math.log2(place + 1)


def err_discount(place: int) -> float:
    return 1 / place


def differing(cases: Iterable[Case]) -> list[Case]:
    """Return the cases whose two values differ; an undefined value never agrees."""
    return [(label, a, b) for label, a, b in cases if not abs(a - b) <= TOLERANCE]


def pairs(
    measure: str, theirs: str, cutoffs: Iterable[int], values: Mapping[str, Mapping[str, float]]
) -> Iterator[Case]:
    for topic in SCORED:
        for k in cutoffs:
            value = values[topic.name][f"{measure}@{k}"]
            yield (topic.name, k), value, library()[topic.name][f"{theirs}@{k}"]


# --- what the topics must contain, so that agreement means something -----------------------------


def test_random_topics_cover_what_can_go_wrong() -> None:
    assert len(SCORED) >= 600
    pools = [len(topic.relevant) for topic in SCORED]
    assert sum(pool > EXACT_POOL for pool in pools) > 100
    assert sum(pool <= EXACT_POOL for pool in pools) > 300
    assert sum(set(topic.grades.values()) <= {1, 0, -2} for topic in SCORED) > 100
    assert sum(max(topic.grades.values()) > 1 for topic in SCORED) > 200
    assert sum(len(topic.ranking) < 5 for topic in SCORED) > 100
    assert sum(len(topic.ranking) > 20 for topic in SCORED) > 30
    assert sum(any(item.startswith("unjudged") for item in topic.ranking) for topic in SCORED) > 200
    assert sum(low < high - TOLERANCE for topic in SCORED for low, high in ideals(topic, greedy=True)) > 100
    best = [max(library()[topic.name][f"alpha-nDCG@{k}"] for k in CUTOFFS) for topic in SCORED]
    assert sum(value > 1 + TOLERANCE for value in best) >= 3
    assert sum(value == 0 for value in best) >= 3


# --- definition "ndeval" -------------------------------------------------------------------------


def test_subtopic_recall_is_ndevals() -> None:
    assert not differing(pairs("S_Recall", "strec", CUTOFFS, as_seed()))
    assert not differing(pairs("S_Recall", "strec", CUTOFFS, as_ndeval()))


def test_alpha_ndcg_under_ndeval_is_ndevals_also_above_one() -> None:
    assert not differing(pairs("alpha_nDCG", "alpha-nDCG", CUTOFFS, as_ndeval()))


def test_alpha_dcg_under_ndeval_is_ndevals_from_the_second_place_on() -> None:
    assert not differing(pairs("alpha_DCG", "alpha-DCG", NORMALISED, as_ndeval()))


def test_err_ia_under_ndeval_is_ndevals_from_the_second_place_on() -> None:
    assert not differing(pairs("ERR_IA", "ERR-IA", NORMALISED, as_ndeval()))


@pytest.mark.parametrize(("measure", "theirs"), [("alpha_DCG", "alpha-DCG"), ("ERR_IA", "ERR-IA")])
def test_first_place_is_normalised_here_and_not_there(measure: str, theirs: str) -> None:
    sizes = {topic.name: len(topic.subtopics) for topic in SCORED}
    found = pairs(measure, theirs, [1], as_ndeval())
    assert not differing([(label, value * sizes[label[0]], total) for label, value, total in found])


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.75, 1.0])
def test_other_penalties_under_ndeval(alpha: float) -> None:
    # quarters: as with one half, the library's sums and so its ties are exact. Where the definitions print ½ the tool
    # has 1 − α, in the normalisation and as the chance that its reader goes on in ERR-IA
    topics = SCORED[:150]
    theirs = by_ndeval(topics, alpha)
    values = ours(topics, definition="ndeval", alpha=alpha)
    for measure, name, cutoffs in (
        ("alpha_nDCG", "alpha-nDCG", CUTOFFS),
        ("alpha_DCG", "alpha-DCG", NORMALISED),
        ("ERR_IA", "ERR-IA", NORMALISED),
        ("S_Recall", "strec", CUTOFFS),
    ):
        cases = [
            ((topic.name, k), values[topic.name][f"{measure}@{k}"], theirs[topic.name][f"{name}@{k}"])
            for topic in topics
            for k in cutoffs
        ]
        assert not differing(cases)


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.7, 0.9])
def test_penalties_that_are_not_exact_agree_where_rounding_decides_no_tie(alpha: float) -> None:
    # .9 + .9 + .81 is not .9 + .81 + .9 to the last bit: by such a difference the tool may prefer one of two equals
    topics = SCORED[:250]
    theirs = by_ndeval(topics, alpha)
    values = ours(topics, definition="ndeval", alpha=alpha)
    cases: list[Case] = []
    outside = []
    for topic in topics:
        for k, (low, high) in zip(CUTOFFS, ideals(topic, True, alpha), strict=True):
            value, dcg = values[topic.name][f"alpha_nDCG@{k}"], topic.dcg(k, alpha)
            if high - low < TOLERANCE / 10:
                cases.append(((topic.name, k), value, theirs[topic.name][f"alpha-nDCG@{k}"]))
            elif not dcg / high - TOLERANCE <= value <= dcg / low + TOLERANCE:
                outside.append((topic.name, k, value, low, high))
    assert len(cases) > 0.8 * len(topics) * len(CUTOFFS)
    assert not differing(cases)
    assert not outside


def test_penalty_leaves_the_seeds_err_ia_alone() -> None:
    # the tool's reader stops with probability α; the seed's ERR-IA knows no α
    topics = SCORED[:150]
    half, quarter = as_seed(), ours(SCORED, alpha=0.25)
    names = [f"ERR_IA@{k}" for k in CUTOFFS]
    assert not differing([((t.name, 0), half[t.name][name], quarter[t.name][name]) for t in topics for name in names])


def test_topic_without_a_relevant_item_is_undefined_here_and_zero_there() -> None:
    hopeless = Topic("hopeless", ("x", "y"), {("a", "x"): 0, ("b", "y"): -2})
    assert by_ndeval([hopeless])["hopeless"]["alpha-nDCG@5"] == 0
    for definition in ("seed", "ndeval"):
        values = ours([hopeless], definition=definition).get("hopeless", {})
        assert all(
            math.isnan(values.get(f"{m}@5", math.nan)) for m in ("S_Recall", "alpha_DCG", "alpha_nDCG", "ERR_IA")
        )


# --- definition "seed" ---------------------------------------------------------------------------


def test_alpha_dcg_as_printed_is_ndevals_before_its_normalisation() -> None:
    cases = [
        (label, value, theirs * half_series(label[1], dcg_discount))
        for label, value, theirs in pairs("alpha_DCG", "alpha-DCG", NORMALISED, as_seed())
    ]
    assert not differing(cases)


def test_err_ia_with_half_relevance_is_half_of_ndevals_before_its_normalisation() -> None:
    # one grade above zero, mapped by (2 − 1) / 2: every relevant item stops every second reader
    binary = [Topic(t.name, t.ranking, {key: min(grade, 1) for key, grade in t.grades.items()}) for t in SCORED]
    values = ours(binary, max_grade=1)
    cases = [
        (label, value, theirs * half_series(label[1], err_discount) / 2)
        for label, value, theirs in pairs("ERR_IA", "ERR-IA", NORMALISED, values)
    ]
    assert not differing(cases)


def test_alpha_ndcg_is_never_above_one() -> None:
    values = [as_seed()[topic.name][f"alpha_nDCG@{k}"] for topic in SCORED for k in CUTOFFS]
    assert all(0 <= value <= 1 for value in values)


def test_alpha_ndcg_of_small_pools_divides_by_the_best_order_and_never_exceeds_ndevals() -> None:
    cases: list[Case] = []
    above, ties = [], 0
    for topic in SCORED:
        if len(topic.relevant) > EXACT_POOL:
            continue
        for k, (_, best), (low, high) in zip(CUTOFFS, ideals(topic, False), ideals(topic, True), strict=True):
            value, theirs = as_seed()[topic.name][f"alpha_nDCG@{k}"], library()[topic.name][f"alpha-nDCG@{k}"]
            cases.append(((topic.name, k), value, topic.dcg(k) / best))
            if not value <= theirs + TOLERANCE:
                above.append((topic.name, k, value, theirs))
            if low > best - TOLERANCE:
                # no tie and no greed costs anything here
                cases.append(((topic.name, k), value, theirs))
            else:
                ties += high > low
    assert not differing(cases)
    assert not above
    assert ties


def test_alpha_ndcg_of_large_pools_is_ndevals_where_ties_cannot_matter() -> None:
    cases: list[Case] = []
    outside = []
    for topic in SCORED:
        if len(topic.relevant) <= EXACT_POOL:
            continue
        for k, (low, high) in zip(CUTOFFS, ideals(topic, True), strict=True):
            value, theirs = as_seed()[topic.name][f"alpha_nDCG@{k}"], library()[topic.name][f"alpha-nDCG@{k}"]
            dcg = topic.dcg(k)
            if high - low < TOLERANCE:
                cases.append(((topic.name, k), value, min(theirs, 1.0)))
            elif not dcg / max(high, dcg) - TOLERANCE <= value <= dcg / max(low, dcg) + TOLERANCE:
                # whichever way the ties are broken, the order stays a greedy one
                outside.append((topic.name, k, value, low, high))
    assert len(cases) > 1000
    assert not differing(cases)
    assert not outside


def test_names_of_items_move_ndevals_value_and_not_ours() -> None:
    turned = {"x": "z", "y": "x", "z": "y"}
    other = Topic(
        TIED.name,
        tuple(turned[item] for item in TIED.ranking),
        {(subtopic, turned[item]): grade for (subtopic, item), grade in TIED.grades.items()},
    )
    theirs = [by_ndeval([topic])["tied"]["alpha-nDCG@3"] for topic in (TIED, other)]
    # gains 2, 2, 1 where the tool thinks that 2, 1.5, 1.5 is the best there is
    second, third = 1 / math.log2(3), 0.5
    best, settled = 2 + 2 * second + third, 2 + 1.5 * second + 1.5 * third
    assert theirs == pytest.approx([best / settled, 1], abs=TOLERANCE)
    assert theirs[0] > 1.01
    assert [ours([topic])["tied"]["alpha_nDCG@3"] for topic in (TIED, other)] == pytest.approx([1, 1], abs=1e-12)
    ndeval = [ours([topic], definition="ndeval")["tied"]["alpha_nDCG@3"] for topic in (TIED, other)]
    assert ndeval == pytest.approx(theirs, abs=TOLERANCE)


# --- trec_eval, which knows nothing of subtopics --------------------------------------------------


def by_trec_eval(measure: Any, topics: Iterable[tuple[str, Sequence[str], Mapping[str, int]]]) -> dict[str, float]:
    """Return a measure of plain rankings: name, ranking, and a grade for each item."""
    qrels, run = [], []
    for name, ranking, grades in topics:
        qrels += [ir_measures.Qrel(name, item, grade) for item, grade in grades.items()]
        run += [ir_measures.ScoredDoc(name, item, float(-place)) for place, item in enumerate(ranking)]
    provider = ir_measures.pytrec_eval
    return {metric.query_id: metric.value for metric in provider.iter_calc([measure], qrels, run)}


@pytest.mark.parametrize("graded", [False, True])
def test_alpha_ndcg_without_penalty_is_trec_evals_ndcg_of_summed_gains(graded: bool) -> None:
    # with α = 0 subtopics do not interact: an item's gain is the sum over its subtopics, and sorting is ideal
    def gain(topic: Topic, item: str) -> int:
        grades = [grade for (_, other), grade in topic.grades.items() if other == item and grade > 0]
        return sum(2**grade - 1 if graded else 1 for grade in grades)

    # trec_eval takes the scale of the gains as it is, and the ratio does not see it: a common gmax is all it needs
    values = ours(SCORED, alpha=0.0, graded=graded, max_grade=3)
    plain = [(topic.name, topic.ranking, {item: gain(topic, item) for item in topic.relevant}) for topic in SCORED]
    for k in (1, 3, 10, 20):
        theirs = by_trec_eval(ir_measures.nDCG @ k, plain)
        cases = [((t.name, k), values[t.name][f"alpha_nDCG@{k}"], theirs[t.name]) for t in SCORED]
        assert not differing(cases)


@pytest.mark.parametrize(("measure", "name"), [("ERR_IA", "RR"), ("S_Recall", "Success")])
def test_certain_relevance_is_the_mean_over_subtopics_of_trec_evals_measure(measure: str, name: str) -> None:
    # a reader who stops at the first relevant item: ERR is the reciprocal rank, a subtopic is found or not
    binary = [Topic(t.name, t.ranking, {key: min(grade, 1) for key, grade in t.grades.items()}) for t in SCORED]
    values = ours(binary)
    for k in (1, 5, 20):
        # cut here: trec_eval's reciprocal rank knows no cut-off
        plain = [
            (f"{t.name}/{subtopic}", t.ranking[:k], {i: 1 for i, pattern in t.relevant.items() if subtopic in pattern})
            for t in binary
            for subtopic in t.subtopics
        ]
        theirs = by_trec_eval(ir_measures.RR if name == "RR" else ir_measures.Success @ k, plain)
        means = {t.name: math.fsum(theirs[f"{t.name}/{s}"] for s in t.subtopics) / len(t.subtopics) for t in binary}
        assert not differing([((name, k), values[name][f"{measure}@{k}"], mean) for name, mean in means.items()])
