#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test a session in which an unprivileged user runs a tally binary that has file capabilities.

usage: privileges.py TALLY [--update]

The tests run as root, create a user and a group, and remove both. Messages to the user are compared with
golden/privileges/NAME.txt; --update regenerates those files.
"""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402
from session_user import (NONE, NO_MEMLOCK, TALLY, Workload, account, capabilities, capable, golden,  # noqa: E402
                          output, plain, well)

# ---- session of the seed -------------------------------------------------------------


def session(level):
    machine.need_kernel_symbols()
    with rights.sysctls(perf_event_paranoid=level, kptr_restrict=0), kernel_is_busy() as busy:
        me, tally, data = account(), capable(), output(f"session-{level}.data")
        done = well(me.run(tally, "record", "-a", "-o", data, *tap.work_of(busy)))
        assert re.search(r"Captured and wrote .* \(\d+ samples\)", done.stderr), done.stderr
        assert "only user space" not in done.stderr and "missing" not in done.stderr, done.stderr
        assert os.stat(data).st_uid == me.uid
        events = well(me.run(tally, "evlist", "-i", data)).stdout.split("\n")
        assert re.fullmatch(r"cycles(:P)?|cpu-clock", events[0]), events
        attr = well(me.run(tally, "evlist", "-v", "-i", data)).stdout
        assert "sample_type: IP|TID|TIME|CPU|PERIOD" in attr, attr
        assert "exclude_kernel" not in attr and "exclude_user" not in attr, attr
        report = well(me.run(tally, "report", "--stdio", "-i", data)).stdout
        assert "# Total Lost Samples: 0" in report
        kernel = re.findall(r"\[k\] (\S+)", report)
        named = [name for name in kernel if not name.startswith("0x")]
        assert named and len(named) * 10 >= len(kernel) * 9, f"{len(named)} of {len(kernel)} named"
        assert "# No symbols: [kernel" not in report, report[-600:]


def test_session_at_paranoid_2():
    """Check that record -a, evlist, evlist -v and report work, including for the kernel and its symbols."""
    session(2)


def test_session_at_paranoid_3():
    """Check the same session at level 3, which is stricter only in the kernels of Debian and some other
    distributions."""
    session(3)


def test_profile_shows_what_it_recorded():
    """Check that profile shows its recording. By then the recording is unlinked, and the process, which has
    capabilities, cannot be inspected."""
    machine.need_kernel_symbols()
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=0), kernel_is_busy():
        me, tally = account(), capable()
        done = well(me.run(tally, "profile", "-a", "--duration", "0.7"))
        assert re.search(r"^# Health: \d+ samples read", done.stdout, re.M), done.stdout[-500:]
        assert re.search(r"\[k\] [a-z_]+", done.stdout) and " s, " in done.stderr, done.stderr


@contextlib.contextmanager
def kernel_is_busy():
    """Keep the kernel busy with work that is visible in a profile, whatever else is running."""
    copy = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=1M"], stderr=subprocess.DEVNULL)
    try:
        yield copy.pid
    finally:
        copy.kill()
        copy.wait()


def watch_top(level):
    with rights.sysctls(perf_event_paranoid=level, kptr_restrict=0), kernel_is_busy():
        top = account().start(capable(), "top", "-a", "--stdio", preexec_fn=NO_MEMLOCK)
        try:
            seen = ""
            while seen.count("PerfTop:") < 2:
                line = top.stdout.readline()
                assert line, f"it ended: {top.stderr.read()}"
                seen += line
            assert re.search(r"\[k\] [a-z_]\w+", seen), seen[:2000]
            assert capabilities(top.pid) == {NONE}, capabilities(top.pid)
        finally:
            top.send_signal(signal.SIGINT)
            top.communicate(timeout=tap.PATIENCE)
    assert "kernel:" in seen and "lost:" in seen, seen[:500]


def test_top():
    """Check that top -a --stdio works at both levels. It runs without locked memory, so that tests do not compete for
    it."""
    machine.need_kernel_symbols()
    watch_top(2)
    watch_top(3)


# ---- capabilities while it runs -------------------------------------------------------

def while_running(name, *args, runs=1, preexec=None):
    """Run tally with a workload. Return the capabilities of tally and of the workload for each run."""
    work, seen = Workload(name), []
    try:
        tally = account().start(capable(), *args, *work.command, preexec_fn=preexec)
        for _ in range(runs):
            child = work.wait()
            seen.append((capabilities(tally.pid), capabilities(child)))
            work.release()
        _, told = tally.communicate(timeout=tap.PATIENCE)
        assert tally.returncode == 0, told
    finally:
        work.remove()
    return seen


def test_record_drops():
    """Check that neither tally nor the workload has a capability in any set during the recording."""
    with rights.sysctls(perf_event_paranoid=2):
        for target in (["-a"], []):
            (ours, theirs), = while_running("record", "record", *target, "-o", output("drop.data"))
            assert ours == {NONE} and theirs == {NONE}, (ours, theirs)


def test_later_files():
    """Check that a file written after capabilities were dropped contains the processes that existed before."""
    data = output("tail.data")
    machine.need_kernel_symbols()
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=1):
        done = well(account().run(capable(), "record", "-a", "--tail-synthesize", "-o", data, "true"))
        assert "later records of other users' processes show their state at this point" in done.stderr
        dump = well(account().run(plain(), "script", "-i", data, "--dump-json")).stdout
    records = [json.loads(line) for line in dump.splitlines()]
    maps = [record for record in records if record["name"] in ("MMAP", "MMAP2")]
    assert any(record["filename"].startswith("[kernel.kallsyms]_") for record in maps)
    # The maps include those of this test process, which runs as root.
    assert any(record["pid"] == os.getpid() for record in maps)


def test_stat_drops():
    """Check that no capabilities are left while stat is counting. With -r, the capabilities needed by the next run are
    kept, but not effective."""
    with rights.sysctls(perf_event_paranoid=2):
        (ours, theirs), = while_running("stat", "stat", "-a", "-e", "cpu-clock")
        assert ours == {NONE} and theirs == {NONE}, (ours, theirs)
        first, last = while_running("stat", "stat", "-r", "2", "-e", "cpu-clock", runs=2)
        (inherited, permitted, effective, ambient), = first[0]
        assert permitted and (inherited, effective, ambient) == (0, 0, 0), first
        assert first[1] == {NONE} and last == ({NONE}, {NONE}), (first, last)


def read_by(tally, *args):
    """Return the capabilities of a command that has started to read a recording from its standard input."""
    data = output("pipe.data")
    with open(data, "wb") as file:
        done = subprocess.run([TALLY, "record", "-q", "-o", "-", "-e", "cpu-clock:u", "true"],
                              stdout=file, stderr=subprocess.PIPE, check=False, timeout=tap.PATIENCE)
    assert not done.returncode, done.stderr
    with open(data, "rb") as file:
        begin = file.read()
    out, into = os.pipe()
    try:
        size = fcntl.fcntl(into, fcntl.F_GETPIPE_SZ)
        # More data than fits in the pipe: complete records, followed by an incomplete one.
        junk = (0x7FFF).to_bytes(4, "little") + b"\0\0" + (0xFFF8).to_bytes(2, "little")
        whole = begin + (junk + bytes(0xFFF0)) * (size // 0xFFF8 + 2)
        reader = subprocess.Popen([tally, *args, "-i", "-"],
                                  **account().options(stdin=out, stdout=subprocess.DEVNULL,
                                                      stderr=subprocess.PIPE))
        os.close(out)
        out = -1
        # This write exceeds the pipe's capacity, so when it returns, the reader must have read some of the data.
        os.write(into, whole[:size + 1])
        seen = capabilities(reader.pid)
        os.close(into)
        into = -1
        reader.communicate(timeout=tap.PATIENCE)
        return seen
    finally:
        for fd in (out, into):
            if fd >= 0:
                os.close(fd)


def test_reading_drops():
    """Check that commands that read recordings drop capabilities before they read the first byte."""
    for command in (["report"], ["script"], ["evlist"], ["buildid-list"]):
        seen = read_by(capable(), *command)
        assert seen == {NONE}, (command, seen)


# ---- files of other users --------------------------------------------------------------


def powerful():
    return account().program("powerful", "cap_perfmon,cap_dac_override,cap_dac_read_search,"
                                         "cap_sys_ptrace,cap_syslog=ep")


def test_output_is_written_with_the_users_rights():
    """Check that no file is written in a directory that the user cannot write to, even with cap_dac_override."""
    me, closed = account(), account().make("closed", 0, 0o755)
    for args in (["record", "-a", "-o", f"{closed}/x.data"], ["stat", "-o", f"{closed}/x.txt"]):
        done = me.run(powerful(), *args, "true")
        assert done.returncode == 1 and "Permission denied" in done.stderr, done
        assert not os.listdir(closed), os.listdir(closed)


def test_the_command_runs_with_the_users_rights():
    """Check that the command is searched for and run with only the user's rights."""
    me, secret = account(), os.path.join(account().make("closed", 0, 0o755), "secret")
    with open(secret, "w") as file:
        file.write("#!/bin/sh\necho secret\n")
    os.chmod(secret, 0o700)
    try:
        for args in (["record", "-o", output("x.data")], ["stat"]):
            done = me.run(powerful(), *args, "cat", secret)
            assert done.returncode == 1 and "secret\n" not in done.stdout, done
            done = me.run(powerful(), *args, secret)
            assert done.returncode == 126 and not done.stdout, done
    finally:
        os.unlink(secret)


