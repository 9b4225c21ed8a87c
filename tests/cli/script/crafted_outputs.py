#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the output for generated recordings: hostile names, lost records, branch stacks, and stack dumps.

usage: crafted_outputs.py TALLY
"""
import json
import os
import re
import select
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = sys.argv[1]
WORK = tap.workplace("crafted")


def write(name, records, attrs=None, features=None, **more):
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(file_bytes(records, attrs, features, **more))
    return path


# ---- hostile names -------------------------------------------------------------------------------

ESCAPE = b"\x1b]0;pwned\x07\x1b[31mRED"
FORGED = b"x\nroot     1 [000]     1.000000:          1 cycles:            401000 fake (/bin/fake)"
TURNED = "\u202egpj.exe".encode()
UPPER = "\u009b31m".encode()
BROKEN = b"bad\xff\xfeutf"
SHOWN = {ESCAPE: rb"\x1b]0;pwned\x07\x1b[31mRED", TURNED: rb"\u202egpj.exe", UPPER: rb"\u009b31m", BROKEN: rb"bad\xff\xfeutf"}
KERNEL_TEXT = 0xffffffff81000000
HOSTNAME = 3


def hostile():
    """Write a recording with hostile names of every kind. The kernel's symbols are in a separate file."""
    records = [mmap(0xffffffff, KERNEL_TEXT, 0x100000, "[kernel.kallsyms]_text", misc=KERNEL, pgoff=KERNEL_TEXT)]
    for pid, name in enumerate([ESCAPE, FORGED, TURNED, UPPER, BROKEN, b"a;b,c\t\"d\"|e"], 1):
        records += [comm(pid, name), mmap(pid, 0x400000, 0x1000, b"/tmp/" + name.replace(b"/", b"_"))]
        records += [sample(0x400010 + pid, pid, 10 * pid), sample(KERNEL_TEXT + 0x10, pid, 10 * pid + 1, KERNEL)]
    desc = u32(1, 112) + attr() + u32(0) + padded(b"ev\x1b[31m\nname")
    path = write("hostile.data", records, features={
        FEATURE_HOSTNAME: padded(b"host\x1b[31m\nname"), FEATURE_CMDLINE: u32(2) + padded(b"perf\x1b[5m") + padded(b"rec\nord"),
        FEATURE_BUILD_ID: build_id(b"/x\x1b[31m\ny", b"\x01" * 20), FEATURE_EVENT_DESC: desc})
    with open(os.path.join(WORK, "kallsyms"), "wb") as file:
        file.write(b"%x T \x1b]0;SYM\x07evil\n%x T _end\n" % (KERNEL_TEXT, KERNEL_TEXT + 0x1000))
    return path


def output(*args, status=0):
    run = tap.run(TALLY, *args, text=False, status=status)
    return run.stdout, run.stderr


def assert_clean(text, what, tabs=False):
    for line in text.split(b"\n"):
        shown = line.decode("utf-8")  # fails if the line is not UTF-8
        for char in shown:
            odd = ord(char) < 0x20 or 0x7f <= ord(char) < 0xa0 or char in "\u202e\u2028"
            assert not odd or (tabs and char == "\t"), f"{what}: {char!r} in {line!r}"


NAMES = ("--kallsyms", os.path.join(WORK, "kallsyms"))
PRINTERS = [
    ["script", *NAMES], ["script", "-F", "comm,pid,tid,time,event,ip,sym,symoff,dso", *NAMES], ["script", "-D"], ["script", "--dump-json"],
    ["report", *NAMES], ["report", "-x", ";", "-s", "comm,dso,sym", *NAMES], ["report", "--json", *NAMES],
    ["report", "-s", "pid,tid,cpu,dso", *NAMES], ["report", "--header"], ["report", "--header-only"],
    ["evlist"], ["evlist", "-v"], ["evlist", "-F"], ["buildid-list"], ["buildid-list", "-H"],
]


