"""Collects what the tool says to people; as a script, with every number of the table moved, as JSON."""

from __future__ import annotations

import ast
import dataclasses
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.declared.moving import MovingFinder, declarations

ROOT = Path(__file__).resolve().parents[2]
_MARK = re.compile(r"<!--(?:=[\w-]+|/)-->")
_CODE = re.compile(r"```.*?```", re.DOTALL)
_SHOWN_OUTPUT = re.compile(
    r"<!-- begin: .*?<!-- end: [^>]*-->", flags=re.DOTALL
)  # what runs printed; not made anew here


def collect() -> dict[str, str]:
    """Return every text with a number in it by where it stands: pages, sentences of modules, and typed literals."""
    found = {**_pages(), **_sentences_of_modules(), **_sentences_of_runs(), **literals()}
    plain = {name: " ".join(text.split()) for name, text in found.items()}
    once = dict(zip(reversed(plain.values()), reversed(plain.keys()), strict=True))
    return {name: text for text, name in once.items() if " " in text}


def _pages() -> dict[str, str]:
    sys.path.append(str(ROOT / "docs"))
    from generate import texts

    pages = {str(path.relative_to(ROOT)): _MARK.sub("", _SHOWN_OUTPUT.sub("", text)) for path, text in texts().items()}
    for measured in ("docs/benchmarks.md", "docs/calibration.md"):
        del pages[measured]  # what was found with the numbers as they are; not made anew here either
    # signatures hold the constants themselves, and examples are numbers of their own, which doctests hold to the truth
    return pages | {"docs/api.md": _CODE.sub("", pages["docs/api.md"])}


def _sentences_of_modules() -> dict[str, str]:
    """Return all strings that modules hold: method lines, columns, measures, options, kinds of problems."""
    import scoresheet.cli
    import scoresheet.metrics

    found = {}
    for package in (scoresheet.cli, scoresheet.metrics):
        for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not each.name.endswith("__main__"):
                module = import_module(each.name)
                for name in _declared_in(module):
                    for number, text in enumerate(_strings(getattr(module, name, None))):
                        found[f"{each.name}.{name} {number}"] = text
    return found


def _declared_in(module: ModuleType) -> list[str]:
    file = Path(str(module.__file__))
    source = file.read_text(encoding="utf-8") if file.suffix == ".py" else ""  # what is compiled holds no sentence
    return [name for name in declarations(ast.parse(source).body) if "." not in name]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list | frozenset | set):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _strings(key)
            yield from _strings(each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _strings(getattr(value, field.name))


def _sentences_of_runs() -> dict[str, str]:
    """Return sentences that are made while something is read or scored, and that hold a number of ours."""
    from scoresheet.cli.report.collective_markdown import _diagnostic_lines
    from scoresheet.cli.report.intervals import describe_bootstrap, with_intervals
    from scoresheet.cli.report.mode_collapse_pages import power_page
    from scoresheet.metrics.families.collective.alerts import loss_warnings
    from scoresheet.metrics.families.diversity.options import DiversityOptions
    from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
    from scoresheet.metrics.families.mode_collapse.power import SamplesNeeded
    from scoresheet.metrics.families.sinfo.audit import compare_with_rouge
    from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, SIGNIFICANCE_LEVEL, check_confidence, too_few

    routing = SimpleNamespace(
        entropy=0.4, share=0.2, experts=("a", "b"), load_balance=0.9, load_variation=0.3, loads=(None,), dead=()
    )
    system: Any = SimpleNamespace(
        fingerprints=SimpleNamespace(diversity=0.3),
        anchors=None,
        routing=routing,
        half_failure=None,
        training=SimpleNamespace(warnings=lambda: loss_warnings("loss", [1, 1, 1])),
        patterns=(),
        alert_list=(),
        past_alerts=(),
    )
    lines = {line.measure: " ".join(line) for line in _diagnostic_lines(system)}
    audit = dataclasses.replace(compare_with_rouge([], too_long=1), checked=1)
    power = power_page(ModeCollapseOptions.power_gini, [SamplesNeeded(2, 0.8, (None, None, None))], SIGNIFICANCE_LEVEL)
    return {
        **lines,
        "audit": audit.sentence(),
        "chart": with_intervals("Something", CONFIDENCE_LEVEL),
        "power": f"{power.title} {' '.join(f'{column.name}: {column.about}' for column in power.columns)}",
        "bootstrap": describe_bootstrap("items", CONFIDENCE_LEVEL),
        "too few": too_few(3, "items"),
        "confidence": _refusal(lambda: check_confidence(2)),
        "alpha": _refusal(lambda: DiversityOptions(alpha=1e9)),
        "max-grade": _refusal(lambda: DiversityOptions(max_grade=1e9)),
        "fuzzy": _refusal(lambda: ModeCollapseOptions(fuzzy=10**9)),
        "power-gini": _refusal(lambda: ModeCollapseOptions(power=True, power_gini=1e9, fuzzy=0)),
    }


def _refusal(make: Callable[[], object]) -> str:
    try:
        make()
    except ValueError as error:
        return str(error)
    raise AssertionError("this should have been refused")


def literals() -> dict[str, str]:
    """Return the strings that are typed in the source, where they may be part of a sentence; of docstrings none."""
    found: dict[str, str] = {}
    for path in sorted([*(ROOT / "cli").rglob("*.py"), *(ROOT / "metrics").rglob("*.py")]):
        finder = _Literals()
        finder.visit(ast.parse(path.read_text(encoding="utf-8")))
        found |= {f"{path.relative_to(ROOT)}:{line}": text for line, text in finder.found}
    return found


class _Literals(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # else it is a docstring
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.found.append((node.lineno, node.value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        self.found.append((node.lineno, "".join(map(str, parts))))


if __name__ == "__main__":
    from tests.declared.numbers import NUMBERS

    moves: dict[str, dict[str, str]] = {}
    for number in NUMBERS:
        moves.setdefault(number.module, {})[number.name] = number.moved
    sys.meta_path.insert(0, MovingFinder(moves))
    json.dump(collect(), sys.stdout)
