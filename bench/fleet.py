#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measure the queries of examples/fleet in DuckDB and ClickHouse for fleets of 10, 100 and 1,000 hosts: the size of the
files and databases, and the times to load them and to run each query (medians). The fleets are made from an exported
recording (tests/fleet/make_fleet.py). Prints the tables of docs/fleet.md.

usage: fleet.py SEED [SAMPLES OF EACH HOST [ROUNDS [HOSTS ...]]]
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "fleet"))
import engines  # noqa: E402
import make_fleet  # noqa: E402


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(path) for name in names)


def measure(modules, engine, database, directory, rounds):
    """Return the seconds to load the files, and the median milliseconds of each query."""
    settings = {"event": make_fleet.EVENT, "function": "main", "module": "libcrafted.so.1", "host": "host0000"}
    loading = engines.loading(engine, directory)
    load = engines.run(modules, engine, database, loading)[-1]["ms"] / 1000
    names = engines.query_names(engine)
    before = [engines.file(engine, "parameters"), *(engines.setting(engine, *one) for one in settings.items())]
    results = engines.run(modules, engine, database, before + [engines.file(engine, name, rows=True) for name in names * (rounds + 1)])
    times = [result["ms"] for result in results if "rows" in result][len(names):]  # without the first round
    return load, {name: statistics.median(times[number::len(names)]) for number, name in enumerate(names)}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    samples, rounds = (int(given) for given in (sys.argv[2:4] + ["12000", "5"][len(sys.argv[2:4]):]))
    fleets = [int(given) for given in sys.argv[4:]] or [10, 100, 1000]
    modules = subprocess.run([os.path.join(ROOT, "scripts", "fetch_engines.sh")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    folder = tempfile.mkdtemp(prefix="tally-fleet-")
    rows = {}
    try:
        for hosts in fleets:
            directory = os.path.join(folder, f"fleet-{hosts}")
            make_fleet.make(modules, sys.argv[1], directory, hosts, samples)
            rows.setdefault("samples", []).append(f"{hosts * samples:,}")
            rows.setdefault("Parquet files, MB", []).append(f"{size(directory) / 1e6:.1f}")
            for engine in engines.NAMES:
                database = os.path.join(folder, f"{engine}-{hosts}")
                load, times = measure(modules, engine, database, directory, rounds)
                rows.setdefault(f"{engine}: load, s", []).append(f"{load:.2f}")
                rows.setdefault(f"{engine}: database, MB", []).append(f"{size(database) / 1e6:.1f}")
                for name, ms in times.items():
                    rows.setdefault(f"{engine}: {name}, ms", []).append(f"{ms:.0f}")
            shutil.rmtree(directory)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("| hosts | " + " | ".join(f"{hosts:,}" for hosts in fleets) + " |\n|---|" + "---|" * len(fleets))
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
