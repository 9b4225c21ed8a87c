#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Validate the --json output of commands against docs/schemas, for new recordings, fixtures and hostile recordings. The
schemas must reject invalid documents. With TALLY_LONG=1, every command is run on every fixture.

usage: schemas.py TALLY FIXTURES SHARED
"""
import base64
import collections
import json
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_data  # noqa: E402
import browser_hostile  # noqa: E402
import fixtures  # noqa: E402
import schema_files  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
SETS = fixtures.sets(*sys.argv[2:4])
LONG = bool(os.environ.get("TALLY_LONG"))
WORK = tap.workplace("schemas")
ROOT = os.path.join(WORK, "root")
SOURCE = r"""
#include <string.h>
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inlined_part(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void busy(long n) { inlined_part(n); sink++; }
__attribute__((noinline)) void outer(long n) { busy(2 * n); busy(n); sink++; }
int main(int argc, char **argv) { for (int i = 0; i < 30; i++) outer(argc > 1 ? 700000 : 400000); }
"""
# By default, only fixtures with special record types and fields are checked.
SOME = ("addresses.data", "counted.data", "intervals-stream.data", "lost.data", "traced.data", "leader.data", "dwarf.data",
        "each-thread.data", "squeezed.data", "frames-stream.data", "bare-metal.data", "fuzz-chain.stream.data", "zero_size.stream.data",
        "perf-kernel.data", "folder.d", "read.data.be", "lost.data.be")
MOST_BYTES = 200000  # limit for files from the shared set
# Maximum number of records of each type to check.
MOST_RECORDS = 200 if LONG else 15
validators = None
seen = {}  # schema: distance from the preferred size, and the document


def validator(name):
    global validators  # pylint: disable=global-statement
    if validators is None:
        validators = schema_files.validators()
    return validators[name]


def hold(name, document, what):
    """Validate a document. For each schema, keep the document closest to a size at which documents contain some of
    everything."""
    wrong = schema_files.deeply(lambda: next(validator(name).iter_errors(document), None))
    if wrong:
        raise AssertionError(f"{what}: {name}: at {'/'.join(map(str, wrong.absolute_path))}: {wrong.message[:300]}")
    off = abs(len(json.dumps(document)) - 4000)
    if name not in seen or off < seen[name][0]:
        seen[name] = off, document


def output(*args, least=None, stream="stdout"):
    run = tap.run(TALLY, *args, text=False)
    assert run.returncode in (0, 1), (args, run.returncode, run.stderr[-500:])
    text = getattr(run, stream).decode("utf-8")
    if least is not None and run.returncode:
        raise AssertionError(f"{args}: {run.stderr[-500:]}")
    return text


def hold_output(name, *args):
    """Run a command that writes one document, which may be incomplete, and validate the document."""
    text = schema_files.deeply(lambda: json.loads(output(*args, least=1)))
    hold(name, text, " ".join(map(str, args)))
    return text


# ---- new recordings ------------------------------------------------------------------------------


def program():
    path = os.path.join(WORK, "work")
    return steps.build(path, SOURCE, "-g", "-O1", "-fno-omit-frame-pointer", file=path + ".c", once=True)


def recorded(name, *options, more=()):
    path = os.path.join(WORK, name)
    if not os.path.exists(path):
        steps.record(path, "-q", "-F", "997", *options, program(), *more)
    return path


def test_report():
    path = recorded("two", "-e", "cpu-clock,page-faults", "-g")
    found = hold_output("report", "report", "--json", "-i", path)
    assert found["events"][0]["rows"] and any("graph" in row for row in found["events"][0]["rows"]), found
    hold_output("report", "report", "--json", "-i", path, "-g", "none", "-s", "comm,pid,tid,cpu,dso,symbol,parent")
    hold_output("report", "report", "--json", "-i", path, "-g", "none", "-s", "srcline,srcfile,sym", "--no-children")
    hold_output("report", "report", "--json", "-i", path, "--query", "sym:busy")
    hold_output("report", "report", "--json", "-i", path, "--comms", "nobody")


def test_report_of_dumped_stacks():
    path = recorded("dwarf", "-e", "cpu-clock", "--call-graph", "dwarf")
    found = hold_output("report", "report", "--json", "-i", path)
    assert found["health"]["stacks"]["unwound"], found["health"]


def test_annotate():
    path = recorded("two", "-e", "cpu-clock,page-faults", "-g")
    found = hold_output("annotate", "annotate", "--json", "-i", path)
    insns = [insn for function in found["functions"] for insn in function["instructions"]]
    assert any("events" in insn for insn in insns) and any("is_loop" in insn for insn in insns), found


def test_page():
    hold_page(recorded("two", "-e", "cpu-clock,page-faults", "-g"), "--html-source")
    found = [function["name"] for function in seen["page-code"][1] if any(row.get("source") == 0 for row in function["rows"])]
    assert "busy" in found, found


def test_diff():
    old, new = recorded("two", "-e", "cpu-clock,page-faults", "-g"), recorded("new", "-e", "cpu-clock", "-g", more=["more"])
    for options in ([], ["--normalize", "time"], ["-s", "symbol"], ["--normalize", "count", "--count-a", "9", "--count-b", "10"]):
        found = hold_output("diff", "diff", "--json", *options, old, new)
        assert found["events"][0]["rows"], found


def test_stat():
    for options in ([], ["-r", "3"], ["-I", "20"], ["-I", "20", "--summary"], ["-e", "task-clock,context-switches,page-faults:u"],
                    ["-e", "cycles,instructions,msr/tsc/"], ["-M", "IPC"], ["-A", "-a"], ["--per-core", "-a"], ["--per-node", "-a"],
                    ["--per-socket", "-a"], ["--per-die", "-a"], ["-a", "--per-thread"]):
        run = tap.run(TALLY, "stat", "--json", "-o", WORK + "/counts", *options, "--", program())
        if run.returncode:
            continue  # not possible here: an unsupported metric or missing permissions
        with open(WORK + "/counts", encoding="utf-8") as file:
            lines = file.read().splitlines()
        assert lines, options
        for line in lines:
            hold("stat", json.loads(line), f"stat {options}")
    assert "stat" in seen, "no stat ran"


def test_stat_plan():
    found = hold_output("stat-plan", "stat", "--plan", "--json", "--cpuid", "GenuineIntel-6-55-4", "-e",
                        "{cycles,instructions},{branches,branch-misses,cache-misses,cache-references,task-clock}")
    assert found["groups"], found


def test_list():
    assert len(hold_output("list", "list", "--json")["events"]) > 20
    some = output("list", "--json", "--cpuid", "GenuineIntel-6-55-4")
    document = json.loads(some)
    document["events"] = document["events"] if LONG else document["events"][::10]
    hold("list", document, "list --cpu")
    assert {"Metric", "CPU event"} <= {event["kind"] for event in document["events"]}


def test_doctor():
    assert len(hold_output("doctor", "doctor", "--json")["facts"]) > 10
    text = output("doctor", "--json", "--", program())
    hold("doctor", json.loads(text), "doctor -- program")


# ---- other recordings ----------------------------------------------------------------------------


def hold_records(path, options=()):
    """Validate the dump of a recording, up to a maximum number of records of each type."""
    nr = collections.Counter()
    for line in output("script", "--dump-json", "-i", path, *options).splitlines():
        document = schema_files.deeply(lambda line=line: json.loads(line)) if line.count("[") > 500 else json.loads(line)
        nr[document["name"]] += 1
        if nr[document["name"]] <= MOST_RECORDS:
            hold("script", document, f"{path}: {document['name']}")
    return nr


def hold_report(path, options=()):
    text = output("report", "--json", "-i", path, *options)
    if text:
        hold("report", schema_files.deeply(lambda: json.loads(text)), path)
    return bool(text)


def hold_page(path, *options):
    """Validate the facts in a recording's page and, with --html-source, also the code in it."""
    page = output("report", "-i", path, "--html", "-", *options)
    facts = json.loads(re.search(r'id="tally-meta">(.*?)</script>', page, re.S).group(1))
    hold("page", facts, f"page of {path}")
    data, at = re.search(r'id="tally-data">(.*?)</script>', page, re.S).group(1), 0
    data = zlib.decompress(base64.b64decode(data))
    for column in facts["columns"]:
        if column["name"] == "annotations":
            hold("page-code", json.loads(data[at:at + column["bytes"]]), f"code in the page of {path}")
        at += column["bytes"]


def check_fixtures(one):
    files = list(one.all_files())
    if not LONG and one.own:
        files = [path for path in files if os.path.basename(path) in SOME]
    elif not LONG:
        files = [path for path in files if os.path.isfile(path) and os.path.getsize(path) < MOST_BYTES][::12]
    kinds, reports = collections.Counter(), 0
    for path in files:
        kinds += hold_records(path)
        if hold_report(path):
            reports += 1
            hold_page(path)
    assert len(kinds) > 15 and reports > len(files) / 2, (kinds, reports, len(files))


def test_traced():
    path = next(path for path in SETS[0].all_files() if path.endswith("perf61/traced.data"))
    found = hold_output("report", "report", "--json", "-i", path, "-s", "trace,comm")
    assert any("trace" in row for event in found["events"] for row in event["rows"]), found


def test_hostile():
    os.makedirs(ROOT + "-crafted")
    for path in browser_hostile.write_all(ROOT + "-crafted", ROOT, 11):
        small = LONG or os.path.basename(path) not in ("deep.data", "threads.data")
        hold_report(path, ["--symfs", ROOT, *([] if small else ["-g", "none", "-s", "symbol"])])
        hold_records(path)
        hold_page(path, "--symfs", ROOT)
    shop = os.path.join(WORK, "shop")
    browser_data.write_recording(shop)
    hold_output("annotate", "annotate", "--json", "-i", os.path.join(ROOT + "-crafted", "names.data"), "--symfs", ROOT)
    hold_output("diff", "diff", "--json", "--symfs", ROOT, os.path.join(ROOT + "-crafted", "recursion.data"), shop)


# ---- schemas -------------------------------------------------------------------------------------


@tap.full
def test_examples_in_the_documentation():
    with open(os.path.join(schema_files.FOLDER, "README.md"), encoding="utf-8") as file:
        examples = dict(re.findall(r"^### ([\w-]+)\n.*?```json\n(.*?)```", file.read(), re.M | re.S))
    tap.same(sorted(examples), schema_files.names(), "schemas with an example")
    for name, example in examples.items():
        document = json.loads(example.replace("{...}", examples["health"]))
        wrong = next(validator(name).iter_errors(document), None)
        assert wrong is None, f"example of {name}: at {'/'.join(map(str, wrong.absolute_path))}: {wrong.message[:300]}"


def test_wrong_ones_are_refused():
    """Check that every schema rejects additional keys, values of other types, and missing keys in a valid document."""
    tap.same(sorted(seen), [name for name in schema_files.names() if name != "health"], "schemas that documents were held against")
    for name, (_, document) in sorted(seen.items()):
        nr, document = 0, schema_files.shortened(document)
        hold(name, document, "a shorter one")
        for what, wrong in schema_files.wrong_ones(document, 400 if LONG else 60):
            assert schema_files.deeply(lambda: not validator(name).is_valid(wrong)), f"{name}: {what} is not refused"
            nr += 1
        assert nr > 10, (name, nr)
        for key in schema_files.load(name).get("required", []):
            wrong = {other: value for other, value in document.items() if other != key}
            assert not validator(name).is_valid(wrong), f"{name} without {key}"


fixtures.add_tests(sys.modules[__name__], SETS, check_fixtures)
# Run this test last, because it uses the documents of the other tests.
globals()["test_wrong_ones_are_refused"] = globals().pop("test_wrong_ones_are_refused")
tap.main(__name__)
