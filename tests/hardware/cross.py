# SPDX-License-Identifier: BSD-2-Clause
"""Test the tools built for arm64 and riscv64 in QEMU's user mode: they read recordings exactly like the tools built for
this machine. User mode has no events, and counting is refused. argv: tally, the source root, the build directory."""
import functools
import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from fixtures import Set  # noqa: E402

TALLY, ROOT, BUILD = sys.argv[1:4]
WORK = os.path.join(BUILD, "cross")
PROCESSORS = {"arm64": "aarch64", "riscv64": "riscv64"}
# Every view of every recording takes minutes in the emulator.
EVERY = int(os.environ.get("TALLY_CROSS_EVERY", "7"))
VIEWS = (("report", "--no-children", "-g", "caller"), ("report", "--json"), ("script",), ("script", "-D"), ("evlist", "-v"))
EMPTY = os.path.join(WORK, "empty")


class Built:
    def __init__(self, arch):
        processor = PROCESSORS[arch]
        machine.need_compiler(f"{processor}-linux-gnu-gcc", "-static", runs=False)
        machine.need_tool(f"qemu-{processor}", "--version")
        root = machine.fetched(os.path.join(ROOT, "scripts", f"fetch_{arch}.sh"))
        # The tests of arm64 build the same programs.
        folder = os.path.join(BUILD, "arm64-machine" if arch == "arm64" else "riscv64-tools")
        os.makedirs(folder, exist_ok=True)
        tap.run("sh", os.path.join(ROOT, "scripts", "build_cross.sh"), arch, folder, root, status=0, timeout=7200)
        self.path = os.path.join(folder, "build", "src", "cli", "tally")
        self.command = [f"qemu-{processor}", self.path]
        self.processor = processor

    def run(self, *words, **options):
        return tap.run(*self.command, *words, env=environment(), **options)


@functools.lru_cache(None)
def attempt(arch):
    try:
        return Built(arch), None
    except tap.Skip as reason:
        return None, reason


def built(arch):
    found, reason = attempt(arch)
    if reason:
        raise reason
    return found


def environment():
    return {**tap.without_leaks(), "HOME": WORK, "TZ": "UTC"}


def recordings():
    """Return every seventh recording, and those that tally made on arm64."""
    found = [path for path in Set(os.path.join(ROOT, "tests", "fixtures"), True).all_files() if "damaged" not in path]
    return sorted({*found[::EVERY], *glob.glob(os.path.join(ROOT, "tests", "fixtures", "perfdata", "arm64", "tally-*"))})


def check_file(arch):
    found = built(arch)
    print(f"# {os.path.getsize(found.path)} bytes")
    header = tap.run("readelf", "-hl", found.path, status=0).stdout
    assert "INTERP" not in header and re.search("AArch64|RISC-V", header), header[:500]
    version = tap.run(TALLY, "version", status=0).stdout
    tap.same(found.run("version", status=0).stdout, version, "version")


def check_list(arch):
    found = built(arch)
    for words in (["list", "--raw-dump"], ["list", "sw"]):
        text = found.run(*words, status=0).stdout
        assert "page-faults" in text, text[:500]


def check_views(arch):
    found, compared, failed = built(arch), 0, []
    os.makedirs(EMPTY, exist_ok=True)
    for path in recordings():
        for view in VIEWS:
            words = [*view, "-i", path, *(["--symfs", EMPTY] if view[0] != "evlist" else [])]
            want = tap.run(TALLY, *words, env=environment())
            got = found.run(*words)
            compared += len(want.stdout)
            if (got.returncode, got.stdout, got.stderr) != (want.returncode, want.stdout, want.stderr):
                failed.append(f"{' '.join(words)}: {got.returncode} {got.stderr[-200:]}")
    print(f"# {compared} bytes of {len(recordings())} recordings")
    assert compared > 100000, "hardly anything was compared"
    tap.same(failed, [], "views that differ")


def check_counting_is_refused(arch):
    """QEMU's user mode has neither perf_event_open nor ptrace."""
    found = built(arch)
    done = found.run("stat", "-e", "task-clock", "true")
    tap.same(done.returncode, 129, done.stderr)
    for line in ("^tally: cannot start the user host", "^  hint: .* the kernel refuses perf_event_open"):
        assert re.search(line, done.stderr, re.M), done.stderr


def test_documents_are_built_by_this_machines_tally():
    """Check that a cross build generates completion and manual pages with a tally that runs on the build machine."""
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(built("arm64").path))))
    place = os.path.join(WORK, "documents")
    shutil.rmtree(place, ignore_errors=True)
    env = {**environment(), "PATH": os.path.dirname(TALLY) + ":" + os.environ["PATH"]}
    tap.run("meson", "setup", place, ROOT, "--cross-file", os.path.join(folder, "cross.txt"), "-Dtests=none", "-Dstatic=true",
            status=0, env=env)
    tap.run("ninja", "-C", place, "documents", status=0, env=env)
    for name in os.listdir(os.path.join(BUILD, "docs")):
        if re.fullmatch(r"_?tally(\.fish)?|.*\.[137]", name):
            with open(os.path.join(BUILD, "docs", name), "rb") as want, open(os.path.join(place, "docs", name), "rb") as got:
                tap.same(got.read(), want.read(), name)


def test_arm64_is_one_file():
    check_file("arm64")


def test_arm64_lists_events():
    check_list("arm64")


def test_arm64_reads_recordings_as_this_machine_does():
    check_views("arm64")


def test_arm64_refuses_to_count_without_events():
    check_counting_is_refused("arm64")


def test_riscv64_is_one_file():
    check_file("riscv64")


def test_riscv64_lists_events():
    check_list("riscv64")


def test_riscv64_reads_recordings_as_this_machine_does():
    check_views("riscv64")


def test_riscv64_refuses_to_count_without_events():
    check_counting_is_refused("riscv64")


shutil.rmtree(EMPTY, ignore_errors=True)
os.makedirs(WORK, exist_ok=True)
tap.main(__name__)
