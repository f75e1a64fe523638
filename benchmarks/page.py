"""The page of the benchmark: tables of what was measured, with the machine, the date and the versions."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import bench_again
import bench_memory
import bench_startup
from commands import ALONE, Bench
from harness import OURS, PURE, Figures, Kept, growth

PEERS = ("pandas", "numpy", "openpyxl", "rouge", "scipy", "scikit-learn", "pyndeval", "ir_measures", "krippendorff")
INTRODUCTION = """# Benchmarks

Written by `make bench`; [benchmarks/](../benchmarks/README.md) says how it measures, [performance](performance.md)
where the time goes. Every command and its peers take turns in one run on the same files: whole processes, with
start-up, reading and writing. CPU is user and system time of the process tree, memory that of the largest process.
`scoresheet` runs with `-j 1` and its defaults, so that its checks, intervals, comparisons, audit and formatting are
in its time; a peer has none of them but what its table says. Ratios travel between machines, seconds do not. Wherever
two sides have the same number they agree on it, or there would be no line.
"""

SMALL = "These are the small jobs of `--quick`, where start-up counts for more than in a whole run.\n"


def page(benches: Sequence[Bench], kept: Kept, *, quick: bool) -> str:
    """Return the page in Markdown, with the lines that are done."""
    found = [(bench, _figures(bench, kept, quick=quick)) for bench in benches]
    parts = [
        INTRODUCTION,
        *([SMALL] if quick else []),
        _machine([each for _, figures in found for each in figures.values()]),
        *_summary(found),
        *(part for bench, figures in found for part in _bench(bench, figures)),
        *_start_up(kept, quick=quick),
        *_memory(kept, quick=quick),
        *_again(kept, quick=quick),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _figures(bench: Bench, kept: Kept, *, quick: bool) -> dict[str, Figures]:
    return {line.name: kept[line] for line in bench.lines(quick=quick) if line in kept}


def _grown(figures: Mapping[str, Figures]) -> list[Figures]:
    """Return the lines at three sizes."""
    return [each for each in figures.values() if PURE in each.costs]


def _many(figures: Mapping[str, Figures]) -> list[Figures]:
    """Return the lines at several numbers of models."""
    return [each for each in figures.values() if ALONE in each.costs]


def _machine(figures: Sequence[Figures]) -> str:
    days = sorted({each.when for each in figures})
    versions = sorted({each.version for each in figures})
    packages = ", ".join(f"{name} {found}" for name in PEERS if (found := _version(name)))
    dates = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "-"
    return (
        f"Measured {dates} with scoresheet {', '.join(versions)} on {os.cpu_count()} cores ({_processor()}), "
        f"{_memory_size()}, {platform.system()}, Python {platform.python_version()}; {packages}.\n"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    """Return what the processor is called, as far as the system says."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory_size() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *lines)) + "\n"


def _summary(found: Sequence[tuple[Bench, Mapping[str, Figures]]]) -> Iterator[str]:
    yield "## In short\n"
    yield (
        "CPU of the peer over ours at the largest size, with the compiled kernel and with the one in Python. Growth is"
        " the exponent between the two largest sizes: 1.0 is twice the time for twice the units.\n"
    )
    lines = []
    for bench, figures in found:
        grown, many = _grown(figures), _many(figures)
        if not grown:
            continue
        by_peer = "; ".join(f"{peer.name} {_both_ratios(grown[-1], peer.name)}" for peer in bench.peers)
        shares = ", ".join(f"{_share(each)} of {each.size}" for each in many[1:])
        lines.append([f"`{bench.name}`", by_peer, _growth(grown, OURS), _growth(many, OURS), shares or "-"])
    header = (
        "command",
        "CPU of the peer over ours",
        "growth in units",
        "growth in models",
        "CPU that comparing takes, models",
    )
    yield _table(header, lines)


