# SPDX-License-Identifier: BSD-2-Clause
"""Read a page written by tally as described in docs/internals/page-format.md, without the viewer."""
import base64
import collections
import hashlib
import json
import re
import zlib

KERNEL, GUEST, INLINED, JIT, NAMELESS, CUT, FOREIGN = 1, 3, 4, 8, 16, 32, 64
Sample = collections.namedtuple("Sample", "recording time node pid tid comm cpu event weight")
Frame = collections.namedtuple("Frame", "name file flags")


def varints(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert not shift, "the last value is cut"
    return values


def deltas(data):
    values, last = [], 0
    for value in varints(data):
        last += value // 2 if value % 2 == 0 else -(value + 1) // 2
        values.append(last)
    return values


DECODERS = {"varint": varints, "delta": deltas, "u8": list, "text": bytes, "json": bytes}


class Page:
    def __init__(self, text):
        self.text = text
        self.meta = json.loads(self.element('<script type="application/json" id="tally-meta">'))
        assert self.meta["format"] == 1
        data = zlib.decompress(base64.b64decode(self.element('<script type="text/plain" id="tally-data">'), validate=True))
        self.columns, at = {}, 0
        for column in self.meta["columns"]:
            values = DECODERS[column["as"]](data[at:at + column["bytes"]])
            assert len(values) == column["count"], column
            self.columns[column["name"]] = values
            at += column["bytes"]
        assert at == len(data), "bytes are behind the last column"
        self.strings = list(self.read_strings())
        self.frames = list(self.read_frames())
        self.samples = list(self.read_samples())

    def element(self, opening):
        """Return the contents of the only element that begins with this text."""
        assert self.text.count(opening) == 1, opening
        begin = self.text.index(opening) + len(opening)
        return self.text[begin:self.text.index("</", begin)]

    def read_strings(self):
        text, at = self.columns["string_text"], 0
        for size in self.columns["string_bytes"]:
            yield text[at:at + size].decode("utf-8")
            at += size
        assert at == len(text)

    def read_frames(self):
        for name, file, flags in zip(*(self.columns["frame_" + one] for one in ("name", "file", "flags")), strict=True):
            yield Frame(self.strings[name], self.strings[file], flags)

    def read_samples(self):
        names = ("time", "node", "thread", "cpu", "event", "weight")
        nr = len(self.columns["sample_time"])
        of = self.columns.get("sample_recording", [0] * nr)
        for recording, time, node, thread, cpu, event, weight in zip(of, *(self.columns["sample_" + one] for one in names), strict=True):
            yield Sample(recording, time, node, self.columns["thread_pid"][thread] - 1, self.columns["thread_tid"][thread] - 1,
                         self.strings[self.columns["thread_name"][thread]], cpu - 1, event, weight)

    def stack(self, node):
        """Return the frames from a node to the root, innermost frame first."""
        parents, of = self.columns["node_parent"], self.columns["node_frame"]
        frames = []
        while node:
            assert parents[node] < node
            frames.append(self.frames[of[node]])
            node = parents[node]
        return frames

    def losses(self):
        return list(zip(*(self.columns["loss_" + one] for one in ("recording", "time", "cpu", "count")), strict=True))

    def sums(self, event, recording=0):
        """For each function, return the self and total samples and weights, as in a report with children."""
        stacks, found = {}, collections.defaultdict(lambda: [0, 0, 0, 0])
        for sample in self.samples:
            if (sample.event, sample.recording) != (event, recording):
                continue
            if sample.node not in stacks:
                frames = self.stack(sample.node)
                stacks[sample.node] = frames[0], set(frames)
            own, all_of = stacks[sample.node]
            found[own][0] += 1
            found[own][1] += sample.weight
            for frame in all_of:
                found[frame][2] += 1
                found[frame][3] += sample.weight
        return found


def check_policy(text):
    """Check that the content security policy permits only the page's script and style."""
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text).group(1)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for element, rule in (("script", "script-src"), ("style", "style-src")):
        content = re.findall(rf"<{element}>(.*?)</{element}>", text, re.S)
        assert len(content) == 1, f"{len(content)} {element}s"
        digest = base64.b64encode(hashlib.sha256(content[0].encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'", rule
    assert rules["default-src"] == "'none'", policy
    assert text.count("<script") == 3 and text.count("</script") == 3, "scripts that are not the page's"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return Page(file.read())
