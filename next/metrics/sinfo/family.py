"""sinfo: how much of an explanation is information."""

from scoresheet.metrics.family import Family
from scoresheet.metrics.sinfo import COMMAND, TABLES, SinfoOptions
from scoresheet.metrics.sinfo import measures as m
from scoresheet.metrics.sinfo.explain import explain
from scoresheet.metrics.sinfo.score import audit, score


def signature(options: SinfoOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    parts = {
        "rouge": "1.0.1" if options.rouge == "rouge" else options.rouge,
        "tok": options.tokenizer,
        "refs": options.references_by,
        "len": options.length,
        "unanswered": options.unanswered,
        "agg": options.aggregate,
        "lang": "" if options.language == "auto" else options.language,
        "norm": "yes" if options.normalize else "",
    }
    return {name: value for name, value in parts.items() if value}


FAMILY = Family(
    command=COMMAND,
    title="Information density (S_Info)",
    stem="s_info",
    unit="Idiom",
    unit_role="idiom",
    tables=TABLES,
    functions=(m.s_info, m.precision, m.brevity_penalty),
    score=score,
    signature=signature,
    shown=("S_Info", "CI", "P_ROUGE", "BP", "Verdict", "Scored", "To_Best"),
    dropped=("BP", "P_ROUGE", "To_Best", "Verdict"),
    texts=("Reference", "Prediction"),
    counted={"Component": m.COMPONENTS},
    formula="S_Info = brevity penalty × ROUGE-L precision, 0 to 1, higher is better.",
    method=(
        "Information density (S_Info) is the product of a brevity penalty and the ROUGE-L "
        "precision (Lin 2004) of the prediction against its reference. The signature below names "
        "how it was computed: rouge:1.0.1 as the Python package of that name and version does."
    ),
    audit=audit,
    explain=explain,
)
