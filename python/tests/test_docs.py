"""The examples of the documents of this part, run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crosscheck

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.S)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with `crosscheck` on the PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/crosscheck").symlink_to(os.path.realpath(crosscheck.find_program()))
    return tmp_path


@pytest.mark.parametrize("page", ["batch.md", "ci.md"])
def test_what_is_typed_prints_what_is_shown(page: str, desk: Path) -> None:
    environment = {**os.environ, "PATH": f"{desk / 'bin'}:{os.environ['PATH']}"}
    found = blocks(page, "console")
    assert found
    for block in found:
        for part in block.split("$ ")[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(["bash", "-c", command], cwd=desk, env=environment, capture_output=True, text=True, check=False)
            for line in expected.splitlines():
                assert line.rstrip("…") in done.stdout, (command, done.stdout, done.stderr)


def test_the_python_examples_run(tour: Path) -> None:
    first, plugin, *_ = blocks("python.md", "python")
    done = subprocess.run([sys.executable, "-c", first], cwd=tour.parent, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("refuted\n") and "VALUE_MISMATCH" in done.stdout, done.stderr
    test = plugin.replace("run.messages", "'trusted.ndjson'")
    (tour / "test_example.py").write_text(test)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
    done = subprocess.run(words, cwd=tour, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
