#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`tally record`: what it writes is read alike by the installed perf and by tally itself.

usage: record.py TALLY

Every test is a function below whose name begins with test_; its docstring is what must hold.
Output is TAP. Without perf, root or perf events the tests that need them are skipped, visibly.
"""
import glob
import os
import pwd
import resource
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time

import machine
import rights
import tap
from tap import Skip

TALLY = os.path.abspath(sys.argv[1])
PERF = machine.need_perf.reason() is None
BURN = ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; true"]
FOREVER = ["sh", "-c", "while :; do :; done"]
DEADLINE = tap.PATIENCE
NOBODY = machine.NOBODY


def run(*args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE * 2, **more)


def record(*args, status=0, **more):
    done = run(TALLY, "record", *args, **more)
    assert done.returncode == status, f"status {done.returncode}: {done.stderr.decode()}"
    return done.stderr.decode()


def until(what, condition):
    """Wait for something that the other side does; there is no other way to be told of it."""
    tap.wait_until(condition, what, pause=0.005)


def grown(path, size):
    return lambda: os.path.exists(path) and os.path.getsize(path) > size


def text(command, *args, **more):
    done = run(command, *args, **more)
    assert done.returncode == 0, f"{command} {' '.join(args)}: {done.stderr.decode()[-300:]}"
    return [line for line in done.stdout.decode(errors="replace").splitlines()
            if not line.startswith("# Tip")]


def same(path, *args, chains=True):
    """perf and tally print the same of a recording; returns the lines of script."""
    lines = text(TALLY, "script", "-i", path, *args)
    assert lines, "no samples"
    text(TALLY, "report", "--stdio", "-i", path)
    if not PERF:
        raise Skip("no perf to compare with")
    pairs = [("evlist", "-v"), ("buildid-list",)]
    if chains:
        pairs.append(("script", "--no-inline", *args))
    for command, *more in pairs:
        ours = text(TALLY, command, "-i", path, *more)
        theirs = text("perf", command, "-i", path, *more)
        for a, b in zip(theirs, ours):
            b = tap.as_perf_names_stubs(a, b)
            assert a == b, f"{command}: perf {a!r}, tally {b!r}"
        assert len(theirs) == len(ours), f"{command}: perf {len(theirs)} lines, tally {len(ours)}"
    text("perf", "report", "--stdio", "-i", path)
    return lines


def types(path):
    """Names of all records of a file."""
    return [line.split('"name":"')[1].split('"')[0]
            for line in text(TALLY, "script", "--dump-json", "-i", path) if '"name":"' in line]


def dump(path):
    return "\n".join(text(TALLY, "script", "--dump-json", "-i", path))


def background(*args, **more):
    output = args[args.index("-o") + 1]
    if os.path.exists(output):
        os.unlink(output)
    return subprocess.Popen([TALLY, "record", *args], stdin=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, **more)


def ends(process):
    try:
        said = process.communicate(timeout=DEADLINE)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("does not end")
    return process.returncode, said.decode()


def need_root():
    machine.need_root()


def need_tracefs():
    need_root()
    machine.need_tracepoints()


def may_write_for_nobody(path):
    """The folder of a recording takes what an ordinary user writes."""
    machine.need_events_of_users()
    os.chmod(os.path.dirname(path), 0o777)


# ---- a command ----------------------------------------------------------------------------


def test_plain(path):
    """a plain recording is read alike by perf and tally"""
    said = record("-o", path, *BURN)
    assert "[ tally record: Woken up" in said and "samples) ]" in said, said
    assert len(same(path)) > 10
    names = types(path)
    for name in ("COMM", "MMAP2", "EXIT", "FINISHED_ROUND", "FINISHED_INIT", "ID_INDEX"):
        assert name in names, name
    # An MMAP is the kernel's own, which is recorded with its events.
    assert ("MMAP" in names) == (machine.need_kernel_events.reason() is None), names


def test_default_event_says_fallback(path):
    """without a PMU cycles become cpu-clock, and that is said"""
    machine.need_kernel_events()
    said = record("-o", path, *BURN)
    name = text(TALLY, "evlist", "-i", path)[0]
    assert name.startswith("cycles") or (name == "cpu-clock" and "no PMU" in said), (name, said)


def test_chains(path):
    """-g records callchains"""
    record("-g", "-o", path, *BURN)
    same(path)
    assert "CALLCHAIN" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_dwarf(path):
    """--call-graph dwarf records registers and stacks"""
    record("--call-graph", "dwarf,4096", "-e", "cpu-clock:u", "-c", "1000000", "-o", path, *BURN)
    line = text(TALLY, "evlist", "-v", "-i", path)[0]
    assert "REGS_USER|STACK_USER" in line and "sample_stack_user: 4096" in line, line
    same(path, "-F", "comm,tid,time,event,ip", chains=False)


def test_group(path):
    """a group samples each of its members"""
    record("-e", "{cpu-clock,page-faults}", "-o", path, *BURN)
    same(path)
    only = ":u" if machine.need_kernel_events.reason() else ""
    tap.same(text(TALLY, "evlist", "-i", path), ["cpu-clock" + only, "page-faults" + only], "events")


def test_group_read(path):
    """{...}:S reads the members with the leader's samples"""
    record("-e", "{cpu-clock,page-faults}:S", "-o", path, *BURN)
    same(path)
    assert "GROUP" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_tracepoints(path):
    """tracepoints carry their formats along"""
    need_tracefs()
    record("-e", "sched:sched_switch,sched:sched_process_exit,cpu-clock", "-o", path, *BURN)
    assert any("sched:sched_process_exit" in line and "comm=sh" in line for line in same(path))


