#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the stacks of programs without frame pointers, which are unwound while recording, while reading, and in tally
top.

usage: unwind.py TALLY

The depth of the workload's stacks is known.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
PERF = "perf"
WORK = tap.workplace("unwind")
DEPTH = 20
os.environ["XDG_CACHE_HOME"] = WORK

SOURCE = """
volatile unsigned long sum;
__attribute__((noinline, noclone)) unsigned long leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i * i;
	return sum;
}
__attribute__((noinline, noclone)) unsigned long deeper(int depth)
{
	volatile char frame[ROOM];

	frame[0] = (char)depth;
	if (!depth)
		return leaf(20000) + frame[0];
	return deeper(depth - 1) + frame[0];
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 4000; i++)
		deeper(DEPTH);
	return 0;
}
"""


def build(name, *flags, room=16, depth=DEPTH):
    path = os.path.join(WORK, name)
    return steps.build(path, SOURCE.replace("ROOM", str(room)).replace("DEPTH", str(depth)), "-O2", "-fno-optimize-sibling-calls",
                       *(flags or ["-fomit-frame-pointer"]), file=path + ".c", once=True)


def record(name, *options, program=None):
    path = os.path.join(WORK, name + ".data")
    run = tap.run(TALLY, "record", "-o", path, "-e", "task-clock:u", "-F", "999", *options, "--",
                  program or build("deep"), status=0)
    return path, run.stderr


def health(path):
    return steps.report_json(path)["health"]


def stacks(path):
    """Return the symbols in each sample's callchain."""
    text = tap.run(TALLY, "script", "-F", "ip,sym", "-i", path).stdout
    found = [re.findall(r"^\s*[0-9a-f]+ (\S+)$", part, re.MULTILINE) for part in re.split(r"\n\s*\n", text)]
    return [stack for stack in found if stack]


def check_stacks(path, least=0.99):
    """Check that there are enough samples in leaf, and that nearly all of their stacks are complete and of the known
    depth."""
    wanted = ["leaf"] + ["deeper"] * (DEPTH + 1) + ["main"]
    found = [stack for stack in stacks(path) if stack[0] == "leaf"]
    assert len(found) > 20, f"{len(found)} samples in leaf"
    right = sum(stack[:len(wanted)] == wanted and stack[-1] == "_start" for stack in found)
    assert right >= least * len(found), f"{right} of {len(found)} stacks are right, such as {found[0]}"


def test_recorded_stacks_are_whole_and_no_dumps():
    path, told = record("unwound", "--call-graph", "dwarf")
    check_stacks(path)
    unwound, whole = map(int, re.search(r"(\d+) stacks unwound, (\d+) of them completely", told).groups())
    assert whole >= 0.99 * unwound and unwound > 20, told
    assert os.path.getsize(path) < 1000 * unwound, "there are dumps in it"
    said = health(path)["stacks"]
    tap.same((said["unwound"], said["whole"]), (unwound, whole), "what the file says of its stacks")
    assert "# Stacks: " in tap.run(TALLY, "report", "--stdio", "-i", path).stdout


def test_kept_stacks_are_unwound_when_read():
    path, told = record("kept", "--call-graph", "dwarf", "--keep-stacks")
    assert "stacks unwound" not in told, told
    said = health(path)["stacks"]
    assert said["whole"] >= 0.99 * said["unwound"] > 20, said
    assert os.path.getsize(path) > 4000 * said["unwound"], "there are no dumps in it"
    check_stacks(path)


def test_perf_reads_both():
    machine.need_perf_records("-e", "task-clock:u", "--call-graph", "dwarf")
    for name, options in (("unwound", []), ("kept", ["--keep-stacks"])):
        path, _ = record(name, "--call-graph", "dwarf", *options)
        want = tap.run(PERF, "script", "--no-inline", "-i", path, env={**os.environ, "PAGER": "cat"}).stdout
        got = tap.run(TALLY, "script", "-i", path).stdout
        assert want.count("deeper") > 20 * DEPTH, want[:400]
        # perf's unwinder stops in the dynamic loader, so only leaf is compared.
        parts = [[part for part in text.split("\n\n") if " leaf+" in part] for text in (got, want)]
        tap.same("\n\n".join(parts[0]), "\n\n".join(parts[1]), f"{name}: tally script against perf script")


def test_perf_recordings_are_unwound():
    machine.need_perf_records("-e", "task-clock:u", "--call-graph", "dwarf")
    path = os.path.join(WORK, "perf.data")
    tap.run(PERF, "record", "-q", "-o", path, "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", build("deep"), status=0)
    check_stacks(path)


