#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that the installed perf and tally read the output of `tally record` identically.

usage: record.py TALLY
"""
import json
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402
from recorder import BURN, FOREVER, TALLY, background, dump, ends, grown, record, same, text, types  # noqa: E402


# ---- commands -----------------------------------------------------------------------------


def test_plain(path):
    """Check that perf and tally read a plain recording identically."""
    said = record("-o", path, *BURN)
    assert "[ tally record: Woken up" in said and "samples) ]" in said, said
    assert len(same(path)) > 10
    names = types(path)
    for name in ("COMM", "MMAP2", "EXIT", "FINISHED_ROUND", "FINISHED_INIT", "ID_INDEX"):
        assert name in names, name
    # MMAP records are only written for the kernel itself, and only if kernel events are recorded.
    assert ("MMAP" in names) == (machine.need_kernel_events.reason() is None), names


def test_default_event_says_fallback(path):
    """Check that cpu-clock replaces cycles if there is no PMU, and that this is reported."""
    machine.need_kernel_events()
    said = record("-o", path, *BURN)
    name = text(TALLY, "evlist", "-i", path)[0]
    assert name.startswith("cycles") or (name == "cpu-clock" and "no PMU" in said), (name, said)


def test_chains(path):
    """Check that -g records callchains."""
    record("-g", "-o", path, *BURN)
    same(path)
    assert "CALLCHAIN" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_dwarf(path):
    """Check that --call-graph dwarf records registers and stacks."""
    record("--call-graph", "dwarf,4096", "-e", "cpu-clock:u", "-c", "1000000", "-o", path, *BURN)
    line = text(TALLY, "evlist", "-v", "-i", path)[0]
    assert "REGS_USER|STACK_USER" in line and "sample_stack_user: 4096" in line, line
    same(path, "-F", "comm,tid,time,event,ip", chains=False)


def test_group(path):
    """Check that a group samples each of its members."""
    record("-e", "{cpu-clock,page-faults}", "-o", path, *BURN)
    same(path)
    only = ":u" if machine.need_kernel_events.reason() else ""
    tap.same(text(TALLY, "evlist", "-i", path), ["cpu-clock" + only, "page-faults" + only], "events")


def test_group_read(path):
    """Check that {...}:S includes the members' counts in the leader's samples."""
    record("-e", "{cpu-clock,page-faults}:S", "-o", path, *BURN)
    same(path)
    events = text(TALLY, "evlist", "-v", "-i", path)[0]
    assert "GROUP" in events and "TOTAL_TIME" not in events, events
    record("--running-time", "-e", "{cpu-clock,page-faults}:S", "-o", path, *BURN)
    same(path)
    assert "TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_tracepoints(path):
    """Check that recordings with tracepoints contain their formats."""
    machine.need_root()
    machine.need_tracepoints()
    record("-e", "sched:sched_switch,sched:sched_process_exit,cpu-clock", "-o", path, *BURN)
    assert any("sched:sched_process_exit" in line and "comm=sh" in line for line in same(path))


def test_filter(path):
    """Check that --filter keeps only the matching events."""
    machine.need_root()
    machine.need_tracepoints()
    record("-a", "-e", "sched:sched_process_exec", "--filter", 'filename ~ "*/env"', "-o", path,
           "sh", "-c", "env true; true; env true")
    lines = same(path)
    assert all("/env" in line for line in lines), lines
    record("-e", "cpu-clock", "--filter", "a==1", "-o", path, "true", status=1, says="unknown term")


def test_compressed(path):
    """Check that -z compresses the recording."""
    said = record("-z", "-g", "-o", path, *BURN)
    assert "compressed (original" in said
    same(path)
    assert "COMPRESSED" in types(path)


def test_switch_events(path):
    """Check that --switch-events records context switches."""
    record("--switch-events", "-o", path, "sh", "-c", "sleep 0.01; i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done")
    same(path)
    assert "SWITCH" in types(path)


def test_namespaces(path):
    """Check that --namespaces records namespaces."""
    machine.need_namespace_records()
    record("--namespaces", "-o", path, *BURN)
    same(path)
    assert "NAMESPACES" in types(path)


def test_data(path):
    """Check that -d records data addresses and data mappings."""
    record("-d", "-o", path, *BURN)
    same(path)
    assert "ADDR" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_all_fields(path):
    """Check that perf and tally read recordings made with -T -P -W -R -s --sample-cpu and other options identically."""
    machine.need_kernel_events()
    record("-T", "-P", "-W", "-R", "-s", "--sample-cpu", "--phys-data", "--data-page-size",
           "--code-page-size", "-I", "--user-regs=" + ("ip,sp" if os.uname().machine == "x86_64" else "pc,sp"),
           "-o", path, *BURN)
    same(path)


def test_buildid_mmap(path):
    """Check that --buildid-mmap writes build IDs into mmap records."""
    record("--buildid-mmap", "-o", path, *BURN)
    same(path)
    assert '"build_id"' in dump(path)


@tap.always
def test_buildids_of_files_hit(path):
    """Check that the build IDs are those of the files in a report, each listed once, even if only some mappings have
    build IDs."""
    for more in ([], ["--buildid-mmap"]):
        record(*more, "-e", "cpu-clock", "-F", "10000", "-o", path, *BURN)
        listed = [line.split(maxsplit=1)[1] for line in text(TALLY, "buildid-list", "-i", path)]
        rows = text(TALLY, "report", "--stdio", "-x", ",", "-s", "dso", "-i", path)
        named = {row.split(",")[1] for row in rows if "%," in row and "%,[" not in row}
        assert named and len(set(listed)) == len(listed), listed
        assert named == {os.path.basename(name) for name in listed if name[0] == "/"}, f"{named}, but {listed}"
        hit = [line.split(maxsplit=1)[1] for line in text(TALLY, "buildid-list", "-H", "-i", path)]
        tap.same({name for name in hit if name[0] == "/"}, {name for name in listed if name[0] == "/"}, "-H")


def test_clock(path):
    """Check that -k monotonic records timestamps from that clock."""
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    record("-k", "monotonic", "-o", path, *BURN)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    lines = same(path, "-F", "time")
    assert all(before <= float(line.strip().rstrip(":")) <= after for line in lines)


@tap.always
def test_the_header_has_the_times_of_the_first_and_the_last_sample(path):
    record("-e", "cpu-clock", "-o", path, *BURN)
    times = [float(line.strip().rstrip(":")) for line in text(TALLY, "script", "-i", path, "-F", "time")]
    header = "\n".join(text(TALLY, "report", "--header-only", "-i", path))
    said = [float(found) for found in re.findall(r"# time of (?:first|last) sample : ([0-9.]+)", header)]
    assert len(times) > 1 and len(said) == 2, header
    assert abs(said[0] - min(times)) < 2e-6 and abs(said[1] - max(times)) < 2e-6, (said, times[0], times[-1])


@tap.full
def test_rates(path):
    """Test -c, -F, -F max, and a frequency that is too high."""
    record("-c", "250000", "-e", "cpu-clock", "-o", path, *BURN)
    assert "sample_freq }: 250000" in text(TALLY, "evlist", "-v", "-i", path)[0]
    record("--no-period", "-e", "cpu-clock", "-o", path, *BURN)
    assert "|PERIOD" not in text(TALLY, "evlist", "-v", "-i", path)[0]
    record("-c", "0", "-e", "cpu-clock", "-o", path, *BURN)
    assert "sample_freq }: 4000," in text(TALLY, "evlist", "-v", "-i", path)[0]
    record("-e", "bpf-output/no-inherit=1,name=evt/", "-o", path, "true")
    attr = text(TALLY, "evlist", "-v", "-i", path)[0]
    assert attr.startswith("evt: ") and "sample_freq }: 1, sample_type: IP|TID|TIME|CPU|PERIOD|RAW" in attr, attr
    record("-F", "max", "-e", "cpu-clock", "-o", path, "true")
    said = record("-F", "99999999", "-e", "cpu-clock", "-o", path, "true")
    assert "perf_event_max_sample_rate" in said
    record("-F", "99999999", "--strict-freq", "-o", path, "true", status=1, says="exceeds the kernel's limit")
    record("-F", "99", "-c", "99", "-o", path, "true", status=1, says="-c (a fixed period) and -F")


@tap.always
def test_threads_and_children(path):
    """Check that children of the command are recorded, except with --no-inherit."""
    command = ["sh", "-c", "(i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done) & wait; true"]
    record("-o", path, *command)
    assert "FORK" in types(path)
    assert len({line.split()[0] for line in same(path, "-F", "pid")}) >= 2
    record("--no-inherit", "-e", "cpu-clock", "-o", path, *command)
    pids = text(TALLY, "script", "-i", path, "-F", "pid")
    assert len({line.split()[0] for line in pids}) <= 1


def test_names_of_existing_threads(path):
    """Names can be empty, begin with blanks, and contain newlines and backslashes."""
    machine.need_system_wide()
    names = [b"", b"\r\rX", b"  a", b"a\nb", b"back\\slash\\n"]
    code = "import sys, time; open('/proc/self/comm', 'wb').write(eval(sys.argv[1]) or b'\\0'); print('ready', flush=True); time.sleep(100)"
    sleepers = [subprocess.Popen([sys.executable, "-c", code, repr(name)], stdout=subprocess.PIPE) for name in names]
    try:
        for sleeper in sleepers:
            tap.same(sleeper.stdout.readline(), b"ready\n", "start")
        record("-q", "-a", "-e", "cpu-clock", "-o", path, "true")
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()
    dumped = [json.loads(line) for line in text(TALLY, "script", "--dump-json", "-i", path)]
    found = {one["pid"]: one["comm"] for one in dumped if one.get("name") == "COMM"}
    tap.same([found[sleeper.pid] for sleeper in sleepers], [name.decode() for name in names], "names")


def test_buffer_size(path):
    """Check that -m is rounded up, and that this is reported."""
    assert "rounding mmap pages size to 64K (16 pages)" in record("-m", "9", "-o", path, "true")
    assert "rounding" not in record("-m", "64K", "-o", path, "true")
    assert "rounding" not in record("-m", "16,64K", "-o", path, "true")
    for size in (",16", "16,", "0,16"):
        record("-m", size, "-e", "cpu-clock", "-o", path, "true")
    for size in ("x", "16,x", "0", "", "16,16,16"):
        record("-m", size, "-o", path, "true", status=1, says=f"-m {size}: must be")


@tap.always
def test_nothing_is_recorded_before_a_delay_is_over(path):
    record("-D", "3600000", "-e", "cpu-clock", "-o", path, *BURN)
    assert "COMM" in types(path), types(path)
    tap.same(text(TALLY, "script", "-i", path), [], "samples")


def test_delay(path):
    """Check that with -D, sampling begins later, but mappings are known from the beginning."""
    error = record("-D", "20", "-e", "cpu-clock", "-o", path, "sh", "-c",
                   "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    assert "Events disabled\nEvents enabled\n" in error, error
    lines = same(path)
    assert not any("([unknown])" in line for line in lines)


# ---- exit statuses ------------------------------------------------------------------------


def test_status(path):
    """Check that the exit status is the command's, or 128 plus the signal number if the command was killed."""
    record("-o", path, "sh", "-c", "exit 7", status=7)
    record("-o", path, "sh", "-c", "kill -9 $$", status=137)
    text(TALLY, "script", "-i", path)
    record("--nonsense", "true", status=129, says="'--nonsense'")