def test_filter(path):
    """--filter keeps what it says"""
    need_tracefs()
    record("-a", "-e", "sched:sched_process_exec", "--filter", 'filename ~ "*/env"', "-o", path,
           "sh", "-c", "env true; true; env true")
    lines = same(path)
    assert all("/env" in line for line in lines), lines
    assert "takes the filter" not in record("-e", "cpu-clock", "--filter", "a==1", "-o", path,
                                            "true", status=1)


def test_pipe(path):
    """-o - feeds perf script and tally script alike"""
    done = run(TALLY, "record", "-o", "-", "-e", "cpu-clock,faults", *BURN)
    assert done.returncode == 0, done.stderr
    with open(path, "wb") as file:
        file.write(done.stdout)
    with open(path, "rb") as file:
        ours = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], stdin=file, stdout=subprocess.PIPE,
                              check=True).stdout
    assert ours.count(b"\n") > 10
    if not PERF:
        raise Skip("no perf to compare with")
    with open(path, "rb") as file:
        theirs = subprocess.run(["perf", "script", "--no-inline", "-i", "-"], stdin=file, check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    ours, theirs = (out.decode(errors="replace").splitlines() for out in (ours, theirs))
    tap.same(len(ours), len(theirs), "lines of the stream")
    for a, b in zip(theirs, ours):
        tap.same(tap.as_perf_names_stubs(a, b), a, "script of the stream")


def test_pipe_tracepoints(path):
    """tracepoints work through a pipe"""
    need_tracefs()
    if not PERF:
        raise Skip("no perf to compare with")
    done = run(TALLY, "record", "-o", "-", "-e", "sched:sched_process_exit", "sh", "-c", "true; env true")
    assert done.returncode == 0, done.stderr
    out = subprocess.run(["perf", "script", "--no-inline", "-i", "-"], input=done.stdout, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    assert b"comm=sh" in out, out


def test_compressed(path):
    """-z compresses"""
    said = record("-z", "-g", "-o", path, *BURN)
    assert "compressed (original" in said
    same(path)
    assert "COMPRESSED" in types(path)


def test_switch_events(path):
    """--switch-events records context switches"""
    record("--switch-events", "-o", path, "sh", "-c", "sleep 0.01; i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done")
    same(path)
    assert "SWITCH" in types(path)


def test_namespaces(path):
    """--namespaces records namespaces"""
    machine.need_namespace_records()
    record("--namespaces", "-o", path, *BURN)
    same(path)
    assert "NAMESPACES" in types(path)


def test_data(path):
    """-d records data addresses and data maps"""
    record("-d", "-o", path, *BURN)
    same(path)
    assert "ADDR" in text(TALLY, "evlist", "-v", "-i", path)[0]


def test_all_fields(path):
    """-T -P -W -R -s --sample-cpu and others are read alike"""
    machine.need_kernel_events()
    record("-T", "-P", "-W", "-R", "-s", "--sample-cpu", "--phys-data", "--data-page-size",
           "--code-page-size", "-I", "--user-regs=" + ("ip,sp" if os.uname().machine == "x86_64" else "pc,sp"),
           "-o", path, *BURN)
    same(path)


def test_buildid_mmap(path):
    """--buildid-mmap puts build ids into the maps"""
    record("--buildid-mmap", "-o", path, *BURN)
    same(path)
    assert '"build_id"' in dump(path)


def test_buildids_of_files_hit(path):
    """build ids are of the files that a report names, each once, also where only some maps have theirs"""
    for more in ([], ["--buildid-mmap"]):
        record(*more, "-e", "cpu-clock", "-F", "10000", "-o", path, *BURN)
        listed = [line.split(maxsplit=1)[1] for line in text(TALLY, "buildid-list", "-i", path)]
        rows = text(TALLY, "report", "--stdio", "-x", ",", "-s", "dso", "-i", path)
        named = {row.split(",")[1] for row in rows if "%," in row and "%,[" not in row}
        assert named and len(set(listed)) == len(listed), listed
        assert named == {os.path.basename(name) for name in listed if name[0] == "/"}, f"{named}, but {listed}"


def test_clock(path):
    """-k monotonic: times are that clock's"""
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    record("-k", "monotonic", "-o", path, *BURN)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    lines = same(path, "-F", "time")
    assert all(before <= float(line.strip().rstrip(":")) <= after for line in lines)


def test_rates(path):
    """-c, -F, -F max and a frequency that is too high"""
    record("-c", "250000", "-e", "cpu-clock", "-o", path, *BURN)
    assert "sample_freq }: 250000" in text(TALLY, "evlist", "-v", "-i", path)[0]
    record("-F", "max", "-e", "cpu-clock", "-o", path, "true")
    said = record("-F", "99999999", "-e", "cpu-clock", "-o", path, "true")
    assert "perf_event_max_sample_rate" in said
    record("-F", "99999999", "--strict-freq", "-o", path, "true", status=1)
    record("-F", "99", "-c", "99", "-o", path, "true", status=1)


def test_threads_and_children(path):
    """children that the command makes are recorded, not with --no-inherit"""
    command = ["sh", "-c", "(i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done) & wait; true"]
    record("-o", path, *command)
    assert "FORK" in types(path)
    assert len({line.split()[0] for line in same(path, "-F", "pid")}) >= 2
    record("--no-inherit", "-e", "cpu-clock", "-o", path, *command)
    pids = text(TALLY, "script", "-i", path, "-F", "pid")
    assert len({line.split()[0] for line in pids}) <= 1


def test_buffer_size(path):
    """-m is rounded up, and said"""
    assert "rounding mmap pages size to 64K (16 pages)" in record("-m", "9", "-o", path, "true")
    assert "rounding" not in record("-m", "64K", "-o", path, "true")
    record("-m", "x", "-o", path, "true", status=1)


# ---- statuses -----------------------------------------------------------------------------


def test_status(path):
    """the status is the command's, 128 + signal if killed"""
    record("-o", path, "sh", "-c", "exit 7", status=7)
    record("-o", path, "sh", "-c", "kill -9 $$", status=137)
    text(TALLY, "script", "-i", path)
    record("--nonsense", "true", status=129)


def test_exec_failure(path):
    """a command that cannot run is told by its reason, and no file is left behind"""
    said = record("-o", path, "/nowhere/nothing", status=127)
    assert "No such file or directory" in said and not os.path.exists(path), said
    with open(path, "w") as file:
        file.write("old")
    said = record("-o", path, "/etc/passwd", status=126)
    assert "Permission denied" in said, said
    with open(path) as file:
        assert file.read() == "old"


def test_old_file(path):
    """a file in the way becomes FILE.old"""
    with open(path, "w") as file:
        file.write("old")
    record("-o", path, "true")
    with open(path + ".old") as file:
        assert file.read() == "old"


def test_bad_event(path):
    """an event that is not there is told, nothing is written"""
    assert "cpu-clok" in record("-e", "cpu-clok", "-o", path, "true", status=1)
    assert not os.path.exists(path)


# ---- existing tasks, CPUs -----------------------------------------------------------------


def attached(path, option, target, size=9000):
    process = background(option, str(target), "-m", "2", "-F", "2000", "-o", path)
    until("samples", grown(path, size))
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert status == 0, said
    return said


def test_attach(path):
    """-p and -t record what runs already, with its maps; Ctrl-C ends it well"""
    with subprocess.Popen(FOREVER) as burner:
        try:
            for option in ("-p", "-t"):
                attached(path, option, burner.pid)
                lines = same(path)
                assert any("/" in line and "unknown" not in line for line in lines)
        finally:
            burner.kill()


def test_attach_end(path):
    """-p ends when the process does"""
    with subprocess.Popen(FOREVER) as burner:
        process = background("-p", str(burner.pid), "-m", "2", "-F", "2000", "-o", path)
        until("samples", grown(path, 9000))
        burner.kill()
        status, said = ends(process)
    assert status == 0, said
    same(path)


def test_attach_nobody(path):
    """-p of nobody is told"""
    assert "no such task" in record("-p", "999999999", "-o", path, status=1)
    assert "not a list" in record("-p", "x", "-o", path, status=1)


def test_per_thread(path):
    """--per-thread has a buffer for each task"""
    with subprocess.Popen(FOREVER) as burner:
        try:
            record("--per-thread", "-t", str(burner.pid), "-o", path, *tap.work_of(burner.pid))
        finally:
            burner.kill()
    same(path)


def test_system_wide(path):
    """-a and -C record CPUs, with what runs there"""
    need_root()
    # perf knows no names of what else runs, and ends.
    record("-a", "--no-symbols", "-o", path, *BURN)
    assert any("sh" in line for line in same(path))
    names = types(path)
    assert names.count("COMM") > 5 and names.count("MMAP2") > 5
    record("-C", "0", "--no-symbols", "-o", path, *BURN)
    same(path)


def test_user(path):
    """-u records the processes of a user"""
    machine.need_nobody()
    try:
        name = pwd.getpwuid(NOBODY).pw_name
    except KeyError as error:
        raise Skip(f"user {NOBODY} has no name here") from error
    with subprocess.Popen(FOREVER, user=NOBODY) as burner:
        try:
            record("-u", name, "-o", path, *tap.work_of(burner.pid))
        finally:
            burner.kill()
    same(path)


# ---- ends that come from outside ----------------------------------------------------------


def test_interrupt(path):
    """SIGINT and SIGTERM in mid-recording leave a whole file, and no command behind"""
    for number in (signal.SIGINT, signal.SIGTERM):
        process = background("-m", "2", "-F", "2000", "-o", path, *FOREVER)
        until("samples", grown(path, 9000))
        process.send_signal(number)
        status, said = ends(process)
        assert status == 128 + signal.SIGTERM, (status, said)
        same(path)


def test_flush(path):
    """few samples are written soon, so that SIGKILL leaves them: --flush-ms"""
    for options in ([], ["--flush-ms", "50"]):
        process = background("-F", "49", "-e", "cpu-clock", *options, "-o", path, *FOREVER,
                             preexec_fn=os.setsid)
        until("a header", grown(path, 1000))
        size = os.path.getsize(path)
        until("samples", grown(path, size + 500))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert len(text(TALLY, "script", "-i", path)) > 5
    record("--flush-ms", "99999999999", "-o", path, "true", status=1)


def test_killed(path):
    """after SIGKILL the unfinished file reads up to its last record"""
    process = background("-m", "2", "-F", "2000", "-o", path, *FOREVER,
                         preexec_fn=os.setsid)
    until("samples", grown(path, 30000))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    # perf 6.1 reads no unfinished file, not even its own.
    assert len(text(TALLY, "script", "-i", path)) > 100
    text(TALLY, "report", "--stdio", "-i", path)


def record_until_full(path, output, **more):
    """Record a command that works until tally has told that the output takes no more, and ends with a status of its own."""
    go = path + ".go"
    process = background("-m", "2", "-F", "4000", "-e", "cpu-clock", "-o", output,
                         "sh", "-c", f"ulimit -t 300; while [ ! -e {go} ]; do i=0; while [ $i -lt 999 ]; do i=$((i+1)); done; done; exit 7", **more)
    said = ""
    for line in process.stderr:
        said += line.decode()
        if "runs on" in said and not os.path.exists(go):
            open(go, "w").close()
    assert process.wait(DEADLINE) == 7, (process.returncode, said)
    os.unlink(go)
    return said


def one_truth(said, path):
    """What is said at the end does not contradict itself, and whoever reads the file is told too."""
    assert "a full disk or a size limit may have cut it" in "".join(text(TALLY, "report", "-i", path))
    assert "cannot finish" not in said and said.count("cannot write") == 1, said
    assert "without build ids" in said and "samples), which can be read up to there" in said, said


# A recording that lost its features does not say which kernel it is of.
OURS = ["--kallsyms", "/proc/kallsyms"]


def same_script_as_perf(path, *options):
    tap.same_script(*("\n".join(text(*command, "-i", path)) + "\n"
                      for command in ((TALLY, "script", "--no-inline", *options), ("perf", "script", "--no-inline"))), "script")


def test_full_disk(path):
    """a full disk: said once, what was written reads back, and the command runs on to its own end"""
    machine.need_mounts()
    where = path + ".tmpfs"
    os.mkdir(where)
    assert run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where).returncode == 0
    try:
        full = os.path.join(where, "perf.data")
        said = record_until_full(path, full)
        assert "No space left" in said and "runs on" in said, said
        one_truth(said, full)
        assert len(text(TALLY, "script", "-i", full)) > 100
        if PERF:
            same_script_as_perf(full, *OURS)
        # Where there is no room to begin with, the command is not run.
        with open(os.path.join(where, "filler"), "wb", buffering=0) as filler:
            try:
                while filler.write(bytes(4096)):
                    pass
            except OSError:
                pass
        before = os.path.getsize(full)
        said = record("-e", "cpu-clock", "-o", full, "touch", os.path.join(path + ".ran"), status=1)
        assert "No space left" in said and "Captured" not in said, said
        assert os.path.getsize(full) == before and not os.path.exists(path + ".ran")
    finally:
        run("umount", where)


def test_full_disk_interrupted(path):
    """behind a full disk Ctrl-C ends the command that runs on"""
    machine.need_mounts()
    where = path + ".tmpfs"
    os.mkdir(where)
    assert run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where).returncode == 0
    try:
        full = os.path.join(where, "perf.data")
        process = background("-m", "2", "-F", "4000", "-o", full, *FOREVER)
        for line in process.stderr:
            if b"Captured and wrote" in line:
                break
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        status, said = ends(process)
        assert status == 1, (status, said)
    finally:
        run("umount", where)


