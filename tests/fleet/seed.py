#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Convert a recording to Parquet files in the layout of tally export, from the output of tally script.

usage: seed.py MODULES TALLY RECORDING DIRECTORY
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402

HEAD = re.compile(r"^ *(.+?) +(-?\d+)/(-?\d+) +(\d+)\.(\d+): +(\d+) +(\S+): *$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?: \((.*)\))?$")
COLUMNS = {
    "samples": "recording BIGINT, time_ns BIGINT, pid INTEGER, tid INTEGER, cpu INTEGER, comm VARCHAR, event VARCHAR, "
               "period UBIGINT, stack BIGINT",
    "stacks": "stack BIGINT, frames BIGINT[]",
    "frames": "frame BIGINT, depth INTEGER, function VARCHAR, file VARCHAR, line INTEGER, module VARCHAR, "
              "build_id VARCHAR, address UBIGINT, mode VARCHAR, inlined BOOLEAN, is_return BOOLEAN",
    "recordings": "recording BIGINT, file VARCHAR, hostname VARCHAR, kernel VARCHAR, arch VARCHAR, cpu_model VARCHAR, "
                  "cpus INTEGER, command VARCHAR, recorder VARCHAR, start_ns BIGINT, end_ns BIGINT, "
                  "clock_offset_ns BIGINT, clock VARCHAR, samples BIGINT, lost_samples BIGINT, lost_records BIGINT, "
                  "truncated BIGINT, unnamed BIGINT, resolved BOOLEAN, labels MAP(VARCHAR, VARCHAR)",
}
START_NS = 1795906800 * 10**9  # 2026-11-28 23:00 UTC


def content_id(*values):
    return int.from_bytes(hashlib.sha256(json.dumps(values).encode()).digest()[:8], "big") >> 1


def frame_rows(group):
    """Return the rows of a frame from its (address, function, module) lines, the innermost first."""
    rows = []
    for depth, (address, function, module) in enumerate(group):
        known = module not in ("[unknown]", "inlined", None)
        kernel = str(group[-1][2]).startswith("[") and group[-1][2] != "[unknown]"
        rows.append({"depth": depth, "function": None if function == "[unknown]" else function, "file": None, "line": None,
                     "module": module if known else group[-1][2] if group[-1][2] != "[unknown]" else None,
                     "build_id": hashlib.sha1(str(group[-1][2]).encode()).hexdigest(), "address": int(address, 16),
                     "mode": "kernel" if kernel else "user", "inlined": depth + 1 < len(group), "is_return": False})
    return rows


def parse(text):
    """Yield (sample, frames) for each sample in tally script's output."""
    sample, groups, group = None, [], []
    for line in text.split("\n"):
        head = HEAD.match(line)
        if head:
            comm, pid, tid, seconds, fraction, period, event = head.groups()
            sample = {"comm": comm, "pid": int(pid), "tid": int(tid), "cpu": None, "event": event, "period": int(period),
                      "time_ns": START_NS + int(seconds) * 10**9 + int(fraction.ljust(9, "0"))}
        elif sample and (frame := FRAME.match(line)):
            group.append(frame.groups())
            if frame[3] != "inlined":
                groups.append(group)
                group = []
        elif sample and not line.strip():
            yield sample, [frame_rows(one) for one in groups]
            sample, groups, group = None, [], []


def tables(text, name):
    """Return the rows of each table."""
    recording = content_id(name, text)
    found = {"samples": [], "stacks": {}, "frames": {}}
    for sample, frames in parse(text):
        ids = []
        for rows in frames:
            ids.append(content_id(rows))
            found["frames"][ids[-1]] = [{"frame": ids[-1], **row} for row in rows]
        sample["stack"] = content_id(ids) if ids else None
        if ids:
            found["stacks"][sample["stack"]] = {"stack": sample["stack"], "frames": ids}
        found["samples"].append({"recording": recording, **sample})
    times = [sample["time_ns"] for sample in found["samples"]]
    host = os.uname()
    about = {"recording": recording, "file": name, "hostname": host.nodename, "kernel": host.release, "arch": host.machine,
             "cpu_model": "unknown", "cpus": os.cpu_count(), "command": "", "recorder": "tally", "start_ns": min(times), "end_ns": max(times),
             "clock_offset_ns": START_NS, "clock": "monotonic", "samples": len(times), "lost_samples": 0, "lost_records": 0, "truncated": 0,
             "unnamed": 0, "resolved": True, "labels": {}}
    return {"samples": found["samples"], "stacks": list(found["stacks"].values()),
            "frames": [row for rows in found["frames"].values() for row in rows], "recordings": [about]}


def make_seed(modules, tally, recording, directory):
    """Write the Parquet files of a recording."""
    done = subprocess.run([tally, "script", "-i", recording, "--ns", "-F", "comm,pid,tid,time,event,ip,sym,dso,period"],
                          stdout=subprocess.PIPE, text=True, errors="replace", check=True)
    made = tables(done.stdout, os.path.basename(recording))
    identifier = f"{made['recordings'][0]['recording']:016x}"
    steps = []
    with tempfile.TemporaryDirectory() as work:
        for name, rows in made.items():
            path = os.path.join(directory, name, "date=2026-11-28", "host=seed")
            os.makedirs(path)
            with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            columns = ", ".join("{}: '{}'".format(*column.split(" ", 1)) for column in re.split(r", (?=[a-z])", COLUMNS[name]))
            steps.append({"sql": f"COPY (SELECT * FROM read_json('{work}/{name}', columns = {{{columns}}})) "
                                 f"TO '{path}/{identifier}.parquet' (COMPRESSION zstd)"})
        engines.run(modules, "duckdb", ":memory:", steps)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    make_seed(*sys.argv[1:])
