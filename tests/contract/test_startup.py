"""Start-up: what a call imports is what it needs, since importing is most of what a small call costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from scoresheet.cli.run.pool import START_METHOD
from tests.helpers.files import Rows, write_book, write_csv

# One process tells of all: what each step imported that those before it had not.
TOLD = """
import json, sys
steps = {}
def told(step, before):
    steps[step] = sorted(set(sys.modules) - before)
    return set(sys.modules)
import typer
from scoresheet.cli.app import main
before = told("typer and the command line", set())
for words in (["--help"], ["--version"], ["sinfo", "--help"]):
    assert main(words) == 0
    before = told(" ".join(words), before)
import pandas
before = told("pandas", before)
from scoresheet.cli.run import pool
serve = pool._serve
def serve_and_tell(*arguments):
    at_start = set(sys.modules)
    serve(*arguments)
    with open("workers", "a") as file:
        print(*(set(sys.modules) - at_start), file=file)
pool._serve = serve_and_tell
assert main(["sinfo", "outs", "refs.csv", "-o", "res"]) == 0
told("run", before)
kinds = {kind for name, module in list(sys.modules.items()) if name.startswith("scoresheet.")
         for kind in vars(module).values() if isinstance(kind, type) and hasattr(kind, "__dataclass_params__")}
compiled = [f"{kind.__module__}.{kind.__qualname__}" for kind in kinds if kind.__dataclass_params__.init]
sys.stderr.write(json.dumps([steps, open("workers").read().split(), sorted(compiled)]))
"""
# beyond what importing typer and pandas takes; the lock, and the package that the audit asks
MAY_IMPORT = {
    "--help": set(),
    "--version": set(),
    "sinfo --help": set(),
    "run": {"filelock", "isal", "rouge", "six"},
}
# parts of the standard library that take longer to import than a small run to score
HEAVY = {
    *("asyncio", "concurrent", "email", "html", "http", "importlib.metadata", "importlib.resources", "sqlite3", "ssl"),
    *("tomllib", "unittest", "urllib.request", "xml.sax"),
}
# dataclasses of which there may be very many objects
WITH_SLOTS = ("families.sinfo.references.Reference", "problems.Problem", "text.lcs.Positions")
# rooms of ours that a call has no business in
ROOMS = {
    "--help": ("metrics.families", "metrics.stats", "cli.input", "cli.report", "cli.run", "cli.write", "cli.settings"),
    "--version": ("metrics.families", "metrics.stats", "cli.input", "cli.report", "cli.run", "cli.write"),
    "sinfo --help": ("cli.input.formats", "cli.report", "cli.run.pipeline", "cli.write", "cli.terminal"),
    "run": ("cli.tools.compare", "cli.jobs", "cli.earlier", "cli.write.html", "cli.write.junit", "cli.config.files"),
}


# of those rooms: what makes a name harmless on a screen, a few expressions
HARMLESS = {"scoresheet.cli.write", "scoresheet.cli.write.cell_text"}


class Imported(NamedTuple):
    """Modules by the step that imported them, and those that a worker imported though its parent had not."""

    steps: dict[str, list[str]]
    by_workers: list[str]
    compiled: list[str]  # dataclasses for which the standard library wrote an `__init__`


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """What help, the version and a small run import, in a process of their own."""
    folder = tmp_path_factory.mktemp("startup")
    rows = [("a", "the cat sat on the mat"), ("b", "a dog barked"), ("c", "it rains")]
    write_csv(folder / "outs/model.csv", [("Idiom", "Prediction"), *rows])
    write_csv(folder / "refs.csv", [("idiom", "explanation"), *rows])
    words = [sys.executable, "-c", TOLD]
    forking = {**os.environ, START_METHOD: "fork"}  # what a worker inherits is what is looked at
    done = subprocess.run(words, cwd=folder, env=forking, capture_output=True, text=True, check=True)
    return Imported(*json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("step", MAY_IMPORT)
def test_no_package_is_imported_that_the_call_has_no_need_of(imported: Imported, step: str) -> None:
    found = {name.partition(".")[0] for name in imported.steps[step]}
    known = {
        name.partition(".")[0] for each in ("typer and the command line", "pandas") for name in imported.steps[each]
    }
    assert found - known - sys.stdlib_module_names - {"scoresheet", "__mp_main__"} <= MAY_IMPORT[step]


@pytest.mark.parametrize("step", MAY_IMPORT)
def test_no_slow_part_of_the_standard_library_is_imported(imported: Imported, step: str) -> None:
    assert [name for name in imported.steps[step] if name in HEAVY] == []


@pytest.mark.parametrize("step", ROOMS)
def test_no_room_of_ours_is_entered_without_need(imported: Imported, step: str) -> None:
    rooms = tuple(f"scoresheet.{room}" for room in ROOMS[step])
    assert [name for name in imported.steps[step] if name.startswith(rooms) and name not in HARMLESS] == []


def test_the_command_line_alone_imports_nothing_that_only_a_run_needs(
    imported: Imported,
) -> None:
    ours = [name for name in imported.steps["typer and the command line"] if name.startswith("scoresheet.")]
    assert [name for name in ours if name.startswith(tuple(f"scoresheet.{room}" for room in ROOMS["--help"]))] == []


def test_no_method_is_compiled_for_a_class_of_data(imported: Imported) -> None:
    assert imported.compiled == [f"scoresheet.metrics.{name}" for name in WITH_SLOTS]


def test_a_worker_finds_everything_imported(imported: Imported) -> None:
    of_pandas = ("encodings.", "pyarrow.")  # imported when a text or an array needs it
    assert [name for name in imported.by_workers if not name.startswith(of_pandas)] == []


WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None  # to import it is an error
from scoresheet.cli.app import main
sys.exit(main(sys.argv[1:]))
"""


