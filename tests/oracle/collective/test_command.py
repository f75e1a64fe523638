"""`scoresheet collective` on files: what its reports say, recomputed in plain Python from the same rows."""

from __future__ import annotations

import csv
import json
import math
import random
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
import pytest

from tests.helpers.collective import interval_by_hand
from tests.helpers.files import sheet_names, sheet_rows
from tests.helpers.json_values import leaves, nested
from tests.helpers.runs import Result, Run
from tests.helpers.workbooks import empty_workbooks

Table = tuple[Sequence[str], list[list[str]]]
Fuse = Callable[[Sequence[str]], str]

STREAMS = ("vision", "text", "audio", "graph")
CLASSES = ("cat", "dog", "eel", "owl")
Line = dict[str, Any]
Rows = list[list[str]]


def near(value: float | Fraction) -> Any:
    return pytest.approx(float(value), rel=0, abs=1e-9, nan_ok=True)


# --- writing systems, reading reports ----------------------------------------------------------------


def write_csv(path: Path, table: Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table[0], *table[1]])


def write_system(folder: Path, sheets: Mapping[str, Table], name: str = "system") -> None:
    for title, table in sheets.items():
        write_csv(folder / "in" / name / f"{title}.csv", table)


def score(run: Run, *options: str, code: int = 0) -> Result:
    done = run("collective", "in", "-o", "out", "--no-progress", *options)
    assert done.code == code, (done.code, done.err)
    return done


def tables(run: Run, *options: str, code: int = 0) -> Result:
    """Score without the time that workbooks take, for who looks at tables and at what was said."""
    with empty_workbooks():
        return score(run, *options, code=code)


