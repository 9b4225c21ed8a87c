# SPDX-License-Identifier: BSD-2-Clause
"""Use the installed files as other programs would: install into a directory, find the library with pkg-config, compile
and link with every compiler on the machine, both shared and static, and run the result.

usage: install.py ROOT BUILD
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

ROOT, BUILD = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
# A program, valid in C and in C++, that checks that a compiler works here. Like programs that use the library, it is
# linked with threads and zstd.
TRIAL = """#ifdef __cplusplus
extern "C"
#endif
unsigned ZSTD_versionNumber(void);
int main(void)
{
	return !ZSTD_versionNumber();
}
"""
COMPILERS = {"gcc": ["-std=c11"], "clang": ["-std=c11"], "g++": ["-x", "c++", "-std=c++17"], "clang++": ["-x", "c++", "-std=c++17"]}
DEST = tempfile.mkdtemp(prefix="install.", dir=BUILD)


def must(*command, **options):
    done = tap.run(*command, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install():
    # If stdin were a terminal, meson would ask users other than root for a password.
    must("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", DEST, stdin=subprocess.DEVNULL)
    pc = glob.glob(DEST + "/**/pkgconfig", recursive=True)
    tap.same(len(pc), 1, "directories of pkg-config files")
    return pc[0]


PC = install()
LIB = os.path.dirname(PC)
PREFIX = re.search(r"^prefix=(.*)$", open(PC + "/tally.pc", encoding="utf-8").read(), re.M).group(1)


def pkg_config(*words):
    env = dict(os.environ, PKG_CONFIG_PATH=PC, PKG_CONFIG_SYSROOT_DIR="")
    return must("pkg-config", f"--define-variable=prefix={DEST}{PREFIX}", *words, env=env).split()


# Libraries, and the headers that they implement.
HEADERS = {"tally": ("abi", "classic", "client", "events", "perfdata", "region", "rings", "sample", "texts"), "tally-profile": ("profile",)}


def public_names(headers):
    """Yield all functions declared in these headers."""
    for name in headers:
        path = os.path.join(ROOT, "include", "tally", name + ".h")
        if not os.path.exists(path):
            continue
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        text = re.sub(r"^static inline.*?^}\n", "", text, flags=re.S | re.M)
        yield from re.findall(r"^(?!typedef|static|#)[a-z][^;{}()=]*?\b(tally_[a-z0-9_]+)\(", text, re.M)


def names_of(*command):
    found = set(re.findall(r"^\S+ [A-Za-z] (\w+)", must(*command), re.M))
    return found - {"TALLY_0"}


def need_compiler(compiler, *flags):
    machine.need_compiler(compiler, "-Wall", *flags, source=TRIAL, libraries=("-x", "none", "-lzstd"))


def build_and_run(compiler, mode):
    need_compiler(compiler, *(["-static"] if mode == "static" else []))
    program = os.path.join(DEST, f"program.{compiler}.{mode}")
    flags = COMPILERS[compiler] + ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-pedantic"]
    static = ["-static"] if mode == "static" else []
    must(compiler, *flags, *pkg_config("--cflags", "tally"), os.path.join(HERE, "library_program.c"), "-x", "none", *static,
         *pkg_config(*(["--static"] if static else []), "--libs", "tally"), "-o", program)
    out = must(program, env=dict(os.environ, LD_LIBRARY_PATH=LIB))
    if not re.search(r"^task-clock:u: [1-9]\d* ns, (exact|scaled)$|^refused: ", out):
        raise AssertionError(f"the program says {out!r}")
    needed = must("readelf", "-d", program)
    tap.same("libtally.so.0" in needed, mode == "shared", "needs the shared library")


def build_example(compiler, name, flags=(), also=(), libraries=("tally",)):
    """Build examples/NAME with the installed files, and return the program."""
    need_compiler(compiler)
    program = os.path.join(DEST, re.sub("[./]", "-", name))
    must(compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", *flags, os.path.join(ROOT, "examples", name), *also,
         *pkg_config("--cflags", "--libs", *libraries), "-o", program)
    return program


def example(compiler, name, *args, env=None, **how):
    """Build examples/NAME with the installed files, run it, and return its output."""
    return must(build_example(compiler, name, **how), *args, env=dict(os.environ, LD_LIBRARY_PATH=LIB, **(env or {})))


def test_example_region():
    path = os.path.join(DEST, "regions.%p.json")
    out = example("gcc", "region.c", flags=["-std=c11"], env={"TALLY_REGIONS": path})
    for region, calls in (("round", 10), ("hash", 10)):
        if not re.search(rf"^{region} +task-clock:u +\d+ \((exact|scaled|not permitted)\) in {calls} calls$", out, re.M):
            raise AssertionError(f"{region} is not in {out!r}")
    written = glob.glob(DEST + "/regions.*.json")
    tap.same(len(written), 1, "files of regions")
    document = json.load(open(written[0], encoding="utf-8"))
    tap.same([(region["name"], region["parent"], region["calls"]) for region in document["regions"]],
             [("round", -1, 10), ("hash", 0, 10)], "regions")
    tap.same([event["name"] for event in document["events"]], ["task-clock:u", "faults:u", "cycles:u"], "events")
    round_, hash_ = (region["counts"] for region in document["regions"])
    if any(inner["value"] > outer["value"] for inner, outer in zip(hash_, round_)):
        raise AssertionError(f"a region counted less than what is within: {document}")


def test_example_region_of_blocks():
    out = example("g++", "region.cpp", flags=["-std=c++11"])
    tap.same(re.findall(r"^(\w+): \d+ ns", out, re.M), ["fill", "sort"], "regions")


def test_example_monitor():
    out = example("gcc", "monitor.c", str(os.getpid()), "0.1", flags=["-std=c11"])
    tap.same(re.findall(r"^([a-z:-]+): \d+, [a-z ]+$", out, re.M), ["task-clock:u", "faults:u", "cycles:u"], out)


def test_example_ring_reader():
    machine.need_events()
    out = example("gcc", "ring_reader.c", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done", flags=["-std=c11"])
    samples, frames = map(int, re.match(r"(\d+) samples with (\d+) frames, \d+ losses\n", out).groups())
    hits = re.findall(r"^ +(\d+)  0x[0-9a-f]+$", out, re.M)
    assert samples > 5 and frames >= samples and 0 < sum(map(int, hits)) <= samples, out


def test_examples_explain_errors():
    env = dict(os.environ, LD_LIBRARY_PATH=LIB, TALLY_REGIONS="/nowhere/regions")
    for name, args, want in (("region.c", [], "region: cannot write $TALLY_REGIONS: No such file or directory\n"),
                             ("monitor.c", ["no process"], "monitor: Invalid argument\n"),
                             ("recording.c", ["/nowhere/x"], "recording: /nowhere/x: No such file or directory\n")):
        done = tap.run(build_example("gcc", name, flags=["-std=c11"]), *args, env=env)
        tap.same((done.returncode, done.stderr), (1, want), name)
    machine.need_events()
    done = tap.run(build_example("gcc", "ring_reader.c", flags=["-std=c11"]), "/nowhere/x", env=env)
    tap.same(done.stderr, "/nowhere/x: No such file or directory\n", "ring_reader.c")


def test_example_transport():
    tap.same(example("gcc", "transport.c", flags=["-std=c11"]), "instructions: 20000, exact\nr1234: 0, not supported\n", "output")


def test_example_small_host():
    out = example("gcc", "small_host.c", flags=["-std=c11", "-Wno-unused-parameter"], libraries=("tally-core",))
    tap.same(out, "".join(f"event {i}: 20000000 in 80 of 240 ms\n" for i in range(3)), "output")


def test_example_benchmark():
    if tap.run("pkg-config", "--exists", "benchmark").returncode:
        raise tap.Skip("Google's benchmark library (Debian: libbenchmark-dev) is not installed")
    library = must("pkg-config", "--cflags", "--libs", "benchmark").split()
    reason = machine.why_not(["g++", "-x", "c++", "-", "-x", "none", *library, "-o", DEST + "/trial-benchmark"],
                             input="#include <benchmark/benchmark.h>\nBENCHMARK_MAIN();\n")
    if reason:
        raise tap.Skip(f"no program with Google's benchmark library builds here: {reason}")
    out = example("g++", "benchmark.cpp", "--benchmark_format=json", "--benchmark_min_time=0.01", flags=["-std=c++17"], also=library)
    rows = json.loads(out)["benchmarks"]
    tap.same([row["name"] for row in rows], ["sort_numbers/1000", "sort_numbers/10000"], "benchmarks")
    if machine.need_events.reason():
        return
    small, large = (row["task-clock:u"] for row in rows)
    assert 0 < small < large, rows


def test_examples_of_the_design_document():
    machine.need_events()
    for name in ("attached", "count", "cpu", "exclusive", "group", "inherit", "mappings", "modes", "overcommit", "pages", "pinned", "poll", "prctl",
                 "ready", "refused", "sample", "self_read", "system_call", "task"):
        need_compiler("gcc")
        must("gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2",
             os.path.join(ROOT, "examples", "classic", name + ".c"), *pkg_config("--cflags", "--libs", "tally"), "-o", DEST + "/" + name)
    out = must(DEST + "/count", "software:2", env=dict(os.environ, LD_LIBRARY_PATH=LIB))
    tap.same(bool(re.fullmatch(r"software:2: 1\d\d, running \d+ of \d+ ns\n", out)), True, out)


def test_header_of_the_design_document_in_cxx():
    need_compiler("g++", "-x", "c++", "-std=c++11")
    source = os.path.join(DEST, "names.cpp")
    with open(source, "w", encoding="ascii") as file:
        file.write("#define TALLY_CLASSIC_NAMES\n#include <tally/classic.h>\n"
                   "int main() { perf_event_attr attr = {}; attr.config = PERF_COUNT_HW_INSTRUCTIONS; return !attr.config; }\n")
    must("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", source, *pkg_config("--cflags", "tally"), "-o", DEST + "/names")
    must(DEST + "/names")


def test_example_recording():
    machine.need_events()
    must(os.path.join(DEST + PREFIX, "bin", "tally"), "record", "-q", "-e", "cpu-clock:u", "-o", DEST + "/perf.data",
         "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
    out = example("clang", "recording.c", DEST + "/perf.data", flags=["-std=c11"])
    samples = must(os.path.join(DEST + PREFIX, "bin", "tally"), "script", "-F", "time", "-i", DEST + "/perf.data").count("\n")
    tap.same(int(re.search(r"^samples: (\d+),", out, re.M).group(1)), samples, "samples as tally script has them")


def recorded():
    """Return a recording, and the line that examples/top_functions.c prints for its first function."""
    machine.need_events()
    tally, path = os.path.join(DEST + PREFIX, "bin", "tally"), DEST + "/profiled.data"
    must(tally, "record", "-q", "-e", "cpu-clock:u", "-o", path, "sh", "-c", "i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done")
    (event,) = json.loads(must(tally, "report", "-i", path, "--json"))["events"]
    row = max(event["rows"], key=lambda row: row["self_period"])
    return path, f"{100 * row['self_period'] / event['total_period']:6.2f}%  {row['symbol'][4:]}  "


def check_profile(compiler, flags, mode):
    """Check that a program reads a recording with libtally-profile, and shows the counts of tally report."""
    static = ["-static"] if mode == "static" else []
    need_compiler(compiler, *flags, *static)
    path, line = recorded()
    program = os.path.join(DEST, f"top_functions.{compiler}.{mode}")
    must(compiler, *flags, "-Wall", "-Wextra", "-Werror", "-O2", *pkg_config("--cflags", "tally-profile"),
         os.path.join(ROOT, "examples", "top_functions.c"), "-x", "none", *static,
         *pkg_config(*(["--static"] if static else []), "--libs", "tally-profile"), "-o", program)
    out = must(program, path, env=dict(os.environ, LD_LIBRARY_PATH=LIB))
    assert line in out, (line, out)
    tap.same("libtally-profile.so.0" in must("readelf", "-d", program), mode == "shared", "needs the shared library")


def test_example_top_functions():
    check_profile("gcc", ["-std=c11", "-pedantic"], "shared")


def test_example_top_functions_in_clang():
    check_profile("clang", ["-std=c11", "-pedantic"], "shared")


def test_example_top_functions_static():
    check_profile("gcc", ["-std=c11"], "static")


def test_example_python():
    out = must(sys.executable, os.path.join(ROOT, "examples", "region.py"), LIB + "/libtally.so.0")
    tap.same(re.findall(r"^sort (\S+): \d+, [a-z ]+$", out, re.M), ["task-clock:u", "faults:u"], out)


def node_headers():
    """Return the directory with the headers of Node.js, or None."""
    places = [tap.run("node", "-p", "process.config.variables.node_prefix").stdout.strip() + "/include/node", "/usr/include/node",
              "/usr/include/nodejs/src"]
    return next((place for place in places if os.path.exists(place + "/node_api.h")), None)


def test_example_node():
    if not shutil.which("node"):
        raise tap.Skip("node is not installed")
    reason = machine.why_not(["node", "-e", "0"])
    if reason:
        raise tap.Skip(f"node does not start here: {reason}")
    headers = node_headers()
    if not headers:
        raise tap.Skip("node_api.h is not installed (Debian: libnode-dev)")
    need_compiler("gcc")
    module = os.path.join(DEST, "region.node")
    must("gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", os.path.join(ROOT, "examples", "region_node.c"),
         "-isystem", headers, *pkg_config("--cflags", "--libs", "tally"), "-o", module)
    env = dict(os.environ, LD_LIBRARY_PATH=LIB)
    out = must("node", os.path.join(ROOT, "examples", "region.js"), module, env=env)
    tap.same(re.findall(r"^sort (\S+): \d+, [a-z ]+$", out, re.M), ["task-clock:u", "faults:u"], out)
    wrong = "const t = require(process.argv[1]); try { t.%s } catch (e) { console.log(e.message) }"
    for call, message in (("open('nonsense')", "the events cannot be counted"), ("open()", "the names of events are required"),
                          ("start(1, 'x')", "regions, and the name of a region, are required"),
                          ("start(t.open('task-clock:u'), 'x'.repeat(300))", "the region cannot be started"),
                          ("stop(t.open('task-clock:u'))", "no region was started")):
        tap.same(must("node", "-e", wrong % call, module, env=env).strip(), message, call)


def test_example_rust():
    if not shutil.which("rustc"):
        raise tap.Skip("rustc is not installed")
    program = os.path.join(DEST, "region-rs")
    reason = machine.why_not(["rustc", "-", "-o", program], input="fn main() {}")
    if reason:
        raise tap.Skip(f"rustc builds nothing here: {reason}")
    done = tap.run("rustc", "-O", os.path.join(ROOT, "examples", "region.rs"), "-L", "native=" + LIB, "-l", "tally", "-o", program)
    tap.same((done.returncode, done.stderr), (0, ""), "rustc")
    out = must(program, env=dict(os.environ, LD_LIBRARY_PATH=LIB))
    tap.same(bool(re.fullmatch(r"sum \d+: \d+ ns, quality \d\n", out)), True, out)


def test_example_go():
    if not shutil.which("go"):
        raise tap.Skip("go is not installed")
    program = os.path.join(DEST, "region-go")
    env = dict(os.environ, GO111MODULE="off", GOCACHE=DEST + "/go", GOFLAGS="", LD_LIBRARY_PATH=LIB,
               CGO_CFLAGS=" ".join(pkg_config("--cflags", "tally")), CGO_LDFLAGS=" ".join(pkg_config("--libs", "tally")),
               PKG_CONFIG_PATH=PC)
    trial = os.path.join(DEST, "trial.go")
    with open(trial, "w", encoding="ascii") as file:
        file.write('package main\n\n// #include <stdlib.h>\nimport "C"\n\nfunc main() { C.exit(0) }\n')
    reason = machine.why_not(["go", "build", "-o", program, trial], env=env)
    if reason:
        raise tap.Skip(f"go builds no programs with C here: {reason}")
    must("go", "build", "-o", program, os.path.join(ROOT, "examples", "region.go"), env=env)
    out = must(program, env=env)
    tap.same(bool(re.fullmatch(r"sum \d+: \d+ ns, [a-z ]+\n", out)), True, out)


def test_gcc_shared():
    build_and_run("gcc", "shared")


def test_gcc_static():
    build_and_run("gcc", "static")


def test_clang_shared():
    build_and_run("clang", "shared")


def test_clang_static():
    build_and_run("clang", "static")


def test_cxx_shared():
    build_and_run("g++", "shared")


def test_cxx_static():
    build_and_run("g++", "static")


def test_clang_cxx_shared():
    build_and_run("clang++", "shared")


def test_clang_cxx_static():
    build_and_run("clang++", "static")


def test_all_is_there():
    there = {os.path.relpath(path, DEST + PREFIX) for path in glob.glob(DEST + PREFIX + "/**", recursive=True)}
    lib = os.path.relpath(LIB, DEST + PREFIX)
    wanted = {"bin/tally", "bin/tally-jevents", "bin/jevents", "include/tally-jevents/pmu-events.h", "include/tally/classic.h", "share/doc/tally/LICENSE", "share/doc/tally/examples/region.c", "share/bash-completion/completions/tally", f"{lib}/pkgconfig/tally-core.pc"}
    wanted |= {f"{lib}/{name}" for name in ("libtally.so", "libtally.so.0", "libtally.a", "libtally-core.a", "libtally-profile.so.0", "libtally-profile.a",
                                       "pkgconfig/tally-profile.pc")}
    wanted |= {f"include/tally/{os.path.basename(path)}" for path in glob.glob(ROOT + "/include/tally/*.h*")}
    tap.same(sorted(wanted - there), [], "not installed")


def test_names_are_those_of_the_headers():
    """Check that each version script, shared library and static library contains exactly the functions in the
    headers."""
    for name, headers in HEADERS.items():
        public = set(public_names(headers))
        assert public, name
        script = set(re.findall(r"^\t(tally_\w+);", open(f"{ROOT}/src/library/lib{name}.map", encoding="utf-8").read(), re.M))
        tap.same(sorted(script ^ public), [], f"version script and headers of {name}")
        tap.same(sorted(names_of("nm", "-D", "--defined-only", "--without-symbol-versions", f"{LIB}/lib{name}.so") ^ public), [],
                 f"shared library and headers of {name}")
        tap.same(sorted(names_of("nm", "-g", "--defined-only", f"{LIB}/lib{name}.a") ^ public), [],
                 f"static library and headers of {name}")


def test_shared_library_is_plain():
    """Check that the shared libraries have their versions, and have neither text relocations nor a sanitizer."""
    for name in HEADERS:
        dynamic = must("readelf", "-d", f"{LIB}/lib{name}.so")
        tap.same(re.search(r"SONAME.*\[(.*)\]", dynamic).group(1), f"lib{name}.so.0", "soname")
        needed = set(re.findall(r"NEEDED.*\[(\w+)", dynamic))
        if name == "tally":
            tap.same(sorted(needed), ["libc", "libzstd"], "what it needs")
        tap.same(sorted(needed & {"libasan", "libubsan", "libtally"}), [], f"libraries that {name} must not need")
        tap.same("TEXTREL" in dynamic, False, "relocations of code")
        tap.same("@TALLY_0" in must("nm", "-D", f"{LIB}/lib{name}.so"), True, "versions of symbols")


def test_core_stands_alone():
    """Check that the core's archive needs only functions of the host, and the libc functions to which compilers
    generate calls."""
    tap.same(pkg_config("--libs", "tally-core")[-1], "-ltally-core", "pkg-config")
    needs = names_of("nm", "-u", "--format=posix", LIB + "/libtally-core.a")
    whole = os.path.join(DEST, "core.o")
    must("ld", "-r", "--whole-archive", LIB + "/libtally-core.a", "-o", whole)
    needs = set(re.findall(r"U (\w+)", must("nm", "-u", whole)))
    tap.same(sorted(needs - {"memcpy", "memset", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}), [], "undefined")


try:
    tap.main(__name__)
finally:
    shutil.rmtree(DEST)
