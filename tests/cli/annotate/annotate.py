#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Annotated functions beside perf's, and sources and names that are not meant well.

Recordings are made byte by byte, with samples at every instruction, so that shares are the same on any machine.

usage: annotate.py TALLY
"""
import json
import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("annotate")
START, KERNEL_START = 0x400000, 0xffffffff81000000
MOVED = 0x1c00000  # where the kernel was at boot, behind where it was linked to be
PID = 4194304 + os.getpid()  # nobody's
SOURCE = """
#include <algorithm>
#include <string>
#include <vector>
volatile unsigned long total;
static inline __attribute__((always_inline)) unsigned long mix(unsigned long n)
{
	return n * 31 ^ n >> 7;
}
__attribute__((noinline)) unsigned long spin(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += mix(i);
	return sum;
}
__attribute__((noinline)) void sorted(std::vector<std::string> &names)
{
	std::sort(names.begin(), names.end(),
		  [](const std::string &a, const std::string &b) { return a.size() < b.size(); });
}
int main(int argc, char **argv)
{
	std::vector<std::string> names(argv, argv + argc);

	sorted(names);
	total += spin((unsigned long)argc);
	return 0;
}
"""
KERNEL_SOURCE = """
int _text(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i ^ n;
	return sum;
}
int sys_work(int n)
{
	return n ? _text(n) + 1 : 2;
}
"""
INSN = re.compile(r"^ *([0-9]+\.[0-9]{2})((?: +[0-9]+\.[0-9]{2})*) : +([0-9a-f]+): ")
HEADING = re.compile(r"^ (?:Percent|Samples|Period) +\|\tSource code & Disassembly of (\S+) for .* \((\d+) samples")
os.environ["PERF_BUILDID_DIR"] = os.path.join(WORK, "none")


def at(name):
    return os.path.join(WORK, name)


def write_file(path, data):
    """As if it was recorded after the program was built, which tests build anew."""
    with open(path, "wb") as file:
        file.write(data)
    later = time.time() + 3600
    os.utime(path, (later, later))


def compile_program(name, source, *options, compiler="c++"):
    tool = shutil.which(compiler)
    for program in (compiler, "objdump", "nm"):
        machine.need_tool(program, "--version")
    if "x86_64" not in os.uname().machine:
        raise tap.Skip("code is compared on x86-64")
    machine.need_built_with("disassembler")
    path = at(f"{name}.{'cc' if compiler == 'c++' else 'c'}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    tap.run(tool, "-O2", "-g", "-o", at(name), path, *options, status=0)
    return path


def instructions(program):
    """Where each instruction is that binutils sees in the program's functions."""
    lines = tap.run("objdump", "-d", "--no-show-raw-insn", "-j", ".text", program).stdout.splitlines()
    return [int(found.group(1), 16) for found in (re.match(r" *([0-9a-f]+):\t", line) for line in lines) if found]


def weights(addrs):
    """Some number of samples, none for many, that look like chance, and the same each time."""
    return [(addr, period) for addr in addrs for period in range(1, (addr * 2654435761 >> 7) % 5)]


def recording(name="program", data="perf.data"):
    """The C++ program, with samples all over it."""
    path = compile_program(name, SOURCE, "-no-pie", "-fno-pie")
    size = os.path.getsize(at(name))
    records = [mmap(PID, START, size, at(name)), comm(PID, "program")]
    for number, (addr, period) in enumerate(weights(instructions(at(name))), 1):
        records.append(sample(addr, PID, number, period=period))
    write_file(at(data), file_bytes(records))
    return path


def tally(*options, data="perf.data", **wanted):
    return tap.run(TALLY, "annotate", "-i", at(data), *options,
                   env={**os.environ, "TALLY_INDEX": "off", "XDG_CACHE_HOME": WORK}, **{"status": 0, **wanted})


def functions(text):
    """Of each function, by its file and first address: how many samples, and the share of each address. Without those
    that are named for their start, of which perf knows nothing."""
    found, current = {}, None
    for line in text.splitlines():
        heading, insn = HEADING.match(line), INSN.match(line)
        if heading:
            current = (heading.group(1), int(heading.group(2)), {})
        elif re.search(r" <fn@[0-9a-f]+>:$", line):
            current = None
        elif insn and current:
            addr = int(insn.group(3), 16)
            if not current[2]:
                found[current[0], addr] = current
            current[2][addr] = insn.group(1) + insn.group(2)
    return {key: (value[1], value[2]) for key, value in found.items()}