def results(folder: Path, name: str = "system") -> dict[str, str]:
    with (folder / "out" / "collective_results.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = {line["Model Name"]: line for line in csv.DictReader(file)}
    return lines[name]


def measures(folder: Path, name: str = "system") -> dict[str, Any]:
    """Return the system's numbers in metrics.json, which has null for undefined and infinite."""
    found = json.loads((folder / "out" / "metrics.json").read_text(encoding="utf-8"))[name]
    assert isinstance(found, dict)
    return nested({name: found})[name]


def number(cell: Any) -> float:
    return math.nan if cell in (None, "") else float(cell)


def headline(folder: Path, wanted: Mapping[str, float | Fraction], name: str = "system") -> None:
    """Compare the results CSV and metrics.json with what is wanted; NaN is an empty cell and null."""
    line, nested = results(folder, name), measures(folder, name)
    for measure, value in wanted.items():
        assert number(line[measure]) == near(value), measure
        if math.isfinite(value):
            assert nested[measure] == near(value), measure
        else:
            assert nested.get(measure) is None, measure


def stream_lines(folder: Path, name: str = "system") -> dict[str, dict[str, str]]:
    with (folder / "out" / f"{name}_collective.csv").open(encoding="utf-8-sig", newline="") as file:
        return {line["Stream"]: line for line in csv.DictReader(file)}


def problems(folder: Path) -> list[dict[str, str]]:
    with (folder / "out" / "problems.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def kinds(folder: Path) -> set[str]:
    return {problem["kind"] for problem in problems(folder)}


def page(folder: Path, title: str, *needed: str, name: str = "system") -> list[Line]:
    """Return the rows below the header that names the needed columns, up to the first empty one."""
    book = folder / "out" / f"{name}_collective.xlsx"
    # History alone is a name that Excel keeps for itself, so the page has a longer one
    (sheet,) = (sheet for sheet in sheet_names(book) if sheet.startswith(title))
    rows = sheet_rows(book, sheet)
    start = next(place for place, row in enumerate(rows) if set(needed) <= set(row))
    header = [cell for cell in rows[start] if cell not in (None, "")]
    lines: list[Line] = []
    for row in rows[start + 1 :]:
        if all(cell in (None, "") for cell in row):
            break
        lines.append({str(column): cell for column, cell in zip(header, row, strict=False)})
    return lines


# --- plain Python: votes and accuracies ----------------------------------------------------------------


class Task(NamedTuple):
    """Labels, and what each stream said of each sample; '' for nothing."""

    labels: list[str]
    votes: dict[str, list[str]]

    @property
    def streams(self) -> list[str]:
        return list(self.votes)

    def rows(self, *more: Sequence[str]) -> Rows:
        """Return a row per sample: its name, its label, what more there is to say, its votes."""
        return [
            [f"s{place:04}", label, *(column[place] for column in more), *votes]
            for place, (label, votes) in enumerate(zip(self.labels, self.by_sample(), strict=True))
        ]

    def by_sample(self, streams: Sequence[str] | None = None) -> list[list[str]]:
        chosen = self.streams if streams is None else streams
        return [[self.votes[stream][place] for stream in chosen] for place in range(len(self.labels))]

    def accuracy_of(self, said: Sequence[str]) -> Fraction:
        return Fraction(sum(map(str.__eq__, said, self.labels)), len(self.labels))

    def accuracies(self) -> dict[str, Fraction]:
        return {stream: self.accuracy_of(votes) for stream, votes in self.votes.items()}

    def right(self) -> list[tuple[bool, ...]]:
        return [tuple(map(label.__eq__, row)) for label, row in zip(self.labels, self.by_sample(), strict=True)]


def task(seed: int, samples: int = 120, streams: Sequence[str] = STREAMS, skill: float = 0.6) -> Task:
    rng = random.Random(seed)
    labels = [rng.choice(CLASSES) for _ in range(samples)]
    votes = {}
    for place, stream in enumerate(streams):
        chance = skill - 0.08 * place
        said = [label if rng.random() < chance else rng.choice(CLASSES) for label in labels]
        votes[stream] = ["" if rng.random() < 0.05 else vote for vote in said]
    return Task(labels, votes)


def predictions(given: Task) -> Table:
    return ("sample", "label", *given.streams), given.rows()


def tied(row: Iterable[str]) -> list[str]:
    """Return the classes with the most votes, the one whose first voter stands leftmost first."""
    counts = Counter(vote for vote in row if vote)
    return [vote for vote, count in counts.items() if count == max(counts.values())]


def first(row: Sequence[str]) -> str:
    return next(iter(tied(row)), "")


def wrong(row: Sequence[str]) -> str:
    top = tied(row)
    return top[0] if len(top) == 1 else ""


def smallest(row: Sequence[str]) -> str:
    return min(tied(row), default="")


RULES: dict[str, Fuse] = {"first": first, "wrong": wrong, "class": smallest}


def fused(given: Task, fuse: Fuse = first, streams: Sequence[str] | None = None) -> Fraction:
    return given.accuracy_of([fuse(row) for row in given.by_sample(streams)])


def best_of(accuracies: Mapping[str, Fraction]) -> str:
    return max(accuracies, key=lambda stream: accuracies[stream])  # the first of equals


def others(streams: Sequence[str], without: str) -> list[str]:
    return [stream for stream in streams if stream != without]


def mcnemar(one: Sequence[bool], other: Sequence[bool]) -> Fraction:
    only_one = sum(a and not b for a, b in zip(one, other, strict=True))
    only_other = sum(b and not a for a, b in zip(one, other, strict=True))
    trials = only_one + only_other
    tail = sum(math.comb(trials, count) for count in range(min(only_one, only_other) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**trials))


# --- emergence --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", list(RULES))
@pytest.mark.parametrize("seed", range(2))
def test_the_headline_is_the_fused_vote_over_the_best_stream(run: Run, tmp_path: Path, seed: int, ties: str) -> None:
    given = task(seed)
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run, "--ties", ties)
    said = [RULES[ties](row) for row in given.by_sample()]
    accuracies = given.accuracies()
    best = best_of(accuracies)
    right = [vote == label for vote, label in zip(said, given.labels, strict=True)]
    best_right = [vote == label for vote, label in zip(given.votes[best], given.labels, strict=True)]
    wanted = {
        "Collective_Accuracy": given.accuracy_of(said),
        "Best_Accuracy": accuracies[best],
        "Emergence_Ratio": given.accuracy_of(said) / accuracies[best],
        "Oracle_Accuracy": Fraction(sum(map(any, given.right())), len(right)),
        "McNemar_P": mcnemar(right, best_right),
        "Ties": Fraction(sum(len(tied(row)) > 1 for row in given.by_sample())),
        "Samples": Fraction(len(right)),
        "Streams": Fraction(len(STREAMS)),
    }
    assert wanted["Ties"] > 5
    headline(tmp_path, wanted)
    assert results(tmp_path)["Best_Stream"] == best
    for measure in ("Params_M", "Efficiency", "Routing_Entropy", "Anchor_Entropy", "Fingerprint_Diversity"):
        assert results(tmp_path)[measure] == "", measure
    assert results(tmp_path)["Robustness"] == ""


def test_a_lone_csv_is_the_predictions(run: Run, tmp_path: Path) -> None:
    given = task(3)
    write_csv(tmp_path / "in" / "alone.csv", predictions(given))
    tables(run)
    wanted = fused(given)
    headline(
        tmp_path,
        {"Collective_Accuracy": wanted, "Emergence_Ratio": wanted / max(given.accuracies().values())},
        "alone",
    )
    assert list(stream_lines(tmp_path, "alone")) == list(STREAMS)


def test_a_blank_label_is_not_scored_and_a_blank_or_unknown_prediction_is_wrong(run: Run, tmp_path: Path) -> None:
    rows = [
        ["a", "cat", "cat", ""],
        ["b", "dog", "", ""],
        ["c", "", "dog", "dog"],
        ["d", "dog", "yak", "dog"],
        ["e", "cat", "cat", "cat"],
        ["f", "dog", "yak", "yak"],
    ]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    tables(run)
    # of a, b, d, e and f: one is right on a and e, two on d and e, the vote (yak on d) on a and e
    headline(tmp_path, {"Collective_Accuracy": 0.4, "Best_Accuracy": 0.4, "Oracle_Accuracy": 0.6, "Ties": 1})
    assert results(tmp_path)["Best_Stream"] == "one"
    assert {"empty-label", "blank-prediction", "unknown-class"} <= kinds(tmp_path)


BANDS = [  # the band of the interval of a ratio, of one stream
    (300, 400, 500, "failure"),
    (400, 400, 500, "failure to marginal"),
    (480, 350, 500, "marginal"),
    (480, 240, 500, "marginal to strong"),
    (450, 90, 500, "strong"),
    (480, 48, 500, "strong to extraordinary"),
    (480, 8, 500, "extraordinary"),
    (480, 0, 500, "extraordinary"),
    (2, 1, 4, "too few samples"),
]


def test_bands_have_the_printed_edges_and_hold_the_whole_interval(run: Run, tmp_path: Path) -> None:
    for place, (together, best, samples, _) in enumerate(BANDS):
        # a column of the collective's own, so that any ratio can be had
        rows = [[f"s{n}", "yes", "yes" if n < together else "no", "yes" if n < best else "no"] for n in range(samples)]
        write_system(tmp_path, {"predictions": (("sample", "label", "collective", "one"), [*rows])}, f"system {place}")
    tables(run)
    for place, (together, best, samples, band) in enumerate(BANDS):
        ratio = together / best if best else math.inf
        wanted = {"Emergence_Ratio": ratio, "Collective_Accuracy": together / samples}
        headline(tmp_path, wanted, f"system {place}")
        assert results(tmp_path, f"system {place}")["Band"] == band


def test_a_collective_that_is_never_right_has_no_ratio_over_streams_that_never_are(run: Run, tmp_path: Path) -> None:
    rows = [[f"s{n}", "yes", "no", "no"] for n in range(5)]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    score(run)
    headline(tmp_path, {"Emergence_Ratio": math.nan, "Collective_Accuracy": 0, "Best_Accuracy": 0, "McNemar_P": 1})
    assert results(tmp_path)["Band"] == ""
    assert results(tmp_path)["Best_Stream"] == "one"


def test_an_own_column_of_the_collective_is_the_headline_and_contributions_are_of_the_vote(
    run: Run, tmp_path: Path
) -> None:
    given = task(5)
    rng = random.Random(5)
    own = [label if rng.random() < 0.9 else "cat" for label in given.labels]
    write_system(tmp_path, {"predictions": (("sample", "label", "ensemble", *STREAMS), given.rows(own))})
    tables(run)
    assert given.accuracy_of(own) != fused(given)
    headline(tmp_path, {"Collective_Accuracy": given.accuracy_of(own)})
    assert measures(tmp_path)["Fused_Accuracy"] == near(fused(given))
    for stream, line in stream_lines(tmp_path).items():
        assert float(line["Contribution"]) == near(fused(given) - fused(given, streams=others(STREAMS, stream)))


# --- the interval -----------------------------------------------------------------------------------------

RESAMPLES = 4_000
# The ends are quantiles of simulations. Were the ratio normal over resamples with deviation s, the 2.5 % point of B of
# them would have the standard error √(.025 · .975 / B) / φ(1.96) · s, 0.060 s at B = 2,000 and 0.042 s at 4,000. Two
# independent simulations then differ by 0.073 s, which is 0.019 of the width 3.92 s; five of that are a tenth.
OF_WIDTH = 0.1


def by_hand(given: Task, said: Sequence[str]) -> tuple[float, float]:
    fused_ = [vote == label for vote, label in zip(said, given.labels, strict=True)]
    return interval_by_hand(fused_, list(zip(*given.right(), strict=True)), times=RESAMPLES)


@pytest.mark.parametrize(("seed", "skill"), [(10, 0.6), (11, 0.5), (12, 0.75)])
def test_the_interval_is_near_a_plain_bootstrap_by_its_rule(run: Run, tmp_path: Path, seed: int, skill: float) -> None:
    given = task(seed, samples=200, skill=skill)
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run)
    line = results(tmp_path)
    low, high = by_hand(given, [first(row) for row in given.by_sample()])
    found = float(line["CI_Low"]), float(line["CI_High"])
    assert found == pytest.approx((low, high), rel=0, abs=OF_WIDTH * (high - low))
    assert found[0] < float(line["Emergence_Ratio"]) < found[1]
    assert (measures(tmp_path)["CI_Low"], measures(tmp_path)["CI_High"]) == (near(found[0]), near(found[1]))


def test_the_interval_of_equal_streams_reaches_above_that_of_the_luckiest(run: Run, tmp_path: Path) -> None:
    # ten streams equally good and a vote that is better than each: choosing the best anew in each resample, as this
    # interval once did, ended below the true ratio in most samples
    streams = [f"stream {letter}" for letter in "abcdefghij"]
    rng = random.Random(7)
    labels = ["yes"] * 150
    votes = {stream: ["yes" if rng.random() < 0.5 else "no" for _ in labels] for stream in streams}
    given = Task(labels, votes)
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run)
    low, high = by_hand(given, [first(row) for row in given.by_sample()])
    line = results(tmp_path)
    assert (float(line["CI_Low"]), float(line["CI_High"])) == pytest.approx(
        (low, high), rel=0, abs=OF_WIDTH * (high - low)
    )


def test_the_interval_of_samples_that_are_all_alike_has_a_width_all_the_same(run: Run, tmp_path: Path) -> None:
    rows = [[f"s{n}", "yes", "yes", "yes", "no"] for n in range(30)]
    write_system(tmp_path, {"predictions": (("sample", "label", "a", "b", "c"), rows)})
    tables(run)
    headline(tmp_path, {"Emergence_Ratio": 1})
    line = results(tmp_path)
    # of thirty samples without a single miss up to a tenth could be missed
    assert 0.8 < float(line["CI_Low"]) < 0.95
    assert 1.05 < float(line["CI_High"]) < 1.3


