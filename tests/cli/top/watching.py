# SPDX-License-Identifier: BSD-2-Clause
"""Watch a program with `tally top --stdio`. The first argument of the script is the program tally."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
DEADLINE = tap.PATIENCE
FOLDER = tap.workplace("top")
HEADER = re.compile(r"PerfTop: +\d+ irqs/sec  kernel: *\d+\.\d%  exact: +\d+\.\d% lost: \d+/\d+ "
                    r"drop: \d+/\d+ (?:cut: \d+\.\d% )?\[997Hz (cycles|cpu-clock)[^\]]*\],  \((.*)\)")
ROW = re.compile(r"^ +(\d+\.\d\d)%  (\S.*?) +\[([k.])\] (\S.*?) *$")
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

volatile unsigned long sink;
volatile int forever = 1;
/* Long calls: hardly a sample falls where a function has no frame yet, which forks its chain. */
void spin_often(void) { for (int i = 0; i < 3000000; i++) sink += i; }
void spin_seldom(void) { for (int i = 0; i < 1000000; i++) sink -= i; }
void outer_function(void) { while (forever) { spin_often(); spin_seldom(); } }
static void *other(void *name) { prctl(PR_SET_NAME, name); outer_function(); return 0; }
int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "threads"))
		pthread_create(&thread, NULL, other, "second_thread");
	if (argc > 1 && !strcmp(argv[1], "forks")) {
		for (;;) {
			if (!fork()) {
				execl(argv[2], argv[2], "brief", NULL);
				_exit(1);
			}
			wait(NULL);
		}
	}
	if (argc > 1 && !strcmp(argv[1], "brief")) {
		for (int i = 0; i < 4; i++) { spin_often(); spin_seldom(); }
		return 0;
	}
	outer_function();
}
"""


def built(name):
    """Return the path of a copy of the program with this name. Build the program if necessary."""
    first, path = os.path.join(FOLDER, "spinner"), os.path.join(FOLDER, name)
    steps.build(first, PROGRAM, "-O0", "-fno-omit-frame-pointer", "-pthread", compiler="gcc", file=first + ".c", once=True)
    if path != first:
        shutil.copy(first, path)
    return path


class Started:
    """A process that is always killed at the end of the block."""

    def __init__(self, *args, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, **options)

    def __enter__(self):
        return self.process

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def may_watch():
    machine.need_events()
    machine.need_system_wide()


def screens(text):
    """Split the output of --stdio into screens, each of which is a list of lines."""
    parts = text.split("\n   PerfTop:")[1:]
    return [("PerfTop:" + part).splitlines() for part in parts]


def rows_of(lines):
    return [(float(m.group(1)), *m.groups()[1:]) for m in map(ROW.match, lines) if m]


def stdio(*args, until, environment=None):
    """Run tally top as text until a screen meets the condition, end it with Ctrl-C, and return that screen."""
    with Started(TALLY, "top", "--stdio", "-F", "997", "-d", "0.3", *args, stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE, env=environment) as top:
        os.set_blocking(top.stdout.fileno(), False)
        text, end, found = "", time.monotonic() + DEADLINE, None
        while not found:
            assert time.monotonic() < end, f"never as wanted; the end: {text[-1500:]}"
            assert top.poll() is None, f"ended by itself: {top.stderr.read().decode()} {text[-500:]}"
            text += (top.stdout.read() or b"").decode()
            # The last screen may be incomplete.
            found = next((s for s in screens(text)[:-1] if until(s)), None)
            time.sleep(0.02)
        top.send_signal(signal.SIGINT)
        assert top.wait(DEADLINE) == 0, f"status {top.returncode}"
    return found


def shows(symbol, least=1.0):
    return lambda lines: any(row[3] == symbol and row[0] >= least for row in rows_of(lines))
