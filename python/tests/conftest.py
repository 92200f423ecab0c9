from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import crosscheck

pytest_plugins = ["pytester"]


@pytest.fixture
def tour(tmp_path: Path) -> Path:
    """The files of `crosscheck demo`: a database, and a log with one lie."""
    folder = tmp_path / "tour"
    subprocess.run([crosscheck.find_program(), "demo", folder], check=True, capture_output=True)
    return folder


def sub_result(quote: str) -> dict[str, Any]:
    """A SubResult.v1 with one claim about `notes.txt`."""
    locator = {"type": "line_range", "path": "notes.txt", "start": 1, "end": 1}
    evidence = {"source": "notes.txt", "locator": locator, "quote": quote}
    claim = {"claim_id": "c1", "claim": quote, "confidence": 0.9, "evidence": [evidence]}
    answer = {"question": "What is the limit?", "summary": quote, "claims": [claim]}
    coverage = {"inputs_scanned": [{"source": "notes.txt", "method": "read", "scope": "all"}]}
    return {"version": "SubResult.v1", "task_id": "t", "status": "ok", "answers": [answer], "coverage": coverage}
