# SPDX-License-Identifier: BSD-2-Clause
"""Readers for the output of tally script and perf script and for the formats of tally report --format, each written
from the description of the format. All of them return Samples, so that they can be compared."""
import collections
import csv
import gzip
import io
import json
import os
import re

from otlp import Otlp, varint


class Samples:
    """Stacks (outermost function first, without the comm) and their weights."""

    def __init__(self):
        self.stacks = collections.Counter()  # stack: weight
        self.numbers = collections.Counter()  # stack: number of samples; empty if the format has no counts
        self.comms = collections.Counter()  # (comm, stack): weight
        self.threads = collections.Counter()  # (pid, tid): number of samples
        self.times = []  # (tid, ns)

    def add(self, stack, weight, nr=1, comm=None):
        stack = tuple(stack)
        self.stacks[stack] += weight
        self.numbers[stack] += nr
        self.comms[comm, stack] += weight

    def own(self):
        """Return the self weight of each function."""
        return fold(self.stacks, lambda stack: stack[-1:])

    def total(self):
        """Return the total weight of each function."""
        return fold(self.stacks, set)

    def weight(self):
        return sum(self.stacks.values())

    def count(self):
        return sum(self.numbers.values())


def fold(stacks, functions):
    found = collections.Counter()
    for stack, weight in stacks.items():
        for function in functions(stack):
            found[function] += weight
    return found


# ---- output of script ----------------------------------------------------------------------------

def unnamed(dso):
    """Return the name used for unnamed code in a file."""
    return dso if dso.startswith("[") else f"[{os.path.basename(dso)}]"


def script(text):
    """Read the output of script -F comm,pid,tid,cpu,time,period,ip,sym,dso."""
    found = Samples()
    for block in filter(None, text.split("\n\n")):
        head, *frames = block.strip("\n").splitlines()
        match = re.match(r" *(.*?) +(\d+)/(\d+) +\[\d+\] +(\d+)\.(\d+): +(\d+)", head)
        comm, pid, tid, seconds, parts, period = match.groups()
        stack = []
        for frame in frames:
            name, dso = re.match(r"\s*[0-9a-f]+ (.*) \((.*?)\)$", frame).groups()
            if dso == "inlined":
                name, dso = re.match(r"\s*[0-9a-f]+ (.*?)(?: \(([^()]*)\))? \(inlined\)$", frame).groups()
            stack.append(unnamed(dso) if name == "[unknown]" else name)
        found.add(reversed(stack), int(period), comm=comm)
        found.threads[int(pid), int(tid)] += 1
        found.times.append((int(tid), int(seconds) * 10**9 + int(parts.ljust(9, "0"))))
    return found


# ---- text ----------------------------------------------------------------------------------------

def folded(data):
    found = Samples()
    for line in data.decode().splitlines():
        names, weight = line.rsplit(" ", 1)
        comm, *stack = names.split(";")
        found.add(stack, int(weight), comm=comm)
    found.numbers.clear()
    return found


