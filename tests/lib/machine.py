# SPDX-License-Identifier: BSD-2-Clause
"""Probes for features of this machine. Each probe tries the feature itself, once and without tally, so that a bug in
tally is never mistaken for a limitation of the machine. If X does not work, need_X() skips the test and reports the
reason."""
import ctypes
import errno
import functools
import mmap
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile

import cache
import tap

TRACEFS = "/sys/kernel/tracing"
NOBODY = 65534
CPU1 = "/sys/devices/system/cpu/cpu1/online"


def probe(reason_of):
    """Turn a function that returns None, or the reason why something does not work, into a probe (a decorator). The
    probe skips the test with that reason; the probe's attribute `reason` returns the reason instead."""
    @functools.lru_cache(None)
    def cached(*args, **options):
        try:
            return reason_of(*args, **options)
        except tap.Skip as reason:  # raised by another probe that this probe depends on
            return str(reason)

    @functools.wraps(reason_of)
    def need(*args, **options):
        reason = cached(*args, **options)
        if reason:
            raise tap.Skip(reason)
    need.reason = cached
    return need


def why_not(args, **options):
    """Run a command. Return None if it succeeds, or otherwise the last line that it wrote to standard error."""
    try:
        done = tap.run(*args, **options)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    lines = (done.stderr or "").strip().splitlines()
    return None if not done.returncode else lines[-1] if lines else f"status {done.returncode}"


@probe
def need_tool(*command):
    """Skip the test unless a program is installed and runs: need_tool("less", "--version")."""
    if not shutil.which(command[0]):
        return f"{command[0]} is not installed"
    reason = why_not(command)
    return reason and f"{command[0]} does not run here: {reason}"


@probe
def need_built_with(part):
    """Skip the test unless meson found the libraries for "dwarf" or "disassembler". A script run by hand assumes that
    they were found."""
    return None if part in os.environ.get("TALLY_BUILT_WITH", part).split() else f"tally is built without {part}"


# ---- users ---------------------------------------------------------------------------


@probe
def need_root():
    return "needs root" if os.geteuid() else None


@probe
def need_nobody():
    """Skip the test unless programs can be run as an unprivileged user."""
    if os.geteuid():
        return "needs root, to become another user"
    reason = why_not(["true"], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
    return reason and f"cannot become user {NOBODY} here: {reason}"


@probe
def need_locked_memory():
    """Skip the test if RLIMIT_MEMLOCK limits this process."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff:"))
    except (OSError, StopIteration):
        return "capabilities are not known"
    return None if effective >> 14 & 1 else "no CAP_IPC_LOCK"


@probe
def need_set_user_id(folder="/var/tmp"):
    """Skip the test unless set-user-ID programs in the folder run with their owner's privileges."""
    if os.geteuid():
        return "needs root, to make a set-user-ID program"
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        return f"{folder} is mounted nosuid"
    with tempfile.TemporaryDirectory(dir=folder) as work:
        os.chmod(work, 0o755)
        program = os.path.join(work, "id")
        shutil.copy(shutil.which("id"), program)
        os.chmod(program, 0o4755)
        done = subprocess.run([program, "-u"], stdout=subprocess.PIPE, text=True, check=False, user=NOBODY, group=NOBODY, extra_groups=[])
    return None if done.stdout == "0\n" else "set-user-ID programs get no rights here"


@probe
def need_chown():
    """Skip the test unless the owner of a file can be changed."""
    if os.geteuid():
        return "needs root, to give files to other users"
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, NOBODY, NOBODY - 1)
        except OSError as error:
            return f"files cannot be given to other users here: {error.strerror}"
    return None


def as_nobody():
    """Return the subprocess options that run a command as an unprivileged user."""
    need_nobody()
    return {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}


@probe
def need_unshare(*options):
    """Skip the test unless namespaces can be created: need_unshare("-m")."""
    if not shutil.which("unshare"):
        return "no unshare here"
    reason = why_not(["unshare", *options, "true"])
    return reason and f"unshare {' '.join(options)} does not work here: {reason}"


@probe
def need_user_namespaces():
    """Skip the test unless an unprivileged user can create user namespaces."""
    need_nobody()
    if not shutil.which("unshare"):
        return "no unshare here"
    reason = why_not(["unshare", "-Ur", "true"], **as_nobody())
    return reason and f"user namespaces are refused to ordinary users here: {reason}"