def test_nothing_in_a_recording_reaches_a_terminal_raw():
    path = hostile()
    for printer in PRINTERS:
        texts = output(*printer, "-i", path)
        assert texts[0] or "-H" in printer, printer  # the recording lists no files with samples
        for text in texts:
            assert_clean(text, printer)


def test_names_are_shown_with_escapes():
    path = hostile()
    for printer in (PRINTERS[0], PRINTERS[4]):
        text = output(*printer, "-i", path)[0]
        for shown in [*SHOWN.values(), rb"\x1b]0;SYM\x07evil", rb"ev\x1b[31m\nname", FORGED.replace(b"\n", rb"\n")[:40]]:
            assert shown in text, (printer, shown, text)


def test_no_name_makes_a_line():
    path = hostile()
    lines = output("script", "-i", path)[0].splitlines()
    tap.same(len(lines), 12, "lines of script")
    assert not [line for line in lines if line.startswith(b"root")], lines
    tap.same(output("buildid-list", "-i", path)[0], b"01" * 20 + rb" /x\x1b[31m\ny" + b"\n", "buildid-list")
    tap.same(output("evlist", "-i", path)[0], rb"ev\x1b[31m\nname" + b"\n", "evlist")
    header = output("report", "--header-only", "-i", path)[0]
    assert rb"# hostname : host\x1b[31m\nname" + b"\n" in header, header
    assert rb"# cmdline : perf\x1b[5m rec\nord " + b"\n" in header, header


def test_no_name_makes_a_value():
    path = hostile()
    for separator in (";", ",", "\t", "|"):
        text = output("report", "-q", "-x", separator, "-s", "comm,dso,sym", "-i", path)[0].decode()
        rows = [line for line in text.splitlines() if line]
        tap.same(len(rows), 12, f"rows with {separator!r}")
        for row in rows:
            tap.same(row.count(separator), 3, f"separators {separator!r} in {row!r}")


@tap.always
def test_processes_and_threads_are_told_apart():
    both = record(SAMPLE, u64(1) + u32(7, 8) + u64(1, 1), USER)
    path = write("both.data", [comm(7, b"a"), both])
    for fields, want in (("pid", b"7"), ("tid", b"8"), ("pid,tid", b"7/8")):
        tap.same(output("script", "-F", fields, "-i", path)[0].split(), [want], fields)


def test_columns_line_up_behind_escapes():
    lines = output("script", "-F", "comm,pid", "-i", write("pad.data", [comm(1, b"a\x1bb"), sample(1)]))[0]
    tap.same(lines, b"          " + rb"a\x1bb" + b"     1 \n", "a name in its column")


def test_messages_are_escaped():
    name = os.path.join(WORK, "no\x1b[31m\nsuch")
    for command in ("report", "script", "evlist", "buildid-list"):
        text = output(command, "-i", name, status=1)[1]
        assert_clean(text, command)
        assert rb"no\x1b[31m\nsuch" in text, text


# ---- rows and callchains ---------------------------------------------------------------------------

def kallsyms(names):
    """Write a file of kernel symbols that are 256 bytes apart. Return its path and their addresses."""
    path = os.path.join(WORK, "functions")
    with open(path, "w", encoding="ascii") as file:
        for number, name in enumerate([*names, "_end"]):
            print(f"{KERNEL_TEXT + 256 * number:x} T {name}", file=file)
    return path, {name: KERNEL_TEXT + 256 * number + 16 for number, name in enumerate(names)}


def chain(*ips):
    return u64(len(ips), *ips)


def in_kernel(names, chains):
    """Write a recording of kernel callchains, innermost function first. Return the options to read it with its
    symbols."""
    functions, at = kallsyms(names)
    records = [mmap(0xffffffff, KERNEL_TEXT, 0x100000, "[kernel.kallsyms]_text", misc=KERNEL, pgoff=KERNEL_TEXT), comm(1, "task")]
    for time, one in enumerate(chains, 1):
        ips = [at[name] for name in one]
        records.append(sample(ips[0], 1, time, KERNEL, chain(CONTEXT_KERNEL, *ips)))
    path = write("kernel.data", records, [attr(IP | TID | TIME | PERIOD | CALLCHAIN)])
    return ["--kallsyms", functions, "-i", path]


