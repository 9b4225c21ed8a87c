#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reports of tally script that perf has as scripts, on crafted recordings; the expected text is that of perf 6.1.

usage: trace_reports.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import tap  # noqa: E402
import trace_events  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("reports")
COMMS = ((1, "one"), (2, "two\x1b"))
FUTEX = trace_events.Trace({"syscalls:sys_enter_futex": "int nr; void * uaddr; long op", "syscalls:sys_exit_futex": "int nr; long ret"})
DROPS = trace_events.Trace({"skb:kfree_skb": "void * skbaddr; void * location"})
PAGES = "unsigned long start_pfn; unsigned long end_pfn; unsigned long nr_scanned; unsigned long nr_taken"
ZONE = "unsigned long zone_start; unsigned char sync"
COMPACTION = trace_events.Trace({
    "compaction:mm_compaction_begin": ZONE, "compaction:mm_compaction_end": ZONE + "; int status",
    "compaction:mm_compaction_migratepages": "unsigned long nr_migrated; unsigned long nr_failed",
    "compaction:mm_compaction_isolate_migratepages": PAGES, "compaction:mm_compaction_isolate_freepages": PAGES})
BEGIN, END, MIGRATE, USED, FREE = COMPACTION.numbers


def report(trace, records, *words, status=0):
    path = os.path.join(WORK, "reports.data")
    with open(path, "wb") as file:
        file.write(trace.file_bytes(records, COMMS))
    done = tap.run(TALLY, "script", "-i", path, *words)
    assert done.returncode == status, done.stderr
    return done.stdout


def enter(time, address, operation=0, pid=1):
    return FUTEX.event("syscalls:sys_enter_futex", time, 202, address, operation, pid=pid)


def leave(time, pid=1):
    return FUTEX.event("syscalls:sys_exit_futex", time, 202, 0, pid=pid)


def test_futexes():
    text = report(FUTEX, [enter(100, 0x1000, 128), leave(200), enter(300, 0x1000), leave(500), enter(600, 0x1000), leave(1601),
                          enter(2000, 0x2000, 1, 2), leave(2100, 2), enter(3000, 0x3000, 0, 3), enter(3001, 0xffffffffffffff00, 0, 2),
                          leave(3005, 2), leave(3010, 3), leave(3011, 3)], "futex-contention")
    tap.same(text, "one[1] lock 1000 contended 3 times, 575 avg ns [max: 1001 ns, min 100 ns]\n"
                   "two\\x1b[2] lock ffffffffffffff00 contended 1 times, 4 avg ns [max: 4 ns, min 4 ns]\n"
                   ":3[3] lock 3000 contended 1 times, 10 avg ns [max: 10 ns, min 10 ns]\n", "futexes")


def test_millions_of_locks_are_not_quadratic():
    events = [one for at in range(30000) for one in (enter(2 * at, at, 0, at), leave(2 * at + 1, at))]
    tap.same(report(FUTEX, events, "futex-contention").count("\n"), 30000, "locks")


def test_dropped_packets():
    start = 0xffffffff81000000
    symbols = os.path.join(WORK, "kallsyms")
    with open(symbols, "w", encoding="utf-8") as file:
        file.write(f"{start:x} T _text\n{start + 16:x} T drop_it\n{start + 256:x} T _etext\n")
    events = [DROPS.event("skb:kfree_skb", at, 16, where) for at, where in enumerate((start + 21, 77, start + 21, start - 300, 0))]
    text = report(DROPS, [DROPS.kernel(start, 4096), *events], "--kallsyms", symbols, "net_dropmonitor")
    tap.same([line.split() for line in text.splitlines()],
             [["LOCATION", "OFFSET", "COUNT"], ["drop_it", "5", "2"], ["77", "0", "1"], [str(start - 300), "0", "1"], ["0", "0", "1"]],
             "places")
    tap.same(text.splitlines()[2], f"{77:25} {0:25} {1:25}", "columns")


RUNS = ((BEGIN, 0, 1), (USED, 10, 1, 1, 2, 32, 5), (FREE, 20, 1, 1, 2, 100, 50), (MIGRATE, 30, 1, 4, 1), (END, 1000, 1), (BEGIN, 2000, 2),
        (MIGRATE, 2100, 2, 7, 8), (BEGIN, 2200, 1), (END, 3500, 2), (END, 4700, 1), (BEGIN, 5000, 2), (END, 5123, 2), (BEGIN, 7000, 3))


def compactions(*words, runs=RUNS):
    records = [COMPACTION.event(name, time, *values, pid=pid) for name, time, pid, *values in runs]
    return report(COMPACTION, records, "compaction-times", *words)


