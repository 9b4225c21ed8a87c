#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally buildid-list -m`: the build IDs and addresses of the running kernel and its modules.

usage: kernel_maps.py TALLY
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("kernel_maps")
# A kernel and two modules: one with a build ID, one without.
FILES = {
    "proc/kallsyms": b"ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000040 T one\nffffffff82000000 T _etext\n",
    "proc/modules": b"ext4 8192 1 - Live 0xffffffffc0100000\nsnd_pcm 4096 0 - Live 0xffffffffc0200000\n",
    "sys/kernel/notes": struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20)),
    "sys/module/ext4/notes/.note.gnu.build-id": struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20, 40)),
    "sys/module/snd_pcm/refcnt": b"0\n",
}
KERNEL = f"{bytes(range(20)).hex()} ffffffff81000000 ffffffff82000000 [kernel.kallsyms]\n"
EXT4 = f"{bytes(range(20, 40)).hex()} ffffffffc0100000 ffffffffc0102000 "


# The sanitizers read their options in /proc/self, and look for leaks in /proc/PID.
ENTER = """
mkdir -p "$2/real" && ln -sfn "$2/real/self" "$2/proc/self" && mount --bind /proc "$2/real" &&
	mount --bind "$2/sys" /sys && mount --bind "$2/proc" /proc && exec "$1" buildid-list -m
"""


def in_faked(files):
    """Run `tally buildid-list -m` where /proc and /sys contain only `files` and /proc/self."""
    for name, content in files.items():
        path = os.path.join(WORK, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    return subprocess.run(["unshare", "--mount", "sh", "-c", ENTER, "sh", TALLY, WORK], capture_output=True, text=True, check=False, env=env)


def test_kernel_and_modules():
    machine.need_mounts()
    machine.need_unshare("--mount")
    result = in_faked(FILES)
    assert result.returncode == 0 and not result.stderr, result
    lines = result.stdout.splitlines(keepends=True)
    assert lines[0] == KERNEL and lines[1].startswith(EXT4) and "ext4" in lines[1][len(EXT4):], lines
    assert lines[2].startswith("- ffffffffc0200000 ffffffffc0201000 ") and "snd" in lines[2] and len(lines) == 3, lines


def test_hidden_addresses():
    machine.need_mounts()
    machine.need_unshare("--mount")
    hidden = {**FILES, "proc/kallsyms": b"0000000000000000 T _text\n0000000000000000 T _etext\n",
              "proc/modules": b"ext4 8192 1 - Live 0x0000000000000000\n"}
    result = in_faked(hidden)
    assert result.returncode == 1 and not result.stdout and "hides its addresses" in result.stderr, result


def test_as_perf():
    """Compare the build ID and the start of the running kernel with those that perf prints."""
    machine.need_perf()
    theirs = tap.run("perf", "buildid-list", "-m", status=0).stdout.splitlines()
    if not theirs or int(theirs[0].split()[-3], 16) == 0:
        raise tap.Skip("perf cannot read the kernel's addresses")
    ours = tap.run(TALLY, "buildid-list", "-m", status=0).stdout.splitlines()
    assert ours[0].split()[:2] == theirs[0].split()[:2], (ours, theirs)


tap.main(__name__, machine.need_root)
