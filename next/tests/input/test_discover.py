import os
import tomllib
from pathlib import Path

import pytest

from scoresheet.cli.input.discover import Discovery, discover
from scoresheet.metrics.problem import Problem, Refusal

CASES = tomllib.loads((Path(__file__).parent / "cases/discover.toml").read_text(encoding="utf-8"))


def make(folder: Path, *names: str, text: str = "a,b\n1,2\n") -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def names(found: Discovery) -> list[str]:
    return [source.name for source in found.sources]


def refused(argument: Path | str) -> Problem:
    with pytest.raises(Refusal) as caught:
        discover(str(argument))
    problem = caught.value.problems[0]
    assert problem.effect == "refused"
    return problem


def test_a_source_knows_its_place(tmp_path: Path) -> None:
    out = make(tmp_path / "OUT", *CASES["places"])
    found = {source.name: source for source in discover(str(out)).sources}
    for name, place in CASES["places"].items():
        source = found.pop(name.replace("e\u0301", "é"))
        at = [source.entry, source.folder, source.stem, source.format, source.nested]
        assert at == place
    assert not found


@pytest.mark.parametrize("name", CASES["formats"])
def test_the_extension_decides_the_format_in_any_case(tmp_path: Path, name: str) -> None:
    make(tmp_path, name)
    (source,) = discover(str(tmp_path / name)).sources
    assert (source.format, source.stem, source.name) == (CASES["formats"][name], "m", name)
    assert (source.entry, source.folder, source.nested) == ("m", tmp_path.name, False)


def test_sources_are_sorted_and_the_rest_is_ignored_and_counted(tmp_path: Path) -> None:
    make(tmp_path, "b.csv", "a.csv", "B/x.csv", "10.csv", "9.csv")
    make(tmp_path, "~$a.xlsx", ".~lock.a.xlsx#", ".hidden.csv", ".git/c.csv", "notes.docx", "x.gz")
    make(tmp_path, ".csv", "run.txt", "readme", "B/plot.png")
    found = discover(str(tmp_path))
    assert names(found) == ["10.csv", "9.csv", "B/x.csv", "a.csv", "b.csv"]
    assert sorted(found.ignored) == [
        ".csv (hidden, or a lock file)",
        ".git (hidden, or a lock file)",
        ".hidden.csv (hidden, or a lock file)",
        ".~lock.a.xlsx# (hidden, or a lock file)",
        "B/plot.png (not a table)",
        "notes.docx (not a table)",
        "readme (not a table)",
        "run.txt (not a table)",
        "x.gz (not a table)",
        "~$a.xlsx (hidden, or a lock file)",
    ]
    assert found.problems == []


def test_the_working_folder_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.csv")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    for argument in ("..", "../a.csv", "../*.csv"):
        (source,) = discover(argument).sources
        assert (source.folder, source.name) == (tmp_path.name, "a.csv")
    monkeypatch.chdir(tmp_path)
    for argument in (".", "a.csv", "*.csv"):
        (source,) = discover(argument).sources
        assert (source.folder, source.name) == (tmp_path.name, "a.csv")


@pytest.mark.parametrize("pattern", CASES["patterns"])
def test_a_pattern_names_files_or_folders(tmp_path: Path, pattern: str) -> None:
    make(
        tmp_path, "a1.csv", "a2.csv", "a2.xlsx", "M1/x.csv", "M2/x.csv", "M2/deep/y.csv", "N/x.csv"
    )
    found = discover(str(tmp_path / pattern))
    entries = [source.entry for source in found.sources]
    assert [names(found), entries] == CASES["patterns"][pattern]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "[ab].csv", "a.csv")
    assert names(discover(str(tmp_path / "[ab].csv"))) == ["[ab].csv"]


@pytest.mark.parametrize("name", CASES["trec"])
def test_trec_files_and_lists_are_read_where_they_are_expected(tmp_path: Path, name: str) -> None:
    text, options, expected = CASES["trec"][name]
    make(tmp_path, name, text=text)
    make(tmp_path, "z.csv")
    found = {
        source.name: source
        for source in discover(str(tmp_path), **dict.fromkeys(options, True)).sources
    }
    del found["z.csv"]
    assert [source.format for source in found.values()] == ([expected] if expected else [])
    assert all(source.stem == name.split(".", maxsplit=1)[0] for source in found.values())


def test_links_are_followed_once(tmp_path: Path) -> None:
    out = make(tmp_path / "out", "b.csv", "folder/c.csv")
    elsewhere = make(tmp_path / "elsewhere", "d.csv", "e/f.csv")
    (out / "a.csv").symlink_to("b.csv")
    (out / "again.csv").symlink_to(out / "folder" / "c.csv")
    (out / "linked").symlink_to(elsewhere)
    (out / "twice").symlink_to(elsewhere / "e")
    found = discover(str(out))
    assert names(found) == ["b.csv", "folder/c.csv", "linked/d.csv", "linked/e/f.csv"]
    assert [source.folder for source in found.sources] == ["out", "folder", "linked", "e"]
    assert found.ignored == [
        "a.csv (a link to b.csv, which is read already)",
        "again.csv (a link to c.csv, which is read already)",
        "twice (a link to e, which is read already)",
    ]
    assert found.problems == []


@pytest.mark.parametrize("pattern", ["", "**/*.csv"])
def test_links_in_a_circle_are_named_and_skipped(tmp_path: Path, pattern: str) -> None:
    out = make(tmp_path / "out", "a.csv", "folder/b.csv")
    (out / "self.csv").symlink_to("self.csv")
    (out / "there.csv").symlink_to("back.csv")
    (out / "back.csv").symlink_to("there.csv")
    (out / "gone.csv").symlink_to("nowhere.csv")
    (out / "here").symlink_to(".")
    (out / "folder" / "up").symlink_to("..")
    found = discover(str(out / pattern) if pattern else str(out))
    assert names(found) == ["a.csv", "folder/b.csv"]
    assert {(problem.kind, problem.effect) for problem in found.problems} == {("link", "skipped")}
    named = {problem.file for problem in found.problems}
    assert named == {"self.csv", "there.csv", "back.csv", "gone.csv", "here", "folder/up"}


