#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Read the tables of tally export in DuckDB and ClickHouse, and compare each row with that of our reader of Parquet,
tests/lib/parquet.py, for the recordings of the fixtures and a table with all types.

usage: rows.py TALLY WRITE_TABLE FIXTURES SHARED_FIXTURES
"""
import glob
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import fixtures  # noqa: E402
import parquet  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402

TALLY = steps.tally()
WORK = tap.workplace("rows")
READ = {
    "duckdb": "SELECT * EXCLUDE (file_row_number) FROM read_parquet('{}', hive_partitioning = false, file_row_number = true) "
              "ORDER BY file_row_number",
    "clickhouse": "SELECT * FROM file('{}', Parquet) SETTINGS use_hive_partitioning = 0, input_format_parquet_preserve_order = 1, "
                  "max_threads = 1",
}


def plain(value):
    """Return a value as both engines show it: integers as text, a map as a dictionary."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and set(value[0]) == {"key", "value"}:
            return {one["key"]: plain(one["value"]) for one in value}
        return [plain(one) for one in value]
    return str(value)


def compare(paths):
    """Compare the rows of Parquet files. Return their number."""
    want = {path: [[plain(value) for value in row.values()] for row in parquet.File(path).table()] for path in paths}
    for engine in engines.NAMES:
        asked = [{"rows": True, "sql": READ[engine].format(path.replace("'", "''"))} for path in paths]
        database = ":memory:" if engine == "duckdb" else os.path.join(WORK, "clickhouse")
        for path, result in zip(paths, engines.run(engines.fetched(), engine, database, asked), strict=True):
            got = [[plain(value) for value in row] for row in result["rows"]]
            if not want[path] and engine == "clickhouse":
                continue
            # An empty map is an empty list in DuckDB.
            got = [[{} if one == [] and isinstance(other, dict) else one for one, other in zip(row, wanted)]
                   for row, wanted in zip(got, want[path], strict=True)]
            for number, (row, wanted) in enumerate(zip(got, want[path])):
                assert row == wanted, f"{engine}, {path}, row {number}: {row}, wanted {wanted}"
    return sum(len(rows) for rows in want.values())


def check_rows(found):
    """Compare all tables of a set of fixtures."""
    folder = os.path.join(WORK, found.name)
    for number, path in enumerate(found.files()):
        tap.run(TALLY, "export", "-q", "-o", os.path.join(folder, str(number)), path, errors="replace")
    paths = sorted(glob.glob(f"{glob.escape(folder)}/*/*/*/*/*.parquet"))
    rows = compare(paths)
    print(f"# {rows} rows in {len(paths)} files")
    assert rows > 1000


def test_mutated_recordings():
    """Whatever a recording contains, both engines can read the tables."""
    own = fixtures.sets(*sys.argv[3:4], "/nonexistent")[0]
    folder = os.path.join(WORK, "mutated")
    for number, data in enumerate(fixtures.mutants(own, 150, 11)):
        path = crafted.write(WORK, "mutated.data", data)
        tap.run(TALLY, "export", "-q", "-o", os.path.join(folder, str(number)), path, errors="replace")
    paths = sorted(glob.glob(f"{glob.escape(folder)}/*/*/*/*/*.parquet"))
    assert len(paths) > 100 and compare(paths) > 1000


def test_all_types():
    path = os.path.join(WORK, "types.parquet")
    tap.run(sys.argv[2], path, 150_000, 7, status=0)
    assert compare([path]) == 150_000


fixtures.add_tests(sys.modules[__name__], fixtures.sets(*sys.argv[3:5]), check_rows)
tap.main(__name__, engines.need)
