#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test reports of rows that other programs wrote: data sets of tally export, Parquet files of query engines, and folded
stacks.

usage: import_rows.py TALLY FIXTURES
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import fixtures  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = steps.tally()
OWN = fixtures.sets(sys.argv[2], "/nonexistent")[0]
WORK = tap.workplace("import")


def parquet(name):
    return OWN.path("parquet", name + ".parquet")


def export(folder, *words):
    tap.run(TALLY, "export", "-q", "-o", folder, *words)
    return folder


def rows(*words, status=0):
    """Return the text report's rows and call graphs, without comments."""
    text = tap.run(TALLY, "report", *words, "--stdio", "-g", "caller", status=status, errors="replace").stdout
    return [line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def known(lines):
    """Leave out addresses without names: imported rows have other addresses."""
    return [re.sub(r"0x[0-9a-f]{16}", "ADDRESS", line) for line in lines]


# ---- data sets -----------------------------------------------------------------------------------

def test_report_is_that_of_the_recording():
    """A data set has all that a report needs."""
    compared = 0
    for path in OWN.files():
        if os.path.isdir(path) or "/damaged/" in path:
            continue
        folder = export(os.path.join(WORK, f"set-{compared}"), path)
        if not os.path.isdir(folder):
            continue
        want = tap.run(TALLY, "report", "-i", path, "--json", errors="replace")
        got = tap.run(TALLY, "report", "--from", folder, "--json", errors="replace")
        if want.returncode or not json.loads(want.stdout)["events"]:
            continue
        want, got = (json.loads(done.stdout) for done in (want, got))
        if (len(want["events"]) != len(got["events"]) or
                any("symbol" not in row for event in want["events"] for row in event["rows"])):
            continue  # a data set does not have groups and branches
        want, got = counts(want), counts(got)
        assert got == want, f"{path}: {sorted((want - got).items())[:5]}, {sorted((got - want).items())[:5]}"
        compared += 1
    print(f"# {compared} recordings")
    assert compared > (20 if not tap.QUICK else 2), compared


def counts(report):
    """Return sums by event, comm, module and function. Unnamed code has other addresses."""
    found = collections.Counter()
    for event in report["events"]:
        for row in event["rows"]:
            symbol = re.sub(r"0x[0-9a-f]{16}", "ADDRESS", row["symbol"])
            found[event["event"], row["comm"], row["dso"], symbol] += row["self_period"]
    return +found


def test_addresses_without_a_function(folder):
    """Unknown functions have their true addresses in files."""
    path = OWN.recording("perf61", "frames.data")
    shown = [set(re.findall(r"^\s+([0-9a-f]+) \[unknown\] (.*)$", tap.run(TALLY, "script", "-i", one, "-F", "ip,sym,dso", status=0).stdout, re.M))
             for one in (path, export(folder, path))]
    shown = [{frame for frame in frames if "kernel" not in frame[1]} for frames in shown]
    assert len(shown[0]) > 3, shown[0]
    tap.same(sorted(shown[1]), sorted(shown[0]), "addresses")


def test_call_graphs(folder):
    path = OWN.recording("perf61", "frames.data")
    want = rows("-i", path, "--no-children")
    assert len(want) > 10, want
    tap.same(known(rows("--from", export(folder, path), "--no-children")), known(want), "call graphs")


def test_hosts_have_threads_of_their_own(folder):
    """Equal numbers of threads on two hosts are different threads."""
    for host in ("a", "b"):
        records = [crafted.comm(7, f"on {host}"), crafted.mmap(7, 0x1000, 0x1000, "/bin/one"), crafted.sample(0x1001, pid=7)]
        export(folder, crafted.write(WORK, host, crafted.file_bytes(records)), "--host", host)
    got = plain("--from", folder, "--sort", "pid,comm")
    assert len(got) == 2 and any("on a" in row for row in got) and any("on b" in row for row in got), got
    assert len({re.search(r"(\d+):", row)[1] for row in got}) == 2, got


def test_lost_samples_are_reported(folder):
    path = OWN.recording("perf61", "lost.data")
    said = [re.search(r"Total Lost Samples: (\d+)", tap.run(TALLY, "report", *words, "--stdio", status=0).stdout)[1]
            for words in (("-i", path), ("--from", export(folder, path)))]
    assert said[0] == said[1], said


def test_links_are_not_followed_in_circles(folder):
    export(folder, OWN.recording("perf61", "frames.data"))
    want = plain("--from", folder)
    os.symlink(".", os.path.join(folder, "samples", "again"))
    tap.same(plain("--from", folder), want, "samples")


def test_tables_with_other_names(folder):
    """Query engines give the files of each table other names."""
    export(folder, OWN.recording("perf61", "frames.data"))
    want = plain("--from", folder)
    for number, table in enumerate(("samples", "stacks", "frames", "recordings")):
        path = glob.glob(f"{folder}/{table}/*/*/*.parquet")[0]
        os.rename(path, os.path.join(folder, table, f"data_{number}.parquet"))
    tap.same(plain("--from", folder), want, "samples")


def test_processes_that_share_a_number(folder):
    """A thread number that is used by two processes in turn keeps both names."""
    records = [crafted.mmap(pid, 0x1000, 0x1000, "/bin/one") for pid in (50, 60)]
    for time, pid in enumerate((50, 60, 50), 1):
        records += [crafted.record(3, crafted.u32(pid, 100) + crafted.text(f"c{pid}") + crafted.trailer(pid, time * 10)),
                    crafted.record(9, crafted.u64(0x1001) + crafted.u32(pid, 100) + crafted.u64(time * 10 + 1, 1), 2)]
    path = crafted.write(WORK, "shared-number", crafted.file_bytes(records))
    shown = [tap.run(TALLY, "script", "-i", name, "-F", "comm,pid,tid", status=0).stdout.split() for name in (path, export(folder, path))]
    assert shown[0] == ["c50", "50/100", "c60", "60/100", "c50", "50/100"], shown[0]
    tap.same(shown[1], shown[0], "comms")


def test_a_recording_in_several_files_counts_once(folder):
    """Exporting a recording again, together with others, writes a file with another name."""
    paths = [OWN.recording("perf61", "frames.data"), OWN.recording("perf61", "dwarf.data")]
    export(folder, paths[0])
    once = plain("--from", export(folder + ".both", *paths))
    export(folder, *paths)
    tap.same(plain("--from", folder), once, "samples of two recordings")


def test_tables_with_gaps(folder):
    """Stacks that the tables do not contain are reported."""
    export(folder, OWN.recording("perf61", "frames.data"))
    shutil.rmtree(os.path.join(folder, "stacks"))
    os.mkdir(os.path.join(folder, "stacks"))
    done = tap.run(TALLY, "report", "--from", folder, "--stdio", status=0)
    assert re.search(r"the tables lack \d+ stacks or frames", done.stderr), done.stderr


def test_not_a_data_set(folder):
    os.makedirs(folder)
    done = tap.run(TALLY, "report", "--from", folder, "--stdio", status=1)
    assert "is not a data set: it has no directory 'samples'" in done.stderr, done.stderr
    os.mkdir(os.path.join(folder, "samples"))
    assert "cannot read" in tap.run(TALLY, "report", "--from", folder, "--stdio", status=1).stderr


# ---- results of queries --------------------------------------------------------------------------

FOLDED = ["33.33%  sh       imported           [.] main", "27.78%  make     imported           [.] emit",
          "22.22%  make     imported           [.] parse", "16.67%  make     [kernel.kallsyms]  [k] read"]


def plain(*words):
    text = tap.run(TALLY, "report", *words, "--stdio", "--no-children", "-g", "none", status=0).stdout
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_folded_stacks_in_parquet():
    for engine in ("duckdb", "clickhouse"):
        tap.same(plain("--from", parquet(f"{engine}-folded")), FOLDED, engine)
        tap.same(plain("-i", parquet(f"{engine}-folded")), FOLDED, f"{engine}, without --from")


def test_lists_in_parquet():
    path = parquet("duckdb-lists")
    done = tap.run(TALLY, "script", "-i", path, "-F", "comm,pid,tid,cpu,time,period,event,sym,ip", status=0)
    got = [" ".join(line.split()[line.startswith("\t"):]) for line in done.stdout.splitlines() if line.strip()]
    tap.same(got, ["cc 100/101 [001] 1.000000: 7 cycles:", "parse", "main", "cc 100/100 [000] 2.000000: 8 cycles:", "emit",
                   "main", "ld 102/102 [000] 3.000000: 9 cycles:"], "script")
    assert "left out 1 row without a positive weight" in done.stderr, done.stderr


def test_wrong_tables():
    for name, says in (("no-value", "has no column 'value'"), ("wrong-type", "column 'stack' does not contain text"),
                       ("structure", "column 'stack' does not contain text")):
        assert says in tap.run(TALLY, "report", "--from", parquet(name), "--stdio", status=1).stderr


def test_unknown_functions_in_lists():
    """A null in a list of functions is a function without a name, not a missing frame."""
    got = plain("--from", parquet("null-functions"), "--sort", "symbol")
    assert any(line.endswith("[.] [unknown]") for line in got), got


def test_empty_texts():
    """In files of DuckDB's version V2, an empty text has the address of the next one. Every fifth stack is empty."""
    got = plain("--from", parquet("empty-stacks"))
    assert len(got) == 81 and got[0].startswith("20.00%") and all(line.startswith("1.00%") for line in got[1:]), got[:3]


def test_threads_without_comms():
    done = tap.run(TALLY, "script", "-i", parquet("threads"), "-F", "comm,pid,tid", status=0)
    tap.same(done.stdout.split(), ["c", "77/78"], "comm of the folded stack, and recorded thread")


def test_real_weights_above_63_bits():
    assert plain("--from", parquet("large-weights")) == ["100.00%  c        imported       [.] b"]


def test_standard_input_and_pipes():
    text = "make;main;parse 3\nsh;main 4\n"
    want = plain("--from", folded_text(text.encode()))
    fifo = os.path.join(WORK, "fifo")
    os.mkfifo(fifo)
    for path, options in (("-", {"input": text}), (fifo, {})):
        if path == fifo:
            writer = subprocess.Popen(["sh", "-c", f"cat '{WORK}/folded' >'{fifo}'"])
        got = tap.run(TALLY, "report", "--from", path, "--stdio", "--no-children", "-g", "none", status=0, **options).stdout
        tap.same([line.strip() for line in got.splitlines() if line.strip() and not line.startswith("#")], want, path)
    writer.wait()
    assert "cannot be combined" in tap.run(TALLY, "report", "--from", "-", "-i", "x", "--stdio", status=129).stderr


def folded_text(lines):
    path = os.path.join(WORK, "folded")
    with open(path, "wb") as file:
        file.write(lines)
    return path


def test_folded_text():
    text = b"make;main;parse;read_[k] 3\r\nmake;main;parse 4\n\nmake;main;emit 5\nsh;main 6"
    tap.same(plain("--from", folded_text(text)), FOLDED, "folded stacks")


def test_folded_round_trip():
    """The output of report --format folded can be read, and written again."""
    path = OWN.recording("perf61", "frames.data")
    want = tap.run(TALLY, "report", "-i", path, "--format", "folded", status=0).stdout
    got = tap.run(TALLY, "report", "--from", folded_text(want.encode()), "--format", "folded", status=0).stdout
    assert want.count("\n") > 1, want
    tap.same(sorted(got.splitlines()), sorted(want.splitlines()), "folded stacks")


def test_wrong_text():
    for text, says in ((b"a;b 1\nno weight\n", "line 2 is not a folded stack"), (b"a;b -1\n", "line 1 is not"), (b" 5\n", "line 1"),
                       (b"a;b 18446744073709551616\n", "line 1"), (b"", "has no samples"), (b"a;b 0\n", "has no rows with a positive weight")):
        said = tap.run(TALLY, "report", "--from", folded_text(text), "--stdio", status=1).stderr
        assert says in said, (text, said)


def test_long_names():
    text = tap.run(TALLY, "report", "--from", folded_text(b"a;" + b"y" * 40_000 + b" 1\n"), "--format", "folded", status=0).stdout
    assert text.startswith("a;yyyy"), text[:100]


def test_largest_weight():
    assert plain("--from", folded_text(b"a;b 18446744073709551615\n")) == ["100.00%  a        imported       [.] b"]


def test_pages_and_comparisons(folder):
    """Imported rows can be everything that recordings can be."""
    os.makedirs(folder)
    page = os.path.join(folder, "page.html")
    tap.run(TALLY, "report", "--from", parquet("duckdb-folded"), "--html", page, status=0)
    assert os.path.getsize(page) > 10_000
    text = folded_text(b"make;main;parse 9\nmake;main;emit 1\n")
    done = tap.run(TALLY, "diff", "--folded", text, parquet("duckdb-folded"), status=0)
    assert re.search(r"90\.00% +-67\.78%.*parse", done.stdout), done.stdout


# ---- hostile files -------------------------------------------------------------------------------

def test_small_file_with_a_large_recording():
    """A row for each of 131,072 samples with the same 4,000 frames takes 23 KB."""
    said = tap.run(TALLY, "report", "--from", parquet("long-stack"), "--stdio", status=1).stderr
    assert "its rows would make a recording of 3.9 GiB" in said, said


def test_damaged_data_sets(folder):
    chance = random.Random(3)
    export(folder, OWN.recording("perf61", "frames.data"), OWN.recording("tally", "several.data"))
    files = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    for number in range(300 if not tap.QUICK else 20):
        path = chance.choice(files)
        with open(path, "rb") as file:
            data = file.read()
        changed = bytearray(data)
        for _ in range(chance.choice((1, 4, 30))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        with open(path, "wb") as file:
            file.write(changed[:chance.choice((len(changed), chance.randrange(len(changed))))])
        done = tap.run(TALLY, "report", "--from", folder, "--stdio", errors="replace")
        assert done.returncode in (0, 1), (number, done.returncode, done.stderr)
        assert done.returncode == 0 or done.stderr.startswith("tally: "), done.stderr
        with open(path, "wb") as file:
            file.write(data)


tap.main(__name__)
