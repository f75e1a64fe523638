"""The tests themselves: sorted by subject, independent of each other, and each with something to say."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = {str(path.relative_to(HERE)): path.read_text("utf-8") for path in sorted(HERE.rglob("*.py"))}
TESTS = {name: text for name, text in FILES.items() if Path(name).name.startswith("test_")}
HISTORY = ("reviewed", "traps", "first_tries", "hostile", "as_people_have_them")


@cache
def parsed(file: str) -> ast.Module:
    """The syntax tree of a file; parsing all of them once is enough."""
    return ast.parse(FILES[file])


def imported(statements: Sequence[ast.AST]) -> Iterator[str]:
    """Every module and name that statements import, as it would be written with dots."""
    for node in statements:
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from imported(getattr(node, part, ()) if not isinstance(node, ast.expr) else ())
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (f"{start}.{each.name}" for each in node.names)


def claims(test: ast.FunctionDef, helpers: dict[str, ast.FunctionDef]) -> bool:
    """Whether a test asserts or expects an error, itself or by a helper in its file."""
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Attribute) and node.attr in ("raises", "fail"):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in helpers:
            others = {name: helper for name, helper in helpers.items() if name != node.func.id}
            if claims(helpers[node.func.id], others):
                return True
    return False


def test_no_file_imports_a_test() -> None:
    modules = [(file, name) for file in FILES for name in imported([parsed(file)])]
    assert len(modules) > len(FILES)
    assert [each for each in modules if any(part.startswith("test_") for part in each[1].split("."))] == []


def test_a_file_is_named_after_its_subject_and_says_it_in_its_first_line() -> None:
    assert [file for file in TESTS if Path(file).stem.endswith(HISTORY)] == []
    assert [file for file, text in FILES.items() if text and not text.startswith('"""')] == []


def test_every_test_claims_something() -> None:
    silent = []
    for file in TESTS:
        functions = {node.name: node for node in parsed(file).body if isinstance(node, ast.FunctionDef)}
        helpers = {name: function for name, function in functions.items() if not name.startswith("test_")}
        tests = [name for name in functions if name not in helpers]
        silent += [f"{file}: {name}" for name in tests if not claims(functions[name], helpers)]
    assert silent == []


def test_no_test_hides_among_the_helpers() -> None:
    others = {file: text for file, text in FILES.items() if file not in TESTS}
    assert "helpers/files.py" in others
    assert [file for file, text in others.items() if "\ndef test_" in text] == []
