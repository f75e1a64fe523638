import io
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from scoresheet.cli.report import Column
from scoresheet.cli.report.terminal import console, print_outcome, print_table, progress
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

from .conftest import headline_page, page_of

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
WIDE = """
Model_A scores highest (S_Info 0.755). On the 30 idioms both models answered it leads Model_B by
0.475 (95% CI 0.438–0.509, p < 0.001).
...
  Model    vs       Shared  Difference  95% CI       p (Holm)   W/T/L  Detectable  Result
  ──────────────────────────────────────────────────────────────────────────────────────────────────
  Model_A  Model_B      30      +0.475  0.438–0.509   < 0.001  30/0/0       0.050  Model_A is higher
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
ASCII = [
    "model <- file name | sheet",
    "(95% CI 0.438-0.509, p",
    "\n  ---",
    "-> results/",
    r"\u96ea",
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen(
    outcome: RunOutcome, width: int = 80, *, stream: Any = None, quiet: bool = False, **more: bool
) -> str:
    """Return what a stream of some width shows, stdout and stderr together."""
    stream = stream or io.StringIO()
    both = console(stream)
    both.width = width
    print_outcome(outcome, quiet=quiet, verbose=bool(more), out=both, err=both)
    stream.seek(0)
    return str(stream.read())


def test_good_and_partial_runs(good_run: RunOutcome, partial_run: RunOutcome) -> None:
    assert screen(good_run) == GOOD_80
    for width in (100, 120):
        for part in WIDE.split("...\n"):
            assert part in screen(good_run, width)
    for part in PARTIAL_END.split("...\n"):
        assert part in screen(partial_run)
    first = screen(replace(partial_run, failed=("Model_A",)))
    assert "  Model_A  failed\n  Model_B   0.276" in first


@pytest.mark.parametrize("effect", ["refused", "skipped"])
@pytest.mark.parametrize("quiet", [False, True])
def test_a_refusal_names_candidates_and_commands(effect: str, quiet: bool) -> None:
    lines = [line.strip() for line in REFUSAL.splitlines()]
    details = (*lines[1:3], " · ".join(lines[3:5]))
    hint = "\n".join([lines[5].removeprefix("hint: "), *lines[6:8]])
    message = "two columns could be the prediction"
    problem = Problem("rivals", effect, message, "answers.csv", hint=hint, details=details)  # type: ignore[arg-type]
    outcome = RunOutcome(Exit.USAGE, problems=[problem], mapping=["not shown"])
    assert screen(outcome, quiet=quiet) == REFUSAL


@pytest.mark.parametrize("width", [*range(40, 120, 3), 80, 100, 120])
def test_intervals_are_never_broken_and_only_commands_and_paths_are_wider_than_the_screen(
    partial_run: RunOutcome, width: int
) -> None:
    long = Problem("x", "note", "word " * 60 + "雪" * 150, "a/very/long/path/" * 12 + "x.csv")
    partial_run.problems.append(long)
    partial_run.answer.append("An answer without any blank: " + "雪中送炭" * 40)
    text = screen(partial_run, width, verbose=True)
    assert "95% CI 0.438–0.509" in text
    assert "\u00a0" not in text
    kept = ("  scoresheet explain", "Workbook: ", "  → results")
    lines = [line for line in text.splitlines() if not line.startswith(kept)]
    assert max(map(cell_len, lines)) <= max(width, 60)  # the table keeps its last columns


def test_columns_are_dropped_whole_in_order(good_run: RunOutcome) -> None:
    order = ["Brevity", "ROUGE-L", "vs best", "Verdict"]
    for dropped, width in enumerate((80, 76, 66, 56, 46)):
        table = screen(good_run, width).split("\n\n")[2]
        assert [label for label in order if label in table] == order[dropped:]


def test_long_names_are_cut_in_the_middle() -> None:
    columns = (Column("m", "\x1b[Model", role="key"), Column("v", "Value", "number", "measure"))
    out = console(io.StringIO())
    out.width = 40
    print_table(page_of("", columns, ("start" + "x" * 60 + "end", 1)), out)
    header, _, row = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert header.startswith(r"  \x1b[Model")
    assert (len(row), row[:8], row[-10:], "…" in row) == (40, "  startx", "end  1.000", True)


def test_stdout_has_the_answer_and_stderr_the_rest(good_run: RunOutcome) -> None:
    out, err = io.StringIO(), io.StringIO()
    print_outcome(good_run, verbose=False, quiet=False, out=console(out), err=console(err))
    assert out.getvalue() == GOOD_80[GOOD_80.index("Model_A scores") : GOOD_80.index("\n1 row ")]
    assert "scores highest" not in err.getvalue()


def test_quiet_prints_nothing_if_all_is_well_else_the_reason(
    good_run: RunOutcome, partial_run: RunOutcome
) -> None:
    assert screen(good_run, quiet=True) == ""
    end = PARTIAL_END.split("...\n")[1].splitlines(keepends=True)
    kept = [line for line in end if not line.startswith("1 row")]
    assert screen(partial_run, quiet=True) == "".join(kept)


def test_colour_appears_on_a_terminal_only_and_not_with_no_color(
    monkeypatch: pytest.MonkeyPatch, partial_run: RunOutcome
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    on_terminal = screen(partial_run, stream=Terminal())
    for text in ("33mmoderate", "31mlow", "31mfailed", "1;33m2 models scored", "1mModel_B"):
        assert f"\x1b[{text}" in on_terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in screen(partial_run)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in screen(partial_run, stream=Terminal())


def test_a_stream_that_is_not_utf8_gets_ascii(good_run: RunOutcome) -> None:
    text = screen(good_run, stream=io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert [part for part in ASCII if part in text] == ASCII


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, name) for name in ("[red]m[/red]", "[/v2]", ":smile:", "[link=x]y", "{0}")),
        ("a\x1b[2Jb\rc\x9bd\u202ee\udc80f", r"a\x1b[2Jb\rc\x9bd\u202ee\udc80f"),
    ],
)
def test_user_text_is_never_markup_and_has_no_control_characters(
    partial_run: RunOutcome, name: str, text: str
) -> None:
    problem = Problem("x", "note", f"odd name {name}", f"{name}.csv", hint=f"rename {name}")
    partial_run.problems, partial_run.headline = [problem], headline_page(name)
    partial_run.mapping, partial_run.answer, partial_run.workbook = [name], [name], name
    seen = screen(partial_run, 100)
    for part in (f"{text}\n", f"  {text} ", f"{text}.csv: odd name {text}", f"hint: rename {text}"):
        assert part in seen
    assert all(character.isprintable() for character in seen.replace("\n", ""))


def row(number: int, message: str = "is empty", file: str = "a.csv", sheet: str = "") -> Problem:
    return Problem("k", "row", message, file, sheet, number)


def test_problems_are_grouped_by_cause(good_run: RunOutcome) -> None:
    tied = Problem("k", "note", "is tied", "h.xlsx", column="vote")
    cases = {
        "3 rows   a.csv rows 3, 7; b.csv row 3: is empty": [row(3), row(7), row(3, file="b.csv")],
        "1 row    a.csv, sheet May, row 3: is empty": [row(3, sheet="May")],
        "20 rows  a.csv rows 2, 3, 4, 5, 6, …: is empty": list(map(row, range(2, 22))),
        "6 rows   a row 2; b row 2; c row 2; d row 2; e row 2; …: is empty": [
            row(2, file=name) for name in "abcdef"
        ],
        "3 notes  h.xlsx, column vote: is tied": [tied] * 3,
        "1 note   nothing special": [Problem("k", "note", "nothing special")],
    }
    for expected, problems in cases.items():
        assert f"\n{expected}\n" in screen(replace(good_run, problems=problems))


def test_ten_lines_of_problems_at_most_but_all_with_verbose(good_run: RunOutcome) -> None:
    good_run.problems = [row(n, f"cause {n}") for n in range(1, 31)]
    lines = screen(good_run).split("30/0/0\n\n")[1].split("\n\n")[0].splitlines()
    assert (len(lines), lines[-1]) == (10, "         21 more causes: add -v to see all")
    assert screen(good_run, verbose=True).count(": cause ") == 30


def test_no_progress_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(3, "[red]reading") as advance:
        advance()
    assert capsys.readouterr() == ("", "")
