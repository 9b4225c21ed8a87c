#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test recordings with instruction traces, which tally does not decode but reports.

usage: traces.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
WORK = tap.workplace("traces")
INFO, TRACE = 70, 71
ANY = 0xffffffff


def trace(size, tid=ANY, cpu=ANY):
    """Return an AUXTRACE record followed by its trace."""
    return crafted.record(TRACE, crafted.u64(size, 0, 0) + crafted.u32(0, tid, cpu, 0)) + bytes(size)


def info(kind):
    return crafted.record(INFO, crafted.u32(kind, 0) + crafted.u64(8, 0))


def craft(name, *records):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(crafted.file_bytes([crafted.comm(7, "prog", 1), *records]))
    return path


def said(path, words):
    """Check that each command reports the trace and continues."""
    for command in (("report", "--stdio"), ("script",), ("annotate", "--stdio"), ("report", "--format", "folded"), ("report", "--json")):
        run = tap.run(TALLY, *command, "-i", path)
        assert words in run.stderr and "perf script --itrace" in run.stderr, (command, run.stderr)
    assert "# Trace: " + words in steps.report(path, "--stdio"), words
    assert "# Trace: " + words in steps.report(path, "--health"), words


@tap.always
def test_a_trace_without_samples():
    path = craft("pt.data", info(1), trace(4096, cpu=0), trace(64, cpu=3), trace(64, cpu=3))
    said(path, "Intel PT trace (4224 bytes of 2 CPUs): not decoded by tally")
    tap.same(steps.report_json(path)["health"]["traces"],
             [{"kind": "Intel PT", "bytes": 4224, "buffers": 3, "cpus": 2, "threads": 0}], "JSON")


def test_a_trace_next_to_samples():
    path = craft("etm.data", info(3), crafted.sample(0x400010, 7, 2), trace(128, tid=7), crafted.sample(0x400010, 7, 3))
    said(path, "Arm CoreSight trace (128 bytes of 1 thread): not decoded by tally")
    text = steps.report(path, "--stdio")
    assert "2 samples read" in text and "nothing lost" not in text, text


def test_a_trace_of_an_unknown_kind():
    said(craft("odd.data", info(4711), trace(16, cpu=1)), "hardware trace (16 bytes of 1 CPU): not decoded by tally")


def test_a_trace_that_is_in_the_samples():
    said(craft("spe.data", info(4), crafted.sample(0x400010, 7, 2)), "Arm SPE trace: not decoded by tally")


def test_pages_report_the_trace():
    page = os.path.join(WORK, "page.html")
    run = tap.run(TALLY, "report", "-i", craft("page.data", info(1), trace(64, cpu=0)), "--html", page)
    assert "Intel PT trace" in run.stderr, run.stderr


def test_no_trace():
    path = craft("none.data", crafted.sample(0x400010, 7, 2))
    assert "race" not in steps.report(path, "--stdio").replace("Overhead", ""), "text"
    tap.same(steps.report_json(path)["health"]["traces"], [], "JSON")


tap.main(__name__)
