#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the SQL files of examples/fleet in DuckDB and ClickHouse, for a fleet of a thousand hosts that make_fleet.py
makes. Both engines must give the answers that truth.py computes for this fleet.

usage: queries.py TALLY
"""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402
import make_fleet  # noqa: E402
import fleet_tables as tables  # noqa: E402
import truth  # noqa: E402

WORK = tap.workplace("fleet")
SMALL, LARGE = os.path.join(WORK, "small"), os.path.join(WORK, "large")
SETTINGS = {"event": make_fleet.EVENT, "row_limit": 100000, "function": "again", "module": "libcrafted.so.1", "host": "host0000",
            "old_version": "1", "new_version": "2", "least_share": 0.1, "least_change": 1.0, "significance": 0.001, "least_z": 8.0}
# Runs of the queries: the point's name, the query and the settings that differ.
RUNS = [
    ("top_functions", "01-top-functions", {}),
    ("top_functions_of_another_event", "01-top-functions", {"event": make_fleet.OTHER_EVENT}),
    ("changes", "02-changes", {}),
    ("odd_hosts", "03-odd-hosts", {}),
    ("callers_of_a_recursive_function", "04-callers", {}),
    ("callers", "04-callers", {"function": "main"}),
    ("sums_above_64_bits", "04-callers", {"function": "main", "event": make_fleet.OTHER_EVENT}),
    ("library", "05-library", {}),
    ("library_with_callers", "05-library", {"module": "loop"}),
    ("new_functions", "06-new-functions", {}),
    ("kernel", "07-kernel", {}),
    ("health", "08-health", {}),
    ("flame_graph", "09-flame-graph", {"host": ""}),
    ("flame_graph_of_a_host", "09-flame-graph", {}),
    ("last_hour", "10-last-hour", {}),
]
FLEET, RESULTS = [], {}


def program():
    """Return the source of a program with many functions of different costs, which also works in the kernel."""
    names = range(60)
    functions = "\n".join(f"__attribute__((noinline)) void part_{n}(void) {{ for (int i = 0; i < {200000 // (n + 3)}; i++) sink += i; }}"
                          for n in names)
    phases = "\n".join(f"__attribute__((noinline)) void phase_{p}(void) {{ {' '.join(f'part_{n}();' for n in names if n % 6 == p)} sink++; }}"
                       for p in range(6))
    return f"""
#include <sys/stat.h>
volatile unsigned long sink;
{functions}
{phases}
__attribute__((noinline)) void look(void)  /* libc's stat() has no frame, so that the callchain has main() but not this */
{{
    struct stat st;
    for (int j = 0; j < 200; j++)
        stat("/proc/self/status", &st);
    sink++;
}}
int main(void)
{{
    for (int i = 0; i < 3000; i++) {{
        {' '.join(f'phase_{p}();' for p in range(6))}
        look();
    }}
}}
"""


def database(engine, name):
    path = os.path.join(WORK, f"{engine}-{name}")
    return ":memory:" if engine == "duckdb" and name != "kept" else path


def setup():
    loop, data, directory = (os.path.join(WORK, name) for name in ("loop", "perf.data", "seed"))
    steps.build(loop, program(), "-O1", "-g", "-fno-omit-frame-pointer", compiler="gcc")
    steps.record(data, "-e", "cpu-clock", "-F", "2000", "-g", "--duration", "10", loop)
    tap.run(sys.argv[1], "export", "-o", directory, data, status=0)
    make_fleet.make(engines.fetched(), directory, SMALL, 12, 2000)
    FLEET.append(make_fleet.make(engines.fetched(), directory, LARGE))
    for engine in engines.NAMES:
        before = engines.loading(engine, LARGE)
        runs = []
        for _, query, settings in RUNS:
            runs += [engines.setting(engine, name, value) for name, value in {**SETTINGS, **settings}.items()]
            runs.append(engines.file(engine, query, rows=True))
        results = engines.run(engines.fetched(), engine, database(engine, "large"), before + runs)
        RESULTS[engine] = dict(zip((name for name, _, _ in RUNS), (result for result in results if "rows" in result)))


def close(got, want, error=0.0):
    """Compare two rows; numbers may differ by the error."""
    return len(got) == len(want) and all(
        abs(a - b) <= error if isinstance(a, (int, float)) and isinstance(b, (int, float)) else a == b for a, b in zip(got, want))


def check(name, error=0.0):
    """Compare the engines' answers with each other and with the truth. Return the rows."""
    duckdb, clickhouse = (RESULTS[engine][name] for engine in engines.NAMES)
    tap.same(duckdb["columns"], clickhouse["columns"], "columns")
    query, settings = next((query, settings) for run, query, settings in RUNS if run == name)
    want = getattr(truth.Answers(FLEET[0], {**SETTINGS, **settings}), query[3:].replace("-", "_"))()
    assert want, f"{name}: the truth has no rows"
    for engine, rows in (("ClickHouse", clickhouse["rows"]), ("the truth", want)):
        tap.same(len(duckdb["rows"]), len(rows), f"rows of DuckDB and {engine}: {duckdb['rows'][:5]}, {rows[:5]}")
        for number, (got, other) in enumerate(zip(duckdb["rows"], rows)):
            assert close(got, other, error if engine == "the truth" else 0), f"{name}: row {number}: DuckDB has {got}, {engine} has {other}"
    print(f"# {name}: {len(want)} rows, {duckdb['ms']:.0f} ms in DuckDB, {clickhouse['ms']:.0f} ms in ClickHouse")
    return want


