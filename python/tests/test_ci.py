"""The shell parts of the GitHub action, the GitLab template and the hooks, as those run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import crosscheck

yaml = pytest.importorskip("yaml")
HOME = Path(__file__).resolve().parents[2]


def read(name: str) -> Any:
    return yaml.safe_load((HOME / name).read_text())


class Runner:
    """A runner of GitHub Actions, as far as a composite action sees it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temp = folder / "temp"
        self.temp.mkdir()
        self.outputs: dict[str, dict[str, str]] = {}

    def run(self, inputs: dict[str, str]) -> tuple[int, str]:
        action = read("action.yml")
        given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()} | inputs
        printed, code = "", 0
        for step in action["runs"]["steps"]:
            if "run" not in step or code != 0:
                continue
            (self.temp / "output").write_text("")
            variables = {name: self.filled(value, given) for name, value in step["env"].items()}
            environment = {
                **{key: value for key, value in os.environ.items() if not key.startswith("CROSSCHECK_")},
                **variables,
                "GITHUB_ACTIONS": "true",
                "GITHUB_OUTPUT": str(self.temp / "output"),
                "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
                "RUNNER_TEMP": str(self.temp),
            }
            words = [step["shell"], "-e", "-c", step["run"]]
            done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
            printed, code = printed + done.stdout + done.stderr, done.returncode
            lines = (self.temp / "output").read_text().splitlines()
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        return code, printed

    def filled(self, text: str, inputs: dict[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            parts = match[1].strip().split(".")
            if parts[0] == "inputs":
                return inputs[parts[1]]
            if parts[0] == "steps":
                return self.outputs[parts[1]][parts[3]]
            return {"runner.temp": str(self.temp), "github.action_path": str(HOME)}[match[1].strip()]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)


POLICY = """
[[check]]
name = "calls"
verifier = "rows"
log = "calls.ndjson"
sqlite = "shop.db"

[[check]]
name = "trusted"
verifier = "rows"
log = "trusted.ndjson"
sqlite = "shop.db"
"""


@pytest.fixture
def runner(tour: Path) -> Runner:
    (tour / "crosscheck.toml").write_text(POLICY)
    return Runner(tour)


def repository(folder: Path, message: str) -> str:
    """A commit that adds one file, with this message; the commit before it is returned."""

    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "begin")
    base = git("rev-parse", "HEAD")
    (folder / "added.txt").write_text("x\n")
    git("add", "added.txt")
    git("commit", "-q", "-m", message)
    git("update-ref", "refs/remotes/origin/HEAD", base)
    return base


def test_a_check_of_ci_that_could_not_run_is_annotated_and_fails(runner: Runner) -> None:
    more = POLICY + '\n[[check]]\nname = "gone"\nverifier = "rows"\nlog = "gone.ndjson"\nsqlite = "shop.db"\n'
    (runner.folder / "crosscheck.toml").write_text(more)
    code, printed = runner.run({"command": "ci", "fail-on": "never", "program": crosscheck.find_program()})
    assert code == 3 and "gone.ndjson" in printed and "::error file=calls.ndjson,line=3" in printed, printed
    assert Path(runner.temp / "crosscheck-report/report.html").is_file()


@pytest.mark.parametrize(("body", "expected"), [("Adds `added.txt`.", 0), ("Deleted `added.txt`.", 1)])
def test_the_text_of_a_pull_request_needs_no_arguments(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, body: str, expected: int
) -> None:
    base = repository(runner.folder, "change")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=runner.folder, capture_output=True, text=True, check=True).stdout.strip()
    event = {"pull_request": {"title": "Change", "body": body, "base": {"sha": base}, "head": {"sha": head}}}
    (runner.temp / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(runner.temp / "event.json"))
    code, printed = runner.run({"command": "pr", "program": crosscheck.find_program()})
    assert code == expected, printed
    monkeypatch.delenv("GITHUB_EVENT_PATH")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", base)
    monkeypatch.setenv("CI_MERGE_REQUEST_TITLE", "Change $(touch owned)")
    monkeypatch.setenv("CI_MERGE_REQUEST_DESCRIPTION", body)
    code, printed = runner.run({"command": "pr", "program": crosscheck.find_program()})
    assert code == expected, printed
    assert not list(runner.folder.rglob("owned"))