def test_compactions():
    total = "total: 5123ns migration: moved=11 failed=9 free_scanner: scanned=100 isolated=50 migration_scanner: scanned=32 isolated=5\n"
    one = total.replace("total: 5123", "total: 3500").replace("moved=11 failed=9", "moved=4 failed=1")
    tap.same(compactions(), total, "all")
    for words in ("1",), ("0-1",), ("^o",), ("--", "ne"):
        tap.same(compactions(*words), one, words)
    tap.same(compactions("-t", "2-"), "total: 1623ns \n", "threads from 2")
    tap.same(compactions("99-2", "-fs"), "total: 0ns free_scanner: scanned=0 isolated=0\n", "no thread")
    tap.same(compactions("-u", "-pv", "-m"), """\
total: 5us migration: moved=11 failed=9
1[one]: 4us migration: moved=4 failed=1
1[one].1: 1us migration: moved=4 failed=1
1[one].2: 2us migration: moved=0 failed=0
2[two\\x1b]: 2us migration: moved=7 failed=8
2[two\\x1b].1: 2us migration: moved=7 failed=8
2[two\\x1b].2: 0us migration: moved=0 failed=0
3[:3]: 0us migration: moved=0 failed=0
""", "each compaction")
    tap.same(compactions("-pv", "-p", "-t", "--", "1"), "total: 3500ns \n1[one]: 3500ns \n", "each thread")


def test_incomplete_compactions():
    stray = ((MIGRATE, 1, 1, 5, 5), (END, 2, 1), (BEGIN, 3, 1), (MIGRATE, 4, 1, 5, 5), (BEGIN, 100, 1), (MIGRATE, 101, 1, 1, 2), (END, 110, 1))
    tap.same(compactions("-m", runs=stray), "total: 10ns migration: moved=1 failed=2\n", "the last beginning counts")
    huge = ((BEGIN, 1, 1), (MIGRATE, 2, 1, 1 << 63, 1), (MIGRATE, 3, 1, 1 << 63, 1), (END, 4, 1))
    tap.same(compactions("-m", runs=huge), f"total: 3ns migration: moved={(1 << 64) - 1} failed=2\n", "a sum ends at the largest number")


def test_arguments():
    usage = report(COMPACTION, [], "compaction-times", "-h")
    assert usage.startswith("Usage: tally script compaction-times [-h]"), usage
    for words, text in (("a[",), "not 'a['"), (("--", "-x"), "not '-x'"), (("",), "not ''"):
        done = tap.run(TALLY, "script", "compaction-times", *words)
        assert done.returncode == 1 and text in done.stderr, done.stderr
    done = tap.run(TALLY, "script", "futex-contention", "one")
    assert done.returncode == 129 and "no arguments" in done.stderr, done.stderr


def accesses(addresses, *words, host=None):
    """Print the report of accesses to these physical addresses, recorded on a host."""
    kinds = crafted.DEFAULT_TYPE | crafted.IDENTIFIER | 1 << 19
    path = crafted.write(WORK, "memory.data", crafted.events_bytes(
        [("mem-loads\n", 1)], [crafted.of_event(10, more=crafted.u64(one)) for one in addresses],
        features={crafted.FEATURE_HOSTNAME: crafted.padded(host)} if host else None, kinds=kinds))
    return tap.run(TALLY, "script", "-i", path, "mem-phys-addr", *words)


def test_types_of_memory():
    lines = ("100000000-63fffffff : System RAM", "00000000-0009fbff : System RAM", "0009fc00-000fffff : Reserved", "  000f0000-000fffff : System ROM",
             "c0000000-cfffffff : PCI\x1b", "garbage", "5-4 : x", "-", "ffffffffffffffff-ffffffffffffffff1 : none")
    ranges = crafted.write(WORK, "iomem", "\n".join(lines).encode())
    done = accesses([0xffff0, 0x1000, 0x9fbff, 0x9fc00, 0x9fc01, 0x63fffffff, 0x640000000, 0, 0xc0000000, (1 << 64) - 1], ranges)
    assert done.returncode == 0, done.stderr
    rows = (("Reserved", 3, 30), ("System RAM", 3, 30), ("N/A", 3, 30), ("PCI\\x1b", 1, 10))
    rows = sorted(rows, key=lambda row: (row[1], row[0]), reverse=True)
    tap.same(done.stdout, "Event: mem-loads\\n\n" + f"{'Memory type':40}  {'count':>10}  {'percentage':>10}\n"
             + f"{'-' * 40}  {'-' * 11}  {'-' * 11}\n" + "".join(f"{name:40}  {nr:10}  {part:10.1f}%\n" for name, nr, part in rows), "types")
    done = accesses([], ranges)
    assert "Event: None\n" in done.stdout and "no samples that mem-phys-addr counts" in done.stderr, done.stderr


def test_types_of_memory_need_addresses():
    done = accesses([1], crafted.write(WORK, "hidden", b"00000000-00000000 : System RAM\n"))
    assert done.returncode == 1 and "only to root" in done.stderr and "pass a copy" in done.stderr, done.stderr
    done = accesses([1], os.path.join(WORK, "missing"))
    assert done.returncode == 1 and "missing: No such file" in done.stderr, done.stderr


def test_types_of_memory_of_another_machine():
    done = accesses([1], host="elsewhere\x1b")
    if "only to root" in done.stderr or "No such file" in done.stderr:
        raise tap.Skip("/proc/iomem cannot be read here")
    assert done.returncode == 0 and "recording is from 'elsewhere\\x1b'" in done.stderr, done.stderr
    for done in (accesses([1], host=os.uname().nodename), accesses([1]),
                 accesses([1], crafted.write(WORK, "ranges", b"0-f : System RAM\n"), host="elsewhere")):
        assert done.returncode == 0 and "recording is from" not in done.stderr, done.stderr


