#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the behaviour that all commands share: help, exit statuses, and errors that contain the failed action, the
reason and the fix.

usage: commands.py TALLY FIXTURES SHARED
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
SETS = fixtures.sets(*sys.argv[2:4])
OWN = SETS[0]
EMPTY = tempfile.TemporaryDirectory()
# For each set of recordings: a typical recording, a recording of several commands, and the minimum number of files.
SAMPLES = {True: ("perf61/several.data", "perf61/several.data", 75),
           False: ("quipper/perf.data.singleprocess-3.4", "quipper/perf.data.systemwide.1-3.8", 90)}
ORIGINALS = {True: "perf61", False: "quipper"}  # recordings from which the big-endian copies were made
# Streams with a record of size 0, and files that are too short to be identified.
ENDLESS = {True: "damaged/zero_size.stream.data", False: "quipper/perf.data.piped.corrupted.zero_size_sample-3.2"}
FUZZED = {True: "damaged/fuzz-chain.stream.data", False: "quipper/fuzz-4883679740166144"}


def commands():
    return re.findall(r"^   (\S+) ", tap.run(TALLY, "help").stdout, re.M)


def test_help_of_every_command():
    assert {"stat", "record", "report", "script", "evlist", "list", "buildid-list", "version", "help"} <= set(commands())
    for command in commands():
        run = tap.run(TALLY, command, "--help", status=0)
        assert f"Usage: tally {command}" in run.stdout, run.stdout
        tap.same(run.stderr, "", f"{command} --help")


def test_usage_errors_exit_with_129():
    names = commands()
    assert len(names) >= 15, names
    for command in names:
        run = tap.run(TALLY, command, "--nonsense", status=129)
        assert "--nonsense" in run.stderr and "--help" in run.stderr, run.stderr


@tap.always
def test_numbers_with_garbage_behind_them_are_refused():
    for words in ("record -c 99x -o /dev/null true", "report --max-stack 5,", "script --max-stack 0x", "top -E 1k", "annotate --max-stack 1e3"):
        number = words.split()[2]
        tap.run(TALLY, *words.split(), status=129, says=f"'{number}'")


def test_unknown_command_exits_with_1():
    run = tap.run(TALLY, "frobnicate", status=1)
    assert "not a tally command" in run.stderr


def test_missing_file_says_so():
    for command in ("report", "script", "evlist", "buildid-list"):
        run = tap.run(TALLY, command, "-i", "/nonexistent/perf.data", status=1)
        assert "/nonexistent/perf.data" in run.stderr and "No such file" in run.stderr, run.stderr


def test_reports_garbage_with_its_offset():
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"this is no recording at all, however long one looks at it" * 10)
        file.flush()
        run = tap.run(TALLY, "report", "-i", file.name, status=1)
        assert re.search(r"perf\.data|magic", run.stderr) and "byte" in run.stderr, run.stderr


def check_broken_recordings_end_with_an_error_at_once(one):
    for command in ("report", "script"):
        run = tap.run(TALLY, command, "-i", one.recording(ENDLESS[one.own]), preexec_fn=tap.limit_cpu(20), status=1)
        assert "byte" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-i", one.recording(FUZZED[one.own]), preexec_fn=tap.limit_cpu(20))
    assert run.returncode in (0, 1), run.returncode


def test_reports_where_a_recording_is_truncated():
    """Check that a file truncated in its header is rejected, and that a file truncated later is read up to that
    point."""
    with open(OWN.recording("perf61", "ticks.data"), "rb") as file:
        whole = file.read()
    with tempfile.NamedTemporaryFile() as cut:
        for size in (0, 7, 8, 15, 24, 60, 103):
            cut.seek(0)
            cut.truncate()
            cut.write(whole[:size])
            cut.flush()
            run = tap.run(TALLY, "report", "-i", cut.name, preexec_fn=tap.limit_cpu(20), status=1)
            assert cut.name in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-F", "ip", "-i", OWN.recording("damaged", "cut-in-record.data"))
    samples = tap.run(TALLY, "script", "-F", "ip", "-i", OWN.recording("perf61", "ticks.data")).stdout.splitlines()
    tap.same(run.stdout.splitlines(), samples[:-1], "all samples but the last, which is cut")
    assert re.search(r"ends before its records do \(at byte \d+\)", run.stderr), run.stderr