def test_the_action_annotates_sums_up_and_fails_on_a_lie(runner: Runner) -> None:
    inputs = {"command": "rows", "args": "calls.ndjson\n--db\nshop.db\n", "program": crosscheck.find_program()}
    code, printed = runner.run(inputs)
    assert code == 1 and "::error file=calls.ndjson,line=3" in printed, printed
    outputs = runner.outputs["check"]
    assert outputs["verdict"] == "refuted"
    assert json.loads(Path(outputs["sarif"]).read_text())["runs"][0]["results"]
    assert "VALUE_MISMATCH" in (runner.temp / "summary").read_text()
    assert "VALUE_MISMATCH" in Path(outputs["report"]).read_text()


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"command": "rows", "args": "trusted.ndjson\n--db\nshop.db"}, 0),
        ({"command": "rows", "args": "calls.ndjson\n--db\nshop.db", "fail-on": "never"}, 0),
        ({"command": "rows", "args": "missing.ndjson\n--db\nshop.db", "fail-on": "never"}, 3),
        ({"command": "rows; touch owned", "args": ""}, 3),
        ({"command": "ci", "args": "trusted"}, 0),
        ({"command": "ci", "args": ""}, 1),
        ({"command": "ci", "args": "", "fail-on": "never"}, 0),
        ({"command": "ci", "args": "$(touch owned)"}, 3),
        ({"command": "rows", "args": "$(touch owned)\n`touch owned`\n'; touch owned; '"}, 3),
        ({"command": "rows", "args": "trusted.ndjson\n--db\nshop.db", "fail-on": "$(touch owned)"}, 3),
    ],
)
def test_inputs_are_words_and_never_a_script(runner: Runner, inputs: dict[str, str], expected: int) -> None:
    code, printed = runner.run({**inputs, "program": crosscheck.find_program()})
    assert code == expected, printed
    assert not list(runner.folder.rglob("owned"))


@pytest.mark.parametrize(("fail_on", "expected"), [("", 2), ("refuted", 0)])
def test_a_branch_that_empties_a_log_does_not_silence_its_check(runner: Runner, fail_on: str, expected: int) -> None:
    (runner.folder / "trusted.ndjson").write_text("")
    inputs = {"command": "ci", "args": "trusted", "program": crosscheck.find_program()}
    code, printed = runner.run({**inputs, **({"fail-on": fail_on} if fail_on else {})})
    assert code == expected, printed


def test_no_script_of_a_workflow_or_action_has_an_expression_in_it() -> None:
    files = [HOME / "action.yml", *(HOME / ".github/workflows").glob("*.yml")]
    for file in files:
        document = yaml.safe_load(file.read_text())
        jobs = document.get("jobs", {}).values()
        steps = document["runs"]["steps"] if "runs" in document else [step for job in jobs for step in job["steps"]]
        for step in steps:
            assert "${{" not in step.get("run", ""), f"{file.name}: {step['run']}"


