"""The screen: stdout has the answer and its tables, stderr everything else."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.text import NO_BREAK, cell_text, cut_middle, unbroken, wrap
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

Line = list[tuple[str, str]]  # texts and their styles

MOST_LINES = 10  # of problems
SHORTEST_NAME = 12
COLOURS = {"good": "green", "middle": "yellow", "bad": "red", "": ""}
EFFECTS = {"refused": "bold red", "skipped": "bold red", "row": "yellow", "note": "bright_black"}
EXITS = {Exit.OK: "bold green", Exit.PARTIAL: "bold yellow"}  # red for all others
ASCII = dict(zip("←→·–−─…×∞", ("<-", "->", "|", "-", "-", "-", "...", "x", "inf"), strict=True))

# Characters that would move the cursor, change the direction of text, or cannot be printed.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Leave the decision to the caller; rich would end the process with code 1."""
        raise  # noqa: PLE0704


def console(stream: TextIO) -> Console:
    """Return a console that prints text as it is, with colour only on a terminal."""
    tty = stream.isatty()
    return _Screen(file=stream, markup=False, emoji=False, highlight=False, force_terminal=tty)


def plain(text: object, screen: Console) -> str:
    """Return a text that the screen can show; no-break spaces are kept for wrapping."""
    shown = _UNPRINTABLE.sub(lambda m: " " if m[0] in "\t\n" else ascii(m[0])[1:-1], str(text))
    code = screen.encoding
    if code.startswith("utf"):
        return shown
    for character, replacement in ASCII.items():
        shown = shown.replace(character, replacement)
    parts = (part.encode(code, "backslashreplace").decode(code) for part in shown.split(NO_BREAK))
    return NO_BREAK.join(parts)


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[[], None]]:
    """Show a progress bar on stderr if it is a terminal; yields the function that advances it."""
    screen = console(sys.stderr)
    if not screen.is_terminal:
        yield lambda: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(plain(label, screen), total=total)
        yield lambda: bar.advance(task)


def print_outcome(
    outcome: RunOutcome, *, verbose: bool, quiet: bool, out: Console, err: Console
) -> None:
    """Print what a run did."""
    if quiet and outcome.exit_code == Exit.OK:
        return
    skipped = [problem for problem in outcome.problems if problem.effect == "skipped"]
    refused = [problem for problem in outcome.problems if problem.effect == "refused"]
    if refused := refused or (skipped if outcome.exit_code == Exit.USAGE else []):
        _print_refusals(refused, err, verbose)
        _print_status(replace(outcome, status=()), err)
        return
    if not quiet:
        for line in outcome.mapping:
            roles = wrap(plain(line, err), err.width, separator=plain(" · ", err), indent=2)
            _print(err, *([(part, "bright_black")] for part in roles))
        if outcome.mapping:
            _print(err, [])
        _print_answer(outcome, out)
        # A reader who sees only stderr needs no second blank line.
        if out.is_terminal or not err.is_terminal:
            _print(err, [])
    _print_problems(skipped if quiet else outcome.problems, err, verbose)
    _print_status(outcome, err)
    if outcome.workbook and not quiet:
        _print(err, [], [("Workbook: ", ""), (plain(outcome.workbook, err), "cyan")])
    if outcome.worst_unit and not quiet:
        _print(err, *_with_commands([], outcome.worst_unit, err))


def _print(screen: Console, *lines: Line) -> None:
    """Print lines that rich neither wraps nor interprets."""
    for line in lines:
        text = Text.assemble(*((part.replace(NO_BREAK, " "), style) for part, style in line))
        text.rstrip()
        screen.print(text, soft_wrap=True)


def _width(screen: Console) -> int:
    return min(screen.width, 100)


def _print_answer(outcome: RunOutcome, out: Console) -> None:
    words = "|".join(re.escape(plain(word, out)) for word in outcome.emphasis)
    for sentence in outcome.answer:
        for line in wrap(plain(unbroken(sentence), out), _width(out)):
            text = Text(line.replace(NO_BREAK, " "))
            if words:
                text.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold")
            out.print(text, soft_wrap=True)
    if outcome.headline:
        _print(out, [])
        print_table(outcome.headline, out, outcome.dropped.get("headline", ()), outcome.failed)
    for page in (outcome.comparison, *outcome.breakdowns):
        if page:
            _print(out, [], [(f"  {plain(page.title, out)}", "bright_black")])
            kind = "comparison" if page is outcome.comparison else "breakdowns"
            print_table(page, out, outcome.dropped.get(kind, ()))


