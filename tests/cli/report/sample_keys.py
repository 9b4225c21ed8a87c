#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sort keys that are computed from samples and from branches, on crafted recordings, and reports of records: --stats,
--tasks, --mmaps, -D, -I, --hierarchy, --percentage, -U.

usage: sample_keys.py TALLY [FIXTURES]
"""
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402
from reporting import report, rows  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("sample-keys")
WEIGHT, DATA_SRC, TRANSACTION, PHYS_ADDR, CGROUP, DATA_PAGE, CODE_PAGE, WEIGHT_STRUCT = (
    1 << bit for bit in (14, 15, 17, 19, 21, 22, 23, 24))
MEM_TYPE = crafted.DEFAULT_TYPE | crafted.ADDR | crafted.CPU | DATA_SRC | TRANSACTION | PHYS_ADDR | CGROUP | DATA_PAGE | CODE_PAGE
# PERF_MEM_OP_LOAD, L1 hit, no snoop, TLB L1 hit, not locked
L1_LOAD = 2 | (2 | 8) << 5 | 2 << 19 | (2 | 8) << 26
RECORD_CGROUP = 19


def written(name, data):
    return crafted.write(WORK, name, data)


def mem_sample(weight, source, time, kind, txn=0, phys=0x5000):
    at = u64(0x1000) + u32(1, 1) + u64(time, 0x2000) + u32(3, 0) + u64(1)
    at += (u64(weight) if kind == WEIGHT else struct.pack("<IHH", *weight)) + u64(source, txn, phys, 42, 4096, 2 << 20)
    return crafted.record(crafted.SAMPLE, at, crafted.USER)


def mem_file(kind=WEIGHT):
    many = (30, 7, 5) if kind == WEIGHT_STRUCT else 30
    few = (10, 7, 5) if kind == WEIGHT_STRUCT else 10
    cgroup = crafted.record(RECORD_CGROUP, u64(42) + crafted.text("/sys/x") + u32(1, 1) + u64(1) + u32(3, 0))
    return written(f"mem{kind}.data", crafted.file_bytes([
        crafted.record(3, u32(1, 1) + crafted.text("worker-12-3") + u32(1, 1) + u64(0) + u32(0, 0)), cgroup,
        mem_sample(many, L1_LOAD, 100_000_000, kind), mem_sample(many, L1_LOAD, 199_999_999, kind),
        mem_sample(few, 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26 | 1 << 40, 300_000_000, kind, 1 << 1 | 7 << 32)],
        [crafted.attr(MEM_TYPE | kind)]))


def test_keys_of_memory_accesses():
    path = mem_file()
    for key, most, least in (
            ("local_weight", "30", "10"), ("weight", "60", "10"), ("mem", "L1 hit", "N/A"), ("op", "LOAD", "N/A"),
            ("snoop", "None", "N/A"), ("tlb", "L1 hit", "N/A"), ("locked", "No", "N/A"),
            ("transaction", "", "TX :7"), ("local_ins_lat", "0", None), ("data_page_size", "4K", None),
            ("code_page_size", "2M", None), ("phys_daddr", "[p] 0x5000", None), ("symbol_daddr", "[.] 0x0000000000002000", None),
            ("dso_daddr", "[unknown]", None), ("dcacheline", "[.] 0x0000000000002000", None), ("cgroup", "/sys/x", None),
            ("cgroup_id", "N/A", None), ("comm_nodigit", "worker-<N>-<N>", None), ("addr", "0x1000", None),
            ("time", "0.100000", "0.300000"), ("socket", "N/A", None)):
        want = [["66.67%", most], ["33.33%", least]] if least is not None else [["100.00%", most]]
        if key in ("local_ins_lat",):
            want = [["100.00%", most]]
        got = [[cell.strip() for cell in row] for row in rows(path, "-s", key)]
        tap.same(got, want, key)
    tap.same([row[1].strip() for row in rows(path, "-s", "time", "--time-quantum", "50ms")],
             ["0.100000", "0.150000", "0.300000"], "times")
    tap.same([row[1].strip() for row in rows(path, "-s", "time", "--ns", "--time-quantum", "1ns")],
             ["0.100000000", "0.199999999", "0.300000000"], "nanoseconds")


def test_many_cgroups():
    """Finding the path of a sample's cgroup once took time for each record of a cgroup."""
    last = crafted.record(RECORD_CGROUP, u64(7) + crafted.text("/sys/new"))
    parts = [crafted.record(RECORD_CGROUP, u64(number) + crafted.text(f"/sys/{number}")) for number in range(40000)]
    kind = crafted.DEFAULT_TYPE | CGROUP
    samples = [crafted.sample(0x1010, time=number, more=u64(7 if number % 2 else 99999)) for number in range(40001)]
    path = written("cgroups.data", crafted.file_bytes([*parts, last, *samples], [crafted.attr(kind)]))
    tap.same([[cell.strip() for cell in row] for row in rows(path, "-s", "cgroup")],
             [["50.00%", "unknown"], ["50.00%", "/sys/new"]], "cgroups")


