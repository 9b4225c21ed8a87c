#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare tally with the installed perf in a single run, on recordings made on this machine.

    bench/run.py [--runs N] [--quick] [--keep DIR] [TALLY]

Reports the median CPU time (user + system) and peak memory of the two commands, which run alternately. TALLY is the
program in a meson build (default: build/src/cli/tally); bench/ in that build must contain the helper programs. --keep
DIR uses the recordings in DIR, and makes any that are missing; --quick runs perf's slowest command only twice. Requires
root for the system-wide recordings."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import measure
from measure import HERE

CLOCK = ["-a", "-e", "cpu-clock", "-c", "40000", "-P"]

# name, description, options of perf record, workload (see Bench.load)
RECORDINGS = [
    ("scripts", "short processes; cpu-clock every 40 us, fp callchains", [*CLOCK, "-g"], "scripts 20"),
    ("build", "tally configured, built, tested; the same", [*CLOCK, "-g"], "build 28"),
    ("mixed", "a few busy programs; the same", [*CLOCK, "-g"], "mixed 22"),
    ("flat", "as mixed, no callchains", CLOCK, "mixed 30"),
    ("switches", "every sched:sched_switch of two processes", ["-a", "-m", "2M", "-e", "sched:sched_switch"], "pingpong 500000"),
]

# recording, arguments, slow in perf, target factors for CPU time and memory
COMMANDS = [(name, *command) for name in ("scripts", "build", "mixed") for command in (
    (["report", "--stdio"], True, 30, 10),
    (["report", "--stdio", "--no-children"], False, 30, 10),
    (["report", "--stdio", "--no-children", "-g", "none"], False, 10, None),
    (["script"], False, 10, None),
)] + [
    ("switches", ["script"], False, 10, None),
    ("flat", ["report", "--stdio"], False, None, None),
]