def perf(*options, data="perf.data"):
    machine.need_perf()
    done = tap.run("perf", "annotate", "--stdio", "-i", at(data), *options, stdin=-3)
    found = functions(done.stdout)
    if not found:
        raise tap.Skip(f"this perf annotates nothing: {done.stderr[:200]}")
    return found


def compare(*options, data="perf.data", nr_functions=1):
    """Every instruction of every function has perf's share; what one side does not decode, of padding, has none."""
    theirs, ours = perf(*options, data=data), functions(tally(*options, data=data).stdout)
    shared = 0
    for key, (samples, shares) in theirs.items():
        assert key in ours, f"{options}: {key} is missing"
        tap.same(ours[key][0], samples, f"{options}: samples of {key}")
        for addr in set(shares) | set(ours[key][1]):
            got, want = ours[key][1].get(addr), shares.get(addr)
            both = {got, want} - {None}
            assert got == want or (None in (got, want) and not float(both.pop().split()[0])), (
                f"{options}: {key}: {addr:x}: got {got}, wanted {want}")
            shared += got == want
    assert len(theirs) >= nr_functions and shared > 10 * nr_functions, (len(theirs), shared)


def test_shares_are_perfs():
    recording()
    for kind in ("local-period", "local-hits", "global-period"):
        compare("--percent-type", kind, nr_functions=3)


def test_shares_of_all_samples():
    """Of which perf 6.1 says 0.00."""
    recording()
    shares = functions(tally("--percent-type", "global-hits").stdout).values()
    counts = functions(tally("--percent-type", "local-hits").stdout).values()
    every = sum(samples for samples, _ in counts)
    assert every > 0 and len(shares) == len(counts), (every, len(shares), len(counts))
    for (samples, of_all), (_, of_own) in zip(shares, counts):
        for addr, share in of_own.items():
            assert abs(float(of_all[addr]) - float(share) * samples / every) < 0.011, (hex(addr), share)


@tap.always
def test_the_heaviest_function_comes_first():
    recording()
    samples = [value[0] for value in functions(tally().stdout).values()]
    assert len(samples) > 1 and samples == sorted(samples, reverse=True) and samples[0] > samples[-1], samples


def test_one_function_has_perfs_shares():
    recording()
    compare("-s", "spin")


def test_kernel_has_perfs_shares():
    """An image of the kernel is linked to be elsewhere than where it ran; both show where it was linked."""
    compile_program("vmlinux", KERNEL_SOURCE, "-nostdlib", "-static", "-no-pie", "-fno-pic", "-mcmodel=kernel", "-ffreestanding",
                    f"-Wl,-Ttext={KERNEL_START:#x},-e,_text,--build-id=none", compiler="cc")
    addrs = instructions(at("vmlinux"))
    size = addrs[-1] - KERNEL_START + 0x1000
    name = next(int(line.split()[0], 16) for line in tap.run("nm", at("vmlinux")).stdout.splitlines() if line.endswith(" _text"))
    records = [mmap(-1, name + MOVED, size, "[kernel.kallsyms]_text", pgoff=name + MOVED, misc=KERNEL), comm(PID, "program")]
    for number, (addr, period) in enumerate(weights(addrs), 1):
        records.append(sample(addr + MOVED, PID, number, KERNEL, period=period))
    write_file(at("kernel.data"), file_bytes(records))
    ours = functions(tally("-k", at("vmlinux"), data="kernel.data").stdout)
    assert len(ours) == 2, ours
    want = {addr for addr, _ in weights(addrs)}
    got = {addr for _, shares in ours.values() for addr, share in shares.items() if float(share)}
    assert got == want, (got ^ want)
    compare("-k", at("vmlinux"), data="kernel.data", nr_functions=1)


