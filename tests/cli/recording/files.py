# SPDX-License-Identifier: BSD-2-Clause
"""Test the files named in a recording: which of them are opened, which are recognized as the recorded files, and how
truncation during reading is handled."""
import os
import platform
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("files")
KERNEL, USER = 1, 2
HOSTNAME, OSRELEASE, ARCH = 3, 4, 6
BUILD_ID = 2


# ---- generated recordings ------------------------------------------------------------------------

def text(name):
    raw = name.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def mmap(pid, start, length, name, pgoff=0, misc=USER):
    return record(1, struct.pack("<iiQQQ", pid, pid, start, length, pgoff) + text(name), misc)


def sample(ip, pid, time, misc=USER):
    return record(9, struct.pack("<QiiQ", ip, pid, pid, time), misc)


def feature_text(value):
    raw = value.encode() + b"\0"
    raw += b"\0" * (-len(raw) % 64)
    return struct.pack("<I", len(raw)) + raw


def build_id(name, identity, misc=USER):
    body = struct.pack("<i", -1) + identity.ljust(20, b"\0") + bytes([len(identity), 0, 0, 0]) + text(name)
    return record(0, body, misc | 1 << 15)


def recording(name, records, features=None):
    """Write a recording of a software event. Its samples have IP, TID and TIME."""
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 7, 0, 1 << 8 | 1 << 9).ljust(128, b"\0")
    data = b"".join(records)
    features = features or {}
    at = 104 + 144 + len(data) + 16 * len(features)
    bits, table, blob = 0, b"", b""
    for number in sorted(features):
        bits |= 1 << number
        table += struct.pack("<QQ", at + len(blob), len(features[number]))
        blob += features[number]
    header = b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, 144, 248, len(data), 0, 0) + bits.to_bytes(32, "little")
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(header + attr + struct.pack("<QQ", 0, 0) + data + table + blob)
    return path


def here(**changes):
    """Return the header features of a recording made on this machine, with `changes` applied."""
    words = {"host": os.uname().nodename, "release": os.uname().release, "arch": platform.machine()}
    words.update(changes)
    return {HOSTNAME: feature_text(words["host"]), OSRELEASE: feature_text(words["release"]),
            ARCH: feature_text(words["arch"])}


def rows(path, *options):
    return steps.report(path, "--stdio", "-s", "dso,sym", *options)


# ---- files known to be the recorded ones ---------------------------------------------------------

def kallsyms():
    """Return the addresses of the kernel's text and of one of its functions."""
    try:
        with open("/proc/kallsyms", encoding="ascii") as file:
            lines = [line.split() for line in file]
    except OSError as error:
        raise tap.Skip(f"/proc/kallsyms: {error}") from error
    found = {words[2]: int(words[0], 16) for words in lines if len(words) == 3 and words[1] in "Tt"}
    if not found.get("_text") or not found.get("vfs_read"):
        raise tap.Skip("kernel addresses are hidden")
    return found["_text"], found["vfs_read"]


def kernel_report(features, *options, moved=0):
    start, function = kallsyms()
    path = recording("kernel.data", [
        mmap(-1, start + moved, 0x2000000, "[kernel.kallsyms]_text", start + moved, KERNEL),
        sample(function + moved + 8, 1, 1, KERNEL)], features)
    return rows(path, *options)


def test_this_kernel_without_a_build_id_is_known_by_host_release_and_place():
    assert "vfs_read" in kernel_report(here())


def test_an_unfinished_recording_is_known_by_the_place_of_the_kernel():
    assert ("vfs_read" in kernel_report({})) == (kallsyms()[0] != 0xffffffff81000000)  # many kernels have this default
    moved = kernel_report({}, moved=0x1000000)
    assert "vfs_read" not in moved and "[kernel.kallsyms]" in moved, moved


def test_other_kernels_hosts_and_boots_get_no_names_of_this_one():
    for what in ({"release": "5.4.0-other"}, {"host": "elsewhere"}, {"arch": "aarch64"}):
        out = kernel_report(here(**what))
        assert "vfs_read" not in out, (what, out)
        assert "# No symbols: [kernel.kallsyms]: cannot be matched with this machine" in out, (what, out)
    out = kernel_report(here(), moved=0x1000000)
    assert "vfs_read" not in out and "cannot be matched with this machine" in out, out


def test_symfs_is_not_left_for_this_kernel():
    empty = os.path.join(WORK, "empty")
    os.makedirs(empty, exist_ok=True)
    out = kernel_report(here(), "--symfs", empty)
    assert "vfs_read" not in out and "[kernel.kallsyms]" in out, out


