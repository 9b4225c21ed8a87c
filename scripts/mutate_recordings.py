#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run commands on damaged copies of recordings, and report failures.

usage: mutate_recordings.py TALLY RECORDINGS [COUNT [SEED]]

TALLY should be built with sanitizers; RECORDINGS is a directory. Each of COUNT runs damages one recording in one way,
and passes it to one command. The recording, the damage and the command depend only on the sum of SEED and the run
number. This sum is printed with each failure; to reproduce the failure, use a COUNT of 1 and the sum as SEED. A failure
is a crash, a run that exceeds its time or memory limit, a sanitizer report, an exit status other than 0 or 1, an error
without a message, or success without a message although `script` prints fewer samples than for the undamaged recording.
"""
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile

COMMANDS = (["script"], ["report", "--stdio"], ["evlist", "-v"], ["buildid-list"], ["script", "--dump-json"],
            ["diff"], ["diff", "--by", "path"],
            ["report", "--svg", "-"], ["report", "--html", "-"], ["report", "--json"])
CPU_SECONDS, MEMORY_MB = 60, 1500
ENV = dict(os.environ, LC_ALL="C", ASAN_OPTIONS=f"hard_rss_limit_mb={MEMORY_MB}:quarantine_size_mb=16:exitcode=99",
           UBSAN_OPTIONS="halt_on_error=1:exitcode=99")
ODD = (0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tally, command, path):
    paths = [path, path] if command[0] == "diff" else ["-i", path]
    done = subprocess.run([tally, *command, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV,
                          stdin=subprocess.DEVNULL, preexec_fn=limit, timeout=900, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def damage(data, rng):
    """Damage `data` in one way, and return a description of the damage."""
    kind = rng.choice(("bits", "bits", "word", "word", "cut", "drop", "twice", "insert"))
    at = rng.randrange(len(data))
    if kind == "bits":
        for _ in range(rng.choice((1, 1, 4, 16))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "word":
        size = rng.choice((2, 4, 8))
        at -= at % size
        data[at:at + size] = struct.pack("<Q", rng.choice(ODD))[:size]
    elif kind == "cut":
        del data[at:]
    else:
        length = rng.choice((1, 8, 64, 4096))
        piece = data[at:at + length]
        if kind == "drop":
            del data[at:at + length]
        elif kind == "twice":
            data[at:at] = piece
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(min(length, 64)))
    return f"{kind} at {at}"


def samples(output):
    """Return the number of samples in the output of `script`, in which a blank line ends each sample that has
    callers."""
    return output.count(b"\n\n") or output.count(b"\n")


def judge(command, status, out, err, whole):
    """Return a description of the failure, or None if the run passed. `whole` is the number of samples in the undamaged
    recording."""
    if "Sanitizer" in err or "runtime error" in err:
        return "sanitizer: " + next((line for line in err.splitlines() if "ERROR" in line or "runtime" in line), "")
    if status not in (0, 1):
        return f"status {status}"
    if status == 1 and not err:
        return "error without a message"
    # Damage can change a record into another record, or merge it with the next one. If more than two samples are lost,
    # there must be a message.
    if status == 0 and not err and command == ["script"] and samples(out) < whole - 2:
        return f"success without a message: {samples(out)} samples of {whole}"
    return None


def main():
    tally, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    files = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
    files = [name for name in files if 0 < os.path.getsize(name) < 4 << 20]
    whole, found = {}, 0
    with tempfile.TemporaryDirectory() as home:
        ENV["HOME"] = home
        path = os.path.join(home, "damaged.data")
        for number in range(seed, seed + count):
            rng = random.Random(number)
            name, command = rng.choice(files), rng.choice(COMMANDS)
            if command == ["script"] and name not in whole:
                whole[name] = samples(run(tally, command, name)[1])
            with open(name, "rb") as file:
                data = bytearray(file.read())
            what = damage(data, rng)
            with open(path, "wb") as file:
                file.write(data)
            try:
                wrong = judge(command, *run(tally, command, path), whole.get(name, 0))
            except subprocess.TimeoutExpired:
                wrong = "hangs"
            if wrong:
                found += 1
                print(f"seed {number}: {' '.join(command)} of {name}, {what}: {wrong}", flush=True)
    print(f"{count} runs, {found} failures")
    return 1 if found else 0


sys.exit(main())
