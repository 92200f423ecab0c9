#!/usr/bin/env python3
"""Measures crosscheck beside the Python package and openssl.

    bench/trace/run.py [--bin target/release/crosscheck] [--python PYTHON] [--dir DIR] [--only NAME]

PYTHON is an interpreter with bijux-canon-reason 0.3.9; without it that column
stays empty. Runs are made once under DIR and kept. CPU seconds are user plus
system time of the child, memory its peak resident set; the best of three.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
RUNS = {"100k-10MB": (100_000, 10_000_000), "100k-1GB": (100_000, 1_000_000_000), "1M": (1_000_000, 20_000_000)}


def measure(command, times, **options):
    """Best CPU seconds, its wall time, peak memory in MB, output."""
    best = None
    for _ in range(times):
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        output = child.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seen = (usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024, output.strip())
        best = min(best or seen, seen)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="target/release/crosscheck")
    parser.add_argument("--python")
    parser.add_argument("--dir", default="target/bench-trace")
    parser.add_argument("--only", choices=RUNS)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    print("run | tool | CPU s | wall s | peak MB | says")
    for name, (events, size) in RUNS.items():
        if options.only not in (None, name):
            continue
        folder = Path(options.dir) / name
        if not (folder / "plan.json").exists():
            subprocess.run([sys.executable, HERE / "generate.py", folder, str(events), str(size)], check=True)
        tools = [("crosscheck", [options.bin, "trace", str(folder)], options.times)]
        if options.python and name != "1M":
            tools.append(("package", [options.python, str(HERE / "package.py"), str(folder)], 1))
        for tool, command, times in tools:
            cpu, wall, peak, says = measure(command, times)
            print(f"{name} | {tool} | {cpu:.2f} | {wall:.2f} | {peak:.0f} | {says.splitlines()[0][:60]}", flush=True)
        # the same bytes: all evidence through one openssl
        hashing = f"find {folder}/evidence -type f -print0 | xargs -0 -n 5000 openssl dgst -sha256 > /dev/null"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["sh", "-c", hashing], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{name} | openssl (evidence only) | {cpu:.2f} | | |", flush=True)


main()