def test_control_fifos_are_opened_with_the_users_rights():
    """Check that a FIFO that the user may not access is not opened."""
    me, fifo = account(), os.path.join(account().make("closed", 0, 0o755), "fifo")
    os.mkfifo(fifo, 0o600)
    try:
        for args in (["record", "-o", output("x.data")], ["stat"]):
            done = me.run(powerful(), *args, "--control", f"fifo:{fifo}", "true")
            assert done.returncode and "Permission denied" in done.stderr, done
    finally:
        os.unlink(fifo)


def test_reading_an_events_directory_drops_capabilities():
    """Check that capabilities are dropped before reading an events directory, which must be read before events are
    opened."""
    with rights.sysctls(perf_event_paranoid=2):
        closed = account().make("tables", 0, 0o700)
        done = account().run(powerful(), "stat", "--events-dir", closed, "-a", "true")
    assert "dropping capabilities before reading" in done.stderr, done.stderr
    assert done.returncode, done


def busy_copy(path):
    """Make a copy of a shell that can be recognized in a recording. It is run as a busy workload."""
    shutil.copy(shutil.which("bash") or "/bin/sh", path)
    os.chmod(path, 0o755)


def record_of(path, data):
    done = account().run(plain(), "record", "--no-symbols", "-e", "cpu-clock:u", "-F", "5000", "-o", data, path,
                         "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    well(done)
    report = well(account().run(plain(), "report", "-i", data)).stdout
    assert os.path.basename(path) in report, report


def test_hostile_recording():
    """Check that a recording cannot make its reader open files that the user may not read."""
    me = account()
    path, data = os.path.join(me.home, "victim"), output("hostile.data")
    busy_copy(path)
    record_of(path, data)
    os.chmod(path, 0o700)
    try:
        for command in (["report"], ["script"]):
            done = well(me.run(powerful(), *command, "-i", data))
            if command == ["report"]:
                assert f"# No symbols: {path}: permission denied" in done.stdout, done.stdout[-500:]
            theirs = well(me.run(plain(), *command, "-i", data))
            tap.same(done.stdout, theirs.stdout, command)
    finally:
        os.unlink(path)


def test_hostile_files():
    """Check that a FIFO, a device or a directory at the path of a recorded file does not block the reader."""
    me = account()
    path, data = os.path.join(me.home, "victim"), output("hostile.data")
    makers = {
        "fifo": lambda: os.mkfifo(path, 0o666),
        "device": lambda: os.symlink("/dev/zero", path),
        "directory": lambda: os.mkdir(path),
        "shadow": lambda: os.symlink("/etc/shadow", path),
        "itself": lambda: os.symlink(path, path),
    }
    busy_copy(path)
    record_of(path, data)
    for name, make in makers.items():
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
        make()
        done = me.run(powerful(), "report", "-i", data, timeout=tap.PATIENCE)
        assert done.returncode == 0, (name, done.stderr)
        assert f"# No symbols: {path}: " in done.stdout, (name, done.stdout[-500:])
    os.unlink(path)


# ---- locked memory ---------------------------------------------------------------------


def test_rings_default():
    """Check that the largest permitted size is used if the default size is denied, and that the reason is reported."""
    with rights.sysctls(perf_event_paranoid=2, perf_event_mlock_kb=64):
        data = output("ring.data")
        done = well(account().run(capable(), "record", "-a", "-o", data, "true",
                                  preexec_fn=NO_MEMLOCK))
        golden("rings-default", done.stderr)
        assert re.search(r"ring buffers of 32 KiB instead of 512", done.stderr), done.stderr
        done = well(account().run(capable(), "record", "-q", "-a", "-o", data, "true",
                                  preexec_fn=NO_MEMLOCK))
        assert not done.stderr, done.stderr


def test_explicit_ring_sizes_fail_with_remedies():
    """Check that -m is rounded as in perf, and that both remedies are reported on failure."""
    with rights.sysctls(perf_event_paranoid=2, perf_event_mlock_kb=32):
        done = account().run(capable(), "record", "-m10", "-a", "-o", output("ring.data"), "true",
                             preexec_fn=NO_MEMLOCK)
        assert done.returncode == 1
        assert "rounding mmap pages size to 64K (16 pages)" in done.stderr
        golden("rings-asked", done.stderr)
        well(account().run(capable(), "record", "-m2", "-a", "-o", output("ring.data"), "true",
                           preexec_fn=NO_MEMLOCK))


def test_uses_memory_that_other_processes_did_not_lock():
    """Check that if another process of the user has locked some of the memory, this is reported and recording
    continues."""
    with rights.sysctls(perf_event_paranoid=2, perf_event_mlock_kb=516):
        work = Workload("taken")
        first = account().start(capable(), "record", "-m64", "-a", "-o", output("first.data"),
                                *work.command, preexec_fn=NO_MEMLOCK)
        try:
            work.wait()
            done = well(account().run(capable(), "record", "-a", "-o", output("ring.data"), "true",
                                      preexec_fn=NO_MEMLOCK))
            assert "ring buffers of 128 KiB instead of 512" in done.stderr, done.stderr
            done = account().run(capable(), "record", "-m128", "-a", "-o", output("ring.data"),
                                 "true", preexec_fn=NO_MEMLOCK)
            golden("rings-taken", done.stderr)
        finally:
            work.release()
            first.communicate(timeout=tap.PATIENCE)
            work.remove()


def test_rings_capability():
    """Check that the default size is used with CAP_IPC_LOCK, as suggested."""
    with rights.sysctls(perf_event_paranoid=2, perf_event_mlock_kb=64):
        locking = account().program("locking", "cap_ipc_lock,cap_perfmon,cap_syslog,cap_sys_ptrace=ep")
        done = well(account().run(locking, "record", "-a", "-o", output("ring.data"), "true",
                                  preexec_fn=NO_MEMLOCK))
        assert "ring buffers" not in done.stderr, done.stderr


# ---- hidden symbols ----------------------------------------------------------------------


def test_recordings_contain_kernel_symbols():
    """Check that a recording contains the kernel symbols visible to its recorder, for readers without permission to see
    them."""
    machine.need_kernel_symbols()
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=1):
        data = output("named.data")
        well(account().run(capable(), "record", "-q", "-e", "cpu-clock", "-o", data, "ls", "-lR", "/usr/bin"))
        report = well(account().run(plain(), "report", "-i", data)).stdout
        assert re.search(r"\[kernel.kallsyms\] +\[k\] [a-z_]", report), report[:2000]
        well(account().run(capable(), "record", "-q", "--no-symbols", "-e", "cpu-clock", "-o", data, "ls", "-lR", "/usr/bin"))
        report = well(account().run(plain(), "report", "-i", data)).stdout
        assert not re.search(r"\[kernel.kallsyms\] +\[k\] [a-z_]", report), report[:2000]


