#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test `tally buildid-cache`: perf and tally read and change each other's caches, and symbols are found in them.

usage: buildid_cache.py TALLY

Each test has its own cache, which --buildid-dir names. The user's cache is never used.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
WORK = tap.workplace("buildid-cache")
SOURCE = ("static volatile unsigned long sum;\n"
          "__attribute__((noinline)) void cached_function(void) { for (unsigned long i = 0; i < 50000000; i++) sum += i * VERSION; }\n"
          "int main(void) { cached_function(); return 0; }\n")


class Cache:
    def __init__(self, name):
        self.dir = f"{WORK}/{name}"

    def run(self, program, *words, **options):
        return tap.run(program, "--buildid-dir", self.dir, *words, **options)

    def tally(self, *words, **options):
        return self.run(TALLY, "buildid-cache", *words, **options)

    def perf(self, *words):
        machine.need_perf()
        return self.run(PERF, "buildid-cache", *words)

    def entries(self):
        return self.tally("-l", status=0).stdout.splitlines()

    def files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.dir) for name in names)


def program(name, version=1):
    machine.need_compiler("cc")
    path = f"{WORK}/{name}"
    tap.run("cc", "-O1", f"-DVERSION={version}", "-Wl,--build-id", "-x", "c", "-", "-o", path, input=SOURCE, status=0)
    return path


def build_id(path):
    notes = tap.run("readelf", "-n", path, status=0).stdout
    return re.search(r"Build ID: (\w+)", notes)[1]


def test_perf_reads_the_cache_of_tally():
    path, cache = program("read"), Cache("tally-cache")
    done = cache.tally("-v", "-a", f"{path},/bin/true", status=0)
    assert f"Adding {build_id(path)} {path}: Ok" in done.stderr, done.stderr
    assert f"{build_id(path)} {path}" in cache.entries(), cache.entries()
    tap.same(cache.perf("-l").stdout.splitlines(), cache.entries(), "lists")
    cache.perf("-r", path)
    tap.same(len(cache.entries()), 1, "entries after perf removed one")


def test_tally_reads_the_cache_of_perf():
    path, cache = program("other"), Cache("perf-cache")
    cache.perf("-a", f"{path},/bin/true")
    tap.same(cache.entries(), cache.perf("-l").stdout.splitlines(), "lists")
    cache.tally("-r", path, status=0)
    tap.same(cache.perf("-l").stdout, "".join(f"{line}\n" for line in cache.entries()), "lists after tally removed one")
    cache.tally("-P", status=0)
    tap.same((cache.entries(), cache.files()), ([], []), "after --purge-all")


def test_versions_of_a_file():
    cache = Cache("versions")
    first = build_id(program("versioned", 1))
    cache.tally("-a", f"{WORK}/versioned", status=0)
    second = build_id(program("versioned", 2))
    cache.tally("-a", f"{WORK}/versioned", status=0)
    tap.same({line.split()[0] for line in cache.entries()}, {first, second}, "versions")
    cache.tally("-r", f"{WORK}/versioned", status=0)
    tap.same([line.split()[0] for line in cache.entries()], [first], "the version that is not the file's")
    cache.tally("-r", f"{WORK}/versioned", status=1, says="not in the cache")
    cache.tally("-a", f"{WORK}/versioned", status=0)
    os.unlink(f"{WORK}/versioned")
    cache.tally("-p", f"{WORK}/versioned", status=0)
    tap.same(cache.files(), [], "after --purge of a file that does not exist any more")
    cache.tally("-p", f"{WORK}/versioned", status=1, says="not in the cache")


def test_copies_are_independent_of_the_file():
    path, cache = program("copied"), Cache("copies")
    cache.tally("-a", path, status=0)
    copy = next(name for name in cache.files() if name.endswith("/elf"))
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "r+b") as file:
        file.truncate(100)
    with open(copy, "rb") as file:
        tap.same(file.read() == content, True, "the copy after the file was overwritten")
    with open(path, "wb") as file:
        file.write(content)
    os.truncate(copy, 10)
    cache.tally("-a", path, status=0)
    tap.same(os.path.getsize(copy), 10, "size after adding again")
    cache.tally("-v", "-u", path, status=0, says=f"Updating {build_id(path)} {path}: Ok")
    tap.same(os.path.getsize(copy), len(content), "size after an update")