def symbols(*options):
    text = tap.run(TALLY, "report", "--stdio", *options).stdout
    return re.findall(r"^ +[0-9.]+%.* \[k\] (\S+)", text, re.M)


def test_callers_precede_callees():
    source = in_kernel(["zero", "yard", "xray", "word", "apex"],
                       [["word", "xray", "yard", "zero"]] * 3 + [["apex", "yard", "zero"]] * 3)
    # All of yard's cost comes from its caller zero, so zero is first. word precedes apex because its callchain is
    # longer, and apex precedes xray because it has self cost.
    tap.same(symbols(*source), ["zero", "yard", "word", "apex", "xray"], "callers first")
    tap.same(symbols("-g", "caller", *source), ["zero", "yard", "word", "apex", "xray"], "graphs downwards")
    tap.same(symbols("-g", "callee", *source), ["zero", "yard", "apex", "xray", "word"], "graphs upwards")
    tap.same(symbols("-g", "none", *source), ["yard", "zero", "apex", "word", "xray"], "no graphs: by name")


def test_children_are_shown_without_graphs():
    source = in_kernel(["outer", "inner"], [["inner", "outer"]])
    text = tap.run(TALLY, "report", "-g", "none", *source).stdout
    assert re.search(r"^# Children +Self ", text, re.M), text
    tap.same(sorted(symbols("-g", "none", *source)), ["inner", "outer"], "rows")
    tap.same(symbols("-g", "none", "--no-children", *source), ["inner"], "rows without children")


# ---- replacements for callchains --------------------------------------------------------------------

USER_ONLY, ANY, CALL_STACK = 1, 1 << 3, 1 << 11
EXCLUDE_CALLCHAIN_USER = 1 << 22


def branches(*pairs):
    return u64(len(pairs), *(word for source, target in pairs for word in (source, target, 0)))


def script_ips(path):
    text = tap.run(TALLY, "script", "-F", "comm,ip", "-i", path).stdout
    return [[int(line, 16) for line in one.splitlines()[1:]] for one in text.split("\n\n") if one]


def test_calls_of_the_branch_stack_are_the_users_callchain():
    kind = IP | TID | TIME | PERIOD | CALLCHAIN | BRANCH
    calls = branches((0x402024, 0x401000), (0x403034, 0x402000), (0x404044, 0x403000))
    kernel = [KERNEL_TEXT + 16]
    path = write("lbr.data", [
        mmap(1, 0x400000, 0x10000, "/tmp/program"), comm(1, "task"),
        sample(0x401010, 1, 1, USER, chain(CONTEXT_USER, 0x401010, 0x402020) + calls),
        sample(kernel[0], 1, 2, KERNEL, chain(CONTEXT_KERNEL, *kernel, CONTEXT_USER, 0x401010) + calls),
        sample(kernel[0], 1, 3, KERNEL, chain(CONTEXT_KERNEL, *kernel) + calls),
        sample(0x401010, 1, 4, USER, chain(CONTEXT_USER, 0x401010, 0x402020) + branches()),
    ], [attr(kind, branch_type=USER_ONLY | CALL_STACK)])
    user = [0x1000, 0x2024, 0x3034, 0x4044]
    tap.same(script_ips(path), [user, kernel + user, kernel, [0x1010, 0x2020]], "callchains")
    frames = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)["health"]
    tap.same(frames["branches"], 0, "stacks of calls are shown")


def test_branch_stacks_that_are_not_shown_are_counted():
    kind = IP | TID | TIME | PERIOD | BRANCH
    path = write("branches.data", [sample(0x401010, 1, time, USER, branches((1, 2))) for time in (1, 2)] +
                 [sample(0x401010, 1, 3, USER, branches())], [attr(kind, branch_type=ANY)])
    text = tap.run(TALLY, "report", "--no-branch-stack", "-i", path).stdout
    assert "2 branch stacks ignored" in text, text


