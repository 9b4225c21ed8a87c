# SPDX-License-Identifier: BSD-2-Clause
"""Test tally ftrace on kernels with all tracers. Boot Debian's 6.1 kernel, where only the top level has function_graph,
and its 6.12 kernel, where instances have it, under QEMU without counters. Run the commands below on these kernels, and
check their output. Each command must leave the settings in tracefs unchanged. argv: tally, the source root, the build
directory."""
import glob
import io
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine as probes  # noqa: E402
import tap  # noqa: E402

TALLY, ROOT, BUILD = sys.argv[1:4]
WORK = os.path.join(BUILD, "ftrace-machine")
SEED = int(os.environ.get("TALLY_SEED", "5"))
ROUNDS = int(os.environ.get("TALLY_ROUNDS", "12"))
# The emulator's cmpxchg16b does not work with Linux 6.12, so it is disabled.
QEMU = ("qemu-system-x86_64 -M q35 -cpu Haswell,-cx16 -m 1024 -nographic -nodefaults -no-user-config -monitor none "
        "-no-reboot").split()
SERIES = {"6.1": "vmlinuz-6.1.*", "6.12": "vmlinuz-6.12.*"}
TIMEOUT = 3600  # seconds; generous, for busy machines

READS = 200  # one-byte reads
WORK_READS = f"dd if=/dev/zero of=/dev/null bs=1 count={READS}"
FEW = "dd if=/dev/zero of=/dev/null bs=1 count=3"
# Patching all functions takes half a minute in the emulator, so most commands trace only a few hundred.
GRAPH = "-t function_graph -T 'vfs_*' -T '*read*' -T 'rw_*' -T '*_lock'"
GRAPH_OPTIONS = GRAPH + " -G vfs_read --graph-opts depth=5,tail,noirqs,thresh=1 -m 64K --inherit"

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
export PATH=/bin HOME=/tmp LC_ALL=C ASAN_OPTIONS=detect_leaks=0
T=/sys/kernel/tracing
settings() {
	cd $T
	grep "" tracing_on current_tracer buffer_size_kb trace_clock set_ftrace_pid set_event set_event_pid tracing_cpumask \\
		set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace max_graph_depth tracing_thresh options/*
	ls instances
	cd /out
}
ms() { read up rest </proc/uptime; echo ${up%.*}${up#*.}0; }
# kill_rounds OPTIONS: kill -9 at each of $moments, thousandths of what a whole run takes.
kill_rounds() {
	start=$(ms)
	tally ftrace "$@" -- true >/dev/null
	took=$(($(ms) - start))
	echo "run $took"
	for moment in $moments; do
		# The pipe's end is when tally, the keeper and the command are gone. The command lasts as long as tally does:
		# however slow this machine is, tally is killed at work. One that started after that is a child of init.
		{
			tally ftrace "$@" -- sh -c 'while [ $PPID != 1 ] && kill -0 $PPID; do :; done' 9>&1 >/dev/null 2>&1 &
			victim=$!
			usleep $((took * moment))
			kill -9 $victim
			wait $victim
			echo "status $?" >/tmp/status
		} | cat >/dev/null
		cat /tmp/status
		settings >/tmp/now
		cmp -s /tmp/base /tmp/now || diff /tmp/base /tmp/now
	done
}
mkdir /out
echo 1408 >$T/buffer_size_kb
settings >/tmp/base
"""
STEP = """({command}) >{name}.out 2>{name}.err </dev/null
echo $? >{name}.status
settings >/tmp/now
diff /tmp/base /tmp/now >{name}.changed
"""
EPILOGUE = """cd /out
stty -F /dev/ttyS1 raw
tar c . | gzip >/dev/ttyS1
poweroff -f
"""

COMMANDS = {
    "tracers": "uname -r; cat $T/available_tracers; mkdir $T/instances/x; cat $T/instances/x/available_tracers; "
               "rmdir $T/instances/x",
    "functions": "tally ftrace -F 'vfs_rea*'",
    "function": f"tally ftrace -T vfs_read -- {WORK_READS}",
    "glob": f"tally ftrace -T 'vfs_*' -N vfs_read -- {WORK_READS}",
    "stacks": f"tally ftrace -T vfs_read --func-opts call-graph -- {FEW}",
    "nothing": "tally ftrace -T no_such_function -- true",
    "command": f"tally ftrace -T vfs_read:traceoff -- {FEW}",
    "graph": f"tally ftrace {GRAPH} -G vfs_read -- {FEW}",
    "default": "tally ftrace -- true | head -n 3000",
    "depth": f"tally ftrace {GRAPH} --graph-opts depth=1 -- {FEW}",
    "verbose": f"tally ftrace {GRAPH} -G vfs_read --graph-opts verbose,tail -- {FEW}",
    "nograph": f"tally ftrace {GRAPH} -G vfs_read -g '*lock*' -g rw_verify_area -- {FEW}",
    "thresh": f"tally ftrace {GRAPH} --graph-opts thresh=1000000 -- {FEW}",
    "alone": f"tally ftrace -T vfs_read -- sh -c '{FEW}; {FEW}; true'",
    "inherit": f"tally ftrace --inherit -T vfs_read -- sh -c '{FEW}; {FEW}; true'",
    "cpu": f"tally ftrace -C 0 -T vfs_read -- {FEW}",
    "no_cpu": "tally ftrace -C 7 -T vfs_read -- true",
    "task": "sh -c 'while read x </proc/uptime; do :; done' & p=$!; tally ftrace -T vfs_read -p $p >/tmp/task & t=$!; "
            "while ! grep -q vfs_read /tmp/task; do usleep 20000; done; kill $p; wait $t; s=$?; head -n 500 /tmp/task; "
            "echo task $p; exit $s",
    "all": f"tally ftrace -a -T vfs_read -- sh -c '{FEW}; true'",
    "lost": f"tally ftrace -T '*read*' -T '*_lock' -m 4K -- {WORK_READS} | tail -n 200",
    "latency": f"tally ftrace latency -T vfs_read -- {WORK_READS}",
    "nanoseconds": f"tally ftrace latency -n --hide-empty -T vfs_read -- {WORK_READS}",
    "events": f"tally ftrace latency -e syscalls:sys_enter_read -e syscalls:sys_exit_read -- {WORK_READS}",
    "profile": f"tally ftrace profile -T 'vfs_*' -- {WORK_READS}",
    "by_count": f"tally ftrace profile -s count -T 'vfs_*' -T '*read*' -G vfs_read --graph-opts depth=3 -- {WORK_READS}",
    "missing": "tally ftrace -t wakeup -- true",
    "option": "tally ftrace -t function_graph --graph-opts args -- true",
    "status": "tally ftrace -T vfs_read -- sh -c 'exit 7'",
    "child_killed": "tally ftrace -T vfs_read -- sh -c 'kill -9 $$'",
    "terminated": f"tally ftrace -a {GRAPH} >/tmp/text & p=$!; while [ ! -s /tmp/text ]; do usleep 20000; done; "
                  "kill -TERM $p; wait $p",
    "keeper_killed": f"tally ftrace -a {GRAPH} >/tmp/text2 & p=$!; while [ ! -s /tmp/text2 ]; do usleep 20000; done; "
                     "kill -9 $(pgrep tally-restorer); kill -INT $p; wait $p",
    "both_killed": "(tally ftrace -a -T vfs_read >/tmp/text3 & p=$!; while [ ! -s /tmp/text3 ]; do usleep 20000; done; "
                   "kill -9 $(pgrep tally-restorer) $p; wait $p); ls $T/instances; tally ftrace -T vfs_read -- true | wc -l; "
                   "ls $T/instances",
    "others": "echo vfs_write >$T/set_ftrace_filter; echo vfs_open >$T/set_graph_function; echo 3 >$T/max_graph_depth; "
              "echo 0 >$T/options/sleep-time; echo 1 >$T/options/funcgraph-tail; settings >/tmp/theirs; "
              f"tally ftrace {GRAPH_OPTIONS} -- {FEW}; s=$?; settings >/tmp/now; diff /tmp/theirs /tmp/now; "
              "echo >$T/set_ftrace_filter; echo >$T/set_graph_function; echo 0 >$T/max_graph_depth; "
              "echo 1 >$T/options/sleep-time; echo 0 >$T/options/funcgraph-tail; exit $s",
    "busy": f"echo blk >$T/current_tracer; settings >/tmp/theirs; tally ftrace latency -T vfs_read -- {FEW}; s=$?; "
            "settings >/tmp/now; diff /tmp/theirs /tmp/now; echo nop >$T/current_tracer; exit $s",
    "recorded": f"echo hello >$T/trace_marker; tally ftrace {GRAPH} -G vfs_read -- {FEW}; s=$?; grep -c hello $T/trace; "
                "echo >$T/trace; exit $s",
    "forced": f"echo blk >$T/current_tracer; settings >/tmp/theirs; tally ftrace latency --force -T vfs_read -- {FEW};"
              " s=$?; settings >/tmp/now; diff /tmp/theirs /tmp/now; echo nop >$T/current_tracer; exit $s",
    "killed_graph": f"kill_rounds {GRAPH_OPTIONS}",
    "killed_function": "kill_rounds -T 'vfs_*' -N vfs_write --func-opts call-graph -m 128K",
    "killed_profile": "kill_rounds profile -T 'vfs_*'",
}


class Machine:
    def __init__(self, series, fetched):
        self.series = series
        self.dir = os.path.join(WORK, series)
        shutil.rmtree(self.dir, ignore_errors=True)
        root = os.path.join(self.dir, "root")
        for folder in ("bin", "proc", "sys", "dev", "tmp"):
            os.makedirs(os.path.join(root, folder))
        shutil.copy(os.path.join(fetched, "bin", "busybox"), os.path.join(root, "bin"))
        self.copy_tally(root)
        self.write_init(root)
        names = sorted(os.path.relpath(os.path.join(folder, name), root)
                       for folder, folders, files in os.walk(root) for name in [*folders, *files])
        with open(os.path.join(self.dir, "initrd"), "wb") as file:
            subprocess.run("cpio --quiet -o -H newc -R 0:0".split(), cwd=root, check=True, stdout=file,
                           input="\n".join(names).encode())
        kernel = sorted(glob.glob(os.path.join(fetched, "boot", SERIES[series])))[-1]
        self.out = os.path.join(self.dir, "out.tar.gz")
        self.console = os.path.join(self.dir, "console")
        self.files = None
        self.qemu = subprocess.Popen(
            [*QEMU, "-kernel", kernel, "-initrd", os.path.join(self.dir, "initrd"), "-append",
             "console=ttyS0 panic=-1 quiet", "-serial", "file:" + self.console, "-serial", "file:" + self.out],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @staticmethod
    def copy_tally(root):
        """Copy tally and its libraries, wherever they are installed on this machine."""
        shutil.copy(TALLY, os.path.join(root, "bin", "tally"))
        for path in re.findall(r"(/\S+) \(0x", tap.run("ldd", TALLY).stdout):
            to = os.path.join(root, path.lstrip("/"))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(path, to)

    @staticmethod
    def write_init(root):
        moments = random.Random(SEED).choices(range(1200), k=ROUNDS)
        path = os.path.join(root, "init")
        with open(path, "w", encoding="utf-8") as file:
            file.write(INIT)
            file.write(f"moments='{' '.join(map(str, moments))}'\ncd /out\n")
            for name, command in COMMANDS.items():
                file.write(f"echo $(ms) {name} >/dev/ttyS0\n" + STEP.format(name=name, command=command))
            file.write(EPILOGUE)
        os.chmod(path, 0o755)

    def finish(self):
        if self.files is not None:
            return
        try:
            self.qemu.wait(TIMEOUT)
            with open(self.out, "rb") as file, tarfile.open(fileobj=io.BytesIO(file.read())) as tar:
                self.files = {os.path.basename(member.name): tar.extractfile(member).read().decode(errors="replace")
                              for member in tar if member.isfile()}
        except (subprocess.TimeoutExpired, tarfile.TarError, OSError) as error:
            self.qemu.kill()
            with open(self.console, encoding="utf-8", errors="replace") as file:
                raise AssertionError(f"{error}: {file.read()[-2000:]}") from error

    def said(self, name, status=0):
        """Return a command's standard output and standard error, after checking that it exited with `status` and
        restored all settings."""
        self.finish()
        out, err = self.files[name + ".out"], self.files[name + ".err"]
        if int(self.files[name + ".status"]) != status:
            raise AssertionError(f"{name} ended with {self.files[name + '.status'].strip()}: {err[-800:]}{out[-300:]}")
        tap.same(self.files[name + ".changed"], "", f"settings after {name}")
        return out, err


machines = {}
FETCHED = {}


def machine(series):
    if platform.machine() != "x86_64":
        raise tap.Skip(f"tally here is a program for {platform.machine()}, and the kernels are for x86-64")
    probes.need_qemu(*QEMU)
    if not shutil.which("cpio"):
        raise tap.Skip("cpio is not installed")
    if not machines:
        if "missing" not in FETCHED:
            FETCHED["missing"] = None
            try:
                FETCHED["root"] = probes.fetched(os.path.join(ROOT, "scripts", "fetch_x86.sh"))
            except tap.Skip as reason:
                FETCHED["missing"] = reason
        if FETCHED["missing"]:
            raise FETCHED["missing"]
        for one in SERIES:
            machines[one] = Machine(one, FETCHED["root"])
    return machines[series]


def has(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise AssertionError(f"no {pattern!r} in {text[-1500:]!r}")


# ---- checks: one point each per kernel ---------------------------------------------------------------------------


def check_tracers(on):
    lines = on.said("tracers")[0].splitlines()
    print("# " + "; ".join(lines))
    tap.same("function_graph" in lines[2], on.series != "6.1", "function_graph in instances")


def check_functions_are_listed(on):
    names = on.said("functions")[0].split()
    assert "vfs_read" in names and all(name.startswith("vfs_rea") for name in names), names


def check_function(on):
    out, err = on.said("function")
    has(out, r"^# tracer: function$", r"TASK-PID +CPU#", r"^ +dd-\d+ +\[000\] \S+ +\d+\.\d+: vfs_read <-ksys_read")
    tap.within(len(re.findall("vfs_read <-ksys_read", out)), READS, READS + 20, f"calls of vfs_read by {READS} reads")
    assert set(re.findall(r": (\w+) <-", out)) == {"vfs_read"} and "tally" not in err, err
    out, _ = on.said("glob")
    names = set(re.findall(r": (\w+) <-", out))
    assert "vfs_write" in names and "vfs_read" not in names, names
    has(on.said("stacks")[0], "<stack trace>", "=> ksys_read")


def check_refused_names(on):
    _, err = on.said("nothing", 1)
    has(err, "no traceable function matches 'no_such_function'", r"tally ftrace -F")
    has(on.said("command", 1)[1], "'vfs_read:traceoff' is not a valid function name")
    has(on.said("missing", 1)[1], "does not have the tracer 'wakeup': it was built without CONFIG_SCHED_TRACER", "available_tracers: ")
    has(on.said("option", 1)[1], "no setting 'funcgraph-args'")
    has(on.said("no_cpu", 1)[1], "CPU 7 does not exist or is offline")


def check_graph(on):
    out, err = on.said("graph")
    has(out, r"^# tracer: function_graph$", r"^# CPU  DURATION +FUNCTION CALLS", r"^ 0\) +\| +vfs_read\(\) \{",
        r"^ 0\) .?\s*\d+\.\d+ us +\| +\w+(\.\w+)*\(\);")
    tap.same("only at the top level of tracefs" in err, on.series == "6.1", "told that the top level is used")
    for line in out.splitlines():
        depth_0 = re.match(r" 0\).*\|  (\w+)\(\)", line)
        assert not depth_0 or depth_0.group(1) == "vfs_read", line
    has(on.said("default")[0], r"^# tracer: function_graph$", r"\) .*\|  +\w+\(\)")
    assert not re.search(r"\|    \S", on.said("depth")[0]), "deeper than depth=1"
    has(on.said("verbose")[0], r"\| +0\) +dd-\d+ +\| .* us +\|", r"\} /\* vfs_read")
    assert not re.search(r"lock|rw_verify", on.said("nograph")[0]), "notrace"
    tap.same(re.findall(" us ", on.said("thresh")[0]), [], "calls of more than a second")


def check_tasks(on):
    def tasks(name):
        return set(re.findall(r"^\s*(\S+-\d+) +\[", on.said(name)[0], re.M))
    tap.within(len(tasks("alone")), 0, 1, "tasks without --inherit")
    tap.within(len(tasks("inherit")), 2, 3, "tasks with --inherit")
    tap.within(len(tasks("all")), 2, 99, "tasks with -a")
    has(on.said("cpu")[0], r"dd-\d+ +\[000\]")
    out, _ = on.said("task")
    pid = re.search(r"^task (\d+)$", out, re.M).group(1)
    tap.same({task.rpartition("-")[2] for task in tasks("task")}, {pid}, "tasks with -p")
    print(f"# calls of -p {pid}: {out.count('vfs_read')}")


def check_lost_is_told(on):
    _, err = on.said("lost")
    has(err, r"\d+ events were lost in \d+ gaps", r"-m")
    print("# " + err.splitlines()[-2])


def histogram(out):
    return sum(int(count) for count in re.findall(r"^ +\d+ - +\S+ +\S+ \| +(\d+) \|", out, re.M))


def check_latency(on):
    out, err = on.said("latency")
    has(out, r"^#   DURATION     \|      COUNT \| GRAPH", r"^     0 -    1 us \|", r"^     1 -  ...  s \|")
    tap.within(histogram(out), READS, READS + 20, "calls in the histogram")
    has(out, rf"count: +{histogram(out)}$")
    out, _ = on.said("nanoseconds")
    tap.within(histogram(out), READS, READS + 20, "calls in that of nanoseconds")
    assert not re.search(r"\| +0 \|", out), "--hide-empty"
    tap.within(histogram(on.said("events")[0]), READS, READS + 20, "pairs of events")


def profile(out):
    return {row[4]: (float(row[0]), float(row[1]), float(row[2]), int(row[3]))
            for row in (line.split(None, 4) for line in out.splitlines() if not line.startswith("#"))}


def check_profile(on):
    out, _ = on.said("profile")
    has(out, r"^# +Total \(us\) +Avg \(us\) +Max \(us\) +Count +Function$")
    rows = profile(out)
    total, average, most, count = rows["vfs_read"]
    tap.within(count, READS, READS + 20, "calls of vfs_read")
    assert abs(total / count - average) < 0.002 and most >= average and total >= most, rows["vfs_read"]
    assert list(rows.values()) == sorted(rows.values(), reverse=True), "by total"
    rows = profile(on.said("by_count")[0])
    counts = [row[3] for row in rows.values()]
    assert counts == sorted(counts, reverse=True) and len(rows) > 3, "by count"


def check_ends(on):
    on.said("status", 7)
    on.said("child_killed", 137)
    on.said("terminated")
    on.said("keeper_killed")
    out, _ = on.said("both_killed")
    has(out, r"\Atally-\d+\n\d+\n\Z")


def check_others_settings_come_back(on):
    out, _ = on.said("others")
    has(out, r"\} /\* vfs_read \*/")
    assert not re.search("^[-+<>]", out, re.M), out[-500:]


def check_busy(on):
    out, err = on.said("busy", 1)
    has(err, "another process is tracing", "current_tracer is not nop", "--force")
    tap.same(out, "", "their settings")
    # On 6.1, tally has to use the top-level trace buffer, where the existing records would be lost, so it refuses to
    # run.
    out, err = on.said("recorded", 1 if on.series == "6.1" else 0)
    assert out.endswith("\n1\n") or out == "1\n", out[-300:]
    tap.same("trace contains records from another process" in err, on.series == "6.1", "told what is in the way")
    out, _ = on.said("forced")
    tap.within(histogram(out), 1, 99, "calls with --force")
    assert not re.search("^[-+<>]", out, re.M), out[-500:]


def check_killed(on):
    for name in ("killed_graph", "killed_function", "killed_profile"):
        out, _ = on.said(name)
        took = re.match(r"run (\d+)\n", out).group(1)
        rest = out.splitlines()[1:]
        print(f"# {name}: a run takes {took} ms; {len(rest)} killed, seed {SEED}")
        tap.same(rest, ["status 137"] * ROUNDS, name)


def make_tests():
    checks = [(name, check) for name, check in globals().items() if name.startswith("check_")]
    for series in SERIES:
        for name, check in checks:
            globals()[f"test_{name[6:]}_on_{series}"] = lambda check=check, series=series: check(machine(series))


if __name__ == "__main__":
    make_tests()
    try:
        tap.main("__main__")
    finally:
        for one in machines.values():
            if one.qemu.poll() is None:
                one.qemu.kill()
