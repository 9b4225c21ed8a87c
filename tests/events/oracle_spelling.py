#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test event names in libpfm4's spelling, with one unit mask each. tally must accept the names of events in its own
tables, and encode them as libpfm4 does.

usage: oracle_spelling.py TALLY
"""
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pmu-events"))
import tap  # noqa: E402

run_tests, tap.main = tap.main, lambda module: None  # do not run the other oracle's tests
import oracle_libpfm as libpfm  # noqa: E402

TALLY = str(Path(sys.argv[1]).resolve())


def names_of(pfm, pmu):
    """Yield the name of every event of a PMU with each of its unit masks."""
    every = (libpfm.asked(pfm.pfm_get_pmu_info, libpfm.Pmu, number) for number in range(libpfm.PMU_LIMIT))
    index = next(info.first_event for info in every if info and info.name == pmu.encode())
    while index != -1:
        event = libpfm.asked(pfm.pfm_get_event_info, libpfm.Event, index, libpfm.OS_NONE)
        attributes = [libpfm.asked(pfm.pfm_get_event_attr_info, libpfm.Attribute, index, number, libpfm.OS_NONE)
                      for number in range(event.nattrs)]
        masks = [attribute.name.decode() for attribute in attributes if attribute.type == libpfm.ATTRIBUTE_UMASK]
        for mask in masks or [None]:
            yield f"{pmu}::{event.name.decode()}" + (f":{mask}" if mask else "")
        index = pfm.pfm_get_event_next(index)


def fold(name):
    """Return the name without the differences between the spellings of tally and libpfm4."""
    return re.sub(r"[.:]", "_", name.rpartition("::")[2].lower())


def ours(cpu, names):
    """Return {name: (config, config1)} from tally's attrs in a single run, which must accept every name."""
    words = [word for name in names for word in ("-e", name)]
    done = tap.run(TALLY, "stat", "--cpuid", cpu, "--dry-run", *words, "true")
    assert not done.returncode, done.stderr
    lines = done.stdout.splitlines()
    tap.same(len(lines), len(names), "attrs printed")
    fields = [dict(re.findall(r"(config|config1)(?: })?: (0x\w+)", line)) for line in lines]
    return {name: tuple(int(field.get(key, "0"), 0) for key in ("config", "config1"))
            for name, field in zip(names, fields)}


def compare(cpu, pmu, least):
    pfm = libpfm.library()
    names = list(names_of(pfm, pmu))
    known = {libpfm.spelling(pmu, name).lower() for name in libpfm.KNOWN.get(cpu, {})}
    listed = {fold(event["name"]) for event in json.loads(
        tap.run(TALLY, "list", "-j", "--deprecated", "--cpuid", cpu, "cpu").stdout)["events"]}
    common = ours(cpu, [name for name in names if fold(name) in listed and libpfm.encode(pfm, name)])
    different = [name for name, codes in common.items()
                 if codes != libpfm.encode(pfm, name) and name.lower() not in known]
    print(f"# {cpu}: {len(names)} of libpfm4, {len(common)} in common, {len(different)} differ")
    for name in different[:10]:
        print(f"# {name}: {common[name][0]:#x} {common[name][1]:#x}, libpfm4 {libpfm.encode(pfm, name)[0]:#x}")
    tap.same(sorted(different), sorted(OTHERS.get(cpu, {})), f"{cpu}: names that differ")
    assert len(common) >= least, f"{cpu}: {len(common)} in common, {least} wanted"


OTHERS = {
    "silvermont": {"slm::CPU_CLK_UNHALTED:REF": "the fixed counter's pseudo code here, as perf has it for this name"},
}


def test_cascadelakex():
    compare("cascadelakex", "clx", 250)


def test_icelakex():
    compare("icelakex", "icx", 200)


def test_silvermont():
    compare("silvermont", "slm", 50)


run_tests(__name__)
