"""From the rows of an ensemble to the votes of each split, condition and epoch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from scoresheet.metrics.collective import CollectiveOptions, same_classes
from scoresheet.metrics.collective.votes import BLANK, Codes, Votes
from scoresheet.metrics.family import Explanation, Tables
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.stats import Floats

CLEAN, TEST = "clean", "test"
VALIDATION = ("validation", "valid", "val", "dev")
PANEL = {"split": "", "condition": CLEAN, "epoch": 0.0}  # what a panel is of, if it is not said
SCORES = ("logit", "probability")  # the first that is given counts


class Key(NamedTuple):
    """What a panel is of."""

    split: str
    condition: str
    epoch: float


class Panel(NamedTuple):
    """The votes of one split, condition and epoch; `cases` has the first row of each sample.

    `units` are codes of what is independent, the same in all panels; `lost` are the rows of
    samples without a label.
    """

    votes: Votes
    cases: pd.DataFrame
    units: Codes
    lost: pd.DataFrame

    @property
    def accuracy(self) -> float:
        """Return the accuracy of the collective."""
        return float(self.votes.correct.mean()) if len(self.cases) else math.nan

    @property
    def best(self) -> float:
        """Return the accuracy of the best member."""
        return float(self.votes.right.mean(axis=0).max()) if len(self.cases) else math.nan

    @property
    def correct(self) -> Floats:
        """Return 1 for each sample that the collective gets right, else 0."""
        return self.votes.correct.astype(float)


@dataclass(frozen=True)
class Ensemble:
    """The panels of one ensemble, in the order of their epochs; `main` is that of the headline.

    `by_epoch` has the panels of the headline's split and condition, `by_condition` the last one of
    each condition in the split, the headline's first, `test` that of a test split.
    """

    members: tuple[str, ...]
    classes: tuple[str, ...]
    panels: Mapping[Key, Panel]
    main: Key

    @property
    def by_epoch(self) -> dict[float, Panel]:
        """Return the panels of the headline's split and condition by their epoch."""
        return {key.epoch: panel for key, panel in self.panels.items() if key[:2] == self.main[:2]}

    @property
    def by_condition(self) -> dict[str, Panel]:
        """Return the last panel of each condition in the headline's split, the headline first."""
        found = {self.main.condition: self.panels[self.main]}
        last = {
            k.condition: panel for k, panel in self.panels.items() if k.split == self.main.split
        }
        return {**found, **last}

    @property
    def test(self) -> tuple[str, Panel] | None:
        """Return the name and the last panel of a test split, if the headline is not of it."""
        found = [
            (key.split, panel)
            for key, panel in self.panels.items()
            if key.split.casefold() == TEST != self.main.split
            and key.condition == self.main.condition
        ]
        return found[-1] if found else None


def _panel(at: pd.DataFrame, members: tuple[str, ...], options: CollectiveOptions) -> Panel:
    """Return the votes in the rows of one split, condition and epoch."""
    ids = [name for name in ("run", "sample") if name in at]
    case = at.groupby(ids, sort=False).ngroup().to_numpy()
    cases = at[~at.duplicated(ids)]
    member = pd.Categorical(at["stream"], categories=members).codes
    votes = np.full((len(cases), len(members)), BLANK, dtype=np.int32)
    scores = None
    if name := next((name for name in SCORES if name in at), ""):
        scores = np.full((*votes.shape, at["score_of"].max() + 1), math.nan)
        scores[case, member, at["score_of"]] = at[name]
        complete = ~np.isnan(scores).any(axis=2)
        votes[complete] = scores[complete].argmax(axis=1)
    if "vote" in at:
        votes[case, member] = at["vote"]
    known = (cases["truth"] != BLANK).to_numpy()
    scored, own = cases[known], None
    if "own" in at and (cases["own"] != BLANK).any():
        own = scored["own"].to_numpy()
    fused = scores[known] if scores is not None and options.fusion == "mean" else None
    truth = scored["truth"].to_numpy()
    found = Votes(members, votes[known], truth, own, fused, options.ties)
    return Panel(found, scored, scored["unit"].to_numpy(), cases[~known])