def test_samples_of_any_event():
    path = crafted.write(WORK, "samples.data", crafted.file_bytes(
        [crafted.comm(1, "one"), crafted.comm(2, "two\x1b"), crafted.mmap(1, 0x1000, 0x1000, "/none/a"), crafted.sample(0x5000, pid=2),
         crafted.sample(0, pid=9)] + [crafted.sample(0x1010)] * 1025))
    done = tap.run(TALLY, "script", "-i", path, "event_analyzing_sample")
    tap.same(done.stdout, f"""\
In trace_begin:

In trace_end:

There is 1027 records in gen_events table
Statistics about the general events grouped by thread/symbol/dso:{" "}


            comm   number        histogram
{"=" * 42}
             one     1025     ###########
              :9        1     #
         two\\x1b        1     #

                          symbol   number        histogram
{"=" * 58}
                  Unknown_symbol     1027     ###########

                                     dso   number        histogram
{"=" * 74}
                                 /none/a     1025     ###########
                             Unknown_dso        2     ##
There is 0 records in pebs_ll table
""", "samples")


def test_recording_for_a_report():
    path = os.path.join(WORK, "recorded.data")
    done = tap.run(TALLY, "script", "record", "event_analyzing_sample", "-e", "task-clock:u", "-o", path, "--", "sh", "-c", "exit 0")
    if done.returncode:
        raise tap.Skip(done.stderr)
    done = tap.run(TALLY, "script", "-i", path, "event_analyzing_sample")
    assert done.returncode == 0 and "gen_events" in done.stdout, done.stderr
    for words, text in (((), "not ''"), (("nosuch", "true"), "not 'nosuch'"), (("sctop",), "redraws")):
        done = tap.run(TALLY, "script", "record", *words)
        assert done.returncode == 129 and text in done.stderr, done.stderr


def test_a_command_is_recorded_and_reported():
    program = tap.run("sh", "-c", "command -v sh", status=0).stdout.strip()
    words = ("-e", "task-clock:u", "-c", "10000", program, "-c", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done")
    done = tap.run(TALLY, "script", "event_analyzing_sample", *words, cwd=WORK, env={"TMPDIR": WORK})
    if done.returncode:
        raise tap.Skip(done.stderr)
    assert "gen_events" in done.stdout and "sh " in done.stdout, done.stdout
    done = tap.run(TALLY, "script", "stackcollapse", *words, cwd=WORK, env={"TMPDIR": WORK}, status=0)
    assert done.stdout.startswith("sh;"), done
    assert not any(name.startswith("tally-recording-") or name == "perf.data" for name in os.listdir(WORK)), os.listdir(WORK)
    for option in (("-o", "x.html"), ("--output=x.html",)):
        done = tap.run(TALLY, "script", "flamegraph", *option, *words, cwd=WORK)
        assert done.returncode == 129 and "the recording is temporary" in done.stderr, done.stderr
    assert "x.html" not in os.listdir(WORK)
    done = tap.run(TALLY, "script", "stackcollapse", *words, cwd=WORK, env={"TMPDIR": "/nowhere"})
    assert done.returncode == 1 and "cannot create /nowhere/" in done.stderr, done.stderr
    done = tap.run(TALLY, "script", "stackcollapse", "--", "/nowhere/program", cwd=WORK)
    assert done.returncode == 127 and "cannot run '/nowhere/program'" in done.stderr, done
    # With -i or 'report', or if there is no such program, the word is a thread's name.
    for words in (("-i", "/nowhere/perf.data", "syscall-counts", "sh"), ("report", "syscall-counts", "sh", "-i", "/nowhere/perf.data"),
                  ("syscall-counts", "-i", "/nowhere/perf.data", "sh")):
        done = tap.run(TALLY, "script", *words, cwd=WORK)
        assert done.returncode == 1 and "/nowhere/perf.data" in done.stderr, (words, done)
    assert "perf.data: cannot open" in tap.run(TALLY, "script", "syscall-counts", "no-such-program", cwd=WORK).stderr


def test_scripts_that_do_not_exist():
    for name, text in (("sctop", "syscall-counts"), ("rwtop", "rw-by-pid"), ("sched-migration", "sched:"), ("export-to-sqlite", "--dump-json"),
                       ("export-to-postgresql", "--dump-json"), ("intel-pt-events", "perf script"), ("powerpc-hcalls", "powerpc:")):
        for words in (name,), ("report", name), (name, "10"):
            done = tap.run(TALLY, "script", *words)
            assert done.returncode == 129 and f"'{name}' does not exist" in done.stderr and text in done.stderr, done.stderr


def test_list():
    names = tap.run(TALLY, "script", "-l").stdout
    for name in ("netdev-times", "futex-contention", "net_dropmonitor", "compaction-times", "mem-phys-addr", "event_analyzing_sample", "flamegraph"):
        assert f"\n  {name} " in names, names


tap.main(__name__)
