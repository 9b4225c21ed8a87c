#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare attrs, groups, build IDs, reports and other fields of our recordings with perf 6.1's output, byte for byte.
In reports only, rows of equal weight may be in any order, and percentages may differ by rounding.

usage: golden_text.py TALLY FIXTURES

golden/perf61-text/index.tsv lists perf's arguments. See tests/fixtures/README.md.
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

TALLY, FIXTURES = sys.argv[1:3]
GOLDEN = os.path.join(FIXTURES, "golden", "perf61-text")
# User-space recordings in which some counter interrupts arrived late. perf shows no location for such samples, whereas
# tally attributes them to the kernel.
HIDDEN_KERNEL = {"arm64/perf-registers.data", "arm64/tally-registers.data"}
SYMFS = tempfile.TemporaryDirectory()


def report(text):
    """Return the number of samples and the count for each event, and the percentages in its rows."""
    event, heads, rows = None, {}, {}
    for line in text.splitlines():
        found = re.match(r"# Samples: (\S+) +of events? '(.*)'", line)
        if found:
            event = found[2]
            heads[event] = [found[1]]
        elif line.startswith("# Event count"):
            heads[event].append(line)
        elif line and not line.startswith("#"):
            percent, *row = [cell.strip() for cell in line.split(";")]
            rows[event, tuple(row)] = float(percent.rstrip("%"))
    return heads, rows


def same_report(got, want, what):
    (ours, our_rows), (theirs, their_rows) = report(got), report(want)
    tap.same(ours, theirs, f"{what}: samples and counts")
    tap.same(sorted(our_rows), sorted(their_rows), f"{what}: rows")
    for row, share in their_rows.items():
        assert abs(our_rows[row] - share) <= 0.0101, f"{what}: {row}: perf {share} %, tally {our_rows[row]} %"


def check(file, recording, view, args):
    with gzip.open(os.path.join(GOLDEN, file), "rt", encoding="utf-8", errors="replace") as golden:
        want = golden.read()
    if recording in HIDDEN_KERNEL:
        want = re.sub(r"(?<=;)\[unknown\]", "[kernel]", want)
    given = ["--symfs", SYMFS.name] if args[0] in ("script", "report") else []
    done = subprocess.run([TALLY, *args, *given, "-i", os.path.join(FIXTURES, "perfdata", recording)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    tap.same(done.returncode, 0, done.stderr.decode(errors="replace"))
    (same_report if view == "report" else tap.same)(done.stdout.decode(errors="replace"), want, file)


def main():
    with open(os.path.join(GOLDEN, "index.tsv"), encoding="ascii") as index:
        rows = [line.rstrip("\n").split("\t") for line in index][1:]
    assert len(rows) > 150, f"only {len(rows)} rows"
    for file, recording, view, args in rows:
        globals()[f"test_{view} of {recording}"] = (
            lambda file=file, recording=recording, view=view, args=args.split(): check(file, recording, view, args))
    tap.main(__name__)


main()