@pytest.mark.parametrize(("best", "high_is_finite"), [(6, True), (1, False)])
def test_resamples_in_which_no_stream_is_right_count_as_infinite_and_do_not_cost_the_interval(
    run: Run, tmp_path: Path, best: int, high_is_finite: bool
) -> None:
    rows = [[f"s{n}", "yes", "yes" if n < 15 else "no", "yes" if n < best else "no"] for n in range(20)]
    write_system(tmp_path, {"predictions": (("sample", "label", "collective", "one"), rows)})
    score(run)
    low, high = number(results(tmp_path)["CI_Low"]), number(results(tmp_path)["CI_High"])
    wanted = interval_by_hand([n < 15 for n in range(20)], [[n < best for n in range(20)]], times=RESAMPLES)
    assert low == pytest.approx(wanted[0], rel=0.15)  # few values are possible here
    assert math.isfinite(high) == math.isfinite(wanted[1]) == high_is_finite


# --- contributions, Shapley values, pairs -------------------------------------------------------------------


def shapley(given: Task, fuse: Fuse) -> dict[str, Fraction]:
    @cache
    def value(coalition: frozenset[str]) -> Fraction:
        streams = [stream for stream in given.streams if stream in coalition]
        return fused(given, fuse, streams) if streams else Fraction(0)

    totals: dict[str, Fraction] = defaultdict(Fraction)
    orders = list(permutations(given.streams))
    for order in orders:
        for place, stream in enumerate(order):
            totals[stream] += value(frozenset(order[: place + 1])) - value(frozenset(order[:place]))
    return {stream: totals[stream] / len(orders) for stream in given.streams}


@pytest.mark.parametrize("ties", list(RULES))
def test_streams_have_their_accuracy_contribution_and_shapley_value(run: Run, tmp_path: Path, ties: str) -> None:
    given = task(20, samples=90)
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run, "--ties", ties)
    lines = stream_lines(tmp_path)
    assert list(lines) == list(STREAMS)
    values = shapley(given, RULES[ties])
    for stream, line in lines.items():
        alone = fused(given, RULES[ties]) - fused(given, RULES[ties], others(STREAMS, stream))
        assert float(line["Accuracy"]) == near(given.accuracies()[stream])
        assert float(line["Contribution"]) == near(alone)
        assert float(line["Shapley"]) == near(values[stream])
    assert math.fsum(float(line["Shapley"]) for line in lines.values()) == near(fused(given, RULES[ties]))


def test_a_stream_alone_has_an_empty_contribution(run: Run, tmp_path: Path) -> None:
    given = task(21, streams=("only",))
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run)
    line = stream_lines(tmp_path)["only"]
    assert line["Contribution"] == ""
    assert float(line["Shapley"]) == near(given.accuracies()["only"])


def test_eleven_streams_have_contributions_and_no_shapley_values(run: Run, tmp_path: Path) -> None:
    streams = [f"stream {letter}" for letter in "abcdefghijk"]
    given = task(22, samples=60, streams=streams, skill=0.9)
    write_system(tmp_path, {"predictions": predictions(given)})
    tables(run)
    for stream, line in stream_lines(tmp_path).items():
        assert line["Shapley"] == ""
        assert float(line["Contribution"]) == near(fused(given) - fused(given, streams=others(streams, stream)))
    assert "many-streams" in kinds(tmp_path)


def test_pairs_have_q_disagreement_and_double_fault(run: Run, tmp_path: Path) -> None:
    given = task(23)
    write_system(tmp_path, {"predictions": predictions(given)})
    score(run)
    lines = page(tmp_path, "Pairs", "Stream", "Other_Stream")
    heat = {line["Stream"]: line for line in page(tmp_path, "Streams", "Stream", "Without")}
    pairs = {frozenset((line["Stream"], line["Other_Stream"])) for line in lines}
    assert pairs == {frozenset(pair) for pair in combinations(STREAMS, 2)}
    for line in lines:
        one, other = STREAMS.index(line["Stream"]), STREAMS.index(line["Other_Stream"])
        counts = Counter((row[one], row[other]) for row in given.right())
        agree = counts[True, True] * counts[False, False]
        oppose = counts[True, False] * counts[False, True]
        assert line["Q"] == near(Fraction(agree - oppose, agree + oppose))
        assert line["Disagreement"] == near(Fraction(counts[True, False] + counts[False, True], counts.total()))
        assert line["Double_Fault"] == near(Fraction(counts[False, False], counts.total()))
        assert heat[line["Stream"]][f"Wrong with {line['Other_Stream']}"] == near(line["Double_Fault"])
        assert heat[line["Other_Stream"]][f"Wrong with {line['Stream']}"] == near(line["Double_Fault"])


# --- conditions and failure -----------------------------------------------------------------------------------

CONDITIONS = {"clean": 0.75, "noise": 0.6, "blur": 0.45}


def conditioned(clean: str = "clean", own: bool = False) -> tuple[dict[str, Task], dict[str, list[str]], Table]:
    tasks = {
        name: task(30 + place, samples=80 + 10 * place, skill=skill)
        for place, (name, skill) in enumerate(CONDITIONS.items())
    }
    rng = random.Random(30)
    said = {name: [label if rng.random() < 0.8 else "owl" for label in given.labels] for name, given in tasks.items()}
    rows: Rows = []
    for name, given in tasks.items():
        written = clean if name == "clean" else name
        more = ([written] * len(given.labels), *([said[name]] if own else []))
        rows += given.rows(*more)
    header = ("sample", "label", "condition", *(["collective"] if own else []), *STREAMS)
    return tasks, said, (header, rows)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("clean", ["clean", "", "sunny"])
def test_conditions_have_accuracies_and_robustness_is_the_mean_of_the_shifted_over_clean(
    run: Run, tmp_path: Path, clean: str, own: bool
) -> None:
    tasks, said, table = conditioned(clean, own)
    write_system(tmp_path, {"predictions": table})
    score(run, *(["--clean", "sunny"] if clean == "sunny" else []))
    together = {name: given.accuracy_of(said[name]) if own else fused(given) for name, given in tasks.items()}
    # the clean condition has the fewest samples, and every other all of these
    shared = {
        name: Task(given.labels[:80], {s: v[:80] for s, v in given.votes.items()}) for name, given in tasks.items()
    }
    on_shared = {name: given.accuracy_of(said[name][:80]) if own else fused(given) for name, given in shared.items()}
    headline(
        tmp_path,
        {
            "Collective_Accuracy": together["clean"],
            "Robustness": (on_shared["noise"] + on_shared["blur"]) / 2 / together["clean"],
            "Best_Accuracy": max(tasks["clean"].accuracies().values()),
            "Samples": 80,
        },
    )
    lines = {line["Condition"]: line for line in page(tmp_path, "Conditions", "Condition", "Emergence_Ratio")}
    assert set(lines) == {clean or "clean", "noise", "blur"}
    for name, given in tasks.items():
        line = lines[(clean or "clean") if name == "clean" else name]
        assert line["Accuracy"] == near(together[name])
        assert number(line["Delta"]) == near(on_shared[name] - together["clean"])
        assert (number(line["Shared"]), number(line["On_Shared"])) == (80, near(on_shared[name]))
        assert line["Emergence_Ratio"] == near(together[name] / max(given.accuracies().values()))
        for stream, value in given.accuracies().items():
            assert line[f"Accuracy of {stream}"] == near(value), (name, stream)
    assert {name: entry["Accuracy"] for name, entry in measures(tmp_path)["By_Condition"].items()} == {
        (clean or "clean") if name == "clean" else name: near(value) for name, value in together.items()
    }


