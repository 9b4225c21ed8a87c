#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""script: --switch-on and --switch-off, --stop-bt, --per-event-dump, and the instruction at a sample's address.

usage: selections.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("selections")


def written(name, data):
    return crafted.write(WORK, name, data)


def script(*words, status=0):
    done = tap.run(TALLY, "script", *words)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def ips(data, *words):
    return script("-i", data, "-F", "ip", *words).stdout.split()


def test_addresses():
    """Select samples by address, by a range of addresses, and by the start of a function."""
    data = written("addresses.data", crafted.file_bytes(
        [crafted.record(crafted.SAMPLE, u64(ip) + crafted.u32(1, 1) + u64(10**9, 1), crafted.USER) for ip in (0x1000, 0x1008, 0x1010, 0xadd)],
        [crafted.attr(crafted.DEFAULT_TYPE)]))
    assert ips(data, "-S", "0x1008") == ["1008"]
    assert ips(data, "-S", "add,1000") == ["1000", "add"], "without 0x"
    assert ips(data, "-S", "0x1000", "--addr-range", "16") == ["1000", "1008"], "the end is not part of the range"
    assert ips(data, "-S", "0x1009", "--addr-range", "0xffffffffffffffff") == ["1010"], "a range to the end of the address space"
    assert ips(data, "-S", "main,-1000,0x10000000000001008") == [], "not addresses"
    assert "requires addresses" in script("-i", data, "--addr-range", "16", status=129).stderr


