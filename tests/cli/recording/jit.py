#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test the names of JIT code from Node.js, Java and Python, taken from perf maps and jitdumps and compared with perf's.
Also test generated dumps in which functions successively have the same address.

usage: jit.py TALLY
"""
import atexit
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import jit_compiler  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("jit")
DEADLINE = tap.PATIENCE
SPAN = "1500"  # the programs' CPU time in ms
PID = 4194304 + os.getpid()  # an unused pid

SCRIPT = """
function alpha(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
function beta(n) { let s = 0; for (let i = 1; i < n; i++) s += Math.sqrt(i) / i; return s; }
const end = 1000 * Number(process.argv[2]);
function used() { const usage = process.cpuUsage(); return usage.user + usage.system; }
let x = 0;
console.log("ready");
while (used() < end) { x += alpha(20000); x += beta(20000); }
"""
CLASS = """
public class Work {
    static long alpha(int n) { long s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
    static double beta(int n) { double s = 0; for (int i = 1; i < n; i++) s += Math.sqrt(i) / i; return s; }
    public static void main(String[] args) {
        java.lang.management.ThreadMXBean times = java.lang.management.ManagementFactory.getThreadMXBean();
        long end = times.getCurrentThreadCpuTime() + 1000000 * Long.parseLong(args[0]);
        double x = 0;
        System.out.println("ready");
        while (times.getCurrentThreadCpuTime() < end) { x += alpha(20000); x += beta(20000); }
    }
}
"""
MODULE = """
import sys, time
def alpha(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) % 1000003
    return s
end = time.process_time() + float(sys.argv[1]) / 1000
print("ready", flush=True)
while time.process_time() < end:
    alpha(20000)
"""
COMPILER = jit_compiler.COMPILER

# Prints the PID, the version of Python, and whether it supports perf trampolines, which also leave files to be removed.
PROBE = "import os, sys; print(os.getpid(), sys.version_info[1], sys.is_stack_trampoline_active())"


def remove_all():
    for pid in PIDS:
        for name in (f"/tmp/perf-{pid}.map", f"/tmp/jit-{pid}.dump"):
            if os.path.exists(name):
                os.unlink(name)


PIDS = set()
atexit.register(remove_all)


# ---- programs --------------------------------------------------------------------------------------

def folder(name):
    """Create a separate folder, because compilers leave files in their working directory."""
    path = os.path.join(WORK, name)
    os.makedirs(path, exist_ok=True)
    return path


def source(where, name, text):
    path = os.path.join(where, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def node(where, *options):
    machine.need_tool("node", "-e", "0")
    return ["node", *options, source(where, "work.js", SCRIPT)]


def java(where, *options):
    machine.need_tool("java", *options, "-version")
    machine.need_tool("javac", "-version")
    tap.run("javac", "-d", where, source(where, "Work.java", CLASS), status=0)
    return ["java", "-XX:+PreserveFramePointer", *options, "-cp", where, "Work"]


def python(where, option, since):
    """Return a Python interpreter that supports `option`, whatever `python3` is."""
    versions = [f"python3.{minor}" for minor in range(since, since + 8)]
    for name in versions + sorted(os.path.join(root, "bin", "python3") for root in pyenv_roots()):
        path = shutil.which(name)
        probe = tap.run(path, "-X", option, "-c", PROBE) if path else None
        found = re.fullmatch(r"(\d+) (\d+) True\n", probe.stdout) if probe else None
        PIDS.update([int(found[1])] if found else [])
        if found and int(found[2]) >= since:
            return [os.path.realpath(path) if "shims" not in path else path, "-X", option,
                    source(where, "work.py", MODULE)]
    raise tap.Skip(f"no python3.{since} or later that has -X {option} here")


def compiler(where):
    if platform.machine() != "x86_64":
        raise tap.Skip("the code is of x86-64")
    return [sys.executable, source(where, "compiler.py", COMPILER)]


def pyenv_roots():
    root = os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions")
    return [os.path.join(root, name) for name in os.listdir(root)] if os.path.isdir(root) else []


def record(tool, where, words, *options):
    """Record a program while it runs. Return the path of the recording."""
    path = os.path.join(where, os.path.basename(tool) + ".data")
    steps.record(path, "-e", "cpu-clock", *options, "--", *words, SPAN, tool=tool, cwd=where)
    note_pids(path)
    return path


def note_pids(path):
    done = tap.run(TALLY, "script", "-i", path, "-F", "pid")
    PIDS.update(int(word) for word in set(done.stdout.split()) if word.isdigit())


def rows(text):
    """Return {symbol: share} for the rows of a report with at least 10 %."""
    found = re.findall(r"^ +(\d+\.\d\d)% .*\[[.k]\] (\S.*?) *$", text, re.M)
    return {symbol: float(share) for share, symbol in found if float(share) >= 10}


def report(path, *options):
    return steps.report(path, "--stdio", "--no-children", "-g", "none", *options)


def perf():
    machine.need_perf_records()
    return shutil.which("perf")


def perf_report(path, where):
    return tap.run(perf(), "report", "-i", path, "--stdio", "--no-children", "-g", "none", cwd=where, status=0).stdout


# ---- perf maps -------------------------------------------------------------------------------------

def test_node_by_its_map():
    where = folder("node-map")
    path = record(TALLY, where, node(where, "--perf-basic-prof"))
    got = rows(report(path))
    alpha = [name for name in got if re.fullmatch(r"JS:\*alpha \S+/work.js:2:15", name)]
    assert alpha and got[alpha[0]] > 10, got
    assert got == rows(perf_report(path, where)), got


def test_java_by_the_map_of_its_end():
    where = folder("java-map")
    path = record(TALLY, where, java(where, "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"))
    got = rows(report(path))
    assert "long Work.alpha(int)" in got, got
    assert got == rows(perf_report(path, where)), got


def test_python_by_its_map():
    where = folder("python-map")
    path = record(TALLY, where, python(where, "perf", 12), "--call-graph", "dwarf")
    out = steps.report(path, "--stdio", "--children", "-g", "none")
    assert re.search(r"^ +\d\d\.\d\d%.*py::alpha:\S+/work.py$", out, re.M), out[:2000]


def test_python_by_its_dump():
    where = folder("python-dump")
    path = record(TALLY, where, python(where, "perf_jit", 13), "--call-graph", "dwarf", "-k", "mono")
    out = steps.report(path, "--stdio", "--children", "-g", "none")
    assert re.search(r"^ +\d\d\.\d\d%.*jit-\d+\.dump +\[\.\] py::alpha:\S+/work.py$", out, re.M), out[:2000]


# ---- jitdumps --------------------------------------------------------------------------------------

def test_node_by_its_dump():
    """Check that the report is the same as perf's, which requires `perf inject` and a file for each function."""
    where = folder("node-dump")
    path = record(perf(), where, node(where, "--perf-prof"), "-k", "mono")
    before = sorted(os.listdir(where))
    got = rows(report(path))
    assert sorted(os.listdir(where)) == before
    assert [name for name in got if name.startswith("JS:*alpha ")], got
    injected = os.path.join(where, "injected.data")
    tap.run(perf(), "inject", "--jit", "-i", path, "-o", injected, cwd=where, status=0)
    assert got == rows(perf_report(injected, where)), got


def test_offsets_in_a_dump():
    """Check that each sample has its offset in the function, and its original address."""
    where = folder("node-offsets")
    path = record(TALLY, where, node(where, "--perf-prof"), "-k", "mono")
    out = tap.run(TALLY, "script", "-i", path, "-F", "ip,sym,symoff,dso").stdout
    lines = re.findall(r"^ +([0-9a-f]+) JS:\*alpha \S+\+0x([0-9a-f]+) \((\S+)\)$", out, re.M)
    assert len(lines) > 20, out[:1000]
    starts = {int(ip, 16) - int(offset, 16) for ip, offset, _ in lines}
    # The function is compiled once or twice.
    assert len(starts) < 5, starts
    assert all(re.fullmatch(r".*/jit-\d+\.dump", dso) for _, _, dso in lines), lines[0]


def test_without_a_clock():
    where = folder("node-clock")
    path = record(TALLY, where, node(where, "--perf-prof"))
    got = rows(report(path))
    assert [name for name in got if name.startswith("JS:*alpha ")], got


def test_code_that_is_replaced():
    """Check two functions that were at the same address, each for about the same time."""
    where = folder("replaced")
    path = record(TALLY, where, compiler(where), "-k", "mono")
    out = report(path)
    got = rows(out)
    assert got.get("first", 0) > 15 and got.get("second", 0) > 15 and "# JIT:" not in out, out
    injected = os.path.join(where, "injected.data")
    tap.run(perf(), "inject", "--jit", "-i", path, "-o", injected, cwd=where, status=0)
    assert got == rows(perf_report(injected, where)), got


def test_code_that_is_replaced_without_a_clock():
    where = folder("replaced-clock")
    out = report(record(TALLY, where, compiler(where)))
    assert "second" in rows(out) and "first" not in rows(out) and "# JIT:" in out, out


# ---- generated dumps -------------------------------------------------------------------------------

def dump_load(when, address, index, name, code=b"\xc3" * 16):
    body = struct.pack("<IIQQQQ", PID, PID, address, address, len(code), index) + name + b"\0" + code
    return struct.pack("<IIQ", 0, 16 + len(body), when) + body


def dump(name, flags=0, pid=PID):
    """Write a dump with two functions, one after the other at the same address."""
    path = os.path.join(folder(name), f"jit-{PID}.dump")
    with open(path, "wb") as file:
        file.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, pid, 0, flags))
        file.write(dump_load(100, 0x500000, 1, b"first"))
        file.write(dump_load(200, 0x500000, 2, b"second"))
    return path


