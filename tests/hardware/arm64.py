# SPDX-License-Identifier: BSD-2-Clause
"""Test the tools on Linux with a PMU: tally built for arm64 on Debian's arm64 kernel under QEMU, which has exact
counters and overflow interrupts. argv: tally, the source root, the build directory.

Three guests run at the same time: `exact` has one CPU; `wide` has two, for system-wide commands and the differential
suite; `peer` runs Debian's perf for comparison. Each command in a guest has a name, and the tests below check its
output."""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from arm64_guests import (CALLERS, COUNTERS, FIXTURE_VIEWS, FIXTURES, FOREIGN, LOOP, MOVED, PEER, PERIODS,  # noqa: E402
                          SUITE, TALLY, TICKING, VIEWS, WORK, chains, counts, data, guest, rows, samples, script, shares,
                          values)


# ---- counting -------------------------------------------------------------------------------------------

def test_machine():
    print("\n".join("# " + line for line in guest("exact").said("machine").splitlines()))
    tap.same("armv8_pmuv3" in guest("exact").said("machine"), True, "there is a PMU")


def test_loop_counts_exactly():
    tap.same(values("loop"), [LOOP, LOOP], "cycles and instructions in user mode")
    text = guest("exact").text("repeat.err")
    tap.same(text.split(",")[:4], [str(LOOP), "", "instructions:u", "0.00%"], "mean and deviation of three runs")


def test_kernel_is_counted():
    cycles, instructions, kernel = values("kernel")
    tap.same((cycles, cycles - kernel), (instructions, LOOP), "instructions; what is not the kernel's")
    tap.within(kernel, 10000, 2000000, "cycles in the kernel of a loop of 0.1 s")


def test_interval_adds_up():
    text = guest("exact").text("interval.err")
    parts = [int(line.split(",")[1]) for line in text.splitlines() if line]
    tap.same((len(parts) > 4, sum(parts)), (True, LOOP), "several intervals, and their sum")


def test_groups_fit_or_not():
    for size in range(1, COUNTERS + 1):
        tap.same(values(f"group_{size}"), [LOOP] * size, f"a group of {size}")
    text = guest("exact").text("group_8.err")
    tap.same([row[0] for row in rows(text)], [LOOP] * 7 + ["<not supported>"],
             "a group of eight")
    tap.same("the kernel accepts the event alone, but not in its group" in text, True, text)


def check_multiplexed(name, number, fit):
    found = counts(name)
    tap.same(len(found), number, "events")
    tap.within(sum(row[3] for row in found) / 100, fit - 0.02, fit + 0.01, f"{name}: counters that are in use")
    for row in found:
        tap.within(row[0] / LOOP, 0.995, 1.005, f"{name}: estimate, of what ran {row[3]} %")


def test_more_events_than_counters():
    check_multiplexed("many", 10, 7)
    check_multiplexed("many_instructions", 10, 6)
    check_multiplexed("two_groups", 8, 4)


def test_weak_group_is_split():
    guest("exact").said("weak_group")
    found = rows(guest("exact").text("weak_group.err"))
    tap.same(len(found), 8, "events")
    for row in found:
        tap.within(row[0] / LOOP, 0.99, 1.01, f"estimate, of what ran {row[3]} %")


def test_pinned():
    tap.same(values("pinned"), [LOOP] * 7 + ["<not counted>"], "eight that must always count")
    first, *others = counts("pinned_first")
    tap.same(first[3], 100.0, "share of a pinned event")
    tap.within(sum(row[3] for row in others) / 100, 5.98, 6.01, "counters for the others")


def test_inherit():
    total, own = values("inherit")[0], values("no_inherit")[0]
    tap.within(total - own, 40000000, 40000100, "instructions of four children")
    tap.within(own, 50, 500, "instructions of their parent")


def test_sleep_is_not_counted():
    user, both = values("asleep")
    tap.within(user, 20000000, 20000200, "cycles in user mode")
    tap.within(both, 20000000, 21000000, "cycles of a program that slept for 50,000,000")


def default_events(text):
    return re.findall(r"^\s*[\d.<>a-z ]+? (?:msec )?([a-z-]+)(?:\s+#.*|\s*)$", text.split("seconds time")[0], re.M)


