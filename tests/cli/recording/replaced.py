#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test programs and libraries that are removed, replaced or rebuilt while they are being recorded: symbols, stacks and
build IDs must be those of the files that ran.

usage: replaced.py TALLY

The old file's functions are called old_*, and the new file's new_*. Their stacks need different unwind rules.
"""
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("replaced")
CACHE = os.path.join(WORK, "cache")
DATA = os.path.join(WORK, "perf.data")
GO = os.path.join(WORK, "go")
ENV = {**os.environ, "XDG_CACHE_HOME": CACHE, "PERF_BUILDID_DIR": os.path.join(WORK, "none")}

# The leaf function does the work; its caller has a frame of FRAME bytes.
WORK_SOURCE = """
volatile unsigned long sum;
__attribute__((noinline)) void FUNCTION_leaf(unsigned long ms)
{
	for (unsigned long i = 0; i < ms * 100000 + FRAME; i++)
		sum += i;
}
__attribute__((noinline)) void FUNCTION_middle(unsigned long ms)
{
	volatile char frame[FRAME];
	frame[ms % FRAME] = 1;
	FUNCTION_leaf(ms);
	sum += frame[ms % FRAME];
}
__attribute__((noinline)) void ENTRY(unsigned long ms)
{
	FUNCTION_middle(ms);
	sum++;
}
"""
MAIN_SOURCE = """
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void ENTRY(unsigned long ms);
/* Works for so many seconds of CPU time, and until there is a file. */
int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? argv[1][0] - '0' : 0) * CLOCKS_PER_SEC;
	printf("ready %d\\n", getpid());
	fflush(stdout);
	do
		ENTRY(1);
	while (clock() < end || (argc > 2 && access(argv[2], F_OK)));
	return 0;
}
"""
# Copies the file named by its first argument to memory, and executes the copy.
LAUNCHER_SOURCE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	int from = open(argv[1], O_RDONLY), to = memfd_create("inmemory", MFD_CLOEXEC);
	while (sendfile(to, from, 0, 1 << 20) > 0)
		;
	fexecve(to, argv + 1, environ);
	return 1;
}
"""
GONE = "no such file: it was removed, existed only in memory, or is in a container (use tally report --symfs ROOT)"
FRAMES = {"old": 56, "new": 1400}


