#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the attribution of samples: tasks that the kernel does not distinguish, and tasks with reused PIDs, must not get
the names of other tasks.

usage: attribution.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
WORK = tap.workplace("attribution")
os.environ["XDG_CACHE_HOME"] = WORK
BASE = 0x400000
SOURCE = """
#include <unistd.h>
__attribute__((noinline)) int hot_NAME(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }
int main(int argc, char **argv) { write(1, "ready\\n", 6); for (;;) hot_NAME(100000); }
"""
KERNEL_TEXT = 0xffffffff81000000


def program(name):
    return steps.build(os.path.join(WORK, name), SOURCE.replace("NAME", name), "-O1", "-g", "-static", "-no-pie", once=True)


def hot(path):
    found = re.search(r"^([0-9a-f]+) . hot_\w+$", tap.run("nm", path, status=0).stdout, re.M)
    return int(found[1], 16) + 4


def end(pid, time):
    return crafted.record(4, crafted.u32(pid, pid, pid, pid) + crafted.u64(time) + crafted.trailer(pid, time))


def craft(name, records):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(records))
    return path


def outside():
    """Return a recording made in a container. It contains one program inside the container and two outside, both with
    PID 0. One of the two outside mapped alpha."""
    alpha = program("alpha")
    at = hot(alpha)
    return craft("outside.data", [
        crafted.sample(KERNEL_TEXT + 16, 0, 5, crafted.KERNEL),
        crafted.comm(0, "alpha", 10), crafted.mmap(0, BASE, 0x200000, alpha, 11), crafted.sample(at, 0, 12), end(0, 15),
        crafted.mmap(0, 0x900000, 0x1000, "/tmp/perf-0.map", 16), crafted.comm(0, "beta", 20), crafted.sample(at, 0, 21),
        crafted.sample(at, 0, 22), crafted.fork(9, 0, 23), crafted.sample(at, 9, 24),
        crafted.comm(7, "inside", 30), crafted.mmap(7, BASE, 0x200000, alpha, 31), crafted.sample(at, 7, 32)])


def named(path):
    """Return thread and function names, one pair per sample."""
    lines = tap.run(TALLY, "script", "-i", path, "-F", "comm,ip,sym", status=0).stdout.splitlines()
    return [(line.split()[0], line.split()[-1]) for line in lines]


@tap.always
def test_tasks_outside_the_namespace_have_no_names():
    machine.need_tool("nm", "--version")
    path = outside()
    tap.same(named(path)[1:], [("[unknown]", "[unknown]")] * 3 + [(":9", "[unknown]"), ("inside", "hot_alpha")], "script")
    for form in ((), ("--no-index",), ("--sort", "tid,sym")):
        text = steps.report(path, "--stdio", *form)
        rows = [line for line in text.splitlines() if "hot_alpha" in line]
        assert len(rows) == 1 and "16.67%" in rows[0], text
        assert "3 samples of tasks outside the recorder's PID namespace" in text, text
        assert "swapper" not in text and not re.search(r"% +(alpha|beta)\b", text), text
    events = steps.report_json(path, "--sort", "comm,sym")["events"]
    tap.same({row["comm"]: row["self_samples"] for row in events[0]["rows"] if row["self_samples"]}.keys(),
             {"[unknown]", ":9", "inside"}, "JSON")
    folded = tap.run(TALLY, "report", "-i", path, "--format", "folded", status=0).stdout
    tap.same([line for line in folded.splitlines() if "hot_alpha" in line], ["inside;hot_alpha 1"], "folded")
    code = tap.run(TALLY, "annotate", "-i", path, "--stdio", "hot_alpha").stdout
    assert "1 sample" in code.replace("1 samples", "1 sample"), code[:500]


def test_archives_have_no_names_of_tasks_outside():
    machine.need_tool("nm", "--version")
    path = outside()
    archive = os.path.join(WORK, "archived.data")
    tap.run(TALLY, "archive", "-i", path, "-o", archive, status=0)
    tap.same(named(archive)[1:], named(path)[1:], "script")


def test_an_idle_task_keeps_its_name():
    path = craft("idle.data", [crafted.sample(KERNEL_TEXT + 16, 0, 5, crafted.KERNEL), crafted.comm(7, "inside", 30),
                               crafted.sample(0x400010, 7, 31)])
    tap.same([name for name, _ in named(path)], ["swapper", "inside"], "names")
    assert "namespace" not in steps.report(path, "--stdio")


def test_a_reused_pid_is_a_new_process():
    """Check that a process with a reused PID is a new process, even if neither a fork record nor its mappings were
    recorded."""
    machine.need_tool("nm", "--version")
    alpha = program("alpha")
    at = hot(alpha)
    second = 10**9
    path = craft("again.data", [
        crafted.comm(40, "first", 10), crafted.mmap(40, BASE, 0x200000, alpha, 11), crafted.sample(at, 40, 12), end(40, second),
        crafted.sample(KERNEL_TEXT + 16, 40, second + 1, crafted.KERNEL), crafted.sample(at, 40, 3 * second),
        crafted.comm(40, "third", 4 * second), crafted.sample(at, 40, 5 * second)])
    tap.same(named(path), [("first", "hot_alpha"), ("first", "[unknown]"), (":40", "[unknown]"), ("third", "[unknown]")], "names")


def test_recorded_in_a_container():
    machine.need_system_wide()
    machine.need_unshare("-pf", "--mount-proc")
    path = os.path.join(WORK, "live.data")
    with steps.Running([program("alpha")]), steps.Running([program("beta")]):
        run = tap.run("unshare", "-pf", "--mount-proc", TALLY, "record", "-a", "-e", "cpu-clock", "-F", "499", "-o", path, "sleep", "1", status=0)
    assert "tasks outside this PID namespace are recorded as PID 0" in run.stderr, run.stderr
    text = steps.report(path, "--stdio", "--sort", "comm,sym")
    assert "hot_alpha" not in text and "hot_beta" not in text, text
    assert re.search(r"; \d+ samples? of tasks outside", text), text
    inside = tap.run(TALLY, "record", "-q", "-a", "-e", "cpu-clock", "-o", path, "true", status=0)
    assert "namespace" not in inside.stderr or not os.path.realpath("/proc/self/ns/pid").endswith("[4026531836]"), inside.stderr


tap.main(__name__)
