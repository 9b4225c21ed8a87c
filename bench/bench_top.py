#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the cost of tally top with that of the installed perf top.

    bench/bench_top.py [--seconds N] [--rounds N] [--freq HZ] [TALLY]
    bench/bench_top.py --soak N [--freq HZ] [TALLY]

Both tools sample all CPUs with cpu-clock at the same rate. They run alternately, each on its own terminal (a pty),
under the same load: shell loops that fork, then many short-lived threads. CPU time is the user plus system time of the
sampling process, and memory is its peak; ratios are perf's values divided by tally's. --soak N runs tally for N seconds
under churn (processes, files and threads that never recur), and prints its memory use ten times along the way. Requires
root. TALLY is the program in a meson build (default: build/src/cli/tally)."""
import argparse
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import measure

LOADS = {
    "forks": "while :; do /bin/true; /bin/ls / >/dev/null; x=$(echo hello); done",
    "threads": """exec python3 -c "
import threading
def work():
    n = 0
    for i in range(20000):
        n += i * i
while True:
    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
" """,
    # Run a program with a new name each time.
    "churn": """n=0; while :; do n=$((n+1)); cp /bin/true ./one-$n; ./one-$n; (./one-$n &) ; rm ./one-$n; done""",
}


class Load:
    def __init__(self, name, folder):
        self.process = subprocess.Popen(["sh", "-c", LOADS[name]], cwd=folder, start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Watcher:
    """A top process on its own terminal; the output is discarded."""

    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", LINES="40", COLUMNS="120")
            os.execvp(argv[0], argv)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass  # the process has exited

    def cpu(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, which):
        with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as file:
            line = next(line for line in file if line.startswith(which))
        return int(line.split()[1]) / 1024

    def end(self):
        os.kill(self.pid, signal.SIGINT)
        os.waitpid(self.pid, 0)
        self.reader.join()
        os.close(self.fd)


def commands(tally, freq):
    return {"tally": [tally, "top", "-a", "--stdio", "-e", "cpu-clock", "-F", str(freq)],
            "perf": ["perf", "top", "-a", "--stdio", "-e", "cpu-clock", "-F", str(freq)]}


def compare(tally, freq, seconds, rounds, folder):
    print(f"{seconds} s each, {rounds} times in turn, {freq} Hz, on {os.cpu_count()} CPUs")
    for load in ("forks", "threads"):
        cpu, memory = {"tally": 0, "perf": 0}, {"tally": 0, "perf": 0}
        with Load(load, folder):
            for _ in range(rounds):
                for name, argv in commands(tally, freq).items():
                    watcher = Watcher(argv)
                    time.sleep(seconds)
                    cpu[name] += watcher.cpu()
                    memory[name] = max(memory[name], watcher.memory("VmHWM"))
                    watcher.end()
        print(f"{load:8}  CPU: tally {cpu['tally']:6.2f} s, perf {cpu['perf']:6.2f} s, {cpu['perf'] / cpu['tally']:5.1f} times less;"
              f"  memory: tally {memory['tally']:5.1f} MiB, perf {memory['perf']:5.1f} MiB, {memory['perf'] / memory['tally']:4.1f} times less")
        sys.stdout.flush()


def soak(tally, freq, seconds, folder):
    watcher = Watcher(commands(tally, freq)["tally"] + ["-s", "comm,dso,symbol"])
    print(f"{seconds} s of churn, {freq} Hz: seconds, resident MiB, CPU s")
    with Load("churn", folder), Load("threads", folder), Load("forks", folder):
        for part in range(1, 11):
            time.sleep(seconds / 10)
            print(f"{seconds * part // 10:6d} {watcher.memory('VmRSS'):7.1f} {watcher.cpu():7.1f}")
            sys.stdout.flush()
    print(f"peak {watcher.memory('VmHWM'):.1f} MiB")
    watcher.end()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--freq", type=int, default=4000)
    parser.add_argument("--soak", type=int)
    parser.add_argument("tally", nargs="?", default=measure.TALLY)
    args = parser.parse_args()
    if not args.soak and not shutil.which("perf"):
        sys.exit("no perf to compare with")
    with tempfile.TemporaryDirectory(prefix="tally-bench-top-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # do not use the user's index
        if args.soak:
            soak(args.tally, args.freq, args.soak, folder)
        else:
            compare(args.tally, args.freq, args.seconds, args.rounds, folder)


if __name__ == "__main__":
    main()