def compile_to(path, text, *flags):
    return steps.build(path, text, "-O1", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-Wl,--build-id", libraries=flags)


def source(which, text):
    return text.replace("FUNCTION", which).replace("FRAME", str(FRAMES[which])).replace("ENTRY", "work")


def program(path, which, *flags):
    return compile_to(path, source(which, WORK_SOURCE + MAIN_SOURCE), *flags)


def library(path, which):
    return compile_to(path, source(which, WORK_SOURCE), "-shared", "-fPIC")


def identity(path):
    return re.search(r"Build ID: ([0-9a-f]+)", tap.run("readelf", "-n", path).stdout).group(1)


def remove(path):
    os.unlink(path)


def rename_over(path):
    """Replace a file as a package upgrade does."""
    program(path + ".new", "new")
    os.rename(path + ".new", path)


def build_anew(path):
    """Replace a file as cc -o does: remove it, and create a new one."""
    os.unlink(path)
    program(path, "new")


def record(command, options, change, path=DATA, works=True, names=False):
    """Record a command that prints a line once it is running. When the recorder has seen the command's mappings,
    `change` is called; if `works` is set, the command then continues for a while. Symbols are embedded only if `names`
    is set."""
    shutil.rmtree(CACHE, ignore_errors=True)
    if os.path.exists(GO):
        os.unlink(GO)
    program_name = command[0].encode()
    with subprocess.Popen([TALLY, "record", "-e", "cpu-clock", "-F", "500", "--flush-ms", "50", *([] if names else ["--no-symbols"]), "-o", path, *options, *command, GO],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV) as process:
        try:
            ready = process.stdout.readline().split()
            assert ready[:1] == ["ready"], process.stderr.read()
            tap.wait_until(lambda: program_name in content(path), "the maps of the command in the recording")
            if works:
                works_on(int(ready[1]))
            change()
            if works:
                works_on(int(ready[1]))
        finally:  # otherwise the command would wait for the file
            open(GO, "w").close()
        _, err = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, err
    return err


def content(path):
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return b""


def works_on(pid, seconds=0.3):
    """Wait until a process has used this much more CPU time or has exited."""
    start = tap.cpu_seconds(pid)
    tap.wait_until(lambda: start is None or (tap.cpu_seconds(pid) or start + seconds) >= start + seconds, f"process {pid} to work")


def tally(*words, **env):
    return tap.run(TALLY, *words, "-i", DATA, env={**ENV, **env}, status=0).stdout


def stacks(script):
    """Return the stack of each sample in a leaf function, innermost function first."""
    found = []
    for sample in script.split("\n\n"):
        names = re.findall(r"^\s+[0-9a-f]+ (\S+?)(?:\+0x\S+)? \(", sample, re.M)
        if names and names[0].endswith("_leaf"):
            found.append(names)
    return found


def shows(which, report):
    """Return true if a function of the old or the new file has a row. The kernel too has functions like
    vma_merge_new_range."""
    return bool(re.search(rf"\b{which}_(leaf|middle)\b", report))


def expect_old(name, want_id, chains):
    """Check that symbols, callers and the build ID are those of the old file."""
    assert f"{want_id} {name}" in tally("buildid-list"), tally("buildid-list")
    report = tally("report", "--stdio", "--no-children", "-g", "none")
    assert "old_leaf" in report and not shows("new", report), report
    if not chains:
        return
    found = stacks(tally("script"))
    whole = [names for names in found if names[:4] == ["old_leaf", "old_middle", "work", "main"]]
    assert len(found) > 20 and len(whole) >= len(found) * 0.98, (len(whole), len(found), found[:3])
    health = re.search(r"# Stacks: \d+ unwound, ([0-9.]+) % complete", report)
    assert health and float(health.group(1)) > 97, report


OPTIONS = {"no stacks": [], "dwarf": ["--call-graph", "dwarf"], "dumps": ["--call-graph", "dwarf", "--keep-stacks"],
           "ids in maps": ["--call-graph", "dwarf", "--buildid-mmap"]}
WAYS = dict(tap.some(OPTIONS.items(), 3))


def each_way(change):
    for what, options in WAYS.items():
        path = program(os.path.join(WORK, "prog"), "old")
        want = identity(path)
        record([path, "1"], options, lambda path=path: change(path))
        expect_old(path, want, options)
        # Without the index, no symbols are found, not even symbols from another file.
        report = tally("report", "--stdio", "--no-children", "-g", "none", TALLY_INDEX="off")
        assert not shows("old", report) and not shows("new", report), report
        reason = "build-id differs from the recorded one" if os.path.exists(path) else GONE
        assert f"# No symbols: {path}: {reason}" in report, report


@tap.full
def test_removed():
    each_way(remove)


def test_replaced():
    each_way(rename_over)


def test_rebuilt():
    each_way(build_anew)


def test_a_library():
    """Test a package upgrade, after which the running process still uses the old library."""
    for options in WAYS.values():
        path = library(os.path.join(WORK, "libwork.so"), "old")
        prog = compile_to(os.path.join(WORK, "user"), source("old", MAIN_SOURCE), path, "-Wl,-rpath," + WORK)
        want = identity(path)

        def change(path=path):
            library(path + ".new", "new")
            os.rename(path + ".new", path)

        record([prog, "1"], options, change)
        expect_old(path, want, options)


def test_overwritten_in_place():
    """Test cp over a library. The mapped contents are lost, and no other contents may be used instead."""
    path = library(os.path.join(WORK, "libcopied.so"), "old")
    # When the library is overwritten, none of its code is running any longer.
    done = GO + ".done"
    text = source("old", MAIN_SOURCE).replace(" || (argc > 2 && access(argv[2], F_OK))", "").replace(
        "return 0;", f'fclose(fopen("{done}", "w")); while (access(argv[2], F_OK)) usleep(10000); _exit(0);')
    prog = compile_to(os.path.join(WORK, "user"), text, path, "-Wl,-rpath," + WORK)
    want, other = identity(path), library(path + ".new", "new")

    def overwrite():
        tap.wait_until(lambda: os.path.exists(done), "the program to be done with it")
        with open(other, "rb") as source_file, open(path, "r+b") as file:
            file.write(source_file.read())

    record([prog, "1"], [], overwrite, works=False)
    assert f"{want} {path}" in tally("buildid-list"), tally("buildid-list")
    report = tally("report", "--stdio", "--no-children")
    assert not shows("old", report) and not shows("new", report), report
    assert f"# No symbols: {path}: build-id differs from the recorded one" in report, report


def test_it_removes_itself():
    """Test a program that removes itself. It cannot be opened by its path in time, only through its process."""
    path = os.path.join(WORK, "itself")
    text = source("old", WORK_SOURCE + MAIN_SOURCE).replace('printf("ready', 'remove(argv[0]); printf("ready')
    for options in WAYS.values():
        compile_to(path, text)
        want = identity(path)
        record([path, "1"], options, lambda: None)
        assert not os.path.exists(path)
        expect_old(path, want, options)


def has_open(pid, path):
    """Return true if a process has a file open."""
    links = [os.path.join(f"/proc/{pid}/fd", name) for name in os.listdir(f"/proc/{pid}/fd")]
    with contextlib.suppress(FileNotFoundError):
        return any(os.readlink(link) == path for link in links)
    return False


def test_a_program_that_exits_before_the_rings_are_read():
    """Test a program that removes itself and exits long before the ring buffers are read."""
    text = source("old", WORK_SOURCE + MAIN_SOURCE).replace('printf("ready', 'remove(argv[0]); printf("ready')
    path = os.path.join(WORK, "short")
    for options in (*WAYS.values(), ["-B"]):
        compile_to(path, text, "-Wl,--build-id=none")
        if os.path.exists(GO):
            os.unlink(GO)
        with subprocess.Popen([TALLY, "record", "-e", "cpu-clock", "-F", "500", "--flush-ms", "0", "-o", DATA, *options, path, "1", GO],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV) as process:
            try:
                assert process.stdout.readline().startswith("ready"), process.stderr.read()
                tap.wait_until(lambda process=process: has_open(process.pid, path + " (deleted)"), "the recorder to open the program")
            finally:
                open(GO, "w").close()
            _, err = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, err
        report = tally("report", "--stdio", "--no-children", "-g", "none")
        assert "old_leaf" in report and "No symbols" not in report, report


def test_a_program_removed_before_its_mapping_was_seen():
    """Stop the recorder while a program runs, so that it sees the mapping too late. The report must contain the reason
    instead of symbols, and no symbols from another file."""
    path = os.path.join(WORK, "late")
    other = program(os.path.join(WORK, "other"), "new")
    for change, reason in ((f"rm {path}", GONE), (f"mv {other} {path}", "the file at this path is not the one that was mapped")):
        program(path, "old")
        tap.run(TALLY, "record", "-e", "cpu-clock", "-F", "500", "-o", DATA,
                "sh", "-c", f"kill -STOP $PPID; {path} 1; {change}; kill -CONT $PPID", env=ENV, status=0)
        report = tally("report", "--stdio", "--no-children")
        assert not shows("old", report) and not shows("new", report), report
        reasons = [line for line in report.splitlines() if line.startswith("# No symbols: ")]
        assert any(line.startswith(f"# No symbols: {path}: {reason}") for line in reasons), reasons


def test_a_library_that_is_gone_at_once():
    """Test a library that is removed immediately, but that root can open through /proc/PID/map_files."""
    machine.need_root()
    text = source("old", MAIN_SOURCE).replace("void work(unsigned long ms);", "#include <dlfcn.h>").replace(
        "clock_t end", 'void (*work)(unsigned long) = dlsym(dlopen("./libgone.so", RTLD_NOW), "work"); remove("libgone.so"); clock_t end')
    prog = compile_to(os.path.join(WORK, "loader"), text, "-ldl")
    path = os.path.join(WORK, "libgone.so")
    for options in WAYS.values():
        library(path, "old")
        want = identity(path)
        before = os.getcwd()
        os.chdir(WORK)
        try:
            record([prog, "1"], options, lambda: None)
        finally:
            os.chdir(before)
        assert not os.path.exists(path)
        expect_old(path, want, options)


def test_in_memory():
    """Test a program that is executed from a memfd and thus has no path, with and without a build ID."""
    launcher = compile_to(os.path.join(WORK, "launcher"), LAUNCHER_SOURCE)
    name = "/memfd:inmemory (deleted)"
    for flags in ([], ["-Wl,--build-id=none"]):
        path = program(os.path.join(WORK, "image"), "old", *flags)
        for options in WAYS.values():
            record([launcher, path, "1"], options, lambda: None, names=True)
            report = tally("report", "--stdio", "--no-children", "-g", "none")
            assert "old_leaf" in report and name not in report.partition("# Health")[2], report
            if not flags:
                expect_old(name, identity(path), options)


def test_one_after_the_other():
    """Test two programs that run one after the other at the same path in one recording. Each must have its own build ID
    and symbols."""
    path = os.path.join(WORK, "both")
    script = os.path.join(WORK, "both.sh")
    other = program(os.path.join(WORK, "other"), "new")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"echo ready $$; '{path}' 1 >/dev/null & echo $! > {GO}.pid; wait\n"
                   f"while [ ! -e {GO}.moves ] && [ ! -e {GO} ]; do sleep 0.01; done; mv '{other}' '{path}'; '{path}' 1 >/dev/null; sleep 0.2\n")

    def first_has_ended():
        """Wait until the recorder has read all of the first program's records, then let the script continue."""
        pid = int(tap.wait_until(lambda: content(GO + ".pid").endswith(b"\n") and content(GO + ".pid"), "the first program's pid"))
        exit_record = struct.pack("<I", 4) + b"[\\s\\S]{4}" + re.escape(struct.pack("<I", pid))
        tap.wait_until(lambda: re.search(exit_record, content(DATA)), "the end of the first program in the recording", pause=0.2)
        open(GO + ".moves", "w").close()

    for options in WAYS.values():
        program(path, "old")
        program(other, "new")
        for name in (GO + ".pid", GO + ".moves"):
            if os.path.exists(name):
                os.unlink(name)
        record(["sh", script], options, first_has_ended, works=False)
        for off in (False, True):
            report = tally("report", "--stdio", "--no-children", "-g", "none", TALLY_INDEX="off" if off else "1G")
            assert "new_leaf" in report and ("old_leaf" in report) != off, report
        script_text = tally("script")
        assert "old_leaf" in script_text and "new_leaf" in script_text
        if options:
            for which in ("old", "new"):
                found = [names for names in stacks(script_text) if names[0] == which + "_leaf"]
                whole = [names for names in found if names[1:4] == [which + "_middle", "work", "main"]]
                assert len(found) > 20 and len(whole) >= len(found) * 0.98, (which, len(whole), len(found), found[:3])
        if shutil.which("perf"):
            theirs = tap.run("perf", "script", "-i", DATA, "-F", "ip,sym", "--no-inline", env=ENV)
            assert theirs.returncode == 0 and "new_leaf" in theirs.stdout, theirs.stderr


