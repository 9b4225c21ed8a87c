#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Exchange recordings with the installed perf in both directions. Each tool reads the other's recordings, and both must
print the same output.

usage: exchange.py TALLY
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from graphs import heavy_graphs  # noqa: E402

TALLY = sys.argv[1]
PERF = shutil.which("perf")
WORK = tap.workplace("exchange")
# The shell itself also does work, because leader sampling does not include the shell's children.
LISTED = "/usr/include" if tap.QUICK else "/usr/share/doc /usr/lib"
WORKLOAD = ["sh", "-c", f"ls -lR {LISTED} | sort | gzip -c | wc -c; "
            "text=; i=0; while [ $i -lt 8000 ]; do i=$((i + 1)); text=$text$i; done"]

# name: options for the record command of both tools
KINDS = {
    "plain": [],
    "callchains": ["-g"],
    "two events": ["-e", "cpu-clock,page-faults"],
    "group": ["-e", "{cpu-clock,page-faults}"],
    "leader sampling": ["-e", "{cpu-clock,page-faults}:S"],
    "running times": ["--running-time", "-e", "{cpu-clock,page-faults}:S"],
    "period": ["-e", "page-faults", "-c", "1"],
    "system wide": ["-a", "-g", "-e", "cpu-clock"],
    "compressed": ["-z", "-g"],
    "data": ["-d", "-e", "page-faults", "-c", "1"],
    "per cpu": ["-T", "--sample-cpu", "-e", "cpu-clock"],
    "switches": ["--switch-events", "-e", "cpu-clock"],
    "tracepoint callchains": ["-a", "-g", "-e", "sched:sched_switch,sched:sched_process_fork"],
    "only tracepoints": ["-g", "-e", "sched:sched_process_fork,sched:sched_process_exec"],
    "tracepoints": ["-e", "sched:sched_switch,sched:sched_process_fork", "-e", "cpu-clock"],
}


def own(kind):
    """Return options for both tools that exclude other programs, which may be built and removed while the tools read
    the recording."""
    return ["--comms", "sh,ls,sort,gzip,wc"] if "-a" in KINDS[kind] else []


def needs(kind):
    machine.need_perf_records()
    machine.need_events()
    if "tracepoint" in kind:
        machine.need_tracepoints()
    if "-a" in KINDS.get(kind, []):
        machine.need_system_wide()


def record(tool, kind):
    path = os.path.join(WORK, f"{os.path.basename(tool)}-{kind.replace(' ', '-')}.data")
    if not os.path.exists(path):
        # perf has no symbols for other programs that have exited.
        alone = ["--no-symbols"] if tool == TALLY and "-a" in KINDS[kind] else []
        steps.record(path, "-q", *KINDS[kind], *alone, "--", *WORKLOAD, tool=tool)
    return path


def check_script(tool, kind):
    needs(kind)
    path = record(tool, kind)
    want = tap.run(PERF, "script", "--no-inline", "-i", path, *own(kind), env={**os.environ, "PAGER": "cat"}).stdout
    got = tap.run(TALLY, "script", "--no-inline", "-i", path, *own(kind)).stdout
    assert want.count("\n") > 10, f"perf script shows only {want!r}"
    tap.same_script(got, want, "tally script against perf script")


def shares(tool, path, *options):
    """Return {(event, row): percent} for a report with separated values."""
    options = [*options, "--no-bounds"] if tool == TALLY else options
    text = tap.run(tool, "report", "--stdio", "--no-inline", "-i", path, "--no-children", "-g", "none", "-t", ";", "--no-group", *options).stdout
    event, out = None, {}
    for line in text.splitlines():
        match = re.match(r"# Samples: .* of events? '(.*)'", line)
        if match:
            event = match.group(1)
        elif line and not line.startswith("#"):
            percent, *row = [cell.strip() for cell in line.split(";")]
            key = (event, tuple(row))
            out[key] = out.get(key, 0) + float(percent.rstrip("%"))
    return out


def is_stub(row):
    """Return true for rows of stubs, and for addresses that perf may take for stubs (see tap.as_perf_names_stubs)."""
    return bool(re.search(r"@plt$|\] (0x)?[0-9a-f]{16}$", row[-1]))


def without_stubs(rows, files):
    return {key: share for key, share in rows.items() if len(key[1]) < 2 or key[1][-2] not in files or not is_stub(key[1])}


def check_report(tool, kind):
    needs(kind)
    path = record(tool, kind)
    want, got = shares(PERF, path, *own(kind)), shares(TALLY, path, *own(kind))
    files = {row[-2] for _, row in got if len(row) > 1 and row[-1].endswith("@plt")}
    want, got = without_stubs(want, files), without_stubs(got, files)
    assert want, "perf report shows nothing"
    assert kind != "only tracepoints" or any("child_comm=" in row[0] for _, row in got), got
    for key in want.keys() | got.keys():
        difference = abs(want.get(key, 0) - got.get(key, 0))
        assert difference <= 0.0101, f"{key}: perf {want.get(key)} %, tally {got.get(key)} %"


