#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make the recordings of a fleet, in the layout of tally export, from the export of one real recording.

usage: make_fleet.py MODULES SEED DIRECTORY [HOSTS [SAMPLES OF EACH HOST]]

Each host draws its samples from the stacks of the seed. The costs of each function differ by a few percent between hosts.
Half of the hosts run version 1 and half version 2. Planted are: one function that costs 3 % more in version 2, one
function that version 1 does not have, one host on which a function costs four times as much, and names, frames and
samples that are rare in real recordings.
"""
import array
import itertools
import json
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402
import fleet_tables as tables  # noqa: E402

START_NS = tables.START_NS + 1800 * 10**9  # 23:30; the second recording of host 0 starts on the next day
LENGTH_NS = 1800 * 10**9  # of a recording
SPREAD = 0.03  # standard deviation of a function's cost between hosts
GROWTH, GROWN_SHARE = 1.03, 0.1
SLOW, SLOW_SHARE = 4, 0.03
NEW_SHARE = 0.01
EVENT, OTHER_EVENT = "cpu-clock", "page-faults"


class Kind:
    """A kind of sample: its stack, comm, event and period. `frames` are lists of a frame's rows, innermost first."""
    def __init__(self, comm, event, period, stack, frames, weight):
        self.comm, self.event, self.period, self.stack, self.frames, self.weight = comm, event, period, stack, frames, weight
        rows = [row for frame in frames for row in frame]
        self.functions = [name_of(row) for row in rows] or [("[unknown]", "")]
        self.mode = rows[0]["mode"] if rows else "unknown"


def module_of(row):
    return (row["module"] or "").rpartition("/")[2]


def name_of(row):
    """Return the name and module of the function of a frame's row."""
    module = module_of(row)
    unnamed = "[unknown]" if not module else module if module.startswith("[") else f"[{module}]"
    return (unnamed if row["function"] is None else row["function"], module)


def crafted_row(depth, function, module="/usr/lib/libcrafted.so.1", mode="user", inlined=False):
    return {"depth": depth, "function": function, "file": None, "line": None, "module": module, "build_id": module and "c0ffee", "address": 16,
            "mode": mode, "inlined": inlined, "is_return": False}


def crafted_kinds():
    """Return kinds with properties that are rare in real recordings."""
    main = [crafted_row(0, "main")]
    odd = [crafted_row(0, "operator;\x1b[31m\t\r\n\x00")]
    recursive = [[crafted_row(0, "again")], [crafted_row(0, "helper")], [crafted_row(0, "again")]]
    inlined = [crafted_row(0, "innermost", inlined=True), crafted_row(1, "middle", inlined=True), crafted_row(2, "outer")]
    unnamed, nowhere = [crafted_row(0, None)], [crafted_row(0, None, None)]
    stacks = [[odd, main], [*recursive, main], [inlined, main], [unnamed, main], [nowhere, main],
              [[crafted_row(0, "cafe\u0301\u00e9\u200d\u202e\x85\U000e0001")], main],
              [[crafted_row(0, "hypercall", "[guest.kernel.kallsyms]", "guest kernel")], main]]
    for frames in stacks:
        ids = [tables.content_id(frame) for frame in frames]
        yield Kind("crafted;comm", EVENT, 10101010, tables.content_id(ids), frames, 0.004)
    yield Kind("crafted;comm", EVENT, 10101010, None, [], 0.004)
    yield Kind("crafted;comm", OTHER_EVENT, 2**64 - 1, tables.content_id([tables.content_id(main)]), [main], 0.01)
    fresh = [crafted_row(0, "added_in_version_2")]
    yield Kind("crafted;comm", EVENT, 10101010, tables.content_id([tables.content_id(fresh), tables.content_id(main)]), [fresh, main], NEW_SHARE)


def read_seed(modules, directory):
    """Return the kinds of samples in an exported recording. Idle CPUs are left out."""
    found = {name: f"read_parquet('{directory}/{name}/*/*/*.parquet', hive_partitioning = false)" for name in ("samples", "stacks", "frames")}
    steps = [{"rows": True, "sql": sql} for sql in (
        f"SELECT comm, stack, count(*)::INTEGER AS samples FROM {found['samples']} WHERE comm <> 'swapper' AND stack IS NOT NULL "
        "GROUP BY ALL ORDER BY comm, stack",
        f"SELECT DISTINCT ON (stack) * FROM {found['stacks']}",
        f"SELECT DISTINCT ON (frame, depth) * FROM {found['frames']} ORDER BY frame, depth")]
    samples, stacks, frames = (result for result in engines.run(modules, "duckdb", ":memory:", steps))
    frame_rows = {}
    for row in frames["rows"]:
        row = dict(zip(frames["columns"], row))
        frame_rows.setdefault(row.pop("frame"), []).append({**row, "address": int(row["address"])})
    listed = dict(stacks["rows"])
    total = sum(row[2] for row in samples["rows"])
    for number, (comm, stack, count) in enumerate(samples["rows"]):
        yield Kind(comm, EVENT, 10101010 + 7 * (number % 1000), int(stack), [frame_rows[frame] for frame in listed[stack]], count / total)


