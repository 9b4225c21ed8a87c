#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the cost of tally record with that of the installed perf record.

    bench/record_costs.py [--seconds N] [--rounds N] [--rates HZ,...] [--maps N] [TALLY]

Two tables are printed, with medians. The first is for all CPUs, with callchains, while bench/scripts.sh starts short
processes: the CPU time of the recorder and its children, the part of it that is not spent on the command, the wall time
after the command ended, and how many of the samples were lost. The second is for a process that maps a file N times
(default: a million): the wall time that recording adds, the CPU time of the recorder, what was lost, and the CPU time
of a report. Requires root. TALLY is the program in a meson build (default: build/src/cli/tally)."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import typing

import measure

MAPS = """
import mmap, sys
file = open("/bin/true", "rb")
for i in range(int(sys.argv[1])):
    mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
"""


LOST = re.compile(r"PERF_RECORD_LOST(_SAMPLES)?.*?lost:? *(\d+)", re.I)
EVENTS = re.compile(r"^ *(\w+) events: +(\d+)", re.M)


class Recorder(typing.NamedTuple):
    name: str
    program: str
    options: tuple


class Result(typing.NamedTuple):
    cpu: float    # user + system seconds of the recorder
    after: float  # wall time that the recording took longer than the command
    samples: int
    maps: int
    lost: int
    size: float   # MB


def result(tally, used, command, data):
    """Return the Result of a recording that took `used`, of a command that takes `command`."""
    stats = subprocess.run([tally, "report", "--stats", "-i", data], capture_output=True, text=True, check=True).stdout
    found = {name: int(number) for name, number in EVENTS.findall(stats.partition(" stats:\n")[2].partition(" stats:\n")[0])}
    lost = 0
    if "LOST" in stats:
        text = subprocess.run([tally, "script", "--show-lost-events", "-F", "comm", "-i", data],
                              capture_output=True, text=True, check=True).stdout
        lost = sum(int(number) for _, number in LOST.findall(text))
    return Result(used.cpu - command.cpu, used.wall - command.wall, found.get("SAMPLE", 0),
                  found.get("MMAP2", 0), lost, os.path.getsize(data) / 1e6)


def middle(results):
    return Result(*map(statistics.median, zip(*results)))


def all_cpus(args, recorders, folder):
    """Record all CPUs while short processes run."""
    print(f"all CPUs for {args.seconds} s, with callchains, while bench/scripts.sh runs:\n")
    print("| rate | recorder | CPU s | CPU, share of the machine | s after the end | samples | lost | MB |")
    print("| --: | -- | --: | --: | --: | --: | --: | --: |")
    command = measure.Cost(0, args.seconds, 0)
    for rate in args.rates.split(","):
        taken = {recorder: [] for recorder in recorders}
        for _ in range(args.rounds):
            for recorder in recorders:
                data = os.path.join(folder, recorder.name + ".data")
                with subprocess.Popen(["sh", os.path.join(measure.HERE, "scripts.sh"), str(args.seconds + 3)], start_new_session=True) as load:
                    used = measure.cost(args.tally, [recorder.program, "record", *recorder.options, "-q", "-a", "-g", "-e", "cpu-clock", "-F", rate,
                                                     "-o", data, "sleep", args.seconds])
                    measure.end_group(load)
                taken[recorder].append(result(args.tally, used, command, data))
        for recorder in recorders:
            row = middle(taken[recorder])
            share = row.cpu / (args.seconds * os.cpu_count())
            print(f"| {rate} | {recorder.name} | {row.cpu:.2f} | {share:.1%} | {row.after:.2f} | {row.samples:.0f} | {row.lost:.0f} | {row.size:.0f} |", flush=True)


def many_maps(args, recorders, folder):
    """Record a process that maps files."""
    argv = [sys.executable, "-c", MAPS, str(args.maps)]
    taken = {recorder: [] for recorder in recorders}
    reports = {recorder: [] for recorder in recorders}
    for _ in range(args.rounds):
        command = measure.cost(args.tally, argv)
        for recorder in recorders:
            data = os.path.join(folder, recorder.name + ".data")
            used = measure.cost(args.tally, [recorder.program, "record", *recorder.options, "-q", "-e", "cpu-clock", "-o", data, *argv])
            taken[recorder].append(result(args.tally, used, command, data))
            reports[recorder].append(measure.cost(args.tally, [recorder.program, "report", "--stdio", "-i", data]).cpu)
    print(f"\na process that maps a file {args.maps} times, in {command.wall:.2f} s:\n")
    print("| recorder | added CPU s | added wall s | maps recorded | lost | MB | CPU s of report |")
    print("| -- | --: | --: | --: | --: | --: | --: |")
    for recorder in recorders:
        row = middle(taken[recorder])
        print(f"| {recorder.name} | {row.cpu:.2f} | {row.after:.2f} | {row.maps:.0f} | {row.lost:.0f} | {row.size:.0f} "
              f"| {statistics.median(reports[recorder]):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rates", default="4000,10000,25000")
    parser.add_argument("--maps", type=int, default=1000000)
    parser.add_argument("tally", nargs="?", default=measure.TALLY)
    args = parser.parse_args()
    args.tally = os.path.abspath(args.tally)
    recorders = [Recorder("perf", "perf", ()), Recorder("tally", args.tally, ()),
                 Recorder("tally --no-symbols", args.tally, ("--no-symbols",))]
    with tempfile.TemporaryDirectory() as folder, measure.high_rates():
        all_cpus(args, recorders, folder)
        many_maps(args, recorders, folder)


if __name__ == "__main__":
    main()