def test_conditions_of_which_none_is_clean_refuse_the_file(run: Run, tmp_path: Path) -> None:
    _, _, table = conditioned("sunny")
    write_system(tmp_path, {"predictions": table})
    given = task(1)
    write_csv(tmp_path / "in" / "good.csv", predictions(given))
    score(run, code=3)
    (problem,) = (problem for problem in problems(tmp_path) if problem["kind"] == "no-clean")
    assert problem["effect"] == "file skipped"
    assert all(word in problem["message"] for word in ("sunny", "noise", "blur", "--clean"))
    assert results(tmp_path)["Status"] == "failed"
    headline(tmp_path, {"Collective_Accuracy": fused(given)}, "good")


def test_the_headline_is_the_last_epoch_by_number_not_by_text_or_place(run: Run, tmp_path: Path) -> None:
    tasks = {str(epoch): task(40 + epoch, samples=50, skill=0.4 + 0.04 * epoch) for epoch in (10, 2, 9)}
    rows = [row for epoch, given in tasks.items() for row in given.rows([epoch] * 50)]
    random.Random(0).shuffle(rows)
    write_system(tmp_path, {"predictions": (("sample", "label", "epoch", *STREAMS), rows)})
    score(run)
    given = tasks["10"]
    headline(
        tmp_path,
        {"Collective_Accuracy": fused(given), "Best_Accuracy": max(given.accuracies().values()), "Samples": 50},
    )
    lines = {str(line["Epoch"]): line for line in page(tmp_path, "History", "Epoch", "emergence_ratio")}
    assert list(lines) == ["2", "9", "10"]
    for epoch, given in tasks.items():
        assert lines[epoch]["emergence_ratio"] == near(fused(given) / max(given.accuracies().values()))
        assert lines[epoch]["collective_acc"] == near(fused(given))
        for stream, value in given.accuracies().items():
            assert lines[epoch][f"acc:{stream}"] == near(value)


def test_failure_is_every_stream_left_out_and_every_half_kept(run: Run, tmp_path: Path) -> None:
    tasks = {
        count: task(50 + count, samples=70, streams=[f"stream {letter}" for letter in "abcdef"[:count]], skill=0.7)
        for count in (2, 3, 4, 5)
    }
    for count, given in tasks.items():
        write_system(tmp_path, {"predictions": predictions(given)}, f"of {count}")
    score(run)
    for count, given in tasks.items():
        lines = {line["Failing"]: line for line in page(tmp_path, "Failure", "Failing", "Accuracy", name=f"of {count}")}
        for stream in given.streams:
            without = fused(given, streams=others(given.streams, stream))
            assert lines[stream]["Accuracy"] == near(without)
            assert lines[stream]["Delta"] == near(without - fused(given))
        halves = [fused(given, streams=half) for half in combinations(given.streams, math.ceil(count / 2))]
        half = lines[f"any {count // 2} of {count}"]
        assert half["Accuracy"] == near(sum(halves) / len(halves))
        assert (half["Least"], half["Most"], half["Ways"]) == (near(min(halves)), near(max(halves)), len(halves))


def test_half_of_many_streams_is_a_thousand_halves_of_its_own_choosing(run: Run, tmp_path: Path) -> None:
    streams = [f"stream {letter}" for letter in "abcdefghijklm"]  # 1,716 ways to keep 7 of 13
    given = task(56, samples=40, streams=streams, skill=1.2)
    write_system(tmp_path, {"predictions": predictions(given)})
    score(run)
    lines = {line["Failing"]: line for line in page(tmp_path, "Failure", "Failing", "Accuracy")}
    halves = [fused(given, streams=half) for half in combinations(streams, 7)]
    half = lines["any 6 of 13"]
    assert half["Ways"] == 1_000
    assert min(halves) <= half["Least"] < half["Accuracy"] < half["Most"] <= max(halves)
    # five standard errors of a mean of 1,000, more than draws without replacement have
    error = statistics.stdev(map(float, halves)) / math.sqrt(1_000)
    assert half["Accuracy"] == pytest.approx(statistics.fmean(halves), rel=0, abs=5 * error)


# --- efficiency ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "samples", "params", "wanted"), [(2_117, 2_500, "60", 1.4113), (19, 25, "428", 0.1776)]
)
def test_efficiency_is_percent_per_million_parameters(
    run: Run, tmp_path: Path, right: int, samples: int, params: str, wanted: float
) -> None:
    rows = [[f"s{n}", "yes", "yes" if n < right else "no"] for n in range(samples)]
    sheets: dict[str, Table] = {
        "predictions": (("sample", "label", "one"), rows),
        "parameters": (("name", "value"), [["params_m", params], ["dataset", "made up"]]),
    }
    write_system(tmp_path, sheets)
    tables(run)
    headline(tmp_path, {"Efficiency": 100 * right / samples / float(params), "Params_M": float(params)})
    assert round(float(results(tmp_path)["Efficiency"]), 4) == wanted


# --- routing, anchors, fingerprints ------------------------------------------------------------------------------


def entropy(weights: Iterable[float]) -> float:
    return -math.fsum(weight * math.log(weight) for weight in weights if weight > 0)


def shares(rng: random.Random, count: int, sharp: float = 1.0) -> list[float]:
    drawn = [rng.gammavariate(sharp, 1) for _ in range(count)]
    drawn[rng.randrange(count)] = 0
    return [value / sum(drawn) for value in drawn]


Routes = dict[tuple[str, str, str, str], list[float]]


def routes(seed: int, epochs: Sequence[str], count: int = 5) -> Routes:
    """Return weights by epoch, sample, stream and layer; later epochs are sharper."""
    rng = random.Random(seed)
    return {
        (epoch, sample, stream, layer): shares(rng, count, 2 / (1 + float(epoch)))
        for epoch in epochs
        for sample in ("s1", "s2", "s3")
        for stream in ("one", "two", "three")
        for layer in ("1", "2")
    }


def routing_table(given: Routes) -> Table:
    count = len(next(iter(given.values())))
    header = ("epoch", "sample", "stream", "layer", *(f"route {n}" for n in range(count)))
    return header, [[*key, *map(repr, weights)] for key, weights in given.items()]


SMALL: Table = (("sample", "label", "one", "two", "three"), [["s1", "a", "a", "a", "b"], ["s2", "b", "b", "a", "b"]])


def test_routing_entropy_is_the_mean_over_the_rows_of_the_last_epoch(run: Run, tmp_path: Path) -> None:
    given = routes(60, ("2", "10", "0"))
    write_system(tmp_path, {"predictions": SMALL, "routing": routing_table(given)})
    tables(run)
    last = [entropy(weights) for (epoch, *_), weights in given.items() if epoch == "10"]
    wanted = statistics.fmean(last)
    headline(tmp_path, {"Routing_Entropy": wanted, "Routing_Entropy_Share": wanted / math.log(5)})


def test_routing_has_means_by_epoch_stream_and_layer(run: Run, tmp_path: Path) -> None:
    given = routes(61, ("0", "2", "10"))
    write_system(tmp_path, {"predictions": SMALL, "routing": routing_table(given)})
    score(run)
    groups: dict[tuple[str, str, str], list[list[float]]] = defaultdict(list)
    for (epoch, _, stream, layer), weights in given.items():
        groups[epoch, stream, layer].append(weights)
    found = page(tmp_path, "Routing", "Epoch", "Stream", "Layer")
    lines = {(str(line["Epoch"]), line["Stream"], str(line["Layer"])): line for line in found}
    assert set(lines) == set(groups)
    for key, rows in groups.items():
        wanted = statistics.fmean(map(entropy, rows))
        assert lines[key]["Entropy"] == near(wanted)
        assert lines[key]["Share"] == near(wanted / math.log(5))
        for place, column in enumerate(zip(*rows, strict=True)):
            assert lines[key][f"route {place}"] == near(statistics.fmean(column))


