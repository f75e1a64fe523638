"""Imports modules with declared numbers moved: the declaration is changed before anything can be made from it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

Moves = Mapping[str, Mapping[str, str]]  # by module: the name that is declared there, and the source of its new value


class MovingFinder(MetaPathFinder):
    """Finds the modules whose declarations are to be moved; must be asked before all other finders."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module with its declarations moved; None for any other."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self.moves else None
        if spec is not None and spec.origin is not None:
            spec.loader = _MovingLoader(fullname, spec.origin, self.moves[fullname])
        return spec


class _MovingLoader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, moved: Mapping[str, str]) -> None:
        super().__init__(fullname, path)
        self.moved = moved

    def get_code(self, fullname: str) -> CodeType:
        """Return the code with other values; what was compiled before does not count."""
        tree = ast.parse(self.get_data(self.path))
        for name, source in self.moved.items():
            _move(_declaration(tree, name), ast.parse(source, mode="eval").body)
        code: CodeType = compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)
        return code


def declarations(body: Sequence[ast.stmt], owner: str = "") -> dict[str, ast.Assign | ast.AnnAssign]:
    """Return what is declared in a module and in its classes, by name: CONSTANT, or Class.field."""
    found: dict[str, ast.Assign | ast.AnnAssign] = {}
    for statement in body:
        if isinstance(statement, ast.ClassDef) and not owner:
            found |= declarations(statement.body, f"{statement.name}.")
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found[owner + statement.targets[0].id] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            found[owner + statement.target.id] = statement
    return found


def _declaration(tree: ast.Module, name: str) -> ast.Assign | ast.AnnAssign:
    return declarations(tree.body)[name]


def _move(declared: ast.Assign | ast.AnnAssign, value: ast.expr) -> None:
    """Put another value in the place of a constant, of an option's default, or of a code that has its meaning by it."""
    old = declared.value
    if isinstance(old, ast.Call) and isinstance(old.func, ast.Name) and old.func.id == "option":
        old.args[0] = value
    elif isinstance(old, ast.Tuple) and isinstance(old.elts[0], ast.Constant) and isinstance(old.elts[1], ast.Constant):
        declared.value = ast.Tuple([value, *old.elts[1:]], ast.Load()) if _is_text(old.elts[1]) else value
    else:
        declared.value = value


def _is_text(node: ast.Constant) -> bool:
    return isinstance(node.value, str)