def recorded(path, has_clock=True, comm="work"):
    """Write a recording with samples from before both functions, in the first one, and in the second one."""
    attr = bytearray(crafted.attr(flags=crafted.FLAGS | (1 << 25 if has_clock else 0)))
    struct.pack_into("<i", attr, 92, 1 if has_clock else 0)
    records = [crafted.comm(PID, comm), crafted.mmap(PID, 0x500000, 0x10000, "//anon"),
               crafted.mmap(PID, 0x700000, 0x1000, path)]
    records += [crafted.sample(0x500004, PID, when) for when in (50, 150, 160, 250)]
    data = os.path.join(os.path.dirname(path), "data")
    with open(data, "wb") as file:
        file.write(crafted.file_bytes(records, [bytes(attr)]))
    return data


def test_the_same_address_at_several_times():
    out = report(recorded(dump("times")))
    shares = {name: share for share, name in re.findall(r"(\d+\.\d\d)% .*\[\.\] (\S+) *$", out, re.M)}
    assert shares == {"first": "50.00", "second": "25.00", "0x0000000000500004": "25.00"}, out
    assert "# JIT:" not in out, out


def test_a_recording_with_another_clock():
    out = report(recorded(dump("clock"), has_clock=False))
    assert re.search(r"100\.00% .* second *$", out, re.M) and "first" not in out, out
    assert "are attributed to the last code at each address" in out and "record -k mono" in out, out


