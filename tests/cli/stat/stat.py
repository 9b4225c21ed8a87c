#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally stat`: read back every aggregation mode in every format, and compare with the installed perf.

usage: stat.py TALLY

No test depends on how long something takes: tests wait for timed events. Output is TAP.
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from steps import stat  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
FAULTS = [sys.executable, "-S", "-c", "bytearray(1 << 22)"]
EVENTS = ["-e", "page-faults,task-clock,cycles"]

MODES = {  # option: perf's JSON key, regex for its label, whether the number of CPUs follows
    "-A": ("cpu", r"CPU\d+", False),
    "--per-core": ("core", r"S\d+-D\d+-C\d+", True),
    "--per-die": ("die", r"S\d+-D\d+", True),
    "--per-socket": ("socket", r"S\d+", True),
    "--per-node": ("node", r"N\d+", True),
    "--per-thread": ("thread", r".+-\d+", False),
}
VALUE = r"(?:[\d.]+|<not supported>|<not counted>|<not permitted>)"


def cpus():
    return os.sysconf("SC_NPROCESSORS_ONLN")


def only(events, name):
    found = [event for event in events if event["event"].split(":")[0] == name]
    assert found, f"{name} is missing in {events}"
    return found


def columns(text):
    """Return the lines of the text output that contain counts."""
    return [line for line in text.splitlines() if re.search(r"\b(page-faults|task-clock|cycles)\b", line)]


# ---- exit statuses -----------------------------------------------------------

def test_status_is_that_of_the_command():
    for script, status in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)):
        text = stat("-e", "cs", "sh", "-c", script, status=status)
        assert "Performance counter stats for 'sh -c " + script in text, text


def test_status_of_commands_that_cannot_run():
    assert "No such file" in stat("no-such-command-here", status=127)
    assert "Permission denied" in stat("/etc/passwd", status=126)


def test_intervals_clear_the_terminal():
    words = [TALLY, "stat", "-I", "50", "--interval-clear", "-e", "page-faults", "sleep", "0.12"]
    try:
        main, other = pty.openpty()
    except OSError as error:
        raise tap.Skip(f"there are no terminals here: {error}") from error
    with subprocess.Popen(words, stderr=other) as process:
        process.wait(tap.PATIENCE)
    os.close(other)
    text = os.read(main, 1 << 16).decode()
    os.close(main)
    assert "\x1b[H\x1b[2J" in text and text.startswith("\x1b"), text
    text = stat("-I", "50", "--interval-clear", "-e", "page-faults", "sleep", "0.12")
    assert "\x1b" not in text and "page-faults" in text, text
    stat("--interval-clear", "true", status=129, says="requires -I")


def test_facts_of_the_machine():
    lines = stat("-x", ",", "-e", "num_cpus,num_cpus_online,num_cores,num_dies,num_packages,smt_on,system_tsc_freq,has_pmem", "true").splitlines()
    values = {line.split(",")[2]: line.split(",")[0] for line in lines}
    with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
        ranges = [part.split("-") for part in file.read().strip().split(",")]
    online = sum(int(part[-1]) - int(part[0]) + 1 for part in ranges)
    tap.same(int(values["num_cpus_online"]), online, "online")
    assert int(values["num_cpus"]) >= online >= int(values["num_cores"]) >= int(values["num_dies"]) >= int(values["num_packages"]) >= 1, values
    assert values["smt_on"] in "01" and values["has_pmem"] in "01", values
    assert values["system_tsc_freq"] == "<not supported>" or int(values["system_tsc_freq"]) > 1000000, values
    said = tap.run(TALLY, "record", "-e", "num_cpus", "true").stderr
    assert "cannot be sampled" in said, said


def test_words_of_perf():
    """Check that perf stat record and report are distinguished from commands with these names, which follow "--"."""
    for word in ("record", "report"):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, word)
            os.symlink(shutil.which("true"), path)
            env = {**os.environ, "PATH": where + ":" + os.environ["PATH"]}
            done = subprocess.run([TALLY, "stat", "-e", "cs", "--", word], env=env, check=False, stderr=subprocess.PIPE)
            assert done.returncode == 0, done.stderr


