#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test that each file of a continuous recording contains the names and mappings of all processes, although the recorder
drops its capabilities after the start.

usage: switched_files.py TALLY

The tests run as root. The recorder runs as an unprivileged user with capabilities.
"""
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = steps.tally()
PLACE = tap.workplace("switched")

# Work in a function with the name WORK. SIGUSR1: execute PROGRAM. SIGUSR2: load LIBRARY and work in its function.
WORKER = r"""
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long n;
static volatile sig_atomic_t asked;
static void on_signal(int number) { asked = number; }
__attribute__((noinline)) void WORK(void) { for (int i = 0; i < 100000; i++) n++; }
int main(int argc, char **argv)
{
	void (*work)(void) = WORK;
	(void)argc;
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	puts("ready");
	fflush(stdout);
	for (;; work()) {
		if (asked == SIGUSR1)
			execl(argv[1], argv[1], NULL);
		if (asked == SIGUSR2) {
			void *library = dlopen(argv[1], RTLD_NOW);
			if (library)
				work = (void (*)(void))dlsym(library, "in_library");
			asked = 0;
		}
	}
}
"""
LIBRARY = "static volatile unsigned long n; void in_library(void) { for (int i = 0; i < 100000; i++) n++; }"

# Fork N processes that map code, have threads, and exit.
CHURN = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t pid = fork();
		if (!pid) {
			pthread_t thread;
			char name[16];
			snprintf(name, sizeof(name), "short-%d", i);
			prctl(PR_SET_NAME, name);
			for (int j = 0; j < 4; j++)
				mmap(NULL, 4096 << j, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (!pthread_create(&thread, NULL, nothing, NULL))
				pthread_join(thread, NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}
"""


def place(*names):
    return os.path.join(PLACE, *names)


def worker(name):
    return steps.build(place(name), WORKER, f"-DWORK=in_{name}", "-O1", "-g", libraries=["-ldl"], once=True)


def as_nobody(capabilities):
    """Return the words that run a command as an unprivileged user with these capabilities only."""
    sets = "".join(f",+{name}" for name in capabilities)
    words = ["setpriv", "--reuid", str(machine.NOBODY), "--regid", str(machine.NOBODY), "--clear-groups",
             f"--inh-caps=-all{sets}", f"--ambient-caps=-all{sets}", f"--bounding-set=-all{sets}"]
    reason = machine.why_not([*words, "true"])
    if reason:
        raise tap.Skip(f"no programs with the capabilities {sets} here: {reason}")
    return words


class Recorder:
    """A recording of all CPUs that continues in another file on request, in a directory that all users can write."""

    def __init__(self, folder, *options, capabilities=None, **environment):
        self.path = os.path.join(folder, "perf.data")
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        if not os.path.exists(place("tally")):
            shutil.copy(TALLY, place("tally"))
        words = as_nobody(capabilities) if capabilities else []
        self.process = subprocess.Popen(
            [*words, place("tally"), "record", "-a", "-e", "cpu-clock:u", "-F", "997", "--flush-ms", "50", "--no-symbols",
             "-o", self.path,
             *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/",
            env={**os.environ, "HOME": folder, "TALLY_INDEX": "off", **environment})
        tap.wait_until(lambda: self.size() or self.process.poll() is not None, "the recording")

    def size(self):
        return os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def files(self):
        return sorted(glob.glob(self.path + ".2*"))

    def record_work(self, *pids):
        """Record until the processes have worked for a while, with samples in the file."""
        before, size = {pid: tap.cpu_seconds(pid) for pid in pids}, self.size()
        for pid in pids:
            tap.wait_until(lambda pid=pid: tap.cpu_seconds(pid) > before[pid] + 0.2, f"work of process {pid}")
        tap.wait_until(lambda: self.size() > size + 4096, "samples")

    def switch(self):
        nr = len(self.files())
        self.process.send_signal(signal.SIGUSR2)
        tap.wait_until(lambda: len(self.files()) > nr and self.size(), lambda: f"file {nr + 1}")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=tap.PATIENCE)[1]
        assert self.process.returncode in (0, 128 + signal.SIGINT, 128 + signal.SIGTERM), (self.process.returncode, said)
        return said

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def memory(self):
        """Return the size of the recorder's memory, in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s*(\d+)", file.read()).group(1))


def samples_of(path, pid):
    """Return the functions and files of a process's samples."""
    shown = tap.run(TALLY, "script", "-i", path, "-F", "pid,ip,sym,dso", status=0, errors="replace").stdout
    return re.findall(rf"^ *{pid} +(.*)$", shown, re.M)


def records_of(path, pid):
    """Return the names of the records of a process."""
    shown = tap.run(TALLY, "script", "-i", path, "--dump-json", status=0, errors="replace").stdout
    return {record["name"] for record in map(json.loads, shown.splitlines()) if record.get("pid") == pid}


def check_names(path, pid, *functions):
    """Check that a process has samples in each of these functions, and none in unknown code."""
    found = samples_of(path, pid)
    for function in functions:
        assert any(function in line for line in found), (path, pid, function, found[:5])
    unknown = [line for line in found if "[unknown])" in line]
    assert not unknown, (path, pid, unknown[:5], len(unknown), len(found))


