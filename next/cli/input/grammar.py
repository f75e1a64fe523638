"""The small languages of the command line: --column, --where, --extract, patterns of names."""

import csv
import difflib
import io
import math
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

import pandas as pd

from scoresheet.cli.input.cells import number
from scoresheet.metrics.problem import Problem, Refusal, refusal
from scoresheet.metrics.role import Table

PLACES = {
    "@file": "file name",
    "@folder": "folder name",
    "@sheet": "worksheet",
    "@path": "name in the folder",
}
COMPARISONS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
# A text in quotes may hold " and " and comparisons; one without ends before them.
_CLAUSE = re.compile(
    r"""\s*("[^"]*"|'[^']*'|.+?)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|.*?)\s*(?:\s(?i:and)\s|$)""",
    re.DOTALL,
)
# A text may be cut off within its thinking, or begin within it.
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r".*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[A-Za-z+#.-]*[ \t]*$\n?|```|~~~", re.MULTILINE)
_LAST_ANSWER = (
    r"(?i:.*\b(?:final\s+answer(?:\s+is)?\b\W{0,3}?[:=]?|answer(?:\s+is)?\W{0,3}?[:=])[\s*]*)(.*)"
)
# A sign belongs to a number that does not follow a word or a number: 3-4, 2024-05-01, GPT-4.
_DIGITS = r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d+(?:[.,]\d+)?|\.\d+"
_NUMBER = rf"(?:(?<![\w.])[+−-])?(?:{_DIGITS})(?:[eE][+-]?\d+)?"
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?")  # Excel makes one of 4/5
_RATED = re.compile(rf"({_NUMBER})(?:\s*(?:/|out of)\s*{_NUMBER})?", re.ASCII | re.IGNORECASE)

Condition = tuple[str, str, str]  # a clause of --where: column, comparison, value


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
    """Return the known word that looks most like this one, or an empty text."""
    lowered = {k.casefold(): k for k in known}
    found = difflib.get_close_matches(word.casefold(), list(lowered), n=1, cutoff=0.6)
    return lowered[found[0]] if found else ""


def usage(message: str, hint: str = "") -> Refusal:
    """Return the refusal of something that was typed wrongly."""
    return Refusal(Problem("usage", "refused", message, hint=hint))


def parse_columns(arguments: Sequence[str], tables: Sequence[Table]) -> tuple[Said, ...]:
    """Return what --column says, or refuse names that are not roles of these tables."""
    roles = {
        f"{table.name}.{role}".removeprefix("outputs."): (table.name, role)
        for table in tables
        for role in (*table.role_names, "ignore")
    }
    said, problems = [], []
    for argument in arguments:
        name, _, source = (part.strip() for part in argument.partition("="))
        name = name.removeprefix("outputs.")
        if name in roles and source:
            said.append(Said(*roles[name], source))
            continue
        message, hint = f"--column {argument}: write it as ROLE=SOURCE", ""
        if source:
            table, _, role = name.rpartition(".")
            own = {r.rpartition(".")[2]: r for r in roles if r.rpartition(".")[0] == table}
            near = own.get(nearest(role, list(own)), "") if own else nearest(name, list(roles))
            hint = Said(*roles[near], source).option if near else ""
            known = ", ".join(own or roles)
            message = f"--column {argument}: {name} is not a role; roles: {known}"
        problems.append(Problem("usage", "refused", message, hint=hint))
    if problems:
        raise Refusal(*problems)
    return tuple(said)


def split_names(text: str) -> list[str]:
    """Return the names of a list separated by commas; a name that has a comma is in quotes.

    >>> split_names('ref1, "Paris, France"')
    ['ref1', 'Paris, France']
    """
    names = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in names if name.strip()]


