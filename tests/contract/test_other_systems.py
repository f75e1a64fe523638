"""Does a run need anything that only POSIX has, and do names meet where a file system tells fewer apart?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scoresheet.cli.run.pool import START_METHOD
from tests.helpers.files import digests, write_csv
from tests.helpers.runs import Run, environment
from tests.helpers.studies import ANSWERS, Place

# What Windows has not. Python's own modules and those of others have twins of their own: only ours go without.
AS_ON_WINDOWS = """
import os, pkgutil, signal, stat, sys, types
import scoresheet.cli, scoresheet.metrics
from importlib import import_module

for package in (scoresheet.cli, scoresheet.metrics):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(("__main__", "_kernel")):
            import_module(module.name)

def less(module, *gone, **changed):
    names = {name: value for name, value in vars(module).items() if not name.startswith(gone)}
    twin = types.ModuleType(module.__name__)
    vars(twin).update(names | changed)
    return twin

def opened(path, flags, *mode, **more):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return os.open(path, flags, *mode, **more)

def synced(descriptor):
    import fcntl
    if not fcntl.fcntl(descriptor, fcntl.F_GETFL) & (os.O_RDWR | os.O_WRONLY):
        raise OSError(9, "Bad file descriptor")
    os.fsync(descriptor)

gone = ("O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC O_NOCTTY O_SYNC fork kill getu gete getg getpg getsid "
        "setpg setsid setuid sysconf sched_ fchmod fchown chown fdatasync mkfifo mknod nice posix_ pread pwrite "
        "statvfs sync umask_ uname wait WNOHANG tcset openpty forkpty killpg lchown confstr").split()
windows_os = less(os, *gone, open=opened, fsync=synced)
windows_signal = less(signal, "pthread", "SIGKILL", "SIGSTOP", "SIGALRM", "SIGPIPE", "SIGHUP", "SIGUSR", "SIG_B",
                      "SIG_U", "SIG_S", "sigwait", "alarm", "setitimer", "valid_signals_")
for name, module in list(sys.modules.items()):
    if name.startswith("scoresheet."):
        for attribute, twin in (("os", windows_os), ("signal", windows_signal)):
            if hasattr(module, attribute):
                setattr(module, attribute, twin)
import multiprocessing
multiprocessing.get_all_start_methods = lambda: ["fork"]  # a worker that is a fork has these twins too
import multiprocessing.popen_fork, filelock, tempfile, subprocess, python_calamine, rouge  # they have twins
for name in ("resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
sys.platform = "win32"

from scoresheet.cli.app import main
codes = [main(["sinfo", "outs", "refs", "-o", "again", "-j", "2"]), main(["sinfo", "empty", "refs", "-o", "none"]),
         main(["verify", "again"]), main(["check", "outs", "refs", "--for", "sinfo"]),
         main(["report", "again", "-o", "r.html"])]
print("codes", *map(int, codes))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the others are what is tried")
def test_a_run_needs_nothing_that_only_posix_has(place: Place) -> None:
    place.references()
    place.model("m")
    place.model("n")
    (place.root / "empty").mkdir()
    assert place.score().code == 0
    done = subprocess.run(
        [sys.executable, "-c", AS_ON_WINDOWS],
        cwd=place.root,
        env=environment(**{START_METHOD: "fork"}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "codes 0 4 0 0 0", done.stderr
    tables = {name: digest for name, digest in digests(place.res).items() if name.endswith(".csv")}
    assert len(tables) > 3  # a workbook is a zip, which says the system that made it
    assert tables.items() <= digests(place.root / "again").items()
    assert not (place.root / "none").exists()


PAIRS = [
    ("Model", "mODEL"),
    ("Caf\u00e9", "Cafe\u0301"),
    ("STRASSE", "stra\u00dfe"),
    ("\u212bngstrom", "\u00e5ngstrom"),
]


@pytest.mark.parametrize("names", PAIRS, ids=ascii)
def test_models_whose_reports_would_meet_on_some_file_system_are_named_and_only_they_are_lost(
    place: Place, names: tuple[str, str]
) -> None:
    place.references()
    place.model("good")
    for name in names:
        place.model(name)
    assert place.score().code == 3
    assert {line["Model Name"]: line["Status"] for line in place.results().values()}["good"] == "ok"
    assert len(place.problems("same-name")) == 2
    written = [path.name for path in place.res.iterdir() if path.name.endswith("_s_info.xlsx")]
    assert written == ["good_s_info.xlsx"]


@pytest.mark.parametrize("names", PAIRS, ids=ascii)
def test_models_of_a_column_do_not_meet_either(place: Place, names: tuple[str, str]) -> None:
    place.references()
    rows = [(name, *answer) for name in ("good", *names) for answer in ANSWERS.items()]
    write_csv(place.outs / "all.csv", [("model", "Idiom", "Prediction"), *rows])
    place.score()
    written = sorted(path.name for path in place.res.iterdir() if path.name.endswith("_s_info.xlsx"))
    assert written == ["good_s_info.xlsx"]


DEVICES = ("CON", "nul", "aux.v2", "LPT1", "com\u00b9", "x.", "x ", "what?", "a:b", "a|b", "x" * 230)


def test_reserved_names_get_reports_that_windows_can_hold(place: Place) -> None:
    place.references()
    for name in DEVICES:
        place.model(name)
    assert place.score().code == 0
    assert set(place.results()) == set(DEVICES)
    names = [path.name for path in place.res.rglob("*") if path.is_file()]
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        stem = name.partition(".")[0].rstrip().casefold()
        assert stem not in {"con", "nul", "aux", "lpt1", "com1", "com\u00b9"}
        assert not set(name) & set('<>:"|?*\\')
        assert name[-1] not in ". "
        assert len(name) < 220


def test_two_reports_that_are_one_file_elsewhere_stop_the_run_before_either_is_replaced(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    before = digests(folder / "res")
    monkeypatch.setattr("scoresheet.cli.run.results_folder.file_key", lambda name: name[-4:])
    done = run("sinfo", "outs", "refs", "-o", "res", "--fresh")
    assert done.code == 5
    assert "would be one file" in done.err
    assert digests(folder / "res") == before
