"""The screen: stdout has the answer and its tables, stderr everything else."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from typing import TextIO

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from scoresheet.cli.report.lines import NO_BREAK, cut_middle, unbroken, wrap
from scoresheet.cli.report.numbers import cell_text
from scoresheet.cli.report.pages import Column, Page
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

Line = list[tuple[str, str]]  # texts and their styles

MOST_LINES = 10  # of problems
SHORTEST_NAME = 12
COLOURS = {"good": "green", "middle": "yellow", "bad": "red", "": ""}
LABELS = {"refused": "bold red", "skipped": "bold red", "row": "yellow", "note": "bright_black"}
ASCII = dict(zip("←→·–−…×∞", ("<-", "->", "|", "-", "-", "...", "x", "inf"), strict=True))

# Characters that would move the cursor, change the direction of text, or cannot be printed.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_RULE = "    \n    \n ── \n" + "    \n" * 5  # of a box, only the line under the header


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
    outcome: RunOutcome, *, verbose: bool, quiet: bool, out: Console | None, err: Console
) -> None:
    """Print what a run did; without `out` only what belongs on stderr."""
    if quiet and outcome.exit_code == Exit.OK:
        return
    problems = outcome.problems
    skipped = [problem for problem in problems if problem.effect == "skipped"]
    refused = [problem for problem in problems if problem.effect == "refused"]
    refused = refused or (skipped if outcome.exit_code == Exit.USAGE else [])
    if refused:
        _print_refusals(refused, err, verbose)
        _print_exit(outcome, err)
        return
    if not quiet:
        for line in outcome.mapping:
            roles = wrap(plain(line, err), err.width, separator=plain(" · ", err), indent=2)
            _print(err, *([(part, "bright_black")] for part in roles))
        if outcome.mapping:
            _print(err, [])
        if out:
            _print_answer(outcome, out)
            # A reader who sees only stderr needs no second blank line.
            if out.is_terminal or not err.is_terminal:
                _print(err, [])
    _print_problems(skipped if quiet else problems, err, verbose)
    _print_status(outcome, err)
    _print_exit(outcome, err)
    if outcome.workbook and not quiet:
        _print(err, [], [("Workbook: ", ""), (plain(outcome.workbook, err), "cyan")])
    if outcome.worst_unit and not quiet:
        _print(err, *_with_commands([], outcome.worst_unit, err))


def _print(screen: Console, *lines: Line) -> None:
    """Print lines that rich neither wraps nor interprets."""
    for line in lines:
        text = Text.assemble(*((part.replace(NO_BREAK, " "), style) for part, style in line))
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
        dropped = outcome.dropped.get("headline", ())
        print_table(outcome.headline, out, dropped, failed=outcome.failed)
    comparisons = [outcome.comparison] if outcome.comparison else []
    for page in (*comparisons, *outcome.breakdowns):
        _print(out, [], [(f"  {plain(page.title, out)}", "bright_black")])
        kind = "comparison" if page is outcome.comparison else "breakdowns"
        print_table(page, out, outcome.dropped.get(kind, ()))
    if outcome.no_comparison:
        _print(out, [], *_hanging([], outcome.no_comparison, out))


def print_table(
    page: Page, screen: Console, dropped: Sequence[str] = (), *, failed: Sequence[str] = ()
) -> None:
    """Print a page, without the columns that do not fit, in the order of `dropped`."""
    first, *others = [replace(c, label=plain(c.label, screen)) for c in page.columns]
    names = page.frame[first.name].tolist()
    names += [name for name in failed if name not in names]
    columns: dict[Column, list[str]] = {first: [plain(name, screen) for name in names]}
    for position, column in enumerate(others):
        texts = [plain(cell_text(value, column), screen) for value in page.frame[column.name]]
        word = "" if position else "failed"
        cells = zip_longest(names, texts, fillvalue="")
        columns[column] = [word if name in failed else text for name, text in cells]
    for name in dropped:
        if _table_width(columns, screen.width) > screen.width - 2:
            columns = {c: texts for c, texts in columns.items() if name not in (c.name, c.label)}
    limit = screen.width
    while limit > SHORTEST_NAME and _table_width(columns, limit) > screen.width - 2:
        limit -= 1
    is_utf = screen.encoding.startswith("utf")
    box = Box(_RULE) if is_utf else Box(_RULE.replace("─", "-"), ascii=True)
    table = Table(box=box, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.border_style = "bright_black"
    drawn = []
    for column, texts in columns.items():
        justify: JustifyMethod = "right" if column.on_the_right else "left"
        table.add_column(Text(_header(column, texts)), justify=justify, no_wrap=True)
        room = limit if column.is_prose else screen.width
        shown = [cut_middle(text, room, plain("…", screen)) for text in texts]
        styles = [_style(page, column, row, name in failed) for row, name in enumerate(names)]
        drawn.append(list(map(Text, shown, styles)))
    for row in zip(*drawn, strict=True):
        table.add_row(*row)
    wide = screen.options.update(width=_table_width(columns, limit))
    for segments in screen.render_lines(table, wide, pad=False):
        line = Text.assemble("  ", *((part.text, part.style or "") for part in segments))
        line.rstrip()
        screen.print(line, soft_wrap=True)


def _style(page: Page, column: Column, row: int, failed: bool) -> str:
    if column.name == page.columns[0].name:
        return "bold"
    bold = "bold " if column.headline and column.signed else ""
    return "red" if failed else bold + COLOURS[page.tones.get((row, column.name), "")]


def _header(column: Column, texts: list[str]) -> str:
    """Return the label, on two lines if it is long and wider than its cells."""
    label, words = column.label, column.label.split(" ")
    if len(words) == 1 or len(label) <= max(8, *map(cell_len, texts), 0):
        return label
    splits = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(len(words) - 1, 0, -1)]
    return "\n".join(min(splits, key=lambda lines: max(map(len, lines))))


def _table_width(columns: dict[Column, list[str]], limit: int) -> int:
    """Return the width of a table whose names are cut to a limit."""
    width = -2
    for column, texts in columns.items():
        longest = max(map(cell_len, texts), default=0)
        longest = min(longest, limit) if column.is_prose else longest
        width += 2 + max(longest, *map(cell_len, _header(column, texts).split("\n")))
    return width


def _grouped(problems: list[Problem]) -> list[list[Problem]]:
    """Return problems with the same cause together, the worst first."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.effect, problem.kind, problem.message), []).append(problem)
    return sorted(groups.values(), key=lambda group: list(LABELS).index(group[0].effect))


