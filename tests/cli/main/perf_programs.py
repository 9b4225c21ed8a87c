#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that start perf, with tally as perf: perf2bolt and llvm-profgen make the same profiles, hotspot's parser reads
tally's recordings, and bash completes the same words.

usage: perf_programs.py TALLY
"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402
from crafted import u32, u64  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("perf-programs")
FOLDER = os.path.join(WORK, "bin")
COMPLETION = "/usr/share/bash-completion/completions/perf"
os.mkdir(FOLDER)
os.symlink(TALLY, os.path.join(FOLDER, "perf"))
AS_PERF = {**os.environ, "PATH": FOLDER + ":" + os.environ["PATH"]}
SOURCE = r"""
volatile unsigned long s;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 400000; i++) s += i; }
__attribute__((noinline)) void middle(void) { leaf(); s++; for (int i = 0; i < 100000; i++) s ^= i; }
int main(void) { for (int i = 0; i < 100; i++) { middle(); s++; } return 0; }
"""


def bolt():
    found = sorted(glob.glob("/usr/bin/perf2bolt*"))
    if not found:
        raise tap.Skip("perf2bolt is not installed")
    return found[-1]


def profile(name, program, recording, env):
    """Return the functions of a profile by perf2bolt, and its messages."""
    path = os.path.join(WORK, name)
    done = tap.run(bolt(), "-nl", "-p", recording, "-o", path, "-w", path + ".yaml", program, env=env, cwd=WORK)
    assert done.returncode == 0, f"{name}: status {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    with open(path + ".yaml", encoding="utf-8") as file:
        return file.read(), [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("PERF2BOLT")]


def test_perf2bolt():
    machine.need_perf()
    machine.need_compiler("gcc", "-no-pie", "-Wl,--emit-relocs")
    program, recording = os.path.join(WORK, "prog"), os.path.join(WORK, "perf.data")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    tap.run("gcc", "-O1", "-g", "-no-pie", "-Wl,--emit-relocs", "-o", program, program + ".c", status=0)
    tap.run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", recording, program, status=0)
    theirs, ours = profile("theirs", program, recording, None), profile("ours", program, recording, AS_PERF)
    assert "leaf" in theirs[0], theirs
    tap.same(ours[0], theirs[0], "profile")
    tap.same(ours[1], theirs[1], "messages")


LOOP = r"""
volatile unsigned long s;
__attribute__((noinline)) void leaf(int i) { s += i; }
__attribute__((noinline)) void loop(void) { for (int i = 0; i < 1000; i++) leaf(i); s++; }
int main(void) { loop(); return 0; }
"""


def branches_of(program):
    """Return the branches of one round of the loop: the call, the return, and the jump back."""
    dump = tap.run("objdump", "-d", "--no-show-raw-insn", program, status=0).stdout
    code = [(int(at, 16), name, rest) for at, name, rest in re.findall(r"^\s+([0-9a-f]+):\s+(\S+)[ \t]*(.*)$", dump, re.M)]
    start = {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) <(\w+)>:$", dump, re.M)}

    def function(name):
        inside = [one for one in code if one[0] >= start[name]]
        return inside[:next(at for at, one in enumerate(inside) if one[1].startswith("ret")) + 1]

    inside = function("loop")
    call = next(at for at, one in enumerate(inside) if one[1].startswith("call"))
    jump = next(one for one in inside[call:] if one[1].startswith("j"))
    return [(inside[call][0], start["leaf"]), (function("leaf")[-1][0], inside[call + 1][0]), (jump[0], int(jump[2].split()[0], 16))]


def recording_of(program, branches):
    """Return the bytes of a recording with branch stacks, as the loop would make them."""
    def note(kind, words):
        return crafted.record(kind, words + u32(1, 1) + u64(0, 10), crafted.USER)

    taken, samples = branches * 300, []
    for at in range(40, len(taken), 7):
        stack = b"".join(u64(*one, 2 | 3 << 4) for one in taken[at - 32:at][::-1])
        samples.append(crafted.of_event(10, taken[at - 1][1], time=at, more=u64(32) + stack))
    segments = tap.run("readelf", "-lW", program, status=0).stdout.splitlines()
    offset, address = (int(word, 16) for word in next(line.split() for line in segments if "R E" in line)[1:3])
    identity = bytes.fromhex(re.search(r"Build ID: (\w+)", tap.run("readelf", "-n", program, status=0).stdout)[1])
    start = [note(3, u32(1, 1) + crafted.text("loop")),
             note(10, u32(1, 1) + u64(address, 0x1000, offset) + u32(0, 0) + u64(0, 0) + u32(5, 2) + crafted.text(program))]
    return crafted.events_bytes([("cycles:u", 0)], start + samples, {
        2: crafted.build_id(program, identity), 5: crafted.padded("6.1"), 6: crafted.padded("x86_64"), 15: b""},
        crafted.DEFAULT_TYPE | crafted.BRANCH | crafted.IDENTIFIER, branch_type=9)


