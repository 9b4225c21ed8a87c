# SPDX-License-Identifier: BSD-2-Clause
"""Strict parsers of the text formats of Prometheus, written from their specifications: 0.0.4 and OpenMetrics 1.0."""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|Inf|NaN)"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ({NUMBER})\n")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",)}


def unescaped(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)


def labels_of(text):
    """Parse the labels of a sample, without the braces."""
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, f"not a label: {text[at:]!r}"
        assert match[1] not in labels, f"label {match[1]} is repeated in {text}"
        labels[match[1]] = unescaped(match[2])
        at = match.end()
        if at < len(text):
            assert text[at] == "," and at + 1 < len(text), f"not a label list: {text!r}"
            at += 1
    return labels


class Families:
    """The families of a text: `types` by family and `samples`, a dict of values by (name, labels sorted)."""

    def __init__(self):
        self.types, self.helps, self.units, self.samples, self.closed, self.now = {}, {}, {}, {}, set(), None

    def enter(self, name):
        """Begin a family, or continue the present one. The lines of a family are adjacent."""
        if name != self.now:
            assert name not in self.closed, f"the lines of {name} are not adjacent"
            self.closed.add(self.now)
            self.now = name

    def about(self, kind, name, text):
        table = {"TYPE": self.types, "HELP": self.helps, "UNIT": self.units}[kind]
        self.enter(name)
        assert name not in table, f"{kind} of {name} is repeated"
        assert not any(self.family_of(sample[0]) == name for sample in self.samples), f"{kind} of {name} after its samples"
        table[name] = text

    def sample(self, line):
        match = SAMPLE.fullmatch(line)
        assert match, f"not a sample: {line!r}"
        name, labels, value = match[1], labels_of(match[2] or ""), float(match[3])
        self.enter(self.family_of(name))
        assert self.now in self.types and self.now in self.helps, f"{name} has no TYPE or HELP"
        key = (name, tuple(sorted(labels.items())))
        assert key not in self.samples, f"{key} is repeated"
        assert not math.isnan(value), line
        self.samples[key] = value

    def values(self, name, *by):
        """Return the values of a metric by the values of the given labels."""
        return {tuple(dict(labels).get(label) for label in by): value for (metric, labels), value in self.samples.items() if metric == name}


class Text(Families):
    """Format 0.0.4. The name of a counter's family is the name of its samples."""

    def family_of(self, name):
        return name


class Open(Families):
    """OpenMetrics 1.0. A type determines the suffix of its samples' names."""

    def family_of(self, name):
        found = [family for family, kind in self.types.items() if name in [family + suffix for suffix in SUFFIXES[kind]]]
        assert len(found) == 1, f"{name} belongs to the families {found}"
        return found[0]


def parse(text, is_open):
    """Parse a whole text (bytes)."""
    lines = text.decode("utf-8").splitlines(keepends=True)
    families = Open() if is_open else Text()
    if is_open:
        assert lines.pop() == "# EOF\n", "OpenMetrics does not end with # EOF"
    for line in lines:
        assert line.endswith("\n") and "\r" not in line, repr(line)
        match = re.fullmatch(rf"# (TYPE|HELP|UNIT) ({NAME}) (.+)\n", line)
        if match:
            assert is_open or match[1] != "UNIT", line
            families.about(*match.groups())
        else:
            assert not line.startswith("#"), f"a comment: {line!r}"
            families.sample(line)
    for name, kind in families.types.items():
        assert kind in (SUFFIXES if is_open else ("counter", "gauge")), f"{name}: {kind}"
        assert is_open or (kind == "counter") == name.endswith("_total"), f"{name}: {kind}"
        assert not is_open or not name.endswith(("_total", "_info")), name
    for name, unit in families.units.items():
        assert name.endswith("_" + unit), f"{name}: {unit}"
    for (name, _), value in families.samples.items():
        assert families.types[families.family_of(name)] != "counter" or 0 <= value < math.inf, f"{name} {value}"
    return families
