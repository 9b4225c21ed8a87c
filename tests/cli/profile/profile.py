#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally profile: its output during and after recording, its files, and how it exits. Also test the same options in
tally record (--progress, --duration).

usage: profile.py TALLY
"""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from terminal import Session  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("profile-test")
SPIN = os.path.join(WORK, "spin")
TEMPORARY = os.path.join(WORK, "tmp")
SLEEP_FOREVER = "1000000"
CLOCK = ("-e", "cpu-clock")
LINE = re.compile(r"\[ ([\d.]+) s, ([\d,]+) samples, ([\d.]+) MB, ([\d,]+) lost \]")

PROGRAM = r"""
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void spin_inner(void) { for (int i = 0; i < 1000000; i++) sink += i; }
__attribute__((noinline)) void spin_outer(void) { spin_inner(); sink++; }
int main(int argc, char **argv)
{
	time_t end = time(NULL) + atoi(argv[1]);
	const char *until = getenv("SPIN_UNTIL");

	for (int i = 0; i < 50 || time(NULL) < end || (until && access(until, F_OK)); i++)
		spin_outer();
	return argc > 2 ? atoi(argv[2]) : 0;
}
"""


def setup():
    steps.build(SPIN, PROGRAM, "-g", "-O1", compiler="gcc", file=SPIN + ".c")
    os.mkdir(TEMPORARY)
    os.environ["TMPDIR"] = TEMPORARY


def profile(*args, status=0, command="profile", **options):
    run = tap.run(TALLY, command, *args, status=status, **options)
    tap.same(os.listdir(TEMPORARY), [], "temporary files")
    return run


def lines(text):
    """Return the seconds, samples, MB and lost records in each progress line."""
    return [tuple(float(value.replace(",", "")) for value in found) for found in LINE.findall(text)]


def shows_spin(text):
    return re.search(r"\d\d(\.\d\d)?% +spin_inner", text) and "spin_outer" in text


def test_a_command_in_a_pipe():
    run = profile(*CLOCK, SPIN, "0")
    assert shows_spin(run.stdout), run.stdout[:500]
    assert "\x1b" not in run.stderr and "\r" not in run.stderr, run.stderr
    assert "tally record" not in run.stderr, run.stderr
    shown = lines(run.stderr)
    tap.same(len(shown), 1, "the line of progress")
    found = re.search(r"^Health: (\d+) samples read", run.stdout, re.M)
    tap.same(int(found[1]), int(shown[0][1]), "samples")


def in_browser(text):
    return "Overview" in text and "Quit" in text and "spin_inner" in text


def browse(*args, then, ready, **environment):
    """Run a session until the browser opens, and quit with q. Return the exit status and the text. `then` is called
    with the session once `ready(session)` is true."""
    with Session(TALLY, "profile", *CLOCK, *args, **environment) as session:
        session.until(lambda _: ready(session), "the recording")
        then(session)
        session.until(in_browser, "the browser")
        session.until(lambda text: "this recording" in text, "a title")
        tap.same(os.listdir(TEMPORARY), [], "temporary files while it is shown")
        session.press("q")
        return session.finish()


def has_worked(session):
    return any((tap.cpu_seconds(pid) or 0) > 0.5 for pid in tap.children(session.pid))


def test_on_a_terminal_the_line_moves():
    """Check the line for an existing process, which does not write to the terminal."""
    until = os.path.join(WORK, "enough")
    with subprocess.Popen([SPIN, "0"], env={**os.environ, "SPIN_UNTIL": until}) as process:
        try:
            status, text = browse("-p", str(process.pid), then=lambda _: open(until, "w").close(),
                                  ready=lambda session: len(lines(session.text)) >= 4)
        finally:
            process.kill()
    tap.same(status, 0, text[-300:])
    shown = lines(text)
    assert len(shown) >= 4, shown
    assert shown == sorted(shown, key=lambda one: one[:2]) and shown[-1][1] > shown[0][1] > 0, shown
    seconds = [one[0] for one in shown]
    assert len(shown) <= 2 * seconds[-1] + 2, f"drawn more than twice a second: {seconds}"


def test_ctrl_c_ends_it_and_shows_it():
    """Check that the command's terminal has no moving line."""
    status, text = browse(SPIN, SLEEP_FOREVER, ready=has_worked, then=lambda session: session.press("\x03"))
    tap.same(status, 128 + signal.SIGINT, text[-300:])  # the command's exit status
    tap.same(len(lines(text)), 1, "lines of progress")