def test_without_a_build_id():
    """Test two files that are only distinguished by their inodes. There must be no symbols, and the reason must be
    reported."""
    path = program(os.path.join(WORK, "noid"), "old", "-Wl,--build-id=none")
    record([path, "1"], ["--call-graph", "dwarf"], lambda: rename_over(path))
    report = tally("report", "--stdio", "--no-children", "-g", "none")
    assert not shows("new", report) and "the file at this path is not the one that was mapped" in report, report
    # Stacks were unwound while the file still existed.
    assert float(re.search(r"# Stacks: \d+ unwound, ([0-9.]+) % complete", report).group(1)) > 97, report


def test_changed_after_it_was_recorded():
    """Test an old and a new file that are only distinguished by their timestamps, because they have no build ID.
    Neither symbols nor rules from the new file may be used, and this must be reported."""
    path = program(os.path.join(WORK, "later"), "old", "-Wl,--build-id=none")
    record([path, "1"], ["--call-graph", "dwarf", "--keep-stacks"], lambda: None)
    whole = re.compile(r"# Stacks: \d+ unwound, ([0-9.]+) % complete")
    assert float(whole.search(tally("report", "--stdio")).group(1)) > 97
    time.sleep(max(0, os.stat(DATA).st_mtime + 1.1 - time.time()))  # timestamps are compared in whole seconds
    program(path + ".new", "new", "-Wl,--build-id=none")
    shutil.copyfile(path + ".new", path)  # keeps the inode
    report = tally("report", "--stdio", "--health")
    why = "the file changed after it was recorded, and has no build-id"
    assert float(whole.search(report).group(1)) < 3, report
    # Function names from the new file are not used either.
    assert not shows("new", report) and f"# No symbols: {path}: {why}" in report and "# No lines" not in report, report
    assert re.search(rf"# Stacks ended early: {path}: \d+ file not available \({why}\)", report), report
    assert f'"why":"{why}"' in tally("report", "--json").replace('": "', '":"')


