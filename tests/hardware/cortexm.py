#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the core on a Cortex-M3 without an MMU: boot ports/cortexm under QEMU, in which time is exact with -icount,
and compare the output of its threads with the scheduler's data. argv: tally, the source root, the build directory."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, ROOT, BUILD = sys.argv[1:4]
WORK = os.path.join(BUILD, "cortexm-machine")
# An instruction takes 32 ns, about as long as on the real board at 25 MHz.
QEMU = ("qemu-system-arm -M mps2-an385 -icount shift=5,sleep=off -nographic -nodefaults -no-user-config -semihosting "
        "-serial stdio -monitor none").split()
PERIOD = {"cpu": 500000, "stream": 250000}
NS_PER_CYCLE = 40
NS_PER_INSTRUCTION = 32
consoles = {}


def build():
    machine.need_qemu(*QEMU)
    if not shutil.which("arm-linux-gnueabi-gcc"):
        raise tap.Skip("arm-linux-gnueabi-gcc is not installed")
    if "broken" in consoles:
        raise AssertionError("it was not built: see the first test")
    if "elf" not in consoles:
        consoles["broken"] = True
        result = tap.run("sh", os.path.join(ROOT, "scripts", "build_cortexm.sh"), WORK)
        tap.same(result.returncode, 0, result.stderr)
        consoles["elf"] = os.path.join(WORK, "tally-cortexm.elf")
        del consoles["broken"]
    return consoles["elf"]


def boot():
    """Return the machine's output as {name: lists of numbers}, and store the bytes of its perf.data stream."""
    elf = build()
    if "said" in consoles:
        return consoles["said"]
    result = subprocess.run([*QEMU, "-kernel", elf], stdin=subprocess.DEVNULL, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=3000)
    console, stream, numbers = result.stdout, b"", {}
    while console:
        line, _, console = console.partition(b"\n")
        name, _, value = line.decode(errors="replace").strip().rpartition(" ")
        if result.returncode or not value.isdigit():
            raise AssertionError(f"exit {result.returncode}: {line!r} {console[-300:]!r} {result.stderr!r}")
        if name == "stream":
            stream, console = stream + console[:int(value)], console[int(value):]
        numbers.setdefault(name, []).append(int(value))
    consoles["stream"] = os.path.join(WORK, "cortexm.data")
    with open(consoles["stream"], "wb") as file:
        file.write(stream)
    consoles["said"] = numbers
    return numbers


def one(name):
    return boot()[name][0]


def test_the_kernel_shares_time_by_slices():
    tap.same(one("kernel.priority"), 1, "a thread of a higher priority runs at once")
    tap.within(one("kernel.heavy") / (one("kernel.heavy") + one("kernel.light")), 0.74, 0.76, "share of slices 3 of 4")


def test_task_clocks_equal_the_schedulers_times():
    said = boot()
    for i, name in enumerate(("heavy", "light")):
        switches = said["count.context_switches"][i]
        ran, running, value = (said["count." + field][i] for field in ("ran", "running", "task_clock"))
        # During a switch, the scheduler and the core read the clock one after the other, and the event starts only
        # then, so the thread's running time and the event's differ slightly.
        tap.within(ran - running, -2000 * switches, 2000 * switches, f"{name}: ns by which {running} differ over {switches} switches")
        tap.same(value, running, "task-clock is the time it was on")
        tap.same(said["count.enabled"][i], running, "enabled while it ran")
    tap.within(said["count.task_clock"][0] / one("count.elapsed"), 0.73, 0.76, "share of heavy")


def test_the_cpu_clock_is_the_clock():
    tap.within(one("count.cpu_clock") / one("count.elapsed"), 0.999, 1.0, "cpu-clock by the kernel's clock")


def test_children_are_counted():
    tap.within(one("inherit.value") / (one("inherit.ran") + one("inherit.own")), 0.97, 1.0,
           "task-clock of a thread and its four children, by what the scheduler knows")


