# SPDX-License-Identifier: BSD-2-Clause
"""Generate pages that no recording produces: hostile names, large call trees, broken data. The format is described in
docs/internals/page-format.md. The HTML around the data is the viewer as built by scripts/embed_page.py."""
import base64
import json
import os
import random
import re
import sys
import zlib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import embed_page  # noqa: E402

WEB = os.path.join(ROOT, "src", "page", "web")
USER, KERNEL, INLINED, JIT, NAMELESS, CUT, FOREIGN = 0, 1, 4, 8, 16, 32, 64


def scripts():
    """Return the viewer's files in the order listed in its meson.build."""
    with open(os.path.join(WEB, "meson.build"), encoding="utf-8") as file:
        listed = re.search(r"page_scripts = files\((.*?)\)", file.read(), re.S).group(1)
    return [os.path.join(WEB, name) for name in re.findall(r"'([^']+)'", listed)]


def parts():
    return embed_page.page_parts(os.path.join(WEB, "page.html"), os.path.join(WEB, "page.css"), scripts())


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def varints(values):
    if max(values, default=0) < 128:
        return bytes(values)
    return b"".join(map(varint, values))


def deltas(values):
    last, out = 0, []
    for value in values:
        step, last = value - last, value
        out.append(2 * step if step >= 0 else -2 * step - 1)
    return varints(out)


class Profile:
    """The contents of a page, filled in by method calls."""

    def __init__(self, title="perf.data", unit=1000):
        self.strings, self.numbers = [""], {"": 0}
        self.frames, self.frame_numbers = [], {}
        self.nodes, self.node_numbers = [(0, 0)], {}
        self.threads, self.samples, self.losses = [], [], []
        self.annotations, self.shorts = None, {}
        self.meta = {"format": 1, "generator": "tally test", "title": title, "time_unit": unit, "recordings": [],
                     "events": [{"name": "cpu-clock", "unit": "ns"}], "notes": []}

    def string(self, text):
        if text not in self.numbers:
            self.numbers[text] = len(self.strings)
            self.strings.append(text)
        return self.numbers[text]

    def recording(self, name="perf.data", **more):
        self.meta["recordings"].append({"name": name, "origin": "1000000000", "samples": 0, "header": [["hostname", "test"]],
                                        "health": [], **more})

    def frame(self, name, file="/usr/bin/prog", flags=USER):
        row = (self.string(name), self.string(file), flags)
        if row not in self.frame_numbers:
            self.frame_numbers[row] = len(self.frames)
            self.frames.append(row)
        return self.frame_numbers[row]

    def short(self, frame, name):
        """Give a frame a short name, which the viewer shows instead of its name."""
        self.shorts[frame] = self.string(name)
        return frame

    def node(self, parent, frame):
        key = (parent, frame)
        if key not in self.node_numbers:
            self.node_numbers[key] = len(self.nodes)
            self.nodes.append(key)
        return self.node_numbers[key]

    def stack(self, *frames):
        """Return the node for these frames, which are given with the outermost one first."""
        at = 0
        for frame in frames:
            at = self.node(at, frame)
        return at

    def thread(self, pid, tid, name):
        self.threads.append((pid + 1, tid + 1, self.string(name)))
        return len(self.threads) - 1

    def sample(self, time, node, thread=0, cpu=0, weight=1000000, event=0, recording=None):
        self.samples.append((len(self.meta["recordings"]) - 1 if recording is None else recording, time, node, thread, cpu + 1, event, weight))

    def columns(self):
        texts = [text.encode("utf-8", "surrogatepass") for text in self.strings]
        self.samples.sort(key=lambda sample: sample[:2])
        frames, samples = list(zip(*self.frames)) or [[]] * 3, list(zip(*self.samples)) or [[]] * 7
        nodes, threads, losses = zip(*self.nodes), list(zip(*self.threads)) or [[]] * 3, list(zip(*self.losses)) or [[]] * 4
        names = [("string_bytes", "varint", [len(text) for text in texts]), ("string_text", "text", b"".join(texts))]
        for group, kinds, rows in (
                ("frame", "name:varint file:varint flags:u8", frames), ("node", "parent:delta frame:varint", nodes),
                ("thread", "pid:varint tid:varint name:varint", threads),
                ("sample", "recording:varint time:delta node:varint thread:varint cpu:varint event:varint weight:varint", samples),
                ("loss", "recording:varint time:delta cpu:varint count:varint", losses)):
            for kind, row in zip(kinds.split(), rows):
                name, how = kind.split(":")
                names.append((f"{group}_{name}", how, row))
        if self.shorts:
            names.append(("frame_short", "varint", [self.shorts.get(frame, 0) for frame in range(len(self.frames))]))
        if self.annotations is not None:
            names.append(("annotations", "json", json.dumps(self.annotations).encode()))
        return names

    def encode(self):
        """Return (meta, uncompressed data)."""
        columns, data = [], b""
        for name, how, values in self.columns():
            encoded = {"varint": varints, "delta": deltas}.get(how, bytes)(values)
            columns.append({"name": name, "as": how, "count": len(values), "bytes": len(encoded)})
            data += encoded
        for number, recording in enumerate(self.meta["recordings"]):
            recording["samples"] = sum(sample[0] == number for sample in self.samples)
        return {**self.meta, "columns": columns}, data

    def page(self):
        return page(*self.encode())


