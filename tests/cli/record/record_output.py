#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the outputs of `tally record`: pipes, full disks and devices, existing files, files in use, and several files.

usage: record_output.py TALLY
"""
import glob
import itertools
import os
import resource
import select
import signal
import stat
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from recorder import (BURN, FOREVER, PERF, TALLY, background, ends, grown, record, same, same_script_as_perf,  # noqa: E402
                      text, work_on)


# ---- pipes --------------------------------------------------------------------------------


def test_pipe(path):
    """Check that perf script and tally script read the output of -o - identically."""
    done = tap.run(TALLY, "record", "-o", "-", "-e", "cpu-clock,faults", *BURN, text=False, status=0)
    with open(path, "wb") as file:
        file.write(done.stdout)
    with open(path, "rb") as file:
        ours = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], stdin=file, stdout=subprocess.PIPE,
                              check=True).stdout
    assert ours.count(b"\n") > 10
    if not PERF:
        raise tap.Skip("no perf to compare with")
    with open(path, "rb") as file:
        theirs = subprocess.run(["perf", "script", "--no-inline", "-i", "-"], stdin=file, check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    ours, theirs = (out.decode(errors="replace").splitlines() for out in (ours, theirs))
    tap.same(len(ours), len(theirs), "lines of the stream")
    for a, b in zip(theirs, ours):
        tap.same(tap.as_perf_names_stubs(a, b), a, "script of the stream")
    # perf report fails at a marker for the end of the features that is not that of its own version.
    for words in (["report", "--stdio"], ["report", "-D"], ["report", "--header-only"], ["evlist"]):
        with open(path, "rb") as file:
            done = subprocess.run(["perf", *words, "-i", "-"], stdin=file, check=False, capture_output=True)
        assert done.returncode == 0 and done.stdout.count(b"\n") > 3 - (words == ["evlist"]) * 2, (words, done.stderr)


def test_pipe_tracepoints(path):
    """Check that tracepoints can be recorded into a pipe."""
    machine.need_root()
    machine.need_tracepoints()
    if not PERF:
        raise tap.Skip("no perf to compare with")
    done = tap.run(TALLY, "record", "-o", "-", "-e", "sched:sched_process_exit", "sh", "-c", "true; env true", text=False,
                   status=0)
    out = subprocess.run(["perf", "script", "--no-inline", "-i", "-"], input=done.stdout, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    assert b"comm=sh" in out, out


def test_reader_gone(path):
    """Check that the recording ends if the reader of a pipe exits, and that this is reported."""
    process = background("-m", "2", "-F", "2000", "-o", "-", *FOREVER, stdout=subprocess.PIPE)
    process.stdout.read(1000)
    process.stdout.close()
    process.stdout = None
    status, said = ends(process)
    assert status == 1 and "the reader has closed it" in said, (status, said)


def test_pipe_printing(path):
    """Check that the command's output is redirected to standard error and not mixed into the stream."""
    command = ["sh", "-c", "printf '%sed\\n' print; " + BURN[2]]
    for options in (["-o", "-"], [], ["-o", "/dev/stdout"]):
        done = tap.run(TALLY, "record", *options, "-e", "cpu-clock", *command, cwd=os.path.dirname(path), text=False, status=0)
        assert b"printed" not in done.stdout, done.stderr
        assert b"printed" in done.stderr, done.stderr
        shown = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], input=done.stdout, check=True,
                               stdout=subprocess.PIPE).stdout
        assert shown.count(b"\n") > 10, shown
    # If the recording is written to a file, the command's output is not redirected.
    assert tap.run(TALLY, "record", "-q", "-o", path, *command).stdout == "printed\n"


def full_pipe(*numbers):
    """Start a recorder with a pipe that is full and not read, and send it these signals. Return the process and the
    read end."""
    reader, writer = os.pipe()
    process = background("-m", "2", "-F", "4000", "-e", "cpu-clock", "-o", "-",
                         *FOREVER, stdout=writer)
    tap.wait_until(lambda: not select.select([], [writer], [], 0)[1], "a full pipe")
    os.close(writer)
    work_on(process)
    for number in numbers:
        process.send_signal(number)
    return process, reader


