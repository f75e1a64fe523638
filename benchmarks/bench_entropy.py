"""`scoresheet entropy` against plain Python, and scikit-learn for sentences: texts of 60 words in CSV files."""

from __future__ import annotations

from pathlib import Path

from commands import Bench, Job, Peer, Size, every_of, names
from harness import Agreement
from workload import Language, write_table

WORDS = 60
NEARLY = 1e-9


def write(folder: Path, size: Size) -> Job:
    """Write a CSV of texts for each model: made-up words with Zipf's frequencies, in sentences."""
    language, outputs = Language(0), folder / "outputs"
    for model in names(size.models):
        texts = (language.text(language.draw(WORDS)).capitalize() for _ in range(size.units))
        write_table(outputs / f"{model}.csv", ["id", "text"], ((f"t{row:07d}", text) for row, text in enumerate(texts)))
    return Job([str(outputs)], names(size.models))


BENCH = Bench(
    name="entropy",
    command="entropy",
    units="texts",
    about=(
        f"Texts of {WORDS} words in CSV files. Plain Python has the measures of words with a `Counter` per"
        " text; with everything it also has those of sentences, by scikit-learn, and those of all texts together."
    ),
    write=write,
    sizes=(Size(2, 500), Size(2, 2_500), Size(2, 12_500)),
    quick=(Size(2, 500), Size(2, 1_000), Size(2, 2_500)),
    peers=(
        Peer("plain Python, words", "plain_entropy.py", ("words",)),
        Peer("plain Python, everything", "plain_entropy.py", ("everything",), every=every_of(2_000)),
    ),
    agreement=Agreement(
        "entropy",
        ("Id",),
        dict.fromkeys(
            ("Words", "Word_Entropy", "Bigram_Entropy", "Entropy_Variance", "Semantic_Diversity", "Semantic_Entropy"),
            NEARLY,
        ),
    ),
    each_of_many=200,
)
