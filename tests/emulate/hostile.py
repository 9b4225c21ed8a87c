# SPDX-License-Identifier: BSD-2-Clause
"""Check that programs that misuse an emulated perf_event_open affect neither tally nor each other.

usage: hostile.py TALLY HOSTILE [SEED PROGRAMS]
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, HOSTILE = sys.argv[1:3]
SEED, PROGRAMS = sys.argv[3:5] or ("1", "100")


def test_nobody_is_hurt_on_the_user_host():
    machine.need_ptrace()
    done = tap.run(TALLY, "emulate", "--", HOSTILE, SEED, PROGRAMS, timeout=1600)
    tap.same((done.returncode, done.stderr), (0, ""), f"seed {SEED}: {done.stdout[-300:]}")


def test_hostile_programs_do_no_harm():
    with tempfile.NamedTemporaryFile("w", suffix=".sim") as script:
        script.write("event cycles 1G/s\nevent instructions 2 per cycles\n")
        script.flush()
        done = tap.run(TALLY, "emulate", "--host", "sim:" + script.name, "--", HOSTILE, SEED, PROGRAMS, timeout=1600)
    tap.same((done.returncode, done.stderr), (0, ""), f"seed {SEED}: {done.stdout[-300:]}")


tap.main(__name__)
