"""Writes the generated parts of the docs: the API and reference pages, and the real output in the README.

Run by `make docs`; a test fails if what is committed is not what this would write. With `--check` it writes nothing,
names the pages that are out of date, and exits 1 if there are any.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from api_page import api_page
from values import VALUES

from scoresheet.cli.app import main
from scoresheet.cli.commands import Command, all_commands
from scoresheet.cli.exits import Exit
from scoresheet.cli.parameters import PANELS, SHORT
from scoresheet.cli.report.page import Column
from scoresheet.cli.report.problems_page import PROBLEM_COLUMNS
from scoresheet.cli.run.results_table import result_columns
from scoresheet.cli.settings import Settings
from scoresheet.cli.tools import Tool, all_tools
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.options import own_first
from scoresheet.metrics.problems import KINDS, ProblemKind
from scoresheet.metrics.schema import InputColumn

ROOT = Path(__file__).resolve().parent.parent
NOTICE = "<!-- made by docs/generate.py; run `make docs` to write it anew -->"


def pages() -> dict[Path, str]:
    """Return every page of which something is generated, with its text."""
    made = texts()
    for path, *arguments in (
        ("README.md", "sinfo"),
        ("docs/mode-collapse.md", "mode-collapse", "--power"),
        ("docs/explain.md", "explain", "sinfo", "--prediction", "to tell it", "--reference", "to tell a secret"),
    ):
        made[ROOT / path] = with_output(made[ROOT / path], *arguments)
    return made


def texts() -> dict[Path, str]:
    """Return the pages as far as nothing has to be run for them: output that they show is as it stands there."""
    return {
        **{page: with_values(page) for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))},
        ROOT / "docs/api.md": api_page(NOTICE),
        ROOT / "docs/reference/cli.md": cli_page(),
        ROOT / "docs/reference/columns.md": columns_page(),
        ROOT / "docs/reference/problems.md": problems_page(),
    }


def cli_page() -> str:
    """Return the command-line reference."""
    parts = ["# Command line", NOTICE]
    for command in all_commands():
        parts += _command(command)
    for tool in all_tools():
        parts += _tool(tool)
    parts += ["## Common options", "Every command that scores has them."]
    fields = {field.name: field for field in dataclasses.fields(Settings)}
    for panel, names in PANELS.items():
        parts += [f"### {panel}", _options(fields[name] for name in names)]
    parts += [
        "Every option that is not repeatable can be set by a variable too: `SCORESHEET_` and its name in capitals, "
        "such as `SCORESHEET_JOBS`. The command line wins over variables, and these over [a file of "
        "settings](../configuration.md). `SCORESHEET_OUT` names what stands for `results/`: each "
        "command writes into a folder of its own below it, or, for one release, into that folder itself where its "
        "reports are there already.",
        "## Exit codes",
        _table(("code", "meaning"), [(str(int(code)), code.about) for code in Exit]),
        "## Help and completion",
        "`--help` shows the common options on one screen, `--help-all` every option and, of `scoresheet` itself, what "
        "each exit code means. `scoresheet --version` prints the version, with `-v` also [which "
        "parts are compiled](../performance.md); `python -m scoresheet` is the same as `scoresheet`.",
        "`scoresheet --install-completion` lets bash, zsh, fish or PowerShell complete commands, options and their "
        "values from the next shell on; `scoresheet --show-completion` prints what that installs, for shells that you "
        "set up yourself.",
    ]
    return "\n\n".join(parts) + "\n"


def columns_page() -> str:
    """Return the glossary of columns."""
    parts = ["# Columns", NOTICE]
    for command in all_commands():
        schema, reporter = command.family.schema, command.reporter
        parts += [f"## {command.name}", "### Read from outputs", _input_columns(schema.outputs.columns)]
        if schema.references:
            parts += ["### Read from references", _input_columns(schema.references.columns)]
        for option, table in schema.tables.items():
            parts += [f"### Read from the table of `--{option}`", _input_columns(table.columns)]
        parts += [
            f"### Results (`{reporter.stem}_results`)",
            _columns(result_columns(reporter.documented.results)),
            f"### Summary of a model (`{{model}}_{reporter.stem}.xlsx`)",
            _columns(reporter.documented.summary),
            "### A sheet of a model",
            _columns(reporter.documented.sheet),
        ]
    parts += ["## problems.csv", _columns(PROBLEM_COLUMNS)]
    return "\n\n".join(parts) + "\n"


def problems_page() -> str:
    """Return the list of problem kinds."""
    skipped = f"exit code {Exit.PARTIAL:d}, or {Exit.NOTHING:d} if nothing is left"
    effects = [
        ("file skipped", f"the file is not scored; {skipped}"),
        ("sheet skipped", f"the sheet is not scored; {skipped}"),
        (
            "row not scored",
            f"the row has no score and lowers coverage; exit code {Exit.OK:d}, or {Exit.PARTIAL:d} with `--strict`",
        ),
        ("note", "nothing is lost"),
    ]
    return (
        "\n\n".join(
            [
                "# Problems",
                NOTICE,
                "What `problems.csv`, the Problems sheets and stderr list. An effect says what a problem costs:",
                _table(("effect", "meaning"), effects),
                f"A note of the kind {_costly_kinds()} is more than that: it is shown without `-v`, the model's "
                "`Status` is `partial`, and `--strict` counts it.",
                _table(("kind", "meaning"), _kinds()),
            ]
        )
        + "\n"
    )


def _known_kinds() -> dict[str, ProblemKind]:
    """Return every kind of problem, those of single families with the others."""
    known = dict(KINDS)
    for command in all_commands():
        known |= command.family.problem_kinds
    return dict(sorted(known.items()))


def _kinds() -> list[tuple[str, str]]:
    return [(f"`{name}`", spelled_for_shell(kind.about)) for name, kind in _known_kinds().items()]


def _costly_kinds() -> str:
    return " or ".join(f"`{name}`" for name, kind in _known_kinds().items() if kind.costly)


def with_values(page: Path) -> str:
    """Return a hand-written page with the numbers it quotes, `<!--=name-->number<!--/-->`, as they are declared."""

    def value(mark: re.Match[str]) -> str:
        if mark[1] not in VALUES:
            raise ValueError(f"{page.name} quotes {mark[1]}, which docs/values.py does not know")
        return f"<!--={mark[1]}-->{VALUES[mark[1]]}<!--/-->"

    return re.sub(r"<!--=([\w-]+)-->.*?<!--/-->", value, page.read_text(encoding="utf-8"), flags=re.DOTALL)


def with_output(text: str, *arguments: str) -> str:
    """Return the text of a page with the real output of a command that it shows."""
    command = shlex.join(["scoresheet", *arguments])
    begin, end = f"<!-- begin: {command} -->", f"<!-- end: {command} -->"
    shown = "\n".join(["```console", f"$ {command}", *output_of(arguments).rstrip("\n").split("\n"), "```"])
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{shown}\n{end}", text, flags=re.DOTALL)


def output_of(arguments: Sequence[str]) -> str:
    """Return what a command prints on a terminal, stderr first, as it does."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("data").symlink_to(ROOT / "data")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main(list(arguments))
    return printed.getvalue()


