"""The outcome of gates as JUnit XML, which CI systems show."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from scoresheet.cli.input.grammar import usage
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.results_folder import WriteFailed
from scoresheet.metrics.problem import Refusal

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ELEMENTS = {"failed": "failure", "undecided": "skipped"}


def check_junit(path: Path) -> None:
    """Refuse a path at which there is something else than an earlier outcome of gates."""
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise usage(f"--junit {path} is not a regular file")
    if path.is_file():
        with path.open("rb") as file:
            start = file.read(200)
        if start and b"<testsuites>" not in start:
            raise usage(f"--junit {path} is a file that is not JUnit XML, so it is not replaced")


def judged(path: str | None, outcomes: Mapping[str, RunOutcome]) -> RunOutcome:
    """Write the outcomes as JUnit XML if asked; return the last, which says if that failed."""
    outcome = list(outcomes.values())[-1]
    try:
        if path:
            write_junit(Path(path), outcomes)
    except (WriteFailed, Refusal) as error:
        code = Exit.NOT_WRITTEN if isinstance(error, WriteFailed) else Exit.USAGE
        reason = outcome.reason or str(error)
        return replace(outcome, exit_code=Exit.worst([code, outcome.exit_code]), reason=reason)
    return outcome


def write_junit(path: Path, outcomes: Mapping[str, RunOutcome]) -> None:
    """Write the outcomes, or replace those of an earlier run; the file is never half written."""
    check_junit(path)
    temporary = path.with_name(f".{path.name}.scoresheet")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(junit_xml(outcomes))
        temporary.replace(path)
    except OSError as error:
        raise WriteFailed(f"{path}: {error.strerror or error}") from error


def junit_xml(outcomes: Mapping[str, RunOutcome]) -> bytes:
    """Return a test suite for each job: a test that it was scored, and one for each gate."""
    root = ElementTree.Element("testsuites")
    for name, outcome in outcomes.items():
        suite = ElementTree.SubElement(root, "testsuite", name=_text(name))
        scored = ElementTree.SubElement(suite, "testcase", classname=_text(name), name="scored")
        broken = outcome.exit_code not in (Exit.OK, Exit.GATE)
        if broken:
            ElementTree.SubElement(scored, "error", message=_text(outcome.summary))
        for gate in outcome.gates:
            label = f"{gate.condition}: {gate.model}"
            labels = {"classname": _text(name), "name": _text(label)}
            case = ElementTree.SubElement(suite, "testcase", labels)
            if gate.state in ELEMENTS:
                ElementTree.SubElement(case, ELEMENTS[gate.state], message=_text(str(gate)))
        counts = {"tests": 1 + len(outcome.gates), "errors": int(broken)}
        counts |= {"failures": len(outcome.gates_in("failed"))}
        counts |= {"skipped": len(outcome.gates_in("undecided"))}
        suite.attrib |= {what: str(count) for what, count in counts.items()}
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _text(text: str) -> str:
    """Return a text without the characters that XML does not allow."""
    return _NOT_XML.sub("�", text)