def test_quit_ends_it_and_leaves_nothing():
    process = subprocess.Popen([TALLY, "profile", *CLOCK, SPIN, SLEEP_FOREVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True,
                               # Background jobs of a shell ignore SIGQUIT.
                               preexec_fn=lambda: signal.signal(signal.SIGQUIT, signal.SIG_DFL))
    tap.wait_until(lambda: any((tap.cpu_seconds(pid) or 0) > 0.5 for pid in tap.children(process.pid)), "the command to work")
    process.send_signal(signal.SIGQUIT)
    out, err = process.communicate(timeout=tap.PATIENCE)
    assert shows_spin(out), (out[:300], err)
    tap.same(os.listdir(TEMPORARY), [], "temporary files")


def test_text_is_paged():
    with Session(TALLY, "profile", "--stdio", *CLOCK, SPIN, "0", TALLY_PAGER="sed 's/^/paged: /'") as session:
        status, text = session.finish()
    tap.same(status, 0, text[-300:])
    assert "spin_outer" in text and re.search(r"^paged: .* \[\.\] spin_inner", text, re.M), text[-500:]
    assert not re.search(r"paged: .*MB", text), "the line of progress is before the pager"
    with Session(TALLY, "profile", "--stdio", *CLOCK, SPIN, "0", TALLY_PAGER="true") as session:
        session.finish()
    tap.same(os.listdir(TEMPORARY), [], "temporary files of one that was ended by SIGPIPE")


def test_the_status_is_the_commands():
    run = profile(*CLOCK, SPIN, "0", "7", status=7)
    assert shows_spin(run.stdout), run.stdout[:300]
    run = profile(*CLOCK, os.path.join(WORK, "nonesuch"), status=127)
    assert run.stdout == "" and "cannot run" in run.stderr, run
    run = profile("-e", "nonesuch", SPIN, "0", status=1)
    assert run.stdout == "" and "nonesuch" in run.stderr, run
    run = profile(status=129)
    assert "nothing to profile" in run.stderr, run.stderr


def test_a_file_that_is_kept():
    path = os.path.join(WORK, "kept.data")
    run = profile(*CLOCK, "-o", path, SPIN, "0")
    assert f"the recording is in {path}" in run.stderr, run.stderr
    again = tap.run(TALLY, "report", "-i", path)
    tap.same(again.stdout.split(": ", 1), ["kept.data", run.stdout.split(": ", 1)[1]], "the report of it")
    with open(path, "rb") as file:
        before = file.read()
    run = profile(*CLOCK, "-o", path, os.path.join(WORK, "nonesuch"), status=127)
    tap.same(run.stdout, "", "a recording of before is not shown")
    with open(path, "rb") as file:
        assert file.read() == before, "it is there no more"
    for output in ("-", "/dev/null"):
        run = profile(*CLOCK, "-o", output, SPIN, "0", status=1)
        assert "must be a file that can be read back" in run.stderr and run.stdout == "", run.stderr


def test_profile_writes_a_page():
    """Check that the page is written under the right name, without other output. tests/page checks that its contents
    are those of the recording."""
    page = os.path.join(WORK, "page.html")
    run = profile(*CLOCK, "--html", page, SPIN, "0")
    tap.same(run.stdout, "", "text besides the page")
    assert page in run.stderr and "this recording" in open(page, encoding="utf-8").read(), run.stderr
    run = profile(*CLOCK, "--html", os.path.join(WORK, "no", "page.html"), SPIN, "0", status=1)
    assert "No such file" in run.stderr and not lines(run.stderr), run.stderr
    run = profile(*CLOCK, "--html", "-", "--", "echo", "in the page", status=129)
    assert run.stdout == "" and "--html FILE" in run.stderr, run
    with subprocess.Popen([SPIN, SLEEP_FOREVER]) as process:
        run = tap.while_it_works(process.pid, lambda seconds: profile(
            *CLOCK, "--html", "-", "--duration", str(seconds), "-p", str(process.pid)))
        process.kill()
    assert run.stdout.startswith("<!DOCTYPE html>"), run.stdout[:100]


@tap.always
def test_duration():
    for command, status in (("profile", 0), ("record", 0)):
        path = os.path.join(WORK, "short.data")
        start = time.monotonic()
        profile("-o", path, *CLOCK, "--duration", "0.7", SPIN, SLEEP_FOREVER, command=command, status=status)
        assert 0.7 <= time.monotonic() - start, time.monotonic() - start  # tally stopped before the command
    with subprocess.Popen([SPIN, SLEEP_FOREVER]) as process:
        run = tap.while_it_works(process.pid, lambda seconds: profile(
            *CLOCK, "--duration", str(seconds), "-p", str(process.pid)))
        assert process.poll() is None, "it was not ours to end"
        process.kill()
    assert shows_spin(run.stdout), run.stdout[:300]
    tap.same(tap.run(TALLY, "profile", *CLOCK, "--duration", "1000", SPIN, "0", "3").returncode, 3, "one that ended before")
    for wrong in ("0", "x", "-1", "1s", "nan", "1e300"):
        run = profile("--duration", wrong, SPIN, "0", status=129)
        assert "--duration" in run.stderr, run.stderr


def test_how_it_is_recorded():
    path = os.path.join(WORK, "how.data")
    profile("-o", path, *CLOCK, SPIN, "0")
    evlist = tap.run(TALLY, "evlist", "-v", "-i", path).stdout
    assert "sample_freq }: 999" in evlist and "CALLCHAIN" in evlist and "STACK_USER" in evlist, evlist
    profile("-o", path, "-F", "499", "-g", *CLOCK, SPIN, "0")
    evlist = tap.run(TALLY, "evlist", "-v", "-i", path).stdout
    assert "sample_freq }: 499" in evlist and "STACK_USER" not in evlist and "CALLCHAIN" in evlist, evlist
    profile("-o", path, "--call-graph", "no", *CLOCK, SPIN, "0")
    assert "CALLCHAIN" not in tap.run(TALLY, "evlist", "-v", "-i", path).stdout


def test_a_full_disk_is_an_error():
    run = profile(*CLOCK, SPIN, "0", status=1, env=dict(os.environ, TMPDIR=os.path.join(WORK, "nowhere")))
    assert "cannot create" in run.stderr and "TMPDIR" in run.stderr, run.stderr


tap.main(__name__, lambda: machine.need_compiler("gcc"), machine.need_events, setup=setup)