ROUTED = {"sharp": (1, 0, 0, 0, 0), "balanced": (0.7, 0.1, 0.1, 0.1, 0), "diffuse": (0.2,) * 5}


def test_routing_has_the_seeds_bands(run: Run, tmp_path: Path) -> None:
    for band, weights in ROUTED.items():
        table = (("stream", *"abcde"), [["one", *map(repr, weights)]])
        write_system(tmp_path, {"predictions": SMALL, "routing": table}, f"to be {band}")
    score(run)
    for band in ROUTED:
        assert [line["Band"] for line in page(tmp_path, "Routing", "Stream", "Entropy", name=f"to be {band}")] == [band]


def overlap(given: Routes, epoch: str) -> float:
    means = {}
    for stream in ("one", "two", "three"):
        rows = [weights for key, weights in given.items() if key[0] == epoch and key[2] == stream]
        means[stream] = [statistics.fmean(column) for column in zip(*rows, strict=True)]
    return statistics.fmean(math.fsum(map(min, means[a], means[b])) for a, b in combinations(means, 2))


def test_routing_overlap_by_epoch_is_the_mean_over_pairs_of_what_streams_share(run: Run, tmp_path: Path) -> None:
    given = routes(62, ("0", "2", "10"))
    write_system(tmp_path, {"predictions": SMALL, "routing": routing_table(given)})
    score(run)
    lines = page(tmp_path, "Routing", "Epoch", "Overlap")
    assert {str(line["Epoch"]) for line in lines} == {"0", "2", "10"}
    for line in lines:
        assert line["Overlap"] == near(overlap(given, str(line["Epoch"])))


def test_routing_weights_that_do_not_sum_to_one_cost_the_sheet_unless_they_are_normalised(
    run: Run, tmp_path: Path
) -> None:
    given = routes(63, ("1",))
    doubled = {key: [2 * weight for weight in weights] for key, weights in given.items()}
    write_system(tmp_path, {"predictions": SMALL, "routing": routing_table(doubled)})
    tables(run, code=3)
    headline(tmp_path, {"Routing_Entropy": math.nan, "Collective_Accuracy": 1})
    assert ("bad-weights", "sheet skipped") in {(line["kind"], line["effect"]) for line in problems(tmp_path)}
    tables(run, "--normalise")
    headline(tmp_path, {"Routing_Entropy": statistics.fmean(map(entropy, given.values()))})
    assert "weights-normalised" in kinds(tmp_path)


@pytest.mark.parametrize(("weights", "code"), [((0.50004, 0.50005), 0), ((0.50006, 0.50005), 3), ((1.2, -0.2), 3)])
def test_routing_weights_may_miss_one_by_a_ten_thousandth(
    run: Run, tmp_path: Path, weights: tuple[float, float], code: int
) -> None:
    write_system(
        tmp_path,
        {"predictions": SMALL, "routing": (("stream", "left", "right"), [["one", *map(repr, weights)]])},
    )
    tables(run, code=code)
    assert (results(tmp_path)["Routing_Entropy"] == "") == (code == 3)
    if code == 0:
        assert float(results(tmp_path)["Routing_Entropy"]) == pytest.approx(math.log(2), rel=0, abs=1e-4)


def test_the_known_routing_weights_have_the_known_entropy(run: Run, tmp_path: Path) -> None:
    table = (("stream", "a", "b", "c", "d"), [["one", ".7", ".1", "0.1", "1e-1"]])
    write_system(tmp_path, {"predictions": SMALL, "routing": table})
    tables(run)
    assert float(results(tmp_path)["Routing_Entropy"]) == pytest.approx(0.940448, rel=0, abs=5e-7)
    headline(tmp_path, {"Routing_Entropy_Share": entropy((0.7, 0.1, 0.1, 0.1)) / math.log(4)})


def test_anchor_entropy_is_that_of_the_mean_utilisation_made_to_sum_to_one(run: Run, tmp_path: Path) -> None:
    rng = random.Random(64)
    used = {stream: [rng.random() for _ in range(6)] for stream in ("one", "two", "three")}
    for row in used.values():
        row[2] *= 0.001  # a dead one
        row[4] = 0.04  # one that is nearly so
    header = ("stream", *(f"anchor {letter}" for letter in "abcdef"))
    write_system(
        tmp_path, {"predictions": SMALL, "anchors": (header, [[name, *map(repr, row)] for name, row in used.items()])}
    )
    score(run)
    means = [statistics.fmean(column) for column in zip(*used.values(), strict=True)]
    normalised = [mean / math.fsum(means) for mean in means]
    headline(tmp_path, {"Anchor_Entropy": entropy(normalised)})
    lines = {line["Anchor"]: line for line in page(tmp_path, "Anchors", "Anchor", "Share")}
    for name, share in zip(header[1:], normalised, strict=True):
        assert lines[name]["Share"] == near(share)
        assert bool(lines[name]["Dead"]) == (share < 0.01)
    assert normalised[2] < 0.01 <= normalised[4]


def test_an_anchor_at_the_threshold_is_alive_and_below_it_dead(run: Run, tmp_path: Path) -> None:
    rows = [["one", "89", "1", "10"], ["two", "89", "1", "10"]]
    write_system(tmp_path, {"predictions": SMALL, "anchors": (("stream", "a", "b", "c"), rows)})
    dead = {}
    for threshold in ("0.01", "0.0101", "0.1", "0.11"):
        score(run, "--dead-anchor", threshold)
        lines = page(tmp_path, "Anchors", "Anchor", "Share")
        dead[threshold] = [line["Anchor"] for line in lines if line["Dead"]]
    assert dead == {"0.01": [], "0.0101": ["b"], "0.1": ["b"], "0.11": ["b", "c"]}


def diversity(vectors: Sequence[Sequence[float]], signed: bool = False) -> float:
    cosines = [
        math.fsum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)
        for a, b in combinations(vectors, 2)
    ]
    return 1 - statistics.fmean(cosine if signed else abs(cosine) for cosine in cosines)


@pytest.mark.parametrize("signed", [False, True])
def test_fingerprint_diversity_is_one_minus_the_mean_cosine_of_pairs(run: Run, tmp_path: Path, signed: bool) -> None:
    rng = random.Random(65)
    vectors = [[rng.gauss(0, 1) for _ in range(7)] for _ in range(4)]
    rows = [[name, *map(repr, vector)] for name, vector in zip(STREAMS, vectors, strict=True)]
    zero = [["none", *["0"] * 7]]
    header = ("stream", *(f"f{n}" for n in range(7)))
    write_system(tmp_path, {"predictions": SMALL, "fingerprints": (header, rows + zero)})
    tables(run, *(["--signed"] if signed else []))
    headline(tmp_path, {"Fingerprint_Diversity": diversity(vectors, signed)})
    assert "bad-number" in kinds(tmp_path)  # the vector without a direction


def test_the_fingerprint_of_one_stream_has_no_diversity(run: Run, tmp_path: Path) -> None:
    write_system(tmp_path, {"predictions": SMALL, "fingerprints": (("stream", "x", "y"), [["one", "1", "2"]])})
    tables(run)
    headline(tmp_path, {"Fingerprint_Diversity": math.nan})


# --- alerts -----------------------------------------------------------------------------------------------------

HISTORY_EDGES = [
    ("emergence_ratio", ("2.0", "1.8"), None),
    ("emergence_ratio", ("1.1", "0.99"), None),  # 0.9 · 1.1 is a little above .99 in binary
    ("emergence_ratio", ("2.0", "1.7999"), "emergence_drop"),
    ("emergence_ratio", ("1.0", "5.0"), None),
    ("acc:one", ("0.5", "0.01"), None),
    ("acc:one", ("0.5", "0.0099"), "dead_stream"),
    ("fingerprint_diversity", ("0.9", "0.5"), None),
    ("fingerprint_diversity", ("0.9", "0.4999"), "collapsed_fingerprints"),
    ("routing_entropy", ("1.0", "2.0"), None),
    ("routing_entropy", ("1.0", "2.0001"), "high_routing_entropy"),
]


