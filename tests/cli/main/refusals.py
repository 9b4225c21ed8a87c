#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Provoke errors on this kernel, and check that the messages contain the cause.

usage: refusals.py TALLY [--markdown]

Each row of the table is a test. --markdown prints docs/refusals.md instead: the table together with the output of the
installed perf in the same environment.
"""
import contextlib
import errno
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
PERFMON, SYS_ADMIN = 38, 21
EVENTS = "/sys/kernel/tracing/events"
ACCOUNT = None


def account():
    global ACCOUNT
    if not ACCOUNT:
        machine.need_system_wide()
        ACCOUNT = rights.Account(TALLY)
    return ACCOUNT


# ---- environments ------------------------------------------------------------------


class Place:
    """The environment of a command: user, program and settings."""

    def __init__(self, words, user=True, caps=None, before=None, preexec=None, check=None, around=None,
                 **sysctls):
        self.words = words
        self.user, self.caps = user, caps
        self.before = before or []
        self.preexec, self.check, self.around = preexec, check, around
        self.sysctls = sysctls or {"perf_event_paranoid": 2}

    def program(self, path):
        """Return a copy of a program that can be run in this environment."""
        if not self.user:
            return path
        name = os.path.basename(path) + (re.sub(r"\W", "-", self.caps) if self.caps else "")
        me, ours = account(), account().tally
        me.tally = path
        try:
            return me.program(name, self.caps)
        finally:
            me.tally = ours

    def run(self, path, args):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(account().work, "refused.data"))
        if self.check:
            self.check()
        with contextlib.ExitStack() as stack:
            stack.enter_context(rights.sysctls(**self.sysctls))
            program = self.program(path)
            if self.around:
                program = stack.enter_context(self.around(program)) or program
            words = [*self.before, program, *[str(arg) for arg in args]]
            more = {"preexec_fn": self.preexec, "stdin": subprocess.DEVNULL, "timeout": tap.PATIENCE}
            if self.user:
                return account().run(*words, **{k: v for k, v in more.items() if k != "stdin"})
            return tap.run(*words, cwd=account().work, **more)


def level(value, **more):
    return Place(f"paranoid {value}", perf_event_paranoid=value, **more)


def no_pmu():
    if machine.has_pmu():
        raise tap.Skip("this machine has a PMU")


@contextlib.contextmanager
def open_tracefs(program):
    """Temporarily let the test user's group read the descriptions of tracepoints."""
    machine.need_tracepoints()
    mode = os.stat("/sys/kernel/tracing").st_mode & 0o777
    try:
        # Grant access to a group, as tally suggests. Other users still cannot read the descriptions.
        if tap.run("mount", "-o", f"remount,gid={account().gid},mode=750",
                   "/sys/kernel/tracing").returncode:
            raise tap.Skip("cannot remount tracefs")
        reason = machine.why_not(["cat", EVENTS + "/sched/sched_switch/id"], **account().options())
        if reason:
            raise tap.Skip(f"tracefs stays closed to a group when it is remounted: {reason}")
        yield
    finally:
        tap.run("mount", "-o", f"remount,gid=0,mode={mode:o}", "/sys/kernel/tracing")


@contextlib.contextmanager
def nosuid(program):
    """Copy the program to a file system that ignores its capabilities."""
    machine.need_mounts()
    directory = account().make("nosuid")
    assert not tap.run("mount", "-t", "tmpfs", "-o", "nosuid,mode=755,size=256m", "none", directory).returncode
    try:
        copy = os.path.join(directory, os.path.basename(program))
        shutil.copy(program, copy)
        os.chmod(copy, 0o755)
        reason = machine.why_not(["setcap", "cap_perfmon=ep", copy])
        if reason:
            raise tap.Skip(f"no file capabilities on a tmpfs here: {reason}")
        yield copy
    finally:
        tap.run("umount", directory)


@contextlib.contextmanager
def offline(program):
    with rights.without_cpu1():
        yield


