"""Routing, anchors, fingerprints and parameters of an ensemble: tables and numbers."""

import math
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.collective import ROUTING_KEYS
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


@dataclass
class Further:
    """The further tables of one ensemble, and the tables, numbers and problems they lead to."""

    model: str
    own: Frames
    problems: list[Problem] = field(default_factory=list)
    shown: Frames = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)
    entropy: Estimate | None = None  # of the routing


def further_tables(tables: Mapping[str, pd.DataFrame], model: str, ci: float) -> Further:
    """Return what routing, anchors, fingerprints and parameters say of one ensemble."""
    found = _own_tables(tables, model)
    for name, add in (
        ("routing", _routing),
        ("anchors", _anchors),
        ("fingerprints", _fingerprints),
    ):
        if name in found.own:
            try:
                add(found, found.own[name], ci)
            except ValueError as error:
                file = str(found.own[name]["file"].iloc[0])
                message = f"{name}: {error}"
                found.problems.append(Problem("unusable", "skipped", message, file))
    _parameters(found)
    return found


def _own_tables(tables: Mapping[str, pd.DataFrame], model: str) -> Further:
    """Return the further tables of one ensemble: those of its own file, else of its own folder.

    A table that could belong to several ensembles, or one of two of a kind, is skipped.
    """
    survey = tables.get("survey", tables["outputs"][["model", "file"]].drop_duplicates())
    owners = survey.groupby("file")["model"].agg(set)
    in_folder = survey.groupby(survey["file"].map(posixpath.dirname))["model"].agg(set)
    found = Further(model, {"targets": tables["targets"]} if "targets" in tables else {})
    for name in [name for name in OWN if name in tables]:
        for (file, sheet), part in tables[name].groupby(["file", "worksheet"], sort=False):
            names = owners.get(file) or in_folder.get(posixpath.dirname(str(file)), set())
            message = f"{name} could belong to {' or '.join(sorted(names)[:3])}"
            if name in found.own:
                message = f"{model} has two tables called {name}"
            elif names == {model}:
                found.own[name] = part.reset_index(drop=True)
                continue
            if model in names:
                hint = "give each ensemble a workbook or a folder of its own"
                place = str(file), str(sheet)
                found.problems.append(Problem("whose", "skipped", message, *place, hint=hint))
    return found


