"""`scoresheet mode-collapse` against pandas and scipy: choices counted, and one row for each sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from commands import Bench, Job, Peer, Size, every_of, names
from harness import Agreement
from workload import LONGER_FROM, made_up_words, write_table

SAMPLES, OPTIONS = 1_000, 50  # of each cell
CELLS_OF_SHEET = 50  # a root and one for each parent
STEEPEST = 2.0  # the largest exponent of a cell's choices: 1/rank² gives the first option 61 % of them
EVEN_SHARE = 0.25  # of the cells choose evenly, so that there are p-values between 0 and 1 to compare
# formulas agree, random draws within their error
COLUMNS = {"Gini": 1e-9, "Entropy": 1e-9, "Normalized_Entropy": 1e-9, "P_Value": 0.04}


def write(folder: Path, size: Size, *, counted: bool) -> Job:
    """Write the options and a table for each model; the samples are the same, counted or one row for each."""
    rng = Random(0)
    # words of one syllable are left out: some mean something to the rule that maps texts to options ("the")
    words = made_up_words(rng, LONGER_FROM[0] + 2 * OPTIONS)[LONGER_FROM[0] :]
    roots, leaves = words[:OPTIONS], words[OPTIONS:]
    levels = [(level, name) for level, options in enumerate((roots, leaves)) for name in options]
    write_table(folder / "options" / "options.csv", ["level", "option"], levels)
    header = ["Sheet", "level", "parent", "choice"] + ["count"] * counted
    for model in names(size.models):
        lines = choices_of_model(rng, size.units, roots, leaves, counted=counted)
        write_table(folder / "outputs" / f"{model}.csv", header, lines)
    return Job([str(folder / "outputs"), str(folder / "options")], names(size.models))


def choices_of_model(
    rng: Random, cells: int, roots: list[str], leaves: list[str], *, counted: bool
) -> Iterator[tuple[object, ...]]:
    """Yield the lines of a model's table: sheets of a root cell and the cells below its choices."""
    for start in range(0, cells, CELLS_OF_SHEET):
        sheet, parents = f"question {start // CELLS_OF_SHEET + 1:02d}", roots[: min(CELLS_OF_SHEET, cells - start) - 1]
        # a parent that was never chosen, or one without a cell below it, would be a remark in the report
        root = [*parents, *choices(rng, parents or roots, SAMPLES - len(parents))]
        own = [(sheet, 0, "", root), *((sheet, 1, parent, choices(rng, leaves, SAMPLES)) for parent in parents)]
        for *key, chosen in own:
            if counted:
                yield from ((*key, *pair) for pair in Counter(chosen).items())
            else:
                yield from ((*key, choice) for choice in chosen)


def choices(rng: Random, options: list[str], count: int) -> list[str]:
    """Return the choices of one cell, from even to collapsed, with favourites of its own."""
    steepness = 0.0 if rng.random() < EVEN_SHARE else rng.uniform(0, STEEPEST)
    weights = [rank**-steepness for rank in range(1, len(options) + 1)]
    return rng.choices(rng.sample(options, len(options)), weights, k=count)


BENCH = Bench(
    name="mode-collapse",
    command="mode-collapse",
    units="cells",
    about=(
        f"{SAMPLES:,} samples and {OPTIONS} options a cell, counted. pandas and scipy have Gini, entropy, a p-value"
        " from 10,000 simulated choosers and a bootstrap interval of each cell."
    ),
    write=partial(write, counted=True),
    sizes=(Size(2, 25), Size(2, 50), Size(2, 125)),
    quick=(Size(2, 5), Size(2, 10), Size(2, 25)),
    peers=(Peer("pandas, scipy", "plain_mode_collapse.py", every=every_of(100)),),
    agreement=Agreement("mode_collapse", ("Sheet", "Level", "Parent"), COLUMNS),
    each_of_many=2,
)
OF_ROWS = replace(
    BENCH,
    name="mode-collapse from rows",
    units="cells of 1,000 rows",
    about=f"The same samples, a row for each: {SAMPLES:,} rows a cell.",
    write=partial(write, counted=False),
    sizes=(Size(2, 10), Size(2, 25), Size(2, 60)),
    each_of_many=0,
)
