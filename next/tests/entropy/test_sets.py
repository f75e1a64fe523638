"""The measures of a set of texts, and which texts form one."""

import math
import zlib

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from vendi_score import vendi

from scoresheet.metrics.entropy import EntropyOptions
from scoresheet.metrics.entropy.score import explain, score, survey
from scoresheet.metrics.entropy.similarity import cosines
from scoresheet.metrics.family import Scores

from . import naive
from .test_measures import random_texts

SETS = ["Distinct_1", "Distinct_2", "Vendi", "Compression_Ratio"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of vendi-score's own imports
@pytest.mark.parametrize("number", [1, 3, 20])
def test_sets_are_measured_as_by_independent_programs(number: int) -> None:
    own = random_texts(40)[-number:]
    (scores,) = scored(outputs({"p": own, "q": own}))
    found = scores.units.loc[0]
    words = [naive.words_of(text) for text in own]
    for n in (1, 2):
        runs = [run for text in words for run in naive.runs(text, n)]
        distinct = len(set(runs)) / len(runs) / (1 + (number == 1))
        assert found[f"Distinct_{n}"] == pytest.approx(distinct)
    joined = "\n".join(own if number > 1 else own * 2).encode()
    ratio = len(joined) / len(zlib.compress(joined, 9))
    assert found["Compression_Ratio"] == pytest.approx(ratio)
    rows = TfidfVectorizer(analyzer=naive.words_of).fit_transform(own).toarray()
    assert found["Vendi"] == pytest.approx(vendi.score_K(rows @ rows.T), abs=1e-9)


def test_no_vendi_score_over_more_than_2000_texts() -> None:
    (scores,) = scored(outputs({str(n): ["red fox"] for n in range(2001)}))
    assert math.isnan(scores.units["Vendi"].mean())
    assert "no Vendi score over more than 2,000 texts" in notes(scores)


def outputs(texts: dict[str, list[str]]) -> pd.DataFrame:
    rows = [(key, text) for key, own in texts.items() for text in own]
    frame = pd.DataFrame(rows, columns=["id", "text"]).assign(sheet="one")
    return frame.assign(row=range(2, len(frame) + 2), file="m.csv", worksheet="")


def scored(*models: pd.DataFrame) -> list[Scores]:
    known = pd.concat([survey(model) for model in models]).drop_duplicates()
    return [score({"outputs": m, "survey": known}, EntropyOptions()) for m in models]


def notes(scores: Scores) -> str:
    return " ".join(problem.message for problem in scores.problems if problem.effect == "note")


def test_identical_answers_to_many_prompts_are_not_diverse() -> None:
    prompts = {f"p{n}": [f"red{n} fox{n} and sea"] * 10 for n in range(20)}
    (by_id,) = scored(outputs(prompts))
    assert by_id.units["Vendi"].mean() == pytest.approx(1.0)
    (by_sheet,) = scored(outputs(prompts).drop(columns="id"))
    assert by_sheet.units["Vendi"].mean() > 15
    assert "over all texts of a sheet, because ids do not repeat" in notes(by_sheet)


def test_all_ids_are_cut_to_the_number_that_nearly_every_id_has() -> None:
    texts = random_texts(60)
    prompts = {f"p{n}": texts[n : n + 4] for n in range(39)} | {"few": texts[:1]}
    (scores,) = scored(outputs(prompts))
    assert "the first 4 texts of each id; 1 of 40 ids have fewer and are left out" in notes(scores)
    table = scores.tables["Prompts"].set_index("Id")
    assert table["Texts"].to_dict() == dict.fromkeys(prompts, 4) | {"few": 1}
    assert table[SETS].isna().sum().tolist() == [1, 1, 1, 1]
    assert scores.units[SETS].mean().tolist() == pytest.approx(table[SETS].mean().tolist())
    (two,) = scored(outputs({f"p{n}": texts[n : n + 4] for n in range(10)} | {"few": texts[:3]}))
    assert "the first 3 texts of each id" in notes(two)


def test_models_are_compared_on_the_same_number_of_texts() -> None:
    texts = random_texts(30)
    models = [outputs({f"p{n}": texts[n : n + k] for n in range(10)}) for k in (6, 2, 1)]
    first, second, third = scored(*models)
    assert "the first 2 texts of each id" in notes(first)
    np.testing.assert_allclose(
        first.tables["Prompts"]["Vendi"], second.tables["Prompts"]["Vendi"], atol=1e-12
    )
    assert "over all texts of a sheet" in notes(third)


def test_runs_are_sets_of_their_own() -> None:
    frame = outputs({"p": ["Red fox.", "Red fox.", "Blue sea.", "Blue sea."]})
    (scores,) = scored(frame.assign(run=["1", "1", "2", "2"]))
    assert scores.tables["Prompts"]["Vendi"].tolist() == pytest.approx([1.0, 1.0])
    assert scores.units["Run"].tolist() == ["1", "1", "2", "2"]


@pytest.mark.parametrize("texts", [[], [""], ["...", "a"]])
def test_a_model_without_words_has_no_scores(texts: list[str]) -> None:
    (scores,) = scored(outputs({"p": texts}))
    assert scores.units["Word_Entropy"].isna().all()
    assert len(scores.units) == len(texts)


def test_an_explanation_shows_windows_and_the_phrases_that_repeat() -> None:
    frame = outputs({"p": ["Red fox runs. " * 4 + "Sea sky.", "No loop."], "q": ["Sea"]})
    found = explain({"outputs": frame}, EntropyOptions(window=7), "", "p").tables
    assert found["Windows"][["Row", "First word"]].to_numpy().tolist() == [[2, 1], [2, 8]]
    assert found["Windows"]["Entropy"][0] == pytest.approx(naive.entropy([*"abcabca"]))
    phrases = found["Repeated phrases"].to_numpy().tolist()
    assert phrases == [[2, "red fox runs red fox runs", 2]]
    assert explain({"outputs": frame}, EntropyOptions(), "other", "p").tables["Windows"].empty


@pytest.mark.parametrize("how", ["tfidf", "overlap"])
def test_a_large_matrix_gives_the_same_cosines(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = cosines(random_texts(20), how)
    monkeypatch.setattr("scoresheet.metrics.entropy.similarity.DENSE", 10)
    np.testing.assert_allclose(cosines(random_texts(20), how), dense, atol=1e-12)
