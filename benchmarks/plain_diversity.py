"""Diversity of rankings by the packages people use: the peers that `scoresheet diversity` is measured against.

    python benchmarks/plain_diversity.py pyndeval|ir_measures|everything OUTPUTS REFERENCES RESULTS

pandas reads rankings and judgments and writes a workbook and a CSV for each system; pyndeval, or ir_measures, which
asks pyndeval in its turn, has the four measures of the field. `everything` adds to those of pyndeval, with scipy, what
else a report of ours has of each query: the entropy and the Gini of its subtopics, ILD and the share judged; not EILD
and proportionality, which no package has. With numpy it adds what a report has of systems: a bootstrap interval of
every mean, and every two systems compared by query in every measure (difference, interval, randomisation test by sign
flips, Holm's correction, wins and losses). It has no page of what each rank adds, no chart, no check of what it reads.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

ENGINE: Final = "openpyxl"
CUTOFFS: Final = (5, 10, 20)
# our name of a measure, pyndeval's and that of ir_measures
NAMES: Final = {
    "S_Recall": ("strec", "StRecall"),
    "alpha_DCG": ("alpha-DCG", "alpha_DCG"),
    "alpha_nDCG": ("alpha-nDCG", "alpha_nDCG"),
    "ERR_IA": ("ERR-IA", "ERR_IA"),
}
HEADLINE: Final = "alpha_nDCG@10"
RESAMPLES: Final = 2_000
FLIPS: Final = 10_000

Scorer = Callable[[pd.DataFrame], pd.DataFrame]
Table = np.ndarray[Any, np.dtype[np.float64]]


def read_judgments(folder: Path) -> pd.DataFrame:
    """Return the judgments of every CSV in the folder."""
    texts = dict.fromkeys(("query", "subtopic", "item"), str)
    return pd.concat([pd.read_csv(path, dtype=texts) for path in sorted(folder.glob("*.csv"))])


def pyndeval_scorer(judgments: pd.DataFrame) -> Scorer:
    """Return what scores a run by pyndeval, its judgments made ready once."""
    import pyndeval  # type: ignore[import-not-found,import-untyped,unused-ignore] # only `bench` installs the peers

    theirs = {f"{names[0]}@{k}": f"{ours}@{k}" for k in CUTOFFS for ours, names in NAMES.items()}
    columns = ["query", "subtopic", "item", "relevance"]
    evaluator = pyndeval.RelevanceEvaluator(list(judgments[columns].itertuples(index=False, name=None)), list(theirs))

    def score(run: pd.DataFrame) -> pd.DataFrame:
        ranked = run.assign(score=-run["rank"].astype(float))[["query", "item", "score"]]
        found = evaluator.evaluate(list(ranked.itertuples(index=False, name=None)))
        return pd.DataFrame.from_dict(found, orient="index").rename(columns=theirs).rename_axis("Query").reset_index()

    return score


def ir_measures_scorer(judgments: pd.DataFrame) -> Scorer:
    """Return the same by ir_measures, whose evaluator takes frames as they are."""
    import ir_measures  # type: ignore[import-not-found,import-untyped,unused-ignore]

    measures = {getattr(ir_measures, names[1]) @ k: f"{ours}@{k}" for k in CUTOFFS for ours, names in NAMES.items()}
    renamed = judgments.rename(columns={"query": "query_id", "subtopic": "iteration", "item": "doc_id"})
    evaluator = ir_measures.evaluator(list(measures), renamed)

    def score(run: pd.DataFrame) -> pd.DataFrame:
        ranked = run.rename(columns={"query": "query_id", "item": "doc_id"}).assign(score=-run["rank"].astype(float))
        found = [(one.query_id, measures[one.measure], one.value) for one in evaluator.iter_calc(ranked)]
        table = pd.DataFrame(found, columns=["Query", "measure", "value"])
        return table.pivot(index="Query", columns="measure", values="value").reset_index()

    return score


def everything_scorer(judgments: pd.DataFrame) -> Scorer:
    """Return what scores a run by pyndeval and adds the other measures, one query after another."""
    by_pyndeval = pyndeval_scorer(judgments)
    subtopics = {query: list(dict.fromkeys(each["subtopic"])) for query, each in judgments.groupby("query")}
    judged = {query: set(each["item"]) for query, each in judgments.groupby("query")}
    relevant: dict[Any, dict[str, set[str]]] = {}
    good = judgments[judgments["relevance"] > 0]
    for query, subtopic, item in zip(good["query"], good["subtopic"], good["item"], strict=True):
        relevant.setdefault(query, {}).setdefault(item, set()).add(subtopic)

    def score(run: pd.DataFrame) -> pd.DataFrame:
        lines = []
        for query, ranking in run.sort_values("rank").groupby("query"):
            items = ranking["item"].tolist()[: max(CUTOFFS)]
            covers = [relevant.get(query, {}).get(item, set()) for item in items]
            names = [name for name in subtopics[query] if any(name in of for of in relevant.get(query, {}).values())]
            table = np.array([[name in of for name in names] for of in covers], dtype=bool)
            shares = {f"Judged@{k}": sum(item in judged[query] for item in items[:k]) / len(items[:k]) for k in CUTOFFS}
            lines.append({"Query": query, **shares, **spread_measures(table)})
        return by_pyndeval(run).merge(pd.DataFrame(lines), on="Query")

    return score


def spread_measures(table: np.ndarray[Any, np.dtype[np.bool_]]) -> dict[str, float]:
    """Return entropy, Gini and ILD of the first items × subtopics at each cut-off."""
    from scipy.spatial.distance import pdist  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from scipy.stats import entropy  # type: ignore[import-not-found,import-untyped,unused-ignore]

    found = {}
    for k in CUTOFFS:
        counts = np.sort(table[:k].sum(axis=0))
        number, total = len(counts), counts.sum()
        bits = float(entropy(counts)) if total else np.nan
        found[f"S_Entropy@{k}"] = bits
        found[f"S_Entropy_Norm@{k}"] = bits / np.log(number) if number > 1 else np.nan
        ranks = np.arange(1, number + 1)
        found[f"Gini@{k}"] = 2 * (ranks @ counts) / (number * total) - (number + 1) / number if total else np.nan
        covering = table[:k][table[:k].any(axis=1)]
        found[f"ILD@{k}"] = float(pdist(covering, "jaccard").mean()) if len(covering) > 1 else np.nan
    return found


def resampled_means(values: Table, rng: np.random.Generator) -> Table:
    """Return the means of columns under resampled rows: resample × column."""
    rows = len(values)
    times = rng.multinomial(rows, np.full(rows, 1 / rows), size=RESAMPLES).astype(float)
    return np.asarray(times @ np.nan_to_num(values) / (times @ ~np.isnan(values)))


def intervals(table: pd.DataFrame) -> dict[str, float]:
    """Return the percentile interval of each measure's mean, and that of the headline."""
    values = table.drop(columns="Query")
    means = resampled_means(values.to_numpy(dtype=float), np.random.default_rng(0))
    ends = dict(zip(values.columns, np.percentile(means, (2.5, 97.5), axis=0).T.tolist(), strict=True))
    named = {
        f"{name} {end}": value for name, own in ends.items() for end, value in zip(("low", "high"), own, strict=True)
    }
    return {"CI_Low": ends[HEADLINE][0], "CI_High": ends[HEADLINE][1], **named}


