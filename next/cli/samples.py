"""What `scoresheet init` writes: sample tables, a template workbook and scoresheet.toml."""

from dataclasses import fields
from importlib.resources import as_file, files
from itertools import groupby
from pathlib import Path

import xlsxwriter

from scoresheet.cli.input.grammar import few, usage
from scoresheet.cli.options import CommonOptions, flag_of
from scoresheet.cli.registry import load_command, load_family
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics import Command
from scoresheet.metrics.family import Family

CONFIG_START = """\
# Settings for commands that are run in this folder. The command line wins.
# Remove the # in front of an option and write `option = value` to set it.

[defaults]
# for every command
"""


def init_outcome(family: str, folder: Path) -> RunOutcome:
    """Write the files of a family into a folder, never over others; say how to score them."""
    command = load_command(family)
    tables = sample_files(command)
    template = folder / f"template_{family.replace('-', '_')}.xlsx"
    paths = [*(folder / name for name in tables), template]
    if existing := [str(path) for path in paths if path.exists()]:
        raise usage(f"{few(existing)} would be overwritten; nothing was written")
    for name, data in tables.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    folder.mkdir(parents=True, exist_ok=True)
    write_template(load_family(family), template)
    config = folder / "scoresheet.toml"
    text = config.read_text(encoding="utf-8") if config.exists() else CONFIG_START
    if f"[{family}]" not in text:
        config.write_text(f"{text}\n{commented_config(command)}", encoding="utf-8")
    what, named = "the sample tables", ""
    if not command.samples:
        what, named = "your tables", " OUTPUTS"
    elif not command.arguments["outputs"]:
        named = f" data/{command.samples[0]}"
    sentence = f"{len(paths) + 1} files are written. Score {what}:"
    return RunOutcome(Exit.OK, answer=[sentence, f"scoresheet {family}{named}"])


def sample_files(command: Command) -> dict[Path, bytes]:
    """Return the sample tables of a family by their path below the folder."""
    with as_file(files("scoresheet.data")) as data:
        paths = [path for folder in command.samples for path in sorted((data / folder).rglob("*"))]
        found = [path for path in paths if path.is_file()]
        return {Path("data", path.relative_to(data)): path.read_bytes() for path in found}


def write_template(family: Family, path: Path) -> None:
    """Write a workbook to fill in: a sheet for each table, with its columns and what they mean."""
    notes = ["Copy each sheet into a file of its own and fill it in."]
    with xlsxwriter.Workbook(str(path)) as book:
        bold = book.add_format({"bold": True})
        for table in family.tables:
            optional = ("cluster", "run", "model", "sheet")
            names = [name for name in table.role_names if name not in optional]
            sheet = book.add_worksheet(table.name)
            sheet.write_row(0, 0, names, bold)
            sheet.set_column(0, len(names) - 1, 24)
            sheet.freeze_panes(1, 0)
            for role in table.roles:
                need = "needed" if role.needed else "may be left out"
                notes.append(f"{table.name}: {role.name} ({need}): {', '.join(role.words)}")
        book.add_worksheet("how to use").write_column(0, 0, notes)


def commented_config(command: Command) -> str:
    """Return a section of scoresheet.toml in which every option is explained and none is set."""
    lines = [f"[{command.name}]", '# column = { role = "header" }']
    own = [field for field in fields(command.options) if field.metadata]
    options = [field for field in (*own, *fields(CommonOptions)) if field.name != "column"]
    named = groupby(options, lambda f: f.metadata.get("panel", f"Options of {command.name}"))
    for panel, group in named:
        lines += ["", f"# {panel}"]
        lines += [f"# {flag_of(field.name)}: {field.metadata['help']}" for field in group]
    return "\n".join(lines) + "\n"
