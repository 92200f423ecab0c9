"""The examples of the documents of this part, run as they stand."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crosscheck

HOME = Path(__file__).resolve().parents[2]
DOCS = HOME / "docs"


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


def readme_line(caller: str) -> str:
    """What the table "Called from anywhere" of the README shows for a caller."""
    page = (HOME / "README.md").read_text()
    return re.search(rf"^\| {re.escape(caller)} \| `(.*?)`", page, re.M)[1]


def test_the_line_for_python_in_the_readme_runs(tour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = readme_line("Python, pytest")
    monkeypatch.chdir(tour)
    exec(line, {"crosscheck": crosscheck, "log": "trusted.ndjson"})
    with pytest.raises(AssertionError, match="VALUE_MISMATCH"):
        exec(line, {"crosscheck": crosscheck, "log": "calls.ndjson"})


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_the_line_for_node_in_the_readme_runs(tour: Path) -> None:
    (tour / "node_modules").mkdir()
    (tour / "node_modules/crosscheck-cli").symlink_to(HOME / "npm/crosscheck-cli")
    asked = 'console.log((await rows("calls.ndjson", { db: "shop.db" })).verdict);'
    (tour / "check.mjs").write_text(f"{readme_line('Node')};\n{asked}\n")
    environment = {**os.environ, "CROSSCHECK_PROGRAM": crosscheck.find_program()}
    done = subprocess.run(["node", "check.mjs"], cwd=tour, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "refuted\n", done.stderr


def test_the_other_lines_of_the_readme_name_what_is_there() -> None:
    for caller in ("any language", "an agent"):
        _, command = readme_line(caller).split()
        subprocess.run([crosscheck.find_program(), command, "--help"], check=True, capture_output=True)
    repository = readme_line("Claude Code").split()[-1]
    plugins = json.loads((HOME / ".claude-plugin/marketplace.json").read_text())["plugins"]
    assert plugins and all((HOME / plugin["source"]).is_dir() for plugin in plugins)
    version = re.search(r'^version = "(.*)"', (HOME / "Cargo.toml").read_text(), re.M)[1]
    assert readme_line("GitHub, GitLab, pre-commit") == f"uses: {repository}@v{version}"
    from crosscheck.spark import verify

    called = re.match(r"crosscheck\.spark\.verify\(frame, (\w+)=", readme_line("Spark, Ray"))[1]
    assert called in inspect.signature(verify).parameters
