# SPDX-License-Identifier: BSD-2-Clause
"""Test stacks that are recorded by perf and by tally on Linux for arm64, and unwound both there and on this machine.
They are compared with perf on arm64, with libdwfl on this machine, and with the known stacks. argv: tally, the source
root, the build directory; then the oracle (tests/unwind), if it was built. With TALLY_UNWIND=all in the environment,
all programs are used, which takes some minutes longer.

The machine signs return addresses, unlike the Neoverse in arm64.py."""
import glob
import os
import sys

TALLY, ROOT, BUILD, *ORACLE = sys.argv[1:]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.join(ROOT, "tests", "unwind"))
sys.path.insert(0, os.path.join(ROOT, "tests", "hardware"))
import unwind_oracle as oracle  # noqa: E402
import tap  # noqa: E402
import workloads  # noqa: E402
from arm64_guests import WORK, fetch, libraries, needed  # noqa: E402
from guest import Guest  # noqa: E402

SOURCES = os.path.join(ROOT, "tests", "unwind", "workloads")
GCC = "aarch64-linux-gnu-gcc -pthread"
O2 = "-O2 -fomit-frame-pointer"
ONLY_DEBUG_FRAME = "-g -fno-asynchronous-unwind-tables -fno-unwind-tables"
# Compiler flags, sources, arguments, and name of the known stacks for each program.
ALL = {
    "frames": (O2, "frames.c", "400", "frames"),
    "frames_pointers": ("-O2 -fno-omit-frame-pointer", "frames.c", "400", "frames"),
    "frames_static": (f"{O2} -static", "frames.c", "400", "frames"),
    "frames_signed": (f"{O2} -mbranch-protection=standard", "frames.c", "400", "frames"),
    "frames_debug": (f"{O2} {ONLY_DEBUG_FRAME}", "frames.c", "400", "frames"),
    "signals": (O2, "signals.c", "30", "signals"),
    "signals_near": (f"{O2} -static", "signals.c", "30 near", "signals"),
    "threads": (O2, "threads.c", "3", "threads"),
    "coroutines": (O2, "coroutines.c", "400", "coroutines"),
    "calls": (f"{O2} -Wl,-z,lazy", "calls.c", "10 /lib/libmany.so", None),
    "calls_signed": (f"{O2} -Wl,-z,lazy -mbranch-protection=standard", "calls.c",
                     "10 /lib/libmany_signed.so", None),
    "library": (O2, "library.c", "15", None),
}
QUICK = ["frames_static", "frames_signed", "frames_debug", "signals", "coroutines", "calls"]
PROGRAMS = {name: row for name, row in ALL.items() if name in QUICK or os.environ.get("TALLY_UNWIND") == "all"}
LIBRARIES = {"libcalled.so": ("called.c", ""), "libmany.so": ("many.c", "-Wl,-z,lazy"),
             "libmany_signed.so": ("many.c", "-Wl,-z,lazy -mbranch-protection=standard")}
RECORD = "record -o {writer}.{name}.data -e cycles:u -c 50021 --call-graph dwarf"
machine = []


def build(root):
    """Build the programs and their libraries. Return {path in the guest: path on this machine}."""
    files = {}
    os.makedirs(os.path.join(WORK, "unwind-programs"), exist_ok=True)
    folder = os.path.join(WORK, "unwind-programs")
    for name, (source, flags) in LIBRARIES.items():
        workloads.shell(f"{GCC} -O2 -shared -fPIC {flags} -o {name} {SOURCES}/{source}", folder)
        files[f"/lib/{name}"] = os.path.join(folder, name)
    for name, (flags, source, _, _) in PROGRAMS.items():
        linked = f"-L{folder} -lcalled" if source == "calls.c" else ""
        workloads.shell(f"{GCC} {flags} -Wl,--allow-shlib-undefined -o {name} {SOURCES}/{source} {linked}", folder)
        files[f"/bin/{name}"] = os.path.join(folder, name)
        if "-static" not in flags:
            files.update(libraries(os.path.join(folder, name), root))
    return files


def commands():
    found = {}
    for name, (_, _, args, _) in PROGRAMS.items():
        for writer, options in (("perf", ""), ("tally", "--keep-stacks")):
            found[f"{writer}.{name}"] = f"{writer} {RECORD.format(writer=writer, name=name)} {options} {name} {args}"
            found[f"perf.script.{writer}.{name}"] = (f"perf script --no-inline -F comm,tid,time,ip,sym,dso "
                                                     f"-i {writer}.{name}.data")
            found[f"tally.script.{writer}.{name}"] = f"tally script -F comm,tid,time,ip,sym,dso -i {writer}.{name}.data"
        found[f"live.{name}"] = f"tally {RECORD.format(writer='live', name=name)} {name} {args}"
        found[f"tally.script.live.{name}"] = f"tally script -F comm,tid,time,ip,sym,dso -i live.{name}.data"
    found["cache"] = "cp -r /tmp/.debug cache; find cache -name vdso"
    return found


