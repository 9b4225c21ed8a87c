# SPDX-License-Identifier: BSD-2-Clause
"""Our x86 tables against the installed perf's: for each name both have, the attr perf makes under a fake core PMU
equals what our JSON says. perf's fake PMU is shared's tools/fakepmu.sh, given as the argument."""
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import tap  # noqa: E402
import tree  # noqa: E402

FAKEPMU = Path(sys.argv[1]) / "tools" / "fakepmu.sh"
WIDEN = "echo config:0-7,32-35 >/sys/bus/event_source/devices/cpu/format/event;"

# Names on which perf 6.1 and we differ, with the reason.
KNOWN = {
    "silvermont": {"cpu_clk_unhalted.ref": "perf takes every event of this name for the fixed counter at the time stamp "
                                           "counter's rate; on Silvermont it counts the bus clock, event 0x3c mask 1"},
}


def fake(cpuid, *command):
    """perf under a fake PMU of that CPU: its standard output and error."""
    widen = WIDEN if cpuid.startswith("Authentic") else ""
    done = tap.run(FAKEPMU, cpuid, "bash", "-c", widen + '"$@"', "fake", *command)
    if done.returncode:
        raise tap.Skip(f"no fake PMU here: {done.stderr.strip()[-100:]}")
    return done.stdout, done.stderr


def listed(cpuid):
    """{name: period} of core events that perf has for the CPU: lines of a name, a description, and the terms."""
    text, _ = fake(cpuid, "perf", "list", "--details", "--deprecated")
    periods, name = {}, None
    for line in text.splitlines():
        if re.fullmatch(r"  \S+ *", line):
            name = line.strip()
        elif re.fullmatch(r"        cpu/\S+/ *", line) and name:
            periods[name] = int(re.search(r"period=(\w+)|$", line)[1] or "0", 0)
            name = None
    return periods


def attrs(cpuid, names):
    """{name: (type, config, config1)} of the attrs perf makes, all in one run."""
    arguments = [word for name in names for word in ("-e", name)]
    _, text = fake(cpuid, "perf", "stat", "-vv", *arguments, "--", "true")
    blocks = text.split("perf_event_attr:\n")[1:]
    tap.same(len(blocks), len(names), "attrs in perf's output")
    fields = [dict(re.findall(r"^  (.*?)  +(\S+)$", block.split("---")[0], re.M)) for block in blocks]
    return {name: tuple(int(field.get(key, "0"), 0) for key in ("type", "config", "{ bp_addr, config1 }"))
            for name, field in zip(names, fields)}


def compare(directory, cpuid, least):
    if not FAKEPMU.exists():
        raise tap.Skip(f"no {FAKEPMU}")
    if not shutil.which("perf"):
        raise tap.Skip("perf is not installed")
    ours = tree.Table("x86", directory).events
    theirs = listed(cpuid)
    common = [name for name in theirs if name.lower() in ours]
    if not common:
        raise tap.Skip("this perf has no table for that CPU")
    print(f"# {directory}: {len(ours)} ours, {len(theirs)} perf's, {len(common)} in common")
    periods = [name for name in common if theirs[name] != tree.number(ours[name.lower()], "SampleAfterValue")]
    tap.same(periods, [], f"{directory}: names whose periods differ")
    different = {name: (made, tree.x86_config(ours[name.lower()])) for name, made in attrs(cpuid, common).items()
                 if made != (4, *tree.x86_config(ours[name.lower()]))}
    for name, (made, wanted) in sorted(different.items())[:20]:
        print(f"# {name}: perf {made[1]:#x} {made[2]:#x}, ours {wanted[0]:#x} {wanted[1]:#x}")
    tap.same(sorted(different), sorted(KNOWN.get(directory, {})), f"{directory}: names that differ")
    if len(common) < least:
        raise AssertionError(f"{directory}: {len(common)} names in common, {least} wanted")


def test_silvermont():
    compare("silvermont", "GenuineIntel-6-37-8", 130)


def test_skylakex():
    compare("skylakex", "GenuineIntel-6-55-4", 455)


def test_cascadelakex():
    compare("cascadelakex", "GenuineIntel-6-55-7", 2330)


def test_icelakex():
    compare("icelakex", "GenuineIntel-6-6A-6", 351)


def test_sapphirerapids():
    compare("sapphirerapids", "GenuineIntel-6-8F-8", 368)


def test_amdzen3():
    compare("amdzen3", "AuthenticAMD-25-1-1", 222)


tap.main(__name__)
