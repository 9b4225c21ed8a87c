#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally inject`: copies of recordings, as files and streams, have the same samples in perf and in tally, and the build
IDs of the mapped files.

usage: inject.py TALLY
"""
import os
import platform
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import jit_compiler  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
WORK = tap.workplace("inject")
FAULTS = ["-e", "page-faults", "-c", "1"]
RECORDINGS = {"faults": FAULTS, "chains": ["-g", *FAULTS], "two": ["-e", "page-faults,cpu-clock"], "data": ["-d", *FAULTS], "none": ["-e", "dummy"]}
FIELDS = "comm,tid,time,event,ip,sym,dso"


def recording(name, writer=TALLY, options=()):
    machine.need_events()
    path = f"{WORK}/{name}-{os.path.basename(writer)}.data"
    if not os.path.exists(path):
        tap.run(writer, "record", "-q", "-o", path, *options, *RECORDINGS.get(name, FAULTS), "--", "ls", "/", status=0)
    return path


def stream(writer=TALLY):
    machine.need_events()
    return tap.run(writer, "record", "-q", "-o", "-", *FAULTS, "true", status=0, text=False).stdout


def inject(*words, **options):
    return tap.run(TALLY, "inject", *words, **options)


def script(path, program=TALLY, fields=FIELDS):
    return tap.run(program, "script", "-F", fields, "-i", path).stdout


def dumped(path):
    """Return the records of a recording without their places in the file."""
    text = tap.run(TALLY, "script", "--dump-json", "-i", path).stdout
    return [line.split('"type"', 1)[1] for line in text.splitlines() if '"type"' in line]


def build_ids(path, program=TALLY):
    return sorted(tap.run(program, "buildid-list", "-i", path).stdout.splitlines())


def add_test(name, writer):
    def test():
        if writer == PERF:
            machine.need_perf()
        path, to = recording(name, writer), f"{WORK}/{name}-out.data"
        inject("--force", "-i", path, "-o", to, status=0)
        tap.same(script(to), script(path), "samples in tally")
        tap.same(dumped(to), dumped(path), "records")
        tap.same(tap.run(TALLY, "report", "--stdio", "--header-only", "-i", to).stdout.splitlines()[6:],
                 tap.run(TALLY, "report", "--stdio", "--header-only", "-i", path).stdout.splitlines()[6:], "header")
        machine.need_perf()
        tap.same(script(to, PERF), script(path, PERF), "samples in perf")

    globals()[f"test_copy_of_{os.path.basename(writer or 'perf')}_{name}"] = test


for _name in RECORDINGS:
    for _writer in (TALLY, PERF):
        add_test(_name, _writer)


@tap.always
def test_adds_build_ids_to_a_file():
    machine.need_perf()
    path, to = recording("without", PERF, ["-B", "-N"]), f"{WORK}/with.data"
    assert not any(line[:1] != " " for line in tap.run(PERF, "buildid-list", "-i", path).stdout.splitlines()), "IDs in the input"
    inject("-b", "-v", "-i", path, "-o", to, status=0, says="build IDs ]")
    assert not os.stat(to).st_mode & 0o077, "others can read the new recording"
    found = build_ids(to)
    notes = tap.run("readelf", "-n", shutil.which("ls"), status=0).stdout
    assert any(f"Build ID: {line.split()[0]}" in notes for line in found if line.endswith("/ls")), (found, notes)
    assert any("libc.so" in line for line in found), found
    tap.same(build_ids(to, PERF), found, "build IDs in perf")
    tap.same(script(to, PERF), script(path, PERF), "samples in perf")
    inject("-b", "--force", "-i", to, "-o", f"{WORK}/again.data", status=0)
    tap.same(build_ids(f"{WORK}/again.data"), found, "build IDs after another injection")


def test_copies_between_files_and_streams():
    data = stream()
    with open(f"{WORK}/stream.data", "wb") as file:
        file.write(data)
    samples = script(f"{WORK}/stream.data")
    assert samples, "a stream without samples"
    inject("-b", "-o", f"{WORK}/file.data", input=data, text=False, status=0)
    tap.same(script(f"{WORK}/file.data"), samples, "samples, stream to file")
    for words, source in ((["-b"], data), (["-b", "-i", f"{WORK}/file.data", "-o", "-"], None)):
        out = inject(*words, input=source, text=False, status=0).stdout
        with open(f"{WORK}/out.data", "wb") as file:
            file.write(out)
        tap.same(script(f"{WORK}/out.data"), samples, "samples, to a stream")
        assert any("libc.so" in line for line in build_ids(f"{WORK}/out.data")), "build IDs in the stream"
        machine.need_perf()
        theirs = subprocess.run([PERF, "script", "-F", FIELDS, "-i", "-"], input=out, capture_output=True, check=True).stdout
        tap.same(theirs.decode(), script(f"{WORK}/file.data", PERF), "samples in perf, from a stream")


def test_copies_tracepoints():
    machine.need_tracepoints()
    for writer in (TALLY, PERF) if PERF else (TALLY,):
        path, to = f"{WORK}/trace-{os.path.basename(writer)}.data", f"{WORK}/trace-out.data"
        tap.run(writer, "record", "-q", "-o", path, "-e", "sched:sched_process_exec,page-faults", "true", status=0)
        inject("--force", "-b", "-i", path, "-o", to, status=0)
        words = [TALLY, "script", "-F", "comm,time,event,trace", "-i"]
        tap.same(tap.run(*words, to).stdout, tap.run(*words, path).stdout, "tracepoints, file")
        piped = inject("-b", "-i", path, "-o", "-", text=False, status=0).stdout
        found = subprocess.run([*words, "-"], input=piped, capture_output=True, check=True).stdout.decode()
        tap.same(found, tap.run(*words, path).stdout, "tracepoints, stream")


def test_expands_compressed_records():
    path, to = recording("compressed", TALLY, ["-z"]), f"{WORK}/expanded.data"
    inject("-i", path, "-o", to, status=0)
    tap.same(script(to), script(path), "samples")


def test_files_of_another_machine_are_not_read():
    """Check that build IDs of this machine's files are not added to a recording with another host name."""
    machine.need_perf()
    path = recording("without", PERF, ["-B", "-N"])
    with open(path, "rb") as file:
        content = file.read()
    name = os.uname().nodename.encode() + b"\0"
    assert name in content, "the host name is not in the recording"
    with open(f"{WORK}/elsewhere.data", "wb") as file:
        file.write(content.replace(name, bytes([name[0] ^ 1]) + name[1:]))
    inject("-b", "-i", f"{WORK}/elsewhere.data", "-o", f"{WORK}/elsewhere.out", status=0, says="another machine")
    assert not any(line[:1] != " " for line in build_ids(f"{WORK}/elsewhere.out", PERF)), "build IDs were added"


