"""Names that would like to be more than names: of models, sheets, keys, judges, options, streams, in every family.

They are data in every writer: no formula or link in a workbook, no formula in a CSV, no markup in Markdown, a picture
or the page for a browser, nothing that steers a terminal, and none of them ends a run.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.helpers.files import Formula, Rows, read_csv, write_book, write_bytes, write_csv
from tests.helpers.runs import called_in
from tests.helpers.tables import json_lines

FORMULA = "=cmd|'/C calc'!A0"
MARKUP = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(2)</script>"
LINK = "[see](https://example.com/x)"
STEERING = "\x1b[2Jred\x07"
NAMES = [
    *(FORMULA, "+1+1", "-2", "@sum", "[a]:*?/\\", "x" * 300, STEERING, "a\x00b", "tab\there", "line\nbreak"),
    *("a:b", "a_b", "A:B", "x.", "x", "CON", "'quoted'", "Summary", "Problems", "About", "Overall", "History"),
    *(MARKUP, SCRIPT, LINK, "*bold* _it_ `code` | cell", "https://example.com/y", "__proto__", "constructor", "&amp;"),
    *("", " ", "nan", "None", "#N/A", "_x0041_", "\u202eflip", "ﬁn", "Total", "{0} %s {name}"),
]
STEERS = set("\x1b\x07\x00\x9b")
GUARDED = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[-+]?(\d|\.\d|inf|nan)", re.IGNORECASE)


def texts_of(words: str) -> list[str]:
    """A text for each name, with the name in it."""
    return [f"{words} {name}" for name in NAMES]


def table(path: Path, head: tuple[str, ...], *columns: list[str]) -> None:
    """A file of JSON Lines, which can hold what no CSV can."""
    write_bytes(path, json_lines([head, *zip(*columns, strict=True)]).encode())


def spread(shift: int) -> list[str]:
    """The names, each beside another one."""
    return NAMES[shift:] + NAMES[:shift]


def few_models() -> list[str]:
    """A model for each row, of which there are few: each has reports of its own."""
    models = (FORMULA, MARKUP, STEERING, "[a]:*?/\\", "__proto__", "x" * 300, "Summary", "")
    return [models[place % len(models)] for place in range(len(NAMES))]


def sinfo(root: Path) -> list[str]:
    head = ("model", "Sheet", "Idiom", "Prediction")
    many = [each * 3 for each in (spread(1), spread(2))]
    models = [name for name in few_models()[:3] for _ in NAMES]
    table(root / "outs/all.jsonl", head, models, many[0], NAMES * 3, texts_of("to talk of") * 3)
    table(root / "outs/lone.jsonl", head[1:], many[1], NAMES * 3, texts_of("to say") * 3)
    table(root / "refs/all.jsonl", ("idiom", "explanation"), NAMES, texts_of("to talk or say"))
    return ["refs", "--by", "Sheet", "--keep", "Idiom"]


def entropy(root: Path) -> list[str]:
    table(
        root / "outs/all.jsonl",
        ("model", "Sheet", "id", "text"),
        few_models(),
        spread(1),
        spread(2),
        texts_of("red fox"),
    )
    table(root / "outs/lone.jsonl", ("Sheet", "id", "text"), NAMES, spread(3), texts_of("a red fox and a red hen and"))
    return []


def mode_collapse(root: Path) -> list[str]:
    levels, above = ["0"] * len(NAMES) + ["1"] * len(NAMES), [""] * len(NAMES) + spread(1)
    table(root / "outs/lone.jsonl", ("Sheet", "level", "parent", "choice"), spread(4) * 2, levels, above, NAMES * 2)
    table(
        root / "outs/all.jsonl", ("model", "level", "parent", "choice"), few_models() * 2, levels, above, spread(2) * 2
    )
    options = [name for name in NAMES if re.search(r"\w", name) and name not in ("A:B", "a_b", "x.", "'quoted'", "ﬁn")]
    table(root / "refs/all.jsonl", ("level", "option"), ["0"] * len(options) + ["1"] * len(options), options * 2)
    return ["refs"]


def diversity(root: Path) -> list[str]:
    ranks = [str(rank) for rank in range(1, 6)]
    rows = [
        (model, query, item, rank)
        for model in NAMES[:4]
        for query in NAMES
        for item, rank in zip(NAMES, ranks, strict=False)
    ]
    table(root / "outs/all.jsonl", ("model", "query", "item", "rank"), *map(list, zip(*rows, strict=True)))
    judged = [(query, topic, item) for query in NAMES for topic, item in zip(spread(3)[:5], NAMES, strict=False)]
    table(root / "refs/all.jsonl", ("query", "subtopic", "item"), *map(list, zip(*judged, strict=True)))
    return ["refs"]


def disagree(root: Path) -> list[str]:
    few = NAMES[:12]
    rows = [
        (item, judge, dimension, str((place * 7 + turn * 3) % 10 / 10))
        for place, item in enumerate(NAMES)
        for turn, judge in enumerate(few)
        for dimension in (FORMULA, MARKUP, "__proto__")
    ]
    table(root / "outs/lone.jsonl", ("item", "judge", "dimension", "score"), *map(list, zip(*rows, strict=True)))
    wide = [name for name in NAMES if name.strip() and "\n" not in name and "\x00" not in name and name != "Total"]
    lines = [(f"i{place}", *(str((place + turn) % 10 / 10) for turn, _ in enumerate(wide))) for place in range(6)]
    write_csv(root / f"outs/{MARKUP.replace('/', '')}.csv", [("item", *wide), *lines])
    return []


def collective(root: Path) -> list[str]:
    streams = [name for name in NAMES if name.strip() and "\x00" not in name and name not in ("A:B", "Total")]
    some = streams[:14]
    classes = [FORMULA, MARKUP, "__proto__", STEERING]
    samples = [name for name in NAMES if name.strip() and "\x00" not in name]
    votes = [
        (
            sample,
            classes[place % 4],
            condition,
            *(classes[(place + place // (turn + 2)) % 4] for turn, _ in enumerate(some)),
        )
        for condition in ("clean", SCRIPT, "=1+1")
        for place, sample in enumerate(samples)
    ]
    sheets: Mapping[str, Rows] = {
        "predictions": [("sample", "label", "condition", *some), *votes],
        "routing": [("sample", *some), *((sample, *[1 / len(some)] * len(some)) for sample in samples[:5])],
        "anchors": [("stream", *streams[14:20]), *((name, *range(1, 7)) for name in some)],
        "fingerprints": [("stream", "a", LINK, "c"), *((name, turn, 2, 3 - turn) for turn, name in enumerate(some))],
        "history": [
            ("epoch", "loss", *[f"accuracy {name}" for name in some]),
            *((e, 1 / e, *[0.5] * 14) for e in (1, 2, 3)),
        ],
        "parameters": [("name", "value"), ("params_m", 3), ("dataset", FORMULA), (MARKUP, SCRIPT)],
        "targets": [("dataset", "accuracy"), (FORMULA, 0.9)],
        FORMULA.replace("/", ""): [("remark",), (MARKUP,)],
    }
    for system in ("=cmd", MARKUP.replace("/", ""), "__proto__", "x" * 120, "a:b", "\x1b[2J"):
        for sheet, rows in sheets.items():
            write_csv(root / "outs" / system / f"{sheet}.csv", rows)
    return []


FAMILIES: dict[str, Callable[[Path], list[str]]] = {
    "sinfo": sinfo,
    "mode-collapse": mode_collapse,
    "diversity": diversity,
    "disagree": disagree,
    "entropy": entropy,
    "collective": collective,
}


@pytest.mark.parametrize("command", FAMILIES)
def test_names_are_data_in_every_writer(command: str, tmp_path: Path) -> None:
    words = FAMILIES[command](tmp_path)
    run = called_in(tmp_path)
    ended = run(command, "outs", *words, "-o", "res", "--tables", "-v")
    assert ended.code in (0, 3), ended.err[-3000:]
    assert "Traceback" not in ended.err
    assert not set(ended.out + ended.err) & STEERS
    page = run("report", "res", "-o", "page.html")
    assert page.code == 0, page.err
    for other in (("--json",), ("--format", "markdown"), ("--format", "latex"), ("--format", "csv")):
        again = run(command, "outs", *words, "-o", "res", *other)
        assert again.code == ended.code
        assert not set(again.out) & STEERS
    found = dict.fromkeys(CHECKS, 0)
    for path in sorted(tmp_path.rglob("*")):
        if (
            path.is_file()
            and (path.is_relative_to(tmp_path / "res") or path.suffix == ".html")
            and path.suffix in CHECKS
        ):
            CHECKS[path.suffix](path)
            found[path.suffix] += 1
    assert found[".xlsx"] > 1
    assert found[".csv"] > 3
    assert found[".html"] == 1
    assert (found[".md"] > 1 and found[".svg"] > 1) == (command == "collective")
    assert {line["Status"] for path in (tmp_path / "res").glob("*_results.csv") for line in read_csv(path)} & {
        "ok",
        "partial",
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.csv", "Judge,=1+1\na,1\n"),
        ("m.csv", "Judge,b\n@sum,1\n"),
        ("m.json", "{"),
        ("m.svg", "<svg><script/></svg>"),
        ("m.svg", "<svg><g onload='x'/></svg>"),
        ("m.md", f"| {MARKUP} |"),
        ("m.md", LINK),
        ("m.md", STEERING),
        ("m.html", SCRIPT),
    ],
)
def test_what_is_no_mere_text_would_be_seen(name: str, content: str, tmp_path: Path) -> None:
    path = write_bytes(tmp_path / name, content.encode())
    with pytest.raises((AssertionError, ValueError)):
        CHECKS[path.suffix](path)


def test_a_formula_in_a_workbook_would_be_seen(tmp_path: Path) -> None:
    path = write_book(tmp_path / "m.xlsx", {"p": [(Formula("=1+1", 2),)]})
    with pytest.raises(AssertionError):
        check_workbook(path)


def check_workbook(path: Path) -> None:
    """No formula, no error cell, and no link but to the sheets of the workbook and to its siblings."""
    with zipfile.ZipFile(path) as book:
        for name in book.namelist():
            content = book.read(name)
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                assert not re.search(rb"<f[ >]|t=\"e\"", content), (path.name, name)
            if name.endswith(".rels") and b"External" in content:
                targets = re.findall(rb'Target="([^"]*)" TargetMode="External"', content)
                assert all(b":" not in target and b".." not in target for target in targets), (path.name, targets)
            if name.endswith((".xml", ".rels")):
                ElementTree.fromstring(content)


def check_csv(path: Path) -> None:
    """No cell that a spreadsheet would take for a formula."""
    lines = read_csv(path)
    for cell in [
        *(cell for line in lines for cell in line.values() if isinstance(cell, str)),
        *(lines[0] if lines else ()),
    ]:
        assert not GUARDED.match(cell) or NUMBER.match(cell), (path.name, cell)


def check_json(path: Path) -> None:
    json.loads(path.read_bytes())


def check_picture(path: Path) -> None:
    """Texts, and nothing that acts."""
    for element in ElementTree.fromstring(path.read_bytes()).iter():
        assert element.tag.rpartition("}")[2] not in ("script", "image", "a", "foreignObject"), path.name
        assert not [name for name in element.attrib if name.startswith("on") or name.endswith("href")], path.name


def check_markdown(path: Path) -> None:
    """No tag, no link, and no bare address."""
    text = path.read_text("utf-8")
    assert not re.search(r"(?<!\\)<(img|/?script)", text), path.name
    assert not re.search(r"(?<!\\)\]\(http", text), path.name
    assert "https://example" not in text, path.name
    assert not set(text) & STEERS, path.name


def check_page(path: Path) -> None:
    html = path.read_text("utf-8")
    assert MARKUP not in html
    assert SCRIPT not in html


CHECKS: dict[str, Callable[[Path], None]] = {
    ".xlsx": check_workbook,
    ".csv": check_csv,
    ".json": check_json,
    ".svg": check_picture,
    ".md": check_markdown,
    ".html": check_page,
}