def _bench(bench: Bench, figures: Mapping[str, Figures]) -> Iterator[str]:
    grown, many = _grown(figures), _many(figures)
    if not grown and not many:
        return
    yield f"## {bench.name}\n"
    yield bench.about + "\n"
    if grown:
        peers = [peer.name for peer in bench.peers]
        header = [bench.units, "CPU s", "pure", "MB", *(f"{peer}: CPU s" for peer in peers), "MB", "faster by"]
        lines = [
            [
                f"{each.size:,}",
                *(_seconds(each, side) for side in (OURS, PURE)),
                _megabytes(each, OURS),
                *(_seconds(each, peer) for peer in peers),
                ", ".join(_megabytes(each, peer) for peer in peers),
                ", ".join(_both_ratios(each, peer) for peer in peers),
            ]
            for each in grown
        ]
        yield _table(header, lines)
        exponents = ", ".join(f"{side} {_growth(grown, side)}" for side in (OURS, PURE, *peers))
        yield f"Growth in {bench.units}: {exponents}.\n"
    if any(cost.estimated for each in grown for cost in each.costs.values()):
        yield "\\* Partly reckoned: the script did a part of the job, and the CPU of the rest was added.\n"
    if many:
        lines = [
            [str(each.size), _seconds(each, OURS), _seconds(each, ALONE), _share(each), _megabytes(each, OURS)]
            for each in many
        ]
        yield _table(("models", "CPU s", "without comparing", "share of comparing", "MB"), lines)
        yield f"{bench.each_of_many:,} {bench.units} each; growth in models: {_growth(many, OURS)}.\n"


def _seconds(figures: Figures, side: str) -> str:
    cost = figures.costs[side]
    return f"{cost.cpu:.2f}" + ("\\*" if cost.estimated else "")


def _megabytes(figures: Figures, side: str) -> str:
    return f"{figures.costs[side].peak / 1e6:,.0f}"


def _both_ratios(figures: Figures, peer: str) -> str:
    return f"{figures.ratio(peer, OURS):.1f} × ({figures.ratio(peer, PURE):.1f})"


def _share(figures: Figures) -> str:
    """Return which share of the CPU goes into comparing models; nothing where it is lost in the noise."""
    return f"{max(0.0, 1 - figures.ratio(ALONE, OURS)):.0%}"


def _growth(figures: Sequence[Figures], side: str) -> str:
    if len(figures) < 2:
        return "-"
    found = growth([each.size for each in figures], [each.costs[side].cpu for each in figures])
    return "-" if math.isnan(found) else f"{found:.2f}"


def _start_up(kept: Kept, *, quick: bool) -> Iterator[str]:
    lines = []
    for line in bench_startup.lines(quick=quick):
        if line in kept:
            other = next(side for side in kept[line].costs if side != OURS)
            cost = kept[line].costs[OURS]
            lines.append([f"`{line.name}`", f"{1000 * cost.cpu:.0f}", other, f"{kept[line].ratio(OURS, other):.2f} ×"])
    if lines:
        yield "## Start-up\n"
        yield _table(("command", "CPU ms", "over", "is"), lines)


def _memory(kept: Kept, *, quick: bool) -> Iterator[str]:
    lines = []
    for line in bench_memory.lines(quick=quick):
        if line in kept:
            cost = kept[line].costs[OURS]
            lines.append([line.name, _megabytes(kept[line], OURS), f"{cost.cpu:.0f}", f"{cost.wall:.0f}"])
    if lines:
        yield "## Memory\n"
        yield "Of the largest process, with as many workers as there are cores.\n"
        yield _table(("job", "peak MB", "CPU s", "wall s"), lines)


def _again(kept: Kept, *, quick: bool) -> Iterator[str]:
    for line in bench_again.lines(quick=quick):
        if line in kept:
            first, second = (kept[line].costs[name] for name in (bench_again.FIRST, bench_again.SECOND))
            yield "## A second run\n"
            yield (
                f"{line.name}, all unchanged: {second.cpu:.2f} CPU s after {first.cpu:.2f} s, "
                f"{second.cpu / first.cpu:.0%} of the first run.\n"
            )
