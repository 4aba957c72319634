# SPDX-License-Identifier: Apache-2.0
"""Processes that work on cells: spawned, one BLAS thread each, gone when the bench is.

A cell whose work raises, or whose process dies, becomes a row with an ``error``; the others go on.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any, Self

from robo_orch.bench.cells import Cell, Row

#: One thread each, or processes fight over the cores.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")

Work = Callable[[Cell], Mapping[str, Any]]


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    cell: Cell | None = None


class Workers:
    """A context that holds ``n`` processes; leaving it ends them at once."""

    def __init__(self, work: Work, n: int) -> None:
        self._work, self._n = work, n
        self._workers: list[_Worker] = []

    def rows(self, cells: Iterator[Cell]) -> Iterator[Row]:
        """The cells' rows as they finish. ``cells`` is asked for one whenever a process is free."""
        free, left = self._n, True
        while left or any(w.cell for w in self._workers):
            while left and free:
                cell = next(cells, None)
                if cell is None:
                    left = False
                    break
                self._give(cell)
                free -= 1
            if busy := [w for w in self._workers if w.cell]:
                for pipe in wait([w.pipe for w in busy]):
                    yield self._take(next(w for w in busy if w.pipe is pipe))
                    free += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.pipe.close()
            _end(worker.process)
        for worker in self._workers:
            worker.process.join()

    def _give(self, cell: Cell) -> None:
        worker = next((w for w in self._workers if w.cell is None), None) or self._start()
        worker.cell = cell
        with contextlib.suppress(OSError):  # it died while idle: taking its answer will say so
            worker.pipe.send(cell)

    def _take(self, worker: _Worker) -> Row:
        cell, worker.cell = worker.cell, None
        if cell is None:
            raise ValueError("a worker answered without having been asked")
        try:
            return worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            self._workers.remove(worker)
            return _head(cell) | {"error": f"its process ended with code {worker.process.exitcode}", "seconds": 0.0}

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._work))
        with _environment(ONE_THREAD):
            process.start()
        theirs.close()  # so that the end of either process is the end of the pipe for the other
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker


def _serve(pipe: Connection, work: Work) -> None:
    """A worker's life. Ctrl-C is the parent's business: the terminal sends it to the whole process group."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            cell = pipe.recv()
            pipe.send(row_of(cell, work))
        except (EOFError, OSError):
            return


def row_of(cell: Cell, work: Work) -> Row:
    """Do one cell's work; what it raises becomes part of the row."""
    begun = time.perf_counter()
    try:
        found = dict(work(cell))
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        found = {"error": text, "traceback": "".join(traceback.format_exception(error))}
    return _head(cell) | {"seconds": round(time.perf_counter() - begun, 4)} | found


def _end(process: SpawnProcess) -> None:
    """End a worker and what it started: it leads a process group of its own as soon as it serves."""
    if process.pid is None:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _head(cell: Cell) -> dict[str, Any]:
    return {"arm": cell.arm, "episode": cell.episode, "seed": cell.seed}


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
