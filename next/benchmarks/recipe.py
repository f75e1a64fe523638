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
    for file in sorted(outputs.glob("*.csv")):
        rows = []
        for row in pd.read_csv(file).to_dict("records"):
            prediction, reference = str(row["Prediction"]), str(explanation[row["Idiom"]])
            scores = rouge.get_scores(prediction, reference, avg=True)
            precision = scores["rouge-l"]["p"]
            c, r = len(prediction), len(reference)
            penalty = 1.0 if c > r else math.exp(1 - r / c)
            rows.append(
                [row["Idiom"], reference, prediction, precision, penalty, penalty * precision]
            )
        columns = ["Idiom", "Reference", "Prediction", "P_ROUGE", "BP", "S_Info"]
        frame = pd.DataFrame(rows, columns=columns)
        mean = frame["S_Info"].mean()
        summary.append([file.stem, mean])
        with pd.ExcelWriter(results / f"{file.stem}_s_info.xlsx", engine="openpyxl") as book:
            overview = pd.DataFrame([[file.stem, mean], ["Overall", mean]])
            overview.columns = ["Sheet", "Average_S_Info"]
            overview.to_excel(book, sheet_name="Summary", index=False)
            frame.to_excel(book, sheet_name=file.stem[:31], index=False)
    table = pd.DataFrame(summary, columns=["Model Name", "S_Info"])
    table.to_csv(results / "s_info_results.csv", index=False)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