def jit_recording(name):
    if platform.machine() != "x86_64":
        raise tap.Skip("the JIT compiler of this test is for x86_64")
    machine.need_events()
    where = f"{WORK}/{name}"
    os.makedirs(where)
    with open(f"{where}/compiler.py", "w", encoding="ascii") as file:
        file.write(jit_compiler.COMPILER)
    tap.run(TALLY, "record", "-q", "-k", "mono", "-F", "500", "-e", "cpu-clock:u", "-o", f"{where}/in.data", "--",
            sys.executable, "compiler.py", "300", cwd=where, status=0)
    return where


def test_functions_of_jit_compilers():
    """Check that the samples in two functions at the same address are the same as in perf's copy, and that perf and tally find
    the functions."""
    where = jit_recording("jit")
    inject("-j", "-b", "-i", f"{where}/in.data", "-o", f"{where}/out.data", status=0, says="Wrote 2 functions")
    names = sorted(os.listdir(f"{where}/out.data.jit"))
    assert [re.sub(r"\d+", "N", name, count=1) for name in names] == ["jitted-N-0.so", "jitted-N-1.so"], names
    for name in names:
        done = tap.run("readelf", "-aW", f"{where}/out.data.jit/{name}", status=0)
        assert "Warning" not in done.stderr + done.stdout and "Error" not in done.stderr, done
    fields = "comm,tid,time,event,ip,sym"
    ours = script(f"{where}/out.data", fields=fields)
    tap.same(ours, script(f"{where}/in.data", fields=fields), "samples in tally")
    assert " first" in ours and " second" in ours, ours[:500]
    machine.need_perf()
    tap.run(PERF, "inject", "--jit", "-i", f"{where}/in.data", "-o", f"{where}/perf.data", cwd=where, status=0)
    tap.same(script(f"{where}/out.data", PERF, fields), script(f"{where}/perf.data", PERF, fields), "samples in perf, and in perf's copy")
    inject("-j", "-i", f"{where}/in.data", "-o", f"{where}/out.data", status=1, says="File exists")