@probe
def need_file_capabilities(folder="/var/tmp"):
    """Skip the test unless setcap works on the folder's file system, and programs there get the capabilities."""
    need_nobody()
    if not shutil.which("setcap"):
        return "setcap is not installed"
    with tempfile.TemporaryDirectory(dir=folder) as where:
        os.chmod(where, 0o755)
        program = shutil.copy(shutil.which("cat"), where)
        os.chmod(program, 0o755)
        reason = why_not(["setcap", "cap_net_raw=ep", program])
        if reason:
            return f"setcap does not work in {folder}: {reason}"
        status = tap.run(program, "/proc/self/status", **as_nobody()).stdout
        held = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff")]
        return None if held == [1 << 13] else f"file capabilities do not count in {folder}: its file system is nosuid or limited"


# ---- perf events ---------------------------------------------------------------------

SOFTWARE, BREAKPOINT, CPU_CLOCK, CONTEXT_SWITCHES = 1, 5, 0, 3
EXCLUDE_KERNEL, EXCLUDE_HV = 1 << 5, 1 << 6
LIBC = ctypes.CDLL(None, use_errno=True)


def perf_event_open(kind, config, pid=0, cpu=-1, flags=0, period=0, breakpoint_at=(0, 0, 0), how=0):
    """Call perf_event_open with the 72 bytes of attributes that every kernel accepts. Raise OSError on failure."""
    number = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "loongarch64": 241}.get(platform.machine())
    if number is None:
        raise OSError(0, f"number of perf_event_open on {platform.machine()} not known")
    access, address, length = breakpoint_at
    sampled = 1 | 2  # PERF_SAMPLE_IP and PERF_SAMPLE_TID
    attr = struct.pack("<IIQQQQQIIQQ", kind, 72, config, period, sampled if period else 0, 0, flags, 0, access, address, length)
    fd = LIBC.syscall(number, attr, pid, cpu, -1, how | 8)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def open_reason(**more):
    """Return the reason why a software clock event cannot be opened, or None."""
    try:
        os.close(perf_event_open(SOFTWARE, CPU_CLOCK, **more))
    except OSError as error:
        return f"perf_event_open is refused here: {error.strerror}"
    return None


@probe
def need_events():
    """Skip the test unless the user can sample their own tasks in user space, through an event with a ring buffer."""
    try:
        fd = perf_event_open(SOFTWARE, CPU_CLOCK, flags=EXCLUDE_KERNEL | EXCLUDE_HV, period=1000000)
    except OSError as error:
        return f"perf_event_open is refused here: {error.strerror}"
    try:
        mmap.mmap(fd, 2 * mmap.PAGESIZE, mmap.MAP_SHARED).close()
    except (OSError, ValueError) as error:
        return f"events have no ring buffers here: {error}"
    finally:
        os.close(fd)
    return None


@probe
def need_events_of_users():
    """Skip the test unless an unprivileged user can sample their own tasks in user space."""
    need_nobody()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            perf_event_open(SOFTWARE, CPU_CLOCK, flags=EXCLUDE_KERNEL | EXCLUDE_HV, period=1000000)
            status = 0
        finally:
            os._exit(status)
    refused = os.waitpid(child, 0)[1]
    return "perf_event_open is refused to ordinary users here" if refused else None


@probe
def need_kernel_events():
    """Skip the test unless the user can also count their own tasks in the kernel."""
    reason = open_reason()
    return reason and "events in the kernel: " + reason


@probe
def need_namespace_records():
    """Skip the test unless namespaces can be recorded, which requires more privileges than kernel events do."""
    namespaces = 1 << 28
    reason = open_reason(flags=EXCLUDE_KERNEL | EXCLUDE_HV | namespaces)
    return reason and "records of namespaces: " + reason


@probe
def need_system_wide():
    """Skip the test unless whole CPUs can be sampled."""
    reason = open_reason(pid=-1, cpu=min(os.sched_getaffinity(0)), period=1000000)
    return reason and "events of whole CPUs: " + reason


def has_pmu():
    """Return true if a hardware PMU counts cycles."""
    try:
        os.close(perf_event_open(0, 0, flags=EXCLUDE_KERNEL | EXCLUDE_HV))
    except OSError:
        return False
    return True