def test_cgroup_namespaces():
    def spaces(pid, ino, nr=7):
        entries = b"".join(u64(4, ino if at == 6 else at) for at in range(nr))
        return crafted.record(16, u32(pid, pid) + u64(nr) + entries + crafted.trailer(pid, 1))
    path = written("spaces.data", crafted.file_bytes(
        [spaces(1, 0xabc), spaces(2, 0xdef), spaces(2, 0xabd), spaces(3, 1, nr=6), *(crafted.sample(0x10, pid=pid, time=5 + pid) for pid in (1, 2, 3))],
        [crafted.attr()]))
    got = sorted(row[1].strip() for row in rows(path, "-s", "cgroup_id"))
    tap.same(got, ["0/0x0", "4/0xabc", "4/0xabd"], "namespaces")
    if shutil.which("perf"):
        text = tap.run("perf", "report", "--stdio", "-s", "cgroup_id", "-i", path).stdout
        # perf reads past the end of the record with six namespaces.
        tap.same(sorted(line.split()[1] for line in text.splitlines() if re.match(r" +[\d.]+%", line) and "4/" in line), got[1:], "perf")


def test_parts_of_a_weight():
    path = mem_file(WEIGHT_STRUCT)
    got = rows(path, "-s", "local_weight,local_ins_lat,ins_lat,local_retire_lat,p_stage_cyc")
    tap.same([row[1:] for row in got], [["30", "7", "14", "5", "10"], ["10", "7", "7", "5", "5"]], "weights")


def test_mem_mode_sorts_by_the_keys_of_memory_accesses():
    heading = report(mem_file(), "--mem-mode").stdout
    for name in ("Local Weight", "Memory access", "Data Symbol", "Data Object", "Snoop", "TLB access", "Locked", "Blocked"):
        assert name in heading, (name, heading)
    assert "Pipeline Stage" not in heading, heading


def test_mem_mode_does_not_add_weights_of_callees():
    own = os.path.join(os.path.abspath(__file__).rpartition("/cli/")[0], "fixtures/perfdata/perf61/dwarf.data")
    for words, heading in ((["--mem-mode"], "# Overhead"), (["--mem-mode", "-g", "none"], "# Overhead"), (["--mem-mode", "--children"], "# Children")):
        lines = report(own, *words).stdout.splitlines()
        assert any(line.startswith(heading) for line in lines), (words, lines[:20])


