"""`scoresheet cite`: how to cite a measure, and scoresheet."""

import re
from importlib.metadata import metadata
from importlib.resources import files
from typing import Annotated

import typer

from scoresheet.cli.registry import load_all, load_family


def cite(
    measure: Annotated[
        str, typer.Argument(help="A measure by its name or label; none: scoresheet itself.")
    ] = "",
) -> None:
    """Print the reference of a measure, or of scoresheet."""
    from scoresheet.cli.input.grammar import nearest
    from scoresheet.metrics.role import normal

    if not measure:
        about = metadata("scoresheet")
        fields = {"title": f"scoresheet: {about['Summary']}", "author": f"{{{about['Author']}}}"}
        fields |= {"version": about["Version"], "note": "Name the signature of your results."}
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        typer.echo(f"@software{{scoresheet,\n{lines}}}")
        return
    measures = [found for family in load_all(load_family) for found in family.measures]
    wanted = normal(measure.partition("@")[0])  # whatever the cut-off
    chosen = [m for m in measures if wanted in (normal(m.name), normal(m.label))]
    if not chosen:
        near = nearest(measure, [found.name for found in measures])
        hint = f": did you mean {near}?" if near else ""
        raise typer.BadParameter(f"{measure} is not a measure{hint}")
    papers = files("scoresheet.data").joinpath("references.bib").read_text(encoding="utf-8")
    for found in chosen:
        sentence = found.sentence.removeprefix("Return ")
        typer.echo(f"{found.name}: {sentence} {found.reference}".rstrip())
        if key := re.match(r"(\w+).*?(\d{4})", found.reference):
            entry = rf"^@\w+{{{key[1].lower()}{key[2]},.*?^}}"
            paper = re.search(entry, papers, re.MULTILINE | re.DOTALL)
            typer.echo(f"\n{paper[0]}\n" if paper else "")
