#!/usr/bin/env python3
"""Makes a valid run of a given size: generate.py DIR EVENTS EVIDENCE_BYTES [FILES].

One gather step holds calls, results and evidence in turn, one derive step the
claims; one claim is derived, the others are observed, all of them cite two
places. Every id is the hash it should be, so that the run is accepted. Without
FILES every fifth event registers a file of its own, which is the hard case:
there are as many small files to open as claims to read.
"""

import hashlib
import json
import os
import sys
from pathlib import Path


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def stable(prefix, value):
    return f"{prefix}_v1_{sha(canonical(value))}"


def plan():
    nodes, before = [], []
    for kind in ["understand", "gather", "derive", "verify", "finalize"]:
        recipe = {"kind": kind, "deps": before, "params": {}}
        node = {"id": stable("node", recipe), "kind": kind, "dependencies": before, "parameters": {},
                "step": {"kind": kind, "notes": "", "tool_requests": []}}
        nodes.append(node)
        before = [node["id"]]
    made = {"problem": "bench", "spec_id": "bench", "nodes": nodes, "edges": []}
    return {**made, "id": stable("plan", made)}


def main():
    folder, count, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    (folder / "evidence").mkdir(parents=True)
    the_plan = plan()
    steps = {node["kind"]: node["id"] for node in the_plan["nodes"]}
    # of ten events: three calls, three results, two evidence, two claims
    tens = (count - 10) // 10
    files, claims = 2 * tens, 2 * tens
    if len(sys.argv) > 4:
        files = int(sys.argv[4])
    calls = (count - 10 - files - claims) // 2
    length = max(64, size // files)
    events = []

    def add(kind, step, **fields):
        events.append({"idx": len(events), "kind": kind, "step_id": steps[step], **fields})

    def finish(step, **output):
        add("step_finished", step, output=output)

    add("step_started", "understand")
    finish("understand", type="understand", normalized_question="bench", assumptions=[], task_type="generic")
    add("step_started", "gather")
    for nth in range(calls):
        arguments = {"query": f"question {nth}", "top_k": 3}
        call_id = stable("call", {"step_id": steps["gather"], "i": nth, "tool": "retrieve", "args": arguments})
        add("tool_called", "gather", call={"id": call_id, "tool_name": "retrieve", "arguments": arguments,
                                           "step_id": steps["gather"], "call_idx": nth})
        add("tool_returned", "gather", result={"call_id": call_id, "success": True, "error": None,
                                               "result": {"hits": [nth, nth + 1], "score": 0.25}})
    evidence = []
    block = os.urandom(1 << 16)
    for nth in range(files):
        head = f"Evidence number {nth}. ".encode()
        body = (head + block * (length // len(block) + 1))[:length]
        digest = sha(body)
        recipe = {"uri": f"corpus://{nth}", "sha256": digest, "span": [0, length], "chunk_id": digest}
        name = stable("ev", recipe)
        path = f"evidence/{name}.txt"
        (folder / path).write_bytes(body)
        evidence.append((name, body[:64]))
        add("evidence_registered", "gather", evidence={**recipe, "id": name, "content_path": path})
    finish("gather", type="gather", evidence_ids=[], retrieval_queries=[], retrieval_provenance={})
    add("step_started", "derive")
    header_hash = None
    for nth in range(claims):
        supports, text = [], f"Claim {nth}."
        for name, head in (evidence[nth % files], evidence[(nth + 1) % files]):
            start, end = nth % 7, 20 + nth % 9
            digest = sha(head[start:end])
            supports.append({"kind": "evidence", "ref_id": name, "span": [start, end],
                             "snippet_sha256": digest, "hash_algo": "sha256"})
            text += f" [evidence:{name}:{start}-{end}:{digest}]"
        joined = ";".join(f"{s['ref_id']}:{s['span'][0]}-{s['span'][1]}:{s['snippet_sha256']}" for s in supports)
        result = sha(f"{text}|{joined}")
        header_hash = header_hash or result
        claim = {"statement": text, "status": "proposed", "confidence": 0.5, "supports": supports,
                 "claim_type": "derived" if nth == 0 else "observed",
                 "structured": {"result_sha256": result, "reasoner": {"reasoner": "baseline_extractive_v2"}}}
        add("claim_emitted", "derive", claim={**claim, "id": stable("claim", claim)})
    finish("derive", type="derive", claim_ids=[])
    add("step_started", "verify")
    finish("verify", type="verify", validated_claim_ids=[], rejected_claim_ids=[], missing_support_claim_ids=[])
    add("step_started", "finalize")
    finish("finalize", type="finalize", final_claim_ids=[], final_answer=None, uncertainty=None)
    header = {"metadata": {"reasoning_trace": {"reasoning_trace_sha256": header_hash},
                           "reasoning_policy": {"min_supports_per_claim": 2}},
              "spec_id": "bench", "plan_id": the_plan["id"], "runtime_protocol_version": 1,
              "schema_version": 1, "fingerprint_algo": "sha256", "canonicalization_version": 1}
    header["id"] = stable("trace", {**header, "events": events})
    with open(folder / "trace.jsonl", "w", encoding="utf-8") as out:
        out.write(canonical({"record": "trace_header", **header}) + "\n")
        for event in events:
            out.write(canonical({"record": "trace_event", "event": event}) + "\n")
    (folder / "plan.json").write_text(canonical(the_plan), encoding="utf-8")
    print(f"{folder}: {len(events)} events, {files} files of {length} bytes")


main()