def test_linked_after_it_was_recorded():
    """Check that a file is still used after perf's build-ID cache has linked it or its mode has changed, because its
    contents are the same."""
    path = program(os.path.join(WORK, "linked"), "old", "-Wl,--build-id=none")
    record([path, "1"], ["--call-graph", "dwarf", "--keep-stacks"], lambda: None)
    time.sleep(max(0, os.stat(DATA).st_mtime + 1.1 - time.time()))  # timestamps are compared in whole seconds
    os.link(path, path + ".link")
    os.chmod(path, 0o700)
    assert int(os.stat(path).st_ctime) > int(os.stat(DATA).st_mtime)
    report = tally("report", "--stdio", "--health")
    assert float(re.search(r"# Stacks: \d+ unwound, ([0-9.]+) % complete", report).group(1)) > 97, report


def test_existing_files_get_no_index():
    path = program(os.path.join(WORK, "stays"), "old")
    record([path, "1"], [], lambda: None)
    names = os.listdir(os.path.join(CACHE, "tally")) if os.path.isdir(os.path.join(CACHE, "tally")) else []
    assert identity(path) + ".index" not in names, names


def test_no_index_is_kept():
    """Check that record also respects TALLY_INDEX=off."""
    path = program(os.path.join(WORK, "off"), "old")
    ENV["TALLY_INDEX"] = "off"
    try:
        record([path, "1"], ["--call-graph", "dwarf"], lambda: os.unlink(path))
    finally:
        del ENV["TALLY_INDEX"]
    assert not os.path.exists(CACHE), os.listdir(CACHE)
    report = tally("report", "--stdio", "--no-children", "-g", "none")
    assert f"# No symbols: {path}: {GONE}" in report and identity_line(path), report


def identity_line(path):
    return re.search(r"^[0-9a-f]{40} " + re.escape(path) + "$", tally("buildid-list"), re.M)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
tap.main(__name__, machine.need_events)