def choose(kinds, share, excluded=()):
    """Choose the seed's function with the self share closest to `share`, and scale its kinds to exactly this share."""
    own = {}
    for kind in kinds:
        own[kind.functions[0]] = own.get(kind.functions[0], 0) + kind.weight
    name = min((name for name in own if name not in excluded and name[0][0] != "["), key=lambda name: (abs(math.log(own[name] / share)), name))
    for kind in kinds:
        kind.weight *= share / own[name] if kind.functions[0] == name else (1 - share) / (1 - own[name])
    return name


class Fleet:
    """The truth about a fleet: `draws[i]` are the numbers of host i's samples' kinds in the order of time."""
    def __init__(self, kinds, hosts, samples, number=1):
        self.kinds, self.samples = kinds, samples
        self.random = random.Random(number)
        self.grown = choose(kinds, GROWN_SHARE)
        self.slow = choose(kinds, SLOW_SHARE, (self.grown,))
        self.kinds = kinds = kinds + list(crafted_kinds())
        self.hosts = [f"host{number:04d}" for number in range(hosts)]
        self.slow_host = hosts * 7 // 10
        self.functions = sorted({kind.functions[0] for kind in kinds})
        self.draws = [self.draw(host) for host in range(hosts)]

    def version(self, host):
        """Return the host's version; the last host has no label."""
        return None if host == len(self.hosts) - 1 else "12"[host % 2]

    def recordings(self, host):
        """Return the (start, first sample, samples) of the host's recordings."""
        if host:
            return [(START_NS, 0, self.samples)]
        half = self.samples // 2
        return [(START_NS, 0, half), (START_NS + 3600 * 10**9, half, self.samples - half)]

    def time_ns(self, host, index):
        start, first, samples = [one for one in self.recordings(host) if one[1] <= index][-1]
        return start + (index - first) * (LENGTH_NS // samples)

    def draw(self, host):
        factor = {name: math.exp(self.random.gauss(0, SPREAD)) for name in self.functions}
        if self.version(host) == "2":
            factor[self.grown] *= GROWTH
        else:
            factor["added_in_version_2", "libcrafted.so.1"] = 0
        if host == self.slow_host:
            factor[self.slow] *= SLOW
        weights = list(itertools.accumulate(kind.weight * factor[kind.functions[0]] for kind in self.kinds))
        return array.array("H", self.random.choices(range(len(self.kinds)), cum_weights=weights, k=self.samples))

    def about(self, host):
        """Yield the rows of `recordings`."""
        for start, first, samples in self.recordings(host):
            kinds = [self.kinds[kind] for kind in self.draws[host][first:first + samples]]
            yield {"recording": tables.content_id(host, start), "host_number": host, "first": first, "file": "perf.data", "hostname": self.hosts[host],
                   "kernel": "6.12.0", "arch": "x86_64", "cpu_model": "made", "cpus": 4, "command": "", "recorder": "tally", "start_ns": start,
                   "end_ns": start + LENGTH_NS, "clock_offset_ns": 0, "clock": "monotonic", "samples": samples,
                   "lost_samples": samples // 9 if host == 1 else 0, "lost_records": int(host == 1), "truncated": host % 100,
                   "unnamed": sum(kind.functions[0][0][0] == "[" for kind in kinds), "resolved": True,
                   "labels": {"version": self.version(host)} if self.version(host) else {}}



def write_tables(fleet, work):
    """Write the fleet's kinds, frames, recordings and samples, from which the engine makes the Parquet files."""
    def lines(name, rows):
        with open(os.path.join(work, name + ".json"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    lines("kinds", ({"kind": number, "comm": kind.comm, "event": kind.event, "period": kind.period, "stack": kind.stack}
                    for number, kind in enumerate(fleet.kinds)))
    stacks = {kind.stack: [tables.content_id(frame) for frame in kind.frames] for kind in fleet.kinds if kind.frames}
    lines("stacks", ({"stack": stack, "frames": frames} for stack, frames in stacks.items()))
    frames = {tables.content_id(frame): frame for kind in fleet.kinds for frame in kind.frames}
    lines("frames", ({"frame": number, **row} for number, frame in frames.items() for row in frame))
    lines("recordings", (row for host in range(len(fleet.hosts)) for row in fleet.about(host)))
    with open(os.path.join(work, "draws.csv"), "w", encoding="ascii") as file:
        for host, draws in enumerate(fleet.draws):
            file.writelines(f"{host},{number},{kind}\n" for number, kind in enumerate(draws))


def copy(select, directory, table):
    return (f"COPY ({select}) TO '{directory}/{table}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480, "
            "PARTITION_BY (date, host))")


def read_json(work, name, columns):
    columns = ", ".join("{}: '{}'".format(*column.split(" ", 1)) for column in columns.split(", "))
    return f"CREATE TABLE {name} AS SELECT * FROM read_json('{work}/{name}.json', columns = {{{columns}}})"


def write_parquet(modules, fleet, directory):
    """Write the Parquet files of a fleet below a directory."""
    os.makedirs(directory)
    columns = tables.COLUMNS
    with tempfile.TemporaryDirectory() as work:
        write_tables(fleet, work)
        steps = [
            read_json(work, "kinds", "kind INTEGER, comm VARCHAR, event VARCHAR, period UBIGINT, stack BIGINT"),
            read_json(work, "stacks", columns["stacks"]),
            read_json(work, "frames", columns["frames"]),
            read_json(work, "recordings", "host_number INTEGER, first INTEGER, " + columns["recordings"].replace("VARCHAR, VARCHAR", "VARCHAR,VARCHAR")),
            "CREATE TABLE parts AS SELECT recording, host_number, first, samples, start_ns, hostname AS host, "
            "make_timestamp(start_ns // 1000)::DATE AS date FROM recordings",
            "CREATE TABLE drawn AS SELECT date, host, recording, "
            f"start_ns + (number - first) * ({LENGTH_NS} // samples) AS time_ns, 100 + kind % 10 AS pid, 100 + kind % 10 AS tid, "
            "CASE WHEN kind % 50 = 0 THEN NULL ELSE number % 4 END::INTEGER AS cpu, comm, event, period, stack "
            f"FROM read_csv('{work}/draws.csv', header = false, columns = {{host_number: 'INTEGER', number: 'BIGINT', kind: 'INTEGER'}}) "
            "JOIN parts USING (host_number) JOIN kinds USING (kind) "
            "WHERE number >= first AND number < first + samples",
            "CREATE TABLE used AS SELECT DISTINCT date, host, stack FROM drawn",
            copy("SELECT * FROM drawn ORDER BY date, host, time_ns", directory, "samples"),
            copy("SELECT date, host, stacks.* FROM used JOIN stacks USING (stack) ORDER BY date, host, stack", directory, "stacks"),
            copy("SELECT date, host, frames.* FROM (SELECT DISTINCT date, host, unnest(frames) AS frame FROM used JOIN stacks USING (stack)) "
                 "JOIN frames USING (frame) ORDER BY date, host, frame, depth", directory, "frames"),
            copy("SELECT date, host, recordings.* EXCLUDE (host_number, first) FROM recordings JOIN parts USING (recording) "
                 "ORDER BY date, host", directory, "recordings")]
        engines.run(modules, "duckdb", ":memory:", [{"sql": sql} for sql in steps], threads=1)  # one file in each partition


def rename(fleet, directory):
    """Name each file after its recording, as tally export does."""
    for host, name in enumerate(fleet.hosts):
        for start, _, _ in fleet.recordings(host):
            date = "2026-11-28" if start == START_NS else "2026-11-29"
            for table in tables.COLUMNS:
                path = os.path.join(directory, table, f"date={date}", f"host={name}")
                (old,) = os.listdir(path)
                os.rename(os.path.join(path, old), os.path.join(path, f"{tables.content_id(host, start):016x}.parquet"))


def make(modules, seed, directory, hosts=1000, samples=6000):
    """Make the files of a fleet. Return the truth about it."""
    fleet = Fleet(list(read_seed(modules, seed)), hosts, samples)
    write_parquet(modules, fleet, directory)
    rename(fleet, directory)
    return fleet


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    make(*sys.argv[1:4], *map(int, sys.argv[4:]))