@probe
def need_hardware_breakpoints():
    """Skip the test unless stores to a watched address are counted. With some hypervisors, breakpoints can be opened
    but never fire."""
    word = ctypes.c_uint32(0)
    write = 2
    try:
        fd = perf_event_open(BREAKPOINT, 0, flags=EXCLUDE_KERNEL | EXCLUDE_HV, breakpoint_at=(write, ctypes.addressof(word), 4))
    except OSError as error:
        return f"hardware breakpoints are refused here: {error.strerror}"
    try:
        for number in range(5):
            word.value = number
        count, = struct.unpack("<Q", os.read(fd, 8))
    finally:
        os.close(fd)
    return None if count == 5 else f"hardware breakpoints do not work here: {count} of 5 stores were counted"


@probe
def need_breakpoint_registers():
    """Skip the test unless exactly four breakpoints can be opened."""
    words, opened = (ctypes.c_uint64 * 5)(), []
    try:
        for number in range(5):
            opened.append(perf_event_open(BREAKPOINT, 0, flags=EXCLUDE_KERNEL | EXCLUDE_HV,
                                          breakpoint_at=(2, ctypes.addressof(words) + 8 * number, 8)))
    except OSError as error:
        if len(opened) != 4:
            return f"{len(opened)} hardware breakpoints can be opened here, not 4: {error.strerror}"
    finally:
        for fd in opened:
            os.close(fd)
    return "more than 4 hardware breakpoints can be opened here" if len(opened) > 4 else None


@probe
def need_pmu(name):
    """Skip the test unless the kernel has a PMU with this name: need_pmu("uprobe")."""
    return None if os.path.isdir(f"/sys/bus/event_source/devices/{name}") else f"this kernel has no PMU {name}"


@probe
def need_kernel_symbols():
    """Skip the test unless root can see the addresses of kernel functions."""
    try:
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as file:
            named = any(int(line.split()[0], 16) for line, _ in zip(file, range(1000)))
    except OSError as error:
        return f"/proc/kallsyms cannot be read here: {error}"
    return None if named else "the kernel hides the addresses of its functions here"


# ---- perf ------------------------------------------------------------------------------


@probe
def need_perf(series=None):
    """Skip the test unless perf runs. need_perf("6.1") also requires the version that produced the test's expected
    output."""
    if not shutil.which("perf") or why_not(["perf", "--version"]):
        return "perf is not installed, or does not start"
    found = tap.run("perf", "--version").stdout.removeprefix("perf version ").strip()
    return f"what perf {series} has is written down, and here is perf {found}" if series and f"{found}.".split(series + ".")[0] else None


@probe
def need_perf_records(*options):
    """Skip the test unless perf record writes samples of a command and perf script reads them:
    need_perf_records("-a")."""
    need_perf()
    spin = "for i in range(3000000): pass"
    with tempfile.TemporaryDirectory() as where:
        data = os.path.join(where, "perf.data")
        command = ["perf", "record", "-q", *(options or ("-e", "cpu-clock:u")), "-o", data, "--", sys.executable, "-S", "-c", spin]
        reason = why_not(command)
        if reason or not os.path.exists(data):
            return f"perf cannot record here: {reason or 'it wrote no file'}"
        done = tap.run("perf", "script", "-i", data, stdin=subprocess.DEVNULL)
        if done.returncode or not done.stdout.strip():
            return f"perf reads no samples of its own recording here: {done.stderr.strip()[-200:]}"
    return None


@probe
def need_perf_counts(*options):
    """Skip the test unless perf stat can count a command: need_perf_counts("-a")."""
    need_perf()
    reason = why_not(["perf", "stat", "-x,", "-e", "cpu-clock:u", *options, "true"])
    return reason and f"perf cannot count here: {reason}"


# ---- tracefs, CPUs -----------------------------------------------------------------------


@probe
def need_tracefs():
    """Skip the test unless the descriptions of tracepoints can be read and are not empty."""
    if not os.geteuid() and not os.path.isdir(TRACEFS + "/events"):
        tap.run("mount", "-t", "tracefs", "tracefs", TRACEFS)
    for name in ("id", "format"):
        path = f"{TRACEFS}/events/sched/sched_switch/{name}"
        try:
            with open(path, encoding="ascii") as file:
                if not file.read().strip():
                    return f"{path} is empty here"
        except OSError as error:
            return f"tracefs cannot be read here: {error}"
    return None


@probe
def need_closed_tracefs():
    """Skip the test unless only root can read the descriptions of tracepoints."""
    need_tracefs()
    path = f"{TRACEFS}/events/sched/sched_switch/id"
    return f"every user can read {path} here" if not why_not(["cat", path], **as_nobody()) else None


