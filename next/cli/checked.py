"""What would be read as what: shown without scoring, and saved in scoresheet.toml."""

import json
import re
import tomllib

import pandas as pd

from scoresheet.cli.config import FILE
from scoresheet.cli.report.answers import count
from scoresheet.cli.report.tables import page_of
from scoresheet.cli.run.decide import mapping_lines, typed_columns
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.pipeline import inputs_read
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.tasks import tables_of


def check_outcome(request: Request, *, save: bool) -> RunOutcome:
    """Return what would be read: the mapping, the models with their rows, the problems."""
    with inputs_read(request) as run:
        family = run.family
    models = run.models.values()
    rows = [(model.name, len(model.parts), sum(p.rows for p in model.parts)) for model in models]
    frame = pd.DataFrame(rows, columns=[family.word.capitalize(), "Tables", "Rows"])
    if save:
        save_columns(family.name, typed_columns(run.files, optional=True))
    saved = (f"saved in {FILE}",) if save else ()
    skipped = any(problem.effect == "skipped" for problem in run.problems)
    return RunOutcome(
        Exit.PARTIAL if skipped else Exit.OK,
        "some input would be skipped" if skipped else "",
        mapping=mapping_lines(tables_of(run.files)),
        headline=page_of("Models", frame),
        problems=run.problems,
        ignored=run.ignored,
        status=(f"{count(len(models), family.word)}, nothing was scored", *saved),
    )


def save_columns(family: str, columns: dict[str, list[str]]) -> None:
    """Write the mapping of a family into scoresheet.toml and keep the rest of the file."""
    text = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""
    text += "" if text.endswith("\n") else "\n"
    pairs = [(role, s[0] if len(s) == 1 else s) for role, s in columns.items()]
    line = ", ".join(f"{_key(role)} = {_toml(sources)}" for role, sources in pairs)
    line = f"column = {{ {line} }}\n"
    section = re.search(rf"^\[{re.escape(family)}\].*\n((?:(?!\[).*\n)*)", text, re.MULTILINE)
    new = f"{text}\n[{family}]\n{line}".lstrip("\n")
    if section:
        kept = re.sub(r"^column\s*=.*\n", "", section[1], flags=re.MULTILINE)
        new = text[: section.start(1)] + line + kept + text[section.end(1) :]
    tomllib.loads(new)
    FILE.write_text(new, encoding="utf-8")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else _toml(key)


def _toml(value: str | list[str]) -> str:
    """Return texts as TOML writes them: as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