def check_every_recording_opens(one):
    opened = 0
    for path in one.files():
        name = os.path.basename(path)
        run = tap.run(TALLY, "report", "-i", path, "--header")
        # These files have a broken record header.
        broken = "zero_size" in name or "short_record" in name
        tap.same(run.returncode, 1 if broken else 0, f"{name}: {run.stderr[:300]}")
        opened += 1
    assert opened > (5 if tap.QUICK else SAMPLES[one.own][2]), opened


def check_big_endian_twins_print_the_same(one):
    twins = [name for name in one.names("perfdata", "bigendian-twins") if name.endswith(".be")]
    assert len(twins) >= 6, twins
    for name in tap.some(twins, 4):
        twin, original = one.recording("bigendian-twins", name), one.recording(ORIGINALS[one.own], name[:-3])
        # Our originals were recorded on this architecture, so local files may match them, but never match the
        # big-endian copies.
        nowhere = ["--symfs", EMPTY.name] if one.own else []
        for command in (["script", *nowhere], ["evlist", "-v"], ["buildid-list"], ["report", *nowhere]):
            if command == ["buildid-list"] and name.startswith("unfinished"):
                continue  # the file has no build ID table, so the IDs would be those of local files
            want = tap.run(TALLY, *command, "-i", original).stdout
            hollow = command == ["buildid-list"] or re.match("counted|intervals|nothing", name)
            assert want or hollow, (original, command)
            tap.same(tap.run(TALLY, *command, "-i", twin).stdout, want, f"{name}: {command}")


def check_report_json_is_json(one):
    path = one.recording(SAMPLES[one.own][0])
    report = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)
    tap.same(report["version"], 1, "version")
    for event in report["events"]:
        tap.same(sum(row["self_period"] for row in event["rows"]), event["period"], event["event"])
    with open(one.path("golden", "record-counts.tsv"), encoding="ascii") as counts:
        samples = re.search(rf"^{SAMPLES[one.own][0]}\t.*\bSAMPLE=(\d+)", counts.read(), re.M)[1]
    tap.same(report["health"]["samples"], int(samples), "samples")


def check_report_filters(one):
    path, comm = one.recording(SAMPLES[one.own][1]), "child" if one.own else "swapper"
    events = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)["events"]
    some = json.loads(tap.run(TALLY, "report", "--json", "-i", path, "--comms", comm).stdout)["events"][0]
    tap.same(some["total_period"], events[0]["total_period"], "percentages stay of the whole")
    want = sum(row["self_period"] for row in events[0]["rows"] if row["comm"] == comm)
    assert 0 < want < events[0]["period"]
    tap.same(some["period"], want, f"period of {comm}")
    text = tap.run(TALLY, "report", "-i", path, "-x", ";", "-q", "-s", "comm,dso", "--percent-limit", "5").stdout
    for line in text.split():
        assert float(line.split("%")[0]) >= 5, line


def check_report_fields_and_sort(one):
    path = one.recording(SAMPLES[one.own][0])
    text = tap.run(TALLY, "report", "-i", path, "-F", "sample,overhead,comm").stdout
    assert re.search(r"^# +Samples +Overhead +Command", text, re.M), text
    run = tap.run(TALLY, "report", "-i", path, "-s", "comm,nonsense", status=1)
    assert "nonsense" in run.stderr, run.stderr
    run = tap.run(TALLY, "report", "-i", path, "-s", "srclines")
    assert "did you mean 'srcline'?" in run.stderr and "comm,pid,tgid,tid,cpu,dso,symbol" in run.stderr, run.stderr
    assert "overhead" not in run.stderr, "measures are no keys"
    run = tap.run(TALLY, "report", "-i", path, "-F", "overhaed")
    assert run.returncode == 1 and "did you mean 'overhead'?" in run.stderr, run.stderr


def heading(path, *options):
    """Return the column names of a report."""
    run = tap.run(TALLY, "report", "--stdio", "--no-children", "-g", "none", "-i", path, *options, status=0)
    return re.split("  +", re.search(r"^# +(\S.*)\n# +\.\.", run.stdout, re.M).group(1).strip())


