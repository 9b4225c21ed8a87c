# SPDX-License-Identifier: BSD-2-Clause
"""Run commands with a fake core PMU of any x86 CPU: in a mount namespace in which the PMUs in sysfs are replaced by a
directory. Needs root."""
import os
import re
import tempfile
from pathlib import Path

import machine
import tap

DEVICES = Path("/sys/bus/event_source/devices")
KEPT = ("software", "tracepoint", "breakpoint")
INTEL = {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "pc": "config:19", "any": "config:21",
         "inv": "config:23", "cmask": "config:24-31", "offcore_rsp": "config1:0-63", "ldlat": "config1:0-15",
         "frontend": "config1:0-23", "in_tx": "config:32", "in_tx_cp": "config:33"}
AMD = {**INTEL, "event": "config:0-7,32-35"}
PRECISE = "3"  # precise_ip levels of a PMU that supports precise sampling
CORE_TYPE = "4"  # type of the first core PMU in Linux
# Table, CPU ID, and the minimal number of names in common with the installed perf.
CPUS = [
    ("silvermont", "GenuineIntel-6-37-8", 130),
    ("skylakex", "GenuineIntel-6-55-4", 455),
    ("cascadelakex", "GenuineIntel-6-55-7", 2330),
    ("icelakex", "GenuineIntel-6-6A-6", 351),
    ("sapphirerapids", "GenuineIntel-6-8F-8", 366),
    ("bonnell", "GenuineIntel-6-1C-2", 270),
    ("broadwell", "GenuineIntel-6-3D-4", 741),
    ("broadwellde", "GenuineIntel-6-56-3", 339),
    ("broadwellx", "GenuineIntel-6-4F-1", 372),
    ("elkhartlake", "GenuineIntel-6-96-1", 305),
    ("goldmont", "GenuineIntel-6-5C-9", 169),
    ("goldmontplus", "GenuineIntel-6-7A-1", 180),
    ("haswell", "GenuineIntel-6-3C-3", 375),
    ("haswellx", "GenuineIntel-6-3F-2", 385),
    ("icelake", "GenuineIntel-6-7E-5", 325),
    ("ivybridge", "GenuineIntel-6-3A-9", 317),
    ("ivytown", "GenuineIntel-6-3E-4", 355),
    ("jaketown", "GenuineIntel-6-2D-7", 353),
    ("knightslanding", "GenuineIntel-6-57-1", 373),
    ("nehalemep", "GenuineIntel-6-1A-5", 288),
    ("nehalemex", "GenuineIntel-6-2E-6", 283),
    ("sandybridge", "GenuineIntel-6-2A-7", 406),
    ("skylake", "GenuineIntel-6-9E-9", 550),
    ("snowridgex", "GenuineIntel-6-86-4", 305),
    ("tigerlake", "GenuineIntel-6-8C-1", 248),
    ("westmereep-dp", "GenuineIntel-6-2C-2", 542),
    ("westmereep-sp", "GenuineIntel-6-25-2", 576),
    ("westmereex", "GenuineIntel-6-2F-2", 309),
    ("amdzen3", "AuthenticAMD-25-1-1", 222),
]

# Events for which perf 6.1 and Intel's files differ: {table: {event: reason}}.
BUS_CLOCK = "perf takes every event of this name for the fixed counter at the time stamp counter's rate; there it counts the bus clock"
MASK = "Intel's files have a mask of 1; perf takes every event of this name for a later core's"
LATER = "Intel changed a mask after that"
DIFFERENT = {
    **{table: {"cpu_clk_unhalted.ref": BUS_CLOCK} for table in
       ("silvermont", "elkhartlake", "goldmont", "goldmontplus", "knightslanding", "snowridgex")},
    **{table: {"inst_retired.any_p": MASK} for table in
       ("nehalemep", "nehalemex", "westmereep-dp", "westmereep-sp", "westmereex")},
    "broadwell": {"uops_retired.total_cycles": LATER},
    "broadwellde": {name: LATER for name in
                    ("l2_rqsts.code_rd_hit", "l2_rqsts.demand_data_rd_hit", "l2_rqsts.l2_pf_hit", "l2_rqsts.rfo_hit",
                     "uops_retired.total_cycles")},
    "sapphirerapids": {"arith.idiv_active": LATER},
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="ascii")


class Fake:
    """A CPU's core PMU, as perf and tally see it."""

    def __init__(self, cpuid):
        machine.need_perf("6.1")
        machine.need_unshare("-m")
        self.cpuid, self.folder = cpuid, tempfile.TemporaryDirectory(prefix="tally-pmu-")
        root = Path(self.folder.name)
        for name in KEPT:
            if (DEVICES / name / "type").exists():
                write(root / name / "type", (DEVICES / name / "type").read_text(encoding="ascii").strip())
        write(root / "cpu" / "type", CORE_TYPE)
        write(root / "cpu" / "caps" / "max_precise", PRECISE)
        (root / "cpu" / "events").mkdir()
        for name, bits in (AMD if cpuid.startswith("Authentic") else INTEL).items():
            write(root / "cpu" / "format" / name, bits)
        done = self.inside("true")
        if done.returncode:
            raise tap.Skip(f"no fake PMU here: {done.stderr.strip()[-100:]}")

    def inside(self, *command):
        script = f'mount --bind "{self.folder.name}" {DEVICES} && exec "$@"'
        return tap.run("unshare", "-m", "sh", "-c", script, "fake", *command, env={**os.environ, "PERF_CPUID": self.cpuid})

    def run(self, *command):
        """Run a command. Failures of perf are not errors of the test."""
        done = self.inside(*command)
        if done.returncode and command[0] == "perf":
            raise tap.Skip(f"perf {command[1]} fails here: {done.stderr.strip()[-200:]}")
        tap.same(done.returncode, 0, f"{command[0]}: {done.stderr.strip()[-500:]}")
        return done

    def perf_events(self):
        """Return {name: period} of core events in perf's table: its lines are a name, a description, and the terms."""
        periods, name = {}, None
        for line in self.run("perf", "list", "--details", "--deprecated").stdout.splitlines():
            if re.fullmatch(r"  \S+ *", line):
                name = line.strip()
            elif re.fullmatch(r"        cpu/\S+/ *", line) and name:
                periods[name] = int(re.search(r"period=(\w+)|$", line)[1] or "0", 0)
                name = None
        if not periods:
            raise tap.Skip("this perf has no table for that CPU")
        return periods

    def attrs(self, names, *command, stream="stderr"):
        """Return the attr fields that `command` prints for each name, from a single run."""
        words = [word for name in names for word in ("-e", name)]
        text = getattr(self.run(*command, *words, "--", "true"), stream)
        blocks = [block.split("-----")[0] for block in text.split("perf_event_attr:\n")[1:]]
        tap.same(len(blocks), len(names), f"attrs that {command[0]} prints")
        return [dict(re.findall(r"^  (.*?)  *(\S+)$", block, re.M)) for block in blocks]


def tests(compare):
    """Return a test for each CPU, for tap.main()."""
    return {f"test_{table}": (lambda t=table, c=cpuid, n=least: compare(t, c, n)) for table, cpuid, least in CPUS}