def print_table(
    page: Page, screen: Console, dropped: Sequence[str] = (), failed: Sequence[str] = ()
) -> None:
    """Print a page, without the columns that do not fit, in the order of `dropped`."""
    key = page.columns[0]
    is_failed = [name in failed for name in page.frame[key.name]]
    columns = {}
    for position, column in enumerate(page.columns):
        texts = [plain(cell_text(value, column), screen) for value in page.frame[column.name]]
        if column is not key:
            word = "failed" if position == 1 else ""
            texts = [word if fails else text for fails, text in zip(is_failed, texts, strict=True)]
        columns[replace(column, label=plain(column.label, screen))] = texts
    for name in dropped:
        if _table_width(columns, screen.width) > screen.width - 2:
            columns = {c: texts for c, texts in columns.items() if name not in (c.name, c.label)}
    limit = screen.width
    while limit > SHORTEST_NAME and _table_width(columns, limit) > screen.width - 2:
        limit -= 1
    height = max(len(_header(column, texts)) for column, texts in columns.items())
    lines: list[Line] = [[] for _ in range(height + len(is_failed))]
    for column, texts in columns.items():
        header = _header(column, texts)
        room = limit if column.is_prose else screen.width
        cells = [("", "")] * (height - len(header)) + [(text, "bold") for text in header]
        for row, text in enumerate(texts):
            style = _style(page, column, row, is_failed[row])
            cells.append((cut_middle(text, room, plain("…", screen)), style))
        width = max(cell_len(text) for text, _ in cells)
        for line, (text, style) in zip(lines, cells, strict=True):
            padding = (" " * (width - cell_len(text)), "")
            pair = [padding, (text, style)] if column.on_the_right else [(text, style), padding]
            line += [("  ", ""), *pair]
    rule = plain("─", screen) * _table_width(columns, limit)
    lines.insert(height, [("  ", ""), (rule, "bright_black")])
    _print(screen, *lines)


def _style(page: Page, column: Column, row: int, failed: bool) -> str:
    if column.name == page.columns[0].name:
        return "bold"
    bold = "bold " if column.headline and column.signed else ""
    return "red" if failed else bold + COLOURS[page.tones.get((row, column.name), "")]


def _header(column: Column, texts: list[str]) -> list[str]:
    """Return the label, on two lines if it is long and wider than its cells."""
    label, words = column.label, column.label.split(" ")
    if len(words) == 1 or len(label) <= max(8, *map(cell_len, texts), 0):
        return [label]
    splits = [[" ".join(words[:n]), " ".join(words[n:])] for n in range(len(words) - 1, 0, -1)]
    return min(splits, key=lambda lines: max(map(len, lines)))


def _table_width(columns: dict[Column, list[str]], limit: int) -> int:
    """Return the width of a table whose names are cut to a limit."""
    width = -2
    for column, texts in columns.items():
        longest = max(map(cell_len, texts), default=0)
        longest = min(longest, limit) if column.is_prose else longest
        width += 2 + max(longest, *map(cell_len, _header(column, texts)))
    return width