USER = level(2)
ROOT = Place("root", user=False)
CAPABLE = Place("cap_perfmon=ep", caps="cap_perfmon=ep")
SYSCALL = {name: Place(f"seccomp: {name}", preexec=rights.seccomp(getattr(errno, name)),
                       perf_event_paranoid=1) for name in ("EPERM", "EACCES", "ENOSYS")}
ROOT_SECCOMP = Place("root, seccomp: EPERM", user=False, preexec=rights.seccomp(errno.EPERM))
PASSING = Place("seccomp: lets it pass", preexec=rights.seccomp(0), perf_event_paranoid=2)
USERNS = Place("user namespace", before=["unshare", "-Ur"], check=machine.need_user_namespaces)
BOUNDED = Place("root, PERFMON and SYS_ADMIN not in the bounding set", user=False,
                preexec=rights.drop_bounding(PERFMON, SYS_ADMIN), perf_event_paranoid=2)
NO_NEW = Place("cap_perfmon=ep, no_new_privs", caps="cap_perfmon=ep",
               before=["setpriv", "--no-new-privs"], check=lambda: rights.need("setpriv"))
NOSUID = Place("cap_perfmon=ep, nosuid mount", around=nosuid)
FEW_FILES = Place("RLIMIT_NOFILE 24", preexec=rights.limit(resource.RLIMIT_NOFILE, 24))
NO_MEMLOCK = Place("RLIMIT_MEMLOCK 0", preexec=rights.limit(resource.RLIMIT_MEMLOCK, 0),
                   perf_event_paranoid=0, perf_event_mlock_kb=64)
# LeakSanitizer needs to create a process.
FEW_TASKS = Place("RLIMIT_NPROC 0", preexec=rights.limit(resource.RLIMIT_NPROC, 0),
                  before=["env", "ASAN_OPTIONS=" + tap.without_leaks()["ASAN_OPTIONS"]])
TRACEPOINTS = {value: Place(f"paranoid {value}, tracefs readable", around=open_tracefs,
                            perf_event_paranoid=value) for value in (0, 1, 2)}
NO_PMU = Place("no PMU", user=False, check=no_pmu)
SMALL_RATE = Place("root, max_sample_rate 5000", user=False, perf_event_max_sample_rate=5000)
REGISTERS = Place("root", user=False, check=machine.need_breakpoint_registers)
CLOSED_TRACEFS = level(2, check=machine.need_closed_tracefs)
UPROBES = level(-1, check=lambda: machine.need_pmu("uprobe"))
OFFLINE = Place("root, CPU 1 off line", user=False, around=offline)

# ---- table ---------------------------------------------------------------------------

DATA = ["-o", "refused.data"]
RECORD, STAT = ["record", *DATA], ["stat"]
VIA_KERNEL = ["--via", "kernel"]  # otherwise tally would continue without the kernel, see via.py
GOES_ON = "it is told, and the command goes on without"
ALL_CPUS = r"counting all tasks on a CPU requires privileges"
IN_KERNEL = r"counting in the kernel requires privileges"
ALONE = r"only occurs in the kernel, and counting there requires privileges"
SECCOMP = r"a seccomp filter forbids perf_event_open"
FOREIGN = r"belongs to another user, or has privileges that this process lacks"
PIDS = r"found: kernel.perf_event_paranoid is {}, and CAP_PERFMON is not held"
SETCAP = r"hint: sudo setcap cap_perfmon=ep \S+ \(cap_sys_admin is accepted too, but discouraged\)"
BY_CONTAINER = r"hint: in a container: start the container with --cap-add PERFMON"
MANY = ",".join(["task-clock"] * 40)
WATCHED = [f"mem:0x{address:x}:w:u" for address in range(0x1000, 0x5001, 0x1000)]
WATCHES = [word for name in WATCHED for word in ("-e", name)]

