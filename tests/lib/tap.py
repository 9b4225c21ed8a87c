# SPDX-License-Identifier: BSD-2-Clause
"""A small TAP producer for tests of commands. The test_* functions in a module are its points."""
import atexit
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import cache  # noqa: F401 - keeps programs from writing to the user's cache


# Time limit in seconds. Limits only catch hangs: a busy machine may take a hundred times as long as an idle one.
PATIENCE = int(os.environ.get("TALLY_PATIENCE", "300"))
# Exit status after a sanitizer's report (see tests/meson.build), and signals that faults raise.
REPORTED = 99
FAULTS = (signal.SIGILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE)
CRASHES = (REPORTED, 128 + signal.SIGILL, *(-number for number in FAULTS))
for _name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):  # also for a script that is run by hand
    os.environ[_name] = f"exitcode={REPORTED}:" + os.environ.get(_name, "")

# In the quick tier (tests/README.md), a script runs only every EACHth test point; when run by hand, it runs all of
# them.
QUICK = os.environ.get("TALLY_TIER") == "quick"
EACH = int(os.environ.get("TALLY_EACH", "1")) if QUICK else 1


def without_leaks():
    """Return an environment that disables leak detection, which needs ptrace or /proc and does not work everywhere."""
    return {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def preloading(**more):
    """Return an environment in which libraries can be preloaded into a tally that is built with ASan."""
    return {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0", **more}


if QUICK:  # leak detection takes as long as most commands
    os.environ.update(without_leaks())

# If a shell has no job control, its background processes and their children ignore SIGINT.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


def full(test):
    """Mark a slow test, which only runs in the tier "full" (a decorator)."""
    test.full = True
    return test


def always(test):
    """Mark a test that always runs in the tier "quick" (a decorator)."""
    test.always = True
    return test


def anybody(test):
    """Mark a test that needs none of the probes passed to main() (a decorator)."""
    test.anybody = True
    return test


def some(cases, step=EACH):
    """Return all cases or, in the quick tier, every `step`th case."""
    return list(cases)[::step if QUICK else 1]


def wait_until(condition, what, limit=PATIENCE, pause=0.02):
    """Call `condition` until it returns a true value, and return that value."""
    end = time.monotonic() + limit
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {limit} s in vain for {what() if callable(what) else what}"
        time.sleep(pause)
    return found


def words_of(stream):
    return stream if isinstance(stream, str) else (stream or b"").decode(errors="replace")


def run(*args, status=None, says=None, **options):
    """Run a command without input until it exits, and return the result. The output is text, unless `options` specify
    otherwise. `status` is the expected exit status; `says` is text that standard error must contain."""
    if options.get("input") is None:
        options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("text", True)
    options.setdefault("timeout", 2 * PATIENCE)
    done = subprocess.run([str(arg) for arg in args], check=False, **options)
    command, said = " ".join(map(str, args)), words_of(done.stderr)
    if done.returncode in CRASHES and done.returncode != status:
        raise AssertionError(f"{command}: status {done.returncode}: {said[:3000]}")
    if status is not None and done.returncode != status:
        said = said or words_of(done.stdout)
        raise AssertionError(f"{command}: status {done.returncode}, wanted {status}: {said[-1000:]}")
    if says is not None and says not in said:
        raise AssertionError(f"{command}: does not say {says!r}: {said[-1000:]}")
    return done


def workplace(name):
    """Create a directory for the script. It is removed when the script exits."""
    path, owner = tempfile.mkdtemp(prefix=f"tally-{name}-"), os.getpid()

    @atexit.register
    def _remove():
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(path, ignore_errors=True)
    return path


def read_until(stream, condition, what):
    """Read lines from a text stream until the condition holds for the text so far, and return that text."""
    text, end = "", time.monotonic() + PATIENCE
    while not condition(text):
        line = stream.readline()
        assert line, f"it ended without {what}: {text[-2000:]}"
        assert time.monotonic() < end, f"waited {PATIENCE} s in vain for {what}: {text[-2000:]}"
        text += line
    return text


def cpu_seconds(pid):
    """Return the CPU time that a process has used, or None if the process does not exist."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return sum(int(word) for word in words[11:13]) / os.sysconf("SC_CLK_TCK")


def children(pid):
    """Return the PIDs of a process's children."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = file.read().rsplit(")", 1)[1].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue
        found += [int(name)] if int(parent) == pid else []
    return found


WORK_OF = """
used() {
    read -r line 2>/dev/null < "/proc/$1/stat" || exit 0
    set -- ${line##*) }
    used=$((${12} + ${13} + ${14} + ${15}))
}
ticks=$1
shift
for pid; do
    used $pid
    end=$((used + ticks))
    while [ $used -lt $end ]; do
        sleep 0.02
        used $pid
    done
done
"""


def work_of(*pids, seconds=0.3):
    """Return a command line that waits until each of these processes has used this much more CPU time, including that
    of children it has waited for. A recording of the processes is then long enough, however busy the machine is."""
    return ["sh", "-c", WORK_OF, "sh", str(round(seconds * os.sysconf("SC_CLK_TCK"))), *map(str, pids)]


def while_it_works(pid, call):
    """Call `call` with 0.5, 5 and 50 seconds until a process has used CPU time during a call. Return the result of the
    last call."""
    for seconds in (0.5, 5, 50):
        before = cpu_seconds(pid)
        result = call(seconds)
        if (cpu_seconds(pid) or 0) >= before + 0.1:
            break
    return result


def limit_cpu(seconds):
    """Return a function for preexec_fn that limits a program's CPU time. A program that exceeds the limit is killed."""
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def as_perf_names_stubs(theirs, ours):
    """Return a line from tally script as perf 6.1 would print it. perf names PLT stubs by their order alone, so a stub
    outside of .plt, or in a .plt that also has slots for ifuncs, has no name or a wrong one. plt.py compares the names
    with objdump's."""
    start, unknown, end = theirs.partition(" [unknown] (/memfd:")
    if unknown and ours.startswith(start + " ") and ours.endswith(" (/memfd:" + end):
        return theirs  # perf does not read memfd files
    named = re.search(r" (\[unknown\]|_init(?:\+0x[0-9a-f]+)?|\S*@plt(?:\+0x[0-9a-f]+)?)(?= \(|$)", theirs)
    # perf also extends _init to the 16 bytes at the start of .plt, which are not the stub of a function and have no name.
    # _init has 17 to 32 bytes on x86-64, and .plt follows it, aligned to 16 bytes.
    is_start = named and re.search(r"_init\+0x2[0-9a-f]$", named[0])
    stub = r"(?:\S+@plt(?:\+0x[0-9a-f]+)?|\[unknown\])" if is_start else r"\S+@plt(?:\+0x[0-9a-f]+)?"
    return re.sub(rf" {stub}(?= \(|$)", lambda _: named[0], ours, count=1) if named else ours


def without_discarded(got, want):
    """Return tally script's output without the callchains that perf discards. If a word on the stack that was taken for a
    return address is in the range of context markers (-4095 to -1), perf prints no frame at all; tally prints the frames
    before it. That happens to few samples of programs without frame pointers."""
    ours, theirs = got.split("\n\n"), want.split("\n\n")
    found = [i for i, (mine, its) in enumerate(zip(ours, theirs)) if its and mine.startswith(its + "\n\t")]
    if len(found) > 1 + len(theirs) // 100:
        raise AssertionError(f"perf shows no callchain for {len(found)} of {len(theirs)} samples")
    for i in found:
        ours[i] = theirs[i]
    return "\n\n".join(ours)


def same_script(got, want, what):
    """Compare tally script's output with perf script's for the same recording."""
    got = without_discarded(got, want)
    pairs = itertools.zip_longest(want.splitlines(True), got.splitlines(True), fillvalue="")
    same("".join(as_perf_names_stubs(*pair) for pair in pairs), want, what)


def within(got, low, high, what):
    print(f"# {what}: {got}")
    if not low <= got <= high:
        raise AssertionError(f"{what}: {got} is not in {low} to {high}")


def same(got, want, what):
    if got != want:
        for number, (a, b) in enumerate(zip(str(got).splitlines(), str(want).splitlines()), 1):
            if a != b:
                raise AssertionError(f"{what}: line {number}: got {a[:200]!r}, wanted {b[:200]!r}")
        raise AssertionError(f"{what}: got {str(got)[:300]!r}, wanted {str(want)[:300]!r}")


def lacking(needs):
    """Return the reason why one of these probes (see machine.py) skips the test, or None."""
    try:
        for need in needs:
            need()
    except Skip as reason:
        return reason
    return None


def point(function):
    """Call a test. If the test has a required argument, pass a path in a new directory; the file does not yet exist."""
    if function.__code__.co_argcount == len(function.__defaults__ or ()):
        function()
        return
    with tempfile.TemporaryDirectory() as where:
        function(os.path.join(where, "perf.data"))


def why(error):
    """Return the text to print for an exception: the message and line of an assertion, or otherwise the whole
    traceback."""
    if not isinstance(error, AssertionError):
        return traceback.format_exc()
    found = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    return "\n".join([*filter(None, [str(error)]), *(f"{os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}" for frame in found[-1:])])


def points(tests, reason=None):
    """Run pairs of (name, function) as TAP points. If there is a `reason`, skip all of them except those marked
    `anybody`."""
    print(f"1..{len(tests)}")
    for number, (name, function) in enumerate(tests, 1):
        began = time.monotonic()
        try:
            if reason and not hasattr(function, "anybody"):
                raise reason
            point(function)
            print(f"ok {number} - {name}")
        except Skip as skip:
            print(f"ok {number} - {name} # SKIP {' '.join(str(skip).split())}")
        except Exception as error:  # noqa: BLE001 - any exception makes the point fail
            print(f"not ok {number} - {name}")
            print("\n".join("# " + line for line in why(error).splitlines()[:20]))
        print(f"# {time.monotonic() - began:.1f} s")
        sys.stdout.flush()


def main(module, *needs, setup=None):
    """Run the tests in a module after its `setup`. If one of the probes in `needs` skips, all tests are skipped. The
    environment variable TALLY_ONLY selects tests by name, separated by commas and without the prefix test_."""
    reason = lacking(needs)
    if setup and not reason:
        setup()
    found = [(name, function) for name, function in vars(sys.modules[module]).items() if name.startswith("test_")]
    only = os.environ.get("TALLY_ONLY", "").replace(",", " ").split()
    if only:
        tests = [(name, function) for name, function in found if name[5:] in only]
        if not tests:
            sys.exit(f"TALLY_ONLY: there is no point {' or '.join(only)}")
    else:
        here = [test for test in found if not (QUICK and hasattr(test[1], "full"))]
        tests = [test for number, test in enumerate(here) if number % EACH == 0 or hasattr(test[1], "always")]
    points([(name[5:], function) for name, function in tests], reason)