def test_hidden_kernel():
    """Check that samples from a kernel with hidden addresses are kept, and that the report contains the reason for
    missing symbols."""
    machine.need_kernel_symbols()
    perfmon = account().program("perfmon", "cap_perfmon=ep")
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=1):
        data = output("hidden.data")
        done = well(account().run(perfmon, "record", "-a", "-o", data, "--", "sh", "-c",
                                  "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done"))
        golden("hidden-kernel", re.sub(r"(?s)tally: warning: the symbols of.*?(?=\[ tally)", "",
                                       done.stderr))
        report = well(account().run(plain(), "report", "-i", data)).stdout
    assert re.search(r"\[kernel\] +\[k\] 0x", report), report[:2000]
    assert "# No symbols: [kernel]: kernel addresses were hidden from the recorder" in report, \
        report[-900:]
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=2):
        data = output("hidden.data")
        well(subprocess_root("record", "-q", "-e", "cpu-clock", "-o", data, "ls", "-lR", "/usr/bin"))
    with rights.sysctls(perf_event_paranoid=2, kptr_restrict=0):
        well(subprocess_root("record", "-q", "--no-symbols", "-e", "cpu-clock", "-o", data, "ls", "-lR", "/usr/bin"))
        os.chmod(data, 0o644)
        os.chown(data, account().uid, account().gid)
        report = well(account().run(plain(), "report", "-i", data)).stdout
        assert "# No symbols: [kernel.kallsyms]: permission denied: kernel.kptr_restrict is 0, " \
               "kernel.perf_event_paranoid is 2, and CAP_SYSLOG is not held" in report, report[-800:]
        named = well(account().run(capable(), "report", "-i", data)).stdout
        assert "[kernel.kallsyms]: permission" not in named, named[-800:]


def subprocess_root(*args):
    return tap.run(TALLY, *args)


if __name__ == "__main__":
    tap.main("__main__")
