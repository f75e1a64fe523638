"""Runs without the time that workbooks take: all is read, scored, said and tabled, and the workbooks are husks."""

from __future__ import annotations

import contextlib
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from scoresheet.cli.run import model_reports, provenance, run_reports
from scoresheet.cli.write.workbook import write_workbook


@contextlib.contextmanager
def empty_workbooks() -> Iterator[None]:
    """Pages are made up and not written, which is two thirds of a small run; nobody can open such a workbook."""
    with _written_by(_left_empty):
        yield


@contextlib.contextmanager
def whole_workbooks() -> Iterator[None]:
    """Workbooks are written as ever, though they are left empty around."""
    with _written_by(write_workbook):
        yield


@contextlib.contextmanager
def _written_by(write: Callable[..., str]) -> Iterator[None]:
    with (
        mock.patch.object(model_reports, "write_workbook", write),
        mock.patch.object(run_reports, "write_workbook", write),
        # a run with workbooks into the same folder is one of other code, and lets none of these stand
        mock.patch.object(provenance, "code_digest", return_value=f"workbooks by {write.__name__}"),
    ):
        yield


def _husk() -> bytes:
    """The least that passes for a workbook written whole, though no reader finds a page in it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("xl/workbook.xml"), '<sheet name="not written"/>')
    return content.getvalue()


HUSK = _husk()


def _left_empty(path: Path, *_what: object) -> str:
    path.write_bytes(HUSK)
    return hashlib.sha256(HUSK).hexdigest()
