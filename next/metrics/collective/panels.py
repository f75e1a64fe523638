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
    """The rows of one ensemble, with the codes of their classes as `vote`, `own` and `truth`."""

    rows: pd.DataFrame
    members: tuple[str, ...]
    classes: tuple[str, ...]
    options: CollectiveOptions
    main: Key
    problems: tuple[Problem, ...]

    def epochs(self, split: str, condition: str) -> list[float]:
        """Return the epochs of a split under a condition, in order."""
        chosen = (self.rows["split"] == split) & (self.rows["condition"] == condition)
        return sorted(self.rows.loc[chosen, "epoch"].unique().tolist())

    def panel_keys(self, *, all_epochs: bool = False) -> list[Key]:
        """Return what the headline is of, then the other conditions, or the epochs, in order."""
        split, condition, _ = self.main
        if all_epochs:
            return [Key(split, condition, epoch) for epoch in self.epochs(split, condition)]
        others = [name for name in self.rows["condition"].unique() if name != condition]
        last = {name: self.epochs(split, name)[-1:] for name in others}
        return [
            self.main,
            *(Key(split, name, epochs[0]) for name, epochs in last.items() if epochs),
        ]

    @property
    def test(self) -> Key | None:
        """Return what the test split is of, where the headline is of a different one."""
        split, condition, _ = self.main
        names = [name for name in self.rows["split"].unique() if name.casefold() == TEST != split]
        epochs = self.epochs(names[0], condition) if names else []
        return Key(names[0], condition, epochs[-1]) if epochs else None

    def panel(self, key: Key) -> Panel:
        """Return the votes of one split, condition and epoch."""
        chosen = [self.rows[name] == value for name, value in zip(PANEL, key, strict=True)]
        at = self.rows[np.logical_and.reduce(chosen)]
        ids = [name for name in ("run", "sample") if name in at]
        case = at.groupby(ids, sort=False).ngroup().to_numpy()
        cases = at[~at.duplicated(ids)]
        member = pd.Categorical(at["stream"], categories=self.members).codes
        votes = np.full((len(cases), len(self.members)), BLANK, dtype=np.int32)
        scores = None
        if name := next((name for name in SCORES if name in at), ""):
            scores = np.full((*votes.shape, self.rows["score_of"].max() + 1), math.nan)
            scores[case, member, at["score_of"]] = at[name]
            known = ~np.isnan(scores).any(axis=2)
            votes[known] = scores[known].argmax(axis=1)
        if "vote" in at:
            votes[case, member] = at["vote"]
        known = (cases["truth"] != BLANK).to_numpy()
        scored, own = cases[known], None
        if "own" in at and (cases["own"] != BLANK).any():
            own = scored["own"].to_numpy()
        mean = self.options.fusion == "mean"
        found = Votes(
            self.members,
            votes[known],
            scored["truth"].to_numpy(),
            own,
            scores[known] if scores is not None and mean else None,
            self.options.ties,
        )
        return Panel(found, scored, scored["unit"].to_numpy(), cases[~known])


def read_ensemble(tables: Mapping[str, pd.DataFrame], options: CollectiveOptions) -> Ensemble:
    """Return the rows of one ensemble as codes, or refuse what does not fit together."""
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
    if "not-classes" not in options.accept:
        _check_classes(rows, classes)
    split = _headline("split", options.split, rows["split"].unique(), VALIDATION)
    condition = _headline("clean", options.clean, rows["condition"].unique(), (CLEAN,))
    chosen = (rows["split"] == split) & (rows["condition"] == condition)
    main = Key(split, condition, rows.loc[chosen, "epoch"].max())
    members = tuple(rows["stream"].unique())
    return Ensemble(rows, members, classes, options, main, tuple(problems))


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


