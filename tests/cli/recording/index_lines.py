#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test source lines that another process has looked up and stored in indexes. A warm cache must not change the output,
and its contents must be neither looked up nor written again. script looks up many lines at once. Recordings have
samples at random addresses in a program built for the test.

usage: index_lines.py TALLY
"""
import os
import random
import shutil
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("index-lines")
CACHE = os.path.join(WORK, "cache")
PROGRAM = os.path.join(WORK, "program")
COPY = os.path.join(WORK, "copy")  # a file with the same build ID at another path
START = 0x400000
PID = 4194304 + os.getpid()  # an unused pid
FUNCTIONS, LINES = 12, 60
COMMANDS = (["report", "--stdio", "-g", "none", "-s", "sym,srcline"],
            ["script", "-F", "comm,ip,sym,srcline"],
            ["report", "--stdio", "-g", "caller", "--no-children", "-s", "dso,srcfile"],
            ["script", "-G", "-F", "comm,ip,sym,srcline"])
os.environ["PERF_BUILDID_DIR"] = os.path.join(WORK, "none")


def source():
    """Return the source code of functions with many lines and inlined calls."""
    text = "volatile unsigned long sum;\nstatic inline __attribute__((always_inline)) void inner(unsigned long n)\n"
    text += "{\n\tsum ^= n;\n\tsum -= n >> 3;\n}\n"
    for number in range(FUNCTIONS):
        text += f"__attribute__((noinline)) void hot_{number}(unsigned long n)\n{{\n"
        text += "".join("\tinner(n);\n" if line % 7 == 3 else f"\tsum += n * {line + 3};\n" for line in range(LINES))
        text += "}\n"
    calls = "".join(f"\thot_{number}(1);\n" for number in range(FUNCTIONS))
    return text + f"int main(void)\n{{\n{calls}\treturn 0;\n}}\n"


def prepare():
    machine.need_built_with("dwarf")
    machine.need_tool("nm", "--version")
    machine.need_tool("strace", "-f", "-o", "/dev/null", "true")
    if not os.path.exists(PROGRAM):
        steps.build(PROGRAM, source(), "-O2", "-g", "-no-pie", "-fno-pie", "-Wl,--build-id", file=os.path.join(WORK, "many lines.c"))
        shutil.copy2(PROGRAM, COPY)


def functions():
    found = [line.split() for line in tap.run("nm", "-S", PROGRAM).stdout.splitlines()]
    return [(int(words[0], 16), int(words[1], 16)) for words in found if len(words) == 4 and words[3].startswith("hot_")]


def recording(path, rng, nr):
    """Write a recording with samples, including callers, in some functions of the program and, at random, also of its
    copy."""
    some = rng.sample(functions(), 6)
    size = os.path.getsize(PROGRAM)
    copy = START + 0x1000000
    records = [mmap(PID, START, size, PROGRAM), comm(PID, "program")]
    if rng.randrange(2):
        records.append(mmap(PID, copy, size, COPY))
    for number in range(nr):
        start, length = rng.choice(some)
        addrs = [start + rng.randrange(length) for _ in range(2)]
        if len(records) > 2 + number and number % 3 == 0:
            addrs = [addr + copy - START for addr in addrs]
        records.append(sample(addrs[0], PID, number + 1, more=u64(3, CONTEXT_USER, *addrs)))
    write(path, file_bytes(records, [attr(DEFAULT_TYPE | CALLCHAIN)]))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    later = time.time() + 3600  # otherwise the program would appear to have changed after the recording
    os.utime(path, (later, later))


def tally(command, data, *options, before=(), **more):
    env = {**tap.without_leaks(), "XDG_CACHE_HOME": CACHE}
    return tap.run(*before, TALLY, *command, *options, "-i", data, env=env, status=0, **more).stdout


def written():
    """Return the inode numbers and modification times of the indexes."""
    with os.scandir(os.path.join(CACHE, "tally")) as entries:
        return {entry.name: (entry.inode(), entry.stat().st_mtime_ns) for entry in entries}


def count_workers(command, data, *options):
    """Return a command's output, and the number of processes that it started."""
    log = os.path.join(WORK, "strace")
    out = tally(command, data, *options, before=("strace", "-f", "-o", log, "-e", "trace=clone,clone3,fork,vfork"))
    with open(log, encoding="utf-8", errors="replace") as file:
        return out, sum("fork(" in line or "clone" in line for line in file)


def expect_no_work(command, data):
    """Return a command's output, after checking that the command neither started a worker nor wrote an index."""
    before = written()
    out, nr_workers = count_workers(command, data)
    assert not nr_workers, (command, data, nr_workers)
    assert written() == before, (command, data)
    return out


def mixed_reports(nr_recordings, nr_reports, nr_samples, nr_last):
    prepare()
    rng = random.Random(int(os.environ.get("TALLY_SEED", "35")))
    shutil.rmtree(CACHE, ignore_errors=True)
    files = [os.path.join(WORK, f"perf.data.{number}") for number in range(nr_recordings)]
    for path in files:
        recording(path, rng, nr_samples)
    pairs = [(command, path) for command in COMMANDS for path in files]
    rng.shuffle(pairs)
    plain = {}
    # Report each pair once, then repeat random pairs, for which the indexes are complete by then.
    for number in range(nr_reports):
        command, path = pairs[number] if number < len(pairs) else rng.choice(pairs)
        key = (*command, path)
        if key not in plain:
            plain[key] = tally(command, path, "--no-index")
            assert command[0] == "script" or "hot_" in plain[key] or "many lines.c" in plain[key], plain[key]
        out = tally(command, path) if number < nr_reports - nr_last else expect_no_work(command, path)
        tap.same(out, plain[key], f"report {number}: {' '.join(key)}")


@tap.always
def test_a_used_cache_changes_no_output():
    mixed_reports(2, 12, 60, 4)


@tap.full
def test_fifty_mixed_reports_of_ten_recordings():
    mixed_reports(10, 50, 80, 10)


@tap.always
def test_script_asks_each_file_once():
    """Check that script looks up each file only once, even if there are more files than workers and their samples
    alternate."""
    prepare()
    some, size, records = functions(), os.path.getsize(PROGRAM), [comm(PID, "program")]
    places = [START + number * 0x1000000 for number in range(9)]
    for number, place in enumerate(places):
        path = f"{PROGRAM}.{number}"
        shutil.copy2(PROGRAM, path)
        records.append(mmap(PID, place, size, path))
    for number in range(300):
        start, length = some[number % len(some)]
        ip = start + number * 37 % length + places[number % len(places)] - START
        records.append(sample(ip, PID, number + 1))
    data = os.path.join(WORK, "perf.data.files")
    write(data, file_bytes(records))
    command = ["script", "-F", "ip,sym,srcline"]
    out, nr_workers = count_workers(command, data, "--no-index")
    assert out.count("many lines.c:") == 300, out[:1000]
    assert nr_workers == len(places), nr_workers
    with open(data, "rb") as file:
        tap.same(tally(command, "-", "--no-index", stdin=file), out, "from standard input")


if __name__ == "__main__":
    tap.main(__name__)