def test_streams_compressed_files_and_several_files():
    path = os.path.join(WORK, "stream.data")
    with open(path, "wb") as file:
        run = tap.run(TALLY, "record", "-o", "-", "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "--",
                      build("deep"), stdout=file)
    assert not run.returncode, run.stderr
    check_stacks(path)
    check_stacks(record("compressed", "--call-graph", "dwarf", "-z")[0])
    path = os.path.join(WORK, "switched.data")
    # Such a small ring buffer loses most samples, so sample at a higher rate to keep some of them.
    tap.run(TALLY, "record", "-o", path, "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "-m", "16", "--switch-output=4K",
            "--", "sh", "-c", f"for i in 1 2 3 4 5 6; do {build('deep')}; done", status=0)
    files = glob.glob(path + ".*")
    assert len(files) > 1, files
    assert sum(health(file)["stacks"]["whole"] for file in files) > 20, [health(file) for file in files]


def test_several_events_with_different_fields():
    path, _ = record("events", "-e", "cpu-clock/call-graph=dwarf/u", "-e", "page-faults:u")
    said = health(path)
    assert said["stacks"]["whole"] >= 0.99 * said["stacks"]["unwound"] > 20, said
    assert said["callchains"] < said["samples"], said


def test_threads_and_children_are_followed():
    script = f"{build('deep')} & {build('deep')}; wait"
    path = os.path.join(WORK, "children.data")
    tap.run(TALLY, "record", "-o", path, "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "--",
            "sh", "-c", script, status=0)
    check_stacks(path)


def test_running_process():
    with subprocess.Popen(["sh", "-c", f"while :; do {build('deep')}; done"]) as shell:
        try:
            path = os.path.join(WORK, "running.data")
            tap.run(TALLY, "record", "-o", path, "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "-p",
                    shell.pid, "--", *tap.work_of(shell.pid, seconds=1), status=0)
            check_stacks(path)
        finally:
            shell.send_signal(signal.SIGKILL)


def test_short_dumps_are_told_and_pointers_go_on():
    program = build("large", "-fno-omit-frame-pointer", room=512, depth=60)
    path, _ = record("short", "--call-graph", "dwarf", program=program)
    said = health(path)["stacks"]
    assert said["short_dump"] >= 0.9 * said["unwound"] > 10, said
    tap.same(said["files"][0]["file"], program, "where they ended")
    text = tap.run(TALLY, "report", "--stdio", "-i", path).stdout
    assert "# Hint: stack dump too short: use 'record --call-graph dwarf,65528'" in text, text
    path, _ = record("auto", "--call-graph", "auto", program=program)
    said = health(path)["stacks"]
    assert said["pointers"] >= 0.9 * said["unwound"] > 10, said
    for stack in stacks(path):
        if stack[0] == "leaf":
            tap.same((stack.count("deeper"), stack.count("main")), (61, 1), "frames by rules and by pointers")
    path, _ = record("long", "--call-graph", "dwarf,65528", program=program)
    said = health(path)["stacks"]
    assert said["whole"] >= 0.9 * said["unwound"] > 10, said


# JIT code that runs for a long time with a data address in %rbp: mov %rsi,%rbp; 1: dec %rdi; jnz 1b. The data looks
# like frames, each with the address of the next frame and a word that is not a code address.
ASTRAY = r"""
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xf5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
	void *made = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long data[64] = {0};

	if (made == MAP_FAILED)
		return 1;
	memcpy(made, code, sizeof(code));
	data[0] = (unsigned long)&data[8];
	data[1] = (unsigned long)&data[30];
	data[8] = (unsigned long)&data[16];
	data[9] = -1UL;
	data[17] = 0x1930508b483e894d;
	((void (*)(long, void *))made)(WORK, data);
	return 0;
}
"""


@tap.always
def test_data_in_the_frame_pointer_is_not_taken_for_a_caller():
    if os.uname().machine != "x86_64":
        raise tap.Skip("the code that is made is of x86-64")
    program = steps.build(os.path.join(WORK, "astray"), ASTRAY.replace("WORK", "300000000"), "-O1")
    for mode in ("auto", "dwarf", "fp"):
        path, _ = record("astray-" + mode, "--call-graph", mode, program=program)
        chains = [chain.split() for chain in tap.run(TALLY, "script", "-F", "ip", "-i", path).stdout.split("\n\n") if chain.strip()]
        made = [chain for chain in chains if len(chain) == 1 or mode == "fp"]
        assert len(made) > 20 and len(made) > 0.8 * len(chains), (mode, len(chains), chains[:3])
        if mode == "fp":  # shown as recorded by the kernel, with the sampled address first
            tap.same(len(chains), steps.report_json(path)["events"][0]["samples"], "samples with a frame")
        else:
            said = health(path)["stacks"]
            assert said["pointers"] == 0 and said["anonymous"] > 0.8 * said["unwound"], (mode, said)


