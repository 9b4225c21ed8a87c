#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Open the output of report --format with the programs for these formats: Go's pprof, callgrind_annotate, speedscope in
a browser, and the Firefox Profiler's command line. Their output is compared with our readers for the formats
(export_readers.py), which export.py compares with the report. Tests are skipped if a program is missing.

usage: export_viewers.py TALLY
"""
import functools
import gzip
import html
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import cache  # noqa: E402
import export_readers as readers  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("viewers")
DATA = os.path.join(WORK, "perf.data")
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts")

PROGRAM = r"""
volatile unsigned long sink;
static inline __attribute__((always_inline)) void inlined_part(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void busy(int n) { inlined_part(n); sink++; }
__attribute__((noinline)) void again(int n)
{
	if (n)
		again(n - 1);
	for (int i = 0; i < 100000; i++)
		sink += 2 * i;
}
int main(void)
{
	for (int i = 0; i < 200; i++) {
		busy(1000000);
		again(5);
	}
}
"""


def setup():
    program = os.path.join(WORK, "loop")
    steps.build(program, PROGRAM, "-g", "-O0", "-fno-omit-frame-pointer", compiler="gcc", file=program + ".c")
    steps.record(DATA, "-e", "cpu-clock", "-F", "2000", "-g", program)


def export(form, *options, name=None):
    path = os.path.join(WORK, name or form)
    tap.run(TALLY, "report", "-i", DATA, "--format", form, "-o", path, *options, status=0)
    with open(path, "rb") as file:
        return path, file.read()


FETCHED = []


@machine.probe
def need_viewers():
    """Skip the test unless the npm packages are installed or can be downloaded."""
    machine.need_tool("npm", "--version")
    machine.need_tool("node", "--version")
    try:
        run = tap.run(os.path.join(SCRIPTS, "fetch_viewers.sh"), env=cache.OUTSIDE)
    except subprocess.TimeoutExpired as error:
        return f"cannot be fetched: {error}"
    FETCHED.append(run.stdout.strip())
    return f"cannot be fetched: {run.stderr.strip().splitlines()[-1:]}" if run.returncode else None


def viewers():
    """Return the directory that contains the npm packages."""
    need_viewers()
    return FETCHED[0]


# ---- pprof ---------------------------------------------------------------------------------------

def pprof(path, *options):
    return tap.run("go", "tool", "pprof", "-symbolize=none", *options, path, status=0,
                   env={**os.environ, "HOME": WORK, "PPROF_TMPDIR": WORK}).stdout


def test_pprof():
    machine.need_tool("go", "tool", "-n", "pprof")
    path, data = export("pprof")
    want = readers.Pprof(data).samples()
    assert want.weight() > 0 and "inlined_part" in want.own(), want.own()
    top = pprof(path, "-top", "-unit=ns", "-nodecount=1000", "-nodefraction=0", "-sample_index=cpu-clock")
    tap.same(int(re.search(r"of (\d+)ns total", top)[1]), want.weight(), "total")
    shown = {}
    for own, total, name in re.findall(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+%  (.*)$", top, re.M):
        shown[re.sub(r" (\(inline\)|<[^>]*>)$", "", name)] = (int(own), int(total))
    own, total = want.own(), want.total()
    tap.same(shown, {name: (own[name], total[name]) for name in total}, "pprof -top")
    samples = pprof(path, "-top", "-sample_index=samples", "-nodefraction=0")
    tap.same(int(re.search(r"of (\d+) total", samples)[1]), want.count(), "samples")
    line = next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if "inlined_part(int n)" in line)
    listed = pprof(path, "-list=inlined_part", "-unit=ns")
    assert re.search(rf"^ *{own['inlined_part']}ns +{total['inlined_part']}ns +{line}:static inline", listed, re.M), listed
    raw = pprof(path, "-raw")
    assert re.search(r"inlined_part .*loop\.c:3.*\n +busy .*loop\.c:4", raw), raw[:2000]
    assert "comm:[loop]" in raw, raw[:500]
    again = pprof(path, "-peek=again", "-unit=ns", "-nodefraction=0")
    assert re.search(rf"^ *{own['again']}ns .* {total['again']}ns +[\d.]+% +\| again$", again, re.M), again
    assert re.search(rf"^ +{total['again']}ns +100% \| +main$", again, re.M), again


def test_pprof_disassembles():
    machine.need_tool("go", "tool", "-n", "pprof")
    machine.need_tool("objdump", "--version")
    for options in (["-no-pie"], ["-fuse-ld=lld"], ["-fuse-ld=lld", "-no-pie"]):
        if machine.need_compiler.reason("gcc", *options):
            continue
        program, data, path = (os.path.join(WORK, name) for name in ("linked", "linked.data", "linked.pb.gz"))
        steps.build(program, PROGRAM, "-g", "-O0", "-fno-omit-frame-pointer", *options, compiler="gcc", file=os.path.join(WORK, "loop.c"))
        steps.record(data, "-e", "cpu-clock", "-F", "1000", "-g", program)
        run = tap.run(TALLY, "report", "-i", data, "--format", "pprof", "-o", path)
        tap.same((run.returncode, run.stderr), (0, ""), options)
        with open(path, "rb") as file:
            own = readers.Pprof(file.read()).samples().own()["again"]
        shown = pprof(path, "-disasm=again", "-unit=ns")
        weights = re.findall(r"^ *(\d+)(?:ns)? +\S+ +[0-9a-f]+: ", shown, re.M)
        tap.same(sum(map(int, weights)), own, f"{options}: {shown}")


# ---- callgrind_annotate --------------------------------------------------------------------------

@machine.probe
def need_callgrind_annotate():
    """Skip the test unless callgrind_annotate prints its version, which it does with a nonzero exit status."""
    try:
        done = tap.run("callgrind_annotate", "--version")
    except OSError as error:
        return f"callgrind_annotate is not installed: {error.strerror}"
    return None if "callgrind_annotate-" in done.stdout + done.stderr else f"callgrind_annotate does not run here: {done.stderr.strip()[-200:]}"


def annotated(path, inclusive):
    run = tap.run("callgrind_annotate", "--threshold=100", "--auto=no", "--show=cpu_clock", f"--inclusive={inclusive}", path, cwd="/")
    tap.same((run.returncode, run.stderr), (0, ""), "callgrind_annotate")
    total = re.search(r"^ *([\d,]+) .*PROGRAM TOTALS", run.stdout, re.M)[1]
    shown = {}
    for cost, place in re.findall(r"^ *([\d,]+) \( ?[\d.]+%\)  (.*)$", run.stdout, re.M):
        if place != "PROGRAM TOTALS":
            name = re.sub(r" \[.*\]$", "", place).split(":", 1)[1]
            shown[name] = shown.get(name, 0) + int(cost.replace(",", ""))
    shown.pop("[all]", None)  # pseudo-function that calls the outermost functions
    return int(total.replace(",", "")), shown


def test_callgrind_annotate():
    need_callgrind_annotate()
    path, data = export("callgrind")
    _, folded = export("folded")
    want = readers.folded(folded)
    for inclusive, sums in (("no", want.own()), ("yes", want.total())):
        total, shown = annotated(path, inclusive)
        tap.same(total, want.weight(), "total")
        # The tool omits the remaining functions once 100 % of the cost has been reached.
        assert len(shown) >= 3 and {"inlined_part", "again"} <= shown.keys(), shown
        tap.same(shown, {name: sums[name] for name in shown}, f"inclusive={inclusive}")
    lines = tap.run("callgrind_annotate", "--auto=yes", "--show=cpu_clock", path, cwd="/").stdout
    cost = readers.Callgrind(data).self_cost["inlined_part", "cpu_clock"]
    assert re.search(rf"^ *{cost:,} .*void inlined_part\(int n\)", lines, re.M), lines


# ---- speedscope ----------------------------------------------------------------------------------

KINDS = {"object": dict, "array": list, "string": str, "number": (int, float)}


def check_schema(schema, value, whole, where="$"):
    """Validate a value against a schema, for those features of JSON Schema that speedscope's schema uses."""
    known = {"$ref", "$schema", "title", "definitions", "anyOf", "type", "const", "enum", "properties", "required", "items"}
    assert schema.keys() <= known, schema.keys() - known
    if "$ref" in schema:
        check_schema(whole["definitions"][schema["$ref"].rsplit("/", 1)[1]], value, whole, where)
    if "anyOf" in schema:
        errors = []
        for one in schema["anyOf"]:
            try:
                check_schema(one, value, whole, where)
                break
            except AssertionError as error:
                errors.append(str(error))
        else:
            raise AssertionError(errors)
    if "type" in schema:
        assert isinstance(value, KINDS[schema["type"]]), (where, schema["type"])
    assert value == schema.get("const", value) and value in schema.get("enum", [value]), (where, value)
    for name in schema.get("required", []):
        assert name in value, (where, name)
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            check_schema(inner, value[name], whole, f"{where}.{name}")
    for number, item in enumerate(value if "items" in schema else ()):
        check_schema(schema["items"], item, whole, f"{where}[{number}]")


def test_speedscope_schema():
    with open(os.path.join(viewers(), "speedscope", "dist", "release", "file-format-schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    _, data = export("speedscope")
    value = json.loads(data)
    check_schema(schema, value, schema)
    assert value["profiles"][0]["samples"]
    del value["profiles"][0]["weights"]
    try:
        check_schema(schema, value, schema)
    except AssertionError:
        return
    raise AssertionError("a file without weights passes")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def dom(folder, page):
    """Return the DOM of a page in a folder after its scripts have finished."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        run = tap.run("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={WORK}/chromium", "--window-size=1600,1600",
                      "--virtual-time-budget=20000", "--dump-dom", f"{address}/{page.format(address)}")
    finally:
        server.shutdown()
        server.server_close()
    tap.same(run.returncode, 0, f"chromium: {run.stderr[-300:]}")
    return run.stdout


def nanoseconds(text):
    """Convert a time such as "1.50ms" to nanoseconds. Return it with its precision."""
    number, unit = re.match(r"([\d.]+)(ns|µs|ms|s)$", text).groups()
    scale = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}[unit]
    return float(number) * scale, scale / 100


def test_speedscope_shows_it():
    machine.need_chromium()
    folder = os.path.join(WORK, "speedscope.app")
    shutil.copytree(os.path.join(viewers(), "speedscope", "dist", "release"), folder)
    path, data = export("speedscope", name="profile.json.gz")
    shutil.copy(path, folder)
    want = readers.speedscope(gzip.decompress(data))
    page = dom(folder, "index.html#profileURL={}/profile.json.gz&view=sandwich")
    own, total = want.own(), want.total()
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.S)
    shown = {}
    for row in rows:
        cells = [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        if len(cells) == 3 and "%" in cells[0]:
            shown[cells[2]] = [cell.split(" ")[0] for cell in cells[:2]]
    assert {"inlined_part", "again", "busy", "main"} <= shown.keys(), (shown, rows[:5])
    for name, texts in shown.items():
        for text, sums in zip(texts, (total, own)):
            value, exact = nanoseconds(text)
            assert abs(value - sums[name]) <= exact, (name, text, sums[name])


# ---- Firefox Profiler ----------------------------------------------------------------------------

def profiler(*args):
    program = os.path.join(viewers(), "@firefox-devtools", "profiler-cli", "dist", "profiler-cli.js")
    return tap.run("node", program, *args, env={**os.environ, "HOME": WORK})


def test_firefox_profiler():
    path, data = export("firefox", name="profile.firefox.json.gz")
    if profiler("--version").returncode:
        raise tap.Skip("profiler-cli does not run with this node")
    loaded = profiler("load", path, "--session", "tally")
    for _ in range(100):  # the session may take a while to start
        info = profiler("thread", "functions", "--thread", "t-0", "--session", "tally", "--json", "--limit", "1000")
        if info.returncode == 0:
            break
    try:
        tap.same(info.returncode, 0, f"{loaded.stdout} {loaded.stderr} {info.stderr}")
        functions = json.loads(info.stdout)["functions"]
    finally:
        profiler("stop", "tally")
    want = readers.firefox(gzip.decompress(data))
    shown = {one["name"]: (round(one["selfSamples"] * 10**6), round(one["totalSamples"] * 10**6)) for one in functions}
    own, total = want.own(), want.total()
    tap.same(shown, {name: (own[name], total[name]) for name in total}, "functions")
    assert "inlined_part" in shown


tap.main(__name__, lambda: machine.need_compiler("gcc"), machine.need_kernel_events, setup=setup)
