# SPDX-License-Identifier: BSD-2-Clause
"""Programs for comparing the stacks unwound by tally and by libdwfl: how to build each program, and its known
stacks."""
import pathlib
import shutil
import subprocess

SOURCES = pathlib.Path(__file__).parent / "workloads"

# Known stacks, innermost frame first, up to main. They apply to samples taken in the first function.
FRAMES = ["leaf", "with_alloca", "with_alignment", "with_both", "with_much", "with_a_way_out"] + ["recursion"] * 11 + \
         ["no_return", "main"]
JIT = ["leaf", "generated_0", "generated_1", "generated_2", "main"]
TRUTH = {
    "frames": [FRAMES],
    "generated": [JIT],
    "coroutines": [["leaf"] + ["work"] * n + ["routine"] for n in (4, 5, 6)],
    "threads": [["leaf", "run"]],
    "signals": [["leaf", "interrupted", "main"]],
    "escapes": [["escape_leaf", "escape_" + kind, "keeps"] + ["recursion"] * 4 + ["main"]
                for kind in ("cfa", "registers", "in_register", "by_place")],
}


class Missing(Exception):
    """Raised if the machine does not meet a requirement."""


def need(*commands):
    for command in commands:
        if not shutil.which(command):
            raise Missing(f"no {command} here")


def shell(line, folder):
    result = subprocess.run(line, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                            timeout=1800)
    if result.returncode:
        raise Missing(f"{line}: {result.stdout.strip()[-300:]}")
    return result.stdout


class Workload:
    """A workload: its name, the shell lines that build it (S is the source folder), the command to run, and the
    required compilers. `truth` names a row of TRUTH; `least` is the percentage of frames that must equal libdwfl's."""

    def __init__(self, name, build, command, needs=("gcc",), truth=None, least=99.9, quick=False, bottom=True):
        self.name, self.lines, self.command, self.needs = name, [build] if isinstance(build, str) else build, command, needs
        self.truth, self.least, self.quick, self.bottom = TRUTH.get(truth, []), least, quick, bottom

    def build(self, folder):
        need(*self.needs)
        for line in self.lines:
            shell(line.replace("$S", str(SOURCES)), folder)
        return [part.replace("$S", str(SOURCES)) for part in self.command.split()]


def c(name, source, flags="-O2 -fomit-frame-pointer", args="", compiler="gcc", after=(), **options):
    """Return the workload for a program with one C file."""
    options.setdefault("truth", source)
    lines = [f"{compiler} {flags} -o program $S/{source}.c -pthread", *after]
    return Workload(name, lines, f"./program {args}", (compiler.split()[0],), **options)


# musl's signal trampoline has no rules. libdwfl mistakes the trampoline for a caller and misses the interrupted frame,
# so fewer frames have to be equal.
NO_TRAMPOLINE = 90
STRIP_SECTIONS = "python3 $S/strip_sections.py program"
ONLY_DEBUG_FRAME = "-O2 -fomit-frame-pointer -g -fno-asynchronous-unwind-tables -fno-unwind-tables"
LIBRARIES = ["gcc -O2 -shared -fPIC {0} -o libmany.so $S/many.c", "gcc -O2 -shared -fPIC {0} -o libcalled.so $S/called.c"]


def calls(name, flags, **options):
    lines = [line.format(flags) for line in LIBRARIES]
    lines.append(f"gcc -O2 {flags} -o program $S/calls.c -L. -lcalled -Wl,-rpath,'$ORIGIN'")
    return Workload(name, lines, "./program 1500 ./libmany.so", **options)


