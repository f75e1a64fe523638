"""The outcome of gates as JUnit XML, which CI systems show."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.results_folder import WriteFailed, check_single, write_single
from scoresheet.metrics.problem import Refusal

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
START = b"<?xml version='1.0' encoding='utf-8'?>\n<testsuites>"  # of every file
ELEMENTS = {"failed": "failure", "undecided": "skipped"}


def judged(path: str | None, outcomes: Mapping[str, RunOutcome]) -> RunOutcome:
    """Write the outcomes as JUnit XML if asked; return the last, which says if that failed."""
    outcome = list(outcomes.values())[-1]
    try:
        if path:
            check_single(Path(path), START)
            write_single(Path(path), junit_xml(outcomes))
    except (WriteFailed, Refusal) as error:
        code = Exit.NOT_WRITTEN if isinstance(error, WriteFailed) else Exit.USAGE
        reason = outcome.reason or str(error)
        return replace(outcome, exit_code=Exit.worst([code, outcome.exit_code]), reason=reason)
    return outcome


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
