"""What a worker may use of the machine, and how its use is seen: by the system's own limit and from the parent."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from scoresheet.cli.input.limits import MIB
from scoresheet.metrics.records import dataclass

SHARE: Final = 0.8  # of the machine's memory that all workers together may take
SMALL_MB: Final = 16  # a model below this has a day
_DAY: Final = 86_400.0
_HOUR: Final = 3_600.0
_PER_MB: Final = 60.0  # seconds more for each mebibyte of a large model
_CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_PROC: Final = Path("/proc")


@dataclass(frozen=True)
class Allowance:
    """What one task may take: bytes of memory beyond what the program itself has (0: any), and seconds (0: by size)."""

    memory: int = 0
    seconds: float = 0.0

    def seconds_for(self, size: int) -> float:
        """Return how long a task on so many bytes may take.

        >>> Allowance().seconds_for(20 * 2**20), Allowance(seconds=5).seconds_for(20 * 2**20)
        (4800.0, 5)
        """
        if self.seconds:
            return self.seconds
        return _DAY if size < SMALL_MB * MIB else _HOUR + _PER_MB * size / MIB


class Usage(NamedTuple):
    """What a process has used so far."""

    resident: int  # bytes
    processor_time: str  # as the system writes it: that it changes is all that matters
    stopped: bool  # by a signal, and not running until another one


def memory_share(workers: int) -> int:
    """Return the bytes that each of so many workers may take; 0 where the system does not say what it has."""
    if sys.platform == "win32":
        return 0
    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0
    for path in _CGROUPS:  # of a container
        with suppress(OSError, ValueError):
            most = min(most, int(Path(path).read_text("ascii")))
    return int(most * SHARE / workers)


def limit_own_memory(beyond: int) -> None:
    """Let this process take so many bytes beyond what it has; where the system has no such limit the parent watches."""
    if not beyond or sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = _own_data() + beyond
    with suppress(OSError, ValueError):  # a stricter limit of the caller stays
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard < 0 else min(most, hard), hard))


def share_own_memory(parts: int) -> None:
    """Leave this process, one of several that were forked, its part of what their worker may still take."""
    if sys.platform == "linux":
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
        if soft != resource.RLIM_INFINITY:
            limit_own_memory(max(soft - _own_data(), parts) // parts)


def _own_data() -> int:
    """Return the bytes that count for the system's limit."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * mmap.PAGESIZE


def lift_own_memory_limit() -> None:
    """Let this process take what its caller allows: to say that the memory was short takes a little."""
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def usage_of(pid: int) -> Usage | None:
    """Return what a process has used; None if it is gone, or the system has no way to ask."""
    if sys.platform == "linux":
        try:
            fields = (_PROC / str(pid) / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:
            return None
        return Usage(int(fields[21]) * os.sysconf("SC_PAGE_SIZE"), f"{fields[11]} {fields[12]}", fields[0] in "Tt")
    elif sys.platform == "win32":  # noqa: RET505 - mypy takes each branch for its own system
        return None
    else:
        try:
            words = ["ps", "-o", "rss=,time=,state=", "-p", str(pid)]
            said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=5).stdout.split()  # noqa: S603 - fixed words
            return Usage(int(said[0]) * 1024, said[1], said[2].startswith("T"))
        except (OSError, ValueError, IndexError, subprocess.SubprocessError):
            return None


def asking_is_cheap() -> bool:
    """Return whether `usage_of` only reads a file; elsewhere it starts a program."""
    return sys.platform == "linux"
