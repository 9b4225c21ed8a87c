#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test processes that see different files at the same paths because of other mount namespaces or other roots.

usage: containers.py TALLY

At the same path, such a process and the test see programs with different functions.
"""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
WORK = tap.workplace("containers")
os.environ["XDG_CACHE_HOME"] = WORK

SOURCE = """
#include <unistd.h>
volatile unsigned long sum;
__attribute__((noinline)) void FUNCTION(void)
{
	for (unsigned long i = 0; i < 100000000; i++)
		sum += i * i;
}
int main(int argc, char **argv)
{
	if (argc > 1)
		write(1, "ready\\n", 6);
	for (int i = 0; argc > 1 || i < 5; i++)
		FUNCTION();
	return 0;
}
"""


def build(path, function, *flags):
    """Build a program. It has no build ID, unless `flags` add one."""
    return steps.build(path, SOURCE.replace("FUNCTION", function), "-O1", "-static", *(flags or ["-Wl,--build-id=none"]))


def shell(script, *args):
    """Return the command that runs a script in a new mount namespace."""
    machine.need_unshare("-m", "--propagation", "private")
    return ["unshare", "-m", "--propagation", "private", "sh", "-ec", script, "sh", *args]


def bound(name, *flags):
    """Return a program's path, and the command that runs another program mounted over it. Both programs have the same
    path and name."""
    here = build(os.path.join(WORK, name, "here", "prog"), "here_only", *flags)
    there = build(os.path.join(WORK, name, "there", "prog"), "there_only", *flags)
    return here, shell('mount --bind "$1" "$2"; exec "$2" run', there, here)


def record(name, *words):
    return steps.record(os.path.join(WORK, name + ".data"), "-q", "-e", "task-clock:u", "-F", "499", *words)


def symbols(path, program):
    """Return the symbols of the samples in the program, except main, which all programs have."""
    lines = tap.run(TALLY, "script", "-i", path, "-F", "ip,sym,dso").stdout.splitlines()
    return {line.split()[1] for line in lines if line.endswith(f"({program})")} - {"main"}


def test_bind_mount_while_it_runs():
    program, words = bound("bind")
    with steps.Running(words) as pid:
        path = record("bind", "-p", pid, "--", *tap.work_of(pid))
        tap.same(symbols(path, program), {"there_only"}, "symbols")


def test_bind_mount_after_its_end():
    """Check that without embedded symbols, samples are unknown once the mount no longer exists, rather than attributed
    to another file."""
    program, words = bound("ended")
    with steps.Running(words) as pid:
        path = record("ended", "--no-symbols", "-p", pid, "--", *tap.work_of(pid))
        with_names = record("named", "-p", pid, "--", *tap.work_of(pid))
    tap.same(symbols(path, program), {"[unknown]"}, "symbols")
    tap.same(symbols(with_names, program), {"there_only"}, "symbols that came with the recording")


def test_build_id_is_of_the_mapped_file():
    program, words = bound("id", "-Wl,--build-id=sha1")
    with steps.Running(words) as pid:
        path = record("id", "-p", pid, "--", *tap.work_of(pid))
        want = tap.run(TALLY, "buildid-list", "-i", path).stdout
        tap.same(symbols(path, program), {"there_only"}, "symbols")
    ids = {name: tap.run("readelf", "-n", os.path.join(WORK, "id", name, "prog")).stdout for name in ("here", "there")}
    listed = [line.split()[0] for line in want.splitlines() if line.endswith(program)]
    assert len(listed) == 1 and listed[0] in ids["there"] and listed[0] not in ids["here"], (want, ids)


def test_two_files_of_one_path():
    program, words = bound("two", "-Wl,--build-id=sha1")
    with steps.Running(words) as there, steps.Running([program, "run"]) as here:
        path = record("two", "--no-symbols", "-p", f"{there},{here}", "--", *tap.work_of(there, here))
        with_names = record("two-named", "-p", f"{there},{here}", "--", *tap.work_of(there, here))
        tap.same(symbols(path, program) - {"main"}, {"here_only", "there_only"}, "symbols")  # a few samples are in main
    # The build ID table is indexed by path, so an ID would apply to both files with that path.
    tap.same(symbols(path, program) - {"main"}, {"here_only", "[unknown]"}, "symbols after their end")
    tap.same(symbols(with_names, program) - {"main"}, {"here_only", "there_only"}, "symbols that came with the recording")


def test_chroot():
    machine.need_root()
    machine.need_tool("chroot", "--version")
    root = os.path.join(WORK, "root")
    build(os.path.join(root, "usr", "bin", "tally-test-prog"), "inside_root")
    with steps.Running(["chroot", root, "/usr/bin/tally-test-prog", "run"]) as pid:
        path = record("chroot", "-p", pid, "--", *tap.work_of(pid))
        tap.same(symbols(path, os.path.join(root, "usr/bin/tally-test-prog")) |
                 symbols(path, "/usr/bin/tally-test-prog"), {"inside_root"}, "symbols")


OVERLAY = """
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/all"
mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/all"
mount --bind "$1/all" "$3"
exec "$3/prog" run
"""


def test_overlay():
    """Test overlayfs, on which stat(2) returns a different device number than /proc/PID/maps."""
    here = build(os.path.join(WORK, "overlay", "here", "prog"), "here_only")
    there = build(os.path.join(WORK, "overlay", "there", "prog"), "overlay_only")
    room = os.path.join(WORK, "overlay", "room")
    os.makedirs(room)
    words = shell(OVERLAY, room, os.path.dirname(there), os.path.dirname(here))
    with steps.Running(words) as pid:
        path = record("overlay", "-p", pid, "--", *tap.work_of(pid))
        tap.same(symbols(path, here), {"overlay_only"}, "symbols")


def test_top():
    program, words = bound("top")
    with steps.Running(words) as pid:
        top = subprocess.Popen([TALLY, "top", "--stdio", "-d", "0.3", "-p", str(pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        lines = []
        for line in top.stdout:
            lines.append(line)
            if " [.] " in line:
                break
        top.send_signal(signal.SIGINT)
        errors = top.communicate()[1]
    assert lines and lines[-1].split()[-1] == "there_only", (lines, errors)


def test_stacks_unwound_while_recording():
    program, words = bound("stacks", "-Wl,--build-id=none", "-fomit-frame-pointer", "-fasynchronous-unwind-tables")
    with steps.Running(words) as pid:
        path = record("stacks", "--call-graph", "dwarf", "-p", pid, "--", *tap.work_of(pid))
        chains = tap.run(TALLY, "script", "-i", path, "-F", "ip,sym,dso").stdout.split("\n\n")
        names = [[line.split()[1] for line in chain.splitlines() if line.strip()] for chain in chains if chain.strip()]
        assert names and all(chain[:2] == ["there_only", "main"] for chain in names), names[:3]


tap.main(__name__, machine.need_events)
