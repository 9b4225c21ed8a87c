# SPDX-License-Identifier: BSD-2-Clause
"""The guests for arm64.py: their commands, how they are built, and how their output is parsed. argv: tally, the source
root, the build directory."""
import atexit
import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402
from guest import Guest, QEMU  # noqa: E402

TALLY, ROOT, BUILD = sys.argv[1:4]
WORK = os.path.join(BUILD, "arm64-machine")
SUITE = os.path.join(ROOT, "tests", "differential")
LOOP = 100000000  # instructions executed by `loop`; `work mix` executes slightly more
COUNTERS = 7  # six counters for all events, and a cycle counter
PERIODS = {"10M": 10000000, "1M": 1000000, "100k": 100003, "10k": 10007}
CALLERS = ["leaf", "fourth", "third", "second", "first", "work_main", "_start"]


def times(event, number):
    return ",".join([event] * number)


def user(command):
    """Return a shell command that runs a command as an unprivileged user, at a paranoid level that excludes the
    kernel."""
    setting = "/proc/sys/kernel/perf_event_paranoid"
    return f"echo 2 >{setting}; su user -c '{command}'; status=$?; echo -1 >{setting}; [ $status = 0 ]"


STAT = {
    "loop": "-e cycles:u,instructions:u loop",
    "kernel": "-e cycles,instructions,cycles:k loop",
    "many": f"-e {times('cycles:u', 10)} work mix",
    "many_instructions": f"-e {times('instructions:u', 10)} work mix",
    "two_groups": f"-e '{{{times('cycles:u', 4)}}},{{{times('cycles:u', 4)}}}' work mix",
    "pinned": f"-e {times('cycles:uD', COUNTERS + 1)} loop",
    "pinned_first": f"-e cycles:uD,{times('cycles:u', 9)} work mix",
    "inherit": "-e instructions:u work fork",
    "no_inherit": "-i -e instructions:u work fork",
    "calls": "-e instructions:u work calls",
    "asleep": "-e cycles:u,cycles work sleep",
    "raw_names": "-e r11:u,armv8_pmuv3/event=0x8/u,armv8_pmuv3/cpu_cycles/u loop",
    "absent": "-e cycles:u,branch-misses:u loop",
    **{f"group_{size}": f"-e '{{{times('cycles:u', size)}}}' loop" for size in range(1, COUNTERS + 1)},
}
RECORD = {
    **{f"period_{name}": f"-e cycles:u -c {period} loop" for name, period in PERIODS.items()},
    "freq_1000": "-e cycles:u -F 1000 loop",
    "freq_4000": "-e cycles:u -F 4000 loop",
    "mix": "-e cycles:u -c 10007 work mix",
    "fp": "-e cycles:u -c 100003 --call-graph fp work calls",
    "dwarf": "-e cycles:u -c 1000003 --call-graph dwarf,1024 {keep} work calls",
    "unwound": "-e cycles:u -c 1000003 --call-graph dwarf,1024 work calls",
    "children": "-e cycles:u -c 100003 work fork",
    "groups": "-e '{cycles:u,instructions:u}:S' -c 100003 loop",
}


def commands(tool, names):
    """Return the STAT and RECORD commands for this tool. Recordings are named tool.name. perf always keeps stacks."""
    keep = "--keep-stacks" if tool == "tally" else ""
    return {**{f"{tool}.{name}": f"{tool} stat -x, {STAT[name]}" for name in names if name in STAT},
            **{f"{tool}.{name}": f"{tool} record -o {tool}.{name}.data " + RECORD[name].replace("{keep}", keep)
               for name in names if name in RECORD}}