def check_report_adds_to_the_defaults(one):
    """Check that, as in perf, a plus sign is accepted only as the first character of the list."""
    path = one.recording(SAMPLES[one.own][0])
    keys = ["Command", "Shared Object", "Symbol"]
    for options, want in (
            (("-s", "+cpu"), ["Overhead", *keys, "CPU"]),
            (("-s", "+cpu,pid"), ["Overhead", *keys, "CPU", "Pid:Command"]),
            (("-s", "+comm"), ["Overhead", *keys]),
            (("-F", "+sample"), ["Overhead", "Samples", *keys]),
            (("-F", "+cpu"), ["Overhead", "CPU", *keys]),
            (("-n", "-F", "+period"), ["Overhead", "Samples", "Period", *keys]),
            (("-F", "+sample", "-s", "dso"), ["Overhead", "Samples", "Shared Object"]),
            (("-F", "+sample", "-s", "+cpu"), ["Overhead", "Samples", *keys, "CPU"]),
            (("-F", "sample", "-s", "+cpu"), ["Samples", *keys, "CPU"])):
        tap.same(heading(path, *options), want, options)
    for options in (("-s", "+"), ("-F", "+"), ("-s", "+cpu,+pid"), ("-F", "overhead,+cpu")):
        tap.same(tap.run(TALLY, "report", "-i", path, *options).returncode, 1, options)


def check_script_fields_are_checked(one):
    path = one.recording(SAMPLES[one.own][0])
    run = tap.run(TALLY, "script", "-i", path, "-F", "comm,nonsense", status=1)
    assert "nonsense" in run.stderr and "fields:" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-i", path, "-F", "+srcln")
    assert "did you mean 'srcline'?" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-i", path, "-F", "comm,addr", status=1)
    assert "ADDR" in run.stderr, run.stderr


def check_script_time_and_cpu(one):
    path = one.recording(SAMPLES[one.own][0])
    lines = tap.run(TALLY, "script", "-i", path, "-F", "time").stdout.split()
    times = [float(line.rstrip(":")) for line in lines]
    middle = times[len(times) // 2]
    late = tap.run(TALLY, "script", "-i", path, "-F", "time", "--time", f"{middle:.6f},").stdout.split()
    tap.same(len(late), sum(time >= middle for time in times), "samples from the middle on")
    tap.run(TALLY, "script", "-i", path, "--time", "yesterday", status=1, says="yesterday")


def test_cpus():
    path = OWN.recording("perf61", "several.data")
    cpus = re.findall(r"\[(\d+)\]", tap.run(TALLY, "script", "-i", path, "-F", "cpu").stdout)
    assert len(set(cpus)) == 2, f"samples of CPUs {sorted(set(cpus))}"
    for cpu in sorted(set(cpus)):
        some = re.findall(r"\[(\d+)\]", tap.run(TALLY, "script", "-i", path, "-F", "cpu", "--cpu", str(int(cpu))).stdout)
        tap.same(some, [one for one in cpus if one == cpu], f"samples of CPU {cpu}")


for _check in [value for name, value in list(vars().items()) if name.startswith("check_")]:
    fixtures.add_tests(sys.modules[__name__], SETS, _check)


def test_list_kinds_and_patterns():
    names = tap.run(TALLY, "list", "sw").stdout
    assert "page-faults OR faults" in names, names
    listed = json.loads(tap.run(TALLY, "list", "-j", "hw", "sw").stdout)
    tap.same(listed["version"], 1, "the schema's version")
    assert {"cycles", "task-clock"} & {event["name"] for event in listed["events"]}, listed
    tap.run(TALLY, "list", "no-such-event-anywhere", status=1, says="no event matches")


def test_output_that_cannot_be_written_is_an_error():
    if not os.path.exists("/dev/full"):
        raise tap.Skip("there is no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = tap.run(TALLY, "list", stdout=full)
    tap.same(run.returncode, 1, "list to a full disk")
    assert "No space left" in run.stderr, run.stderr


tap.main(__name__)
