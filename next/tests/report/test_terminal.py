import io
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console

from scoresheet.cli.report.pages import Column, Page
from scoresheet.cli.report.terminal import console, print_outcome, print_table, progress
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

GOOD_80 = """\
Model_A.xlsx (2 sheets): model ← file name · sheet ← worksheet · idiom
  prediction ← Answer
4 reference tables (chinese.csv, …): idiom · reference ← explanation

Model_A scores highest (S_Info 0.755). On the 30 idioms both models answered it
leads Model_B by 0.475 (95% CI 0.438–0.509, p < 0.001).

                                  ROUGE-L  Brevity
  Model    S_Info  95% CI       precision  penalty  Verdict   Scored  vs best
  ───────────────────────────────────────────────────────────────────────────
  Model_A   0.755  0.725–0.782      0.794    0.952  moderate   60/60     best
  Model_B   0.276  0.245–0.308      0.309    0.891  low        59/60   -0.475

  Difference in S_Info on shared idioms
  Model    vs       Shared  Difference  95% CI       p (Holm)   W/T/L
  ───────────────────────────────────────────────────────────────────
  Model_A  Model_B      30      +0.475  0.438–0.509   < 0.001  30/0/0

1 row    Model_B/p1.csv row 31: the prediction has no words

2 models scored · 1 row not scored → results/information_density/problems.csv

Workbook: results/information_density/s_info_results.xlsx
Lowest: 雪中送炭, S_Info 0.122 (Model_B). How it was computed:
  scoresheet explain results/information_density --model Model_B --unit 雪中送炭
"""
WIDE_START = """\
Model_A.xlsx (2 sheets): model ← file name · sheet ← worksheet · idiom · prediction ← Answer
4 reference tables (chinese.csv, …): idiom · reference ← explanation

Model_A scores highest (S_Info 0.755). On the 30 idioms both models answered it leads Model_B by
0.475 (95% CI 0.438–0.509, p < 0.001).
"""
WIDE_COMPARISON = """
  Difference in S_Info on shared idioms
  Model    vs       Shared  Difference  95% CI       p (Holm)   W/T/L  Detectable
  ───────────────────────────────────────────────────────────────────────────────
  Model_A  Model_B      30      +0.475  0.438–0.509   < 0.001  30/0/0       0.050
"""
PARTIAL_END = """
  Model_B   0.276  0.245–0.308      0.309    0.891  low        59/60   -0.475
  Model_C  failed
...
skipped  Model_C.csv: no column for prediction; found Idiom, Notes, Time
         hint: if Notes holds the answers, add --column prediction=Notes
1 row    Model_B/p1.csv row 31: the prediction has no words

2 models scored, 1 failed · 1 row not scored
  → results/information_density/problems.csv
exit 3: reports are written, 1 of 3 models was skipped
"""
REFUSAL = """\
error: answers.csv: two columns could be the prediction
  output    text, 30 of 30 rows, "to reveal a secret by mistake"
  response  text, 30 of 30 rows, "Sure! The idiom means that someone …"
  read so far: model ← file name · sample ← id · stream ← member · more ← words
    prediction ← vote
hint: name the one you mean
  scoresheet sinfo runs/answers.csv refs --column prediction=output
  scoresheet sinfo runs/answers.csv refs --column prediction=response

exit 2: nothing was scored, nothing was written
"""
ASCII_PARTS = (
    "model <- file name | sheet <- worksheet",
    "(95% CI 0.438-0.509, p < 0.001).",
    "\n  -------------",
    "1 row not scored -> results/",
    "Lowest: \\u96ea\\u4e2d",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Print an outcome as a terminal of some width shows it, both streams together."""

    def show(
        outcome: RunOutcome, width: int = 80, verbose: bool = False, quiet: bool = False
    ) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        stream = io.StringIO()
        both = console(stream)
        print_outcome(outcome, verbose=verbose, quiet=quiet, out=both, err=both)
        return stream.getvalue()

    return show


def test_a_good_run_at_80_columns(screen: Callable[..., str], good_run: RunOutcome) -> None:
    assert screen(good_run) == GOOD_80


@pytest.mark.parametrize("width", [100, 120])
def test_a_good_run_on_a_wide_screen(
    screen: Callable[..., str], good_run: RunOutcome, width: int
) -> None:
    shown = screen(good_run, width)
    assert shown.startswith(WIDE_START)
    assert WIDE_COMPARISON in shown


def test_a_partial_run_shows_the_failed_model_and_why(
    screen: Callable[..., str], partial_run: RunOutcome
) -> None:
    shown = screen(partial_run)
    for part in PARTIAL_END.split("...\n"):
        assert part in shown


def test_a_failed_model_in_the_table_keeps_its_place(
    screen: Callable[..., str], partial_run: RunOutcome
) -> None:
    shown = screen(replace(partial_run, failed=("Model_A",)))
    assert "  Model_A  failed\n  Model_B   0.276" in shown


def refusal(effect: str = "refused") -> RunOutcome:
    details = (
        'output    text, 30 of 30 rows, "to reveal a secret by mistake"',
        'response  text, 30 of 30 rows, "Sure! The idiom means that someone …"',
        "read so far: model ← file name · sample ← id · stream ← member · more ← words"
        " · prediction ← vote",
    )
    hint = "name the one you mean" + "".join(
        f"\nscoresheet sinfo runs/answers.csv refs --column prediction={name}"
        for name in ("output", "response")
    )
    message = "two columns could be the prediction"
    problem = Problem("rivals", effect, message, "answers.csv", hint=hint, details=details)  # type: ignore[arg-type]
    return RunOutcome("sinfo", Exit.USAGE, problems=[problem], mapping=["not shown"])


@pytest.mark.parametrize("effect", ["refused", "skipped"])
@pytest.mark.parametrize("quiet", [False, True])
def test_a_refusal_names_candidates_and_commands(
    screen: Callable[..., str], effect: str, quiet: bool
) -> None:
    assert screen(refusal(effect), quiet=quiet) == REFUSAL


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_but_commands_and_paths_is_wider_than_the_screen(
    screen: Callable[..., str], partial_run: RunOutcome, width: int
) -> None:
    long = Problem("x", "note", "word " * 60 + "雪" * 150, "a/very/long/path/" * 12 + "x.csv")
    partial_run.problems.append(long)
    partial_run.answer.append("An answer without any blank: " + "雪中送炭" * 40)
    kept = ("  scoresheet explain", "Workbook: ", "  → results")
    for line in screen(partial_run, width, verbose=True).splitlines():
        if not line.startswith(kept):
            assert cell_len(line) <= width, line


def test_intervals_are_never_broken(screen: Callable[..., str], good_run: RunOutcome) -> None:
    for width in range(40, 121):
        shown = screen(good_run, width)
        assert "95% CI 0.438–0.509" in shown
        assert "\u00a0" not in shown


@pytest.mark.parametrize(
    ("width", "missing"),
    [(76, "Brevity"), (66, "ROUGE-L"), (56, "vs best"), (46, "Verdict")],
)
def test_columns_are_dropped_whole_in_order(
    screen: Callable[..., str], good_run: RunOutcome, width: int, missing: str
) -> None:
    order = ["Brevity", "ROUGE-L", "vs best", "Verdict"]
    table = screen(good_run, width).split("\n\n")[2]
    for label in order:
        assert (label not in table) == (order.index(label) <= order.index(missing)), table


def test_long_names_are_cut_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    columns = (Column("m", "\x1b[Model", role="key"), Column("v", "Value", "number", "measure"))
    page = Page("", pd.DataFrame({"m": ["start" + "x" * 60 + "end"], "v": [1]}), columns)
    stream = io.StringIO()
    print_table(page, console(stream))
    assert stream.getvalue().startswith(r"  \x1b[Model")
    last = stream.getvalue().splitlines()[-1]
    assert len(last) == 40
    assert last.startswith("  startx")
    assert "…" in last
    assert last.endswith("end  1.000")


def test_stdout_has_the_answer_and_stderr_the_rest(good_run: RunOutcome) -> None:
    out, err = io.StringIO(), io.StringIO()
    print_outcome(good_run, verbose=False, quiet=False, out=console(out), err=console(err))
    assert out.getvalue().startswith("Model_A scores highest")
    assert out.getvalue().endswith("30/0/0\n")
    assert "scores highest" not in err.getvalue()
    assert "scoresheet explain" in err.getvalue()


def test_quiet_prints_nothing_if_all_is_well_else_the_reason(
    screen: Callable[..., str], good_run: RunOutcome, partial_run: RunOutcome
) -> None:
    assert screen(good_run, quiet=True) == ""
    shown = screen(partial_run, quiet=True)
    assert shown.startswith("skipped  Model_C.csv")
    assert shown.endswith("exit 3: reports are written, 1 of 3 models was skipped\n")
    assert "has no words" not in shown


def test_colour_appears_on_a_terminal_only_and_not_with_no_color(
    monkeypatch: pytest.MonkeyPatch, partial_run: RunOutcome
) -> None:
    def shown(stream: io.StringIO) -> str:
        both = console(stream)
        print_outcome(partial_run, verbose=False, quiet=False, out=both, err=both)
        return stream.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    colours = ("\x1b[33mmoderate", "\x1b[31mlow", "\x1b[31mfailed", "\x1b[1;33m2 models scored")
    on_terminal = shown(Terminal())
    for colour in colours:
        assert colour in on_terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in shown(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(Terminal())


def test_a_stream_that_is_not_utf8_gets_ascii(good_run: RunOutcome) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    both = console(stream)
    print_outcome(good_run, verbose=False, quiet=False, out=both, err=both)
    stream.seek(0)
    shown = stream.read()
    for part in ASCII_PARTS:
        assert part in shown


@pytest.mark.parametrize("name", ["[red]m[/red]", "[/v2]", ":smile:", "[link=x]y", "{0}"])
def test_user_text_is_never_markup(
    screen: Callable[..., str], partial_run: RunOutcome, name: str
) -> None:
    problem = Problem("x", "note", f"odd name {name}", f"{name}.csv", hint=f"rename {name}")
    shown = screen(replace(partial_run, failed=(name,), problems=[problem], mapping=[name]))
    for part in (f"  {name} ", f"{name}.csv: odd name {name}", f"hint: rename {name}"):
        assert part in shown


def test_control_characters_do_not_reach_the_terminal(
    screen: Callable[..., str], good_run: RunOutcome
) -> None:
    nasty = "a\x1b[2Jb\rc\x9bd\u202ee\udc80f"
    shown = screen(replace(good_run, answer=[nasty], failed=(nasty,), workbook=nasty))
    assert r"a\x1b[2Jb\rc\x9bd\u202ee\udc80f" in shown
    shown.replace("\n", "").encode()
    assert not set(nasty) & set("\x1b\r\x9b\u202e\udc80") & set(shown)


def row(number: int, message: str = "is empty", file: str = "a.csv", sheet: str = "") -> Problem:
    return Problem("k", "row", message, file, sheet, number)


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        ([row(3), row(7), row(3, file="b.csv")], "3 rows   a.csv rows 3, 7; b.csv row 3: is empty"),
        ([row(3, sheet="May")], "1 row    a.xlsx, sheet May, row 3: is empty"),
        (
            [row(n) for n in range(2, 22)],
            "20 rows  a.csv rows 2, 3, 4, 5, 6, and 15 more: is empty",
        ),
        (
            [row(2, file=f"{name}.csv") for name in "abcde"],
            "5 rows   a.csv row 2; b.csv row 2; and 3 more: is empty",
        ),
        (
            [Problem("k", "note", "is tied", "h.xlsx", column="vote")] * 3,
            "3 notes  h.xlsx, column vote: is tied",
        ),
        ([Problem("k", "note", "nothing special")], "1 note   nothing special"),
    ],
)
def test_problems_are_grouped_by_cause(
    screen: Callable[..., str], good_run: RunOutcome, problems: list[Problem], expected: str
) -> None:
    problems = [replace(p, file="a.xlsx") if p.sheet else p for p in problems]
    assert f"\n{expected}\n" in screen(replace(good_run, problems=problems))


def test_ten_lines_of_problems_at_most_but_all_with_verbose(
    screen: Callable[..., str], good_run: RunOutcome
) -> None:
    problems = [row(n, f"cause {n}") for n in range(1, 31)]
    good_run.problems = problems
    shown = screen(good_run).split("30/0/0\n\n")[1].split("\n\n")[0].splitlines()
    assert len(shown) == 10
    assert shown[-1] == "         21 more causes: add -v to see all"
    assert screen(good_run, verbose=True).count(": cause ") == 30


def test_a_sentence_replaces_the_comparison(
    screen: Callable[..., str], good_run: RunOutcome
) -> None:
    sentence = "No comparison: the panels share no items."
    shown = screen(replace(good_run, comparison=None, no_comparison=sentence))
    assert f"-0.475\n\n{sentence}\n\n1 row" in shown


def test_progress_writes_to_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(3, "[red]reading") as advance:
        advance()
    assert capsys.readouterr() == ("", "")


def test_a_broken_pipe_is_left_to_the_caller() -> None:
    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    closed: Console = console(Closed())
    with pytest.raises(BrokenPipeError):
        closed.print("x")
