#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test stat --regions, record --regions and report, with a program that counts regions with tally/region.h.

usage: regions.py TALLY PROGRAM
"""
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import file_bytes, sample  # noqa: E402

TALLY, PROGRAM = map(os.path.abspath, sys.argv[1:3])
WORK = tap.workplace("regions")
EVENTS = "{task-clock:u,faults:u}"
DOCUMENT = {"document": "tally regions", "version": 1, "pid": 1, "unmeasured": 2,
            "events": [{"name": "cycles", "self_read": False}],
            "regions": [{"name": "a", "parent": -1, "calls": 2,
                         "counts": [{"value": 10, "enabled": 9, "running": 9, "quality": "exact"}]}]}


def stat(*words, **options):
    return tap.run(TALLY, "stat", "--regions", "-e", "task-clock", *words, **options)


def regions_of(text):
    document = json.loads(text)
    return {"/".join(region["path"]): region for region in document["regions"]}


def check_regions(found):
    """Check the regions of the program's four threads."""
    tap.same({path: region["calls"] for path, region in found.items()}, {"round": 12, "round/in\x1b[31mside": 24}, "calls")
    for region in found.values():
        tap.same([count["event"] for count in region["counts"]], ["task-clock:u", "faults:u"], "events")
        assert region["time_ns"] > 0, region
    outer, inner = found["round"]["counts"][0], found["round/in\x1b[31mside"]["counts"][0]
    if outer["quality"] in ("exact", "scaled"):
        assert 0 < inner["value"] <= outer["value"] <= outer["enabled_ns"] * 1.5 + 1e6, found


def test_json():
    machine.need_events()
    run = stat("--json", "--", PROGRAM, EVENTS, status=0)
    check_regions(regions_of(run.stderr))
    tap.same(json.loads(run.stderr)["regions_unmeasured"], 0, "unmeasured")


def test_text():
    machine.need_events()
    text = stat("--", PROGRAM, EVENTS, status=0).stderr
    assert "\x1b" not in text, text
    section = text[text.index(" Regions of 4 threads, counted by the program:"):]
    pattern = (r" round: 12 calls, [\d.]+ msec\n +[\d.]+ msec task-clock:u +# +[\d.]+ msec a call.*\n +\d+ +faults:u +# +[\d.]+ a call.*\n"
               r"\n   in\S*31mside: 24 calls, [\d.]+ msec\n")
    assert re.search(pattern, section), section
    assert max(map(len, section.splitlines())) <= 100, section


def test_refused_event():
    machine.need_events()
    found = regions_of(stat("--json", "--", PROGRAM, "task-clock:u,r1:u", status=0).stderr)
    count = found["round"]["counts"][1]
    if count["quality"] not in ("not supported", "not permitted"):
        raise tap.Skip("this machine has a PMU")
    assert count["rule"] and "value" not in count, count


def test_recording():
    machine.need_events()
    path = os.path.join(WORK, "perf.data")
    steps.record(path, "-q", "--regions", "-e", "cpu-clock", "--", PROGRAM, EVENTS)
    check_regions(regions_of(steps.report(path, "--json")))
    text = steps.report(path, "--stdio")
    assert re.search(r"^# Regions of 4 threads.*\n#\n# round: 12 calls, ", text, re.M), text
    assert "Regions" not in steps.report(path, "--stdio", "-q") + steps.report(path, "--format", "csv")
    copy = os.path.join(WORK, "copy.data")
    tap.run(TALLY, "inject", "-b", "-i", path, "-o", copy, status=0)
    check_regions(regions_of(steps.report(copy, "--json")))
    tap.run(TALLY, "archive", "--redact", "-i", path, "-o", copy, "-f", status=0)
    assert "regions" not in json.loads(steps.report(copy, "--json")), "a redacted file has the names of regions"


