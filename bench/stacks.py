#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare tally with the installed perf on stack dumps in a single run, on recordings made on this machine.

    bench/stacks.py [--runs N] [--keep DIR] [TALLY]

The reading benchmark uses a recording of a compiler with 8 KiB of stack in each sample. It reports the median CPU time
(user + system) and peak memory of the commands, which run alternately. hotspot-perfparser is also measured if it is
installed. The recording benchmark samples a machine with all CPUs busy, at 999 samples per second per CPU. It reports
the recorder's CPU time, the file size, and the number of lost samples. Requires root."""
import argparse
import glob
import os
import re
import shutil
import statistics
import subprocess
import tempfile

import measure

SOURCE = r"""
#include <bits/stdc++.h>
#include <regex>
int main()
{
	std::regex r("(a|b)*c|d+");
	std::map<std::string, int> m;
	std::string s = "aababdddac";
	for (int i = 0; i < 10; i++) {
		std::smatch k;
		std::regex_search(s, k, r);
		m[s + std::to_string(i)]++;
	}
	for (auto &p : m)
		std::cout << p.first;
}
"""
SECONDS = 10


class Bench:
    def __init__(self, tally, directory, runs):
        self.tally, self.dir, self.runs = tally, directory, runs
        self.source = os.path.join(directory, "work.cc")
        with open(self.source, "w", encoding="ascii") as file:
            file.write(SOURCE)

    def medians(self, commands):
        """Return {name: (CPU seconds, MiB)}: the medians of commands that run alternately."""
        seen = {name: [] for name in commands}
        for _ in range(self.runs):
            for name, argv in commands.items():
                seen[name].append(measure.cost(self.tally, argv))
        medians = {name: measure.median(costs) for name, costs in seen.items()}
        return {name: (cpu, peak / 1024) for name, (cpu, _, peak) in medians.items()}

    def compile_loop(self):
        return f"while :; do g++ -O2 -c {self.source} -o {self.dir}/$$.o; done"

    def recording(self):
        path = os.path.join(self.dir, "stacks.data")
        if not os.path.exists(path):
            command = f"g++ -O2 -c {self.source} -o {self.dir}/work.o"
            subprocess.run(["perf", "record", "-q", "-o", path, "--call-graph", "dwarf", "-e", "cpu-clock", "-F", "9000",
                            "-m", "8M", "sh", "-c", command], check=True, stderr=subprocess.DEVNULL)
        return path

    def reading(self):
        path = self.recording()
        samples = subprocess.run([self.tally, "report", "--health", "-i", path], capture_output=True, text=True,
                                 check=True).stdout
        print(f"{os.path.getsize(path) / 1e6:.0f} MB")
        print(samples.strip())
        parser = shutil.which("hotspot-perfparser") or next(iter(glob.glob("/usr/lib/*/libexec/hotspot-perfparser")), None)
        for words in (["script"], ["report", "--stdio"]):
            commands = {"tally": [self.tally, *words, "-i", path], "perf": ["perf", *words, "--no-inline", "-i", path]}
            if parser and words == ["script"]:
                commands["perfparser"] = [parser, "--input", path, "--output", "/dev/null"]
            seen = self.medians(commands)
            ours = seen["tally"]
            for name, (cpu, peak) in seen.items():
                print(f"{words[0]:8} {name:12} {cpu:7.2f} s {peak:7.0f} MiB   {cpu / ours[0]:5.1f} x CPU "
                      f"{peak / ours[1]:5.1f} x memory")

    def recording_cost(self):
        busy = [subprocess.Popen(["sh", "-c", self.compile_loop()], start_new_session=True) for _ in range(os.cpu_count())]
        try:
            for name, tool, options in (("tally", self.tally, []), ("tally, dumps kept", self.tally, ["--keep-stacks"]),
                                        ("perf", "perf", [])):
                self.one_recording(name, tool, options)
        finally:
            for shell in busy:
                os.killpg(shell.pid, 9)
                shell.wait()

    def one_recording(self, name, tool, options):
        path = os.path.join(self.dir, "recorded.data")
        costs, sizes, said = [], [], ""
        for _ in range(self.runs):
            with tempfile.TemporaryFile("w+") as messages, subprocess.Popen(
                    [tool, "record", "-a", "-o", path, "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf", *options, "--",
                     "sleep", str(SECONDS)], stdout=messages, stderr=messages) as recorder:
                used = os.wait4(recorder.pid, 0)[2]
                messages.seek(0)
                text = messages.read()
            costs.append(used.ru_utime + used.ru_stime)
            sizes.append(os.path.getsize(path) / int(re.search(r"\((\d+) samples\)", text).group(1)))
            said += "".join(line for line in text.splitlines(True) if "lost" in line.lower())
        print(f"record   {name:18} {statistics.median(costs) / SECONDS * 100:5.1f} % of a CPU, "
              f"{statistics.median(sizes):6.0f} bytes a sample; lost: {said.strip() or 'nothing'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep")
    parser.add_argument("tally", nargs="?", default=measure.TALLY)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_CACHE_HOME"] = directory  # do not use the user's index
        bench = Bench(os.path.abspath(arguments.tally), arguments.keep or directory, arguments.runs)
        bench.reading()
        bench.recording_cost()


main()
