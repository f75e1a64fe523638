"""The numbers and choices of diversity, each declared once; light, since help texts are made of them."""

from __future__ import annotations

import math
from typing import Final

AS_PRINTED: Final = "printed"  # the formulas as printed, with the best possible ideal
NDEVAL: Final = "ndeval"  # as the TREC tool of that name has them
DEFINITIONS: Final = (AS_PRINTED, NDEVAL)
FORMER_DEFINITIONS: Final = {"seed": AS_PRINTED}  # it stood beside the seed of random numbers
LOG_BASES: Final = {"e": math.e, "2": 2.0, "10": 10.0}
CHOSEN_DISTANCE: Final = "auto"  # by features where there are any, else by subtopics
BY_FEATURES: Final = "features"
BY_SUBTOPICS: Final = "subtopics"
BY_TEXT: Final = "text"
DISTANCES: Final = (CHOSEN_DISTANCE, BY_FEATURES, BY_SUBTOPICS, BY_TEXT)
EXACT: Final = "exact"  # queries and items find their judgments as they are written
LOOSE: Final = "loose"
MATCHES: Final = (EXACT, LOOSE)

HEADLINE_CUTOFF: Final = 10
LARGEST_CUTOFF: Final = 100_000
LARGEST_ALPHA: Final = 1
LARGEST_GRADE: Final = 60  # beyond, the relevance of a grade of 1 would be nothing
UNNAMED_GRADE: Final = 0.0  # stands for the largest grade of the judgments, where none was named
UNWRITTEN_GRADE: Final = 1.0  # of a judgment whose cell is empty
DISCOUNT: Final = 0.85  # a reader goes on to the next item with this chance (Vargas and Castells 2011)
