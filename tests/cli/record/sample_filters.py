#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record --filter on the samples of events that are not tracepoints.

usage: sample_filters.py TALLY
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("sample-filters")
# Page faults at known addresses, one for each of 64 pages.
SOURCE = """
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	char *pages = mmap((void *)0x200000000, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	for (int i = 0; i < 64; i++)
		pages[i * 4096] = 1;
	return 0;
}
"""


def program():
    machine.need_events()
    machine.need_compiler("cc")
    path = os.path.join(WORK, "faults")
    return path if os.path.exists(path) else steps.build(path, SOURCE, "-O1")


def record(*words, status=0):
    data = os.path.join(WORK, "filtered.data")
    done = tap.run(TALLY, "record", "-o", data, *words)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done, data


def addresses(data):
    out = tap.run(TALLY, "script", "-i", data, "-F", "addr", status=0).stdout
    return sorted({int(word, 16) for word in out.split() if 0x200000000 <= int(word, 16) < 0x200040000})


def test_addresses():
    path = program()
    done, data = record("-e", "page-faults:u", "-c", "1", "-d", "--filter", "addr >= 0x200000000, addr < 0x200008000 || addr == 0x20000a000", path)
    tap.same(addresses(data), [0x200000000 + at * 4096 for at in (0, 1, 2, 3, 4, 5, 6, 7, 10)], "addresses")
    out = tap.run(TALLY, "script", "-i", data, "-F", "addr", status=0).stdout.split()
    tap.same(len(out), 9, "no other samples")
    left = int(re.search(r"(\d+) samples left out by filters", done.stderr)[1])
    assert left >= 55, done.stderr
    assert "COMM" in tap.run(TALLY, "script", "-i", data, "--show-task-events", status=0).stdout, "other records stay"


def test_each_event_has_its_filter():
    path = program()
    words = ["-e", "page-faults:u", "--filter", "addr == 0x200001000", "-e", "minor-faults:u", "--filter", "addr == 0x200002000",
             "-e", "cpu-clock"]
    _, data = record("-c", "1", "-d", *words, path)
    out = tap.run(TALLY, "script", "-i", data, "-F", "event,addr", status=0).stdout.splitlines()
    found = {name: {line.split()[1] for line in out if line.split()[0].startswith(name)} for name in ("page-faults", "minor-faults:u:")}
    tap.same({name: len(values) for name, values in found.items()}, {"page-faults": 1, "minor-faults:u:": 1}, "one address each")


def test_compressed_and_streams():
    path = program()
    for words in (["-z"], ["--overwrite"]):
        _, data = record("-e", "page-faults:u", "-c", "1", "-d", *words, "--filter", "addr == 0x200003000", path)
        tap.same(addresses(data), [0x200003000], words[0])
    done = tap.run("sh", "-c", f"{TALLY} record -q -e page-faults:u -c 1 -d --filter 'addr == 0x200003000' -o - {path} | {TALLY} script -i - -F addr")
    tap.same(done.stdout.split(), ["200003000"], "a stream")


def test_mistakes():
    for text, want in (("addr > 0", "requires --data"), ("cpu == 0", "requires --sample-cpu"), ("mem_op == load", "requires --data"),
                       ("weight2 > 1", "requires --weight"), ("foo > 1", "unknown term"), (" ", "unknown term"), ("period", "expected an operator"),
                       ("period >", "expected a number"), ("period > 1 2", "expected ',' or '||'"), ("period > 1,", "unknown term"),
                       ("period > load", "expected a number"), ("period > 99999999999999999999", "expected a number"),
                       (" || ".join(["period > 1"] * 65), "too many conditions")):
        words = ["-e", "cpu-clock", "--filter", text, "true"]
        done, _ = record(*words, status=1)
        assert want in done.stderr, (text, done.stderr)
    done, _ = record("-e", "cpu-clock", "--filter", "period > 1 && ip > 1", "true", status=1)
    assert "(at byte 11)" in done.stderr, done.stderr


tap.main(__name__)