@tap.always
@tap.anybody
def test_status_of_wrong_usage():
    for words, says in (("--no-such-option true", "'--no-such-option'"), ("-A true", "-a or -C"), ("-x, -j true", "-x, -j and --json cannot be used together"),
                        ("-r 2 -I 10 true", "-r cannot be combined with -I"), ("-r x true", "not 'x'"), ("-r 2x true", "not '2x'"),
                        ("-e no-such-event true", "unknown event"), ("-e cs:z true", "unknown modifier"),
                        ("-G x true", "'-G'"), ("--per-core -A -a true", "only one aggregation option"),
                        ("--control pipe:3 true", "pipe:3"), ("--per-thread true", "--per-thread requires existing threads"),
                        ("--timeout 1 true", "at least 10 ms"), ("--interval-count 2 true", "--interval-count"),
                        ("-C x true", "list of CPU numbers"), ("-o /dev/null --log-fd 1 true", "--output and --log-fd cannot be used together"),
                        ("-p x", "--pid x"), ("-r 2 -a", "-r requires a command")):
        stat(*words.split(), status=129, says=says)


@tap.anybody
def test_status_of_other_errors():
    stat("-p", str(2 ** 31 - 1), status=1, says="2147483647: no such task")
    stat("-o", "/nowhere/to/be/found", "true", status=1, says="/nowhere/to/be/found: No such file")
    stat("--log-fd", "987", "true", status=1, says="--log-fd: Bad file descriptor")
    stat("--control", "fd:987", "true", status=1, says="fd:987: Bad file descriptor")
    stat("-C", "65000", "true", status=1, says="CPU 65000")


# ---- formats of a command -----------------------------------------------------

def test_text_of_a_command():
    text = stat(*EVENTS, "true")
    lines = text.splitlines()
    assert lines[:3] == ["", " Performance counter stats for 'true':", ""], lines[:3]
    assert re.fullmatch(r" {10,17}\d+ {6}page-faults {22}# +[\d.]+ [KM ]?/sec +", lines[3]), lines[3]
    assert re.fullmatch(r" +\d+\.\d\d msec task-clock {23}# +\d+\.\d{3} CPUs utilized {10}", lines[4]), lines[4]
    assert re.fullmatch(r" *(\d+|<not supported>|<not counted>) {6}cycles .*", lines[5]), lines[5]
    for number, what in ((7, "elapsed"), (9, "user"), (10, "sys")):
        assert re.fullmatch(rf" +\d+\.\d{{9}} seconds (time )?{what}", lines[number]), lines[number]


def test_default_events_and_details():
    default = ["task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles", "instructions", "branches",
               "branch-misses"]
    details = ["L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses", "L1-icache-loads",
               "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-loads", "iTLB-load-misses",
               "L1-dcache-prefetches", "L1-dcache-prefetch-misses"]
    for option, nr in (([], 0), (["-d"], 4), (["-dd"], 10), (["-ddd"], 12)):
        names = [line.split(";")[2].split(":")[0] for line in stat(*option, "-x;", "true").splitlines()]
        tap.same([name for name in names if not name.startswith("stalled")], default + details[:nr], str(option))


def test_csv_of_a_command():
    lines = stat("-x,", *EVENTS, "true").splitlines()
    tap.same(len(lines), 3, "lines")
    for line in lines:
        fields = line.split(",")
        assert len(fields) == 7, line
        assert re.fullmatch(VALUE, fields[0]) and fields[3].isdigit() and fields[4] == "100.00", line


def test_perf_json_of_a_command():
    events = [json.loads(line) for line in stat("-j", *EVENTS, "true").splitlines()]
    assert len(events) == 3, events
    for event in events:
        assert list(event) == ["counter-value", "unit", "event", "event-runtime", "pcnt-running", "metric-value",
                               "metric-unit"], event
    assert float(only(events, "page-faults")[0]["counter-value"]) > 0
    assert only(events, "task-clock")[0]["unit"] == "msec"
    assert only(events, "task-clock")[0]["metric-unit"] == "CPUs utilized"


