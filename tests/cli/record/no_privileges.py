#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test an unprivileged user with a tally binary that has no capabilities: which actions are denied, and the messages
about them.

usage: no_privileges.py TALLY [--update]

The tests run as root, create a user and a group, and remove both. Messages to the user are compared with
golden/privileges/NAME.txt; --update regenerates those files.
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from session_user import NO_MEMLOCK, Workload, account, capable, golden, output, plain, well  # noqa: E402

# ---- without capabilities -----------------------------------------------------------------


def without(name, *args, level=2, status=1, **more):
    with rights.sysctls(perf_event_paranoid=level, kptr_restrict=0):
        done = account().run(plain(), *args, **more)
    assert done.returncode == status, (done.returncode, done.stderr)
    golden(name, done.stderr)
    return done


def test_record_all_is_denied():
    """Check that recording all CPUs is denied, and that the message explains how to permit it."""
    without("record-all", "record", "-a", "-o", output("no.data"), "true")
    assert not os.path.exists(output("no.data"))


def test_record_own_excludes_the_kernel():
    """Check that only user space is recorded for the user's own command, and that the reason is reported once."""
    done = without("record-own", "record", "-o", output("own.data"), "true", status=0)
    assert done.stderr.count("only user space is recorded") == 1
    name = well(account().run(plain(), "evlist", "-i", output("own.data"))).stdout.split("\n")[0]
    assert re.fullmatch(r"cycles:(Pu|u)|cpu-clock:u", name), name


def test_record_of_other_users_is_denied():
    """Check that recording another user's task is denied."""
    without("record-foreign", "record", "-p", "1", "-o", output("no.data"))


def test_stat_all_is_denied():
    without("stat-all", "stat", "-a", "-e", "cpu-clock", "true")


@tap.always
def test_a_program_that_may_not_be_profiled_runs_to_its_end():
    """Check that a program that may not be profiled runs to completion. The kernel removes the events at the program's
    exec, but does not kill the program."""
    hidden = os.path.join(account().make("hidden"), "hidden")
    steps.build(hidden, '#include <stdio.h>\n#include <unistd.h>\nint main(void) { usleep(300000); return puts("done") < 0 ? 1 : 7; }')
    os.chmod(hidden, 0o711)
    with rights.sysctls(perf_event_paranoid=2):
        done = account().run(plain(), "record", "-e", "cpu-clock:u", "-o", output("hidden.data"), hidden)
    assert (done.returncode, done.stdout) == (7, "done\n"), done
    tap.same(done.stderr.count("the kernel removed the command's events"), 1, done.stderr)


BURN = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	double seconds = atof(argv[1]);
	volatile unsigned long sum = 0;
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++)
			sum += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
	puts("burned");
	return 7;
}
"""


def hidden_program(name, mode):
    path = os.path.join(account().make(name), name)
    steps.build(path, BURN, "-O1")
    os.chmod(path, mode)
    return path


@tap.always
def test_stat_counts_nothing_of_a_program_that_may_not_be_profiled():
    """Check that counts from before the exec are not reported as the program's counts."""
    with rights.sysctls(perf_event_paranoid=2):
        gives_rights = machine.need_set_user_id.reason() is None
        for mode, seconds in ((0o711, "0.2"), (0o4755, "0.2"), (0o711, "0"), (0o4755, "0")):
            if mode == 0o4755 and not gives_rights:
                continue
            program = hidden_program(f"burn{mode:o}", mode)
            done = account().run(plain(), "stat", "-x,", "-e", "task-clock:u,page-faults:u", program, seconds)
            assert (done.returncode, done.stdout) == (7, "burned\n"), done
            tap.same([line.split(",")[0] for line in done.stderr.splitlines() if ":u," in line], ["<not counted>"] * 2, done.stderr)
            tap.same(done.stderr.count("the kernel removed the command's events"), 1, done.stderr)
        program = hidden_program("burn755", 0o755)
        done = account().run(plain(), "stat", "-x,", "-e", "task-clock:u", program, "0.2")
        assert "removed" not in done.stderr and "not counted" not in done.stderr, done.stderr


