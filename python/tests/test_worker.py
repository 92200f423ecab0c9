"""The process behind the functions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import crosscheck
from crosscheck._worker import _checked as checked

JOB = {"task": "judge", "claim": "The sky is blue.", "text": "The sky is blue."}


def test_a_process_that_died_is_started_again() -> None:
    with crosscheck.Worker() as worker:
        worker.ask(JOB)
        assert worker._process is not None
        first = worker._process.pid
        os.kill(first, signal.SIGKILL)
        assert worker.ask(JOB)["verdict"] == "confirmed"
        assert worker._process is not None and worker._process.pid != first


def test_open_jobs_of_a_process_that_died_are_asked_again() -> None:
    with crosscheck.Worker(jobs=1) as worker:
        answers = []
        for number, answer in enumerate(worker.ask_all([JOB] * 2000)):
            answers.append(answer["verdict"])
            if number == 500:
                assert worker._process is not None
                os.kill(worker._process.pid, signal.SIGKILL)
    assert answers == ["confirmed"] * 2000


def test_many_threads_get_their_own_answers() -> None:
    with crosscheck.Worker() as worker, ThreadPoolExecutor(16) as threads:

        def subject(number: int) -> str:
            claim = f"The limit is {number}."
            return str(worker.ask({"task": "judge", "claim": claim, "text": claim})["subject"])

        subjects = list(threads.map(subject, range(400)))
    assert subjects == [f"The limit is {number}." for number in range(400)]


def test_a_fork_asks_a_process_of_its_own() -> None:
    with crosscheck.Worker() as worker:
        worker.ask(JOB)
        child = os.fork()
        if child == 0:
            answer = worker.ask(JOB)["verdict"]
            os._exit(0 if answer == "confirmed" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert worker.ask(JOB)["verdict"] == "confirmed"


def test_jobs_stay_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.jsonl").write_text("{}\n")
    (tmp_path / "in/link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with crosscheck.Worker(tmp_path / "in") as worker:
        for path in (str(tmp_path / "secret.jsonl"), "../secret.jsonl", "link.jsonl"):
            with pytest.raises(crosscheck.CouldNotRun):
                worker.ask({"task": "sources", "document": {"path": path}})


def test_a_program_that_ends_leaves_no_process() -> None:
    code = "import crosscheck; crosscheck.judge('a', 'a'); print(crosscheck.default_worker()._process.pid)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(run.stdout), 0)


@pytest.mark.parametrize(
    ("job", "code"),
    [({**JOB, "text": "y " * (33 << 20)}, "INPUT_TOO_LARGE"), ({**JOB, "text": float("nan")}, "CLI_USAGE")],
)
def test_a_job_that_cannot_be_read_is_an_error_and_no_wait(job: dict[str, object], code: str) -> None:
    with crosscheck.Worker() as worker:
        with pytest.raises(crosscheck.CouldNotRun, match=code):
            checked(worker.submit(job).result(60))


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSCHECK_PROGRAM", "/nonexistent/crosscheck")
    with crosscheck.Worker() as worker, pytest.raises(FileNotFoundError, match="nonexistent"):
        worker.ask(JOB)