def test_exec_failure(path):
    """Check that the reason is reported and no file is left if the command cannot be run."""
    said = record("-o", path, "/nowhere/nothing", status=127)
    assert "No such file or directory" in said and not os.path.exists(path), said
    with open(path, "w") as file:
        file.write("old")
    said = record("-o", path, "/etc/passwd", status=126)
    assert "Permission denied" in said, said
    with open(path) as file:
        assert file.read() == "old"


def test_exec_failure_writes_nothing_into_a_pipe(path):
    """Check that the reader of a pipe does not receive an incomplete recording."""
    for command, status in (("no-such-program", 127), ("/nowhere/nothing", 127), ("/etc/passwd", 126), ("/tmp", 126)):
        run = tap.run(TALLY, "record", "-q", "-o", "-", command, status=status)
        assert run.stdout == "" and f"cannot run '{command}'" in run.stderr, (command, run)


def test_exec_that_fails_late_leaves_no_file(path):
    """Check that no file is left if the interpreter is missing, which only exec detects."""
    script = path + ".script"
    with open(script, "w", encoding="ascii") as file:
        file.write("#!/nowhere/interpreter\n")
    os.chmod(script, 0o755)
    said = record("-o", path, script, status=127)
    assert "No such file or directory" in said and not os.path.exists(path), said
    os.unlink(script)


