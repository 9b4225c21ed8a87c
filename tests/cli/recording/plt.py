#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that stubs in the procedure linkage table have names in all sections.

usage: plt.py TALLY

objdump prints the function for each stub. perf 6.1 names only stubs in .plt, and not always. For .plt.sec it prints
[unknown]; for .plt.got, and sometimes for .plt, it prints the preceding symbol that has no size, as in _init+0x30.
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = sys.argv[1]
OBJDUMP = shutil.which("objdump")
WORK = tap.workplace("plt")

PIE_BASE = 0x555555554000  # load address on x86-64 Linux without address randomization

SOURCE = """
#include <stdlib.h>
int (*volatile pointer)(int);
volatile int sum;
int main(int argc, char **argv)
{
	unsigned int seed = 1;

	POINTER;
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 40000000); i++)
		sum += abs(i) + rand_r(&seed);
	return 0;
}
"""


def build(name, pointer, *flags):
    machine.need_tool("objdump", "--version")
    if os.uname().machine != "x86_64":
        raise tap.Skip("not an x86-64 machine")
    return steps.build(os.path.join(WORK, name), SOURCE.replace("POINTER", pointer), "-O1", "-fno-builtin", "-D_GNU_SOURCE", *flags,
                       needs=flags)


def stubs(program, section):
    """Return the names of stubs by their start and end offsets in the page. A program this small has one page of
    code."""
    header = tap.run(OBJDUMP, "-h", "-j", section, program).stdout
    size, begin = next((map(lambda hexed: int(hexed, 16), found) for found in
                        re.findall(r" " + re.escape(section) + r" +([0-9a-f]+) +([0-9a-f]+) ", header)), (0, 0))
    listing = tap.run(OBJDUMP, "-d", "-j", section, program).stdout
    found = [(int(at, 16), name) for at, name in re.findall(r"^([0-9a-f]+) <(\S+@plt)>:$", listing, re.M)]
    ends = [at for at, _ in found[1:]] + [begin + size]
    assert all(0x1000 <= at < end < 0x2000 for (at, _), end in zip(found, ends)), listing
    return {(at & 0xfff, end & 0xfff): name for (at, name), end in zip(found, ends)}


def samples(path, program):
    """Return the samples in the program as (offset in the page, symbol with its offset)."""
    lines = tap.run(TALLY, "script", "-i", path, "-F", "ip,sym,symoff,dso").stdout
    return [(int(at, 16) & 0xfff, symbol)
            for at, symbol in re.findall(r"^\s*([0-9a-f]+) (.*) \(" + re.escape(program) + r"\)$", lines, re.M)]


def sampled(program):
    """Return the samples taken by a timer, anywhere in the program."""
    return samples(steps.record(program + ".data", "-q", "-e", "task-clock:u", "-F", "4999", "--", program), program)


def stopped_at(program, stub):
    """Return the samples taken at a breakpoint, because timer samples may never hit a stub of one instruction. Return
    no samples if breakpoints do not fire or programs cannot have fixed addresses."""
    if machine.need_hardware_breakpoints.reason() or machine.need_tool.reason("setarch", "-R", "true"):
        return []
    path = program + ".break"
    tap.run("setarch", "-R", TALLY, "record", "-q", "-o", path, "-e", f"mem:{PIE_BASE + stub:#x}:x:u", "-c", "10",
            "--", program, 1000, status=0)
    return samples(path, program)


def check(program, section):
    known = stubs(program, section)
    if not known:
        raise tap.Skip(f"the linker made no {section}")
    met = 0
    called = [0x1000 + start for (start, _), name in known.items() if name in ("abs@plt", "rand_r@plt")]
    assert called, known
    for at, symbol in sampled(program) + [one for stub in called for one in stopped_at(program, stub)]:
        for (start, end), name in known.items():
            if start <= at < end:
                tap.same(symbol, f"{name}+0x{at - start:x}", f"a sample at {at:x}")
                met += 1
    if not met:  # timer samples never hit a single-instruction stub
        machine.need_hardware_breakpoints()
        machine.need_tool("setarch", "-R", "true")
    assert met, f"no sample in {section}"


def test_plt():
    check(build("lazy", "", "-fcf-protection=none", "-Wl,-z,lazy"), ".plt")


def test_plt_sec():
    check(build("ibt", "", "-fcf-protection", "-Wl,-z,ibtplt,-z,lazy"), ".plt.sec")


def test_plt_sec_bound_at_start():
    check(build("ibtnow", "", "-fcf-protection", "-Wl,-z,ibtplt,-z,now"), ".plt.sec")


def test_plt_sec_stripped():
    check(build("stripped", "", "-s", "-fcf-protection", "-Wl,-z,ibtplt,-z,lazy"), ".plt.sec")


def test_plt_got():
    check(build("got", "pointer = abs", "-fcf-protection=none", "-Wl,-z,lazy"), ".plt.got")


def test_plt_got_with_ibt():
    check(build("gotibt", "pointer = abs, pointer = (void *)rand_r", "-fcf-protection", "-Wl,-z,ibtplt"), ".plt.got")


tap.main(__name__)
