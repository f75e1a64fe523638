"""Inputs and results that URLs name: as on a disk, under their own names, the manifest last and nothing left behind."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from scoresheet.cli.exits import Exit
from scoresheet.cli.input.manifests import MANIFEST, MARK, is_kept
from tests.helpers.runs import Run

pytestmark = pytest.mark.usefixtures("no_workbooks")

MODEL = "Idiom,Prediction\na,one two\nb,four five\n"
REFERENCES = "idiom,explanation\na,one two three\nb,four five six\n"
PLACES = ("memory://study/outs", "memory://study/refs", "-o", "memory://study/res")


@pytest.fixture
def store() -> Iterator[fsspec.AbstractFileSystem]:
    """A store in memory with two models and their references."""
    files = fsspec.filesystem("memory")
    for name in ("good", "other"):
        files.pipe(f"/study/outs/{name}.csv", MODEL.encode())
    files.pipe("/study/refs/r.csv", REFERENCES.encode())
    yield files
    files.rm("/study", recursive=True)


@pytest.fixture(autouse=True)
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for copies in which nothing may be left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(store: fsspec.AbstractFileSystem, folder: str = "/study/res") -> set[str]:
    return {path.removeprefix(folder + "/") for path in store.find(folder)}


def record(store: fsspec.AbstractFileSystem) -> dict[str, object]:
    read: dict[str, object] = json.loads(store.cat(f"/study/res/{MANIFEST}"))
    return read


def test_a_run_on_urls_gives_the_bytes_of_a_run_on_folders_and_leaves_no_copies(
    store: fsspec.AbstractFileSystem, run: Run, tmp_path: Path, own_temporary: Path
) -> None:
    for folder in ("outs", "refs"):
        (tmp_path / "study" / folder).mkdir(parents=True)
        for path in store.ls(f"/study/{folder}", detail=False):
            (tmp_path / path.lstrip("/")).write_bytes(store.cat(path))
    local, remote = run("sinfo", "study/outs", "study/refs", "-o", "study/res"), run("sinfo", *PLACES)
    assert (local.code, remote.code) == (0, 0), remote.err
    assert remote.out == local.out
    written = {path.relative_to(tmp_path / "study/res").as_posix() for path in (tmp_path / "study/res").rglob("*.*")}
    assert names(store) == written
    for name in (name for name in written if name != MANIFEST and not is_kept(name)):  # these hold the folder's name
        assert store.cat(f"/study/res/{name}") == (tmp_path / "study/res" / name).read_bytes(), name
    assert "memory://study/res: a remote folder has no lock" in remote.err
    assert list(own_temporary.iterdir()) == []


def test_reports_and_messages_name_the_url_and_never_the_copy(
    store: fsspec.AbstractFileSystem, run: Run, own_temporary: Path
) -> None:
    store.pipe("/study/outs/bad.csv", b"Idiom,Prediction\na,one\nb,two,three,four\n")
    result = run("sinfo", *PLACES, "-v")
    assert result.code == Exit.PARTIAL
    assert "memory://study/outs/bad.csv" in result.err
    written = b"".join(store.cat(f"/study/res/{name}") for name in names(store))
    assert str(own_temporary) not in result.err + result.out
    assert str(own_temporary).encode() not in written
    asked = record(store)["request"]
    assert isinstance(asked, dict)
    assert (asked["outputs"], asked["references"]) == PLACES[:2]


def test_the_manifest_is_uploaded_last_and_a_failed_upload_leaves_the_mark(
    store: fsspec.AbstractFileSystem, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = type(store).put_file
    order: list[str] = []

    def noted(self: fsspec.AbstractFileSystem, here: str, there: str, **more: object) -> None:
        if len(order) == broken_at:
            raise PermissionError("not allowed")
        order.append(there.rpartition("/")[2])
        put(self, here, there, **more)

    monkeypatch.setattr(type(store), "put_file", noted)
    broken_at = -1
    assert run("sinfo", *PLACES).code == 0
    assert order[-1] == MANIFEST
    assert MARK not in names(store)
    order.clear()
    broken_at = 2
    failed = run("sinfo", *PLACES, "--fresh")
    assert failed.code == Exit.UNWRITABLE
    assert "memory://study/res: the upload failed (not allowed)" in failed.err
    assert MANIFEST not in names(store)
    assert MARK in names(store)
    broken_at = -1
    assert run("sinfo", *PLACES).code == 0
    assert MARK not in names(store)


def test_unchanged_models_stand_and_prune_removes_what_the_manifest_lists(
    store: fsspec.AbstractFileSystem, run: Run
) -> None:
    run("sinfo", *PLACES)
    assert sorted(record(store)["unchanged"]) == []  # type: ignore[call-overload]
    run("sinfo", *PLACES)
    assert sorted(record(store)["unchanged"]) == ["good", "other"]  # type: ignore[call-overload]
    store.rm("/study/outs/other.csv")
    kept = run("sinfo", *PLACES)
    assert "memory://study/res/other_s_info.csv: not of this run" in kept.err
    store.pipe("/study/res/my own.txt", b"mine")
    pruned = run("sinfo", *PLACES, "--prune")
    assert "memory://study/res/other_s_info.csv: removed" in pruned.err
    assert not [name for name in names(store) if "other" in name]
    assert "my own.txt" in names(store)


def test_a_folder_of_another_command_and_a_file_of_anybody_else_are_not_touched(
    store: fsspec.AbstractFileSystem, run: Run
) -> None:
    store.pipe("/study/res/metrics.json", b"{}")
    refused = run("sinfo", *PLACES)
    assert refused.code == Exit.USAGE
    assert "memory://study/res/metrics.json: this file would be replaced" in refused.err
    assert names(store) == {"metrics.json"}
    store.rm("/study/res/metrics.json")
    run("sinfo", *PLACES)
    before = record(store)
    store.pipe("/study/texts/t.csv", b"text\none two\nthree four\n")
    other = run("entropy", "memory://study/texts", "-o", "memory://study/res")
    assert other.code == Exit.USAGE
    assert "memory://study/res: this folder holds the reports of scoresheet sinfo" in other.err
    assert record(store) == before


def test_a_baseline_may_be_remote(store: fsspec.AbstractFileSystem, run: Run) -> None:
    run("sinfo", *PLACES)
    store.pipe("/study/outs/good.csv", MODEL.replace("one two", "nine").encode())
    same = run("sinfo", *PLACES, "--baseline", "memory://study/res", "--max-drop", "0.1")
    assert same.code == Exit.GATE, same.err
    assert "Since memory://study/res" in same.out
    other = run("sinfo", *PLACES[:2], "-o", "here", "--baseline", "memory://study/res")
    assert other.code == 0
    assert "Since memory://study/res: of 2 models in both" in other.out


def test_patterns_files_and_references_below_the_outputs(store: fsspec.AbstractFileSystem, run: Run) -> None:
    matched = run("sinfo", "memory://study/outs/g*.csv", "memory://study/refs/r.csv", "-o", "here", "--json")
    assert [line["Model Name"] for line in json.loads(matched.out)["models"]] == ["good"], matched.err
    store.pipe("/study/outs/refs/r.csv", REFERENCES.encode())
    inside = run("sinfo", "memory://study/outs", "memory://study/outs/refs", "-o", "there", "--json")
    assert [line["Model Name"] for line in json.loads(inside.out)["models"]] == ["good", "other"], inside.err
    nothing = run("sinfo", "memory://study/outs/x*.csv", "memory://study/refs")
    assert nothing.code == Exit.USAGE
    assert "memory://study/outs/x*.csv: nothing matches" in nothing.err
    missing = run("sinfo", "memory://study/nowhere", "memory://study/refs")
    assert missing.code == Exit.USAGE
    assert "memory://study/nowhere: no such file or folder" in missing.err


def test_what_is_too_large_is_not_copied_and_what_cannot_be_copied_costs_itself(
    store: fsspec.AbstractFileSystem, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.pipe("/study/outs/large.csv", b"Idiom,Prediction\n" + b"a,one two\n" * 200_000)
    read = type(store).open

    def guarded(self: fsspec.AbstractFileSystem, path: str, *more: object, **options: object) -> object:
        if path.endswith("other.csv"):
            raise PermissionError("not yours")
        return read(self, path, *more, **options)

    monkeypatch.setattr(type(store), "open", guarded)
    result = run("sinfo", *PLACES, "--max-file-mb", "1")
    assert result.code == Exit.PARTIAL
    assert "memory://study/outs/large.csv: the file has 2 MiB, and at most 1 are read" in result.err
    assert "memory://study/outs/other.csv: could not be copied: not yours" in result.err
    assert "good_s_info.csv" in names(store)


def test_a_name_that_leads_out_of_the_copy_is_not_followed(
    store: fsspec.AbstractFileSystem, run: Run, monkeypatch: pytest.MonkeyPatch, own_temporary: Path
) -> None:
    listed = type(store).ls
    evil = {"name": "/study/outs/../../../evil.csv", "size": 9, "type": "file"}

    def ls(self: fsspec.AbstractFileSystem, path: str, detail: bool = True, **more: object) -> list[object]:
        found: list[object] = listed(self, path, detail=detail, **more)
        return [*found, evil] if detail and path.endswith("outs") else found

    monkeypatch.setattr(type(store), "ls", ls)
    result = run("sinfo", *PLACES)
    assert result.code == Exit.PARTIAL
    assert "no file can have this name here" in result.err
    assert not list(own_temporary.parent.rglob("evil.csv"))


def test_credentials_in_a_url_are_neither_printed_nor_written(
    store: fsspec.AbstractFileSystem, run: Run, tmp_path: Path
) -> None:
    secret = "memory://key:se/cret@study/outs"
    refused = run("sinfo", secret, "memory://study/refs", "--log-file", "log.txt", "-o", "here")
    assert refused.code == Exit.USAGE
    assert "memory://***@study/outs" in refused.err
    assert "se/cret" not in refused.err + (tmp_path / "log.txt").read_text("utf-8")
    store.pipe("/key:se/cret@study/outs/m.csv", MODEL.encode())
    scored = run("sinfo", secret, "memory://study/refs", "--log-file", "log.txt", "-o", "here")
    store.rm("/key:se", recursive=True)
    assert scored.code == 0, scored.err
    assert not [path for path in (tmp_path / "here").rglob("*.*") if b"se/cret" in path.read_bytes()]
    assert "se/cret" not in scored.out + scored.err + (tmp_path / "log.txt").read_text("utf-8")


def test_only_places_are_masked_in_what_a_run_is_told(
    store: fsspec.AbstractFileSystem, run: Run, tmp_path: Path
) -> None:
    store.pipe("/study/texts/t.csv", b"level,parent,response\n0,,https://a:b@c/?id=Japan\n0,,https://a:b@c/?id=Italy\n")
    pattern = r"https://a:b@c/\?id=(.*)"
    result = run(
        "mode-collapse", "memory://study/texts", "--extract", pattern, "--options", "Japan,Italy", "-o", "here"
    )
    written = json.loads((tmp_path / "here" / MANIFEST).read_text("utf-8"))
    assert result.code == 0, result.err
    assert written["options"]["extract"] == pattern
    store.pipe("/study/options.csv", b"level,option\n0,Japan\n0,Italy\n")
    named = run(
        "mode-collapse", "memory://study/texts", "--extract", pattern, "--options", "memory://study/options.csv"
    )
    assert named.code == 0, named.err


def test_a_missing_package_is_named_with_the_way_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    result = run("entropy", "memory://study/outs")
    assert result.code == Exit.USAGE
    assert "pip install 'scoresheet[remote]'" in result.err


def test_tools_and_jobs_say_that_results_must_be_local(run: Run, tmp_path: Path) -> None:
    compared = run("compare", "s3://bucket/res")
    assert compared.code == Exit.USAGE
    assert "s3://bucket/res: results are read from folders of this machine" in compared.err
    (tmp_path / "jobs.toml").write_text('[job.a]\ncommand = "entropy"\noutputs = "x"\nout = "s3://b/r"\n', "utf-8")
    jobs = run("run", "jobs.toml")
    assert jobs.code == Exit.USAGE
    assert "jobs.toml, line 4" in jobs.err
    assert "name a local folder" in jobs.err


def test_file_urls_are_read_and_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "outs").mkdir()
    (tmp_path / "outs/t.csv").write_text("text\none two\nthree four\n", "utf-8")
    result = run("entropy", f"file://{tmp_path}/outs", "-o", f"file://{tmp_path}/res")
    assert result.code == 0, result.err
    assert (tmp_path / "res" / MANIFEST).is_file()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[fsspec.AbstractFileSystem]:
    """A bucket on a server of this machine that speaks S3."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    surroundings = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": address,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("study")
    yield files
    server.stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_store_that_speaks_s3_is_read_and_written(bucket: fsspec.AbstractFileSystem, run: Run) -> None:
    for name in ("good", "other"):
        bucket.pipe(f"study/outs/{name}.csv", MODEL.encode())
    bucket.pipe("study/refs/r.csv", REFERENCES.encode())
    words = ("sinfo", "s3://study/outs", "s3://study/refs/*.csv", "-o", "s3://study/res")
    first = run(*words)
    assert first.code == 0, first.err
    read = json.loads(bucket.cat(f"study/res/{MANIFEST}"))
    bucket.invalidate_cache()
    there = {path.removeprefix("study/res/") for path in bucket.find("study/res")}
    assert there == {MANIFEST, *(entry["file"] for entry in read["outputs"])}
    again = run(*words)
    assert again.code == 0
    assert json.loads(bucket.cat(f"study/res/{MANIFEST}"))["unchanged"] == ["good", "other"]
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in str(read)