def test_size_limit(path):
    """a file that may grow no larger (RLIMIT_FSIZE) is a full disk, and no death by SIGXFSZ"""
    limit = 65536
    said = record_until_full(path, path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert "RLIMIT_FSIZE is 64 KiB" in said and "runs on" in said, said
    one_truth(said, path)
    assert limit - 4096 < os.path.getsize(path) <= limit, os.path.getsize(path)
    assert len(text(TALLY, "script", "-i", path)) > 100, "too few samples"
    if PERF:
        same_script_as_perf(path, *OURS)


def test_devices(path):
    """/dev/null takes a recording, a full device and a directory are errors, and no device is removed"""
    assert "Captured and wrote" in record("-e", "cpu-clock", "-o", "/dev/null", "true")
    assert "Is a directory" in record("-e", "cpu-clock", "-o", os.path.dirname(path), "true", status=1)
    # One of our own: what is no file is neither removed nor renamed.
    need_root()
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
    assert "No space left" in record("-e", "cpu-clock", "-o", path, "true", status=1)
    record("-e", "cpu-clock", "-o", path, "/nowhere/nothing", status=1)
    assert "cannot be switched" in record("--timestamp-filename", "-o", path, "true", status=1)
    assert stat.S_ISCHR(os.stat(path).st_mode) and len(os.listdir(os.path.dirname(path))) == 1


# ---- pipes --------------------------------------------------------------------------------


def test_reader_gone(path):
    """a pipe that nobody reads any more ends the recording, and that is said"""
    process = background("-m", "2", "-F", "2000", "-o", "-", *FOREVER, stdout=subprocess.PIPE)
    process.stdout.read(1000)
    process.stdout.close()
    process.stdout = None
    status, said = ends(process)
    assert status == 1 and "its reader is gone" in said, (status, said)


def test_pipe_printing(path):
    """what the command prints does not get into the stream: it goes to standard error"""
    command = ["sh", "-c", "printf '%sed\\n' print; " + BURN[2]]
    for options in (["-o", "-"], [], ["-o", "/dev/stdout"]):
        done = run(TALLY, "record", *options, "-e", "cpu-clock", *command, cwd=os.path.dirname(path))
        assert done.returncode == 0 and b"printed" not in done.stdout, done.stderr
        assert b"printed" in done.stderr, done.stderr
        shown = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], input=done.stdout, check=True,
                               stdout=subprocess.PIPE).stdout
        assert shown.count(b"\n") > 10, shown
    # Into a file nothing is in its way.
    assert run(TALLY, "record", "-q", "-o", path, *command).stdout == b"printed\n"