def test_accesses_count_as_much_as_their_latencies():
    path, columns = mem_file(), ("--mem-mode", "-s", "local_weight,mem")
    got = [[cell.strip() for cell in row] for row in rows(path, *columns)]
    tap.same(got, [["85.71%", "30", "L1 hit"], ["14.29%", "10", "N/A"]], "latencies")
    tap.same(rows(mem_file(WEIGHT_STRUCT), *columns), rows(path, *columns), "the first part of a weight")
    heading = [line for line in report(path, *columns).stdout.splitlines() if line.startswith("# Total w") or "Sort" in line]
    tap.same(heading, ["# Total weight : 70", "# Sort order   : local_weight,mem"], "heading")
    if shutil.which("perf"):
        text = tap.run("perf", "report", "--stdio", *columns, "-i", path).stdout
        tap.same([line for line in text.splitlines() if line in heading], heading, "heading of perf")
        # perf ends with a tip that it chooses at random; one contains a percent sign.
        tap.same([line.split()[:2] for line in text.splitlines() if re.match(r" +[\d.]+%", line)], [row[:2] for row in got], "perf")


def test_accesses_need_data_sources():
    path = written("plain.data", crafted.file_bytes([crafted.sample(0x1010)], [crafted.attr()]))
    done = tap.run(TALLY, "mem", "report", "-i", path)
    assert done.returncode == 1 and "no data sources" in done.stderr and "tally mem record" in done.stderr, done.stderr


def test_mem_command():
    path = mem_file()

    def mem(*words):
        done = tap.run(TALLY, "mem", *words, "-i", path)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout
    tap.same(mem("report"), report(path, "--mem-mode", "-n").stdout, "mem report")
    for words, header in ((["-p", "report"], ["Data Physical Address"]), (["report", "-p"], ["Data Physical Address"]),
                          (["--data-page-size", "report", "-p"], ["Data Physical Address", "Data Page Size"])):
        text = mem(*words)
        assert all(name in text for name in header), (words, text)
    for words in (["-x", ","], ["-U"], ["-f"], ["-i", path]):
        tap.same(tap.run(TALLY, "mem", "-i", path, *words, "report", status=0).stdout, mem("report", *words), f"{words} before the word")
    with open(path, "rb") as file:
        done = tap.run(TALLY, "mem", "report", "-i", "-", stdin=file)
    assert done.returncode == 0 and "Data Page Size" not in done.stdout, done.stderr
    assert mem("report", "-D") == mem("-D", "report") and "OP LOAD" in mem("-D", "report"), mem("-D", "report")
    for words, status, text in ((["mem"], 129, "requires 'record' or 'report'"), (["mem", "-t", "x", "record", "true"], 1, "load, store"),
                                (["mem", "nonsense"], 129, "requires 'record' or 'report'")):
        done = tap.run(TALLY, *words)
        assert done.returncode == status and text in done.stderr, (words, done.returncode, done.stderr)
    events = "/sys/bus/event_source/devices"
    if not any(os.path.exists(f"{events}/{name}") for name in ("cpu/events/mem-loads", "cpu_core/events/mem-loads", "ibs_op/type")):
        done = tap.run(TALLY, "mem", "record", "true")
        assert done.returncode == 1 and "no events that sample memory accesses" in done.stderr and "hint:" in done.stderr, done.stderr


def test_a_label_key_beside_others_and_twice():
    got = rows(mem_file(), "-s", "mem,comm,local_weight,mem")
    tap.same([[cell.strip() for cell in row[1:]] for row in got],
             [["L1 hit", "worker-12-3", "30"], ["N/A", "worker-12-3", "10"]], "keys")


def branch_sample(time, *branches):
    more = u64(len(branches)) + b"".join(u64(*branch) for branch in branches)
    return crafted.sample(0x1010, time=time, more=more)


def branch_file():
    predicted, missed = 2 | 9 << 4, 1 | 4
    return written("branch.data", crafted.file_bytes([
        crafted.comm(1, "prog"), crafted.mmap(1, 0x1000, 0x1000, "/nowhere/a"), crafted.mmap(1, 0x8000, 0x1000, "/nowhere/b"),
        branch_sample(1, (0x1010, 0x8020, predicted), (0x8040, 0x1030, missed)),
        branch_sample(2, (0x1010, 0x8020, predicted)), branch_sample(3)],
        [crafted.attr(crafted.DEFAULT_TYPE | crafted.BRANCH, branch_type=8)]))


