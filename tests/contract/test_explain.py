"""scoresheet explain: every number of every demo is made again from what it says it is made of."""

from __future__ import annotations

import json
import math
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_names
from scoresheet.cli.earlier.explaining import explainer_of, reported_units, unequal_measures
from scoresheet.cli.earlier.rereading import Reread
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.metrics.explanation import UnitName
from scoresheet.metrics.families.disagree.measures import LABEL_AGREEMENT
from tests.helpers.runs import Run, called_in

ROOT = Path(__file__).resolve().parents[2]
RUNS = (
    ("sinfo",),
    ("sinfo", "--rouge", "lin", "--references-by", "mean", "--length", "tokens"),
    ("sinfo", "--rouge", "charset", "--missing", "zero", "--lowercase"),
    ("sinfo", "data/long_outputs"),
    ("mode-collapse",),
    ("mode-collapse", "data/choices/conditional.xlsx"),
    ("diversity",),
    ("diversity", "--definition", "ndeval", "--cutoffs", "3,7"),
    ("diversity", "--graded", "--alpha", "0.3", "--targets", "data/diversity_tables/targets.csv"),
    ("diversity", "data/recommendations", "--features", "data/recommendation_tables/films.csv"),
    ("disagree",),
    ("disagree", "--sheets-are", "dimensions", "data/judgements/split.xlsx"),
    (
        "disagree",
        "data/judgement_tables/one_judge.csv",
        "--strategies",
        "data/judgement_tables/strategies.csv",
    ),
    ("entropy",),
    ("entropy", "--window", "10", "--repetition", "printed"),
)


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_every_unit_comes_to_what_was_reported(words: tuple[str, ...], tmp_path: Path) -> None:
    assert called_in(ROOT)(*words, "-o", tmp_path / "out", "-q").code in (0, 3)
    results = EarlierResults.of(tmp_path / "out")
    reread = Reread.of(results)
    explainer, context = explainer_of(results.command), reread.context()
    models = [model for model in results.models if (tmp_path / "out" / f"{results.stem(model)}.csv").exists()]
    explained = 0
    for model, source in reread.models(models).items():
        _, sheets = reread.parsed(source)
        lines = reported_units(results, model, explainer)
        for (sheet, row, keys), line in list(lines.items())[:8]:
            found = explainer.explain(sheets, context, reread.request.options, UnitName(sheet, dict(keys), row))
            assert unequal_measures(found, line) == []
            assert explainer.blocks(found)
            explained += 1
    assert explained


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    page = (ROOT / "docs/explain.md").read_text("utf-8")
    lines = [shlex.split(line) for line in page.splitlines() if line.startswith("    scoresheet explain ")]
    assert len(lines) == 7
    (tmp_path / "data").symlink_to(ROOT / "data")
    run = called_in(tmp_path)
    assert all(run(command, "-q").code == 0 for command in command_names())
    for words in lines:
        done = run(*words[1:])
        assert (done.code, done.err) == (0, "")
        assert len(done.out.splitlines()) > 5


def explained(run: Run, *words: str | Path) -> dict[str, Any]:
    done = run("explain", *words, "--json")
    assert done.code == 0, done.err
    told: dict[str, Any] = json.loads(done.out)["explanation"]
    return told


def test_a_rouge_pair_is_worked_as_by_hand(run: Run) -> None:
    # the LCS of "to tell a secret to all" and "to tell all a secret": to tell a secret, so 4 of 5 different words;
    # 23 characters against 20, so no penalty
    told = explained(run, "sinfo", "--prediction", "to tell a secret to all", "--reference", "to tell all a secret")
    (part,) = told["references"]
    assert [word["word"] for word in part["prediction"] if word["common"]] == ["to", "tell", "a", "secret", "to"]
    assert [word["word"] for word in part["reference"] if not word["common"]] == ["all"]
    assert (part["matched"], part["of"], part["c"], part["r"], part["is_short"]) == (4, 5, 23, 20, False)
    assert told["measures"] == {"P_ROUGE": 0.8, "BP": 1.0, "S_Info": 0.8}


