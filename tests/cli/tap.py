# SPDX-License-Identifier: BSD-2-Clause
"""A small TAP producer for command tests: functions named test_* of a module are its points."""
import itertools
import re
import subprocess
import sys
import time
import traceback

import cache  # noqa: F401 - nothing that is run writes into the user's


# Seconds. Limits are for hangs alone: a machine that is busy may take a hundred times as long as a quiet one.
PATIENCE = 300


class Skip(Exception):
    """What cannot run here, and why."""


def wait_until(condition, what, limit=PATIENCE, pause=0.02):
    """Call `condition` until it returns something true, and return that."""
    end = time.monotonic() + limit
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {limit} s in vain for {what() if callable(what) else what}"
        time.sleep(pause)
    return found


def run(*args, **options):
    """Run a command; its output as text unless told otherwise."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("text", True)
    options.setdefault("timeout", 600)
    return subprocess.run([str(arg) for arg in args], check=False, **options)


def as_perf_names_stubs(theirs, ours):
    """A line of tally script as perf 6.1 would print it, which names stubs by their order alone: outside of .plt, and where
    slots of ifuncs lie between the others, it has no name or a wrong one. plt.py asks objdump who is right."""
    named = re.search(r" (\[unknown\]|_init\+0x[0-9a-f]+|\S*@plt\+0x[0-9a-f]+)(?= \(|$)", theirs)
    return re.sub(r" \S+@plt\+0x[0-9a-f]+", named.group(0), ours, count=1) if named else ours


def same_script(got, want, what):
    """What tally script and perf script printed of the same recording."""
    pairs = itertools.zip_longest(want.splitlines(True), got.splitlines(True), fillvalue="")
    same("".join(as_perf_names_stubs(*pair) for pair in pairs), want, what)


def same(got, want, what):
    if got != want:
        for number, (a, b) in enumerate(zip(str(got).splitlines(), str(want).splitlines()), 1):
            if a != b:
                raise AssertionError(f"{what}: line {number}: got {a[:200]!r}, wanted {b[:200]!r}")
        raise AssertionError(f"{what}: got {str(got)[:300]!r}, wanted {str(want)[:300]!r}")


def main(module):
    tests = [(name, function) for name, function in vars(sys.modules[module]).items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    for number, (name, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {number} - {name[5:]}")
        except Skip as reason:
            print(f"ok {number} - {name[5:]} # SKIP {reason}")
        except Exception as error:  # noqa: BLE001 - every failure is a point that failed
            print(f"not ok {number} - {name[5:]}")
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print("\n".join("# " + line for line in text.splitlines()[:20]))
        sys.stdout.flush()
