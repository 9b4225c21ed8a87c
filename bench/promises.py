#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check tally's promises about speed against the installed perf in a single run, and print one page.

    bench/promises.py [--keep DIR] [--kinds fp,dwarf,auto] [--sizes 1k,100k,1M,10M] [--commands NAME,...] [TALLY]

The promises: with default options, tally never takes more CPU time than perf; and with lines and inlined functions from
the index, it takes at most 1.3 times as long as without them (--no-inline).

The recordings contain short processes and Python, on all CPUs. tally and perf run alternately; times are medians of CPU
seconds (user + system, including children). Each command is measured with an empty cache directory (cold), again in
this directory (warm), and for the second time in a cache directory in which many other recordings were read before
(aged). Everything is measured with the debug packages of this machine, and again without them, in a mount namespace
with an empty /usr/lib/debug. Debug information that a program's own file contains is there in both cases.

TALLY is the program in a meson build (default: build/src/cli/tally); bench/ in that build must contain the helpers cost
and shape. --keep DIR uses the recordings in DIR, and makes any that are missing. --large adds the recordings of 10M
samples, and 1M with 8 KB stack dumps (9 GB). perf is stopped after --limit seconds. Requires root."""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import bench_top
import measure
import promises_page
from measure import HERE

SIZES = {"1k": 1000, "100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}
LARGE = {("fp", "10M"), ("auto", "10M"), ("dwarf", "1M"), ("dwarf", "10M")}
# Kind, recorder ({tally} or perf) and options, shortest time between samples in microseconds.
KINDS = {
    "fp": ("perf record -g", 40),
    "dwarf": ("perf record --call-graph dwarf,8192 -m 16M", 250),
    "auto": ("{tally} record --call-graph auto -m 16M", 250),
}
# perf has no page and no such formats, so the usual way to a flame graph is measured instead.
FOLDED = "sh -c {fold} fold {data}"
# Name, tally's command, tally's option that turns off inlined functions, perf's command.
COMMANDS = (
    ("report", "report --stdio -i {data}", "--no-inline", "perf report --stdio -i {data}"),
    ("script", "script -i {data}", "--no-inline", "perf script -i {data}"),
    ("annotate", "annotate --stdio -i {data}", "--no-source", "perf annotate --stdio -i {data}"),
    ("page", "report --html {out} -i {data}", "--no-inline", FOLDED),
    ("folded", "report --format folded -i {data}", "--no-inline", FOLDED),
    ("pprof", "report --format pprof -i {data}", "--no-inline", FOLDED),
    ("firefox", "report --format firefox -i {data}", "--no-inline", FOLDED),
    ("diff", "diff {data} {other}", "--no-inline", "perf diff {data} {other}"),
)
NAMES = [name for name, *_ in COMMANDS] + ["top"]
# Programs to record for the aged cache, and the commands that read these recordings.
OTHERS = (
    "find /usr -name '*.h'", "grep -rc define /usr/include", "tar -cf - /usr/include", "ls -lR /usr/lib", "sort -R /etc/services",
    "seq 1 300000 | awk '{ s += $1 } END { print s }'", "xz -1 -c /usr/bin/perf", "gzip -c /usr/bin/perf",
    "sha256sum /usr/bin/*", "cksum /usr/bin/*", "du -a /usr/share", "od -x /usr/bin/perf", "md5sum /usr/lib/*/*.so*",
    "sed -n s/define/x/p /usr/include/*.h", "for i in $(seq 300); do /bin/true; done", "perf list", "{bench}/scripts.sh 2",
    "tr a-z A-Z </usr/bin/perf | wc", "cut -c 1-9 /usr/include/*.h", "bash -c 'for ((i = 0; i < 200000; i++)); do :; done'",
    "{python} {bench}/busy.py", "{python} -m compileall -qf {scratch}", "{python} -c 'import argparse, asyncio, unittest'",
    "{python} -c 'sorted(str(i) for i in range(400000))'", "{python} -c 'import re; [re.compile(str(i)) for i in range(3000)]'",
)
READERS = ("report --stdio", "script", "annotate --stdio", "report --stdio --sort srcline", "report --format pprof")


class Promises:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.tally = os.path.realpath(options.tally)
        self.dir = os.path.realpath(options.keep or scratch)
        # Neither program may use copies in the user's build-ID cache, which contains debug files, or a server.
        os.environ["PERF_BUILDID_DIR"] = os.path.join(scratch, "none")
        os.environ.pop("DEBUGINFOD_URLS", None)
        os.makedirs(os.path.join(self.dir, "others"), exist_ok=True)

    def cache(self, name, source=None):
        """Return a new cache directory, empty or a copy of another."""
        path = os.path.join(self.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        if source:
            shutil.copytree(source, path, copy_function=shutil.copy2)
        else:
            os.mkdir(path, 0o700)
        return path

    # ---- recordings -------------------------------------------------------------------

    def load(self, seconds):
        script = (f"{shlex.quote(HERE)}/scripts.sh {seconds} & end=$(($(date +%s) + {seconds}))\n"
                  f"while [ $(date +%s) -lt $end ]; do {shlex.quote(self.options.python)} {shlex.quote(HERE)}/busy.py; done\nwait")
        return ["sh", "-c", script]

    def recording(self, kind, size, other=""):
        """Return the path of a recording, which is made if it is missing."""
        path = os.path.join(self.dir, f"{kind}-{size}{other}.data")
        if os.path.exists(path):
            return path
        print(f"recording {os.path.basename(path)} ...", file=sys.stderr, flush=True)
        recorder, shortest = KINDS[kind]
        seconds = max(2, round(SIZES[size] * shortest / 1e6 / os.cpu_count()))
        period = seconds * os.cpu_count() * 1e9 / SIZES[size]
        argv = [word.format(tally=self.tally) for word in recorder.split()]
        self.record(path, [*argv, "-a", "-e", "cpu-clock", "-c", f"{period:.0f}"], self.load(seconds))
        return path

    def record(self, path, recorder, load):
        """Make a recording. An incomplete one is not kept."""
        part = path + ".part"
        subprocess.run([*recorder, "-q", "-o", part, "--", *load], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.replace(part, path)

    def others(self):
        """Return the paths of the recordings for the aged cache."""
        with open(os.path.join(self.scratch, "some.py"), "w", encoding="ascii") as file:
            file.write("x = [i for i in range(10)]\n" * 5000)
        paths = []
        for number, command in enumerate(OTHERS):
            paths.append(os.path.join(self.dir, "others", f"{number}.data"))
            for name, text in (("bench", HERE), ("python", self.options.python), ("scratch", self.scratch)):
                command = command.replace("{" + name + "}", shlex.quote(text))
            if not os.path.exists(paths[-1]):
                self.record(paths[-1], ["perf", "record", "-g", "-e", "cpu-clock", "-F", "4000"],
                            ["sh", "-c", f"{command}; true"])
        return paths

    def age(self, inside, name):
        """Return a cache directory in which tally has read many recordings."""
        path = self.cache(name)
        env = dict(os.environ, XDG_CACHE_HOME=path)
        for recording in self.others():
            for reader in READERS:
                subprocess.run([*inside, self.tally, *reader.split(), "-i", recording], check=True, env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path

    def shape(self, path):
        text = subprocess.run([measure.tool(self.tally, "shape"), path], capture_output=True, text=True, check=True).stdout
        return json.loads(text)["samples"]

    # ---- measuring --------------------------------------------------------------------

    def commands(self, kind, size):
        """Return the chosen commands as (name, tally's arguments, option without inlined functions, perf's arguments)."""
        fold = f"perf script -F comm,pid,tid,ip,sym,dso -i \"$1\" | {shlex.quote(sys.executable)} -c '{measure.FOLD}'"
        chosen = [command for command in COMMANDS if command[0] in self.options.commands]
        words = {"data": self.recording(kind, size), "out": os.path.join(self.scratch, "page.html"), "fold": fold}
        if "diff" in self.options.commands:
            words["other"] = self.recording(kind, size, "-other")
        return [(name, [word.format(**words) for word in ours.split()], plain, [word.format(**words) for word in perf.split()])
                for name, ours, plain, perf in chosen]

    def perf_cost(self, argv, inside, known):
        """Return perf's Cost, or None if it was stopped. Commands that several rows share run only once in each round,
        and one that was stopped does not run again."""
        taken = known.setdefault(tuple(argv), [])
        if None not in taken:
            taken.append(measure.cost(self.tally, argv, limit=self.options.limit, inside=inside))

    def row(self, command, inside, aged, known):
        """Measure one command of both programs, alternately. Return the row for the page."""
        name, ours, plain, perf = command
        taken = {"cold": [], "warm": [], "aged": [], "plain": []}
        old = self.cache("old", aged)

        def run(column, cache, *more):
            env = dict(os.environ, XDG_CACHE_HOME=cache)
            taken[column].append(measure.cost(self.tally, [self.tally, *ours, *more], inside=inside, env=env))

        run("aged", old)
        taken["aged"].clear()
        done = len(known.get(tuple(perf), ()))
        for _ in range(self.options.runs):
            new = self.cache("new")
            run("cold", new)
            run("warm", new)
            run("aged", old)
            run("plain", new, plain)
            if not done:
                self.perf_cost(perf, inside, known)
        costs = known[tuple(perf)]
        perf_cpu = None if None in costs else measure.median(costs).cpu
        return promises_page.Row(name, perf_cpu, *(measure.median(taken[column]).cpu for column in ("cold", "warm", "aged", "plain")),
                                 is_inlining=plain == "--no-inline")

    def watch(self, argv, cache, inside):
        """Return the CPU seconds of a top command that runs for some time."""
        watcher = bench_top.Watcher([*inside, "env", f"XDG_CACHE_HOME={cache}", *argv])
        time.sleep(self.options.top_seconds)
        cpu = watcher.cpu()
        if not cpu:
            raise SystemExit(f"{' '.join(argv)}: used no CPU time, so it probably failed: run it by hand")
        watcher.end()
        return cpu

    def top(self, inside, aged):
        argv = bench_top.commands(self.tally, 4000)
        new, old = self.cache("new"), self.cache("old", aged)
        with bench_top.Load("forks", self.scratch):
            taken = [self.watch(argv["perf"], new, inside)]
            for cache in (new, new, old):
                taken.append(self.watch(argv["tally"], cache, inside))
        return promises_page.Row("top", *taken, plain=None)  # top does not show inlined functions

    def state(self, page, name, inside):
        """Measure everything in one state of the debug packages."""
        aged = self.age(inside, "aged")
        for kind in self.options.kinds:
            for size in self.options.sizes:
                if (kind, size) in LARGE and not self.options.large:
                    continue
                known = {}
                commands = self.commands(kind, size)
                page.begin(kind, self.shape(self.recording(kind, size)), os.path.getsize(self.recording(kind, size)), name)
                for command in commands:
                    page.add(self.row(command, inside, aged, known))
        if "top" in self.options.commands:
            page.begin("top", None, None, name)
            page.add(self.top(inside, aged))

    def run(self):
        page = promises_page.Page(self.options)
        hidden = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /usr/lib/debug && exec "$@"', "sh"]
        with measure.high_rates():
            if "with" in self.options.debug:
                self.state(page, "with debug packages", [])
            if "without" in self.options.debug:
                refused = subprocess.run([*hidden, "true"], stderr=subprocess.PIPE, text=True)
                if refused.returncode:
                    page.note(f"not measured without debug packages: {refused.stderr.strip()}")
                else:
                    self.state(page, "without debug packages", hidden)
        page.end()


def listed(choices):
    """Return an argparse type: a list of some of the choices."""
    def parse(text):
        words = text.split(",")
        wrong = [word for word in words if word not in choices]
        if wrong:
            raise argparse.ArgumentTypeError(f"{wrong[0]!r} is not one of {', '.join(choices)}")
        return words
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="stop perf after this many seconds (default: 60)")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--top-seconds", type=int, default=20)
    parser.add_argument("--python", default=sys.executable, help="the Python to record")
    for name, choices in (("kinds", list(KINDS)), ("sizes", list(SIZES)), ("commands", NAMES), ("debug", ["with", "without"])):
        parser.add_argument("--" + name, type=listed(choices), default=choices, help=f"some of {','.join(choices)}")
    parser.add_argument("tally", nargs="?", default=measure.TALLY)
    options = parser.parse_args()
    if os.getuid() or not shutil.which("perf"):
        sys.exit("promises.py needs root and an installed perf: run it with sudo, and install linux-perf")
    with tempfile.TemporaryDirectory(prefix="tally-promises-", dir=options.keep) as scratch:
        Promises(options, scratch).run()


main()