def run_without_pandas(folder: Path, *words: str) -> None:
    """Run a command in a process that cannot import pandas."""
    forking = {**os.environ, START_METHOD: "fork"}
    subprocess.run([sys.executable, "-c", WITHOUT_PANDAS, *words, "-o", "res"], cwd=folder, env=forking, check=True)


def test_rankings_are_scored_without_pandas(tmp_path: Path) -> None:
    ranked = [("q1", "a", "1"), ("q1", "b", "2"), ("q2", "a", "1")]
    write_csv(tmp_path / "outs/one.csv", [("query", "item", "rank"), *ranked])
    write_csv(tmp_path / "outs/two.csv", [("query", "item", "rank"), *ranked[::-1]])
    judged = [("q1", "s", "a", "1"), ("q1", "t", "b", "0"), ("q2", "s", "a", "1")]
    write_csv(tmp_path / "refs.csv", [("query", "subtopic", "item", "relevance"), *judged])
    run_without_pandas(tmp_path, "diversity", "outs", "refs.csv", "--definition", "ndeval")
    assert (tmp_path / "res/two_diversity.xlsx").exists()


@pytest.mark.parametrize("options", [(), ("--match", "loose", "--keep", "sort", "--by", "sort", "--tables")])
def test_explanations_are_scored_without_pandas(tmp_path: Path, options: tuple[str, ...]) -> None:
    rows = [(f"i{number}", f"the cat sat {number}", "xy"[number % 2]) for number in range(8)]
    write_csv(tmp_path / "outs/one.csv", [("Idiom", "Prediction", "sort"), *rows])
    write_csv(tmp_path / "outs/two.csv", [("Idiom", "Prediction", "sort"), *rows[::-1]])
    write_csv(tmp_path / "refs.csv", [("idiom", "explanation"), *(row[:2] for row in rows)])
    run_without_pandas(tmp_path, "sinfo", "outs", "refs.csv", *options)
    assert (tmp_path / "res/two_s_info.xlsx").exists()


@pytest.mark.parametrize("options", [(), ("--keep", "sort", "--by", "sort", "--tables")])
def test_texts_are_measured_without_pandas(tmp_path: Path, options: tuple[str, ...]) -> None:
    rows = [(f"p{number}", f"the cat sat there {number} times. It rains.", "xy"[number % 2]) for number in range(8)]
    write_csv(tmp_path / "outs/one.csv", [("id", "text", "sort"), *rows])
    write_csv(tmp_path / "outs/two.csv", [("id", "text", "sort"), *rows[::-1]])
    run_without_pandas(tmp_path, "entropy", "outs", *options)
    assert (tmp_path / "res/two_entropy.xlsx").exists()