# Environment; command; strings that the message must contain.
TABLE = [
    # -- paranoid level
    (level(3), [*RECORD, "-a", "true"], [ALL_CPUS, PIDS.format(3), "at most 0", SETCAP,
                                         "perf_event_paranoid=0"]),
    (level(2), [*RECORD, "-a", "true"], [ALL_CPUS, PIDS.format(2), "at most 0", SETCAP]),
    (level(1), [*RECORD, "-a", "true"], [ALL_CPUS, PIDS.format(1), "at most 0", SETCAP]),
    (level(2), [*STAT, "-C", "0", "-e", "cpu-clock", "true"], [ALL_CPUS, PIDS.format(2), SETCAP]),
    (level(2), [*STAT, "-e", "task-clock:k", "true"], [IN_KERNEL, "at most 1", SETCAP]),
    (level(2), [*STAT, "-e", "context-switches", "true"], [ALONE, "at most 1", SETCAP]),
    (level(2), [*RECORD, "-e", "cpu-migrations", "true"], [ALONE, SETCAP]),
    (level(-1), [*RECORD, "-e", "cpu-clock", "--namespaces", "true"],
     ["recording namespaces requires privileges", PIDS.format(-1), "leave out --namespaces", SETCAP]),
    (level(2), [*RECORD, "-e", "cpu-clock:u", "--phys-data", "true"],
     ["physical addresses require privileges", "leave out --phys-data", SETCAP]),
    (level(2), [*RECORD, "-e", "cpu-clock:u", "-j", "any,k", "true"],
     ["branches in the kernel requires privileges", SETCAP]),
    # -- tasks
    (level(-1), [*RECORD, "-e", "cpu-clock:u", "-p", "1"], [FOREIGN, PIDS.format(-1), SETCAP]),
    (level(2), [*STAT, "-e", "task-clock", "-p", "1"], [FOREIGN, SETCAP]),
    (USER, [*RECORD, "-p", "4194300"], ["--pid 4194300: no such task"]),
    (USER, [*STAT, "-p", "4194300"], ["--pid 4194300: no such task"]),
    (USER, [*RECORD, "-t", "garbage"], ["garbage: not a list of numbers$"]),
    (USER, [*RECORD, "-u", "nobody-like-that"], ["nobody-like-that: no such user"]),
    # -- tracepoints and probes
    (CLOSED_TRACEFS, [*RECORD, "-e", "sched:sched_switch", "true"],
     ["no permission to read tracefs", "hint: .*remount"]),
    (TRACEPOINTS[2], [*RECORD, "-e", "sched:sched_switch", "true"],
     ["sampling a tracepoint's data requires privileges", PIDS.format(2), "at most -1", SETCAP]),
    (TRACEPOINTS[0], [*RECORD, "-e", "sched:sched_switch", "true"],
     ["sampling a tracepoint's data requires privileges", PIDS.format(0), "at most -1", SETCAP]),
    (TRACEPOINTS[2], [*STAT, "-e", "sched:sched_switch", "true"], [ALONE, "at most 1", SETCAP]),
    (UPROBES, [*STAT, "-e", "uprobe/config=0/u", "true"],
     ["kprobes and uprobes require privileges", PIDS.format(-1), SETCAP]),
    (CAPABLE, [*STAT, "-e", "mem:0xffffffff81000000:w:k", "true"],
     ["breakpoint on a kernel address requires privileges", "CAP_SYS_ADMIN is not held",
      "setcap cap_sys_admin,cap_perfmon=ep"]),
    # -- filters
    *[(SYSCALL[name], [*STAT, *VIA_KERNEL, "-e", "task-clock:u", "true"],
       [SECCOMP, os.strerror(getattr(errno, name)), "--cap-add PERFMON"]) for name in SYSCALL],
    *[(SYSCALL[name], [*RECORD, *VIA_KERNEL, "true"], [SECCOMP, "--security-opt seccomp="]) for name in SYSCALL],
    (ROOT_SECCOMP, [*STAT, "-a", "-e", "cpu-clock", "true"], [SECCOMP, "--cap-add PERFMON"]),
    (PASSING, [*STAT, "-a", "-e", "cpu-clock", "true"], [ALL_CPUS, PIDS.format(2), "no_new_privs"]),
    # -- ineffective capabilities
    (USERNS, [*STAT, "-a", "-e", "cpu-clock", "true"],
     [ALL_CPUS, "CAP_PERFMON is held only in this user namespace, where it does not count",
      "outside the user namespace", "on the host"]),
    (USERNS, [*RECORD, "-e", "context-switches", "true"], [ALONE, "does not count"]),
    (BOUNDED, [*STAT, "-a", "-e", "cpu-clock", "true"], [ALL_CPUS, BY_CONTAINER]),
    (BOUNDED, [*RECORD, "-e", "context-switches", "true"], [ALONE, BY_CONTAINER]),
    (NO_NEW, [*STAT, "-a", "-e", "cpu-clock", "true"],
     [ALL_CPUS, "hint: run tally without no_new_privs"]),
    (NOSUID, [*STAT, "-a", "-e", "cpu-clock", "true"], [ALL_CPUS, "hint: copy .* without nosuid"]),
    # -- limits
    (FEW_FILES, [*STAT, "-e", MANY, "true"], ["too many open files", "RLIMIT_NOFILE is 24"]),
    (FEW_FILES, [*RECORD, "-e", MANY, "true"], ["too many open files", "RLIMIT_NOFILE is 24"]),
    (FEW_TASKS, [*RECORD, "true"], ["cannot start 'true'", "RLIMIT_NPROC is 0"]),
    (FEW_TASKS, [*STAT, "true"], ["cannot start 'true'", "RLIMIT_NPROC is 0"]),
    (NO_MEMLOCK, [*RECORD, "-m", "128", "-a", "true"],
     ["the ring buffers exceed the locked memory limit", "perf_event_mlock_kb is 64", "RLIMIT_MEMLOCK is 0 KiB",
      "setcap cap_ipc_lock=ep", "sysctl kernel.perf_event_mlock_kb="]),
    (ROOT, [*RECORD, "-F", "100000000", "true"],
     [GOES_ON, "instead of 100000000 Hz, the limit of kernel.perf_event_max_sample_rate"]),
    (SMALL_RATE, [*RECORD, "-F", "9000", "--strict-freq", "true"],
     ["9000 Hz exceeds the kernel's limit of 5000 Hz",
      "sysctl kernel.perf_event_max_sample_rate=9000"]),
    (ROOT, [*RECORD, "-e", "cpu-clock", "--max-stack", "9999", "-g", "true"],
     ["9999 entries exceed the kernel's limit", r"perf_event_max_stack is \d+"]),
    (REGISTERS, [*STAT, *WATCHES, "true"], [GOES_ON, "all breakpoint registers are in use"]),
    # -- missing features
    (NO_PMU, [*STAT, "-v", "-e", "cycles", "true"], [GOES_ON, "no PMU on this system counts this event"]),
    (NO_PMU, [*RECORD, "-e", "instructions", "true"], ["no PMU on this system counts this event",
                                                       "software events"]),
    (NO_PMU, [*RECORD, "-e", "cache-misses", "true"], ["no PMU on this system counts this event"]),
    (NO_PMU, [*RECORD, "-e", "r1234", "true"], ["no PMU on this system counts this event"]),
    (ROOT, [*STAT, "-e", "nonsense", "true"], ["nonsense"]),
    (ROOT, [*STAT, "-e", "nopmu/event=1/", "true"], ["nopmu"]),
    (ROOT, [*STAT, "-e", "sched:nonsense", "true"], ["nonsense"]),
    (ROOT, [*STAT, "-C", "4095", "-e", "cpu-clock", "true"], ["CPU 4095 does not exist or is offline"]),
    (ROOT, [*RECORD, "-C", "4095", "-e", "cpu-clock", "true"],
     ["CPU 4095 does not exist or is offline"]),
    (OFFLINE, [*RECORD, "-C", "1", "-e", "cpu-clock", "true"], ["CPU 1 does not exist or is offline"]),
    (OFFLINE, [*STAT, "-C", "1", "-e", "cpu-clock", "true"], ["CPU 1 does not exist or is offline"]),
    # -- rejected by the kernel
    (ROOT, [*RECORD, "-e", "cpu-clock", "-c", "9223372036854775808", "true"], ["sample_period"]),
    (ROOT, [*RECORD, "-e", "cpu-clock", "-b", "true"], ["field branch_sample_type", "leave out -b"]),
    (REGISTERS, [*STAT, "-e", "mem:0x1001/8:w", "true"], [GOES_ON, "field bp_addr"]),
    (ROOT, [*RECORD, "-m", "3x", "true"], ["-m 3x: must be a number of pages or a size"]),
    (ROOT, [*RECORD, "-C", "1-", "true"], ["1-: not a list of CPUs"]),
    # -- files and commands
    (USER, ["record", "-o", "/proc/refused.data", "-e", "cpu-clock:u", "true"],
     ["cannot write /proc/refused.data: "]),
    (USER, [*RECORD, "-e", "cpu-clock:u", "no-such-command"],
     ["cannot run 'no-such-command': No such file"]),
    (USER, ["report", "-i", "/etc/shadow"], ["/etc/shadow: .*Permission denied", "another user"]),
    (USER, [*RECORD, "--control", "fifo:/nowhere/fifo", "true"], ["/nowhere/fifo"]),
]


