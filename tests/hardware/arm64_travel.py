#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test recordings that are moved between machines: made on this machine and read on Linux for arm64 under QEMU, which
has none of the files, and vice versa. The reports must be byte-for-byte identical. argv: tally, the source root, the
build directory."""
import atexit
import glob
import os
import sys

TALLY, ROOT, BUILD = sys.argv[1:4]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.join(ROOT, "tests", "hardware"))
import machine as probes  # noqa: E402
import tap  # noqa: E402
from arm64_guests import WORK, fetch, needed  # noqa: E402
from guest import Guest  # noqa: E402

os.environ["TALLY_INDEX"] = "off"
PROGRAM = os.path.join(WORK, "travelling")
HERE = {
    "chains": ["-g"],
    "dwarf": ["--call-graph", "dwarf"],
    "squeezed": ["-z", "-g"],
    "redacted": ["-g", "--redact"],
}
THERE = {"fp": "-e cycles:u -c 100003 --call-graph fp work calls", "unwound": "-e cycles -c 100003 --call-graph dwarf work calls"}
VIEWS = {"report": "report --stdio -i {}", "json": "report --json -i {}", "script": "script -F +symoff -i {}"}
machine = []


def recordings():
    """Record a program that only this machine has. Return {path in the guest: path on this machine}."""
    files = {}
    source = os.path.join(ROOT, "tests", "hardware", "arm64", "foreign.c")
    tap.run("gcc", "-O1", "-g", "-static", "-fno-omit-frame-pointer", "-o", PROGRAM, source, status=0)
    for name, options in HERE.items():
        path = os.path.join(WORK, f"travel.{name}.data")
        tap.run(TALLY, "record", "-q", "-e", "cpu-clock", *options, "-o", path, PROGRAM, status=0)
        files[f"/out/travel.{name}.data"] = path
    return files


def guest():
    if not machine:
        needed("aarch64-linux-gnu-gcc", "cpio", "gcc")
        probes.need_compiler("gcc", "-static")
        probes.need_kernel_events()
        root = fetch()
        os.makedirs(WORK, exist_ok=True)
        done = tap.run("sh", os.path.join(ROOT, "scripts", "build_arm64.sh"), WORK, root, timeout=5400)
        tap.same(done.returncode, 0, done.stderr)
        files = recordings()
        for path in ("src/cli/tally", "tests/hardware/arm64/work"):
            files[f"/bin/{os.path.basename(path)}"] = os.path.join(WORK, "build", path)
        files["/bin/busybox"] = os.path.join(root, "bin", "busybox")
        commands = {f"record.{name}": f"tally record -o there.{name}.data {words}" for name, words in THERE.items()}
        for path in [f"travel.{name}.data" for name in HERE] + [f"there.{name}.data" for name in THERE]:
            commands.update({f"{view}.{path}": "tally " + words.format(path) for view, words in VIEWS.items()})
        machine.append(Guest("travel", WORK, glob.glob(os.path.join(root, "boot", "vmlinuz-*"))[0], files, commands))
        atexit.register(machine[0].stop)
    return machine[0]


def check(path, there, function):
    """Compare the guest's output with the output on this machine."""
    for view, words in VIEWS.items():
        done = tap.run(TALLY, *words.format(path).split())
        tap.same(done.returncode, 0, done.stderr)
        tap.same(there.said(f"{view}.{os.path.basename(path)}"), done.stdout, f"{view} of {os.path.basename(path)}")
        tap.same(function in done.stdout, True, f"{function} in {view} of {os.path.basename(path)}")


def test_from_here_to_arm64():
    there = guest()
    for name in HERE:
        check(os.path.join(WORK, f"travel.{name}.data"), there, "main")


def test_from_arm64_to_here():
    there = guest()
    for name in THERE:
        check(there.path(f"there.{name}.data"), there, "leaf")


if __name__ == "__main__":
    tap.main("__main__")
