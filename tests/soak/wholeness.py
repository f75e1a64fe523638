"""Is every report in a results folder whole: as it was before the run, or as the run makes it, and nothing between?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.helpers.files import digests, sha256
from tests.helpers.runs import LOCK, MANIFEST

OWN = ".scoresheet"  # how all begins that a run keeps beside the reports while it works
MARK = ".scoresheet-command"

Reports = Mapping[str, str]  # file → SHA-256


def reports_in(folder: Path) -> dict[str, str]:
    """The digests of the reports; what a run keeps beside them while it works is none."""
    return {name: digest for name, digest in digests(folder).items() if not name.startswith(OWN)}


def not_whole(folder: Path, old: Reports, new: Reports) -> str:
    """What is neither the old report nor the new one, or lost though both have it; '' if there is nothing such."""
    found = reports_in(folder)
    wrong = [name for name, digest in found.items() if digest not in (old.get(name), new.get(name))]
    lost = [name for name in old.keys() & new.keys() if name not in found]
    return "; ".join(
        [
            *(f"{name} is neither the old report nor the new one" for name in wrong),
            *(f"{name} is lost" for name in lost),
            *_false_manifest(folder),
        ]
    )


def not_exactly(folder: Path, wanted: Reports) -> str:
    """How a folder differs from what a run that came to its end leaves; '' if it does not."""
    found = reports_in(folder)
    differing = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith(OWN))
    said = [f"{name} is not as it should be" for name in differing] + [f"{name} was left behind" for name in left]
    return "; ".join([*said, *_false_manifest(folder)] if (folder / MANIFEST).exists() else [*said, "no manifest"])


def _false_manifest(folder: Path) -> list[str]:
    """What a manifest vouches for and is not so; without one nothing is vouched for."""
    if not (folder / MANIFEST).exists():
        return []
    try:
        listed = json.loads((folder / MANIFEST).read_text("utf-8"))["outputs"]
    except ValueError as error:
        return [f"the manifest is not whole: {error}"]
    return [
        f"{each['file']} is not what the manifest lists"
        for each in listed
        if not (folder / each["file"]).is_file() or sha256(folder / each["file"]) != each["sha256"]
    ]


def is_locked(folder: Path) -> bool:
    """Whether a run has taken the folder."""
    return (folder / LOCK).exists()
