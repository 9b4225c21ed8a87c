#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the command lines in oneliners.txt with the installed perf and with tally, on the same recordings. Each must
succeed if it does in perf; where the output is deterministic, its text must be the same too. At least 95 of 100 lines
that succeed in perf must agree, and 90 of 100 of each command; 5 fewer in the quick tier, which runs a sample.

usage: oneliners.py TALLY [LINE-PREFIX]   (a prefix such as "report -i flat": only these lines, and show differences)
"""
import functools
import os
import platform
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
ONLY = sys.argv[2] if len(sys.argv) > 2 else None
WORK = tap.workplace("oneliners")
LINES = os.path.splitext(os.path.abspath(__file__))[0] + ".txt"
# No C library, so that callchains by frame pointers are complete.
SOURCE = r"""
static volatile unsigned long sum;
__attribute__((noinline)) void busy(void) { for (int i = 0; i < 400000; i++) sum += i; }
__attribute__((noinline)) void idle_work(void) { for (int i = 0; i < 100000; i++) sum ^= i; }
__attribute__((noinline)) void both(void) { busy(); sum++; idle_work(); sum++; }
__attribute__((noinline)) void work(void) { for (int i = 0; i < 60; i++) both(); sum++; }
#ifdef __x86_64__
__asm__(".globl _start\n_start: xor %ebp, %ebp\ncall work\nmov $60, %eax\nxor %edi, %edi\nsyscall\n");
#else
int main(void) { work(); return 0; }
#endif
"""
# Output of perf that it writes for people: tips, and a heading before the rows.
CHATTER = re.compile(r"^(#.*|)$")


def parse():
    """Return the recordings as {name: (command line, needs)}, and the lines as [(level, command line)]."""
    recordings, lines = {}, []
    with open(LINES, encoding="ascii") as file:
        for line in file:
            words = line.rstrip("\n").split(None, 1)
            if not words or words[0] == "#" or line.startswith("#"):
                continue
            if words[0][0] != "@":
                lines.append((words[0], words[1] if len(words) > 1 else ""))
                continue
            needs = re.match(r"\((.*?)\) +", words[1])
            recordings[words[0][1:]] = (words[1][needs.end():] if needs else words[1], needs and needs[1])
    return recordings, lines


RECORDINGS, ALL = parse()


@functools.lru_cache(None)
def program():
    machine.need_perf()
    machine.need_tool("gcc", "--version")
    path = os.path.join(WORK, "prog")
    with open(path + ".c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    alone = ["-nostdlib"] if platform.machine() == "x86_64" else []
    tap.run("gcc", "-O1", "-g", "-static", *alone, "-fno-omit-frame-pointer", "-o", path, path + ".c", status=0)
    return path


@functools.lru_cache(None)
def recording(name):
    """Make a recording with perf. Returns its path, or None if this machine cannot make it."""
    words, path = RECORDINGS[name][0], os.path.join(WORK, name + ".data")
    args = ["perf", *[program() if word == "PROG" else word for word in words.split()]]
    after = args.index("record") + 1
    args[after:after] = ["-o", path]
    done = subprocess.run(args, capture_output=True, text=True, timeout=tap.PATIENCE, cwd=WORK)
    return path if done.returncode == 0 and os.path.getsize(path) > 1000 else None


def arguments(line):
    """Return the words of a command line, or None if it needs a recording that cannot be made here."""
    words = shlex.split(line) if "'" in line or '"' in line else line.split()
    for at, word in enumerate(words):
        if word == "PROG":
            words[at] = program()
        elif word == "OUT":
            words[at] = os.path.join(WORK, "out")
        elif word in RECORDINGS and (words[at - 1] == "-i" or words[0] == "diff"):
            words[at] = recording(word)
    return None if None in words else words


def run(tool, words):
    """Run a command line. Returns its status and output."""
    out = os.path.join(WORK, "out")
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([tool, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=tap.PATIENCE, cwd=WORK,
                          env={**os.environ, "PERF_CONFIG": "/dev/null", "NO_COLOR": "1", "TZ": "UTC"}, check=False)
    assert tool == "perf" or done.returncode not in tap.CRASHES, f"{words}: {done.returncode}: {done.stderr[-2000:]}"
    return done.returncode, done.stdout.decode("utf-8", "replace")


def shape(level, text):
    """Return the part of an output that must be the same."""
    if level == "status":
        return None
    lines = [" ".join(line.split()) for line in text.splitlines()]
    if level == "text":
        return [line for line in lines if line and not line.startswith("# Tip:")]
    # perf adds two empty columns to some sort keys, and pads cells that are separated.
    lines = [re.sub(r" - -$", "", re.sub(r" *([,;]) *", r"\1", line)) for line in lines]
    return sorted(line for line in lines if not CHATTER.match(line))


def compare(level, line):
    """Return None if the line cannot run here; whether perf succeeds; and how tally differs, or None."""
    words = arguments(line)
    if words is None:
        return None
    (theirs, text), (ours, own) = run("perf", words), run(TALLY, words)
    if theirs:  # tally may accept more
        return False, None
    if ours:
        return True, f"status {ours} instead of 0"
    if shape(level, text) != shape(level, own):
        lines, other = shape(level, text), shape(level, own)
        missing = [one for one in lines if one not in other][:3]
        return True, f"{len(other)} lines instead of {len(lines)}; missing: {missing}; instead: " + str(
            [one for one in other if one not in lines][:3])
    return True, None


def add_test(command, lines):
    def test():
        machine.need_perf()
        agree = total = 0
        wrong = []
        for level, line in tap.some(lines):
            got = compare(level, line)
            if got is None:
                continue
            runs, differs = got
            total += runs
            agree += runs and not differs
            if differs:
                wrong.append(f"{line}: {differs}")
        print(f"# {command}: {agree} of {total} agree", *wrong, sep="\n#   ", flush=True)
        assert total, "nothing ran"
        RESULTS.append((agree, total))
        assert total < 20 or agree >= (0.9 - SLACK) * total, f"{command}: only {agree} of {total} agree"

    globals()["test_" + command] = tap.always(test)


SLACK = 0.05 if tap.QUICK else 0
RESULTS = []
MOST = ("annotate", "diff", "record", "report", "script", "stat")
for _command in (*MOST, "others"):
    add_test(_command, [one for one in ALL if _command == (one[1].split()[0] if one[1].startswith(MOST) else "others")])


@tap.always
def test_total():
    machine.need_perf()
    agree, total = (sum(column) for column in zip(*RESULTS))
    assert len(ALL) >= 400 and agree >= (0.95 - SLACK) * total, f"{agree} of {total} agree"


if ONLY:
    for _level, _line in ALL:
        if _line.startswith(ONLY):
            print(f"{_level:6} {_line}: {compare(_level, _line)}", flush=True)
    sys.exit(0)
tap.main(__name__)
