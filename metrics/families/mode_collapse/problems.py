"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "ambiguous-option": ProblemKind("The text means two of the declared options."),
    "bad-count": ProblemKind("The count is not a whole number of 0 or more."),
    "count-column": ProblemKind(
        "There is no column count, and another that can be nothing else was taken for it.", always_shown=True
    ),
    "incomplete": ProblemKind("The choice is blank, or says incomplete."),
    "needs-options": ProblemKind("Free text was given and no options to find in it."),
    "no-choices": ProblemKind("A cell of the tree has no usable choice."),
    "no-level": ProblemKind("No table of the model has a column level: everything is at level 0.", always_shown=True),
    "no-root": ProblemKind("Nothing was sampled at level 0, so that the model has no score there."),
    "no-target": ProblemKind(f"The table of {flag('target')} says nothing of this cell, so it was not tested."),
    "not-counted": ProblemKind(
        "A column that may say how often a choice was made was not used: each row counted as one sample.",
        always_shown=True,
        costly=True,
    ),
    "not-extracted": ProblemKind(f"What {flag('extract')} names is not in the text; it counts as incomplete."),
    "observed-options": ProblemKind(
        "No table of options was given: the options are the choices seen, without those nobody chose."
    ),
    "one-option": ProblemKind("Only one option is declared, so that there is nothing to choose."),
    "reasoning": ProblemKind("Reasoning between <think> and </think> was left out of answers."),
    "refused": ProblemKind("The text declines to choose; it counts as refused, and in no number of samples."),
    "unclosed-reasoning": ProblemKind(
        "A text begins to reason with <think> and never ends it: it was cut off before an answer, and is incomplete."
    ),
    "unknown-flag": ProblemKind("A mark beside a correction is neither yes nor no; it counts as no."),
    "unknown-level": ProblemKind(
        "The level is not a whole number of 0 or more, or the table of options has none at it."
    ),
    "unknown-option": ProblemKind("The text means none of the declared options."),
    "unknown-parent": ProblemKind(
        "The parent is no option or was never chosen at the level above, or no options are declared under it."
    ),
    "unknown-question": ProblemKind(
        "The table of options has a sheet for each question, and none of them has this sheet's name."
    ),
    "unsampled-parent": ProblemKind("An option was chosen, and the level below was not sampled under it."),
    "walk": ProblemKind(
        f"The columns that {flag('tree')} names are the levels; each choice counts as a row.", always_shown=True
    ),
    "walk-and-rows": ProblemKind("A column that only a row for each choice can have stands beside a walk."),
}