@probe
def need_tracepoints():
    """Skip the test unless tracepoint descriptions can be read and tracepoints can be opened as events."""
    need_tracefs()
    with open(TRACEFS + "/events/sched/sched_switch/id", encoding="ascii") as file:
        number = int(file.read())
    try:
        os.close(perf_event_open(2, number, period=1))
    except OSError as error:
        return f"tracepoints are refused here: {error.strerror}"
    return None


@probe
def need_trace_event(name):
    """Skip the test unless this kernel has a tracepoint: need_trace_event("syscalls/sys_enter_read")."""
    need_tracefs()
    return None if os.path.exists(f"{TRACEFS}/events/{name}/id") else f"this kernel has no tracepoint {name}"


@probe
def need_trace_instances():
    """Skip the test unless a tracefs instance can be created and events can be enabled in it."""
    need_tracefs()
    path = f"{TRACEFS}/instances/probe-{os.getpid()}"
    try:
        os.mkdir(path)
        try:
            with open(path + "/events/sched/sched_switch/enable", "w", encoding="ascii") as file:
                file.write("1")
            with open(path + "/trace_pipe", encoding="ascii"):
                pass
        finally:
            os.rmdir(path)
    except OSError as error:
        return f"instances of tracefs do not work here: {error}"
    return None


def cgroup_root():
    """Return the directory of the cgroups that support perf events, or None."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    old = [m[1] for m in mounts if m[2] == "cgroup" and "perf_event" in m[3].split(",")]
    new = [m[1] for m in mounts if m[2] == "cgroup2"]
    return (old + new + [None])[0]


@probe
def need_cgroup_events():
    """Skip the test unless an event can count a cgroup on a CPU."""
    root = cgroup_root()
    if not root:
        return "no cgroup file system with perf events is mounted here"
    pid_is_cgroup = 4
    try:
        folder = os.open(root, os.O_RDONLY)
        try:
            os.close(perf_event_open(SOFTWARE, CPU_CLOCK, folder, min(os.sched_getaffinity(0)), how=pid_is_cgroup))
        finally:
            os.close(folder)
    except OSError as error:
        return f"events of the cgroups in {root} are refused here: {error.strerror}"
    return None


@probe
def need_new_cgroups():
    """Skip the test unless a cgroup can be created and a process can move itself there."""
    need_cgroup_events()
    path = os.path.join(cgroup_root(), f"probe-{os.getpid()}")
    try:
        os.mkdir(path)
    except OSError as error:
        return f"no cgroup can be made here: {error}"
    try:
        reason = why_not(["sh", "-c", f"echo $$ > {path}/cgroup.procs"])
        return reason and f"no process can move to a new cgroup here: {reason}"
    finally:
        os.rmdir(path)


@probe
def need_cpu1_switch():
    """Skip the test unless CPU 1 can be taken offline and brought online."""
    if os.environ.get("TALLY_KEEP_CPUS"):
        return "TALLY_KEEP_CPUS is set: no CPU may be switched off"
    try:
        with open(CPU1, encoding="ascii") as file:
            if file.read().strip() != "1":
                return "CPU 1 is off line"
        for word in ("0", "1"):
            with open(CPU1, "w", encoding="ascii") as file:
                file.write(word)
    except OSError as error:
        return f"CPU 1 cannot be switched off here: {error}"
    with open(CPU1, encoding="ascii") as file:
        return None if file.read().strip() == "1" else "CPU 1 does not come back when it is switched on"


@probe
def need_mounts():
    """Skip the test unless a tmpfs can be mounted."""
    need_root()
    with tempfile.TemporaryDirectory() as where:
        reason = why_not(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where])
        if reason:
            return f"cannot mount a tmpfs here: {reason}"
        tap.run("umount", where)
    return None


@probe
def need_holes(folder, size):
    """Skip the test unless files in the folder can have holes that lseek finds."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(size)
            os.lseek(file.fileno(), 0, os.SEEK_DATA)
            return "its files have no holes"
    except OSError as error:
        return None if error.errno == errno.ENXIO else f"no file with a hole can be made here: {error}"


@probe
def need_process_vm():
    """Skip the test unless a process can read its own memory with process_vm_readv, which must fail for invalid
    pointers."""
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    buffers = [ctypes.create_string_buffer(8) for _ in range(2)]
    parts = [Part(ctypes.addressof(buffer), 8) for buffer in buffers]
    done = LIBC.process_vm_readv(os.getpid(), ctypes.byref(parts[0]), 1, ctypes.byref(parts[1]), 1, 0)
    return None if done == 8 else f"process_vm_readv is refused here: {os.strerror(ctypes.get_errno())}"