def test_kernel_without_an_image():
    records = [mmap(-1, KERNEL_START, 0x100000, "[kernel.kallsyms]_text", pgoff=KERNEL_START, misc=KERNEL),
               sample(KERNEL_START + 8, PID, 1, KERNEL)]
    write_file(at("none.data"), file_bytes(records))
    with open(at("kallsyms"), "w", encoding="ascii") as file:
        file.write(f"{KERNEL_START:x} T _text\n{KERNEL_START + 0x100:x} T _next\n")
    done = tally("--kallsyms", at("kallsyms"), "--ignore-vmlinux", data="none.data", status=1)
    assert "no instructions of _text" in done.stderr and "no image of the recorded kernel" in done.stderr, done.stderr
    assert "none of the functions can be shown" in done.stderr, done.stderr
    quiet = tally("--kallsyms", at("kallsyms"), "--ignore-vmlinux", "--skip-missing", data="none.data", status=1)
    assert "no instructions" not in quiet.stderr, quiet.stderr


def test_json():
    source = recording()
    found = json.loads(tally("--json", "-s", "spin").stdout)
    assert found["version"] == 1 and len(found["functions"]) == 1 and "health" in found, found.keys()
    spin = found["functions"][0]
    insns = spin["instructions"]
    tap.same([insn["address"] for insn in insns],
             [addr for addr in instructions(at("program"))
              if insns[0]["address"] <= addr < insns[0]["address"] + spin["size"]], "addresses")
    counted = sum(event["samples"] for insn in insns for event in insn.get("events", ()))
    tap.same(counted, spin["events"][0]["samples"], "samples")
    assert abs(sum(event["percent"] for insn in insns for event in insn.get("events", ())) - 100) < 0.01
    assert any(insn.get("is_loop") for insn in insns), "no loop"
    lines = [line for insn in insns for line in insn.get("lines", ())]
    assert {line["file"] for line in lines} == {source}, lines
    assert any(line.get("inlined") == "mix" for line in lines), lines
    calls = json.loads(tally("--json", "main").stdout)["functions"][0]["instructions"]
    assert "spin" in {insn.get("target_symbol") for insn in calls if insn["kind"] == "call"}, calls


def test_the_browser_has_the_same():
    """a in tally report: the same shares by address; the loop is drawn; s hides the source; Enter follows a jump."""
    recording()
    spin = json.loads(tally("--json", "-s", "spin").stdout)["functions"][0]
    want = {insn["address"]: f"{sum(e['percent'] for e in insn.get('events', ())):.2f}" for insn in spin["instructions"]}

    def shares(lines):
        found = {}
        for line in lines[2:-2]:
            match = re.match(r"^ *(?:(\d+\.\d\d)%)? +(?:\d+\.\d\d%)? *\b([0-9a-f]{4,}) ", line)
            if match:
                found[int(match.group(2), 16)] = match.group(1) or "0.00"
        return found
    with tmux.Screen(120, 100) as screen:
        screen.type(f"{TALLY} report -i {at('perf.data')}")
        screen.press("Enter")
        screen.until(lambda s: s[-1].startswith(" h Help"), "the browser")
        screen.press("2")
        screen.type("gspin")
        screen.press("Enter", "a")
        lines = screen.until(lambda s: s[0].startswith("annotate: ") and "spin" in s[1], "its instructions")
        got = shares(lines)
        assert got and all(float(want[addr]) == float(share) for addr, share in got.items()), (got, want)
        tap.same(set(want) - set(got), set(), "instructions that are not there")
        assert any("\u250c" in line and ">" in line for line in lines), lines
        assert any("sum += mix(i)" in line for line in lines), lines
        screen.press("s")
        screen.until(lambda s: not any("sum += mix(i)" in line for line in s), "no source")
        screen.press("2")
        screen.type(":self-sym:==main")
        screen.press("Enter", "a")
        screen.until(lambda s: s[0].startswith("annotate: ") and " main  " in s[1], "its caller")
        screen.press(":", "Enter")
        screen.until(lambda s: not any("only self-sym" in line for line in s), "no query")
        screen.type("/spin")
        screen.press("Enter", "Enter")
        screen.until(lambda s: s[0].startswith("annotate: ") and " spin" in s[1], "what it calls")
        screen.press("Escape")
        screen.until(lambda s: s[0].startswith("annotate: ") and " main  " in s[1], "its caller again")
        screen.press("Escape")
        screen.until(lambda s: s[0].startswith("rows: "), "the rows again")


