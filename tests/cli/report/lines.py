#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test source lines and inlined functions in reports and scripts, with samples at every instruction of a program. The
results are compared with addr2line.

usage: lines.py TALLY
"""
import collections
import ctypes
import contextlib
import http.server
import json
import os
import re
import resource
import shutil
import sys
import threading
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("lines")
PROGRAM = os.path.join(WORK, "program")
DATA = os.path.join(WORK, "perf.data")
START = 0x400000
PID = 4194304 + os.getpid()  # an unused pid
SOURCE = """
volatile unsigned long sum;
static inline __attribute__((always_inline)) void innermost(unsigned long n)
{
	sum += n;
	sum ^= n >> 3;
}
static inline __attribute__((always_inline)) void between(unsigned long n)
{
	innermost(n);
	sum--;
}
__attribute__((noinline)) void hot(unsigned long n)
{
	sum++;
	between(n);
	sum++;
}
__attribute__((noinline)) void caller(unsigned long n)
{
	sum += 2;
	hot(n);
	sum += 3;
}
int main(void)
{
	caller(1);
	return 0;
}
"""
os.environ["PERF_BUILDID_DIR"] = os.path.join(WORK, "none")


def build():
    for name in ("addr2line", "objdump"):
        machine.need_tool(name, "--version")
    steps.build(PROGRAM, SOURCE, "-O2", "-g", "-no-pie", "-fno-pie", "-Wl,--build-id", file=os.path.join(WORK, "lines source.c"))


def instructions(program=PROGRAM):
    """Return the instruction addresses in hot() and caller(), by function, and the return address of a call to
    hot()."""
    sizes = {words[3]: int(words[0], 16) + int(words[1], 16)
             for words in (line.split() for line in tap.run("nm", "-S", program).stdout.splitlines()) if len(words) == 4}
    out, name, after_call = collections.defaultdict(list), None, None
    is_call = False
    for line in tap.run("objdump", "-d", "--no-show-raw-insn", program).stdout.splitlines():
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        if head:
            name, is_call = head.group(1), False
            continue
        found = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if not found or name not in ("hot", "caller"):
            continue
        addr = int(found.group(1), 16)
        if is_call:
            after_call = addr
        is_call = bool(re.match(r"(call|bl)\b.*<hot>", found.group(2)))
        if addr < sizes[name]:  # excludes the padding after the function
            out[name].append(addr)
    return out, after_call


def addr2line(addr):
    """Return [(function, file:line)] for an address, innermost function first."""
    lines = tap.run("addr2line", "-ife", PROGRAM, f"{addr:x}").stdout.splitlines()
    # Some lines end with "(discriminator N)".
    where = [re.sub(r" \(.*", "", os.path.basename(line)) for line in lines[1::2]]
    return list(zip(lines[::2], where))


def records(chains=False):
    found, after_call = instructions()
    size = os.path.getsize(PROGRAM)
    out = [mmap(PID, START, size, PROGRAM), comm(PID, "program")]
    for addr in found["hot"] + ([] if chains else found["caller"]):
        callers = u64(3, CONTEXT_USER, addr, after_call) if chains else b""
        out.append(sample(addr, PID, len(out), more=callers))
    return out


def write_file(path, data):
    """Write a recording, and give it a newer timestamp than the program's. Some tests modify the program, and tally
    would otherwise assume that it is not the recorded program."""
    with open(path, "wb") as file:
        file.write(data)
    later = time.time() + 3600
    os.utime(path, (later, later))


def write(path, chains=False):
    write_file(path, file_bytes(records(chains), [attr(DEFAULT_TYPE | CALLCHAIN)] if chains else None))


def prepared(chains=False):
    if not os.path.exists(PROGRAM):
        build()
    machine.need_built_with("dwarf")
    write(DATA, chains)


def tally(*command, index="off", status=0):
    return tap.run(TALLY, *command, "-i", DATA, status=status,
                   env={**os.environ, "TALLY_INDEX": index, "XDG_CACHE_HOME": WORK}).stdout


def rows(text):
    """Return {rest of the line: share} for the rows of a report."""
    found = re.findall(r"^ +([0-9.]+)% +(\S.*?) *$", text, re.M)
    return {name: float(share) for share, name in found}


def all_addresses():
    found, _ = instructions()
    return found["hot"] + found["caller"]


def shares(names):
    names = list(names)
    return {name: round(100 * number / len(names), 2) for name, number in collections.Counter(names).items()}


def test_rows_by_line_and_file():
    prepared()
    want = shares(addr2line(addr)[0][1] for addr in all_addresses())
    assert len(want) >= 6, want
    got = rows(tally("report", "--stdio", "-s", "srcline"))
    assert set(got) == set(want), (got, want)
    assert all(abs(got[name] - want[name]) <= 0.011 for name in want), (got, want)
    got = rows(tally("report", "--stdio", "-s", "srcfile"))
    assert got == {"lines source.c": 100.0}, got


def test_rows_of_inlined_functions():
    """Check that inlined functions have rows with --children, and that the row for a sample itself is that of the
    function containing the code."""
    prepared(chains=True)
    found, _ = instructions()
    chains = [{name for name, _ in addr2line(addr)} for addr in found["hot"]]
    options = ("report", "--stdio", "-g", "none", "-s", "sym")
    text = tally(*options, "--children")
    got = dict(re.findall(r"^ +([0-9.]+)% +[0-9.]+% +\[.\] (\S+ \(inlined\))", text, re.M))
    want = {f"{100 * sum(name in chain for chain in chains) / len(chains):.2f}": f"{name} (inlined)"
            for name in ("between", "innermost")}
    assert len(want) == 2 and got == want, (got, want)
    assert rows(tally(*options, "--no-children")) == {"[.] hot": 100.0}
    assert "inlined" not in tally(*options, "--children", "--no-inline")


def test_script_has_lines_and_inlined_functions():
    prepared(chains=True)
    found, after_call = instructions()
    blocks = re.split("\n\n+", tally("script", "-F", "ip,sym,srcline").strip("\n"))
    assert len(blocks) == len(found["hot"]), blocks
    for addr, block in zip(found["hot"], blocks):
        want = []
        for ip, at in ((addr, addr), (after_call, after_call - 1)):
            levels = addr2line(at)
            # addr2line prints the function itself last.
            want += [(f"{ip % START:x}", name, line + (" (inlined)" if i + 1 < len(levels) else ""))
                     for i, (name, line) in enumerate(levels)]
        got = re.findall(r"^\s+([0-9a-f]+) (\w+)\n +(\S.*)", block, re.M)
        tap.same(got, want, hex(addr))
    plain = tally("script", "-F", "ip,sym,srcline", "--no-inline")
    assert "(inlined)" not in plain and "between" not in plain, plain
    assert os.path.join(WORK, "lines source.c") + ":" in tally("script", "-F", "ip,sym,srcline", "--full-source-path")


def test_callchains_and_callers():
    prepared(chains=True)
    graph = tally("report", "--stdio", "-g", "caller", "-s", "sym")
    assert re.search(r"caller\n.*hot\n.*between \(inlined\)\n.*innermost \(inlined\)", graph, re.S), graph
    # The caller's line is the line of the call, not of the return address, which belongs to the next line.
    _, after_call = instructions()
    assert addr2line(after_call)[0] != addr2line(after_call - 1)[0]
    text = tally("report", "--stdio", "-g", "none", "--children", "-s", "srcline")
    line = addr2line(after_call - 1)[0][1]
    assert re.search(rf"^ +100\.00% +0\.00% +{line}$", text, re.M), text
    assert addr2line(after_call)[0][1] not in text, text


def frames(rows_or_nodes):
    """Yield all nodes in call graphs."""
    for node in rows_or_nodes:
        yield node
        yield from frames(node.get("graph", []) + node.get("children", []))


def test_json_says_what_is_inlined():
    prepared(chains=True)
    rows_of = json.loads(tally("report", "--json", "-g", "caller", "-s", "sym"))["events"][0]["rows"]
    seen = {}
    for node in frames(rows_of):
        name = node.get("sym", node.get("symbol", "")).removeprefix("[.] ")
        seen.setdefault(name, set()).add(node.get("inlined"))
    want = {"hot": {None}, "caller": {None}, "between (inlined)": {True}, "innermost (inlined)": {True}}
    tap.same(seen, want, "inlined")


def test_filters_of_inlined_functions():
    """Check that --symbols selects only functions with addresses, and that the hint names options that find inlined
    functions."""
    prepared(chains=True)
    done = tap.run(TALLY, "report", "-S", "innermost", "-i", DATA, env={**os.environ, "TALLY_INDEX": "off"})
    assert done.returncode == 0 and re.search("hint: .*--query 'sym:innermost'", done.stderr), done.stderr
    found = tally("report", "--stdio", "-g", "none", "-s", "sym", "--symbol-filter", "innermost")
    assert re.search(r"% +\[.\] innermost \(inlined\)$", found, re.M) and "hot" not in found, found
    for pattern, keys in (("innermost", ["-s", "parent"]), ("^inner(most|x)$", ["-s", "parent"])):
        found = rows(tally("report", "--stdio", "-g", "none", "--no-children", *keys, "-p", pattern))
        assert 0 < found["innermost (inlined)"] < 100, found
    # As in perf, the option adds the key.
    found = tally("report", "--stdio", "-g", "none", "--no-children", "-s", "comm", "-p", "most$")
    assert "Parent symbol" in found and "innermost (inlined)" in found, found
    for words, text in ((["-p", "("], "regular expression"), (["-x", "-s", "sym"], "requires a separator, not '-s'")):
        done = tap.run(TALLY, "report", *words, "-i", DATA)
        assert done.returncode in (1, 129) and text in done.stderr, (words, done.returncode, done.stderr)


@contextlib.contextmanager
def program_changed(*command):
    """Run a command that changes the program, which is restored at the end of the block."""
    with open(PROGRAM, "rb") as file:
        whole = file.read()
    try:
        tap.run(*command, PROGRAM, status=0)
        yield
    finally:
        with open(PROGRAM, "wb") as file:
            file.write(whole)


def names_of_frames(text):
    return re.findall(r"^\s+[0-9a-f]+ (\S.*)", text, re.M)


def test_script_without_a_table_of_symbols():
    """Check that without a symbol table, names of inlined functions are taken from the debug information."""
    prepared(chains=True)
    found, _ = instructions()
    with program_changed("objcopy", "--strip-all", "--keep-section=.debug_*"):
        got = names_of_frames(tally("script", "-F", "ip,sym,symoff"))
        want = []
        for addr in found["hot"]:
            # The function itself and its caller have no names.
            want += [name + " (inlined)" for name, _ in addr2line(addr)[:-1]] + ["[unknown]"] * 2
        tap.same(got, want, "names")


def test_script_of_inlined_functions_without_a_name():
    """Test inlined functions without a name, because their names may be in a file that is missing."""
    prepared(chains=True)
    with program_changed("true"):
        with open(PROGRAM, "r+b") as file:
            whole = file.read()
            assert b"\0innermost\0" in whole, "no string of its own"
            file.seek(0)
            file.write(whole.replace(b"\0innermost\0", b"\0" * 11))
        got = names_of_frames(tally("script", "-F", "ip,sym,symoff"))
        assert "[unknown] (inlined)" in got and not any(re.match(r"\[unknown\]\+|\+| ", name) for name in got), got


def test_addresses_without_lines_are_shown_as_by_perf():
    """Check addresses without lines: without any symbols, the file offset is printed; with symbols, or without a
    mapping, nothing is printed."""
    prepared()
    addrs = all_addresses()
    nowhere = 0x10000
    for chains in (False, True):
        out = [mmap(PID, START, os.path.getsize(PROGRAM), PROGRAM), comm(PID, "program")]
        for addr in addrs + [nowhere]:
            out.append(sample(addr, PID, len(out), more=u64(2, CONTEXT_USER, addr) if chains else b""))
        write_file(DATA, file_bytes(out, [attr(DEFAULT_TYPE | CALLCHAIN)] if chains else None))
        for strip, has_symbols in ((("strip", "--strip-debug"), True), (("strip", "--strip-all"), False)):
            for options in ((), ("--no-inline",)):
                with program_changed(*strip):
                    text = tally("script", "-F", "ip,sym,dso,srcline", *options)
                    want = [] if has_symbols else [f"program[{addr - START:x}]" for addr in addrs]
                    tap.same(re.findall(r"^  (\S+)$", text, re.M), want, (chains, strip))
                    check_beside_perf(text, "script", "-F", "ip,sym,dso,srcline", *options)


def check_beside_perf(text, *command):
    version = tap.run("perf", "--version").stdout if shutil.which("perf") else ""
    if version.startswith("perf version 6.1"):
        # For files that are not position-independent, perf prints addresses instead of offsets.
        want = re.sub(r"(?<=program\[)[0-9a-f]+", lambda found: f"{int(found.group(), 16) - START:x}",
                      tap.run("perf", *command, "-i", DATA).stdout)
        tap.same(text, want, command)


def test_full_source_path():
    """Check that files with the same name in two directories are distinguished only if their directories are shown."""
    prepared()
    program = os.path.join(WORK, "two")
    names = [os.path.join(WORK, folder, "same.c") for folder in ("one", "other")]
    for number, name in enumerate(names):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="ascii") as file:
            file.write(f"int volatile v{number};\nvoid f{number}(void) {{ v{number}++; }}\n"
                       + ("int main(void) { return 0; }\n" if number else ""))
    tap.run("cc", "-O1", "-g", "-no-pie", "-fno-pie", "-o", program, *names, status=0)
    addrs = [int(line.split()[0], 16) for line in tap.run("nm", program).stdout.splitlines() if re.search(r" T f[01]$", line)]
    assert len(addrs) == 2, addrs
    out = [mmap(PID, START, os.path.getsize(program), program), comm(PID, "two")]
    write_file(DATA, file_bytes(out + [sample(addr, PID, 3 + i) for i, addr in enumerate(addrs + addrs[:1])]))
    got = rows(tally("report", "--stdio", "-s", "srcfile"))
    tap.same(got, {"same.c": 100.0}, "names")
    got = rows(tally("report", "--stdio", "-s", "srcline"))
    tap.same(got, {"same.c:2": 100.0}, "lines of names")
    got = rows(tally("report", "--stdio", "-s", "srcfile", "--full-source-path"))
    tap.same(got, {names[0]: 66.67, names[1]: 33.33}, "paths")
    got = rows(tally("report", "--stdio", "-s", "srcline", "--full-source-path"))
    tap.same(got, {names[0] + ":2": 66.67, names[1] + ":2": 33.33}, "lines of paths")
    told = json.loads(tally("report", "--json", "-s", "srcfile", "--full-source-path"))["events"][0]["rows"]
    tap.same([row["srcfile"] for row in told], names, "JSON")


def test_damaged_information_is_told():
    prepared()
    tap.run("objcopy", "-O", "binary", "--dump-section", f".debug_info={WORK}/info", PROGRAM, f"{WORK}/none.bin", status=0)
    with open(f"{WORK}/info", "rb") as file:
        info = file.read()
    with open(PROGRAM, "rb") as file:
        whole = file.read()
    at = whole.index(info)
    try:
        # Give a compilation unit an invalid version.
        with open(PROGRAM, "r+b") as file:
            file.seek(at + 4)
            file.write(b"\x63\x63")
        text = tally("report", "--stdio", "-s", "srcline")
        health = [line for line in text.splitlines() if line.startswith("# No lines: ")]
        assert health and PROGRAM in health[0].replace("\\x20", " "), text
        assert re.search(r" hot\+\d+", text), text
        told = json.loads(tally("report", "--json", "-s", "srcline"))["health"]["files_without_lines"]
        assert any(one["file"] == PROGRAM for one in told), told
    finally:
        with open(PROGRAM, "wb") as file:
            file.write(whole)


def test_the_index_has_lines():
    """Check that lines that have been looked up once are known without the debug file."""
    prepared(chains=True)
    with open(PROGRAM, "rb") as file:
        whole = file.read()
    debug = PROGRAM + ".debug"
    try:
        for command in (("objcopy", "--only-keep-debug", PROGRAM, debug), ("strip", "-g", PROGRAM),
                        ("objcopy", f"--add-gnu-debuglink={debug}", PROGRAM)):
            tap.run(*command, status=0)
        options = ("report", "--stdio", "-g", "caller", "-s", "sym,srcline")
        first = tally(*options, index="64M")
        assert "between (inlined)" in first and "lines source.c:5" in first, first
        tap.same(first, tally(*options), "without an index")
        tap.same(tally(*options, index="64M"), first, "with an index")
    finally:
        with open(PROGRAM, "wb") as file:
            file.write(whole)


def shared_parts():
    """Yield programs with shared or separate debug information, and the files to remove for each: two with parts moved
    to a common file by dwz, and one with split units."""
    cc, dwz = shutil.which("cc"), shutil.which("dwz")
    source = os.path.join(WORK, "lines source.c")
    split = os.path.join(WORK, "split")
    assert not tap.run(cc, "-O2", "-g", "-gsplit-dwarf", "-no-pie", "-fno-pie", "-o", split, source, cwd=WORK).returncode
    yield split, [name for name in os.listdir(WORK) if name.endswith(".dwo")]
    if not dwz:
        return
    both = [os.path.join(WORK, name) for name in ("packed1", "packed2")]
    for path in both:
        assert not tap.run(cc, "-O2", "-g", "-no-pie", "-fno-pie", "-Wl,--build-id", "-o", path, source).returncode
    tap.run(dwz, "-m", os.path.join(WORK, "common"), "-M", os.path.join(WORK, "common"), *both, status=0)
    yield both[0], ["common"]


def test_inlined_functions_do_not_replace_lines():
    """Commands that show inlined functions, but no lines, do not read line tables. Check that all commands have the same
    results in an empty cache, in their own, and in one that another command has filled."""
    prepared(chains=True)
    views = (("report", "--stdio", "-g", "caller"), ("script",), ("diff", "--json", DATA), ("report", "--stdio", "-s", "srcline"),
             ("script", "-F", "+srcline"), ("report", "--json", "-s", "srcfile,sym"), ("annotate", "-q"))
    place = os.path.join(WORK, "inlined")

    def read(view):
        words = [*view] if view[0] == "diff" else [*view, "-i"]
        return tap.run(TALLY, *words, DATA, status=0, env={**os.environ, "TALLY_INDEX": "64M", "XDG_CACHE_HOME": place}).stdout

    def emptied():
        shutil.rmtree(place, ignore_errors=True)

    want = {view: emptied() or read(view) for view in views}
    assert "(inlined)" in want[views[0]] and "(inlined)" in want[views[1]] and "lines source.c:" in want[views[3]], want
    for first in views:
        emptied()
        for view in (first, *views, first):
            tap.same(read(view), want[view], f"{view} after {first}")


def test_missing_parts_are_told():
    prepared(chains=True)
    for path, parts in shared_parts():
        other = os.path.join(WORK, "parts.data")
        name = os.path.basename(path).encode()
        found, after_call = instructions(path)
        out = [mmap(PID, START, os.path.getsize(path), path), comm(PID, "program")]
        out += [sample(addr, PID, 1, more=u64(3, CONTEXT_USER, addr, after_call)) for addr in found["hot"]]
        with open(other, "wb") as file:
            file.write(file_bytes(out, [attr(DEFAULT_TYPE | CALLCHAIN)]))
        env = {**os.environ, "TALLY_INDEX": "off"}
        options = ("report", "--stdio", "-g", "caller", "-s", "sym", "-i", other)
        whole = tap.run(TALLY, *options, env=env).stdout
        assert "between (inlined)" in whole and "# No lines" not in whole, (name, whole)
        assert parts
        for part in parts:
            os.rename(os.path.join(WORK, part), os.path.join(WORK, part + ".away"))
        without = tap.run(TALLY, *options, env=env).stdout
        assert "inlined)" not in without and re.search(r" hot$", without, re.M), (name, without)
        assert re.search(rf"# No lines: {path}: parts of its debug information are missing", without), (name, without)
        # Lines are not embedded in this case, because a reader would assume that the incomplete set is complete.
        done = tap.run(TALLY, "archive", "-o", other + ".archive", other, env=env)
        assert done.returncode == 0 and f"no source lines embedded for {path}: parts of" in done.stderr, done.stderr
        if parts[0].endswith(".dwo") and shutil.which("dwp"):
            package = path + ".dwp"
            tap.run("dwp", "-o", package, *(os.path.join(WORK, part + ".away") for part in parts), status=0)
            beside = tap.run(TALLY, *options, env=env).stdout
            assert f"# No lines: {path}: {package} contains parts of its debug information" in beside and ".dwo files" in beside, beside
            done = tap.run(TALLY, "archive", "-o", other + ".archive", other, env=env)
            assert f"no source lines embedded for {path}: {package} contains parts" in done.stderr, done.stderr
            os.unlink(package)
        if parts[0].endswith(".dwo"):  # a FIFO in place of the file must not block
            os.mkfifo(os.path.join(WORK, parts[0]))
            tap.same(tap.run(TALLY, *options, env=env).stdout, without, "with a FIFO")


def test_a_lack_of_descriptors_is_not_reported_as_a_broken_file():
    """Check that a lack of file descriptors does not cause the file to be reported as broken or without debug
    information."""
    prepared()
    def few(number):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
    told = set()
    for number in range(4, 14):
        done = tap.run(TALLY, "report", "--stdio", "-s", "srcline", "-i", DATA, preexec_fn=few(number),
                       env={**os.environ, "TALLY_INDEX": "off"})
        assert "# No lines: " + PROGRAM + ": no debug" not in done.stdout and "malformed" not in done.stdout, (number, done.stdout)
        told.update(re.findall(r"# No lines: .*?: (.*)", done.stdout))
    assert told == {"out of file descriptors or processes"}, told


def test_a_debug_file_alone():
    """Test a debug file alone. It does not contain the file offset of its code, so the name must be unknown rather than
    wrong."""
    prepared()
    with open(PROGRAM, "rb") as file:
        whole = file.read()
    identity = re.search(r"Build ID: ([0-9a-f]+)", tap.run("readelf", "-n", PROGRAM).stdout).group(1)
    cache = os.path.join(WORK, "cache", ".build-id", identity[:2], identity[2:])
    os.makedirs(cache)
    other = os.path.join(WORK, "debug.data")
    with open(other, "wb") as file:
        file.write(file_bytes(records(), features={FEATURE_BUILD_ID: build_id(PROGRAM, bytes.fromhex(identity))}))
    try:
        assert not tap.run("objcopy", "--only-keep-debug", PROGRAM, os.path.join(cache, "debug")).returncode
        os.unlink(PROGRAM)
        done = tap.run(TALLY, "report", "--stdio", "-s", "sym,srcline", "-i", other,
                       env={**os.environ, "TALLY_INDEX": "off", "PERF_BUILDID_DIR": os.path.join(WORK, "cache")})
        assert f"# No symbols: {PROGRAM}: only its debug file was found" in done.stdout, done.stdout
        assert "_fini" not in done.stdout and "_init" not in done.stdout, done.stdout
    finally:
        with open(PROGRAM, "wb") as file:
            file.write(whole)
        os.chmod(PROGRAM, 0o755)


class Server(http.server.BaseHTTPRequestHandler):
    """A debuginfod server with a single file."""
    asked = []
    build_id = debug = None

    def do_GET(self):  # noqa: N802
        self.asked.append(self.path)
        known = self.path == f"/buildid/{self.build_id}/debuginfo"
        body = b""
        if known:
            with open(self.debug, "rb") as file:
                body = file.read()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_debuginfod_when_asked():
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError as error:
        raise tap.Skip(str(error)) from error
    prepared(chains=True)
    with open(PROGRAM, "rb") as file:
        whole = file.read()
    Server.debug = os.path.join(WORK, "served")
    Server.build_id = re.search(r"Build ID: ([0-9a-f]+)", tap.run("readelf", "-n", PROGRAM).stdout).group(1)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    env = {**os.environ, "TALLY_INDEX": "off", "DEBUGINFOD_CACHE_PATH": os.path.join(WORK, "fetched"), "DEBUGINFOD_URLS": url,
           "no_proxy": "127.0.0.1"}
    options = ("report", "--stdio", "-g", "caller", "-s", "sym,srcline", "-i", DATA)
    try:
        want = tap.run(TALLY, *options, env=env).stdout
        for command in (("objcopy", "--only-keep-debug", PROGRAM, Server.debug), ("strip", PROGRAM)):
            assert not tap.run(*command).returncode
        # The environment variable alone does not cause a request.
        done = tap.run(TALLY, *options, env=env)
        assert done.returncode == 0 and "between" not in done.stdout and not Server.asked, Server.asked
        done = tap.run(TALLY, *options, "--debuginfod", env=env)
        tap.same(done.stdout, want, "fetched")
        assert "[ debug information: 1 fetched, " in done.stderr, done.stderr
        assert any(Server.build_id in path for path in Server.asked)
        # The client has the file in its cache, and the URL is given in the option.
        nr = len(Server.asked)
        tap.same(tap.run(TALLY, *options, f"--debuginfod={url}", env={**env, "DEBUGINFOD_URLS": ""}).stdout, want, "again")
        assert len(Server.asked) == nr, Server.asked
        done = tap.run(TALLY, "script", "-F", "ip,sym,srcline", "-i", DATA, "--debuginfod", env=env)
        assert "between" in done.stdout, done.stdout
        # Try a server that does not have the file, a server that does not exist, and no server.
        env["DEBUGINFOD_CACHE_PATH"] = os.path.join(WORK, "empty")
        Server.build_id = "nothing"
        done = tap.run(TALLY, *options, "--debuginfod", env=env)
        assert done.returncode == 0 and "[ debug information: 0 fetched, 0.0 MB; 1 not found on any server ]" in done.stderr, done.stderr
        done = tap.run(TALLY, *options, "--debuginfod=http://127.0.0.1:1", env={**env, "DEBUGINFOD_CACHE_PATH": WORK + "/other"})
        assert done.returncode == 0 and "Connection refused" in done.stderr, done.stderr
        done = tap.run(TALLY, *options, "--debuginfod", env={**env, "DEBUGINFOD_URLS": ""})
        assert done.returncode == 1 and "no server specified" in done.stderr, done.stderr
        with open(DATA, "rb") as file:
            done = tap.run(TALLY, *options[:-1], "-", "--debuginfod", env=env, stdin=file)
        assert done.returncode == 1 and "cannot be read twice" in done.stderr, done.stderr
    finally:
        server.shutdown()
        with open(PROGRAM, "wb") as file:
            file.write(whole)


if __name__ == "__main__":
    tap.main("__main__")
