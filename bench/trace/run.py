#!/usr/bin/env python3
"""Measures crosscheck beside the Python package and openssl.

    bench/trace/run.py [--bin target/release/crosscheck] [--python PYTHON] [--dir DIR] [--only NAME] [--update]

PYTHON is an interpreter with bijux-canon-reason 0.3.9; without it that column
stays empty. Runs are made once under DIR and kept. CPU seconds are user plus
system time of the child, memory its peak resident set; the best of three (of the
package: one).
`--update` writes the tables into docs/PERFORMANCE.md and docs/trace.md.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
# events, bytes of evidence, files (None: every fifth event has one of its own)
RUNS = {
    "100k-10MB": (100_000, 10_000_000, None),
    "100k-1GB": (100_000, 1_000_000_000, None),
    "100k-documents": (100_000, 10_000_000, 500),
    "1M": (1_000_000, 20_000_000, None),
}
# the package takes minutes for these
PACKAGE_ONCE = {"1M", "100k-1GB"}


def measure(command, times):
    """Best CPU seconds, peak memory in MB, what was said."""
    best = None
    for _ in range(times):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = child.stdout.read().decode(errors="replace").strip()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seen = (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)
        best = min(best or seen, seen)
    return best


def openssl(folder, times):
    """CPU seconds of openssl over all evidence, a few processes for many files."""
    names = sorted(str(path) for path in (folder / "evidence").iterdir())
    batches = [names[at:at + 5000] for at in range(0, len(names), 5000)]
    return min(sum(measure(["openssl", "dgst", "-sha256", *batch], 1)[0] for batch in batches) for _ in range(times))


def size(folder):
    return sum(path.stat().st_size for path in (folder / "evidence").iterdir())


def prepare(options):
    for name, (events, size_, files) in RUNS.items():
        folder = Path(options.dir) / name
        if options.only in (None, name) and not (folder / "plan.json").exists():
            more = [] if files is None else [str(files)]
            subprocess.run([sys.executable, HERE / "generate.py", folder, str(events), str(size_), *more], check=True)


def rows(options):
    """One measured row for each run."""
    for name, (events, _, _) in RUNS.items():
        if options.only not in (None, name):
            continue
        folder = Path(options.dir) / name
        ours = theirs = None
        # in turns, so that a machine that is slower for a while is so for both
        for turn in range(options.times):
            seen = measure([options.bin, "trace", str(folder)], 1)
            ours = min(ours or seen, seen)
            if options.python and (turn == 0 or name not in PACKAGE_ONCE):
                seen = measure([options.python, str(HERE / "package.py"), str(folder)], 1)
                theirs = min(theirs or seen, seen)
        assert ours[2].startswith(("accepted", '{"report_version":1,"verdict":"accepted"')), ours[2][:200]
        assert theirs is None or theirs[2] == "accepted", theirs[2][:200]
        files = sum(1 for _ in (folder / "evidence").iterdir())
        yield {"run": name, "events": events, "files": files, "bytes": size(folder), "ours": ours, "theirs": theirs,
               "openssl": openssl(folder, options.times)}


def table(measured):
    lines = ["| run | events | evidence files | evidence MB | CPU s | peak MB | package, CPU s | times less CPU | openssl over the evidence, CPU s |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in measured:
        cpu, peak, _ = row["ours"]
        theirs = f"{row['theirs'][0]:.2f} | {row['theirs'][0] / cpu:.0f}" if row["theirs"] else "– | –"
        lines.append(f"| {row['run']} | {row['events']:,} | {row['files']:,} | {row['bytes'] / 1e6:,.0f} | {cpu:.2f} | "
                     f"{peak:.0f} | {theirs} | {row['openssl']:.2f} |")
    return "\n".join(lines)


def hashing(measured):
    """Bytes per CPU second of what the larger evidence costs beyond the smaller."""
    by_name = {row["run"]: row for row in measured}
    if not {"100k-10MB", "100k-1GB"} <= by_name.keys():
        return ""
    small, large = by_name["100k-10MB"], by_name["100k-1GB"]
    more = (large["bytes"] - small["bytes"]) / 1e6
    ours = more / (large["ours"][0] - small["ours"][0])
    theirs = more / (large["openssl"] - small["openssl"])
    return (f"\n\nThe 1 GB run and the 10 MB run have the same trace and the same number of files. The {more:,.0f} MB between them cost "
            f"crosscheck {more / ours:.2f} CPU seconds ({ours:,.0f} MB for each), openssl {more / theirs:.2f} ({theirs:,.0f} MB): "
            f"{ours / theirs:.2f} times its bytes per CPU second.")


def update(text):
    for path in [DOCS / "PERFORMANCE.md", DOCS / "trace.md"]:
        before, _, rest = path.read_text().partition("<!-- trace -->\n")
        _, end, after = rest.partition("<!-- end trace -->")
        assert end, path
        path.write_text(f"{before}<!-- trace -->\n{text}\n{end}{after}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="target/release/crosscheck")
    parser.add_argument("--python")
    parser.add_argument("--dir", default="target/bench-trace")
    parser.add_argument("--only", choices=RUNS)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    prepare(options)
    measured = list(rows(options))
    text = table(measured) + hashing(measured)
    print(text)
    if options.update:
        update(text)


main()