def check(place, args, wanted):
    done = place.run(TALLY, args)
    if wanted[0] == GOES_ON:
        wanted = wanted[1:]
    else:
        assert done.returncode, f"it was not refused: {done.stderr[:600]}"
    assert "ERROR: " not in done.stderr, done.stderr[:2000]
    for pattern in wanted:
        assert re.search(pattern, done.stderr, flags=re.M), f"no {pattern!r} in: {done.stderr[:900]}"


def title(place, args):
    words = " ".join(str(arg) for arg in args)
    return f"{place.words}: {words if len(words) < 90 else words[:87] + '...'}"


def add_tests():
    for place, args, wanted in TABLE:
        def test(place=place, args=args, wanted=wanted):
            check(place, args, wanted)
        globals()[f"test_{title(place, args)}"] = test


# ---- document -------------------------------------------------------------------------


def cell(lines):
    text = "<br>".join(line.strip() for line in lines if line.strip())
    text = re.sub(r"/var/tmp/tally-rights-[^/ ]*/(bin|nosuid)/[\w-]+", "/usr/bin/tally", text)
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def perf_says(place, args):
    if not PERF:
        return ["(not installed)"]
    try:
        done = place.run(PERF, [arg for arg in args if arg not in VIA_KERNEL])
    except subprocess.TimeoutExpired:
        return ["(does not end)"]
    lines = [line for line in done.stderr.splitlines() if line.strip() and
             "Performance counter stats" not in line]
    if not done.returncode:
        lines = ["(exit status 0)"] + [line for line in done.stderr.splitlines()
                                       if re.search(r"<not|:u ", line)][:1]
    kept = " / ".join(line.strip() for line in lines)
    return [kept if len(kept) < 260 else kept[:257] + "..."]


