# SPDX-License-Identifier: BSD-2-Clause
"""Helpers that the benchmarks share: the cost of commands, and the kernel's settings for high sampling rates."""
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
TALLY = os.path.join(HERE, "..", "build", "src", "cli", "tally")
THROTTLE = "/proc/sys/kernel/perf_cpu_time_max_percent"
RATE = "/proc/sys/kernel/perf_event_max_sample_rate"

# A short version of the usual stack folding script, which sums up the samples by comm and functions.
FOLD = r"""
import collections, sys
stacks, head, frames = collections.Counter(), None, []
for line in sys.stdin.buffer:
    if line == b"\n":
        stacks[b";".join([head, *reversed(frames)])] += 1
        head, frames = None, []
    elif head is None:
        head = line.split()[0]
    else:
        frames.append(line.split(None, 1)[1].rsplit(b" (", 1)[0].split(b"+0x")[0].strip())
for stack, number in stacks.items():
    sys.stdout.buffer.write(stack + b" %d\n" % number)
"""


class Cost(typing.NamedTuple):
    cpu: float  # user + system seconds, including children
    wall: float  # seconds
    peak: float  # KB


def tool(tally, name):
    """Return the path of a helper program in tally's build."""
    return os.path.join(os.path.dirname(tally), "..", "..", "bench", name)


def end_group(leader):
    """Kill a process that leads its process group, with its descendants."""
    os.killpg(leader.pid, signal.SIGKILL)
    leader.communicate()


def cost(tally, argv, output="/dev/null", limit=None, inside=(), env=None):
    """Return the Cost of a run, which must succeed, or None if it takes more than `limit` seconds. `inside` is a command
    that runs its arguments, and is not measured."""
    argv = [str(word) for word in argv]
    with subprocess.Popen([*inside, tool(tally, "cost"), output, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, start_new_session=True, env=env) as child:
        try:
            line = child.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            end_group(child)
            return None
        except BaseException:
            end_group(child)
            raise
    words = [int(word) for word in line.split()]
    if child.returncode or words[3]:
        raise SystemExit(f"{' '.join(argv)}: exit status {words[3] if words else child.returncode}")
    return Cost(words[0] / 1e6, words[1] / 1e6, words[2])


def median(costs):
    """Return a Cost in which each field is the median of this field in a list."""
    return Cost(*map(statistics.median, zip(*costs)))


def alternate(tally, commands, runs):
    """Return the median Cost of each command. The commands run alternately, so changes in the machine's load affect all
    of them."""
    taken = [[] for _ in commands]
    for _ in range(runs):
        for number, argv in enumerate(commands):
            taken[number].append(cost(tally, argv))
    return [median(costs) for costs in taken]


def set_sysctl(path, text):
    try:
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
    except OSError as error:
        print(f"{path}: {error}; recordings may be throttled", file=sys.stderr)


@contextlib.contextmanager
def high_rates():
    """Allow high sampling rates, and do not throttle."""
    with open(THROTTLE, encoding="ascii") as f:
        throttle = f.read()
    # The rate can be set only while throttling is on.
    for path, text in ((THROTTLE, "25"), (RATE, "100000"), (THROTTLE, "0")):
        set_sysctl(path, text)
    try:
        yield
    finally:
        set_sysctl(THROTTLE, throttle)
