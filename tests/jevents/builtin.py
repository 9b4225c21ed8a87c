#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the built-in models.

usage: builtin.py DUMP_BUILTIN DUMP_LOADED TREE"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

BUILTIN, LOADED, TREE = sys.argv[1:4]
READ = {**os.environ, "TALLY_EVENTS_DIR": TREE}


def rows(*args, **options):
    result = tap.run(*args, **options)
    tap.same(result.returncode, 0, f"status of {args} ({result.stderr[:300]})")
    return sorted(result.stdout.split("\n")[:-1])


def test_they_are_those_of_the_tree():
    if not os.path.isdir(TREE):
        raise tap.Skip(f"no {TREE}")
    for what in ("events", "metrics", "map"):
        built, read = rows(BUILTIN, what), rows(LOADED, what, env=READ)
        tap.same(built, read, what)
        tap.same(bool(built), True, f"there are {what}")


def test_every_line_of_the_map_leads_to_events():
    models = {row.split("\t")[0].removeprefix("pmu_events__") for row in rows(BUILTIN, "events")}
    for row in rows(BUILTIN, "map"):
        name = row.split("\t")[4].replace("/", "_").replace("-", "_")
        tap.same(any(model.startswith(name) for model in models), True, f"events for {row}")


if __name__ == "__main__":
    tap.main(__name__)
