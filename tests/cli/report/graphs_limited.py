#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test a limit on graphs, which saves work: light functions are not distinguished, and without children the file is
read twice, the second time only for heavy rows. The output must be the same as without a limit.

usage: graphs_limited.py TALLY FIXTURES SHARED
"""
import functools
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import tap  # noqa: E402
from graphs import graphs_of, heavy_graphs, heavy_of  # noqa: E402

TALLY = sys.argv[1]
SETS = fixtures.sets(*sys.argv[2:4])
LEAST = {True: 50, False: 100}  # minimum number of graphs in our own set and in the shared set

WAYS = {
    "callees": ("callee", ["--no-children"]),
    "callers": ("caller", ["--no-children"]),
    # Threads are numbered in the order of their samples, so all samples are read again for these keys.
    "by thread": ("callee", ["--no-children", "-s", "pid,tid,symbol"]),
    "children": ("caller", ["--children"]),
    "children, callees": ("callee", ["--children"]),
    "children by file": ("caller", ["--children", "-s", "dso"]),
}


@functools.cache
def recordings(one):
    """Return the recordings with callchains."""
    attrs = ((path, tap.run(TALLY, "evlist", "-v", "-i", path)) for path in one.files())
    return [path for path, run in attrs if run.returncode == 0 and "CALLCHAIN" in run.stdout]


def check(one, order, options):
    graphs = 0
    for path in recordings(one):
        whole = graphs_of(TALLY, path, f"graph,0,{order}", *options)
        for percent in (0.5, 5):
            want = heavy_of(whole, percent)
            got = heavy_graphs(TALLY, path, percent, f"graph,{percent},{order}", *options)
            tap.same(got, want, f"{path}, {percent} %")
            graphs += sum(1 for row in want if row[-1])
    assert graphs > (0 if tap.QUICK else LEAST[one.own]), f"hardly any graphs: {graphs}"


for _one in SETS:
    for _name, (_order, _options) in WAYS.items():
        globals()[f"test_{_name}, {_one.name}"] = (
            lambda one=_one, order=_order, options=_options: check(one, order, options))
tap.main(__name__)
