"""The sheets of a model, or the blocks of a large one, at once: by processes forked from the worker that holds them.

A forked process has the sheets and the context already, and sends back what a block came to. It ends with the worker,
and the worker with it: whatever kills one of them costs this model and nothing else.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO, FileIO
from typing import Any, BinaryIO, Final, NoReturn, TypeVar

from scoresheet.cli.run.allowance import lift_own_memory_limit, share_own_memory, usage_of

A = TypeVar("A")
B = TypeVar("B")

FEWEST: Final = 4  # blocks of a sheet that are worth a process
_HEAD: Final = struct.Struct("<Q")  # the bytes of an answer
_LOOK: Final = 0.5  # seconds between two looks at whether the worker is still there
_PIECE: Final = 2**20  # bytes of an answer that are asked for at once
_PATIENCE: Final = 10.0  # seconds between two looks at whether a process is at work
_CAN_FORK: Final = sys.platform == "linux"  # elsewhere libraries of the system do not bear it


def processes_for(blocks: int, processes: int, fewest: int = FEWEST) -> int:
    """Return how many processes so many blocks are worth, a fewest for each: 1 where the worker does them itself."""
    return max(1, min(processes, blocks // fewest)) if _CAN_FORK else 1


def in_processes(
    work: Callable[[A], B],
    blocks: Sequence[A],
    processes: int,
    *,
    fewest: int = FEWEST,
    is_at_work: Callable[[], None] = lambda: None,
) -> Iterator[B]:
    """Yield what the work makes of each block, done by so many processes at most, each with a fewest of blocks.

    `is_at_work` is called now and then while a process works on a block that takes long.
    """
    count = processes_for(len(blocks), processes, fewest)
    if count < 2:
        yield from map(work, blocks)
        return
    helpers: list[_Helper] = []
    try:
        for number in range(count):
            helpers.append(_Helper(work, blocks[number::count], helpers, count))
        for number, block in enumerate(blocks):
            yield helpers[number % count].answer(_held(block), is_at_work)
    finally:
        for helper in helpers:
            helper.end()


@contextmanager
def beside(work: Callable[[], B], is_at_work: Callable[[], None] = lambda: None) -> Iterator[Callable[[], B]]:
    """Have some work done by a process beside this one; yield what waits for it and returns what it came to."""
    if not _CAN_FORK:
        yield work
        return
    helper = _Helper(lambda _: work(), [None], (), 2)
    try:
        yield lambda: helper.answer((), is_at_work)
    finally:
        helper.end()


def _held(block: object) -> list[object]:
    """Return what both a worker and those forked from it have of a block: itself, and what its fields hold."""
    return [block, *getattr(block, "__dict__", {}).values()]


class _Answer(pickle.Pickler):
    """An answer as bytes; what of it the worker has anyway, such as a column of texts, is named and not sent."""

    def __init__(self, stream: BinaryIO, held: Sequence[object]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._places = {id(each): place for place, each in enumerate(held)}

    def reducer_override(self, value: object) -> Any:
        """Return how a value that is not one of Python's own is made again."""
        place = self._places.get(id(value))
        return NotImplemented if place is None else (_held_at, (place,))


class _AnswerReader(pickle.Unpickler):
    """Reads an answer where the block that it is of is held."""

    def __init__(self, data: bytes, held: Sequence[object]) -> None:
        super().__init__(BytesIO(data))
        self._held = held

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes a value again."""
        return self._held.__getitem__ if name == _held_at.__name__ else super().find_class(module, name)


def _held_at(place: int) -> NoReturn:
    """Stand, in an answer, for what the worker holds at a place."""
    raise LookupError(place)  # whoever reads answers puts its own in for this


class _Helper:
    """A process that does every so manieth block."""

    process: int

    def __init__(self, work: Callable[[A], B], blocks: Sequence[A], others: Sequence[_Helper], count: int) -> None:
        self._processor_time = ""
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
        self.pipe: FileIO = os.fdopen(ours, "rb", buffering=0)  # so that what was sent and not read can be waited for

    def answer(self, held: Sequence[object], is_at_work: Callable[[], None]) -> Any:
        """Return what the next of its blocks came to; raise what it raised, and end as it ended."""
        head = self._read(_HEAD.size, is_at_work)
        size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else -1
        data = self._read(size, is_at_work)
        if len(data) != size:
            self._share_its_end()
        error, value = _AnswerReader(data, held).load()
        if error is not None:
            raise error
        return value

    def _read(self, size: int, is_at_work: Callable[[], None]) -> bytes:
        """Return so many bytes, fewer if the process ends before."""
        pieces: list[bytes] = []
        while size > 0:
            while not select.select([self.pipe], [], [], _PATIENCE)[0]:
                self._look(is_at_work)
            piece = self.pipe.read(min(size, _PIECE))
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _look(self, is_at_work: Callable[[], None]) -> None:
        """Say that the process is at work if it has used the processor since the last look."""
        usage = usage_of(self.process)
        if usage is not None and usage.processor_time != self._processor_time:
            self._processor_time = usage.processor_time
            is_at_work()

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
        answer = BytesIO()
        _Answer(answer, _held(block)).dump((None, work(block)))
        return answer.getvalue(), True
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