def test_the_start_of_a_function():
    """Test that the address of a function selects all samples in it."""
    machine.need_events()
    machine.need_compiler("cc")
    program = steps.build(os.path.join(WORK, "prog"), """
volatile unsigned long sum;
__attribute__((noinline)) void first(void) { for (int i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void second(void) { for (int i = 0; i < 1000; i++) sum ^= i; }
int main(void) { for (int i = 0; i < 100000; i++) { first(); second(); } }
""", "-O1", "-no-pie", "-fno-pie")
    data = os.path.join(WORK, "prog.data")
    tap.run(TALLY, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", data, program, status=0)
    names = {name: address for address, _, name in (line.split() for line in tap.run("nm", program, status=0).stdout.splitlines() if len(line.split()) == 3)}
    for name in ("first", "second"):
        found = ips(data, "-F", "ip,sym", "-S", "0x" + names[name])
        assert found and set(found[1::2]) == {name}, (name, found)
        assert found == ips(data, "-F", "ip,sym", "-S", name)


def two_events(names=("a", "b/x")):
    """Samples of two events, of the first at even times and of the second at odd times, from 0 to 5."""
    samples = [crafted.of_event(10 + time % 2, 0x1000 + time, time=time * 10**9) for time in range(6)]
    return crafted.events_bytes([(names[0], 0), (names[1], 2)], samples)


def times(*words):
    path = written("two.data", two_events())
    return "".join(line.split(".")[0].strip() for line in script("-i", path, "-F", "time", *words).stdout.splitlines())


def test_events_switch_samples_on_and_off():
    tap.same(times(), "012345", "all")
    tap.same(times("--switch-on", "b/x"), "2345", "on")
    tap.same(times("--switch-on", "b/x", "--show-on-off-events"), "12345", "on, shown")
    tap.same(times("--switch-off", "b/x"), "0", "off")
    tap.same(times("--switch-on", "a", "--switch-off", "b/x"), "", "on and off")
    tap.same(times("--switch-on", "a", "--switch-off", "b/x", "--show-on-off-events"), "012345", "on and off, shown")
    path = written("two.data", two_events())
    for command in ("script", "report"):
        done = tap.run(TALLY, command, "-i", path, "--switch-on", "c")
        assert done.returncode == 1 and "has no event 'c'" in done.stderr, done.stderr
    rows = tap.run(TALLY, "report", "--stdio", "-q", "-n", "-x", ";", "-s", "comm", "-i", path, "--switch-on", "b/x", status=0).stdout
    tap.same([line.split(";")[1].strip() for line in rows.splitlines() if line], ["2", "2"], "rows")


def test_counts_of_groups_are_relative_to_samples_that_are_left_out():
    path = os.path.abspath(__file__).rpartition("/cli/")[0] + "/fixtures/perfdata/perf61/leader.data"

    def lines(*words):
        return script("-i", path, "-F", "time,event,period", *words).stdout.splitlines()
    every = lines()
    half = lines("--time", "50%-100%")
    assert 0 < len(half) < len(every), (len(half), len(every))
    tap.same(half, every[-len(half):], "the second half")
    tap.same(lines("--switch-on", "cpu-clock"), every[1:], "from the first event on")
    tap.same(lines("--switch-on", "page-faults"), every[next(at for at, line in enumerate(every) if "page-faults" in line) + 1:], "from a member on")


def test_each_event_has_a_file():
    path = written("two.data", two_events())
    done = script("-i", path, "--per-event-dump", "-F", "time")
    assert not done.stdout and "3 samples: " in done.stderr, done
    got = {}
    for name in ("a", "b_x"):
        with open(f"{path}.{name}.dump", encoding="ascii") as file:
            got[name] = "".join(line.split(".")[0].strip() for line in file)
    tap.same(got, {"a": "024", "b_x": "135"}, "files")
    script("-i", path, "--per-event-dump", "-F", "time")
    with open(path + ".a.dump", "wb") as file:
        file.write(b"\x7fELF" + bytes(100))
    done = script("-i", path, "--per-event-dump", status=1)
    assert "refusing to replace" in done.stderr, done.stderr
    script("-i", path, "--per-event-dump", "--force", "-F", "time")
    os.unlink(path + ".a.dump")
    for make in (os.mkfifo, lambda name: os.symlink(path + ".b_x.dump", name)):
        make(path + ".a.dump")
        done = script("-i", path, "--per-event-dump", "--force", status=1)
        assert "which is not a regular file" in done.stderr, done.stderr
        os.unlink(path + ".a.dump")


def test_a_file_that_cannot_be_written_is_reported():
    path = written("large.data", crafted.file_bytes([crafted.sample(0x10, time=at) for at in range(20000)], [crafted.attr()]))
    done = tap.run("sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh", TALLY, "script", "-i", path, "--per-event-dump", env=tap.without_leaks())
    assert done.returncode == 1 and "File too large" in done.stderr and done.stderr.count("cannot write") == 1, done
    assert not any(name.startswith("large.data.") for name in os.listdir(WORK)), os.listdir(WORK)


def test_events_with_one_name():
    path = written("same.data", two_events(("../x", "../x")))
    script("-i", path, "--per-event-dump", "-F", "time")
    tap.same(sorted(name for name in os.listdir(WORK) if name.startswith("same.data.")),
             ["same.data..._x.2.dump", "same.data..._x.dump"], "files")


def test_callchains_end_at_a_function():
    start = 0xffffffff81000000
    names = written("kallsyms", "".join(f"{start + at * 0x100:x} T {name}\n" for at, name in enumerate(("x", "y", "z", "end"))).encode())
    chain = [start + 0x10, start + 0x110, start + 0x210]
    parts = [crafted.mmap(-1, start, 0x1000, "[kernel.kallsyms]_text", misc=crafted.KERNEL, pgoff=start),
             crafted.sample(chain[0], misc=crafted.KERNEL, more=u64(4, crafted.CONTEXT_KERNEL, *chain))]
    path = written("chain.data", crafted.file_bytes(parts, [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN)]))

    def shown(*words):
        return script("-i", path, "--kallsyms", names, "-F", "ip,sym", *words).stdout.split()[1::2]
    tap.same(shown(), ["x", "y", "z"], "all")
    tap.same(shown("--stop-bt", "y"), ["x", "y"], "y")
    tap.same(shown("--stop-bt", "no,x"), ["x"], "x")


def test_stackcollapse_counts_samples():
    path = written("folded.data", crafted.file_bytes([crafted.comm(1, "x"), *(crafted.sample(0x10, time=at, period=7) for at in range(5))], [crafted.attr()]))
    tap.same(script("-i", path, "stackcollapse").stdout, "x;[unknown] 5\n", "samples")
    folded = tap.run(TALLY, "report", "-i", path, "--format", "folded", status=0).stdout
    tap.same(folded, "x;[unknown] 35\n", "periods")