def dump(ip, size=16):
    """Return the x86 user registers SP and IP, and a stack with `size` valid bytes."""
    return u64(2, 0x7fff0000, ip) + u64(16) + bytes(16) + u64(size)


def dump_attr():
    one = bytearray(attr(IP | TID | TIME | PERIOD | CALLCHAIN | REGS_USER | STACK_USER, regs_user=1 << 7 | 1 << 8,
                         stack=16))
    struct.pack_into("<Q", one, 40, struct.unpack_from("<Q", one, 40)[0] | EXCLUDE_CALLCHAIN_USER)
    return bytes(one)


# An unused PID, to avoid looking up files in procfs.
NO_PID = (1 << 22) + 1


def test_dumps_of_code_without_a_file_give_the_innermost_function():
    records = [mmap(NO_PID, 0x400000, 0x10000, "/tmp/program"), comm(NO_PID, "task"),
               sample(0x401010, NO_PID, 1, USER, chain() + dump(0x401010)),
               sample(KERNEL_TEXT + 16, NO_PID, 2, KERNEL, chain(CONTEXT_KERNEL, KERNEL_TEXT + 16) + dump(0x402020)),
               sample(KERNEL_TEXT + 16, NO_PID, 3, KERNEL, chain(CONTEXT_KERNEL, KERNEL_TEXT + 16) + u64(0) + u64(0))]
    path = write("dumps.data", records, [dump_attr()], {6: padded("x86_64")})
    tap.same(script_ips(path), [[0x1010], [KERNEL_TEXT + 16, 0x2020], [KERNEL_TEXT + 16]], "callchains")
    run = tap.run(TALLY, "report", "--stdio", "-i", path)
    assert "# Stacks: 2 unwound, 0.0 % complete; ended early: 100.0 % file not available" in run.stdout, run.stdout
    assert "# Hint: file not available: " in run.stdout, run.stdout
    run = tap.run(TALLY, "report", "--health", "-i", path)
    assert "# Stacks ended early: /tmp/program: 2 file not available" in run.stdout, run.stdout
    assert "Overhead" not in run.stdout, run.stdout
    stacks = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)["health"]["stacks"]
    tap.same((stacks["unwound"], stacks["whole"], stacks["no_file"]), (2, 0, 2), "stacks")
    tap.same(stacks["files"], [{"file": "/tmp/program", "end": "no_file", "stacks": 2}], "files")


def test_dumps_of_other_architectures_give_the_innermost_function():
    records = [mmap(1, 0x400000, 0x10000, "/tmp/program"), comm(1, "task"),
               sample(0x401010, 1, 1, USER, chain() + dump(0x401010))]
    path = write("dumps-s390.data", records, [dump_attr()], {6: padded("i686")})
    tap.same(script_ips(path), [[0x1010]], "callchain")
    run = tap.run(TALLY, "script", "-i", path)
    assert "1 samples have stack dumps that cannot be unwound" in run.stderr, run.stderr
    assert "# Stacks: 1 not unwound" in tap.run(TALLY, "report", "--stdio", "-i", path).stdout


# ---- losses -----------------------------------------------------------------------------------------

FORMAT_ID, FORMAT_LOST = 1 << 2, 1 << 4


def lost(count, kind=2):
    return record(kind, (u64(0, count) if kind == 2 else u64(count)) + trailer(1, 5))


def health(records, read_format):
    path = write("lost.data", [comm(1, "task"), sample(0x1000), *records], [attr(read_format=read_format)])
    text = tap.run(TALLY, "report", "--stdio", "-i", path).stdout
    told = json.loads(tap.run(TALLY, "report", "--json", "-i", path).stdout)["health"]
    return text, (told["lost_records"], told["lost_samples"])