def values_of(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return the columns of values of a table, with the key as its index."""
    values = table.drop(columns=[name for name in PLACE if name in table]).set_index(key)
    return values[values.index.notna()]


# --- routing --------------------------------------------------------------------------------


def _routing(found: Further, table: pd.DataFrame, ci: float) -> None:
    """Add the tables Routing and Experts, the numbers, and the estimate of the entropy.

    The entropy is that of the last epoch; with layers, numbers are means over them.
    """
    keys = [name for name in ROUTING_KEYS if name in table] or ["row"]
    rows = table.assign(**{name: "" for name in ("layer", "epoch") if name not in table})
    epochs, experts, last = [], [], []
    for layer, part in rows.groupby("layer", sort=False):
        weights = part.pivot_table(
            index=list({**dict.fromkeys(keys), "epoch": 0}),
            columns="expert", values="weight", aggfunc="sum", fill_value=0.0, sort=False,
        )  # fmt: skip
        place = weights.index.to_frame(index=False)
        place["entropy"] = m.routing_entropy(weights)
        epochs += _epochs(weights.to_numpy(), place)
        now = (place["epoch"] == place["epoch"].max()).to_numpy()
        place["unit"] = place["sample"] if "sample" in place else range(len(place))
        last.append(place[now])
        experts.append(_experts(weights[now], place[now], ci))
        if "layer" in keys:
            experts[-1].insert(0, "Layer", layer)
    shown = pd.DataFrame(epochs, columns=["Epoch", "Entropy", "Share", "Overlap"])
    shown = shown.groupby("Epoch").mean().reset_index()
    shown["Band"] = shown["Entropy"].map(measure_of(m.routing_entropy).band)
    loads, end, most = (
        pd.concat(experts, ignore_index=True),
        pd.concat(last),
        max(map(len, experts)),
    )
    found.entropy = mean_estimate(
        Rows(end["entropy"], pd.factorize(end["unit"])[0]),
        bounds=(0.0, math.log(most)) if most > 1 else None,
        ci=ci,
    )
    now = shown.iloc[-1]
    found.numbers |= {
        "Routing_Entropy": now["Entropy"],
        "Routing_Entropy_Share": now["Share"],
        "Routing_Band": now["Band"],
        "Routing_Overlap": now["Overlap"],
        "Experts": most,
        "Load_CV": float(np.mean([m.load_cv(part["Load"]) for part in experts])),
        "Dead_Experts": int((loads["Dead"] != "").sum()),
    }
    found.shown |= {"Routing": shown, "Experts": loads}


def _epochs(weights: Floats, place: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the entropy of each epoch, its share of the largest, and the overlap of streams."""
    found = []
    for epoch, at in place.groupby("epoch").indices.items():
        entropy, overlap = float(place["entropy"].to_numpy()[at].mean()), math.nan
        if "stream" in place:
            streams = pd.DataFrame(weights[at]).groupby(place["stream"].to_numpy()[at])
            overlap = m.routing_overlap(streams.mean())
        share = m.routing_entropy_share(entropy, weights.shape[1])
        found.append((epoch, entropy, share, overlap))
    return found


def _experts(weights: pd.DataFrame, place: pd.DataFrame, ci: float) -> pd.DataFrame:
    """Return the load of each expert, where its weight is largest, and whether it is dead.

    Samples count where they are named, else groups of weights.
    """
    samples, k = weights.groupby(place["unit"].to_numpy(), sort=False).mean(), weights.shape[1]
    hits, n = np.bincount(samples.to_numpy().argmax(axis=1), minlength=k), len(samples)
    limit = min(0.01, 0.1 / k)
    found = [dead_member(int(hit), n, threshold=limit, members=k, ci=ci) for hit in hits]
    table = pd.DataFrame({"Expert": weights.columns, "Load": weights.mean().to_numpy()})
    table = table.assign(Largest_In=hits, Of=n)
    table["Dead"] = ["dead" if estimate.high < limit else "" for estimate in found]
    table["Note"] = [estimate.note for estimate in found]
    if "stream" in place:
        for stream, part in weights.groupby(place["stream"].to_numpy(), sort=False):
            table[f"In {stream}"] = part.mean().to_numpy()
    return table


# --- anchors, fingerprints, parameters ------------------------------------------------------


def _anchors(found: Further, table: pd.DataFrame, _: float) -> None:
    """Add the table Anchors and the numbers of how evenly anchors are used."""
    use = values_of(table, "stream")
    shares, entropy = m.anchor_shares(use), m.anchor_entropy(use)
    dead = shares < DEAD_ANCHOR
    frame = pd.DataFrame({"Anchor": use.columns, "Use": use.mean().to_numpy(), "Share": shares})
    frame["Dead"] = np.where(dead, "dead", "")
    found.shown["Anchors"] = frame.join(use.T.add_prefix("In ").reset_index(drop=True))
    found.numbers |= {"Anchor_Entropy": entropy, "Dead_Anchors": int(dead.sum())}


def _fingerprints(found: Further, table: pd.DataFrame, _: float) -> None:
    """Add the table Fingerprints (cosines, and two principal axes) and their diversity."""
    vectors = values_of(table, "stream")
    similar = pd.DataFrame(m.fingerprint_similarity(vectors), columns=vectors.index)
    frame = similar.add_prefix("With ")
    frame.insert(0, "Stream", vectors.index)
    left, sizes, _axes = np.linalg.svd(
        vectors.to_numpy() - vectors.to_numpy().mean(axis=0), full_matrices=False
    )
    # The largest entry of an axis is positive, so that axes do not flip between machines.
    signs = np.sign(left[np.abs(left).argmax(axis=0), range(left.shape[1])])
    for number, axis in enumerate((left * sizes * signs).T[:2], 1):
        frame[f"PC{number}"] = axis
    found.shown["Fingerprints"] = frame
    found.numbers |= {
        "Fingerprint_Diversity": m.fingerprint_diversity(vectors),
        "Fingerprint_Random": m.random_diversity(vectors.shape[1]),
    }


def _parameters(found: Further) -> None:
    """Add the millions of parameters (NaN if unknown) and the name of the data set."""
    table = found.own.get("parameters", pd.DataFrame({"name": [], "value": []}, dtype=object))
    given = dict(zip(table["name"].str.casefold(), table["value"].map(str), strict=True))
    millions = math.nan
    for name, unit in (("params_m", 1.0), ("params", 1e6)):
        if name in given and math.isnan(millions):
            number = float(pd.to_numeric(given[name].replace(",", ""), errors="coerce"))
            if 0 < number < math.inf:
                millions = number / unit
            else:
                message = f"{name} is {given[name]!r}, not a number above 0"
                found.problems.append(Problem("parameters", "note", message))
    found.numbers |= {"Params_M": millions, "Dataset": given.get("dataset", "")}