def comparisons(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return every two systems in every measure, over the queries that both have."""
    indexed = {model: table.set_index("Query").sort_index() for model, table in tables.items()}
    lines: list[dict[str, object]] = []
    for (one, ours), (other, theirs) in combinations(indexed.items(), 2):
        shared = ours.index.intersection(theirs.index)
        differences = (ours.loc[shared] - theirs.loc[shared]).to_numpy(dtype=float)
        rng = np.random.default_rng(0)
        flips = rng.choice((-1.0, 1.0), size=(FLIPS, len(shared)))
        known = np.nan_to_num(differences)
        reached = (np.abs(flips @ known) >= np.abs(known.sum(axis=0)) - 1e-9).sum(axis=0)
        low, high = np.percentile(resampled_means(differences, rng), (2.5, 97.5), axis=0)
        lines += [
            {
                "Model": one,
                "Other": other,
                "Measure": measure,
                "Difference": np.nanmean(differences[:, place]),
                "CI_Low": low[place],
                "CI_High": high[place],
                "p": (1 + reached[place]) / (1 + FLIPS),
                "Wins": int((differences[:, place] > 0).sum()),
                "Losses": int((differences[:, place] < 0).sum()),
            }
            for place, measure in enumerate(ours.columns)
        ]
    found = pd.DataFrame(lines)
    if found.empty:  # of one system
        return found
    headline = found["Measure"] == HEADLINE  # whose tests are corrected by themselves
    found.loc[headline, "p_holm"] = holm(found.loc[headline, "p"])
    found.loc[~headline, "p_holm"] = holm(found.loc[~headline, "p"])
    return found


def holm(p_values: pd.Series[float]) -> pd.Series[float]:
    """Return p-values corrected for how many there are."""
    ordered = p_values.sort_values()
    return (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1)


SCORERS: Final = {"pyndeval": pyndeval_scorer, "ir_measures": ir_measures_scorer, "everything": everything_scorer}


def score_system(path: Path, score: Scorer, results: Path) -> pd.DataFrame:
    """Write a system's workbook and CSV and return its measures of each query."""
    table = score(pd.read_csv(path, dtype={"query": str, "item": str}))
    with pd.ExcelWriter(results / f"{path.stem}_diversity.xlsx", engine=ENGINE) as book:
        table.to_excel(book, sheet_name="Queries", index=False)
    table.to_csv(results / f"{path.stem}_diversity.csv", index=False)
    return table


def main(arguments: Sequence[str]) -> None:
    """Score every table of a folder and write the results beside each other."""
    which, (outputs, references, results) = arguments[0], map(Path, arguments[1:])
    results.mkdir(parents=True, exist_ok=True)
    score = SCORERS[which](read_judgments(references))
    tables = {path.stem: score_system(path, score, results) for path in sorted(outputs.glob("*.csv"))}
    lines = [{"Model Name": model, **table.drop(columns="Query").mean()} for model, table in tables.items()]
    pages = {"Results": pd.DataFrame(lines)}
    if which == "everything":
        every = pd.DataFrame([intervals(table) for table in tables.values()])
        pages = {"Results": pages["Results"].join(every), "Comparisons": comparisons(tables)}
    pages["Results"].to_csv(results / "diversity_results.csv", index=False)
    with pd.ExcelWriter(results / "diversity_results.xlsx", engine=ENGINE) as book:
        for name, page in pages.items():
            page.to_excel(book, sheet_name=name, index=False)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in SCORERS:
        sys.exit(f"usage: python plain_diversity.py {'|'.join(SCORERS)} OUTPUTS REFERENCES RESULTS")
    main(sys.argv[1:])
