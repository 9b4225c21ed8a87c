# SPDX-License-Identifier: BSD-2-Clause
"""Compare our x86 tables with those of the installed perf: for each name in both, perf's attr under a fake core PMU
equals the one in our JSON. usage: oracle_perf.py"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fakeperf  # noqa: E402
import tap  # noqa: E402
import tree  # noqa: E402

# Intel changed the period of these events later, or perf has one for all CPUs.
FIXED = ["cpu_clk_unhalted.ref", "cpu_clk_unhalted.thread", "inst_retired.any", "inst_retired.any_p"]
PERIODS = {
    "sapphirerapids": ["mem_load_l3_miss_retired.remote_dram", "mem_load_l3_miss_retired.remote_hitm"],
    "bonnell": ["cpu_clk_unhalted.core", *(name for name in FIXED if "thread" not in name)],
    "broadwellde": [f"{event}.{unit}" for event in ("cpu_clk_thread_unhalted", "cpu_clk_unhalted")
                    for unit in ("one_thread_active", "ref_xclk", "ref_xclk_any")],
    **dict.fromkeys(("nehalemep", "nehalemex", "westmereep-dp", "westmereep-sp", "westmereex"), FIXED),
}
FIELDS = ("type", "config", "{ bp_addr, config1 }")


def compare(directory, cpuid, least):
    fake = fakeperf.Fake(cpuid)
    ours = tree.Table("x86", directory).core_events
    theirs = fake.perf_events()
    common = [name for name in theirs if name.lower() in ours]
    print(f"# {directory}: {len(ours)} ours, {len(theirs)} perf's, {len(common)} in common")
    periods = [name for name in common if theirs[name] != tree.number(ours[name.lower()], "SampleAfterValue")]
    tap.same(sorted(periods), PERIODS.get(directory, []), f"{directory}: names whose periods differ")
    different = {}
    for name, attr in zip(common, fake.attrs(common, "perf", "stat", "-vv")):
        made = tuple(int(attr.get(field, "0"), 0) for field in FIELDS)
        wanted = (4, *tree.x86_config(ours[name.lower()]))
        if made != wanted:
            different[name] = f"perf {made[1]:#x} {made[2]:#x}, ours {wanted[1]:#x} {wanted[2]:#x}"
    print("".join(f"# {name}: {how}\n" for name, how in sorted(different.items())[:20]), end="")
    tap.same(sorted(different), sorted(fakeperf.DIFFERENT.get(directory, {})), f"{directory}: names that differ")
    if len(common) < least:
        raise AssertionError(f"{directory}: {len(common)} names in common, {least} wanted")


globals().update(fakeperf.tests(compare))
tap.main(__name__)