def test_a_stuck_reader_does_not_block_the_end(path):
    """Check that a stuck reader does not prevent the recorder from stopping on request."""
    for numbers in ((signal.SIGINT,), (signal.SIGTERM,), (signal.SIGTERM, signal.SIGINT)):
        process, reader = full_pipe(*numbers)
        try:
            status, said = ends(process)
        finally:
            os.close(reader)
        assert status == 1 and "the reader has stopped reading" in said, (status, said)
        assert "truncated at that size" in said, said


def test_pipe_slow(path):
    """Check that a slow reader receives everything, even if the recorder is asked to stop in the meantime."""
    process, reader = full_pipe(signal.SIGINT)
    with open(reader, "rb") as file:
        stream = file.read()
    status, said = ends(process)
    assert status == 128 + signal.SIGTERM and "cannot" not in said, said
    done = subprocess.run([TALLY, "script", "--no-inline", "-i", "-"], input=stream, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.stdout.count(b"\n") > 100 and not done.stderr, done.stderr


def test_fifo(path):
    """Check that tally waits until a FIFO has a reader, ends when the reader exits, and does not rename the FIFO as it
    does old files."""
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
    assert status == 1 and "the reader has closed it" in said, (status, said)
    assert "cannot be switched" in record("--switch-output=1M", "-o", path, "true", status=1)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


def test_waiting_for_a_fifo_reader_can_be_interrupted(path):
    """Check that SIGINT and SIGTERM end the wait for a reader of a FIFO."""
    os.mkfifo(path)
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([TALLY, "record", "-e", "cpu-clock:u", "-o", path, "touch", path + ".ran"],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert b"waiting for a reader" in process.stderr.readline()
        process.send_signal(number)
        status, said = ends(process)
        assert status == 1 and "no reader opened the FIFO" in said, (status, said)
    assert not os.path.exists(path + ".ran")


# ---- full disks, devices ------------------------------------------------------------------


def record_until_full(path, output, **more):
    """Record a command until tally reports that the output is full, then let the command exit with status 7."""
    go = path + ".go"
    process = background("-m", "2", "-F", "4000", "-e", "cpu-clock", "-o", output,
                         "sh", "-c", f"ulimit -t 300; while [ ! -e {go} ]; do i=0; while [ $i -lt 999 ]; do i=$((i+1)); done; done; exit 7", **more)
    said = ""
    for line in process.stderr:
        said += line.decode()
        if "still running" in said and not os.path.exists(go):
            open(go, "w").close()
    assert process.wait(tap.PATIENCE) == 7, (process.returncode, said)
    os.unlink(go)
    return said


def one_truth(said, path):
    """Check that the final messages do not contradict each other, and that readers of the file are also warned."""
    assert "a full disk or a size limit may have truncated it" in "".join(text(TALLY, "report", "-i", path))
    assert "cannot finish" not in said and said.count("cannot write") == 1, said
    assert "without build IDs" in said and "samples), which can be read up to that size" in said, said


# A recording that lost its feature sections does not identify the kernel.
OURS = ["--kallsyms", "/proc/kallsyms"]


def test_a_full_device_is_reported_once(path):
    if not os.path.exists("/dev/full"):
        raise tap.Skip("there is no /dev/full")
    said = record("-o", "/dev/full", *BURN, status=1)
    assert said.count("cannot write /dev/full: No space left on device") == 1, said


def test_full_disk(path):
    """Check that a full disk is reported once, that the part already written is readable, and that the command runs to
    completion."""
    machine.need_mounts()
    where = path + ".tmpfs"
    os.mkdir(where)
    tap.run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where, status=0)
    try:
        full = os.path.join(where, "perf.data")
        said = record_until_full(path, full)
        assert "No space left" in said and "still running" in said, said
        one_truth(said, full)
        assert len(text(TALLY, "script", "-i", full)) > 100
        if PERF:
            same_script_as_perf(full, *OURS)
        # If the disk is already full, the command is not started.
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
        tap.run("umount", where)


def test_full_disk_interrupted(path):
    """Check that the command continues after the disk is full, and that Ctrl-C then ends it."""
    machine.need_mounts()
    where = path + ".tmpfs"
    os.mkdir(where)
    tap.run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where, status=0)
    try:
        full = os.path.join(where, "perf.data")
        process = background("-m", "2", "-F", "4000", "-o", full, *FOREVER)
        lines = list(itertools.takewhile(lambda line: b"Captured and wrote" not in line, process.stderr))
        assert any(b"No space left" in line for line in lines) and process.poll() is None, lines
        process.send_signal(signal.SIGINT)
        status, said = ends(process)
        assert status == 1, (status, said)
    finally:
        tap.run("umount", where)