def test_every_period_is_a_sample():
    for name in ("cpu", "task"):
        due = one(f"sample.{name}_time") // PERIOD["cpu"]
        tap.within(one("sample." + name), due - 1, due, f"samples of {name}, of {due} periods")
    tap.same(one("sample.task_heavy"), one("sample.task"), "samples of the thread that was asked for")
    tap.within(one("sample.cpu_heavy") / one("sample.cpu"), 0.73, 0.77, "share of heavy")
    tap.same(one("sample.cpu_other"), 0, "other records")


def test_a_reader_sleeps_until_there_is_something():
    tap.same([one("poll." + name) for name in ("wakeups", "first", "samples")], [5, 10, 50], "one wakeup for ten samples")
    tap.same(one("poll.after"), 50, "none after the event was disabled")


def test_lost_samples_are_counted():
    due = one("overrun.time") // PERIOD["cpu"]
    tap.within(one("overrun.written") + one("overrun.lost"), due - 1, due, f"samples written and lost, of {due}")
    tap.within(one("overrun.lost"), 1, due, "of which lost")


def test_a_16_bit_counter_is_extended():
    tap.within(one("counter.cycles"), 30 * 65536, 1 << 32, "cycles, over many wraps of the counter")
    tap.within(one("counter.cycles") * NS_PER_CYCLE / one("counter.running"), 0.98, 1.0, "of those there were")


def test_no_overflow_is_lost():
    said = boot()
    for i, period in enumerate(said["counter.period"]):
        due = said["counter.sampled"][i] // period
        print(f"# {due} periods of {period}: {said['counter.samples_kernel'][i]} samples are of handlers")
        tap.same(said["counter.samples"][i], due, "samples, of all periods")
        tap.same(said["counter.samples_of_load"][i], due, "of the thread that was asked for")


def test_the_counter_is_shared():
    said = boot()
    for value, enabled, running in zip(said["share.value"], said["share.enabled"], said["share.running"]):
        tap.within(running / enabled, 0.45, 0.55, "share of two events on one counter")
        tap.within(value * NS_PER_CYCLE / running, 0.97, 1.0, "of the cycles in it")


def test_groups():
    tap.same((one("group.bytes"), one("group.nr")), (24, 2), "leader and member")
    tap.within(one("group.cycles") * NS_PER_CYCLE / one("group.time"), 0.97, 1.0, "cycles in the time of the group")


def test_refresh_period_and_prctl():
    tap.same((one("refresh.samples"), one("period.samples")), (3, 7), "samples until REFRESH is used up")
    tap.same((one("period.set"), one("prctl.off")), (0, 0), "IOC_PERIOD, and what counts while all are off")
    tap.within(one("prctl.on"), 100000 * NS_PER_INSTRUCTION, 130000 * NS_PER_INSTRUCTION, "ns when all are on again")


def test_refusals():
    for name, error in (("type", 2), ("group", 9), ("tid", 3), ("nobody", 22), ("attr", 14), ("buffer", 14), ("room", 28),
                        ("closed", 9)):
        tap.same(one("refuse." + name), error, name)
    tap.same(one("refuse.why"), 1, "a reason in words")


