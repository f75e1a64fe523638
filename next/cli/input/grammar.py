"""The small languages of the command line: --column, --where and patterns of names."""

import difflib
import operator
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

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
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)')


@dataclass(frozen=True)
class Said:
    """One `--column ROLE=SOURCE` of the command line, for one kind of table."""

    table: str
    role: str
    source: str

    @property
    def option(self) -> str:
        """Return the option as it can be typed."""
        prefix = "" if self.table == "outputs" else f"{self.table}."
        return f"--column {prefix}{self.role}={self.source}"


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
            said.append(_parse_column(argument, tables))
        except Refusal as refusal:
            problems += refusal.problems
    if problems:
        raise Refusal(*problems)
    return tuple(said)


def _parse_column(argument: str, tables: Sequence[Table]) -> Said:
    role, equals, source = argument.partition("=")
    if not equals or not source.strip():
        raise usage(f"--column {argument}: write it as ROLE=SOURCE")
    table_name, dot, role_name = role.strip().rpartition(".")
    table = next((t for t in tables if t.name == (table_name or "outputs")), None)
    if table is None:
        names = [t.name for t in tables if t.name != "outputs"]
        near = nearest(table_name, names)
        hint = f"--column {shlex.quote(f'{near}.{role_name}={source}')}" if near else ""
        there = f"further tables: {', '.join(names)}" if names else "there are no further tables"
        raise usage(f"--column {argument}: {table_name} is not a further table; {there}", hint)
    known = (*table.role_names, "ignore")
    if role_name not in known:
        near = nearest(role_name, known)
        hint = f"--column {shlex.quote(f'{table_name}{dot}{near}={source}')}" if near else ""
        message = f"--column {argument}: {role_name} is not a role; roles: {', '.join(known)}"
        raise usage(message, hint)
    return Said(table.name, role_name, source.strip())


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

    def holds(self, cells: pd.Series) -> pd.Series:
        """Return for each cell whether the clause holds, as numbers where both sides are."""
        compare = _COMPARISONS[self.comparison]
        texts = cells.map(str).str.strip()
        # a cell that is not a number is unequal to one, and neither above nor below it
        value = pd.to_numeric(pd.Series([self.value]), errors="coerce").iloc[0]
        if pd.isna(value):
            return texts.map(lambda text: compare(text, self.value)).astype(bool)
        numbers = pd.to_numeric(texts, errors="coerce")
        unequal = self.comparison == "!="
        held: pd.Series = compare(numbers, value).where(numbers.notna(), unequal).astype(bool)
        return held


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
    for condition in conditions:
        column = condition.column
        if column not in frame.columns:
            near = nearest(column, [str(header) for header in frame.columns])
            hint = where_option(near, condition.comparison, condition.value) if near else ""
            hint = hint or f"columns: {', '.join(map(str, frame.columns[:40]))}"
            message = f"--where: there is no column {column}"
            raise Refusal(Problem("unknown-header", "skipped", message, hint=hint))
        kept = frame[condition.holds(frame[column])]
        if kept.empty and len(frame):
            values = frame[column].map(str).drop_duplicates()
            shown = ", ".join(values.head(5)) + (", …" if len(values) > 5 else "")
            message = f"--where {column} {condition.comparison} {condition.value} keeps no row"
            hint = f"column {column} holds {shown}"
            raise Refusal(Problem("no-rows", "skipped", message, hint=hint))
        frame = kept
    return frame


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unquoted(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
