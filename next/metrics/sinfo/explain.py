"""How the score of an idiom was computed: its words with the common ones marked, c, r and BP."""

import pandas as pd

from scoresheet.metrics.family import Explanation, Tables
from scoresheet.metrics.sinfo import SinfoOptions
from scoresheet.metrics.sinfo.score import SEPARATOR, as_compared, lengths, score
from scoresheet.metrics.text.rouge_l import lcs_marks

OVERLAP = {
    "rouge": "distinct words in the longest common subsequences of the sentences, marked with [ ], "
    "divided by all distinct words of the prediction",
    "lin": "length of the longest common subsequence, divided by the words of the prediction",
    "charset": "distinct characters that the reference has too, divided by all of the prediction",
}
SEVERAL = {"max": "the best is used", "mean": "their mean is used", "first": "the first is used"}


def explain(tables: Tables, options: SinfoOptions, sheet: str, unit: str) -> Explanation:
    """Return the texts of an idiom with the common words marked, and what they add up to."""
    rows = tables["outputs"]
    chosen = (rows["idiom"] == unit) & ((rows["sheet"] == sheet) | (sheet == ""))
    outputs = rows[chosen].reset_index(drop=True)
    units = score({**tables, "outputs": outputs}, options).units.to_dict("records")
    texts, steps = [], []
    for row in units:
        place = f"{row['Sheet']}, row {row['Row']}"
        if row["Problem"]:
            texts += [f"{place}: {row['Problem']}"]
            continue
        prediction, references = row["Prediction"], row["Reference"].split(SEPARATOR)
        compared = as_compared([prediction, *references], options)
        c, *sizes = lengths([prediction, *references], compared, options)
        for reference, r in zip(references, sizes, strict=True):
            marked, counts = compared[prediction], {}
            if options.rouge == "rouge":
                marks = lcs_marks(marked, compared[reference])
                marked = " ".join(f"[{word}]" if mark else word for word, mark in marks if word)
                counts = {"Common": sum(dict(marks).values()), "Words": len(dict(marks))}
            texts += [f"{place}, prediction: {marked}", f"{place}, reference: {reference}"]
            values = {name: row[name] for name in ("P_ROUGE", "BP", "S_Info")}
            step = {"Sheet": row["Sheet"], "Row": row["Row"], **counts, "c": c, "r": r}
            steps.append(step | (values if len(references) == 1 else {}))
    counted = "characters" if options.length == "chars" else "words"
    sentences = (
        f"P_ROUGE: {OVERLAP[options.rouge]}.",
        f"BP: 1 where c > r, else exp(1 - r/c); c and r are the {counted} of the prediction and "
        "the reference.",
        f"S_Info = BP × P_ROUGE; of several references {SEVERAL[options.references_by]}.",
    )
    return Explanation((*sentences, *texts), {"Steps": pd.DataFrame(steps)} if steps else {})
