#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure the CPU time, peak memory and output size of each `tally report --format` format. For comparison, also
measure `perf script` piped into a stack-folding script, and `perf data convert --to-json`. All commands read the same
recording and run alternately; the results are medians.

usage: exports.py TALLY RECORDING [ROUNDS [ROUNDS OF PERF]]
"""
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

FORMATS = ("folded", "callgrind", "pprof", "speedscope", "firefox", "perfetto", "json", "csv")
# A short version of the usual stack folding script, which sums up the samples by comm and functions.
FOLD = r"""
import collections, sys
stacks, head, frames = collections.Counter(), None, []
for line in sys.stdin.buffer:
    if line == b"\n":
        stacks[b";".join([head, *reversed(frames)])] += 1
        head, frames = None, []
    elif head is None:
        head = line.split()[0]
    else:
        frames.append(line.split(None, 1)[1].rsplit(b" (", 1)[0].split(b"+0x")[0].strip())
for stack, number in stacks.items():
    sys.stdout.buffer.write(stack + b" %d\n" % number)
"""


def cost(command, output):
    """Return the CPU seconds and peak MiB used by a command and its children."""
    with open(output, "wb") as file, open(os.devnull, "wb") as quiet:
        child = subprocess.Popen(command, stdout=file, stderr=quiet)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command}: exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


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
    commands = {f"`--format {form}`": ([tally, "report", "-i", recording, "--format", form], rounds) for form in FORMATS}
    if shutil.which("perf"):
        fold = f"perf script --no-inline -F comm,pid,tid,time,period,ip,sym,dso -i '{recording}' | {sys.executable} -c '{FOLD}'"
        convert = f"rm -f '{path}.json'; perf data convert --to-json '{path}.json' -i '{recording}' && cat '{path}.json'"
        commands["`perf script` and a fold"] = (["sh", "-c", fold], perf_rounds)
        commands["`perf data convert --to-json`"] = (["sh", "-c", convert], perf_rounds)
    seconds, peaks, sizes = {}, {}, {}
    for turn in range(max(rounds, perf_rounds)):
        for name, (command, times) in commands.items():
            if turn >= times:
                continue
            used, peak = cost(command, path)
            seconds.setdefault(name, []).append(used)
            peaks.setdefault(name, []).append(peak)
            if name not in sizes:
                sizes[name] = os.path.getsize(path), packed(path)
    shutil.rmtree(folder)
    print(f"medians of {rounds} runs, of perf {perf_rounds}; load {os.getloadavg()[0]:.1f}\n")
    print("| | CPU s | peak MiB | MB | packed MB |\n| -- | --: | --: | --: | --: |")
    for name in seconds:
        print(f"| {name} | {statistics.median(seconds[name]):.2f} | {statistics.median(peaks[name]):.0f} | "
              f"{sizes[name][0] / 1e6:.1f} | {sizes[name][1] / 1e6:.1f} |")


main()
