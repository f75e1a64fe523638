"""Repetition and entropy at equal length, against plain Python, scipy and statsmodels, human prose and loops."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

from scoresheet.metrics import text_entropies, text_entropy
from scoresheet.metrics.aggregate import SheetValues, aggregate_share
from scoresheet.metrics.families.entropy.blocks import content_words
from scoresheet.metrics.families.entropy.constants import HUMAN_SHARE
from scoresheet.metrics.stats.clustered_share import beta_quantile, clustered_share_interval
from tests.helpers.prose import loop, passages, pieces

pytestmark = pytest.mark.filterwarnings("ignore:open_binary is deprecated")  # the vocabularies, when they are opened
VOCABULARY = ("red", "fox", "den", "oak", "sea", "sky")
LENGTHS = (100, 300, 600, 1_000)
PRINTED = {100: 0.21, 300: 0.87, 600: 1.0, 1_000: 1.0}  # of human prose, as docs/entropy.md says


def share_of_repeated_runs(words: Sequence[str], longest: int) -> float:
    """Return the share of words in runs that stood before, run by run."""
    run = max(1, min(longest, len(words) // 2))
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for start in range(len(words) - run + 1):
        own = tuple(words[start : start + run])
        if own in seen:
            covered.update(range(start, start + run))
        seen.add(own)
    return len(covered) / len(words)


def repetitive(texts: Sequence[str], **options: str) -> float:
    """Return the share of texts that are called repetitive."""
    found = text_entropies(texts, vectors="none", **options)  # type: ignore[arg-type]
    return sum(each.repetitive for each in found) / len(found)


# --- entropy at equal length ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [2, 7, 50])
def test_entropy_at_length_is_the_mean_over_full_windows(window: int) -> None:
    for text, found in zip(passages().values(), text_entropies([*passages().values()], window=window), strict=True):
        words = content_words(text)
        windows = [words[start : start + window] for start in range(0, len(words) - window + 1, window)]
        entropies = [stats.entropy([*Counter(own).values()], base=2) for own in windows]
        assert found.entropy_at_length == pytest.approx(math.fsum(entropies) / len(entropies), rel=1e-12)


def test_a_text_of_one_window_has_its_word_entropy_and_a_shorter_one_none() -> None:
    words = [f"w{number % 30}" for number in range(50)]
    full, short = text_entropies([" ".join(words), " ".join(words[:-1])])
    assert full.entropy_at_length == pytest.approx(full.word_entropy)
    assert math.isnan(short.entropy_at_length)
    assert text_entropy("red fox red fox den", window=4).entropy_at_length == 1  # the fifth word fills no window


def test_entropy_at_length_does_not_grow_with_length_as_word_entropy_does() -> None:
    rng = random.Random(4)
    vocabulary = [f"w{number}" for number in range(400)]
    weights = [1 / (number + 1) for number in range(400)]
    texts = [" ".join(rng.choices(vocabulary, weights, k=length)) for length in range(50, 650, 2)]
    found = text_entropies(texts, vectors="none")
    lengths = [math.log(each.words) for each in found]
    assert np.corrcoef(lengths, [each.word_entropy for each in found])[0, 1] > 0.9
    assert abs(np.corrcoef(lengths, [each.entropy_at_length for each in found])[0, 1]) < 0.2


# --- repetition -------------------------------------------------------------------------------------------------------


def test_the_repeated_share_is_that_of_a_plain_count() -> None:
    rng = random.Random(7)
    texts = [" ".join(rng.choices(VOCABULARY[: 2 + number % 5], k=number)) for number in range(1, 150)]
    texts += [*passages().values(), *(loop(text, 30, 3) for text in passages().values())]
    for text, found in zip(texts, text_entropies(texts, vectors="none"), strict=True):
        words = content_words(text)
        share = share_of_repeated_runs(words, 5)
        assert found.repeated_share == pytest.approx(share), text
        assert found.repetitive == (len(words) >= 6 and share >= 0.25 - 1e-9), text


@pytest.mark.parametrize("tokenizer", ["auto", "chars"])
def test_where_words_are_characters_runs_are_longer(tokenizer: str) -> None:
    rng = random.Random(8)
    texts = ["".join(rng.choices("春眠不觉晓处处闻", k=number)) for number in range(1, 120)]
    for text, found in zip(texts, text_entropies(texts, vectors="none", tokenizer=tokenizer), strict=True):
        assert found.repeated_share == pytest.approx(share_of_repeated_runs(text, 20)), text


@pytest.mark.parametrize("length", LENGTHS)
def test_human_prose_is_spared(length: int) -> None:
    assert repetitive(pieces(length)) <= HUMAN_SHARE
    assert repetitive(pieces(length), tokenizer="chars") <= HUMAN_SHARE
    assert repetitive(pieces(length), tokenizer="whitespace") <= HUMAN_SHARE


def test_human_prose_is_spared_whole_and_very_short() -> None:
    assert repetitive([*passages().values()]) == 0
    assert repetitive(pieces(12)) <= HUMAN_SHARE
    assert repetitive(pieces(30)) <= HUMAN_SHARE
    assert not text_entropy("To be, or not to be, that is the question").repetitive


@pytest.mark.parametrize("tokenizer", ["auto", "whitespace", "chars", "bpe"])
@pytest.mark.parametrize("times", [2, 3, 7])
def test_loops_are_repetitive_whatever_their_length(times: int, tokenizer: str) -> None:
    texts = [loop(text, words, times) for text in passages().values() for words in (6, 7, 10, 25, 50, 150, 200)]
    assert repetitive(texts, tokenizer=tokenizer) == 1


def test_short_phrases_and_single_words_said_again_are_loops() -> None:
    assert repetitive([f"{'no ' * times}" for times in (6, 7, 50)]) == 1
    assert repetitive(["red fox den red fox den", "red fox " * 3, "yes sir " * 40, "我爱猫" * 2, "谢谢你" * 30]) == 1
    assert repetitive(["no no no no no", "red fox red fox"]) == 0  # under six words: too short to tell


def test_a_text_that_ends_in_a_loop_is_repetitive_and_one_repeated_sentence_is_not() -> None:
    alice, moby = (text.split() for text in [*passages().values()][:2])
    assert text_entropy(" ".join([*alice[:150], *moby[:15] * 5])).repetitive
    assert not text_entropy(" ".join([*alice[:150], *alice[40:60]])).repetitive


@pytest.mark.parametrize("length", LENGTHS)
def test_the_printed_rule_calls_so_much_of_human_prose_repetitive(length: int) -> None:
    assert repetitive(pieces(length), repetition="printed") == pytest.approx(PRINTED[length], abs=0.005)


def test_the_printed_rule_misses_loops_of_two() -> None:
    assert repetitive([loop(text, 50, 2) for text in passages().values()], repetition="printed") == 0.5


# --- the share of repetitive texts ------------------------------------------------------------------------------------


def test_beta_quantiles_are_those_of_scipy() -> None:
    rng = random.Random(1)
    for _ in range(200):
        share = rng.choice([0.0005, 0.025, 0.5, 0.975, 0.9995])
        a, b = 10 ** rng.uniform(0, 4), 10 ** rng.uniform(0, 4)
        assert beta_quantile(share, a, b) == pytest.approx(float(stats.beta.ppf(share, a, b)), rel=1e-8)
    for share, a, b in ((0, 1, 1), (1, 1, 1), (0.5, 0, 1), (0.5, 1, -1)):
        with pytest.raises(ValueError, match=r"no quantile"):
            beta_quantile(share, a, b)


@pytest.mark.parametrize("hits", [0, 1, 7, 29, 30])
def test_texts_of_their_own_have_the_exact_interval(hits: int) -> None:
    values = np.array([1.0] * hits + [0.0] * (30 - hits))
    found = aggregate_share([SheetValues([f"p{text}" for text in range(30)], values)], noun="texts")
    low, high = proportion_confint(hits, 30, method="beta")
    assert found.overall == pytest.approx(hits / 30)
    # statsmodels has no lower end for none, and no upper one for all
    assert found.interval.low == pytest.approx(0.0 if hits == 0 else low)
    assert found.interval.high == pytest.approx(1.0 if hits == 30 else high)


def test_answers_that_do_as_their_prompt_does_count_once() -> None:
    """Where all answers to a prompt are alike there is no more to be known than from one of each."""
    one = clustered_share_interval(np.array([[1.0]] * 6 + [[0.0]] * 14), np.ones((20, 1)), noun="prompts")
    ten = clustered_share_interval(np.array([[10.0]] * 6 + [[0.0]] * 14), np.full((20, 1), 10.0), noun="prompts")
    assert ten.high - ten.low == pytest.approx(one.high - one.low, rel=0.05)
    none = clustered_share_interval(np.zeros((20, 1)), np.full((20, 1), 10.0), noun="prompts")
    assert none.high == pytest.approx(proportion_confint(0, 20, method="beta")[1])


def test_few_prompts_have_no_interval_of_the_share() -> None:
    found = clustered_share_interval(np.zeros((4, 1)), np.full((4, 1), 50.0), noun="prompts")
    assert math.isnan(found.low)
    assert found.note == "too few prompts for an interval: 4, at least 5 are needed"
