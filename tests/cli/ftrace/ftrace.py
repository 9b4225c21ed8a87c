#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally ftrace on the running kernel. All available features are used, at least tracepoints in an instance, and
missing ones must be explained. However tally exits, even after SIGKILL at a random moment, tracefs must be restored.
tests/hardware/ftrace_kernel.py does the same with all tracers. argv: tally."""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
TRACEFS = "/sys/kernel/tracing"
SEED = int(os.environ.get("TALLY_SEED", "5"))
ROUNDS = int(os.environ.get("TALLY_ROUNDS", "40"))
NOBODY = 65534
SWITCH = ("-e", "sched:sched_switch")
# A command that exits soon after tally. If tally had died before the command started, the command's parent would be
# another process.
WHILE_PARENT = ("sh", "-c", "i=0; while [ $i -lt 1000000 ] && kill -0 $PPID; do i=$((i+1)); done 2>/dev/null")
SETTINGS = ("tracing_on", "current_tracer", "trace_clock", "buffer_size_kb", "set_event", "set_event_pid", "set_ftrace_pid",
            "tracing_cpumask", "set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace",
            "max_graph_depth", "tracing_thresh")


def settings():
    def content(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            return error.strerror
    names = [*SETTINGS, *("options/" + name for name in sorted(os.listdir(TRACEFS + "/options")))]
    return {name: content(f"{TRACEFS}/{name}") for name in names}


def needs_tracefs():
    machine.need_root()
    machine.need_trace_instances()


def ftrace(*args, status=0, **options):
    """Run tally ftrace until it exits, and check that everything is restored."""
    needs_tracefs()
    before = settings()
    run = subprocess.Popen([TALLY, "ftrace", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    run.stdout, run.stderr = run.communicate(timeout=tap.PATIENCE)
    if run.returncode != status:
        raise AssertionError(f"ftrace {' '.join(args)} ended with {run.returncode}: {run.stderr[-800:]}")
    nothing_left(run, before, f"ftrace {' '.join(args)}")
    return run


def nothing_left(run, before, what):
    """Check that all settings are restored and that this run's instance is gone. Other programs' instances may appear
    and disappear."""
    tap.same(settings(), before, f"settings after {what}")
    tap.same(os.path.exists(instance(run)), False, f"an instance after {what}")


def instance(run):
    return f"{TRACEFS}/instances/tally-{run.pid}"


def has(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise AssertionError(f"no {pattern!r} in {text[-1500:]!r}")


def histogram(text):
    return sum(int(count) for count in re.findall(r"^ +\d+ - +\S+ +\S+ \| +(\d+) \|", text, re.M))


# ---- usage ------------------------------------------------------------------------------------------------------


def test_usage_errors():
    for args, said in ((("-a", "-t"), "requires an argument"), ((), "nothing to trace"), (("-p", "1", "true"), "cannot be combined"),
                       (("latency", "true"), "requires one function (-T)"), (("latency", "-e", "a:b", "true"), "-e twice"),
                       (("profile", "-s", "size", "true"), "--sort size"), (("profile", "-e", "a:b", "true"), "-e is only valid for"),
                       (("latency", "-T", "f", "-t", "function", "true"), "-t is only valid for")):
        run = tap.run(TALLY, "ftrace", *args, status=129)
        assert said in run.stderr, run.stderr


def test_bad_values():
    for args, said in ((("-C", "x"), "not a list of CPUs"), (("-m", "x"), "must be a size"), (("-e", "x"), "SYSTEM:NAME"),
                       (("-e", "sched:../../tracing_on"), "SYSTEM:NAME"), (("-e", "sched:nothing"), "no such tracepoint"),
                       ((*SWITCH, "--graph-opts", "sideways"), "'sideways'"), ((*SWITCH, "--graph-opts", "depth"), "'depth'"),
                       ((*SWITCH, "--func-opts", "irq-info=1"), "'irq-info=1'"), (("-T", "a:traceoff"), "not a valid function name")):
        has(ftrace("-t", "nop", *args, "--", "true", status=1).stderr, re.escape(said))
    has(ftrace(*SWITCH, "-p", "999999999", status=1).stderr, "no such task")


# ---- features of the kernel -------------------------------------------------------------------------------------


def tracers():
    needs_tracefs()
    with open(TRACEFS + "/available_tracers", encoding="utf-8") as file:
        return file.read().split()


def forbidden():
    """Return true if the kernel denies function tracing even to root, whatever tracers it has."""
    needs_tracefs()
    try:
        with open(TRACEFS + "/available_filter_functions", encoding="utf-8") as file:
            return not file.read(1)
    except PermissionError:
        return True


def test_missing_tracer_is_explained():
    if "function_graph" in tracers():
        raise tap.Skip("this kernel has function_graph")
    for args in (("-t", "function_graph"), ("-G", "vfs_read"), ("latency", "-T", "vfs_read"), ("profile",)):
        run = ftrace(*args, "--", "true", status=1)
        has(run.stderr, "does not have the tracer 'function_graph': it was built without CONFIG_FUNCTION_GRAPH_TRACER",
            "available_tracers: " + " ".join(tracers()), r"hint: .*zgrep")
        tap.same(run.stdout, "", "output")
    has(ftrace("-t", "no_such_tracer", "--", "true", status=1).stderr, "does not have the tracer 'no_such_tracer'")


def test_forbidden_functions_are_explained():
    if not forbidden():
        raise tap.Skip("this kernel permits functions to be traced")
    for args in (("-t", "function", "--", "true"), ("-T", "vfs_read", "-a"), ("-F",)):
        has(ftrace(*args, status=1).stderr, "the kernel denies access", "CAP_DAC_OVERRIDE is held", "hint: .*lockdown")


def test_functions():
    if forbidden() or "function" not in tracers():
        raise tap.Skip("this kernel does not trace functions: see hardware/ftrace_kernel")
    has(ftrace("-T", "vfs_read", "--", "cat", "/proc/uptime").stdout, r"^# tracer: function$", r": vfs_read <-")


# ---- tracepoints, which every kernel has --------------------------------------------------------------------------


def test_events():
    run = ftrace(*SWITCH, "--", "sh", "-c", "sleep 0.01; exit 3", status=3)
    has(run.stdout, r"\A# tracer: nop$", r"TASK-PID +CPU#", r"^ +\S.*-\d+ +\[\d+\] .* sched_switch: prev_comm=")
    tap.same(run.stderr, "", "complaints")


@tap.always
def test_latency_between_events():
    machine.need_trace_event("syscalls/sys_enter_read")
    args = ("-e", "syscalls:sys_enter_read", "-e", "syscalls:sys_exit_read", "--", "dd", "if=/dev/zero", "of=/dev/null",
            "bs=1", "count=500", "status=none")
    run = ftrace("latency", *args)
    has(run.stdout, r"^#   DURATION     \|      COUNT \| GRAPH", rf"count: +{histogram(run.stdout)}$")
    print(f"# {histogram(run.stdout)} pairs of 500 reads and what starting takes")
    assert 500 <= histogram(run.stdout) <= 520, run.stdout
    run = ftrace("latency", "-n", "--hide-empty", *args)
    assert 500 <= histogram(run.stdout) <= 520 and not re.search(r"\| +0 \|", run.stdout), run.stdout
    run = ftrace("latency", "--bucket-range", "10", "--min-latency", "5", "--max-latency", "35", *args)
    rows = re.findall(r"^ +(\d+ - +[\d.]+) us \| +\d+ \|", run.stdout, re.M)
    tap.same([row.replace(" ", "") for row in rows], ["0-5", "5-15", "15-25", "25-35", "35-..."], "rows")
    assert 500 <= histogram(run.stdout) <= 520, run.stdout
    for words in (["--min-latency", "5"], ["--bucket-range", "5", "--min-latency", "9", "--max-latency", "9"], ["--bucket-range", str(1 << 40)]):
        run = ftrace("latency", *words, *args, status=129)
        assert "-latency" in run.stderr, run.stderr


def test_reports_lost_events():
    machine.need_trace_event("raw_syscalls/sys_enter")
    # The command stops tally, so the buffer is not read in the meantime.
    many = "kill -STOP $PPID; i=0; while [ $i -lt 3000 ]; do kill -0 $$; i=$((i+1)); done; kill -CONT $PPID"
    run = ftrace("-m", "4K", "-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit", "--", "sh", "-c", many)
    gaps = re.findall(r"^CPU:\d+ \[LOST (\d+) EVENTS\]$", run.stdout, re.M)
    assert gaps, f"no gap among {run.stdout.count(chr(10))} lines"
    has(run.stderr, rf"{sum(map(int, gaps))} events were lost in {len(gaps)} gaps", "hint: use larger buffers")


def test_delay_and_missing_commands():
    has(ftrace("-D", "20", *SWITCH, "--", "sleep", "0.1").stdout, "# tracer: nop")
    has(ftrace(*SWITCH, "--", "/no/such/command", status=127).stderr, "cannot run '/no/such/command'")
    tap.same(ftrace(*SWITCH, "--", "sh", "-c", "kill -9 $$", status=137).stderr, "", "complaints")


# ---- all kinds of ends --------------------------------------------------------------------------------------------


def start(*args):
    """Start tally ftrace, and wait for its first line of output. Reset SIGHUP to its default action, because nohup
    ignores it."""
    run = subprocess.Popen([TALLY, "ftrace", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
    run.stdout.readline()
    return run


def keeper_of(run):
    """Return the PID of the keeper, which is the only child in a run without a command."""
    with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="utf-8") as file:
        return int(file.read())


def test_signals_end_it_in_order():
    needs_tracefs()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before = settings()
        run = start("-a", *SWITCH)
        run.send_signal(number)
        run.communicate(timeout=tap.PATIENCE)
        tap.same(run.returncode, 0, f"status after signal {number}")
        nothing_left(run, before, f"signal {number}")


def test_ends_if_the_reader_exits():
    needs_tracefs()
    before = settings()
    run = start("-a", *SWITCH)
    run.stdout.close()
    run.wait(tap.PATIENCE)
    run.stderr.read()  # end of file means that the keeper has exited
    nothing_left(run, before, "it")


def test_survives_a_killed_keeper():
    needs_tracefs()
    before = settings()
    run = start("-a", *SWITCH)
    os.kill(keeper_of(run), signal.SIGKILL)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=tap.PATIENCE)
    tap.same(run.returncode, 0, "status")
    nothing_left(run, before, "that")


def test_removes_stale_instances():
    needs_tracefs()
    before = settings()
    run = start("-a", *SWITCH)
    os.kill(keeper_of(run), signal.SIGKILL)
    run.kill()
    run.communicate(timeout=tap.PATIENCE)
    # If tally and its keeper are both killed, the instance remains until the next run.
    tap.run(TALLY, "ftrace", *SWITCH, "--", "true")
    nothing_left(run, before, "the next one")


def time_to_instance(args):
    """Return three times the time that tally needs to create its instance, which depends on the load."""
    start = time.monotonic()
    run = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    tap.wait_until(lambda: os.path.isdir(instance(run)), "an instance", pause=0.002)
    taken = time.monotonic() - start
    run.kill()
    run.wait()
    run.stdout.read()
    return max(0.25, 3 * taken)


def test_killed_at_random_moments():
    """Kill tally at random moments. The keeper also has tally's output open, so once the output ends, everything has
    been restored."""
    needs_tracefs()
    machine.need_trace_event("raw_syscalls/sys_enter")
    before = settings()
    args = [TALLY, "ftrace", "-m", "64K", "-C", "0", "--inherit", *SWITCH, "-e", "raw_syscalls:sys_enter", "--", *WHILE_PARENT]
    moments = random.Random(SEED)
    made, longest = 0, time_to_instance(args)
    for number in range(ROUNDS):
        run = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            run.wait(moments.uniform(0, longest))
        except subprocess.TimeoutExpired:
            pass
        made += os.path.isdir(instance(run))
        run.kill()
        tap.same(run.wait(), -signal.SIGKILL, f"end of round {number}, seed {SEED}")
        run.stdout.read()
        nothing_left(run, before, f"round {number}, seed {SEED}")
    print(f"# {ROUNDS} killed, {made} of them with an instance, seed {SEED}")
    assert made, "no round came as far as an instance"


# ---- permissions --------------------------------------------------------------------------------------------------


class User:
    """A copy of tally with capabilities, run as an unprivileged user."""

    def __init__(self, capabilities):
        needs_tracefs()
        machine.need_nobody()
        machine.need_closed_tracefs()
        if capabilities:
            machine.need_file_capabilities()
        self.dir = tempfile.mkdtemp(prefix="tally-ftrace-", dir="/var/tmp")
        os.chmod(self.dir, 0o755)
        self.tally = shutil.copy(TALLY, self.dir)
        if capabilities:
            tap.same(tap.run("setcap", capabilities, self.tally).returncode, 0, "setcap")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def popen(self, *args):
        return subprocess.Popen([self.tally, "ftrace", *args], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *args):
        run = self.popen(*args)
        out, err = run.communicate(timeout=tap.PATIENCE)
        return run.returncode, out, err


def test_permission_is_explained():
    for capabilities, held in ((None, "not held"), ("cap_perfmon=ep", "held")):
        with User(capabilities) as user:
            for args in ((*SWITCH, "--", "true"), ("-F",)):
                status, _, err = user.run(*args)
                tap.same(status, 1, f"status with {capabilities}")
                has(err, "tracefs uses file permissions: CAP_PERFMON",
                    rf"is d?[rwx-]+, owned by 0:\d+; this process runs as user {NOBODY}; CAP_PERFMON is {held}, CAP_DAC_OVERRIDE is not held",
                    "hint: .*root")


def test_capability_that_suffices():
    """Check that tally has dropped the capability while it is tracing, and that the keeper still has it."""
    before = settings() if os.geteuid() == 0 else None
    with User("cap_dac_override,cap_perfmon=ep") as user:
        status, out, err = user.run(*SWITCH, "--", "sleep", "0.01")
        tap.same((status, err), (0, ""), "as nobody")
        has(out, "sched_switch: prev_comm=")
        run = user.popen(*SWITCH, "-a")
        run.stdout.readline()
        for pid, wanted in ((run.pid, False), (keeper_of(run), True)):
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                held = int(re.search(r"^CapPrm:\s*(\w+)", file.read(), re.M).group(1), 16)
            tap.same(bool(held), wanted, f"capabilities of {'the keeper' if wanted else 'tally'}")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=tap.PATIENCE)
    nothing_left(run, before, "both")


if __name__ == "__main__":
    tap.main("__main__")