def work_on(process):
    """Let its command work for a third of a second of CPU time, which is more samples than -m 2 holds."""
    child = int(run("cat", f"/proc/{process.pid}/task/{process.pid}/children").stdout.split()[0])

    def used():
        with open(f"/proc/{child}/stat", encoding="ascii") as file:
            return sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])
    start = used()
    until("the command to run", lambda: used() > start + 30)


def full_pipe(*numbers):
    """A recorder whose reader takes nothing, asked to end: it, and the end to read."""
    reader, writer = os.pipe()
    process = background("-m", "2", "-F", "4000", "-e", "cpu-clock", "-o", "-",
                         *FOREVER, stdout=writer)
    until("a full pipe", lambda: not select.select([], [writer], [], 0)[1])
    os.close(writer)
    work_on(process)
    for number in numbers:
        process.send_signal(number)
    return process, reader


def test_pipe_stuck(path):
    """a reader that takes nothing holds nobody up who asks for the end"""
    for numbers in ((signal.SIGINT,), (signal.SIGTERM,), (signal.SIGTERM, signal.SIGINT)):
        process, reader = full_pipe(*numbers)
        try:
            status, said = ends(process)
        finally:
            os.close(reader)
        assert status == 1 and "its reader takes nothing" in said, (status, said)
        assert "cut off there" in said, said


