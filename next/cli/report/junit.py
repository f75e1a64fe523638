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
DECLARATION = "<?xml version='1.0' encoding='utf-8'?>\n"
START = f"{DECLARATION}<testsuites>".encode()  # of every file
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
        broken = outcome.exit_code not in (Exit.OK, Exit.GATE)
        cases = [("scored", "error" if broken else "", outcome.summary)]
        for gate in outcome.gates:
            label = f"{gate.condition}: {gate.model}"
            cases.append((label, ELEMENTS.get(gate.state, ""), str(gate)))
        counts = {"tests": len(cases), "errors": int(broken)}
        counts |= {"failures": len(outcome.gates_in("failed"))}
        counts |= {"skipped": len(outcome.gates_in("undecided"))}
        shown = {what: str(count) for what, count in counts.items()}
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **shown})
        for label, element, message in cases:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=label)
            if element:
                ElementTree.SubElement(case, element, message=message)
    ElementTree.indent(root)
    text = _NOT_XML.sub("�", ElementTree.tostring(root, encoding="unicode"))
    return f"{DECLARATION}{text}\n".encode()