def test_data_of_bpf_programs():
    def data(raw):
        raw += bytes(-(len(raw) + 4) % 8)
        return record(SAMPLE, u64(0x1000) + u32(1, 1) + u64(10**9, 1) + u32(len(raw)) + raw, USER)

    path = write("bpf.data", [comm(1, "task"), data(b"event 1\0"), data(b"a\x1b[31m\0"), data(bytes(range(20)))], [attr(DEFAULT_TYPE | RAW, config=10)])
    lines = tap.run(TALLY, "script", "-i", path, "-F", "ip,bpf-output", status=0).stdout.splitlines()
    assert "      BPF output: 0000: 65 76 65 6e 74 20 31 00  event 1." in lines and '      BPF string: "event 1"' in lines, lines
    assert "      BPF output: 0000: 61 1b 5b 33 31 6d 00 00  a.[31m.." in lines, lines
    assert "                  0010: 10 11 12 13              ....    " in lines and sum("BPF string" in line for line in lines) == 1, lines
    assert "BPF" not in tap.run(TALLY, "script", "-i", path, "-F", "ip", status=0).stdout
    assert "BPF string" in tap.run(TALLY, "script", "-i", path, status=0).stdout, "by default"


def test_lost_records_are_told_once():
    # The lost counts that the recorder read from the events include the samples reported in LOST records, as well as
    # losses at the end of the recording.
    text, told = health([lost(80), lost(88, 13)], FORMAT_LOST)
    tap.same(told, (88, 0), "lost")
    assert "; 88 records lost (samples, or task and mapping records)" in text, text
    assert "88 samples" not in text and "# Total Lost Records: 88\n" in text, text
    # Without lost counts from the events, samples dropped by the hardware do not count as lost records.
    text, told = health([lost(80), lost(8, 13)], 0)
    tap.same(told, (80, 8), "lost")
    assert "# Total Lost Records: 80\n# Total Lost Samples: 8\n" in text, text
    assert "# Total Lost Samples: 0\n" in health([], FORMAT_LOST)[0]


def test_lost_samples_are_counted_by_event():
    path = write("lost.data", [comm(1, "task"), sample(0x1000), lost(8, 13), lost(3, 13)], [attr()])
    half = write("half.data", [comm(1, "task"), sample(0x1000), lost(1 << 63, 13), lost(1 << 63, 13)], [attr()])
    text = tap.run(TALLY, "report", "--stdio", "-i", half).stdout
    assert f"# Total Lost Samples: {(1 << 64) - 1}\n" in text, text
    text = tap.run(TALLY, "report", "--stats", "-i", path).stdout
    assert text.endswith(" stats:\n          SAMPLE events:          1\n    LOST_SAMPLES events:         11\n"), text


def test_health_counts_what_it_says():
    def line(records, features={HOSTNAME: padded("here")}, **more):
        path = write("health.data", records, None, features, **more)
        return re.search("# Health: (.*)", tap.run(TALLY, "report", "--stdio", "-i", path).stdout).group(1)

    tap.same(line([comm(1, "task"), sample(0x1000)]), "1 sample read; 1 address without a mapping", "one")
    tap.same(line([comm(1, "task"), sample(0x1000), sample(0x2000)]), "2 samples read; 2 addresses without a mapping", "two")
    late = "the recording was not finished; its end is missing"
    tap.same(line([comm(1, "task")], unfinished=True), f"0 samples read; {late}", "unfinished")
    cut = "the recording has no features; a full disk or a size limit may have truncated it"
    tap.same(line([comm(1, "task")], None), f"0 samples read; {cut}", "cut")
    tap.same(line([comm(1, "task")]), "0 samples read", "nothing is said of nothing")


# ---- names of files, modules and threads -------------------------------------------------------------

MODULE = 0xffffffffa0000000


def rows(path, *options):
    text = tap.run(TALLY, "report", "-q", "-x", ";", "-i", path, *options).stdout
    return sorted(line.split(";")[1:] for line in text.splitlines() if line)


def test_files_are_shown_by_their_base_name():
    names = ["/usr/lib/abs.so", "lib/rel.so", "./x/dot.so", "bare.so", "[vdso]", "inode:[123]"]
    records = [comm(1, "task")]
    for number, name in enumerate(names):
        records += [mmap(1, 0x400000 + 0x10000 * number, 0x1000, name), sample(0x400010 + 0x10000 * number)]
    got = [row[0] for row in rows(write("names.data", records), "-s", "dso")]
    tap.same(got, sorted(["abs.so", "rel.so", "dot.so", "bare.so", "[vdso]", "inode:[123]"]), "shared objects")


