#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test --via: measuring with the kernel's perf_event_open, and without it.

usage: via.py TALLY
"""
import contextlib
import errno
import json
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
import via_programs  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("via")
PROGRAM = os.path.join(WORK, "work")

SHARES = {"one": 10, "two": 20, "three": 30, "four": 40}
LOOPS = "800000"  # about half a second
SHOWS_FOUR = re.compile(r"%.*\bfour\b").search


def built(path, source, *options):
    return steps.build(path, source, "-O1", "-g", "-fno-omit-frame-pointer", "-falign-loops=64", *options, needs=options, once=True)


def program(static=False):
    return built(PROGRAM + ("-static" if static else ""), via_programs.SHARES, "-pthread", *(["-static"] if static else []))


def told_by(output):
    """Return the sum of the CPU times in ns that the programs printed. Each program reads the clock of the kernel's
    scheduler at its last instruction."""
    told = [int(number) for number in re.findall(r"^told (\d+)$", output, re.M)]
    assert told, f"the command does not say what it used: {output[:500]}"
    return sum(told)


def check_clock(table, counts, output):
    """Check that the count is between the time printed by the command and its resource usage.

    Both of these values are exact and from the same clock as the count. The usage also includes the start of the
    program before the exec, and the kernel's work during exit after the stop at which tally last reads the clock.
    Nothing is lost by leaving this out: on Linux 6.18, events end at the same point. For a shell with 400 small
    children, the difference is 0.66 ms per exit, a fifth of their time: 265 of 1,328 ms on an idle machine, and 257 of
    1,428 ms next to four busy loops.
    """
    told, used = told_by(output), table["user_ns"] + table["system_ns"]
    rounded = 2000  # resource usage is the sum of two values, each rounded to microseconds
    assert 0 < told <= counts["task-clock"]["value"] <= used + rounded, (told, counts["task-clock"], used)


def counts_of(text):
    table = json.loads(text.splitlines()[-1])
    return table, {row["event"]: row for row in table["counts"]}


# The standard deviation of the largest share, 40 %, is 1.55 percentage points in 1,000 stops (the square root of 0.4 *
# 0.6 / 1,000), and 2.45 points in 400 stops. The tolerance is five times that.
STOPS, POINTS = (400, 12.5) if tap.QUICK else (1000, 8)


def stops_worth(data):
    """Return the number of stops with one sample each that would have the same precision. On a busy machine, tally may
    stop a thread late; it then takes one sample for each elapsed period, all at the same instruction. n samples at one
    stop contribute n squared to the variance."""
    done = tap.run(TALLY, "script", "-i", data, "-G", "-F", "tid,time,ip", status=0)
    stops, last = [], {}
    for tid, seconds, microseconds, ip in re.findall(r"^\s*(\d+)\s+(\d+)\.(\d{6}):\s+([0-9a-f]+)", done.stdout, re.M):
        at = int(seconds) * 1000000 + int(microseconds)
        before, same_ip, number = last.get(tid, (0, None, 0))
        if same_ip != ip or abs(at - before - 1000000 / 999) > 2:
            number = len(stops)
            stops.append(0)
        stops[number] += 1
        last[tid] = at, ip, number
    return sum(stops) ** 2 / max(sum(count * count for count in stops), 1)


WORK_FACTOR = [STOPS / 400]  # reuses the factor that was sufficient for earlier tests


def check_shares(record):
    """Check the percentages once there were enough stops. record(factor) records a multiple of the usual work."""
    for _ in range(6):
        data = record(WORK_FACTOR[0])
        stops = stops_worth(data)
        if stops >= STOPS:
            break
        WORK_FACTOR[0] *= max(1.2, min(4, 1.3 * STOPS / max(stops, 1)))
    assert stops >= STOPS, f"{stops} stops for samples of {WORK_FACTOR[0]} times the work"
    done = tap.run(TALLY, "report", "-i", data, "--json", "--no-children", "-g", "none", "-s", "symbol", status=0)
    event = json.loads(done.stdout)["events"][0]
    found = {row["symbol"].split("] ")[-1]: 100 * row["self_samples"] / event["samples"] for row in event["rows"]}
    for name, share in SHARES.items():
        assert abs(found.get(name, 0) - share) < POINTS, f"{name}: {found.get(name)} %, wanted {share} of {event['samples']}"
    return data, event


def loops(factor, divided=1):
    return str(round(int(LOOPS) * factor) // divided)


# ---- counting ------------------------------------------------------------------------


def test_counts_have_their_quality():
    run = tap.run(TALLY, "stat", "--via", "user", "--json", "-e", "task-clock,page-faults,cs,cycles", program(), LOOPS, status=0)
    table, counts = counts_of(run.stderr)
    tap.same(table["via"], "user", "via")
    for name in ("task-clock", "page-faults", "cs"):
        tap.same(counts[name]["quality"], "estimated", name)
    tap.same(counts["cycles"]["quality"], "not supported", "cycles")
    check_clock(table, counts, run.stdout)


def test_text_names_the_host():
    run = tap.run(TALLY, "stat", "--via", "user", "-e", "task-clock", "true")
    assert "counts are estimates from the user host" in run.stderr, run.stderr
    machine.need_events()
    run = tap.run(TALLY, "stat", "-e", "task-clock:u", "true")
    assert "user host" not in run.stderr, run.stderr


def test_the_command_behaves_as_without_tally():
    run = tap.run(TALLY, "stat", "--via", "user", "sh", "-c", "echo out; cat; kill -TERM $$", input="in\n")
    tap.same(run.returncode, 128 + signal.SIGTERM, run.stderr)
    tap.same(run.stdout, "out\nin\n", "its output")
    tap.same(tap.run(TALLY, "stat", "--via", "user", "sh", "-c", "exit 5").returncode, 5, "exit status")
    tap.same(tap.run(TALLY, "stat", "--via", "user", "/nonexistent").returncode, 127, "no such command")


def test_children_are_counted():
    script = f"for i in 1 2 3; do {program()} {int(LOOPS) // 10} & done; wait"
    run = tap.run(TALLY, "stat", "--via", "user", "--json", "-e", "task-clock", "sh", "-c", script)
    table, counts = counts_of(run.stderr)
    check_clock(table, counts, run.stdout)


def test_runs_and_intervals():
    run = tap.run(TALLY, "stat", "--via", "user", "--json", "-r", "3", "-e", "task-clock", "true")
    table, counts = counts_of(run.stderr)
    tap.same((table["runs"], counts["task-clock"]["quality"]), (3, "estimated"), "runs")
    run = tap.run(TALLY, "stat", "--via", "user", "--json", "-I", "100", "--summary", "-e", "task-clock", program(), LOOPS)
    tables = [json.loads(line) for line in run.stderr.splitlines()]
    parts = sum(table["counts"][0].get("value", 0) for table in tables[:-1])
    tap.same(parts, tables[-1]["counts"][0]["value"], "intervals add up")


def running():
    machine.need_ptrace_of_others()
    process = subprocess.Popen([program(), "-2000"])
    tap.wait_until(lambda: tap.cpu_seconds(process.pid) > 0.05, "the process to work")
    return process


def tracer_of(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return re.search(r"^TracerPid:\s+(\d+)", file.read(), re.M).group(1)


def counted_while_it_works(run, process, *options):
    """Return the count for a running process over an interval in which the process got CPU time."""
    done = tap.while_it_works(process.pid, lambda seconds: run(
        TALLY, "stat", *options, "--json", "-e", "task-clock", "-p", process.pid, "--timeout", str(int(seconds * 1000))))
    return counts_of(done.stderr)[1]["task-clock"]["value"], done.stderr


def test_running_process():
    process = running()
    try:
        value, said = counted_while_it_works(tap.run, process, "--via", "user")
        assert value > 0, said
        tap.same(process.poll(), None, "it runs on")
    finally:
        process.kill()
        process.wait()


def test_supervisor_that_is_killed():
    process = running()
    try:
        supervisor = subprocess.Popen([TALLY, "record", "--via", "user", "-q", "-o", os.path.join(WORK, "killed.data"),
                                       "-p", str(process.pid)])
        tap.wait_until(lambda: tracer_of(process) != "0", "the process to be traced")
        before = tap.cpu_seconds(process.pid)
        tap.wait_until(lambda: tap.cpu_seconds(process.pid) > before + 0.1, "the traced process to work")
        supervisor.kill()
        supervisor.wait()
        tap.same(tracer_of(process), "0", "tracer")
        before = tap.cpu_seconds(process.pid)
        tap.wait_until(lambda: tap.cpu_seconds(process.pid) > before + 0.1, "the process to run on")
    finally:
        process.kill()
        process.wait()


def test_refusals():
    run = tap.run(TALLY, "stat", "--via", "nothing", "true", status=129)
    assert "must be kernel, user or auto" in run.stderr, run.stderr
    for command in (["stat"], ["record", "-o", os.path.join(WORK, "x.data")], ["top", "--stdio"]):
        run = tap.run(TALLY, *command, "--via", "user", "-a", *(["true"] if command[0] != "top" else []))
        assert run.returncode and "need the kernel's perf_event_open" in run.stderr, run.stderr


def test_threads_that_are_traced():
    process = running()
    data = os.path.join(WORK, "other.data")
    other = subprocess.Popen([TALLY, "record", "--via", "user", "-q", "-o", data, "-p", str(process.pid)])
    try:
        tap.wait_until(lambda: tracer_of(process) != "0", "the process to be traced")
        run = tap.run(TALLY, "stat", "--via", "user", "-p", process.pid, "--timeout", "100")
        assert run.returncode and "already being traced" in run.stderr, run.stderr
        assert re.search(r"thread \d+ is tracing it", run.stderr), run.stderr
    finally:
        for each in (other, process):
            each.terminate()
            each.wait()


# ---- sampling ------------------------------------------------------------------------


def recorded(*args, run=tap.run, name="perf.data"):
    data = os.path.join(WORK, name)
    if os.path.exists(data):
        os.remove(data)
    done = run(TALLY, "record", "-o", data, *args, status=0)
    return data, done


def recorded_running(process, factor, *options, run=tap.run):
    words = tap.work_of(process.pid, seconds=0.5 * factor)
    return recorded("-g", *options, "-p", str(process.pid), "--", *words, run=run, name="pid.data")[0]


def test_shares_and_weights():
    def record(factor):
        data, run = recorded("--via", "user", "-g", program(), loops(factor))
        assert "user host" in run.stderr, run.stderr
        return data
    data, event = check_shares(record)
    tap.same(event["event"], "cpu-clock", "event")
    run = tap.run(TALLY, "report", "-i", data, "--header-only", "--stdio")
    assert "via user" in run.stdout, run.stdout
    run = tap.run(TALLY, "script", "-i", data)
    chain = re.search(r"\bfour\+.*\n(.*\ball\+.*\n)?.*\bthread\+.*\n.*\bmain\+", run.stdout)
    assert chain, run.stdout[:2000]


def test_samples_weigh_what_was_used():
    data, _ = recorded("--via", "user", "-F", "499", program(), LOOPS)
    run = tap.run(TALLY, "stat", "--via", "user", "--json", "-e", "task-clock", program(), LOOPS)
    used = counts_of(run.stderr)[1]["task-clock"]["value"]
    done = tap.run(TALLY, "report", "-i", data, "--json", "-s", "comm")
    weight = json.loads(done.stdout)["events"][0]["period"]
    # Two runs can differ on a busy machine.
    assert 0.5 * used < weight < 2 * used, (weight, used)


def test_threads():
    data, _ = check_shares(lambda factor: recorded(
        "--via", "user", "--call-graph", "dwarf", program(), loops(factor, 3), "threads")[0])
    done = tap.run(TALLY, "report", "-i", data, "--json", "-s", "tid")
    assert len(json.loads(done.stdout)["events"][0]["rows"]) >= 3, done.stdout[:500]


def test_static_program():
    check_shares(lambda factor: recorded("--via", "user", "-g", program(static=True), loops(factor))[0])


def test_programs_one_after_the_other():
    data, _ = recorded("--via", "user", "-F", "4999", "sh", "-c", "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done")
    done = tap.run(TALLY, "report", "-i", data, "--json", "-s", "comm,dso")
    event = json.loads(done.stdout)["events"][0]
    rows = event["rows"]
    assert {"sh", "true"} <= {row["comm"] for row in rows}, rows
    unknown = sum(row["self_samples"] for row in rows if row["dso"] == "[unknown]")
    assert unknown < 0.1 * event["samples"], rows


def test_top():
    process = running()
    try:
        top = subprocess.Popen([TALLY, "top", "--via", "user", "--stdio", "-d", "0.5", "-p", str(process.pid)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        tap.read_until(top.stdout, SHOWS_FOUR, "a row of four()")
        top.send_signal(signal.SIGINT)
        _, told = top.communicate(timeout=tap.PATIENCE)
        tap.same(top.returncode, 0, told)
        tap.same(process.poll(), None, "it runs on")
    finally:
        process.kill()
        process.wait()


def test_records_running_processes():
    process = running()
    try:
        check_shares(lambda factor: recorded_running(process, factor, "--via", "user"))
    finally:
        process.kill()
        process.wait()


def waits(*args):
    path = steps.build(os.path.join(WORK, "waiter"), via_programs.WAITER, "-O1", once=True)
    run = tap.run(TALLY, "record", "--via", "user", "-q", "-o", os.path.join(WORK, "waits.data"), path, *args, status=0)
    return [int(word) for word in run.stdout.split()]


def test_waits_are_not_interrupted():
    if platform.machine() != "x86_64":
        raise tap.Skip(f"on {platform.machine()} a wait that a stop ended cannot be repeated")
    ended, _ = waits()
    assert ended <= 6, f"{ended} of 600 waits ended with EINTR"


def test_waits_that_signals_interrupt():
    ended, alarms = waits("alarm")
    tap.same(ended, 600, f"waits that {alarms} signals interrupted")


# ---- with perf_event_open denied ---------------------------------------------------------


def check_everything(run):
    """Check stat, record, report and profile when run by `run`."""
    done = run(TALLY, "stat", "--json", "-e", "task-clock", program(), LOOPS, status=0)
    table, counts = counts_of(done.stderr)
    tap.same((table["via"], counts["task-clock"]["quality"]), ("user", "estimated"), done.stderr)

    def record(factor):
        data, done = recorded("-g", program(), loops(factor), run=run, name="refused.data")
        assert "user host" in done.stderr, done.stderr
        return data
    check_shares(record)
    done = run(TALLY, "profile", "--stdio", program(), LOOPS, status=0)
    assert "four" in done.stdout, done.stdout
    # Attach to a running process of the same user in the same namespaces.
    machine.need_ptrace_of_others()
    script = ('"$2" -2000 & pid=$!; for seconds in 3 30 120; do '
              'shown=$(timeout --preserve-status -s INT $seconds "$1" top --stdio -d 0.5 -p $pid); status=$?; '
              'echo "$shown"; echo "$shown" | grep -q "%.*four" && break; done; '
              'kill -0 $pid || status=99; kill -9 $pid; exit $status')
    done = run("sh", "-c", script, "sh", TALLY, program(), status=0)
    assert SHOWS_FOUR(done.stdout), done.stdout[-2000:] + done.stderr


# ---- programs of all kinds, with perf_event_open denied -------------------------------------

def go_program():
    if not shutil.which("go"):
        raise tap.Skip("no Go compiler (go)")
    path = PROGRAM + "-go"
    if not os.path.exists(path):
        with open(path + ".go", "w") as file:
            file.write(via_programs.GO)
        env = {**os.environ, "GOCACHE": os.path.join(WORK, "go-cache"), "GOFLAGS": "", "GO111MODULE": "off"}
        reason = machine.why_not(["go", "build", "-o", path, path + ".go"], env=env) or machine.why_not([path])
        if reason:
            raise tap.Skip(f"go builds nothing that runs here: {reason}")
    return [path]


def interpreter(name, script):
    path = shutil.which(name)
    option = "-e" if name == "node" else "-c"
    reason = machine.why_not([path, option, "0"]) if path else "it is not installed"
    if reason:
        raise tap.Skip(f"{name} does not run here: {reason}")
    return [path, option, script]


KINDS = {
    "one millisecond": lambda: [program(), "1000"],
    "one thread": lambda: [program(), LOOPS],
    "threads": lambda: [program(), str(int(LOOPS) // 3), "threads"],
    "forks": lambda: [built(PROGRAM + "-forks", via_programs.FORKS)],
    "static": lambda: [program(static=True), LOOPS],
    "Go": go_program,
    "Node": lambda: interpreter("node", via_programs.NODE),
    "Python": lambda: interpreter("python3", via_programs.PYTHON),
}
MOST_THREADS = {"one millisecond": 1, "one thread": 1, "threads": 4, "forks": 401, "static": 1, "Python": 1}


def used_by_children():
    """Return the CPU time of child processes in nanoseconds. It must be taken from the same run, because threads that
    share a cache line take a different time in each run."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e9


