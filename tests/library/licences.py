#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare what is linked into tally with the tables of docs/internals/licences.md. The program is linked again with the
build's objects, once as it is and once with -static, for the linker's map.

usage: licences.py ROOT BUILD TALLY
"""
import glob
import os
import re
import shutil
import sys

ROOT, BUILD, TALLY = map(os.path.abspath, sys.argv[1:4])
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

WORK = tap.workplace("licences")
PAGE = open(os.path.join(ROOT, "docs", "internals", "licences.md"), encoding="utf-8").read()
# Licences that may be linked into a program under any licence if notices are reproduced.
PERMISSIVE = {"BSD-3-Clause", "Zlib", "0BSD", "MIT", "bzip2-1.0.6", "X11-distribute-modifications-variant"}


def rows(columns):
    """Return the rows of the page's tables that have this many columns, without their heads."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
    return [row for row in cells if len(row) == columns and "`" in row[0] + row[1]]


def components(how):
    """Return {file: licence} of the components that are linked in this way."""
    found = {name: licence for _, names, linked, licence, _ in rows(5) if how in linked.split(", ") for name in re.findall("`(.*?)`", names)}
    assert found, f"no component is linked in the way '{how}'"
    return found


def name_of(path):
    """Return the name of a library or object without its version: libm-2.36.a and libm.so.6 are libm."""
    name = re.sub(r"\.(o|a|so.*)$", "", os.path.basename(path))
    return re.sub(r"-[0-9][0-9.]*$", "", re.sub(r"^ld(64|-linux)?\b.*", "ld-linux", name))


def link_command():
    ninja = shutil.which("ninja")
    if not ninja:
        raise tap.Skip("ninja is not installed")
    command = tap.run(ninja, "-C", BUILD, "-t", "commands", os.path.relpath(TALLY, BUILD), status=0).stdout.splitlines()[-1]
    if ".rsp" in command:
        raise tap.Skip("this build links with a response file")
    return command


def instruments(command):
    """Return the names of the parts that sanitizers and coverage add to this build, which is not for distribution."""
    found = {"libasan", "libasan_preinit", "libubsan", "libstdc++"} if "-fsanitize" in command else set()
    return found | ({"libgcov"} if "--coverage" in command else set())


def linked(name, *options):
    """Link the program. Return the members {archive: names} and the objects from outside the build, and the shared
    libraries that are needed."""
    program, command = os.path.join(WORK, name), link_command()
    words = f"-o {program} -Wl,-Map={program}.map {' '.join(options)}"
    command = re.sub(rf"-o {re.escape(os.path.relpath(TALLY, BUILD))}(?= |$)", lambda _: words, command, count=1)
    assert program in command, command
    done = tap.run("sh", "-c", command, cwd=BUILD)
    if done.returncode and options:
        raise tap.Skip(f"the program cannot be linked with {' '.join(options)}: {done.stderr.strip().splitlines()[-1]}")
    tap.same(done.returncode, 0, done.stderr)
    text = open(program + ".map", encoding="utf-8", errors="replace").read()
    members = {}
    for archive, member in re.findall(r"^(/\S+\.a)\(([^)]+)\)", text, re.M):
        members.setdefault(os.path.realpath(archive), set()).add(member)
    # With link-time optimization, the compiler writes tally's code to temporary objects.
    objects = {path for path in re.findall(r"^LOAD (/\S+\.o)$", text, re.M)
               if not path.startswith(BUILD + "/") and not re.search(r"\.ltrans\d+\.ltrans\.o$", path)}
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tap.run("readelf", "-d", program).stdout)
    assert members and objects, "the map names no archives and objects"
    return members, objects, needed


def check(name, *options):
    members, objects, needed = linked(name, *options)
    tools = instruments(link_command())
    static, dynamic = {*components("static"), *tools}, {*components("dynamic"), *tools}
    inside = {path for path in members if not path.startswith(BUILD + "/")} | objects
    tap.same(sorted(path for path in inside if name_of(path) not in static), [], "static parts that are not in licences.md")
    tap.same(sorted(path for path in needed if name_of(path) not in dynamic), [], "libraries that are not in licences.md")
    for path, names in members.items():
        if name_of(path) == "libiberty":
            permitted = {row[0].strip("`") for row in rows(2)}
            tap.same(sorted(names - permitted), [], "objects of libiberty that are not in licences.md")
    return members, needed


def test_every_linked_part_is_in_the_table():
    check("default")


def test_every_part_of_a_static_program_is_in_the_table():
    members, needed = check("static", "-static")
    tap.same(needed, [], "libraries that a static program needs")
    assert "libc" in map(name_of, members), members.keys()


def test_objects_of_libiberty_may_be_linked():
    listed = rows(2)
    assert len(listed) >= 4, listed
    for name, licence in listed:
        assert licence.endswith(" WITH GCC-exception-2.0"), f"{name} has no permission to be linked: {licence}"


def test_duties_are_stated():
    """Each component that is neither permissive nor has an exception for linking has its own section."""
    for component, names, how, licence, duty in rows(5):
        alternatives = licence.split(" (")[0].split(" OR ")
        if how == "dlopen" or any(one in PERMISSIVE or "WITH" in one for one in alternatives):
            continue
        section = re.search(r"\]\(#(\w+)\)", duty)
        assert section and re.search(rf"^## {section[1]}$", PAGE, re.M), f"{component}: {duty}"


def test_loaded_libraries_are_in_the_table():
    named = set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
        text = open(path, encoding="utf-8").read()
        named |= set(re.findall(r'"(lib[a-z]+)\.so\.', text)) if "dlopen(" in text else set()
    tap.same(sorted(named), sorted(components("dlopen")), "libraries loaded with dlopen()")


tap.main(__name__)