def guest():
    if not machine:
        needed("aarch64-linux-gnu-gcc", "cpio")
        root = fetch()
        os.makedirs(WORK, exist_ok=True)
        result = tap.run("sh", os.path.join(ROOT, "scripts", "build_arm64.sh"), WORK, root, timeout=5400)
        tap.same(result.returncode, 0, result.stderr)
        perf = os.path.join(root, "usr", "bin", "perf")
        files = {"/bin/tally": os.path.join(WORK, "build", "src", "cli", "tally"), "/bin/perf": perf,
                 "/bin/busybox": os.path.join(root, "bin", "busybox"), **libraries(perf, root), **build(root)}
        kernel = glob.glob(os.path.join(root, "boot", "vmlinuz-*"))[0]
        machine.append(Guest("unwind", WORK, kernel, files, commands(),
                             ["-m", "1536", "-cpu", "max,pauth-impdef=on,sve=off"]))
    return machine[0]


def stacks(text):
    return list(oracle.chains_of(text))


def here(path):
    """Return the stacks that tally on this machine prints for a recording."""
    environment = {**os.environ, "PERF_BUILDID_DIR": guest().path("cache")}
    result = tap.run(TALLY, "script", "-i", path, "--symfs", guest().root, "-F", "comm,tid,time,ip,sym,dso", env=environment)
    tap.same(result.returncode, 0, result.stderr)
    return stacks(result.stdout)


def vdso():
    found = glob.glob(os.path.join(guest().path("cache"), "**", "vdso"), recursive=True)
    if not found:
        raise AssertionError("perf kept no vdso")
    return found[0]


def names_of(frames):
    return [oracle.bare([frame])[0] for frame in frames]


def whole(found):
    return sum(bool(oracle.BOTTOM.match(names_of(frames)[-1])) for frames in found)


def each():
    return [(writer, name) for writer in ("perf", "tally") for name in PROGRAMS]


def test_stacks_equal_the_known_ones():
    """Check stacks that were unwound on the guest, both from dumps and while recording, and on this machine."""
    for name, (_, _, _, truth) in PROGRAMS.items():
        for writer in ("perf", "tally", "live"):
            oracle.check_truth(workloads.TRUTH.get(truth, []), stacks(guest().said(f"tally.script.{writer}.{name}")))
            oracle.check_truth(workloads.TRUTH.get(truth, []), here(guest().path(f"{writer}.{name}.data")))


def test_the_same_is_found_here():
    for writer, name in each():
        tap.same(here(guest().path(f"{writer}.{name}.data")), stacks(guest().said(f"tally.script.{writer}.{name}")),
                 f"stacks of {writer}.{name}")


def test_perf_finds_no_more():
    for writer, name in each():
        ours, theirs = (stacks(guest().said(f"{reader}.script.{writer}.{name}")) for reader in ("tally", "perf"))
        print(f"# {writer}.{name}: {len(ours)} stacks, {whole(ours)} to the bottom, by perf {whole(theirs)}, "
              f"{sum(a == b for a, b in zip(ours, theirs))} the same")
        tap.same(len(ours), len(theirs), "stacks")
        if whole(ours) < whole(theirs):
            raise AssertionError(f"{writer}.{name}: fewer stacks than by perf reach the bottom")


def test_libdwfl_finds_the_same():
    """Compare the stacks with libdwfl's, except where elfutils 0.188 has known bugs: it treats the signature as part of
    signed return addresses, and it repeatedly finds the vDSO's signal trampoline, which has a frame like any other
    caller."""
    if not ORACLE:
        raise tap.Skip("libdw is not installed")
    for writer, name in each():
        if "signed" in name or "signals" in name:
            continue
        result = tap.run(ORACLE[0], "-v", "--symfs", guest().root, "--vdso", vdso(), guest().path(f"{writer}.{name}.data"))
        found = oracle.numbers(result.stdout)
        print(f"# {writer}.{name}: {found.get('frames compared', 0):.0f} frames, {found.get('share', 0):.3f} % equal, longer by us "
              f"{found.get('longer by us', 0):.0f}, by libdwfl {found.get('longer by libdwfl', 0):.0f}")
        tap.same(result.returncode, 0, f"{writer}.{name}\n" + result.stdout[-3000:])


if __name__ == "__main__":
    try:
        tap.main("__main__")
    finally:
        for one in machine:
            one.stop()
