"""Can a name, a header, a cell, an option or a manifest steer the terminal, hide, or begin a line of its own?"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scoresheet.cli.write.cell_text import UNSEEN
from tests.helpers.files import write_csv
from tests.helpers.runs import Result, Run

# colours, a title, bell, carriage return, backspace, delete, the one-byte form of ESC [, and what turns text around
EVIL = "e\x1b[31m\x1b]0http:x\x07\r\x08\x7f\x9b2J\u202e\u2066\u200b\ufeff\u2028\u2029\x85\x0b\x0c\x1c"
FORGED = f"{EVIL}\nFORGED 2026-01-01T00:00:00+00:00 [1] exit code 0"
HEADER = EVIL.replace("\r", "")  # which no quotes stand around
MORE = f"{HEADER} more"  # a column that nobody wants
NAME = f"{FORGED} m"  # of a model, a sheet, a folder: all that a file system takes

Row = tuple[str, ...]

STUDIES: dict[str, tuple[Row, list[Row]]] = {
    "sinfo": (("Idiom", "Prediction"), [(FORGED, "one two"), ("b", "four five"), (f"{EVIL} odd", "no reference")]),
    "mode-collapse": (("level", "choice"), [("0", FORGED), ("0", "b"), ("0", "b"), ("x", EVIL)]),
    "diversity": (
        ("query", "item", "rank"),
        [(FORGED, EVIL, "1"), (FORGED, "b", "2"), ("q", "c", "1"), ("r", "c", EVIL)],
    ),
    "disagree": (("item", HEADER, "second"), [(FORGED, "0.1", "0.9"), ("b", "0.5", "0.4"), ("c", "0.2", "0.1")]),
    "entropy": (("id", "text"), [(FORGED, f"{FORGED} and some more words"), ("b", "words and words"), ("c", EVIL)]),
    "collective": (
        ("sample", "label", HEADER, "near"),
        [(FORGED, "1", "1", "0"), ("b", "0", "0", "0"), ("c", "1", "1", "1")],
    ),
}
REFERENCES: dict[str, tuple[Row, list[Row]]] = {
    "sinfo": (("idiom", "explanation"), [(FORGED, "one two three"), ("b", f"four {EVIL}")]),
    "diversity": (("query", "subtopic", "item", "relevance"), [(FORGED, EVIL, EVIL, "1"), ("q", "s", "c", "1")]),
}
WIDE = ("disagree", "collective")  # here every column counts

pytestmark = pytest.mark.usefixtures("no_workbooks")


def commanding(text: str) -> list[str]:
    """What in a text would be obeyed by a terminal, or not be seen on it; lines and tabs are text."""
    signs = [sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") and sign not in "\n\t"]
    return [f"U+{ord(sign):04X}" for sign in [*signs, *UNSEEN.findall(text)]]


def assert_harmless(done: Result, *files: Path) -> None:
    """Nothing that was printed or written for a screen commands it, and no line is forged."""
    texts = {"stdout": done.out, "stderr": done.err} | {path.name: path.read_bytes().decode() for path in files}
    for where, text in texts.items():
        assert commanding(text) == [], where
        assert [line for line in text.splitlines() if line.startswith("FORGED")] == [], where
    assert "Traceback" not in done.err


def study(root: Path, command: str) -> list[str]:
    """A folder of outputs, with references where there are any, in which everything has a hostile name; its words."""
    header, rows = STUDIES[command]
    outs = root / f"{NAME} outs"
    further = {MORE: EVIL} if command not in WIDE else {}
    further |= {"Sheet": NAME} if command != "collective" else {}
    table = [(*header, *further), *((*row, *further.values()) for row in rows)]
    for model in (NAME, f"{NAME} 2"):
        write_csv(outs / f"{model}.csv", table)
    write_csv(outs / f"{EVIL} bad.csv", [(HEADER, MORE), ("1", "2")])
    (outs / f"{EVIL} worse.xlsx").write_bytes(EVIL.encode())
    (outs / f"{EVIL}.txt.{EVIL}").write_bytes(b"")
    if command not in REFERENCES:
        return [command, str(outs)]
    top, lines = REFERENCES[command]
    write_csv(root / "refs" / f"{EVIL}.csv", [(*top, MORE), *((*line, EVIL) for line in lines)])
    return [command, str(outs), str(root / "refs")]


@pytest.fixture(params=sorted(STUDIES))
def scored(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> tuple[list[str], Path]:
    words, out = study(tmp_path, request.param), tmp_path / f"{NAME} res"
    assert run(*words, "-o", out, "-q").code == 3
    return words, out


def test_nothing_that_a_command_prints_can_steer_a_terminal(
    scored: tuple[list[str], Path], run: Run, tmp_path: Path
) -> None:
    words, out = scored
    log, junit = tmp_path / "x.log", tmp_path / "j.xml"
    gates = ("--min-coverage", "1", "--log-file", log, "--junit", junit)
    assert_harmless(run(*words, "-o", out, "-v", *gates), log, junit)
    assert len(ElementTree.parse(junit).findall(".//testcase")) > 3
    for style in ("markdown", "latex"):
        assert_harmless(run(*words, "-o", out, "--format", style, "-q"))
    done = run(*words, "-o", out, "--json", "-q")
    assert_harmless(done)
    assert len(json.loads(done.out)["models"]) > 1
    assert commanding(run(*words, "-o", out, "--format", "csv", "-q").out) == []
    assert_harmless(run("check", *words[1:], "--for", words[0], "-v"))


def test_nothing_that_a_tool_prints_can_steer_a_terminal(
    scored: tuple[list[str], Path], run: Run, tmp_path: Path
) -> None:
    _, out = scored
    for options in ((), ("--json",), ("--format", "markdown")):
        assert_harmless(run("compare", out, *options))
    for options in ((), ("--json",)):
        assert_harmless(run("verify", out, *options))
        assert_harmless(run("explain", out, "--model", NAME, "--unit", EVIL, *options))
        assert_harmless(run("explain", out, "--model", EVIL, "--row", "2", *options))
        assert_harmless(run("explain", out, "--model", NAME, "--row", "2", *options))
    assert_harmless(run("report", out, "-o", tmp_path / f"{NAME}.html"))


def test_jobs_with_hostile_names_are_summed_up_harmlessly(run: Run, tmp_path: Path) -> None:
    words = study(tmp_path, "sinfo")
    job = {"command": "sinfo", "outputs": words[1], "references": words[2]}
    lines = [f"[job.{json.dumps(FORGED)}]", *(f"{key} = {json.dumps(value)}" for key, value in job.items())]
    file = tmp_path / f"{NAME}.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    for options in ((), ("--json",), ("--format", "markdown")):
        out = tmp_path / "out"
        done = run("run", file, "-o", out, "--log-file", tmp_path / "x.log", *options)
        assert_harmless(done, tmp_path / "x.log", out / "summary.md", out / "summary.json")
    file.write_text("\n".join([*lines, f"{json.dumps(EVIL)} = 1", f"{json.dumps(FORGED)} = 1"]), encoding="utf-8")
    done = run("run", file)
    assert done.code == 2
    assert len(done.err.splitlines()) >= 2  # each error still has a line of its own
    assert_harmless(done)


@pytest.mark.parametrize(
    "words",
    [
        (f"--{FORGED}",),
        (FORGED,),
        ("sinfo", "--seed", FORGED),
        ("sinfo", "--aggregate", FORGED),
        ("sinfo", FORGED, FORGED),
        ("sinfo", "outs", "refs", "--column", FORGED),
        ("sinfo", "outs", "refs", "--fail-if", FORGED),
        ("sinfo", "outs", "refs", "--junit", f"{FORGED}/x"),
        ("sinfo", "--config", FORGED),
        ("compare", FORGED),
        ("verify", FORGED),
        ("report", FORGED),
        ("explain", FORGED),
        ("explain", "sinfo", "--prediction", "a", "--reference", "b", "--set", FORGED),
        ("check", "outs", "--for", FORGED),
        ("init", FORGED),
        ("run", FORGED),
    ],
    ids=lambda words: " ".join(word if word.isprintable() else "EVIL" for word in words),
)
def test_a_refused_command_line_is_shown_harmlessly(words: tuple[str, ...], run: Run) -> None:
    done = run(*words)
    assert done.code == 2
    assert done.err
    assert_harmless(done)


def test_tables_to_be_filled_in_may_be_anywhere(run: Run, tmp_path: Path) -> None:
    done = run("init", "entropy", tmp_path / NAME)
    assert done.code == 0
    assert_harmless(done)


def test_a_manifest_cannot_say_what_a_terminal_obeys(run: Run, tmp_path: Path) -> None:
    words, out = study(tmp_path, "entropy"), tmp_path / "res"
    assert run(*words, "-o", out, "-q").code == 3
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    evil = json.loads(json.dumps(manifest).replace("entropy|", json.dumps(FORGED)[1:-1]))
    evil |= {"version": FORGED, "left": [{"file": FORGED, "sha256": EVIL}]}
    evil["outputs"].append({"file": FORGED, "sha256": EVIL})
    evil["inputs"].append({"file": FORGED, "sha256": EVIL})
    (out / "manifest.json").write_text(json.dumps(evil), encoding="utf-8")
    for command in (("verify",), ("compare",), ("explain", "--model", NAME, "--row", "2"), ("report",)):
        assert_harmless(run(command[0], out, *command[1:]))
    assert_harmless(run(*words, "-o", out, "-v", "--prune"))