def test_a_dump_with_a_clock_of_the_cpu():
    out = report(recorded(dump("arch", flags=1)))
    assert re.search(r"100\.00% .* second *$", out, re.M), out
    assert "a CPU clock" in out, out


def test_a_dump_of_another_process():
    out = report(recorded(dump("pid", pid=PID + 1)))
    assert "first" not in out and "second" not in out and f"# No symbols: {WORK}" in out, out


def test_dumps_of_other_users_are_not_taken():
    machine.need_root()
    path = dump("owner")
    data = recorded(path)
    os.chown(path, 65534, 65534)
    out = report(data)
    assert "first" not in out and "is not owned by root" in out, out
    assert "first" in report(data, "-f")


def test_a_dump_that_is_a_fifo():
    path = dump("fifo")
    data = recorded(path)
    os.unlink(path)
    os.mkfifo(path)
    out = report(data)
    assert "0x0000000000500004" in out, out


def test_script_and_second_reading():
    """Check that script uses the timestamp of each sample."""
    data = recorded(dump("script"))
    out = tap.run(TALLY, "script", "-i", data, "-F", "time,ip,sym").stdout
    names = re.findall(r" (\[unknown\]|first|second)", out)
    assert names == ["[unknown]", "first", "first", "second"], out


# ---- hints -----------------------------------------------------------------------------------------

def test_hint_of_the_program():
    where = folder("hint")
    path = record(TALLY, where, node(where))
    out = report(path)
    assert "# Hint: Node.js code has no symbols: node --perf-basic-prof" in out, out
    health = steps.report_json(path)["health"]
    assert [one["runtime"] for one in health["jit"]["runtimes"]] == ["Node.js"], health


def test_hint_of_an_interpreter():
    """Check that the hint for Python appears if its interpreter has a tenth of the samples, and not otherwise."""
    for inside, outside, told in ((1, 8, True), (1, 20, False), (0, 5, False)):
        path = os.path.join(folder("interpreter"), "python.data")
        records = [crafted.comm(7, "app"), crafted.mmap(7, 0x400000, 0x1000, "/nonexistent/libpython3.11.so.1.0"), crafted.mmap(7, 0x800000, 0x1000, "/nonexistent/lib.so")]
        records += [crafted.sample(0x400010, 7, 10 + at) for at in range(inside)] + [crafted.sample(0x800010, 7, 100 + at) for at in range(outside)]
        with open(path, "wb") as file:
            file.write(crafted.file_bytes(records))
        out = report(path)
        assert ("# Hint: Python code has no symbols: python3.12 -X perf" in out) == told, out
        found = [one["runtime"] for one in steps.report_json(path)["health"]["jit"]["runtimes"]]
        tap.same(found, ["Python"] if told else [], f"{inside} of {inside + outside}")