def read_ensemble(
    tables: Mapping[str, pd.DataFrame], options: CollectiveOptions
) -> tuple[Ensemble, list[Problem]]:
    """Return an ensemble and the rows that were left out, or refuse what does not fit together."""
    rows = tables["outputs"]
    _check_scores(rows, options)
    no_epoch = rows["epoch"].isna() if "epoch" in rows else pd.Series(False, rows.index)
    if no_epoch.all():
        rows, no_epoch = rows.drop(columns="epoch", errors="ignore"), ~no_epoch
    problems = row_problems(rows, no_epoch, Problem("no-epoch", "row", "the epoch is empty"))
    rows = rows[~no_epoch] if problems else rows
    missing: dict[str, Any] = {name: PANEL[name] for name in PANEL if name not in rows}
    rows = rows.assign(**missing)
    rows["condition"] = rows["condition"].replace("", CLEAN)
    code, classes = _class_codes(rows, tables, options)
    for name, new in (("prediction", "vote"), ("class", "score_of"), ("collective", "own")):
        if name in rows:
            rows[new] = rows[name].map(code).astype(np.int32)
    truth = rows.get("label")
    if "references" in tables:
        known = tables["references"].set_index("sample")["label"]
        truth = rows["sample"].map(known).fillna("")
    rows["truth"] = BLANK if truth is None else truth.map(code).astype(np.int32)
    rows["unit"] = pd.factorize(rows["cluster" if "cluster" in rows else "sample"])[0]
    rows["truth"] = _one_value(rows, "truth", ["split", "sample"])
    if "own" in rows:
        keys = [name for name in (*PANEL, "run", "sample") if name in rows]
        rows["own"] = _one_value(rows, "own", keys)
    if "classes" in tables and "vote" in rows and "not-classes" not in options.accept:
        voted = rows[rows["vote"] != BLANK]
        known = voted["vote"].isin(rows["truth"].unique()).groupby(voted["stream"]).mean()
        if (known < 0.5).any():
            message = f"most predictions of {known.idxmin()} are not labels, by their names too"
            raise _refuse("not-classes", message, "correct the table of --classes, or accept it")
    split = _headline("split", options.split, rows["split"].unique(), VALIDATION)
    condition = _headline("clean", options.clean, rows["condition"].unique(), (CLEAN,))
    members = tuple(rows["stream"].unique())
    groups = rows.groupby([*PANEL], sort=False)
    found: list[tuple[Any, pd.DataFrame]] = sorted(groups, key=lambda group: group[0][2])
    panels = {Key(*key): _panel(part, members, options) for key, part in found}
    main = [key for key in panels if key[:2] == (split, condition)]
    if not main:
        raise _refuse("headline", f"split {split!r} has no rows of the condition {condition!r}")
    return Ensemble(members, classes, panels, main[-1]), problems


def _refuse(kind: str, message: str, hint: str = "") -> Refusal:
    return Refusal(Problem(kind, "skipped", message, hint=hint))


def _check_scores(rows: pd.DataFrame, options: CollectiveOptions) -> None:
    if not any(name in rows for name in SCORES):
        if options.fusion == "mean":
            raise _refuse("usage", "--fusion mean needs a column of probabilities or logits")
    elif "class" not in rows or (rows["class"] == "").any():
        message = "probabilities and logits need a column class, filled in every row"
        hint = "say what is in the headers, as in --column 'probability={stream}_{class}'"
        raise _refuse("missing", message, hint)


