"""scoresheet.toml: defaults for commands run in its folder."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from scoresheet.cli.input.grammar import nearest, usage
from scoresheet.cli.options import PANELS, flag_of
from scoresheet.cli.registry import family_entries, load_command
from scoresheet.metrics.command import Command

FILE = Path("scoresheet.toml")


def read_config(command: Command, file: Path = FILE) -> dict[str, Any]:
    """Return the settings of a command: those of [defaults], then those of its own section."""
    if not file.is_file():
        return {}
    text = file.read_text(encoding="utf-8")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise usage(f"{file}: {error}") from None
    sections = ["defaults", "job", *family_entries()]
    for name in content:
        _check_name(name, sections, text, file, "section")
    settings: dict[str, Any] = {}
    for section in ("defaults", command.name):
        settings |= _section(content.get(section, {}), command, section, text, file)
    return settings


def _section(
    values: dict[str, Any], command: Command, section: str, text: str, file: Path
) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    everywhere: dict[str, Any] = {}
    for options in (*(options for _, options in PANELS), command.options):
        hints |= {flag_of(f.name): get_type_hints(options)[f.name] for f in fields(options)}
    if section == "defaults":
        # a default may be an option of another family
        for name in family_entries():
            everywhere |= get_type_hints(load_command(name).options)
    settings = {}
    for key, value in values.items():
        known = [*hints, *map(flag_of, everywhere)]
        _check_name(key, known, text, file, "key")
        if key in hints:
            settings[key.replace("-", "_")] = _value(value, hints[key], key, file)
    return settings


def _check_name(name: str, known: list[str], text: str, file: Path, what: str) -> None:
    if name in known:
        return
    found = re.search(rf"^\s*\[?\s*\"?{re.escape(name)}", text, re.MULTILINE)
    line = text.count("\n", 0, found.end()) + 1 if found else 1
    near = nearest(name, known)
    hint = f"the nearest {what} is {near}" if near else ""
    raise usage(f"{file} line {line}: {name} is not a known {what}", hint)


def _value(value: Any, hint: Any, key: str, file: Path) -> Any:
    """Return a setting in the form that the command line would give it."""
    if key == "column" and isinstance(value, dict):
        pairs = [(role, s if isinstance(s, list) else [s]) for role, s in value.items()]
        return [f"{role}={source}" for role, sources in pairs for source in sources]
    if get_origin(hint) is tuple:
        items = value if isinstance(value, list) else [value]
        return [str(item) for item in items]
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise usage(f"{file}: {key} is one of {', '.join(get_args(hint))}, not {value!r}")
        return value
    wanted = hint if isinstance(hint, type) else int
    number = wanted is float and isinstance(value, int) and not isinstance(value, bool)
    if not (number or type(value) is wanted):
        raise usage(f"{file}: {key} must be {_kind(wanted)}, not {value!r}")
    return float(value) if number else value


def _kind(wanted: type) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(wanted, "a text")


def save_columns(family: str, columns: dict[str, list[str]], file: Path = FILE) -> None:
    """Write the mapping of a family into scoresheet.toml and keep the rest of the file."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    pairs = ", ".join(f"{_toml_key(role)} = {_toml_list(s)}" for role, s in columns.items())
    line = f"column = {{ {pairs} }}"
    section = re.search(rf"^\[{re.escape(family)}\][^\n]*\n", text, re.MULTILINE)
    if not section:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text}{gap}[{family}]\n{line}\n"
    else:
        rest = text[section.end() :]
        end = re.search(r"^\[", rest, re.MULTILINE)
        body, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
        body = re.sub(r"^column\s*=[^\n]*(?:\n|\Z)", "", body, flags=re.MULTILINE)
        new = f"{text[: section.end()]}{line}\n{body}{tail}"
    tomllib.loads(new)
    file.write_text(new, encoding="utf-8")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else _toml_text(key)


def _toml_list(texts: list[str]) -> str:
    quoted = [_toml_text(text) for text in texts]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


def _toml_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
