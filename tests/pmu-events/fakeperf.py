# SPDX-License-Identifier: BSD-2-Clause
"""Commands under a made-up core PMU of any x86 CPU: shared's tools/fakepmu.sh."""
import re
import shutil
from pathlib import Path

import tap

WIDEN = "echo config:0-7,32-35 >/sys/bus/event_source/devices/cpu/format/event;"
# Table, identity, and the names that the installed perf has in common with it at least.
CPUS = [
    ("silvermont", "GenuineIntel-6-37-8", 130),
    ("skylakex", "GenuineIntel-6-55-4", 455),
    ("cascadelakex", "GenuineIntel-6-55-7", 2330),
    ("icelakex", "GenuineIntel-6-6A-6", 351),
    ("sapphirerapids", "GenuineIntel-6-8F-8", 368),
    ("amdzen3", "AuthenticAMD-25-1-1", 222),
]


class Fake:
    """A CPU's core PMU, as perf and tally see it."""

    def __init__(self, shared, cpuid):
        self.script, self.cpuid = Path(shared) / "tools" / "fakepmu.sh", cpuid
        if not self.script.exists():
            raise tap.Skip(f"no {self.script}")
        if not shutil.which("perf"):
            raise tap.Skip("perf is not installed")

    def run(self, *command):
        widen = WIDEN if self.cpuid.startswith("Authentic") else ""
        done = tap.run(self.script, self.cpuid, "bash", "-c", widen + '"$@"', "fake", *command)
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