def test_source_is_between():
    recording()
    text = tally("spin").stdout
    assert re.search(r"^ +: 14 +for \(unsigned long i = 0; i < n; i\+\+\)$", text, re.M), text
    assert re.search(r"^ +: inlined: mix at program.cc:15$", text, re.M), text
    assert re.search(r"^ +: 8 +return n \* 31 \^ n >> 7;$", text, re.M), text
    assert " : 14 " not in tally("--no-source", "spin").stdout
    text = tally("-l", "spin").stdout
    assert "Sorted summary for file " + at("program") in text and "// program.cc:" in text, text
    assert f"// {at('program.cc')}:" in tally("-l", "-P", "spin").stdout


def test_recordings_with_names_of_their_own():
    """tally record stores the names and lines that samples have: of the other instructions the files are asked."""
    compile_program("itself", SOURCE.replace("(unsigned long)argc", "200000000ul"))
    texts = []
    for data, option in (("stored.data", []), ("bare.data", ["--no-symbols"])):
        steps.record(at(data), "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "auto", *option, "--", at("itself"))
        text = tally("-q", "--total", "main", data=data).stdout
        texts.append([re.sub(r"^[ 0-9.]+ :", "", line) for line in text.splitlines() if "Disassembly of" not in line])
    tap.same("\n".join(texts[0]), "\n".join(texts[1]), "main, of a recording that has names and of one that has none")
    for part in (r"call.* <.*@plt>", r"call.* <spin", r"^ \d+ "):
        assert any(re.search(part, line) for line in texts[0]), (part, texts[0])


def test_source_elsewhere():
    path = recording()
    moved = at("moved/deep")
    os.makedirs(moved + os.path.dirname(path), exist_ok=True)
    shutil.move(path, moved + path)
    assert " : program.cc:14" in tally("spin").stdout
    assert " : 14  " in tally("--prefix", moved, "spin").stdout
    flat = at("flat")
    os.makedirs(flat, exist_ok=True)
    shutil.copy(moved + path, flat)
    strip = str(path.count("/") - 1)
    assert " : 14  " in tally("--prefix", flat, "--prefix-strip", strip, "spin").stdout
    tally("--prefix-strip", "2", "spin", status=1, says="'--prefix'")


def test_sources_that_are_none():
    path = recording()
    os.unlink(path)
    os.mkfifo(path)
    assert " : program.cc:14" in tally("spin").stdout
    os.unlink(path)
    with open(path, "wb") as file:
        file.truncate(4 << 30)
    assert " : program.cc:14" in tally("spin").stdout
    os.unlink(path)
    os.mkdir(path)
    assert " : program.cc:14" in tally("spin").stdout
    os.rmdir(path)


def test_sources_that_are_hostile():
    path = recording()
    with open(path, "wb") as file:
        file.write(b"\n" * 7 + b"\x1b[2J\x07\x00 evil \xff\n" + b"\n" * 5 + b"x" * 1000000 + b"\n\tone\rtwo\n")
    text = tally("spin").stdout
    assert "\x1b" not in text and "\x07" not in text and "\\x1b[2J" in text, text[:2000]
    assert max(map(len, text.splitlines())) < 2000, "a line of a million characters"
    json.loads(tally("--json", "spin").stdout)


def test_names_that_are_hostile():
    name = "n" * 100000
    source = f'int odd(int n) __asm__("{name}");\nint odd(int n) {{ return n * 3; }}\n' \
             'int evil(int n) __asm__("\\"evil\\033[2J\\"");\nint evil(int n) { return odd(n) + 1; }\n' \
             "int main(void) { return evil(1); }\n"
    compile_program("named", source, "-no-pie", "-fno-pie", "-fno-inline", "-fno-ipa-icf", compiler="cc")
    records = [mmap(PID, START, os.path.getsize(at("named")), at("named"))]
    records += [sample(addr, PID, 1) for addr in instructions(at("named"))]
    write_file(at("named.data"), file_bytes(records))
    text = tally(data="named.data").stdout
    assert "\x1b" not in text and "evil\\x1b[2J" in text, text[-2000:]
    assert max(map(len, text.splitlines())) < 3000
    found = json.loads(tally("--json", data="named.data").stdout)
    assert name in {function["symbol"] for function in found["functions"]}


def test_a_function_that_is_too_large():
    """A symbol may say that it has a gigabyte: so much of it is shown."""
    source = 'asm(".globl large\\n.type large,@function\\nlarge: ret\\n.size large, 0x40000000\\n" \
             ".rept 0x80000\\n.byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0\\n.endr");\n'
    compile_program("large", "int main(void) { return 0; }\n" + source, "-no-pie", "-fno-pie", compiler="cc")
    place = next(int(line.split()[0], 16) for line in tap.run("nm", at("large")).stdout.splitlines() if line.endswith(" large"))
    records = [mmap(PID, START, os.path.getsize(at("large")), at("large"))]
    records += [sample(place + offset, PID, 1) for offset in (0, 1, 0x480000)]
    write_file(at("large.data"), file_bytes(records))
    shown = tally("--no-source", "large", data="large.data").stdout
    assert re.search(r"^# \d+ more bytes of it are not shown: it is too large", shown, re.M), shown[-500:]
    assert "# 1 sample is in none of them" in shown, shown[-500:]
    tap.same(sum(" : " in line for line in shown.splitlines()) // 10000, (4 << 20) // 10 // 10000, "instructions")


def test_events_beside_each_other():
    compile_program("program", SOURCE, "-no-pie", "-fno-pie")
    tails = u64(100)  # of records other than samples: their event
    records = [header_attr(attr(DEFAULT_TYPE | ID, config=number), [100 + number]) for number in (0, 1)]
    records.append(record(MMAP, u32(PID, PID) + u64(START, os.path.getsize(at("program")), 0) + text(at("program")) +
                          trailer(PID, 0) + tails, USER))
    for number, (addr, period) in enumerate(weights(instructions(at("program"))), 1):
        records.append(record(SAMPLE, u64(addr) + u32(PID, PID) + u64(number, 100 + period % 2, period), USER))
    write_file(at("two.data"), pipe_bytes(records))
    one = tally("spin", data="two.data").stdout
    assert len(re.findall(HEADING.pattern, one, re.M)) == 2 and len(set(re.findall(r"Disassembly of \S+ for (\S+) ", one))) == 2, one[:3000]
    both = tally("--group", "spin", data="two.data").stdout
    assert re.search(r" for group \{ \S+, \S+ \} \(", both), both[:500]
    shares = [line for line in both.splitlines() if INSN.match(line)]
    assert shares and all(INSN.match(line).group(2) for line in shares), both[:2000]
    samples = tally("-n", "spin", data="two.data").stdout
    assert re.search(r"^ Samples \|", samples, re.M), samples[:300]


def test_filters():
    recording()
    every = functions(tally("--skip-missing").stdout)
    assert len(every) >= 4, every.keys()
    few = functions(tally("--percent-limit", "10").stdout)
    assert 0 < len(few) < len(every) and set(few) <= set(every), few.keys()
    assert functions(tally("-d", "program").stdout) == every
    assert functions(tally("-d", at("program") + ",other").stdout) == every
    tally("-d", "other", status=1, says="pass the filters")
    half = functions(tally("--time", "0,0.0000003").stdout)
    assert sum(value[0] for value in half.values()) < sum(value[0] for value in every.values())


def test_mistakes():
    recording()
    done = tally("spim", status=1)
    assert "no samples fell in a function 'spim'" in done.stderr and "did you mean 'spin'" in done.stderr, done.stderr
    for wrong in (("--percent-type", "all"), ("-M", "masm"), ("--percent-limit", "many"), ("--stdio-color", "red")):
        assert f"not '{wrong[1]}'" in tally(*wrong, status=1).stderr
    assert "text follows" in tally("--tui", "spin").stderr
    write_file(at("empty.data"), file_bytes([comm(PID, "program")]))
    assert "has no samples" in tally(data="empty.data").stderr
    os.rename(at("program"), at("gone"))
    done = tally("spin", status=1)
    assert "no samples fell in a function 'spin'" in done.stderr or "file missing" in done.stderr, done.stderr


def test_stripped_programs_have_functions_without_names():
    """Unwind rules say where they begin and end."""
    compile_program("stripped", SOURCE, "-no-pie", "-fno-pie", "-s")
    records = [mmap(PID, START, os.path.getsize(at("stripped")), at("stripped"))]
    records += [sample(addr, PID, 1) for addr in instructions(at("stripped"))]
    write_file(at("stripped.data"), file_bytes(records))
    names = re.findall(r"<(fn@[0-9a-f]+)>:$", tally(data="stripped.data").stdout, re.M)
    assert len(names) >= 3, names
    assert f"<{names[0]}>:" in tally(names[0], data="stripped.data").stdout


def test_code_of_a_compiler_at_run_time():
    """Its dump has the code, and where it was."""
    compile_program("program", SOURCE, "-no-pie", "-fno-pie")  # or this cannot run here
    code = bytes.fromhex("31c0" "ffc0" "e8f7ff0f00" "75f5" "c3")  # xor; inc; call what is 0x100000 on; jne xor; ret
    address, callee, path = 0x7f0000001000, 0x7f0000101000, at(f"jit-{PID}.dump")
    dump = u32(0x4A695444, 1, 40, 62, 0, PID) + u64(1, 0)
    for number, (where, name) in enumerate(((address, b"made\0"), (callee, b"callee\0"))):
        body = u32(PID, PID) + u64(where, where, len(code), number) + name + code
        dump += u32(0, 16 + len(body)) + u64(5) + body
    write_file(path, dump)
    records = [mmap(PID, 0x500000, 4096, path, time=1), comm(PID, "work")]
    records += [sample(address + offset, PID, 10 + number) for number, offset in enumerate((2, 2, 9))]
    write_file(at("jit.data"), file_bytes(records))
    text = tally("made", data="jit.data").stdout
    shares = {int(found.group(3), 16): found.group(1) for found in map(INSN.match, text.splitlines()) if found}
    tap.same(shares, {address: "0.00", address + 2: "66.67", address + 4: "0.00", address + 9: "33.33",
                      address + 11: "0.00"}, "shares")
    assert f"callq  {callee:x} <callee>" in text and f"jne    {address:x} <made>" in text, text


def test_code_of_another_machine():
    """Decoded here all the same: each instruction is where the cross binutils have it."""
    compiler, objdump = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("aarch64-linux-gnu-objdump")
    if not compiler or not objdump:
        raise tap.Skip("no compiler for arm64")
    compile_program("program", SOURCE, "-no-pie", "-fno-pie")  # or this cannot run here
    tap.run(compiler, "-O2", "-g", "-c", "-x", "c", "-o", at("arm64.o"), "-", input=KERNEL_SOURCE, status=0)
    tap.run(compiler, "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0x401000,-e,_text", "-o", at("arm64"), at("arm64.o"),
            status=0)
    lines = tap.run(objdump, "-d", "--no-show-raw-insn", at("arm64")).stdout.splitlines()
    want = {int(found.group(1), 16): found.group(2)
            for found in (re.match(r" *([0-9a-f]+):\t(\S+)", line) for line in lines) if found}
    load = next(line.split() for line in tap.run("readelf", "-lW", at("arm64")).stdout.splitlines() if " R E " in line)
    offset, linked = int(load[1], 16), int(load[2], 16)
    records = [mmap(PID, linked, 0x10000, at("arm64"), pgoff=offset), comm(PID, "arm64")]
    records += [sample(addr, PID, number) for number, addr in enumerate(want, 1)]
    write_file(at("arm64.data"), file_bytes(records))
    text = tally(data="arm64.data").stdout
    insns = {int(found.group(1), 16): found.group(2) for found in re.finditer(r" : +([0-9a-f]+): +(\S+)", text)}
    assert all(want.get(addr) == "nop" for addr in set(insns) ^ set(want)), (insns, want)  # between functions
    # Capstone spells out what binutils calls by its alias.
    others = {addr: (name, want[addr]) for addr, name in insns.items() if name.replace("movz", "mov") != want[addr]}
    assert insns and not others, others
    shares = [float(found.group(1)) for found in map(INSN.match, text.splitlines()) if found]
    assert shares and all(shares), "an instruction without its sample"


if __name__ == "__main__":
    tap.main(__name__)