def alerts(folder: Path, name: str = "system") -> set[tuple[str, str]]:
    """Return alerts and epochs, '' for the headline; none where there is no page of them."""
    if "Alerts" not in sheet_names(folder / "out" / f"{name}_collective.xlsx"):
        return set()
    return {(line["Alert"], str(line["Epoch"] or "")) for line in page(folder, "Alerts", "Alert", "Epoch", name=name)}


def logged(column: str, values: tuple[str, str]) -> dict[str, Table]:
    """Return a system whose history has one column and two epochs."""
    return {"predictions": SMALL, "history": (("epoch", column), [["9", values[0]], ["10", values[1]]])}


def test_a_value_of_the_history_at_its_edge_is_no_alert(run: Run, tmp_path: Path) -> None:
    quiet = {f"system {n}": edge for n, edge in enumerate(HISTORY_EDGES) if edge[2] is None}
    assert len(quiet) == 6
    for name, (column, values, _) in quiet.items():
        write_system(tmp_path, logged(column, values), name)
    score(run, "--fail-on", "alert")
    for name, edge in quiet.items():
        assert alerts(tmp_path, name) == set(), edge
        assert results(tmp_path, name)["Alerts"] == "0", edge


@pytest.mark.parametrize(("column", "values", "alert"), [edge for edge in HISTORY_EDGES if edge[2]])
def test_alerts_of_the_history_begin_beyond_their_edges(
    run: Run, tmp_path: Path, column: str, values: tuple[str, str], alert: str
) -> None:
    write_system(tmp_path, logged(column, values))
    score(run, "--fail-on", "alert", code=10)
    assert alerts(tmp_path) == {(alert, "10")}
    assert results(tmp_path)["Alerts"] == "1"
    tables(run)  # without a gate an alert is only told


def test_an_emergence_drop_is_from_the_epoch_before_whatever_the_order_of_rows(run: Run, tmp_path: Path) -> None:
    rows = [["10", "3"], ["2", "1"], ["9", "2"], ["11", "2.6"]]
    write_system(tmp_path, {"predictions": SMALL, "history": (("epoch", "emergence_ratio"), rows)})
    score(run, "--fail-on", "alert", code=10)
    assert alerts(tmp_path) == {("emergence_drop", "11")}


def few_right(right: int, samples: int) -> Table:
    rows = [[f"s{n}", "a", "a", "a" if n < right else "b"] for n in range(samples)]
    rows.append(["last", "b", "b", "a"])  # so that b is a label
    return ("sample", "label", "one", "two"), rows


@pytest.mark.parametrize(("samples", "alert"), [(99, False), (100, True)])
def test_a_stream_that_is_right_less_than_once_in_a_hundred_is_dead(
    run: Run, tmp_path: Path, samples: int, alert: bool
) -> None:
    write_system(tmp_path, {"predictions": few_right(1, samples)})
    score(run, "--fail-on", "alert", code=10 if alert else 0)
    assert {name for name, _ in alerts(tmp_path)} == ({"dead_stream"} if alert else set())


@pytest.mark.parametrize(
    ("angle", "alert"),
    [("1.7320508075688772", False), ("1.73", True), ("5", False)],  # the root of 3: 60°, a cosine of a half
)
def test_fingerprints_closer_than_sixty_degrees_have_collapsed(
    run: Run, tmp_path: Path, angle: str, alert: bool
) -> None:
    rows = [["one", "1", "0"], ["two", "1", angle]]
    write_system(tmp_path, {"predictions": SMALL, "fingerprints": (("stream", "x", "y"), rows)})
    score(run, "--fail-on", "alert", code=10 if alert else 0)
    assert {name for name, _ in alerts(tmp_path)} == ({"collapsed_fingerprints"} if alert else set())


@pytest.mark.parametrize(("count", "alert"), [(7, False), (8, True)])
def test_routing_over_eight_equal_routes_is_too_diffuse_and_over_seven_not(
    run: Run, tmp_path: Path, count: int, alert: bool
) -> None:
    header = ("stream", *(f"route {n}" for n in range(count)))
    write_system(tmp_path, {"predictions": SMALL, "routing": (header, [["one", *[repr(1 / count)] * count]])})
    score(run, "--fail-on", "alert", code=10 if alert else 0)
    headline(tmp_path, {"Routing_Entropy": math.log(count), "Routing_Entropy_Share": 1})
    assert {name for name, _ in alerts(tmp_path)} == ({"high_routing_entropy"} if alert else set())


@pytest.mark.parametrize(("later", "alert"), [(9, False), (8, True)])
def test_a_collective_that_falls_between_epochs_of_the_predictions_is_a_drop(
    run: Run, tmp_path: Path, later: int, alert: bool
) -> None:
    # the stream is right five times of ten in either epoch: the ratio falls from 2 to later / 5
    rows = [
        [f"s{n}", epoch, "ba"[n % 2], "ba"[n % 2] if n < right else "c", "a"]
        for epoch, right in (("1", 10), ("2", later))
        for n in range(10)
    ]
    write_system(tmp_path, {"predictions": (("sample", "epoch", "label", "collective", "one"), rows)})
    score(run, "--fail-on", "alert", code=10 if alert else 0)
    headline(tmp_path, {"Emergence_Ratio": later / 5, "Best_Accuracy": 0.5})
    assert {name for name, _ in alerts(tmp_path)} == ({"emergence_drop"} if alert else set())


LOSSES = [
    ((9, 8, 7, 6, 5, 4, 3, 2, 1), set()),
    ((1, 2, 3, 4, 5, 6, 7, 8, 9), {"rising"}),
    ((9, 7, 5, 3, 2, 1.5, 1, 0.998, 0.995), {"flat"}),
    ((9, 7, 5, 3, 2, 1.5, 1, 0.99, 0.97), set()),
    ((10, 5, 9, 4, 8, 3, 7, 2, 6), {"oscillating"}),
    ((9, 8, 7, 7.5, 5, 4, 3, 3.5, 2), set()),  # four turns, half of its steps
    ((9, 8, 8.5, 7, 7.5, 5, 4, 3.2, 2), set()),
    ((9, 8, 8.5, 7, 7.5, 5, 5.5, 3, 2), {"oscillating"}),  # six turns of seven
    ((1, 9, 2, 9.5, 3, 10, 4, 11, 5), {"rising", "oscillating"}),
]


@pytest.mark.parametrize("column", ["train_loss", "val_loss"])
def test_losses_that_rise_stand_still_or_go_to_and_fro_are_warned_of(run: Run, tmp_path: Path, column: str) -> None:
    for place, (values, _) in enumerate(LOSSES):
        rows = [[str(epoch), repr(value)] for epoch, value in enumerate(values, start=3)]  # so that 10 is after 9
        random.Random(2).shuffle(rows)
        write_system(tmp_path, {"predictions": SMALL, "history": (("epoch", column), rows)}, f"system {place}")
    tables(run)
    for place, (values, warnings) in enumerate(LOSSES):
        written = (tmp_path / "out" / f"system {place}_collective.md").read_text(encoding="utf-8").replace("\\", "")
        told = {word for word in ("rising", "flat", "oscillating") if f"{column} is {word}" in written}
        assert told == warnings, values


# --- probabilities and weights --------------------------------------------------------------------------------------

Scores = dict[tuple[str, str], list[float]]


