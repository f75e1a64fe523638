"""Which options does a file of settings give a single command, and what is said of a file that cannot be obeyed?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import write_bytes
from tests.helpers.runs import Result, Run

SCORE = ("sinfo", "outs", "refs", "-o", "res", "-q")


def settings(folder: Path, text: str, name: str = "scoresheet.toml") -> Path:
    return write_bytes(folder / name, text.encode())


def manifest(folder: Path, results: str = "res") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / results / "manifest.json").read_text(encoding="utf-8"))
    return found


def error(done: Result) -> str:
    assert done.code == 2, done
    assert "Traceback" not in done.err
    return done.err


def test_a_file_gives_a_command_its_defaults_and_the_manifest_says_so(run: Run, folder: Path) -> None:
    settings(folder, '[command.sinfo]\nmissing = "zero"\nskip-sheet = ["draft*"]\nmin-coverage = 0\n')
    assert run(*SCORE).code == 0
    record = manifest(folder)
    assert "missing:zero" in record["signature"]
    assert "skip-sheet:draft*" in record["signature"]
    assert record["configuration"] == {
        "file": "scoresheet.toml",
        "options": {"missing": "zero", "skip-sheet": ["draft*"], "min-coverage": 0.0},
    }


def test_no_file_no_word_of_one(run: Run, folder: Path) -> None:
    assert run(*SCORE).code == 0
    assert manifest(folder)["configuration"] is None


def test_the_command_line_wins_over_a_variable_and_a_variable_over_the_file(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(folder, "[command.sinfo]\nseed = 3\n")
    assert run(*SCORE).code == 0
    assert "seed:3" in manifest(folder)["signature"]
    monkeypatch.setenv("SCORESHEET_SEED", "5")
    assert run(*SCORE).code == 0
    assert "seed:5" in manifest(folder)["signature"]
    assert manifest(folder)["configuration"] is None
    assert run(*SCORE, "--seed", "7").code == 0
    assert "seed:7" in manifest(folder)["signature"]


def test_what_the_file_gave_is_said_to_those_who_ask(run: Run, folder: Path) -> None:
    settings(folder, "[command.sinfo]\nseed = 3\nfill-down = true\n")
    assert "scoresheet.toml says: seed = 3; fill-down = True" in run("sinfo", "outs", "refs", "-o", "res", "-v").err
    assert "scoresheet.toml" not in run("sinfo", "outs", "refs", "-o", "res").err


def test_a_project_file_serves_where_there_is_no_file_of_ours(run: Run, folder: Path) -> None:
    settings(folder, '[project]\nname = "study"\n[tool.scoresheet.sinfo]\nseed = 3\n', "pyproject.toml")
    assert run(*SCORE).code == 0
    assert manifest(folder)["configuration"] == {"file": "pyproject.toml", "options": {"seed": 3}}
    settings(folder, "[command.sinfo]\nci = 0.9\n")
    assert run(*SCORE).code == 0
    assert manifest(folder)["configuration"] == {"file": "scoresheet.toml", "options": {"ci": 0.9}}


def test_a_project_file_that_says_nothing_to_us_may_say_it_anyhow(run: Run, folder: Path) -> None:
    settings(folder, "this is = = no TOML\n", "pyproject.toml")
    assert run(*SCORE).code == 0
    settings(folder, "[tool.scoresheet.sinfo]\nthis is = = no TOML\n", "pyproject.toml")
    assert "pyproject.toml, line 2" in error(run(*SCORE))


def test_inputs_of_the_file_are_taken_together_or_not_at_all(run: Run, folder: Path) -> None:
    settings(folder, '[command.sinfo]\noutputs = "outs"\nreferences = "refs"\nout = "reports"\n')
    assert run("sinfo", "-q").code == 0
    assert [entry["file"] for entry in manifest(folder, "reports")["references"]] == ["r.csv"]
    done = run("sinfo", "outs", "-q", "-o", "alone")  # outputs of the command line, so no references of the file
    assert done.code == 4
    assert not (folder / "alone").exists()


def test_help_does_not_depend_on_the_file(run: Run, folder: Path) -> None:
    settings(folder, "= nonsense")
    assert run("sinfo", "--help").code == 0


WRONG = {
    "[command.sinfo]\n\ntokeniser = 'auto'\n": (
        "line 3: tokeniser: scoresheet sinfo has no such option",
        "'tokenizer'",
    ),
    "[command.sinfo]\nmin_coverage = 0.5\n": ("line 2: min_coverage", "'min-coverage'"),
    "[command.sinfo]\ncutoffs = '5'\n": ("line 2: cutoffs: scoresheet sinfo has no such option (diversity has one)",),
    "[command.sinfo]\nno-progress = true\n": ("line 2: no-progress", "progress = false"),
    "command.sinfo.sede = 1\n": ("line 1: sede", "'seed'"),
    "[command.'sinfo']\n'se de' = 1\n": ("line 2: se de", "'seed'"),
    "[command.sinf]\nseed = 1\n": ("line 1: sinf: there is no such command", "'sinfo'"),
    "[commands.sinfo]\nseed = 1\n": ("line 1: commands: there is no such table", "'command'"),
    "command = 1\n": ("line 1: command is a table: write [command.NAME]",),
    "[command]\nsinfo = 1\n": ("line 2: sinfo is a table: write [command.sinfo]",),
    "[command.sinfo]\nseed = 'one'\n": ("line 2: seed cannot be 'one'; it is a whole number",),
    "[command.sinfo]\nseed = 1.5\n": ("line 2: seed cannot be 1.5; it is a whole number",),
    "[command.sinfo]\nseed = true\n": ("line 2: seed cannot be true; it is a whole number",),
    "[command.sinfo]\nseed = -1\n": ("line 2: seed cannot be -1; the least is 0",),
    "[command.sinfo]\nstrict = 'yes'\n": ("line 2: strict cannot be 'yes'; it is true or false",),
    "[command.sinfo]\nstrict = 1\n": ("line 2: strict cannot be 1; it is true or false",),
    "[command.sinfo]\nencoding = 1\n": ("line 2: encoding cannot be 1; it is a text: write it in quotes",),
    "[command.sinfo]\nci = nan\n": ("line 2: ci cannot be nan",),
    "[command.sinfo]\ncolumn = [['a']]\n": ("line 2: column cannot be [['a']]; it is a text, or a list of texts",),
    "[command.sinfo]\ncolumn = [\n 'a=b',\n true]\n": ("line 2: column",),
    "[command.sinfo]\ntokenizer = 'letters'\n": ("line 2: tokenizer cannot be 'letters'", "whitespace"),
    "[command.sinfo]\noutputs = 3\n": ("line 2: outputs cannot be 3; it is a path, in quotes",),
    "[command.sinfo]\nseed = 1\nci = 0.9\nseed = 2\n": ("line 4: this is no TOML",),
    "[command.sinfo]\nseed = 1\n\n[command.sinfo]\nci = 0.9\n": ("line 4: this is no TOML",),
    "[command.sinfo]\nseed =\n": ("line 2: this is no TOML",),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_cannot_be_obeyed_is_answered_with_the_line(text: str, run: Run, folder: Path) -> None:
    settings(folder, text)
    said = error(run(*SCORE))
    assert said.startswith("Error: scoresheet.toml, line ")
    for words in WRONG[text]:
        assert words in said
    assert not (folder / "res").exists()


def test_all_errors_are_said_at_once_in_the_order_of_the_file(run: Run, folder: Path) -> None:
    settings(folder, "[command.sinfo]\nsede = 1\nci = 2\n[comand]\n")
    places = [line.removeprefix("Error: ").partition(":")[0] for line in error(run(*SCORE)).splitlines()]
    assert places == [f"scoresheet.toml, line {number}" for number in (2, 3, 4)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[command.sinfo]\n# caf\xe9\n", "line 2: not UTF-8"),
        (b"a = " + b"[" * 5_000, "this is no TOML"),
    ],
)
def test_bytes_that_are_no_text_are_no_reason_for_a_traceback(
    content: bytes, words: str, run: Run, folder: Path
) -> None:
    write_bytes(folder / "scoresheet.toml", content)
    assert words in error(run(*SCORE))


def test_an_editor_of_windows_may_have_written_it(run: Run, folder: Path) -> None:
    write_bytes(folder / "scoresheet.toml", b"\xef\xbb\xbf[command.sinfo]\r\nseed = 3\r\nsede = 4\r\n")
    assert "line 3: sede" in error(run(*SCORE))


def test_a_folder_in_the_place_of_the_file_is_said(run: Run, folder: Path) -> None:
    (folder / "scoresheet.toml").mkdir()
    assert "scoresheet.toml: cannot be read" in error(run(*SCORE))


def test_options_that_a_command_joins_can_be_a_list_or_a_text(run: Run, folder: Path) -> None:
    rows = [f"i{item},{judge},{score}" for item in range(6) for judge, score in (("a", item % 5 + 1), ("b", 3))]
    write_bytes(folder / "panel/p.csv", "\n".join(["item,judge,score", *rows]).encode())
    for text in ('scale = ["1:5", "b=0:10"]', 'scale = "1:5,b=0:10"'):
        settings(folder, f"[command.disagree]\n{text}\n")
        assert run("disagree", "panel", "-o", "res", "-q").code == 0
        assert "scale:1:5,b=0:10" in manifest(folder)["signature"]


@pytest.mark.usefixtures("folder")
def test_a_variable_that_sets_nothing_is_noted_with_the_nearest(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORESHEET_TOKENISER", "words")
    monkeypatch.setenv("SCORESHEET_COLUMN", "a=b")
    monkeypatch.setenv("SCORESHEET_SCALE", "1:5")  # another command's
    monkeypatch.setenv("SCORESHEET_SEED", "1")
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 0
    notes = [line for line in done.err.splitlines() if "the variable" in line]
    assert [note.split(" sets nothing: ")[0] for note in notes] == [
        "note: the variable SCORESHEET_COLUMN",
        "note: the variable SCORESHEET_TOKENISER",
    ]
    assert "did you mean 'tokenizer'?" in notes[1]
    assert "may be repeated" in notes[0]
