"""The measures of sinfo, each declared once."""

from typing import Final

from scoresheet.metrics.measures import Measure

BANDS: Final = ((0.0, "low"), (0.5, "moderate"), (0.8, "high"))  # of S_Info

P_ROUGE: Final = Measure(
    name="P_ROUGE",
    field="p_rouge",
    about="ROUGE-L precision: share of the prediction's words found in the reference.",
    better="higher",
)
BREVITY: Final = Measure(
    name="BP",
    field="bp",
    about="Brevity penalty: exp(1 - r/c) when the prediction is shorter (c < r), else 1; low means too short.",
    better="higher",
)
S_INFO: Final = Measure(
    name="S_Info",
    field="s_info",
    about="Information density, BP × P_ROUGE; empty where it is undefined.",
    better="higher",
    shown=("unit", "model", "terminal"),
)
ANSWERED: Final = Measure(
    name="Answered",
    field="answered",
    about="Share of the references' keys for which the model has a computed score.",
    quantity="share",
    average="none",
    shown=("model", "terminal"),
)
MEASURES: Final = (P_ROUGE, BREVITY, S_INFO, ANSWERED)
COMPARED_MEASURES: Final = (S_INFO, P_ROUGE, BREVITY)
IDIOMS: Final = "idioms"  # what is drawn as one, and what models are compared on
TOO_FEW: Final = f"too few {IDIOMS}"
FEWEST_WITH_BAND: Final = 10  # idioms; of five a true 0.79 was called high in 7 % of simulated cases
