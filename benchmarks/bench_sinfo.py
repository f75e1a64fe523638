"""`scoresheet sinfo` against the recipe with PyPI `rouge`: workbooks of five sheets, texts of 60 words."""

from __future__ import annotations

from pathlib import Path

import workload
from commands import Bench, Job, Peer, Size, every_of
from harness import Agreement

SHEETS, WORDS = 5, 60
EXACT = 1e-12


def write(folder: Path, size: Size) -> Job:
    """Write a workbook for each model, and the references."""
    whole = workload.Size(models=size.models, sheets=SHEETS, rows=max(1, size.units // SHEETS), words=WORDS)
    job = workload.write_job(folder, whole)
    return Job([str(job.outputs), str(job.references)], sorted(path.stem for path in job.outputs.iterdir()))


BENCH = Bench(
    name="sinfo",
    command="sinfo",
    units="rows",
    about=(
        f"Workbooks of {SHEETS} sheets, texts of {WORDS} words. The recipe is pandas with openpyxl, PyPI `rouge` row"
        " by row, `to_excel`."
    ),
    write=write,
    sizes=(Size(20, 50), Size(20, 500), Size(20, 5_000)),
    quick=(Size(4, 50), Size(4, 250), Size(4, 1_000)),
    peers=(Peer("recipe", "plain_sinfo.py", every=every_of(4_000)),),
    agreement=Agreement("s_info", ("Sheet", "Idiom"), dict.fromkeys(("P_ROUGE", "BP", "S_Info"), EXACT)),
    each_of_many=200,
)