def scores(given: Task, seed: int, logits: bool = False) -> Scores:
    """Return a number per class by sample and stream, most often highest for the label."""
    rng = random.Random(seed)
    found = {}
    for place, label in enumerate(given.labels):
        for stream in given.streams:
            row = [rng.gauss(0, 1) + (1 if name == label else 0) for name in CLASSES]
            found[f"s{place:04}", stream] = row if logits else softmax(row)
    return found


def softmax(row: Sequence[float]) -> list[float]:
    powers = [math.exp(value) for value in row]
    return [power / math.fsum(powers) for power in powers]


def score_table(given: Scores) -> Table:
    return ("sample", "stream", *CLASSES), [[*key, *map(repr, row)] for key, row in given.items()]


def mean_row(given: Scores, sample: str, weights: Mapping[str, float]) -> list[float] | None:
    """Return the weighted mean over the streams that have the sample."""
    rows = [(weight, given[sample, stream]) for stream, weight in weights.items() if (sample, stream) in given]
    if not rows:
        return None
    total = math.fsum(weight for weight, _ in rows)
    return [math.fsum(weight * row[place] for weight, row in rows) / total for place in range(len(CLASSES))]


def mean_fused(given: Task, found: Scores, weights: Mapping[str, float]) -> Fraction:
    said = []
    for place in range(len(given.labels)):
        row = mean_row(found, f"s{place:04}", weights)
        said.append("" if row is None else CLASSES[row.index(max(row))])
    return given.accuracy_of(said)


WEIGHTS = {"vision": 3.0, "text": 1.5, "audio": 2.0, "graph": 0.25}
EQUAL = dict.fromkeys(STREAMS, 1.0)


def parameters(weights: Mapping[str, float]) -> Table:
    return ("name", "value"), [[f"weight:{stream}", repr(weight)] for stream, weight in weights.items()]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("sheet", ["probabilities", "logits"])
@pytest.mark.parametrize("fusion", ["mean", "weighted-mean"])
def test_the_mean_of_probabilities_or_logits_decides_and_contributions_are_of_it(
    run: Run, tmp_path: Path, fusion: str, sheet: str, missing: bool
) -> None:
    given = task(70)
    found = scores(given, 70, logits=sheet == "logits")
    if missing:
        for key in random.Random(1).sample(sorted(found), 60):
            del found[key]
    weights = WEIGHTS if fusion == "weighted-mean" else EQUAL
    sheets = {"predictions": predictions(given), sheet: score_table(found), "parameters": parameters(WEIGHTS)}
    write_system(tmp_path, sheets)
    tables(run, "--fusion", fusion)
    wanted = mean_fused(given, found, weights)
    assert wanted != fused(given)
    headline(tmp_path, {"Collective_Accuracy": wanted, "Best_Accuracy": max(given.accuracies().values())})
    for stream, line in stream_lines(tmp_path).items():
        rest = {name: weight for name, weight in weights.items() if name != stream}
        assert float(line["Contribution"]) == near(wanted - mean_fused(given, found, rest)), stream
    assert ("missing-probabilities" in kinds(tmp_path)) == missing


def test_probabilities_are_joined_by_condition_too(run: Run, tmp_path: Path) -> None:
    tasks, _, table = conditioned()
    found = {name: scores(given, 73 + place) for place, (name, given) in enumerate(tasks.items())}
    rows = [
        [sample, name, stream, *map(repr, row)]
        for name, of_condition in found.items()
        for (sample, stream), row in of_condition.items()
    ]
    random.Random(4).shuffle(rows)
    header = ("sample", "condition", "stream", *CLASSES)
    write_system(tmp_path, {"predictions": table, "probabilities": (header, rows)})
    tables(run, "--fusion", "mean")
    together = {name: mean_fused(given, found[name], EQUAL) for name, given in tasks.items()}
    on_shared = {  # every condition has the 80 samples of the clean one, and more
        name: mean_fused(Task(given.labels[:80], {s: v[:80] for s, v in given.votes.items()}), found[name], EQUAL)
        for name, given in tasks.items()
    }
    shifted = (on_shared["noise"] + on_shared["blur"]) / 2
    headline(tmp_path, {"Collective_Accuracy": together["clean"], "Robustness": shifted / together["clean"]})


def test_columns_of_probabilities_are_classes_and_compare_as_such(run: Run, tmp_path: Path) -> None:
    sheets: dict[str, Table] = {
        "predictions": (("sample", "label", "one"), [["s1", "1.0", "0"], ["s2", "0.0", "1"], ["s3", "1", "0"]]),
        # 7 is no label, and where it is highest the collective is wrong
        "probabilities": (
            ("sample", "stream", "0", "1.00", "7"),
            [["s1", "one", "0.2", "0.8", "0"], ["s2", "one", "0.9", "0.1", "0"], ["s3", "one", "0.1", "0.4", "0.5"]],
        ),
    }
    write_system(tmp_path, sheets)
    tables(run, "--fusion", "mean")
    headline(tmp_path, {"Collective_Accuracy": Fraction(2, 3), "Best_Accuracy": 0, "Emergence_Ratio": math.inf})


def test_the_gradient_of_the_mean_of_logits_is_the_norm_of_what_the_loss_asks_of_a_stream(
    run: Run, tmp_path: Path
) -> None:
    given = task(71, samples=40)
    found = scores(given, 71, logits=True)
    write_system(tmp_path, {"predictions": predictions(given), "probabilities": score_table(found)})
    tables(run, "--fusion", "mean", "--logits")
    norms = []
    for place, label in enumerate(given.labels):
        row = mean_row(found, f"s{place:04}", EQUAL)
        assert row is not None
        gap = [chance - (name == label) for name, chance in zip(CLASSES, softmax(row), strict=True)]
        norms.append(math.hypot(*gap) / len(STREAMS))
    for line in stream_lines(tmp_path).values():
        assert float(line["Gradient"]) == near(statistics.fmean(norms))


def weighted(weights: Mapping[str, float], streams: Sequence[str]) -> Fuse:
    def fuse(row: Sequence[str]) -> str:
        totals: dict[str, float] = {}
        for stream, vote in zip(streams, row, strict=True):
            if vote:
                totals[vote] = totals.get(vote, 0) + weights[stream]
        return max(totals, key=lambda vote: totals[vote]) if totals else ""

    return fuse


def test_a_weighted_vote_adds_the_weights_of_the_streams(run: Run, tmp_path: Path) -> None:
    given = task(72)
    # eighths, of which no two sets have equal sums
    weights = {"vision": 0.5, "text": 0.875, "audio": 1.125, "graph": 0.125}
    write_system(tmp_path, {"predictions": predictions(given), "parameters": parameters(weights)})
    tables(run, "--fusion", "weighted")
    wanted = fused(given, weighted(weights, STREAMS))
    assert wanted != fused(given)
    headline(tmp_path, {"Collective_Accuracy": wanted, "Ties": 0})
    for stream, line in stream_lines(tmp_path).items():
        rest = others(STREAMS, stream)
        assert float(line["Contribution"]) == near(wanted - fused(given, weighted(weights, rest), rest)), stream


def test_weights_that_add_up_to_the_same_are_a_tie_though_binary_says_otherwise(run: Run, tmp_path: Path) -> None:
    rows = [["s1", "a", "a", "a", "b"], ["s2", "b", "b", "b", "b"]]
    weights = {"one": 0.1, "two": 0.2, "three": 0.3}  # .1 + .2 is above .3 in binary
    write_system(
        tmp_path,
        {"predictions": (("sample", "label", *weights), rows), "parameters": parameters(weights)},
    )
    tables(run, "--fusion", "weighted", "--ties", "wrong")
    headline(tmp_path, {"Ties": 1, "Collective_Accuracy": 0.5})


