#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally on a kernel that behaves like Linux 3.10: system calls that were added later are missing, and
perf_event_open rejects newer flags, attributes and events (old_kernel.c).

usage: old_kernel.py TALLY OLD_KERNEL
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY, OLD_KERNEL = map(os.path.abspath, sys.argv[1:3])
WORK = tap.workplace("old-kernel")
MISSING = 77
LOOP = """
static volatile unsigned long total;
__attribute__((noinline)) void busy_loop(void)
{
	for (unsigned long i = 0; i < 30000000; i++)
		total += i;
}
int main(void)
{
	busy_loop();
	return 0;
}
"""
# Calls of system calls and attributes that Linux 3.10 does not have, with the error that it returns.
NEW_CALLS = """
import ctypes, errno, struct, sys
libc, failed = ctypes.CDLL(None, use_errno=True), []
def check(what, want, *args):
    ctypes.set_errno(0)
    libc.syscall(*args)
    if ctypes.get_errno() != want:
        print(what, errno.errorcode.get(ctypes.get_errno(), 0))
def attr(config=0, bits=0, sample=0, tail=0):
    text = bytearray(128)
    struct.pack_into("<IIQQQQQ", text, 0, 1, 128, config, 0, sample, 0, bits)
    struct.pack_into("<I", text, 96, tail)
    return bytes(text)
opened = int(sys.argv[1])
check("getrandom", errno.ENOSYS, int(sys.argv[2]), 0, 0, 0)
check("an event", 0, opened, attr(), 0, -1, -1, 0)
check("cloexec", errno.EINVAL, opened, attr(), 0, -1, -1, 8)
check("mmap2", errno.EINVAL, opened, attr(bits=1 << 23), 0, -1, -1, 0)
check("identifier", errno.EINVAL, opened, attr(sample=1 << 16), 0, -1, -1, 0)
check("dummy", errno.ENOENT, opened, attr(config=9), 0, -1, -1, 0)
check("regs_intr", errno.E2BIG, opened, attr(tail=1), 0, -1, -1, 0)
"""
NUMBERS = {"x86_64": (298, 318), "aarch64": (241, 278), "riscv64": (241, 278)}


def old(*command, **options):
    """Run a command on the old kernel."""
    done = tap.run(OLD_KERNEL, *command, cwd=WORK, env=tap.without_leaks(), **options)
    if done.returncode == MISSING:
        raise tap.Skip("seccomp filters that ask another process are refused here: " + done.stderr.strip())
    return done


def loop():
    return steps.build(os.path.join(WORK, "loop"), LOOP, "-O1", "-g", "-fno-omit-frame-pointer",
                       file=os.path.join(WORK, "loop.c"), once=True)


def recorded(data, *options):
    """Record the loop on the old kernel."""
    machine.need_events()
    done = old(TALLY, "record", "-o", data, *options, loop(), status=0)
    assert "procfs and ptrace" not in done.stderr, done.stderr
    return data


@tap.always
def test_the_old_kernel_is_old():
    machine.need_events()
    numbers = NUMBERS.get(os.uname().machine)
    if not numbers:
        raise tap.Skip(f"numbers of system calls on {os.uname().machine} not known")
    tap.same(old(sys.executable, "-S", "-c", NEW_CALLS, *numbers, status=0).stdout, "", "calls with another result")


@tap.always
def test_counts():
    machine.need_events()
    done = old(TALLY, "stat", "-x,", "-e", "task-clock:u,page-faults:u", "true", status=0)
    rows = [line.split(",") for line in done.stderr.splitlines()]
    assert len(rows) == 2 and all(float(row[0]) > 0 for row in rows), done.stderr
    assert "estimates" not in done.stderr, done.stderr


@tap.always
def test_records_and_reports(data):
    recorded(data, "-g", "-e", "cpu-clock:u")
    lines = old(TALLY, "report", "-i", data, "-g", "none", "--no-children", status=0).stdout
    share = re.search(r"([0-9.]+)% +loop +loop +\[\.\] busy_loop", lines)
    assert share, lines
    tap.within(float(share[1]), 80, 100, "share of the loop")
    if not machine.need_built_with.reason("dwarf"):
        found = old(TALLY, "script", "-i", data, "-F", "ip,sym,srcline", status=0).stdout
        assert re.search(r"loop\.c:[3-8]$", found, re.M), found[:1000]


def test_records_several_events(data):
    """Without IDs at a fixed offset, and without the dummy event."""
    recorded(data, "-d", "-e", "cpu-clock:u", "-e", "page-faults:u")
    found = old(TALLY, "script", "-i", data, "-F", "comm,event", status=0).stdout
    for event in ("cpu-clock", "page-faults"):
        assert re.search(rf"loop +{event}", found), f"no {event}: {found[:500]}"


def test_members_of_a_group_have_their_own_counts(data):
    recorded(data, "-e", "{cpu-clock:u,page-faults:u}:S", "-c", "1000000")
    found = old(TALLY, "script", "-i", data, "-F", "event,period", status=0).stdout
    assert re.search(r"\b1000\d{3} +cpu-clock", found) and re.search(r"\b\d{1,3} +page-faults", found), found[:500]


def test_stacks_are_unwound(data):
    recorded(data, "--call-graph", "dwarf", "-e", "cpu-clock:u")
    found = old(TALLY, "script", "-i", data, "-F", "ip,sym", status=0).stdout
    assert re.search(r"busy_loop.*\n.* main\b", found), found[:1000]


def test_without_events_the_user_host_samples(data):
    done = old(TALLY, "record", "--via", "user", "-e", "cpu-clock", "-o", data, loop())
    if done.returncode and "ptrace" in done.stderr:
        raise tap.Skip(done.stderr.strip())
    tap.same(done.returncode, 0, done.stderr)
    assert "busy_loop" in old(TALLY, "report", "-i", data, status=0).stdout


@tap.always
def test_the_missing_feature_is_named(data):
    machine.need_events()
    for options, field in ((["--overwrite"], "write_backward"), (["--switch-events"], "context_switch"), (["-I"], "sample_regs_intr")):
        done = old(TALLY, "record", "-o", data, "-e", "cpu-clock:u", *options, "true", status=1)
        assert field in done.stderr, f"no {field}: {done.stderr}"


@tap.always
def test_the_emulation_says_what_it_needs():
    machine.need_events()
    old(TALLY, "emulate", "--", "true", status=1, says="requires Linux 5.3 or later")


def test_the_doctor_names_what_is_missing():
    machine.need_events()
    text = old(TALLY, "doctor").stdout
    for words in ("the kernel supports perf_event_open", "has 96 bytes", "dummy (3.12)", "comm_exec (3.16)"):
        assert words in text, f"no {words!r}: {text[:2000]}"
    assert "exclude_host (3.2)" not in text, text


tap.main(__name__)
