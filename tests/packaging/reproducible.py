# SPDX-License-Identifier: BSD-2-Clause
"""Build two clones in different directories and environments, and check that they have the same bytes. Without
SOURCE_DATE_EPOCH, as users build.

usage: reproducible.py ROOT BUILD
"""
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT, BUILD = sys.argv[1:3]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import clones  # noqa: E402
import machine  # noqa: E402
import same  # noqa: E402
import tap  # noqa: E402

WORK = tempfile.mkdtemp(prefix="reproducible.", dir=BUILD)
TODAY = time.localtime()
# As scripts/man_pages.py and __DATE__ would write it.
DATES = [time.strftime(form, TODAY).encode() for form in ("%Y-%m-%d", "%b %e %Y")]
# scripts/build.sh builds with link-time optimization, other users without.
VARIANTS = {"plain": [], "lto": ["-Db_lto=true"]}


def build(which, variant):
    """Build a clone and install it. The build directory of the second clone is outside of the clone. Return the
    directory of the installed files."""
    source = os.path.join(WORK, which, "tally")
    if not os.path.isdir(source):
        clones.clone(ROOT, WORK, which)
    where = os.path.join(source, "build-" + variant) if which == clones.FIRST else os.path.join(WORK, "elsewhere", variant)
    options = clones.options(which)
    clones.must("meson", "setup", where, source, "--buildtype=release", "-Dtests=none", "--prefix=/usr", *VARIANTS[variant], **options)
    clones.must("ninja", "-C", where, **options)
    clones.must("meson", "install", "-C", where, "--no-rebuild", "--destdir", where + "/installed", **options)
    return where + "/installed"


@functools.cache
def built(variant):
    return [build(which, variant) for which in clones.BUILDS]


def check(variant):
    first, second = built(variant)
    for name in ("bin/tally", "bin/tally-jevents"):
        if not os.path.exists(f"{first}/usr/{name}"):
            raise AssertionError(f"{name} was not installed")
    found = list(same.tree_differ(first, second))
    tap.same("\n".join(found[:20]), "", f"{len(found)} differences between two builds")


def test_differences_are_found():
    """Check the comparison itself, with two programs that differ in a string."""
    machine.need_compiler("gcc")
    for name in ("a", "b"):
        os.makedirs(f"{WORK}/trial.{name}")
        subprocess.run(["gcc", "-x", "c", "-", "-o", f"{WORK}/trial.{name}/program"], input=f'const char place[] = "in /{name}/";\nint main(void) {{ return !place; }}\n',
                       text=True, check=True)
        clones.must("ar", "rcD", f"{WORK}/trial.{name}/program.a", f"{WORK}/trial.{name}/program")
    found = list(same.tree_differ(WORK + "/trial.a", WORK + "/trial.b"))
    for path in ("program: section .rodata ", "program.a: program: section .rodata "):
        tap.same([text for text in found if text.startswith(path) and "in /a/" in text and "in /b/" in text] != [], True, found)


def test_release_builds_have_the_same_bytes():
    check("plain")


def test_builds_with_lto_have_the_same_bytes():
    check("lto")


def test_no_file_contains_the_date_of_the_build():
    """Check for dates, which are equal in two builds on the same day."""
    first = built("plain")[0]
    paths = [path for path, entry in same.entries(first).items() if entry.startswith("-")]
    dated = [path for path in paths if any(date in same.read(os.path.join(first, path)) for date in DATES)]
    tap.same(dated, [], f"files with {DATES}")


try:
    tap.main(__name__, functools.partial(machine.need_tool, "git", "--version"), functools.partial(machine.need_tool, "meson", "--version"),
             functools.partial(clones.need_clone, ROOT))
finally:
    shutil.rmtree(WORK)
