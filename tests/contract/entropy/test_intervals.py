"""Over how many texts is a mean, and how sure is it?"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoresheet.metrics import bootstrap_interval
from tests.helpers.files import read_csv, write_csv
from tests.helpers.runs import Run

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparkline Group extension",  # openpyxl does not read them
    "ignore:open_binary is deprecated",  # the vocabularies, when they are opened
)


def line(tmp_path: Path) -> dict[str, str]:
    """The only line of the results table."""
    (found,) = read_csv(tmp_path / "out" / "entropy_results.csv")
    return found


def test_texts_without_an_id_or_with_one_each_are_drawn_one_by_one(run: Run, tmp_path: Path) -> None:
    lengths = random.Random(5).choices(range(2, 60), k=50)
    # of four words, so that entropies are known: 2 bits where all differ, 1 where two and two are the same
    texts = ["red fox den oak" if length > 30 else "red fox red fox" for length in lengths]
    found = []
    for name, rows in (("ids", [("id", "text"), *((f"p{i}", text) for i, text in enumerate(texts))]),
                       ("none", [("text",), *((text,) for text in texts)])):  # fmt: skip
        write_csv(tmp_path / name / "m.csv", rows)
        assert run("entropy", name, "-o", "out", "--window", "4").code == 0
        found.append(line(tmp_path))
    entropies = np.where(np.array(lengths) > 30, 2.0, 1.0)
    # the expanded interval of a mean of fifty is close to Student's, whatever the seed
    half = 2.01 * float(entropies.std(ddof=1)) / math.sqrt(50)
    for own in found:
        assert float(own["CI_Low"]) == pytest.approx(float(entropies.mean()) - half, abs=half / 5)
        assert float(own["CI_High"]) == pytest.approx(float(entropies.mean()) + half, abs=half / 5)


def test_answers_to_one_prompt_are_drawn_together(run: Run, tmp_path: Path) -> None:
    """As many answers as one likes to twenty prompts tell no more of prompts than twenty prompts do."""
    rich = [f"p{prompt:02}" for prompt in range(20) if prompt % 3]
    rows = [(f"p{i % 20:02}", "red fox den oak" if f"p{i % 20:02}" in rich else "red fox red fox") for i in range(200)]
    ends = []
    for answers in (rows, rows[:20]):
        write_csv(tmp_path / "in" / "m.csv", [("prompt_id", "text"), *answers])
        assert run("entropy", "in", "-o", "out", "--window", "4").code == 0
        ends.append([float(line(tmp_path)[name]) for name in ("Entropy_At_Length", "CI_Low", "CI_High")])
    assert ends[0] == pytest.approx(ends[1])
    own = [1.0 + (f"p{prompt:02}" in rich) for prompt in range(20)]
    assert ends[0][1:] == pytest.approx(bootstrap_interval(own)[:2])


def test_few_prompts_have_no_interval_however_many_answers_there_are(run: Run, tmp_path: Path) -> None:
    rows = [(f"p{i % 4}", "red fox den oak") for i in range(80)]
    write_csv(tmp_path / "in" / "m.csv", [("prompt_id", "text"), *rows])
    assert run("entropy", "in", "-o", "out", "--window", "4").code == 0
    found = line(tmp_path)
    wanted = "too few prompts with a text of 4 words for an interval: 4, at least 5 are needed"
    assert (found["CI_Low"], found["CI_Note"]) == ("", wanted)
    assert (found["Repetitive_CI_Low"], found["Repetition"]) == ("", "too few prompts")


def test_the_level_of_confidence_reaches_both_intervals(run: Run, tmp_path: Path) -> None:
    texts = ["red fox den oak", "red fox red fox"] * 15
    write_csv(tmp_path / "in" / "m.csv", [("text",), *((text,) for text in texts)])
    widths = []
    for level in ("0.8", "0.99"):
        assert run("entropy", "in", "-o", "out", "--window", "4", "--ci", level).code == 0
        found = line(tmp_path)
        ends = ("CI_Low", "CI_High"), ("Repetitive_CI_Low", "Repetitive_CI_High")
        widths.append([float(found[high]) - float(found[low]) for low, high in ends])
    assert all(narrow < wide for narrow, wide in zip(*widths, strict=True))


def test_means_that_few_texts_have_say_over_how_many_they_are(run: Run, tmp_path: Path) -> None:
    texts = [*["One sentence of six words here"] * 96, "one", "two words", "three words here", "Red fox. Blue sea."]
    write_csv(tmp_path / "in" / "m.csv", [("text",), *((text,) for text in texts)])
    assert run("entropy", "in", "-o", "out").code == 0
    found = line(tmp_path)
    counts = {"Semantic_Texts": "1", "Bigram_Texts": "99", "Trigram_Texts": "98", "Self_Repetition_Texts": "97"}
    assert {name: found[name] for name in counts} == counts
    assert (found["Semantic_Diversity"], found["Scored"], found["Vendi_Texts"]) == ("1.0", "100", "100")
    numbers: dict[str, Any] = json.loads((tmp_path / "out" / "metrics.json").read_text())["m"]
    assert (numbers["Semantic_Texts"], numbers["Sheets"]["Sheet1"]["Bigram_Texts"]) == (1, 99)


def test_counts_of_texts_are_summed_over_sheets(run: Run, tmp_path: Path) -> None:
    rows = [("A", "Red fox. Blue sea."), ("A", "red fox"), ("B", "Green tree. White ash."), ("B", "one")]
    write_csv(tmp_path / "in" / "m.csv", [("Sheet", "text"), *rows])
    assert run("entropy", "in", "-o", "out").code == 0
    found = line(tmp_path)
    assert (found["Semantic_Texts"], found["Bigram_Texts"], found["Self_Repetition_Texts"]) == ("2", "3", "2")