def test_dumps_that_cannot_be_read():
    where = jit_recording("bad-jit")
    dump = next(name for name in os.listdir(where) if name.endswith(".dump"))
    with open(f"{where}/{dump}", "rb") as file:
        content = file.read()
    for size in (0, 20, 41, len(content) - 3):
        with open(f"{where}/{dump}", "wb") as file:
            file.write(content[:size])
        inject("-j", "--force", "-i", f"{where}/in.data", "-o", f"{where}/out{size}.data", status=0)
        tap.same(len(script(f"{where}/out{size}.data").splitlines()), len(script(f"{where}/in.data").splitlines()), "samples")
    header, code = content[:40], content[40:40 + int.from_bytes(content[44:48], "little")]
    for size, text in ((1000, "Wrote 1000 functions"), (200001, "more than 200,000 functions")):
        with open(f"{where}/{dump}", "wb") as file:
            file.write(header + code * size)
        inject("-j", "-i", f"{where}/in.data", "-o", f"{where}/many{size}.data", status=0, says=text)
    tap.same((len(os.listdir(f"{where}/many1000.data.jit")), os.path.exists(f"{where}/many200001.data.jit")), (1000, False), "files")
    os.unlink(f"{where}/{dump}")
    inject("-j", "-i", f"{where}/in.data", "-o", f"{where}/none.data", status=0, says=dump)
    assert not os.path.exists(f"{where}/none.data.jit"), "a directory without files"
    inject("-j", "-i", recording("faults"), "-o", f"{where}/clock.data", status=0, says="-k mono")
    inject("-j", "-i", recording("faults"), status=129, says="requires -o")


def test_dumps_of_others():
    """Like report, refuse dumps of untrusted users, and dumps with a PID other than that in their name."""
    where = jit_recording("others-jit")
    dump = next(f"{where}/{name}" for name in os.listdir(where) if name.endswith(".dump"))
    with open(dump, "r+b") as file:
        content = file.read()
        file.seek(20)
        file.write((int.from_bytes(content[20:24], "little") ^ 1).to_bytes(4, "little"))
    inject("-j", "-i", f"{where}/in.data", "-o", f"{where}/pid.data", status=0, says="not a jitdump of the process in its name")
    with open(dump, "wb") as file:
        file.write(content)
    machine.need_chown()
    os.chown(dump, machine.NOBODY, -1)
    inject("-j", "-i", f"{where}/in.data", "-o", f"{where}/owner.data", status=0, says="use -f to accept it")
    inject("-j", "-f", "-i", f"{where}/in.data", "-o", f"{where}/owner.data", status=0, says="Wrote 2 functions")


def test_damaged_recordings():
    path = recording("chains")
    with open(path, "rb") as file:
        content = file.read()
    for size in (0, 5, 104, 200, *range(1000, len(content), len(content) // 7)):
        with open(f"{WORK}/cut.data", "wb") as file:
            file.write(content[:size])
        done = inject("-b", "--force", "-i", f"{WORK}/cut.data", "-o", f"{WORK}/cut.out", preexec_fn=tap.limit_cpu(20))
        assert done.returncode == (1 if size < 104 else 0) and "cut.data" in done.stderr, (size, done)
        if not done.returncode:
            fields = "comm,tid,time,event,ip"  # the kernel of an unfinished recording is not known
            tap.same(script(f"{WORK}/cut.out", fields=fields), script(f"{WORK}/cut.data", fields=fields), f"samples of the first {size} bytes")


def test_files_are_kept():
    path = recording("faults")
    with open(path, "rb") as file:
        content = file.read()
    inject("-b", "-i", path, "-o", path, status=1, says="itself")
    with open(path, "rb") as file:
        tap.same(file.read() == content, True, "the input is unchanged")
    with open(f"{WORK}/mine.c", "w", encoding="ascii") as file:
        file.write("int mine;\n")
    inject("-b", "-i", path, "-o", f"{WORK}/mine.c", status=1, says="--force")
    inject("-b", "-i", "/nowhere", "-o", f"{WORK}/none.data", status=1, says="/nowhere")
    assert not os.path.exists(f"{WORK}/none.data"), "an output without an input"


def test_refused_options():
    for words, text in ((["-s"], "perf inject -s"), (["--itrace"], "AUX"), (["--strip"], "--itrace"), (["word"], "'word'")):
        inject(*words, status=129, says=text)


tap.main(__name__)
