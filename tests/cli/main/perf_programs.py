#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that start perf, with tally as perf: perf2bolt makes the same profile, and bash completes the same words.

usage: perf_programs.py TALLY
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("perf-programs")
FOLDER = os.path.join(WORK, "bin")
COMPLETION = "/usr/share/bash-completion/completions/perf"
os.mkdir(FOLDER)
os.symlink(TALLY, os.path.join(FOLDER, "perf"))
AS_PERF = {**os.environ, "PATH": FOLDER + ":" + os.environ["PATH"]}
SOURCE = r"""
volatile unsigned long s;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 400000; i++) s += i; }
__attribute__((noinline)) void middle(void) { leaf(); s++; for (int i = 0; i < 100000; i++) s ^= i; }
int main(void) { for (int i = 0; i < 100; i++) { middle(); s++; } return 0; }
"""


def bolt():
    found = sorted(glob.glob("/usr/bin/perf2bolt*"))
    if not found:
        raise tap.Skip("perf2bolt is not installed")
    return found[-1]


def profile(name, program, recording, env):
    """Return the functions of a profile by perf2bolt, and its messages."""
    path = os.path.join(WORK, name)
    done = tap.run(bolt(), "-nl", "-p", recording, "-o", path, "-w", path + ".yaml", program, env=env, cwd=WORK)
    assert done.returncode == 0, f"{name}: status {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    with open(path + ".yaml", encoding="utf-8") as file:
        return file.read(), [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("PERF2BOLT")]


def test_perf2bolt():
    machine.need_perf()
    machine.need_compiler("gcc", "-no-pie", "-Wl,--emit-relocs")
    program, recording = os.path.join(WORK, "prog"), os.path.join(WORK, "perf.data")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    tap.run("gcc", "-O1", "-g", "-no-pie", "-Wl,--emit-relocs", "-o", program, program + ".c", status=0)
    tap.run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", recording, program, status=0)
    theirs, ours = profile("theirs", program, recording, None), profile("ours", program, recording, AS_PERF)
    assert "leaf" in theirs[0], theirs
    tap.same(ours[0], theirs[0], "profile")
    tap.same(ours[1], theirs[1], "messages")


COMPLETE = r"""
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
_perf
printf '%s\n' "${COMPREPLY[@]}"
"""


def completions(env, *words):
    done = subprocess.run(["bash", "-c", COMPLETE, "bash", COMPLETION, *words], env=env, capture_output=True, text=True,
                          timeout=tap.PATIENCE, check=False)
    return set(done.stdout.split())


def test_completion_of_perf_by_bash():
    machine.need_perf()
    if not os.path.exists(COMPLETION):
        raise tap.Skip(f"no {COMPLETION}")
    for words in (["perf", "rec"], ["perf", "record", "--fre"], ["perf", "record", "-e", "cpu-cl"], ["perf", "script", "--show-ta"],
                  ["perf", "report", "--call"], ["perf", "stat", "-e", "page-f"]):
        theirs, ours = completions(None, *words), completions(AS_PERF, *words)
        assert theirs and theirs <= ours, f"{words}: {ours}, perf: {theirs}"


def test_a_missing_field_is_reported_in_perfs_words():
    """perf2bolt looks for this sentence, and then does without addresses."""
    machine.need_events()
    recording = os.path.join(WORK, "plain.data")
    tap.run(TALLY, "record", "-q", "-e", "cpu-clock:u", "-o", recording, "true", status=0)
    done = tap.run(os.path.join(FOLDER, "perf"), "script", "-F", "pid,event,addr,ip", "-i", recording)
    wanted = r"Samples for 'cpu-clock:u' event do not have ADDR attribute set\. Cannot print 'addr' field\."
    assert done.returncode == 255 and re.search(wanted, done.stderr), done.stderr


tap.main(__name__)
