"""Votes of an ensemble's members: how tables become one matrix, and how votes are fused."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.collective import CollectiveOptions, same_classes
from scoresheet.metrics.problem import Problem, Refusal, refusal, row_problems
from scoresheet.metrics.stats import ROUNDING, Estimate, Floats
from scoresheet.metrics.stats.means import Rows, mean_estimate

Codes: TypeAlias = NDArray[np.integer[Any]]
Flags: TypeAlias = NDArray[np.bool_]
BLANK = -1  # the code of a vote or label that is empty
AT_ONCE = 2**18  # numbers held while votes are fused
CLEAN, TEST = "clean", "test"
VALIDATION = ("validation", "valid", "val", "dev")
PANEL = {"split": "", "condition": CLEAN, "epoch": 0.0}  # what samples are of, if it is not said
SCORES = ("logit", "probability")  # the first that is given counts


# --- fusion ---------------------------------------------------------------------------------


def fuse_majority(votes: Codes, sets: Flags) -> tuple[Codes, Flags]:
    """Return the class with the most votes and whether it is tied, rows by sets of members.

    `votes` are rows by members, `sets` members by sets. A tie goes to the tied class whose first
    voter is leftmost; a blank is no vote.

    >>> fuse_majority(np.array([[2, 1, 1], [2, 1, -1]]), np.ones((3, 1), bool))[0].tolist()
    [[1], [2]]
    """
    same = (votes[:, :, None] == votes[:, None, :]) & (votes != BLANK)[:, :, None]
    counts = (same.astype(np.float32) @ sets.astype(np.float32)) * sets
    most = counts.max(axis=1)
    voters = counts == most[:, None]  # of the classes with the most votes, as many as votes
    winners = np.take_along_axis(votes, voters.argmax(axis=1), axis=1)
    tied = (np.count_nonzero(voters, axis=1) > most) & (most > 0)
    return np.where(most > 0, winners, BLANK), np.asarray(tied)


def fuse_mean(scores: Floats, sets: Flags) -> tuple[Codes, Flags]:
    """Return the class with the largest mean score and whether it is tied, rows by sets.

    `scores` are rows by members by classes; a member with NaN does not count for the row. A tie
    goes to the leftmost class.

    >>> fuse_mean(np.array([[[0.9, 0.1], [0.3, 0.7]]]), np.array([[True, False], [True, True]]))[0]
    array([[0, 1]])
    """
    present: Flags = np.asarray(~np.isnan(scores).any(axis=2))
    totals = np.where(present[:, :, None], scores, 0.0).transpose(0, 2, 1) @ sets.astype(float)
    most = totals.max(axis=1, keepdims=True)
    near = totals >= most - ROUNDING * np.abs(most)
    voted = present @ sets
    return np.where(voted, near.argmax(axis=1), BLANK), np.asarray((near.sum(axis=1) > 1) & voted)


def fused(given: NDArray[Any], sets: Flags) -> Iterator[tuple[slice, Codes, Flags]]:
    """Yield the rows of some votes or scores, their fused classes and which are tied."""
    step = max(1, AT_ONCE // (given.shape[-1] * max(sets.shape)))
    for start in range(0, len(given), step):
        part = slice(start, start + step)
        yield part, *(fuse_majority if given.ndim == 2 else fuse_mean)(given[part], sets)


# --- an ensemble ----------------------------------------------------------------------------


def in_panel(cases: pd.DataFrame, *panel: object) -> Flags:
    """Return which cases are of a split, a condition and, if it is named, an epoch."""
    same = [cases[name] == value for name, value in zip(PANEL, panel, strict=False)]
    return np.asarray(np.logical_and.reduce(same))


@dataclass(frozen=True)
class Ensemble:
    """What the members of an ensemble predicted, as codes of classes, and what is right.

    `cases` has a row for each split, condition, epoch, run and sample with a label, the epochs in
    order: the first row of the sample; the codes of its `truth` and of the `decision` of the
    ensemble; whether its votes are `tied`, the decision is its `own`, and it is `correct`; and the
    code of its `unit`. `votes` are cases by members; `scores`, cases by members by classes, are
    probabilities or logits that are fused. `lost` are cases without a label. `main` is the split,
    condition and epoch of the headline.
    """

    members: tuple[str, ...]
    classes: tuple[str, ...]
    cases: pd.DataFrame
    votes: Codes
    scores: Floats | None
    lost: pd.DataFrame
    main: tuple[str, str, float]
    ties: str = "first"

    def of(self, chosen: Any) -> "Ensemble":
        """Return the cases at some positions, or that a mask chooses."""
        at = np.asarray(chosen)
        scores = None if self.scores is None else self.scores[at]
        return replace(self, cases=self.cases.iloc[at], votes=self.votes[at], scores=scores)

    def at(self, split: str, condition: str, epoch: float) -> "Ensemble":
        """Return the cases of one split, condition and epoch."""
        return self.of(in_panel(self.cases, split, condition, epoch))

    @cached_property
    def right(self) -> Flags:
        """Return which member is right on which case; a blank is wrong."""
        return np.asarray((self.votes == self.labels[:, None]) & (self.votes != BLANK))

    @property
    def labels(self) -> Codes:
        """Return the code of the label of each case."""
        return self.cases["truth"].to_numpy()

    @property
    def correct(self) -> Floats:
        """Return 1 for each case that the collective gets right, else 0."""
        return self.cases["correct"].to_numpy(float)

    def decided(self) -> "Ensemble":
        """Return the ensemble with its decisions, its own or fused, and whether they are right."""
        given: Any = self.votes if self.scores is None else self.scores
        classes, tied = np.full(len(given), BLANK), np.zeros(len(given), dtype=bool)
        for part, found, ties in fused(given, np.ones((len(self.members), 1), dtype=bool)):
            classes[part], tied[part] = found[:, 0], ties[:, 0]
        own = self.cases["own"].to_numpy()
        decision = np.where(own, self.cases["decision"], classes)
        correct = (decision == self.labels) & (decision != BLANK)
        if self.ties == "wrong":
            correct &= own | ~tied
        return replace(self, cases=self.cases.assign(decision=decision, tied=tied, correct=correct))

    def rows(self, values: Any) -> Rows:
        """Return values of the cases with their units."""
        return Rows(np.asarray(values, float), self.cases["unit"].to_numpy())

    def estimate(self, right: Any, ci: float) -> Estimate:
        """Return the share of right cases with its interval."""
        return mean_estimate(self.rows(right), bounds=(0, 1), ci=ci)

    def final(self) -> "Ensemble":
        """Return the last epoch of each condition in the headline's split, the headline first."""
        split = self.of(self.cases["split"] == self.main[0])
        cases = split.cases
        last = split.of(cases["epoch"] == cases.groupby("condition")["epoch"].transform("max"))
        return last.of(np.argsort(last.cases["condition"] != self.main[1], kind="stable"))

    @cached_property
    def accuracies(self) -> pd.DataFrame:
        """Return by split, condition and epoch the accuracy of all, any, the best and each."""
        keys = [self.cases[name].to_numpy() for name in PANEL]
        members = pd.DataFrame(self.right.astype(float), columns=[*self.members])
        members = members.groupby(keys, sort=False).mean()
        both = {"collective": self.correct, "any": self.right.any(axis=1).astype(float)}
        both["rows"] = self.cases["rows"].to_numpy()
        groups = pd.DataFrame(both).groupby(keys, sort=False)
        found = groups.mean().assign(best=members.max(axis=1), scored=groups.size())
        return found.join(members.add_prefix("acc:")).rename_axis([*PANEL]).reset_index()

    def by_epoch(self) -> pd.DataFrame:
        """Return the accuracies of the headline's split and condition, with the epoch as index."""
        found = self.accuracies
        return found[in_panel(found, *self.main[:2])].set_index("epoch")

    def _patterns(self) -> tuple[Codes, Codes, Codes]:
        """Return the different rows of votes with their labels, and how often each occurs.

        A class is coded by the first member that voted for it, so that there are few.
        """
        given = np.column_stack([self.votes, self.labels])
        named = np.full(given.shape, BLANK, dtype=np.int16)
        for j in reversed(range(len(self.members))):  # the leftmost is written last
            vote = given[:, [j]]
            named[(given == vote) & (vote != BLANK)] = j
        times = pd.DataFrame(named).value_counts(sort=False)
        found = times.index.to_frame().to_numpy()
        return found[:, :-1], found[:, -1], times.to_numpy()

    def fused_accuracy(self, sets: Flags) -> Floats:
        """Return the accuracy of sets of members, fused; `sets` are members by sets."""
        given: Any = self.scores
        labels, times = self.labels, np.ones(len(self.cases), dtype=int)
        if given is None:
            given, labels, times = self._patterns()
        right = np.zeros(sets.shape[1])
        for part, classes, tied in fused(given, sets):
            hit = (classes == labels[part, None]) & (classes != BLANK)
            right += times[part] @ (hit & ~tied if self.ties == "wrong" else hit)
        return np.asarray(right / times.sum())


