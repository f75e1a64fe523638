"""`scoresheet check`: what would be read as what."""

import inspect
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.commands.score import request_of
from scoresheet.cli.options import InputOptions, parameters
from scoresheet.cli.registry import family_entries, load_command

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.cli.run.outcome import Request, RunOutcome


def check_command() -> Callable[..., None]:
    """Return the function behind `scoresheet check`, with all options of reading."""

    def check(
        family: Annotated[str, typer.Argument(help="The command that would score the tables.")],
        outputs: Annotated[str | None, typer.Argument(help="Model outputs.")] = None,
        references: Annotated[str | None, typer.Argument(help="References.")] = None,
        save: Annotated[
            bool, typer.Option("--save", help="Write the mapping to scoresheet.toml.")
        ] = False,
        **typed: Any,
    ) -> None:
        """Show what would be read as what; score nothing."""
        named = {"outputs": outputs, "references": references}
        raise typer.Exit(execute_check(family, {**named, **typed}, save=save))

    declared = [
        p for p in inspect.signature(check).parameters.values() if p.kind is not p.VAR_KEYWORD
    ]
    signature = [*declared, *parameters(InputOptions, "Input")]
    check.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    check.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    return check


def execute_check(family: str, typed: dict[str, Any], *, save: bool) -> int:
    """Read the tables and print what they were read as; return the exit code."""
    from scoresheet.cli.input.grammar import nearest, usage
    from scoresheet.cli.report.terminal import console, print_outcome
    from scoresheet.cli.run.outcome import attempt

    def request() -> "tuple[Request, dict[str, Any]]":
        if family not in family_entries():
            near = nearest(family, list(family_entries()))
            known = ", ".join(family_entries())
            raise usage(f"{family} is not one of {known}", f"did you mean {near}?" if near else "")
        command = load_command(family)
        surplus = typed.get("references") and "references" not in command.arguments
        if surplus:
            raise usage(f"{family} reads no references: leave {typed['references']} out")
        return request_of(command, typed)

    outcome, _ = attempt(request, family, lambda asked: read_only(asked, save=save))
    out, err = console(sys.stdout), console(sys.stderr)
    print_outcome(outcome, verbose=True, quiet=False, out=out, err=err)
    return int(outcome.exit_code)


def read_only(request: "Request", *, save: bool) -> "RunOutcome":
    """Return what would be read: the mapping, the models with their rows, the problems."""
    import pandas as pd

    from scoresheet.cli.config import FILE, save_columns
    from scoresheet.cli.registry import load_family
    from scoresheet.cli.report import Column, Page
    from scoresheet.cli.run.decide import Run, mapping_lines, typed_columns
    from scoresheet.cli.run.outcome import Exit, RunOutcome
    from scoresheet.cli.run.pipeline import discover_inputs, read_inputs
    from scoresheet.cli.run.workers import Workers

    family = load_family(request.family)
    found = discover_inputs(family, request)
    with tempfile.TemporaryDirectory() as parts, Workers(request.limits) as workers:
        run = Run(request, family, Path(parts), workers)
        read_inputs(run, found)
    rows = [
        {"Model": model.name, "Tables": len(model.parts), "Rows": sum(p.rows for p in model.parts)}
        for model in run.models.values()
    ]
    columns = (
        Column("Model", family.word.capitalize(), role="key"),
        Column("Tables", "Tables", "count", "measure"),
        Column("Rows", "Rows", "count", "measure"),
    )
    skipped = [problem for problem in run.problems if problem.effect == "skipped"]
    if save:
        save_columns(family.name, typed_columns(run.files))
    saved = (f"saved in {FILE}",) if save else ()
    return RunOutcome(
        family.name,
        Exit.PARTIAL if skipped else Exit.OK,
        "some input would be skipped" if skipped else "",
        mapping=mapping_lines(run.files),
        headline=Page("Models", pd.DataFrame(rows), columns),
        problems=run.problems,
        status=(f"{len(run.models)} {family.word}s, nothing was scored", *saved),
    )