def test_a_short_prediction_is_penalised_by_the_other_branch(run: Run) -> None:
    words = (
        "--prediction",
        "to tell",
        "--reference",
        "to tell a secret",
        "--reference",
        "to say",
        "--set",
        "rouge=lin",
    )
    told = explained(run, "sinfo", *words)
    first, second = told["references"]
    # 7 characters against 16: exp(1 - 16/7) = 0.276; against "to say" (6) there is none, and one of two words is common
    assert first["is_short"]
    assert first["bp"] == pytest.approx(math.exp(1 - 16 / 7))
    assert (second["matched"], second["of"], second["bp"], second["won"]) == (1, 2, 1.0, True)
    shown = run("explain", "sinfo", *words).out
    assert "c < r, so BP = exp(1 - r/c) = exp(1 - 16/7) = 0.2765" in shown
    assert "[to] tell" in shown


def test_the_terminal_shows_the_words_in_common(run: Run) -> None:
    done = run("explain", "sinfo", "--prediction", "画蛇添足的人", "--reference", "画蛇添足")
    assert "[画蛇添足] 的人" in done.out
    assert done.code == 0


def test_alpha_ndcg_is_worked_as_by_hand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("query,item,rank\nq,a,1\nq,b,2\nq,c,3\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("query,subtopic,item,relevance\nq,s,a,1\nq,s,b,1\nq,t,c,1\n", encoding="utf-8")
    assert run("diversity", "m.csv", "r.csv", "-o", "out").code == 0
    told = explained(run, "out", "--unit", "q")
    ranks = told["ranks"]
    # s, then s once more for a half, then t; the best is a, c, b
    assert [each["gain"] for each in ranks] == [1.0, 0.5, 1.0]
    assert [each["discount"] for each in ranks] == pytest.approx([1.0, 1 / math.log2(3), 0.5])
    own = 1 + 0.5 / math.log2(3) + 0.5
    best = 1 + 1 / math.log2(3) + 0.25
    assert ranks[-1]["cumulative"] == pytest.approx(own)
    assert ranks[-1]["ideal"] == pytest.approx(best)
    assert told["measures"]["alpha_nDCG@10"] == pytest.approx(own / best)
    assert [each["adds"] for each in ranks] == [["s"], [], ["t"]]
    assert [each["repeats"] for each in ranks] == [[], ["s"], []]


def test_a_row_leads_to_the_unit_that_counts_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("query,item,rank\nq,a,1\np,b,1\nq,b,2\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text("query,subtopic,item,relevance\nq,s,a,1\np,s,b,1\n", encoding="utf-8")
    assert run("diversity", "m.csv", "r.csv", "-o", "out").code == 0
    assert explained(run, "out", "--row", "3")["query"] == "p"
    assert explained(run, "out", "--row", "4")["query"] == "q"
    done = run("explain", "out", "--row", "5")
    assert done.code == 2
    assert "no query of the model 'm' counts this row" in done.err
    (tmp_path / "c.csv").write_text(
        "Sheet,level,parent,choice\nw,0,,x\nw,0,,y\nw,1,X,u\nw,1,x,v\nv,0,,x\nv,0,,y\n", encoding="utf-8"
    )
    assert run("mode-collapse", "c.csv", "-o", "cells").code == 0
    told = explained(run, "cells", "--row", "4", "--sheet", "w")
    assert (told["level"], told["parent"].casefold()) == (1, "x")
    assert run("explain", "cells", "--row", "2", "--sheet", "v").code == 2


def test_a_cell_is_worked_as_by_hand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("level,choice,count\n0,x,6\n0,y,2\n", encoding="utf-8")
    (tmp_path / "o.csv").write_text("level,option,aliases\n0,x,\n0,y,why\n0,z,\n", encoding="utf-8")
    assert run("mode-collapse", "m.csv", "o.csv", "-o", "out").code == 0
    told = explained(run, "out", "--model", "m", "--unit", "0")
    # counts 0, 2, 6: rank sum 0·1 + 2·2 + 6·3 = 22, Gini 2·22 / (3·8) - 4/3 = 0.5
    assert told["rank_sum"] == 22
    assert told["measures"]["Gini"] == pytest.approx(0.5)
    counts = [(each["option"], each["count"], each["expected"]) for each in told["options"]]
    assert counts == [("x", 6, pytest.approx(8 / 3)), ("y", 2, pytest.approx(8 / 3)), ("z", 0, pytest.approx(8 / 3))]
    # 0.75·log2(4/3) + 0.25·2
    assert sum(each["bits"] for each in told["options"]) == pytest.approx(0.8112781)


def test_an_item_is_worked_as_by_hand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("item,a,b,c\nq1,0.6,0.6,0.3\nq2,0.5,0.5,0.5\n", encoding="utf-8")
    assert run("disagree", "m.csv", "-o", "out").code in (0, 3)
    told = explained(run, "out", "--unit", "q1")
    judges = {each["judge"]: each for each in told["judges"]}
    # mean 0.5; without c it would be 0.6, without a or b 0.45
    assert told["pulled_most"] == "c"
    assert explained(run, "out", "--unit", "q2")["pulled_most"] == ""  # they agree
    assert judges["c"]["mean_without"] == pytest.approx(0.6)
    assert judges["c"]["pull"] == pytest.approx(-0.1)
    assert judges["a"]["mean_without"] == pytest.approx(0.45)
    # variance (0.01 + 0.01 + 0.04) / 2 = 0.03; CV √0.03 / 0.5; consensus 1 - 2·CV
    assert told["measures"]["Consensus"] == pytest.approx(1 - 2 * math.sqrt(0.03) / 0.5)


def test_labels_are_told_by_judge(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("item,judge,score\nq,a,A\nq,b,A\nq,c,B\n", encoding="utf-8")
    assert run("disagree", "m.csv", "--level", "nominal", "-o", "out").code in (0, 3)
    told = explained(run, "out", "--unit", "q")
    given = {each["judge"]: list(each["given"].values()) for each in told["judges"]}
    assert given == {"a": ["A"], "b": ["A"], "c": ["B"]}
    assert told["measures"][LABEL_AGREEMENT.name] == pytest.approx(1 / 3)


def test_a_text_is_worked_as_by_hand(run: Run) -> None:
    told = explained(run, "entropy", "--text", "rain falls and rain falls and sun", "--set", "window=3")
    words = {each["word"]: each["count"] for each in told["words"]}
    assert words == {"rain": 2, "falls": 2, "and": 2, "sun": 1}
    # three words with 2/7, one with 1/7
    bits = 3 * 2 / 7 * math.log2(7 / 2) + 1 / 7 * math.log2(7)
    assert told["measures"]["Word_Entropy"] == pytest.approx(bits)
    assert sum(each["bits"] for each in told["words"]) == pytest.approx(bits)
    phrases = {each["phrase"]: each["count"] for each in told["phrases"]}
    assert phrases == {"rain falls": 2, "falls and": 2, "rain falls and": 2}
    assert [each["entropy"] for each in told["windows"]] == pytest.approx([math.log2(3)] * 2)


COLLECTIVE = "sample,label,one,two,three\ns1,cat,cat,dog,emu\ns2,dog,dog,dog,cat\n"
PROBABILITIES = "sample,stream,cat,dog\ns1,one,0.9,0.1\ns1,two,0.4,0.6\ns2,one,0.6,0.4\ns2,two,0.5,0.5\n"


def test_a_tied_sample_is_told_with_who_voted_what(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(COLLECTIVE, encoding="utf-8")
    assert run("collective", "m.csv", "-o", "out").code == 0
    told = explained(run, "out", "--unit", "s1")
    assert [(each["stream"], each["vote"]) for each in told["votes"]] == [
        ("one", "cat"),
        ("two", "dog"),
        ("three", "emu"),
    ]
    # one vote each: the class whose first voter stands leftmost wins
    assert (told["answer"], told["is_tied"], told["is_correct"]) == ("cat", True, True)
    assert (told["right"], told["samples"]) == (2, 2)
    assert run("collective", "m.csv", "-o", "other", "--ties", "wrong").code == 0
    told = explained(run, "other", "--unit", "s1")
    assert (told["answer"], told["is_correct"], told["right"]) == ("", False, 1)


def test_means_of_probabilities_are_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sys/m").mkdir(parents=True)
    (tmp_path / "sys/m/predictions.csv").write_text("sample,label,one,two\ns1,cat,cat,dog\ns2,dog,cat,dog\n", "utf-8")
    (tmp_path / "sys/m/probabilities.csv").write_text(PROBABILITIES, encoding="utf-8")
    assert run("collective", "sys", "--fusion", "mean", "-o", "out").code == 0
    told = explained(run, "out", "--unit", "s2")
    support = {each["name"]: each["support"] for each in told["classes"]}
    assert support == {"cat": pytest.approx(0.55), "dog": pytest.approx(0.45)}
    assert (told["answer"], told["is_correct"]) == ("cat", False)


def test_changed_inputs_are_refused_unless_one_insists(folder: Path, run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    (folder / "outs/good.csv").write_text("Idiom,Prediction\na,one two three\nb,four five\n", encoding="utf-8")
    done = run("explain", "out", "--row", "2")
    assert done.code == 2
    assert "good.csv: changed" in done.err
    assert "--anyway" in done.err
    done = run("explain", "out", "--row", "2", "--anyway")
    assert done.code == 10  # the number is another one, for a reason
    assert "reported 0." in done.err
    assert "S_Info = 1" in done.out
    done = run("explain", "out", "--row", "3", "--anyway")
    assert done.code == 0  # this row is as it was
    (folder / "refs/r.csv").write_text("idiom,explanation\na,one\nb,four five six\n", encoding="utf-8")
    assert "r.csv: changed" in run("explain", "out", "--row", "2").err


def test_a_number_that_is_not_the_reported_one_is_a_bug_said_aloud(folder: Path, run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    units = folder / "out/good_s_info.csv"
    lines = units.read_text("utf-8").splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ",0.25"
    units.write_text("\n".join(lines) + "\n", encoding="utf-8")
    manifest = folder / "out/manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    for entry in record["outputs"]:
        if entry["file"] == units.name:
            entry["sha256"] = sha256(units)
    manifest.write_text(json.dumps(record), encoding="utf-8")
    done = run("explain", "out", "--row", "2", "--json")
    assert done.code == 1
    assert "this is not the number that was reported: S_Info: reported 0.25" in done.err
    assert "bug" in done.err
    assert json.loads(done.out)["exit_code"] == 1


def test_results_are_explained_from_anywhere_and_after_a_move(folder: Path, run: Run, tmp_path: Path) -> None:
    assert run("sinfo", "outs", "refs", "-o", "results/out").code == 0
    assert called_in(Path("/"))("explain", folder / "results/out", "--row", "2").code == 0
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("outs", "refs", "results"):
        shutil.move(folder / name, moved / name)
    assert run("explain", "elsewhere/results/out", "--row", "2").code == 0


def test_models_that_a_column_names_are_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(
        "model,Idiom,Prediction,Reference\nA,x,one two,one two\nB,x,one,one two\nB,y,three,three\n", encoding="utf-8"
    )
    assert run("sinfo", "all.csv", "-o", "out").code == 0
    told = explained(run, "out", "--model", "b", "--unit", "x")
    assert told["measures"]["P_ROUGE"] == 1.0
    assert told["references"][0]["is_short"]


def test_what_is_not_there_is_answered_with_what_is(folder: Path, run: Run) -> None:
    (folder / "outs/two.csv").write_text("Sheet,Idiom,Prediction\np,a,one\nq,a,one\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    for words, said in (
        (("--row", "2"), "name a model with --model; there are"),
        (("--model", "x", "--row", "2"), "there is no model 'x'; there are"),
        (("--model", "good"), "which row? Name it with --row or --unit; there are a, b"),
        (("--model", "good", "--row", "9"), "no such row; there are rows 2 to 3"),
        (("--model", "two", "--unit", "a"), "say which with --sheet: p, q"),
        (("--model", "two", "--unit", "a", "--sheet", "r"), "there are p, q"),
        (("--model", "good", "--row", "2", "--prediction", "x"), "not results"),
    ):
        done = run("explain", "out", *words)
        assert done.code == 2
        assert said in done.err, done.err
    assert run("explain", "out", "--model", "two", "--unit", "a", "--sheet", "q").code == 0
    told = json.loads(run("explain", "out", "--model", "x", "--row", "2", "--json").out)
    assert told["exit_code"] == 2
    assert "needs --prediction TEXT --reference TEXT" in run("explain", "sinfo", "--prediction", "x").err
    assert "results/diversity" in run("explain", "diversity", "--text", "x").err
    assert "has no option 'rogue'" in run("explain", "entropy", "--text", "x", "--set", "rogue=1").err


def test_rows_without_a_score_say_why(folder: Path, run: Run) -> None:
    (folder / "outs/good.csv").write_text("Idiom,Prediction\na,\nb,four\nz,four\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    assert "the prediction is empty" in run("explain", "out", "--row", "2").out
    assert "no reference for 'z'" in run("explain", "out", "--row", "4").out


def test_a_key_of_two_lines_is_listed_on_one_and_found_as_it_is_listed(folder: Path, run: Run) -> None:
    for name, header in (("outs/good.csv", "Idiom,Prediction"), ("refs/r.csv", "idiom,explanation")):
        (folder / name).write_text(f'{header}\n"a\nb",one two\nc,one\n', encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    assert "there are a\\nb, c\n" in run("explain", "out").err
    for key in ("a\nb", "a\\nb"):
        assert run("explain", "out", "--unit", key).out.startswith("sinfo: good, Sheet1, row 2, Idiom a\\nb\n")


def test_a_model_that_failed_has_no_number_to_explain(folder: Path, run: Run) -> None:
    (folder / "outs/bad.xlsx").write_bytes(b"not a workbook")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 3
    done = run("explain", "out", "--model", "bad", "--row", "2")
    assert done.code == 2
    assert "the model 'bad' failed, so that it has no number to explain; out/problems.csv says why" in done.err


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("lowercase=perhaps", "--set lowercase=perhaps: true or false"),
        ("component-edge=much", "--set component-edge=much: 'much' is no number"),
        ("component-edge=2", "--set component-edge"),
        ("loudness=1", "sinfo has no option 'loudness'"),
    ],
)
def test_a_setting_that_the_command_does_not_have_is_refused(run: Run, setting: str, said: str) -> None:
    ended = run("explain", "sinfo", "--prediction", "a b", "--reference", "A b", "--set", setting)
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_a_setting_of_yes_or_no_counts(run: Run) -> None:
    words = ("explain", "sinfo", "--prediction", "A b.", "--reference", "a b", "--json")
    found = {}
    for given in ("lowercase=no", "lowercase=yes"):
        ended = run(*words, "--set", given, "--set", "strip-punctuation=true")
        assert ended.code == 0, ended.err
        found[given] = json.loads(ended.out)["explanation"]["measures"]["P_ROUGE"]
    assert found == {"lowercase=no": 0.5, "lowercase=yes": 1.0}