# --- reading --------------------------------------------------------------------------------


def read_ensemble(
    tables: Mapping[str, pd.DataFrame], options: CollectiveOptions
) -> tuple[Ensemble, list[Problem]]:
    """Return an ensemble and the rows that were left out, or refuse what does not fit together."""
    rows, problems = _with_epochs(tables["outputs"])
    code, classes = _class_codes(rows, tables, options)
    keys = [rows[name] for name in (*PANEL, "run", "sample") if name in rows]
    keys = [key.replace("", CLEAN) if key.name == "condition" else key for key in keys]
    case = rows.groupby(keys, sort=False).ngroup().to_numpy()
    cases = rows[~pd.Series(case, rows.index).duplicated()]
    missing: dict[str, Any] = {name: PANEL[name] for name in PANEL if name not in rows}
    cases = cases.assign(**missing)
    cases["condition"] = cases["condition"].replace("", CLEAN)
    cases["unit"] = pd.factorize(cases["cluster" if "cluster" in cases else "sample"])[0]
    if "references" in tables:
        label = tables["references"].set_index("sample")["label"]
        cases["truth"] = cases["sample"].map(label).fillna("").map(code)
    else:  # the same under all conditions and epochs
        sample = cases.groupby(["split", "sample"], sort=False).ngroup().to_numpy()
        cases["truth"] = _one_code(rows, "label", code, sample[case])[sample]
    cases["decision"] = _one_code(rows, "collective", code, case) if "collective" in rows else BLANK
    panels = cases.groupby([*PANEL])
    cases["own"] = panels["decision"].transform("max") != BLANK
    cases["rows"] = panels["decision"].transform("size")
    members, votes, scores = _members(rows, case, code, options)
    if {"classes", "prediction"} <= {*tables, *rows} and "not-classes" not in options.accept:
        _check_named(votes, cases["truth"], members)
    main = _main(cases, options)
    no_label = (cases["truth"] == BLANK).to_numpy()
    lost = cases[no_label & in_panel(cases, *main)]
    found = Ensemble(members, classes, cases, votes, scores, lost, main, options.ties)
    order = np.argsort(cases["epoch"].to_numpy(), kind="stable")
    return found.of(order[~no_label[order]]).decided(), problems


