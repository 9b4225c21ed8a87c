#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sensors of hwmon as events of tally stat and tally list, with a generated /sys/class/hwmon.

usage: sensors.py TALLY
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_sysfs  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("sensors")
CHIPS = {
    "hwmon0": {"name": "coretemp", "temp1_input": "45000", "temp1_label": "Package id 0", "temp2_input": "-5000"},
    "hwmon1": {"name": "nvme", "temp1_input": "38850", "fan2_input": "1234", "in0_input": "1520", "curr1_input": "2500",
               "power1_average": "15250000", "energy1_input": "4000000", "humidity1_input": "41500", "temp3_label": "none"},
    "hwmon2": {"name": "odd\x1b[m", "temp7_input": "no number"},
}


def wrap(chips=None):
    root = os.path.join(WORK, "class")
    for chip, files in (chips or CHIPS).items():
        fake_sysfs.write(root, {f"hwmon/{chip}/{name}": text for name, text in files.items()})
    return fake_sysfs.wrap({root: "/sys/class"})


def stat(*words, status=0):
    run = tap.run(*wrap(), TALLY, "stat", *words)
    assert run.returncode == status, (words, run.returncode, run.stderr)
    return run.stderr


def values(events):
    return [tuple(line.split(",")[:3]) for line in stat("-x,", "-e", events, "true").splitlines()]


def test_sensors_are_found_by_chip_number_and_label():
    machine.need_events()
    for event in ("hwmon_coretemp/temp1/", "hwmon_coretemp/temp_package_id_0/", "temp_package_id_0"):
        tap.same(values(event), [("45.00", "'C", event)], event)
    both = [("45.00", "'C", "hwmon_coretemp/temp1/"), ("38.85", "'C", "hwmon_nvme/temp1/")]
    tap.same(values("temp1"), both, "both chips")
    tap.same(values("hwmon_*/temp1/"), both, "a pattern")
    tap.same(values("hwmon_nvme/temp1,name=disk/"), [("38.85", "'C", "disk")], "a name")


def test_each_kind_has_its_unit():
    machine.need_events()
    found = values("fan2,in0,curr1,power1,energy1,humidity1")
    want = [("1234", "rpm"), ("1.52", "V"), ("2.50", "A"), ("15.25", "W"), ("4.00", "J"), ("41.50", "%")]
    tap.same([row[:2] for row in found], want, found)
    row = json.loads(stat("--json", "-e", "power1,cs", "true"))["counts"][0]
    tap.same((row["value"], row["amount"], row["unit"], row["quality"]), (15250000, 15.25, "W", "exact"), row)


def test_sensors_are_read_in_each_interval():
    machine.need_events()
    path = os.path.join(WORK, "class", "hwmon", "hwmon1", "fan2_input")
    text = stat("-x,", "-I", "100", "-e", "fan2", "sh", "-c", f"sleep 0.15; echo 99 > {path}; sleep 0.2")
    seen = [line.split(",")[1] for line in text.splitlines()]
    assert seen[0] == "1234" and seen[-1] == "99", text


def test_what_cannot_be_read_is_explained():
    machine.need_events()
    for event in ("temp2", "temp7"):
        assert "<not counted>" in stat("-x,", "-e", event, "true"), event
    for event, why in (("hwmon_nvme/temp9/", "this chip has no such sensor"), ("hwmon_none/temp1/", "no such PMU"),
                       ("temp9", "unknown event"), ("hwmon_nvme/temp1=2/", "expected a sensor"),
                       ("hwmon_nvme/temp1,nonsense/", "unknown term")):
        text = stat("-e", event, "true", status=129)
        assert why in text, (event, text)


def test_sensors_are_listed():
    run = tap.run(*wrap(), TALLY, "list", "-j", "hwmon", status=0)
    rows = {row["name"]: row for row in json.loads(run.stdout)["events"]}
    tap.same(len(rows), 10, sorted(rows))
    tap.same(rows["hwmon_coretemp/temp1/"]["alias"], "temp_package_id_0", rows)
    assert "hwmon_odd__m/temp7/" in rows, sorted(rows)
    text = tap.run(*wrap(), TALLY, "list", "hwmon_nvme", status=0).stdout
    assert "hwmon_nvme/fan2/ OR fan2" in text and "In rpm" in text, text


tap.main(__name__)
