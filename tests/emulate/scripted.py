# SPDX-License-Identifier: BSD-2-Clause
"""Check that under tally emulate, programs and the installed perf get the counts defined by the script or provided by
the user host.

usage: scripted.py TALLY READS CALLS PLACES STATIC REFRESH
"""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY, READS, CALLS, PLACES, STATIC, REFRESH = sys.argv[1:7]
FOLDER = tap.workplace("emulate-test")


def emulate(script, *command):
    path = os.path.join(FOLDER, "script.sim")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    return tap.run(TALLY, "emulate", "--host", "sim:" + path, "--", *command)


def reads(script, *events):
    done = emulate(script, READS, *events)
    tap.same((done.returncode, done.stderr), (0, ""), "program")
    return done.stdout


def perf(script, *words):
    machine.need_perf()
    done = emulate(script, "perf", *words)
    tap.same(done.returncode, 0, f"perf: {done.stderr}")
    return done.stdout + done.stderr


def counts(text):
    """Parse the output of perf stat -x, into {event: (count, percentage or None)}."""
    rows = [line.split(",") for line in text.splitlines() if line.count(",") > 5]
    return {row[2]: (row[0], row[4]) for row in rows}


def test_rates():
    tap.same(reads("event cycles 3G/s\nevent instructions 0.5 per cycles\n", 0, 1),
             "0: 3000000 6000000 9000000\n1: 1500000 3000000 4500000\n", "counts")


def test_time_of_calls():
    tap.same(reads("event cycles 1000/s\ntime call 2s\n", 0), "0: 2000 4000 6000\n", "counts")


@tap.always
def test_sequences():
    tap.same(reads("event cycles sequence 7 0xffffffffffff\n", 0), "0: 7 281474976710655 281474976710655\n", "counts")


def test_narrow_counters_wrap_unseen():
    tap.same(reads("pmu cpu width 8\nevent cycles 1M/s\n", 0), "0: 1000 2000 3000\n", "counts")


def test_failures():
    script = "event cycles 1M/s\nfail open 2 ENOSPC\nfail ioctl 3 EIO\nfail read 1 EINTR\n"
    tap.same(reads(script, 0, 0, 1), "0: read EINTR ioctl EIO 2000\n0: open ENOSPC\n1: open ENOENT\n", "errors")


def test_no_pmu():
    tap.same(reads("pmu none\nevent cycles 1M/s\n", 0), "0: open ENOENT\n", "errors")


def test_paranoid():
    tap.same(reads("paranoid 2\nevent cycles 1M/s\n", 0), "0: open EACCES\n", "errors")
    tap.same(reads("paranoid 1\nevent cycles 1M/s\n", 0), "0: 1000 2000 3000\n", "counts")


def test_same_answers_each_time():
    script = "pmu cpu counters 1\nevent cycles 1G/s\nevent instructions 2 per cycles\n"
    tap.same(reads(script, 0, 1, 0), reads(script, 0, 1, 0), "counts")


def test_software_events_answer_as_the_kernel():
    machine.need_process_vm()
    done = emulate("time life 200ms\n", CALLS)
    tap.same((done.returncode, done.stderr), (0, ""), "calls")
    machine.need_events()  # to compare with real events
    tap.same(done.stdout, tap.run(CALLS).stdout, "calls")


# Lines that depend on the number of samples, which varies on a busy machine.
SAMPLED = re.compile(r"^(ring|signal|poll|epoll|select): .*\n", re.M)


# A thread's time is only exact while the thread sleeps. On a busy machine, some of the many threads that start and exit
# may not have counted anything yet when their events are read.
THREADS = re.compile(r"^threads: events that counted: (\d+)\n", re.M)


def calls_on_the_user_host():
    """Return the output of the calls with and without the user host, and how many threads counted in each case."""
    machine.need_events()
    machine.need_ptrace()
    done, without = tap.run(TALLY, "emulate", "--", CALLS), tap.run(CALLS)
    tap.same((done.returncode, done.stderr), (0, ""), "calls")
    counted = [int(THREADS.search(said).group(1)) for said in (done.stdout, without.stdout)]
    return [THREADS.sub("", SAMPLED.sub("", said)) for said in (done.stdout, without.stdout)], counted


def test_software_events_on_the_user_host():
    for _ in range(20):
        (found, wanted), (counted, all_of_them) = calls_on_the_user_host()
        if found == wanted and counted >= all_of_them * 9 // 10:
            return
        print(f"# {counted} of {all_of_them} threads had counted")
    tap.same(found, wanted, "calls")
    raise AssertionError(f"{counted} of {all_of_them} threads had counted")


REFRESHED = "".join(rf"round {i}: POLL_IN [0-2], POLL_HUP 1, others 0, stopped\n" for i in (1, 2))


@tap.always
def test_refresh_signals_each_overflow_on_the_user_host():
    """Check that each overflow except the last sends POLL_IN (several of which may be merged), and that the last
    overflow sends POLL_HUP, as in the kernel."""
    machine.need_ptrace()
    done = tap.run(TALLY, "emulate", "--", REFRESH)
    tap.same(bool(re.fullmatch(REFRESHED, done.stdout)), True, done.stdout + done.stderr)