ALL = [
    c("frames, gcc -O2", "frames", quick=True),
    c("frames, gcc -O0", "frames", "-O0"),
    c("frames, gcc -O3 -flto", "frames", "-O3 -flto -fomit-frame-pointer", truth=None),
    c("frames, gcc -Os", "frames", "-Os -fomit-frame-pointer"),
    c("frames, gcc -O2 -fno-omit-frame-pointer", "frames", "-O2 -fno-omit-frame-pointer"),
    c("frames, gcc -O2 -no-pie", "frames", "-O2 -fomit-frame-pointer -no-pie"),
    c("frames, gcc -O2 -static", "frames", "-O2 -fomit-frame-pointer -static"),
    c("frames, gcc -O2 -static-pie", "frames", "-O2 -fomit-frame-pointer -static-pie", quick=True),
    c("frames, clang -O2", "frames", compiler="clang"),
    c("frames, clang -O2, lld", "frames", "-O2 -fomit-frame-pointer -fuse-ld=lld", compiler="clang", quick=True),
    c("frames, clang -O2, lld, sections apart", "frames", "-O2 -fuse-ld=lld -Wl,-z,separate-code -Wl,--icf=all -ffunction-sections",
      compiler="clang"),
    c("frames, no section headers", "frames", after=[STRIP_SECTIONS], truth=None, quick=True),
    c("frames, stripped", "frames", after=["strip program"], truth=None),
    c("frames, .debug_frame only", "frames", ONLY_DEBUG_FRAME, quick=True),
    c("frames, .debug_frame only, -gz", "frames", ONLY_DEBUG_FRAME + " -gz"),
    c("frames, .debug_frame only, -gz=zlib-gnu", "frames", ONLY_DEBUG_FRAME + " -gz=zlib-gnu"),
    c("frames, .debug_frame only, DWARF 5", "frames", ONLY_DEBUG_FRAME + " -gdwarf-5"),
    c("frames, .debug_frame only, clang", "frames", ONLY_DEBUG_FRAME, compiler="clang"),
    c("frames, .debug_frame in a debug file", "frames", ONLY_DEBUG_FRAME,
      after=["objcopy --only-keep-debug program program.debug", "strip --strip-debug program",
             "objcopy --add-gnu-debuglink=program.debug program"], quick=True),
    c("frames, musl, static", "frames", "-O2 -fomit-frame-pointer -static", compiler="musl-gcc", quick=True),
    c("frames, musl, dynamic", "frames", "-O2 -fomit-frame-pointer", compiler="musl-gcc"),
    c("library, glibc", "library", args="1000", quick=True),
    c("library, glibc, static", "library", "-O2 -fomit-frame-pointer -static", args="1000"),
    c("library, musl, static", "library", "-O2 -fomit-frame-pointer -static", args="1000", compiler="musl-gcc"),
    c("library, musl, dynamic", "library", args="1000", compiler="musl-gcc"),
    c("signals, a stack of their own", "signals", args="3000", quick=True),
    c("signals, one stack", "signals", args="3000 near"),
    c("signals, musl, static", "signals", "-O2 -fomit-frame-pointer -static", args="3000", compiler="musl-gcc", least=NO_TRAMPOLINE),
    c("signals, musl, one stack", "signals", "-O2 -fomit-frame-pointer", args="3000 near", compiler="musl-gcc", least=NO_TRAMPOLINE,
      truth=None),  # stripped, so the trampoline has the name of the symbol before it
    c("clocks of the vdso", "clocks", quick=True),
    c("generated code with frame pointers", "generated", quick=True),
    c("generated code without", "generated", args="30000 bare", truth=None),
    c("coroutines", "coroutines", quick=True),
    c("threads", "threads", quick=True),
    c("threads, musl, static", "threads", "-O2 -fomit-frame-pointer -static", compiler="musl-gcc"),
    c("deep", "deep", args="8000"),
    c("spawn", "spawn"),
    Workload("exceptions, g++", "g++ -O2 -fomit-frame-pointer -o program $S/throw.cc", "./program 20000", ("g++",), quick=True),
    Workload("exceptions, g++ -static", "g++ -O2 -static -o program $S/throw.cc", "./program 20000", ("g++",)),
    Workload("exceptions, clang++", "clang++ -O2 -o program $S/throw.cc", "./program 20000", ("clang++",)),
    calls("calls, bound lazily", "-Wl,-z,lazy", quick=True),
    calls("calls, bound at once", "-Wl,-z,now"),
    calls("calls, with .plt.sec", "-Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt"),
    calls("calls, with .plt.sec, bound at once", "-Wl,-z,now -fcf-protection -Wl,-z,ibtplt"),
    calls("calls, lld", "-fuse-ld=lld -Wl,-z,lazy"),
    calls("calls, not through stubs", "-fno-plt"),
    Workload("escapes", "gcc -O2 -fomit-frame-pointer -o program $S/escapes.c $S/escapes.S", "./program", truth="escapes", quick=True),
    Workload("rust", "rustc -O -o program $S/panic.rs", "./program 10000", ("rustc",), quick=True),
    Workload("rust, panic=abort, lto", "rustc -C opt-level=3 -C lto -C debuginfo=0 -o program $S/panic.rs", "./program 1000", ("rustc",)),
    Workload("go", "go build -o program $S/routines.go", "./program 500", ("go",), quick=True),
    Workload("go, -s -w", "go build -ldflags='-s -w' -o program $S/routines.go", "./program 500", ("go",)),
    Workload("go, pie", "go build -buildmode=pie -o program $S/routines.go", "./program 500", ("go",)),
    Workload("node", [], "node $S/script.js 60", ("node",)),
    Workload("node, --perf-basic-prof", [], "node --perf-basic-prof --interpreted-frames-native-stack $S/script.js 60", ("node",)),
    Workload("python", [], "/usr/bin/python3 $S/script.py 200", ("/usr/bin/python3",), quick=True),
]


def chosen(names, everything):
    if names:
        return [row for row in ALL if any(name in row.name for name in names)]
    return [row for row in ALL if everything or row.quick]