def test_script_says_that_names_are_left_out():
    start, function = kallsyms()
    path = recording("script.data", [
        mmap(-1, start, 0x2000000, "[kernel.kallsyms]_text", start, KERNEL),
        sample(function, 1, 1, KERNEL)], here(host="elsewhere"))
    done = tap.run(TALLY, "script", "-i", path)
    assert done.returncode == 0 and "vfs_read" not in done.stdout, done
    assert "no symbols for [kernel.kallsyms]: cannot be matched with this machine" in done.stderr, done.stderr


def test_a_kernel_image_that_is_not_there_is_an_error():
    path = recording("plain.data", [sample(0x1000, 1, 1)])
    for command in ("report", "script"):
        for option in ("-k", "--kallsyms"):
            done = tap.run(TALLY, command, "-i", path, option, "/no/such")
            assert done.returncode == 1 and "/no/such" in done.stderr, done
            assert not done.stdout, done


def test_a_kernel_image_that_does_not_fit_is_not_replaced():
    for image in (TALLY, __file__):
        out = kernel_report(here(), "-k", image)
        assert "vfs_read" not in out and "[kernel.kallsyms]" in out, out


def vdso_names(features):
    steps = range(0, 0x2000, 16)
    path = recording("vdso.data", [mmap(7, 0x7fff00000000, 0x2000, "[vdso]")] +
                     [sample(0x7fff00000000 + at, 7, at + 1) for at in steps], features)
    return [line for line in rows(path).splitlines() if "[vdso]" in line and "0x00" not in line and line[0] != "#"]


def test_the_vdso_of_another_kernel_is_not_this_one():
    with open("/proc/self/maps", encoding="utf-8") as file:
        if "[vdso]" not in file.read():
            raise tap.Skip("this kernel has no vdso")
    assert vdso_names(here()), "no names of this kernel's vdso"
    for what in ({"release": "5.4.0-other"}, {"host": "elsewhere"}, {"arch": "aarch64"}):
        names = vdso_names(here(**what))
        assert not names, names[:5]


def test_files_of_another_machine_are_known_by_build_id_alone():
    maps = [mmap(7, 0x400000, 0x2000000, TALLY)] + [sample(0x400000 + at, 7, at + 1) for at in range(0, 0x2000000, 8192)]

    def names(features, *options):
        out = rows(recording("user.data", maps, features), *options).splitlines()
        return [line for line in out if line and line[0] != "#" and "0x0" not in line]

    if ".symtab" not in tap.run("readelf", "-SW", TALLY).stdout:
        raise tap.Skip("this build has no symbols")
    assert names(here()), "no symbols"
    assert not names(here(host="elsewhere")), names(here(host="elsewhere"))[:5]
    assert names(here(host="elsewhere"), "--symfs", "/")
    done = tap.run(TALLY, "buildid-list", "-H", "-i", recording("user.data", maps, here()))
    if "Build ID" not in tap.run("readelf", "-n", TALLY).stdout:
        raise tap.Skip("this build has no build id")
    known = build_id(TALLY, bytes.fromhex(done.stdout.split()[0]))
    assert names({**here(host="elsewhere"), BUILD_ID: known})
    done = tap.run(TALLY, "buildid-list", "-H", "-i", recording("user.data", maps, here(host="elsewhere")))
    assert not done.stdout, done.stdout


def test_build_id_of_an_elf_file():
    notes = re.search(r"Build ID: ([0-9a-f]+)", tap.run("readelf", "-n", TALLY).stdout)
    if not notes:
        raise tap.Skip("this build has no build id")
    tap.same(tap.run(TALLY, "buildid-list", "-i", TALLY, status=0).stdout, notes[1] + "\n", "build ID")
    assert "not a perf.data file" in tap.run(TALLY, "buildid-list", "-i", __file__, status=1).stderr
    bare = os.path.join(WORK, "bare")
    tap.run("objcopy", "-R", ".note.gnu.build-id", TALLY, bare, status=0)
    assert "has no build ID" in tap.run(TALLY, "buildid-list", "-i", bare, status=1).stderr


def test_build_ids_of_a_pipe_without_a_table():
    path = recording("user.data", [mmap(7, 0x500000, 0x1000, TALLY), sample(0x500100, 7, 2)], here())
    with open(path, "rb") as file:
        listed = tap.run(TALLY, "buildid-list", "-i", "-", stdin=file, status=0).stdout
    tap.same(listed, tap.run(TALLY, "buildid-list", "-i", path, status=0).stdout, "files that were hit")


# ---- opened files --------------------------------------------------------------------------------

