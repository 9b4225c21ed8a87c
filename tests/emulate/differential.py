# SPDX-License-Identifier: BSD-2-Clause
"""Run the suite of call scripts, which itself prints TAP, under tally emulate with the user host.

usage: differential.py TALLY COMMAND...
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402

REASON = machine.need_ptrace.reason()
if REASON:
    print(f"1..0 # SKIP {REASON}")
else:
    # Set these options only for the command: ASan's runtime rejects a library that is loaded before it, and
    # LeakSanitizer needs ptrace, which the user host uses.
    options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:detect_leaks=0"
    os.execv(sys.argv[1], [sys.argv[1], "emulate", "--host", "user", "--", "env", f"ASAN_OPTIONS={options}", *sys.argv[2:]])
