"""What a report depends on besides the files of its model: our code, the packages, the plan; each as a digest."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import scoresheet.cli
import scoresheet.metrics
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.typed_json import digest
from scoresheet.cli.version import VERSION
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.installed import package_metadata
from scoresheet.metrics.text.kernel import kernel_name

_ITSELF: Final = "scoresheet"
_SHORT: Final = 12  # digits of a digest that are enough to tell two apart
_NAME: Final = re.compile(r"[\w.-]+")
# of the plan: what no report of a model shows, and what is told by the family's name and by the rest of the plan
_NOT_SHOWN: Final = frozenset({"family", "reporter", "stage", "rules", "recipe", "processes"})


def recipe(plan: Plan[O, P, C, S, R, K]) -> str:
    """Return the digest of all that the reports of a run's models depend on but their files and the context.

    What is new in a plan counts until it is said to show nowhere: rather a model too many is scored.
    """
    fields = {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)}
    told = {name: value for name, value in fields.items() if name not in _NOT_SHOWN}
    rules = dataclasses.replace(plan.rules, header=None)  # it is made of the family's columns and `renamed`
    return digest([plan.family.name, told, rules, code_digest(), kernel_name(), versions()])


def with_context(plan: Plan[O, P, C, S, R, K], context: C) -> Plan[O, P, C, S, R, K]:
    """Return the plan with a recipe that the context is part of: it may be made of what other models hold."""
    if not plan.recipe:
        return plan
    try:
        return dataclasses.replace(plan, recipe=digest([plan.recipe, context]))
    except TypeError:
        return dataclasses.replace(plan, recipe="")  # it cannot be told from another: nothing is kept


@cache
def code_digest() -> str:
    """Return the SHA-256 of our own files as they are installed."""
    found = hashlib.sha256()
    for package in (scoresheet.cli, scoresheet.metrics):
        for path, name in sorted(_files(str(Path(str(package.__file__)).parent))):
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - there are hundreds, and this is twice as quick
                content = file.read()
            found.update(f"{name}\n{len(content)}\n".encode())
            found.update(content)
    return found.hexdigest()


def _files(folder: str, within: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of each file below a folder, and its name there; what Python compiled is none of ours."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")
            elif entry.is_file() and not entry.name.endswith((".pyc", ".pyo")):
                yield entry.path, within + entry.name


def fingerprint() -> dict[str, str]:
    """Return what two machines must have in common for their reports to be the same bytes."""
    code = f"{VERSION} ({code_digest()[:_SHORT]})"
    return {_ITSELF: code, "kernel": kernel_name(), **versions()}


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of Python, of the packages that we need, and of those that these need themselves."""
    found = {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "unicode": unicodedata.unidata_version,
        "machine": f"{sys.platform} {platform.machine()}",
    }
    for own in _needed(_ITSELF, extras=True):
        for name in (own, *_needed(own)):
            found[name] = next(iter(package_metadata(name).get("Version", [])), "")
    return found


def _needed(name: str, *, extras: bool = False) -> list[str]:
    """Return the packages that an installed one names as needed; those of extras if they are wanted."""
    lines = package_metadata(name).get("Requires-Dist", [])
    wanted = [line for line in lines if extras or "extra ==" not in line]
    names = [match[0].lower() for line in wanted if (match := _NAME.match(line))]
    return [each for each in names if each != _ITSELF]
