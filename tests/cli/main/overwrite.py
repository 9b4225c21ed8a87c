#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test which files output options replace or refuse to replace, and the default names of pages.

usage: overwrite.py TALLY
"""
import gzip
import os
import shutil
import socket
import stat
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("overwrite-test")
DATA, OUT = os.path.join(WORK, "in.data"), os.path.join(WORK, "out")
FORMATS = ("folded", "pprof", "otlp", "firefox", "speedscope", "callgrind", "perfetto", "json", "csv")
EXPORTS = {"%s%s" % (name, end): ("report", "-i", DATA, "--format", name, "-o")
           for name in FORMATS for end in ("", ".gz") if not end or name not in ("json", "csv")}
# Commands that write a file. The file name is not included, because it is appended later.
WRITERS = {"page": ("report", "-i", DATA, "--html"), "svg": ("report", "-i", DATA, "--svg"), "archive": ("archive", "-i", DATA, "-o"), **EXPORTS}
COUNTS = {"stat": (), "stat -x,": ("-x,",), "stat -j": ("-j",), "stat --json": ("--json",), "stat -j -I": ("-j", "-I", "5"),
          "stat -j -r": ("-j", "-r", "2"), "stat -j --metric-only": ("-j", "--metric-only"),
          "stat -j of threads": ("-j", "-a", "--per-thread", "--metric-only")}
PARTS = 7  # the quick tier tests every seventh pair
PLAIN = ("page", "svg", "json", "csv")
# Files not written by tally: contents and mode.
FOREIGN = {
    "program": (b"\x7fELF\x02\x01\x01" + bytes(200), 0o755),
    "object.o": (b"\x7fELF\x02\x01\x01" + bytes(200), 0o644),
    "script": (b"#!/bin/sh\nexit 0\n", 0o755),
    "script.txt": (b"#!/bin/sh\nexit 0\n", 0o644),
    "tool.log": (b"echo 1\n", 0o755),
    "main.c": (b"int main(void) { return 0; }\n", 0o644),
    "Makefile": (b"all:\n\tcc main.c\n", 0o644),
    "package.json": (b'{"version":1,"name":"x"}\n', 0o644),
    "index.html": (b"<!DOCTYPE html>\n<html><title>mine</title></html>\n", 0o644),
    "drawing.svg": (b'<?xml version="1.0"?>\n<svg><title>mine</title></svg>\n', 0o644),
    "table.csv": (b"event,\x01\n", 0o644),
    "backup.tar.gz": (gzip.compress(b"main.c" + bytes(600)), 0o644),
    "recording.gz": (gzip.compress(b"PERFILE2" + bytes(600)), 0o644),
    "packed.log": (gzip.compress(b"notes\n" * 100), 0o644),
    "cut.gz": (gzip.compress(os.urandom(600))[:40], 0o644),
    "nul.txt": (b"a\0b", 0o644),
    "latin.txt": (b"caf\xe9 au lait\n" * 40, 0o644),
}
# Go's CPU profile begins with the same field as every pprof file: sample_type {type: 1, unit: 2}.
GO_PROFILE = b"\n\x04\x08\x01\x10\x02\n\x04\x08\x03\x10\x04\x12\x07\n\x01\x01\x12\x02\x01\x05" + b"".join(
    b"2" + bytes([len(text)]) + text for text in (b"", b"samples", b"count", b"cpu", b"nanoseconds", b"main.main"))
# Files of other programs that look like output of tally. Every option refuses every one of them.
ALIKE = {
    "cpu.pprof": GO_PROFILE,
    "cpu.pprof.gz": gzip.compress(GO_PROFILE),
    # The first attribute of the first resource is another one.
    "profile.otlp": b"\n\x1e\n\x1c\n\x1a\n\x0fservice.name123\x12\x07\n\x05other",
    "trace.perfetto": b"\n\x0cP\x01h\x01\xb8\x05\x01\xda\x03\x02b\x00" * 4,
    "calendar.json": b'{"version":1,"events":["my calendar"]}\n',
    "config.json": b'{"version":1,"kind":"my config"}\n',
    "novel.txt": b"# started on the novel\n",
    "dated.txt": b"# started on Sun Nov 29 04:10:34 2026\nmy diary\n",
    "rows.jsonl": b'{"name" : "my database row"}\n',
    "threads.jsonl": b'{"thread" : "my post"}\n',
    "shopping": b"Milk;eggs 12\n",
    "party.csv": b"event,day\r\nparty,self_period,self_samples,total_period,total_samples\r\n",
    "graph.svg": b'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg">\n<title>Flame graph of mine</title>\n</svg>\n',
    "notes.txt": b"Software events\nand other notes\n",
    "label.txt": b"Software event\non Friday\n",
    "data.csv": b"id,price\n1,20\n",
    "cg.out": b"version: 1\ncreator: callgrind-3.19.0\nevents: Ir\n",
}
FOREIGN.update({name: (content, 0o644) for name, content in ALIKE.items()})


def setup():
    with open(DATA, "wb") as file:
        file.write(crafted.file_bytes([crafted.comm(7, "busy-one", 1), crafted.mmap(7, 0x400000, 0x1000, "/bin/busy", 2),
                                       crafted.comm(8, "idler", 3)] +
                                      [crafted.sample(0x400010, 7 if at < 5 else 8, 10 + at) for at in range(8)]))
    os.mkdir(OUT)


def place(name, content, mode=0o644):
    path = os.path.join(OUT, name)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(words, path, *more, **options):
    return tap.run(TALLY, *words, path, *more, **options)


def count(options, path, *more, **checks):
    return tap.run(TALLY, "stat", *options, "-e", "task-clock", "-o", path, *more, "true", **checks)


def refused(run, path, content):
    assert run.returncode in (1, 129), run
    assert "refusing to replace" in run.stderr and "--force" in run.stderr, (run.args, run.stderr)
    tap.same(read(path), content, run.args)
    tap.same(sorted(os.listdir(OUT)), [os.path.basename(path)], "files left behind")
    os.unlink(path)


@tap.always
def test_does_not_replace_files_of_other_programs():
    for name, what in tap.some([(name, what) for name in FOREIGN for what in WRITERS], PARTS):
        content, mode = FOREIGN[name]
        # If a format is never compressed, a name ending in .gz is rejected before the file is inspected.
        if not name.endswith(".gz") or what not in PLAIN:
            path = place(name, content, mode)
            refused(write(WRITERS[what], path), path, content)


# All other options that write a file, as a function of its path. record keeps the previous file under another name.
OTHER_WRITERS = {
    "diff page": lambda path: ("diff", DATA, DATA, "--html", path),
    "profile page": lambda path: ("profile", f"--html={path}", "--", "true"),
    "inject": lambda path: ("inject", "-i", DATA, "-o", path),
    "list": lambda path: ("list", "-o", path),
    "convert": lambda path: ("data", "convert", "-i", DATA, "--to-json", path),
    "baseline page": lambda path: ("report", "-i", DATA, "--baseline", DATA, "--html", path),
}


def test_other_options_do_not_replace_files_of_other_programs():
    for name, what in tap.some([(name, what) for name in FOREIGN for what in OTHER_WRITERS], PARTS):
        content, mode = FOREIGN[name]
        path = place(name, content, mode)
        run = tap.run(TALLY, *OTHER_WRITERS[what](path))
        assert run.returncode and run.stderr, (what, name, run)
        tap.same(read(path), content, (what, name))
        tap.same(os.listdir(OUT), [name], "files left behind")
        os.unlink(path)


@tap.always
def test_no_option_replaces_files_that_look_alike():
    counts = {"stat " + what: lambda path, options=options: ("stat", *options, "-e", "task-clock", "-o", path, "true")
              for what, options in (("text", ()), ("-x,", ("-x,",)), ("-j", ("-j",)), ("--json", ("--json",)), ("--append", ("--append",)))}
    writers = {what: lambda path, words=words: (*words, path) for what, words in WRITERS.items()}
    for what, make in {**writers, **OTHER_WRITERS, **counts}.items():
        for name, content in ALIKE.items():
            if name.endswith(".gz") and what in (*PLAIN, "diff page", "profile page", "baseline page"):
                continue  # the name is rejected
            path = place(name, content)
            run = tap.run(TALLY, *make(path))
            if what == "convert":
                assert run.returncode and "--force" in run.stderr, run
                tap.same(read(path), content, what)
                os.unlink(path)
            else:
                refused(run, path, content)


@tap.always
def test_force_replaces_any_file():
    for what in ("page", "svg", "archive", "folded", "pprof"):
        path = place("program", *FOREIGN["program"])
        write(WRITERS[what], path, "--force", status=0)
        assert not read(path).startswith(b"\x7fELF"), what
        os.unlink(path)


# Folded stacks have no mark that identifies their author, so they are replaced only with --force.
UNMARKED = ("folded", "folded.gz")


def again(words, path, what):
    """Write the file twice."""
    write(words, path, status=0)
    before = read(path)
    os.chmod(path, 0o777)  # as on file systems without permission bits
    if what in UNMARKED:
        run = write(words, path)
        assert run.returncode and "--force" in run.stderr, run
        words = (words[0], "--force", *words[1:])
    write(words, path, status=0)
    tap.same(len(read(path)), len(before), what)
    os.unlink(path)


@tap.always
def test_own_files_are_replaced():
    for what, words in WRITERS.items():
        again(words, os.path.join(OUT, "out.gz" if what.endswith(".gz") else "out"), what)
    for options in (("-s", "comm"), ("-s", "sym,dso"), ("-p", "no-such-parent"), ("--comms", "nobody"), ("--no-children",)):
        for what in ("json", "csv"):
            again(("report", "-i", DATA, *options) + EXPORTS[what][3:], os.path.join(OUT, "out"), what)


@tap.always
def test_lists_are_replaced():
    for words in ((), ("sw",), ("hw",), ("cache",), ("pmu",), ("cpu",), ("raw",), ("breakpoint",), ("tracepoint",), ("metric",),
                  ("metricgroup",), ("page*",), ("--json",), ("--no-desc",), ("--details",), ("-v",), ("--cpuid", "silvermont")):
        path = os.path.join(OUT, "list")
        if tap.run(TALLY, "list", "-o", path, *words).returncode == 0 and read(path):
            tap.run(TALLY, "list", "-o", path, *words, status=0)
        os.unlink(path)


def test_exports_replace_exports_and_nothing_else():
    pairs = [(what, other) for what in WRITERS for other in WRITERS
             if not what.endswith(".gz") and not (other.endswith(".gz") and what in PLAIN)]
    for what, other in tap.some(pairs, PARTS):
        path = os.path.join(OUT, "out.gz" if other.endswith(".gz") else "out")
        write(WRITERS[other], path, status=0)
        before = read(path)
        run = write(WRITERS[what], path)
        if other not in UNMARKED and ((what in EXPORTS and other in EXPORTS) or what == other):
            tap.same(run.returncode, 0, (run.args, run.stderr))
            os.unlink(path)
        else:
            refused(run, path, before)


def test_exports_do_not_replace_text_of_others():
    """Check names that are typical of output, and files in the same format that another program wrote."""
    speedscope = b'{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"other 1","shared":{}}\n'
    for name in ("notes.txt", "run.log", "a.out", "sales.csv", "callgrind.out"):
        for content in (b"42 notes\n", "notes of yesterday, in Zürich\n".encode(), b"id,price\n1,20\n", b"version: 1\nevents: Ir\n", speedscope):
            for what in ("folded", "csv", "callgrind", "speedscope", "json"):
                path = place(name, content)
                refused(write(WRITERS[what], path), path, content)
        path = place(name, b"notes\n")
        refused(write(WRITERS["pprof"], path), path, b"notes\n")
        path = place(name, b"notes\n")
        refused(write(WRITERS["page"], path), path, b"notes\n")


@tap.always
def test_counts_replace_counts():
    for name, options in COUNTS.items():
        for append in ((), ("--append",)):
            path = os.path.join(OUT, "counts")
            if count(options, path, status=None if "-a" in options else 0).returncode:
                place("counts", b"")  # -a may require privileges
                os.unlink(path)
                continue
            count(options, path, *append, status=0)
            count((), path, *append, status=0)
            assert append or read(path).startswith(b"# started on "), name
            os.unlink(path)


@tap.always
def test_counts_leave_files_of_others():
    for append in ((), ("--append",)):
        for name, (content, mode) in FOREIGN.items():
            path = place(name, content, mode)
            refused(count((), path, *append), path, content)
    for what, words in WRITERS.items():
        path = os.path.join(OUT, "out")
        if what.endswith(".gz"):
            continue
        write(words, path, status=0)
        refused(count((), path), path, read(path))
    path = place("program", *FOREIGN["program"])
    count((), path, "--force", status=0)
    assert read(path).startswith(b"# started on "), path
    os.unlink(path)


def test_counts_are_added_to_counts():
    """Text of others gets counts only with --force; then it contains counts."""
    path = place("runs", b"first run\n")
    refused(count(("--append",), path), path, b"first run\n")
    path = place("runs", b"first run\n")
    for more in (("--force",), ()):
        count(("--append",), path, *more, status=0)
    assert read(path).startswith(b"first run\n# started on "), read(path)
    tap.same(read(path).count(b"# started on "), 2, "runs")
    # The text in front must not be lost.
    refused(count((), path), path, read(path))


# ---- files that are not regular -------------------------------------------------------------------

def all_options(path):
    yield from ((*words, path) for what, words in WRITERS.items() if not what.endswith(".gz"))
    yield from (make(path) for make in OTHER_WRITERS.values())
    yield "stat", "-e", "task-clock", "-o", path, "true"
    yield "stat", "-e", "task-clock", "--append", "-o", path, "true"
    yield "record", "-e", "cpu-clock", "-o", path, "true"


@tap.always
def test_no_option_writes_to_a_block_device():
    path = os.path.join(OUT, "disk")
    try:
        os.mknod(path, 0o600 | stat.S_IFBLK, os.makedev(7, 255))  # a loop device that does not exist
    except OSError as error:
        tap.skip("mknod of a block device: %s" % error.strerror)
    try:
        for words in all_options(path):
            run = tap.run(TALLY, *words)
            assert run.returncode and ("a block device" in run.stderr or "not a regular file" in run.stderr or words[0] == "record"), run
            assert stat.S_ISBLK(os.stat(path).st_mode), words
        tap.same(os.listdir(OUT), ["disk"], "files left behind")
    finally:
        os.unlink(path)


@tap.always
def test_no_option_writes_to_a_directory_or_a_socket():
    path = os.path.join(OUT, "folder")
    os.mkdir(path)
    for words in all_options(path):
        assert tap.run(TALLY, *words).returncode, words
    tap.same(os.listdir(path), [], "files left behind")
    os.rmdir(path)
    path = os.path.join(WORK, "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        for words in all_options(path):
            assert tap.run(TALLY, *words).returncode, words
            assert stat.S_ISSOCK(os.stat(path).st_mode), words
    os.unlink(path)


@tap.always
def test_devices_and_pipes_are_written_to():
    for words in (*EXPORTS.values(), WRITERS["page"], WRITERS["svg"]):
        write(words, "/dev/null", status=0)
    count((), "/dev/null", status=0)
    run = tap.run("sh", "-c", '"$0" report -i "$1" --format folded -o /dev/stdout | cat', TALLY, DATA, status=0)
    assert run.stdout, run


@tap.always
def test_a_file_that_appears_later_is_kept():
    """Another program creates the file while tally reads its input from a pipe."""
    path, fifo = os.path.join(OUT, "late"), os.path.join(WORK, "fifo")
    os.mkfifo(fifo)
    process = subprocess.Popen([TALLY, "inject", "-i", fifo, "-o", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(fifo, "wb") as pipe:
        data = tap.run(TALLY, "inject", "-i", DATA, "-o", "-", text=False, status=0).stdout
        pipe.write(data)
        pipe.flush()
        place("late", b"mine\n")
    _, errors = process.communicate()
    assert process.returncode and errors, errors
    tap.same(read(path), b"mine\n", "the file of the other program")
    tap.same(os.listdir(OUT), ["late"], "files left behind")
    os.unlink(path)
    os.unlink(fifo)


def test_an_empty_file_is_replaced():
    for words in WRITERS.values():
        path = place("empty", b"")
        write(words, path, status=0)
        assert read(path), words
        os.unlink(path)


def test_record_keeps_the_previous_file():
    steps.machine.need_events()
    path, old = place("main.c", b"int x;\n"), os.path.join(OUT, "main.c.old")
    steps.record(path, "-q", "-e", "cpu-clock", "true")
    tap.same(read(old), b"int x;\n", "the file that was there")
    # A second recording keeps the previous one.
    steps.record(path, "-q", "-e", "cpu-clock", "true")
    tap.same(read(old), b"int x;\n", "the file that was kept")
    assert read(old + ".1").startswith(b"PERFILE2")
    for name in os.listdir(OUT):
        os.unlink(os.path.join(OUT, name))


# ---- default names of pages -----------------------------------------------------------------------

def pages():
    names = sorted(os.listdir(OUT))
    for name in names:
        assert read(os.path.join(OUT, name)).startswith(b"<!DOCTYPE html>"), name
        os.unlink(os.path.join(OUT, name))
    return names


@tap.always
def test_a_page_is_called_after_the_program():
    for words in (("report", "-i", DATA, "--html"), ("report", "--html", "-i", DATA), ("report", "--html", DATA),
                  ("diff", "--html", DATA, DATA), ("report", "--html", "--max-stack", "5", DATA)):
        tap.run(TALLY, *words, cwd=OUT, status=0)
        tap.same(pages(), ["tally-busy-one.html"], words)
    # A process substitution, "<(cat FILE)", is accepted as input.
    tap.run("bash", "-c", '"$0" report --html -i <(cat "$1")', TALLY, DATA, cwd=OUT, status=0)
    tap.same(pages(), ["tally-busy-one.html"], "a pipe to read from")
    run = tap.run("bash", "-c", '"$0" report -i "$1" --html <(cat "$1")', TALLY, DATA, cwd=OUT)
    tap.same([name for name in os.listdir(OUT) if not name.startswith("tally-")], [], run.stderr)
    pages()
    run = tap.run(TALLY, "report", "-i", DATA, "--html", DATA, cwd=OUT, status=129)
    assert "refusing to replace a recording" in run.stderr, run.stderr


def test_a_page_is_called_after_the_command():
    steps.machine.need_events()
    program = os.path.join(WORK, "prog")
    shutil.copy("/bin/true", program)
    before = read(program)
    cases = {
        ("--html", program): ["tally-prog.html"],
        ("--html", "--", program): ["tally-prog.html"],
        ("--html", "true"): ["tally-true.html"],
        ("--html", program, "--help"): ["tally-prog.html"],
        ("--html", "page.html", "true"): ["page.html"],
        ("--html=page", "true"): ["page"],
        ("-e", "cpu-clock", "--html", "-F", "500", "true"): ["tally-true.html"],
    }
    for words, names in cases.items():
        tap.run(TALLY, "profile", *words, cwd=OUT, status=0)
        tap.same(pages(), names, words)
    # A mistyped command is not mistaken for the page's file name.
    run = tap.run(TALLY, "profile", "--html", "no-such-program", "true", cwd=OUT, status=127)
    assert "cannot run 'no-such-program'" in run.stderr, run.stderr
    tap.same(pages(), [], "pages")
    for words in (("--html=" + program, "true"), ("--html=" + program, program)):
        run = tap.run(TALLY, "profile", *words, cwd=OUT, status=1)
        assert "refusing to replace a program" in run.stderr, run.stderr
    tap.same(read(program), before, "the program")


def test_names_of_programs_are_no_paths():
    path = os.path.join(WORK, "odd.data")
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.comm(7, "../a\x1b b", 1), crafted.sample(0x400010, 7, 10)]))
    tap.run(TALLY, "report", "-i", path, "--html", cwd=OUT, status=0)
    tap.same(pages(), ["tally-a__b.html"], "the name")


tap.main(__name__, setup=setup)