def test_simulated_machine():
    """Check the counts of a machine that counts a cycle each nanosecond, and two instructions in a cycle."""
    script = os.path.join(WORK, "machine.sim")
    with open(script, "w", encoding="ascii") as file:
        file.write("pmu cpu counters 4\nevent cycles 1000M/s\nevent instructions 2000M/s\n")
    run = tap.run(TALLY, "emulate", "--host", f"sim:{script}", "--", TALLY, "stat", "--regions", "--json", "-e", "task-clock", "--",
                  PROGRAM, "{cycles:u,instructions:u}", env=tap.preloading(), status=0)
    found = regions_of(run.stderr)
    tap.same(sorted(found), ["round", "round/in\x1b[31mside"], "regions")
    for region in found.values():
        cycles, instructions = region["counts"]
        tap.same([cycles["quality"], instructions["quality"]], ["exact", "exact"], "qualities")
        tap.same((cycles["value"], instructions["value"]), (cycles["enabled_ns"], 2 * cycles["enabled_ns"]), "counts")
    assert found["round"]["counts"][0]["value"] > 0, found


def test_no_regions():
    machine.need_events()
    run = stat("--", "true", status=0)
    assert "the command wrote no regions" in run.stderr and "Regions of" not in run.stderr, run.stderr


def test_directory_is_removed():
    machine.need_events()
    where = os.path.join(WORK, "tmp")
    os.makedirs(where, exist_ok=True)
    script = 'echo "$TALLY_REGIONS" >' + where + '/name; mkdir -p "${TALLY_REGIONS%/*}"; exit 3'
    run = stat("--", "sh", "-c", script, env={**os.environ, "TMPDIR": where})
    tap.same(run.returncode, 3, "exit status")
    named = open(where + "/name", encoding="utf-8").read()
    assert re.fullmatch(re.escape(where) + r"/tally-regions-\w{6}/%p\.%t\.json\n", named), named
    tap.same(glob.glob(where + "/tally*"), [], "left over")


def test_replaced_directory():
    """Check that a command that moves the directory away costs neither its counts nor files elsewhere."""
    machine.need_events()
    for number, put in enumerate(("true", 'ln -s "$1" "$d"')):
        victim = os.path.join(WORK, f"victim{number}")
        os.makedirs(victim, exist_ok=True)
        kept = os.path.join(victim, "kept.json")
        open(kept, "w", encoding="utf-8").close()
        script = 'd=${TALLY_REGIONS%/*}; rm -r "$d"; ' + put
        run = stat("--", "sh", "-c", script, "sh", victim, env={**os.environ, "TMPDIR": WORK}, status=0)
        assert "task-clock" in run.stderr, run.stderr
        assert os.path.exists(kept), "a file outside of the directory was removed"


def test_relative_directory():
    machine.need_events()
    os.makedirs(os.path.join(WORK, "relative"), exist_ok=True)
    run = stat("--json", "--", "sh", "-c", 'cd / && exec "$@"', "sh", PROGRAM, EVENTS, cwd=WORK,
               env={**os.environ, "TMPDIR": "relative"}, status=0)
    check_regions(regions_of(run.stderr))


def wrong_documents():
    """Yield documents that must be left out."""
    for key, value in (("document", "other"), ("version", 2), ("unmeasured", -1), ("events", {}), ("events", [{}]), ("regions", None)):
        yield {**DOCUMENT, key: value}
    (region,) = DOCUMENT["regions"]
    for key, value in (("name", 1), ("parent", 0), ("parent", -2), ("parent", None), ("calls", 1.5), ("calls", 1 << 64), ("counts", [])):
        yield {**DOCUMENT, "regions": [{**region, key: value}]}
    for count in ({}, {**region["counts"][0], "quality": "good"}, {**region["counts"][0], "value": "10"}, {**region["counts"][0], "value": -1}):
        yield {**DOCUMENT, "regions": [{**region, "counts": [count]}]} if count.get("value") != "10" else {}
    yield {**DOCUMENT, "events": DOCUMENT["events"] * 65}
    yield {**DOCUMENT, "regions": [{**region, "parent": i - 1} for i in range(65)]}


