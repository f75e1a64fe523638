"""Texts: entropy at equal length over prompts, models on shared prompts, and which texts are called repetitive.

Answers to a prompt resemble each other: of the variance of their entropies (normal, around 5.3 bits) a share of 0.3, or
0.6 where there are 50 of them, lies between prompts, and repetitive answers are beta-binomial with the same
correlation. Models are compared on the means of the prompts they share. Human prose is that of
tests/helpers/public_domain_prose.txt, cut anywhere; texts drawn at random have words by Zipf's law; loops are made of
both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate, aggregate_share
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, compare_units
from scoresheet.metrics.families.entropy.constants import HUMAN_SHARE
from scoresheet.metrics.families.entropy.measures import OFTEN_REPETITIVE, REPETITION_BANDS
from scoresheet.metrics.families.entropy.text_measures import text_entropies
from scoresheet.metrics.stats.bands import band_of_interval
from tests.calibration.cells import Cell, Simulation
from tests.helpers.prose import loop, passages

MEAN, DEVIATION = 5.3, 0.2  # bits: of windows of fifty words
SETTINGS = ((5, 1, 0.3), (10, 1, 0.3), (30, 1, 0.3), (100, 1, 0.3), (10, 10, 0.3), (30, 10, 0.3), (100, 10, 0.3))
MANY_ANSWERS = (20, 50, 0.6)
LENGTHS = (100, 300, 600, 1_000)
SHARES = (0.05, 0.3)
_AT_ONCE = 200  # texts measured together
_FEW = 100  # trials of a run that must be short


def interval_of_entropy(trials: int) -> Iterator[Cell]:
    """How often the interval of the mean entropy holds the true one, prompts drawn with all their answers."""
    for prompts, answers, correlation in (*SETTINGS, MANY_ANSWERS):
        rng = np.random.default_rng([1, prompts, answers])
        keys = _keys(prompts, answers)
        hits = 0
        for trial in range(trials):
            values = _answers(rng, rng.standard_normal(prompts), answers, correlation)
            low, high, _ = aggregate([SheetValues(keys, values)], noun="prompts", seed=trial).interval
            hits += low <= MEAN <= high
        limit = 0.92 if prompts >= 10 else 0.85
        yield Cell("95 % interval of entropy covers", _setting(prompts, answers), hits, trials, limit, at_least=True)


def models_compared(trials: int) -> Iterator[Cell]:
    """How often two models that are alike are told apart: by their entropy, and by any other measure."""
    for prompts, answers, correlation in _settings(trials):
        rng = np.random.default_rng([2, prompts, answers])
        keys = _keys(prompts, answers)
        headline = others = 0
        for trial in range(trials):
            effects = rng.standard_normal((4, prompts))  # of prompts, the same for both models
            models = {
                name: ComparedUnits.of_sheets(
                    {
                        "s": KeyedValues(
                            keys, np.column_stack([_answers(rng, own, answers, correlation) for own in effects])
                        )
                    }
                )
                for name in "ab"
            }
            names = ["at length", *"xyz"]
            found = compare_units(models, names, headline=names[0], better="higher", units="prompts", seed=trial)
            headline += any(pair.shown for pair in found.of_headline())
            others += any(pair.shown for pair in found.differences if pair.exploratory)
        setting = _setting(prompts, answers)
        yield Cell("two alike models are told apart by entropy", setting, headline, trials, 0.05)
        yield Cell("or by any of three exploratory measures", setting, others, trials, 0.05)


def share_of_repetitive_texts(trials: int) -> Iterator[Cell]:
    """How often the interval of the share holds the true one, and the word is said of one that people have too."""
    for prompts, answers, correlation in _settings(trials):
        keys = _keys(prompts, answers)
        for share in SHARES:
            rng = np.random.default_rng([3, prompts, answers, round(100 * share)])
            hits = called = 0
            for _ in range(trials):
                values = _repetitive(rng, prompts, answers, share, correlation)
                low, high, _ = aggregate_share([SheetValues(keys, values)], noun="prompts").interval
                hits += low <= share <= high
                called += band_of_interval(low, high, REPETITION_BANDS, otherwise="") == OFTEN_REPETITIVE
            setting = f"{_setting(prompts, answers)}, share {share:g}"
            yield Cell("95 % interval of the repetitive share covers", setting, hits, trials, 0.92, at_least=True)
            if share <= HUMAN_SHARE:
                yield Cell(f"repetition is called {OFTEN_REPETITIVE}", setting, called, trials, 0.05)


def repetitive_texts(trials: int) -> Iterator[Cell]:
    """How often human prose and texts drawn at random are called repetitive, and how often loops are."""
    for length in LENGTHS:
        rng = np.random.default_rng([4, length])
        human = [_cut(rng, length) for _ in range(trials)]
        yield Cell("human prose is called repetitive", f"{length:,} words", _called(human), trials, HUMAN_SHARE)
        drawn = [_zipf(rng, length) for _ in range(trials)]
        yield Cell("words drawn at random are", f"{length:,} words", _called(drawn), trials, HUMAN_SHARE)
    for times in (2, 3, 10):
        rng = np.random.default_rng([5, times])
        sizes = [max(int(rng.integers(3, 101)), -(-12 // times)) for _ in range(trials)]  # some words are of one letter
        loops = [loop(_cut(rng, size), size, times) for size in sizes]
        yield Cell("a loop is called repetitive", f"said {times} times", _called(loops), trials, 1.0, at_least=True)


def _settings(trials: int) -> tuple[tuple[int, int, float], ...]:
    """Return the settings from ten prompts on; for a few trials, the two that most may go wrong in."""
    return (SETTINGS[1], MANY_ANSWERS) if trials < _FEW else (*SETTINGS[1:], MANY_ANSWERS)


def _setting(prompts: int, answers: int) -> str:
    return f"{prompts} prompts, {answers} answer{'s' if answers > 1 else ''} each"


def _keys(prompts: int, answers: int) -> list[str]:
    return [f"p{prompt:03}" for prompt in range(prompts) for _ in range(answers)]


def _answers(
    rng: np.random.Generator, prompts: NDArray[np.float64], answers: int, correlation: float
) -> NDArray[np.float64]:
    """Return entropies of answers, prompt by prompt, from the effects of the prompts."""
    own = math.sqrt(1 - correlation) * rng.standard_normal(len(prompts) * answers)
    return MEAN + DEVIATION * (np.repeat(math.sqrt(correlation) * prompts, answers) + own)


def _repetitive(
    rng: np.random.Generator, prompts: int, answers: int, share: float, correlation: float
) -> NDArray[np.float64]:
    """Return 1 for each repetitive answer; prompts differ in how many of theirs are."""
    spread = 1 / correlation - 1
    own = rng.beta(share * spread, (1 - share) * spread, size=prompts)
    return (rng.random(prompts * answers) < np.repeat(own, answers)).astype(np.float64)


def _cut(rng: np.random.Generator, length: int) -> str:
    """Return so many words in a row of a passage that has them."""
    long_enough = [words for words in map(str.split, passages().values()) if len(words) >= length]
    words = long_enough[int(rng.integers(len(long_enough)))]
    start = int(rng.integers(len(words) - length + 1))
    return " ".join(words[start : start + length])


def _zipf(rng: np.random.Generator, length: int) -> str:
    ranks = np.arange(1, 5_001)
    return " ".join(f"w{word}" for word in rng.choice(ranks, size=length, p=(1 / ranks) / (1 / ranks).sum()))


def _called(texts: Sequence[str]) -> int:
    """Return how many texts are called repetitive."""
    parts = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    return sum(text.repetitive for part in parts for text in text_entropies(part, vectors="none"))


SIMULATIONS: tuple[Simulation, ...] = (
    interval_of_entropy,
    models_compared,
    share_of_repetitive_texts,
    repetitive_texts,
)
