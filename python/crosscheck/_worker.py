"""The process that does the checks: ``crosscheck batch``, started with the first one."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from ._errors import CouldNotRun
from ._program import find_program

#: How often a job is asked again when the process died around it.
_TRIES = 3

#: What ``crosscheck batch`` reads as one job; a longer one is not worth sending.
_MAX_JOB = 64 << 20


class Worker:
    """One ``crosscheck batch`` process. It is started when it is needed, and again when it died.

    Any thread may ask; questions of several threads are answered at the same time.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] = "/",
        *,
        jobs: int | None = None,
        limit: float = 60.0,
        options: Sequence[str] = (),
        any_database: bool = True,
    ) -> None:
        """Jobs may read below ``root``; ``limit`` is the time of one job in seconds.

        ``options`` are further options of ``crosscheck batch``, for example
        ``["--offline"]`` or ``["--judge", "http", …]``.
        """
        self._words = ["batch", "--unordered", "--root", os.fspath(root), "--limit", str(limit)]
        if jobs is not None:
            self._words += ["--jobs", str(jobs)]
        if any_database:
            self._words.append("--any-database")
        self._words += options
        self._lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        # who waits, and for which process: one that died takes only its own jobs with it
        self._waiting: dict[int, tuple[Future[dict[str, Any]], subprocess.Popen[bytes]]] = {}
        self._ids = itertools.count()
        self._owner = os.getpid()

    def submit(self, job: dict[str, Any]) -> Future[dict[str, Any]]:
        """Asks; the future has the answer, or the error that the process died."""
        line_id = next(self._ids)
        future: Future[dict[str, Any]] = Future()
        try:
            # the id comes first: `batch` answers by it even where the rest cannot be read
            job = {"id": None, **job, "id": line_id}
            line = json.dumps(job, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        except (TypeError, ValueError) as error:
            return _refused(future, "CLI_USAGE", f"the job is no JSON: {error}", "")
        if len(line) >= _MAX_JOB:
            help = "name large inputs by their path"
            return _refused(future, "INPUT_TOO_LARGE", "the job is larger than 64 MiB", help)
        with self._lock:
            process = self._running()
            self._waiting[line_id] = (future, process)
        try:
            with self._write_lock:
                assert process.stdin is not None
                process.stdin.write(line + b"\n")
                process.stdin.flush()
        except (OSError, ValueError):
            # the reader of the dead process may have answered it meanwhile
            with self._lock:
                lost = self._waiting.pop(line_id, None)
            if lost is not None:
                future.set_exception(_died())
        return future

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """The answer. Raises ``CouldNotRun`` if the job could not be done."""
        for attempt in range(_TRIES):
            try:
                return _checked(self.submit(job).result())
            except _Died:
                if attempt == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def ask_all(self, jobs: Iterable[dict[str, Any]], ahead: int = 256) -> Iterator[dict[str, Any]]:
        """The answers in the order of the jobs, with a bounded number under way.

        An answer may hold an ``error`` instead of a verdict. A process that
        dies is started again, and its open jobs are asked once more.
        """
        window: list[tuple[dict[str, Any], Future[dict[str, Any]]]] = []
        jobs = iter(jobs)
        for job in jobs:
            window.append((job, self.submit(job)))
            if len(window) >= ahead:
                yield self._settled(*window.pop(0))
        for job, future in window:
            yield self._settled(job, future)

    def _settled(self, job: dict[str, Any], future: Future[dict[str, Any]]) -> dict[str, Any]:
        for _ in range(_TRIES - 1):
            try:
                return future.result()
            except _Died:
                future = self.submit(job)
        return future.result()

    def close(self) -> None:
        """Ends the process; the next question starts another one."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            assert process.stdin is not None
            try:
                process.stdin.close()
            except OSError:
                pass
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():  # after a fork the process belongs to the parent
            self._owner = os.getpid()
            self._process = None
            self._waiting = {}
            self._write_lock = threading.Lock()
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [find_program(), *self._words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
            reader.start()
        return self._process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith(b"\n"):
                break  # the process died while it wrote
            answer = json.loads(line)
            with self._lock:
                open_job = self._waiting.pop(answer.get("id"), None)
            if open_job is not None:
                open_job[0].set_result(answer)
        process.stdout.close()
        with self._lock:
            if self._process is process:
                self._process = None
            lost = [job for job, (_, asked) in self._waiting.items() if asked is process]
            futures = [self._waiting.pop(job)[0] for job in lost]
        process.wait()
        for future in futures:
            future.set_exception(_died())


class _Died(CouldNotRun):
    pass


def _died() -> _Died:
    return _Died(
        "BATCH_WORKER_LOST",
        "the process that does the checks ended without an answer",
        "run `crosscheck doctor`, and look at what it printed",
    )


def _refused(future: Future[dict[str, Any]], code: str, message: str, help: str) -> Future[dict[str, Any]]:
    future.set_result({"error": {"code": code, "message": message, "help": help}})
    return future


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if error is not None:
        raise CouldNotRun(error["code"], error["message"], error.get("help", ""))
    return answer


_default: Worker | None = None
_default_lock = threading.Lock()


def default_worker() -> Worker:
    """The process that the functions of this module share."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Worker()
            atexit.register(_default.close)
        return _default


def set_default_worker(worker: Worker) -> None:
    """Lets the functions of this module use a process with other options."""
    global _default
    with _default_lock:
        _default = worker
        atexit.register(worker.close)