def test_bad_event(path):
    """Check that an unknown event is reported, and that nothing is written."""
    assert "cpu-clok" in record("-e", "cpu-clok", "-o", path, "true", status=1)
    assert not os.path.exists(path)


# ---- existing tasks, CPUs -----------------------------------------------------------------


def attached(path, option, target, size=9000):
    process = background(option, str(target), "-m", "2", "-F", "2000", "-o", path)
    tap.wait_until(grown(path, size), "samples")
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert status == 0, said
    return said


def test_attach(path):
    """Check that -p and -t record running tasks with their mappings, and that Ctrl-C ends the recording properly."""
    with subprocess.Popen(FOREVER) as burner:
        try:
            for option in ("-p", "-t"):
                attached(path, option, burner.pid)
                lines = same(path)
                assert any("/" in line and "unknown" not in line for line in lines)
        finally:
            burner.kill()


def test_attach_end(path):
    """Check that recording with -p ends when the process exits."""
    with subprocess.Popen(FOREVER) as burner:
        process = background("-p", str(burner.pid), "-m", "2", "-F", "2000", "-o", path)
        tap.wait_until(grown(path, 9000), "samples")
        burner.kill()
        status, said = ends(process)
    assert status == 0, said
    same(path)


def test_attaching_to_an_unknown_process_fails(path):
    """Check that -p with an unknown process is reported as an error."""
    assert "no such task" in record("-p", "999999999", "-o", path, status=1)
    assert "not a list" in record("-p", "x", "-o", path, status=1)