def test_stripped_functions_have_bounds():
    program = build("stripped")
    assert not tap.run("strip", program).returncode
    path, _ = record("stripped", "--call-graph", "dwarf", program=program)
    names = [name for stack in stacks(path) for name in stack if name.startswith("fn@")]
    tap.same(names, [], "script has perf's names")
    rows = json.loads(tap.run(TALLY, "report", "--json", "--no-children", "-i", path).stdout)["events"][0]["rows"]
    assert re.fullmatch(r"\[\.\] fn@[0-9a-f]+", rows[0]["symbol"]), rows[0]
    assert rows[0]["self_samples"] > 0.9 * sum(row["self_samples"] for row in rows), rows
    text = tap.run(TALLY, "report", "--no-bounds", "--no-children", "-g", "none", "-i", path).stdout
    assert "fn@" not in text and text.count("[.] 0x") > 1, text
    assert " without a name (fn@START)" in tap.run(TALLY, "report", "--health", "-i", path).stdout


def test_top_unwinds():
    with subprocess.Popen(["sh", "-c", f"while :; do {build('deep')}; done"]) as shell:
        try:
            top = subprocess.Popen([TALLY, "top", "--stdio", "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf",
                                    "-p", str(shell.pid), "-d", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            tap.read_until(top.stdout, lambda text: "deeper" in text and re.search("__libc_start_(call_)?main", text), "whole stacks")
            top.send_signal(signal.SIGINT)
            told = top.communicate(timeout=tap.PATIENCE)[1]
            tap.same(top.returncode, 0, told)
        finally:
            shell.send_signal(signal.SIGKILL)


def test_an_index_that_becomes_shorter_while_its_rules_are_used():
    """Check that the unwinding threads survive truncation of an index while its rules are in use."""
    record("before")
    indexes = glob.glob(os.path.join(WORK, "tally", "*.index"))
    assert indexes, "no index of rules was written"
    path = os.path.join(WORK, "shorter.data")
    with subprocess.Popen([TALLY, "record", "-o", path, "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "--", "sh", "-c",
                           f"{build('deep')}; touch {WORK}/half; {build('deep')}"], stderr=subprocess.PIPE, text=True) as recorder:
        while not os.path.exists(os.path.join(WORK, "half")) and recorder.poll() is None:
            time.sleep(0.01)
        for index in indexes:
            os.truncate(index, 0)
        said = recorder.communicate(timeout=tap.PATIENCE)[1]
    tap.same(recorder.returncode, 0, said)
    assert tap.run(TALLY, "report", "--stdio", "-i", path, "--stdio").returncode == 0


def test_dumps_stay_where_no_thread_can_be_started():
    machine.need_events_of_users()
    # RLIMIT_NPROC does not apply to root. Use an unused UID, since a user's other processes would count towards the
    # limit.
    user = 60000 + os.getpid() % 5000
    if reason := machine.why_not(["prlimit", "--nproc=3", "sh", "-c", "true & true & wait"], user=user):
        raise tap.Skip(f"a user {user} of three processes is not possible here: {reason}")
    folder = tempfile.mkdtemp(prefix="tally-unwind-nobody-")
    os.chmod(folder, 0o777)
    path = os.path.join(folder, "data")
    program, tool = shutil.copy(build("deep"), folder), shutil.copy(TALLY, folder)
    run = tap.run("prlimit", "--nproc=3", tool, "record", "-e", "task-clock:u", "-F", "999", "--call-graph", "dwarf", "-o", path,
                  "--", program, user=user, cwd=folder, env=tap.without_leaks())
    try:
        tap.same(run.returncode, 0, run.stderr)
        assert "keeping stack dumps" in run.stderr, run.stderr
        assert health(path)["stacks"]["whole"] > 0
    finally:
        shutil.rmtree(folder)


def test_dumps_stay_where_the_file_was_gone():
    """Check that stack dumps are kept if the file is removed early, and that they can be unwound later with a copy of
    the file."""
    copies = os.path.join(WORK, "copies")
    os.makedirs(copies + WORK)
    gone = shutil.copy(build("alone", "-fomit-frame-pointer", "-static"), copies + WORK + "/gone")[len(copies):]
    script = os.path.join(WORK, "run_and_remove")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\ncp {copies}{gone} {gone}; {gone}; rm {gone}\n")
    os.chmod(script, 0o755)
    path, _ = record("gone", "--call-graph", "dwarf", "--no-buildid", program=script)
    text = tap.run(TALLY, "report", "--json", "-i", path, "--symfs", copies).stdout
    found = json.loads(text)["health"]["stacks"]
    # The copies do not include the shell and its tools, so some stacks remain incomplete.
    assert found["whole"] >= 0.5 * found["unwound"] > 10, (health(path)["stacks"], found)


def test_rejects_invalid_options():
    for word in ("auto,0", "auto,x", "dwarf,99999", "auto8192", "lbr,1"):
        run = tap.run(TALLY, "record", "--call-graph", word, "true")
        assert run.returncode and f"--call-graph {word}: " in run.stderr, run.stderr


tap.main(__name__, machine.need_events)
