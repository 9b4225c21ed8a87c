#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test which files output options replace or refuse to replace, and the default names of pages.

usage: overwrite.py TALLY
"""
import gzip
import os
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("overwrite-test")
DATA, OUT = os.path.join(WORK, "in.data"), os.path.join(WORK, "out")
FORMATS = ("folded", "pprof", "firefox", "speedscope", "callgrind", "perfetto", "json", "csv")
EXPORTS = {"%s%s" % (name, end): ("report", "-i", DATA, "--format", name, "-o")
           for name in FORMATS for end in ("", ".gz") if not end or name not in ("json", "csv")}
# Commands that write a file. The file name is not included, because it is appended later.
WRITERS = {"page": ("report", "-i", DATA, "--html"), "svg": ("report", "-i", DATA, "--svg"), "archive": ("archive", "-i", DATA, "-o"), **EXPORTS}
COUNTS = {"stat": (), "stat -x,": ("-x,",), "stat -j": ("-j",), "stat --json": ("--json",), "stat -j -I": ("-j", "-I", "5"),
          "stat -j -r": ("-j", "-r", "2"), "stat -j --metric-only": ("-j", "--metric-only")}
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
def test_force_replaces_any_file():
    for what in ("page", "svg", "archive", "folded", "pprof"):
        path = place("program", *FOREIGN["program"])
        write(WRITERS[what], path, "--force", status=0)
        assert not read(path).startswith(b"\x7fELF"), what
        os.unlink(path)


def test_own_files_are_replaced():
    for what, words in WRITERS.items():
        path = os.path.join(OUT, "out.gz" if what.endswith(".gz") else "out")
        write(words, path, status=0)
        before = read(path)
        os.chmod(path, 0o777)  # as on file systems without permission bits
        write(words, path, status=0)
        tap.same(len(read(path)), len(before), what)
        os.unlink(path)


def test_exports_replace_exports_and_nothing_else():
    pairs = [(what, other) for what in WRITERS for other in WRITERS
             if not what.endswith(".gz") and not (other.endswith(".gz") and what in PLAIN)]
    for what, other in tap.some(pairs, PARTS):
        path = os.path.join(OUT, "out.gz" if other.endswith(".gz") else "out")
        write(WRITERS[other], path, status=0)
        before = read(path)
        run = write(WRITERS[what], path)
        if (what in EXPORTS and other in EXPORTS) or what == other:
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


def test_counts_replace_counts_and_text():
    for name, options in COUNTS.items():
        path = os.path.join(OUT, "counts")
        count(options, path, status=0)
        count(options, path, status=0)
        count((), path, status=0)
        assert read(path).startswith(b"# started on "), name
        os.unlink(path)
    path = place("counts.txt", b"notes\n")
    count((), path, status=0)
    assert read(path).startswith(b"# started on "), path
    os.unlink(path)


@tap.always
def test_counts_leave_files_of_others():
    for name, (content, mode) in FOREIGN.items():
        path = place(name, content, mode)
        refused(count((), path), path, content)
    for what, words in WRITERS.items():
        path = os.path.join(OUT, "out")
        if what == "folded" or what.endswith(".gz"):
            continue
        write(words, path, status=0)
        refused(count((), path), path, read(path))
    path = place("program", *FOREIGN["program"])
    count((), path, "--force", status=0)
    assert read(path).startswith(b"# started on "), path
    os.unlink(path)


def test_counts_are_added_to_text_alone():
    path = place("runs", b"first run\n")
    count(("--append",), path, status=0)
    assert read(path).startswith(b"first run\n# started on "), read(path)
    os.unlink(path)
    for name in ("program", "script", "nul.txt"):
        content, mode = FOREIGN[name]
        path = place(name, content, mode)
        refused(count(("--append",), path), path, content)


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
