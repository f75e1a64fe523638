"""The screen: stdout has the answer and its tables, stderr everything else."""

import codecs
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, TextIO

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from scoresheet.cli.input.grammar import few
from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.answers import count
from scoresheet.cli.report.text import NO_BREAK, cell_text, cut_middle, unbroken, wrap
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

Line = list[tuple[str, Any]]  # texts and their styles
RULE = Box("\n".join(["    ", "    ", " ── ", *["    "] * 5]))  # one line, under the header

MOST_LINES = 10  # of problems
SHOWN = 5  # rows of a file, and files, with the same problem
MOST_PAIRS = 45  # of ten models
SHORTEST_NAME = 12
COLOURS = {"good": "green", "middle": "yellow", "bad": "red", "": ""}
EFFECTS = {"refused": "bold red", "skipped": "bold red", "row": "yellow", "note": "bright_black"}
EXITS = {Exit.OK: "bold green", Exit.PARTIAL: "bold yellow"}  # red for all others
ASCII = dict(zip("←→·–−─…×∞", ("<-", "->", "|", "-", "-", "-", "...", "x", "inf"), strict=True))

# Characters that would move the cursor, change the direction of text, or cannot be printed.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def console(stream: TextIO) -> Console:
    """Return a console that prints text as it is, with colour only on a terminal.

    Characters that the stream cannot encode are replaced by ASCII ones.
    """
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="scoresheet.ascii")
    tty = stream.isatty()
    return Console(file=stream, markup=False, emoji=False, highlight=False, force_terminal=tty)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(ASCII.get(c) or ascii(c)[1:-1] for c in text), error.end


codecs.register_error("scoresheet.ascii", _in_ascii)