def test_size_limit(path):
    """Check that RLIMIT_FSIZE is handled like a full disk, and that SIGXFSZ does not kill tally."""
    limit = 65536
    said = record_until_full(path, path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert "RLIMIT_FSIZE is 64 KiB" in said and "still running" in said, said
    one_truth(said, path)
    assert limit - 4096 < os.path.getsize(path) <= limit, os.path.getsize(path)
    assert len(text(TALLY, "script", "-i", path)) > 100, "too few samples"
    if PERF:
        same_script_as_perf(path, *OURS)


def test_devices(path):
    """Check that /dev/null is accepted, that a full device and a directory are errors, and that no device is
    removed."""
    assert "Captured and wrote" in record("-e", "cpu-clock", "-o", "/dev/null", "true")
    assert "Is a directory" in record("-e", "cpu-clock", "-o", os.path.dirname(path), "true", status=1)
    # Files that are not regular, such as this device node, are neither removed nor renamed.
    machine.need_root()
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
    assert "No space left" in record("-e", "cpu-clock", "-o", path, "true", status=1)
    record("-e", "cpu-clock", "-o", path, "/nowhere/nothing", status=127, says="cannot run")
    assert "cannot be switched" in record("--timestamp-filename", "-o", path, "true", status=1)
    assert stat.S_ISCHR(os.stat(path).st_mode) and len(os.listdir(os.path.dirname(path))) == 1


# ---- several recorders with one file ------------------------------------------------------


def test_same_output(path):
    """Check that a second recorder with the same output fails with a message and does not change the file."""
    first = background("-m", "2", "-F", "2000", "-e", "cpu-clock", "-o", path, *FOREVER)
    tap.wait_until(grown(path, 9000), "samples")
    for _ in range(2):
        said = record("-e", "cpu-clock", "-o", path, "touch", path + ".ran", status=1)
        assert "another recorder is writing to it" in said, said
    first.send_signal(signal.SIGINT)
    status, said = ends(first)
    assert status == 128 + signal.SIGTERM, said
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    same(path)


def test_same_output_at_once(path):
    """Check that if several recorders start at the same time, one gets the file and the others report an error."""
    recorders = [subprocess.Popen([TALLY, "record", "-q", "-e", "cpu-clock", "-o", path, *FOREVER],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(6)]
    try:
        tap.wait_until(lambda: sum(one.poll() is None for one in recorders) == 1, "all but one to be refused")
        tap.wait_until(grown(path, 9000), "samples")
    finally:
        for one in recorders:
            one.send_signal(signal.SIGINT)
        results = [ends(one) for one in recorders]
    assert sorted(status for status, _ in results) == [1] * 5 + [128 + signal.SIGTERM], results
    assert all("another recorder" in said for status, said in results if status == 1), results
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    assert len(text(TALLY, "script", "-i", path)) > 100


def test_old_file(path):
    """Check that an existing file is renamed to FILE.old, with a warning if it is not a recording."""
    with open(path, "w") as file:
        file.write("old")
    said = record("-o", path, "true")
    assert f"{path} was not a recording, and is now {path}.old" in said, said
    with open(path + ".old") as file:
        assert file.read() == "old"


def test_old_in_use(path):
    """Check that a file that perf renamed while tally was writing it is not overwritten, and that messages contain its
    new name."""
    if not PERF:
        raise tap.Skip("no perf to move it")
    first = background("-m", "2", "-F", "2000", "-e", "cpu-clock", "-o", path, *FOREVER)
    tap.wait_until(grown(path, 9000), "samples")
    tap.run("perf", "record", "-q", "-e", "cpu-clock", "-o", path, "true", status=0)
    for _ in range(2):
        record("-q", "-e", "cpu-clock", "-o", path, "true")
    first.send_signal(signal.SIGINT)
    said = ends(first)[1]
    assert "was renamed" in said and "wrote" in said and path + ".old (" in said, said
    assert sorted(os.listdir(os.path.dirname(path))) == ["perf.data", "perf.data.old", "perf.data.old.1"]
    assert len(text(TALLY, "script", "-i", path + ".old")) > 100


def test_old_not_kept(path):
    """Check that a file is not overwritten if it cannot be kept because all names for old files are in use."""
    with open(path, "w") as file:
        file.write("old")
    for name in (".old", *(f".old.{number}" for number in range(1, 100))):
        os.mkdir(path + name)
    said = record("-e", "cpu-clock", "-o", path, "true", status=1)
    assert "cannot keep" in said, said
    with open(path) as file:
        assert file.read() == "old"


def test_keeps_one_old_file(path):
    """Check that successive recordings keep one old file."""
    for _ in range(4):
        said = record("-q", "-e", "cpu-clock", "-o", path, "true")
        assert "is now" not in said, said
    assert sorted(os.listdir(os.path.dirname(path))) == ["perf.data", "perf.data.old"]


# ---- switching output ---------------------------------------------------------------------


def test_overwrite_signal(path):
    """Check that --overwrite --switch-output=signal writes the newest samples on SIGUSR2."""
    process = background("--overwrite", "--switch-output=signal", "-m", "4", "-F", "2000", "-o", path,
                         *FOREVER)
    tap.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 100, "the recording")
    child = None

    def stamped():
        return [name for name in glob.glob(path + ".2*")]
    tap.wait_until(lambda: tap.children(process.pid), "a command")
    for want in (1, 2):
        process.send_signal(signal.SIGUSR2)
        tap.wait_until(lambda want=want: len(stamped()) >= want, "a new file")
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
    """Test --switch-output=SIZE and --switch-max-files."""
    process = background("--switch-output=20K", "--switch-max-files", "2", "-m", "2", "-F", "4000",
                         "-o", path, *FOREVER)
    seen = set()

    def enough():
        seen.update(glob.glob(path + ".2*"))
        return len(seen) >= 4
    tap.wait_until(enough, "files")
    process.send_signal(signal.SIGTERM)
    ends(process)
    files = glob.glob(path + ".2*")
    assert len(files) == 2, files
    same(files[0])


def test_switch_renamed(path):
    """Check that a file renamed by another process is finished under its new name, and that the recording continues in
    the next file."""
    process = background("--switch-output", "-m", "2", "-F", "4000", "-o", path, *FOREVER)
    tap.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 8192, "a file")
    os.rename(path, path + ".moved")
    process.send_signal(signal.SIGUSR2)
    tap.wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 8192, "the next file")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert status == 128 + signal.SIGTERM and "was renamed" in said and path + ".moved" in said, (status, said)
    same(path + ".moved")
    same(glob.glob(path + ".2*")[0])


def test_timestamp_filename(path):
    """Check that --timestamp-filename adds a timestamp to the file name."""
    record("--timestamp-filename", "-o", path, *BURN)
    names = glob.glob(path + ".2*")
    assert len(names) == 1 and len(names[0]) == len(path) + 17, names
    same(names[0])


tap.main(__name__, machine.need_events)
