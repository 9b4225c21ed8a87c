#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the Parquet writer and reader. Tables of all types and shapes are read with tally's reader and an independent one,
which also checks the rules of the format. Files of DuckDB and ClickHouse are read with tally's reader.

usage: tables.py WRITE_TABLE READ_TABLE
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import parquet  # noqa: E402
import tap  # noqa: E402

WRITE_TABLE, READ_TABLE = map(os.path.abspath, sys.argv[1:3])
FILES = os.path.abspath(__file__).rpartition("/tests/")[0] + "/fuzz/corpus/parquet"
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
    check_reader(path, want)
    return file


def read(path, status=0):
    done = tap.run(READ_TABLE, path, status=status)
    return [json.loads(line) for line in done.stdout.splitlines()] if status == 0 else done.stderr


def check_reader(path, want):
    """Compare the rows that tally's reader returns. It reads keys and values of a map as two lists."""
    for number, (have, wanted) in enumerate(zip(read(path), want, strict=True)):
        *flat, pairs = wanted
        tap.same([bool(have[0]), *have[1:]], [*flat, [*pairs], [*pairs.values()]], f"row {number}")


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


# ---- files of query engines ----------------------------------------------------------------------

def engine_row(i):
    """Return row `i` of the table that DuckDB and ClickHouse wrote. Decimal numbers (?) cannot be read."""
    return [i, None if i % 3 == 0 else i, i * 1.5, f"x{i % 50}", None, [f"f{i % 7}", f"g{i % 3}"], int(i % 2 == 0), i * i,
            [] if i % 5 == 0 else [i, i + 1], i, i % 100, "?"]


def test_files_of_engines():
    """The column with a hash was made by DuckDB; it must be equal in all files."""
    hashes = set()
    names = [name for name in sorted(os.listdir(FILES)) if re.match("(duckdb|clickhouse)-(snappy|zstd|gzip|uncompressed)", name)]
    assert len(names) == 11, names
    for name in names:
        rows = read(os.path.join(FILES, name))
        hashes.add(tuple(row[4] for row in rows))
        for i, row in enumerate(rows, 1):
            row[4], row[11] = None, "?"  # ClickHouse writes decimal numbers as other types
            tap.same(row, engine_row(i), f"row {i} of {name}")
        assert len(rows) == 40, name
    assert len(hashes) == 1 and len(set(*hashes)) == 40, hashes


def test_compression_that_is_not_supported():
    for name in ("duckdb-lz4-V1", "duckdb-brotli-V1"):
        assert read(os.path.join(FILES, name)) == [], name


def test_damaged_files():
    """No damage crashes the reader, and what is cut off is noticed."""
    with open(os.path.join(FILES, "duckdb-snappy-V1"), "rb") as file:
        data = file.read()
    path = os.path.join(WORK, "damaged")
    for size in tap.some(range(len(data)), 29):
        with open(path, "wb") as file:
            file.write(data[:size])
        assert "not a complete Parquet file" in read(path, status=1)
    for at in tap.some(range(len(data)), 37):
        with open(path, "wb") as file:
            file.write(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:])
        tap.run(READ_TABLE, path)


def test_full_disk():
    done = tap.run(WRITE_TABLE, "/dev/full", 10, 1)
    assert done.returncode == 1, done.returncode


tap.main(__name__)