def plain(text: str) -> str:
    """Return a text that does nothing to the screen but show."""
    return _UNPRINTABLE.sub(lambda m: " " if m[0] in "\t\n" else ascii(m[0])[1:-1], text)


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[[], None]]:
    """Show a progress bar on stderr if it is a terminal; yields the function that advances it."""
    screen = console(sys.stderr)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    if not screen.is_terminal:  # rich before 14 prints line feeds even where it is disabled
        yield lambda: None
        return
    with Progress(*columns, console=screen, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(plain(label), total=total)
        yield lambda: bar.advance(task)


def print_outcome(
    outcome: RunOutcome, *, verbose: bool, quiet: bool, out: Console, err: Console
) -> None:
    """Print what a run did."""
    if quiet and outcome.exit_code == Exit.OK:
        return
    effects = {problem.effect for problem in outcome.problems}
    worst = "refused" if "refused" in effects else "skipped"
    refused = worst in effects and (worst == "refused" or outcome.exit_code == Exit.USAGE)
    problems = [p for p in outcome.problems if p.effect == worst or not (quiet or refused)]
    if not quiet and not refused:
        for line in outcome.mapping:
            roles = wrap(plain(line), err.width, separator=" · ", indent=2)
            _print(err, *([(part, "bright_black")] for part in roles))
        if outcome.mapping:
            _print(err, [])
        _print_answer(outcome, out)
        # A reader who sees only stderr needs no second blank line.
        more = outcome.status or outcome.reason
        if more and (out.is_terminal or not err.is_terminal):
            _print(err, [])
    _print_problems(problems, err, verbose, refused=refused)
    _print_gates(outcome, err, quiet=quiet)
    for name in outcome.ignored if verbose and not refused else ():
        _print(err, *_hanging([("ignored", "bright_black"), (": ", "")], name, err))
    _print_status(outcome, err, refused=refused)
    if outcome.workbook and not quiet:
        _print(err, [], [("Workbook: ", ""), (outcome.workbook, "cyan")])
    if outcome.worst_unit and not quiet:
        _print(err, *_hanging([], outcome.worst_unit, err))


def _print(screen: Console, *lines: Line) -> None:
    """Print lines that rich neither wraps nor interprets."""
    for line in lines:
        parts = ((plain(part).replace(NO_BREAK, " "), style) for part, style in line)
        text = Text.assemble(*parts)
        text.rstrip()
        screen.print(text, soft_wrap=True)


def _print_answer(outcome: RunOutcome, out: Console) -> None:
    words = "|".join(re.escape(plain(word)) for word in outcome.emphasis) or "$."
    for sentence in outcome.answer:
        for line in wrap(plain(unbroken(sentence)), min(out.width, 100)):
            text = Text(line.replace(NO_BREAK, " "))
            text.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold")
            out.print(text, soft_wrap=True)
    if outcome.headline:
        _print(out, [])
        print_table(outcome.headline, out, outcome.failed)
    pairs = outcome.comparison if len(outcome.comparisons) <= MOST_PAIRS else None
    for page in (pairs, *outcome.breakdowns):
        if page:
            _print(out, [], [(f"  {page.title}", "bright_black")])
            print_table(page, out)


def print_table(page: Page, screen: Console, failed: Sequence[str] = ()) -> None:
    """Print a page without the columns that do not fit; models that failed have no numbers."""
    wide, columns = screen.options.update(width=sys.maxsize), list(page.columns)

    def too_wide(room: int) -> bool:
        table = _table(page, columns, room, failed)
        return Measurement.get(screen, wide, table).maximum + 2 > screen.width

    for name in page.dropped:
        if too_wide(sys.maxsize):
            columns = [column for column in columns if column.name != name]
    rooms = [
        *range(SHORTEST_NAME, max(screen.width, 20)),
        sys.maxsize,
    ]  # for names, cut in the middle
    room = rooms[max(bisect_left(rooms, True, key=too_wide) - 1, 0)]
    for line in screen.render_lines(_table(page, columns, room, failed), wide, pad=False):
        _print(screen, [("  ", ""), *((part.text, part.style or "") for part in line)])


def _table(page: Page, columns: list[Column], room: int, failed: Sequence[str]) -> Table:
    table = Table(
        box=RULE, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, border_style="bright_black"
    )
    key = page.columns[0].name
    fails = [name in failed for name in page.frame[key]]
    cells = []
    for place, column in enumerate(columns):
        texts = [plain(cell_text(value, column)) for value in page.frame[column.name]]
        texts = [cut_middle(text, room) for text in texts] if column.is_prose else texts
        if place:
            word = "failed" if place == 1 else ""
            texts = [word if fail else text for text, fail in zip(texts, fails, strict=True)]
        style = "bold" if column.name == key or (column.headline and column.signed) else ""
        justify: Literal["left", "right"] = "right" if column.on_the_right else "left"
        header = Text(_header(plain(column.label), texts), "bold")
        table.add_column(header, justify=justify, vertical="bottom", no_wrap=True, style=style)
        tones = [COLOURS[page.tones.get((row, column.name), "")] for row in range(len(texts))]
        tones = ["red" if fail and place else t for t, fail in zip(tones, fails, strict=True)]
        cells.append([Text(text, tone) for text, tone in zip(texts, tones, strict=True)])
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return table


def _header(label: str, cells: list[str]) -> str:
    """Return the label on two lines, or on one if it is short or as narrow as its cells."""
    words = label.split(" ")
    if len(words) == 1 or len(label) <= max(8, *map(cell_len, cells), 0):
        return label
    splits = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(len(words) - 1, 0, -1)]
    return "\n".join(min(splits, key=lambda lines: max(map(len, lines))))


def _hanging(prefix: Line, text: str, screen: Console) -> list[Line]:
    """Return a sentence after a prefix, its further lines below it, then commands, never broken."""
    sentence, *commands = text.split("\n")
    start = sum(len(part) for part, _ in prefix)
    first, *more = wrap(plain(unbroken(sentence)), min(screen.width, 100) - start)
    margin = " " * (2 + sum(len(part) for part, _ in prefix if part.isspace()))
    lines = [[*prefix, (first, "")], *([(" " * start + line, "")] for line in more)]
    return lines + [[(margin + command.strip(), "cyan")] for command in commands]