def test_pipe_slow(path):
    """a reader that is slow gets all, also when the end was asked for meanwhile"""
    process, reader = full_pipe(signal.SIGINT)
    with open(reader, "rb") as file:
        stream = file.read()
    status, said = ends(process)
    assert status == 128 + signal.SIGTERM and "cannot" not in said, said
    done = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], input=stream, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.stdout.count(b"\n") > 100 and not done.stderr, done.stderr


def test_fifo(path):
    """a FIFO waits for its reader, and is done with when it is gone; it is nobody's old file"""
    os.mkfifo(path)
    process = subprocess.Popen([TALLY, "record", "-e", "cpu-clock:u", "-o", path, *BURN], stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    assert b"waiting for a reader" in process.stderr.readline()
    shown = text(TALLY, "script", "-i", path)
    assert ends(process)[0] == 0 and len(shown) > 10, shown
    process = subprocess.Popen([TALLY, "record", "-e", "cpu-clock:u", "-o", path, "-m", "2", "-F", "2000", *FOREVER],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with open(path, "rb", buffering=0) as file:
        file.read(100)
    status, said = ends(process)
    assert status == 1 and "its reader is gone" in said, (status, said)
    assert "cannot be switched" in record("--switch-output=1M", "-o", path, "true", status=1)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


def test_fifo_nobody(path):
    """a FIFO that nobody comes to read can be given up with INT and TERM"""
    os.mkfifo(path)
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([TALLY, "record", "-e", "cpu-clock:u", "-o", path, "touch", path + ".ran"],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert b"waiting for a reader" in process.stderr.readline()
        process.send_signal(number)
        status, said = ends(process)
        assert status == 1 and "nobody came to read it" in said, (status, said)
    assert not os.path.exists(path + ".ran")


# ---- one file for several recorders -------------------------------------------------------


def test_same_output(path):
    """who would write a file that is being written is told so, and nothing of it is touched"""
    first = background("-m", "2", "-F", "2000", "-e", "cpu-clock", "-o", path, *FOREVER)
    until("samples", grown(path, 9000))
    for _ in range(2):
        said = record("-e", "cpu-clock", "-o", path, "touch", path + ".ran", status=1)
        assert "another recorder is writing it" in said, said
    first.send_signal(signal.SIGINT)
    status, said = ends(first)
    assert status == 128 + signal.SIGTERM, said
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    same(path)


def test_same_output_at_once(path):
    """of several that begin at the same time one has the file, and the others say that they have none"""
    recorders = [subprocess.Popen([TALLY, "record", "-q", "-e", "cpu-clock", "-o", path, *FOREVER],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(6)]
    try:
        until("all but one to be refused", lambda: sum(one.poll() is None for one in recorders) == 1)
        until("samples", grown(path, 9000))
    finally:
        for one in recorders:
            one.send_signal(signal.SIGINT)
        results = [ends(one) for one in recorders]
    assert sorted(status for status, _ in results) == [1] * 5 + [128 + signal.SIGTERM], results
    assert all("another recorder" in said for status, said in results if status == 1), results
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    assert len(text(TALLY, "script", "-i", path)) > 100


def test_old_in_use(path):
    """a file that perf moved away while it was written is not overwritten, and is called by its name"""
    if not PERF:
        raise Skip("no perf to move it")
    first = background("-m", "2", "-F", "2000", "-e", "cpu-clock", "-o", path, *FOREVER)
    until("samples", grown(path, 9000))
    assert run("perf", "record", "-q", "-e", "cpu-clock", "-o", path, "true").returncode == 0
    for _ in range(2):
        record("-q", "-e", "cpu-clock", "-o", path, "true")
    first.send_signal(signal.SIGINT)
    said = ends(first)[1]
    assert "was renamed" in said and "wrote" in said and path + ".old (" in said, said
    assert sorted(os.listdir(os.path.dirname(path))) == ["perf.data", "perf.data.old", "perf.data.old.1"]
    assert len(text(TALLY, "script", "-i", path + ".old")) > 100


def test_old_not_kept(path):
    """a file that cannot be kept is not overwritten"""
    with open(path, "w") as file:
        file.write("old")
    os.mkdir(path + ".old")
    said = record("-e", "cpu-clock", "-o", path, "true", status=1)
    assert "cannot keep" in said, said
    with open(path) as file:
        assert file.read() == "old"


def test_one_old(path):
    """one recording after the other keeps one old one"""
    for _ in range(4):
        record("-q", "-e", "cpu-clock", "-o", path, "true")
    assert sorted(os.listdir(os.path.dirname(path))) == ["perf.data", "perf.data.old"]


def test_command_stays(path):
    """a command that does not end by SIGTERM holds nobody up who asks twice"""
    process = background("-e", "cpu-clock", "-o", path, "sh", "-c", "trap '' TERM; echo up; while :; do :; done",
                         stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    child = int(run("cat", f"/proc/{process.pid}/task/{process.pid}/children").stdout.split()[0])
    try:
        process.send_signal(signal.SIGINT)
        for line in process.stderr:
            if b"Captured" in line:
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 1
    finally:
        os.kill(child, signal.SIGKILL)
    said = process.stderr.read().decode()
    assert f"(process {child}) has not ended" in said, said
    same(path)


def test_max_size(path):
    """--max-size ends it"""
    said = record("--max-size", "50K", "-m", "2", "-F", "2000", "-o", path, *FOREVER,
                  status=128 + signal.SIGTERM)
    assert "size limit reached" in said
    same(path)


def test_lost(path):
    """what a ring had no room for is counted"""
    process = background("-m", "1", "-c", "20000", "-e", "cpu-clock", "-o", path, *FOREVER)
    until("samples", grown(path, 100000))
    process.send_signal(signal.SIGSTOP)
    # While the recorder stands still its ring runs over.
    work_on(process)
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert "records were lost" in said, said
    same(path)
    assert "LOST_SAMPLES" in types(path)


# ---- switching ----------------------------------------------------------------------------


def test_overwrite_signal(path):
    """--overwrite --switch-output=signal writes out the newest samples on SIGUSR2"""
    process = background("--overwrite", "--switch-output=signal", "-m", "4", "-F", "2000", "-o", path,
                         *FOREVER)
    until("the recording", lambda: os.path.exists(path) and os.path.getsize(path) > 100)
    child = None

    def stamped():
        return [name for name in glob.glob(path + ".2*")]
    until("a command", lambda: run("cat", f"/proc/{process.pid}/task/{process.pid}/children").stdout.strip())
    for want in (1, 2):
        process.send_signal(signal.SIGUSR2)
        until("a new file", lambda want=want: len(stamped()) >= want)
    process.send_signal(signal.SIGTERM)
    status, said = ends(process)
    assert "[ tally record: Dump " + path in said, said
    files = stamped()
    assert len(files) == 3 and not os.path.exists(path), files
    for name in files:
        text(TALLY, "script", "-i", name)
        if PERF:
            same_script_as_perf(name)
    assert any(text(TALLY, "script", "-i", name) for name in files), child


def test_switch_size(path):
    """--switch-output=SIZE and --switch-max-files"""
    process = background("--switch-output=20K", "--switch-max-files", "2", "-m", "2", "-F", "4000",
                         "-o", path, *FOREVER)
    seen = set()

    def enough():
        seen.update(glob.glob(path + ".2*"))
        return len(seen) >= 4
    until("files", enough)
    process.send_signal(signal.SIGTERM)
    ends(process)
    files = glob.glob(path + ".2*")
    assert len(files) == 2, files
    same(files[0])


def test_switch_renamed(path):
    """a file that somebody renames is finished under its new name, and the recording goes on into the next"""
    process = background("--switch-output", "-m", "2", "-F", "4000", "-o", path, *FOREVER)
    until("a file", lambda: os.path.exists(path) and os.path.getsize(path) > 8192)
    os.rename(path, path + ".moved")
    process.send_signal(signal.SIGUSR2)
    until("the next file", lambda: os.path.exists(path) and os.path.getsize(path) > 8192)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert status == 128 + signal.SIGTERM and "was renamed" in said and path + ".moved" in said, (status, said)
    same(path + ".moved")
    same(glob.glob(path + ".2*")[0])


def test_timestamp_filename(path):
    """--timestamp-filename names the file by the time"""
    record("--timestamp-filename", "-o", path, *BURN)
    names = glob.glob(path + ".2*")
    assert len(names) == 1 and len(names[0]) == len(path) + 17, names
    same(names[0])


# ---- control ------------------------------------------------------------------------------


def test_control(path):
    """-D -1 --control fifo: enable, ping, disable and stop are obeyed and acknowledged"""
    ctl, ack = path + ".ctl", path + ".ack"
    os.mkfifo(ctl)
    os.mkfifo(ack)
    ctl_fd, ack_fd = os.open(ctl, os.O_RDWR), os.open(ack, os.O_RDWR)
    process = background("-D", "-1", "--control", f"fifo:{ctl},{ack}", "-m", "2", "-F", "2000",
                         "-e", "cpu-clock", "-o", path, *FOREVER)
    for command in (b"ping", b"evlist", b"enable"):
        os.write(ctl_fd, command + b"\n")
        assert os.read(ack_fd, 16).startswith(b"ack\n")
    until("samples", grown(path, 9000))
    for command in (b"disable", b"stop"):
        os.write(ctl_fd, command + b"\n")
        assert os.read(ack_fd, 16).startswith(b"ack\n")
    assert "cpu-clock" in ends(process)[1]
    same(path)


def test_delay(path):
    """-D: samples begin later, maps are known from the beginning"""
    record("-D", "20", "-e", "cpu-clock", "-o", path, "sh", "-c",
           "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    lines = same(path)
    assert not any("([unknown])" in line for line in lines)


# ---- without privileges -------------------------------------------------------------------


def test_unprivileged(path):
    """a user without privileges records his own user space, and that is said"""
    may_write_for_nobody(path)
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        if int(file.read()) != 2:
            raise Skip("kernel.perf_event_paranoid is not 2")
    said = record("-o", path, *BURN, user=NOBODY)
    assert "only user space" in said and "CAP_PERFMON" in said, said
    assert text(TALLY, "evlist", "-i", path)[0].endswith(":u")
    os.chown(path, 0, 0)
    same(path)
    said = record("-a", "-o", path, "true", status=1, user=NOBODY)
    assert "needs a privilege" in said and "cap_perfmon" in said, said


def test_locked_memory(path):
    """rings shrink to what may be locked, once said; not those asked for"""
    may_write_for_nobody(path)
    limits = {"user": NOBODY, "preexec_fn": None}

    def low():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    limits["preexec_fn"] = low
    said = record("-m", "4M", "-o", path, "true", status=1, **limits)
    assert "CAP_IPC_LOCK" in said and "perf_event_mlock_kb" in said, said


def test_rings_shrink(path):
    """more rings than memory may be locked for: smaller ones, and that is said"""
    may_write_for_nobody(path)
    if machine.why_not(["/usr/bin/python3", "-c", "pass"], user=NOBODY):
        raise Skip("no /usr/bin/python3 for a process of many threads")
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    with open("/proc/sys/kernel/perf_event_mlock_kb") as file:
        if int(file.read()) * cpus >= 13 * 516:
            raise Skip("enough memory may be locked here")
    program = ("import sys, threading\n"
               "for i in range(12): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
               "print('up', flush=True)\nfor line in sys.stdin: pass\n")
    with subprocess.Popen(["/usr/bin/python3", "-c", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, user=NOBODY) as many:
        try:
            assert many.stdout.readline() == b"up\n"
            said = record("--per-thread", "-p", str(many.pid), "-e", "cpu-clock:u", "-o", path, *BURN,
                          user=NOBODY,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0)))
        finally:
            many.kill()
    assert "ring buffers of" in said and "CAP_IPC_LOCK" in said, said
    assert "COMM" in types(path)


# ---- limits of the process ----------------------------------------------------------------


def test_few_descriptors(path):
    """too few descriptors is one error that names the limit, and nothing that was not read is shown as a value"""
    machine.need_kernel_events()
    for nr in range(8, 40):
        done = run(TALLY, "record", "-e", "cpu-clock", "-o", path, "true",
                   preexec_fn=lambda nr=nr: resource.setrlimit(resource.RLIMIT_NOFILE, (nr, nr)))
        said = done.stderr.decode()
        assert "-2147483648" not in said and "kptr_restrict" not in said, (nr, said)
        if not done.returncode:
            break
        assert "Too many open files" in said, (nr, said)
        assert not os.path.exists(path), nr
    assert not done.returncode and nr > 10, nr
    # What is recorded with so few is recorded whole.
    assert {"MMAP", "COMM", "MMAP2", "ID_INDEX"} <= set(types(path))


def test_killing_filter(path):
    """where a seccomp filter kills who opens events, nobody dies: it is said, and the command not run"""
    killed = rights.seccomp(0, kills=True)
    touch = ["touch", path + ".ran"]
    for args in (["record", "-o", path, *touch], ["stat", *touch], ["stat", "-r", "2", *touch], ["top", "--stdio"]):
        done = run(TALLY, args[0], "--via", "kernel", *args[1:], preexec_fn=killed)
        assert done.returncode == 1 and b"seccomp filter forbids perf_event_open" in done.stderr, (args, done)
        assert b"it kills who calls it" in done.stderr and not os.listdir(os.path.dirname(path)), (args, done)
    done = run(TALLY, "list", "sw", preexec_fn=killed)
    assert done.returncode == 0 and b"page-faults" in done.stdout and b"seccomp" in done.stderr, done
    # One that lets it pass is in nobody's way.
    assert run(TALLY, "stat", "true", preexec_fn=rights.seccomp(0)).returncode == 0


def main():
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    wanted = sys.argv[2:]
    tests = [test for test in tests if not wanted or test[0] in wanted]
    print(f"1..{len(tests)}", flush=True)
    for number, (name, function) in enumerate(tests, 1):
        label = f"{number} - {name[5:]}: {function.__doc__}"
        with tempfile.TemporaryDirectory() as where:
            try:
                machine.need_events()
                function(os.path.join(where, "perf.data"))
                print("ok " + label, flush=True)
            except Skip as why:
                print(f"ok {label} # SKIP {why}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                print("not ok " + label)
                print("# " + repr(error).replace("\\n", "\n# ")[:1500], flush=True)


main()