def test_rows_are_branches_if_there_are_branch_stacks():
    path = branch_file()
    tap.same(rows(path, "-s", "dso_from,dso_to,mispredict,in_tx,abort,cycles"),
             [["66.67%", "a", "b", "N", ".", ".", "9"], ["33.33%", "b", "a", "Y", "T", ".", "-"]], "branches")
    tap.same([row[1:] for row in rows(path, "-s", "symbol_from,symbol_to,addr_to")],
             [["[.] 0x0000000000000010", "[.] 0x0000000000000020", "[.] 0x0000000000000020"],
              ["[.] 0x0000000000000040", "[.] 0x0000000000000030", "[.] 0x0000000000000030"]], "addresses")
    tap.same([row[0] for row in rows(path, "-s", "dso")], ["66.67%", "33.33%"], "targets")
    tap.same([row[0] for row in rows(path, "--no-branch-stack", "-s", "dso")], ["100.00%"], "samples")
    heading = report(path).stdout
    assert "Source Symbol" in heading and "Basic Block Cycles" in heading and "# Samples: 3 " in heading, heading


def test_keys_of_branches_need_branches():
    done = report(branch_file(), "--no-branch-stack", "-s", "symbol_from", status=1)
    assert "'symbol_from' is a key of branches" in done.stderr and "add -b" in done.stderr, done.stderr
    done = report(mem_file(), "-b")
    assert "has no branch stacks, so samples are shown" in done.stderr, done.stderr


def test_branches_are_those_of_perf():
    fixtures = sys.argv[2] if len(sys.argv) > 2 else ""
    path = os.path.join(fixtures, "perfdata/quipper/perf.data.branch-3.4")
    if not os.path.exists(path):
        raise tap.Skip("there are no shared fixtures")
    machine.need_perf()
    for key in ("dso", "mispredict,abort,in_tx", "cycles"):
        theirs = tap.run("perf", "report", "-f", "--stdio", "-q", "-i", path, "-s", key, "--symfs", "/nowhere").stdout
        ours = report(path, "-q", "-s", key, "--symfs", "/nowhere").stdout
        strip = [sorted(" ".join(line.split()) for line in text.splitlines() if line.strip()) for text in (theirs, ours)]
        assert strip[0], theirs
        tap.same(strip[1], strip[0], key)


# ---- reports of records ----------------------------------------------------------------------------


def tasks_file():
    return written("tasks.data", crafted.file_bytes([
        crafted.comm(7, "parent"), crafted.mmap(7, 0x1000, 0x2000, "/bin/\x1bx"), crafted.fork(8, 7, 5), crafted.comm(8, "child", 6),
        crafted.fork(9, 8, 7), crafted.sample(0x1004, pid=8, time=9), crafted.fork(10, 7, 10), crafted.record(68, b"")]))


def test_stats_count_records_by_type():
    text = report(tasks_file(), "--stats").stdout
    for line in ("           TOTAL events:          8", "            COMM events:          2  (25.0%)",
                 "            FORK events:          3  (37.5%)", "  FINISHED_ROUND events:          1  (12.5%)",
                 "cpu-clock:HG stats:", "          SAMPLE events:          1"):
        assert line in text.splitlines(), (line, text)


def test_tasks_are_a_tree():
    lines = report(tasks_file(), "--tasks").stdout.splitlines()
    tap.same(lines, ["#      pid      tid     ppid  comm", "         0        0       -1 |swapper",
                     "         7        7       -1 |parent", "         8        8        7 | child",
                     "         9        9        8 |  child", "        10       10        7 | parent"], "tasks")
    text = report(tasks_file(), "--mmaps").stdout
    assert "1000-3000 --xp 00000000 0 /bin/\\x1bx" in text and "\x1b" not in text, text


def test_a_tid_that_is_its_own_ancestor():
    path = written("cycle.data", crafted.file_bytes([crafted.fork(8, 7, 1), crafted.fork(7, 8, 2), crafted.fork(8, 8, 3)]))
    tap.same(len(report(path, "--tasks").stdout.splitlines()), 5, "lines")