def need_maps_of_others(capabilities):
    done = subprocess.run([*as_nobody(capabilities), "cat", f"/proc/{os.getpid()}/maps"], capture_output=True, check=False)
    if done.returncode or not done.stdout:
        raise tap.Skip("the mappings of other users' processes cannot be read here")


def recorded_files(name, capabilities, *options):
    """Record three files while processes start, execute, map and exit. Return the files and the PIDs."""
    machine.need_nobody()
    os.chmod(PLACE, 0o755)
    library = steps.build(place("library.so"), LIBRARY, "-O1", "-g", "-shared", "-fPIC", once=True)
    second = worker("second")
    with contextlib.ExitStack() as stack:
        def start(*words):
            return stack.enter_context(steps.Running(words))
        early, short = start(worker("early")), start(worker("short"))
        execs, loads = start(worker("first"), second), start(worker("loads"), library)
        recorder = Recorder(place(name), "--switch-output=signal", *options, capabilities=capabilities)
        stack.callback(recorder.kill)
        late = start(worker("late"))
        recorder.record_work(early, late, execs, loads, short)
        recorder.switch()
        os.kill(execs, signal.SIGUSR1)
        os.kill(loads, signal.SIGUSR2)
        os.kill(short, signal.SIGKILL)
        recorder.record_work(early, late, execs, loads)
        recorder.switch()
        recorder.record_work(early, late, execs, loads)
        recorder.switch()
        recorder.record_work(early, late, execs, loads)
        recorder.end()
    files = recorder.files()
    assert len(files) == 4, files
    return files, {"early": early, "short": short, "execs": execs, "loads": loads, "late": late}


# Functions of each process, by file.
BEFORE = {"early": ["in_early"] * 4, "execs": ["in_first", "in_second", "in_second", "in_second"],
          "loads": ["in_loads", "in_library", "in_library", "in_library"]}
AFTER = {"late": ["in_late"] * 4}


def check_files(files, pids, names):
    for name, functions in names.items():
        for path, function in zip(files, functions):
            check_names(path, pids[name], function)


def check_exited(files, pids):
    """The process that exited in the second file is in no later one. Its EXIT record may still wait at a switch."""
    assert {"MMAP2", "COMM"} <= records_of(files[1], pids["short"]), files[1]
    left = records_of(files[3], pids["short"])
    assert not left, (files[3], left)


def test_all_files_have_the_names_of_other_users_processes():
    """Check that all files have the mappings of processes that a capability made readable at the start, and their later
    changes."""
    capabilities = ["perfmon", "sys_ptrace"]
    need_maps_of_others(capabilities)
    files, pids = recorded_files("ptrace", capabilities)
    check_files(files, pids, {**BEFORE, **AFTER})
    check_exited(files, pids)


def test_processes_started_later_have_names_with_perfmon_alone():
    """Check that a process that starts after the recorder has mappings in all files, although it can never be read."""
    files, pids = recorded_files("perfmon", ["perfmon"])
    check_files(files, pids, AFTER)
    for path in files[1:]:
        assert any("in_second" in line for line in samples_of(path, pids["execs"])), path


@tap.full
def test_root_and_overwritten_rings():
    """Check the same for root, and for rings that are only written out at a switch."""
    for name, options in (("root", []), ("overwrite", ["--overwrite"]), ("tail", ["--tail-synthesize"]),
                          ("unwound", ["--call-graph", "dwarf", "-F", "99"])):
        files, pids = recorded_files(name, None, *options)
        if name != "unwound":
            check_files(files, pids, {**BEFORE, **AFTER})
        check_exited(files, pids)


def switched_by(name, *options):
    """Check that files switched by size or time have the names of a process that started before them."""
    machine.need_nobody()
    os.chmod(PLACE, 0o755)
    capabilities = ["perfmon", "sys_ptrace"]
    need_maps_of_others(capabilities)
    with steps.Running([worker("early")]) as early:
        recorder = Recorder(place(name), *options, capabilities=capabilities)
        try:
            tap.wait_until(lambda: len(recorder.files()) >= 3, "files")
            recorder.end()
        finally:
            recorder.kill()
    found = [path for path in recorder.files() if samples_of(path, early)]
    assert len(found) >= 2, recorder.files()
    for path in found:
        check_names(path, early, "in_early")


def test_files_switched_by_size_have_names():
    """Check --switch-output=SIZE. A file begins with more than SIZE, which does not count."""
    switched_by("size", "--switch-output=20K")


@tap.full
def test_files_switched_by_time_have_names():
    """Check --switch-output=TIME."""
    switched_by("time", "--switch-output=1s")


@tap.full
def test_memory_does_not_grow_with_short_lived_processes():
    """Check that the recorder's memory depends on the live processes, not on the number of processes."""
    churn = steps.build(place("churn"), CHURN, "-O1", libraries=["-lpthread"])
    # Without a quarantine, freed memory is used again under AddressSanitizer.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    recorder = Recorder(place("memory"), "--switch-output=signal", "--no-buildid", ASAN_OPTIONS=options)
    try:
        tap.run(churn, 4000, status=0)
        recorder.switch()
        first = recorder.memory()
        for _ in range(4):
            tap.run(churn, 4000, status=0)
            recorder.switch()
        last = recorder.memory()
        recorder.end()
    finally:
        recorder.kill()
    # 16,000 processes with the mappings of their parent would need 10 MB.
    assert last < first + 4096, (first, last)


tap.main(__name__, machine.need_root, machine.need_system_wide)
