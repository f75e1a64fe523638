"""The blocks of one large sheet at once, by processes that are forked from the worker which holds it.

A forked process has the sheet and the context already, and sends back what a block came to. It ends with the worker,
and the worker with it: whatever kills one of them costs this model and nothing else.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final, NoReturn, TypeVar

from scoresheet.cli.run.allowance import lift_own_memory_limit, share_own_memory
from scoresheet.metrics.family import ParsedSheet

A = TypeVar("A", bound=ParsedSheet)
B = TypeVar("B")

FEWEST: Final = 4  # blocks that are worth a process
_HEAD: Final = struct.Struct("<Q")  # the bytes of an answer
_LOOK: Final = 0.5  # seconds between two looks at whether the worker is still there
_CAN_FORK: Final = sys.platform == "linux"  # elsewhere libraries of the system do not bear it


def processes_for(blocks: int, processes: int) -> int:
    """Return how many processes so many blocks are worth: 1 where the worker does them itself."""
    return max(1, min(processes, blocks // FEWEST)) if _CAN_FORK else 1


def in_processes(work: Callable[[A], B], blocks: Sequence[A], processes: int) -> Iterator[B]:
    """Yield what the work makes of each block, done by so many processes at most."""
    count = processes_for(len(blocks), processes)
    if count < 2:
        yield from map(work, blocks)
        return
    helpers: list[_Helper] = []
    try:
        for number in range(count):
            helpers.append(_Helper(work, blocks[number::count], helpers, count))
        for number in range(len(blocks)):
            yield helpers[number % count].answer()
    finally:
        for helper in helpers:
            helper.end()


class _Helper:
    """A process that does every so manieth block."""

    process: int

    def __init__(self, work: Callable[[A], B], blocks: Sequence[A], others: Sequence[_Helper], count: int) -> None:
        if sys.platform == "win32":
            raise NotImplementedError("no process can be forked here")
        ours, theirs = os.pipe()
        worker = os.getpid()
        self.process = os.fork()
        if not self.process:
            for descriptor in (ours, *(other.pipe.fileno() for other in others)):
                os.close(descriptor)
            share_own_memory(count)
            _do_blocks(work, blocks, theirs, worker)
        os.close(theirs)
        self.pipe: BinaryIO = os.fdopen(ours, "rb")

    def answer(self) -> Any:
        """Return what the next of its blocks came to; raise what it raised, and end as it ended."""
        head = self.pipe.read(_HEAD.size)
        size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else -1
        data = self.pipe.read(size) if size >= 0 else b""
        if len(data) != size:
            self._share_its_end()
        error, value = pickle.loads(data)  # noqa: S301 - from a process that we forked
        if error is not None:
            raise error
        return value

    def _share_its_end(self) -> NoReturn:
        """End as the process did, so that whoever waits for this one says what happened."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code or 1)

    def end(self) -> None:
        """End the process if it has not ended by itself."""
        self.pipe.close()
        with suppress(ProcessLookupError):
            if sys.platform != "win32":  # where there is none
                os.kill(self.process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.process, 0)


def _do_blocks(work: Callable[[A], B], blocks: Sequence[A], pipe: int, worker: int) -> NoReturn:
    """Send what each block comes to, and leave without what the worker would do at its end."""
    threading.Thread(target=_end_with, args=(worker,), daemon=True).start()
    code = 1
    try:
        with os.fdopen(pipe, "wb") as stream:
            for block in blocks:
                answer, good = _answer(work, block)
                stream.write(_HEAD.pack(len(answer)))
                stream.write(answer)
                stream.flush()
                if not good:
                    break
        code = 0
    except OSError:
        pass  # the worker is gone, or wants no more
    finally:
        os._exit(code)


def _answer(work: Callable[[A], B], block: A) -> tuple[bytes, bool]:
    try:
        return pickle.dumps((None, work(block)), pickle.HIGHEST_PROTOCOL), True
    except MemoryError:
        lift_own_memory_limit()
        return pickle.dumps((MemoryError(), None)), False
    except Exception as error:  # noqa: BLE001 - whatever it is, the worker raises it
        said = traceback.format_exc()
        try:
            copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
            copied.add_note(said)
        except Exception:  # noqa: BLE001 - there are errors that do not travel
            copied = RuntimeError(said)
        return pickle.dumps((copied, None)), False


def _end_with(worker: int) -> None:
    """End this process when the worker is gone, in whatever it is."""
    while os.getppid() == worker:
        time.sleep(_LOOK)
    os._exit(1)