def test_per_thread(path):
    """Check that --per-thread uses a buffer for each task."""
    with subprocess.Popen(FOREVER) as burner:
        try:
            record("--per-thread", "-t", str(burner.pid), "-o", path, *tap.work_of(burner.pid))
        finally:
            burner.kill()
    same(path)


def test_system_wide(path):
    """Check that -a and -C record CPUs and everything that runs on them."""
    machine.need_root()
    # perf has no symbols for other programs that have exited.
    record("-a", "--no-symbols", "-o", path, *BURN)
    assert any("sh" in line for line in same(path))
    names = types(path)
    assert names.count("COMM") > 5 and names.count("MMAP2") > 5
    record("-C", "0", "--no-symbols", "-o", path, *BURN)
    same(path)


def test_user(path):
    """Check that -u records this user's processes."""
    machine.need_nobody()
    try:
        name = pwd.getpwuid(machine.NOBODY).pw_name
    except KeyError as error:
        raise tap.Skip(f"user {machine.NOBODY} has no name here") from error
    with subprocess.Popen(FOREVER, user=machine.NOBODY) as burner:
        try:
            record("-u", name, "-o", path, *tap.work_of(burner.pid))
        finally:
            burner.kill()
    same(path)


# ---- without privileges -------------------------------------------------------------------


def nobodys_record(path):
    """Return a function like record() that runs as an unprivileged user. The directory is made writable, and contains a
    copy of tally for that user."""
    machine.need_events_of_users()
    folder = os.path.dirname(path)
    os.chmod(folder, 0o777)
    tool = shutil.copy(TALLY, folder)
    return lambda *args, status=0, **more: tap.run(tool, "record", *args, status=status, user=machine.NOBODY, cwd=folder, **more).stderr


def test_unprivileged(path):
    """Check that only user space is recorded for an unprivileged user, and that this is reported."""
    record_his = nobodys_record(path)
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        if int(file.read()) != 2:
            raise tap.Skip("kernel.perf_event_paranoid is not 2")
    said = record_his("-o", path, *BURN)
    assert "only user space" in said and "CAP_PERFMON" in said, said
    assert text(TALLY, "evlist", "-i", path)[0].endswith(":u")
    os.chown(path, 0, 0)
    same(path)
    said = record_his("-a", "-o", path, "true", status=1)
    assert "requires privileges" in said and "cap_perfmon" in said, said


def no_locked_memory():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


def test_locked_memory(path):
    """Check that an explicit ring buffer size that exceeds the permitted locked memory is an error."""
    said = nobodys_record(path)("-m", "4M", "-o", path, "true", status=1, preexec_fn=no_locked_memory)
    assert "CAP_IPC_LOCK" in said and "perf_event_mlock_kb" in said, said