def check_children(tool):
    """Compare the rows with children, in perf's order and with chains as recorded. Addresses without a symbol are
    excluded because perf prints some of them twice. Stubs are also excluded, because perf may name them differently
    (see tap.as_perf_names_stubs)."""
    needs("callchains")
    path = record(tool, "callchains")
    if re.search(r"^\n\n", tap.run(PERF, "script", "--no-inline", "-F", "ip", "-i", path).stdout, re.MULTILINE):
        raise tap.Skip("perf discards a callchain of this recording (see tap.without_discarded)")
    rows = []
    for reader, options in ((PERF, []), (TALLY, ["--no-bounds", "--raw-chains"])):
        text = tap.run(reader, "report", "--stdio", "--no-inline", "-i", path, "-g", "none", *options).stdout
        rows.append([re.sub(" +", " ", line).strip() for line in text.splitlines()
                     if re.match(" +[0-9.]+% ", line) and not re.search(r"(@plt|\] (0x)?[0-9a-f]{16}) *$", line)])
    assert len(rows[0]) > 10, f"perf report shows only {rows[0]!r}"
    tap.same("\n".join(rows[1]), "\n".join(rows[0]), "tally report -g none against perf")


def check_hidden_chains(tool):
    needs("tracepoint callchains")
    path = record(tool, "tracepoint callchains")
    for fields in (["-G"], ["-F", "+pid"], ["-F", "sw:+pid"], ["-F", "comm,ip,sym"]):
        options = [*fields, *own("tracepoint callchains")]
        want = tap.run(PERF, "script", "--no-inline", "-i", path, *options).stdout
        assert want.count("\n") > 10, f"perf script shows only {want!r}"
        tap.same_script(tap.run(TALLY, "script", "--no-inline", "-i", path, *options).stdout, want, " ".join(options))


def check_lists(tool, kind):
    needs(kind)
    path = record(tool, kind)
    for command in (["evlist"], ["evlist", "-v"], ["evlist", "-g"], ["buildid-list"]):
        want = tap.run(PERF, *command, "-i", path).stdout
        want = "".join(line for line in want.splitlines(True) if not line.startswith("# Tip"))
        assert want or command == ["buildid-list"], command
        if command == ["buildid-list"] and kind == "compressed" and tool == PERF:
            continue  # perf writes no build ID table here, and lists the files with samples without IDs
        tap.same(tap.run(TALLY, *command, "-i", path).stdout, want, " ".join(command))


def check_pipe(tool):
    needs("plain")
    path = os.path.join(WORK, os.path.basename(tool) + ".pipe")
    with open(path, "wb") as file:
        tap.run(tool, "record", "-q", "-g", "-e", "cpu-clock", "-o", "-", "--", "sh", "-c",
                f"ls -lR {LISTED} >/dev/null", stdout=file)
    with open(path, "rb") as file:
        want = tap.run(PERF, "script", "--no-inline", "-i", "-", stdin=file).stdout
    with open(path, "rb") as file:
        got = tap.run(TALLY, "script", "--no-inline", "-i", "-", stdin=file).stdout
    assert want.count("\n") > 10, f"perf script shows only {want!r}"
    tap.same_script(got, want, "tally script against perf script, of a stream")


def test_counts_of_perf_stat_record():
    needs("counts")
    for name, options in (("all CPUs", ["-a"]), ("intervals", ["-I", "20"]), ("one by one", ["-A", "-a"])):
        path = os.path.join(WORK, "stat.data")
        run = tap.run(PERF, "stat", "record", "-o", path, *options, "-e", "task-clock,page-faults", "--", *WORKLOAD)
        if run.returncode:
            raise tap.Skip(f"perf stat record {options}: {run.stderr[:200]}")
        want = tap.run(PERF, "script", "--no-inline", "-i", path).stdout
        assert want.count("\n") > 2, f"perf script shows only {want!r}"
        tap.same(tap.run(TALLY, "script", "--no-inline", "-i", path).stdout, want, f"counts, {name}")


def clocks(path):
    """Return the records that convert the CPU's cycle counter to the time of samples."""
    lines = tap.run(TALLY, "script", "--dump-json", "-i", path).stdout.splitlines()
    return [{name: value for name, value in json.loads(line).items() if name != "offset"}
            for line in lines if '"name":"TIME_CONV"' in line]


def test_conversion_of_the_clock():
    """Check that the record is written on the machines on which perf writes it, with the same numbers."""
    machine.need_perf_records()
    machine.need_events()
    for clock in ([], ["-k", "CLOCK_MONOTONIC"]):
        got, want = (os.path.join(WORK, f"clock-{tool}.data") for tool in ("tally", "perf"))
        for program, path in ((TALLY, got), (PERF, want)):
            steps.record(path, "-q", *clock, "-e", "cpu-clock", "--", "true", tool=program)
        assert clocks(got) == clocks(want), (clock, clocks(got), clocks(want))