def test_modules_without_symbols_have_addresses_of_their_own():
    ips = (MODULE + 0x1234, MODULE + 0x101234)
    path = write("modules.data", [
        mmap(0xffffffff, KERNEL_TEXT, 0x100000, "[kernel.kallsyms]_text", misc=KERNEL, pgoff=KERNEL_TEXT),
        mmap(0xffffffff, MODULE, 0x10000, "/lib/modules/none/kernel/no-such.ko", misc=KERNEL),
        mmap(0xffffffff, MODULE + 0x100000, 0x10000, "[neither]", misc=KERNEL), comm(1, "task"),
        sample(ips[0], 1, 1, KERNEL, chain(CONTEXT_KERNEL, *ips))], [attr(IP | TID | TIME | PERIOD | CALLCHAIN)])
    empty = os.path.join(WORK, "empty")
    os.makedirs(empty, exist_ok=True)
    text = tap.run(TALLY, "report", "--stdio", "-i", path, "--symfs", empty).stdout
    assert re.search(r"100.00% +100.00% +task +\[no_such\] +\[k\] 0x0000000000001234", text), text
    assert re.search(r"100.00% +0.00% +task +\[neither\] +\[k\] 0x0000000000001234", text), text
    assert f"---0x{ips[1]:016x}\n" in text, text


def test_a_thread_gets_its_name_when_it_comes():
    path = write("late.data", [
        mmap(7, 0x400000, 0x1000, "/tmp/x"), sample(0x400010, 7, 1), sample(0x400010, 8, 2), comm(7, "late", 3),
        sample(0x400010, 7, 4), comm(7, "second", 5), sample(0x400010, 7, 6), sample(0x400010, 9, 7)],
        [attr(IP | TID | TIME | PERIOD)])
    tap.same([row[::-1] for row in rows(path, "-s", "comm", "-n")],
             sorted([[":8", "1"], [":9", "1"], ["late", "2"], ["second", "1"]], key=lambda row: row[::-1]), "commands")
    lines = tap.run(TALLY, "script", "-F", "comm", "-i", path).stdout.split()
    tap.same(lines, [":7", ":8", "late", "second", ":9"], "script shows who it was then")


def test_traces_are_a_sort_key():
    path = write("no-traces.data", [comm(1, "task"), sample(0x1000)])
    tap.same(rows(path, "-s", "trace"), [["N/A"]], "of events that are no tracepoints")
    run = tap.run(TALLY, "top", "-s", "trace", "--stdio")
    assert run.returncode and "trace" in run.stderr, run.stderr


# ---- counts ------------------------------------------------------------------------------------------

def count(identity, cpu, thread, value):
    return record(76, u64(identity) + u32(cpu, thread) + u64(value, value + 1, value + 2))


def test_counts_of_stat_record_are_a_table():
    # Use a stream, which contains attrs with their IDs.
    path = os.path.join(WORK, "stat.pipe")
    threads = record(73, u64(2, 500) + b"a".ljust(16, b"\0") + u64(501) + b"b".ljust(16, b"\0"))
    with open(path, "wb") as file:
        file.write(b"PERFILE2" + u64(16))
        for number in (0, 1):
            file.write(record(64, attr(ID, config=number) + u64(10 + number)))
        file.write(threads + count(11, -1, 0, 1) + count(10, -1, 1, 3) + count(10, -1, 0, 2) + count(99, 0, 0, 0))
        file.write(record(77, u64(0, 7000)) + count(10, -1, 0, 9) + record(77, u64(1, 8000)))
    lines = [line.split() for line in tap.run(TALLY, "script", "-i", path).stdout.splitlines()]
    tap.same(lines[0], ["CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT"], "heading")
    tap.same([line[:-1] for line in lines[1:]], [
        ["-1", "500", "2", "3", "4", "7000"], ["-1", "501", "3", "4", "5", "7000"],
        ["-1", "500", "1", "2", "3", "7000"], ["-1", "500", "9", "10", "11", "8000"]], "counts")