@tap.anybody
def test_both_engines_have_the_same_files():
    names = [sorted(os.listdir(os.path.join(engines.ROOT, "examples", "fleet", engine))) for engine in engines.NAMES]
    tap.same(*names, "files")
    tap.same(sorted({query for _, query, _ in RUNS}), engines.query_names("duckdb"), "queries that are tested")


def test_top_functions_count_a_recursive_function_once():
    rows = check("top_functions")
    again = next(row for row in rows if row[0] == "again")
    tap.same(again[2], again[3], "self and total share of a function that is only called by itself")
    main = next(row for row in rows if row[:2] == ["main", "loop"])
    tap.within(main[3], 10, 100, "total share of main")


def test_top_functions_of_another_event():
    tap.same([row[:2] for row in check("top_functions_of_another_event")], [["main", "libcrafted.so.1"]], "functions")


def test_changes_are_the_planted_growth_and_nothing_else():
    rows = check("changes", error=0.1)
    tap.same([tuple(row[:2]) for row in rows], [FLEET[0].grown], "functions that changed")
    tap.within(rows[0][4], 1.5, 4.5, "growth in percent")


def test_odd_hosts_are_the_planted_slow_host_and_nothing_else():
    rows = check("odd_hosts", error=0.1)
    tap.same([(row[0], *row[2:4]) for row in rows], [(FLEET[0].hosts[FLEET[0].slow_host], *FLEET[0].slow)], "odd hosts")


def test_callers_of_a_recursive_function():
    tap.same([row[1:4] for row in check("callers_of_a_recursive_function")], [["main", "libcrafted.so.1", 100]], "callers of again")


def test_callers():
    tap.same(len({row[0] for row in check("callers")}), 2, "modules that have a function main")


def test_sums_above_64_bits():
    (row,) = check("sums_above_64_bits")
    assert int(row[4]) > 2**64, row


def test_library():
    check("library")


def test_library_with_callers():
    (row,) = check("library_with_callers")
    assert 0 < row[2] < row[3], row


def test_new_functions():
    tap.same([row[0] for row in check("new_functions")], ["added_in_version_2"], "new functions")


def test_kernel():
    check("kernel")


def test_health():
    tap.same(check("health")[0][0], "host0001", "host with lost samples")


