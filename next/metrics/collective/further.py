"""Routing, anchors, fingerprints, parameters and targets of an ensemble: tables and numbers."""

import math
import posixpath
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.collective import ROUTING_KEYS, CollectiveOptions
from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.stats import Estimate, Floats
from scoresheet.metrics.stats.counts import dead_member
from scoresheet.metrics.stats.means import Rows, mean_estimate

PLACE = ("row", "file", "worksheet")
OWN = ("routing", "anchors", "fingerprints", "history", "parameters")
DEAD_ANCHOR = 0.01
Frames = dict[str, pd.DataFrame]
Numbers = dict[str, Any]


def own_tables(tables: Mapping[str, pd.DataFrame], model: str) -> tuple[Frames, list[Problem]]:
    """Return the further tables of one ensemble: those of its own file, else of its own folder.

    A table that could belong to several ensembles, or one of two of a kind, is skipped.
    """
    survey = tables.get("survey", tables["outputs"])
    owners = survey.groupby("file")["model"].agg(set)
    in_folder = survey.groupby(survey["file"].map(posixpath.dirname))["model"].agg(set)
    found: Frames = {"targets": tables["targets"]} if "targets" in tables else {}
    problems = []
    for name in [name for name in OWN if name in tables]:
        for (file, sheet), part in tables[name].groupby(["file", "worksheet"], sort=False):
            names = owners.get(file) or in_folder.get(posixpath.dirname(str(file)), set())
            message = f"{name} could belong to {' or '.join(sorted(names)[:3])}"
            if name in found:
                message = f"{model} has two tables called {name}"
            elif names == {model}:
                found[name] = part.reset_index(drop=True)
                continue
            if model in names:
                hint = "give each ensemble a workbook or a folder of its own"
                place = str(file), str(sheet)
                problems.append(Problem("whose", "skipped", message, *place, hint=hint))
    return found, problems


