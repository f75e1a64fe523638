"""A week of nights from cron and make: exit code, first line, JUnit, summary and page agree."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from filelock import FileLock

from tests.cli.conftest import Study

SCORESHEET = str(Path(sys.executable).with_name("scoresheet"))
ITEMS = [f"q{n:02}" for n in range(30)]
GOOD = [0.9 - n % 7 / 20 for n in range(30)]
DROPPED = [score - 0.1 - n % 5 / 100 for n, score in enumerate(GOOD)]
SLOW = "a b c. b d a. " * 10_000
JOBS = """
[defaults]
no-workbooks = true
wait = 0.2

[job.recs]
command = "scores"
outputs = "recs"
bounds = "0:1"
baseline = "base/recs"
fail-if = ["Score.high<0.5", "Change.high<-0.05"]
fail-if-worse = true

[job.votes]
command = "scores"
outputs = "votes"
"""


@pytest.fixture
def week(study: Study) -> Study:
    """Two jobs, the first with gates and a baseline that was moved to the first night."""
    study.text("scoresheet.toml", JOBS)
    write(study, "recs", v1=GOOD, v2=GOOD)
    write(study, "votes", kim=GOOD)
    assert study.run("run", "--update-baseline").code == 0
    return study


def write(study: Study, folder: str, **models: list[float]) -> None:
    for old in (study.folder / folder).glob("*"):
        old.unlink()
    for name, values in models.items():
        study.csv(f"{folder}/{name}.csv", "item,score", list(zip(ITEMS, values, strict=False)))


def references_missing(study: Study) -> None:
    (study.folder / "recs").rename(study.folder / "gone")


def model_missing(study: Study) -> None:
    write(study, "recs", v1=GOOD)


def half_written(study: Study) -> None:
    write(study, "recs", v1=GOOD, v2=GOOD[:15])


def torn(study: Study) -> None:
    path = study.folder / "recs/v2.csv"
    path.write_bytes(path.read_bytes()[:60] + b'"')


def drop(study: Study) -> None:
    write(study, "recs", v1=GOOD, v2=DROPPED)


def slight(study: Study) -> None:
    write(study, "recs", v1=GOOD, v2=[*GOOD[:28], 0.5, 0.5])


def renamed(study: Study) -> None:
    write(study, "recs", v1=GOOD, **{"v2-new": GOOD})
    toml = study.folder / "scoresheet.toml"
    toml.write_text(toml.read_text().replace('"Score.high<0.5"', '"v2:Score<0.5"'))


def typo(study: Study) -> None:
    toml = study.folder / "scoresheet.toml"
    toml.write_text(toml.read_text().replace("Score.high<0.5", "Scroe.high<0.5"))


def wrong_key(study: Study) -> None:
    toml = study.folder / "scoresheet.toml"
    toml.write_text(toml.read_text().replace("bounds =", "bonds ="))


def wrong_command(study: Study) -> None:
    study.text("scoresheet.toml", 'command = "score"'.join(JOBS.rsplit('command = "scores"', 1)))


def broken_toml(study: Study) -> None:
    study.text("scoresheet.toml", "[job")


def nothing_readable(study: Study) -> None:
    for path in (study.folder / "votes").iterdir():
        path.write_bytes(b"\xff\xfe\x00")


# What happens, the exit code, the first line of stderr, and the states of the two jobs.
NIGHTS: list[tuple[Callable[[Study], None], int, str, str]] = [
    (lambda _: None, 0, "", "ok ok"),
    (slight, 0, "", "ok ok"),
    (references_missing, 2, "recs: there is no file or folder recs", "failed ok"),
    (model_missing, 10, "fail-if-worse: v2 (missing, the baseline has its re", "gate failed ok"),
    (
        half_written,
        10,
        "v2 0.5 (50.0% of the units that the baseline has are lost)",
        "gate failed ok",
    ),
    (
        torn,
        10,
        "recs: scored and written, a gate failed: Score.high<0.5: v2 (undef",
        "gate failed ok",
    ),
    (drop, 10, "Change.high<-0.05: v2 -0.1", "gate failed ok"),
    (renamed, 10, "Score<0.5: v2 (no such model, only v1, v2-new)", "gate failed ok"),
    (typo, 2, "recs: --fail-if Scroe.high<0.5: Scroe is not a column", "failed ok"),
    (wrong_key, 2, "recs: scoresheet.toml line 9: bonds is not a known key", "failed ok"),
    (wrong_command, 2, "votes: score is not a command that scores", "ok failed"),
    (broken_toml, 2, "scoresheet.toml: ", "failed"),
    (nothing_readable, 4, "votes: nothing could be scored", "ok failed"),
]


def told(study: Study) -> tuple[list[str], list[str], set[str]]:
    """Return the states of the jobs in the summary and on the page, and what JUnit says of them."""
    summary = (study.folder / "results/summary.md").read_text(encoding="utf-8")
    table = summary.split("| Job | State | Gate |")[0]
    states = [row[1] for row in re.findall(r"^\| (\S+) \| ([a-z ]+) \|", table, re.MULTILINE)]
    page = (study.folder / "results/report.html").read_text(encoding="utf-8")
    on_page = re.findall(r'"state":\s*"([a-z ]+)"', page)
    tags: dict[str, set[str]] = {}
    for suite in ElementTree.parse(study.folder / "results/junit.xml").getroot():
        tags[suite.attrib["name"]] = {element[0].tag for element in suite if len(element)}
    words = {"failure": "gate failed", "error": "failed"}
    junit = {words[tag] for found in tags.values() for tag in found - {"skipped"}}
    return states, on_page, junit


@pytest.mark.parametrize(("change", "code", "first", "states"), NIGHTS)
def test_every_report_of_a_night_says_the_same(
    week: Study, change: Callable[[Study], None], code: int, first: str, states: str
) -> None:
    change(week)
    night = week.run("run", "-q")
    assert night.code == code
    lines = night.err.splitlines()
    assert (first in lines[0]) if first else not lines
    in_summary, on_page, junit = told(week)
    assert " ".join(in_summary) == states
    assert [state for state in on_page if state in in_summary][: len(in_summary)] == in_summary
    assert junit == {state for state in in_summary if state != "ok"}
    text = (week.folder / "results/summary.md").read_text(encoding="utf-8")
    assert f"exit {code}: " in text


def test_bad_nights_stay_bad_until_the_data_is_good_again(week: Study) -> None:
    drop(week)
    assert [week.run("run", "-q").code for _ in range(2)] == [10, 10]
    write(week, "recs", v1=GOOD, v2=GOOD)
    assert week.run("run", "-q").code == 0
    drop(week)
    assert week.run("run", "-q", "--update-baseline").code == 0
    assert week.run("run", "-q").code == 0


def test_the_same_night_twice_writes_the_same_bytes(week: Study) -> None:
    def reports() -> dict[str, bytes]:
        paths = (week.folder / "results").rglob("*")
        return {p.name: p.read_bytes() for p in paths if p.is_file() and p.name != "manifest.json"}

    week.run("run")
    first = reports()
    week.run("run")
    assert reports() == first


def test_a_job_whose_folder_another_run_holds_is_75(week: Study) -> None:
    with FileLock(week.folder / "results/votes/.scoresheet.lock"):
        night = week.run("run", "-q")
    assert (night.code, "votes: " in night.err.splitlines()[0]) == (75, True)
    assert told(week)[0] == ["ok", "failed"]


def test_a_hint_is_the_whole_command_of_the_job(week: Study) -> None:
    week.csv("votes/kim.csv", "item,points", [("a", 1), ("b", 2)])
    assert "scoresheet scores votes --column score=points" in week.run("run", "-v").text


def test_one_job_can_run_alone(week: Study) -> None:
    assert week.run("run", "--only", "votes").out.startswith("votes: ok. ")
    assert told(week)[0] == ["ok"]
    for typed, says in (("--only=vote", "jobs are recs, votes"), ("no/a.toml", "is no a.toml")):
        wrong = week.run("run", typed)
        assert (wrong.code, says in wrong.err) == (2, True)


def test_the_summary_of_another_tool_is_not_replaced(week: Study) -> None:
    week.text("results/summary.md", "# my notes\n")
    night = week.run("run", "-q")
    assert (night.code, "summary.md is not a file that" in night.err) == (2, True)
    assert (week.folder / "results/summary.md").read_text() == "# my notes\n"


@pytest.mark.skipif(sys.platform != "linux", reason="sends signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_night_says_which_jobs_were_not_reached(
    week: Study, number: int, code: int
) -> None:
    week.csv("texts/x.csv", "idiom,prediction", [["a", SLOW + "a"]])
    week.csv("refs/x.csv", "idiom,explanation", [["a", SLOW]])
    more = '[job.slow]\ncommand = "sinfo"\noutputs = "texts"\nreferences = "refs"\n'
    week.text("scoresheet.toml", JOBS.replace("[job.votes]", f"{more}[job.votes]"))
    process = subprocess.Popen([SCORESHEET, "run", "-q"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not list((week.folder / "results/slow").glob(".scoresheet-staging-*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert err.startswith("slow: Interrupted: SIG")
    assert told(week)[0] == ["ok", "interrupted", "not reached"]


MAKEFILE = """
.DELETE_ON_ERROR:
results/recs/manifest.json: $(wildcard recs/*)
\t{scoresheet} scores recs --bounds 0:1 -o results/recs -q --baseline base/recs --fail-if-worse
"""


@pytest.mark.skipif(sys.platform == "win32", reason="make")
def test_make_deletes_the_manifest_of_a_failed_gate_and_is_green_again(week: Study) -> None:
    week.text("Makefile", MAKEFILE.format(scoresheet=SCORESHEET))
    manifest = week.folder / "results/recs/manifest.json"
    manifest.unlink()
    codes: list[int] = []
    for scores in (GOOD, DROPPED, DROPPED, GOOD):
        write(week, "recs", v1=GOOD, v2=scores)
        stamp = time.time() + 10 * len(codes)
        for path in (week.folder / "recs").iterdir():
            os.utime(path, (stamp, stamp))
        done = subprocess.run(["make"], check=False, capture_output=True, text=True)
        codes.append(done.returncode)
        assert manifest.exists() == (done.returncode == 0)
    assert codes == [0, 2, 2, 0]