def test_programs_in_dev_shm_have_symbols():
    if not os.access("/dev/shm", os.W_OK):
        raise tap.Skip("no /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        program = steps.build(os.path.join(directory, "prog"),
                              "int seen_in_shm(void) { return 1; } int main(void) { return seen_in_shm(); }", "-O0", "-g")
        machine.need_tool("nm", "--version")
        done = tap.run("nm", program)
        at = [int(line.split()[0], 16) for line in done.stdout.splitlines() if line.endswith(" seen_in_shm")][0]
        at &= 0xfffff
        path = recording("shm.data", [mmap(7, 0x10000000, 0x100000, program), sample(0x10000000 + at, 7, 1)], here())
        assert "seen_in_shm" in rows(path), rows(path)


def test_no_fifo_is_opened():
    """Check that no FIFO is opened: a writer that is waiting for a reader must still be waiting at the end."""
    fifo = os.path.join(WORK, "fifo")
    os.mkfifo(fifo)
    path = recording("fifo.data", [mmap(7, 0x400000, 0x1000, fifo), sample(0x400100, 7, 1),
                                   mmap(7, 0x500000, 0x1000, "//dev/zero"), sample(0x500100, 7, 2)], here())
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        os.open(fifo, os.O_WRONLY)
        os.write(told, b"opened")
        os._exit(0)
    try:
        for command in (["report", "--stdio"], ["script"], ["buildid-list", "-H"], ["buildid-list"]):
            out = tap.run(TALLY, *command, "-i", path, status=0).stdout
            assert fifo in out or command[0] == "buildid-list", out
            assert not select.select([ready], [], [], 0)[0], command
    finally:
        os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ready)
        os.close(told)


def test_no_device_is_opened():
    machine.need_tool("strace", "-f", "-o", "/dev/null", "true")
    path = recording("device.data", [mmap(7, 0x500000, 0x1000, "//dev/zero"), sample(0x500100, 7, 2)], here())
    for command in (["report", "--stdio"], ["script"], ["buildid-list", "-H"]):
        done = tap.run("strace", "-f", "-e", "trace=open,openat", TALLY, *command, "-i", path,
                   env=tap.without_leaks(), status=0)
        assert path in done.stderr, done.stderr
        opened = [line for line in done.stderr.splitlines() if "dev/zero" in line]
        assert all("O_PATH" in line for line in opened), opened


def map_report(*options):
    """Return the report on an exited process with an unused PID."""
    path = recording("jit.data", [mmap(PID, 0x400000, 0x10000, "//anon"), sample(0x400100, PID, 1)], here())
    return rows(path, *options)


PID = 4194304 + os.getpid()
MAP = f"/tmp/perf-{PID}.map"


def test_perf_maps_of_other_users_are_not_used():
    machine.need_root()
    with open(MAP, "w", encoding="ascii") as file:
        file.write("400000 1000 jitted\n")
    try:
        assert "jitted" in map_report()
        os.chown(MAP, 65534, 65534)
        out = map_report()
        assert "jitted" not in out and "is not owned by root" in out, out
        assert "jitted" in map_report("-f")
    finally:
        os.unlink(MAP)


def test_links_of_other_users_are_not_followed():
    machine.need_root()
    target = os.path.join(WORK, "target")
    with open(target, "w", encoding="ascii") as file:
        file.write("400000 1000 jitted\n")
    os.symlink(target, MAP)
    try:
        assert "jitted" in map_report()
        os.lchown(MAP, 65534, 65534)
        assert "jitted" not in map_report()
    finally:
        os.unlink(MAP)


def test_hard_links_are_not_used():
    """Check that hard links are not used, because any user can create one in /tmp to a file owned by root."""
    target = os.path.join("/tmp", f"tally-target-{os.getpid()}")
    with open(target, "w", encoding="ascii") as file:
        file.write("400000 1000 jitted\n")
    try:
        os.link(target, MAP)
        assert "jitted" not in map_report()
        os.unlink(target)
        assert "jitted" in map_report()
    finally:
        os.unlink(MAP)


# ---- truncated files -----------------------------------------------------------------------------

def test_a_recording_that_is_truncated_while_it_is_read():
    """Truncate a recording while script, which reads it, is waiting for space in the output pipe."""
    finished = record(68, b"")
    block = b"".join(sample(0x400000 + at % 64, 7, at + 1) for at in range(1000))
    records = [mmap(7, 0x400000, 0x1000, "/x")]
    for turn in range(300):
        records += [block, finished]
    path = recording("cut.data", records, here())
    for size in (4096, 0, os.path.getsize(path) // 2 + 5):
        copy = shutil.copy(path, os.path.join(WORK, "cut-copy.data"))
        with subprocess.Popen([TALLY, "script", "-i", copy], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.read(1)
            os.truncate(copy, size)
            out, err = child.communicate(timeout=tap.PATIENCE)
        err = err.decode()
        assert child.returncode == 1, (size, child.returncode, err[-500:])
        assert f"{copy}: the file was truncated while it was being read (at byte {size})" in err, err[-500:]
        assert out and out.count(b"\n") < 300000


tap.main(__name__)