def _cause(group: list[Problem], verbose: bool) -> str:
    """Return the places of a group of problems, and their message."""
    places: dict[str, set[int]] = {}
    for problem in group:
        places.setdefault(replace(problem, row=0).place, set()).add(problem.row)
    texts = []
    for place, rows in places.items():
        numbers = [str(row) for row in sorted(rows - {0})]
        listed = few(numbers, len(numbers) if verbose else SHOWN)
        word = f"{',' if ',' in place else ''} row{'s' if len(numbers) > 1 else ''}"
        texts.append(f"{place}{word} {listed}" if numbers else place)
    shown = "; ".join(texts if verbose else [*texts[:SHOWN], *["…"][: len(texts) - SHOWN]])
    return f"{shown}: {group[0].message}" if shown else group[0].message


def _print_problems(
    problems: Sequence[Problem], err: Console, verbose: bool, *, refused: bool
) -> None:
    causes: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        causes.setdefault((problem.effect, problem.kind, problem.message), []).append(problem)
    groups = sorted(causes.values(), key=lambda group: list(EFFECTS).index(group[0].effect))
    room = MOST_LINES
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        effect, hint = group[0].effect, group[0].hint
        count = f"{len(group)} {effect}{'s' if len(group) > 1 else ''}"
        word = f"{'skipped' if effect == 'skipped' else count:8} "
        label, margin = [(word, EFFECTS[effect])], [(" " * len(word), "")]
        if refused:
            label, margin = [("error", "bold red"), (": ", "")], []
        block = _hanging(label, _cause(group, verbose), err)
        for detail in group[0].details if refused else ():
            lines = wrap(f"  {plain(detail)}", min(err.width, 100), separator=" · ", indent=4)
            block += [[(line, "bright_black")] for line in lines]
        if hint:
            block += _hanging([*margin, ("hint", "bold cyan"), (": ", "")], hint, err)
        room -= len(block)
        if not (verbose or refused) and left < len(groups) and room < (left > 1):
            more = f"{left} more cause{'s' if left > 1 else ''}: add -v to see all"
            _print(err, [(" " * 9 + more, "bright_black")])
            break
        _print(err, *block, *([[]] if refused else []))
    if groups and not refused:
        _print(err, [])


def _print_gates(outcome: RunOutcome, err: Console, *, quiet: bool) -> None:
    shown = [("failed", "bold red"), *([] if quiet else [("undecided", "yellow")])]
    for state, style in shown:
        for gate in outcome.gates_in(state):
            _print(err, *_hanging([(f"gate {state}", style), (": ", "")], str(gate), err))
    if outcome.gates and not quiet:
        passed = len(outcome.gates_in("passed"))
        _print(err, [(f"{passed} of {len(outcome.gates)} gates passed", "")], [])


def _print_status(outcome: RunOutcome, err: Console, *, refused: bool) -> None:
    colour = EXITS.get(outcome.exit_code, "bold red")
    if outcome.status and not refused:
        first, *rest = outcome.status
        rest += [f"{count(len(outcome.ignored), 'file')} ignored"] if outcome.ignored else []
        line = [(first, colour), ("".join(f" · {part}" for part in rest), "")]
        link = [("→ ", "bright_black"), (f"{outcome.folder}/problems.csv", "cyan")]
        if not (outcome.problems and outcome.folder):
            _print(err, line)
        elif sum(cell_len(text) for text, _ in line + link) < min(err.width, 100):
            _print(err, [*line, (" ", ""), *link])
        else:
            _print(err, line, [("  ", ""), *link])
    if outcome.exit_code != Exit.OK:
        reason = outcome.reason or "nothing was scored, nothing was written"
        prefix = [(f"exit {int(outcome.exit_code)}", colour), (": ", "")]
        _print(err, *_hanging(prefix, reason, err))
