#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally record` when it ends early, because of signals, limits or --control commands, and check the files and
processes that remain.

usage: record_ends.py TALLY
"""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from recorder import FOREVER, TALLY, background, ends, grown, record, same, text, types, work_on  # noqa: E402


# ---- signals ------------------------------------------------------------------------------


def test_interrupt(path):
    """Check that SIGINT and SIGTERM during a recording leave a complete file and no running command."""
    for number in (signal.SIGINT, signal.SIGTERM):
        process = background("-m", "2", "-F", "2000", "-o", path, *FOREVER)
        tap.wait_until(grown(path, 9000), "samples")
        process.send_signal(number)
        status, said = ends(process)
        assert status == 128 + signal.SIGTERM, (status, said)
        same(path)


def test_flush(path):
    """Check that even a few samples are written soon enough to survive SIGKILL (--flush-ms)."""
    for options in ([], ["--flush-ms", "50"]):
        process = background("-F", "49", "-e", "cpu-clock", *options, "-o", path, *FOREVER,
                             preexec_fn=os.setsid)
        tap.wait_until(grown(path, 1000), "a header")
        size = os.path.getsize(path)
        tap.wait_until(grown(path, size + 500), "samples")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert len(text(TALLY, "script", "-i", path)) > 5
    record("--flush-ms", "99999999999", "-o", path, "true", status=1, says="--flush-ms 99999999999")


def test_killed(path):
    """Check that after SIGKILL, the unfinished file is readable up to its last record."""
    process = background("-m", "2", "-F", "2000", "-o", path, *FOREVER,
                         preexec_fn=os.setsid)
    tap.wait_until(grown(path, 30000), "samples")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    # perf 6.1 cannot read unfinished files, not even its own.
    assert len(text(TALLY, "script", "-i", path)) > 100
    text(TALLY, "report", "--stdio", "-i", path)


def test_a_second_signal_ends_tally_if_the_command_stays(path):
    """Check that a command that ignores SIGTERM does not prevent a second signal from ending tally."""
    process = background("-e", "cpu-clock", "-o", path, "sh", "-c", "trap '' TERM; echo up; while :; do :; done",
                         stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    child = tap.children(process.pid)[0]
    try:
        process.send_signal(signal.SIGINT)
        for line in process.stderr:
            if b"Captured" in line:
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(tap.PATIENCE) == 1
    finally:
        os.kill(child, signal.SIGKILL)
    said = process.stderr.read().decode()
    assert f"(process {child}) has not exited" in said, said
    same(path)


# ---- limits -------------------------------------------------------------------------------


def test_max_size(path):
    """Check that --max-size ends the recording."""
    said = record("--max-size", "50K", "-m", "2", "-F", "2000", "-o", path, *FOREVER,
                  status=128 + signal.SIGTERM)
    assert "size limit reached" in said
    same(path)


def test_lost(path):
    """Check that samples lost because of a full ring buffer are counted."""
    process = background("-m", "1", "-c", "20000", "-e", "cpu-clock", "-o", path, *FOREVER)
    tap.wait_until(grown(path, 100000), "samples")
    process.send_signal(signal.SIGSTOP)
    # While the recorder is stopped, its ring buffer overflows.
    work_on(process)
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGINT)
    status, said = ends(process)
    assert ") were lost, because the" in said and "ring buffers of 4 KiB were full; use larger buffers (-m 16K)" in said, said
    same(path)
    assert "LOST_SAMPLES" in types(path)


def ring_sizes(path, *options):
    """Return the data size in bytes of each ring buffer during a recording."""
    process = background("-e", "cpu-clock", *options, "-o", path, *FOREVER)
    try:
        tap.wait_until(grown(path, 0), "samples")
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
            ranges = [line.split()[0].split("-") for line in maps if "[perf_event]" in line]
    finally:
        process.send_signal(signal.SIGINT)
        ends(process)
    return {int(end, 16) - int(start, 16) - os.sysconf("SC_PAGESIZE") for start, end in ranges}


def test_rings_hold_what_samples_have(path):
    """Check that a ring buffer has space for a quarter of a second of stack dumps, if permitted."""
    machine.need_locked_memory()
    cpus = os.cpu_count()
    cases = {(): 512 << 10, ("-F", "999", "--call-graph", "dwarf"): 4 << 20, ("-F", "4000", "--call-graph", "dwarf,4096"): 8 << 20,
             ("-F", "999", "--call-graph", "dwarf,65528"): 16 << 20, ("-F", "100", "--call-graph", "dwarf"): 512 << 10}
    for options, wanted in cases.items():
        found = ring_sizes(path, *options)
        if cpus * wanted > 64 << 20:
            assert min(found) >= 512 << 10, (options, found)
        else:
            tap.same(found, {wanted}, options)


# ---- control ------------------------------------------------------------------------------


def test_control(path):
    """Check that with -D -1 --control fifo, the commands enable, ping, disable and stop are executed and
    acknowledged."""
    ctl, ack = path + ".ctl", path + ".ack"
    os.mkfifo(ctl)
    os.mkfifo(ack)
    ctl_fd, ack_fd = os.open(ctl, os.O_RDWR), os.open(ack, os.O_RDWR)
    process = background("-D", "-1", "--control", f"fifo:{ctl},{ack}", "-m", "2", "-F", "2000",
                         "-e", "cpu-clock", "-o", path, *FOREVER)
    for command in (b"ping", b"evlist", b"enable"):
        os.write(ctl_fd, command + b"\n")
        assert os.read(ack_fd, 16).startswith(b"ack\n")
    tap.wait_until(grown(path, 9000), "samples")
    for command in (b"disable", b"stop"):
        os.write(ctl_fd, command + b"\n")
        assert os.read(ack_fd, 16).startswith(b"ack\n")
    assert "cpu-clock" in ends(process)[1]
    same(path)


tap.main(__name__, machine.need_events)
