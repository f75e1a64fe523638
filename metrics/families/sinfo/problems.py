"""The kinds of problems that only this family raises."""

from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import ProblemKind

KINDS: Final = {
    "empty-prediction": ProblemKind("The prediction is empty or wordless: nothing but white space and full stops."),
    "language": ProblemKind(
        "The language of the prediction could not be matched to one reference language.", always_shown=True
    ),
    "loose-match": ProblemKind(f"A key that found its reference by {flag('match loose')} alone."),
    "no-reference": ProblemKind("No usable reference was found for the row's key."),
    "references-beside": ProblemKind(
        "References stand beside the predictions; they count where no others were given.", always_shown=True
    ),
    "several-references": ProblemKind(
        f"A key has several rows with differing references; {flag('references-by')} says how they count."
    ),
    "unused-references": ProblemKind("References that no row of the model asks for."),
}
