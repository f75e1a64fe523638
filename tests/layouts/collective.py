"""Layouts of ensembles: two systems of three streams; the emergence ratio worked out in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.helpers.files import write_book, write_csv
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

LABELS: Final = "catdogcatfox"  # a class per sample: one letter each
STREAMS: Final[Mapping[str, Mapping[str, str]]] = {
    "pines": {"shape": "catdaacttfox", "bark": "cctdogcatcoo", "cones": "aatdogoatfox"},
    "oaks": {"shape": "catdogaaacox", "bark": "xatdoxcattfx", "cones": "cctdogcacfot"},
}
CLASSES: Final = sorted(set("".join([LABELS, *(votes for own in STREAMS.values() for votes in own.values())])))
SAMPLES: Final = tuple(f"leaf_{number:02}" for number in range(1, len(LABELS) + 1))


def _accuracy(predicted: Sequence[str]) -> float:
    return sum(map(str.__eq__, predicted, LABELS)) / len(LABELS)


def _majority(votes: Sequence[str]) -> str:
    """The class with most votes; of equals the one whose first voter stands leftmost."""
    counts = Counter(votes)
    return max(votes, key=lambda vote: (counts[vote], -votes.index(vote)))


def probability(system: str, stream: str, place: int, name: str) -> float:
    """A made-up probability: most for the class that is voted for, and `bark` is the surer the further it gets."""
    most = 0.4 + 0.05 * place if stream == "bark" else 0.6
    return most if STREAMS[system][stream][place] == name else (1 - most) / (len(CLASSES) - 1)


def _likeliest(system: str, place: int) -> str:
    return max(CLASSES, key=lambda name: sum(probability(system, each, place, name) for each in STREAMS[system]))


def _ratio(system: str, collective: Sequence[str]) -> float:
    return _accuracy(collective) / max(map(_accuracy, STREAMS[system].values()))


VOTED: Final = {
    system: _ratio(system, [_majority(votes) for votes in zip(*own.values(), strict=True)])
    for system, own in STREAMS.items()
}
AVERAGED: Final = {
    system: _ratio(system, [_likeliest(system, place) for place in range(len(LABELS))]) for system in STREAMS
}
FUSED: Final = "catdogcatcax"  # what a system says of itself
ONE: Final = {"pines": VOTED["pines"]}


def wide(system: str, sample: str = "sample", label: str = "label") -> list[Record]:
    """A row per sample, a column per stream."""
    return [
        {sample: key, label: truth, **{stream: votes[place] for stream, votes in STREAMS[system].items()}}
        for place, (key, truth) in enumerate(zip(SAMPLES, LABELS, strict=True))
    ]


def long(system: str, **names: str) -> list[Record]:
    """A row per stream and sample, as logs have them; `names` rename its columns."""
    rows = [
        {"sample": key, "label": truth, "model": stream, "prediction": votes[place]}
        for stream, votes in STREAMS[system].items()
        for place, (key, truth) in enumerate(zip(SAMPLES, LABELS, strict=True))
    ]
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def probabilities(system: str, sample: str = "sample") -> list[Record]:
    """A row per sample and stream, a column per class."""
    return [
        {sample: key, "stream": stream, **{name: probability(system, stream, place, name) for name in CLASSES}}
        for place, key in enumerate(SAMPLES)
        for stream in STREAMS[system]
    ]


def routing(sample: str = "sample") -> list[Record]:
    """A row per sample and expert that was chosen, as routers log them."""
    chosen = [("shape", "bark"), ("cones", "bark"), ("shape", "cones")]
    return [
        {sample: key, "expert": expert, "weight": weight}
        for place, key in enumerate(SAMPLES)
        for expert, weight in zip(chosen[place % 3], (0.75, 0.25), strict=True)
    ]


def _file(name: str, records: Sequence[Record]) -> Writer:
    return lambda root: write_records(root / name, records)


def _titled(root: Path) -> None:
    rows: list[list[object]] = [["Ensemble"], ["votes of March, greedy"], [], *rows_of(wide("pines"))]
    write_book(root / "pines.xlsx", {"predictions": rows})


def _book(root: Path) -> None:
    sheets = {
        "predictions": rows_of(wide("oaks", sample="sid")),
        "probabilities": rows_of(probabilities("oaks")),
        "routing": rows_of(routing(sample="sid")),
    }
    write_book(root / "oaks.xlsx", sheets)


def _folder(root: Path) -> None:
    for system in STREAMS:
        write_records(root / "systems" / system / "predictions.csv", long(system))
        write_records(root / "systems" / system / "probabilities.csv", probabilities(system))
        write_records(root / "systems" / system / "routing.jsonl", routing())


def _systems(root: Path) -> None:
    write_records(root / "systems" / "pines.csv", wide("pines"))
    write_records(root / "systems" / "oaks.jsonl", long("oaks"))


def _one_log(root: Path) -> None:
    rows = [{"system": system, **record} for system in STREAMS for record in long(system)]
    write_records(root / "log.csv", rows)


def _ensemble_rows(root: Path) -> None:
    own = [
        {"sample": key, "label": truth, "model": "ensemble", "prediction": fused}
        for key, truth, fused in zip(SAMPLES, LABELS, FUSED, strict=True)
    ]
    write_records(root / "pines.csv", [*long("pines"), *own])


def _merged(root: Path) -> None:
    """Sample and label written once for all streams."""
    by_sample = sorted(long("pines"), key=lambda record: SAMPLES.index(str(record["sample"])))
    streams = len(STREAMS["pines"])
    rows = [
        record if place % streams == 0 else {**record, "sample": "", "label": ""}
        for place, record in enumerate(by_sample)
    ]
    write_csv(root / "pines.csv", rows_of(rows), sep=";")


def _nested(root: Path) -> None:
    rows = [
        {"sample": row["sample"], "label": row["label"], "model": row["model"], "reply": {"class": row["prediction"]}}
        for row in long("pines")
    ]
    write_records(root / "pines.jsonl", rows)


LAYOUTS: Final = (
    Layout(
        "a row per sample, a column per stream",
        "sample,label,shape,bark,cones\nleaf_01,c,c,c,a",
        _file("pines.csv", wide("pines")),
        "collective pines.csv",
        ONE,
    ),
    Layout(
        "a long log with a model column",
        "sample,label,model,prediction\nleaf_01,c,shape,c",
        _file("pines.csv", long("pines")),
        "collective pines.csv",
        ONE,
        ("long-log",),
    ),
    Layout(
        "the same as JSON Lines",
        '{"sample": "leaf_01", "label": "c", "model": "shape", "prediction": "c"}',
        _file("pines.jsonl", long("pines")),
        "collective pines.jsonl",
        ONE,
        ("long-log",),
    ),
    Layout(
        "a long log by judge, other names, compressed",
        "item,gold,judge,vote\nleaf_01,c,shape,c",
        _file("pines.csv.gz", long("pines", sample="item", label="gold", model="judge", prediction="vote")),
        "collective pines.csv.gz",
        ONE,
        ("long-log",),
    ),
    Layout(
        "a long log with headers of one's own",
        "leaf,species,net,said\nleaf_01,c,shape,c",
        _file("pines.csv", long("pines", sample="leaf", label="species", model="net", prediction="said")),
        "collective pines.csv --column sample=leaf --column label=species --column stream=net --column prediction=said",
        ONE,
        ("long-log",),
    ),
    Layout(
        "a long log with the prediction in an object",
        '{"sample": "leaf_01", "label": "c", "model": "shape", "reply": {"class": "c"}}',
        _nested,
        "collective pines.jsonl --column prediction=reply.class",
        ONE,
        ("long-log",),
    ),
    Layout(
        "a long log, sample and label written once for all streams",
        "sample;label;model;prediction\nleaf_01;c;shape;c\n;;bark;c",
        _merged,
        "collective pines.csv --fill-down",
        ONE,
        ("long-log",),
    ),
    Layout(
        "a long log in which the ensemble has rows too",
        "sample,label,model,prediction\nleaf_01,c,ensemble,c",
        _ensemble_rows,
        "collective pines.csv",
        {"pines": _ratio("pines", FUSED)},
        ("long-log",),
    ),
    Layout(
        "one long log of several systems",
        "system,sample,label,model,prediction\npines,leaf_01,c,shape,c",
        _one_log,
        "collective log.csv --model-column system",
        VOTED,
        ("long-log", "model-column"),
    ),
    Layout(
        "a title above the header",
        "Ensemble\nvotes of March, greedy\n\nsample,label,shape,bark,cones",
        _titled,
        "collective pines.xlsx",
        ONE,
        ("header-row",),
    ),
    Layout(
        "a workbook with a sheet per role, some with another header",
        "predictions: sid,label,shape,…\nprobabilities: sample,stream,a,c,…\nrouting: sid,expert,weight",
        _book,
        "collective oaks.xlsx --column sample=sid --fusion mean",
        {"oaks": AVERAGED["oaks"]},
        ("long-log",),
    ),
    Layout(
        "a folder of files per system",
        "systems/pines/predictions.csv\nsystems/pines/probabilities.csv\nsystems/pines/routing.jsonl\nsystems/oaks/…",
        _folder,
        "collective systems --fusion mean",
        AVERAGED,
        ("long-log",),
    ),
    Layout(
        "the folder of one system",
        "oaks/predictions.csv\noaks/probabilities.csv\noaks/routing.jsonl",
        _folder,
        "collective systems/oaks --fusion mean",
        {"oaks": AVERAGED["oaks"]},
        ("one-system", "long-log"),
    ),
    Layout(
        "two systems in a folder, one wide and one a log",
        "systems/pines.csv: sample,label,shape,bark,cones\nsystems/oaks.jsonl: sample, label, model, prediction",
        _systems,
        "collective systems",
        VOTED,
        ("long-log",),
    ),
)