def test_events_of_the_kernel():
    tap.same((one("inside.barks"), one("inside.read"), one("inside.map")), (10, 0, 0), "a watchdog of 10 ms, over 105")
    tap.same(one("inside.overflows"), one("inside.cycles") // 25013, f"callbacks over {one('inside.cycles')} cycles")
    due = one("inside.time") // 5000000
    tap.within(one("inside.samples"), due - 1, due, f"records, of {due} periods")
    tap.same(one("inside.left"), 0, "bytes of the heap that are taken")


def test_threads_preempted_in_the_core():
    said = boot()
    tap.within(sum(said["stress.opened"]), 80, 240, "events opened by four threads on each other")
    tap.within(one("stress.preempted"), 100, 1 << 20, "preemptions meanwhile")
    tap.same(one("stress.heap_after"), one("stress.heap_before"), "bytes of the heap that are taken")


def shares(text):
    return {name: float(share) for share, name in re.findall(r"^\s*([\d.]+)%.*\b(heavy|light)_work\s*$", text, re.M)}


def test_recording():
    boot()
    stream = consoles["stream"]
    result = tap.run(TALLY, "report", "-i", stream, "--symfs", WORK, "--no-children", "--comms", "heavy,light", "--stdio")
    tap.same(result.returncode, 0, result.stderr)
    got = shares(result.stdout)
    known = one("stream.heavy") / (one("stream.heavy") + one("stream.light"))
    tap.within(got["heavy"] / (got["heavy"] + got["light"]), known - 0.01, known + 0.01, f"share of heavy, which had {known}")
    if not machine.need_perf.reason():
        result = tap.run("perf", "report", "-i", stream, "--symfs", WORK, "--no-children", "--stdio", "-s", "sym", "-F", "overhead,sym")
        tap.same(shares(result.stdout), got, "shares by perf")
    samples = len(tap.run(TALLY, "script", "-i", stream, "-F", "tid,period").stdout.splitlines())
    due = one("stream.time") // PERIOD["stream"]
    tap.within(samples, due - 1, due, f"samples, of {due} periods")


def test_sizes():
    """Print the sizes, and check them against the limits of the board, on which handlers and threads have 4 KB
    stacks."""
    result = tap.run("arm-linux-gnueabi-size", build(), os.path.join(WORK, "core-cortex-m3", "whole"))
    for line in result.stdout.splitlines():
        print("# " + line)
    for name, most in (("handler_stack", 4000), ("boot_stack", 4000), ("thread_stack", 4000)):
        tap.within(one("size." + name), 1, most, name)
    tap.within(max(boot()["stress.stack"]), 1, 4000, "stack of a thread that calls the core")
    for name, most in (("core", 16384), ("event", 1024), ("context", 1024), ("task", 64)):
        tap.within(one("size." + name), 1, most, f"bytes of the {name}")
    print(f"# heap: {one('size.heap')} bytes, {one('size.heap_most')} at most")


def test_more_than_32_bits():
    tap.within(one("long.elapsed"), 15e9, 15.01e9, "ns slept")
    tap.within(one("long.count"), one("long.elapsed") - 100000, one("long.elapsed"), "of which cpu-clock")
    tap.same((one("long.samples"), one("long.backwards")), (2, 0), "samples of 7 s each, in order")
    tap.within(one("long.last"), 13.9999e9, 14.0001e9, "ns until the last one")


def test_reading_while_the_counter_overflows():
    tap.within(one("read.cycles"), 100 * 1259, 1 << 32, "cycles meanwhile")
    tap.same(one("read.backwards"), 0, "counts that are not more than the one before")


def test_stacks_and_interrupts_off():
    """Check the stack size needed by each entry point, which hosts must provide. The times with interrupts disabled are
    only printed."""
    said = boot()
    for name in (name[6:] for name in said if name.startswith("stack.")):
        tap.within(one("stack." + name), 1, 2000, f"{name}: {one('off.' + name) // NS_PER_INSTRUCTION} instructions with interrupts off, "
               "bytes of stack")


def test_costs():
    """Print the costs. They are not compared with known values, because they change with the compiler and the core."""
    for name in ("switch", "switch_1", "switch_clock", "switch_4", "read", "open_close"):
        tap.within(one("cost." + name), 1, 100000, f"instructions of {name}")


def test_runs_are_identical():
    first = dict(boot())
    with open(consoles["stream"], "rb") as file:
        stream = file.read()
    del consoles["said"]
    tap.same(boot(), first, "what the second run said")
    with open(consoles["stream"], "rb") as file:
        tap.same(file.read() == stream, True, "the same recording")


if __name__ == "__main__":
    tap.main("__main__")
