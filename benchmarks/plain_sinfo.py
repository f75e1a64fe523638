"""S_Info as a plain pandas script: the peer that `scoresheet sinfo` is measured against.

    python benchmarks/plain_sinfo.py OUTPUTS REFERENCES RESULTS [EVERY]

The metric as its recipe has it: pandas with openpyxl reads and writes, PyPI `rouge` scores one row after another, BP
counts characters. It is written to be a fair peer: each workbook is opened once, the scorer is made once, and tables
are built from lists, not row by row. It does none of the checks that `scoresheet` does. With EVERY it scores every so
many-th row.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Final

import pandas as pd
from parts import Part
from rouge import Rouge

# the only spreadsheet library the recipe asks for; pandas would otherwise take whatever is installed
ENGINE: Final = "openpyxl"
UNDEFINED: Final = (math.nan, math.nan, math.nan)


def read_references(folder: Path) -> dict[str, str]:
    """Return the explanation of each idiom, from every CSV in the folder."""
    tables = [pd.read_csv(path, dtype=str) for path in sorted(folder.glob("*.csv"))]
    table = pd.concat(tables)
    return dict(zip(table["idiom"].str.strip(), table["explanation"].str.strip(), strict=True))


def brevity_penalty(prediction: str, reference: str) -> float:
    """Return 1 for the longer answer, exp(1 - r/c) for the others."""
    candidate, target = len(prediction), len(reference)
    return 1.0 if candidate > target else math.exp(1 - target / candidate)


def score_row(rouge: Rouge, prediction: object, reference: str | None) -> tuple[float, float, float]:
    """Return P_ROUGE, BP and S_Info, all NaN where there is nothing to compare."""
    text = prediction.strip() if isinstance(prediction, str) else ""
    if not text or not reference:
        return UNDEFINED
    precision = rouge.get_scores(text, reference, avg=True)["rouge-l"]["p"]
    penalty = brevity_penalty(text, reference)
    return precision, penalty, penalty * precision


def score_sheet(rouge: Rouge, sheet: pd.DataFrame, references: dict[str, str], part: Part) -> pd.DataFrame:
    """Return the sheet's rows with their reference and scores."""
    idioms = sheet["Idiom"].str.strip()
    explanations = [references.get(idiom) for idiom in idioms]
    pairs = zip(sheet["Prediction"], explanations, strict=True)
    with part.scoring():
        scores = [score_row(rouge, *pair) if part.has(number) else UNDEFINED for number, pair in enumerate(pairs)]
    texts = pd.DataFrame({"Idiom": idioms, "Reference": explanations, "Prediction": sheet["Prediction"]})
    return texts.join(pd.DataFrame(scores, columns=["P_ROUGE", "BP", "S_Info"], index=sheet.index))


def score_model(rouge: Rouge, path: Path, references: dict[str, str], results: Path, part: Part) -> float:
    """Write the model's workbook and CSV and return its score, the mean of its sheets' averages."""
    sheets = pd.read_excel(path, sheet_name=None, engine=ENGINE, dtype=str)
    scored = {name: score_sheet(rouge, sheet, references, part) for name, sheet in sheets.items()}
    averages = [table["S_Info"].mean() for table in scored.values()]
    overall = float(pd.Series(averages).mean())
    summary = pd.DataFrame({"Sheet": [*scored, "Overall"], "Average_S_Info": [*averages, overall]})
    with pd.ExcelWriter(results / f"{path.stem}_s_info.xlsx", engine=ENGINE) as book:
        summary.to_excel(book, sheet_name="Summary", index=False)
        for name, table in scored.items():
            table.to_excel(book, sheet_name=name, index=False)
    rows = pd.concat([table.assign(Sheet=name) for name, table in scored.items()])
    rows.drop(columns=["Reference", "Prediction"]).to_csv(results / f"{path.stem}_s_info.csv", index=False)
    return overall


def main(outputs: Path, references_folder: Path, results: Path, *, every: int = 1) -> None:
    """Score every workbook of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    references = read_references(references_folder)
    rouge, part = Rouge(), Part(every)
    paths = sorted(outputs.glob("*.xlsx"))
    scores = {path.stem: score_model(rouge, path, references, results, part) for path in paths}
    table = pd.DataFrame({"Model Name": list(scores), "S_Info": list(scores.values())})
    table.to_csv(results / "s_info_results.csv", index=False)
    part.note(results)
    print(table.to_string(index=False))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: python plain_sinfo.py OUTPUTS REFERENCES RESULTS [EVERY]")
    main(*map(Path, sys.argv[1:4]), every=int(sys.argv[4]) if sys.argv[4:] else 1)
