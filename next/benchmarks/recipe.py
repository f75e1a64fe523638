"""The source document's recipe for S_Info: pandas, openpyxl and rouge, row by row."""

import math
import sys
from pathlib import Path

import pandas as pd
from rouge import Rouge


def main(outputs: Path, references: Path, results: Path) -> None:
    """Score every model as the document's module does, and write its reports."""
    rouge = Rouge()
    known = pd.concat(pd.read_csv(file) for file in sorted(references.glob("*.csv")))
    explanation = dict(zip(known["idiom"], known["explanation"], strict=True))
    summary = []
    results.mkdir(parents=True, exist_ok=True)
    for file in sorted(outputs.glob("*.xlsx")):
        sheets = pd.read_excel(file, sheet_name=None, engine="openpyxl")
        scored = {name: score(sheet, explanation, rouge) for name, sheet in sheets.items()}
        means = {name: frame["S_Info"].mean() for name, frame in scored.items()}
        means["Overall"] = sum(means.values()) / len(means)
        summary.append([file.stem, means["Overall"]])
        with pd.ExcelWriter(results / f"{file.stem}_s_info.xlsx", engine="openpyxl") as book:
            overview = pd.DataFrame(means.items(), columns=["Sheet", "Average_S_Info"])
            overview.to_excel(book, sheet_name="Summary", index=False)
            for name, frame in scored.items():
                frame.to_excel(book, sheet_name=name, index=False)
    table = pd.DataFrame(summary, columns=["Model Name", "S_Info"])
    table.to_csv(results / "s_info_results.csv", index=False)


def score(sheet: pd.DataFrame, explanation: dict[str, str], rouge: Rouge) -> pd.DataFrame:
    """Return the rows of a sheet with P_ROUGE, BP and S_Info."""
    rows = []
    for row in sheet.to_dict("records"):
        prediction, reference = str(row["Prediction"]), str(explanation[row["Idiom"]])
        scores = rouge.get_scores(prediction, reference, avg=True)
        precision = scores["rouge-l"]["p"]
        c, r = len(prediction), len(reference)
        penalty = 1.0 if c > r else math.exp(1 - r / c)
        values = (precision, penalty, penalty * precision)
        rows.append([row["Idiom"], reference, prediction, *values])
    columns = ["Idiom", "Reference", "Prediction", "P_ROUGE", "BP", "S_Info"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