def loop_recording():
    machine.need_perf()
    if os.uname().machine != "x86_64":
        raise tap.Skip("the branches are those of x86-64 code")
    machine.need_compiler("gcc", "-no-pie", "-Wl,--emit-relocs")
    program = os.path.join(WORK, "loop")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(LOOP)
    tap.run("gcc", "-O1", "-g", "-fno-pie", "-no-pie", "-Wl,--emit-relocs", "-o", program, program + ".c", status=0)
    return program, crafted.write(WORK, "loop.data", recording_of(program, branches_of(program)))


def test_perf2bolt_with_branches():
    program, recording = loop_recording()
    results = []
    for name, env in (("theirs", None), ("ours", AS_PERF)):
        path = os.path.join(WORK, name + "-branches")
        done = tap.run(bolt(), "-p", recording, "-o", path, "-w", path + ".yaml", program, env=env, cwd=WORK)
        assert done.returncode == 0, f"{name}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
        with open(path + ".yaml", encoding="utf-8") as file:
            results.append(file.read())
    assert "leaf" in results[0] and "exec:" in results[0], results[0]
    tap.same(results[1], results[0], "profile")


def test_llvm_profgen():
    found = sorted(glob.glob("/usr/bin/llvm-profgen*"))
    if not found:
        raise tap.Skip("llvm-profgen is not installed")
    program, recording = loop_recording()
    results = []
    for name, env in (("theirs", None), ("ours", AS_PERF)):
        path = os.path.join(WORK, name + ".prof")
        done = tap.run(found[-1], f"--perfdata={recording}", f"--binary={program}", f"--output={path}", env=env, cwd=WORK)
        assert done.returncode == 0, f"{name}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
        with open(path, "rb") as file:
            results.append(file.read())
    assert b"leaf" in results[0], results[0]
    tap.same(results[1], results[0], "profile")


def test_hotspot_perfparser():
    """The parser of the GUI hotspot reads all samples of a recording of tally's, and resolves them."""
    machine.need_events()
    machine.need_compiler("gcc")
    found = glob.glob("/usr/lib/*/libexec/hotspot-perfparser")
    if not found:
        raise tap.Skip("hotspot-perfparser is not installed")
    program, recording = os.path.join(WORK, "hot"), os.path.join(WORK, "hot.data")
    with open(program + ".c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    tap.run("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", program, program + ".c", status=0)
    tap.run(os.path.join(FOLDER, "perf"), "record", "-q", "-g", "-e", "cpu-clock:u", "-o", recording, program, status=0)
    samples = len(tap.run(TALLY, "script", "-G", "-F", "pid", "-i", recording, status=0).stdout.splitlines())
    stats = tap.run(found[0], "--input", recording, "--print-stats", status=0)
    read = re.search(r"^samples: (\d+)$", stats.stdout + stats.stderr, re.M)
    assert samples > 10 and read and int(read[1]) == samples, f"{samples} samples: {stats.stdout}{stats.stderr}"
    done = subprocess.run([found[0], "--input", recording], capture_output=True, timeout=tap.PATIENCE, check=True)
    assert b"leaf" in done.stdout and b"middle" in done.stdout, done.stderr


COMPLETE = r"""
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
_perf
printf '%s\n' "${COMPREPLY[@]}"
"""


def completions(env, *words):
    done = subprocess.run(["bash", "-c", COMPLETE, "bash", COMPLETION, *words], env=env, capture_output=True, text=True,
                          timeout=tap.PATIENCE, check=False)
    return set(done.stdout.split())


def test_completion_of_perf_by_bash():
    machine.need_perf()
    if not os.path.exists(COMPLETION):
        raise tap.Skip(f"no {COMPLETION}")
    for words in (["perf", "rec"], ["perf", "record", "--fre"], ["perf", "record", "-e", "cpu-cl"], ["perf", "script", "--show-ta"],
                  ["perf", "report", "--call"], ["perf", "stat", "-e", "page-f"]):
        theirs, ours = completions(None, *words), completions(AS_PERF, *words)
        assert theirs and theirs <= ours, f"{words}: {ours}, perf: {theirs}"


def test_a_missing_field_is_reported_in_perfs_words():
    """perf2bolt looks for this sentence, and then does without addresses."""
    machine.need_events()
    recording = os.path.join(WORK, "plain.data")
    tap.run(TALLY, "record", "-q", "-e", "cpu-clock:u", "-o", recording, "true", status=0)
    done = tap.run(os.path.join(FOLDER, "perf"), "script", "-F", "pid,event,addr,ip", "-i", recording)
    wanted = r"Samples for 'cpu-clock:u' event do not have ADDR attribute set\. Cannot print 'addr' field\."
    assert done.returncode == 255 and re.search(wanted, done.stderr), done.stderr


tap.main(__name__)
