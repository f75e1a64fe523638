"""entropy from the command line: what is read as what, and what is said about it."""

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy

from scoresheet.cli.report.charts import charts_of
from scoresheet.cli.run.recorded import open_recorded

from .conftest import Study

FOLDER = "results/entropy"
NUMBERS = np.random.default_rng(5)
WORDS = [a + b + c for a in "bdfglmnr" for b in "aeiou" for c in ("n", "st", "rk", "lo")]
ASKED = [f"What happens at sea on day {n}?" for n in range(8)]


def varied(length: int = 60) -> str:
    words = NUMBERS.choice(WORDS, length)
    return ". ".join(" ".join(words[start : start + 12]) for start in range(0, length, 12))


def looping(length: int = 60) -> str:
    return (" ".join(NUMBERS.choice(WORDS, 9)) + ". ") * (length // 9 + 1)


MODELS: dict[str, Callable[[], str]] = {"gpt": varied, "llama": looping}


def segment_entropy(texts: Sequence[str]) -> float:
    """The definition written out: windows of 50 words, of which every text has one."""
    windows = [text.replace(".", " ").split()[:50] for text in texts]
    return float(np.mean([entropy([*Counter(words).values()], base=2) for words in windows]))


Made = dict[str, list[str]]


def jsonl(study: Study, name: str, rows: Sequence[object]) -> None:
    study.text(name, "".join(json.dumps(row) + "\n" for row in rows))


def written(count: int) -> Made:
    return {model: [write() for _ in range(count)] for model, write in MODELS.items()}


def lm_eval(study: Study) -> Made:
    made = written(8)
    for model, texts in made.items():
        rows = [
            {"doc_id": n, "doc": {"question": q}, "resps": [[t]], "filtered_resps": [t]}
            for n, (q, t) in enumerate(zip(ASKED, texts, strict=True))
        ]
        jsonl(study, f"in/{model}/samples_sea.jsonl", rows)
        study.text(f"in/{model}/results.json", json.dumps({"results": {"sea": 1}}))
    return made


def in_lists(study: Study) -> Made:
    made = written(32)
    for model, texts in made.items():
        rows = [{"prompt": q, "samples": texts[4 * n : 4 * n + 4]} for n, q in enumerate(ASKED)]
        jsonl(study, f"in/{model}.jsonl", rows)
    return made


def chats(study: Study) -> Made:
    made = written(8)
    for model, texts in made.items():
        turns: list[tuple[str, ...]] = []
        for n, (question, text) in enumerate(zip(ASKED, texts, strict=True)):
            turns += [(f"c{n}", "user", question), (f"c{n}", "assistant", text)]
        study.csv(f"in/{model}.csv", "conversation,role,content", turns)
    return made


# the layout, why it is refused, what is typed then and how it is read
LAYOUTS: list[tuple[Callable[[Study], Made], str, str, str]] = [
    (
        *(lm_eval, "no column for text"),
        *("--column text=filtered_resps --column model=@folder", "text ← filtered_resps"),
    ),
    (in_lists, "no column for text", "--column text=samples", "id ← prompt · text ← samples"),
    (
        *(chats, "column role divides the rows"),
        *("--where role==assistant", "id ← conversation · text ← content"),
    ),
]


@pytest.mark.parametrize(("make", "refusal", "typed", "mapping"), LAYOUTS)
def test_each_layout_is_refused_or_read_as_meant(
    study: Study, make: Callable[[Study], Made], refusal: str, typed: str, mapping: str
) -> None:
    made = make(study)
    named = ["--column", "text=content", "--column", "id=conversation"] if make is chats else []
    refused = study.run("entropy", "in", *named)
    assert (refused.code, refusal in refused.text) == (2, True), refused.err
    result = study.run("entropy", "in", *named, *typed.split())
    assert result.code == (3 if make is lm_eval else 0), result.err  # results.json is no table
    assert mapping in result.text
    found = study.results(FOLDER)
    for model, texts in made.items():
        row = found.loc[model]
        assert row["Segment_Entropy"] == pytest.approx(segment_entropy(texts), abs=1e-9)
        assert (row["Repetitive"], row["Scored"]) == (model == "llama", len(texts))


def two_models(study: Study, *, answers: int = 1) -> None:
    for model, texts in written(8 * answers).items():
        rows = [(f"q{n % 8}", text) for n, text in enumerate(texts)]
        study.csv(f"in/{model}.csv", "id,text", rows)


def test_the_workbook_has_texts_and_prompts(study: Study) -> None:
    two_models(study, answers=3)
    assert study.run("entropy", "in").code == 0
    book = study.folder / FOLDER / "gpt_entropy.xlsx"
    vendi = pd.read_excel(book, "Prompts", engine="calamine")["Vendi score"]
    assert len(vendi) == vendi.between(1, 3).sum() == 8
    units = pd.read_csv(study.folder / FOLDER / "gpt_entropy.csv")
    assert units["Vendi"].notna().sum() == 8
    assert json.loads(units["Chunk_Entropies"][0])


def test_short_texts_are_said_and_still_scored(study: Study) -> None:
    texts = [varied(60) for _ in range(6)] + ["only a few words here"] * 4
    study.csv("in/some.csv", "id,text", list(enumerate(texts)))
    study.csv("in/all.csv", "id,text", [(n, varied(20)) for n in range(10)])
    result = study.run("entropy", "in")
    assert "some: 40% of the texts have fewer than 50 words, so its segment" in result.text
    assert "all: no text has 50 words, so set a shorter window with --window" in result.text
    row = study.results(FOLDER).loc["some"]
    assert (row["Scored"], row["Status"], row["Too_Short"]) == (10, "ok", 0.4)
    assert study.run("entropy", "in/all.csv", "-o", "alone", "--window", "10").code == 0
    assert study.results("alone")["Segment_Entropy"].between(3, math.log2(10)).all()


def test_without_ids_texts_are_the_units_and_models_are_not_compared(study: Study) -> None:
    for model, write in MODELS.items():
        study.csv(f"in/{model}.csv", "text", [[write()] for _ in range(8)])
    result = study.run("entropy", "in")
    assert result.code == 0
    assert "The models share no texts, so they are not compared" in result.text
    assert "over all texts of a sheet, because ids do not repeat" in result.text
    assert (study.results(FOLDER)["Units"] == 8).all()


def test_a_text_without_words_lowers_the_coverage(study: Study) -> None:
    texts = [varied() for _ in range(8)] + ["", "..."]
    study.csv("in/m.csv", "id,text", list(enumerate(texts)))
    result = study.run("entropy", "in")
    assert "rows 10, 11: the text has no words" in result.text
    row = study.results(FOLDER).loc["m"]
    assert (row["Rows"], row["Scored"], row["Status"]) == (10, 8, "low coverage")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--vectors", "embed"], "needs the extra embed: pip install 'scoresheet[embed]'"),
        (["--tokenizer", "tokens"], "needs the extra tokens: pip install 'scoresheet[tokens]'"),
        (["--window", "1"], "--window must be 2 or more"),
    ],
)
def test_what_cannot_be_measured_is_a_usage_error(
    study: Study, typed: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_models(study)
    monkeypatch.setattr("scoresheet.metrics.entropy.find_spec", lambda _name: None)
    result = study.run("entropy", "in", *typed)
    assert (result.code, says in result.text) == (2, True), result.err


def test_the_charts_show_spread_and_the_chunks_of_the_most_repetitive_texts(study: Study) -> None:
    two_models(study)
    assert study.run("entropy", "in").code == 0
    charts: Any = charts_of(open_recorded(study.folder / FOLDER))
    segments, words, chunks = charts[1:]
    assert [(name, len(values)) for name, values in segments.rows] == [("gpt", 8), ("llama", 8)]
    assert max(words.rows[1][1]) < min(words.rows[0][1])
    by_text = {name.partition(":")[0]: bits for name, _, bits in chunks.series}
    assert max(by_text["llama"]) < min(by_text["gpt"])