def _cause(group: list[Problem], verbose: bool) -> str:
    """Return where a group of problems is, and what is wrong."""
    places: dict[tuple[str, str, str], set[int]] = {}
    for problem in group:
        places.setdefault((problem.file, problem.sheet, problem.column), set()).add(problem.row)
    texts = []
    for (file, sheet, column), rows in places.items():
        numbers = [str(row) for row in sorted(rows - {0})]
        where = [f"{file}, sheet {sheet}," if sheet else file]
        where += [f"row{'s' if len(numbers) > 1 else ''}"] if numbers else []
        where += [", ".join(_shortened(numbers, 6, verbose))]
        text = " ".join(where).strip(" ,")
        texts.append(f"{text}, column {column}" if column else text)
    place = "; ".join(_shortened([text for text in texts if text], 3, verbose))
    return f"{place}: {group[0].message}" if place else group[0].message


def _shortened(texts: list[str], most: int, verbose: bool) -> list[str]:
    if verbose or len(texts) <= most:
        return texts
    return [*texts[: most - 1], f"and {len(texts) - most + 1} more"]


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
    room = MOST_LINES
    groups = _grouped(problems)
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        effect, hint = group[0].effect, group[0].hint
        count = f"{len(group)} {effect}{'s' if len(group) > 1 else ''}"
        label = ("skipped" if effect == "skipped" else count).ljust(8) + " "
        block = _hanging([(label, LABELS[effect])], _cause(group, verbose), err)
        if hint:
            prefix = [(" " * len(label), ""), ("hint", "cyan"), (": ", "")]
            block += _with_commands(prefix, hint, err)
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


def _exit_style(outcome: RunOutcome) -> str:
    return {Exit.OK: "bold green", Exit.PARTIAL: "bold yellow"}.get(outcome.exit_code, "bold red")


def _print_status(outcome: RunOutcome, err: Console) -> None:
    if not outcome.status:
        return
    head, rest = outcome.status[0], "".join(f" · {part}" for part in outcome.status[1:])
    line = [(plain(head, err), _exit_style(outcome)), (plain(rest, err), "")]
    path = plain(f"{outcome.folder}/problems.csv", err)
    link = [(plain("→ ", err), "bright_black"), (path, "cyan")]
    if not outcome.problems:
        _print(err, line)
    elif sum(cell_len(text) for text, _ in line + link) < _width(err):
        _print(err, [*line, (" ", ""), *link])
    else:
        _print(err, line, [("  ", ""), *link])


def _print_exit(outcome: RunOutcome, err: Console) -> None:
    if outcome.exit_code != Exit.OK:
        usage = "nothing was scored, nothing was written" if outcome.exit_code == Exit.USAGE else ""
        prefix = [(f"exit {int(outcome.exit_code)}", _exit_style(outcome)), (": ", "")]
        _print(err, *_hanging(prefix, outcome.reason or usage, err))