def values_of(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return the columns of values of a table, with the key as its index."""
    values = table.drop(columns=[name for name in PLACE if name in table]).set_index(key)
    return values[values.index.notna()]


# --- routing --------------------------------------------------------------------------------


def routing(table: pd.DataFrame, options: CollectiveOptions) -> tuple[Frames, Numbers, Estimate]:
    """Return the tables Routing and Experts, the numbers, and the estimate of the entropy.

    The entropy is that of the last epoch; with layers, numbers are means over them.
    """
    keys = [name for name in ROUTING_KEYS if name in table] or ["row"]
    rows = table.assign(**{name: "" for name in ("layer", "epoch") if name not in table})
    epochs, experts, entropies, units = [], [], [], []
    for layer, part in rows.groupby("layer", sort=False):
        weights = part.pivot_table(
            index=list({**dict.fromkeys(keys), "epoch": 0}),
            columns="expert", values="weight", aggfunc="sum", fill_value=0.0, sort=False,
        )  # fmt: skip
        place = weights.index.to_frame(index=False)
        matrix, k = weights.to_numpy(), weights.shape[1]
        entropy = m.routing_entropy(matrix)
        for epoch, at in place.groupby("epoch").indices.items():
            mean = float(entropy[at].mean())
            share = m.routing_entropy_share(mean, k)
            overlap = math.nan
            if "stream" in place:
                by = place["stream"].iloc[at].to_numpy()
                overlap = m.routing_overlap(pd.DataFrame(matrix[at]).groupby(by).mean())
            epochs.append((epoch, mean, share, overlap))
        last = (place["epoch"] == place["epoch"].max()).to_numpy()
        experts.append(_experts(weights[last], place[last], options).assign(Layer=layer))
        entropies.append(entropy[last])
        unit = place["sample"] if "sample" in place else pd.Series(range(len(place)))
        units.append(unit[last])
    shown = pd.DataFrame(epochs, columns=["Epoch", "Entropy", "Share", "Overlap"])
    shown = shown.groupby("Epoch").mean().reset_index()
    shown["Band"] = shown["Entropy"].map(measure_of(m.routing_entropy).band)
    table = pd.concat(experts, ignore_index=True)
    most = max(len(part) for part in experts)
    codes = pd.factorize(pd.concat(units))[0]
    bounds = (0.0, math.log(most)) if most > 1 else None
    estimate = mean_estimate(Rows(np.concatenate(entropies), codes), bounds=bounds, ci=options.ci)
    now = shown.iloc[-1]
    numbers = {"Routing_Entropy": now["Entropy"], "Routing_Entropy_Share": now["Share"]}
    numbers |= {"Routing_Band": now["Band"], "Routing_Overlap": now["Overlap"], "Experts": most}
    numbers["Load_CV"] = float(np.mean([m.load_cv(part["Load"]) for part in experts]))
    numbers["Dead_Experts"] = int((table["Dead"] != "").sum())
    if "layer" in keys:
        table.insert(0, "Layer", table.pop("Layer"))
    else:
        table = table.drop(columns="Layer")
    return {"Routing": shown, "Experts": table}, numbers, estimate


def _experts(
    weights: pd.DataFrame, place: pd.DataFrame, options: CollectiveOptions
) -> pd.DataFrame:
    """Return the load of each expert, where its weight is largest, and whether it is dead.

    Samples count where they are named, else groups of weights.
    """
    matrix = weights.reset_index(drop=True)
    if "sample" in place:
        matrix = matrix.groupby(place["sample"].to_numpy(), sort=False).mean()
    hits = np.bincount(matrix.to_numpy().argmax(axis=1), minlength=weights.shape[1])
    n, k = len(matrix), weights.shape[1]
    limit = min(0.01, 0.1 / k)
    found = [dead_member(int(hit), n, threshold=limit, members=k, ci=options.ci) for hit in hits]
    table = pd.DataFrame({"Expert": weights.columns, "Load": weights.mean().to_numpy()})
    table = table.assign(Largest_In=hits, Of=n)
    table["Dead"] = ["dead" if estimate.high < limit else "" for estimate in found]
    table["Note"] = [estimate.note for estimate in found]
    if "stream" in place:
        streams = place["stream"].to_numpy()
        for stream in dict.fromkeys(streams):
            table[f"In {stream}"] = weights[streams == stream].mean().to_numpy()
    return table


# --- anchors, fingerprints, parameters, targets ---------------------------------------------


def anchors(table: pd.DataFrame) -> tuple[Frames, Numbers]:
    """Return the table Anchors and the numbers of how evenly anchors are used."""
    use = values_of(table, "stream")
    shares, entropy = m.anchor_shares(use), m.anchor_entropy(use)
    frame = pd.DataFrame({"Anchor": use.columns, "Use": use.mean().to_numpy(), "Share": shares})
    frame["Dead"] = np.where(shares < DEAD_ANCHOR, "dead", "")
    frame = frame.join(use.T.add_prefix("In ").reset_index(drop=True))
    numbers = {"Anchor_Entropy": entropy, "Dead_Anchors": int((shares < DEAD_ANCHOR).sum())}
    return {"Anchors": frame}, numbers


def fingerprints(table: pd.DataFrame) -> tuple[Frames, Numbers]:
    """Return the table Fingerprints (cosines, and two principal axes) and their diversity."""
    vectors = values_of(table, "stream")
    similar = pd.DataFrame(m.fingerprint_similarity(vectors), columns=vectors.index)
    frame = similar.add_prefix("With ")
    frame.insert(0, "Stream", vectors.index)
    for number, axis in enumerate(_principal_axes(vectors.to_numpy()), 1):
        frame[f"PC{number}"] = axis
    diversity, size = m.fingerprint_diversity(vectors), vectors.shape[1]
    numbers = {"Fingerprint_Diversity": diversity, "Fingerprint_Random": m.random_diversity(size)}
    return {"Fingerprints": frame}, numbers


def _principal_axes(vectors: Floats) -> Floats:
    """Return the first two principal components of each row; the largest entry is positive."""
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    signs = np.sign(left[np.abs(left).argmax(axis=0), range(left.shape[1])])
    return np.asarray((left * sizes * signs).T[:2])


def parameters(table: pd.DataFrame, problems: list[Problem]) -> tuple[float, str]:
    """Return the millions of parameters (NaN if unknown) and the name of the data set."""
    given = dict(zip(table["name"].str.casefold(), table["value"].map(str), strict=True))
    millions = math.nan
    for name, unit in (("params_m", 1.0), ("params", 1e6)):
        if name in given and math.isnan(millions):
            number = float(pd.to_numeric(given[name].replace(",", ""), errors="coerce"))
            if 0 < number < math.inf:
                millions = number / unit
            else:
                message = f"{name} is {given[name]!r}, not a number above 0"
                problems.append(Problem("parameters", "note", message))
    return millions, given.get("dataset", "")


def targets(table: pd.DataFrame, names: list[str], accuracy: Estimate) -> tuple[Frames, Numbers]:
    """Return the table Targets: for the first name that has a row, what is reached.

    A target above 1 is a percentage. It is reached where the whole interval is at or above it.
    """
    rows: Any = table.set_index(table["dataset"].str.casefold())
    name = next((name.casefold() for name in names if name.casefold() in rows.index), "")
    found = []
    for target in ("baseline", "target", "state_of_the_art") if name else ():
        limit = float(rows.loc[name].get(target, math.nan))
        limit = limit / 100 if limit > 1 else limit
        reached = "no" if accuracy.high < limit else "undecided"
        reached = "yes" if accuracy.low >= limit else reached
        if not math.isnan(limit):
            found.append((rows.loc[name, "dataset"], target, limit, accuracy.value, reached))
    columns = ["Dataset", "Target", "Needed", "Collective_Accuracy", "Reached"]
    numbers = {f"{target.capitalize()}_Reached": reached for _, target, _, _, reached in found}
    return {"Targets": pd.DataFrame(found, columns=columns)}, numbers
