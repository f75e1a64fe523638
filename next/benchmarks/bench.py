"""Speed and memory against the source document's recipe and plain scripts, as ratios of a run."""

import argparse
import math
import os
import random
import resource
import site
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

MODELS, SHEETS, WORDS = 10, 5, 60
SCORESHEET = Path(sys.executable).with_name("scoresheet")
RECIPE = Path(__file__).with_name("recipe.py")
PLAIN = Path(__file__).with_name("plain.py")
SIZES = {"mode-collapse": 100, "diversity": 100, "entropy": 40}  # questions, queries, ids a model


def make_tables(folder: Path, rows: int) -> None:
    """Write workbooks of ten models with five sheets each, texts of 60 words, and references."""
    draw = random.Random(1)
    words = [f"w{n}" for n in range(3000)]
    weights = [1 / (n + 3) for n in range(3000)]
    count = max(1, rows // MODELS // SHEETS)
    keys = [f"idiom {n}" for n in range(count)]
    explanations = [" ".join(draw.choices(words, weights, k=WORDS)) for _ in keys]
    (folder / "outputs").mkdir(parents=True)
    (folder / "references").mkdir()
    table = pd.DataFrame({"idiom": keys, "explanation": explanations})
    table.to_csv(folder / "references" / "references.csv", index=False)
    for model in range(MODELS):
        file = folder / "outputs" / f"model_{model}.xlsx"
        with pd.ExcelWriter(file, engine="xlsxwriter") as book:
            for sheet in range(SHEETS):
                answers = [_changed(text, draw, words) for text in explanations]
                frame = pd.DataFrame({"Idiom": keys, "Prediction": answers})
                frame.to_excel(book, sheet_name=f"permutation{sheet + 1}", index=False)


def _changed(text: str, draw: random.Random, words: list[str]) -> str:
    """Return a text in which two words of five are others."""
    return " ".join(w if draw.random() < 0.6 else draw.choice(words) for w in text.split())


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command; return its wall time and the CPU time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def best(command: list[str], repeats: int) -> tuple[float, float]:
    """Return the least wall and CPU time of several runs."""
    runs = [measure(command) for _ in range(repeats)]
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def compare(rows: int, folder: Path) -> str:
    """Return one line of the table: our time as a ratio of the recipe's."""
    data = folder / str(rows)
    make_tables(data, rows)
    outputs, references = str(data / "outputs"), str(data / "references")
    ours = [str(SCORESHEET), "sinfo", outputs, references, "-q", "-o", str(data / "ours")]
    repeats = 3 if rows < 100_000 else 2
    wall_one, cpu_one = best([*ours, "-j", "1"], repeats)
    recipe = [sys.executable, str(RECIPE), outputs, references, str(data / "recipe")]
    wall, cpu = best(recipe, 1 if rows > 1000 else repeats)
    # The speed of a machine changes: what is compared runs before and after the recipe.
    wall_two, _ = best([*ours, "-j", "2"], repeats)
    wall_again, cpu_again = best([*ours, "-j", "1"], repeats)
    wall_one, cpu_one = min(wall_one, wall_again), min(cpu_one, cpu_again)
    check_equal(data)
    return (
        f"| {rows:,} | {cpu:.2f} | {cpu_one:.2f} | {cpu / cpu_one:.1f} | "
        f"{wall:.2f} | {wall_one:.2f} | {wall_two:.2f} | {wall / wall_two:.1f} |"
    )


def check_equal(data: Path) -> None:
    """Stop if the two programs do not give the same numbers."""
    names = ("ours", "recipe")
    a, b = (pd.read_csv(data / n / "s_info_results.csv", index_col="Model Name") for n in names)
    difference = (a["S_Info"] - b["S_Info"]).abs().max()
    if not difference < 1e-9:
        raise SystemExit(f"the two programs differ by {difference}")


def make_family(family: str, folder: Path, units: int, models: int = MODELS) -> tuple[Path, Path]:
    """Write the outputs of some models for as many units, and what they are scored against."""
    draw = random.Random(units)
    folder.mkdir(parents=True)
    outputs, references = folder / "outputs.csv", folder / "references.csv"
    names = [f"model_{n}" for n in range(models)]
    if family == "mode-collapse":
        options = ["tea", "milk", "water", "juice", "cocoa", "lemonade"]
        rows = [
            (model, f"q{unit}", f"I would like {draw.choices(options, range(1, 7))[0]}, please.")
            for model in names
            for unit in range(units)
            for _ in range(40)
        ]
        pd.DataFrame(rows, columns=["model", "question", "answer"]).to_csv(outputs, index=False)
        pd.DataFrame({"option": options}).to_csv(references, index=False)
    elif family == "diversity":
        items = [f"i{n:03}" for n in range(300)]
        ranked = [
            (model, f"q{unit}", item, rank)
            for model in names
            for unit in range(units)
            for rank, item in enumerate(draw.sample(items, 100), 1)
        ]
        judged = [
            (f"q{unit}", f"s{draw.randrange(8)}", item, int(draw.random() < 0.7))
            for unit in range(units)
            for item in items
        ]
        frame = pd.DataFrame(ranked, columns=["model", "query", "item", "rank"])
        frame.to_csv(outputs, index=False)
        frame = pd.DataFrame(judged, columns=["query", "subtopic", "item", "relevance"])
        frame.to_csv(references, index=False)
    else:
        words = [f"word{n}" for n in range(2000)]
        weights = [1 / (n + 3) for n in range(2000)]
        texts = [
            (
                model,
                f"p{unit}",
                ". ".join(" ".join(draw.choices(words, weights, k=12)) for _ in range(40)),
            )
            for model in names
            for unit in range(units)
            for _ in range(4)
        ]
        pd.DataFrame(texts, columns=["model", "id", "text"]).to_csv(outputs, index=False)
    return outputs, references


def compare_family(family: str, folder: Path) -> str:
    """Return one line of the table: our time as a ratio of the plain script's, and its growth."""
    times = []
    for units in (SIZES[family], 3 * SIZES[family]):
        data = folder / family / str(units)
        outputs, references = make_family(family, data, units)
        scored = [str(path) for path in (outputs, references) if path.exists()]
        ours = [str(SCORESHEET), family, *scored, "-q", "-o", str(data / "ours")]
        times.append(best([*ours, "-j", "1"], 2)[1])
        if len(times) == 1:
            wall = best(ours, 2)[0]
            plain = [sys.executable, str(PLAIN), family, str(outputs), str(references)]
            plain_wall, plain_cpu = best([*plain, str(data / "plain")], 1)
            stem = family.replace("-", "_")
            check_same(data / "ours" / f"{stem}_results.csv", data / "plain" / "results.csv")
    rows = (sum(1 for _ in outputs.open()) - 1) // 3
    growth = math.log(times[1] / times[0], 3)
    return (
        f"| {family} | {rows:,} | {plain_cpu:.2f} | {times[0]:.2f} | {plain_cpu / times[0]:.1f} | "
        f"{plain_wall:.2f} | {wall:.2f} | {plain_wall / wall:.1f} | {growth:.2f} |"
    )


def check_same(ours: Path, plain: Path) -> None:
    """Stop if the results of a family are not the numbers of its plain script."""
    a, b = (pd.read_csv(path, index_col="Model Name") for path in (ours, plain))
    for name in [name for name in b if name in a]:
        if not (a[name] - b[name]).abs().max() < 1e-9:
            raise SystemExit(f"the two programs differ in {name}: {a[name][0]} and {b[name][0]}")


def large_diversity(folder: Path) -> str:
    """Return time and memory of 100 models × 50 queries × 100 items."""
    outputs, references = make_family("diversity", folder / "large", 50, models=100)
    command = [str(SCORESHEET), "diversity", str(outputs), str(references), "-q"]
    wall, _ = measure([*command, "-o", str(folder / "large" / "ours")])
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return f"100 models × 50 queries × 100 items: {wall:.0f} s, largest process {memory:.0f} MB"


def start_up() -> list[str]:
    """Return the time of help and of a tiny run as ratios of importing typer and pandas."""
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        tiny = Path(folder)
        (tiny / "a.csv").write_text("idiom,prediction\ni,a b c\nj,a b\n", encoding="utf-8")
        (tiny / "b.csv").write_text("idiom,reference\ni,a b d\nj,a c\n", encoding="utf-8")
        run = [str(SCORESHEET), "sinfo", str(tiny / "a.csv"), str(tiny / "b.csv"), "-q"]
        jobs = {
            "import typer": [python, "-c", "import typer"],
            "import pandas": [python, "-c", "import pandas"],
            "scoresheet --help": [str(SCORESHEET), "--help"],
            "scoresheet sinfo --help": [str(SCORESHEET), "sinfo", "--help"],
            "a tiny run": [*run, "-o", str(tiny / "out")],
        }
        times = {name: best(command, 7) for name, command in jobs.items()}
    typer, pandas = times["import typer"][1], times["import pandas"][1]
    lines = [
        f"| {name} | {times[name][1]:.2f} | {times[name][1] / typer:.1f} × typer |"
        for name in ("scoresheet --help", "scoresheet sinfo --help")
    ]
    tiny_cpu = times["a tiny run"][1]
    lines.append(f"| a tiny run | {tiny_cpu:.2f} | {tiny_cpu / pandas:.1f} × pandas |")
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    arguments = parser.parse_args()
    # Without compiled modules each start would compile them again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-m", "compileall", "-q", *site.getsitepackages()], check=False)
    print("| rows | recipe CPU s | ours CPU s | ratio | recipe wall s | -j 1 | -j 2 | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for rows in arguments.rows:
            print(compare(rows, Path(folder)), flush=True)
        print(
            "\n| family | rows | plain CPU s | ours | ratio | plain wall | ours | ratio | growth |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for family in SIZES:
            print(compare_family(family, Path(folder)), flush=True)
        print(f"\n{large_diversity(Path(folder))}")
    print("\n| start | CPU s | ratio |\n|---|---|---|")
    print("\n".join(start_up()))


if __name__ == "__main__":
    main()
