"""Verifies a run with the published Python package: package.py DIR."""

import json
import sys
from pathlib import Path

from bijux_canon_reason.core.types import Plan
from bijux_canon_reason.interfaces.serialization.trace_jsonl import read_trace_jsonl
from bijux_canon_reason.verification.verifier import verify_trace

folder = Path(sys.argv[1])
trace = read_trace_jsonl(folder / "trace.jsonl")
plan = Plan.model_validate(json.loads((folder / "plan.json").read_text()))
report = verify_trace(trace=trace, plan=plan, artifacts_dir=folder)
print("accepted" if not report.failures else f"rejected: {report.failures[0].message}")