class Bench:
    def __init__(self, tally, directory, runs, quick):
        self.tally, self.dir, self.runs, self.quick = tally, directory, runs, quick

    def tool(self, name):
        return measure.tool(self.tally, name)

    def file(self, name):
        return os.path.join(self.dir, name + ".data")

    def cost(self, argv, output="/dev/null"):
        return measure.cost(self.tally, argv, output)

    def alternate(self, commands, runs):
        return measure.alternate(self.tally, commands, runs)

    def record(self):
        with measure.high_rates():
            for name, _, options, workload in RECORDINGS:
                if not os.path.exists(self.file(name)):
                    self.record_one(name, options, *workload.split())

    def load(self, workload, amount):
        """Return the command that generates this workload."""
        return {
            "scripts": [os.path.join(HERE, "scripts.sh"), amount],
            "build": [os.path.join(HERE, "build_bench.sh"), amount, self.dir],
            "mixed": [os.path.join(HERE, "bench_workload.sh"), amount, self.tool("deep"), self.dir],
            "pingpong": [self.tool("deep"), "pingpong", amount],
        }[workload]

    def record_one(self, name, options, workload, amount):
        print(f"recording {name} ...", file=sys.stderr, flush=True)
        subprocess.run(["perf", "record", "-q", "-o", self.file(name), *options, "--", *self.load(workload, amount)],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def shapes(self):
        """Print statistics about the recordings, and the CPU time that counting takes, for comparison with reports:
        counting unique stacks needs a hash table, but no symbol names, sorting or output."""
        print("recording | of | MB | samples | chain entries | unique addresses | unique stacks | threads | COMM | MMAP | "
              "CPU s to count these")
        print("-- | -- | --: | --: | --: | --: | --: | --: | --: | --: | --:")
        for name, what, _, _ in RECORDINGS:
            argv = [self.tool("shape"), self.file(name)]
            s = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
            (cpu, _, _), = self.alternate([argv], self.runs)
            print(f"{name} | {what} | {s['bytes'] / 1e6:.0f} | {s['samples']:,} | {s['entries']:,} | "
                  f"{s['addresses']:,} | {s['stacks']:,} | {s['threads']:,} | {s['comms']:,} | {s['mmaps']:,} | {cpu:.2f}")
        print(flush=True)

    def reading(self):
        print("recording | command | perf CPU s | tally CPU s | times less | target | "
              "perf MB | tally MB | times less | target | text MB")
        print("-- | -- | --: | --: | --: | --: | --: | --: | --: | --: | --:")
        for name, arguments, slow, cpu_target, memory_target in COMMANDS:
            both = [[program, *arguments, "-i", self.file(name)] for program in ("perf", self.tally)]
            (cpu_a, _, rss_a), (cpu_b, _, rss_b) = self.alternate(both, 2 if slow and self.quick else self.runs)
            print(f"{name} | {' '.join(arguments)} | {cpu_a:.2f} | {cpu_b:.3f} | {cpu_a / cpu_b:.1f} | "
                  f"{cpu_target or '-'} | {rss_a / 1024:.0f} | {rss_b / 1024:.0f} | {rss_a / rss_b:.1f} | "
                  f"{memory_target or '-'} | {self.text_size(both[1]) / 1e6:.1f}", flush=True)
        print()

    def text_size(self, argv):
        path = os.path.join(self.dir, "text")
        self.cost(argv, path)
        size = os.path.getsize(path)
        os.unlink(path)
        return size

    def small(self):
        """Measure a small, typical recording, for which loading symbols from an index makes a difference
        (docs/internals/index-format.md)."""
        os.environ["PERF_BUILDID_DIR"] = os.path.join(self.dir, "none")  # else both tools read perf's kallsyms copy
        indexes = os.path.join(os.environ["XDG_CACHE_HOME"], "tally")
        subprocess.run([self.tally, "record", "-g", "-e", "cpu-clock", "-F", "1100", "-o", self.file("small"), "--",
                        self.tool("deep"), "1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print("command | perf ms | without index | making it | with it | times less than perf")
        print("-- | --: | --: | --: | --: | --:")
        for arguments in (["report", "--stdio"], ["report", "--stdio", "--no-children"], ["script"]):
            argv = [*arguments, "-i", self.file("small")]
            taken = [[], [], [], []]
            for _ in range(max(10, self.runs)):
                shutil.rmtree(indexes, ignore_errors=True)
                for column, command in enumerate(([self.tally, *argv, "--no-index"], [self.tally, *argv], [self.tally, *argv],
                                                  ["perf", *argv])):
                    taken[column].append(self.cost(command)[0])
            off, cold, warm, perf = (1000 * statistics.median(column) for column in taken)
            print(f"{' '.join(arguments)} | {perf:.1f} | {off:.1f} | {cold:.1f} | {warm:.2f} | {perf / warm:.0f}", flush=True)
        print()

    def has(self, command):
        return subprocess.run([self.tally, command, "--help"], capture_output=True).returncode == 0

    def overheads(self):
        """Measure the overhead of stat and record."""
        out = os.path.join(self.dir, "true.data")
        rows = [("stat true", ["stat", "true"], "CPU", 0, 5), ("record true", ["record", "-o", out, "true"], "wall", 1, 20),
                ("record true", ["record", "-o", out, "true"], "CPU", 0, 3)]
        print("command | of | perf ms | tally ms | bare ms | times less, bare taken off | target")
        print("-- | -- | --: | --: | --: | --: | --:")
        measured = {}
        for name, arguments, what, column, target in rows:
            if not self.has(arguments[0]):
                print(f"{name} | {what} | - | not in this build | | | {target}")
                continue
            if name not in measured:
                commands = [["perf", *arguments], [self.tally, *arguments], ["true"]]
                measured[name] = self.alternate(commands, max(10, self.runs))
            perf, tally, bare = (1000 * row[column] for row in measured[name])
            print(f"{name} | {what} | {perf:.1f} | {tally:.2f} | {bare:.2f} | "
                  f"{(perf - bare) / max(tally - bare, 1e-3):.1f} | {target}", flush=True)

    def names(self):
        """Measure the event tables: their size, look-ups, and the commands that list and resolve event names."""
        names, warm, cold, access, size, _, rows = map(float, subprocess.run(
            [self.tool("lookup")], capture_output=True, text=True, check=True).stdout.split())
        print(f"tables: {rows:.0f} rows, {size / rows:.0f} bytes each; a look-up among {names:.0f} names: {warm:.0f} ns, "
              f"out of cold caches {cold:.0f} ns, of which one memory access is {access:.0f} ns")
        print("command | perf CPU ms | tally CPU ms | times less | perf lines | tally lines")
        print("-- | --: | --: | --: | --: | --:")
        for arguments in (["list"], ["list", "--details"], ["stat", "-e", "page-faults", "true"]):
            path = os.path.join(self.dir, "text")
            lines = []
            for program in ("perf", self.tally):
                self.cost([program, *arguments], path)
                with open(path, "rb") as f:
                    lines.append(len(f.read().splitlines()))
            (perf, *_), (tally, *_) = self.alternate([["perf", *arguments], [self.tally, *arguments]], max(10, self.runs))
            print(f"{' '.join(arguments)} | {1000 * perf:.1f} | {1000 * tally:.2f} | {perf / tally:.1f} | "
                  f"{lines[0]} | {lines[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--only", choices=["reading", "small", "overheads", "names"], help="a part of the figures")
    parser.add_argument("tally", nargs="?", default=measure.TALLY)
    options = parser.parse_args()
    tally = os.path.realpath(options.tally)
    with tempfile.TemporaryDirectory(prefix="tally-bench.") as scratch:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = scratch  # do not use the user's index
        bench = Bench(tally, os.path.realpath(options.keep or scratch), options.runs, options.quick)
        if options.only in (None, "reading"):
            bench.record()
            bench.shapes()
            bench.reading()
        if options.only in (None, "small"):
            bench.small()
        if options.only in (None, "overheads"):
            bench.overheads()
        if options.only in (None, "names"):
            bench.names()


main()
