#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tally stat -T and --smi-cost on a simulated machine. A generated sysfs describes its PMUs. If perf is
installed, it counts the same events on the same machine.

usage: named_sets.py TALLY
"""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_sysfs  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("named-sets")
SCRIPT = os.path.join(WORK, "machine.sim")
MACHINE = """pmu cpu counters 8
event cycles 1000M/s
event instructions 1500M/s
event r101 400M/s
event r102 300M/s
event r103 20M/s
event r104 10M/s
event r201 1250M/s
event r202 30k/s
"""
TRANSACTIONS = {"cycles-t": 0x101, "cycles-ct": 0x102, "tx-start": 0x103, "el-start": 0x104}


def need_x86():
    machine.need_events()
    if os.uname().machine != "x86_64":
        raise tap.Skip("only x86 has these events")


def pmus(name, cpu, msr=()):
    """Return the words before a command that sees PMUs with these events, each a raw event of the simulated PMU."""
    def events(names):
        return {"type": "4", **{f"events/{event}": f"event={number:#x}" for event, number in dict(names).items()}}
    return fake_sysfs.pmus(os.path.join(WORK, name), {"cpu": events(cpu), "msr": events(msr)})


def devices(name, freeze):
    """Return the words before a command that sees the setting, and the path of the setting."""
    root = os.path.join(WORK, name)
    fake_sysfs.write(root, {} if freeze is None else {"cpu/freeze_on_smi": freeze})
    os.makedirs(os.path.join(root, "system", "cpu"), exist_ok=True)
    return (fake_sysfs.wrap({"/sys/devices/system/cpu": os.path.join(root, "system", "cpu"), root: "/sys/devices"}),
            os.path.join(root, "cpu", "freeze_on_smi"))


def stat(wrap, *words, program=TALLY, status=0):
    with open(SCRIPT, "w", encoding="utf-8") as out:
        out.write(MACHINE)
    run = tap.run(*wrap, TALLY, "emulate", "--host", f"sim:{SCRIPT}", "--", program, "stat", *words,
                  env=tap.preloading())
    assert run.returncode == status, (words, run.returncode, run.stderr)
    return run


def rows(text):
    """Return event, value, metric and its unit of each line."""
    cells = [line.split(",") for line in text.splitlines()]
    return [(row[2], row[0], row[5], row[6]) for row in cells if row[2] != "task-clock"]


def test_transactions_have_perfs_metrics():
    need_x86()
    wrap = pmus("tsx", TRANSACTIONS)
    found = rows(stat(wrap, "-T", "-x,", "true").stderr)
    want = [("instructions", "15000000", "1.50", "insn per cycle"), ("cycles", "10000000", "1.000", "GHz"),
            ("cpu/cycles-t/", "4000000", "40.00", "transactional cycles"),
            ("cpu/tx-start/", "200000", "20", "cycles / transaction"),
            ("cpu/el-start/", "100000", "40", "cycles / elision"),
            ("cpu/cycles-ct/", "3000000", "10.00", "aborted cycles")]
    tap.same(found, want, "-T")
    if shutil.which("perf"):
        # perf 6.1 prints the rate of tx-start instead of the cycles of a transaction.
        other = rows(stat(wrap, "-T", "-x,", "true", program="perf").stderr)
        tap.same([row for row in other if "tx-start" not in row[0]], [row for row in want if "tx-start" not in row[0]], "perf")
    text = stat(wrap, "-T", "true").stderr
    assert re.search(r"100000 +cpu/el-start/ +# +40 cycles / elision", text), text
    found = rows(stat(wrap, "-e", "cpu/cycles-ct/,cpu/cycles-t/,cycles", "-x,", "true").stderr)
    tap.same(found[0][3], "aborted cycles", found)


def test_fewer_events_are_counted_without_elision():
    need_x86()
    fewer = {name: TRANSACTIONS[name] for name in ("cycles-t", "tx-start")}
    found = rows(stat(pmus("rtm", fewer), "-T", "-x,", "true").stderr)
    tap.same([row[0] for row in found], ["instructions", "cycles", "cpu/cycles-t/", "cpu/tx-start/"], found)
    text = stat(pmus("no-tsx", {}), "-T", "true", status=129).stderr
    assert "the PMU 'cpu' has no events cycles-t and tx-start" in text, text


def test_interrupts_are_shown_and_the_setting_is_restored():
    need_x86()
    outer = pmus("smi", {}, {"aperf": 0x201, "smi": 0x202})
    for freeze in "01":
        inner, path = devices(f"devices-{freeze}", freeze)
        run = stat(outer + inner, "--smi-cost", "-x,", "cat", "/sys/devices/cpu/freeze_on_smi")
        tap.same(run.stdout.strip()[:1], "1", "while counting")
        tap.same(run.stderr, "SMI cycles%,SMI#,\n20.0,300,\n", "-x")
        with open(path, encoding="utf-8") as text:
            tap.same(text.read()[:1], freeze, "afterwards")
        if shutil.which("perf"):
            run = stat(outer + inner, "--smi-cost", "-x,", "true", program="perf")
            assert run.stderr.strip().startswith("20.0,300,"), run.stderr
    row = json.loads(stat(outer + inner, "--smi-cost", "-j", "true").stderr)
    tap.same(row, {"SMI cycles%": "20.0", "SMI#": "300"}, "-j")
    text = stat(outer + inner, "--smi-cost", "--no-metric-only", "true").stderr
    assert re.search(r"300 +msr/smi/ +# +20\.0% SMI cycles% +\n +# +300 SMI#", text), text


def test_missing_settings_are_explained():
    need_x86()
    outer = pmus("frozen", {}, {"aperf": 0x201, "smi": 0x202})
    text = stat(outer + devices("devices-none", None)[0], "--smi-cost", "true", status=1).stderr
    assert "cannot read /sys/devices/cpu/freeze_on_smi: No such file" in text, text
    text = stat(pmus("no-smi", {}, {"aperf": 0x201}), "--smi-cost", "true", status=129).stderr
    assert "the PMU 'msr' has no events aperf and smi" in text, text


tap.main(__name__)