def _class_codes(
    rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], options: CollectiveOptions
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the code of each text, and the classes; those that have scores come first."""
    named: dict[str, str] = {}
    if "classes" in tables:
        named = dict(zip(tables["classes"]["id"], tables["classes"]["name"], strict=True))
        if both := [name for key, name in named.items() if name in named and name != key]:
            message = f"{options.classes}: {both[0]} is an id and the name of a different class"
            raise _refuse("classes", message)
    columns = [
        rows[name] for name in ("class", "prediction", "collective", "label") if name in rows
    ]
    if "references" in tables:
        columns.append(tables["references"]["label"])
    texts = [text for column in columns for text in column.unique()]
    same = same_classes(named.get(text, text) for text in texts)
    classes = {name: at for at, name in enumerate(dict.fromkeys(same.values()))}
    code = {t: classes[same[named.get(t, t)]] if named.get(t, t) else BLANK for t in texts}
    return {**code, "": BLANK}, tuple(classes)


def _one_value(rows: pd.DataFrame, name: str, keys: list[str]) -> pd.Series:
    """Return the value that all rows of a sample have; a sample with two is refused."""
    value: pd.Series = rows.groupby(keys, sort=False)[name].transform("max")
    differ = rows[(rows[name] != BLANK) & (rows[name] != value)]
    if len(differ):
        what = "labels" if name == "truth" else "predictions of the collective"
        row = differ.iloc[0]
        place = {"file": row["file"], "sheet": row["worksheet"], "row": int(row["row"])}
        message = f"sample {row['sample']} has two {what}"
        raise Refusal(Problem("two-values", "skipped", message, **place))
    return value


def _headline(option: str, named: str, found: Any, known: Sequence[str]) -> str:
    """Return the name of --split or --clean, or the one that the headline is of without it."""
    names = [str(name) for name in found]
    if named:
        if named not in names:
            raise _refuse("usage", f"--{option} {named}: there are {', '.join(map(repr, names))}")
        return named
    folded = {name.casefold(): name for name in reversed(names)}
    choices = [folded[word] for word in (*known, "") if word in folded] or names
    if len(names) > 1 and choices is names:
        what = "split" if option == "split" else "condition"
        hint = "\n".join(["name one", *(f"--{option} {name}" for name in names[:3])])
        raise _refuse("headline", f"which {what} is the headline of? {', '.join(names)}", hint)
    return choices[0]


# --- what is worth a word -------------------------------------------------------------------


def notes(ensemble: Ensemble) -> list[Problem]:
    """Return the notes on predictions that count as wrong and on ties, and the lost samples."""
    panels, main = list(ensemble.by_condition.values()), ensemble.panels[ensemble.main]
    file = str(main.cases["file"].iloc[0])
    votes = np.concatenate([panel.votes.votes for panel in panels])
    blank, labels = votes == BLANK, [panel.votes.labels for panel in panels]
    unknown = votes[~blank & ~np.isin(votes, np.concatenate(labels))]
    own = [panel.votes.own for panel in panels if panel.votes.own is not None]
    empty = sum(int((codes == BLANK).sum()) for codes in own)
    ties = 0 if own else int(main.votes.fused[1].sum())
    shown = ensemble.classes[unknown[0]] if unknown.size else ""
    of_own = f"of {len(main.cases)} predictions of the collective are empty and wrong"
    found = {
        "blank-prediction": (blank.sum(), f"of {blank.size} predictions are empty and wrong"),
        "unknown-class": (
            unknown.size,
            f"of {blank.size} predictions are wrong, not being labels ({shown})",
        ),
        "blank-collective": (empty, of_own),
        "tied-votes": (ties, f"of {len(main.cases)} votes are tied"),
    }
    said = [Problem(k, "note", f"{n} {text}", file) for k, (n, text) in found.items() if n]
    lost = Problem("no-label", "row", "the sample has no label")
    return said + row_problems(main.lost, np.ones(len(main.lost), bool), lost)


def explain(tables: Tables, options: CollectiveOptions, _sheet: str, unit: str) -> Explanation:
    """Return who voted what on one sample, under each condition, and how it was decided."""
    ensemble, _ = read_ensemble(tables, options)
    names = np.array([*ensemble.classes, ""], dtype=object)
    votes, decisions = [], []
    for condition, panel in ensemble.by_condition.items():
        for at in np.flatnonzero(panel.cases["sample"] == unit):
            own = panel.votes.fused[0] if panel.votes.own is None else panel.votes.own
            right = np.where(panel.votes.right[at], "yes", "no")
            cast = {"Stream": ensemble.members, "Prediction": names[panel.votes.votes[at]]}
            votes.append(pd.DataFrame({"Condition": condition, **cast, "Right": right}))
            found = {"Condition": condition, "Label": names[panel.votes.labels[at]]}
            found |= {
                "Collective": names[own[at]],
                "Right": "yes" if panel.votes.correct[at] else "no",
            }
            decisions.append(found | {"Right_Votes": right.tolist().count("yes")})
            decisions[-1]["Tied"] = "yes" if panel.votes.fused[1][at] else "no"
    if not votes:
        known = ", ".join(ensemble.panels[ensemble.main].cases["sample"][:5])
        raise ValueError(f"no sample {unit!r} has a label; there are {known} …")
    how = "the largest mean score" if options.fusion == "mean" else "the most votes"
    said = f"The collective predicts the class with {how}; a tie is decided by --ties."
    if ensemble.panels[ensemble.main].votes.own is not None:
        said = "The collective's prediction is its own column; the votes are shown next to it."
    frames = {"Votes": pd.concat(votes), "Decision": pd.DataFrame(decisions)}
    return Explanation((said, "An empty prediction is wrong."), frames)
