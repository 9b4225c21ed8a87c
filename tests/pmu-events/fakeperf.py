# SPDX-License-Identifier: BSD-2-Clause
"""Commands under a made-up core PMU of any x86 CPU: in a mount namespace of their own, in which the PMUs of sysfs are a
directory of ours. Needs root."""
import os
import re
import shutil
import tempfile
from pathlib import Path

import tap

DEVICES = Path("/sys/bus/event_source/devices")
KEPT = ("software", "tracepoint", "breakpoint")
INTEL = {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "pc": "config:19", "any": "config:21",
         "inv": "config:23", "cmask": "config:24-31", "offcore_rsp": "config1:0-63", "ldlat": "config1:0-15",
         "frontend": "config1:0-23", "in_tx": "config:32", "in_tx_cp": "config:33"}
AMD = {**INTEL, "event": "config:0-7,32-35"}
PRECISE = "3"  # levels of a PMU that can sample precisely
CORE_TYPE = "4"  # what Linux gives the first core PMU
# Table, identity, and the names that the installed perf has in common with it at least.
CPUS = [
    ("silvermont", "GenuineIntel-6-37-8", 130),
    ("skylakex", "GenuineIntel-6-55-4", 455),
    ("cascadelakex", "GenuineIntel-6-55-7", 2330),
    ("icelakex", "GenuineIntel-6-6A-6", 351),
    ("sapphirerapids", "GenuineIntel-6-8F-8", 368),
    ("amdzen3", "AuthenticAMD-25-1-1", 222),
]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="ascii")


class Fake:
    """A CPU's core PMU, as perf and tally see it."""

    def __init__(self, cpuid):
        if not shutil.which("perf"):
            raise tap.Skip("perf is not installed")
        if not shutil.which("unshare"):
            raise tap.Skip("unshare is not installed")
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

    def run(self, *command):
        script = f'mount --bind "{self.folder.name}" {DEVICES} && exec "$@"'
        done = tap.run("unshare", "-m", "sh", "-c", script, "fake", *command, env={**os.environ, "PERF_CPUID": self.cpuid})
        if done.returncode:
            raise tap.Skip(f"no fake PMU here: {done.stderr.strip()[-100:]}")
        return done

    def perf_events(self):
        """{name: period} of core events of perf's table: lines of a name, a description, and the terms."""
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
        """The fields of the attr that `command` prints for each name, all in one run."""
        words = [word for name in names for word in ("-e", name)]
        text = getattr(self.run(*command, *words, "--", "true"), stream)
        blocks = [block.split("-----")[0] for block in text.split("perf_event_attr:\n")[1:]]
        tap.same(len(blocks), len(names), f"attrs that {command[0]} prints")
        return [dict(re.findall(r"^  (.*?)  *(\S+)$", block, re.M)) for block in blocks]


def tests(compare):
    """A test of each CPU, for tap.main()."""
    return {f"test_{table}": (lambda t=table, c=cpuid, n=least: compare(t, c, n)) for table, cpuid, least in CPUS}