SEIZE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(0x4206, int(sys.argv[1]), None, None):
    sys.exit(os.strerror(ctypes.get_errno()))
"""


@probe
def need_ptrace():
    """Skip the test unless a process can ptrace its children."""
    child = subprocess.Popen(["sleep", "1000"])
    seize, detach = 0x4206, 17
    try:
        if LIBC.ptrace(seize, child.pid, None, None):
            return f"ptrace is refused here: {os.strerror(ctypes.get_errno())}"
        LIBC.ptrace(detach, child.pid, None, None)
    finally:
        child.kill()
        child.wait()
    return None


@probe
def need_ptrace_of_others():
    """Skip the test unless an unprivileged process can ptrace another process of the same user that is not its child.
    Yama's ptrace_scope may forbid this."""
    need_ptrace()
    user = {} if os.geteuid() else as_nobody()
    other = subprocess.Popen(["sleep", "1000"], **user)
    try:
        reason = why_not([sys.executable if os.geteuid() else "/usr/bin/python3", "-S", "-c", SEIZE, str(other.pid)], **user)
    finally:
        other.kill()
        other.wait()
    return reason and f"ptrace of a process that is not a child is refused here: {reason}"


@probe
def need_tmux():
    """Skip the test unless tmux starts a server and shows a shell's output."""
    if not shutil.which("tmux"):
        return "no tmux here"
    server = ["tmux", "-L", f"tally-probe-{os.getpid()}", "-f", "/dev/null"]
    reason = why_not([*server, "new-session", "-d", "-s", "s", "-x", "40", "-y", "5", "env", "LC_ALL=C.UTF-8", "sh"])
    reason = reason or why_not([*server, "capture-pane", "-p", "-t", "s"])
    tap.run(*server, "kill-server")
    return reason and f"tmux does not work here: {reason}"


@probe
def need_chromium():
    """Skip the test unless Chromium starts and shows the output of a script in a page."""
    if not shutil.which("chromium"):
        return "chromium is not installed"
    page = "data:text/html,<p id=p></p><script>p.textContent = 6 * 7 + ' shown'</script>"
    with tempfile.TemporaryDirectory() as where:
        try:
            done = tap.run("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={where}", "--dump-dom", page)
        except subprocess.TimeoutExpired as error:
            return f"chromium does not end here: {error}"
    return None if "42 shown" in done.stdout else f"chromium shows nothing here: {done.stderr.strip()[-200:]}"


# ---- compilers and runtimes ----------------------------------------------------------------


@probe
def need_compiler(*command, source="int main(void) { return 0; }", libraries=(), runs=True):
    """Skip the test unless a C compiler accepts these options and the resulting program runs: need_compiler("cc",
    "-static")."""
    if not shutil.which(command[0]):
        return f"no {command[0]} here"
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "program")
        language = "c++" if command[0].endswith("++") else "c"
        reason = why_not([*command, "-x", language, "-o", path, "-", *libraries], input=source)
        if reason:
            return f"{' '.join(command)} builds nothing here: {reason}"
        reason = why_not([path]) if runs else None
        return reason and f"what {' '.join(command)} builds does not run here: {reason}"


@probe
def need_qemu(*command):
    """Skip the test unless an emulator supports the machine selected by these options. The emulator is stopped before
    it runs any code."""
    if not shutil.which(command[0]):
        return f"{command[0]} is not installed"
    kept = [word for word in command if word != "-no-reboot"]
    for option in ("-serial", "-monitor"):
        while option in kept:
            at = kept.index(option)
            del kept[at:at + 2]
    reason = why_not([*kept, "-S", "-serial", "null", "-monitor", "stdio"], input="quit\n")
    return reason and f"{command[0]} does not start here: {reason}"


def fetched(script):
    """Return the directory that contains the packages downloaded by a script in scripts/. Skip the test if they cannot
    be downloaded."""
    try:
        done = tap.run("sh", script, timeout=3600, env=cache.OUTSIDE, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise tap.Skip(f"Debian's packages are not fetched within {error.timeout} s") from error
    if done.returncode:
        raise tap.Skip("Debian's packages cannot be fetched: " + " ".join(done.stderr.split())[-300:])
    return done.stdout.strip()