def test_counts_that_are_incomplete_are_told():
    path = os.path.join(WORK, "cut.pipe")

    def script(*records):
        with open(path, "wb") as file:
            file.write(pipe_bytes([header_attr(attr(), [7]), *records]))
        run = tap.run(TALLY, "script", "-i", path)
        return [line.split()[:-1] for line in run.stdout.splitlines()[1:]], run.stderr

    lines, err = script(count(7, 0, 0, 42))
    tap.same(lines, [["0", "-1", "42", "43", "44", "-"]], "a round without its end")
    assert "the last round is unfinished" in err, err
    # The final counts from perf stat record -I do not belong to an interval, and perf does not print them either.
    lines, err = script(count(7, 0, 0, 1), record(77, u64(0, 9)), count(7, 0, 0, 42))
    tap.same((lines, err), ([["0", "-1", "1", "2", "3", "9"]], ""), "behind the last interval")
    lines, err = script(count(8, 0, 0, 42), count(7, 0, 0, 1), count(9, 0, 0, 42), record(77, u64(0, 9)))
    tap.same(len(lines), 1, "counts of events")
    assert "skipped 2 counts of unknown events" in err and "round" not in err, err
    _, err = script(record(76, u64(7)), record(77, b""))
    assert "skipped 2 count records that are too short" in err, err
    tap.same(script(count(7, 0, 0, 1), record(77, u64(0, 9)))[1], "", "stderr of a whole one")


# ---- growing recordings ------------------------------------------------------------------------------

