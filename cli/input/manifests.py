"""The record that a run leaves in its results folder, read with care: anything may stand in its place."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scoresheet.cli.input.guard import read_regular

MANIFEST: Final = "manifest.json"
# Stands in while there is no manifest: from before the old one goes until the new one is there. It has the same form.
MARK: Final = ".scoresheet-command"
TOOL: Final = "scoresheet"
# Folders of a results folder that hold files of ours too; a file is listed by its path, with /.
CACHE: Final = "cache"  # what a run keeps of each model, so that the next need not score it again
TABLES: Final = "tables"  # pages of workbooks as CSV
FOLDERS: Final = (CACHE, TABLES)
LARGEST_MANIFEST: Final = 64 * 2**20  # bytes; one of 100,000 models has fewer
_FAILURES: Final = (errno.EIO, errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_MOST_VALUES: Final = 10**6  # lists and objects: of a few bytes each, they take a hundred in memory


def is_kept(name: str) -> bool:
    """Return whether a file of a results folder is no report, but kept for the next run."""
    return name.startswith(f"{CACHE}/")


def is_results(folder: Path) -> bool:
    """Return whether a folder holds reports of ours: its manifest says so, or the mark of an interrupted run."""
    return any(read_record(folder / name) is not None for name in (MANIFEST, MARK))


def read_record(path: Path) -> Mapping[str, object] | None:
    """Return a file's JSON object if it names us as its writer; a file of any other kind is not even opened.

    OSError if the disk or the system failed: then nobody knows whose it is.
    """
    try:
        if not path.stat().st_size:  # some files of the system are regular, have no size and never end
            return None
        content = read_regular(path, LARGEST_MANIFEST)
        if content.count(b"[") + content.count(b"{") > _MOST_VALUES or content.count(b",") > 4 * _MOST_VALUES:
            return None
        record = json.loads(content)
    except OSError as error:
        if error.errno in _FAILURES:
            raise
        return None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("tool") == TOOL else None