def rows_csv(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


class Callgrind:
    """Costs by function, added up as other readers of the format do: self cost, cost including calls from the function,
    and cost of calls to it."""

    def __init__(self, data):
        self.events, self.names = [], {}
        self.self_cost = collections.Counter()  # (function, event)
        self.inclusive = collections.Counter()
        self.called = collections.Counter()
        self.lines = collections.Counter()  # (file, line, event): self cost
        self.totals = []
        state, calls = {}, False
        for line in data.decode().splitlines():
            key, _, rest = line.partition("=")
            if line.startswith("events:"):
                self.events = line.split()[1:]
            elif line.startswith("totals:"):
                self.totals = [int(number) for number in line.split()[1:]]
            elif key in ("ob", "fl", "fn", "cob", "cfi", "cfn"):
                state[key] = self.name(key, rest)
            elif key == "calls":
                calls = True
            elif re.match(r"\d", line):
                self.count(state, calls, [int(number) for number in line.split()])
                calls = False

    def name(self, key, rest):
        table = {"c": key[1:]}.get(key[0], key).replace("fi", "fl")
        number, name = re.match(r"\((\d+)\)(?: (.*))?$", rest).groups()
        if name is not None:
            assert (table, number) not in self.names, (table, number)
            self.names[table, number] = name
        return self.names[table, number]

    def count(self, state, calls, numbers):
        for event, cost in zip(self.events, numbers[1:]):
            self.inclusive[state["fn"], event] += cost
            if calls:
                self.called[state["cfn"], event] += cost
            else:
                self.self_cost[state["fn"], event] += cost
                self.lines[state["fl"], numbers[0], event] += cost


# ---- JSON ----------------------------------------------------------------------------------------

def speedscope(data, event=None):
    """Read the profiles for an event. Their names end with the event's name."""
    file, found = json.loads(data), Samples()
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    for profile in file["profiles"]:
        if event and not profile["name"].endswith(", " + event):
            continue
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"]), profile["name"]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            found.add([frames[frame] for frame in stack], weight)
    found.numbers.clear()
    return found


def firefox(data):
    file, found = json.loads(data), Samples()
    shared = file["shared"]
    strings, stacks, frames, functions = (shared[name] for name in ("stringArray", "stackTable", "frameTable", "funcTable"))
    for name, table in shared.items():
        for column, cells in table.items() if name != "stringArray" else ():
            assert column == "length" or len(cells) == table["length"], (name, column)
    paths = []
    for prefix, frame in zip(stacks["prefix"], stacks["frame"]):
        path = paths[prefix] if prefix is not None else ()
        paths.append(path + (strings[functions["name"][frames["func"][frame]]],))
    for thread in file["threads"]:
        samples = thread["samples"]
        assert len(samples["stack"]) == len(samples["time"]) == len(samples["weight"]) == samples["length"]
        scale = 10**6 if samples["weightType"] == "tracing-ms" else 1
        found.threads[int(thread["pid"]), thread["tid"]] += samples["length"]
        for stack, time, weight in zip(samples["stack"], samples["time"], samples["weight"]):
            found.add(paths[stack], round(weight * scale), comm=thread["name"])
            found.times.append((thread["tid"], round(time * 10**6)))
    return found


# ---- protocol buffers ----------------------------------------------------------------------------

def message(data):
    """Parse a binary protobuf into {field: values}. Values are numbers or bytes."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut"
        fields[tag >> 3].append(value)
    return fields


def packed(data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def number(fields, field):
    return fields[field][0] if fields[field] else 0


class Pprof:
    """A profile in the format of profile.proto."""

    def __init__(self, data):
        top = message(gzip.decompress(data))
        self.strings = [text.decode() for text in top[6]]
        assert self.strings[0] == ""
        self.types = [tuple(self.strings[number(message(kind), field)] for field in (1, 2)) for kind in top[1]]
        self.default = self.strings[number(top, 14)]
        self.period = number(top, 12)
        self.period_type = tuple(self.strings[number(message(kind), field)] for kind in top[11] for field in (1, 2))
        self.functions = {number(one, 1): one for one in map(message, top[5])}
        self.mappings = {number(one, 1): one for one in map(message, top[3])}
        self.locations = {number(one, 1): one for one in map(message, top[4])}
        self.samples_of = [message(sample) for sample in top[2]]

    def function_names(self, location):
        """Return the names of the functions at a location, innermost first."""
        return [self.strings[number(self.functions[number(message(line), 1)], 2)] for line in self.locations[location][4]]

    def labels(self, sample):
        found = {}
        for label in map(message, sample[3]):
            found[self.strings[number(label, 1)]] = self.strings[label[2][0]] if label[2] else number(label, 3)
        return found

    def samples(self, event=0):
        """Return the samples of the event with this index."""
        found = Samples()
        for sample in self.samples_of:
            labels, values = self.labels(sample), packed(sample[2][0])
            assert len(values) == len(self.types)
            stack = [name for location in packed(sample[1][0]) for name in self.function_names(location)]
            if values[2 * event]:
                found.add(reversed(stack), values[2 * event + 1], values[2 * event], comm=labels.get("comm", ""))
                found.threads[labels["pid"], labels["tid"]] += values[2 * event]
        return found


def otlp(data, event=0):
    """Read the profile of the event with this index."""
    file, found = Otlp(data), Samples()
    profile = file.profiles[event]
    for sample in profile["samples"]:
        values, attributes = sample["values"], sample["attributes"]
        found.add(reversed(file.stack(sample["stack"])), sum(values), len(values), comm=attributes.get("thread.name", ""))
        found.threads[attributes["process.pid"], attributes["thread.id"]] += len(values)
        found.times += [(attributes["thread.id"], time) for time in sample["times"]]
    if not profile["has_times"]:  # only sums
        found.numbers.clear()
        found.threads.clear()
    return found


class Perfetto:
    """A Perfetto trace: the samples of each event, and the running threads."""

    def __init__(self, data):
        self.events, self.threads, self.interned = {}, {}, collections.defaultdict(dict)
        self.names, counts = {}, collections.Counter()
        for packet in map(message, message(data)[1]):
            sequence = number(packet, 10)
            if packet[59]:
                timebase = message(message(message(packet[59][0])[12][0])[1][0])
                self.names[sequence] = timebase[10][0].decode()
                self.events[self.names[sequence]] = Samples()
            for interned in map(message, packet[12]):
                self.intern(sequence, interned)
            for tree in map(message, packet[2]):
                for thread in map(message, tree[2]):
                    self.threads[number(thread, 1)] = (number(thread, 3), thread[2][0].decode())
            for sample in map(message, packet[66]):
                cpu, count = number(sample, 1), number(sample, 6)
                self.add(sequence, sample, number(packet, 8), count - counts[sequence, cpu])
                counts[sequence, cpu] = count

    def intern(self, sequence, interned):
        for field, values in interned.items():
            for value in map(message, values):
                assert number(value, 1) not in self.interned[sequence, field], "told twice"
                self.interned[sequence, field][number(value, 1)] = value

    def add(self, sequence, sample, time, weight):
        stack = []
        for frame in self.interned[sequence, 7][number(sample, 4)][2]:
            fields = self.interned[sequence, 6][frame]
            assert not number(fields, 3) or number(fields, 3) in self.interned[sequence, 19]
            stack.append(self.interned[sequence, 5][number(fields, 2)][2][0].decode())
        found = self.events[self.names[sequence]]
        found.add(stack, weight)
        found.threads[number(sample, 2), number(sample, 3)] += 1
        found.times.append((number(sample, 3), time))


READERS = {"folded": folded, "speedscope": speedscope, "firefox": firefox, "pprof": lambda data: Pprof(data).samples(),
           "otlp": otlp,
           "perfetto": lambda data: next(iter(Perfetto(data).events.values()))}