def test_stat_finds_such_a_command_in_every_mode():
    hidden = hidden_program("burn711", 0o711)
    script = os.path.join(account().make("script"), "script")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!{hidden}\n")
    os.chmod(script, 0o755)
    with rights.sysctls(perf_event_paranoid=2):
        for words in (("--no-inherit", hidden, "0.1"), ("-D", "10", hidden, "0.1"), ("-I", "30", hidden, "0.1"), ("-r", "3", hidden, "0.1"),
                      ("-j", hidden, "0.1"), (script,)):
            done = account().run(plain(), "stat", "-e", "task-clock:u", *words)
            tap.same(done.stderr.count("the kernel removed the command's events"), 1, (words, done.stderr))
            assert "<not counted>" in done.stderr, (words, done.stderr)


def test_stat_keeps_counts_of_commands_that_miss_some_time():
    """Check that counts are kept for processes that exit early and are only partly counted, because their events were
    not removed."""
    loop = "i=0; while [ $i -lt 200 ]; do (:); i=$((i+1)); done"
    with rights.sysctls(perf_event_paranoid=2):
        for words in (("sh", "-c", loop), ("sh", "-c", hidden_program("burn711", 0o711) + " 0.1")):
            done = account().run(plain(), "stat", "-x,", "-e", "task-clock:u", *words)
            assert "removed" not in done.stderr and "not counted" not in done.stderr, done.stderr


def test_stat_own_excludes_the_kernel():
    """Check that events that only occur in the kernel are not shown as 0."""
    done = without("stat-own", "stat", "-e", "task-clock,context-switches", "-o", output("stat"),
                   "true", status=0)
    with open(output("stat")) as file:
        shown = file.read()
    assert "task-clock:u" in shown and re.search("<not permitted> +context-switches", shown), shown
    assert done.stderr.count("requires privileges") == 2, done.stderr


def test_stat_of_other_users_is_denied():
    without("stat-foreign", "stat", "-p", "1", "-e", "task-clock")


def test_tracepoints_are_denied():
    machine.need_closed_tracefs()
    without("tracepoint", "record", "-e", "sched:sched_switch", "-o", output("no.data"), "true")


def test_without_any_level_1():
    """Check that at level 1, recording the kernel is permitted, but recording all CPUs is not."""
    without("record-all-1", "record", "-a", "-o", output("no.data"), "true", level=1)
    with rights.sysctls(perf_event_paranoid=1):
        done = well(account().run(plain(), "record", "-o", output("own.data"), "true"))
        assert "only user space" not in done.stderr, done.stderr


def test_without_at_0_and_below():
    """Check that all CPUs are permitted at level 0, and that ring buffers are not limited at level -1."""
    with rights.sysctls(perf_event_paranoid=0):
        assert "cpu-clock" in well(account().run(plain(), "stat", "-a", "-e", "cpu-clock", "true")).stderr
    with rights.sysctls(perf_event_paranoid=-1, perf_event_mlock_kb=0):
        done = well(account().run(plain(), "record", "-a", "-o", output("own.data"), "true",
                                  preexec_fn=NO_MEMLOCK))
        assert "Captured" in done.stderr and "ring buffers" not in done.stderr, done.stderr


def test_a_new_cpu_cannot_be_opened():
    """Check that failing to open a CPU that is brought online later is reported."""
    for args in (["record", "-a", "-o", output("cpu.data")], ["stat", "-a", "-e", "cpu-clock"]):
        work = Workload("cpu")
        with rights.without_cpu1():
            tally = account().start(capable(), *args, *work.command)
            work.wait()
        work.release()
        told = tally.communicate(timeout=tap.PATIENCE)[1]
        work.remove()
        assert "CPU 1 came online later and is not covered" in told, told


def test_capabilities_cannot_be_kept():
    """Check that there is no option to keep capabilities."""
    for command in ("record", "stat"):
        done = account().run(capable(), command, "--keep-caps", "true")
        assert done.returncode == 129, done


if __name__ == "__main__":
    tap.main("__main__")