def join_names(names: Sequence[str]) -> str:
    """Return names as `split_names` reads them.

    >>> join_names(["ref1", "Paris, France"])
    'ref1,"Paris, France"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def few(names: Sequence[str], count: int = 6) -> str:
    """Return the first of some names."""
    return ", ".join(names[:count]) + (", …" if len(names) > count else "")


def roles_of(template: str) -> list[str]:
    """Return the roles of a pattern of names such as `{model}_part{sheet}`."""
    roles = re.findall(r"\{([a-z_]+)\}", template)
    if len(set(roles)) != len(roles):
        raise usage(f"{template}: a role occurs twice in the pattern")
    return roles


def readings(template: str, name: str) -> list[dict[str, str]]:
    """Return the parts of a name: nothing if it does not fit the pattern, two if in two ways.

    >>> readings("{model}_{judge}", "gpt_4_kim")
    [{'model': 'gpt_4', 'judge': 'kim'}, {'model': 'gpt', 'judge': '4_kim'}]
    """
    found = []
    for part in (".+", ".+?"):
        pattern = re.sub(r"\\\{([a-z_]+)\\\}", rf"(?P<\1>{part})", re.escape(template))
        match = re.fullmatch(pattern, name, re.DOTALL)
        if match and match.groupdict() not in found:
            found.append(match.groupdict())
    return found


def parse_where(text: str) -> tuple[Condition, ...]:
    """Return the column, the comparison and the value of each clause of a --where.

    >>> parse_where("role == assistant and 'my score' >= 3")[1]
    ('my score', '>=', '3')
    """
    conditions: list[Condition] = []
    rest = text.strip()
    while rest:
        match = _CLAUSE.match(rest)
        if not match:
            message = f"--where {text}: write it as 'COLUMN OP VALUE', OP one of == != < <= > >="
            raise usage(message, "put a name or a value that has the word and in quotes")
        column, comparison, value = match.groups()
        conditions.append((_unquoted(column), comparison, _unquoted(value)))
        rest = rest[match.end() :].strip()
    return tuple(conditions)


def where_option(column: str, comparison: str, value: str) -> str:
    """Return a --where as it can be typed."""
    column, value = (
        f'"{part}"' if not part or re.search(r"(?i)\sand\s|[=<>]|^['\"]", part) else part
        for part in (column, value)
    )
    return f"--where {shlex.quote(f'{column} {comparison} {value}')}"


def filter_rows(frame: pd.DataFrame, conditions: Sequence[Condition]) -> pd.DataFrame:
    """Return the rows for which every clause of --where holds, as numbers where its value is one.

    A cell that is not a number is unequal to one, and neither above nor below it.
    """
    for column, comparison, value in conditions:
        compare, bound = COMPARISONS[comparison], number(value)
        if column not in frame.columns:
            near = nearest(column, list(frame.columns))
            hint = where_option(near, comparison, value) if near else ""
            hint = hint or f"columns: {few(list(frame.columns), 40)}"
            raise refusal("unknown-header", f"--where: there is no column {column}", hint)
        cells = frame[column].map(str)
        if math.isnan(bound):
            kept = frame[[compare(cell.strip(), value) for cell in cells]]
        else:
            kept = frame[[compare(number(cell), bound) for cell in cells]]
        if kept.empty and len(frame):
            message = f"--where {column} {comparison} {value} keeps no row"
            held = f"column {column} holds {few(list(cells.unique()), 5)}"
            raise refusal("no-rows", message, held)
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
    if how == "number":
        return lambda text: _last_number(without_thinking(text))
    try:
        pattern = re.compile(_LAST_ANSWER if how == "last" else how, re.DOTALL)
    except re.error as error:
        raise usage(f"--extract {how}: not a regular expression: {error}") from None

    def take(text: str) -> str:
        match = pattern.search(without_thinking(text))
        return (match[1 if pattern.groups else 0] or "").strip() if match else ""

    return take


def without_thinking(text: str) -> str:
    """Return a text without blocks of thinking and without the marks of code fences."""
    return _FENCE.sub("", _THOUGHT.sub("", _THINKING.sub("", text)))


def _last_number(text: str) -> str:
    last = [found[1] for found in _RATED.finditer(_DATE.sub("", text))][-1:]
    number = "".join(last).replace("−", "-")
    grouped = number.count(",") > 1 or ("," in number and "." in number)
    return number.replace(",", "") if grouped else number


def _unquoted(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