def test_our_json_says_the_quality():
    data = json.loads(stat("--json", *EVENTS, "true"))
    assert data["version"] == 1 and data["kind"] == "total" and data["elapsed_ns"] > 0, data
    faults = only(data["counts"], "page-faults")[0]
    assert faults["quality"] == "exact" and faults["value"] == faults["scaled"] > 0, faults
    assert faults["enabled_ns"] == faults["running_ns"] > 0, faults
    cycles = only(data["counts"], "cycles")[0]
    assert cycles["quality"] in ("exact", "scaled", "not supported", "never ran"), cycles
    assert ("refused" in cycles) == (cycles["quality"] == "not supported"), cycles
    if "refused" in cycles:
        assert cycles["refused"]["rule"] and cycles["refused"]["fix"], cycles


@tap.anybody
def test_null_run():
    text = stat("-n", "true")
    assert "seconds time elapsed" in text and "task-clock" not in text, text
    text = stat("-n", "-d", "-e", "task-clock", "true")
    assert "msec task-clock" in text and "L1-dcache" not in text, text


@tap.anybody
def test_verbose_prints_counts_and_attributes():
    lines = stat("-v", "-x,", "-e", "task-clock,cs", "true").splitlines()
    for at, line in enumerate(lines[:2]):
        name, value, enabled, running = re.fullmatch(r"(.*): (\d+) (\d+) (\d+)", line).groups()
        tap.same((name, enabled), (("task-clock", "cs")[at], running), "name and times")
        tap.same(lines[2 + at].split(",")[3], running, f"time running, {value}")
    text = stat("-vv", "-e", "cs", "true")
    assert re.search(r"^perf_event_attr:\n  type +1\n", text, re.M) and "enable_on_exec   " in text, text


@tap.anybody
def test_quiet_run():
    done = tap.run(TALLY, "stat", "--quiet", "sh", "-c", "echo ran", status=0)
    tap.same((done.stdout, done.stderr), ("ran\n", ""), "what is printed")


def test_thousands_only_where_asked():
    many = stat("-B", "-e", "page-faults", *FAULTS)
    assert re.search(r" \d,\d{3} +page-faults", many), many
    assert not re.search(r"\d,\d", stat("-B", "--no-big-num", "-e", "page-faults", *FAULTS))


# ---- several runs --------------------------------------------------------------

def test_repeat_in_every_format():
    text = stat("-r", "3", *EVENTS, "true")
    assert "Performance counter stats for 'true' (3 runs):" in text, text
    assert re.search(r"\d \+- [\d.]+ seconds time elapsed  \( \+- *[\d.]+% \)", text), text
    for line in stat("-r", "3", "-x,", *EVENTS, "true").splitlines():
        assert len(line.split(",")) == 8 and line.split(",")[3].endswith("%"), line
    for line in stat("-r", "3", "-j", *EVENTS, "true").splitlines():
        assert "variance" in json.loads(line), line
    data = json.loads(stat("-r", "3", "--json", *EVENTS, "true"))
    assert data["runs"] == 3 and len(data["run_elapsed_ns"]) == 3, data
    assert "deviation_percent" in only(data["counts"], "page-faults")[0], data


@tap.anybody
def test_repeat_runs_so_often():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs")
        stat("-r", "5", "--table", "-n", "sh", "-c", f"echo run >> '{path}'")
        with open(path, encoding="utf-8") as file:
            assert len(file.readlines()) == 5


