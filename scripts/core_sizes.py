#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the table of core sizes into docs/internals/porting.md: for a Cortex-M4 with -Os, with each switch in
tally/config.h turned off individually, and with all of them turned off. With --check, only report whether the table is
up to date. The check is skipped if the compiler named on the page is not installed, because the sizes depend on the
compiler. Object files are written to DIR.

usage: core_sizes.py [--check] ROOT DIR
"""
import concurrent.futures
import os
import re
import subprocess
import sys

START, END = "<!-- sizes: made by scripts/core_sizes.py -->", "<!-- end of sizes -->"
TOOL = "arm-linux-gnueabi-"
FLAGS = """-mfloat-abi=soft -mthumb -mcpu=cortex-m4 -std=c11 -Os -ffreestanding -nostdlib
    -fno-tree-loop-distribute-patterns -fno-stack-protector -fno-pic -fno-pie -fno-asynchronous-unwind-tables
    -ffunction-sections -fdata-sections""".split()
# Functions that firmware calls if its threads open, read, map and close events.
CALLED = """create cpu_online task_init open read ioctl poll mmap munmap close buffer_page fork exit watched_switch
    watched_tick timer deferred hw_update hw_fold hw_arm hw_overflow pmu_register""".split()
OBJECTS = {"event": "offsetof(struct tally_core_event, attr) + TALLY_CORE_ATTR_KEPT",
           "context": "sizeof(struct tally_core_context)",
           "core": "sizeof(struct tally_core) + sizeof(struct tally_core_cpu)"}
# For each switch, the other switches that must be off if this switch is off.
ALONG = {"TALLY_CORE_SOFTWARE_EVENTS": ["TALLY_CORE_TRACEPOINTS"],
         "TALLY_CORE_WHOLE_ATTR": ["TALLY_CORE_SAMPLE_PARTS", "TALLY_CORE_TRAPS"]}


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def switches(root):
    text = open(os.path.join(root, "include/tally/config.h"), encoding="utf-8").read()
    return [name for name in re.findall(r"^#ifndef (TALLY_CORE_\w+)$", text, re.M)
            if re.search(rf"#define {name}\s+\\?\s*\(?TALLY_CORE_DEFAULT(\)|\n| \|\|)", text)]


def configurations(root):
    rows = [("everything", [])]
    for name in switches(root):
        off = [name] + ALONG.get(name, [])
        rows.append(("without " + ", ".join(f"`{each[len('TALLY_CORE_'):]}`" for each in off), [f"-D{each}=0" for each in off]))
    return rows + [("`TALLY_CORE_SMALL`: without all of them", ["-DTALLY_CORE_SMALL"])]


def text_of(path):
    return int(run(TOOL + "size", path).splitlines()[1].split()[0])


def measure(root, folder, defines):
    """Return [text size of all objects, text size after linking with CALLED, size of each of OBJECTS], in bytes."""
    os.makedirs(folder, exist_ok=True)
    run("sh", os.path.join(root, "scripts/build_core.sh"), "--wrappers", folder)
    probe = "".join(f"char {name}[{size}];\n" for name, size in OBJECTS.items())
    open(os.path.join(folder, "probe.c"), "w", encoding="utf-8").write('#include "core/core_private.h"\n' + probe)
    sources = sorted(name for name in os.listdir(folder) if name.endswith(".c"))
    objects = [name[:-1] + "o" for name in sources if name != "probe.c"]
    include = [f"-I{os.path.abspath(root)}/include", f"-I{os.path.abspath(root)}/src"]
    run(TOOL + "gcc", *FLAGS, *include, *defines, "-c", *sources, cwd=folder)
    run(TOOL + "gcc", *FLAGS, "-r", "-o", "whole", *objects, cwd=folder)
    run(TOOL + "gcc", *FLAGS, "-static", "-Wl,--gc-sections,-e,0", *(f"-Wl,-u,tally_core_{name}" for name in CALLED),
        "-o", "linked", *objects, cwd=folder)
    sizes = {words[3]: int(words[1]) for words in map(str.split, run(TOOL + "nm", "-S", "-t", "d", "probe.o", cwd=folder).splitlines())}
    return [text_of(os.path.join(folder, name)) for name in ("whole", "linked")] + [sizes[name] for name in OBJECTS]


def table(root, folder):
    rows = configurations(root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(lambda i: measure(root, os.path.join(folder, str(i)), rows[i][1]), range(len(rows))))
    lines = [f"Cortex-M4, {compiler()}, `-Os`:", "", "| | text | of that linked | event | context | core with one CPU |",
             "|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join([name] + [f"{size:,}" for size in sizes]) + " |" for (name, _), sizes in zip(rows, measured)]
    return "\n".join(lines)


def compiler():
    try:
        return run(TOOL + "gcc", "--version").splitlines()[0]
    except OSError:
        return ""


def main():
    check = sys.argv[1] == "--check"
    root, folder = sys.argv[2 if check else 1:]
    path = os.path.join(root, "docs/internals/porting.md")
    old = open(path, encoding="utf-8").read()
    before, after = old.index(START) + len(START), old.index(END)
    if not compiler() or (check and compiler() not in old):
        print(f"{path}: its sizes are of another compiler; installed: {compiler() or 'no ' + TOOL + 'gcc'}")
        sys.exit(77)
    new = old[:before] + "\n" + table(root, folder) + "\n" + old[after:]
    if new == old:
        print(f"{path}: sizes are up to date")
    elif check:
        sys.exit(f"{path}: sizes have changed: run scripts/core_sizes.py")
    else:
        open(path, "w", encoding="utf-8").write(new)


main()
