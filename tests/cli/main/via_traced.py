#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test --via user with programs that behave differently under ptrace, and with processes that /proc does not show.

usage: via_traced.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("via-traced")

WHO = r"""
#include <stdio.h>
#include <unistd.h>
int main(void) { printf("euid %d egid %d\n", (int)geteuid(), (int)getegid()); return 7; }
"""
LEAKS = r"""
#include <stdio.h>
int main(void) { volatile unsigned long sum = 0; for (long i = 0; i < 20000000; i++) sum += i; puts("fine"); return 7; }
"""


def as_user(*args, **options):
    return tap.run(*args, user=machine.NOBODY, group=machine.NOBODY, extra_groups=[], cwd="/", **options)


def with_rights(name, mode):
    """Return a program owned by root with this mode. Skip the test if set-user-ID programs gain no privileges on this
    file system."""
    machine.need_nobody()
    machine.need_ptrace()
    path = steps.build(os.path.join(WORK, name), WHO, "-O1")
    os.chmod(WORK, 0o755)
    os.chmod(path, mode)
    if as_user(path).stdout == f"euid {machine.NOBODY} egid {machine.NOBODY}\n":
        raise tap.Skip("set-user-ID programs get no rights here (nosuid)")
    return path


def tally_for_user():
    """Return a copy of tally that all users can run, because the build directory may not be accessible to them."""
    path = os.path.join(WORK, "tally")
    if not os.path.exists(path):
        with open(TALLY, "rb") as source, open(path, "wb") as copy:
            copy.write(source.read())
        os.chmod(path, 0o755)
    return path


@tap.always
def test_a_program_that_would_lose_its_rights_is_not_run():
    for name, mode in (("suid", 0o4755), ("sgid", 0o2755)):
        path = with_rights(name, mode)
        for command in (("stat", "-e", "task-clock"), ("record", "-q", "-o", "/dev/null")):
            run = as_user(tally_for_user(), *command, "--via", "user", "--", path)
            tap.same((run.returncode, run.stdout), (1, ""), run.stderr)
            assert "not running " + path + ": its file gives it privileges" in run.stderr, run.stderr


@tap.always
def test_a_program_that_lost_its_rights_is_told():
    path = with_rights("suid", 0o4755)
    run = as_user(tally_for_user(), "stat", "--json", "-e", "task-clock", "--via", "user", "--", "sh", "-c", f"{path}; {path}; true")
    assert f"euid {machine.NOBODY}" in run.stdout and run.returncode == 0, run
    tap.same(run.stderr.count(path + " ran without the privileges of its file"), 1, run.stderr)
    counts = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
    tap.same(counts[0]["without_rights"], [path], "JSON")


def test_a_program_with_rights_that_it_has_already_is_measured():
    path = with_rights("suid", 0o4755)
    run = tap.run(TALLY, "stat", "-x,", "-e", "task-clock", "--via", "user", "--", path, status=7)
    assert "euid 0" in run.stdout and "not counted" not in run.stderr and "privileges" not in run.stderr, run


@tap.always
def test_leak_detecting_programs_run_untraced():
    machine.need_ptrace()
    path = steps.build(os.path.join(WORK, "leaks"), LEAKS, "-O1", "-fsanitize=address", needs=("-fsanitize=address",))
    env = {name: value for name, value in os.environ.items() if name not in ("ASAN_OPTIONS", "LSAN_OPTIONS")}
    if tap.run(path, env=env).returncode != 7:
        raise tap.Skip("LeakSanitizer does not work here")
    tally = {**env, "ASAN_OPTIONS": "detect_leaks=0"} if "ASAN_OPTIONS" in os.environ else env
    for command in ((path,), ("sh", "-c", path + "; exit $?")):
        # Disable leak detection in tally, but not in the command.
        words = ["env", "-u", "ASAN_OPTIONS", *command]
        for how in (("stat", "--json", "-e", "task-clock"), ("record", "-o", "/dev/null")):
            run = tap.run(TALLY, *how, "--via", "user", "--", *words, env=tally)
            tap.same((run.returncode, run.stdout), (7, "fine\n"), run.stderr)
            tap.same(run.stderr.count(path + " was not measured: LeakSanitizer"), 1, run.stderr)
            assert "removed" not in run.stderr, run.stderr
            if how[0] == "stat":
                counts = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
                tap.same(counts[0]["not_measured"], [path], "JSON")
    run = tap.run(TALLY, "stat", "-x,", "-e", "task-clock", "--via", "user", "--", path, env={**tally, "ASAN_OPTIONS": "detect_leaks=0"})
    tap.same((run.returncode, run.stdout), (7, "fine\n"), run.stderr)
    assert "not measured" not in run.stderr and float(run.stderr.splitlines()[-1].split(",")[0]) > 1, run.stderr


