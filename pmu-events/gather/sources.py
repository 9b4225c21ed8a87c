# SPDX-License-Identifier: BSD-2-Clause
"""Readers of the places facts come from. Each returns (topic, event) pairs or a table by name or code.

Only names, encodings, counters, periods and constraints are taken. Descriptions are looked at in one case: the
marks that perf's list puts behind them are the only place where it tells that an event is precise."""
import json
import re
import subprocess
import tarfile
from pathlib import Path

from event import FRONTEND, LOAD_LATENCY, OFFCORE, canonical, counters


class Sources:
    """Where the sources are: the fixtures' archives, the fake PMU's script and libpfm4's source tree."""

    def __init__(self, shared, libpfm):
        self.pmu = Path(shared) / "fixtures" / "pmu"
        self.fakepmu = Path(shared) / "tools" / "fakepmu.sh"
        self.libpfm = Path(libpfm) / "lib" / "events"

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

    def perfmon(self, path):
        """One of Intel's files: {lower-case name: event}."""
        data = json.loads(self.archive("intel-perfmon")[path])
        events = data["Events"] if isinstance(data, dict) else data
        return {raw["EventName"].lower(): canonical(raw) for raw in events}

    def fake(self, cpuid, command, amd=False):
        """Standard output and error of a command that sees a core PMU of that CPU."""
        widen = "echo config:0-7,32-35 >/sys/bus/event_source/devices/cpu/format/event;" if amd else ""
        done = subprocess.run([self.fakepmu, cpuid, "bash", "-c", widen + '"$@"', "fake", *command],
                              capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    def perf(self, cpuid, amd=False):
        """The installed perf's own table for an x86 CPU."""
        listed, _ = self.fake(cpuid, ["perf", "list", "--details", "--deprecated"], amd)
        current, _ = self.fake(cpuid, ["perf", "list", "--details"], amd)
        events = parse_perf_list(listed)
        current = {name for _, name, _, _ in parse_perf_list(current)}
        arguments = [word for _, name, _, _ in events for word in ("-e", name)]
        _, verbose = self.fake(cpuid, ["perf", "stat", "-vv", *arguments, "--", "true"], amd)
        wide = [re.search(r"config1 \} +(\S+)|$", block)[1] for block in verbose.split("perf_event_attr:\n")[1:]]
        if len(wide) != len(events):
            raise RuntimeError(f"{cpuid}: {len(events)} events, but {len(wide)} attrs")
        return [(topic, event_of_terms(name, terms, marks, config1, name not in current))
                for (topic, name, terms, marks), config1 in zip(events, wide)]

    def intel_counters(self, header):
        """Counters by event code, for CPUs whose JSON is not at hand."""
        text = (self.libpfm / header).read_text(encoding="utf-8")
        table = {}
        for entry in text[text.rindex("intel_x86_entry_t"):].split("{ .name")[1:]:
            code = re.search(r"\.code\s*=\s*(0x[0-9a-fA-F]+)", entry)
            mask = re.search(r"\.cntmsk\s*=\s*(0x[0-9a-fA-F]+)", entry)
            if code and mask and int(mask[1], 16) & 0xff:
                table.setdefault(int(code[1], 16) & 0xff, counters(int(mask[1], 16) & 0xff))
        return table

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

    def names_and_codes(self, header, name=".name", code=".code"):
        """(name, code) pairs of libpfm4's tables without unit masks."""
        text = (self.libpfm / header).read_text(encoding="utf-8")
        pattern = re.escape(name) + r'\s*=\s*"([^"]+)".*?' + re.escape(code) + r"\s*=\s*(0x[0-9a-fA-F]+)"
        return [(found, int(value, 16)) for found, value in re.findall(pattern, text, re.S)]


def parse_perf_list(text):
    """(topic, name, terms, marks) of `perf list --details`."""
    events, topic, name, words = [], "", "", []
    for line in text.splitlines():
        terms = re.fullmatch(r"        cpu/(\S+)/ *", line)
        if re.fullmatch(r"[a-z ]+:", line):
            topic = line[:-1].replace(" ", "-")
        elif re.fullmatch(r"  \S+ *", line):
            name, words = line.strip(), []
        elif terms and name:
            marks = re.sub(r"\s+", " ", " ".join(words))
            events.append((topic, name, dict(term.split("=") for term in terms[1].split(",")), marks))
            name = ""
        else:
            words.append(line.strip())
    return events


TERMS = {"event": "EventCode", "umask": "UMask", "cmask": "CounterMask", "inv": "Invert", "edge": "EdgeDetect",
         "any": "AnyThread", "period": "SampleAfterValue"}
MSRS = {"offcore_rsp": OFFCORE, "ldlat": LOAD_LATENCY, "frontend": FRONTEND}


def event_of_terms(name, terms, marks, config1, deprecated):
    """An event of the terms perf lists; what it prints as 32 bits comes from the attr it made."""
    raw = {"EventName": name.upper()}
    for term, value in terms.items():
        if term in TERMS:
            raw[TERMS[term]] = value
        else:
            raw["MSRIndex"], raw["MSRValue"] = MSRS[term], config1
    if "(Must be precise)" in marks:
        raw["PEBS"] = "2"
    elif "(Precise event)" in marks or "address when precise" in marks:
        raw["PEBS"] = "1"
    if deprecated:
        raw["Deprecated"] = "1"
    return canonical(raw)
