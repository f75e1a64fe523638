"""The command line teaches: every command and option has help, near misses are suggested, and help is quick."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys

import pytest
import typer

from scoresheet.cli.command_line import build
from scoresheet.cli.commands import Command, all_commands
from scoresheet.cli.exits import Exit
from scoresheet.cli.help import SCREEN
from scoresheet.cli.settings import Settings
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.options import own_first
from tests.helpers.runs import Run

COMMANDS = all_commands()


HELPS = [
    ["--version"],
    ["--help"],
    ["run", "--help"],
    ["sinfo", "--help-all"],
    *([each.name, "--help"] for each in COMMANDS),
]
HEAVY = {"pandas", "numpy", "openpyxl", "xlsxwriter", "python_calamine", "rouge", "filelock", "rapidfuzz"}


@pytest.fixture(scope="module")
def loaded() -> list[list[object]]:
    """The exit code of each call and the heavy modules that are loaded after it, in a process of their own."""
    code = (
        "import sys; from scoresheet.cli.app import main; "
        f"ended = [[main(words), sorted({HEAVY} & set(sys.modules))] for words in {HELPS}]; "
        "import json; sys.stderr.write(json.dumps(ended))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ended: list[list[object]] = json.loads(done.stderr)
    return ended


@pytest.mark.parametrize("number", range(len(HELPS)), ids=[" ".join(words) for words in HELPS])
def test_help_does_not_import_what_only_a_run_needs(loaded: list[list[object]], number: int) -> None:
    assert loaded[number] == [0, []]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_all_of_help_names_every_option_and_shows_an_example(
    command: Command, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run(command.name, "--help-all").out
    for field in (*dataclasses.fields(Settings), *dataclasses.fields(command.options)):
        assert f"--{field.name.replace('_', '-')}" in shown
        assert spelled_for_shell(field.metadata["about"])[:40] in shown
    assert f"Example: scoresheet {command.name}" in shown


@pytest.mark.parametrize("name", ["", *typer.main.get_command(build()).commands])  # type: ignore[attr-defined]
def test_help_fits_a_screen(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    columns, lines = SCREEN
    monkeypatch.setenv("COLUMNS", str(columns))
    done = run(*filter(None, [name]), "--help")
    shown = done.out.rstrip("\n").split("\n")
    assert done.code == 0
    assert len(shown) <= lines
    assert max(map(len, shown)) <= columns


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_the_common_options_the_familys_own_first_and_where_the_others_are(
    command: Command, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(command.name, "--help").out
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", shown.partition("Example:")[0], re.MULTILINE)
    fields = (*own_first(command.options), *dataclasses.fields(Settings))
    common = {field.name.replace("_", "-") for field in fields if field.metadata["common"]}
    own = {field.name.replace("_", "-") for field in dataclasses.fields(command.options)}
    assert set(listed) == common | {"help", "help-all"}
    assert [name in own for name in listed] == sorted((name in own for name in listed), reverse=True)
    assert f"{len(fields) - len(common)} more options: scoresheet {command.name} --help-all" in shown
    assert f"Example: scoresheet {command.name}" in shown


def test_all_of_help_says_what_each_exit_code_means(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run("--help-all").out
    for code in Exit:
        assert code.about in shown
    short = run("--help").out
    assert all(f"{int(code)} {code.name.lower()}" in " ".join(short.split()) for code in Exit)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("scoresheet sin", ["sinfo"]),
        ("scoresheet entropy --tokenizer ", ["auto", "whitespace", "chars", "words", "bpe"]),
        ("scoresheet sinfo --help", ["--help", "--help-all"]),
    ],
)
def test_the_shell_completes_commands_options_and_values(
    words: str, offered: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SCORESHEET_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    assert run().out.split() == offered


def test_the_list_of_commands_names_them_all(run: Run) -> None:
    shown = run("--help").out
    for command in COMMANDS:
        assert command.name in shown


def test_a_misspelt_command_is_answered_with_the_nearest(run: Run) -> None:
    done = run("sinf")
    assert done.code == 2
    assert "sinfo" in done.err


def test_a_misspelt_option_is_answered_with_the_nearest(run: Run) -> None:
    done = run("sinfo", "--tokeniser", "auto")
    assert done.code == 2
    assert "--tokenizer" in done.err


def test_an_unknown_value_is_answered_with_the_valid_ones(run: Run) -> None:
    done = run("sinfo", "--tokenizer", "letters")
    assert done.code == 2
    assert "auto, whitespace, chars, words" in done.err


@pytest.mark.parametrize(
    ("option", "value"), [("--limit", "-1"), ("--audit", "-5"), ("--jobs", "-2"), ("--seed", "-1")]
)
def test_a_number_below_its_least_is_a_usage_error(option: str, value: str, run: Run) -> None:
    done = run("sinfo", option, value)
    assert done.code == 2
    assert option.lstrip("-") in done.err


def test_an_unknown_encoding_is_a_usage_error(run: Run) -> None:
    done = run("sinfo", "--encoding", "utf-9")
    assert done.code == 2
    assert "utf-9" in done.err


def test_a_variable_sets_an_option_and_the_command_line_wins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORESHEET_TOKENIZER", "letters")
    assert run("sinfo").code == 2
    assert "letters" not in run("sinfo", "--tokenizer", "auto").err


@pytest.mark.parametrize("code", Exit)
def test_an_option_in_the_words_of_an_exit_code_is_every_commands_or_names_its_commands(code: Exit) -> None:
    options = {
        command.name: {field.name for each in (Settings, command.options) for field in dataclasses.fields(each)}
        for command in COMMANDS
    }
    for option in re.findall(r"--([a-z-]+)", code.about):
        owners = [name for name, known in options.items() if option.replace("-", "_") in known]
        assert owners
        assert len(owners) == len(COMMANDS) or all(name in code.about for name in owners)