@tap.always
def test_mean_is_that_of_the_runs():
    """Check the mean of two runs, of which the second has 4096 more page faults. The mean is above the count of a
    single small run, and has a deviation."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"if test -e '{folder}/x'; then exec {sys.executable} -S -c 'bytearray(1<<24)'; fi; touch '{folder}/x';" \
                 f"exec {sys.executable} -S -c 'pass'"
        one = json.loads(stat("--json", "-e", "page-faults", sys.executable, "-S", "-c", "pass"))["counts"][0]["value"]
        data = json.loads(stat("-r", "2", "--json", "-e", "page-faults", "sh", "-c", script))["counts"][0]
        assert data["scaled"] > one + 2048 - 512, (one, data)
        # With two runs, the deviation of the mean is half the difference between the runs.
        assert abs(data["deviation_percent"] / (100 * (data["scaled"] - one) / data["scaled"]) - 1) < 0.1, (one, data)


@tap.anybody
def test_hooks_run_around_each_run():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "order")
        stat("-r", "2", "--pre", f"echo pre >> '{path}'", "--post", f"echo post >> '{path}'", "-n", "sh", "-c",
             f"echo run >> '{path}'")
        with open(path, encoding="utf-8") as file:
            assert file.read().split() == ["pre", "run", "post"] * 2
    stat("--pre", "exit 3", "true", status=1, says="the --pre command failed: exit 3")


# ---- aggregation ---------------------------------------------------------------

def system_wide(*args):
    machine.need_system_wide()
    return stat("-a", *EVENTS, *args, "true")


def test_modes_in_text():
    for mode, (_, label, number) in MODES.items():
        lines = columns(system_wide(mode))
        assert lines, mode
        for line in lines:
            want = rf" *{label} +{r'[0-9]+ +' if number else ''}{VALUE} (msec| {{4}}) (page-faults|task-clock|cycles).*"
            assert re.fullmatch(want, line), f"{mode}: {line}"


def test_modes_in_csv():
    for mode, (_, label, number) in MODES.items():
        lines = system_wide(mode, "-x;").splitlines()
        # On an idle machine, --per-thread shows only the thread of the command.
        assert len(lines) >= (2 if mode == "--per-thread" else 3), f"{mode}: {lines}"
        for line in lines:
            fields = line.split(";")
            assert len(fields) == 8 + number and re.fullmatch(label, fields[0]), f"{mode}: {line}"
            assert re.fullmatch(VALUE, fields[1 + number]), f"{mode}: {line}"
            assert not number or fields[1].isdigit(), f"{mode}: {line}"


def test_modes_in_perf_json():
    for mode, (key, label, number) in MODES.items():
        lines = system_wide(mode, "-j").splitlines()
        # On an idle machine, --per-thread shows only the thread of the command.
        assert len(lines) >= (2 if mode == "--per-thread" else 3), f"{mode}: {lines}"
        for line in lines:
            event = json.loads(line)
            names = [key] + (["aggregate-number"] if number else []) + ["counter-value"]
            assert list(event)[:len(names)] == names, f"{mode}: {line}"
            assert re.fullmatch(label, event[key]) or (key == "cpu" and event[key].isdigit()), f"{mode}: {line}"


def test_modes_in_our_json():
    for mode, (key, _, _) in MODES.items():
        data = json.loads(system_wide(mode, "--json"))
        assert data["aggregation"] == key, data
        for count in data["counts"]:
            assert {"cpu": "cpu", "thread": "tid"}.get(key, key) in count, f"{mode}: {count}"


def test_modes_in_intervals():
    """Check each mode with -I: the time is the first column."""
    machine.need_system_wide()
    for mode, (_, label, number) in MODES.items():
        wide = ["stat", "-a", "-e", "task-clock", mode, "-I", "1", "--interval-count", "2"]
        text = tap.run(TALLY, *wide).stderr.splitlines()
        assert text[0].startswith("#           time "), text
        for line in text[1:]:
            assert re.fullmatch(rf" +\d+\.\d{{9}} +{label} +.*task-clock.*", line), f"{mode}: {line}"
        for line in tap.run(TALLY, *wide, "-x,").stderr.splitlines():
            fields = line.split(",")
            assert re.fullmatch(r" +\d+\.\d{9}", fields[0]) and re.fullmatch(label, fields[1]), f"{mode}: {line}"
        for line in tap.run(TALLY, *wide, "-j").stderr.splitlines():
            assert list(json.loads(line))[0] == "interval", line


def test_parts_add_up():
    """Check that the sum over all CPUs is the same in all aggregation modes."""
    machine.need_system_wide()
    for mode in list(MODES)[:-1]:
        counts = json.loads(stat("-a", mode, "--json", "-e", "cpu-clock", "true"))["counts"]
        assert sum(count["counters"] for count in counts) == cpus(), (mode, counts)
        assert all(count["quality"] == "exact" for count in counts), counts


def test_listed_cpus_only():
    machine.need_system_wide()
    counts = json.loads(stat("-C", "0", "-A", "--json", "-e", "cs", "true"))["counts"]
    assert [count["cpu"] for count in counts] == [0], counts


# ---- events ----------------------------------------------------------------------

def test_groups_are_read_at_one_moment():
    counts = json.loads(stat("--json", "-e", "{page-faults,task-clock,cs}", "true"))["counts"]
    assert len({(count["enabled_ns"], count["running_ns"]) for count in counts}) == 1, counts
    assert counts[0]["value"] > 0 and counts[1]["value"] > 0, counts


def test_a_group_survives_a_member_that_is_missing():
    for group in ("{cycles,page-faults,task-clock}", "{page-faults,cycles,task-clock}"):
        counts = json.loads(stat("--json", "-e", group, "true"))["counts"]
        assert only(counts, "page-faults")[0]["value"] > 0, counts
        assert only(counts, "task-clock")[0]["value"] > 0, counts


def test_counting_begins_with_the_exec():
    """Check that the user and kernel page faults from the exec on add up to the total."""
    counts = json.loads(stat("--json", "-e", "page-faults:u,page-faults:k,page-faults", "true"))["counts"]
    values = [count["value"] for count in counts]
    assert values[0] + values[1] == values[2], values


def test_children_are_counted_unless_told_otherwise():
    script = f"{sys.executable} -S -c 'bytearray(1<<24)'; true"
    with_children = json.loads(stat("--json", "-e", "page-faults", "sh", "-c", script))["counts"][0]["value"]
    without = json.loads(stat("-i", "--json", "-e", "page-faults", "sh", "-c", script))["counts"][0]["value"]
    assert with_children > without + 4000, (with_children, without)


def test_tracepoints_with_globs_and_filters():
    machine.need_tracepoints()
    counts = json.loads(stat("--json", "-e", "sched:sched_process_ex*", "true"))["counts"]
    values = {count["event"]: count["value"] for count in counts}
    assert values["sched:sched_process_exec"] == 1 and values["sched:sched_process_exit"] == 1, values
    data = json.loads(stat("--json", "-e", "sched:sched_process_exec", "--filter", "pid == 0", "-e",
                           "sched:sched_process_exec", "true"))
    assert [count["value"] for count in data["counts"]] == [0, 1], data
    stat("-e", "cs", "--filter", "pid == 0", "true", status=129, says="no tracepoint")
    stat("-e", "sched:sched_process_exec", "--filter", "no such", "true", status=1, says='the filter "no such"')


def test_breakpoints_and_raw_events():
    # If breakpoints never fire, a warning is printed first.
    counts = json.loads(stat("--json", "-e", "mem:0x1000:rw,r1a8", "true").splitlines()[-1])["counts"]
    assert [count["event"] for count in counts] == ["mem:0x1000:rw", "r1a8"], counts
    assert counts[0]["quality"] in ("exact", "not supported"), counts


@tap.anybody
def test_times_as_events():
    data = json.loads(stat("--json", "-e", "duration_time,user_time,system_time", "true"))
    values = {count["event"]: count["value"] for count in data["counts"]}
    assert values == {"duration_time": data["elapsed_ns"], "user_time": data["user_ns"],
                      "system_time": data["system_ns"]}, data


def test_levels_for_all_events():
    user = json.loads(stat("--json", "--all-user", "-e", "page-faults", "true"))["counts"][0]["value"]
    kernel = json.loads(stat("--json", "--all-kernel", "-e", "page-faults", "true"))["counts"][0]["value"]
    assert user > kernel, (user, kernel)


# ---- intervals ---------------------------------------------------------------------

def test_intervals_are_counted():
    lines = stat("-I", "5", "--interval-count", "0", "-e", "page-faults", "sleep", "0.1").splitlines()
    assert len(lines) > 4, lines
    lines = stat("-I", "5", "--interval-count", "3", "-e", "page-faults", "sleep", "1000").splitlines()
    tap.same(lines[0], "#           time             counts unit events", "heading")
    assert len(lines) == 4, lines
    times = [float(line.split()[0]) for line in lines[1:]]
    assert times == sorted(times) and len(set(times)) == 3, times


def test_summary_is_the_sum():
    lines = [json.loads(line) for line in stat("-I", "5", "--summary", "--json", "-e", "page-faults",
                                              *FAULTS).splitlines()]
    assert [line["kind"] for line in lines[:-1]] == ["interval"] * (len(lines) - 1), lines
    assert lines[-1]["kind"] == "summary", lines
    total = sum(line["counts"][0].get("value", 0) for line in lines[:-1])
    assert total == lines[-1]["counts"][0]["value"] > 0, lines
    text = stat("-I", "5", "--summary", "-x,", "-e", "page-faults", *FAULTS).splitlines()
    assert text[-1].startswith("         summary,"), text
    text = stat("-I", "5", "--summary", "--no-csv-summary", "-x,", "-e", "page-faults", *FAULTS).splitlines()
    assert re.match(r"\d+,,page-faults", text[-1]), text


# ---- output files --------------------------------------------------------------------

def test_output_to_a_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        assert stat("-o", path, "-e", "cs", "true") == ""
        assert stat("-o", path, "--append", "-x,", "-e", "cs", "true") == ""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert text.count("# started on ") == 2 and text.count("cs") == 2, text
        stat("-o", path, "-j", "-e", "cs", "true")
        with open(path, encoding="utf-8") as file:
            assert json.load(file)["event"] == "cs"


def test_a_dash_is_standard_error():
    with tempfile.TemporaryDirectory() as folder:
        done = tap.run(TALLY, "stat", "-x,", "-o", "-", "-e", "cs", "true", cwd=folder, status=0)
        assert re.match(r"\d+,,cs,", done.stderr) and not os.listdir(folder), done.stderr


def test_output_to_a_descriptor():
    with tempfile.TemporaryFile("w+") as file:
        assert stat("--log-fd", str(file.fileno()), "-x,", "-e", "cs", "true", pass_fds=(file.fileno(),)) == ""
        file.seek(0)
        assert re.match(r"\d+,,cs,", file.read())


def test_the_commands_own_output_is_left_alone():
    done = tap.run(TALLY, "stat", "-e", "cs", "sh", "-c", "echo out; cat", input="in\n")
    assert done.stdout == "out\nin\n", done.stdout


# ---- comparison with perf --------------------------------------------------------------

def both(*args):
    machine.need_perf_counts()
    return [tap.run(program, "stat", *args).stderr for program in (PERF, TALLY)]


def shape(text):
    """Return the text without numbers and without their widths, but with its columns."""
    text = re.sub(r" +(\d+(\.\d+)?|<not \w+>)(?= (msec|    |ns  ) )", lambda m: "~" * len(m[0]), text)
    text = re.sub(r"# +\d+\.\d+ ([KMG]/sec {18}|/sec {19})", "# rate", text)
    text = re.sub(r"\d+\.\d{3} CPUs", "N CPUs", text)
    text = re.sub(r" +\d+\.\d+ CPUs", " N CPUs", text)
    text = re.sub(r"\d+\.\d{9}", "T", text)
    text = re.sub(r" +[\d.]+ \+- [\d.]+ seconds", " T seconds", text)
    return re.sub(r"\( \+- *[\d.]+% \)", "( +- N% )", text)


def test_text_as_perf_has_it():
    # The width of the number in perf's "# N CPUs" can vary, so shape() normalizes the number.
    for args in (["-n", "true"], ["-e", "page-faults,cs", "true"], ["-e", "r1a8,page-faults", "true"]):
        perf, tally = both(*args)
        tap.same(shape(tally), shape(perf), str(args))


def test_fields_as_perf_has_them():
    for args in (["-x,", *EVENTS, "true"], ["-x;", "-r", "2", *EVENTS, "true"], ["-a", "-A", "-x,", *EVENTS, "true"],
                 ["-a", "--per-core", "-x,", *EVENTS, "true"], ["-a", "--per-socket", "-x,", "-e", "cs,page-faults", "true"]):
        perf, tally = ([re.sub(r"^\d[\d.]*|(?<=[,;])[\d.]+|[KMG]?/sec", "N", line) for line in text.splitlines()]
                       for text in both(*args))
        tap.same("\n".join(tally), "\n".join(perf), str(args))


def test_keys_as_perf_has_them():
    for args in (["-j", *EVENTS, "true"], ["-j", "-r", "2", *EVENTS, "true"], ["-a", "-A", "-j", *EVENTS, "true"],
                 ["-a", "--per-die", "-j", "-e", "cs", "true"], ["-a", "--per-node", "-j", "-e", "cs", "true"]):
        perf, tally = ([list(json.loads(line)) for line in text.splitlines()] for text in both(*args))
        tap.same(tally, perf, str(args))


def counting_faults(program, *command, env=None):
    return tap.run("setarch", "-R", program, "stat", "-x,", "-e", "page-faults", *command, env=env or {"PATH": "/usr/bin:/bin"})


def fault_counts(program, *command):
    """Return the numbers of page faults in several runs. Without address randomization, and with the same small
    environment as perf's, every run has the same number."""
    lines = counting_faults(PERF, "env").stdout.splitlines() if program == TALLY else []
    env = dict(line.split("=", 1) for line in lines)
    return {int(counting_faults(program, *command, env=env).stderr.split(",")[0]) for _ in range(3)}