def test_a_task_that_two_records_describe_is_one_task():
    """The kernel and the program that records may both describe a task. A child may come before its parent's record."""
    path = written("twice.data", crafted.file_bytes([
        crafted.fork(9, 8, 0), crafted.fork(8, 7, 0), crafted.fork(9, 8, 3), crafted.comm(9, "x", 4), crafted.fork(9, 8, 5)]))
    tap.same(report(path, "--tasks").stdout.splitlines()[2:],
             ["         7        7       -1 |:7", "         8        8        7 | :8", "         9        9        8 |  x"], "tasks")


def test_a_deep_tree():
    path = written("deep.data", crafted.file_bytes([crafted.fork(pid + 1, pid, pid) for pid in range(1, 50000)]))
    lines = report(path, "--tasks").stdout.splitlines()
    tap.same(len(lines), 50002, "lines")
    assert max(map(len, lines)) < 120, max(map(len, lines))


def test_all_records_and_the_header():
    path = tasks_file()
    tap.same(report(path, "-D").stdout, tap.run(TALLY, "script", "-D", "-i", path).stdout, "-D")
    tap.same(report(path, "-I").stdout, report(path, "--header").stdout, "-I")


def weighted_file():
    parts = [crafted.comm(1, "a"), crafted.comm(2, "b"), crafted.mmap(1, 0x1000, 0x1000, "/nowhere/x")]
    for pid, ip, nr in ((1, 0x1010, 3), (1, 0x9000, 1), (2, 0x1010, 4)):
        parts += [crafted.sample(ip, pid=pid, time=number + 1) for number in range(nr)]
    return written("weighted.data", crafted.file_bytes(parts))


def test_percentages_of_filtered_samples():
    path = weighted_file()
    tap.same(rows(path, "-s", "comm,dso", "-c", "a", "--percentage", "absolute")[0][0], "37.50%", "absolute")
    tap.same(rows(path, "-s", "comm,dso", "-c", "a")[0][0], "37.50%", "default")
    tap.same(rows(path, "-s", "comm,dso", "-c", "a", "--percentage", "relative")[0][0], "75.00%", "relative")
    done = report(path, "--percentage", "some", status=1)
    assert "relative" in done.stderr, done.stderr


def test_unresolved_samples_are_hidden():
    done = report(weighted_file(), "-U")
    assert "exclude all rows" in done.stderr, done.stderr


def test_hierarchy():
    text = report(weighted_file(), "--hierarchy", "-s", "comm,dso", "-n").stdout
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    tap.same(lines, ["    50.00%             4     a", "       37.50%             3     x",
                     "       12.50%             1     [unknown]", "    50.00%             4     b",
                     "       50.00%             4     [unknown]"], "tree")
    assert re.search(r"^#    Overhead       Samples  Command / Shared Object$", text, re.M), text
    limited = report(weighted_file(), "--hierarchy", "-s", "comm,dso", "--percent-limit", "20").stdout
    assert "12.50%" not in limited and "    50.00%     a" in limited, limited


def test_texts_are_not_other_forms():
    """The tree of --hierarchy was printed inside the JSON; documents dropped the other options."""
    page = os.path.join(WORK, "page")
    for text in ("--hierarchy", "--stats", "--tasks", "--mmaps", "-D"):
        for form in (["--json"], ["--format", "csv"], ["--svg", page], ["--html", page]):
            done = tap.run(TALLY, "report", "-i", weighted_file(), text, *form)
            assert done.returncode == 129 and not done.stdout and "use only one of them" in done.stderr, (text, form, done)
    done = tap.run(TALLY, "report", "-i", weighted_file(), "--hierarchy", "-x", ";", status=129)
    assert "use only one of them" in done.stderr, done
    for form in (["--format", "folded"], ["--svg", page], ["--html", page]):
        done = tap.run(TALLY, "report", "-i", branch_file(), "-b", *form)
        assert done.returncode == 129 and "--branch-stack applies to rows" in done.stderr, (form, done)
    assert not os.path.exists(page)


tap.main(__name__)
