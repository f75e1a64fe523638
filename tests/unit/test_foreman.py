"""The process beside a Dask worker, spoken to as the Dask worker does: by frames."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_named
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import ModelInput, discover_models
from scoresheet.cli.run.engines import foreman
from scoresheet.cli.run.engines.engine import ModelWork
from scoresheet.cli.run.engines.foreman import Answer, Job, Seen
from scoresheet.cli.run.engines.frames import ANSWER, MESSAGE, READY, Here, read_frame, write_frame
from scoresheet.cli.run.messages import FileStarted, Tell
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.provenance import fingerprint
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.run_inputs import discovered_inputs, plan_of_request
from scoresheet.cli.run.side_tables import read_side_table
from scoresheet.cli.settings import Settings
from tests.helpers.workers import cheap_workers


def echoed(plan: Plan[Any, Any, Any, Any, Any, Any], model: ModelInput, tell: Tell) -> list[str]:
    """What the files of a model hold; a report says it too."""
    texts = []
    for source in model.files:
        tell(FileStarted(source.shown))
        texts.append(source.path.read_text("utf-8"))
    assert plan.stage is not None
    (plan.stage / "cache").mkdir()
    (plan.stage / "cache/m.json").write_text("".join(texts), "utf-8")
    return texts


def refused(_plan: object, _model: ModelInput, _tell: Tell) -> None:
    raise Stop(Exit.UNWRITABLE, "no room")


@pytest.fixture
def plan(tmp_path: Path) -> Plan[Any, Any, Any, Any, Any, Any]:
    """Any plan, with a stage on another machine."""
    (tmp_path / "outs").mkdir()
    (tmp_path / "outs/m.csv").write_text("text\none two\n", "utf-8")
    command = command_named("entropy")
    settings = Settings(out=str(tmp_path / "res"))
    request: Request[Any, Any, Any, Any, Any, Any] = Request(
        command.family, command.reporter, command.options(), settings, str(tmp_path / "outs"), "", tmp_path / "res"
    )
    found, sources = discovered_inputs(request)
    rules = settings.read_rules(command.family.schema, ())
    tables = {name: read_side_table(source, rules, settings, ()) for name, source in sources.items()}
    return replace(plan_of_request(request, found, tables, (), None), stage=Path("/nowhere/at/all"))


def served(work: ModelWork[Any, Any, Any, Any, Any, Any, Any], *jobs: Job, folder: Path) -> list[tuple[bytes, Any]]:
    """All that is said to some jobs."""
    here = Here(str(folder), memory=0, threads=1, most_memory=0, seconds=60)
    requests, answers = io.BytesIO(), io.BytesIO()
    write_frame(requests, READY, pickle.dumps(fingerprint()))
    write_frame(requests, READY, pickle.dumps(work))
    for job in jobs:
        write_frame(requests, READY, pickle.dumps((pickle.dumps(job), here)))
    requests.seek(0)
    with cheap_workers(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(foreman, "_has_more", lambda _requests: True)
        with pytest.raises(EOFError):
            foreman.serve(requests, answers)
    answers.seek(0)
    assert read_frame(answers) == (READY, b"")
    said = []
    while answers.tell() < len(answers.getvalue()):
        kind, content = read_frame(answers)
        said.append((kind, pickle.loads(content)))
    return said


def test_a_file_that_looks_the_same_is_read_where_it_is(
    plan: Plan[Any, Any, Any, Any, Any, Any], tmp_path: Path
) -> None:
    [model] = discover_models(str(tmp_path / "outs")).models
    job = Job(model, (Seen.of(model.files[0].path),))
    message, answer = served(ModelWork(echoed, plan), job, folder=tmp_path)
    assert message == (MESSAGE, FileStarted("m.csv"))
    expected = Answer(["text\none two\n"], {"cache/m.json": b"text\none two\n"}, reading="m.csv")
    assert answer == (ANSWER, expected)
    assert not list(tmp_path.glob("scoresheet-*"))


def test_a_file_that_looks_otherwise_is_asked_for_and_read_as_it_was_sent(
    plan: Plan[Any, Any, Any, Any, Any, Any], tmp_path: Path
) -> None:
    [model] = discover_models(str(tmp_path / "outs")).models
    path = model.files[0].path
    other = Job(model, (Seen(5, 5),))
    sent = Job(model, (Seen(5, 5),), (b"text\nthree\n",))
    asked, _, answer = served(ModelWork(echoed, plan), other, sent, folder=tmp_path)
    assert asked == (ANSWER, Answer(unshared=str(path)))
    assert answer[1].value == ["text\nthree\n"]


def test_what_stops_a_run_is_passed_on(plan: Plan[Any, Any, Any, Any, Any, Any], tmp_path: Path) -> None:
    [model] = discover_models(str(tmp_path / "outs")).models
    job = Job(model, (Seen.of(model.files[0].path),))
    [(_, answer)] = served(ModelWork(refused, plan), job, folder=tmp_path)
    assert (answer.stop.code, str(answer.stop)) == (Exit.UNWRITABLE, "on a Dask worker: no room")


def test_work_of_another_installation_is_not_even_read() -> None:
    requests, answers = io.BytesIO(), io.BytesIO()
    write_frame(requests, READY, pickle.dumps(fingerprint() | {"kernel": "of stone"}))
    write_frame(requests, READY, b"no pickle at all")
    requests.seek(0)
    foreman.serve(requests, answers)
    answers.seek(0)
    _, differs = read_frame(answers)
    assert "of stone here" in differs.decode()
