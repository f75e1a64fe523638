"""The page of the Python API, made from the docstrings of the public names; docs/generate.py writes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import scoresheet
import scoresheet.metrics
from scoresheet.cli.commands import all_commands

_INTRODUCTION: Final = """\
What the commands do, from Python: a data frame or a path in, the numbers of the command out. In a folder with the
sample `data/`,

```python
import pandas, scoresheet

outputs = {"permutation1": pandas.read_csv("data/baseline_mean/Model_B/permutation1.csv")}
print(scoresheet.score("sinfo", outputs, "data/reference_explanations").table.to_csv(index=False))
```

prints what `scoresheet sinfo data/baseline_mean/Model_B/permutation1.csv data/reference_explanations` writes into
`s_info_results.csv`, digit by digit. `outputs` may be one frame, models by name, or models of sheets by name; a frame
is read as its CSV would be. Options go by the names that the [command line](reference/cli.md) has, with underscores:
`score("sinfo", outputs, references, references_by="mean")`; one that names a table takes a frame too. What comes back
has the tables `.table`, `.units` and `.problems`, the `.signature`, and `.write(folder)` for the reports of the
command. `compare` holds models against each other on the units they share.

The measures and statistics themselves are functions of plain values: `from scoresheet import gini, paired_test`. What
is listed here is public, in `scoresheet` as in `scoresheet.metrics`; everything else may move. Nothing is imported
before it is used. Undefined is NaN. Whatever is random takes a `seed` and gives the same again."""

_STRATEGIES: Final = (
    "The strategies that `scoresheet disagree` makes judges of where none are named, each a `Strategy`: {names}."
)
_HEADING: Final = re.compile(r"^(\w[\w ]*)\n-{3,}\n", flags=re.MULTILINE)


class Entry(NamedTuple):
    """What a section says of one name: a parameter, a field, a result or an error."""

    name: str
    kind: str  # the type; '' where the name is one
    text: str


@dataclass(frozen=True)
class Docstring:
    """A docstring in numpydoc's form, taken apart."""

    sentence: str
    more: str
    sections: dict[str, str]

    @classmethod
    def of(cls, documented: object) -> Docstring:
        """Return what documents a function or a class."""
        begin, *rest = _HEADING.split(inspect.getdoc(documented) or "")
        sentence, _, more = begin.strip().partition("\n\n")
        return cls(_joined(sentence), more.strip(), dict(zip(rest[::2], rest[1::2], strict=True)))

    def entries(self, section: str) -> list[Entry]:
        """Return what a section explains, in its order."""
        lines = self.sections.get(section, "").rstrip().splitlines()
        starts = [place for place, line in enumerate(lines) if line and not line.startswith(" ")]
        found = []
        for start, end in pairwise([*starts, len(lines)]):
            name, _, kind = lines[start].partition(" : ")
            found.append(Entry(name, kind, _joined("\n".join(lines[start + 1 : end]))))
        return found

    def paragraphs(self, section: str) -> list[str]:
        """Return the paragraphs of a section that explains no names."""
        return [_joined(part) for part in self.sections.get(section, "").strip().split("\n\n") if part]


def api_page(notice: str) -> str:
    """Return the page of all public names, by family."""
    groups = _groups()
    anchors = _anchors(groups)
    contents = [
        f"- {title}: " + ", ".join(f"[`{name}`](#{anchors[name]})" for name in names) for title, names in groups.items()
    ]
    parts = ["# Python API", notice, _INTRODUCTION, "\n".join(contents)]
    for title, names in groups.items():
        parts.append(f"## {title}")
        if title in _families().values():
            page = title.removeprefix("Family ")
            parts.append(f"What is measured and where we differ is in [{page}]({page}.md).")
        for name in names:
            parts += _documented(name)
    return "\n\n".join(parts) + "\n"


