# SPDX-License-Identifier: BSD-2-Clause
"""Test the core on bare metal: boot ports/riscv under QEMU, which has exact counters and overflow interrupts with
-icount shift=0, and check the output of its tasks. argv: tally, the source root, the build directory, 64 or 32 bits."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, ROOT, BUILD, BITS = sys.argv[1:5]
WORK = os.path.join(BUILD, f"riscv{BITS}-machine")
QEMU = (f"qemu-system-riscv{BITS} -M virt -cpu rv{BITS},sscofpmf=true -icount shift=0,sleep=off -bios none -m 128 -nographic "
        "-nodefaults -no-user-config -serial stdio -monitor none").split()
COSTS = os.path.join(ROOT, "bench", "riscv-cost.txt" if BITS == "64" else "riscv32-cost.txt")
TOLERANCE = 0.03  # for costs if the compiler's patch level differs; otherwise costs must be equal
consoles = {}


def build():
    machine.need_qemu(*QEMU)
    if not shutil.which("riscv64-linux-gnu-gcc"):
        raise tap.Skip("riscv64-linux-gnu-gcc is not installed")
    elf = os.path.join(WORK, "tally-riscv.elf")
    if "elf" not in consoles:
        result = tap.run("sh", os.path.join(ROOT, "scripts", "build_riscv.sh"), WORK, BITS)
        tap.same(result.returncode, 0, result.stderr)
        consoles["elf"] = elf
    return elf


def boot(harts):
    """Return the machine's output as {name: lists of numbers}, and store the bytes of its perf.data stream."""
    if harts in consoles:
        return consoles[harts]
    result = subprocess.run([*QEMU, "-smp", str(harts), "-kernel", build()], stdin=subprocess.DEVNULL, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=3000)
    console, stream, numbers = result.stdout, b"", {}
    while console:
        line, _, console = console.partition(b"\n")
        name, _, value = line.decode(errors="replace").strip().rpartition(" ")
        if result.returncode or not value.isdigit():
            raise AssertionError(f"exit {result.returncode}: {line!r} {result.stderr!r}")
        if name == "stream":
            stream, console = stream + console[:int(value)], console[int(value):]
        numbers.setdefault(name, []).append(int(value))
    path = os.path.join(WORK, f"harts-{harts}.data")
    with open(path, "wb") as file:
        file.write(stream)
    numbers["path"] = path
    consoles[harts] = numbers
    return numbers


def test_loops_count_exactly():
    said = boot(1)
    for name in ("cycles_fixed", "instructions_fixed", "cycles_programmable", "instructions_programmable"):
        tap.same(said["count." + name], [100000], name)
    # The count includes instructions executed in kernel ticks, because the emulator's mode filters do not work for
    # these two events.
    tap.within(said["count.long"][0], 20000000, 20000000 * 1.005, "20,000,000 instructions over ticks")


def test_children_are_counted():
    tap.within(boot(1)["inherit.count"][0], 12000000, 12000000 * 1.02, "four children of 3,000,000")


def test_counters_are_shared():
    said = boot(1)
    for value, enabled, running in zip(said["share.value"], said["share.enabled"], said["share.running"]):
        tap.within(running / enabled, 0.63, 0.70, "share of three events on two counters")
        tap.within(value / running, 0.998, 1.001, "cycles in each ns of it")


def test_filters():
    said = boot(1)
    tap.within(said["filter.user"][0], 512, 520, "TLB misses of 512 pages in user mode")
    tap.within(said["filter.kernel"][0], 0, 8, "and in the kernel")


def test_refusals():
    said = boot(1)
    for name, error in (("event", 2), ("group", 22), ("kernel_memory", 14), ("pid", 3)):
        tap.same(said["refuse." + name], [error], name)


