"""Scoring of explanations against their references."""

import numpy as np
import pandas as pd

from scoresheet.metrics.family import Scores, Tables, carry_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.sinfo.measures import (
    brevity_penalty,
    component,
    precision,
    prepare,
    s_info,
)
from scoresheet.metrics.sinfo.options import SinfoOptions
from scoresheet.metrics.sinfo.references import SEPARATOR, pair_with_references
from scoresheet.metrics.text.tokens import has_words, words

AUDITED_WORDS = 400  # the library is quadratic and recursive


def score(tables: Tables, options: SinfoOptions) -> Scores:
    """Score every row of one model against its references."""
    rows = tables["outputs"].reset_index(drop=True)
    rows["prediction"] = rows["prediction"].str.strip()
    pairs, problems = pair_with_references(rows, tables.get("references"), options.language)
    compared = _compared(rows["prediction"], options)
    answered = np.array([has_words(text) for text in compared], dtype=bool)
    has_reference = rows.index.isin(pairs["row"])
    scored = _score_pairs(pairs[answered[pairs["row"]]], rows["prediction"], compared, options)
    best = _combine(scored, options.references_by).reindex(range(len(rows)))
    shown = best["reference"].fillna(pairs.drop_duplicates("row").set_index("row")["reference"])
    units = pd.DataFrame(
        {
            "Sheet": rows["sheet"],
            "Idiom": rows["idiom"],
            "Reference": shown.fillna(""),
            "Prediction": rows["prediction"],
            **{name: best[name].to_numpy(float) for name in ("P_ROUGE", "BP", "S_Info")},
            "Row": rows["row"],
        }
    )
    if options.unanswered == "zero":
        units.loc[~answered & has_reference, "S_Info"] = 0.0
    units["Band"] = [measure_of(s_info).band(value) for value in units["S_Info"]]
    units["Component"] = component(units["P_ROUGE"], units["BP"])
    units["Language"] = best["language"].fillna("")
    units["Problem"] = np.select(
        [~answered, ~has_reference], ["the prediction has no words", "no reference"], ""
    )
    problems += row_problems(rows[~answered], "no-words", "the prediction has no words")
    problems += _without_reference(rows[answered & ~has_reference], tables)
    return Scores(carry_along(units, rows), problems)


def audit(units: pd.DataFrame, options: SinfoOptions, count: int, seed: int) -> None:
    """Score some rows again with the library `rouge`; a difference is a bug."""
    if options.rouge != "rouge" or options.references_by == "mean":
        return
    from rouge import Rouge

    scored = units[units["P_ROUGE"].notna()]
    chosen = scored.sample(min(count, len(scored)), random_state=seed)
    library = Rouge(metrics=["rouge-l"])
    for row in chosen.itertuples():
        prediction, reference = _compared(pd.Series([row.Prediction, row.Reference]), options)
        if max(len(prediction.split()), len(reference.split())) > AUDITED_WORDS:
            continue
        expected = library.get_scores(prediction, reference)[0]["rouge-l"]["p"]
        if expected != row.P_ROUGE:
            raise AssertionError(
                f"row {row.Row}: P_ROUGE is {row.P_ROUGE}, the library says {expected}"
            )


def _compared(texts: pd.Series, options: SinfoOptions) -> list[str]:
    """Return texts as they are compared, each different one prepared once."""
    codes, unique = pd.factorize(texts)
    prepared = prepare(
        [str(text) for text in unique], tokenizer=options.tokenizer, normalize=options.normalize
    )
    return [prepared[code] for code in codes]


def _score_pairs(
    pairs: pd.DataFrame, predictions: pd.Series, compared: list[str], options: SinfoOptions
) -> pd.DataFrame:
    """Return the pairs with P_ROUGE, BP and S_Info against each reference."""
    references = _compared(pairs["reference"], options)
    answers = [compared[row] for row in pairs["row"]]
    originals = predictions.to_numpy(object)[pairs["row"]].tolist()
    if options.rouge == "charset":
        p = precision(originals, pairs["reference"].tolist(), rouge="charset")
    else:
        p = precision(answers, references, rouge=options.rouge)
    if options.length == "tokens":
        lengths = [len(words(t)) for t in answers], [len(words(t)) for t in references]
    else:
        lengths = [len(t) for t in originals], [len(t) for t in pairs["reference"]]
    bp = brevity_penalty(*lengths) if len(pairs) else np.array([])
    return pairs.assign(P_ROUGE=p, BP=bp, S_Info=s_info(bp, p))


def _combine(pairs: pd.DataFrame, how: str) -> pd.DataFrame:
    """Return one row per prediction: the best, the first, or the mean over its references."""
    if how == "mean":
        grouped = pairs.groupby("row")
        texts = grouped["reference"].agg(SEPARATOR.join)
        means = grouped[["P_ROUGE", "BP", "S_Info"]].mean()
        return means.assign(reference=texts, language=grouped["language"].first())
    if how == "max":
        order = np.lexsort((-pairs["S_Info"].to_numpy(), pairs["row"].to_numpy()))
        pairs = pairs.iloc[order]
    return pairs.drop_duplicates("row").set_index("row")


def _without_reference(rows: pd.DataFrame, tables: Tables) -> list[Problem]:
    """Return the problem of each row whose idiom has no reference."""
    hint = ""
    references = tables.get("references")
    if references is not None and len(rows):
        folded = set(references["idiom"].str.casefold().str.replace(" ", "", regex=False))
        close = rows["idiom"].str.casefold().str.replace(" ", "", regex=False).isin(folded)
        hint = f"--match loose matches {int(close.sum())} of them" if close.any() else ""
    return row_problems(rows, "no-reference", "no reference for this key", hint=hint)
