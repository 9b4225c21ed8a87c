#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test named events and metrics on the command line: `tally list`, `stat -M`, `--dry-run`, `--plan`, `--events-dir`.

usage: events.py TALLY

Other CPUs are selected with --cpuid; no test needs a PMU.
"""
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
ROOT = Path(__file__).resolve().parents[3]
ENV = {name: value for name, value in os.environ.items() if name not in ("PERF_CPUID", "TALLY_EVENTS_DIR")}

INTEL = {"Header": {"Info": "made up"}, "Events": [
    {"EventName": "NEW.EVENT", "EventCode": "0x42", "UMask": "0x07", "Counter": "0,1", "SampleAfterValue": "1003",
     "BriefDescription": "Something new."},
    {"EventName": "NEW.OTHER", "EventCode": "0x43", "UMask": "0x01", "Counter": "0,1"}]}


def tally(*args, status=0, says=None, **env):
    return tap.run(TALLY, *args, env={**ENV, **env}, status=status, says=says)


def listed(*args, **env):
    return json.loads(tally("list", "-j", *args, **env).stdout)


def configs(*args, **env):
    """Return {event: config} from a dry run."""
    text = tally("stat", "--dry-run", *args, "true", **env).stdout
    return {name.strip(): int(config, 0)
            for name, config in re.findall(r"^ *(\S+): .*?config: (\w+)", text, re.M)}


# ---- list ------------------------------------------------------------------------

def test_list_of_another_cpu():
    found = listed("--cpuid", "silvermont")
    tap.same((found["version"], found["cpu"]["table"], found["cpu"]["this_machine"]), (1, "silvermont", False), "cpu")
    kinds = {event["kind"] for event in found["events"]}
    tap.same(kinds, {"CPU event", "Metric", "Metric group"}, "kinds")
    event = next(event for event in found["events"] if event["name"] == "inst_retired.any_p")
    tap.same((event["encoding"], event["counters"]), ("event=0xc0,period=2000003", "0,1"), "encoding")
    assert "countable" not in event, "nothing is known of another machine"


def test_list_words_and_patterns():
    names = {event["name"] for event in listed("--cpuid", "skylakex", "cpu", "l1d.*")["events"]}
    assert names, "a glob finds names"
    words = listed("--cpuid", "skylakex", "TopdownL1")["events"]
    assert {"tma_retiring", "TopdownL1"} <= {event["name"] for event in words}, "a group's name finds its metrics"
    text = tally("list", "--cpuid", "skylakex", "page walk").stdout
    assert "dtlb_load_misses" in text and "CPU event: virtual memory" in text, text[:300]
    tally("list", "--cpuid", "skylakex", "no-such-thing", status=1, says="no event matches")


def test_list_of_a_tracepoint():
    machine.need_tracefs()
    for word, count in (("sched:sched_wakeup", 1), ("sched:sched_wakeup*", 2), ("sched_wakeup", 2)):
        names = [event["name"] for event in listed(word)["events"]]
        tap.same(names, ["sched:sched_wakeup", "sched:sched_wakeup_new"][:count], word)


@tap.always
def test_list_writes_to_a_file():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "list.txt")
        tap.run(TALLY, "list", "-o", path, "sw", status=0)
        with open(path, encoding="utf-8") as file:
            assert "page-faults" in file.read()
        source = os.path.join(where, "main.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int main;\n")
        tap.run(TALLY, "list", "-o", source, "sw", status=1, says="refusing to replace")
        tap.run(TALLY, "list", "-f", "-o", source, "sw", status=0)


def test_list_marks_uncountable_events():
    events = listed("hw", "sw", "cpu", "metric")["events"]
    software = [event for event in events if event["name"] == "page-faults"]
    tap.same(software[0]["countable"], machine.need_events.reason() is None, software)
    for event in events:
        assert event["countable"] or event["why_not"], event


def test_list_details():
    brief, full = (tally("list", "--cpuid", "cascadelakex", *more, "l1d.replacement").stdout
                   for more in ([], ["--details"]))
    assert "event=0x51" not in brief and "cpu/event=0x51,period=2000003,umask=0x1/" in full, full
    assert "counters 0,1,2,3" in full, full


def test_unknown_cpus_get_architectural_events():
    done = tally("list", "--cpuid", "GenuineIntel-6-FE-1", "cpu")
    assert "no event table for CPU 'GenuineIntel-6-FE-1'" in done.stderr, done.stderr
    assert "instruction_retired" in done.stdout, done.stdout[:300]
    done = tally("list", "--cpuid", "no-such-cpu", status=129)
    assert "no event table for CPU 'no-such-cpu'" in done.stderr, done.stderr


def test_everything_listed_can_be_opened():
    for cpu in ("skylakex", "amdzen4", "neoverse-n2", "power8", "sifive/u74", "riscv/generic"):
        names = [event["name"] for event in listed("--cpuid", cpu, "--deprecated", "cpu")["events"]]
        text = tally("stat", "--cpuid", cpu, "--dry-run", "-e", ",".join(names), "true").stdout
        tap.same(len(text.splitlines()), len(names), f"{cpu}: events")


# ---- sources of names --------------------------------------------------------------

def test_perf_cpuid_and_cpu():
    want = {"l1d.replacement": 0x151}
    tap.same(configs("-e", "l1d.replacement", PERF_CPUID="GenuineIntel-6-55-7"), want, "PERF_CPUID")
    tap.same(configs("-e", "l1d.replacement", "--cpuid", "GenuineIntel-6-55-7"), want, "--cpuid")
    done = tally("stat", "-e", "l1d.replacement", "--dry-run", "true", status=129, PERF_CPUID="AuthenticAMD-25-1-1")
    assert "available on other CPUs" in done.stderr and "x86/cascadelakex" in done.stderr, done.stderr


def test_events_dir_takes_a_file_or_a_tree():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.json"
        path.write_text(json.dumps(INTEL))
        want = {"new.event": 0x742}
        tap.same(configs("--events-dir", path, "-e", "new.event"), want, "a file")
        tap.same(configs("--events-dir", folder, "-e", "new.event"), want, "a directory")
        tap.same(configs("-e", "new.event", TALLY_EVENTS_DIR=str(path)), want, "the environment")
        tap.same(len(listed("--events-dir", path, "cpu")["events"]), 2, "list of a file")
        tree = ROOT / "pmu-events" / "arch"
        tap.same(configs("--events-dir", tree, "--cpuid", "skylakex", "-e", "l1d.replacement"),
                 {"l1d.replacement": 0x151}, "a tree")
        path.write_text('[{"EventName": 3}]')
        done = tally("stat", "--events-dir", path, "-e", "new.event", "--dry-run", "true", status=129)
        assert f"{path}:1:" in done.stderr, done.stderr
        done = tally("list", "--events-dir", Path(folder) / "none", status=1)
        assert "No such file" in done.stderr, done.stderr


def test_events_dir_opens_no_fifo():
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, "cache.json"))
        done = tap.run(TALLY, "list", "--events-dir", os.path.join(folder, "cache.json"))
        assert done.returncode and "cache.json" in done.stderr, done.stderr


def test_spellings():
    tap.same(configs("--cpuid", "cascadelakex", "-e", "clx::L1D:REPLACEMENT:u,L1D_REPLACEMENT:PMC0"),
             {"clx::L1D:REPLACEMENT:u": 0x151, "L1D_REPLACEMENT:PMC0": 0x151}, "libpfm's and likwid's names")
    done = tally("stat", "--cpuid", "icelakex", "-e", "clx::L1D:REPLACEMENT", "--dry-run", "true", status=129)
    assert "the event is for cascadelakex" in done.stderr, done.stderr


# ---- metrics ------------------------------------------------------------------------

def test_metrics_open_groups_that_fit():
    text = tally("stat", "--cpuid", "skylakex", "--dry-run", "-M", "TopdownL1", "true").stdout
    assert "IDQ_UOPS_NOT_DELIVERED.CORE" in text and "CPU_CLK_UNHALTED.THREAD_ANY" not in text, text
    more = tally("stat", "--cpuid", "skylakex", "--dry-run", "--topdown", "true").stdout
    names = [set(re.findall(r"^ *([A-Z]\S+): type", part, re.M)) for part in (text, more)]
    assert names[0] < names[1], f"--topdown: and what thresholds look at, {names}"
    alone = tally("stat", "--cpuid", "skylakex", "--dry-run", "--metric-no-group", "-M", "ipc", "true").stdout
    assert "GROUP" not in alone, alone


def test_rejects_unknown_metrics():
    done = tally("stat", "-M", "ipx", "--cpuid", "skylakex", "--dry-run", "true", status=129)
    assert "no such metric" in done.stderr and "did you mean 'ipc'" in done.stderr, done.stderr
    tally("stat", "--topdown", "--td-level", "9", "--cpuid", "skylakex", "--dry-run", "true", status=129, says="TopdownL9")
    tally("stat", "--td-level", "2", "true", status=129, says="--td-level")


def test_metric_of_software_events():
    """Count metrics that need no PMU, and check that their values are computed from the counts."""
    machine.need_kernel_events()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "soft.json"
        path.write_text(json.dumps([
            {"MetricName": "faults_per_second", "MetricExpr": "page\\-faults / duration_time"},
            {"MetricName": "share", "MetricExpr": "page\\-faults / (page\\-faults + 0 * context\\-switches)",
             "ScaleUnit": "100%", "BriefDescription": "All of them"}]))
        done = tally("stat", "--events-dir", path, "-M", "faults_per_second,share", "--json", "true")
        table = json.loads(done.stderr.splitlines()[-1])
        metrics = {metric["name"]: metric for count in table["counts"] for metric in count.get("metrics", [])}
        faults = next(count["value"] for count in table["counts"] if count["event"] == "page-faults")
        tap.same(metrics["share"]["value"], 100, "share")
        tap.same(metrics["share"]["quality"], "exact", "quality")
        rate = faults / (table["elapsed_ns"] / 1e9)
        assert abs(metrics["faults_per_second"]["value"] / rate - 1) < 1e-3, (metrics, rate)
        text = tally("stat", "--events-dir", path, "-M", "share", "--metric-only", "true").stderr
        assert re.search(r"%  share\n +100\.0\n", text), text
        text = tally("stat", "--events-dir", path, "-M", "share", "true").stderr
        assert re.search(r"page-faults +# +100\.0 %  share", text), text
        text = tally("stat", "--events-dir", path, "-M", "share", "--metric-only", "-x,", "true").stderr
        tap.same(text, "%  share,\n100.0,\n", "-x")
        text = tally("stat", "--events-dir", path, "-M", "share", "--metric-only", "-j", "true").stderr
        tap.same(json.loads(text), {"%  share": "100.0"}, "-j")


# ---- plans ----------------------------------------------------------------------------

def plan(*args):
    return json.loads(tally("stat", "--plan", "--json", *args).stdout)


def test_plan_of_a_group_that_fits():
    made = plan("--cpuid", "skylakex", "-e", "{cycles,instructions,branches,branch-misses}")
    tap.same((made["counters"], made["fixed"], made["passes"]), (4, 3, 1), "counters")
    tap.same([group["verdict"] for group in made["groups"]], ["fits"], "verdict")
    tap.same({event["share"] for event in made["groups"][0]["events"]}, {1.0}, "share")


def test_plan_of_multiplexed_groups():
    events = ["l1d.replacement", "l2_lines_in.all", "br_inst_retired.all_branches", "uops_issued.any",
              "uops_retired.retire_slots"]
    made = plan("--cpuid", "skylakex", "-e", ",".join(events))
    shares = [group["events"][0]["share"] for group in made["groups"]]
    assert abs(sum(shares) - 4) < 0.04 and all(abs(share - 0.8) < 0.02 for share in shares), shares
    made = plan("--cpuid", "skylakex", "-e", "{" + ",".join(events) + "}:W")
    assert made["groups"][0]["verdict"].startswith("does not fit"), made
    made = plan("--cpuid", "skylakex", "-e", "{" + ",".join(events) + "}")
    tap.same([event.get("errno") for event in made["groups"][0]["events"]], [None] * 4 + [22], "refused member")


def test_plan_of_topdown():
    """Check the plans for all top-down levels for which Intel has formulas, on client, server, small-core and hybrid
    CPUs."""
    cpus = {"haswell": 4, "broadwellx": 4, "skylake": 4, "cascadelakex": 4, "tigerlake": 4, "icelakex": 4,
            "sapphirerapids": 4, "graniterapids": 4, "alderlake": 4, "meteorlake": 4, "lunarlake": 4, "arrowlake": 4,
            "sierraforest": 3, "grandridge": 3, "elkhartlake": 1, "GenuineIntel-6-B7-1": 4}
    for cpu, levels in tap.some(cpus.items(), 5):
        for level in range(1, levels + 1):
            text = tally("stat", "--topdown", "--td-level", str(level), "--plan", "--cpuid", cpu).stdout
            assert len(re.findall(r"^  metric ", text, re.M)) >= 4 and "never gets a turn" not in text, f"{cpu} {level}: {text}"
            assert "rejected" not in text, text
    text = tally("stat", "--topdown", "--plan", "--cpuid", "alderlake").stdout
    assert "cpu_core/TOPDOWN.SLOTS/" in text and "cpu_atom/TOPDOWN_FE_BOUND.ALL/" in text, text


def test_plan_of_metrics():
    text = tally("stat", "--plan", "--cpuid", "sapphirerapids", "-M", "ipc,cpi,TopdownL1").stdout
    assert "1 pass\n" in text and re.search(r"metric ipc +100\.00%", text), text
    tally("stat", "--plan", "--dry-run", "-e", "cs", "true", status=129, says="--dry-run and --plan cannot be used together")


@tap.always
def test_cpu_is_a_list_of_cpus():
    """Check that --cpu is a list of CPU numbers, whereas --cpuid selects a CPU model."""
    for more in ((), ("--dry-run",), ("--plan",)):
        done = tally("stat", *more, "--cpu", "skylakex", "-e", "cycles", "true", status=129)
        assert "--cpu skylakex: must be a list of CPU numbers" in done.stderr and "--cpuid skylakex" in done.stderr, done.stderr
    tally("stat", "--cpuid", "skylakex", "-e", "cycles", "true", status=129, says="--cpuid requires --plan or --dry-run")
    text = tally("stat", "--dry-run", "--cpuid", "skylakex", "--cpu", "0", "-e", "l1d.replacement").stdout
    assert "0x151" in text, text


tap.main(__name__)
