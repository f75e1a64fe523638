"""Logs as they are kept: nested answers, several columns about a prompt, totals, and results by the user's columns."""

from __future__ import annotations

import json
import re
import shlex
import statistics
from collections.abc import Mapping, Sequence

import pytest

from tests.helpers.entropy import Study, at_length, words
from tests.helpers.files import read_csv, write_bytes, write_csv
from tests.helpers.prose import pieces

pytestmark = pytest.mark.usefixtures("no_workbooks")

TEXTS = pieces(60)[:6]


def log(study: Study, *rows: Mapping[str, object], name: str = "m") -> None:
    """The answers of a model, one JSON object per line."""
    write_bytes(study.outs / f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def entropy(texts: Sequence[str]) -> float:
    """The mean entropy of texts at a length of 50 words."""
    return statistics.fmean(value for text in texts if (value := at_length(words(text))) is not None)


@pytest.mark.parametrize("name", ["completion", "the answer"])
def test_an_answer_that_is_an_object_is_not_scored_and_the_hint_reaches_into_it(study: Study, name: str) -> None:
    log(study, *({name: {"role": "assistant", "content": text, "tokens": [1, 2]}} for text in TEXTS))
    named = () if name == "completion" else ("--column", f"text={name}")
    ended = study.score(*named)
    assert ended.code == 4
    assert f"{name} is an object (role, content, tokens)" in ended.err
    said = re.search(r"--column ('[^']+'|\S+) reaches into it", ended.err)
    assert said is not None
    assert study.score("--column", *shlex.split(said[1])).code == 0
    assert float(study.results()["m"]["Entropy_At_Length"]) == pytest.approx(entropy(TEXTS))


def test_an_answer_that_is_a_list_costs_its_row_and_names_the_path(study: Study) -> None:
    chat = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": TEXTS[0]}]
    log(study, {"response": chat}, {"response": [TEXTS[0], TEXTS[1]]}, *({"response": text} for text in TEXTS[2:]))
    assert study.score().code == 0
    found = {problem["row"]: problem["message"] for problem in study.problems("nested-cell")}
    assert found["1"].startswith("response is a list of 2 objects (role, content), where a text")
    assert found["2"].startswith("response is a list of 2, where a text")
    line = study.results()["m"]
    assert (line["Rows"], line["Scored"]) == ("6", "4")
    assert float(line["Entropy_At_Length"]) == pytest.approx(entropy(TEXTS[2:]))


def test_a_prompt_that_is_a_chat_serves_as_an_id(study: Study) -> None:
    prompts = [[{"role": "user", "content": f"Tell me of {what}."}] for what in ("whales", "rabbits") for _ in range(3)]
    for model in ("a", "b"):
        rows = [{"prompt": prompt, "response": text} for prompt, text in zip(prompts, TEXTS, strict=True)]
        log(study, *rows, name=model)
    assert study.score().code == 0
    assert {problem["effect"] for problem in study.problems()} == {"note"}
    assert len(study.problems("nested-cell", model="a")) == 1
    assert study.results()["a"]["CI_Note"].startswith("too few prompts")
    (pair,) = [line for line in read_csv(study.res / "comparisons.csv") if line["Measure"] == "Entropy_At_Length"]
    assert pair["Shared"] == "2"


def test_questions_beside_the_ids_of_their_prompts_need_no_separating(study: Study) -> None:
    head = ("prompt_id", "question", "answer")
    write_csv(
        study.outs / "m.csv", [head, *((f"p{n % 2}", "Why?How?"[n % 2 * 4 :][:4], t) for n, t in enumerate(TEXTS))]
    )
    write_csv(
        study.outs / "mixed.csv", [head, *((f"p{n % 2}", "Why?How?"[n // 3 * 4 :][:4], t) for n, t in enumerate(TEXTS))]
    )
    assert study.score().code == 0
    assert [line["file"] for line in study.problems("not-separated")] == ["mixed.csv"]
    assert {name: line["Status"] for name, line in study.results().items()} == {"m": "ok", "mixed": "partial"}


def test_a_total_below_a_table_of_several_models_is_no_model(study: Study) -> None:
    rows = [(model, f"p{n}", text) for model in ("a", "b") for n, text in enumerate(TEXTS)]
    sums = [("Total", "12", ""), ("", "Average", "54.2")]
    write_csv(study.outs / "all.csv", [("model", "prompt", "text"), *rows, *sums])
    assert study.score("--strict").code == 0
    assert sorted(study.results()) == ["a", "b"]
    assert [(line["row"], line["effect"]) for line in study.problems("summary-row")] == [("14", "note"), ("15", "note")]


def test_results_by_a_column_and_the_column_beside_each_text(study: Study) -> None:
    topics = ("sea", "land", "sea", "land", "land", "")
    rows = [(f"p{n}", topic, text) for n, (topic, text) in enumerate(zip(topics, TEXTS, strict=True))]
    write_csv(study.outs / "m.csv", [("id", "Topic", "text"), *rows])
    assert study.score("--by", "topic", "--keep", "Topic").code == 0
    by = {line["topic"]: line for line in read_csv(study.res / "entropy_by_topic.csv")}
    assert {value: line["Rows"] for value, line in by.items()} == {"sea": "2", "land": "3", "(blank)": "1"}
    for value, line in by.items():
        own = [text for topic, text in zip(topics, TEXTS, strict=True) if (topic or "(blank)") == value]
        assert float(line["Entropy_At_Length"]) == pytest.approx(entropy(own))
    assert [line["Topic"] for line in study.lines()] == list(topics)