def _groups() -> dict[str, list[str]]:
    """Return the public names under the headings of the page; what computes stands before what it returns."""
    titles = {"stats": "Statistics", "text": "Texts", **_families(), "problems": "Errors"}
    groups: dict[str, list[str]] = {"Scoring": sorted(scoresheet.__all__, key=["score", "Scores", "compare"].index)}
    for name in sorted(scoresheet.metrics.__all__, key=_functions_first):
        home = scoresheet.metrics._MODULES[name]
        title = next(title for start, title in titles.items() if f"{home}.".startswith(f"{start}."))
        groups.setdefault(title, []).append(name)
    return {title: groups[title] for title in ("Scoring", *titles.values()) if title in groups}


def _families() -> dict[str, str]:
    return {f"families.{command.name.replace('-', '_')}": f"Family {command.name}" for command in all_commands()}


def _functions_first(name: str) -> tuple[bool, str]:
    return not inspect.isfunction(getattr(scoresheet, name)), name


def _anchors(groups: dict[str, list[str]]) -> dict[str, str]:
    """Return where the headings of the names can be found: in lower case, equal ones numbered."""
    seen: dict[str, int] = {}
    anchors = {}
    for title, names in groups.items():
        for heading in (title, *names):
            slug = heading.lower().replace(" ", "-")
            number = seen[slug] = seen.get(slug, -1) + 1
            anchors[heading] = f"{slug}-{number}" if number else slug
    return anchors


def _documented(name: str) -> Iterator[str]:
    """Yield the parts of the page that document a name."""
    yield f"### `{name}`"
    found = getattr(scoresheet, name)
    if inspect.isfunction(found):
        yield from _function(name, found)
    elif inspect.isclass(found):
        yield from _class(name, found)
    else:
        yield _STRATEGIES.format(names=", ".join(f"`{each.name}`" for each in found))


def _function(name: str, function: Callable[..., object]) -> Iterator[str]:
    text = Docstring.of(function)
    yield _call(name, function)
    yield text.sentence
    if text.more:
        yield text.more
    yield _table("parameter", text.entries("Parameters"))
    yield from _listed(text, "Returns")
    yield from _listed(text, "Raises")
    yield from _example(text)
    yield from _read_on(text)


def _class(name: str, known: type) -> Iterator[str]:
    text = Docstring.of(known)
    fields = text.entries("Attributes")
    if is_dataclass(known) and not fields:
        yield _call(name, known)
    yield text.sentence
    if fields or text.entries("Parameters"):
        yield _table("field", fields or text.entries("Parameters"))
    yield from _example(text)
    for method, function in inspect.getmembers(known, inspect.isfunction):
        if not method.startswith("_") and "Parameters" in Docstring.of(function).sections:
            yield f"#### `{name}.{method}`"
            yield from _function(method, function)


def _call(name: str, called: Callable[..., object]) -> str:
    """Return how something is called: its parameters and their defaults; their types stand in the table."""
    signature = inspect.signature(called)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_plain(parameter.default))
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    return f"```text\n{name}{signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)}\n```"


class _Made(NamedTuple):
    """A default that is made anew for each call."""

    def __repr__(self) -> str:
        return "{}"


def _plain(default: object) -> object:
    return _Made() if "factory" in repr(default) else default


def _table(heading: str, entries: Sequence[Entry]) -> str:
    rows = [(heading, "type", "meaning"), ("---", "---", "---")]
    rows += [(_code(entry.name), entry.kind, entry.text) for entry in entries]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def _listed(text: Docstring, section: str) -> Iterator[str]:
    lines = []
    for name, kind, meaning in text.entries(section):
        lines.append(f"- {_code(name)} ({kind}): {meaning}" if kind else f"- `{name}`: {meaning}")
    if lines:
        yield f"{section}:\n\n" + "\n".join(lines)


def _example(text: Docstring) -> Iterator[str]:
    if "Examples" in text.sections:
        yield f"```pycon\n{text.sections['Examples'].strip()}\n```"


def _read_on(text: Docstring) -> Iterator[str]:
    for name, _, meaning in (Entry(*line.partition(" : ")) for line in text.paragraphs("See Also")):
        yield f"See also `{name}`: {meaning}"
    if references := text.paragraphs("References"):
        yield "References:\n\n" + "\n".join(f"- {reference}" for reference in references)


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))


def _joined(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines()).strip()
