"""Runs cases and takes the digests of all that comes out; `make golden` writes them down anew.

python -m tests.golden.record --write              rewrite digests.json
python -m tests.golden.record --keep DIR [CASE …]  keep the outputs, workbooks unpacked, to be held against others
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import platform
import re
import shlex
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from scoresheet.cli.app import main
from scoresheet.cli.input.manifests import CACHE, MANIFEST, MARK
from tests.golden.cases import CASES, Case
from tests.helpers.workers import cheap_workers

SAMPLES: Final = Path(__file__).resolve().parents[2] / "data"
DIGESTS: Final = Path(__file__).with_name("digests.json")
MADE_WITH: Final = "made with"
EXACT: Final = " (exact)"  # the very bytes; without it what any machine gives: numbers rounded, workbooks unpacked
# they hold times, and the hashes of the very bytes; so does what is kept for the next run, and that of our code
_OWN_RECORDS: Final = (MANIFEST, MARK)
_LIBRARIES: Final = ("numpy", "pandas", "python-calamine", "openpyxl", "rapidfuzz", "regex", "typer")

# not part of a name, a version or a hash
_NUMBER: Final = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")

_KINDS: Final = (("table", ()), ("json", ("--json", "--verbose", "--dry-run")))

Outputs = dict[str, bytes]  # what a case printed, wrote and ended with, by name
Digests = dict[str, str]


def outputs_of(case: Case, folder: Path) -> Outputs:
    """Run the lines of a case in a folder and return everything that came out."""
    shutil.copytree(SAMPLES, folder / "data")
    if case.write:
        case.write(folder)
    given = {path for path in folder.rglob("*") if path.is_file()}
    outputs: Outputs = {}
    with _undisturbed(folder), cheap_workers():
        for number, line in enumerate(case.lines, start=1):
            words = [*shlex.split(line), "--seed", "1", "-j", "1"]
            words += [] if "-o" in words else ["-o", "res"]
            for kind, further in _KINDS if case.json else _KINDS[:1]:
                outputs |= {f"{number} {kind} {name}": text for name, text in _run([*words, *further]).items()}
    for path in sorted(folder.rglob("*")):
        named = path.relative_to(folder).as_posix()
        own = path.name in _OWN_RECORDS or path.parent.name == CACHE
        if path.is_file() and path not in given and not own and path.parent != folder:
            outputs[named] = path.read_bytes()
    return outputs


def _run(words: list[str]) -> Outputs:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return {
        "exit code": str(code).encode(),
        "stdout": out.getvalue().encode(errors="backslashreplace"),
        "stderr": err.getvalue().encode(errors="backslashreplace"),
    }


@contextlib.contextmanager
def _undisturbed(folder: Path) -> Iterator[None]:
    """Work in a folder, with nothing in the environment that could show in what is printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("SCORESHEET_")}
    with contextlib.chdir(folder), mock.patch.dict(os.environ, own, clear=True):
        yield


def digests_of(outputs: Outputs) -> Digests:
    """Return the SHA-256 of each output as any machine gives it and, where that is not the same, of its very bytes."""
    digests = {}
    for name, content in outputs.items():
        if name.endswith("exit code"):
            digests[name] = content.decode()
            continue
        unpacked = b"".join(b"".join(part) for part in parts(content)) if name.endswith(".xlsx") else content
        digests[name] = _sha256(_NUMBER.sub(_rounded, unpacked))
        if digests[name] != _sha256(content):
            digests[name + EXACT] = _sha256(content)
    return digests


def _rounded(number: re.Match[bytes]) -> bytes:
    """Return a number without the digits that differ between processors: numpy has other routines for each."""
    return f"{round(float(number[0]), 9) + 0.0:.15g}".encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def parts(workbook: bytes) -> list[tuple[bytes, bytes]]:
    """Return name and content of the parts of a workbook, in order."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as packed:
        return [(name.encode(), packed.read(name)) for name in packed.namelist()]


def surroundings() -> Digests:
    """Return what may change the bytes, though hardly more than the last digits, when no line of ours does."""
    numpy: dict[str, dict[str, list[str]]] = np.show_config(mode="dicts")  # type: ignore[assignment]
    own = [each for each in threadpool_info() if "numpy" in each["filepath"]]  # other packages bring others
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "C library": " ".join(platform.libc_ver()),
        "processor": " ".join([platform.machine(), *numpy["SIMD Extensions"]["found"]]),
        "linear algebra": " ".join(str(each["architecture"]) for each in own),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "isal": version("isal") if find_spec("isal") else "",
        **{name: version(name) for name in _LIBRARIES},
    }


def recorded() -> dict[str, Digests]:
    """Return the digests that were written down."""
    found: dict[str, Digests] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return found


def made(names: list[str], keep: Path | None = None) -> dict[str, Digests]:
    """Return the digests of cases as they are now; with `keep`, leave the outputs there."""
    digests = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            outputs = outputs_of(CASES[name], Path(folder))
        digests[name] = digests_of(outputs)
        if keep:
            _keep(outputs, keep / name)
    return digests


def _keep(outputs: Outputs, folder: Path) -> None:
    """Write outputs so that diff can read them: a workbook as the folder of its parts, one element a line."""
    for name, content in outputs.items():
        if name.endswith(".xlsx"):
            for part, inner in parts(content):
                _write(folder / name / part.decode(), inner.replace(b"><", b">\n<"))
        else:
            _write(folder / name, content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def console() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.record", description="Digests of all outputs.")
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--write", action="store_true", help="rewrite digests.json")
    wanted.add_argument("--keep", metavar="DIR", type=Path, help="keep the outputs there, workbooks unpacked")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="of --keep: these alone")
    given = parser.parse_args()
    unknown = [name for name in given.cases if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    if given.write and given.cases:
        parser.error("--write rewrites all cases; leave their names out")
    digests = made(given.cases or list(CASES), given.keep)
    if given.write:
        text = json.dumps({MADE_WITH: surroundings(), **digests}, indent=1, sort_keys=True)
        DIGESTS.write_text(text + "\n", encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(digests)} cases: {DIGESTS.name if given.write else given.keep}\n")


if __name__ == "__main__":
    console()
