#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test symbol indexes: reports must be the same as without indexes, whatever is wrong with the indexes or their
directory.

usage: index.py TALLY
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("index")
CACHE = os.path.join(WORK, "cache")
INDEXES = os.path.join(CACHE, "tally")
DATA = os.path.join(WORK, "perf.data")
START = 0x400000
HEADER, SECTIONS, SECTION = 80, 24, 32  # index format: header size, number of sections, size of a section entry
NOBODY = 65534
COMMANDS = (["report", "--stdio"], ["report", "--stdio", "-s", "dso,sym"], ["script"], ["script", "-F", "+symoff"])


def identity(path):
    notes = tap.run("readelf", "-n", path).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    if not found:
        raise tap.Skip(f"{path} has no build id")
    return bytes.fromhex(found.group(1))


def kernel_addresses():
    """Return the address of _text and the addresses of some functions, or none if they are hidden."""
    try:
        with open("/proc/kallsyms", encoding="ascii") as file:
            lines = [line.split() for line in file]
    except OSError:
        return 0, []
    found = [int(words[0], 16) for words in lines if len(words) == 3 and words[1] in "tT"]
    text = [int(words[0], 16) for words in lines if words[2:] == ["_text"]]
    return (text[0], found[::997]) if text and text[0] else (0, [])


