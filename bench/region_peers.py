#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the cost of counting a region with libtally, PAPI, libpfm4 and perf_event_open(2) in one run: the programs in
peers/, which do the same work, run alternately. Also print their lines of code, and what each prints if the processor's
cycles cannot be counted.

    bench/region_peers.py [--runs N] [BUILD]

BUILD is a release build of tally with its libraries (default: build). Debian: libpapi-dev, libpfm4-dev."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = 100000
# name, source, compiler options, events (one; two in a group; cycles)
PEERS = [
    ("perf_event_open", "peer_plain.c", [], (["1:1"], ["1:1", "1:2"], ["0:0"])),
    ("libpfm4", "peer_plain.c", ["-DWITH_PFM", "-lpfm"], (["perf::TASK-CLOCK"], ["perf::TASK-CLOCK", "perf::PAGE-FAULTS"], ["cycles"])),
    ("PAPI", "peer_papi.c", ["-lpapi"], (["perf::TASK-CLOCK"], ["perf::TASK-CLOCK", "perf::PAGE-FAULTS"], ["PAPI_TOT_CYC"])),
    ("PAPI, regions", "peer_papi_regions.c", ["-lpapi"], ("perf::TASK-CLOCK", "perf::TASK-CLOCK,perf::PAGE-FAULTS", "PAPI_TOT_CYC")),
    ("libtally", "peer_tally.c", [], (["task-clock:u"], ["{task-clock:u,faults:u}"], ["cycles:u"])),
]


def build(source, options, library, work):
    program = os.path.join(work, re.sub(r"\W+", "-", source + "".join(options)))
    ours = [f"-I{HERE}/../include", f"-L{library}", f"-Wl,-rpath,{library}", "-ltally"] if source == "peer_tally.c" else []
    done = subprocess.run(["cc", "-O2", "-o", program, f"{HERE}/peers/{source}", *options, *ours], capture_output=True, text=True, check=False)
    return None if done.returncode else program


def run(program, times, events, work):
    words, env = events, os.environ
    if isinstance(events, str):
        words, env = [], {**os.environ, "PAPI_EVENTS": events, "PAPI_OUTPUT_DIRECTORY": work}
    done = subprocess.run([program, str(times), *words], capture_output=True, text=True, check=False, env=env)
    return done.stdout.strip() or done.stderr.strip()


def cost(text):
    match = re.match(r"([\d.]+) ns", text)
    return float(match[1]) if match else None


def lines_of_code(source):
    with open(f"{HERE}/peers/{source}", encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return sum(bool(line.strip()) for line in text.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("build", nargs="?", default="build")
    options = parser.parse_args()
    library = os.path.abspath(os.path.join(options.build, "src", "library"))
    if not os.path.exists(library + "/libtally.so"):
        sys.exit(f"{library}/libtally.so does not exist: run 'ninja -C {options.build} libraries'")
    with tempfile.TemporaryDirectory() as work:
        programs = [build(source, more, library, work) for _, source, more, _ in PEERS]
        best = {}
        for _ in range(options.runs):
            for number, program in enumerate(programs):
                for which in range(2 if program else 0):
                    taken = cost(run(program, TIMES, PEERS[number][3][which], work))
                    if taken is not None:
                        best[number, which] = min(taken, best.get((number, which), taken))
        print(f"{'':18}{'1 event':>12}{'2 in a group':>14}{'lines':>7}")
        for number, (name, source, _, _) in enumerate(PEERS):
            shown = [f"{best[number, which]:.0f} ns" if (number, which) in best else "-" for which in range(2)]
            print(f"{name:18}{shown[0]:>12}{shown[1]:>14}{lines_of_code(source):>7}")
        print("\nAn event of the PMU:")
        for (name, _, _, events), program in zip(PEERS, programs):
            lines = run(program, 1, events[2], work).splitlines() if program else ["not installed"]
            print(f"  {name}: {lines[-1]}")


main()
