#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A limit to graphs saves work: light functions are not told apart, and without children the file is read twice, the
second time for the heavy rows alone. What is shown must be the same as without a limit.

usage: graphs_limited.py TALLY FIXTURES
"""
import os
import sys

import tap
from graphs import heavy_graphs

TALLY, FIXTURES = sys.argv[1:3]
RECORDINGS = os.path.join(FIXTURES, "perfdata")

WAYS = {
    "callees": ("callee", ["--no-children"]),
    "callers": ("caller", ["--no-children"]),
    # Threads are numbered as they are met, so this one reads all samples again.
    "by thread": ("callee", ["--no-children", "-s", "pid,tid,symbol"]),
    "children": ("caller", ["--children"]),
    "children, callees": ("callee", ["--children"]),
    "children by file": ("caller", ["--children", "-s", "dso"]),
}


def recordings():
    for folder, _, files in sorted(os.walk(RECORDINGS)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            attrs = tap.run(TALLY, "evlist", "-v", "-i", path)
            if attrs.returncode == 0 and "CALLCHAIN" in attrs.stdout:
                yield path


def check(order, options):
    if not os.path.isdir(RECORDINGS):
        raise tap.Skip("no fixtures at " + FIXTURES)
    graphs = 0
    for path in recordings():
        for percent in (0.5, 5):
            want = heavy_graphs(TALLY, path, percent, f"graph,0,{order}", *options)
            got = heavy_graphs(TALLY, path, percent, f"graph,{percent},{order}", *options)
            tap.same(got, want, f"{path}, {percent} %")
            graphs += sum(1 for row in want if row[-1])
    assert graphs > 100, f"hardly any graphs: {graphs}"


for _name, (_order, _options) in WAYS.items():
    globals()["test_" + _name] = lambda order=_order, options=_options: check(order, options)
tap.main(__name__)
