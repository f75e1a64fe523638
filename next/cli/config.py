"""scoresheet.toml: defaults for commands run in its folder."""

import re
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from scoresheet.cli.input.grammar import nearest, usage
from scoresheet.cli.options import CommonOptions, flag_of, value_type
from scoresheet.cli.registry import family_entries, load_all, load_command
from scoresheet.metrics import Command

FILE = Path("scoresheet.toml")
JOB_KEYS = ["command", "outputs", "references"]  # of a job, next to options
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def read_config(command: Command, job: str = "", file: Path = FILE) -> dict[str, Any]:
    """Return the settings of a command: of [defaults], its own section and that of a job."""
    content, text = _content(file)
    hints = option_types(command.options)
    others = [name for other in load_all(load_command) for name in option_types(other.options)]
    sections = {
        "defaults": content.get("defaults", {}),
        command.name: content.get(command.name, {}),
        **({f"job.{job}": content["job"][job]} if job else {}),
    }
    # a default may be an option of another family
    more = {"defaults": others, f"job.{job}": JOB_KEYS}
    settings: dict[str, Any] = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise usage(f"{file}: {section} must be a section, not {values!r}")
        _check_names(values, [*hints, *more.get(section, ())], text, "key")
        for key in [key for key in values if key in hints]:
            settings[key.replace("-", "_")] = setting(values[key], hints[key], key, f"{file}: ")
        inputs = {name: values[name] for name in JOB_KEYS[1:] if name in values}
        settings |= {name: setting(path, str, name, f"{file}: ") for name, path in inputs.items()}
    return settings


def read_jobs(file: Path) -> dict[str, str]:
    """Return the command of each job of a file, in order; empty for one that names none of ours."""
    if not file.is_file():
        raise usage(f"there is no {file}", "`scoresheet init` writes one")
    jobs = _content(file)[0].get("job")
    if not isinstance(jobs, dict) or not all(isinstance(job, dict) for job in jobs.values()):
        raise usage(f"{file} has no job", "add a section such as [job.density]")
    return {name: str(job.get("command", "")) for name, job in jobs.items()}


def _content(file: Path) -> tuple[dict[str, Any], str]:
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise usage(f"{file}: {error}") from None
    _check_names(content, ["defaults", "job", *family_entries()], text, "section")
    return content, text


def option_types(options: type) -> dict[str, Any]:
    """Return the types of a family's options and of the common ones, by their names."""
    hints = {**get_type_hints(options), **get_type_hints(CommonOptions)}
    return {flag_of(name): hint for name, hint in hints.items()}


def _check_names(names: dict[str, Any], known: list[str], text: str, what: str) -> None:
    for name in names:
        if name not in known:
            found = re.search(rf"^\s*\[?\s*\"?{re.escape(name)}", text, re.MULTILINE)
            line = text.count("\n", 0, found.end()) + 1 if found else 1
            near = nearest(name, known)
            hint = f"the nearest {what} is {near}" if near else ""
            raise usage(f"{FILE} line {line}: {name} is not a known {what}", hint)


def setting(value: Any, hint: Any, key: str, place: str = "") -> Any:
    """Return a setting in the form that the command line would give it.

    `place` begins the message where its type is wrong.
    """
    if key == "column" and isinstance(value, dict):
        pairs = [(role, s if isinstance(s, list) else [s]) for role, s in value.items()]
        return [f"{role}={source}" for role, sources in pairs for source in sources]
    if get_origin(hint) is tuple:
        return [str(item) for item in (value if isinstance(value, list) else [value])]
    wanted = value_type(hint)
    if get_origin(hint) is Literal:
        fits, kind = value in get_args(hint), f"one of {', '.join(get_args(hint))}"
    else:
        fits = type(value) is wanted or (wanted is float and type(value) is int)
        kind = KINDS[wanted]
    if not fits:
        raise usage(f"{place}{key} must be {kind}, not {value!r}")
    return float(value) if wanted is float else value
