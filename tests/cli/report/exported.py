# SPDX-License-Identifier: BSD-2-Clause
"""A recording with threads, recursion and inlined functions, and tally's output for the recording in every report
--format format."""
import os

import crafted
import export_readers as readers
import steps
import tap

TALLY = steps.tally()
WORK = tap.workplace("export")
DATA, TWO = os.path.join(WORK, "perf.data"), os.path.join(WORK, "two.data")
STACKS = ("folded", "speedscope", "firefox", "pprof", "otlp", "perfetto")  # formats that contain complete stacks
FORMATS = STACKS + ("callgrind", "json", "csv")

PROGRAM = r"""
#include <pthread.h>
#include <sys/prctl.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(int n) { for (int i = 0; i < n; i++) sink += i; }
static inline __attribute__((always_inline)) void inlined_part(int n) { innermost(n); sink++; }
__attribute__((noinline)) void busy(int n) { inlined_part(n); sink++; }
__attribute__((noinline)) void again(int n)
{
	if (n)
		again(n - 1);
	for (int i = 0; i < 100000; i++)
		sink += 2 * i;
}
__attribute__((noinline)) void pong(int n);
__attribute__((noinline)) void ping(int n)
{
	if (n)
		pong(n - 1);
	for (int i = 0; i < 50000; i++)
		sink += 3 * i;
}
__attribute__((noinline)) void pong(int n)
{
	if (n)
		ping(n - 1);
	for (int i = 0; i < 50000; i++)
		sink += 5 * i;
}
/* Where busy() returns to is code of another function. */
static inline __attribute__((always_inline)) void after(void) { sink++; }
__attribute__((noinline)) void outer(void) { busy(1000000); after(); again(5); ping(6); sink++; }
static void *thread(void *arg)
{
	prctl(PR_SET_NAME, "worker bee");
	for (int i = 0; i < 40; i++)
		outer();
	return arg;
}
int main(void)
{
	pthread_t other;
	pthread_create(&other, 0, thread, 0);
	for (int i = 0; i < 60; i++)
		outer();
	pthread_join(other, 0);
}
"""


def setup():
    program = os.path.join(WORK, "loop")
    steps.build(program, PROGRAM, "-g", "-O0", "-fno-omit-frame-pointer", "-pthread", compiler="gcc", file=program + ".c")
    for path, events in ((DATA, "cpu-clock"), (TWO, "cpu-clock,task-clock")):
        steps.record(path, "-e", events, "-F", "2000", "--sample-cpu", "-g", program)


def export(form, *options, data=DATA, status=0):
    """Return the bytes that report --format writes to standard output."""
    return tap.run(TALLY, "report", "-i", data, "--format", form, "--raw-chains", *options, text=False, status=status).stdout


def script(*options, data=DATA, tool=TALLY):
    run = tap.run(tool, "script", "-i", data, "-F", "comm,pid,tid,cpu,time,period,ip,sym,dso", *options, errors="replace",
                  status=0)
    return readers.script(run.stdout)


def report(*options, data=DATA):
    return steps.report_json(data, "--raw-chains", "-g", "none", *options)["events"]


def same_counts(got, want, what):
    """Compare two Counters. The message contains only the differences."""
    differ = {key: (got[key], want[key]) for key in set(got) | set(want) if got[key] != want[key]}
    assert not differ, f"{what}: {len(differ)} differ (got, wanted): {sorted(differ.items(), key=str)[:3]}"


def crafted_file(name, records, **attr):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(crafted.file_bytes(records, [crafted.attr(**attr)]))
    return path