def recording(nr=600, chains=False):
    """Return a recording with samples throughout the tally program itself and the kernel. If `chains` is set, each
    sample has an invalid caller, so that tally must check whether the sampled function is an entry function."""
    def one(ip, time, misc=USER):
        callers = u64(4, CONTEXT_USER, ip, ip + 1, 16) if misc == USER else u64(2, CONTEXT_KERNEL, ip)
        return sample(ip, 7, time, misc, callers if chains else b"")

    size = os.path.getsize(TALLY)
    text, functions = kernel_addresses()
    records = [mmap(7, START, size, TALLY), comm(7, "worker")]
    if text:
        records.insert(0, mmap(-1, text, 0x10000000, "[kernel.kallsyms]_text", misc=KERNEL, pgoff=text))
    for i in range(nr):
        records.append(one(START + i * (size // nr), 1000 + 2 * i))
        if functions:
            records.append(one(functions[i % len(functions)] + 1, 1001 + 2 * i, KERNEL))
    ids = build_id(TALLY, identity(TALLY))
    if text:
        with open("/sys/kernel/notes", "rb") as file:
            notes = file.read()
        at = notes.index(b"\3\0\0\0GNU\0")
        ids += build_id("[kernel.kallsyms]", notes[at + 8:at + 8 + int.from_bytes(notes[at - 4:at], "little")], KERNEL)
    attrs = [attr(DEFAULT_TYPE | CALLCHAIN)] if chains else None
    return file_bytes(records, attrs, features={FEATURE_BUILD_ID: ids})


with open(DATA, "wb") as made:
    made.write(recording())


def run(command, *before, data=DATA, **env):
    """Return the output and standard error of a command, which must succeed."""
    # Use the running kernel's symbols, not those in perf's cache.
    env = {**os.environ, "XDG_CACHE_HOME": CACHE, "PERF_BUILDID_DIR": os.path.join(WORK, "none"), **env}
    env = {name: value for name, value in env.items() if value is not None}
    return tap.run(*before, TALLY, *command, "-i", data, env=env, status=0)


PLAIN = {}


def plain(command):
    """Return a command's output without indexes."""
    key = " ".join(command)
    if key not in PLAIN:
        PLAIN[key] = run(command, TALLY_INDEX="off").stdout
        assert "tally_" in PLAIN[key], PLAIN[key][:2000]
    return PLAIN[key]


def expect_plain(command, *before, **env):
    done = run(command, *before, **env)
    assert done.stdout, command
    tap.same(done.stdout, plain(command), " ".join(command))
    assert "index" not in done.stderr, done.stderr
    return done


def begin(**files):
    """Create a cache directory that contains only these files."""
    shutil.rmtree(CACHE, ignore_errors=True)
    os.makedirs(CACHE, mode=0o700)
    if files:
        os.mkdir(INDEXES, 0o700)
    for name, data in files.items():
        put(name, data)


def put(name, data):
    with open(os.path.join(INDEXES, name), "wb") as file:
        file.write(data)
    os.chmod(os.path.join(INDEXES, name), 0o600)


def own_index():
    return identity(TALLY).hex() + ".index"


def listing(directory=INDEXES):
    return sorted(os.listdir(directory)) if os.path.isdir(directory) else []


def identity_of(name):
    """Return the identity of a file. The inode number is not sufficient, because it may be reused."""
    st = os.stat(os.path.join(INDEXES, name))
    return st.st_ino, st.st_mtime_ns, st.st_ctime_ns


def good():
    """Return the bytes of a valid index of the tally program."""
    begin()
    expect_plain(COMMANDS[0])
    with open(os.path.join(INDEXES, own_index()), "rb") as file:
        return file.read()


def in_namespace(script):
    """Return a command prefix that runs a shell script in a new mount namespace, and then the command appended to
    it."""
    machine.need_root()
    machine.need_unshare("-m")
    machine.need_mounts()
    return ["unshare", "-m", "sh", "-ec", script + '\nexec "$@"', "sh"]


# ---- output, and written files ----------------------------------------------------------------


def test_reports_are_the_same_with_and_without_indexes():
    for command in COMMANDS:
        begin()
        expect_plain(command)  # without an index
        names = listing()
        assert own_index() in names and len(names) == (2 if kernel_addresses()[0] else 1), names
        before = [identity_of(name) for name in names]
        expect_plain(command)  # with an index
        assert [identity_of(name) for name in names] == before and listing() == names, "it was written again"


def test_warm_reads_no_symbols():
    """Check that with an index, the file is not opened and only the beginning of kallsyms is read."""
    machine.need_tool("strace", "-f", "-o", "/dev/null", "true")
    begin()
    run(COMMANDS[0])
    log = os.path.join(WORK, "strace")
    run(COMMANDS[0], "strace", "-o", log, "-e", "trace=open,openat,read,pread64", ASAN_OPTIONS=tap.without_leaks()["ASAN_OPTIONS"])
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    assert [line for line in lines if f'"{DATA}"' in line], lines
    assert not [line for line in lines if f'"{TALLY}"' in line], lines
    assert sum("ffffffff8" in line for line in lines) <= 1, lines


def test_broken_chains_use_the_index():
    """Check that broken chains are the same with and without an index, which is also used to check the functions in
    chains."""
    other = DATA + ".chains"
    with open(other, "wb") as file:
        file.write(recording(chains=True))
    for command in (["report", "--stdio"], ["report", "--stdio", "--raw-chains"], ["script"]):
        begin()
        texts = [run(command, data=other, TALLY_INDEX=index).stdout for index in ("off", None, None)]
        assert ("[cut]" in texts[0]) == (len(command) == 2), texts[0][:2000]
        tap.same(texts[1], texts[0], "cold")
        tap.same(texts[2], texts[0], "warm")


def test_off_writes_nothing():
    begin()
    expect_plain(COMMANDS[0], TALLY_INDEX="off")
    expect_plain(COMMANDS[0] + ["--no-index"])
    expect_plain(COMMANDS[2] + ["--no-index"])
    expect_plain(COMMANDS[0], TALLY_INDEX="0")
    assert listing(CACHE) == [], listing(CACHE)
    good()
    damaged = bytes(1000)
    put(own_index(), damaged)
    expect_plain(COMMANDS[0] + ["--no-index"])
    assert os.path.getsize(os.path.join(INDEXES, own_index())) == len(damaged)


def test_a_wrong_setting_is_told():
    begin()
    done = run(COMMANDS[0], TALLY_INDEX="of")
    assert "TALLY_INDEX: 'of'" in done.stderr, done.stderr
    tap.same(done.stdout, plain(COMMANDS[0]), "report")
    assert own_index() in listing()
    done = tap.run(TALLY, "diff", DATA, DATA, env={**os.environ, "XDG_CACHE_HOME": CACHE, "TALLY_INDEX": "of"}, status=0)
    assert done.stderr.count("TALLY_INDEX") == 1, done.stderr


def test_a_closed_pipe_leaves_the_indexes():
    """Check that in `script | head`, script is killed by a signal, but leaves the indexes of all files that it has
    read."""
    begin()
    env = {**os.environ, "XDG_CACHE_HOME": CACHE, "PERF_BUILDID_DIR": os.path.join(WORK, "none")}
    with open(os.path.join(WORK, "long.data"), "wb") as file:
        file.write(recording(20000))
    with subprocess.Popen([TALLY, "script", "-i", file.name], env=env, stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        process.stdout.close()
        process.wait(120)
    assert own_index() in listing() and not [name for name in listing() if name.startswith(".")], listing()


def test_uses_xdg_cache_home():
    """Check that indexes are in $XDG_CACHE_HOME/tally, or otherwise in ~/.cache/tally; that relative paths are ignored;
    and that modes are private."""
    home = os.path.join(WORK, "home")
    for env in ({"XDG_CACHE_HOME": None}, {"XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "relative"}):
        shutil.rmtree(home, ignore_errors=True)
        os.mkdir(home, 0o755)
        expect_plain(COMMANDS[0], HOME=home, **env)
        place = os.path.join(home, ".cache", "tally")
        assert own_index() in listing(place), env
        for path, mode in ((os.path.dirname(place), 0o700), (place, 0o700), (os.path.join(place, own_index()), 0o600)):
            assert os.stat(path).st_mode & 0o7777 == mode, path
    gone = os.path.join(WORK, "gone")
    for env in ({"HOME": None, "XDG_CACHE_HOME": None}, {"HOME": gone, "XDG_CACHE_HOME": None},
                {"HOME": "", "XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": os.path.join(gone, "cache")}):
        expect_plain(COMMANDS[0], **env)
        assert not os.path.exists(gone), env
    expect_plain(COMMANDS[0], XDG_CACHE_HOME=gone)  # as the XDG specification requires
    assert os.stat(gone).st_mode & 0o7777 == 0o700 and own_index() in listing(os.path.join(gone, "tally"))


def test_the_limit_is_kept():
    old, size = "0123456789abcdef.index", len(good())
    begin(**{old: bytes(size * 3), "notes": bytes(size * 9)})
    os.utime(os.path.join(INDEXES, old), (1, 1))
    expect_plain(COMMANDS[0], TALLY_INDEX=str(size * 3 + 1000))
    names = listing()
    assert old not in names and "notes" in names and own_index() in names, names
    begin()
    expect_plain(COMMANDS[0], TALLY_INDEX="1K")
    assert listing() == [], listing()


# ---- directories that cannot be written to -------------------------------------------------------


def test_a_read_only_directory():
    good()
    names, before = listing(), identity_of(own_index())
    mount = in_namespace(f"mount --bind '{CACHE}' '{CACHE}' && mount -o remount,bind,ro '{CACHE}'")
    expect_plain(COMMANDS[0], *mount)  # with an index
    put(own_index(), b"torn")
    before = identity_of(own_index())
    expect_plain(COMMANDS[0], *mount)
    assert listing() == names and identity_of(own_index()) == before
    begin()
    expect_plain(COMMANDS[0], *mount)
    assert listing(CACHE) == []


def test_a_full_directory():
    """Test file systems of various sizes, from tiny to sufficient."""
    size = len(good())
    for room in (4096, 65536, size // 2, size - 4096, size + 4096):
        begin()
        mount = in_namespace(f"mount -t tmpfs -o size={room // 4096 * 4}k,mode=700 tmpfs '{CACHE}'\n"
                             f"trap 'ls -A {CACHE}/tally >&2' EXIT")
        done = run(COMMANDS[0], *[word.replace('exec "$@"', '"$@"') for word in mount])
        tap.same(done.stdout, plain(COMMANDS[0]), "report")
        left = done.stderr.split()
        assert left in ([], [own_index()]), left
        assert left == [] or room > 65536, (room, left)  # an index may contain only symbols, or also unwind rules


def test_records_without_a_writable_directory():
    """Check that tally record still works if it cannot write to the directory, where it stores the rules and symbols of
    removed files."""
    good()
    data = os.path.join(WORK, "recorded.data")
    command = [TALLY, "record", "-q", "-e", "cpu-clock", "--call-graph", "dwarf", "-o", data,
               "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"]
    env = {**os.environ, "XDG_CACHE_HOME": CACHE}
    for mount in (f"mount --bind '{CACHE}' '{CACHE}' && mount -o remount,bind,ro '{CACHE}'",
                  f"mount -t tmpfs -o size=8k,mode=700 tmpfs '{CACHE}'"):
        for torn in (False, True):
            put(own_index(), b"torn" if torn else bytes(100))
            done = tap.run(*in_namespace(mount), *command, env=env)
            tap.same((done.returncode, done.stderr), (0, ""), mount)
            assert "# Stacks: " in tap.run(TALLY, "report", "--health", "-i", data, env=env).stdout


# ---- concurrent processes ------------------------------------------------------------------------


def test_two_processes_at_the_same_time():
    """Test two processes that use the indexes at the same time, even if each removes the other's files."""
    limits = [None, str(len(good()) * 3 // 2)]
    for number in range(8):
        begin()
        env = {**os.environ, "XDG_CACHE_HOME": CACHE, "PERF_BUILDID_DIR": os.path.join(WORK, "none")}
        if limits[number % 2]:
            env["TALLY_INDEX"] = limits[number % 2]
        running = [subprocess.Popen([TALLY, *COMMANDS[0], "-i", DATA], env=env, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for process in running:
            out, err = process.communicate(timeout=tap.PATIENCE)
            assert process.returncode == 0, err
            tap.same(out, plain(COMMANDS[0]), "report")
        assert not [name for name in listing() if name.startswith(".")], listing()
        expect_plain(COMMANDS[0])


# ---- damaged and hostile files --------------------------------------------------------------------


def expect_replaced(data, what):
    """Check that an index with these bytes is not used, and is replaced by a valid one."""
    put(own_index(), data)
    before = identity_of(own_index())
    done = run(COMMANDS[1])
    tap.same(done.stdout, plain(COMMANDS[1]), what)
    assert identity_of(own_index()) != before and done.stderr == "", f"{what}: {done.stderr}"


def sections(data):
    """Return the offset and size of each section in an index."""
    found = []
    for number in range(SECTIONS):
        at = HEADER + number * SECTION
        offset, size = struct.unpack_from("<QQ", data, at + 8)
        if size:
            found.append((offset, size))
    return found


@tap.full
def test_cut_short():
    data = good()
    places = {0, 1, 8, HEADER - 1, HEADER, HEADER + SECTIONS * SECTION, len(data) // 2, len(data) - 8}
    for offset, size in sections(data):
        places |= {offset, offset + 1, offset + size - 1}
    for place in sorted(place for place in places if place < len(data) - 7):
        expect_replaced(data[:place], f"cut at {place} of {len(data)}")
    expect_replaced(data + bytes(8), "longer")


def test_pages_of_zeros():
    data = good()
    for at in tap.some(range(0, len(data), 4096 * 7)):
        torn = data[:at] + bytes(min(4096, len(data) - at)) + data[at + 4096:]
        if torn != data:
            expect_replaced(torn, f"zeros at {at}")
    expect_replaced(bytes(len(data)), "zeros")


def test_flipped_bits():
    data = good()
    chosen = random.Random(15)
    used = [(0, HEADER + len(sections(data)) * SECTION), *sections(data)]
    for offset, size in used:
        for _ in range(6):
            at = offset + chosen.randrange(size)
            bad = bytearray(data)
            bad[at] ^= 1 << chosen.randrange(8)
            expect_replaced(bytes(bad), f"a bit of byte {at}")


def test_an_index_of_something_else():
    data = good()
    kernel = [name for name in listing() if name != own_index()]
    other = bytes(24) + bytes([data[24] ^ 1])
    expect_replaced(bytes(a ^ b for a, b in zip(data, other.ljust(len(data), b"\0"))), "of another object")
    if kernel:
        with open(os.path.join(INDEXES, kernel[0]), "rb") as file:
            expect_replaced(file.read(), "the kernel's")
    expect_replaced(b"#!/bin/sh\n" * 1000, "a script")


def test_cut_while_it_is_mapped():
    """Truncate an index while script is blocked on a full pipe, and check that script still succeeds."""
    good()
    env = {**os.environ, "XDG_CACHE_HOME": CACHE, "PERF_BUILDID_DIR": os.path.join(WORK, "none")}
    long = os.path.join(WORK, "long.data")
    with open(long, "wb") as file:
        file.write(recording(20000))
    with subprocess.Popen([TALLY, "script", "-i", long], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)
        os.truncate(os.path.join(INDEXES, own_index()), 0)
        _, err = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, (process.returncode, err)
    # Depending on the pipe's capacity, there may have been nothing left to read.
    assert not err or b"was truncated while it was being read" in err, err


# ---- owners -----------------------------------------------------------------------------------------


def test_files_that_others_may_write():
    for mode in (0o620, 0o602, 0o666):
        good()
        path = os.path.join(INDEXES, own_index())
        os.chmod(path, mode)
        before = identity_of(own_index())
        expect_plain(COMMANDS[1])
        assert identity_of(own_index()) != before, oct(mode)
        assert os.stat(path).st_mode & 0o7777 == 0o600


def test_links():
    good()
    path, away = os.path.join(INDEXES, own_index()), os.path.join(WORK, "away")
    os.rename(path, away)
    os.symlink(away, path)
    expect_plain(COMMANDS[1])
    assert not os.path.islink(path), "the link was followed"
    shutil.rmtree(away, ignore_errors=True)
    os.rename(INDEXES, away + ".d")
    os.symlink(away + ".d", INDEXES)
    before = sorted((name, os.stat(os.path.join(away + ".d", name)).st_ino) for name in os.listdir(away + ".d"))
    for name, _ in before:
        os.unlink(os.path.join(away + ".d", name))
    expect_plain(COMMANDS[1])
    assert os.listdir(away + ".d") == [], "written through a link"


def test_a_directory_that_others_may_write():
    for mode in (0o770, 0o707, 0o777, 0o1777):
        begin()
        os.mkdir(INDEXES)
        os.chmod(INDEXES, mode)
        expect_plain(COMMANDS[1])
        assert listing() == [], oct(mode)


def test_ignores_what_is_not_a_regular_file():
    for make in (os.mkdir, os.mkfifo):
        good()
        path = os.path.join(INDEXES, own_index())
        os.unlink(path)
        make(path)
        expect_plain(COMMANDS[1])


def test_other_users_files():
    machine.need_root()
    good()
    path = os.path.join(INDEXES, own_index())
    os.chown(path, NOBODY, NOBODY)
    expect_plain(COMMANDS[1])
    assert os.stat(path).st_uid == 0, "it was taken as it is"
    for name in listing():
        os.unlink(os.path.join(INDEXES, name))
    os.chown(INDEXES, NOBODY, NOBODY)
    expect_plain(COMMANDS[1])
    assert listing() == [], "root wrote into a directory of another user"


def test_root_with_the_home_of_another_user():
    """Check that root leaves no file that the owner of the directory cannot use."""
    machine.need_root()
    home = os.path.join(WORK, "theirs")
    for below in ([], [".cache"]):
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(os.path.join(home, *below))
        for directory, _, _ in os.walk(home):
            os.chown(directory, NOBODY, NOBODY)
        expect_plain(COMMANDS[1], HOME=home, XDG_CACHE_HOME=None)
        assert not os.path.exists(os.path.join(home, ".cache", "tally"))


def test_hidden_kernel_addresses_stay_hidden():
    """Check that root's index does not reveal hidden kernel symbols to a root user without CAP_SYSLOG."""
    machine.need_root()
    without = ["setpriv", "--bounding-set=-syslog", "--inh-caps=-all"]
    machine.need_tool(*without, "true")
    machine.need_kernel_symbols()
    begin()
    run(COMMANDS[1])
    with rights.sysctls(kptr_restrict=1):
        hidden = run(COMMANDS[1], *without, TALLY_INDEX="off").stdout
        assert "permission denied" in hidden, hidden[-500:]
        tap.same(run(COMMANDS[1], *without).stdout, hidden, "report")
        tap.same(run(COMMANDS[1]).stdout, plain(COMMANDS[1]), "report")
        begin()
        run(COMMANDS[1], *without)
        assert listing() == [own_index()], "what is hidden was written"


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
tap.main(__name__)
