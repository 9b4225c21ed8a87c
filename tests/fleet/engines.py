# SPDX-License-Identifier: BSD-2-Clause
"""DuckDB and ClickHouse, which run in node (engine.js), and the SQL files for them in examples/fleet."""
import functools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = HERE.rpartition("/tests/")[0]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import cache  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

NAMES = ("duckdb", "clickhouse")


def sql_of(engine, name):
    """Return the text of a SQL file."""
    with open(os.path.join(ROOT, "examples", "fleet", engine, name + ".sql"), encoding="utf-8") as file:
        return file.read()


def query_names(engine):
    """Return the names of the queries in order."""
    found = os.listdir(os.path.join(ROOT, "examples", "fleet", engine))
    return sorted(name[:-4] for name in found if name[0].isdigit() and name.endswith(".sql"))



def setting(engine, name, value):
    """Return the statement that sets a parameter."""
    if engine == "duckdb":
        value = "'" + value.replace("'", "''") + "'" if isinstance(value, str) else value
        return {"sql": f"SET VARIABLE {name} = {value}"}
    return {"sql": f"SET param_{name} = " + "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"}


def file(engine, name, rows=False):
    """Return the step that runs a SQL file."""
    return {"sql": sql_of(engine, name), "rows": rows}


def loading(engine, directory):
    """Return the steps that create the tables and load a directory of Parquet files."""
    return [file(engine, "schema"), file(engine, "parameters"), setting(engine, "dir", directory), file(engine, "load")]


def run(modules, engine, database, steps, threads=2):
    """Run steps in an engine. Return a dictionary for each: ms and, for steps with rows, columns and rows."""
    job = json.dumps({"engine": engine, "database": database, "threads": threads, "steps": steps})
    done = subprocess.run(["node", os.path.join(HERE, "engine.js"), modules], input=job, capture_output=True, text=True, check=False)
    results = [json.loads(line) for line in done.stdout.split("\n") if line]
    if done.returncode or len(results) != len(steps) or "error" in results[-1]:
        sql = steps[min(len(results), len(steps)) - 1]["sql"] if results else ""
        raise AssertionError(f"{engine}: {results[-1:]} {done.stderr[-2000:]}\n{sql[:3000]}")
    return results


@functools.cache
def fetched():
    """Return the directory of the npm packages, which are downloaded once. Skips the test if this is not possible."""
    machine.need_tool("npm", "--version")
    machine.need_tool("node", "--version")
    try:
        done = tap.run(os.path.join(ROOT, "scripts", "fetch_engines.sh"), env=cache.OUTSIDE)
    except subprocess.TimeoutExpired as error:
        raise tap.Skip(f"the engines cannot be fetched: {error}") from error
    if done.returncode:
        raise tap.Skip(f"the engines cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip()


def need():
    """Skip the test unless the npm packages are installed or can be downloaded, and work here."""
    with tempfile.TemporaryDirectory() as work:
        for engine in NAMES:
            try:
                run(fetched(), engine, os.path.join(work, engine), [{"sql": "SELECT 1", "rows": True}])
            except AssertionError as error:
                raise tap.Skip(f"{engine} does not run here: {error}") from error