# Commands that only tally runs.
OWN = {
    "machine": "uname -r; dmesg | grep -i 'hw perfevents'",
    "list": "tally list --no-desc",
    "default": "tally stat loop",
    "repeat": "tally stat -x, -r 3 -e instructions:u loop",
    "interval": "tally stat -x, -I 20 -e instructions:u loop",
    "names": "tally stat -x, -e inst_retired:u,cpu_cycles:u,INST_RETIRED:u loop",
    "metric": "tally stat -x, -M ipc loop",
    "group_8": f"tally stat -x, -e '{{{times('cycles:u', COUNTERS + 1)}}}' loop",
    "weak_group": f"tally stat -x, -e '{{{times('cycles:u', COUNTERS + 1)}}}:W' work mix",
    "user_counts": user("tally stat -x, -e cycles loop"),
    "user_chains": user("tally record -q -o /tmp/user.data -e cycles -g -c 100003 work calls") + "; mv /tmp/user.data .",
    "regions_closed": "regions armv8_pmuv3/event=0x8,rdpmc=1/u",
    "regions": "echo 1 >/proc/sys/kernel/perf_user_access; regions armv8_pmuv3/event=0x8,rdpmc=1/u; "
               "echo 0 >/proc/sys/kernel/perf_user_access",
    "self_closed": "self-read",
    "self": "echo 1 >/proc/sys/kernel/perf_user_access; self-read",
}
WIDE = {
    "wide": "tally stat -x, -a -A -e cycles:u,instructions:u taskset 2 loop",
    "wide_all": "tally stat -x, -a -e instructions:u taskset 2 loop",
    "wide_record": "tally record -o wide.data -C 1 -e cycles:u -c 10007 taskset 2 work mix",
    "wide_report": "tally report --stdio -i wide.data",
    "answers": "differential-record linux /differential",
    "hardware_answers": "differential-record linux /differential/hardware",
}
# Commands that show a recording and must print the same output on every machine, and the recordings to show.
VIEWS = {
    "report": "report --stdio -i {}",
    "callers": "report --stdio --children -g caller -i {}",
    "script": "script -i {}",
    "evlist": "evlist -v -i {}",
}
MOVED = ["mix", "fp", "dwarf", "unwound", "children", "groups"]
FOREIGN = ["plain", "chains", "stacks", "dumps"]
# perf's recordings from x86-64, in the source tree and, if it exists, in the shared set. The recorded binaries exist on
# neither machine.
OWN_FIXTURES = ["ticks", "frames", "dwarf", "traced", "leader", "several", "switched", "registers", "squeezed", "map-ids"]
SHARED_PERFDATA = os.path.join(ROOT, "..", "shared", "fixtures", "perfdata", "debian61")
FIXTURES = [os.path.join(ROOT, "tests", "fixtures", "perfdata", "perf61", name + ".data") for name in OWN_FIXTURES] + sorted(
    path for path in glob.glob(os.path.join(SHARED_PERFDATA, "*.data"))
    if os.path.getsize(path) < 300000 and "stat" not in path)
FIXTURE_VIEWS = {
    "dsos": "report --stdio -s comm,dso -g none --symfs /nowhere -i {}",
    "fields": "script -F comm,tid,event -i {}",
    "evlist": "evlist -v -i {}",
}
guests = {}
# The guests have no build ID cache, so the cache of the user running this test must not be used either.
os.environ["PERF_BUILDID_DIR"] = os.path.join(WORK, "no-build-ids")


# ---- the same commands for Debian's perf ----------------------------------------------------------------

PEER = ["loop", "kernel", "many", "pinned", "inherit", "no_inherit", "calls", "asleep", "raw_names", "absent", "group_7",
        "period_1M", "period_10k", "freq_4000", "mix", "fp", "dwarf", "children"]


# The number of samples in these recordings depends slightly on when the kernel runs, so both tools' recordings must be
# made in the same guest.
TICKING = ["freq_4000", "children"]


def peer_commands():
    """Return the commands for perf's counts and recordings, and the commands that read both tools' recordings with each
    tool."""
    wanted = {**commands("perf", PEER), **commands("tally", ["mix", "fp", "dwarf", *TICKING]), "default": "perf stat loop"}
    for reader in ("perf", "tally"):
        for writer in ("perf", "tally"):
            for name in ("mix", "fp"):
                wanted[f"{reader}.report.{writer}.{name}"] = (
                    f"{reader} report --stdio --no-children -g none -s comm,dso,sym -i {writer}.{name}.data")
                wanted[f"{reader}.script.{writer}.{name}"] = f"{reader} script -F comm,tid,ip,sym -i {writer}.{name}.data"
    for writer in ("perf", "tally"):
        wanted[f"unwind.{writer}"] = f"perf script --no-inline -F ip,sym -i {writer}.dwarf.data"
    return wanted


# ---- building the guests --------------------------------------------------------------------------------

def needed(*tools):
    """Skip the test unless the emulator and these tools are installed."""
    machine.need_qemu(*QEMU)
    for tool in tools:
        if not shutil.which(tool):
            raise tap.Skip(f"{tool} is not installed")
    if "aarch64-linux-gnu-gcc" in tools:
        machine.need_compiler("aarch64-linux-gnu-gcc", runs=False)


def fetch():
    return machine.fetched(os.path.join(ROOT, "scripts", "fetch_arm64.sh"))


def libraries(program, root):
    """Return a program's libraries as {path in the guest: path on this machine}."""
    found, todo = {}, [program]
    while todo:
        text = tap.run("aarch64-linux-gnu-objdump", "-p", todo.pop()).stdout
        for name in [*re.findall(r"NEEDED\s+(\S+)", text), "ld-linux-aarch64.so.1"]:
            paths = [path for folder in ("lib", "usr/lib")
                     for path in glob.glob(os.path.join(root, folder, "aarch64-linux-gnu", name))]
            if paths and f"/lib/{name}" not in found:
                found[f"/lib/{name}"] = os.path.realpath(paths[0])
                todo.append(paths[0])
    return found