def test_perf_stat_on_the_user_host():
    machine.need_perf()
    machine.need_ptrace()
    loop = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    done = tap.run(TALLY, "emulate", "--host", "user", "--", "perf", "stat", "-x,", "-e", "task-clock,page-faults", "sh", "-c", loop)
    found = counts(done.stdout + done.stderr)
    tap.same((done.returncode, "task-clock" in found), (0, True), f"perf: {done.stderr[:500]}")
    if float(found["task-clock"][0]) < 1 or int(found["page-faults"][0]) < 10:
        raise AssertionError(done.stderr)


def test_perf_stat():
    script = "time life 100ms\nevent cycles 3G/s\nevent instructions 1.5 per cycles\n" \
             "event cache-misses 2 per 1000 instructions\n"
    found = counts(perf(script, "stat", "-x,", "-e", "cycles,instructions,cache-misses", "true"))
    tap.same({name: count for name, (count, _) in found.items()},
             {"cycles": "300000000", "instructions": "450000000", "cache-misses": "900000"}, "counts")


def test_perf_stat_of_programs_without_the_library():
    found = counts(perf("event cycles 1G/s\n", "stat", "-x,", "-e", "cycles", STATIC))
    # If a program exits before tally notices it, the program has no count and is shown as "<not counted>"
    # (docs/limitations.md).
    if found["cycles"][0] != "<not counted>":
        tap.same(found["cycles"][0], "10000000", "a static program")
    script = "import subprocess; subprocess.run(['true']); subprocess.run(['true'])"
    found = counts(perf("event cycles 1G/s\n", "stat", "-x,", "-e", "cycles", sys.executable, "-c", script))
    tap.same(found["cycles"][0], "30000000", "a program and two that it starts")


def test_libpfm():
    """Encode an event with libpfm4 and open it with libc's syscall(), as PAPI and others do."""
    program = """if 1:
        import ctypes, struct, sys
        try:
            pfm = ctypes.CDLL("libpfm.so.4")
        except OSError:
            sys.exit(3)
        libc = ctypes.CDLL(None, use_errno=True)
        attr = ctypes.create_string_buffer(128)
        fstr = ctypes.c_char_p()
        class Encoded(ctypes.Structure):
            _fields_ = [("attr", ctypes.c_void_p), ("fstr", ctypes.c_void_p), ("size", ctypes.c_size_t),
                        ("idx", ctypes.c_int), ("cpu", ctypes.c_int), ("flags", ctypes.c_int)]
        encoded = Encoded(ctypes.addressof(attr), 0, ctypes.sizeof(Encoded))
        if pfm.pfm_initialize() or pfm.pfm_get_os_event_encoding(b"perf::INSTRUCTIONS", 8, 1, ctypes.byref(encoded)):
            sys.exit(4)
        libc.syscall.restype = ctypes.c_long
        fd = libc.syscall(298 if sys.maxsize and __import__("platform").machine() == "x86_64" else 241, attr, 0, -1, -1, 0)
        if fd < 0:
            sys.exit(5)
        libc.ioctl(fd, 0x2400, 0)
        print(struct.unpack("Q", __import__("os").read(fd, 8))[0])
    """
    done = emulate("event instructions 1G/s\n", sys.executable, "-c", program)
    if done.returncode == 3:
        raise tap.Skip("no libpfm4 is installed")
    tap.same((done.returncode, done.stdout), (0, "2000000\n"), "libpfm")


def test_perf_stat_multiplexes():
    script = "pmu cpu counters 2\ntime life 200ms\nevent cycles 1G/s\nevent instructions 2 per cycles\n" \
             "event branches 100M/s\n"
    found = counts(perf(script, "stat", "-x,", "-e", "cycles,instructions,branches", "true"))
    tap.same({name: count for name, (count, _) in found.items()},
             {"cycles": "200000000", "instructions": "400000000", "branches": "20000000"}, "scaled counts")
    shares = [float(share) for _, share in found.values()]
    if not all(60 < share < 75 for share in shares) or not 197 < sum(shares) < 203:
        raise AssertionError(f"shares of the time: {shares}")


def test_perf_record_samples_at_the_given_locations():
    script = "time life 200ms\nevent cycles 1G/s\nplace compute 75\nplace copy+4 25\n"
    data = os.path.join(FOLDER, "perf.data")
    perf(script, "record", "-o", data, "-e", "cycles", "-c", "100000", PLACES)
    report = tap.run("perf", "report", "-i", data, "--stdio", "--sort", "sym").stdout
    found = {name: float(share) for share, name in re.findall(r"^ +([\d.]+)% +\[\.\] (\w+)", report, re.M)}
    tap.same(sorted(found), ["compute", "copy"], "functions")
    if not 74 < found["compute"] < 76 or "Samples: 2K" not in report:
        raise AssertionError(f"samples: {report}")


def test_errors_of_scripts():
    done = emulate("pmu cpu\nevent cycles 5 per\n", "true")
    tap.same(done.returncode, 1, "exit status")
    if not done.stderr.endswith("script.sim:2:19: expected a name\n"):
        raise AssertionError(done.stderr)


@tap.always
def test_exit_status():
    tap.same(emulate("", "sh", "-c", "exit 7").returncode, 7, "exit status")
    tap.same(emulate("", "sh", "-c", "kill -9 $$").returncode, 137, "signal")
    tap.same(emulate("", "/nonexistent").returncode, 127, "no such command")
    tap.same(emulate("", "/").returncode, 126, "no program")
    tap.same(tap.run(TALLY, "emulate", "--host", "none", "--", "true").returncode, 129, "no such host")


tap.main(__name__)