def test_every_version_of_python_that_is_promised_is_tried() -> None:
    job = read(".github/workflows/test.yml")["jobs"]["python"]
    assert job["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in range(10, 15)]
    assert 'requires-python = ">=3.10"' in (HOME / "pyproject.toml").read_text()


def test_the_gitlab_template_runs_the_same_check(tour: Path) -> None:
    job = read("integrations/gitlab/crosscheck.yml")[".crosscheck"]
    variables = {"CROSSCHECK_COMMAND": "rows", "CROSSCHECK_ARGS": "calls.ndjson\n--db\nshop.db\n"}
    environment = {**os.environ, **job["variables"], **variables, "CROSSCHECK_PROGRAM": crosscheck.find_program()}
    environment = {key: value for key, value in environment.items() if not key.startswith("GITHUB")}
    python = str(Path(shutil.which("python3") or "python3").parent)
    environment["PATH"] = f"{Path(os.sys.executable).parent}:{python}:{environment['PATH']}"  # type: ignore[attr-defined]
    script = "\n".join(job["script"])
    done = subprocess.run(["sh", "-e", "-c", script], cwd=tour, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert (tour / job["artifacts"]["paths"][0] / "report.sarif").is_file()
    assert any("$CROSSCHECK_VERSION" in line for line in job["before_script"])


def test_the_hooks_run(tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("No page is cited here.\n")
    (tmp_path / "crosscheck-registry.json").write_text("[]")
    (tmp_path / "crosscheck.toml").write_text('[[check]]\nname = "a"\nverifier = "sources"\ndocument = "plain.md"\n')
    repository(tmp_path, "Add `added.txt`")
    files = {
        "crosscheck-sources": ["plain.md"],
        "crosscheck-registry": ["crosscheck-registry.json"],
        "crosscheck-ci": [],
        "crosscheck-pr": [],
    }
    hooks = {hook["id"]: hook for hook in read(".pre-commit-hooks.yaml")}
    assert hooks.keys() == files.keys()
    for name, hook in hooks.items():
        program, *words = hook["entry"].split()
        assert program == "crosscheck" and hook["language"] == "system"
        words = [crosscheck.find_program(), *words, *hook.get("args", []), *files[name]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        # the program understood its words: an empty registry is invalid, a text without citations undecided
        assert done.returncode in (0, 1, 2), (name, done.stdout, done.stderr)
        assert "CLI_USAGE" not in done.stderr and "VALIDATE_REGISTRY_USAGE" not in done.stderr


def test_the_dockerfile_is_small_and_not_root() -> None:
    lines = [line for line in (HOME / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
    stages = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert all(":" in image and not image.endswith(":latest") for image in stages)
    last = lines[max(number for number, line in enumerate(lines) if line.startswith("FROM ")) :]
    assert "distroless" in last[0] and any(line.startswith("USER nonroot") for line in last)
    assert not any(line.startswith(("ADD ", "RUN ")) for line in last)
    assert last[-2].startswith('ENTRYPOINT ["')
    for line in last:
        if line.startswith("COPY --from=build /source/"):
            source = line.split()[2].removeprefix("/source/")
            assert source.startswith("target/") or (HOME / source).exists(), source


def test_the_image_is_built_and_runs_where_an_engine_answers() -> None:
    for engine in ("docker", "podman"):
        if shutil.which(engine) and subprocess.run([engine, "info"], capture_output=True, check=False).returncode == 0:
            break
    else:
        pytest.skip("no container engine answers here; the Dockerfile was only linted")
    subprocess.run([engine, "build", "--tag", "crosscheck-test", str(HOME)], check=True)
    run = [engine, "run", "--rm", "--tmpfs", "/tmp:mode=1777", "--workdir", "/tmp", "crosscheck-test"]
    for words, code in ((["--version"], 0), (["demo", "/tmp/tour"], 0), (["rows", "missing", "--db", "missing"], 3)):
        done = subprocess.run([*run, *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, (words, done.stderr)


def test_the_formula_and_the_list_of_parts_are_written(tmp_path: Path) -> None:
    targets = [f"{cpu}-{system}" for cpu in ("aarch64", "x86_64") for system in ("apple-darwin", "unknown-linux-gnu")]
    for target in targets:
        (tmp_path / f"crosscheck-v9-{target}.tar.gz.sha256").write_text(f"{'ab' * 32}  x\n")
    words = [os.sys.executable, str(HOME / "scripts/packages")]  # type: ignore[attr-defined]
    formula = subprocess.run([*words, "formula", str(tmp_path), "v9"], capture_output=True, text=True, check=True).stdout
    assert formula.count("sha256") == 4 and formula.count("  end\n") >= 6
    if shutil.which("ruby"):
        subprocess.run(["ruby", "-c"], input=formula, text=True, check=True, capture_output=True)


def test_the_archive_of_a_release_holds_what_it_should(tmp_path: Path) -> None:
    if not shutil.which("cargo"):
        pytest.skip("the list of parts needs cargo")
    words = ["scripts/archive", crosscheck.find_program(), "v9", "x86_64-unknown-linux-gnu", str(tmp_path)]
    subprocess.run(words, cwd=HOME, check=True, capture_output=True)
    name = "crosscheck-v9-x86_64-unknown-linux-gnu"
    listed = subprocess.run(["tar", "tzf", f"{name}.tar.gz"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for file in ("crosscheck", "LICENSE-MIT", "completions/crosscheck.bash", "man/crosscheck.1"):
        assert f"{name}/{file}\n" in listed.stdout, file
    subprocess.run(["sha256sum", "--check", f"{name}.tar.gz.sha256"], cwd=tmp_path, check=True, capture_output=True)
    parts = json.loads((tmp_path / f"{name}.cdx.json").read_text())
    assert parts["bomFormat"] == "CycloneDX" and any(one["name"] == "rusqlite" for one in parts["components"])
