# SPDX-License-Identifier: BSD-2-Clause
"""Readers of the places facts come from. Each returns (topic, event) pairs or a table by name or code.

Only names, encodings, counters, periods and constraints are taken."""
import json
import re
import tarfile
from pathlib import Path

from event import canonical


class Sources:
    """Where the sources are: the fixtures' archives, libpfm4's source tree, and Arm's repository of data."""

    def __init__(self, shared, libpfm, arm):
        self.pmu = Path(shared) / "fixtures" / "pmu"
        self.libpfm = Path(libpfm) / "lib" / "events"
        self.data = Path(arm)

    def archive(self, name):
        """Files of an archive: {path below its first directory: bytes}."""
        with tarfile.open(self.pmu / (name + ".tar.gz")) as tar:
            return {member.name.split("/", 1)[1]: tar.extractfile(member).read()
                    for member in tar.getmembers() if member.isfile()}

    def linux(self, archive, directory):
        """Core events of a directory of a Linux tree, and names of architecture-standard ones."""
        found = []
        for path, data in sorted(self.archive(archive).items()):
            folder, _, name = path.rpartition("/")
            if folder == directory and name.endswith(".json") and "metric" not in name:
                found += [(name[:-5], raw) for raw in json.loads(data)
                          if "Unit" not in raw and ("EventName" in raw or "ArchStdEvent" in raw)]
        return [(topic, raw if "ArchStdEvent" in raw else canonical(raw)) for topic, raw in found]

    def amd(self, header):
        """libpfm4's table of an AMD CPU: [(name, code, [(unit mask's name, value)])]."""
        text = (self.libpfm / header).read_text(encoding="utf-8")
        masks = {}
        for name, body in re.findall(r"amd64_umask_t (\w+)\[\]\s*=\s*\{(.*?)\n\};", text, re.S):
            masks[name] = [(unit, int(code, 16)) for unit, code in
                           re.findall(r'\.uname\s*=\s*"([^"]+)".*?\.ucode\s*=\s*(0x[0-9a-fA-F]+)', body, re.S)]
        table = []
        for entry in re.split(r"\{ \.name\b", text[text.index("amd64_entry_t"):])[1:]:
            units = re.search(r"\.umasks\s*=\s*(\w+)", entry)
            table.append((re.search(r'"([^"]+)"', entry)[1],
                          int(re.search(r"\.code\s*=\s*(0x[0-9a-fA-F]+)", entry)[1], 16),
                          masks[units[1]] if units else []))
        return table

    def arm(self, cpu):
        """Names of a CPU's events in Arm's data, or of an architecture's: {code: name}. Some have no name."""
        data = json.loads((self.data / "pmu" / (cpu + ".json")).read_text(encoding="utf-8"))
        return {event["code"]: event["name"] for event in data["events"] if "code" in event and "name" in event}

    def arm_parts(self):
        """Implementer and part of Arm's CPUs: {"cortex-a55": 0x41d05}."""
        data = json.loads((self.data / "cpus.json").read_text(encoding="utf-8"))
        return {cpu["name"].lower().replace(" ", "-"): int(cpu["cpuid"], 16) for cpu in data["cpus"]}

    def ibm_z(self, *arrays):
        """libpfm4's counters of IBM Z: {name: number} of these sets, later ones beside earlier ones."""
        text = (self.libpfm / "s390x_cpumf_events.h").read_text(encoding="utf-8")
        found = {}
        for array in arrays:
            body = re.search(rf"cpumcf_{array}_counters\[\] = \{{(.*?)\n\}};", text, re.S)[1]
            found.update({name: int(number) for number, name in
                          re.findall(r'\.ctrnum\s*=\s*(\d+).*?\.name\s*=\s*"([^"]+)"', body, re.S)})
        return found

    def names_and_codes(self, header, name=".name", code=".code"):
        """(name, code) pairs of libpfm4's tables without unit masks."""
        text = (self.libpfm / header).read_text(encoding="utf-8")
        pattern = re.escape(name) + r'\s*=\s*"([^"]+)".*?' + re.escape(code) + r"\s*=\s*(0x[0-9a-fA-F]+)"
        return [(found, int(value, 16)) for found, value in re.findall(pattern, text, re.S)]