def test_every_overflow_arrives():
    said = boot(1)
    counts = said["sample.count"]
    for name, period, at in (("1M", 1000000, 0), ("100k", 100000, 1), ("10k", 10000, 2)):
        tap.same(said["sample." + name], [counts[at] // period], f"samples at {name} of {counts[at]}")
        print(f"# {name}: {said['sample.' + name][0]} samples of {counts[at]}")
    tap.same(said["sample.user"][:3], [said["sample." + name][0] for name in ("1M", "100k", "10k")], "all in the loop")
    # The event covers the 50 ms of the loop, and the time to start and stop it.
    tap.within(said["sample.clock"][0], 200, 201, "samples of 50 ms at 250 us")
    tap.same(said["sample.refresh"], [3], "REFRESH of 3")
    tap.within(said["sample.freq"][0], 380, 420, "samples of 0.1 s at 4000 Hz")


def test_poll_sleeps_until_there_is_something():
    said = boot(1)
    tap.same((said["poll.events"], said["poll.samples"]), ([1, 1], [5, 10]), "POLLIN after every five samples")


def test_prctl_and_a_new_period():
    said = boot(1)
    tap.same(said["prctl.off"], [0], "instructions while all events of the task are off")
    tap.within(said["prctl.on"][0], 1000000, 1002000, "of 1,000,000 after that")
    tap.same((said["period.before"], said["period.after"]), ([2], [20]), "at 1,000,000, then at 100,000")


def test_pinned_and_exclusive():
    said = boot(1)
    tap.same(said["pinned.read"], [24, 24, 0], "bytes read: the third has no counter")
    # The count includes the end of the call that enables the event, and the start of the call that reads it.
    tap.within(said["pinned.again"][0], 100000, 100000 + 2 * said["cost.read"][0], "of 100,000 when it was enabled again")
    enabled, alone, other = (said["exclusive." + name][0] for name in ("enabled", "running", "other"))
    tap.same(alone + other, enabled, "one or the other")
    tap.within(alone / enabled, 0.48, 0.52, "share of the one that wants to be alone")


def test_yielding_loses_no_sample():
    said = boot(1)
    periods, rest = divmod(said["yield.count"][0], 10007)
    # If a period ends while the event is being disabled, no later event can cause the overflow.
    tap.within(said["yield.samples"][0], periods - (rest < 100), periods, f"samples over 2,000 switches, {rest} events behind the last period")


def test_two_events_that_overflow():
    said = boot(1)
    for samples, count, period in zip(said["sample.both"], said["sample.count"][-2:], (100000, 70000)):
        tap.within(samples, count // period - 1, count // period, f"samples of {count} at {period}")


def test_costs():
    """Compare the costs in instructions with those in bench/riscv-cost.txt or riscv32-cost.txt."""
    costs = {name[5:]: values[0] for name, values in boot(1).items() if name.startswith("cost.")}
    with open(COSTS, encoding="utf-8") as file:
        table = file.read()
    known = dict(line.split() for line in table.splitlines() if line and line[0] != "#")
    tap.same(sorted(costs), sorted(known), "names")
    compiler = tap.run("riscv64-linux-gnu-gcc", "--version").stdout.splitlines()[0]
    tolerance = 0 if f"# {compiler}\n" in table else TOLERANCE
    worse = [f"{name}: {costs[name]}, was {was}" for name, was in known.items()
             if abs(costs[name] - int(was)) > tolerance * int(was)]
    print(f"# {compiler}: " + (f"within {TOLERANCE:.0%} of another's" if tolerance else "to be equal"))
    print("\n".join(f"# {name} {cost}" for name, cost in costs.items()))
    tap.same(worse, [], "costs")


def shares(text):
    return {name: float(share) for share, name in re.findall(r"^\s*([\d.]+)%.*\b(hot|warm)\s*$", text, re.M)}


def check_stream(harts, slack):
    said = boot(harts)
    result = tap.run(TALLY, "report", "-i", said["path"], "--symfs", WORK, "--no-children", "-g", "none", "--stdio")
    tap.same(result.returncode, 0, result.stderr)
    got = shares(result.stdout)
    tap.within(got.get("hot", 0), 75 - slack, 75 + slack, "tally: share of hot")
    tap.within(got.get("warm", 0), 25 - slack, 25 + slack, "tally: share of warm")
    text = tap.run(TALLY, "script", "-i", said["path"], "-F", "tid,period").stdout
    samples, due = len(text.splitlines()), sum(said["stream.count"]) / (10007 if harts == 1 or BITS == "64" else 40009)
    # The partial periods of the recorder and its child may add up to a whole period. With two harts, the emulator
    # counts the instructions of both harts on each hart. The other hart can therefore end several periods while
    # interrupts are off, which yields only one sample.
    low, high = (int(due) - 1, int(due)) if harts == 1 else ((0.98 if BITS == "64" else 0.96) * due, 1.02 * due)
    tap.within(samples, low, high, f"samples, of {due:.2f} periods")
    if machine.need_perf.reason():
        return
    result = tap.run("perf", "report", "-i", said["path"], "--symfs", WORK, "--no-children", "-g", "none", "--stdio",
                     "-s", "sym", "-F", "overhead,sym")
    tap.within(shares(result.stdout).get("hot", 0), 75 - slack, 75 + slack, "perf: share of hot")


def test_stream():
    check_stream(1, 1)


def test_two_harts():
    said = boot(2)
    # The harts run alternately, but on each hart the emulator counts the instructions of both.
    tap.within(said["harts.inherit"][0], 20000000, 40000000 * 1.03, "four workers of 5,000,000 on two harts")
    tap.same(said["harts.others_counted"], [50], "events on a task that runs elsewhere")
    tap.same(said["harts.others_backwards"], [0], "of which counted backwards")
    for cycles in said["harts.cycles"]:
        tap.within(cycles, 10000000, 25000000, "cycles of a hart while one task has 10,000,000")


def test_stream_of_two_harts():
    # Because the emulator counts both harts' instructions, the location of a sample depends on which hart is running,
    # so any change to the core's code changes that location.
    check_stream(2, 8)


def test_runs_are_identical():
    first, size = dict(boot(1)), os.path.getsize(boot(1)["path"])
    consoles.pop(1)
    tap.same(boot(1), first, "what the second run said")
    tap.same(os.path.getsize(first["path"]), size, "stream")


if __name__ == "__main__":
    tap.main("__main__")