def test_detects_leak_detection_by_its_variables():
    """Check that tally recognizes leak detection from the variables that the program's sanitizer reads, and that the
    last setting takes effect."""
    machine.need_ptrace()
    both = {flag: steps.build(os.path.join(WORK, name), LEAKS, "-O1", flag, needs=(flag,), once=True)
            for name, flag in (("leaks-address", "-fsanitize=address"), ("leaks-leak", "-fsanitize=leak"))}
    address, leak = both.values()
    cases = ((address, "FOO=detect_leaks=0", False), (address, "ASAN_OPTIONS=detect_leaks=0:detect_leaks=1", False),
             (address, "ASAN_OPTIONS=detect_leaks=0", True), (address, "LSAN_OPTIONS=verbosity=0:detect_leaks=false", True),
             (leak, "ASAN_OPTIONS=detect_leaks=0", False), (leak, "LSAN_OPTIONS=detect_leaks=0", True))
    for path, setting, is_measured in cases:
        words = ["env", "-u", "ASAN_OPTIONS", "-u", "LSAN_OPTIONS", setting, path]
        if tap.run(*words).returncode != 7:
            continue  # leak detection does not work here, even without tally
        run = tap.run(TALLY, "stat", "-x,", "-e", "task-clock", "--via", "user", "--", *words)
        tap.same((run.returncode, run.stdout), (7, "fine\n"), (setting, run.stderr))
        tap.same("was not measured" in run.stderr, not is_measured, (setting, run.stderr))


# ---- pid namespaces ------------------------------------------------------------------------------

def foreign(*command, **options):
    """Run a command in a new PID namespace with the /proc of another one."""
    machine.need_unshare("--pid", "--fork")
    return tap.run("unshare", "--pid", "--fork", *command, **options)


@tap.always
def test_proc_of_another_namespace_is_not_read():
    for command in (("stat", "-e", "task-clock"), ("record", "-q", "-o", "/dev/null")):
        run = foreign(TALLY, *command, "--via", "user", "--", "true")
        assert run.returncode == 1 and "/proc belongs to another PID namespace" in run.stderr and "mount -t proc" in run.stderr, run
    run = foreign(TALLY, "emulate", "--", "true")
    assert run.returncode == 1 and "/proc belongs to another PID namespace" in run.stderr, run
    for option in ("-p", "-t"):
        run = foreign(TALLY, "stat", option, "1", "-e", "task-clock", "sleep", "0")
        assert run.returncode and "/proc belongs to another PID namespace" in run.stderr, run
    facts = {fact["id"]: fact for fact in json.loads(foreign(TALLY, "doctor", "--json").stdout)["facts"]}
    assert "mount -t proc" in json.dumps(facts["rights.pid-namespace"]), facts["rights.pid-namespace"]


def test_the_kernel_measures_with_it():
    """Check that the kernel's records contain the namespace's PIDs, and that existing processes are not looked up."""
    machine.need_events()
    path = os.path.join(WORK, "foreign.data")
    run = foreign(TALLY, "record", "-e", "cpu-clock", "-F", "999", "-o", path, "sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done")
    assert run.returncode == 0 and "existing tasks have no names" in run.stderr, run.stderr
    comms = {row["comm"] for row in steps.report_json(path, "--sort", "comm")["events"][0]["rows"]}
    assert "sh" in comms and comms <= {"sh", "tally", ":2", "[unknown]"}, comms


tap.main(__name__)
