"""The other verifiers, and what a report can do."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

import crosscheck
from conftest import sub_result
from crosscheck import aio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("The limit is 40 requests.\n")
    return tmp_path


def test_claims_are_compared_with_files(project: Path) -> None:
    report = crosscheck.claims(sub_result("The limit is 50 requests."), root=project)
    assert report.verdict == "refuted", report.explain()
    assert "invalid" not in report.units[0].reasons[0].code
    crosscheck.claims(sub_result("The limit is 40 requests."), root=project).assert_confirmed()


def test_judge_says_whether_a_text_supports_a_claim() -> None:
    report = crosscheck.judge("The limit is 40 requests.", "The limit is 40 requests.")
    assert report.verdict == "confirmed", report
    assert crosscheck.judge("The limit is 50 requests.", "The limit is 40 requests.").verdict == "refuted"


def test_done_looks_at_the_project(project: Path) -> None:
    report = crosscheck.done("I created `missing.py`.", root=project)
    assert report.verdict == "refuted", report.explain()
    assert crosscheck.done("Hello.", root=project).units == ()


def test_done_reads_the_last_message_of_a_transcript(project: Path) -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "I created `missing.py`."}]}
    session = [
        {"type": "user", "uuid": "a", "sessionId": "s", "message": {"role": "user", "content": "Create it."}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s", "message": said},
    ]
    log = "".join(json.dumps(line) + "\n" for line in session)
    assert crosscheck.done(transcript=log, root=project).verdict == "refuted"
    with pytest.raises(crosscheck.CouldNotRun, match="`session.jsonl` is not a session log"):
        crosscheck.done(transcript="{}\n", root=project)


def test_sources_without_a_network_decide_nothing(tmp_path: Path) -> None:
    with crosscheck.Worker(tmp_path, options=["--offline"]) as worker:
        text = {"text": "The sky is blue [1](https://example.org/sky)."}
        answer = worker.ask({"task": "sources", "document": text})
    assert answer["verdict"] == "undecided"


def test_quick_and_check_answer(tour: Path) -> None:
    assert crosscheck.quick(tour / "calls.ndjson", db=tour / "shop.db").verdict == "refuted"
    registry = [{"toolId": "t", "effectDescriptionTemplate": "x", "verification": {"kind": "nonsense"}}]
    with pytest.raises(crosscheck.CouldNotRun):
        crosscheck.check("wf", events="{}", registry=json.dumps(registry), db=tour / "shop.db")


def test_verify_needs_a_worker_that_allows_it(project: Path) -> None:
    with pytest.raises(crosscheck.CouldNotRun, match="--allow-verify"):
        crosscheck.verify("w", project=project)


def test_a_code_is_explained() -> None:
    assert "VALUE_MISMATCH" in crosscheck.explain("VALUE_MISMATCH")


def test_a_report_is_a_page_a_table_and_words(tour: Path) -> None:
    report = crosscheck.rows(tour / "calls.ndjson", db=tour / "shop.db")
    page = report.to_html()
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert "VALUE_MISMATCH" in page and "<iframe" in report._repr_html_()
    assert json.loads(report.render("sarif"))["version"] == "2.1.0"
    assert "status is paid, claimed refunded" in report.explain()
    pandas = pytest.importorskip("pandas")
    frame = report.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["verdict"]).count("refuted") == 1


def test_units_are_those_of_the_program(tour: Path) -> None:
    words = ["rows", "calls.ndjson", "--db", "shop.db", "--format", "ndjson"]
    run = subprocess.run([crosscheck.find_program(), *words], cwd=tour, capture_output=True, check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    outcomes = [line for line in lines if line["type"] == "outcome"]
    units = crosscheck.rows(tour / "calls.ndjson", db=tour / "shop.db").answer["units"]
    assert [one["verdict"] for one in outcomes] == [one["verdict"] for one in units]
    assert [one["reasons"] for one in outcomes] == [one["reasons"] for one in units]


def test_async_variants_run_at_the_same_time(tour: Path) -> None:
    async def several() -> list[str]:
        asked = (aio.rows(tour / "calls.ndjson", db=tour / "shop.db") for _ in range(20))
        return [report.verdict for report in await asyncio.gather(*asked)]

    assert asyncio.run(several()) == ["refuted"] * 20
