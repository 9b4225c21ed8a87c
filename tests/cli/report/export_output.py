#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test report --format with hostile names and output files.

usage: export_output.py TALLY
"""
import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import failing  # noqa: E402
import export_readers as readers  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from exported import DATA, FORMATS, TALLY, WORK, crafted_file, export, setup  # noqa: E402

# ---- hostile names -------------------------------------------------------------------------------

NAMES = [b"a;b,c\t\"d\"|e", b"x\ny 12", b"\x1b]0;pwned\x07", "\u202egpj.exe".encode(), b"bad\xff\xfe", b"fn=(1) z", b"=1+1", b"\\"]


def hostile():
    records, text = [], 0xffffffff81000000
    records.append(crafted.mmap(0xffffffff, text, 0x100000, "[kernel.kallsyms]_text", misc=crafted.KERNEL, pgoff=text))
    for pid, name in enumerate(NAMES, 1):
        records += [crafted.comm(pid, name), crafted.mmap(pid, 0x400000, 0x1000, b"/tmp/" + name.replace(b"/", b"_"))]
        records += [crafted.sample(0x400010 + pid, pid, 10 * pid, period=100 + pid),
                    crafted.sample(text + 0x10, pid, 10 * pid + 1, crafted.KERNEL, period=1 << 40)]
    path = os.path.join(WORK, "hostile.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(records))
    symbols = os.path.join(WORK, "kallsyms")
    with open(symbols, "wb") as file:
        file.write(b"%x T \x1b];\"SYM\x07<script>\n%x T _end\n" % (text, text + 0x1000))
    return path, symbols


def test_hostile_names():
    path, symbols = hostile()
    for form in FORMATS:
        data = export(form, "--kallsyms", symbols, data=path)
        if form not in ("pprof", "otlp", "perfetto"):
            data.decode("utf-8")
            lines = b"\r\n" if form == "csv" else b"\n"
            assert not re.search(rb"[\x00-\x1f\x7f]", data.replace(lines, b"")), form
        weight = sum(100 + pid for pid in range(1, len(NAMES) + 1)) + len(NAMES) * (1 << 40)
        if form == "json":
            tap.same(json.loads(data)["events"][0]["period"], weight, form)
        elif form == "csv":
            rows = readers.rows_csv(data)
            tap.same((len(rows), sum(int(row["self_period"]) for row in rows)), (2 * len(NAMES), weight), form)
        elif form == "callgrind":
            tap.same(readers.Callgrind(data).totals, [weight, 2 * len(NAMES)], form)
        else:
            got = readers.READERS[form](data)
            tap.same((got.weight(), len(got.stacks)), (weight, len(NAMES) + 1), form)
            if form in ("folded", "pprof", "otlp", "firefox"):
                tap.same(len({comm for comm, _ in got.comms}), len(NAMES), f"comms of {form}")


# ---- output files --------------------------------------------------------------------------------

def test_wrong_options():
    for options, part in ((["--format", "foldet"], "did you mean 'folded'"), (["--format", ""], "speedscope"), (["-o", "x"], "--format"),
                          (["--format", "folded", "--json"], "select different outputs"), (["--format", "csv", "--header"], "select different outputs"),
                          (["--event-number", "0", "--format", "folded"], "must be at least 1")):
        run = tap.run(TALLY, "report", "-i", DATA, *options, cwd=WORK)
        tap.same((run.returncode, run.stdout), (129, ""), options)
        assert part in run.stderr, run.stderr
    run = tap.run(TALLY, "report", "-i", DATA, "--event-number", "7", "--format", "folded")
    assert run.returncode == 1 and "7" in run.stderr and not run.stdout, run.stderr


def test_binary_formats_are_not_for_terminals():
    for form in ("pprof", "otlp", "perfetto"):
        out = tap.run("script", "-qec", f"{TALLY} report -i {DATA} --format {form}", "/dev/null", stdin=subprocess.DEVNULL)
        assert "refusing to write binary data to a terminal" in out.stdout and len(out.stdout) < 300, out.stdout[:300]


def test_files_are_whole():
    folder = os.path.join(WORK, "files")
    os.mkdir(folder)
    for form in FORMATS:
        path = os.path.join(folder, "out")
        run = tap.run(TALLY, "report", "-i", DATA, "--format", form, "--raw-chains", "-o", path, umask=0o027)
        tap.same((run.returncode, run.stdout, run.stderr), (0, "", ""), form)
        with open(path, "rb") as file:
            tap.same(file.read(), export(form), form)
        tap.same(os.stat(path).st_mode & 0o777, 0o640, form)
        os.unlink(path)
        run = tap.run(TALLY, "report", "-i", DATA, "--format", form, "--raw-chains", "-o", path + ".gz")
        if form in ("json", "csv"):
            assert run.returncode == 129 and "does not write compressed files" in run.stderr, run.stderr
            continue
        with gzip.open(path + ".gz") as file:
            unpacked, whole = file.read(), export(form)
        tap.same(unpacked, gzip.decompress(whole) if form == "pprof" else whole, form)
        os.unlink(path + ".gz")
    run = tap.run(TALLY, "report", "-i", DATA, "--format", "folded", "--raw-chains", "-o", "-", text=False)
    tap.same(run.stdout, export("folded"), "-o -")
    run = tap.run(TALLY, "report", "-i", DATA, "--format", "folded", "--raw-chains", "-o", "/dev/stdout", text=False)
    tap.same(run.stdout, export("folded"), "-o /dev/stdout")
    tap.same(os.listdir(folder), [], "left over")


@tap.full
def test_out_of_memory_is_no_success():
    allocations = failing.Allocations(WORK)
    data = crafted_file("small.data", [crafted.comm(7, "x"), crafted.sample(0x1000, 7, 50)])
    for form in FORMATS:
        command = [TALLY, "report", "-i", data, "--format", form]
        want, failed = tap.run(*command, text=False, status=0).stdout, 0
        assert want, form
        for at in range(1, allocations.count(*command) + 1):
            run = allocations.run(*command, at=at, text=False)
            assert run.returncode > 0 or (run.returncode == 0 and run.stdout == want), (form, at, run.returncode, run.stdout, run.stderr)
            failed += run.returncode != 0
        assert failed > 3, (form, failed)


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_what_cannot_be_written():
    folder = os.path.join(WORK, "full")
    os.mkdir(folder)
    path = os.path.join(folder, "old")
    for form in FORMATS:
        with open(path, "w", encoding="ascii") as file:
            file.write("as it was")
        run = tap.run(TALLY, "report", "-i", DATA, "--format", form, "--force", "-o", path, preexec_fn=limit)
        assert run.returncode == 1 and path in run.stderr and "too large" in run.stderr, (form, run.returncode, run.stderr)
        with open(path, encoding="ascii") as file:
            tap.same(file.read(), "as it was", form)
        tap.same(os.listdir(folder), ["old"], form)
        run = tap.run(TALLY, "report", "-i", DATA, "--format", form, "-o", "/dev/full")
        assert run.returncode == 1 and "No space left" in run.stderr, (form, run.stderr)
        with open("/dev/full", "wb") as full:
            run = tap.run(TALLY, "report", "-i", DATA, "--format", form, stdout=full)
        assert run.returncode == 1 and "No space left" in run.stderr, (form, run.stderr)
    run = tap.run(TALLY, "report", "-i", DATA, "--format", "folded", "-o", "/nonexistent/out")
    assert run.returncode == 1 and "/nonexistent/out" in run.stderr and "No such file" in run.stderr, run.stderr


def test_ctrl_c_leaves_the_old_file():
    folder = os.path.join(WORK, "ended")
    os.mkdir(folder)
    path = os.path.join(folder, "old")
    want, ended = export("firefox"), 0
    for turn in range(12):
        with open(path, "wb") as file:
            file.write(b"as it was")
        with subprocess.Popen([TALLY, "report", "-i", DATA, "--format", "firefox", "--raw-chains", "--force", "-o", path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            time.sleep(turn * 0.008)
            child.send_signal(signal.SIGINT)
        with open(path, "rb") as file:
            found = file.read()
        assert found in (b"as it was", want), f"{len(found)} bytes"
        assert child.returncode in (0, -signal.SIGINT), child.returncode
        tap.same(os.listdir(folder), ["old"], "left over")
        ended += child.returncode != 0
    assert ended, "no run was ended"
    tap.run(TALLY, "report", "-i", DATA, "--format", "firefox", "--raw-chains", "--force", "-o", path, status=0)
    with open(path, "rb") as file:
        tap.same(file.read(), want, "one that is not ended")


tap.main(__name__, lambda: machine.need_compiler("gcc"), machine.need_events, setup=setup)
