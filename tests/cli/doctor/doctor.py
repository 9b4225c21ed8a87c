#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that `tally doctor` reports exactly the features that work. In each of several real environments, its verdicts
are compared with the exit statuses of the commands, which run there a moment later.

usage: doctor.py TALLY
"""
import errno
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402
from rights import limit, seccomp, sysctls  # noqa: E402
from terminal import on_terminal  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
DEADLINE = tap.PATIENCE

# ---- arguments of the commands ---------------------------------------------------------------

COMMANDS = {
    "works.stat": ["stat", "true"],
    "works.record": ["record", "-o", "{scratch}/record.data", "true"],
    "works.record-a": ["record", "-o", "{scratch}/record-a.data", "-a", "true"],
    "works.top": ["top", "--stdio", "-d", "0.1"],
    "works.ftrace": ["ftrace", "true"],
}


# ---- environments -----------------------------------------------------------------------------

class Environment:
    def __init__(self, *steps, wrap=(), tally=TALLY):
        self.steps, self.wrap, self.tally = steps, list(wrap), tally

    def options(self):
        def steps():
            for step in self.steps:
                step()
        # LeakSanitizer uses ptrace, which some environments forbid.
        env = tap.without_leaks()
        return {"preexec_fn": steps, "env": env, "stdin": subprocess.DEVNULL}

    def run(self, *args, **options):
        return tap.run(*self.wrap, self.tally, *args, **self.options(), **options)

    def run_until_output(self, *args, **options):
        """Run a command that does not exit, and interrupt it after its first output."""
        command = [*self.wrap, self.tally, *args]
        with tempfile.TemporaryFile("w+") as told, \
                subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, start_new_session=True,
                                 **self.options(), **options) as process:
            if process.stdout.read(1):
                os.killpg(process.pid, signal.SIGINT)
            process.stdout.read()
            status = process.wait(DEADLINE)
            told.seek(0)
            return subprocess.CompletedProcess(command, status, "", told.read())


class Scratch(rights.Account):
    """A user account with a directory and a copy of tally, all of which are removed at the end of the block."""

    def __init__(self):
        super().__init__(TALLY)
        self.tally = self.program("tally")

    def user(self, *steps, **options):
        options.setdefault("tally", self.tally)
        return Environment(*steps, self.become, **options)

    def become(self):
        """Drop all privileges. Called between fork and exec."""
        os.setgroups([])
        os.setresgid(self.gid, self.gid, self.gid)
        os.setresuid(self.uid, self.uid, self.uid)


# ---- comparisons --------------------------------------------------------------------------------

def diagnose(environment, *args, **options):
    done = environment.run("doctor", "--json", *args, **options)
    assert done.returncode in (0, 1), f"status {done.returncode}: {done.stderr[-800:]}"
    document = json.loads(done.stdout)
    tap.same(document["version"], 1, "version")
    tap.same(document["works"], done.returncode == 0, "exit status")
    document["facts"] = {fact["id"]: fact for fact in document["facts"]}
    return document


def compare(name, environment, scratch):
    """Compare the verdicts with the results of the commands, and return the document."""
    document = diagnose(environment)
    words, wrong = {}, []
    for fact, command in COMMANDS.items():
        verdict = document["facts"][fact]
        words[fact] = verdict["value"]
        for left in ("record.data", "record-a.data"):  # created by another user in an earlier test
            if os.path.exists(os.path.join(scratch, left)):
                os.remove(os.path.join(scratch, left))
        go = environment.run_until_output if command[0] == "top" else environment.run
        done = go(*[word.format(scratch=scratch) for word in command], cwd=scratch)
        if (verdict["value"] != "not") != (done.returncode == 0):
            wrong.append(f"{' '.join(command)}: doctor says {verdict['text']!r}, status {done.returncode}: "
                         f"{done.stderr[-300:]!r}")
        if verdict["value"] == "not" and not verdict["fixes"]:
            wrong.append(f"{fact}: does not work, and no fix is told")
    print(f"# {name}: " + ", ".join(f"{fact[6:]} {word}" for fact, word in words.items()))
    assert not wrong, f"{name}: " + "\n".join(wrong)
    return document


def value(document, fact):
    return document["facts"][fact].get("value", document["facts"][fact].get("number"))


# ---- tests of environments -------------------------------------------------------------------------

@tap.always
def test_root():
    """Check that root can do everything that the kernel supports."""
    with Scratch() as scratch:
        document = compare("root", Environment(), scratch.work)
        machine.need_system_wide()
        tap.same(value(document, "rights.cpus"), "yes", "rights.cpus")
        text = tap.run(scratch.tally, "doctor").stdout
        assert "works" in text.lower() and "user space only" not in text, text
        machine.need_unshare("-m")
        document = compare("root without tracefs", Environment(
            wrap=["unshare", "-m", "sh", "-c", 'umount -R /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"',
                  "sh"]), scratch.work)
        tap.same(value(document, "works.ftrace"), "not", "ftrace without tracefs")


def test_paranoid_levels():
    """Test an unprivileged user at each paranoid level. Above 2, a kernel may behave as at 2 or deny everything."""
    machine.need_system_wide()
    with Scratch() as scratch:
        for level in (-1, 0, 1, 2, 3):
            with sysctls(perf_event_paranoid=level):
                document = compare(f"user, paranoid {level}", scratch.user(), scratch.work)
            tap.same(value(document, "rights.paranoid"), level, "perf_event_paranoid")
            tap.same(value(document, "rights.cpus"), "yes" if level < 1 else "no", f"CPUs at {level}")
            tap.same(value(document, "rights.kernel"), "yes" if level < 2 else "no", f"the kernel at {level}")
            if level > 0:
                fixes = " ".join(document["facts"]["works.record-a"]["fixes"])
                assert "cap_perfmon" in fixes and "perf_event_paranoid" in fixes, fixes


def test_capability():
    """Check that a copy with cap_perfmon can do the same as root, except for tracefs."""
    machine.need_system_wide()
    machine.need_file_capabilities()
    with Scratch() as scratch:
        tap.same(machine.why_not(["setcap", "cap_perfmon=ep", scratch.tally]), None, "setcap")
        with sysctls(perf_event_paranoid=2):
            document = compare("user, cap_perfmon", scratch.user(), scratch.work)
        tap.same(value(document, "rights.cpus"), "yes", "rights.cpus")
        assert "CAP_PERFMON" in document["facts"]["rights.capabilities"]["text"]


def check_without_kernel(document):
    """Check that commands and tasks are measured by the user host, and that CPUs cannot be measured."""
    tap.same(document["works"], True, "works")
    for command, word in (("stat", "partly"), ("record", "partly"), ("record-a", "not"), ("top", "not")):
        tap.same(value(document, f"works.{command}"), word, command)
    assert "ptrace" in document["facts"]["works.stat"]["text"], document["facts"]["works.stat"]


def test_seccomp():
    """Check that a seccomp filter is distinguished from a denial by the kernel itself."""
    machine.need_ptrace()
    machine.need_events()
    with Scratch() as scratch:
        for name, code in (("EPERM", errno.EPERM), ("ENOSYS", errno.ENOSYS), ("EACCES", errno.EACCES)):
            for who, environment in (("root", Environment(seccomp(code))), ("user", scratch.user(seccomp(code)))):
                document = compare(f"{who}, seccomp {name}", environment, scratch.work)
                if name != "EACCES":
                    tap.same(value(document, "kernel.perf"), "filtered", "kernel.perf")
                    tap.same(value(document, "rights.seccomp"), "refuses", "rights.seccomp")
                check_without_kernel(document)
        document = diagnose(scratch.user(seccomp(0, kills=True)))
        check_without_kernel(document)
        tap.same(value(document, "rights.seccomp"), "refuses", "rights.seccomp where the call kills")
        for fact in ("kernel.perf", "rights.seccomp", "rights.own", "works.stat", "works.record", "works.record-a",
                     "works.top"):
            text = document["facts"][fact]["text"] + document["facts"][fact].get("cause", "")
            assert "kill" in text and "not permitted" not in text, f"{fact}: one verdict in all lines: {text}"


def test_namespaces():
    """Check that root in a user namespace is treated as an unprivileged user of perf events."""
    machine.need_user_namespaces()
    machine.need_events()
    with Scratch() as scratch:
        for words in (["--user", "--map-root-user"], ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]):
            environment = scratch.user(wrap=["unshare", *words])
            reason = machine.why_not(["unshare", *words, "true"], **machine.as_nobody())
            if reason:
                raise tap.Skip(f"unshare {' '.join(words)} is refused to ordinary users here: {reason}")
            with sysctls(perf_event_paranoid=2):
                document = compare("user namespace", environment, scratch.work)
            tap.same(value(document, "rights.user-namespace"), "own", "user namespace")
            tap.same(value(document, "rights.pid-namespace"), "own" if "--pid" in words else "initial", "pid namespace")


def test_descriptors():
    """Test all file descriptor limits from too low to high enough."""
    with Scratch() as scratch:
        for files in range(8, 24):
            compare(f"root, {files} descriptors", Environment(limit(resource.RLIMIT_NOFILE, files)), scratch.work)


@tap.full
def test_locked_memory():
    """Test with no locked memory, with a little, and with enough."""
    with Scratch() as scratch:
        for kb, locked in ((0, 0), (4, 0), (8, 0), (64, 0), (516, 0), (0, 64 << 10)):
            with sysctls(perf_event_mlock_kb=kb, perf_event_paranoid=0):
                compare(f"user, mlock_kb {kb}, memlock {locked >> 10}",
                        scratch.user(limit(resource.RLIMIT_MEMLOCK, locked)), scratch.work)


def apply(fix, tally, settings):
    """Apply a fix. Return false if a program cannot apply it."""
    sysctl = re.match(r"sudo sysctl kernel\.(\w+)=(-?\d+)", fix)
    setcap = re.match(r"sudo setcap (\S+) (\S+)", fix)
    if sysctl:
        settings.set(**{sysctl[1]: int(sysctl[2])})
    elif setcap:
        tap.same(os.path.realpath(setcap[2]), os.path.realpath(tally), "file to give capabilities to")
        tap.same(machine.why_not(["setcap", setcap[1], tally]), None, fix)
    return bool(sysctl or setcap)


def mend(fact, choice, scratch):
    """Repeatedly apply the first or the last suggested fix until the feature works. Return the applied fixes."""
    tap.run("setcap", "-r", scratch.tally)
    with sysctls(perf_event_paranoid=2, perf_event_mlock_kb=0) as settings:
        environment = scratch.user(limit(resource.RLIMIT_MEMLOCK, 0))
        done = []
        while value(document := diagnose(environment), fact) == "not":
            assert len(done) < 3, f"{fact}: does not work after {done}"
            fixes = document["facts"][fact]["fixes"]
            tap.same([kind in " ".join(fixes) for kind in ("setcap", "sysctl")], [True, True], f"fixes {fixes}")
            done.append(fixes[choice])
            assert apply(done[-1], scratch.tally, settings), f"{fact}: {done[-1]}"
        assert done, f"{fact} worked before"
        compare("after the fixes", environment, scratch.work)
    return done


@tap.full
def test_suggested_fixes_make_features_work():
    """Check that the suggested fixes make a feature work, both the smallest and the largest ones."""
    machine.need_system_wide()
    machine.need_file_capabilities()
    with Scratch() as scratch:
        for fact in ("works.record", "works.record-a", "works.top"):
            for choice in (0, -1):
                print(f"# {fact[6:]} works after: " + "; ".join(mend(fact, choice, scratch)))


# ---- facts ----------------------------------------------------------------------------------------------

def test_schema():
    """Check that IDs are unique and stable, every fact has a state and a text, and every feature has a Linux
    version."""
    done = tap.run(TALLY, "doctor", "--json")
    document = json.loads(done.stdout)
    ids = [fact["id"] for fact in document["facts"]]
    tap.same(len(ids), len(set(ids)), "ids")
    for fact in document["facts"]:
        assert fact["state"] in ("ok", "note", "warn", "bad", "unknown"), fact
        assert fact["text"] and fact["title"] and fact["section"] and isinstance(fact["fixes"], list), fact
    wanted = """kernel.version kernel.perf kernel.attr kernel.features rights.user rights.capabilities rights.paranoid
        rights.own rights.kernel rights.cpus rights.seccomp rights.user-namespace rights.pid-namespace rights.container
        rights.lockdown counters.pmu counters.slots counters.precise counters.watchdog counters.breakpoints
        counters.hypervisor counters.pmus
        limits.memory limits.files limits.rate limits.cpu-time limits.stack symbols.kptr symbols.kallsyms
        tracing.tracepoints tracing.functions tracing.ptrace works.stat works.record works.record-a works.top
        works.ftrace""".split()
    tap.same(ids, wanted, "ids")
    assert len(document["features"]) > 20 and all(row["since"] and row["title"] for row in document["features"])


def test_documentation_lists_every_fact():
    """Check that the page documents every fact, and every value that occurred."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "commands", "doctor.md")
    with open(page, encoding="utf-8") as file:
        rows = [line.strip("| \n").split("|") for line in file if line.startswith("| `") and "." in line.split("|")[1]]
    told = {fact: re.findall(r"`([^`]+)`", row[1]) if len(row) > 1 else []
            for row in rows for fact in re.findall(r"`([^`]+)`", row[0])}
    document = json.loads(tap.run(TALLY, "doctor", "--json", "--", sys.executable).stdout)
    for fact in document["facts"]:
        assert fact["id"] in told, f"{fact['id']} is not on the page"
        assert "value" not in fact or fact["value"] in told[fact["id"]], f"{fact['id']}: {fact['value']} is not on the page"