def check_kind(name, make, run):
    """Check, for a command of any kind, that the count is the command's CPU time, and that the samples have about the
    same total weight."""
    command = make()
    done = run(TALLY, "stat", "--json", "-e", "task-clock,page-faults", *command, status=0)
    table, counts = counts_of(done.stderr)
    tap.same(table["via"], "user", done.stderr)
    check_clock(table, counts, done.stdout)
    clock = counts["task-clock"]["value"]
    assert counts["page-faults"]["value"] > 10, counts
    before = used_by_children()
    data, done = recorded("-g", *command, run=run, name="kind.data")
    told, used = told_by(done.stdout), used_by_children() - before
    done = run(TALLY, "report", "-i", data, "--json", "-s", "symbol", status=0)
    # Each thread has one event for each CPU. The last, incomplete period of each has no sample. `used` includes tally itself.
    wanted = told - MOST_THREADS.get(name, 50) * os.cpu_count() * 1e9 / 999
    if wanted > 0:
        event = json.loads(done.stdout)["events"][0]
        assert event["samples"] > 20 and wanted < event["period"] < used, (told, used, clock, event["samples"], event["period"])
    done = run(TALLY, "profile", "--stdio", *command, status=0)


def kind_test(refusal, name, make):
    def test():
        check_kind(name, make, filtered(*refusal))
    return test