def _check_classes(rows: pd.DataFrame, classes: Sequence[str]) -> None:
    """Refuse an ensemble if most predictions of a member, or most labels, are unknown."""
    labels, what = rows.loc[rows["truth"] != BLANK, "truth"], ""
    if "score_of" in rows and (labels > rows["score_of"].max()).mean() > 0.5:
        what = "labels are not classes that have scores"
    elif "vote" in rows:
        votes = rows[rows["vote"] != BLANK]
        known = votes["vote"].isin(labels.unique()).groupby(votes["stream"], sort=False).mean()
        what = (
            f"predictions of {known.index[known < 0.5][0]} are not labels"
            if (known < 0.5).any()
            else ""
        )
    if what and len(labels):
        hint = "map ids to names with --classes FILE, or accept it\n--accept not-classes"
        shown = ", ".join(classes[code] for code in labels.unique()[:5])
        raise _refuse("not-classes", f"most {what} ({shown})", hint)


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


def notes(ensemble: Ensemble, panels: Sequence[Panel]) -> list[Problem]:
    """Return the notes on predictions that count as wrong and on ties, and the lost samples."""
    main, file = panels[0], str(ensemble.rows["file"].iloc[0])
    votes = np.concatenate([panel.votes.votes for panel in panels])
    blank, labels = votes == BLANK, ensemble.rows["truth"].unique()
    unknown = votes[~blank & ~np.isin(votes, labels)]
    own = [panel.votes.own for panel in panels if panel.votes.own is not None]
    empty = sum(int((codes == BLANK).sum()) for codes in own)
    ties = 0 if own else int(main.votes.fused[1].sum())
    shown = ensemble.classes[unknown[0]] if unknown.size else ""
    found = {
        "blank-prediction": (blank.sum(), f"of {blank.size} predictions are empty and wrong"),
        "unknown-class": (
            unknown.size,
            f"of {blank.size} predictions are wrong, not being labels ({shown})",
        ),
        "blank-collective": (
            empty,
            f"of {len(main.cases)} predictions of the collective are empty and wrong",
        ),
        "tied-votes": (ties, f"of {len(main.cases)} votes are tied"),
    }
    said = [Problem(k, "note", f"{n} {text}", file) for k, (n, text) in found.items() if n]
    lost = Problem("no-label", "row", "the sample has no label")
    return said + row_problems(main.lost, np.ones(len(main.lost), bool), lost)


def explain(tables: Tables, options: CollectiveOptions, _sheet: str, unit: str) -> Explanation:
    """Return who voted what on one sample, under each condition, and how it was decided."""
    ensemble = read_ensemble(tables, options)
    names = np.array([*ensemble.classes, ""], dtype=object)
    votes, decisions = [], []
    for key in ensemble.panel_keys():
        panel = ensemble.panel(key)
        for at in np.flatnonzero(panel.cases["sample"] == unit):
            own = panel.votes.fused[0] if panel.votes.own is None else panel.votes.own
            right = np.where(panel.votes.right[at], "yes", "no")
            cast = {"Stream": ensemble.members, "Prediction": names[panel.votes.votes[at]]}
            votes.append(pd.DataFrame({"Condition": key.condition, **cast, "Right": right}))
            found = {"Condition": key.condition, "Label": names[panel.votes.labels[at]]}
            found |= {
                "Collective": names[own[at]],
                "Right": "yes" if panel.votes.correct[at] else "no",
            }
            decisions.append(found | {"Right_Votes": right.tolist().count("yes")})
            decisions[-1]["Tied"] = "yes" if panel.votes.fused[1][at] else "no"
    if not votes:
        known = ", ".join(ensemble.rows["sample"].unique()[:5])
        raise ValueError(f"no sample {unit!r} has a label; there are {known} …")
    how = "the largest mean score" if options.fusion == "mean" else "the most votes"
    said = f"The collective predicts the class with {how}; a tie is decided by --ties."
    if "own" in ensemble.rows:
        said = "The collective's prediction is its own column; the votes are shown next to it."
    frames = {"Votes": pd.concat(votes), "Decision": pd.DataFrame(decisions)}
    return Explanation((said, "An empty prediction is wrong."), frames)
