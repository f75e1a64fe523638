"""Over how many texts is a mean, and how sure is it?"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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


def of_words(number: int) -> str:
    return " ".join(f"word{place}" for place in range(number))


def test_answers_to_one_prompt_are_drawn_one_by_one(run: Run, tmp_path: Path) -> None:
    lengths = random.Random(5).choices(range(2, 60), k=50)
    write_csv(tmp_path / "in" / "m.csv", [("prompt_id", "text"), *(("p1", of_words(n)) for n in lengths)])
    assert run("entropy", "in", "-o", "out").code == 0
    found = line(tmp_path)
    entropies = np.log2(lengths)
    # the percentile interval of a mean of fifty is close to the normal one, whatever the seed
    half = 1.96 * float(entropies.std()) / math.sqrt(50)
    assert float(found["CI_Low"]) == pytest.approx(float(entropies.mean()) - half, abs=half / 5)
    assert float(found["CI_High"]) == pytest.approx(float(entropies.mean()) + half, abs=half / 5)


def test_ids_narrow_and_widen_no_interval(run: Run, tmp_path: Path) -> None:
    texts = [of_words(2 + 3 * (place % 10)) for place in range(60)]
    widths = []
    for ids in ([f"p{place:02}" for place in range(60)], [f"p{place // 20}" for place in range(60)]):
        write_csv(tmp_path / "in" / "m.csv", [("id", "text"), *zip(ids, texts, strict=True)])
        assert run("entropy", "in", "-o", "out").code == 0
        widths.append(float(line(tmp_path)["CI_High"]) - float(line(tmp_path)["CI_Low"]))
    assert widths[0] == widths[1]


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