def test_flame_graph_escapes_names():
    lines = [row[0] for row in check("flame_graph")]
    assert any(line.startswith("crafted\\x3bcomm;main;operator\\x3b\\x1b[31m\\t\\r\\n\\x00 ") for line in lines), lines[:20]


def test_flame_graph_becomes_a_report():
    """tally report reads the result of the query."""
    lines = [row[0] for row in check("flame_graph")]
    path = os.path.join(WORK, "folded")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    got = tap.run(sys.argv[1], "report", "--from", path, "--format", "folded", status=0).stdout.splitlines()
    tap.same(sorted(got), sorted(lines), "folded stacks")


def test_flame_graph_of_a_host():
    check("flame_graph_of_a_host")


def test_last_hour_shows_minutes_without_samples():
    rows = check("last_hour")
    tap.same((len(rows), sum(row[1] == "0" for row in rows)), (60, 30), "minutes, and those without samples")


def test_p_values_are_not_too_small():
    pairs = [(t, df) for t in (0.5, 2.0, 3.5, 5.0, 12.0) for df in (3, 8, 30, 200, 1000)]
    for engine in engines.NAMES:
        rows = engines.run(engines.fetched(), engine, database(engine, "values"), [
            engines.file(engine, "schema"),
            {"rows": True, "sql": "SELECT " + ", ".join(f"t_p_value({t}, {df}.0) AS p{number}" for number, (t, df) in enumerate(pairs))}])[1]["rows"]
        for (t, df), got in zip(pairs, rows[0]):
            want = truth.student_p_value(t, df)
            assert 0.9 * want <= got <= max(1.5 * want, 1e-300) or got == 1 and want > 0.5, (engine, t, df, got, want)


TABLES = ("recordings", "samples", "frames", "stacks", "functions")
COUNTS = {"rows": True, "sql": "SELECT " + ", ".join(f"(SELECT count(*) FROM {table}) AS {table}_rows" for table in TABLES)}


def counts_after(engine, name, *steps_of_load):
    """Return the numbers of rows in the tables after each step that is COUNTS."""
    return [one["rows"] for one in engines.run(engines.fetched(), engine, database(engine, name), list(steps_of_load)) if "rows" in one]


def test_a_second_load_adds_nothing():
    for engine in engines.NAMES:
        once, twice = counts_after(engine, "twice", *engines.loading(engine, SMALL), COUNTS, engines.file(engine, "schema"),
                                   engines.file(engine, "load"), COUNTS)
        tap.same(once, twice, engine)
        tap.same(once[0][:2], ["13", "24000"], "recordings and samples")


def test_a_recording_in_several_files_is_loaded_once():
    """Exporting a recording again, together with others, writes a file with another name."""
    directory = os.path.join(WORK, "again")
    shutil.copytree(SMALL, directory)
    for where, _, names in os.walk(directory):
        for name in names:
            for copy in ("00", "zz"):
                shutil.copy(os.path.join(where, name), os.path.join(where, copy + name))
    for engine in engines.NAMES:
        tap.same(*(counts_after(engine, f"copies-{number}", *engines.loading(engine, path), COUNTS)
                   for number, path in enumerate((SMALL, directory))), engine)


def test_a_recording_of_two_days_is_loaded_once():
    """If its times are estimated, the date of a recording is that of its file, which may change."""
    directory = os.path.join(WORK, "days")
    shutil.copytree(SMALL, directory)
    for table in tables.COLUMNS:
        shutil.copytree(os.path.join(directory, table, "date=2026-11-28", "host=host0003"),
                        os.path.join(directory, table, "date=2026-11-27", "host=host0003"))
    for engine in engines.NAMES:
        tap.same(*(counts_after(engine, f"days-{number}", *engines.loading(engine, path), COUNTS)
                   for number, path in enumerate((SMALL, directory))), engine)