def test_wrong_documents():
    """Check that wrong files are reported and left out, and that the others are summed up."""
    machine.need_events()
    files = os.path.join(WORK, "files")
    os.makedirs(files, exist_ok=True)
    documents = [json.dumps(document) for document in (DOCUMENT, DOCUMENT, *wrong_documents())] + ["", "{", "[[]]", "7"]
    for number, text in enumerate(documents):
        with open(f"{files}/{number:02}.json", "w", encoding="utf-8") as file:
            file.write(text)
    script = f'd=${{TALLY_REGIONS%/*}}; cp {files}/* $d; ln -s /etc/passwd $d/link.json; mkfifo $d/pipe.json; ln $d/00.json $d/hard.json'
    run = stat("--json", "--", "sh", "-c", script)
    lines = run.stderr.splitlines()
    left_out = {name for line in lines for name in re.findall(r"regions in (\S+)\.json were left out: ", line)}
    names = {f"{number:02}" for number in range(2, len(documents))} | {"link", "pipe", "hard", "00"}
    tap.same(sorted(left_out), sorted(names), "left out")
    document = json.loads(lines[-1])
    tap.same(document["regions"], [{"path": ["a"], "calls": 2, "counts": [
        {"event": "cycles", "quality": "exact", "value": 10, "scaled": 10, "enabled_ns": 9, "running_ns": 9}]}], "regions")


def test_sums_of_documents():
    machine.need_events()
    child = {"name": "b", "parent": 0, "calls": 1, "counts": DOCUMENT["regions"][0]["counts"]}
    other = {**DOCUMENT, "regions": [*DOCUMENT["regions"], child, {**child, "parent": -1}]}
    text = json.dumps([DOCUMENT, other, {**DOCUMENT, "events": [{"name": "faults"}]}])
    run = stat("--json", "--", "sh", "-c", f"echo '{text}' > ${{TALLY_REGIONS%/*}}/all.json", status=0)
    document = json.loads(run.stderr)
    rows = [("/".join(region["path"]), region["calls"], region["counts"][0]["event"], region["counts"][0]["value"])
            for region in document["regions"]]
    tap.same(rows, [("a", 4, "cycles", 20), ("a/b", 1, "cycles", 10), ("b", 1, "cycles", 10), ("a", 2, "faults", 10)], "rows")
    tap.same(document["regions_unmeasured"], 6, "unmeasured")


def test_refusals():
    for words, said in ((["stat", "--regions", "-a"], "--regions requires a command"),
                        (["stat", "--regions", "-x,", "true"], "use --json"),
                        (["stat", "--regions", "-I", "100", "true"], "cannot be combined with -I"),
                        (["record", "--regions", "-a", "-o", WORK + "/no"], "requires a command"),
                        (["record", "--regions", "--redact", "-o", WORK + "/no", "true"], "cannot be combined"),
                        (["record", "--regions", "-o", "-", "true"], "written to a pipe")):
        run = tap.run(TALLY, *words)
        assert run.returncode and said in run.stderr, (words, run)


def test_regions_of_a_hostile_recording():
    machine_path = os.path.join(WORK, "crafted.data")
    plain = file_bytes([sample(0x1000)])
    with open(machine_path, "wb") as file:
        file.write(plain)
    before = steps.report(machine_path, "--stdio").splitlines()[:-1]
    for text in (b"{", json.dumps({**DOCUMENT, "version": 9}).encode()):
        body = len(plain) + 32
        with open(machine_path, "wb") as file:
            file.write(plain + b"tally:unlisted:2" + body.to_bytes(8, "little") + len(text).to_bytes(8, "little") + text)
        run = tap.run(TALLY, "report", "-i", machine_path, "--stdio", status=0)
        assert "ignoring its regions" in run.stderr, run.stderr
        tap.same(run.stdout.splitlines()[:-1], before, "the report, without the line Health")


tap.main(__name__)
