# SPDX-License-Identifier: BSD-2-Clause
"""Common code for the tests of `tally record`: making recordings in the foreground and in the background, and reading
them.
"""
import os
import subprocess

import machine
import steps
import tap

TALLY = steps.tally()
PERF = machine.need_perf.reason() is None
BURN = ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; true"]
FOREVER = ["sh", "-c", "while :; do :; done"]


def record(*args, status=0, **more):
    """Run `tally record`, and return its standard error."""
    return tap.run(TALLY, "record", *args, status=status, **more).stderr


def grown(path, size):
    return lambda: os.path.exists(path) and os.path.getsize(path) > size


def text(command, *args, **more):
    """Run a command, and return the lines of its output."""
    done = tap.run(command, *args, status=0, errors="replace", **more)
    return [line for line in done.stdout.splitlines() if not line.startswith("# Tip")]


def same(path, *args, chains=True):
    """Check that perf and tally produce the same output for a recording. Return the lines of tally script's output."""
    lines = text(TALLY, "script", "-i", path, *args)
    assert lines, "no samples"
    text(TALLY, "report", "--stdio", "-i", path)
    if not PERF:
        raise tap.Skip("no perf to compare with")
    pairs = [("evlist", "-v"), ("buildid-list",)]
    if chains:
        pairs.append(("script", "--no-inline", *args))
    for command, *more in pairs:
        ours = text(TALLY, command, "-i", path, *more)
        theirs = text("perf", command, "-i", path, *more)
        for a, b in zip(theirs, ours):
            b = tap.as_perf_names_stubs(a, b)
            assert a == b, f"{command}: perf {a!r}, tally {b!r}"
        assert len(theirs) == len(ours), f"{command}: perf {len(theirs)} lines, tally {len(ours)}"
    text("perf", "report", "--stdio", "-i", path)
    return lines


def same_script_as_perf(path, *options):
    tap.same_script(*("\n".join(text(*command, "-i", path)) + "\n"
                      for command in ((TALLY, "script", "--no-inline", *options), ("perf", "script", "--no-inline"))), "script")


def types(path):
    """Return the names of all records in a file."""
    return [line.split('"name":"')[1].split('"')[0]
            for line in text(TALLY, "script", "--dump-json", "-i", path) if '"name":"' in line]


def dump(path):
    return "\n".join(text(TALLY, "script", "--dump-json", "-i", path))


def background(*args, **more):
    output = args[args.index("-o") + 1]
    if os.path.exists(output):
        os.unlink(output)
    return subprocess.Popen([TALLY, "record", *args], stdin=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, **more)


def ends(process):
    try:
        said = process.communicate(timeout=tap.PATIENCE)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("does not end")
    return process.returncode, said.decode()


def work_on(process):
    """Wait until a recorder's command has used a third of a second of CPU time, which yields more samples than -m 2 can
    hold."""
    child = tap.children(process.pid)[0]
    start = tap.cpu_seconds(child)
    tap.wait_until(lambda: tap.cpu_seconds(child) > start + 0.3, "the command to run")
