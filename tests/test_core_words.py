"""The core speaks of numbers and tables; how options, arguments and pages are called is the shell's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "metrics").rglob("*.py"))
# an option as a shell spells it, or an argument as help names it
SHELL = re.compile(r"(?<![\w-])--[a-z]|\b(REFERENCES|OUTPUTS|CHOICE_TABLE)\b")
PRESENTATION = {"Page", "Chart", "StackedChart", "LineChart", "Histogram", "Workbook", "Picture", "ModelPages"}


@cache
def nodes(module: Path) -> list[ast.AST]:
    """Return the syntax tree of a module, taken apart."""
    return list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def texts(module: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module that are no docstrings, with their lines."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    marked = {
        id(word)
        for node in nodes(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "argument"
        for word in node.args
    }
    other = docstrings | marked
    for node in nodes(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in other:
            yield node.lineno, node.value


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(ROOT).as_posix())
def test_no_string_of_the_core_spells_an_option_or_an_argument(module: Path) -> None:
    marked = {line for line, text in texts(module) if SHELL.search(text)}
    if module.name == "messages.py" and module.parent.name == "metrics":
        return  # where a shell's spelling is made
    assert not marked, f"{module.name}, lines {sorted(marked)}: name options with messages.flag"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(ROOT).as_posix())
def test_the_core_knows_no_page_and_no_chart(module: Path) -> None:
    names = {node.id for node in nodes(module) if isinstance(node, ast.Name)}
    assert not names & PRESENTATION
