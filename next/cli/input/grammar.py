"""The small languages of the command line: --column, --where, --extract, patterns of names."""

import difflib
import math
import operator
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scoresheet.cli.input.cells import number
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table

PLACES = {
    "@file": "file name",
    "@folder": "folder name",
    "@sheet": "worksheet",
    "@path": "name in the folder",
}
_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
# A text in quotes may hold " and " and comparisons; one without ends before them.
_CLAUSE = re.compile(
    r"""\s*("[^"]*"|'[^']*'|.+?)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|.*?)\s*(?:\s(?i:and)\s|$)""",
    re.DOTALL,
)
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
# A text may be cut off within its thinking, or begin within it.
_BEGUN = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_ENDED = re.compile(r".*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[A-Za-z+#.-]*[ \t]*$\n?|```|~~~", re.MULTILINE)
_ANSWER = re.compile(
    r"\b(?:final\s+answer(?:\s+is)?\b\W{0,3}?[:=]?|answer(?:\s+is)?\W{0,3}?[:=])[\s*]*",
    re.IGNORECASE,
)
# A sign belongs to a number that does not follow a word or a number: 3-4, 2024-05-01, GPT-4.
_DIGITS = r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d+(?:[.,]\d+)?|\.\d+"
_NUMBER = re.compile(rf"(?:(?<![\w.])[+−-])?(?:{_DIGITS})(?:[eE][+-]?\d+)?", re.ASCII)
_OUT_OF = re.compile(rf"({_NUMBER.pattern})\s*(?:/|out of)\s*{_NUMBER.pattern}", re.IGNORECASE)
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)')


@dataclass(frozen=True)
class Said:
    """One `--column ROLE=SOURCE` of the command line, for one kind of table."""

    table: str
    role: str
    source: str

    @property
    def option(self) -> str:
        """Return the option as it can be typed.

        >>> Said("references", "reference", "a b").option
        "--column 'references.reference=a b'"
        """
        table = "" if self.table == "outputs" else f"{self.table}."
        return f"--column {shlex.quote(f'{table}{self.role}={self.source}')}"


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that looks most like this one, or an empty text.

    >>> nearest("predicton", ["prediction", "idiom"])
    'prediction'
    """
    lowered = {k.casefold(): k for k in known}
    found = difflib.get_close_matches(word.casefold(), list(lowered), n=1, cutoff=0.6)
    return lowered[found[0]] if found else ""


def usage(message: str, hint: str = "") -> Refusal:
    """Return the refusal of something that was typed wrongly."""
    return Refusal(Problem("usage", "refused", message, hint=hint))


def parse_columns(arguments: Sequence[str], tables: Sequence[Table]) -> tuple[Said, ...]:
    """Return what --column says, or refuse names that are not roles of these tables."""
    said: list[Said] = []
    problems: list[Problem] = []
    for argument in arguments:
        try:
            said.append(_parse_column(argument, {table.name: table for table in tables}))
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise Refusal(*problems)
    return tuple(said)


def _parse_column(argument: str, tables: dict[str, Table]) -> Said:
    role, equals, source = argument.partition("=")
    if not equals or not source.strip():
        raise usage(f"--column {argument}: write it as ROLE=SOURCE")
    table, dot, role = role.strip().rpartition(".")
    if table not in tables and dot:
        further = [name for name in tables if name != "outputs"]
        near = nearest(table, further)
        hint = Said(near, role, source).option if near else ""
        message = f"{table} is not a further table ({', '.join(further) or 'there are none'})"
        raise usage(f"--column {argument}: {message}", hint)
    known = (*tables[table or "outputs"].role_names, "ignore")
    if role not in known:
        near = nearest(role, known)
        hint = Said(table or "outputs", near, source).option if near else ""
        message = f"--column {argument}: {role} is not a role; roles: {', '.join(known)}"
        raise usage(message, hint)
    return Said(table or "outputs", role, source.strip())


def split_names(text: str) -> list[str]:
    """Return the names of a list separated by commas; a name that has a comma is in quotes.

    >>> split_names('ref1, "Paris, France"')
    ['ref1', 'Paris, France']
    """
    found = ((quoted.replace('""', '"') or plain) for quoted, plain in _NAME.findall(text))
    return [name for name in found if name]


def join_names(names: Sequence[str]) -> str:
    """Return names as `split_names` reads them.

    >>> join_names(["ref1", "Paris, France"])
    'ref1,"Paris, France"'
    """
    doubtful = [name for name in names if "," in name or name.startswith('"')]
    return ",".join(_quoted(name) if name in doubtful else name for name in names)


def pattern_of(template: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return the expression for names such as `{model}_part{sheet}`, and its roles.

    >>> pattern_of("{model}_{judge}")[0].fullmatch("gpt_4_kim").groups()
    ('gpt_4', 'kim')
    """
    pieces = re.split(r"\{([a-z_]+)\}", template)
    roles = tuple(pieces[1::2])
    if len(set(roles)) != len(roles):
        raise usage(f"{template}: a role occurs twice in the pattern")
    expression = "".join(
        f"(?P<{piece}>.+)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)
    )
    return re.compile(expression, re.DOTALL), roles


