"""What the public functions cannot take is a ValueError that shows it: a case for each function and bad input."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import scoresheet
import scoresheet.metrics
from scoresheet.metrics import DEFAULT_STRATEGIES, disagreement, holm, mcnemar_p, s_info, text_entropies

NAN, INF = math.nan, math.inf
STANDARD = DEFAULT_STRATEGIES[0]
SQUARE = [[0.0, 1.0], [1.0, 0.0]]
RUN = {"q": ["A", "B"]}
JUDGED = [("q", "a", "A", 1), ("q", "b", "B", 1)]
TEXTS = pd.DataFrame({"text": ["red fox", "blue sea"]})
CUBE = np.full((2, 2, 2), 0.5)
NOT_CHECKED = {
    # what functions return, and errors that they raise; nobody is meant to make one
    *("Contributions", "CorpusDiversity", "Correlation", "DebiasedGini", "Disagreement", "Disagreements"),
    *("ErrorDiversity", "Match", "MissingExtra", "OptionClash", "PairedTest", "PermutationTest", "TextEntropy"),
    "DEFAULT_STRATEGIES",  # a constant
}


class Call(NamedTuple):
    """A call that cannot be meant, and what its error must show."""

    shown: str
    given: tuple[Any, ...]
    options: dict[str, Any]


def bad(shown: str, *given: Any, **options: Any) -> Call:
    """Return a call that must be refused."""
    return Call(shown, given, options)


COUNTS = [
    bad("-1", [-1, 2, 3]),
    bad("[]", []),
    bad("nan", [NAN, 1]),
    bad("inf", [INF, 1]),
    bad("[1, 2]", [[1, 2], [3, 4]]),
    bad("(2, 2)", np.ones((2, 2))),
    bad("'ab'", "ab"),
    bad("'3'", ["3", "4"]),
    bad("5", 5),
    bad("None", None),
]
RATINGS = [
    bad("(0,)", []),
    bad("(3,)", [1, 2, 3]),
    bad("[[1], [2, 3]]", [[1], [2, 3]]),
    bad("inf", [[INF, 1], [1, 2]]),
    bad("['a', 'b']", [["a", "b"]]),
    bad("()", 5),
    bad("(1, 1, 1)", [[[1]]]),
]
LABELS = [
    bad("(0,)", []),
    bad("(1, 0)", [[]]),
    bad("'ab'", ["ab", "ba"]),
    bad("5", [5, 6]),
    bad("[1, 2]", [["a"], ["a", "b"]]),
]
CUTOFFS: list[tuple[str, object]] = [
    ("[]", []),
    ("[0]", [0]),
    ("[-1]", [-1]),
    ("[1.5]", [1.5]),
    ("[nan]", [NAN]),
    ("5", 5),
]

CALLS: dict[str, list[Call]] = {
    "OutlierRules": [
        bad("-1", outlier=-1),
        bad("nan", robust=NAN),
        bad("-0.1", mad_floor=-0.1),
        bad("'a'", outlier="a"),
    ],
    "Strategy": [
        bad("-1", "s", -1, 0.5, 0),
        bad("nan", "s", NAN, 0.5, 0),
        bad("2", "s", 0.5, 2, 0),
        bad("inf", "s", 0.5, 0.5, INF),
        bad("-0.5", "s", 0.5, 0.5, 0, {"style": -0.5}),
        bad("nan", "s", 0.5, 0.5, 0, {"style": NAN}),
    ],
    "alpha_interval": [
        *RATINGS,
        bad("'x'", [[1, 2]] * 6, "x"),
        bad("2", [[1, 2]] * 6, confidence=2),
        bad("nan", [[1, 2]] * 6, confidence=NAN),
        bad("-1", [[1, 2]] * 6, seed=-1),
    ],
    "apply_strategy": [
        bad("2.0", 2, 0.5, 0.5, STANDARD),
        bad("-1.0", -1, 0.5, 0.5, STANDARD),
        bad("inf", INF, 0.5, 0.5, STANDARD),
        bad("-1.0", 0.5, -1, 0.5, STANDARD),
        bad("-2.0", 0.5, 0.5, -2, STANDARD),
        bad("(3,)", np.zeros(2), np.zeros(3), np.zeros(2), STANDARD),
        bad("'standard'", 0.5, 0.5, 0.5, "standard"),
        bad("-1", 0.5, 0.5, 0.5, STANDARD, -1),
        bad("nan", 0.5, 0.5, 0.5, STANDARD, NAN),
    ],
    "bootstrap_interval": [
        bad("(0,)", []),
        bad("(1, 2)", [[1, 2]]),
        bad("inf", [INF, 1]),
        bad("'a'", ["a"]),
        bad("2 values and 1 clusters", [1, 2], [1]),
        bad("2", [1, 2], confidence=2),
        bad("'95'", [1, 2], confidence="95"),
        bad("-1", [1, 2], seed=-1),
        bad("0.5", [1, 2], seed=0.5),
    ],
    "brevity_penalty": [
        bad("None", None, "a"),
        bad("nan", "a", NAN),
        bad("'x'", "a", "b", length="x"),
        bad("'x'", "a", "b", tokenizer="x"),
    ],
    "cohen_kappa": [*LABELS, bad("3", [["a", "b", "c"]])],
    "collapse_p_value": [
        *COUNTS,
        bad("1.5", [1.5, 2]),
        bad("1 shares for 2", [1, 2], target=[1]),
        bad("-1", [1, 2], target=[-1, 2]),
        bad("[0.0, 0.0]", [1, 2], target=[0, 0]),
        bad("nan", [1, 2], target=[NAN, 1]),
        bad("inf", [1, 2], target=[INF, 1]),
        bad("[]", [1, 2], target=[]),
        bad("-1", [1, 2], seed=-1),
    ],
    "corpus_diversity": [
        bad("[]", []),
        bad("'abc'", "abc"),
        bad("None", [None]),
        bad("nan", ["a b", NAN]),
        bad("'x'", ["a b"], tokenizer="x"),
        bad("-1", ["a b"], seed=-1),
    ],
    "debiased_gini": [
        *COUNTS,
        bad("1.5", [1.5, 2]),
        bad("nan", [3, 2], confidence=NAN),
        bad("-1", [3, 2], seed=-1),
    ],
    "disagreement": [
        bad("inf", [INF, 0.5]),
        bad("85.0", [85, 90]),
        bad("-0.2", [-0.2, 0.4]),
        bad("(1, 1)", [[0.5]]),
        bad("'a'", ["a"]),
        bad("()", 5),
    ],
    "disagreements": [
        bad("(0,)", []),
        bad("inf", [[INF, 0.5]]),
        bad("85.0", [[85, 90]]),
        bad("-0.2", [[-0.2, 0.4]]),
        bad("(2,)", [0.5, 0.6]),
        bad("'a'", [["a"]]),
        bad("(1, 1, 1)", [[[0.5]]]),
    ],
    "diversity_of_run": [
        *(bad(shown, RUN, JUDGED, cutoffs=cutoffs) for shown, cutoffs in CUTOFFS),
        bad("nan", RUN, [("q", "a", "A", NAN)]),
        bad("inf", RUN, [("q", "a", "A", INF)]),
        bad("'x'", RUN, [("q", "a", "A", "x")]),
        bad("('q', 'a', 'A')", RUN, [("q", "a", "A")]),
        bad("'AB'", {"q": "AB"}, JUDGED),
        bad("5", {"q": 5}, JUDGED),
        bad("[1]", [1], JUDGED),
        bad("2", RUN, JUDGED, alpha=2),
        bad("nan", RUN, JUDGED, alpha=NAN),
        bad("-1", RUN, JUDGED, max_grade=-1),
        bad("nan", RUN, JUDGED, max_grade=NAN),
        bad("-1", RUN, JUDGED, intents={"q": {"a": -1, "b": 2}}),
        bad("{'a': 0}", RUN, JUDGED, intents={"q": {"a": 0}}),
        bad("nan", RUN, JUDGED, intents={"q": {"a": NAN}}),
        bad("inf", RUN, JUDGED, targets={"q": {"a": INF}}),
        bad("0.5", RUN, JUDGED, targets={"q": 0.5}),
        bad("'x'", RUN, JUDGED, definition="x"),
        bad("'x'", RUN, JUDGED, log_base="x"),
    ],
    "efficiency": [
        bad("84", 84, 60),
        bad("-0.1", -0.1, 60),
        bad("-1", 0.8, -1),
        bad("inf", 0.8, INF),
    ],
    "emergence_interval": [
        bad("(0,)", [], []),
        bad("(1, 1)", [True, False], [[True]]),
        bad("(2,)", [True, False], [True, False]),
        bad("(2, 0)", [True, False], [[], []]),
        bad("0.3", [0.3, 1], [[1], [0]]),
        bad("nan", [NAN, 1], [[1], [0]]),
        bad("['a', 'b']", ["a", "b"], [[1], [0]]),
        bad("(1, 2)", [[1, 0]], [[1], [0]]),
        bad("-1", [1, 0], [[1], [0]], seed=-1),
    ],
    "emergence_ratio": [
        bad("(0,)", 0.5, []),
        bad("-0.5", -0.5, [0.5]),
        bad("85", 85, [0.5]),
        bad("nan", NAN, [0.5]),
        bad("nan", 0.5, [NAN]),
        bad("12.0", 0.5, [0.1, 12]),
        bad("()", 0.5, 0.5),
        bad("'a'", "a", [0.5]),
    ],
    "entropy": [
        *COUNTS,
        bad("1", [1, 2], 1),
        bad("0", [1, 2], 0),
        bad("nan", [1, 2], NAN),
        bad("-2", [1, 2], base=-2),
    ],
    "error_diversity": [
        bad("(0,)", [], []),
        bad("1 samples of the one and 2", [True], [True, False]),
        bad("(1, 1)", [[True]], [[True]]),
        bad("0.3", [0.3], [1]),
        bad("2.0", [1], [2]),
        bad("nan", [NAN], [1]),
        bad("'a'", ["a"], ["b"]),
    ],
    "expected_intra_list_diversity": [
        *(bad(shown, SQUARE, [1, 1], cutoffs) for shown, cutoffs in CUTOFFS),
        bad("(0,)", [], [], [1]),
        bad("(1, 2)", [[0, 1]], [1, 1], [2]),
        bad("(1,)", SQUARE, [1], [2]),
        bad("-1", [[0, -1], [-1, 0]], [1, 1], [2]),
        bad("nan", [[0, NAN], [NAN, 0]], [1, 1], [2]),
        bad("2.0", SQUARE, [1, 2], [2]),
        bad("-1.0", SQUARE, [-1, 1], [2]),
        bad("nan", SQUARE, [1, NAN], [2]),
        bad("2", SQUARE, [1, 1], [2], discount=2),
        bad("0", SQUARE, [1, 1], [2], discount=0),
        bad("nan", SQUARE, [1, 1], [2], discount=NAN),
    ],
    "fingerprint_diversity": [
        bad("(0,)", []),
        bad("(2,)", [1, 2]),
        bad("(2, 0)", [[], []]),
        bad("nan", [[NAN, 1], [1, 2]]),
        bad("inf", [[INF, 1], [1, 2]]),
        bad("'a'", [["a"]]),
    ],
    "fleiss_kappa": LABELS,
    "gini": COUNTS,
    "holm": [
        bad("-0.1", [-0.1]),
        bad("1.1", [0.5, 1.1]),
        bad("'a'", ["a"]),
        bad("(1, 1)", [[0.1]]),
        bad("()", 0.5),
    ],
    "intra_list_diversity": [
        *(bad(shown, [[1, 2], [2, 1]], cutoffs) for shown, cutoffs in CUTOFFS),
        bad("(0,)", [], [1]),
        bad("(3,)", [1, 2, 3], [2]),
        bad("nan", [[1, NAN], [1, 2]], [2]),
        bad("inf", [[1, INF], [1, 2]], [2]),
        bad("(1, 1, 1)", [[[1]]], [1]),
        bad("'a'", [["a"]], [1]),
    ],
    "intraclass_correlation": RATINGS,
    "krippendorff_alpha": [
        *RATINGS,
        bad("'x'", [[1, 2]], "x"),
        bad("'ab'", ["ab", "ba"], "nominal"),
        bad("[2, 3]", [["a", "b"], ["a", "b", "a"]], "nominal"),
    ],
    "majority_vote": [
        bad("(0,)", []),
        bad("(1, 0)", [[]]),
        bad("(2,)", [1, 2]),
        bad("1.5", [[1.5, 2]]),
        bad("-5", [[-5, 2]]),
        bad("nan", [[NAN, 1]]),
        bad("[['a', 'b']]", [["a", "b"]]),
        bad("[[1], [1, 2]]", [[1], [1, 2]]),
        bad("'x'", [[1, 2]], "x"),
        bad("-1", [[1, 2]], seed=-1),
    ],
    "match_option": [
        bad("None", None, ["a"]),
        bad("nan", NAN, ["a"]),
        bad("'ab'", "a", "ab"),
        bad("None", "a", ["b", None]),
        bad("5", "a", 5),
        bad("'nippon'", "a", {"Japan": "nippon"}),
        bad("-1", "a", ["b"], fuzzy=-1),
        bad("101", "a", ["b"], fuzzy=101),
        bad("nan", "a", ["b"], fuzzy=NAN),
    ],
    "mcnemar_p": [
        bad("-1", -1, 2),
        bad("-3", 2, -3),
        bad("1.5", 1.5, 2),
        bad("nan", NAN, 2),
        bad("inf", 1, INF),
        bad("'a'", "a", 1),
        bad("[1]", [1], 2),
    ],
    "miller_madow": COUNTS,
    "normalized_entropy": COUNTS,
    "overall_scores": [
        bad("(2, 2)", np.ones((2, 2))),
        bad("inf", np.full((1, 1, 1), INF)),
        bad("(1, 1, 3)", np.ones((1, 1, 2)), np.ones((1, 1, 3))),
        bad("(1, 2, 2)", CUBE, relevance=CUBE[:1]),
        bad("-0.5", CUBE, -CUBE),
        bad("nan", CUBE, CUBE * NAN),
        bad("inf", CUBE, None, CUBE * INF),
    ],
    "paired_test": [
        bad("(0,)", [], []),
        bad("(1,) and (2,)", [1], [1, 2]),
        bad("inf", [1], [INF]),
        bad("(1, 1)", [[1]], [[2]]),
        bad("'a'", ["a"], [1]),
        bad("nan", [1, 2], [1, 2], confidence=NAN),
        bad("-1", [1, 2], [1, 2], seed=-1),
    ],
    "permutation_test": [
        *(bad(call.shown, call.given[0], [1, 2]) for call in COUNTS if call.given[0] is not None),
        bad("1.5", [1, 2], [1.5, 2]),
        bad("2 and 1", [1, 2], [1]),
        bad("-1", [1, 2], [1, 2], seed=-1),
    ],
    "proportion_interval": [
        bad("5 of 4", 5, 4),
        bad("-1", -1, 4),
        bad("nan", NAN, 4),
        bad("-4", 0, -4),
        bad("4.5", 2, 4.5),
        bad("'a'", "a", 4),
        bad("2", 2, 4, confidence=2),
    ],
    "rouge_l_precision": [
        bad("None", None, "a"),
        bad("nan", "a", NAN),
        bad("5", 5, "a"),
        bad("'a'", ["a"], "a"),
        bad("b'a'", b"a", "a"),
        bad("'x'", "a", "b", rouge="x"),
        bad("'x'", "a", "b", tokenizer="x"),
    ],
    "routing_entropy": [
        bad("(0,)", []),
        bad("(2,)", [0.5, 0.5]),
        bad("1.1", [[0.5, 0.5], [0.5, 0.6]]),
        bad("-0.5", [[-0.5, 1.5]]),
        bad("nan", [[NAN, 1]]),
        bad("(1, 0)", [[]]),
        bad("'a'", [["a"]]),
    ],
    "s_info": [
        bad("None", None, "a"),
        bad("nan", NAN, "a"),
        bad("None", "a", None),
        bad("nan", "a", NAN),
        bad("None", "a", ["b", None]),
        bad("5", "a", 5),
        bad("'x'", "a", "b", references_by="x"),
        bad("'x'", "a", "b", rouge="x"),
        bad("'x'", "a", "b", length="x"),
    ],
    "samples_needed": [
        bad("1", 1, 0.4),
        bad("-1", -1, 0.4),
        bad("2.5", 2.5, 0.4),
        bad("0.9", 5, 0.9),
        bad("-0.1", 5, -0.1),
        bad("nan", 5, NAN),
        bad("[]", 5, 0.4, powers=[]),
        bad("[1.0]", 5, 0.4, powers=[1.0]),
        bad("[0]", 5, 0.4, powers=[0]),
        bad("[nan]", 5, 0.4, powers=[NAN]),
        bad("-1", 5, 0.4, seed=-1),
    ],
    "text_entropies": [
        bad("'abc'", "abc"),
        bad("None", [None]),
        bad("nan", ["a b", NAN]),
        bad("5", 5),
        bad("'x'", ["a b"], vectors="x"),
        bad("'x'", ["a b"], definition="x"),
    ],
    "text_entropy": [
        bad("None", None),
        bad("nan", NAN),
        bad("['a', 'b']", ["a", "b"]),
        bad("'x'", "a b", tokenizer="x"),
    ],
    "vote_contributions": [
        bad("(0,)", [], []),
        bad("(1, 0)", [[]], [1]),
        bad("(2,)", [1, 2], [1, 2]),
        bad("1.5", [[1.5, 2]], [1]),
        bad("-5", [[-5, 2]], [2]),
        bad("(2,)", [[1, 2]], [1, 2]),
        bad("(1,)", [[1, 2], [1, 2]], [1]),
        bad("nan", [[1, 2]], [NAN]),
        bad("1.5", [[1, 2]], [1.5]),
        bad("['a']", [[1, 2]], ["a"]),
        bad("'x'", [[1, 2]], [1], "x"),
    ],
    # of the package: what their docstrings call a TypeError or another error is tested with them
    "score": [
        bad("'x'", "x", TEXTS),
        bad("None", None, TEXTS),
        bad("'foo'", "entropy", TEXTS, foo=1),
        bad("'x'", "entropy", TEXTS, tokenizer="x"),
        bad("'tall'", "entropy", TEXTS, columns={"tall": "wide"}),
        bad("5", "entropy", TEXTS, columns=5),
        bad("-1", "entropy", TEXTS, seed=-1),
        bad("'a'", "entropy", TEXTS, seed="a"),
        bad("0.5", "entropy", TEXTS, seed=0.5),
        bad("nan", "entropy", TEXTS, ci=NAN),
        bad("'x'", "entropy", TEXTS, ci="x"),
        bad("5", "entropy", TEXTS, tokenizer=5),
        bad("5", "diversity", TEXTS, cutoffs=5),
        bad("model", "entropy", {}),
    ],
    "compare": [
        bad("[]"),
        bad("5", 5),
        bad("None", None),
    ],
}
CASES = [(name, call) for name, calls in CALLS.items() for call in calls]


def _public(name: str) -> Callable[..., object]:
    found: Callable[..., object] = getattr(scoresheet, name)
    return found


@pytest.mark.parametrize(
    ("name", "call"), CASES, ids=[f"{name}-{index}" for name, calls in CALLS.items() for index in range(len(calls))]
)
def test_what_cannot_be_meant_is_a_value_error_that_shows_it(name: str, call: Call) -> None:
    with pytest.raises(ValueError, match=re.escape(call.shown)):
        _public(name)(*call.given, **call.options)


def test_every_public_function_has_its_cases() -> None:
    functions = {*scoresheet.metrics.__all__, "score", "compare"} - NOT_CHECKED
    assert set(CALLS) == functions


@pytest.mark.parametrize("name", sorted(CALLS))
def test_what_is_refused_is_said_in_the_docstring(name: str) -> None:
    assert "Raises\n------\nValueError\n" in inspect.cleandoc(_public(name).__doc__ or "")


def test_compare_refuses_measures_levels_and_seeds_that_are_none() -> None:
    scores = scoresheet.score("entropy", {"one": TEXTS, "other": TEXTS})
    for shown, options in (
        ("'Words'", {"measures": "Words"}),
        ("'Wordz'", {"measures": ["Wordz"]}),
        ("nan", {"confidence": NAN}),
        ("-1", {"seed": -1}),
    ):
        with pytest.raises(ValueError, match=shown):
            scoresheet.compare(scores, **options)


def test_what_is_merely_undefined_or_maps_nothing_is_no_error() -> None:
    assert math.isnan(s_info("the cat", []))  # an idiom without a reference has no score
    assert holm([]) == []
    assert text_entropies([]) == []
    nobody = disagreement([])
    assert (nobody.judges, nobody.consensus, nobody.reliability) == (0, 0.0, 0.0)


# --- McNemar's p-value is never 0 -------------------------------------------------------------------------------------

HUGE = st.one_of(st.integers(0, 2_000), st.integers(0, 10**7), st.integers(0, 10**400))


@given(HUGE, HUGE)
@example(0, 10**6)
@example(0, 5_000)
@example(0, 10**400)
@example(10**400, 10**400 + 1)
@example(10**308, 3 * 10**308)
def test_mcnemars_p_value_lies_above_0_and_is_the_same_whoever_comes_first(one: int, other: int) -> None:
    p_value = mcnemar_p(one, other)
    assert sys.float_info.min <= p_value <= 1
    assert mcnemar_p(other, one) == p_value


def test_mcnemars_p_value_is_in_order_where_the_formula_changes() -> None:
    for total in (1_000, 1_000_000):
        # one sample more on the smaller side raises the p-value, one more on the larger side lowers it
        few = int(total / 2 - 1.5 * math.sqrt(total))
        assert mcnemar_p(few + 1, total - few) > mcnemar_p(few, total - few) > mcnemar_p(few, total + 1 - few)