LONG = [
    ("item", "judge", "score"),
    *((f"q{n}", judge, n * m % 5 / 4) for n in range(6) for m, judge in enumerate("abc")),
]
WIDE = [("item", "ann", "bob"), *((f"q{n}", n % 5 / 4, n % 3 / 4) for n in range(6))]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (LONG, ("--by", "judge", "--tables")),
        (LONG, ("--level", "nominal")),
        (WIDE, ("--columns-are", "judges")),
        (WIDE, ("--columns-are", "dimensions", "--strategies", "default")),
    ],
)
def test_panels_are_scored_without_pandas(tmp_path: Path, rows: Rows, options: tuple[str, ...]) -> None:
    head, *lines = rows
    write_csv(tmp_path / "outs/one.csv", rows)
    write_book(tmp_path / "outs/two.xlsx", {"first": rows, "second": [head, *lines[::-1]]})
    (tmp_path / "outs/three.json").write_text(json.dumps([dict(zip(head, line, strict=True)) for line in lines]))
    run_without_pandas(tmp_path, "disagree", "outs", *options)
    assert len(list((tmp_path / "res").glob("*_disagreement.xlsx"))) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("outs",),
        ("outs", "options.csv", "--keep", "sort", "--by", "sort", "--tables"),
        ("outs", "--options", "Japan,Peru|Perú", "--fuzzy", "90"),
        ("outs", "options.csv", "--target", "target.csv"),
        ("outs", "--tree", "choice,then"),
    ],
)
def test_choices_are_counted_without_pandas(tmp_path: Path, words: tuple[str, ...]) -> None:
    head = ("choice", "then", "sort", "n")
    rows = [("Japan", "noon", "x", 7), ("Peru", "night", "y", 2), ("Japan", "night", "x", 4), ("no", "", "y", 1)]
    write_csv(tmp_path / "outs/one.csv", [head, *rows])
    write_book(tmp_path / "outs/two.xlsx", {"first": [head, *rows], "second": [head, *rows[::-1]]})
    (tmp_path / "outs/three.json").write_text(json.dumps([dict(zip(head, row, strict=True)) for row in rows]))
    write_csv(tmp_path / "options.csv", [("option", "aliases"), ("Japan", ""), ("Peru", "Perú")])
    write_csv(tmp_path / "target.csv", [("option", "share"), ("Japan", 3), ("Peru", 1)])
    run_without_pandas(tmp_path, "mode-collapse", *words)
    assert len(list((tmp_path / "res").glob("*_mode_collapse_samples.csv"))) == 3


WIDE_VOTES = [("sample", "label", "a", "b"), *((f"s{row}", "xy"[row % 2], "x", "y") for row in range(8))]
LONG_VOTES = [
    ("sample", "label", "model", "prediction"),
    *((f"s{row}", "xy"[row % 2], name, name) for row in range(8) for name in "xy"),
]
LIKE_A_LOG = [("sample", "label", "model", "prediction"), *WIDE_VOTES[1:]]
SHARES = [("sample", "e1", "e2"), *((f"s{row}", 0.25, 0.75) for row in range(8))]
LONG_SHARES = [("sample", "expert", "weight"), *((f"s{row}", name, 0.5) for row in range(8) for name in ("e1", "e2"))]
CHANCES = [
    ("sample", "stream", "x", "y"),
    *((f"s{row}", name, *chances) for row in range(8) for name, chances in (("a", (0.9, 0.1)), ("b", (0.2, 0.8)))),
]
PARAMETERS = [("name", "value"), ("params_m", 2), ("dataset", "made up")]


@pytest.mark.parametrize(
    ("sheets", "options"),
    [
        ({"predictions": WIDE_VOTES, "routing": SHARES, "parameters": PARAMETERS}, ()),
        ({"predictions": WIDE_VOTES, "probabilities": CHANCES}, ("--fusion", "mean", "--tables", "--streams", "a,b")),
        ({"predictions": LONG_VOTES, "routing": LONG_SHARES}, ("--ties", "random")),
        ({"predictions": LIKE_A_LOG}, ("--streams", "model,prediction")),
    ],
    ids=["wide", "probabilities", "long", "streams that look like a log"],
)
def test_ensembles_are_scored_without_pandas(
    tmp_path: Path, sheets: dict[str, Sequence[Sequence[object]]], options: tuple[str, ...]
) -> None:
    for name, rows in sheets.items():
        write_csv(tmp_path / f"outs/one/{name}.csv", rows)
    write_book(tmp_path / "outs/two.xlsx", sheets)
    run_without_pandas(tmp_path, "collective", "outs", *options)
    assert (tmp_path / "res/one_collective_samples.csv").exists()
    assert (tmp_path / "res/two_collective.xlsx").exists()