def has_two_readings(pattern: re.Pattern[str], name: str) -> bool:
    """Return whether a name fits a pattern in more than one way.

    >>> has_two_readings(pattern_of("{model}_{judge}")[0], "gpt_4_kim")
    True
    """
    lazy = re.compile(pattern.pattern.replace(".+)", ".+?)"), re.DOTALL)
    greedy_match, lazy_match = pattern.fullmatch(name), lazy.fullmatch(name)
    return bool(greedy_match and lazy_match and greedy_match.groups() != lazy_match.groups())


@dataclass(frozen=True)
class Condition:
    """One clause of --where."""

    column: str
    comparison: str
    value: str

    def holds(self, cells: Iterable[Any]) -> list[bool]:
        """Return for each cell whether the clause holds, as numbers where the value is one.

        A cell that is not a number is unequal to one, and neither above nor below it.
        """
        compare, value = _COMPARISONS[self.comparison], number(self.value)
        if math.isnan(value):
            return [compare(str(cell).strip(), self.value) for cell in cells]
        return [compare(number(str(cell)), value) for cell in cells]


def parse_where(text: str) -> tuple[Condition, ...]:
    """Return the clauses of a --where.

    >>> parse_where("role == assistant and 'my score' >= 3")[1]
    Condition(column='my score', comparison='>=', value='3')
    """
    conditions: list[Condition] = []
    rest = text.strip()
    while rest:
        match = _CLAUSE.match(rest)
        if not match:
            message = f"--where {text}: write it as 'COLUMN OP VALUE', OP one of == != < <= > >="
            raise usage(message, "put a name or a value that has the word and in quotes")
        column, comparison, value = match.groups()
        conditions.append(Condition(_unquoted(column), comparison, _unquoted(value)))
        rest = rest[match.end() :].strip()
    return tuple(conditions)


def where_option(column: str, comparison: str, value: str) -> str:
    """Return a --where as it can be typed.

    >>> print(where_option("rock and roll", "==", "1"))
    --where '"rock and roll" == 1'
    """
    parts = [column, value or '""']
    odd = [re.search(r"\sand\s|[=<>]|^['\"]", part, re.IGNORECASE) for part in parts]
    column, value = (
        (f'"{part}"' if found and part != '""' else part)
        for part, found in zip(parts, odd, strict=True)
    )
    return f"--where {shlex.quote(f'{column} {comparison} {value}')}"


def filter_rows(frame: pd.DataFrame, conditions: Sequence[Condition]) -> pd.DataFrame:
    """Return the rows for which every clause of --where holds."""
    for where in conditions:
        if where.column not in frame.columns:
            near = nearest(where.column, list(frame.columns))
            hint = where_option(near, where.comparison, where.value) if near else ""
            hint = hint or f"columns: {', '.join(frame.columns[:40])}"
            message = f"--where: there is no column {where.column}"
            raise Refusal(Problem("unknown-header", "skipped", message, hint=hint))
        cells = frame[where.column]
        kept = frame[where.holds(cells)]
        if kept.empty and len(frame):
            values = list(dict.fromkeys(map(str, cells)))
            shown = ", ".join(values[:5]) + (", …" if len(values) > 5 else "")
            message = f"--where {where.column} {where.comparison} {where.value} keeps no row"
            hint = f"column {where.column} holds {shown}"
            raise Refusal(Problem("no-rows", "skipped", message, hint=hint))
        frame = kept
    return frame


def extractor(how: str) -> Callable[[str], str]:
    """Return the function that takes an answer out of a text.

    `how` is `last` (the text after the last "answer:"), `number` (the last number) or a regular
    expression, of which the first group or else the whole match is taken. Blocks of thinking and
    the marks of code fences are dropped first; where nothing is found the text is empty.

    >>> extractor("number")("I give it 8 out of 10.")
    '8'
    >>> extractor("last")("<think>answer: 3?</think> Final answer: 4")
    '4'
    """
    take = {"last": _after_answer, "number": _last_number}.get(how) or _by_pattern(how)
    return lambda text: take(without_thinking(text)).strip()


def without_thinking(text: str) -> str:
    """Return a text without blocks of thinking and without the marks of code fences."""
    spoken = _ENDED.sub("", _THINKING.sub("", text))
    return _FENCE.sub("", _BEGUN.sub("", spoken))


def _after_answer(text: str) -> str:
    parts = _ANSWER.split(text)
    return parts[-1] if len(parts) > 1 else ""


def _last_number(text: str) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return ""
    ratios = [r[1] for r in _OUT_OF.finditer(text) if r.end() == found[-1].end()]
    last = str([found[-1][0], *ratios][-1]).replace("−", "-")
    grouped = last.count(",") > 1 or ("," in last and "." in last)
    return last.replace(",", "") if grouped else last


def _by_pattern(expression: str) -> Callable[[str], str]:
    try:
        pattern = re.compile(expression, re.DOTALL)
    except re.error as error:
        raise usage(f"--extract {expression}: not a regular expression: {error}") from None

    def take(text: str) -> str:
        match = pattern.search(text)
        return (match[1 if pattern.groups else 0] or "") if match else ""

    return take


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unquoted(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