def test_rings_shrink(path):
    """Check that smaller ring buffers are used if memory cannot be locked for all of them, and that this is
    reported."""
    record_his = nobodys_record(path)
    if machine.why_not(["/usr/bin/python3", "-c", "pass"], user=machine.NOBODY):
        raise tap.Skip("no /usr/bin/python3 for a process of many threads")
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    with open("/proc/sys/kernel/perf_event_mlock_kb") as file:
        if int(file.read()) * cpus >= 13 * 516:
            raise tap.Skip("enough memory may be locked here")
    program = ("import sys, threading\n"
               "for i in range(12): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
               "print('up', flush=True)\nfor line in sys.stdin: pass\n")
    with subprocess.Popen(["/usr/bin/python3", "-c", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, user=machine.NOBODY) as many:
        try:
            assert many.stdout.readline() == b"up\n"
            said = record_his("--per-thread", "-p", str(many.pid), "-e", "cpu-clock:u", "-o", path, *BURN, preexec_fn=no_locked_memory)
        finally:
            many.kill()
    assert "ring buffers of" in said and "CAP_IPC_LOCK" in said, said
    assert "COMM" in types(path)


# ---- process limits -----------------------------------------------------------------------


def test_few_descriptors(path):
    """Check that running out of descriptors causes a single error, which states the limit, and that values that were
    not read are not shown."""
    machine.need_kernel_events()
    for nr in range(8, 40):
        done = tap.run(TALLY, "record", "-e", "cpu-clock", "-o", path, "true",
                   preexec_fn=lambda nr=nr: resource.setrlimit(resource.RLIMIT_NOFILE, (nr, nr)))
        said = done.stderr
        assert "-2147483648" not in said and "kptr_restrict" not in said, (nr, said)
        if not done.returncode:
            break
        assert "Too many open files" in said, (nr, said)
        assert not os.path.exists(path), nr
    assert not done.returncode and nr > 10, nr
    # The recording made with the smallest sufficient limit is complete.
    assert {"MMAP", "COMM", "MMAP2", "ID_INDEX"} <= set(types(path))


def test_killing_filter(path):
    """Check that no process is killed if a seccomp filter kills callers of perf_event_open. The filter is reported, and
    the command is not started."""
    killed = rights.seccomp(0, kills=True)
    touch = ["touch", path + ".ran"]
    for args in (["record", "-o", path, *touch], ["stat", *touch], ["stat", "-r", "2", *touch], ["top", "--stdio"]):
        done = tap.run(TALLY, args[0], "--via", "kernel", *args[1:], preexec_fn=killed)
        assert done.returncode == 1 and "seccomp filter forbids perf_event_open" in done.stderr, (args, done)
        assert "the filter kills callers of perf_event_open" in done.stderr and not os.listdir(os.path.dirname(path)), (args, done)
    done = tap.run(TALLY, "list", "sw", preexec_fn=killed)
    assert done.returncode == 0 and "page-faults" in done.stdout and "seccomp" in done.stderr, done
    # A filter that permits perf_event_open has no effect.
    tap.run(TALLY, "stat", "true", preexec_fn=rights.seccomp(0), status=0)


def test_ranges_of_time():
    machine.need_events()
    path = os.path.join(tap.workplace("ranges"), "ranges.data")
    work = ["sh", "-c", "exec timeout 2 sh -c 'while :; do :; done'"]
    done = tap.run(TALLY, "record", "-D", "100-200,350-400", "-e", "cpu-clock", "-F", "1000", "-o", path, "--", *work)
    tap.same(done.stderr.count("Events enabled"), 2, done.stderr)
    tap.same(done.stderr.count("Events disabled"), 3, done.stderr)  # at the start, too, as in perf
    times = [float(line.strip().rstrip(":")) for line in tap.run(TALLY, "script", "-F", "time", "-i", path).stdout.splitlines()]
    assert times, "no samples"
    gaps = sorted(after - before for before, after in zip(times, times[1:]))
    assert times[-1] - times[0] < 1.5 and gaps[-1] > 0.02, (times[0], times[-1], gaps[-3:])
    for wrong in ("x", "10-", "20-10", "10-20,15-30", "-2", "10,20", "5-6,"):
        done = tap.run(TALLY, "record", "-D", wrong, "-o", path, "true")
        assert done.returncode != 0 and "ranges such as" in done.stderr, (wrong, done.stderr)


tap.main(__name__, machine.need_events)