def check_faults(command):
    """Compare the page faults with perf's. If memory is short, or if pages come from a cache that is changing, perf's
    own counts differ between runs."""
    seen = []
    for _ in range(10):
        seen.append((fault_counts(PERF, *command), fault_counts(TALLY, *command)))
        perf, tally = seen[-1]
        if perf == tally and len(perf) == 1:
            break
    print(f"# page faults of {os.path.basename(command[0])}: perf and tally {seen}")
    if all(len(perf) > 1 for perf, _ in seen):
        raise tap.Skip(f"perf counts another number of page faults in each run here: {seen[-1][0]}")
    assert perf == tally, (command, seen)


def test_page_faults_are_perfs():
    machine.need_perf_counts()
    reason = machine.why_not(["setarch", "-R", "true"])
    if reason:
        raise tap.Skip(f"addresses cannot be fixed here: {reason}")
    for command in (["true"], FAULTS):
        check_faults(command)


def test_task_clock_next_to_perf():
    """Print the task-clock next to perf's. Times are not compared."""
    perf, tally = (float(text.split(",")[0]) for text in both("-x,", "-e", "task-clock", *FAULTS))
    print(f"# task-clock of a python that allocates: perf {perf} ms, tally {tally} ms")


# ---- without privileges ------------------------------------------------------------------