def test_pipes_and_devices_are_named_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "a.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    found = discover(str(tmp_path), trec=True)
    assert names(found) == ["a.csv"]
    assert [(problem.kind, problem.effect, problem.file) for problem in found.problems] == [
        ("not-a-file", "skipped", "pipe.csv"),
        ("not-a-file", "skipped", "pipe.txt"),
        ("not-a-file", "skipped", "zero.csv"),
    ]
    with pytest.raises(Refusal, match="not a regular file"):
        discover(str(tmp_path / "pipe.csv"))


def test_a_folder_without_tables_lists_what_is_there(tmp_path: Path) -> None:
    make(tmp_path, *(f"{number:02}.png" for number in range(12)))
    problem = refused(tmp_path)
    assert problem.kind == "nothing-to-read"
    assert "00.png (not a table), 01.png" in problem.message
    assert "09.png (not a table) …" in problem.message
    assert "10.png" not in problem.message
    for extension in (".csv", ".tsv", ".xlsx", ".ods", ".json", ".jsonl", ".parquet"):
        assert extension in problem.hint
    assert ".run" not in problem.hint


NOTHING = {
    "empty": ("no files", "nothing-to-read"),
    "empty/*.csv": ("no files", "nothing-to-read"),
    "notes.docx": ("notes.docx (not a table)", "nothing-to-read"),
    "*.docx": ("notes.docx (not a table)", "nothing-to-read"),
    "loop": ("leads nowhere or to itself", "no-such-path"),
    "missing": ("there is no file or folder", "no-such-path"),
    "missing/*.csv": ("there is no file or folder", "no-such-path"),
    "x" * 5000: ("there is no file or folder", "no-such-path"),
    "nul\0byte": ("there is no file or folder", "no-such-path"),
}


@pytest.mark.parametrize("argument", NOTHING)
def test_an_argument_without_files_is_refused(tmp_path: Path, argument: str) -> None:
    make(tmp_path, "notes.docx")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    problem = refused(f"{tmp_path}/{argument}")
    message, kind = NOTHING[argument]
    assert problem.kind == kind
    assert message in problem.message


@pytest.mark.parametrize(
    ("argument", "near"),
    [
        ("outptus", "outputs"),
        ("outputs/ansers.csv", "outputs/answers.csv"),
        ("otputs/x/*", "outputs"),
    ],
)
def test_a_near_miss_is_suggested(tmp_path: Path, argument: str, near: str) -> None:
    make(tmp_path, "outputs/answers.csv", "data/x.csv")
    assert refused(tmp_path / argument).hint == f"did you mean {tmp_path / near}?"


def test_a_name_that_is_not_utf_8_is_shown_with_a_mark(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    Path(os.fsdecode(path)).write_text("a\n1\n", encoding="utf-8")
    (source,) = discover(str(tmp_path)).sources
    assert (source.name, source.stem) == ("caf\ufffd.csv", "caf\ufffd")
    assert source.path.read_text(encoding="utf-8") == "a\n1\n"