def _grouped(problems: list[Problem]) -> list[list[Problem]]:
    """Return problems with the same cause together, the worst first."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.effect, problem.kind, problem.message), []).append(problem)
    return sorted(groups.values(), key=lambda group: list(EFFECTS).index(group[0].effect))


def _cause(group: list[Problem], verbose: bool) -> str:
    def listed(texts: list[str], most: int, separator: str) -> str:
        if len(texts) > most and not verbose:
            texts = [*texts[: most - 1], f"and {len(texts) - most + 1} more"]
        return separator.join(texts)

    places: dict[tuple[str, str, str], set[int]] = {}
    for problem in group:
        places.setdefault((problem.file, problem.sheet, problem.column), set()).add(problem.row)
    texts = []
    for (file, sheet, column), rows in places.items():
        numbers = [str(row) for row in sorted(rows - {0})]
        text = f"{file}, sheet {sheet}," if sheet else file
        if numbers:
            text += f" {'row' if len(numbers) == 1 else 'rows'} {listed(numbers, 6, ', ')}"
        text = text.strip(" ,") + (f", column {column}" if column else "")
        texts += [text] if text else []
    place = listed(texts, 3, "; ")
    return f"{place}: {group[0].message}" if place else group[0].message


def _hanging(prefix: Line, text: str, screen: Console) -> list[Line]:
    """Return a text after a prefix, its further lines below the text."""
    start = sum(len(part) for part, _ in prefix)
    lines = wrap(plain(unbroken(text), screen), _width(screen) - start)
    return [[*prefix, (lines[0], "")], *([(" " * start + line, "")] for line in lines[1:])]


def _with_commands(prefix: Line, text: str, screen: Console) -> list[Line]:
    """Return a sentence, then the commands below it, which are never broken."""
    sentence, *commands = text.split("\n")
    indent = " " * (2 + sum(len(part) for part, _ in prefix if not part.strip()))
    lines = [[(indent + plain(command.strip(), screen), "cyan")] for command in commands]
    return _hanging(prefix, sentence, screen) + lines


def _print_problems(problems: list[Problem], err: Console, verbose: bool) -> None:
    room, groups = MOST_LINES, _grouped(problems)
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        effect, hint = group[0].effect, group[0].hint
        count = f"{len(group)} {effect}{'s' if len(group) > 1 else ''}"
        label = ("skipped" if effect == "skipped" else count).ljust(8) + " "
        block = _hanging([(label, EFFECTS[effect])], _cause(group, verbose), err)
        if hint:
            block += _with_commands(
                [(" " * len(label), ""), ("hint", "cyan"), (": ", "")], hint, err
            )
        room -= len(block)
        if not verbose and left < len(groups) and room < (left > 1):
            more = f"{left} more cause{'s' if left > 1 else ''}: add -v to see all"
            _print(err, [(" " * 9 + more, "bright_black")])
            break
        _print(err, *block)
    if groups:
        _print(err, [])


def _print_refusals(problems: list[Problem], err: Console, verbose: bool) -> None:
    for group in _grouped(problems):
        _print(err, *_hanging([("error", "bold red"), (": ", "")], _cause(group, verbose), err))
        for detail in group[0].details:
            text, separator = f"  {plain(detail, err)}", plain(" · ", err)
            first, *more = wrap(text, _width(err), separator=separator, indent=4)
            # A candidate is a name, two blanks or more, and what its column holds.
            name, gap, rest = first[2:].partition("  ")
            head = ("  " + name, "bold" if gap else "bright_black")
            _print(err, [head, (gap + rest, "bright_black")])
            _print(err, *([(line, "bright_black")] for line in more))
        if group[0].hint:
            _print(err, *_with_commands([("hint", "bold cyan"), (": ", "")], group[0].hint, err))
        _print(err, [])


def _print_status(outcome: RunOutcome, err: Console) -> None:
    colour = EXITS.get(outcome.exit_code, "bold red")
    if outcome.status:
        rest = "".join(f" · {part}" for part in outcome.status[1:])
        line = [(plain(outcome.status[0], err), colour), (plain(rest, err), "")]
        path = plain(f"{outcome.folder}/problems.csv", err)
        link = [(plain("→ ", err), "bright_black"), (path, "cyan")]
        if not outcome.problems:
            _print(err, line)
        elif sum(cell_len(text) for text, _ in line + link) < _width(err):
            _print(err, [*line, (" ", ""), *link])
        else:
            _print(err, line, [("  ", ""), *link])
    if outcome.exit_code != Exit.OK:
        usage = outcome.exit_code == Exit.USAGE
        reason = outcome.reason or ("nothing was scored, nothing was written" if usage else "")
        prefix = [(f"exit {int(outcome.exit_code)}", colour), (": ", "")]
        _print(err, *_hanging(prefix, reason, err))