def test_symbols_are_found_in_the_cache():
    machine.need_events()
    path, cache = program("profiled"), Cache("symbols")
    cache.tally("-a", path, status=0)
    data = f"{WORK}/profiled.data"
    tap.run(TALLY, "record", "-q", "--no-symbols", "-o", data, "-e", "cpu-clock:u", path, status=0)
    os.unlink(path)
    show = ("report", "--stdio", "--no-index", "-i", data)
    assert "cached_function" in cache.run(TALLY, *show, status=0).stdout, "a report with the cache"
    shutil.rmtree(cache.dir)
    assert "cached_function" not in cache.run(TALLY, *show, status=0).stdout, "a report without the cache"


def test_missing_files_of_a_recording():
    machine.need_perf_records()
    cache, data = Cache("missing"), f"{WORK}/missing.data"
    path = program("recorded")
    tap.run(PERF, "record", "-q", "-N", "-o", data, "-e", "cpu-clock:u", path, status=0)
    line = f"{build_id(path)} {path}"
    missing = cache.tally("-M", data, status=0).stdout.splitlines()
    tap.same(missing, cache.perf("-M", data).stdout.splitlines(), "missing files")
    assert line in missing, missing
    cache.tally("-a", path, status=0)
    tap.same(cache.tally("-M", data, status=0).stdout.splitlines(), [name for name in missing if name != line], "missing after --add")


def test_links_that_lead_out_of_the_cache_are_not_followed():
    cache, id_ = Cache("hostile"), "ab" * 20
    victim = f"{WORK}/victim/{id_}"
    os.makedirs(victim)
    with open(f"{victim}/elf", "w", encoding="ascii") as file:
        file.write("precious")
    os.makedirs(f"{cache.dir}/.build-id/ab")
    link = f"{cache.dir}/.build-id/ab/{id_[2:]}"
    for target in (f"../../../victim/{id_}", f"../../x/../../victim/{id_}", f"{WORK}/victim/{id_}", "../../" + "x" * 4000, "../../"):
        os.symlink(target, link)
        tap.same(cache.entries(), [], f"entries with a link to {target[:40]}")
        cache.tally("-P", status=0)
        os.unlink(link)
    os.symlink(f"{WORK}/victim", f"{cache.dir}/inside")
    os.symlink(f"../../inside/{id_}", link)
    cache.tally("-P", status=1, says="leads out of the cache")
    assert os.path.exists(f"{victim}/elf"), "a file outside of the cache was removed"


def test_unknown_files_are_kept():
    path, cache = program("kept"), Cache("kept-cache")
    cache.tally("-a", path, status=0)
    with open(f"{cache.dir}{path}/{build_id(path)}/notes.txt", "w", encoding="ascii") as file:
        file.write("mine")
    cache.tally("-r", path, status=1, says="other files")
    assert [name for name in cache.files() if name.endswith("notes.txt")], cache.files()


def test_wrong_words_are_explained():
    cache = Cache("wrong")
    with open(f"{WORK}/text", "w", encoding="ascii") as file:
        file.write("this is a text" * 10)
    without = f"{WORK}/without"
    machine.need_compiler("cc")
    tap.run("cc", "-Wl,--build-id=none", "-DVERSION=1", "-x", "c", "-", "-o", without, input=SOURCE, status=0)
    for words, status, text in (
            ([], 129, "requires an action"), (["-l", "-P"], 129, "--list"), (["-a"], 129, "requires an argument"), (["-k", "/proc/kcore"], 129, "-k"),
            (["-a", "/nowhere"], 1, "/nowhere"), (["-a", f"{WORK}/text"], 1, "not a regular ELF file"), (["-a", WORK], 1, "not a regular ELF file"),
            (["-a", without], 1, "no build ID"), (["-a", "/dev/null"], 1, "/dev/null"), (["-M", "/nowhere"], 1, "/nowhere"),
            (["-M", f"{WORK}/text"], 1, "text"), (["word"], 129, "'word'")):
        cache.tally(*words, status=status, says=text)
    env = {name: value for name, value in os.environ.items() if name not in ("HOME", "PERF_BUILDID_DIR")}
    tap.run(TALLY, "buildid-cache", "-l", status=1, says="HOME is not set", env=env)
    tap.same(subprocess.run([TALLY, "--buildid-dir", cache.dir, "buildid-cache", "-l"], check=True, capture_output=True).stdout, b"", "an empty cache")


tap.main(__name__)