def test_hint_by_name():
    """Check the hint if only the name of the process is known."""
    attr = crafted.attr()
    for comm, hint in (("java", "Compiler.perfmap"), ("dotnet", "DOTNET_PerfMapEnabled=1"), ("javac", None), ("work", None)):
        data = os.path.join(folder("hints"), comm)
        with open(data, "wb") as file:
            file.write(crafted.file_bytes([crafted.comm(PID, comm), crafted.mmap(PID, 0x500000, 0x10000, "//anon"),
                                           crafted.sample(0x500004, PID, 50)], [attr]))
        out = report(data)
        assert (hint in out) if hint else ("# Hint" not in out), out


def test_dotnet_has_its_code_in_a_memfd():
    path = f"/tmp/perf-{PID}.map"
    PIDS.add(PID)
    name = "int32 [cpu-using] calc.Program+<>c::<Sum>b__2_0(int32,int32)[OptimizedTier1]"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"00007F58FD690000 40 {name}\n")
    data = os.path.join(folder("dotnet"), "data")
    with open(data, "wb") as file:
        file.write(crafted.file_bytes([
            crafted.mmap(PID, 0x7f58fd690000, 0x10000, "/memfd:doublemapper (deleted)", pgoff=0x30000),
            crafted.sample(0x7f58fd690010, PID, 50)]))
    out = report(data)
    assert name in out, out


# ---- live ------------------------------------------------------------------------------------------

def top_until(pid, pattern, then=lambda: None, *more):
    """Run tally top on a process until lines match `pattern`, call `then`, and continue until they match `more`."""
    wanted = [(pattern, then)] + [(one, lambda: None) for one in more]
    process = subprocess.Popen([TALLY, "top", "--stdio", "-d", "1", "-p", str(pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    end, seen = time.monotonic() + DEADLINE, []
    try:
        while wanted and time.monotonic() < end:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            seen.append(line)
            if re.search(wanted[0][0], line):
                wanted.pop(0)[1]()
    finally:
        process.terminate()
        process.communicate()
    assert not wanted, "".join(seen[-60:])


def test_top_finds_names_that_come_later():
    where = folder("top")
    machine.need_events()
    words = java(where)
    machine.need_tool("jcmd", "-h")
    with steps.Running([*words, "600000"], cwd=where) as pid:
        PIDS.add(pid)
        def name_it():
            done = tap.run("jcmd", pid, "Compiler.perfmap")
            if "Unknown diagnostic command" in done.stdout:
                raise tap.Skip("jcmd has no Compiler.perfmap before JDK 17")
            assert done.returncode == 0, done.stdout
        top_until(pid, r"^ +\d+\.\d\d%  \[JIT\] .*0x0000", name_it, r"^ +\d\d\.\d\d% .* long Work\.alpha\(int\)")


def in_namespaces(where, words):
    """Return the command that runs a program in new PID and mount namespaces with its own /tmp. The last of `words` is
    the script."""
    machine.need_unshare("-mpf", "--mount-proc")
    machine.need_mounts()
    inner = os.path.join(where, "tmp")
    os.makedirs(inner)
    script = 'mount -t tmpfs none "$1" && cp "$2" "$1/script" && mount --bind "$1" /tmp && cd /tmp && shift 2 && exec "$@"'
    return ["unshare", "-mpf", "--kill-child", "--mount-proc", "sh", "-ec", script, "sh", inner, words[-1], *words[:-1],
            "/tmp/script"]


def report_of_container(where, words):
    """Return the report on a program in a container, recorded while the program runs."""
    machine.need_events()
    with steps.Running([*in_namespaces(where, words), "600000"], cwd=where) as outer:
        pid, = tap.children(outer)
        path = os.path.join(where, "data")
        tap.run(TALLY, "record", "-e", "cpu-clock", "-k", "mono", "-p", pid, "-o", path, "--",
                *tap.work_of(pid, seconds=0.5), status=0)
        assert not os.path.exists(f"/tmp/perf-{pid}.map") and not os.path.exists("/tmp/jit-1.dump")
        return report(path)


def test_a_map_in_a_container():
    where = folder("container-map")
    out = report_of_container(where, node(where, "--perf-basic-prof", "--no-logfile-per-isolate"))
    assert re.search(r"^ +\d\d\.\d\d% .*\[JIT\] tid \d+ +\[\.\] JS:\*alpha", out, re.M), out


def test_a_dump_in_a_container():
    where = folder("container-dump")
    out = report_of_container(where, compiler(where))
    assert re.search(r"^ +\d\d\.\d\d% .*jit-1\.dump +\[\.\] second *$", out, re.M), out


if __name__ == "__main__":
    tap.main(__name__)