def page():
    rows = []
    for place, args, wanted in TABLE:
        try:
            ours = [line for line in place.run(TALLY, args).stderr.splitlines()
                    if not re.match(r"\[|rounding|==|tally: warning: no hardware", line)]
        except tap.Skip as why:
            sys.stderr.write(f"left out: {title(place, args)}: {why}\n")
            continue
        errors = [i for i, line in enumerate(ours) if line.startswith("tally: ") and
                  not line.startswith("tally: warning")]
        first = (errors + [0])[0]
        ours = ours[:first + 1] + [line for line in ours[first + 1:]
                                     if re.match(r"  (found|needed|hint|the kernel)", line)]
        words = title(place, args).split(": ", 1)[1] if not place.words.startswith(("seccomp", "root, seccomp")) \
            else title(place, args)[len(place.words) + 2:]
        rows.append(f"| {cell([place.words])} | `{words}` | {cell(ours[first:first + 4])} | "
                    f"{cell(perf_says(place, args))} |")
    print("# Error messages for missing permissions\n\n<!-- Generated: tests/cli/main/refusals.py TALLY --markdown -->\n")
    print("The output of tally and of perf 6.1 for requests that the kernel denies. Each row is also a test. Only the\n"
          "first four lines of tally's output are shown.\n")
    print("| environment | command | output of tally | output of perf |\n|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    if "--markdown" in sys.argv:
        page()
    else:
        add_tests()
        tap.main("__main__")