def check_kinds(run):
    for name, make in KINDS.items():
        with contextlib.suppress(tap.Skip):  # the kind's own test reports the skip
            if run("test", "-x", make()[0]).returncode == 0:  # another user's home may be inaccessible
                check_kind(name, make, run)


REFUSALS = {"refused": (errno.EPERM,), "not_there": (errno.ENOSYS,), "killed": (0, True)}
# The refusals differ only in the first call to perf_event_open. With TALLY_LONG=1, every kind of program is tested with
# each refusal.
ALWAYS = {"refused": set(KINDS), "not_there": {"one thread", "forks"}, "killed": {"one thread", "static"}}
for refusal in REFUSALS:
    for kind, make_kind in KINDS.items():
        if kind not in ALWAYS[refusal] and not os.environ.get("TALLY_LONG"):
            continue
        globals()["test_" + refusal + "_" + re.sub(r"\W", "_", kind).lower()] = kind_test(REFUSALS[refusal], kind, make_kind)


def check_running(run, starter):
    """Check stat, record, report and top on a running process. `run` runs commands, and `starter` starts them, with the
    same permissions."""
    process = running()
    try:
        value, said = counted_while_it_works(run, process)
        assert value > 0, said
        check_shares(lambda factor: recorded_running(process, factor, run=run))
        top = starter(TALLY, "top", "--stdio", "-d", "0.5", "-p", str(process.pid))
        tap.read_until(top.stdout, SHOWS_FOUR, "a row of four()")
        top.send_signal(signal.SIGINT)
        _, told = top.communicate(timeout=tap.PATIENCE)
        tap.same(top.returncode, 0, told)
        tap.same(process.poll(), None, "it runs on")
    finally:
        process.kill()
        process.wait()