def test_a_weighted_vote_without_weights_refuses_the_file(run: Run, tmp_path: Path) -> None:
    write_system(tmp_path, {"predictions": SMALL, "parameters": parameters({"one": 1, "two": 2})})
    write_system(tmp_path, {"predictions": SMALL, "parameters": parameters({"one": 1, "two": 2, "three": 3})}, "good")
    score(run, "--fusion", "weighted", code=3)
    assert results(tmp_path)["Status"] == "failed"
    assert "missing-weights" in kinds(tmp_path)
    headline(tmp_path, {"Collective_Accuracy": 1}, "good")


# --- classes ----------------------------------------------------------------------------------------------------------


def test_classes_that_all_read_as_numbers_compare_as_numbers(run: Run, tmp_path: Path) -> None:
    rows = [["s1", "1", "1.0", "1.00"], ["s2", "2.50", "2.5", "2"], ["s3", "1e1", "10", ""], ["s4", "2", "1", "2.0"]]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    tables(run)
    # one: s1, s2, s3; two: s1, s4; the vote: s1, s2 and s3, and 1 on s4
    headline(tmp_path, {"Collective_Accuracy": 0.75, "Best_Accuracy": 0.75, "Oracle_Accuracy": 1, "Ties": 2})
    assert float(stream_lines(tmp_path)["two"]["Accuracy"]) == 0.5


def test_one_word_among_the_classes_makes_all_of_them_text(run: Run, tmp_path: Path) -> None:
    rows = [["s1", "1", "1.0", "1"], ["s2", "2", "2", "two"], ["s3", "2", " 2 ", "2"]]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    tables(run)
    # 1.0 is no label now; s2 is a tie that the left one wins
    headline(tmp_path, {"Collective_Accuracy": Fraction(2, 3), "Best_Accuracy": Fraction(2, 3), "Ties": 2})
    assert "unknown-class" in kinds(tmp_path)


def test_classes_are_compared_without_spaces_around_them_and_in_one_unicode_form(run: Run, tmp_path: Path) -> None:
    composed, apart = unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")
    assert composed != apart
    rows = [["s1", composed, apart, f" {composed} "], ["s2", apart, composed, "tea"], ["s3", "tea", "tea", "tea"]]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    tables(run)
    headline(tmp_path, {"Collective_Accuracy": 1, "Best_Accuracy": 1, "Ties": 1})


@pytest.mark.parametrize(("low", "high"), [("2", "10"), ("class 2", "class 10"), ("ant", "bee")])
def test_ties_by_class_go_to_the_smallest_in_the_order_people_count(
    run: Run, tmp_path: Path, low: str, high: str
) -> None:
    rows = [[f"s{n}", low, high, low] for n in range(3)] + [["last", high, high, high]]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    tables(run, "--ties", "class")
    headline(tmp_path, {"Collective_Accuracy": 1, "Ties": 3})
    tables(run, "--ties", "first")
    headline(tmp_path, {"Collective_Accuracy": 0.25, "Ties": 3})


# --- chance, and the order of rows --------------------------------------------------------------------------------


def test_random_ties_are_fair_seeded_and_the_same_in_every_run(run: Run, tmp_path: Path) -> None:
    samples = 900
    rows = [[f"s{n}", "a", "a", "b"] for n in range(samples)] + [["last", "b", "b", "b"]]
    write_system(tmp_path, {"predictions": (("sample", "label", "one", "two"), rows)})
    found = []
    for seed in ("0", "1", "2", "0"):
        score(run, "--ties", "random", "--seed", seed)
        assert number(results(tmp_path)["Ties"]) == samples
        found.append(float(results(tmp_path)["Collective_Accuracy"]))
    assert found[0] == found[3]
    assert len(set(found)) > 1
    # four deviations of a fair coin, each √(.25 / 900)
    assert found == pytest.approx([0.5] * 4, rel=0, abs=4 / 60)


EACH = 25  # samples of every condition and epoch


def everything(seed: int) -> dict[str, Table]:
    """Return a system with every sheet, ties, blanks, conditions and epochs."""
    rng = random.Random(seed)
    parts = {
        (condition, epoch): task(seed + place, samples=EACH, skill=0.6)
        for place, (condition, epoch) in enumerate([("clean", "1"), ("clean", "2"), ("noise", "2"), ("blur", "2")])
    }
    rows = [
        row for (condition, epoch), given in parts.items() for row in given.rows([condition] * EACH, [epoch] * EACH)
    ]
    vectors = [[rng.gauss(0, 1) for _ in range(9)] for _ in STREAMS]
    routing = routes(seed, ("1", "2"), count=9)
    return {
        "predictions": (("sample", "label", "condition", "epoch", *STREAMS), rows),
        "probabilities": (
            ("sample", "stream", "condition", "epoch", *CLASSES),
            [
                [sample, stream, condition, epoch, *map(repr, row)]
                for (condition, epoch), given in parts.items()
                for (sample, stream), row in scores(given, seed, logits=True).items()
            ],
        ),
        "routing": routing_table(routing),
        "anchors": (
            ("stream", *(f"anchor {n}" for n in range(9))),
            [[name, *(repr(abs(value)) for value in vector)] for name, vector in zip(STREAMS, vectors, strict=True)],
        ),
        "fingerprints": (
            ("stream", *(f"f{n}" for n in range(9))),
            [[name, *map(repr, vector)] for name, vector in zip(STREAMS, vectors, strict=True)],
        ),
        "history": (
            ("epoch", "train_loss", "val_loss", "routing_entropy", "emergence_ratio"),
            [[str(epoch), *(repr(rng.random()) for _ in range(4))] for epoch in range(1, 13)],
        ),
        "parameters": (
            ("name", "value"),
            [["params_m", "12.5"], *parameters({stream: rng.random() for stream in STREAMS})[1]],
        ),
    }


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--ties", "random"),
        ("--fusion", "mean", "--logits"),
        ("--fusion", "weighted"),
        ("--fusion", "weighted-mean", "--logits"),
    ],
)
def test_the_order_of_rows_never_matters(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    sheets = everything(80)
    written = []
    for shuffle in range(3):
        rng = random.Random(shuffle)
        for header, rows in sheets.values():
            assert header
            rng.shuffle(rows)
        write_system(tmp_path, sheets)
        tables(run, *options)
        names = ("collective_results.csv", "metrics.json", "system_collective.csv")
        written.append({name: (tmp_path / "out" / name).read_bytes() for name in names})
    assert all(number(results(tmp_path)[name]) > 0 for name in ("Robustness", "Routing_Entropy", "Anchor_Entropy"))
    for name, content in written[0].items():
        assert written[1][name] == content, name
        assert written[2][name] == content, name


def as_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def is_number(text: str) -> bool:
    return isinstance(as_number(text), float)


def test_a_workbook_with_cells_that_are_numbers_has_the_numbers_of_a_folder_of_text(run: Run, tmp_path: Path) -> None:
    sheets = everything(81)
    write_system(tmp_path, sheets, "folder")
    book = openpyxl.Workbook()
    for place, (title, (header, rows)) in enumerate(sheets.items()):
        page_ = book.create_sheet(title.upper(), place)
        page_.append(list(header))
        for row in rows:
            page_.append([as_number(cell) if cell else None for cell in row])
    book.remove(book.worksheets[-1])  # the empty one that every new workbook has
    book.save(tmp_path / "in" / "book.xlsx")
    score(run)
    folder, workbook = results(tmp_path, "folder"), results(tmp_path, "book")
    assert {**folder, "Model Name": "book"}.keys() == workbook.keys()
    for column, cell in folder.items():
        # openpyxl writes sixteen digits of a number, one less than some need
        same = near(float(cell)) if is_number(cell) else cell if column != "Model Name" else "book"
        assert as_number(workbook[column]) == same, column
    assert float(folder["Fingerprint_Diversity"]) > 0
    assert list(leaves(measures(tmp_path, "folder"))) == [
        near(value) if isinstance(value, float) else value for value in leaves(measures(tmp_path, "book"))
    ]
