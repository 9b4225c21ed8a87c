#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure the CPU time, peak memory and output size of each `tally report --format` format. For comparison, also
measure `perf script` piped into a stack-folding script, and `perf data convert --to-json`. All commands read the same
recording and run alternately; the results are medians.

usage: exports.py TALLY RECORDING [ROUNDS [ROUNDS OF PERF]]

TALLY is the program in a meson build; bench/ in that build must contain the helper program cost.
"""
import gzip
import os
import shutil
import sys
import tempfile

import measure

FORMATS = ("folded", "callgrind", "pprof", "otlp", "speedscope", "firefox", "perfetto", "json", "csv")

def packed(path):
    with open(path, "rb") as file, gzip.open(path + ".gz", "wb", 6) as out:
        shutil.copyfileobj(file, out)
    return os.path.getsize(path + ".gz")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tally, recording = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    rounds, perf_rounds = (int(given) for given in (sys.argv[3:] + ["5", "1"][len(sys.argv) - 3:])[:2])
    folder = tempfile.mkdtemp(prefix="tally-exports-")
    path = os.path.join(folder, "out")
    os.environ["XDG_CACHE_HOME"] = folder  # do not use the user's index
    commands = {f"`--format {form}`": ([tally, "report", "-i", recording, "--format", form], rounds) for form in FORMATS}
    if shutil.which("perf"):
        fold = f"perf script --no-inline -F comm,pid,tid,time,period,ip,sym,dso -i '{recording}' | {sys.executable} -c '{measure.FOLD}'"
        convert = f"rm -f '{path}.json'; perf data convert --to-json '{path}.json' -i '{recording}' && cat '{path}.json'"
        commands["`perf script` and a fold"] = (["sh", "-c", fold], perf_rounds)
        commands["`perf data convert --to-json`"] = (["sh", "-c", convert], perf_rounds)
    costs, sizes = {}, {}
    for turn in range(max(rounds, perf_rounds)):
        for name, (command, times) in commands.items():
            if turn >= times:
                continue
            costs.setdefault(name, []).append(measure.cost(tally, command, path))
            if name not in sizes:
                sizes[name] = os.path.getsize(path), packed(path)
    shutil.rmtree(folder)
    print(f"medians of {rounds} runs, of perf {perf_rounds}; load {os.getloadavg()[0]:.1f}\n")
    print("| | CPU s | peak MiB | MB | packed MB |\n| -- | --: | --: | --: | --: |")
    for name, taken in costs.items():
        cpu, _, peak = measure.median(taken)
        print(f"| {name} | {cpu:.2f} | {peak / 1024:.0f} | "
              f"{sizes[name][0] / 1e6:.1f} | {sizes[name][1] / 1e6:.1f} |")


main()