def _with_epochs(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the rows that have an epoch, if any has one, and the problems of the others."""
    if "epoch" not in rows or (missing := rows["epoch"].isna()).all():
        return rows.drop(columns="epoch", errors="ignore"), []
    problems = row_problems(rows, missing, Problem("no-epoch", "row", "the epoch is empty"))
    return rows[~missing] if problems else rows, problems


def _members(
    rows: pd.DataFrame, case: Codes, code: Mapping[str, int], options: CollectiveOptions
) -> tuple[tuple[str, ...], Codes, Floats | None]:
    """Return the members, their votes, cases by members, and the scores that are fused."""
    member, members = pd.factorize(rows["stream"])
    votes, scores = np.full((case.max() + 1, len(members)), BLANK, dtype=np.int32), None
    if name := next((name for name in SCORES if name in rows), ""):
        if "class" not in rows or (rows["class"] == "").any():
            message = "probabilities and logits need a column class, filled in every row"
            hint = "say what is in the headers, as in --column 'probability={stream}_{class}'"
            raise refusal("missing", message, hint)
        of = rows["class"].map(code).to_numpy()
        scores = np.full((*votes.shape, of.max() + 1), math.nan)
        scores[case, member, of] = rows[name]
        complete = ~np.isnan(scores).any(axis=2)
        votes[complete] = scores[complete].argmax(axis=1)
    if "prediction" in rows:
        votes[case, member] = rows["prediction"].map(code)
    if options.fusion == "mean" and scores is None:
        raise refusal("usage", "--fusion mean needs a column of probabilities or logits")
    return tuple(members), votes, scores if options.fusion == "mean" else None


def _class_codes(
    rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], options: CollectiveOptions
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the code of each text, and the classes; those that have scores come first."""
    named: dict[str, str] = {}
    if "classes" in tables:
        named = dict(zip(tables["classes"]["id"], tables["classes"]["name"], strict=True))
        if both := [name for key, name in named.items() if name in named and name != key]:
            message = f"{options.classes}: {both[0]} is an id and the name of a different class"
            raise refusal("classes", message)
    columns = [rows.get(name) for name in ("class", "prediction", "collective", "label")]
    columns += [tables["references"]["label"]] if "references" in tables else []
    texts = [text for column in columns if column is not None for text in column.unique()]
    same = same_classes(named.get(text, text) for text in texts)
    classes = {name: at for at, name in enumerate(dict.fromkeys(same.values()))}
    code = {t: classes[same[named.get(t, t)]] if named.get(t, t) else BLANK for t in texts}
    return {**code, "": BLANK}, tuple(classes)


def _check_named(votes: Codes, truth: Any, members: Sequence[str]) -> None:
    """Refuse ids of which the table of --classes does not make labels."""
    given = votes != BLANK
    wrong = given & ~np.isin(votes, truth)
    if (most := 2 * wrong.sum(axis=0) > given.sum(axis=0)).any():
        message = f"most predictions of {members[most.argmax()]} are not labels"
        hint = "correct the table of --classes, or accept it"
        raise refusal("not-classes", f"{message}, by their names too", hint)


def _one_code(rows: pd.DataFrame, name: str, code: Mapping[str, int], group: Codes) -> Codes:
    """Return the code that the rows of each group of one sample have; one with two is refused."""
    codes = rows[name].map(code).to_numpy()
    found = np.full(group.max() + 1, BLANK)
    np.maximum.at(found, group, codes)
    differ = np.flatnonzero((codes != BLANK) & (codes != found[group]))
    if differ.size:
        what = "labels" if name == "label" else "predictions of the collective"
        row = rows.iloc[differ[0]]
        place = {"file": row["file"], "sheet": row["worksheet"], "row": int(row["row"])}
        message = f"sample {row['sample']} has two {what}"
        raise Refusal(Problem("two-values", "skipped", message, **place))
    return found


def _main(cases: pd.DataFrame, options: CollectiveOptions) -> tuple[str, str, float]:
    """Return the split, the condition and the epoch of the headline."""
    split = _named("split", options.split, cases["split"].unique(), VALIDATION)
    condition = _named("clean", options.clean, cases["condition"].unique(), (CLEAN,))
    chosen = cases[(cases["split"] == split) & (cases["condition"] == condition)]
    if chosen.empty:
        raise refusal("headline", f"split {split!r} has no rows of the condition {condition!r}")
    return split, condition, chosen["epoch"].max()


def _named(option: str, named: str, found: Any, known: Sequence[str]) -> str:
    """Return the name of --split or --clean, or the one that the headline is of without it."""
    names = [str(name) for name in found]
    if named:
        if named not in names:
            raise refusal("usage", f"--{option} {named}: there are {', '.join(map(repr, names))}")
        return named
    folded = {name.casefold(): name for name in reversed(names)}
    choices = [folded[word] for word in (*known, "") if word in folded] or names
    if len(names) > 1 and choices is names:
        what = "split" if option == "split" else "condition"
        hint = ("name one", *(f"--{option} {name}" for name in names[:3]))
        raise refusal("headline", f"which {what} is the headline of? {', '.join(names)}", *hint)
    return choices[0]