def test_scripts_that_are_exports():
    path, page = written("two.data", two_events()), os.path.join(WORK, "flamegraph.html")
    for words in (["report", "flamegraph"], ["flamegraph"]):
        done = tap.run(TALLY, "script", "-i", path, *words, cwd=WORK)
        assert done.returncode == 0, done.stderr
        with open(page, encoding="utf-8") as file:
            assert file.read(15) == "<!DOCTYPE html>"
    for name, form in (("stackcollapse", "folded-samples"), ("gecko", "firefox")):
        for filters in ([], ["--time", "1,3"]):
            tap.same(script(name, "-i", path, *filters).stdout,
                     tap.run(TALLY, "report", "--format", form, "-i", path, *filters, status=0).stdout, name)
    done = script("gecko", "more-words", status=129)
    assert "takes no arguments, such as 'more-words'" in done.stderr, done.stderr
    text = script("-l").stdout
    assert "flamegraph " in text and "syscall-counts " in text, text


def test_instructions():
    machine.need_perf()
    path = os.path.join(WORK, "code.data")
    done = tap.run(TALLY, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", path, "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
    if done.returncode:
        raise tap.Skip("this machine does not record cpu-clock")
    ours = script("-i", path, "-F", "ip,insnlen,insn")
    if "instructions cannot be decoded" in ours.stderr:
        raise tap.Skip("instructions cannot be decoded on this machine")
    theirs = tap.run("perf", "script", "-i", path, "-F", "ip,insnlen,insn").stdout.splitlines()
    got = ours.stdout.splitlines()
    if not any("insn:" in line for line in theirs):
        raise tap.Skip("perf does not print instructions on this machine")
    assert len(got) > 10 and len(got) == len(theirs), (len(got), len(theirs))
    equal = sum(" ".join(one.split()) == " ".join(two.split()) for one, two in zip(got, theirs))
    assert equal >= len(got) * 9 // 10, [pair for pair in zip(got, theirs) if pair[0].split() != pair[1].split()][:5]
    text = script("-i", path, "-F", "ip,disasm").stdout
    assert sum("\t" in line for line in text.splitlines()) > 10, text[:500]


def test_fields_must_be_given():
    data = written("plain.data", crafted.file_bytes([crafted.sample(0x10)], [crafted.attr()]))
    assert "option '-F' requires a field" in script("-i", data, "-F", "", status=1).stderr
    for words, needed in (("ip,symoff", "sym"), ("comm,srcline", "ip"), ("comm,srccode", "ip"), ("sw:ip,symoff", "sym")):
        assert f"requires '{needed}'" in script("-i", data, "-F", words, status=1).stderr, words
    # Missing fields are an error before any sample is read, unless they are requested for one kind of event.
    assert "have no CPU" in script("-i", data, "-F", "cpu,ip", "-S", "none", status=1).stderr
    done = script("-i", data, "-F", "sw:cpu,ip")
    assert "have no CPU, so 'cpu' is not shown" in done.stderr and "10" in done.stdout, done
    done = script("-i", data, "-F", "ip,brstack")
    assert "have no BRANCH_STACK, so 'brstack' is not shown" in done.stderr and "10" in done.stdout, done
    path = written("trace.data", crafted.file_bytes(
        [crafted.record(crafted.SAMPLE, u64(0x10) + crafted.u32(1, 1) + u64(9, 1, 2, crafted.CONTEXT_USER, 0x10), crafted.USER)],
        [crafted.attr(crafted.DEFAULT_TYPE | crafted.CALLCHAIN, kind=2)]))
    shown = script("-i", path).stdout
    assert shown.count("\n") > 2, shown
    for words in ("+flags", "-flags", "+ip"):
        tap.same(script("-i", path, "-F", words).stdout.count("\n"), shown.count("\n"), f"callchains of tracepoints with {words}")
    for words in ("-ip", "comm,time", "+misc"):
        tap.same(script("-i", path, "-F", words).stdout.count("\n"), 1, f"no callchains with {words}")
    tap.same(script("-i", data, "-F", "trace:").stdout, script("-i", data).stdout, "fields of other events")


tap.main(__name__)