def foreign_recordings():
    """Record a program of this machine's architecture with this machine's tally. Return {path in the guest: path on
    this machine}, which is empty if the kernel rejects events or the program cannot be built."""
    if machine.need_events.reason() or machine.need_compiler.reason("gcc", "-static"):
        return {}
    program = os.path.join(WORK, "foreign")
    source = os.path.join(ROOT, "tests", "hardware", "arm64", "foreign.c")
    tap.run("gcc", "-O1", "-static", "-fno-omit-frame-pointer", "-o", program, source, status=0)
    files = {program: program}
    for name, options in zip(FOREIGN, ([], ["--call-graph", "fp"], ["--call-graph", "dwarf"],
                                       ["--call-graph", "dwarf", "--keep-stacks"])):
        data = os.path.join(WORK, f"foreign.{name}.data")
        done = tap.run(TALLY, "record", "-q", "-e", "cpu-clock:u", *options, "-o", data, program)
        tap.same(done.returncode, 0, f"tally record: {done.stderr}")
        files[f"/foreign/{name}.data"] = data
    return files


def views(paths, asked):
    return {f"{view}.{os.path.basename(path)}": "tally " + text.format(path)
            for path in paths for view, text in asked.items()}


def start():
    """Start all guests on the first call. Skip the test if they cannot be started."""
    needed("aarch64-linux-gnu-gcc", "cpio")
    root = fetch()
    os.makedirs(WORK, exist_ok=True)
    result = tap.run("sh", os.path.join(ROOT, "scripts", "build_arm64.sh"), WORK, root, timeout=5400)
    tap.same(result.returncode, 0, result.stderr)
    build = os.path.join(WORK, "build")
    programs = {f"/bin/{os.path.basename(path)}": os.path.join(build, path)
                for path in ("src/cli/tally", "tests/differential/differential-record", "tests/hardware/arm64/loop",
                             "tests/hardware/arm64/work", "tests/hardware/arm64/self-read", "tests/hardware/arm64/regions")}
    programs["/bin/busybox"] = os.path.join(root, "bin", "busybox")
    kernel = glob.glob(os.path.join(root, "boot", "vmlinuz-*"))[0]
    foreign = foreign_recordings()
    perf = os.path.join(root, "usr", "bin", "perf")
    fixtures = {f"/fixtures/{os.path.basename(path)}": path for path in FIXTURES}
    everything = {**OWN, **commands("tally", [*STAT, *RECORD]), **views([f"tally.{name}.data" for name in MOVED], VIEWS),
                  **views([path for path in foreign if path.endswith(".data")], VIEWS), **views(fixtures, FIXTURE_VIEWS)}
    guests["exact"] = Guest("exact", WORK, kernel, {**programs, **foreign, **fixtures}, everything)
    guests["wide"] = Guest("wide", WORK, kernel, {**programs, "/differential": SUITE}, WIDE, ["-m", "512", "-smp", "2"])
    guests["peer"] = Guest("peer", WORK, kernel, {**programs, "/bin/perf": perf, **libraries(perf, root)},
                           peer_commands(), ["-m", "1024"])


def guest(name):
    if not guests:
        try:
            start()
        except tap.Skip as reason:
            guests["error"] = reason
        except AssertionError:
            guests["error"] = AssertionError("the guests could not be started")
            raise
    if "error" in guests:
        raise guests["error"]
    return guests[name]


@atexit.register
def stop():
    for machine in guests.values():
        if isinstance(machine, Guest):
            machine.stop()


# ---- parsing the output ---------------------------------------------------------------------------------

def rows(text):
    """Parse the output of `stat -x,` into rows of (value or the reason for its absence, event, running time, its
    percentage)."""
    found = [line.split(",") for line in text.splitlines() if re.match(r"\d|<not ", line)]
    return [(int(row[0]) if row[0].isdigit() else row[0], row[2], int(row[3]), float(row[4])) for row in found]


def counts(name, machine="exact", tool="tally"):
    """Return the rows printed by a stat command, which writes to standard error."""
    machine = guest(machine)
    machine.said(f"{tool}.{name}")
    return rows(machine.text(f"{tool}.{name}.err"))


def values(name, machine="exact", tool="tally"):
    return [row[0] for row in counts(name, machine, tool)]


def samples(name, machine="exact", tool="tally"):
    machine = guest(machine)
    machine.said(f"{tool}.{name}")
    return int(re.search(r"\((\d+) samples\)", machine.text(f"{tool}.{name}.err")).group(1))


def data(name, machine="exact", tool="tally"):
    return guest(machine).path(f"{tool}.{name}.data")


def script(path, *options):
    result = tap.run(TALLY, "script", "-i", path, "--symfs", guest("exact").root, *options)
    tap.same(result.returncode, 0, result.stderr)
    return result.stdout


def shares(text):
    return {name: float(share) for share, name in re.findall(r"^\s*([\d.]+)%.*\[\.\] (\w+)\s*$", text, re.M)}


def chains(text):
    """Parse the output of `script -F ip,sym` into a list of functions for each sample."""
    return [re.findall(r"^\s*[0-9a-f]+ (\S+)", block, re.M) for block in re.split(r"\n\s*\n", text) if block.strip()]