def page(meta, data):
    """Return a complete page as text."""
    packer = zlib.compressobj(6)
    return page_of(meta, packer.compress(data) + packer.flush())


def page_of(meta, packed):
    text = re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found.group()):04x}", json.dumps(meta))
    before, title, data, after = parts()
    return before + "page" + title + text + data + base64.b64encode(packed).decode() + after


def small():
    """Return a page with two threads, a kernel, a library, an inlined and an unnamed function, recursion, a broken
    stack, and lost samples."""
    profile = Profile("small")
    profile.recording("small.data", health=["1 sample was lost"], header=[["hostname", "box"], ["cmdline", "perf record ./prog"]])
    main, work, leaf = profile.frame("main"), profile.frame("work"), profile.frame("leaf", flags=INLINED)
    copy, read = profile.frame("memcpy", "/usr/lib/libc.so.6"), profile.frame("vfs_read", "[kernel.kallsyms]", KERNEL)
    jitted, nameless = profile.frame("LazyCompile:run", "/tmp/perf-1.map", JIT), profile.frame("0x4010", "/usr/bin/prog", NAMELESS)
    cut, recurse = profile.frame("", "", CUT), profile.frame("recurse")
    one, two = profile.thread(10, 10, "prog"), profile.thread(10, 11, "worker")
    stacks = [(one, (main, work, leaf), 4), (one, (main, work, copy), 3), (two, (main, read), 2), (two, (main, jitted), 1),
              (one, (main, nameless), 1), (two, (cut, work), 1), (one, (main, recurse, recurse, recurse, copy), 2)]
    time = 0
    for _ in range(10):
        for thread, frames, count in stacks:
            for _ in range(count):
                profile.sample(time, profile.stack(*frames), thread, cpu=thread)
                time += 10000
    profile.losses = [(0, 700000, 1, 5)]
    profile.annotations = [{"frame": work, "name": "work", "file": "/usr/bin/prog", "samples": 10, "weight": 10, "event": 0,
                            "rows": [{"addr": "0x10", "text": "mov eax, 1", "weight": 7, "samples": 7, "line": 10, "source": 0}, {"addr": "0x12", "text": "ret", "weight": 3, "samples": 3}],
                            "sources": [{"file": "/src/work.c", "first": 9, "lines": ["int work(void)", "{ return 1; }"], "weights": [0, 7]}]}]
    return profile


def two_recordings():
    """Return a page with two recordings. The share of parse doubles from one to the other, format is removed, and quick
    is new."""
    profile = Profile("two")
    main, parse, form, quick = (profile.frame(name) for name in ("main", "parse", "format", "quick"))
    profile.thread(1, 1, "prog")
    for number, counts in enumerate(({parse: 20, form: 80}, {parse: 80, quick: 120})):
        profile.recording(f"{number}.data")
        for frame, count in counts.items():
            for i in range(count):
                profile.sample(1000 * i, profile.stack(main, frame))
    return profile


def large(samples=1000000, nodes=100000):
    """Return a page with a call tree of `nodes` nodes, and a sample every ten microseconds."""
    profile, rng = Profile("large"), random.Random(7)
    profile.recording("large.data")
    frames = [profile.frame(f"ns{i % 97}::function_{i}(int, char const*)", f"/usr/lib/lib{i % 40}.so", KERNEL if i % 11 == 0 else USER) for i in range(8000)]
    for i in range(32):
        profile.thread(100 + i, 100 + i, f"worker-{i}")
    ends = [0]
    while len(profile.nodes) < nodes:
        parent = ends[rng.randrange(max(0, len(ends) - 4000), len(ends))] if rng.random() < 0.9 else rng.choice(ends)
        ends.append(profile.node(parent, rng.choice(frames)))
    hot = [rng.choice(ends) for _ in range(3000)]
    profile.samples = [(0, i * 10, hot[int(rng.random() ** 2 * 3000)] if rng.random() < 0.8 else rng.choice(ends), rng.randrange(32), 1 + i % 8, 0, 1000000)
                       for i in range(samples)]
    return profile
