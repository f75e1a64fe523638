"""Which exit code has a command or tool whose streams, log, folder or environment fail it, and are reports whole?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from scoresheet.cli.run.pool import START_METHOD
from tests.helpers.files import digests
from tests.helpers.runs import COMMAND, SAID, Run, forked
from tests.helpers.studies import Place

DATA = Path(__file__).resolve().parents[2] / "data"
FULL, CLOSED, BROKEN, NOWHERE = "full", "closed", "broken", "/proc/scoresheet"  # where not even root can write

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="devices and folders of Linux"),
    pytest.mark.usefixtures("no_workbooks"),
]


def broken(descriptors: tuple[int, ...], how: str) -> None:
    """Let streams of this process be full, closed, or pipes that nobody reads."""
    for descriptor in descriptors:
        stream = None
        if how == CLOSED:
            os.close(descriptor)
        else:
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(os.open("/dev/full", os.O_WRONLY) if how == FULL else writer, descriptor)
            stream = open(descriptor, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
        setattr(sys, ("stdin", "stdout", "stderr")[descriptor], stream)


def gone(root: Path) -> None:
    """Let this process have a working folder that is there no more."""
    (root / "gone").mkdir(exist_ok=True)
    os.chdir(root / "gone")
    (root / "gone").rmdir()


def code(root: Path, *words: str, prepare: Callable[[], None]) -> int:
    """The exit code of a process that was prepared so; what it said is no traceback."""
    with forked(root, *words, prepare=prepare) as run:
        run.join(60)
        assert not run.is_alive(), "it hangs"
    assert "Traceback" not in (root / SAID[1]).read_text("utf-8")
    return run.exitcode or 0


@pytest.mark.parametrize(("how", "expected"), [(FULL, 74), (CLOSED, 0), (BROKEN, 0)])
@pytest.mark.parametrize("words", ["--version", "--version -v", "--help", "--help-all", "run -h", "sinfo --help-all"])
def test_what_is_asked_of_the_program_itself_is_printed_or_74(
    words: str, how: str, expected: int, tmp_path: Path
) -> None:
    assert code(tmp_path, *words.split(), prepare=partial(broken, (1,), how)) == expected


@pytest.mark.parametrize("how", [FULL, CLOSED, BROKEN])
@pytest.mark.parametrize("words", ["", "--nothing", "nothing", "sinfo --seed x", "compare", "verify nowhere"])
def test_a_usage_error_that_nobody_hears_is_2_all_the_same(words: str, how: str, tmp_path: Path) -> None:
    assert code(tmp_path, *words.split(), prepare=partial(broken, (1, 2), how)) == 2


def test_without_a_word_the_help_is_shown_as_an_error(run: Run) -> None:
    done = run()
    assert (done.code, done.out) == (2, "")
    assert "scoresheet COMMAND --help" in done.err


@pytest.fixture
def scored(place: Place) -> Place:
    place.references()
    place.model("m")
    place.model("n")
    assert place.score().code == 0
    return place


TOOLS = [
    "verify res",
    "compare res",
    "explain res --model m --row 2",
    "report res -o page.html",
    "check outs refs --for sinfo",
    "init sinfo new",
]


@pytest.mark.parametrize("words", ["sinfo outs refs -o again --json", *TOOLS])
def test_a_tool_says_by_its_code_that_its_answer_was_not_printed(words: str, scored: Place) -> None:
    assert code(scored.root, *words.split(), prepare=partial(broken, (1,), FULL)) == 74
    if words.startswith("init"):
        return  # what is there now is never replaced
    for how in (CLOSED, BROKEN):
        assert code(scored.root, *words.split(), prepare=partial(broken, (0, 1), how)) == 0


@pytest.mark.processes
@pytest.mark.parametrize("streams", [(0,), (2,), (0, 1, 2)], ids=str)
def test_workers_that_are_started_anew_do_without_streams_too(
    streams: tuple[int, ...], scored: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(START_METHOD, "spawn")
    prepare = partial(broken, streams, CLOSED)
    assert code(scored.root, "sinfo", "outs", "refs", "-o", "again", "-j", "1", prepare=prepare) == 0
    assert digests(scored.root / "again").keys() == digests(scored.res).keys()


@pytest.mark.parametrize("words", ["sinfo", "entropy outs", *TOOLS, "run"])
def test_in_a_folder_that_is_gone_nothing_is_begun(words: str, tmp_path: Path) -> None:
    assert code(tmp_path, *words.split(), prepare=partial(gone, tmp_path)) == 2
    assert "the working folder is gone" in (tmp_path / SAID[1]).read_text("utf-8")


@pytest.mark.parametrize("words", ["--version", "--help", "verify --help"])
def test_help_needs_no_folder(words: str, tmp_path: Path) -> None:
    assert code(tmp_path, *words.split(), prepare=partial(gone, tmp_path)) == 0


WRITERS = [
    *("sinfo", "mode-collapse", "diversity", "disagree", "entropy", "collective"),
    "compare {res} -o {to}",
    "report {res} -o {to}/page.html",
    "init sinfo {to}",
    "run {data}/scoresheet.toml --only texts -o {to}",
]


@pytest.mark.parametrize("words", WRITERS)
def test_where_nothing_can_be_written_it_is_5_and_nobody_is_sent_there(words: str, scored: Place) -> None:
    (scored.root / "data").symlink_to(DATA)
    whole = words if "{to}" in words else f"{words} -o {{to}}"
    done = scored.run(*whole.format(res="res", to=NOWHERE, data=DATA).split())
    assert done.code == 5
    assert f"are in {NOWHERE}" not in done.err
    assert "Traceback" not in done.err


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root writes into read-only folders")
def test_reports_in_a_read_only_folder_stay_as_they_are(scored: Place) -> None:
    before = digests(scored.res)
    scored.res.chmod(0o555)
    try:
        assert scored.score("--fresh").code == 5
        assert scored.run("verify", "res").code == 0
    finally:
        scored.res.chmod(0o755)
    assert digests(scored.res) == before


def test_a_log_whose_folder_vanishes_in_mid_run_changes_nothing(scored: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoresheet.cli.terminal import messages

    (scored.root / "logs").mkdir()

    def vanishing(*_: object) -> None:
        (scored.root / "logs/x.log").unlink()
        (scored.root / "logs").rmdir()

    monkeypatch.setattr(messages, "log_scores", vanishing)
    done = scored.score("--fresh", "--log-file", "logs/x.log", res="again")
    assert done.code == 0
    assert done.err.count("--log-file logs/x.log: cannot be written") == 1
    assert digests(scored.root / "again") == digests(scored.res)


@pytest.mark.processes
def test_all_six_commands_do_without_an_environment(tmp_path: Path) -> None:
    words = [*COMMAND, "run", f"{DATA}/scoresheet.toml", "-o", "out", "--log-file", "x.log"]
    bare = {"LC_ALL": "C", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done = subprocess.run(words, env=bare, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    manifests = [path.parent.name for path in (tmp_path / "out").glob("*/manifest.json")]
    assert len(manifests) == 6
    assert (tmp_path / "out/summary.md").exists()
