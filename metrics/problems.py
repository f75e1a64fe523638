"""What can be wrong with an input, said in one form everywhere: where, what, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NoReturn

Effect = Literal["file skipped", "sheet skipped", "row not scored", "note"]

SKIPPED: Final[tuple[Effect, ...]] = ("file skipped", "sheet skipped")

# The docs' table of problem kinds is made from this, and a Problem of any other kind cannot be made.
KINDS: Final[dict[str, str]] = {
    "ambiguous-column": "Two columns could be the one that is needed.",
    "ambiguous-option": "The text means two of the declared options.",
    "bad-count": "The count is not a whole number of 0 or more.",
    "bad-csv": "A record has more fields than the header, or its quotes do not close.",
    "bad-grade": "The relevance is not a number, or too large for a grade.",
    "bad-number": "A cell that should hold a number does not, and was left out.",
    "bad-rank": "The rank or score that orders the items is not a number.",
    "bad-score": "The score is not a number, and counts as missing.",
    "bad-weight": "A confidence or relevance is not a number of 0 or more.",
    "bad-weights": "Weights are below 0, or do not sum to 1.",
    "blank-prediction": "A prediction is empty, which counts as wrong.",
    "blank-score": "The score is empty, and counts as missing.",
    "conflicting-judgments": "An item was judged twice on one subtopic with different grades; the larger counts.",
    "dead-anchors": "Anchors that are next to never used.",
    "dimensions-twice": "A column dimension says the dimensions, and --dimensions names others.",
    "duplicate-header": "Two columns have the same name.",
    "duplicate-rating": "A judge scored an item twice on one dimension.",
    "duplicate-sample": "A sample, stream or epoch is there twice.",
    "empty-file": "The file has no bytes.",
    "empty-key": "The cell that says what the row is about is empty.",
    "empty-label": "The label of a sample is empty.",
    "empty-prediction": "The prediction is empty or wordless: nothing but white space and full stops.",
    "empty-sheet": "The sheet has no cells.",
    "empty-text": "The text is empty, or has no words.",
    "encoding": "The text is neither UTF-8 nor UTF-16 with a mark, and no encoding was named.",
    "epochs-differ": "A condition ends at another epoch than the clean one.",
    "error-cell": "A cell holds a spreadsheet error such as #DIV/0!.",
    "formula-without-value": "A formula was never calculated, so the file holds no value for it.",
    "hidden-sheet": "The sheet is hidden, or holds a chart and no cells.",
    "in-line-judgments": "Judgments stand beside the ranking and were not used, because references were named.",
    "incomplete": "The choice is blank, or says incomplete.",
    "internal-error": "A bug of scoresheet: the file was given up, the others went on, and the exit code is 1.",
    "labels": "The labels that were found; one that differs only in case counts as another.",
    "language": "The language of the prediction could not be matched to one reference language.",
    "large-grade": "A grade lies above --max-grade; its relevance is at most 1.",
    "many-judges": "There are too many judges to compare every two of them.",
    "many-streams": "There are too many streams or samples for every coalition; Shapley values are left out.",
    "missing-column": "A needed column is not there under its name or an alias.",
    "missing-extra": "The file's format needs a package that is not installed.",
    "missing-probabilities": "A stream has no probabilities for a sample, or a label has no column among them.",
    "missing-query": "A judged query has no ranking.",
    "missing-sheet": "A system lacks a sheet that it needs.",
    "missing-weights": "Streams were to be weighted, and a weight is missing or below 0.",
    "needs-options": "Free text was given and no table of options to find it in.",
    "negative-grade": "A grade below 0 counts as 0.",
    "never-predicted": "A label that nothing ever predicts.",
    "no-alpha": "Alpha is undefined: no item has scores of two judges, or all scores are the same.",
    "no-choices": "A cell of the tree has no usable choice.",
    "no-clean": "No condition has the name of the one that the others are held against.",
    "no-features": "An item has nothing to be compared by, and is not in ILD and EILD.",
    "no-interval": "Alpha has no interval: only one item to draw from, or too many different ratios.",
    "no-judgments": "A query of the ranking has no relevant judgment.",
    "no-reference": "No usable reference was found for the row's key.",
    "no-root": "Nothing was sampled at level 0, so that the model has no score there.",
    "no-rows": "There is a header and nothing below it.",
    "no-scores": "No column holds scores.",
    "no-stream": "Not one cell of the column is a label; it counts as a stream that is always wrong.",
    "no-target": "The table of --target says nothing of this cell, so it was not tested.",
    "no-weight": "The intents give no weight to a judged subtopic.",
    "not-a-file": "A pipe, socket, device or circle of links with the name of a table, or a folder nobody may read.",
    "not-a-table": "The file is damaged, or not what its extension says.",
    "not-read": "A folder below a model's folder, or a link to nowhere, in a circle, or to what is read already.",
    "not-separated": "A column that by its name tells models, systems, runs or sheets apart has several values and was "
    "not used: their rows were scored together.",
    "observed-options": "No table of options was given: the options are the choices seen, without those nobody chose.",
    "one-option": "Only one option is declared, so that there is nothing to choose.",
    "numbers-not-used": "A column holds numbers and was not used, since half of it or more is none, or by its name.",
    "other-columns": "Columns that were not used, or that were taken for scores.",
    "out-of-scale": "A score lies outside the scale that was declared.",
    "rank-and-score": "Rank and score would order the items differently.",
    "reader": "The fast reader failed on the file and the second reader was used.",
    "repeated-item": "An item stands twice in a ranking; its first place counts.",
    "same-name": "Two inputs give the same model name, ignoring case.",
    "several-judges": "An ensemble was to be made out of one judge's scores, and there are several judges.",
    "several-references": "A key has several rows with differing references; --references-by says how they count.",
    "short-rows": "Rows with fewer fields than the header were padded with empty cells.",
    "summary-row": "An item is called as a summary of the others would be, and counts as one of them.",
    "trailing-fields": "Rows had empty fields beyond the header's last column.",
    "unchecked-formulas": "This file format cannot be checked for formulas without a stored value.",
    "unjudged-item": "An item of the ranking was never judged; it counts as not relevant.",
    "unknown-class": "A prediction is of a class that is no label, which is wrong.",
    "unknown-flag": "A mark beside a correction is neither yes nor no; it counts as no.",
    "unknown-level": "The level is not a whole number of 0 or more, or the table of options has none at it.",
    "unknown-option": "The text means none of the declared options.",
    "unknown-parent": "The parent is no option or was never chosen at the level above, or no options are declared "
    "under it.",
    "unknown-question": "The table of options has a sheet for each question, and none of them has this sheet's name.",
    "unknown-sheet": "The sheet's name says nothing of what it holds, or another sheet holds the same.",
    "unknown-stream": "A sheet names a stream that the predictions do not have.",
    "unmatched-weights": "A table of weights or shares names a query or subtopic that no judgment has.",
    "unnamed-column": "A column holds cells and has no header; it was left out.",
    "unsampled-parent": "An option was chosen, and the level below was not sampled under it.",
    "unused-references": "References that no row of the model asks for.",
    "weights-normalised": "Weights or shares do not sum to 1 and were divided by their sum.",
    "worker-died": "The process that read the file died; the file was given up, the others went on.",
    "zero-mean": "The mean of the scores is 0, so that CV, consensus and reliability are undefined.",
    "zero-weights": "All weights of a judge are 0 for an item, so that its overall score is undefined.",
}


# notes that are said on the terminal too: what was meant may have been lost
HEARD: Final = ("no-stream", "not-separated", "numbers-not-used", "summary-row")
# and of these, what leaves in doubt which model a number is of: it is no better than one of a part of the input
LOUD: Final = ("not-separated",)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong with one place of the input, and what it costs.

    >>> print(Problem(kind="empty-key", message="no idiom", effect="row not scored", file="m.xlsx", sheet="p1", row=7))
    m.xlsx[p1] row 7: no idiom
    """

    kind: str
    message: str
    effect: Effect
    file: str = ""
    sheet: str = ""
    row: int | None = None
    column: str = ""
    folder: str = ""  # the folder as the user named it; shown on the terminal, not in problems.csv
    table: str = ""  # the option whose table it is about; '' for the models' files and the references

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind of problem {self.kind!r}; the kinds are {', '.join(KINDS)}")

    def __str__(self) -> str:
        path = f"{self.folder}/{self.file}" if self.folder and self.file else self.file or self.folder
        place = path + (f"[{self.sheet}]" if self.sheet else "")
        spot = [f"row {self.row}"] if self.row is not None else []
        spot += [f"column {self.column}"] if self.column else []
        where = " ".join(part for part in (place, ", ".join(spot)) if part)
        return f"{where}: {self.message}" if where else self.message

    @property
    def is_costly(self) -> bool:
        """Whether `--strict` counts it: whatever is no mere note."""
        return self.effect != "note" or self.kind in LOUD

    @property
    def makes_partial(self) -> bool:
        """Whether a model with it is scored in part only, or with what is not its own."""
        return self.effect in SKIPPED or self.kind in LOUD

    def at(self, *, folder: str = "", file: str = "", sheet: str = "") -> Problem:
        """Return the problem with the place filled in where it was open."""
        return replace(self, folder=self.folder or folder, file=self.file or file, sheet=self.sheet or sheet)


class Refusal(Exception):
    """An input that cannot be used as it stands; the problem says why and what it costs."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def refuse(kind: str, message: str, *, sheet: str = "", effect: Effect = "file skipped") -> NoReturn:
    """Raise the refusal of a file, or of one sheet of it."""
    raise Refusal(Problem(kind=kind, message=message, effect=effect, sheet=sheet))


class Misuse(Exception):
    """What was given for the whole run contradicts itself; nothing can be scored until the user mends it."""


class Unusable(Exception):
    """What was given to score with holds nothing that can be used; the problems say why, and no model is at fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class MissingExtra(Exception):
    """A feature was asked for by name and its optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package; install it with: pip install 'scoresheet[{extra}]'")
