"""The options of every scoring command: --help lists exactly these, and each does something."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.registry import family_entries

from .conftest import Study

COMMON = {
    "Input": """column sheet skip-sheet where records header-row encoding=utf-8 missing-values
        match=exact extract repeats=error accept""",
    "Results": "out by format=table plots no-workbooks",
    "Compare and gate": "against baseline fail-if fail-if-worse junit ci=0.95 seed",
    "Running": "strict jobs dask timeout=3600 memory max-file-mb=200 wait=60 quiet verbose",
}
OWN = {
    "sinfo": """rouge=rouge tokenizer=auto references-by=max language=auto unanswered=drop
        length=chars aggregate=sheets normalize""",
    "mode-collapse": "options target",
    "diversity": """cutoffs=5,10,20 alpha=0.5 definition=printed graded distance=auto items weights
        unanswered=zero""",
    "disagree": """scale level=interval gold consensus-threshold=0.7 disagreement-threshold=0.3
        outlier-threshold=1.5""",
    "entropy": "tokenizer=words vectors=tfidf window=50",
    "collective": "fusion=majority ties=first member clean split classes",
    "scores": "lower-is-better bounds",
}


def options_in(text: str) -> dict[str, dict[str, str]]:
    """The options that --help shows, with their defaults, by panel."""
    panels: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if title := re.match(r"╭─ (.+?) ─", line):
            found = panels.setdefault(title[1], {})
        elif option := re.match(r"│[ *]*--([a-z][a-z-]*)", line):
            default = re.search(r"\(default: (.*?)\)", line)
            found[option[1]] = default[1] if default else ""
    return panels


@pytest.mark.parametrize("family", family_entries())
def test_help_lists_exactly_these_options(
    study: Study, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    shown = options_in(study.run(family, "--help").out)
    expected = {f"Options of {family}": OWN[family], **COMMON}
    for panel, options in expected.items():
        names = dict(option.partition("=")[::2] for option in options.split())
        assert shown[panel].keys() == names.keys(), panel
        for name, default in names.items():
            if default:
                assert shown[panel][name].removesuffix(".0") == default, name
    assert {*shown} - {"Arguments", "Options"} == {*expected}


# What each option changes on the sample tables of a family, next to the files below.
EFFECTS = {
    "sinfo": [
        *("--rouge lin", "--tokenizer whitespace", "--references-by mean", "--language zh"),
        *("--unanswered zero", "--length tokens", "--aggregate rows", "--normalize"),
        *("--sheet permutation1", "--skip-sheet permutation1", "--ci 0.9"),
        *("--match loose", "--extract last", "--strict", "--fail-if S_Info<0.9", "--verbose"),
        *("--junit j.xml", "--format json", "--out other", "--quiet"),
    ],
    "mode-collapse": ["--options fox,owl,hen,elk", "--target target.csv", "--seed 1"],
    "diversity": [
        *("--cutoffs 3", "--alpha 0.2", "--definition ndeval", "--graded", "--unanswered drop"),
        *("--items items.csv --distance text", "--items items.csv", "--weights weights.csv"),
    ],
    "disagree": [
        *("--scale 0:2", "--level ordinal", "--gold anne", "--consensus-threshold 0.9"),
        *("--disagreement-threshold 0.1", "--outlier-threshold 1"),
    ],
    "entropy": ["--tokenizer chars", "--vectors overlap", "--window 20", "--by prompt"],
    "collective": ["--ties wrong", "--member low", "--clean wind"],
    "scores": [
        *("--lower-is-better Score", "--bounds 0:2", "--against small", "--where score<0.9"),
        *("--missing-values 0.595", "--column cluster=item", "--plots", "--no-workbooks"),
    ],
}
FILES = {
    "target.csv": "level,option,share\n0,fox,0.7\n0,owl,0.1\n0,hen,0.1\n0,elk,0.1\n",
    "items.csv": "item,text\nbark-16,a tall tree\nbark-14,a loud dog\nbark-01,a tall dog\n",
    "weights.csv": "query,subtopic,weight\nbark,tree,5\n",
    "data/subtopics/unanswered.csv": "query,subtopic,item,relevance\nelm,tree,a,1\nelm,fox,b,1\n",
    "data/baseline_mean/notes.md": "ignored",
}
# Options that need other tables: these words of the project's tests show what they do.
ELSEWHERE = {
    *("records", "header-row", "encoding", "accept", "baseline", "fail-if-worse", "dask"),
    *("timeout", "max-file-mb", "wait", "fusion", "split", "classes"),
}


def outcome_of(study: Study, *arguments: str) -> Any:
    """What a run prints and writes."""
    shutil.rmtree(study.folder / "results", ignore_errors=True)
    before = {*study.folder.rglob("*")}
    result = study.run(*arguments)
    files = [path for path in {*study.folder.rglob("*")} - before if path.is_file()]
    names = {path: path.relative_to(study.folder).as_posix() for path in files}
    written = {n: p.read_bytes() for p, n in names.items() if p.name != "manifest.json"}
    return result, written


@pytest.mark.parametrize("family", family_entries())
def test_every_option_does_something(study: Study, family: str) -> None:
    made = study.run("init", family).out.strip().splitlines()[-1].split()[1:]
    for name, content in FILES.items():
        study.text(name, content)
    made += ["--no-workbooks"] if family != "scores" else []  # they take most of the time
    plain = outcome_of(study, *made)
    without = [o for o in EFFECTS[family] if outcome_of(study, *made, *o.split()) == plain]
    assert (plain[0].code, without) == (0, [])
    assert outcome_of(study, *made, "--jobs", "1") == plain  # fast or slow, the same bytes


def test_repeated_units_can_be_taken_once(study: Study) -> None:
    study.csv("s.csv", "item,score", [["a", 1], ["a", 0], ["b", 1]])
    codes = [study.run("scores", "s.csv", "--repeats", how).code for how in ("error", "first")]
    assert (codes, study.results("results/scores")["Score"].tolist()) == ([2, 0], [1.0])


def test_every_option_is_among_these() -> None:
    tested = {word[2:] for options in EFFECTS.values() for word in " ".join(options).split()}
    options = {o.partition("=")[0] for o in " ".join([*OWN.values(), *COMMON.values()]).split()}
    # those of the two tests above, and memory, which only large tables need
    assert options - tested - ELSEWHERE == {"jobs", "repeats", "memory"}
    others = [path for path in Path(__file__).parents[1].rglob("*.*") if path != Path(__file__)]
    words = "".join(path.read_text("utf-8") for path in others if path.suffix in (".py", ".txt"))
    assert [name for name in sorted(ELSEWHERE) if f"--{name}" not in words] == []
