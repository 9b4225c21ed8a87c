#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What every command has: help, exit statuses, errors that say what, why and how to fix.

usage: commands.py TALLY FIXTURES
"""
import json
import os
import re
import sys
import tempfile

import tap

TALLY, FIXTURES = sys.argv[1:3]
DATA = os.path.join(FIXTURES, "perfdata")
SAMPLE = os.path.join(DATA, "quipper", "perf.data.singleprocess-3.4")


def fixture(*parts):
    path = os.path.join(DATA, *parts)
    if not os.path.exists(path):
        raise tap.Skip("no fixtures at " + FIXTURES)
    return path


def commands():
    return re.findall(r"^   (\S+) ", tap.run(TALLY, "help").stdout, re.M)


def test_help_of_every_command():
    assert {"stat", "record", "report", "script", "evlist", "list", "buildid-list", "version", "help"} <= set(commands())
    for command in commands():
        run = tap.run(TALLY, command, "--help")
        tap.same(run.returncode, 0, f"{command} --help")
        assert f"Usage: tally {command}" in run.stdout, run.stdout
        tap.same(run.stderr, "", f"{command} --help")


def test_usage_errors_exit_with_129():
    for command in commands():
        run = tap.run(TALLY, command, "--nonsense")
        tap.same(run.returncode, 129, f"{command} --nonsense")
        assert "--nonsense" in run.stderr and "--help" in run.stderr, run.stderr


def test_unknown_command_exits_with_1():
    run = tap.run(TALLY, "frobnicate")
    tap.same(run.returncode, 1, "frobnicate")
    assert "not a command" in run.stderr


def test_version_has_build_options():
    text = tap.run(TALLY, "version", "--build-options").stdout
    assert re.search(r"^tally version \d+\.\d+\.\d+$", text, re.M), text
    assert re.search(r"^ +zstd: \[ on  \]", text, re.M), text


def test_missing_file_says_so():
    for command in ("report", "script", "evlist", "buildid-list"):
        run = tap.run(TALLY, command, "-i", "/nonexistent/perf.data")
        tap.same(run.returncode, 1, command)
        assert "/nonexistent/perf.data" in run.stderr and "No such file" in run.stderr, run.stderr


def test_garbage_says_what_and_where():
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"this is no recording at all, however long one looks at it" * 10)
        file.flush()
        run = tap.run(TALLY, "report", "-i", file.name)
        tap.same(run.returncode, 1, "garbage")
        assert re.search(r"perf\.data|magic", run.stderr) and "byte" in run.stderr, run.stderr


def test_broken_recordings_end_with_an_error_at_once():
    path = fixture("quipper", "perf.data.piped.corrupted.zero_size_sample-3.2")
    for command in ("report", "script"):
        run = tap.run(TALLY, command, "-i", path, timeout=20)
        tap.same(run.returncode, 1, command)
        assert "byte" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-i", fixture("quipper", "fuzz-4883679740166144"), timeout=20)
    assert run.returncode in (0, 1), run.returncode


def test_every_recording_opens():
    opened = 0
    fixture()
    for folder, _, names in os.walk(DATA):
        if folder.endswith("threads.d"):
            names = []
            run = tap.run(TALLY, "report", "-i", folder)
            tap.same(run.returncode, 0, folder)
        for name in names:
            run = tap.run(TALLY, "report", "-i", os.path.join(folder, name), "--header")
            # INDEX.md: this one holds a record shorter than its header.
            broken = "zero_size" in name
            tap.same(run.returncode, 1 if broken else 0, f"{name}: {run.stderr[:300]}")
            opened += 1
    assert opened > 90, opened


def test_big_endian_twins_print_the_same():
    folder = fixture("bigendian-twins")
    twins = [name for name in os.listdir(folder) if name.endswith(".be")]
    assert len(twins) >= 6, twins
    for name in twins:
        twin, original = os.path.join(folder, name), fixture("quipper", name[:-3])
        for command in (["script"], ["evlist", "-v"], ["buildid-list"], ["report"]):
            want = tap.run(TALLY, *command, "-i", original).stdout
            assert want or command == ["buildid-list"], (original, command)
            tap.same(tap.run(TALLY, *command, "-i", twin).stdout, want, f"{name}: {command}")


def test_report_json_is_json():
    fixture()
    report = json.loads(tap.run(TALLY, "report", "--json", "-i", SAMPLE).stdout)
    tap.same(report["version"], 1, "version")
    for event in report["events"]:
        tap.same(sum(row["self_period"] for row in event["rows"]), event["period"], event["event"])
    tap.same(report["health"]["samples"], 77, "samples")


def test_report_filters():
    fixture()
    path = os.path.join(DATA, "quipper", "perf.data.systemwide.1-3.8")
    everything = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)["events"][0]
    some = json.loads(tap.run(TALLY, "report", "--json", "-i", path, "--comms", "swapper").stdout)["events"][0]
    tap.same(some["total_period"], everything["total_period"], "percentages stay of the whole")
    want = sum(row["self_period"] for row in everything["rows"] if row["comm"] == "swapper")
    assert 0 < want < everything["period"]
    tap.same(some["period"], want, "period of swapper")
    text = tap.run(TALLY, "report", "-i", path, "-x", ";", "-q", "-s", "comm,dso", "--percent-limit", "5").stdout
    for line in text.split():
        assert float(line.split("%")[0]) >= 5, line


def test_report_fields_and_sort():
    fixture()
    text = tap.run(TALLY, "report", "-i", SAMPLE, "-F", "sample,overhead,comm").stdout
    assert re.search(r"^# +Samples +Overhead +Command", text, re.M), text
    run = tap.run(TALLY, "report", "-i", SAMPLE, "-s", "comm,nonsense")
    tap.same(run.returncode, 1, "unknown sort key")
    assert "nonsense" in run.stderr, run.stderr


def test_script_fields_are_checked():
    fixture()
    run = tap.run(TALLY, "script", "-i", SAMPLE, "-F", "comm,nonsense")
    tap.same(run.returncode, 1, "unknown field")
    assert "nonsense" in run.stderr and "fields:" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "-i", SAMPLE, "-F", "comm,addr")
    tap.same(run.returncode, 1, "field that is not there")
    assert "ADDR" in run.stderr, run.stderr


def test_script_time_and_cpu():
    fixture()
    lines = tap.run(TALLY, "script", "-i", SAMPLE, "-F", "time").stdout.split()
    times = [float(line.rstrip(":")) for line in lines]
    middle = times[len(times) // 2]
    late = tap.run(TALLY, "script", "-i", SAMPLE, "-F", "time", "--time", f"{middle:.6f},").stdout.split()
    tap.same(len(late), sum(time >= middle for time in times), "samples from the middle on")
    run = tap.run(TALLY, "script", "-i", SAMPLE, "--time", "yesterday")
    tap.same(run.returncode, 1, "--time yesterday")


def test_list_kinds_and_patterns():
    names = tap.run(TALLY, "list", "sw").stdout
    assert "page-faults OR faults" in names, names
    listed = json.loads(tap.run(TALLY, "list", "-j", "hw", "sw").stdout)
    tap.same(listed["version"], 1, "the schema's version")
    assert {"cycles", "task-clock"} & {event["name"] for event in listed["events"]}, listed
    run = tap.run(TALLY, "list", "no-such-event-anywhere")
    tap.same(run.returncode, 1, "list of nothing")


def test_output_that_cannot_be_written_is_an_error():
    if not os.path.exists("/dev/full"):
        raise tap.Skip("there is no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = tap.run(TALLY, "list", stdout=full)
    tap.same(run.returncode, 1, "list to a full disk")
    assert "No space left" in run.stderr, run.stderr


tap.main(__name__)