def test_unresolved_recordings_are_loaded_when_they_are_resolved():
    directory = os.path.join(WORK, "unresolved")
    shutil.copytree(SMALL, directory)
    folder = os.path.join(directory, "recordings", "date=2026-11-28", "host=host0003")
    (name,) = os.listdir(folder)
    path, kept = os.path.join(folder, name), os.path.join(WORK, "kept.parquet")
    for engine in engines.NAMES:
        os.rename(path, kept)
        engines.run(engines.fetched(), "duckdb", ":memory:", [
            {"sql": f"COPY (SELECT * REPLACE (false AS resolved) FROM read_parquet('{kept}')) TO '{path}'"}])
        before = counts_after(engine, "kept", *engines.loading(engine, directory), COUNTS)
        os.rename(kept, path)
        tap.same(before[0][0][0], "12", "recordings before one is resolved")
        want = counts_after(engine, "all-resolved", *engines.loading(engine, SMALL), COUNTS)
        again = counts_after(engine, "kept", engines.file(engine, "schema"), engines.file(engine, "parameters"),
                             engines.setting(engine, "dir", directory), engines.file(engine, "load"), COUNTS)
        tap.same(again, want, engine)


def test_functions_are_loaded_from_the_host_that_has_them():
    directory = os.path.join(WORK, "nameless")
    shutil.copytree(SMALL, directory)
    path = sorted(glob.glob(f"{directory}/frames/*/*/*.parquet"))[0]
    nameless = os.path.join(WORK, "nameless.parquet")
    engines.run(engines.fetched(), "duckdb", ":memory:", [
        {"sql": f"COPY (SELECT * REPLACE (NULL::VARCHAR AS function) FROM read_parquet('{path}')) TO '{nameless}'"}])
    os.rename(nameless, path)
    names = {"sql": "SELECT function, count(*) FROM frames GROUP BY function ORDER BY function"}
    for engine in engines.NAMES:
        tap.same(*(counts_after(engine, f"names-{number}", *engines.loading(engine, name), names)
                   for number, name in enumerate((SMALL, directory))), engine)


def test_dates_can_be_loaded_one_by_one():
    for engine in engines.NAMES:
        whole = counts_after(engine, "whole", *engines.loading(engine, SMALL), COUNTS)
        first, both = counts_after(engine, "dates", *engines.loading(engine, SMALL)[:3], engines.setting(engine, "load_date", "2026-11-29"),
                                   engines.file(engine, "load"), COUNTS, engines.setting(engine, "load_date", "2026-11-28"),
                                   engines.file(engine, "load"), COUNTS)
        tap.same((first[0][0], both), ("1", whole[0]), engine)


def test_an_interrupted_load_is_repeated():
    parts = engines.sql_of("clickhouse", "load").split(";\n")
    for part in range(1, len(parts) - 1):
        want, again = counts_after("clickhouse", f"interrupted{part}", *engines.loading("clickhouse", SMALL), COUNTS,
                                   *({"sql": f"DROP TABLE {table}"} for table in TABLES),
                                   engines.file("clickhouse", "schema"), {"sql": ";\n".join(parts[:part])},
                                   engines.file("clickhouse", "load"), COUNTS)
        tap.same(again, want, f"after {part} statements")


def test_a_host_can_have_any_name():
    """Names are percent-encoded in paths, and a number is not an integer."""
    for engine in engines.NAMES:
        directory = os.path.join(WORK, f"names-{engine}")
        shutil.copytree(SMALL, directory)
        for table in tables.COLUMNS:
            for number, name in enumerate(("007", "a%2Fb%3Dc", "true")):
                date = os.path.join(directory, table, "date=2026-11-28")
                os.rename(os.path.join(date, f"host=host{number + 3:04d}"), os.path.join(date, f"host={name}"))
        hosts = {"rows": True, "sql": "SELECT DISTINCT host FROM samples WHERE host NOT LIKE 'host%' ORDER BY host"}
        tap.same(counts_after(engine, "names", *engines.loading(engine, directory), hosts), [[["007"], ["a/b=c"], ["true"]]], engine)


tap.main(__name__, engines.need, lambda: machine.need_compiler("gcc"), machine.need_kernel_events, setup=setup)
