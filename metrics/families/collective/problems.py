"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "bad-weights": ProblemKind("Weights are below 0, or do not sum to 1."),
    "blank-prediction": ProblemKind("A prediction is empty, which counts as wrong."),
    "dead-anchors": ProblemKind("Anchors that are next to never used."),
    "dead-experts": ProblemKind("Experts that next to nothing is routed to."),
    "duplicate-sample": ProblemKind("A sample, stream or epoch is there twice."),
    "empty-label": ProblemKind("The label of a sample is empty."),
    "epochs-differ": ProblemKind("A condition ends at another epoch than the clean one."),
    "labels-differ": ProblemKind(
        "Rows of a long log differ in the label of their sample, or in the ensemble's prediction."
    ),
    "long-log": ProblemKind("A row per sample and stream, or expert, was read as a column each.", always_shown=True),
    "many-streams": ProblemKind(
        "There are too many streams or samples for every coalition; Shapley values are left out."
    ),
    "missing-probabilities": ProblemKind(
        "A stream has no probabilities for a sample, or a label has no column among them."
    ),
    "missing-sheet": ProblemKind("A system lacks a sheet that it needs."),
    "missing-weights": ProblemKind("Streams were to be weighted, and a weight is missing or below 0."),
    "never-predicted": ProblemKind("A label that nothing ever predicts."),
    "no-clean": ProblemKind("No condition has the name of the one that the others are held against."),
    "no-split": ProblemKind("No split has the name of the one that the headline is of."),
    "no-stream": ProblemKind(
        "Not one cell of the column is a label; it counts as a stream that is always wrong.", always_shown=True
    ),
    "no-target": ProblemKind("The sheet targets has no row for the system's data."),
    "samples-differ": ProblemKind("Conditions, or epochs, have different samples."),
    "unknown-class": ProblemKind("A prediction is of a class that is no label, which is wrong."),
    "unknown-sheet": ProblemKind("The sheet's name says nothing of what it holds, or another sheet holds the same."),
    "unknown-stream": ProblemKind("A sheet names a stream that the predictions do not have."),
}
