#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure tally-jevents: its run time compared with Python's json.load on the same files, the size of its tables, and
look-ups.

    bench/jevents.py [--runs N] BUILD FIXTURES

BUILD is an optimized meson build. Times are CPU seconds (user + system) of the fastest of N runs."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile

BASELINE = """
import json, sys
for name in sys.stdin.read().split("\\n"):
    with open(name, encoding="utf-8") as file:
        json.load(file)
"""


def cpu(argv, text=None):
    """Return the CPU seconds used by a command, and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(argv, input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            check=False).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def fastest(runs, argv, text=None):
    costs = [cpu(argv, text) for _ in range(runs)]
    if any(status for _, status in costs):
        sys.exit(f"{argv[:3]} failed")
    return min(cost for cost, _ in costs)


def files_of(tree):
    return [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names if name.endswith(".json")]


def generation(runs, jevents, name, tree, options, scratch):
    """Print a row of the table, and return the path of the generated file. Classic trees are not JSON, so they have no
    baseline."""
    files = files_of(tree)
    size = sum(os.path.getsize(file) for file in files)
    output = os.path.join(scratch, "out.c")
    archs = ["all"] if "--classic" not in options else sorted(os.listdir(tree))
    ours = sum(fastest(runs, [jevents, *options, arch, tree, output]) for arch in archs)
    base = fastest(runs, [sys.executable, "-c", BASELINE], "\n".join(files)) if "--classic" not in options else None
    print(f"| {name} | {len(files)} | {size / 1e6:.1f} | {ours:.3f} | " +
          (f"{base:.3f} | {base / ours:.1f} |" if base else "not JSON | |"))
    return output


def object_size(output, root):
    """Return the size in bytes of the tables and of the strings in a generated file, and the number of rows."""
    subprocess.run(["cc", "-O2", "-fPIC", "-I", os.path.join(root, "src"), "-c", output, "-o", output + ".o"], check=True)
    sections = subprocess.run(["size", "-A", output + ".o"], capture_output=True, text=True, check=True).stdout
    with open(output, encoding="latin1") as file:
        text = file.read()
    rows = sum(int(nr) for nr in re.findall(r"struct tally_model_(?:event|metric) \w+\[(\d+)\];", text))
    texts = sum(int(nr) for nr in re.findall(r"^\tchar pool\[(\d+)\];", text, re.M))
    return sum(int(nr) for nr in re.findall(r"^\.rodata\S*\s+(\d+)", sections, re.M)), texts, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("build")
    parser.add_argument("fixtures")
    args = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    jevents = os.path.join(args.build, "src", "jevents", "tally-jevents")
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("linux68-arch", "linux418-arch"):
            with tarfile.open(os.path.join(args.fixtures, "pmu", name + ".tar.gz")) as tar:
                tar.extractall(scratch)
        print("| tree | files | MB | tally-jevents CPU s | json.load CPU s | times less |\n| -- | --: | --: | --: | --: | --: |")
        generation(args.runs, jevents, "Linux 4.18, --classic", os.path.join(scratch, "linux418-arch"), ["--classic"], scratch)
        generation(args.runs, jevents, "pmu-events", os.path.join(root, "pmu-events", "arch"), [], scratch)
        output = generation(args.runs, jevents, "Linux 6.8", os.path.join(scratch, "linux68-arch"), [], scratch)
        bytes_, texts, rows = object_size(output, root)
        print(f"\nLinux 6.8's tables: {rows} rows, {bytes_} bytes: {bytes_ / rows:.0f} a row, "
              f"{(bytes_ - texts) / rows:.0f} without the texts")
    nr, warm, cold, access, bytes_, texts, rows = map(float, subprocess.run(
        [os.path.join(args.build, "bench", "lookup")], capture_output=True, text=True, check=True).stdout.split())
    print(f"Built in: {rows:.0f} rows, {bytes_:.0f} bytes: {bytes_ / rows:.0f} a row, {(bytes_ - texts) / rows:.0f} "
          f"without the texts\nLook-up of one of {nr:.0f} names: {warm:.0f} ns warm, {cold:.0f} ns with cold caches "
          f"(one memory access: {access:.0f} ns, the clock's own time in both)")


if __name__ == "__main__":
    main()
