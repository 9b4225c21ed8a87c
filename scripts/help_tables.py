# SPDX-License-Identifier: BSD-2-Clause
"""tally's commands and options, read from its help, which is generated from the tables used to parse them."""
import re
import subprocess


class Option:
    """An option: its names, value ("" if it takes none), whether the value is optional, and its description."""

    def __init__(self, label, text):
        self.names = re.findall(r"(?<![\w-])(-\w|--[a-z0-9-]+)(?=[,=\[ ]|$)", label.split("<")[0].replace("[=", "="))
        self.value = (re.search(r"<(.*)>", label) or ["", ""])[1]
        self.optional = "[=" in label
        self.label, self.text = label, text

    def choices(self):
        """Return the words that are valid values, or an empty list if other values are also valid."""
        if self.value == "pages|size":
            return []  # these are kinds of numbers, not words
        words = re.sub(r"\[.*?\]", "", self.value).split("|")
        return [word for word in words if re.fullmatch(r"[a-z0-9-]+", word)] if len(words) > 1 else []


class Command:
    """A command: its summary, usage, sections (heading or "", options) in order, and notes at the end of the help."""

    def __init__(self, name, summary, text):
        self.name, self.summary = name, summary
        self.usage, self.sections, self.notes = [], [("", [])], []
        self.parse(text.splitlines())
        self.runs = any(re.search(r"COMMAND \[ARG", line) for line in self.usage)  # whether it runs a command

    def options(self):
        return [option for _, options in self.sections for option in options]

    def words(self):
        """Return the words that may be the first argument, as the synopses show them: record, [trace|latency]."""
        found = []
        for line in self.usage:
            first = next((word for word in line.split()[2:] if not re.match(r"\[[-A-Z]", word)), "")
            found += [word for word in first.strip("[].").split("|") if re.fullmatch("[a-z]+", word)]
        return list(dict.fromkeys(found))

    def parse(self, lines):
        for number, line in enumerate(lines):
            if re.match(r" (Usage|   or): ", line):
                self.usage.append(line.split(": ", 1)[1])
            elif re.match(r"    (    --|-)", line):
                label, *text = re.split(r"\s{2,}", line.strip(), maxsplit=1)
                self.sections[-1][1].append(Option(label, text[0] if text else lines[number + 1].strip()))
            elif re.match(r" \S.*:$", line) and number + 1 < len(lines) and re.match(r"    (    --|-)", lines[number + 1]):
                self.sections.append((line.strip(" :"), []))
            elif re.match(r" \S", line) and self.options():
                self.notes.append(line.strip())
            elif not line.strip() and self.notes:
                self.notes.append("")


def shown(tally, *words):
    return subprocess.run([tally, "help", *words], capture_output=True, text=True, check=True).stdout


def listed_options(tally, command):
    """Return the options with values that the program lists, and "-" if it lists the words of arguments."""
    return subprocess.run([tally, command, "--list-words"], capture_output=True, text=True, check=True).stdout.split()


def commands(tally):
    rows = re.findall(r"^   (\S+) +(.*)$", shown(tally), re.M)
    return [Command(name, summary, shown(tally, name)) for name, summary in rows]
