"""Verdicts as JUnit XML: a test case for each model and gate, as CI servers show them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from scoresheet.cli.write.cell_text import escape_control_characters, escape_unseen_characters
from scoresheet.metrics.records import dataclass

_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class TestCase:
    """One line of the report: who, what, and why not, if it failed."""

    name: str
    owner: str
    failure: str = ""  # '' where it held

    __test__ = False  # no test of ours


def write_junit(path: Path, suite: str, cases: Sequence[TestCase]) -> None:
    """Write cases as one suite; servers tell them by their names, so that no two of an owner have the same."""
    named = Counter[tuple[str, str]]()
    failed = sum(bool(case.failure) for case in cases)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="{len(cases)}" failures="{failed}">',
        f'<testsuite name={_attribute(suite)} tests="{len(cases)}" failures="{failed}" errors="0" skipped="0">',
    ]
    for case in cases:
        named[case.owner, case.name] += 1
        number = named[case.owner, case.name]
        name = f"{case.name} ({number})" if number > 1 else case.name
        opening = f"<testcase classname={_attribute(case.owner)} name={_attribute(name)}"
        if case.failure:
            lines.append(
                f"{opening}><failure message={_attribute(case.failure)}>{_text(case.failure)}</failure></testcase>"
            )
        else:
            lines.append(f"{opening}/>")
    path.write_text("\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n", encoding="utf-8")


def _text(text: str) -> str:
    return escape(_plain(text))


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    shown = escape_unseen_characters(escape_control_characters(text)).replace("\n", r"\n")
    return _NOT_IN_XML.sub("\ufffd", shown)
