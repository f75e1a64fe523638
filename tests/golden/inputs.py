"""Small inputs with everything wrong that can be: what the sample data is too well kept to show."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

from tests.helpers.files import Formula, Rows, write_book, write_bytes, write_csv

if TYPE_CHECKING:
    from pathlib import Path

ERROR = Formula("=1/0", "#DIV/0!")
UNCALCULATED = Formula("=A1&A2")
LONG_NAME = "a question with a name that no worksheet can have"


def book(path: Path, sheets: Mapping[str, Rows]) -> None:
    """Write a workbook; its sheet `hidden`, if it has one, is hidden.

    It is not compressed: reports name its SHA-256, and what zlib packs differs from one zlib to another.
    """
    write_book(path, sheets)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    workbook = "xl/workbook.xml"
    parts[workbook] = parts[workbook].replace(b'name="hidden"', b'name="hidden" state="hidden"')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as plain:
        for name, content in parts.items():
            plain.writestr(zipfile.ZipInfo(name), content)


def broken(outs: Path, head: tuple[str, ...]) -> None:
    """Write files that no command can read, each in its own way."""
    write_bytes(outs / "bad_book.xlsx", b"not a workbook")
    write_bytes(outs / "bad_quotes.csv", f'{",".join(head)}\n"a,b\n'.encode())
    write_bytes(outs / "bad_fields.csv", f"{','.join(head)}\n{','.join('x' * (len(head) + 2))}\n".encode())
    write_bytes(outs / "bad_lines.jsonl", b'{"a": 1}\n{\n')
    write_bytes(outs / "bad_old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and nothing more")
    write_bytes(outs / "empty.csv", b"")
    write_bytes(outs / "latin.csv", f"{','.join(head)}\n{','.join(['café'] * len(head))}\n".encode("latin-1"))
    write_bytes(outs / "notes.txt", b"no table")
    write_csv(outs / "duplicate.csv", [(*head, head[-1]), (*head, "z")])
    book(outs / "sheetless.xlsx", {"hidden": [head, head], "blank": [], "gap": [(None, None), head]})
    write_bytes(outs / "trailing.csv", f"{','.join(head)}\n{','.join('1' for _ in head)},,\n".encode())
    write_csv(outs / "no_columns.csv", [("this", "that"), ("1", "2")])
    write_csv(outs / "no_rows.csv", [head])
    write_csv(outs / "same.csv", [head])
    write_csv(outs / "SAME.tsv", [head], sep="\t")
    (outs / "empty_folder").mkdir()


def sinfo(root: Path) -> None:
    """Write answers and references for `sinfo`."""
    head = ("Idiom", "Prediction")
    outs, refs = root / "outs", root / "refs"
    write_csv(
        refs / "all.csv",
        [
            ("idiom", "explanation", "language"),
            ("break the ice", "to begin to talk with people one does not know yet", "en"),
            ("break the ice", "to start a conversation||to make strangers feel at ease", "en"),
            ("once in a blue moon", "very rarely", ""),
            ("spill the beans", "to tell a secret", "en"),
            ("spill the beans", "ein Geheimnis verraten", "de"),
            ("画蛇添足", "做多余的事反而坏事", "zh"),
            ("画蛇添足", "to ruin something by adding what is not needed", "en"),
            ("", "a meaning of nothing", "en"),
            ("no meaning", "", "en"),
            ("wordless", "...", "en"),
            ("-5 below", "=1+1 is two", "en"),
            ("unasked", "nobody asks for it", "en"),
        ],
    )
    book(
        refs / "more.xlsx",
        {
            "good": [("Phrase", "Meaning"), ("猿も木から落ちる", "名人でも失敗することがある"), (12, "a dozen")],
            "errors": [("idiom", "explanation"), ("by error", ERROR), ("", "x")],
            "blank": [],
            "Notes": [("who", "when"), ("me", "now")],
        },
    )
    write_csv(refs / "nothing.csv", [("idiom", "explanation")])
    rows = [
        ("break the ice", "to start to talk with people nobody knows"),
        ("Break the Ice", "to start to talk"),
        ("once in a blue moon", "very rarely"),
        ("", "an answer to nothing"),
        ("spill the beans", ""),
        ("spill the beans", " ... "),
        ("no such idiom", "who knows"),
        ("no meaning", "nothing at all"),
        ("wordless", "a word"),
        ("画蛇添足", "做了多余的事，反而坏了事"),
        ("画蛇添足", "to ruin something by adding to it"),
        ("猿も木から落ちる", "名人も失敗する"),
        ("12", "=SUM(A1:A9) a dozen"),
        ("-5 below", '=HYPERLINK("x")'),
        ("break the ice", "bell \x07 and _x0041_ and <b>&amp;</b>\nsecond line"),
        ("spill the beans", "tell " * 7000),
    ]
    write_csv(outs / "plain.csv", [head, *rows])
    write_csv(outs / "100% #1 plain.csv", [head, *rows[:3]])
    write_csv(outs / "=cmd.csv", [("", *head, "Comment"), *(("x", *row, "") for row in rows[2:6]), ("", "short")])
    sheets = ("Summary", "Problems", "a/b: [c]?", LONG_NAME, f"{LONG_NAME}, too", "About", "ABOUT")
    write_csv(outs / "sheets.csv", [("Sheet", *head), *((sheet, *row) for sheet, row in product(sheets, rows[:3]))])
    book(
        outs / "book.xlsx",
        {
            "one": [head, *rows[:4], ("spill the beans", Formula("=A1", "to tell a secret"))],
            "two": [head, ("break the ice", ERROR), (ERROR, "very rarely"), (12, 12.5), (True, False)],
            "blank": [],
            "header": [head],
            "notes": [("About this file",), ("it is mine",)],
            "formulas": [head, ("break the ice", UNCALCULATED)],
            "unknown": [head, ("x", "y"), ("z", "")],
        },
    )
    write_csv(outs / "folder" / "first.csv", [head, *rows[:3]])
    write_csv(outs / "folder" / "second.tsv", [("Sheet", *head), ("p", *rows[0]), ("q", *rows[2])], sep="\t")
    write_csv(outs / "folder" / "below" / "third.csv", [head])
    write_csv(outs / "two_answers.csv", [("Idiom", "Response", "Answer"), ("a", "b", "c")])
    write_csv(outs / "unscored.csv", [head, ("x", "y"), ("break the ice", "")])
    write_bytes(outs / "lines.jsonl", b'{"Idiom": "break the ice", "Prediction": "start to talk"}\n\n')
    write_bytes(outs / "sixteen.csv", "Idiom;Prediction;\nspill the beans;tell;\n".encode("utf-16"))
    broken(outs, head)


def _choices(rows: Mapping[tuple[int, str, str], int]) -> list[tuple[object, ...]]:
    return [(*row, count) for row, count in rows.items()]


def mode_collapse(root: Path) -> None:
    """Write choices of three levels, a table of options, and tables of shares for `mode-collapse`."""
    outs = root / "outs"
    countries, food = ("Japan", "Peru", "Iceland"), ("ramen", "sushi", "tempura")
    options: list[tuple[object, ...]] = [
        ("level", "parent", "option", "aliases", "question"),
        *((0, "", name, alias, "") for name, alias in zip(countries, ("Nippon|日本", "Perú", ""), strict=True)),
        *((1, "Japan", name, "", "") for name in food),
        *((1, "Peru", name, "", "") for name in ("ruins", "ceviche")),
        (1, "Iceland", "geyser", "", ""),
        *((2, "Japan → ramen", name, "", "") for name in ("Tokyo", "Sapporo", "C++", "C#")),
        *((0, "", name, "", "drinks") for name in ("tea", "coffee", "a")),
    ]
    write_csv(root / "options.csv", options)
    bad = [("x", "", "Japan", "", ""), (0, "", "", "", ""), (-1, "", "Japan", "", ""), (1, "Chile", "wine", "", "")]
    bad += [(0, "Peru", "Cuba", "", ""), (2, "Japan", "Kyoto", "", "")]
    write_csv(root / "bad_options.csv", [*options, *bad])
    write_csv(root / "clash.csv", [*options, (0, "", "the japan!", "", "")])
    book(
        root / "questions.xlsx",
        {
            "trip": [("level", "parent", "option"), *((0, "", name) for name in countries)],
            "drinks": [("Tree Level", "Category"), *((0, name) for name in ("tea", "coffee", "water"))],
        },
    )
    write_csv(
        root / "target.csv",
        [("level", "parent", "option", "share"), (0, "", "Japan", 3), (0, "", "Peru", 1), (1, "Japan", "ramen", 0.5)],
    )
    wrong: dict[str, list[tuple[object, ...]]] = {
        "share": [(0, "", "Japan", "much")],
        "level": [("x", "", "Japan", 1)],
        "parent": [(1, "Chile", "ramen", 1)],
        "path": [(2, "Japan", "Tokyo", 1)],
        "option": [(0, "", "Chile", 1)],
        "twice": [(0, "", "Japan", 1), (0, "", "the Japan", 2)],
        "nothing": [(0, "", "Japan", 0)],
    }
    for name, shares in wrong.items():
        write_csv(root / "targets" / f"{name}.csv", [("level", "parent", "option", "share"), *shares])
    told = ("level", "parent", "response", "corrected_category", "is_flagged")
    texts = [
        *(("0", "", text, "", "") for text in ("Japan", "b) Japan.", "Nippon!", "日本に行きたい", "Perú", "Icelnad")),
        *(("0", "", text, "", "") for text in ("", "incomplete", "Japan or Peru", "Chile", "=Japan", "-1")),
        ("0", "", "nowhere", "Peru", "yes"),
        ("0", "", "Japan", "Peru", "no"),
        ("0", "", "Japan", "Peru", "perhaps"),
        ("0", "", "Japan", "incomplete", "1"),
        ("zero", "", "Japan", "", ""),
        ("7", "Japan", "Japan", "", ""),
        ("", "", "Japan", "", ""),
        ("1", "Japn", "ramen", "", ""),
        ("1", "Chile", "ramen", "", ""),
        ("1", "Nippon", "I would have the ramen", "", ""),
        ("1", "Japan", "sushi", "", ""),
        ("1", "Iceland", "geyser", "", ""),
        ("2", "Japan/ramen", "in Tokyo", "", ""),
        ("2", "Japan → ramen", "C++", "", ""),
        ("2", "Japan", "Sapporo", "", ""),
        ("2", "Peru → ruins", "Tokyo", "", ""),
    ]
    write_csv(outs / "free.csv", [told, *texts])
    tree = {(0, "", name): count for name, count in zip(countries, (40, 3, 1), strict=True)}
    tree |= {(1, "Japan", name): count for name, count in zip(food, (9, 8, 9), strict=True)}
    tree |= {(1, "Peru", "ruins"): 6, (2, "Japan → ramen", "Tokyo"): 12, (2, "Japan → ramen", "Sapporo"): 1}
    head = ("level", "parent", "choice", "count")
    write_csv(outs / "deep.csv", [head, *_choices(tree)])
    even = dict.fromkeys(tree, 8)
    bad_counts = [(0, "", "Japan", "many"), (0, "", "Japan", -1), (0, "", "Japan", 1.5), (0, "", "Peru", "")]
    drinks = [(0, "", "tea", 5), (0, "", "Coffee", 5), (0, "", "a", 1), (0, "", "water", 2)]
    book(
        outs / "book.xlsx",
        {
            "trip": [head, *_choices(even), *bad_counts, (0, "", ERROR, 1), (ERROR, "", "Japan", 1)],
            "drinks": [head, *drinks],
            "drink": [head, *drinks[:2]],
            "few": [head, (0, "", "Japan", 2), (0, "", "Peru", 1)],
            "blank": [],
            "header": [head],
            "notes": [("hello",), ("world",)],
        },
    )
    named = [("trip", *row) for row in _choices(tree)] + [("drinks", *row) for row in drinks]
    write_csv(outs / "sheets.csv", [("Sheet", *head), *named])
    write_csv(outs / "no_root.csv", [head, (1, "Japan", "ramen", 9), (1, "Japan", "sushi", 1)])
    write_csv(outs / "unscored.csv", [head, (0, "", "", 3), (0, "", "Atlantis", 1)])
    write_csv(outs / "no_choice.csv", [("level", "parent"), (0, "")])
    for sheet, count in (("trip", 3), ("drinks", 30)):
        write_csv(outs / "folder" / f"{sheet}.csv", [head[::2], (0, "Japan"), *[(0, "Peru")] * count, (0, "tea")])
    broken(outs, ("level", "choice"))


def diversity(root: Path) -> None:
    """Write rankings with judgments beside them, references that differ, and tables for `diversity`."""
    outs = root / "outs"
    head = ("query", "item", "rank", "subtopics", "relevance", "text")
    rows: list[tuple[object, ...]] = [
        ("jaguar", "cat-1", 1, "cat", 3, "a big cat hunts at night"),
        ("jaguar", "cat-2", 2, "cat|team", 1, "a big cat swims"),
        ("jaguar", "car-1", 3, "car", 2, "a fast car"),
        ("jaguar", "car-1", 4, "car", 2, "a fast car"),
        ("jaguar", "none", 5, "", "", "a recipe for soup"),
        ("jaguar", "spam", 6, "cat", -2, ""),
        ("mars", "planet-1", 1, "planet", 1, "a red planet"),
        ("mars", "bar-1", 2, "bar", "", "=a bar"),
        ("mars", "god-1", 3, "god", "very", "a god of war"),
        ("mars", "god-2", "third", "god", 1, "a god"),
        ("mars", "", 5, "god", 1, "nothing"),
        ("", "god-3", 6, "god", 1, "nothing"),
        ("empty", "x", 1, "", "", "x"),
        ("empty", "y", 2, "", 0, "y"),
    ]
    write_csv(outs / "inline.csv", [head, *rows])
    scored = [("jaguar", "cat-1", 1, 0.5), ("jaguar", "car-1", 2, 0.9), ("mars", "bar-1", 1, 0.1)]
    book(
        outs / "book.xlsx",
        {
            "first": [head, *rows[:9], ("Jaguar", "cat-1", 1, "cat", 1, "x"), ("jaguar", ERROR, 9, "", "", "")],
            "second": [("query", "item", "rank", "score"), *scored],
            "third": [("qid", "doc", "score"), ("jaguar", "car-1", 2), ("jaguar", "cat-2", 2), ("mars", "bar-1", "x")],
            "blank": [],
            "header": [head],
            "notes": [("hello",), ("world",)],
        },
    )
    write_csv(outs / "sheets.csv", [("Sheet", *head), *(("a" if i % 2 else "b", *row) for i, row in enumerate(rows))])
    run = "jaguar Q0 car-1 1 3.5 sys\njaguar Q0 cat-1 2 3.5 sys\nmars Q0 planet-1 1 1e3 sys\npluto Q0 dog 1 1 sys\n"
    write_bytes(outs / "trec.run", run.encode())
    write_bytes(outs / "bad.run", b"jaguar Q0 car-1\n")
    write_csv(outs / "large.csv", [head, ("jaguar", "cat-1", 1, "cat", 99, "")])
    write_csv(outs / "no_order.csv", [("query", "item"), ("jaguar", "cat-1"), ("jaguar", "car-1")])
    write_csv(outs / "strangers.csv", [head[:3], ("venus", "x", 1)])
    broken(outs, ("query", "item", "rank"))
    judged = ("query", "subtopic", "item", "relevance")
    write_csv(
        root / "refs" / "judgments.csv",
        [
            judged,
            *(("jaguar", subtopic, f"{subtopic}-{i}", i) for subtopic in ("cat", "car", "team") for i in range(4)),
            ("jaguar", "cat", "cat-1", 2),
            ("mars", "planet", "planet-1", ""),
            ("mars", "bar", "bar-1", "high"),
            ("mars", "", "bar-1", 1),
            ("mars", "bar", "", 1),
            ("", "bar", "bar-2", 1),
            ("mars", "bar", "bar-2", -1),
            ("mars", "bar", "bar-3", 4),
            ("unasked", "a", "b", 1),
        ],
    )
    write_csv(root / "refs" / "large.csv", [judged, ("mars", "god", "god-1", 99)])
    write_bytes(root / "refs" / "more.qrels", b"mars god god-2 1\npluto dog dog 1\n")
    write_bytes(root / "refs" / "bad.qrels", b"mars god\n")
    weights = [("jaguar", "cat", 3), ("jaguar", "car", 1), ("mars", "moon", 0.5), ("venus", "x", 1)]
    write_csv(root / "intents.csv", [("query", "subtopic", "weight"), *weights])
    write_csv(root / "targets.csv", [("query", "subtopic", "share"), *weights])
    write_csv(root / "bad_weights.csv", [("query", "subtopic", "weight"), *weights, ("mars", "god", "x")])
    features = [("cat-1", "a cat", 1, 0), ("cat-2", "", 0.9, 0.1), ("car-1", "a car", "x", 1), ("CAR-2", "b", 0, 1)]
    write_csv(root / "features.csv", [("item", "text", "nature", "speed"), *features, ("", "n", 1, 1), *features[:1]])
    write_csv(root / "texts.csv", [("item", "text"), *(row[:2] for row in features)])


def disagree(root: Path) -> None:
    """Write judgements in all forms for `disagree`, on a scale from 1 to 5 and as labels."""
    outs = root / "outs"
    head = ("item", "judge", "dimension", "score", "confidence", "cultural_relevance")
    judges, dimensions = ("ann", "bob", "cleo", "dan", "eve", "=fay"), ("style", "truth")
    long: list[tuple[object, ...]] = []
    for (i, item), (j, judge), (d, dimension) in product(
        enumerate(("q1", "q2", "q3", "q10", "Total")), enumerate(judges), enumerate(dimensions)
    ):
        score: object = 1 + (i * 7 + d * 3 + (4 if (i, j) == (1, 3) else 0) + j % 2) % 5
        score = {(0, 0, 0): "", (1, 1, 0): "Tie", (2, 2, 1): "50%", (3, 3, 0): 9, (4, 4, 1): -3}.get((i, j, d), score)
        sure: object = {(0, 1): "sure", (1, 0): -1, (2, 3): "", (3, 1): "80%", (4, 5): 0}.get((i, j), 0.5 + i / 10)
        long.append((item, judge, dimension, score, sure, 1 if d else 0.5))
    long += [("", "ann", "style", 3, 1, 1), ("q11", "", "style", 3, 1, 1), ("q12", "ann", "", 3, 1, 1)]
    write_csv(outs / "long.csv", [head, *long])
    wide_head = ("item", "No", "ann", "bob", "cleo", "Mean", "Comment", "Half", "Words")
    wide: list[tuple[object, ...]] = [
        ("q1", 1, 5, 4, 5, 4.7, "fine", 3, "a"),
        ("q2", 2, 1, 1, 1, 1, "bad", "x", "b"),
        ("q3", 3, 2, "", 4, 3, "", "y", "c"),
        ("q4", 4, 5, 1, "", 3, "", "", ""),
        ("q5", 5, "", "", "", "", "", "", ""),
        ("q6", 6, 3, "", "", 3, "", "", ""),
        ("q7", 7, 2, 2, 5, 3, "", "", ""),
    ]
    by_judge = ("item", "judge", "style", "truth", "confidence")
    rows = [("q1", "ann", 5, 4, 1), ("q1", "bob", 4, 4, 0.5), ("q2", "ann", 1, "", 0), ("q2", "bob", 2, 2, 1)]
    book(
        outs / "book.xlsx",
        {
            "wide": [wide_head, *wide],
            "by judge": [by_judge, *rows, ("q3", "ann", ERROR, 1, 1), (ERROR, "bob", 1, 1, 1), ("q4", "bob", 3, 3, 1)],
            "alike": [wide_head[:4], *((f"q{i}", i, 3, 3) for i in range(3))],
            "one": [("item", "judge", "score"), ("q1", "ann", 3), ("q2", "ann", 4)],
            "texts": [("item", "words"), ("q1", "good"), ("q2", "bad")],
            "blank": [],
            "header": [head],
        },
    )
    write_csv(outs / "sheets.csv", [("Sheet", *by_judge), *(("r1", *row) for row in rows), ("r2", *rows[0])])
    write_csv(outs / "twice.csv", [head[:4], ("q1", "ann", "style", 3), ("q1", "ann", "style", 4)])
    write_csv(outs / "lowest.csv", [wide_head[:1] + judges[:3], ("q1", 1, 1, 1), ("q2", 1, 1, 1)])
    write_csv(outs / "folder" / "first.csv", [wide_head, *wide])
    write_csv(outs / "folder" / "second.csv", [by_judge, *rows])
    broken(outs, ("item", "judge", "score"))
    crowd = [f"judge_{i}" for i in range(14)]
    many = [(f"q{i}", *(1 + (i * k + k // 3) % 5 for k in range(14))) for i in range(9)]
    write_csv(root / "crowds" / "crowd.csv", [("item", *crowd), *many])
    write_csv(
        root / "crowds" / "hundreds.csv",
        [("item", *(f"j{i}" for i in range(150))), *((q, *[q, 1, 5] * 50) for q in (2, 3))],
    )
    labels = root / "labels"
    verdicts = ("Win", "Tie", "Loss", "win", "")
    named = [(f"q{i}", *(verdicts[(i * k) % 5 if k else i % 3] for k in range(4))) for i in range(8)]
    write_csv(labels / "wide.csv", [("item", *judges[:4]), *named])
    write_csv(
        labels / "long.csv",
        [
            head[:4],
            *((item, judge, "style", label) for item, *row in named for judge, label in zip("abcd", row, strict=True)),
        ],
    )
    write_csv(labels / "same.csv", [("item", *judges[:2]), ("q1", "yes", "yes"), ("q2", "yes", "yes")])
    one = [
        ("q1", "style", 0.5, 0.9, 1),
        ("q1", "truth", 0.7, "x", 0.4),
        ("q2", "style", 2, 0.1, 1),
        ("q2", "", 1, 1, 1),
    ]
    write_csv(root / "one" / "one.csv", [("item", "dimension", "score", "confidence", "relevance"), *one])
    write_csv(root / "one" / "wide.csv", [("item", "style", "truth"), ("q1", 0.2, 0.4), ("q2", 1, "")])
    write_csv(root / "one" / "several.csv", [head[:4], ("q1", "ann", "style", 1), ("q1", "bob", "style", 0)])
    strategies = [("mild", 0.6, 0.4, 0.4, ""), ("hard", 0.4, 0.8, -0.4, 0.3)]
    write_csv(root / "strategies.csv", [("strategy", "emphasis", "threshold", "bias", "style"), *strategies])
    write_csv(root / "bad_strategies.csv", [("strategy", "emphasis", "threshold", "bias"), ("mild", 7, "x", 0)])


def entropy(root: Path) -> None:
    """Write texts for `entropy`: of all lengths and scripts, empty, looping, and not texts at all."""
    outs = root / "outs"
    head = ("id", "text")
    loop = "It is important to note that this is so. " * 40
    texts = [
        "The sea is salty because rivers carry salt into it. The water leaves. The salt stays!",
        "",
        " ... ",
        "word",
        "two words",
        "海水为什么是咸的？因为河流把盐带进海里。盐留在海里。",
        "なぜ空は青いのですか。光が散乱するからです。",
        "하늘은 왜 푸른가? 빛이 흩어지기 때문이다.",
        "🙂 🙂 🙂",
        "=SUM(A1) -1 +2 @x",
        f"A sensible start, and then. {loop}",
        "\x07 bell, _x0041_ & <tags>\nand lines\twith tabs",
        "one two three four five six seven eight nine ten " * 9,
        "The sea is salty because rivers carry salt into it. The water leaves. The salt stays!",
        "a b c d e f g",
        "x" * 40000,
    ]
    rows = [(f"p{i}", text) for i, text in enumerate(texts)]
    write_csv(outs / "many.csv", [head, *rows, ("p1", "the same name again"), ("", "no name at all")])
    write_csv(outs / "bare.csv", [("Response",), *((text,) for text in texts[:4])])
    write_csv(outs / "one.csv", [head, rows[0]])
    write_csv(outs / "unscored.csv", [head, *rows[1:3]])
    write_csv(outs / "twins.csv", [head, *(("same", texts[0]) for _ in range(5))])
    sheets = ("Summary", "Corpus", "a/b", LONG_NAME)
    write_csv(outs / "sheets.csv", [("Sheet", *head), *((sheet, *row) for sheet, row in product(sheets, rows[:6]))])
    book(
        outs / "book.xlsx",
        {
            "one": [head, *rows[:9]],
            "two": [head, ("p0", ERROR), (ERROR, "a text"), (1, 12.5), (True, False), *rows[9:13]],
            "blank": [],
            "header": [head],
            "notes": [("hello",), ("world",)],
            "formulas": [head, ("p0", UNCALCULATED)],
            "looping": [head, *((f"l{i}", loop[i:]) for i in range(3))],
        },
    )
    for name in ("first", "second"):
        write_csv(outs / "folder" / f"{name}.csv", [head, *rows[:7]])
    write_csv(outs / "two_texts.csv", [("id", "Response", "Output"), ("a", "b", "c")])
    broken(outs, head)


def _system(epochs: tuple[str, ...], conditions: tuple[str, ...]) -> dict[str, list[tuple[object, ...]]]:
    """Return all sheets that a system can have, sound ones."""
    streams, classes = ("Net 1", "net_2", "net-3", "net 4"), ("cat", "dog", "cow")
    predictions: list[tuple[object, ...]] = [("sample", "label", "condition", "epoch", *streams)]
    probabilities: list[tuple[object, ...]] = [("sample", "stream", "condition", "epoch", *classes)]
    for (e, epoch), (c, condition), i in product(enumerate(epochs), enumerate(conditions), range(12)):
        said = [(i + (1 if (i * (k + 2) + 3 * c - e) % (5 - k % 2) == 0 else 0)) % 3 for k in range(4)]
        predictions.append((f"s{i}", classes[i % 3], condition, epoch, *(classes[k] for k in said)))
        for stream, own in zip(streams, said, strict=True):
            shares = [0.6 if k == own else 0.2 for k in range(3)]
            probabilities.append((f"s{i}", stream, condition, epoch, *shares))
    routes = tuple(f"r{k}" for k in range(10))
    spread = [(stream, epoch, *[0.1] * 10) for stream, epoch in product(streams, epochs)]
    names = ("epoch", "Train Loss", "val_loss", "collective_acc", "learning_rate", "gradient_norm", "step_time")
    logged = [(epoch, 1 / (e + 1), 1 + e % 2, (0.9, 0.5)[e % 2], 0.1, e, 7) for e, epoch in enumerate(epochs)]
    accuracies = [(0.5, 0.4, 0.005, 0.3) for _ in epochs]
    weights: list[tuple[object, ...]] = [(f"weight:{stream}", k + 1) for k, stream in enumerate(streams)]
    return {
        "predictions": predictions,
        "probabilities": probabilities,
        "routing": [("stream", "epoch", *routes), *spread],
        "anchors": [("stream", "a", "b", "c"), *((stream, 0.5, 0.495, 0.005) for stream in streams)],
        "fingerprints": [
            ("stream", "f1", "f2", "f3"),
            *((stream, 1, 0.1 * k, -0.1) for k, stream in enumerate(streams)),
        ],
        "history": [
            (*names, *(f"acc:{stream}" for stream in streams)),
            *((*row, *own) for row, own in zip(logged, accuracies, strict=True)),
        ],
        "parameters": [("name", "value"), ("params_m", 3.5), ("dataset", "zoo"), ("depth", 7), *weights],
    }


def collective(root: Path) -> None:
    """Write systems for `collective`: with every sheet there is, with every sheet at fault, and with next to none."""
    outs = root / "outs"
    whole = _system(("1", "2", "3"), ("clean", "noise", "blur"))
    book(outs / "whole.xlsx", whole)
    logits = [
        whole["probabilities"][0],
        *((*row[:4], *(float(str(x)) * 5 - 3 for x in row[4:])) for row in whole["probabilities"][1:]),
    ]
    for name, rows in (whole | {"logits": logits}).items():
        write_csv(outs / "folder" / f"{name}.csv", rows)
    faulty = _system(("1", "2"), ("clean", "noise"))
    predictions = faulty["predictions"]
    predictions += [
        ("t1", "", "clean", "2", "cat", "dog", "cow", "cat"),
        ("t2", "cat", "clean", "", "cat", "dog", "cow", "cat"),
        ("", "cat", "clean", "2", "cat", "dog", "cow", "cat"),
        ("t3", "cat", "clean", "2", "", "bird", "Cat", ERROR),
        ("t4", "cow", "clean", "2", "dog", "dog", "cat", "cat"),
        ("t5", ERROR, "clean", "2", "dog", "dog", "cat", "cat"),
        ("t6", "newt", "fog", "3", "dog", "dog", "cat", "cat"),
    ]
    faulty["probabilities"] += [
        ("s0", "net 9", "clean", "2", 1, 0, 0),
        ("s1", "net_2", "rain", "2", 1, 0, 0),
        ("t4", "net_2", "clean", "2", 1, "", "x"),
    ]
    faulty["routing"] += [("net 9", "2", *[0.1] * 10), ("net_2", "2", *[0.3] * 10)]
    faulty["anchors"] += [("net 9", 1, 0, 0), ("", 1, 1, 1)]
    faulty["fingerprints"] += [("net 9", 1, 0, 0), ("net 5", "x", 0, 0)]
    faulty["history"] += [("x", "x", ERROR, 2, "", "", "", 0.4, 0.4, 0.4, 0.4)]
    faulty["parameters"][1:3] = [("params_m", -1), ("dataset", "")]
    book(
        outs / "faulty.xlsx",
        faulty | {"remarks": [("hello",), ("world",)], "Anchors 2": faulty["anchors"], "blank": []},
    )
    twice = _system(("1",), ("clean",))
    for name, rows in twice.items():
        if name != "predictions":
            rows.append(rows[-1])
    negative = [("stream", "r1", "r2"), ("Net 1", -0.5, 1.5)]
    book(outs / "twice.xlsx", twice | {"routing": negative})
    book(outs / "no_predictions.xlsx", {"history": whole["history"], "anchors": whole["anchors"]})
    book(outs / "same_sample.xlsx", {"predictions": [predictions[0], predictions[1], predictions[1]]})
    lone = [("sample", "label", "collective", "a", "b"), *((i, i % 2, 1, "1.0", i % 2) for i in range(8))]
    write_csv(outs / "lone.csv", lone)
    write_csv(outs / "looks_like.csv", [("sample", "label", "majority", "a"), ("1", "x", "x", "x")])
    write_csv(outs / "no_stream.csv", [("sample", "label", "a", "notes"), ("1", "x", "x", "hm"), ("2", "y", "y", "ha")])
    write_csv(outs / "alone.csv", [("sample", "label", "a"), *((i, "xy"[i % 2], "x") for i in range(4))])
    write_csv(outs / "zero.csv", [("sample", "label", "collective", "a", "b"), ("1", "x", "x", "y", "z")])
    many = ("sample", "label", *(f"m{k}" for k in range(12)))
    write_csv(outs / "many.csv", [many, *((i, i % 3, *((i + i * k % 4) % 3 for k in range(12))) for i in range(20))])
    broken(outs, ("sample", "label", "a"))
    names, routes = [f"stream number {k}" for k in range(70)], [f"r{k}" for k in range(80)]
    book(
        root / "crowd" / "crowd.xlsx",
        {
            "predictions": [
                ("sample", "label", *names),
                *((i, i % 3, *((i + i * k % 5) % 3 for k in range(70))) for i in range(9)),
            ],
            "fingerprints": [
                ("stream", "x", "y"),
                *((name, 1 + k // 9, k % 3 + k // 60) for k, name in enumerate(names)),
            ],
            "routing": [
                ("stream", *routes),
                *((name, *((r == k) / 1 for r in range(80))) for k, name in enumerate(names)),
            ],
        },
    )
