#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the output files of `tally report --html`, and what is left of them after errors.

usage: report_output.py TALLY
"""
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import decode  # noqa: E402
import failing  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from reports import TALLY, WORK, page_of, path_of, shop  # noqa: E402

# ---- output files ------------------------------------------------------------------------------------
# A minimal page.
PAGE = '<!DOCTYPE html>\n<meta name="generator" content="tally">'


def test_a_page_is_whole_or_not_there():
    recording, _ = shop()
    folder = tempfile.mkdtemp(dir=WORK.name)
    out = os.path.join(folder, "page.html")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    run = tap.run(TALLY, "report", "-i", recording, "--html", out, preexec_fn=limit)
    assert run.returncode == 1 and "cannot write" in run.stderr, run.stderr
    tap.same(os.listdir(folder), [], "what is left")
    # Restore the default action for SIGINT, because a shell's background processes and their children ignore it.
    with subprocess.Popen([TALLY, "report", "-i", "-", "--html", out], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as command:
        with open(recording, "rb") as file:
            command.stdin.write(file.read(1000))
        command.stdin.flush()
        command.send_signal(signal.SIGINT)
        command.stdin.close()
        command.stdin = None
        tap.same(command.wait(timeout=tap.PATIENCE), -signal.SIGINT, "an interrupted one")
    tap.same(os.listdir(folder), [], "what is left of it")
    with open("/dev/full", "wb") as full:
        run = tap.run(TALLY, "report", "-i", recording, "--html", "-", stdout=full)
    assert run.returncode == 1 and "No space" in run.stderr, run.stderr


def test_its_readers_are_those_of_new_files_or_of_the_one_before():
    recording, _ = shop()
    page = path_of("page.html")
    if os.path.exists(page):
        os.unlink(page)
    command = (TALLY, "report", "-i", recording, "--html", page)
    for given, mode in ((None, 0o640), (0o604, 0o604), (0o600, 0o600)):
        if given:
            os.chmod(page, given)
        tap.same(tap.run(*command, preexec_fn=lambda: os.umask(0o027)).returncode, 0, "status")
        tap.same(stat.S_IMODE(os.stat(page).st_mode), mode, "mode")


def test_keeps_the_owner():
    machine.need_chown()
    recording, _ = shop()
    folder = path_of("sticky")
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    page, link, target = (os.path.join(folder, name) for name in ("page.html", "link", "target"))
    for path in (page, target):
        with open(path, "w", encoding="ascii") as file:
            file.write(PAGE)
    os.chown(page, 65534, 65533)
    os.chmod(page, 0o640)
    tap.same(tap.run(TALLY, "report", "-i", recording, "--html", page).returncode, 0, "status")
    now = os.stat(page)
    tap.same((now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)), (65534, 65533, 0o640), "owner, group and mode")
    os.symlink(target, link)
    os.lchown(link, 65534, 65534)
    run = tap.run(TALLY, "report", "-i", recording, "--html", link)
    assert run.returncode == 1 and "Permission denied" in run.stderr, run.stderr
    tap.same(os.path.getsize(target), len(PAGE), "what a link of somebody else led to")


def test_replaces_only_regular_files():
    recording, _ = shop()
    with open(recording, "rb") as file:
        before = file.read()
    for out in (recording, WORK.name, path_of("no/such/folder")):
        run = tap.run(TALLY, "report", "-i", recording, "--html", out)
        assert run.returncode == (129 if out == recording else 1) and (out in run.stderr), (out, run.stderr)
        assert out != WORK.name or "Is a directory" in run.stderr, run.stderr
    with open(recording, "rb") as file:
        assert file.read() == before
    other = path_of("other.data")
    shutil.copy(recording, other)
    for options in (("--html", other), ("--svg", other), ("--format", "folded", "-o", other)):
        run = tap.run(TALLY, "report", "-i", recording, *options)
        assert run.returncode and "refusing to replace a recording" in run.stderr, (options, run.stderr)
        if options[0] == "--html":
            continue  # the file name after --html is optional
        run = tap.run(TALLY, "report", *options[:-1], "-i", recording, cwd=WORK.name)
        assert run.returncode and "-i: the file name is missing" in run.stderr, (options, run.stderr)
    with open(other, "rb") as file:
        assert file.read() == before
    assert not os.path.exists(path_of("-i"))
    link = path_of("link.html")
    os.symlink(path_of("target.html"), link)
    with open(path_of("target.html"), "wb"):
        pass
    tap.same(tap.run(TALLY, "report", "-i", recording, "--html", link).returncode, 0, "a link")
    assert os.path.islink(link) and os.path.getsize(link) > 1000
    fifo = path_of("fifo")
    os.mkfifo(fifo)
    with open(path_of("got"), "wb+") as got, open(link, "rb") as page:
        with subprocess.Popen(["cat", fifo], stdout=got):
            tap.same(tap.run(TALLY, "report", "-i", recording, "--html", fifo).returncode, 0, "a pipe")
        got.seek(0)
        assert got.read() == page.read(), "what its reader got"
    assert stat.S_ISFIFO(os.stat(fifo).st_mode)


def test_streams_have_pages():
    recording, symfs = shop()
    with open(recording, "rb") as file:
        run = tap.run(TALLY, "report", "-i", "-", "--html", "-", *symfs, stdin=file)
    tap.same(run.returncode, 0, run.stderr)
    wanted, got = page_of(recording, *symfs), decode.Page(run.stdout)
    tap.same(got.samples, wanted.samples, "from standard input to standard output")
    said = tap.run(TALLY, "report", "-i", recording, "--html", path_of("said.html")).stderr
    assert f"HTML page: {path_of('said.html')}" in said, said


@tap.full
def test_out_of_memory():
    """Check that wherever an allocation fails, the program either exits with an error or writes a page with all
    samples."""
    recording, symfs = shop()
    allocations, wanted = failing.Allocations(WORK.name), len(page_of(recording).samples)
    refused = 0
    for number in [*range(1, 30), *range(30, 2000, 97)]:
        run = allocations.run(TALLY, "report", "-i", recording, *symfs, "--html", "-", "--html-source", at=number)
        assert run.returncode in (0, 1, 129), (number, run.returncode, run.stderr)
        refused += run.returncode != 0
        if not run.returncode:
            tap.same(len(decode.Page(run.stdout).samples), wanted, f"allocation {number}")
    assert refused > 10, refused


if __name__ == "__main__":
    tap.main(__name__)
