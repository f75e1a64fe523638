"""What a command costs: CPU of its whole process tree, wall time, and the memory of its largest process.

The command runs under a small launcher (this file, run as a script), for two reasons. Linux lets a child
inherit the peak memory its parent had when it was started, so a benchmark that holds tables would report its
own size as the command's; under the launcher that floor is some 15 MB. And worker processes that outlive the
command (a fork server's, say) would escape its accounts: the launcher adopts, waits for and counts them (on
Linux).
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class CommandFailedError(RuntimeError):
    """A measured command did not exit with 0, so its times mean nothing."""


@dataclass(frozen=True)
class Measurement:
    """The cost of one command."""

    cpu: float  # seconds, user and system, of the process and all its descendants
    wall: float  # seconds until the command's own process ended
    peak: int  # bytes: the largest resident size any one process of the tree had, not the sum over processes


def measure(command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None) -> Measurement:
    """Return what the command cost when run in `folder`; its standard output is thrown away."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(Path(__file__).resolve()), *command],
        cwd=folder,
        env=neutral_environment() | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandFailedError(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return Measurement(**json.loads(done.stdout))


def neutral_environment() -> dict[str, str]:
    """Return the environment without settings that would change what a command does.

    With PYTHONDONTWRITEBYTECODE, common in containers, a source checkout would be compiled anew in every run.
    """
    changing = ("SCORESHEET_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(changing)}
    # threads of a library that wait for work would count as its work: one for every side, as ours has by itself
    return kept | dict.fromkeys(_THREADS, "1") | {"PYTHONHASHSEED": "0"}


def launch(command: list[str]) -> tuple[int, Measurement]:
    """Run the command as this process's child and return its exit code and cost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    silence = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[silence])
    _, status, _ = os.wait4(child, 0)
    wall = time.perf_counter() - started
    reap_orphans()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 if sys.platform == "darwin" else 1024
    return os.waitstatus_to_exitcode(status), Measurement(
        cpu=usage.ru_utime + usage.ru_stime, wall=wall, peak=usage.ru_maxrss * unit
    )


def reap_orphans() -> None:
    """Wait for every adopted process, so that its cost is in the sums."""
    while True:
        try:
            os.wait4(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    code, cost = launch(sys.argv[1:])
    print(json.dumps(asdict(cost)))
    sys.exit(code if code >= 0 else 128 - code)