def test_default_events():
    text = guest("exact").text("default.err")
    tap.same(default_events(text), ["task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles",
                                    "instructions", "branches", "branch-misses"], text)
    cycles = int(re.search(r"(\d+)\s+cycles", text).group(1))
    tap.within(cycles, LOOP, LOOP * 1.02, "cycles, kernel and all")
    tap.same(text.count("<not supported>"), 2, "this PMU knows nothing of branches")


def test_names_of_the_tables():
    tap.same([row[:2] for row in rows(guest("exact").text("names.err"))],
             [(LOOP, "inst_retired:u"), (LOOP, "cpu_cycles:u"), (LOOP, "INST_RETIRED:u")], "names")
    tap.same(values("raw_names"), [LOOP] * 3, "raw events")
    tap.same(values("absent"), [LOOP, "<not supported>"], "an event that is not there")
    ratio = guest("exact").text("metric.err")
    tap.same(re.findall(r"(\d\.\d+),per cycle +ipc", ratio), ["1.00"], ratio)
    listed = guest("exact").said("list").lower()
    for name in ("inst_retired", "cpu_cycles", "l1d_cache_refill", "ipc"):
        tap.same(re.search(rf"^\s+{name}\b", listed, re.M) is not None, True, f"list has {name}")


def test_without_rights():
    """Check that the kernel is not counted, and that this is reported. This Linux version also requires that callchains
    exclude the kernel."""
    machine = guest("exact")
    machine.said("user_counts")
    tap.same([row[:2] for row in rows(machine.text("user_counts.err"))], [(LOOP, "cycles:u")], "cycles")
    tap.same("only user space is counted" in machine.text("user_counts.err"), True, "it is said")
    machine.said("user_chains")
    found = chains(script(machine.path("user.data"), "-F", "ip,sym"))
    tap.same([chain for chain in found if chain != CALLERS], [], "chains that are not whole")
    tap.same(len(found), values("calls")[0] // 100003, "chains")


def test_user_space_reads():
    """Test reading without a system call: the kernel's page, tally_self_read(), and the registers that user space may
    read."""
    for name, is_open in (("self_closed", False), ("self", True)):
        text = guest("exact").said(name)
        for line in text.splitlines():
            print("# " + line)
            words = dict(word.split("=") for word in line.split()[1:])
            readable = is_open and not line.startswith("closed")
            tap.same(words["there"], str(int(readable)), line)
            tap.within(int(words["read"]), 1000000, 1001000, "by read(2)")
            if readable:
                tap.within(int(words["self"]), 1000000, int(words["read"]), "by tally_self_read()")
                tap.same((words["quality"], words["width"]), ("1", "32" if "_32" in line else "64"), line)


def test_regions():
    """Test counting regions (tally/region.h). If user space may not read counters, the kernel's page has no index for
    them, and each reading is a system call, some instructions of which are counted."""
    values_of = {}
    for name in ("regions_closed", "regions"):
        lines = guest("exact").said(name).splitlines()
        tap.same(len(lines), 3, f"events of {name}: {lines}")
        for line in lines:
            print("# " + line)
            words = dict(word.split("=") for word in line.rsplit("/u ", 1)[1].split())
            tap.same((words["self"], words["exact"]), ("1", "1"), line)
            tap.within(int(words["value"]), 2000000, 2008000, "instructions of two calls")
            values_of.setdefault(name, []).append(int(words["value"]))
    assert all(own < other for own, other in zip(values_of["regions"], values_of["regions_closed"])), values_of


# ---- sampling -------------------------------------------------------------------------------------------

def test_every_overflow_arrives():
    for name, period in PERIODS.items():
        print(f"# {name}: {samples('period_' + name)} samples of {LOOP}")
        tap.same(samples("period_" + name), LOOP // period, f"samples of {LOOP} at {period}")


def test_frequency():
    for frequency in (1000, 4000):
        periods = [int(line) for line in script(data(f"freq_{frequency}"), "-F", "period").split()]
        tap.same(len(periods), samples(f"freq_{frequency}"), "samples")
        tap.within(len(periods) / (frequency / 10), 0.75, 1.1, f"of the samples of 0.1 s at {frequency} Hz")
        tap.within(sum(periods) / LOOP, 0.97, 1, "of the instructions stand behind them")


def test_shares():
    found = shares(guest("exact").said("report.tally.mix.data"))
    tap.within(found["hot"], 74.9, 75.1, "share of hot")
    tap.within(found["warm"], 24.9, 25.1, "share of warm")


def test_callchains():
    expected = values("calls")[0] // 100003
    found = chains(script(data("fp"), "-F", "ip,sym"))
    tap.same(len(found), expected, "chains")
    tap.same([chain for chain in found if chain != CALLERS], [], "chains that are not whole")


def test_stacks_are_recorded():
    """Check that --keep-stacks keeps the stack dumps. test_peer_unwinds() checks that perf can unwind them."""
    dump = script(data("dwarf"), "-D")
    found = re.findall(r'"regs":\[([^]]*)\].*"user_stack_size":1024', dump)
    tap.same([words.count(",") + 1 for words in found], [33] * (values("calls")[0] // 1000003), "registers of each")


def test_stacks_are_unwound():
    """Check that stacks are unwound while recording and from dumps. The first sample may be taken before there is a
    stack."""
    for name in ("unwound", "dwarf"):
        found = chains(script(data(name), "-F", "ip,sym"))
        tap.same(len(found), values("calls")[0] // 1000003, f"{name}: chains")
        tap.within(found.count(CALLERS), len(found) - 1, len(found), f"{name}: whole chains")
    sizes = re.findall(r'"user_stack_size":(\d+)', script(data("unwound"), "-D"))
    tap.same(set(sizes), {"8"}, "unwound: bytes of each stack, which say how it ended")


def test_children_are_sampled():
    tasks = [line.split() for line in script(data("children"), "-F", "tid,period").splitlines()]
    tids = sorted({tid for tid, _ in tasks})
    tap.same(len(tids), 4, "children with samples")
    for tid in tids:
        tap.within(sum(task == tid for task, _ in tasks), 98, 101, "samples of 10,000,000 at 100003")


def test_groups_are_sampled():
    text = script(data("groups"), "-F", "event,period")
    events = [line.split()[-1].rstrip(":") for line in text.splitlines()]
    tap.same(events.count("cycles:u"), LOOP // 100003, "samples of the leader")
    tap.same(events.count("instructions:u"), LOOP // 100003, "and what it read of its member")


# ---- system-wide ----------------------------------------------------------------------------------------

def test_system_wide():
    machine = guest("wide")
    machine.said("wide")
    found = [line.split(",") for line in machine.text("wide.err").splitlines() if line]
    by = {(row[0], row[3]): int(row[1]) for row in found}
    tap.within(by["CPU1", "instructions:u"], LOOP, LOOP * 1.02, "instructions on the loop's CPU")
    tap.within(by["CPU0", "instructions:u"], 0, LOOP * 0.02, "instructions on the other")
    total = rows(machine.text("wide_all.err"))[0][0]
    tap.within(total, LOOP, LOOP * 1.04, "instructions on both")
    found = shares(machine.said("wide_report"))
    tap.within(found["hot"], 74, 75.1, "share of hot on CPU 1")
    tap.within(found["warm"], 24, 25.1, "share of warm")


# ---- differential suite ---------------------------------------------------------------------------------

def answers(text):
    return dict(line.split(": ", 1) for line in text.splitlines() if line and line[0] != "#")


def answers_of(*path):
    with open(os.path.join(SUITE, *path), encoding="utf-8") as file:
        return answers(file.read())


def check_answers(got, expected):
    tap.same(sorted(got), sorted(expected), "cases")
    wrong = [f"{name}: {got[name]}, wanted {answer}" for name, answer in expected.items() if got[name] != answer]
    print(f"# {len(expected)} cases, {len(wrong)} answered otherwise")
    tap.same(wrong, [], "answers")


def test_differential():
    """Compare the scripts' results in the guest with those of Linux 6.18 and with the list of known differences in
    Linux 6.12."""
    expected, others = answers_of("linux-6.18.txt"), answers_of("differences-6.12-arm64.txt")
    tap.same([name for name, answer in others.items() if expected.get(name) == answer], [], "listed, but no difference")
    check_answers(answers(guest("wide").said("answers")), {**expected, **others})


def test_differential_hardware():
    """Run the scripts for hardware events. differential/sim-pmu runs them on the core."""
    check_answers(answers(guest("wide").said("hardware_answers")), answers_of("hardware", "linux-6.12-arm64.txt"))


# ---- recordings from other machines ---------------------------------------------------------------------

def portable(text):
    """Remove lines that depend on the vDSO, kernel or libraries of the machine that reads the recording."""
    return [line for line in text.splitlines()
            if line and "[vdso]" not in line and not line.startswith(("# Health", "# No symbols"))]


def check_views(asked, names, path_here, *options):
    """Check that tally prints the same output on this machine as in the guest."""
    for name in names:
        for view, text in asked.items():
            result = tap.run(TALLY, *text.format(path_here(name)).split(), *(options if view != "evlist" else ()))
            tap.same(result.returncode, 0, result.stderr)
            tap.same(portable(result.stdout), portable(guest("exact").said(f"{view}.{name}")), f"{view} of {name}")


def test_recordings_are_read_here():
    check_views(VIEWS, [f"tally.{name}.data" for name in MOVED], guest("exact").path, "--symfs", guest("exact").root)


def test_recordings_from_here_are_read_there():
    if not os.path.exists(os.path.join(guest("exact").root, "foreign")):
        machine.need_events()
        machine.need_compiler("gcc", "-static")
        raise AssertionError("no recordings of this machine")
    check_views(VIEWS, [f"{name}.data" for name in FOREIGN], lambda name: os.path.join(WORK, "foreign." + name))
    for name in ("stacks", "dumps"):
        found = chains(guest("exact").said(f"script.{name}.data"))
        whole = sum(chain[-1].startswith("_start") for chain in found)
        tap.within(whole / len(found), 0.98, 1, f"share of {len(found)} stacks of x86-64 that are whole, {name}")


def test_recordings_of_perf_are_read_there():
    print(f"# {len(FIXTURES)} recordings")
    paths = {os.path.basename(path): path for path in FIXTURES}
    check_views(FIXTURE_VIEWS, paths, paths.get)


# ---- Debian's perf --------------------------------------------------------------------------------------

def test_counts_equal_those_of_perf():
    for name in ("loop", "inherit", "no_inherit", "calls", "raw_names", "absent", "pinned", "group_7"):
        tap.same(values(name), values(name, "peer", "perf"), f"{name}: perf's counts")
    tap.same(values("asleep")[0], values("asleep", "peer", "perf")[0], "asleep: perf's count")
    ours, theirs = values("kernel"), values("kernel", "peer", "perf")
    for number, slack in enumerate((0.01, 0.01, 0.3)):  # the last row counts the kernel only
        tap.within(ours[number] / theirs[number], 1 - slack, 1 + slack, "of perf's count, the kernel's part included")
    for row in counts("many", "peer", "perf"):
        tap.within(row[0] / LOOP, 0.995, 1.005, "perf's estimate")


def test_peer_has_the_same_default():
    ours, theirs = (default_events(guest(name).text("default.err")) for name in ("exact", "peer"))
    tap.same(ours, theirs, "events")


def test_peer_samples_alike():
    for name in PEER[PEER.index("period_1M"):]:
        if name in TICKING:
            tap.within(samples(name, "peer") - samples(name, "peer", "perf"), -4, 4, f"{name}: samples beyond perf's")
            continue
        tap.same(samples(name), samples(name, "peer", "perf"), f"{name}: perf's samples")


def test_peer_reads_ours():
    peer = guest("peer")
    for writer in ("perf", "tally"):
        for name, functions in (("mix", ["hot", "warm"]), ("fp", ["leaf"])):
            ours, theirs = (shares(peer.said(f"{reader}.report.{writer}.{name}")) for reader in ("tally", "perf"))
            tap.same((ours, list(ours)), (theirs, functions), f"shares of {writer}'s {name}")
            tap.same(peer.said(f"perf.script.{writer}.{name}"), peer.said(f"tally.script.{writer}.{name}"),
                     f"script of {writer}'s {name}")


def test_peer_unwinds():
    """Check that stacks recorded by tally are as complete as those recorded by perf."""
    for writer in ("perf", "tally"):
        found = chains(guest("peer").said(f"unwind.{writer}"))
        whole = [chain for chain in found if chain == CALLERS]
        tap.within(len(whole), len(found) - 2, len(found), f"whole chains of {len(found)} in {writer}'s stacks")


if __name__ == "__main__":
    tap.main("__main__")
