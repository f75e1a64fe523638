"""On which line of a TOML file does a key stand?"""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.config.toml_lines import key_lines

CASES: dict[str, tuple[str, dict[tuple[str, ...], int]]] = {
    "dotted keys": ("# one\na.b . c = 1\n\na.d = 2\n", {("a", "b", "c"): 2, ("a", "d"): 4, ("a",): 2}),
    "quoted keys": ('"x.y" = 1\n\'z w\'."\\u0061" = 2\n', {("x.y",): 1, ("z w", "a"): 2}),
    "the same key in two tables": ("[a]\nk = 1\n[b]\n\nk = 2\n", {("a", "k"): 2, ("b", "k"): 5}),
    "a table that a dotted header opens": ('\n[job . "b c"] # x\nseed = 2', {("job",): 2, ("job", "b c", "seed"): 3}),
    "text that looks like keys": ('a = """\n[b]\nk = 1\n"""\nc = 2', {("a",): 1, ("c",): 5}),
    "literal text that looks like keys": ("a = '''\n[b]\n'''''\nc = '#'\nd = 1", {("a",): 1, ("c",): 4, ("d",): 5}),
    "a list over lines": ('a = [\n "]", # ]\n [1, 2],\n]\nb = 1', {("a",): 1, ("b",): 5}),
    "a table in a line": ("a = {b = {c = 1}, 'd' = [{e = 2}]}\nf = 1", {("a", "b", "c"): 1, ("a", "d"): 1, ("f",): 2}),
    "tables in a list": ("[[a]]\nk = 1\n[[a]]\nk = 2\nm = 3", {("a", "k"): 2, ("a", "m"): 5}),
    "escaped quotes": ('a = "\\"#\\""\nb = """\\""""\nc = 1', {("a",): 1, ("b",): 2, ("c",): 3}),
    "a date": ("a = 1979-05-27 07:32:00 # x\nb = 1", {("a",): 1, ("b",): 2}),
}


@pytest.mark.parametrize("name", CASES)
def test_every_key_is_found_on_its_line(name: str) -> None:
    text, expected = CASES[name]
    tomllib.loads(text)  # a case that is no TOML says nothing
    found = key_lines(text)
    assert {keys: found.get(keys) for keys in expected} == expected


def _paths(value: object, above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    if not isinstance(value, dict):
        return set()
    return {path for key, part in value.items() for path in ((*above, key), *_paths(part, (*above, key)))}


KEYS = st.text("aZ0_-. ß中😀#[]{}=,\"'\\\n\t\x07", min_size=1, max_size=4)
VALUES = st.one_of(st.integers(0, 9), st.booleans(), st.text("ab\"'#[]{}=.,\n\\", max_size=6))


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in plain) + '"'


def _written(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else str(value).lower()


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3), max_size=3))
def test_the_lines_of_a_file_are_those_on_which_it_was_written(tables: dict[str, dict[str, object]]) -> None:
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, pairs in tables.items():
        lines += ["# a remark with [brackets] and = signs", f"[{_quoted(table)}]"]
        expected[(table,)] = len(lines)
        for key, value in pairs.items():
            lines.append(f"{_quoted(key)} = {_written(value)}")
            expected[(table, key)] = len(lines)
    text = "\n".join(lines)
    assert _paths(tomllib.loads(text)) == set(expected)
    assert key_lines(text) == expected