def shown_so_far(enough, *args):
    """Run script on three rounds, and keep its input open. Return its output once `enough` has been printed."""
    rounds = [sample(0x400000 + at, 7, at) + record(FINISHED_ROUND, b"", pad=False) for at in (16, 32, 48)]
    records = [header_attr(attr()), comm(7, "p", 1), *rounds]
    process = subprocess.Popen([TALLY, "script", "-i", "-", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        process.stdin.write(pipe_bytes(records))
        process.stdin.flush()
        text = b""
        while not enough(text) and select.select([process.stdout], [], [], 60)[0]:
            text += os.read(process.stdout.fileno(), 1 << 16)
        return text.decode()
    finally:
        process.communicate()


def test_continuous_rounds_are_printed_immediately():
    """Test rounds that arrive continuously, without pauses."""
    round_end = record(FINISHED_ROUND, b"", pad=False)
    with subprocess.Popen([TALLY, "script", "-i", "-", "-F", "ip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(pipe_bytes([header_attr(attr())]))
        for at in range(1, 2000):
            process.stdin.write(sample(0x400000 + at, 7, at) + round_end)
            process.stdin.flush()
            if select.select([process.stdout], [], [], 0.03)[0]:
                break
        process.communicate()
    assert 3 <= at < 1999, at


def written_to_a_full_disk(*option):
    """Write to a full disk, and keep the input open. Return the exit status and the messages. The test gives up after a
    minute."""
    many = b"".join(sample(0x400000 + at, 7, at) + record(FINISHED_ROUND, b"", pad=False) for at in range(1, 40))
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = subprocess.Popen([TALLY, "script", "-i", "-", *option], stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE)
    try:
        process.stdin.write(pipe_bytes([header_attr(attr())]))
        for _ in range(600):
            process.stdin.write(many)
            process.stdin.flush()
            time.sleep(0.1)
        raise AssertionError("it goes on")
    except BrokenPipeError:
        return process.wait(60), process.stderr.read().decode()
    finally:
        process.kill()


def test_output_that_cannot_be_written_ends_it():
    """Check that an output error is reported once, and that script exits at the next record."""
    for option in ("-F", "ip"), ("-D",), ("--dump-json",):
        tap.same(written_to_a_full_disk(*option), (1, "tally: cannot write the output: No space left on device\n"), option)


def test_prints_records_before_it_waits_for_input():
    tap.same(shown_so_far(lambda text: b"\n" in text, "-F", "ip").split(), ["400010"], "samples before the last two rounds")
    for option in ("-D", "--dump-json"):
        text = shown_so_far(lambda text: text.count(b"FINISHED_ROUND") >= 3, option)
        assert text.count("FINISHED_ROUND") >= 3, text


# ---- tracepoint formats ------------------------------------------------------------------------------

def data_source(op=1, level=1, snoop=1, lock=1, tlb=1, number=0, remote=0, more_snoop=0, block=1, hops=0):
    return (op | level << 5 | snoop << 19 | lock << 24 | tlb << 26 | number << 33 | remote << 37 | more_snoop << 38 |
            block << 40 | hops << 43)


# Output of perf 6.1, except for levels 5, 6 and 8, which have names in newer versions.
SOURCES = {
    0: "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A",
    0x68100142: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A",
    data_source(): "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(op=4, level=2 | 1 << 7, lock=2): "|OP STORE|LVL Local RAM hit|SNP N/A|TLB N/A|LCK Yes|BLK  N/A",
    data_source(op=8, level=4 | 1 << 10): "|OP PFETCH|LVL Remote Cache (1 hop) miss|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(op=16, level=2 | 8 | 32): "|OP EXEC|LVL L1 or L2 hit|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(op=6): "|OP LOAD|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(level=2, number=3, remote=1): "|OP N/A|LVL Remote L3 hit|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(number=13): "|OP N/A|LVL N/A or RAM|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(level=2, number=5): "|OP N/A|LVL L2 MHB hit|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(number=1, hops=3, remote=1): "|OP N/A|LVL Remote socket, same board L1|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(number=1, hops=7): "|OP N/A|LVL 7 hops L1|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
    data_source(snoop=18, more_snoop=3): "|OP N/A|LVL N/A|SNP None or HitM or Fwd or Peer|TLB N/A|LCK N/A|BLK  N/A",
    data_source(tlb=2 | 4 | 32 | 64): "|OP N/A|LVL N/A|SNP N/A|TLB Walker or Fault hit miss|LCK N/A|BLK  N/A",
    data_source(block=6): "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  Data Addr",
    data_source(block=7): "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
}


def test_data_sources_are_words():
    """Check that perf's words follow the number, and that later columns are aligned after the longest text so far."""
    path = write("sources.data", [comm(7, "p", 1)] + [sample(0x400010, 7, 10 + at, more=u64(source)) for at, source in enumerate(SOURCES)],
                 attrs=[attr(sample_type=DEFAULT_TYPE | 1 << 15)])
    text = tap.run(TALLY, "script", "-i", path, "-F", "data_src", status=0).stdout
    tap.same([line.rstrip() for line in text.splitlines()], [f"{source:16x} {words}" for source, words in SOURCES.items()], "words")
    lines = tap.run(TALLY, "script", "-i", path, "-F", "data_src,ip", status=0).stdout.splitlines()
    assert [line.index("400010") for line in lines] == sorted(line.index("400010") for line in lines), lines
    worst = write("ones.data", [sample(0x400010, 7, 1, more=u64(2**64 - 1))], attrs=[attr(sample_type=DEFAULT_TYPE | 1 << 15)])
    tap.run(TALLY, "script", "-i", worst, "-F", "data_src", status=0)


def test_the_first_format_of_an_id_is_the_one():
    first, second = (trace_format(name, 900, f'"{name} text %d", REC->{name}_x', f"{name}_x")
                     for name in ("first", "second"))
    path = os.path.join(WORK, "twice.data")
    with open(path, "wb") as file:
        file.write(traced_file(traced(900, 7), first, second))
    tap.same(tap.run(TALLY, "script", "-F", "event,trace", "-i", path).stdout.split(),
             ["sys:first:", "first", "text", "7"], "name and text")
    tap.same([row[0] for row in rows(path, "-s", "trace")], ["first text 7"], "row")
    tap.same(tap.run(TALLY, "evlist", "--trace-fields", "-i", path).stdout, "sys:first: trace_fields: first_x\n", "fields")


tap.main(__name__)
