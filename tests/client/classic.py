# SPDX-License-Identifier: BSD-2-Clause
"""Run the programs in examples/classic/, which use the design document's ABI, on the running kernel, on the user host
and on the simulated machine. Compare their events with those from the current ABI.

usage: classic.py TALLY FOLDER   FOLDER contains the programs, named classic-NAME
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, FOLDER = sys.argv[1:3]
WORK = tap.workplace("classic")
# Each call takes enough simulated time for the programs' waits to end. A child lives longer than inherit.c waits for
# it.
MACHINE = """pmu cpu counters 4 width 48
time call 10ms life 100ms
event cycles 1G/s
event instructions 2 per cycles
event r4064 5 per 1000 cycles
"""
NUMBER = r"[1-9]\d*"
COUNT = rf"software:1: {NUMBER}, running (?P<t>{NUMBER}) of (?P=t) ns\nsoftware:2: %s, running (?P<u>{NUMBER}) of (?P=u) ns\n"
ABSENT = "hardware:1: Invalid argument\nraw:0x4064: Invalid argument\n"
GROUP = """leader disabled: does not count does not count
leader enabled: counts counts
first member disabled: does not count counts
group disabled: does not count does not count
group enabled: counts counts
"""
INHERIT = "time of an existing child: not counted\ntime of a new child: counted\n"
SAMPLE = rf"(?P<n>{NUMBER}) packets, 0 lost, 0 wrong\nmine (?P=n), ip (?P=n), in order (?P=n), group (?P=n), callchain (?P=n)\n"
POLL = "before: poll 0\ncount: 4 periods\nafter: poll 1, signals came\npackets 4\n"
PRCTL = "disabled: leader does not count, member does not count\nenabled: leader counts, member does not count\nelsewhere: enabled\n"
CPU = "pid -1, cpu -1: Invalid argument\npid -1, cpu 0: "
NO_PINNED = "hardware counters: Invalid argument\n"
REGULAR = "regular read: counted\n"
REFUSED = ("nothing wrong: opened\n" +
           "".join(f"{what}: Invalid argument\n" for what in ("flags 1", "extra_config_len 8", "__reserved_2 1", "type 3")) +
           "group of a leader: opened\ngroup of a member: Invalid argument\ngroup of standard output: Bad file descriptor\n"
           "mmap of 4 pages: Invalid argument\nmmap of 5 pages: mapped\n")
# Page faults in user space and in the kernel, plus a few from other work that the program does between reading the
# counts.
MODES = r"all modes: 1[5-9]\d page faults\nexclude_user: %s page faults\nexclude_kernel: %s page faults\nexclude_user, exclude_kernel: 0 page faults\n"
NO_HARDWARE = "hardware counters: Invalid argument\n"
EXCLUSIVE = "two groups: at the same time\none of them exclusive: in turns\n"
OVERCOMMIT = r"12 counters: overcommit ratio \d+\.\d, scaled counts of \d+ alike\n"
TASK = "the task on all CPUs: counts\nits parts on each CPU: add up to that\nthe current task: its own time\n"
PAGES = "a few packets: poll 0\na page of packets: poll 1\n"
READY = "fcntl: non-blocking\npoll: 1\nselect: 1\nepoll: 1\n"
SYSTEM_CALL = (rf"task-clock (?P<t>{NUMBER}) ns, enabled (?P=t) ns, running (?P=t) ns; page faults 1\d\d\n"
               "poll 1, signals came\n(overflow of type 3, 24 bytes: ip known, pid mine\n){3}")
# Map each program to its output on the kernel, the user host and the simulated machine. None means that the program is
# not run there, because the host is not informed about comms and mappings; core/design_classic tests these programs on
# the core.
PROGRAMS = {
    "count": (COUNT % r"1\d\d" + "hardware:1: .*\nraw:0x4064: .*\n", COUNT % r"1\d\d" + ABSENT,
              COUNT % "0" + r"hardware:1: (\d+), running 10000000 of 10000000 ns\nraw:0x4064: 50000, running 10000000 of 10000000 ns\n"),
    "group": (GROUP, GROUP, GROUP),
    "inherit": (INHERIT, INHERIT, INHERIT),
    "sample": (SAMPLE, SAMPLE, SAMPLE),
    "poll": (POLL, POLL, POLL),
    "prctl": (PRCTL, PRCTL, PRCTL),
    "mappings": (r"comm: renamed\nmmap: \d+ bytes of .*\n", None, None),
    "cpu": (CPU + "counts\n", CPU + "Permission denied\n", CPU + "counts\n"),
    "pinned": (NO_PINNED + "|32 pinned counters: some count, others are at end of file\n", NO_PINNED,
               "32 pinned counters: some count, others are at end of file\n"),
    "self_read": (REGULAR, REGULAR, REGULAR),
    "refused": (REFUSED, REFUSED, REFUSED),
    # The user host knows the number of page faults, but not the mode in which they occurred.
    "modes": (MODES % (r"[56]\d", r"1[0-4]\d"), MODES % ("0", r"1[5-9]\d"), None),
    "exclusive": (NO_HARDWARE + "|" + EXCLUSIVE, NO_HARDWARE, EXCLUSIVE),
    "overcommit": (NO_HARDWARE + "|" + OVERCOMMIT, NO_HARDWARE, OVERCOMMIT.replace(r"\d+\.\d, ", r"3\.\d, ").replace(r"of \d+", "of 12")),
    "pages": (PAGES, PAGES, PAGES),
    "task": (TASK, TASK, TASK),
    "ready": (READY, READY, READY),
}
ARGUMENTS = {"count": ["software:1", "software:2", "hardware:1", "raw:0x4064"]}
HOSTS = ("kernel", "user_host", "simulated_machine")


def program(name):
    return os.path.join(FOLDER, "classic-" + name)


def emulate(host, *options):
    """Return the words that must precede a command to run the command on this host."""
    if host == "user_host":
        machine.need_ptrace()
        return [TALLY, "emulate", *options, "--"]
    machine.need_process_vm()
    path = os.path.join(WORK, "machine.sim")
    with open(path, "w", encoding="ascii") as file:
        file.write(MACHINE)
    return [TALLY, "emulate", "--host", "sim:" + path, *options, "--"]


def prints(pattern, *command, attempts=1):
    for _ in range(attempts):
        done = tap.run(*command)
        tap.same((done.returncode, done.stderr), (0, ""), " ".join(command))
        if re.fullmatch(pattern, done.stdout):
            return
    raise AssertionError(f"{' '.join(command)} prints\n{done.stdout}and not\n{pattern}")


def run_on(name, host, pattern):
    if host == "kernel":
        machine.need_events()
        if name == "cpu":
            machine.need_system_wide()
        if name == "modes":
            machine.need_kernel_events()
    # On a busy machine, the user host may see an overflow only after the program stopped waiting.
    prints(pattern, *([] if host == "kernel" else emulate(host)), program(name), *ARGUMENTS.get(name, []),
           attempts=5 if (name, host) == ("ready", "user_host") else 1)


def add_tests():
    for name, patterns in PROGRAMS.items():
        for host, pattern in zip(HOSTS, patterns):
            if pattern is None:
                continue

            def test(name=name, host=host, pattern=pattern):
                run_on(name, host, pattern)
            globals()[f"test_{name}_on_the_{host}"] = test


add_tests()


def same_as_today(*before):
    done = tap.run(*before, program("today"))
    for line in done.stdout.splitlines():
        print("# " + line)
    tap.same((done.returncode, "DIFFERENT" in done.stdout, done.stderr), (0, False, ""), done.stdout)
    if "same" not in done.stdout:
        raise AssertionError("nothing was compared")


def test_same_as_current_events_on_the_kernel():
    machine.need_kernel_events()
    same_as_today()


def test_same_as_todays_events_on_the_user_host():
    same_as_today(*emulate("user_host"))


def test_same_as_todays_events_on_the_simulated_machine():
    same_as_today(*emulate("simulated_machine"))


def test_system_call_answered_by_the_kernel():
    machine.need_events()
    machine.need_process_vm()
    prints(SYSTEM_CALL, TALLY, "emulate", "--abi", "classic", "--host", "kernel", "--", program("system_call"))


def test_system_call_answered_by_the_user_host():
    prints(SYSTEM_CALL, *emulate("user_host", "--abi", "classic"), program("system_call"))


def test_system_call_answered_by_the_simulated_machine():
    """Check that times and page faults come from the simulated machine, which has no page faults."""
    prints("task-clock 10000000 ns, enabled 10000000 ns, running 10000000 ns; page faults 0\npoll .*\n"
           "(overflow of type 3, 24 bytes: ip known, pid mine\n){3}",
           *emulate("simulated_machine", "--abi", "classic"), program("system_call"))


def test_prctl_acts_on_counters_of_others():
    """Test prctl on other processes' counters, except on the simulated machine: there, no time passes in the child,
    which makes no calls on events."""
    pattern = "at first: counts\ndisabled by the child: does not count\nenabled by the child: counts\n"
    prints(pattern, *emulate("user_host", "--abi", "classic"), program("attached"))
    machine.need_events()
    prints(pattern, TALLY, "emulate", "--abi", "classic", "--host", "kernel", "--", program("attached"))


def test_unknown_abi_is_rejected():
    done = tap.run(TALLY, "emulate", "--abi", "modern", "--", "true")
    tap.same((done.returncode, "--abi must be linux or classic" in done.stderr), (129, True), done.stderr)


tap.main(__name__)