def test_conversion_of_a_simulated_clock():
    """Check that the record is written on a machine with a counter of 4 GHz."""
    path, script = (os.path.join(WORK, f"clock-sim.{suffix}") for suffix in ("data", "sim"))
    with open(script, "w", encoding="utf-8") as out:
        out.write("pmu cpu counters 4\nevent cycles 1000M/s\n")
    run = tap.run(TALLY, "emulate", "--host", f"sim:{script}", "--", TALLY, "record", "-q", "-e", "cpu-clock",
                  "-o", path, "--", "true", env=tap.preloading())
    assert run.returncode == 0, run.stderr
    (clock,) = clocks(path)
    assert (clock["time_mult"] / 2 ** clock["time_shift"], clock["time_zero"]) == (1 / 4, 0), clock
    assert (clock["cap_user_time_zero"], clock["cap_user_time_short"]) == (1, 0), clock


def ended(pid):
    """Return true if a task has exited and is a zombie or gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def check_ended(target, to_pipe):
    """Check that perf reads the samples of the other targets even if some targets have exited."""
    needs("plain")
    path = os.path.join(WORK, "ended.data")
    ours = ["--comms", "sh,true"] if target == "user" else []  # the user may also be running other programs
    live = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    zombies = [subprocess.Popen(["true"]) for _ in range(2)]
    try:
        while not all(ended(zombie.pid) for zombie in zombies):
            os.sched_yield()
        pids = ",".join(str(task.pid) for task in [zombies[0], live, zombies[1]])
        options = {"pids": ["-p", pids], "tids": ["-t", pids],
                   "user": ["-u", str(os.geteuid())],
                   "per thread": ["--per-thread", "-p", pids]}[target]
        with open(path, "wb") as file:
            done = tap.run(TALLY, "record", "-q", "-e", "{cpu-clock,page-faults}", "-o", "-" if to_pipe else path,
                           *options, "--", *WORKLOAD[:2], "i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done",
                           **({"stdout": file} if to_pipe else {}))
        assert not done.returncode, done.stderr
    finally:
        live.kill()
        for task in [live, *zombies]:
            task.wait()
    if to_pipe:
        with open(path, "rb") as file:
            want = tap.run(PERF, "script", "--no-inline", "-i", "-", *ours, stdin=file)
        with open(path, "rb") as file:
            got = tap.run(TALLY, "script", "--no-inline", "-i", "-", *ours, stdin=file)
    else:
        want, got = (tap.run(tool, "script", "--no-inline", "-i", path, *ours) for tool in (PERF, TALLY))
    assert want.stdout.count("\n") > 10, f"perf script shows only {want.stdout!r} {want.stderr!r}"
    tap.same_script(got.stdout, want.stdout, "tally script against perf script")


def check_twice(kind):
    """Check that a limit on graphs does not change the graphs of heavy rows. With a limit, the file is read twice, the
    second time for heavy rows only; without a limit, it is read once."""
    needs(kind)
    path = record(TALLY, kind)
    once = heavy_graphs(TALLY, path, 0.5, "graph,0", "--no-children")
    assert sum(1 for row in once if row[-1]) > 3, f"hardly any graphs: {once!r:.300}"
    tap.same(heavy_graphs(TALLY, path, 0.5, "graph,0.5", "--no-children"), once, "graphs read for the heavy rows, and for all")


def add_tests():
    for target in ("pids", "tids", "user", "per thread"):
        globals()[f"test_ended tasks among {target}"] = lambda target=target: check_ended(target, False)
        globals()[f"test_ended tasks among {target}, in a stream"] = lambda target=target: check_ended(target, True)
    for kind in ("callchains", "compressed", "system wide"):
        globals()[f"test_read twice, {kind}"] = lambda kind=kind: check_twice(kind)
    recorders = [PERF or "perf", TALLY]
    for tool in recorders:
        who = "tally" if tool == TALLY else "perf"
        for kind in KINDS:
            for name, check in (("script", check_script), ("report", check_report), ("lists", check_lists)):
                if name == "report" and kind == "leader sampling":
                    continue  # here perf prints the group's events side by side
                globals()[f"test_{name} of {who}'s {kind}"] = (
                    lambda check=check, tool=tool, kind=kind: check(tool, kind))
        globals()[f"test_children of {who}'s callchains"] = lambda tool=tool: check_children(tool)
        globals()[f"test_hidden chains of {who}'s tracepoints"] = lambda tool=tool: check_hidden_chains(tool)
        globals()[f"test_stream of {who}"] = lambda tool=tool: check_pipe(tool)


add_tests()
tap.main(__name__)