@tap.anybody
def test_without_privileges_the_kernel_is_left_out():
    machine.need_events_of_users()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        level = int(file.read())
    if level not in (2,):
        raise tap.Skip(f"perf_event_paranoid is {level}: 2 is what this is about")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "tally")
        shutil.copy(TALLY, program)
        os.chmod(folder, 0o755)
        nobody = ["setpriv", "--reuid=65534", "--clear-groups", program, "stat"]
        done = tap.run(*nobody, "-e", "page-faults,cs", "true", env={"ASAN_OPTIONS": "detect_leaks=0", **os.environ})
        assert done.returncode == 0 and "page-faults:u" in done.stderr, done.stderr
        told = r"perf_event_paranoid is 2.*CAP_PERFMON.*at most 1.*cap_sys_admin.*discouraged"
        assert re.search(told, done.stderr, flags=re.S), done.stderr
        # An event that occurs only in the kernel cannot be counted in user mode.
        assert re.search("<not permitted> +cs", done.stderr), done.stderr
        data = json.loads(tap.run(*nobody, "--json", "-e", "page-faults,cs", "true").stderr.splitlines()[-1])
        assert data["counts"][0]["fallbacks"] == ["kernel excluded"], data
        assert data["counts"][1]["refused"]["rule_id"] == "kernel", data
        done = tap.run(*nobody, "-a", "-e", "cs", "true")
        assert done.returncode == 1 and "CAP_PERFMON" in done.stderr, done.stderr


if __name__ == "__main__":
    tap.main(__name__, machine.need_kernel_events)
