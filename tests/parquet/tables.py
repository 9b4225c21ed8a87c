#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the Parquet writer: read tables of all types and shapes with an independent reader, which also checks the rules
of the format.

usage: tables.py WRITE_TABLE
"""
import json
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import parquet  # noqa: E402
import tap  # noqa: E402

WRITE_TABLE = os.path.abspath(sys.argv[1])
WORK = tap.workplace("parquet")


def check(rows, seed=1):
    path = os.path.join(WORK, "table.parquet")
    said = tap.run(WRITE_TABLE, path, rows, seed, status=0).stdout
    want = [json.loads(line) for line in said.splitlines()]
    file = parquet.File(path)
    got = [list(row.values()) for row in file.table()]
    assert len(want) == rows == file.rows, (len(want), file.rows)
    for number, (have, wanted) in enumerate(zip(got, want)):
        tap.same(have, wanted, f"row {number} of {rows}")
    return file


def encodings(file, column):
    return {encoding for group in file.groups for encoding in group[1][column][3][2]}


def test_no_rows():
    file = check(0)
    assert not file.groups and len(file.leaves) == 15


def test_few_rows():
    for rows in (1, 2, 7, 8, 9, 31, 32, 33, 128, 129, 130, 1000):
        check(rows, seed=rows)


@tap.full
def test_many_rows():
    file = check(300_000)
    assert len(file.groups) > 2, "there is only one row group"
    for column in (1, 3, 5):  # numbers that are all different, or few
        assert encodings(file, column) >= {parquet.DELTA, parquet.DICTIONARY}, encodings(file, column)
    assert encodings(file, 10) >= {parquet.PLAIN, parquet.DICTIONARY}, encodings(file, 10)


def test_full_disk():
    done = tap.run(WRITE_TABLE, "/dev/full", 10, 1)
    assert done.returncode == 1, done.returncode


tap.main(__name__)