def _command(command: Command) -> list[str]:
    references = f" [{command.references_name}]" if command.references else ""
    return [
        f"## scoresheet {command.name}",
        f"    scoresheet {command.name} [OUTPUTS]{references} [OPTIONS]",
        command.summary + " " + command.about,
        f"With no arguments it reads `{command.outputs}`"
        + (f" and `{command.references}`" if command.references else "")
        + f"; reports go to `{command.results}`."
        + (f" With OUTPUTS named, {command.references_name} must be named too." if _bound(command) else ""),
        _options(own_first(command.options)),
        "Example: " + command.example,
    ]


def _tool(tool: Tool) -> list[str]:
    """Return what help says of a command that scores nothing itself."""
    app = typer.Typer(add_completion=False)
    app.command(tool.name)(tool.run)
    shown: list[Any] = typer.main.get_command(app).params
    arguments = " ".join(each.metavar or each.name.upper() for each in shown if each.param_type_name == "argument")
    options = [each for each in shown if each.param_type_name == "option" and each.help]
    names = [", ".join(f"`{name}`" for name in (*each.opts, *each.secondary_opts)) for each in options]
    rows = [(name, each.metavar or "", each.help) for name, each in zip(names, options, strict=True)]
    return [
        f"## scoresheet {tool.name}",
        f"    scoresheet {tool.name} {arguments}".rstrip() + " [OPTIONS]",
        re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(tool.run) or tool.summary),
        _table(("option", "values", "meaning"), rows),
        "Example: " + tool.example,
    ]


def _bound(command: Command) -> bool:
    return bool(command.references) and command.references_required


def _options(fields: Iterable[dataclasses.Field[Any]]) -> str:
    rows = []
    for field in fields:
        flag = field.name.replace("_", "-")
        name = f"`--no-{flag}`" if field.default is True else f"`--{flag}`"
        name += f", `{SHORT[field.name]}`" if field.name in SHORT else ""
        values = "\\|".join(field.metadata["choices"]) or field.metadata["metavar"] or ""
        values = values or ("N" if type(field.default) is int else "")
        plain = isinstance(field.default, bool | tuple) or field.default == ""
        default = "the command's" if field.name == "out" else "" if plain else f"`{field.default}`".replace("|", "\\|")
        rows.append((name, values, default, spelled_for_shell(field.metadata["about"])))
    return _table(("option", "values", "default", "meaning"), rows)


def _columns(columns: Sequence[Column]) -> str:
    return _table(("column", "meaning"), [(f"`{column.name}`", column.about) for column in columns])


def _input_columns(columns: Sequence[InputColumn]) -> str:
    rows = [
        (
            f"`{column.name}`",
            ", ".join(f"`{name}`" for name in (*column.aliases, *column.fallbacks)),
            "yes" if column.required else "no",
            spelled_for_shell(column.about),
        )
        for column in columns
    ]
    return _table(("column", "also known as", "needed", "meaning"), rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([cell.replace("||", "\\|\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def out_of_date() -> list[Path]:
    """Return the pages that are not what would be written."""
    return [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def write() -> None:
    """Write every page anew."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        stale = out_of_date()
        for page in stale:
            print(f"{page.relative_to(ROOT)} is out of date; run `make docs`")
        sys.exit(bool(stale))
    elif sys.argv[1:]:
        sys.exit("docs/generate.py takes no argument but --check")
    write()