def starter_of(install):
    return lambda *args: subprocess.Popen(args, preexec_fn=install, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_running_eperm():
    check_running(filtered(errno.EPERM), starter_of(rights.seccomp(errno.EPERM)))


def test_running_enosys():
    check_running(filtered(errno.ENOSYS), starter_of(rights.seccomp(errno.ENOSYS)))


def test_running_kill():
    check_running(filtered(kills=True), starter_of(rights.seccomp(0, True)))


def filtered(errno_=0, kills=False):
    install = rights.seccomp(errno_, kills)
    return lambda *args, **options: tap.run(*args, preexec_fn=install, **options)


def test_seccomp_eperm():
    check_everything(filtered(errno.EPERM))


def test_seccomp_enosys():
    check_everything(filtered(errno.ENOSYS))


def test_seccomp_kill():
    check_everything(filtered(kills=True))


def become(account):
    os.setgroups([account.gid])
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)


def remove_recordings(account):
    for name in os.listdir(WORK):
        if name.endswith(".data") and os.stat(os.path.join(WORK, name)).st_uid != account.uid:
            os.remove(os.path.join(WORK, name))


@tap.full
def test_user_without_rights():
    """Test an unprivileged user with perf_event_paranoid 3, as in Debian's kernels, which return EACCES. The setting
    itself is not changed."""
    machine.need_unshare("-m")
    os.chmod(WORK, 0o777)
    program()
    with rights.Account(TALLY) as account:
        copy = account.program("tally")
        mount = rights.mounted_over("/proc/sys/kernel/perf_event_paranoid", "3\n")
        prepare = rights.both(mount, lambda: become(account), rights.seccomp(errno.EACCES))

        def run(*args, **options):
            remove_recordings(account)
            return tap.run(*[copy if arg == TALLY else arg for arg in args], preexec_fn=prepare, cwd=WORK, **options)
        tap.same(run("cat", "/proc/sys/kernel/perf_event_paranoid").stdout, "3\n", "paranoid")
        check_everything(run)
        check_kinds(run)


def test_program_with_capabilities():
    os.chmod(WORK, 0o777)
    program()
    with rights.Account(TALLY) as account:
        copy = account.program("tally-caps", rights.SESSION_CAPS)
        install = rights.seccomp(errno.EPERM, no_new_privs=False)

        prepare = rights.both(install, lambda: become(account))

        def run(*args, **options):
            remove_recordings(account)
            return tap.run(*[copy if arg == TALLY else arg for arg in args], preexec_fn=prepare, cwd=WORK, **options)
        check_everything(run)


def test_namespaces():
    shell = ["unshare", "-Urpf", "--mount-proc"]
    machine.need_unshare(*shell[1:])
    install = rights.seccomp(errno.EPERM)

    def run(*args, **options):
        return tap.run(*shell, *args, preexec_fn=install, **options)
    check_everything(run)
    check_kinds(run)


if __name__ == "__main__":
    tap.main(__name__, machine.need_ptrace)