def test_features():
    """Check that every feature expected from the kernel version is found by probing, because no version of Linux
    removes one."""
    machine.need_events()
    document = json.loads(tap.run(TALLY, "doctor", "--json").stdout)
    running = tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])
    for row in document["features"]:
        since = tuple(int(word) for word in row["since"].split("."))
        # Distributions backport features, but do not remove any of them.
        assert row["present"] or since > running, f"{row} on {running}"


def compiler():
    name = "gcc" if shutil.which("gcc") else "cc"
    machine.need_compiler(name)
    return shutil.which(name)


SOURCE = "\n".join(f"int g{i}(int, int); __attribute__((noinline)) int f{i}(int a, int b) {{ int s = 0; "
                   f"for (int i = 0; i < a; i++) s += g{i}(i, b) * g{i}(b, i + {i}); return s + g{i}(s, a); }}"
                   for i in range(60))
OTHER = "\n".join(f"int g{i}(int a, int b) {{ return a * {i + 3} ^ b; }}" for i in range(60))
MAIN = "int main(int c, char **v) { int s = 0; " + " ".join(f"int f{i}(int, int); s += f{i}(c, {i});" for i in range(60)) \
    + " return s & 1; }"


def build(directory, name, *flags, gcc=None):
    paths = []
    for part, text in (("a", SOURCE), ("b", OTHER), ("c", MAIN)):
        paths.append(os.path.join(directory, part + ".c"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(text)
    out = os.path.join(directory, name)
    done = tap.run(gcc or compiler(), "-O2", "-o", out, *flags, *paths)
    if done.returncode:
        raise tap.Skip(f"{gcc or compiler()} {' '.join(flags)} builds nothing here: {done.stderr[-200:]}")
    return out


def about(*words):
    document = json.loads(tap.run(TALLY, "doctor", "--json", "--", *words).stdout)
    return {fact["id"]: fact for fact in document["facts"]}


def test_command():
    """Check the build ID, symbols, debug information and frame pointers reported for a program that is built in several
    ways."""
    with tempfile.TemporaryDirectory() as directory:
        plain = about(build(directory, "plain", "-fomit-frame-pointer", "-Wl,--build-id=none"))
        tap.same(plain["command.build-id"]["value"], "no", "build id")
        tap.same(plain["command.symbols"]["value"], "yes", "symbols")
        tap.same(plain["command.debug"]["value"], "no", "debug information")
        tap.same(plain["command.frame-pointers"]["value"], "no", "frame pointers")
        frames = about(build(directory, "frames", "-fno-omit-frame-pointer", "-g", "-Wl,--build-id"))
        tap.same(frames["command.frame-pointers"]["value"], "yes", "frame pointers")
        tap.same(frames["command.debug"]["value"], "yes", "debug information")
        tap.same(frames["command.build-id"]["value"], "yes", "build id")
        print(f"# {plain['command.frame-pointers']['text']} / {frames['command.frame-pointers']['text']}")
        static = about(build(directory, "static", "-static", "-fno-omit-frame-pointer"))
        assert " static" in static["command.file"]["text"], static["command.file"]


def test_stripped_command():
    """Check that in a stripped program, functions are found through unwind tables, and debug information through a
    link."""
    if not shutil.which("objcopy"):
        raise tap.Skip("no objcopy")
    with tempfile.TemporaryDirectory() as directory:
        path = build(directory, "frames", "-fno-omit-frame-pointer", "-g")
        tap.run("objcopy", "--only-keep-debug", path, path + ".debug")
        tap.run("strip", path)
        facts = about(path)
        tap.same(facts["command.symbols"]["value"], "stripped", "symbols")
        tap.same(facts["command.frame-pointers"]["value"], "yes", "frame pointers")
        tap.same(facts["command.debug"]["value"], "no", "debug information")
        tap.run("objcopy", f"--add-gnu-debuglink={path}.debug", path, cwd=directory)
        facts = about(path)
        tap.same(facts["command.debug"]["value"], "file", "debug information by link")
        assert path + ".debug" in facts["command.debug"]["text"], facts["command.debug"]


def test_other_architectures():
    """Check function prologues for other architectures, using their compilers."""
    looked = 0
    for gcc in ("aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc"):
        if not shutil.which(gcc):
            print(f"# {gcc} is not installed")
            continue
        with tempfile.TemporaryDirectory() as directory:
            for flag, word in (("-fno-omit-frame-pointer", "yes"), ("-fomit-frame-pointer", "no")):
                # Avoid linking with libraries that are not installed for this architecture.
                path = build(directory, "other", flag, "-nostdlib", "-static", "-Wl,-e,main", gcc=shutil.which(gcc))
                fact = about(path)["command.frame-pointers"]
                tap.same(fact["value"], word, f"{gcc} {flag}: {fact['text']}")
                looked += 1
    if not looked:
        raise tap.Skip("no cross compiler")


def test_scripts_and_others():
    """Check that a script is replaced by its interpreter, and that missing files and other kinds of files are
    reported."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "script")
        for first in ("#!" + shutil.which("sh"), "#! /usr/bin/env sh", "#!/usr/bin/env -S sh -e"):
            with open(path, "w", encoding="ascii") as file:
                file.write(first + "\ntrue\n")
            os.chmod(path, 0o755)
            facts = about(path)
            assert os.path.realpath(shutil.which("sh")) in facts["command.file"]["text"], facts["command.file"]
            assert path in facts["command.file"]["cause"], facts["command.file"]
        with open(path, "wb") as file:
            file.write(b"\x7fELF" + bytes(range(256)))
        tap.same("command.symbols" in about(path), False, "symbols of what is no program")
    tap.same(about("no-such-program")["command.file"]["state"], "bad", "what is not there")


def test_exit_statuses():
    """Check that usage errors exit with 129, and that the command is not run."""
    tap.same(tap.run(TALLY, "doctor", "--frob").returncode, 129, "status")
    tap.same(tap.run(TALLY, "doctor", "--help").returncode, 0, "status of --help")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "made")
        tap.run(TALLY, "doctor", "--", "touch", path)
        tap.same(os.path.exists(path), False, "the command was run")


def test_colour():
    """Check that colors are used only on a terminal, and not with NO_COLOR."""
    env = {key: word for key, word in os.environ.items() if key != "NO_COLOR"}
    os.environ.clear()
    os.environ.update(env)
    assert b"\033[" in on_terminal(TALLY, "doctor")
    assert b"\033[" not in on_terminal(TALLY, "doctor", NO_COLOR="1")
    assert "\033[" not in tap.run(TALLY, "doctor").stdout


def test_leaves_no_descriptor_child_or_instance():
    """Check that no descriptor, child process or tracefs instance remains after tally exits, and that a second run
    reports the same."""
    instances = "/sys/kernel/tracing/instances"
    before = os.listdir(instances) if os.access(instances, os.R_OK) else []
    def facts():
        # Other programs may be using counters.
        return [fact for fact in json.loads(tap.run(TALLY, "doctor", "--json").stdout)["facts"] if not fact["id"].startswith("counters.")]
    # The kernel lowers the maximum sample rate under load, possibly between two runs.
    first, second = facts(), facts()
    for _ in range(10):
        if first != second:
            first, second = second, facts()
    for a, b in zip(first, second):
        tap.same(a, b, a["id"])
    tap.same(os.listdir(instances) if os.access(instances, os.R_OK) else [], before, "instances of tracefs")


tap.main(__name__)
