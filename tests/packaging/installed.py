# SPDX-License-Identifier: BSD-2-Clause
"""Install from a clone with scripts/build.sh into a directory, and build and run a program with the variables that the
script prints.

usage: installed.py ROOT BUILD
"""
import functools
import os
import re
import shutil
import sys
import tempfile

ROOT, BUILD = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import clones  # noqa: E402
import tap  # noqa: E402

WORK = tempfile.mkdtemp(prefix="installed.", dir=BUILD)
PREFIX = WORK + "/a prefix"
SOURCE = clones.clone(ROOT, WORK, "source")


def build(*words):
    return tap.run("sh", SOURCE + "/scripts/build.sh", *words, timeout=3600)


@functools.cache
def installed():
    """Install, and return the output of the script."""
    done = build("--install", PREFIX)
    tap.same(done.returncode, 0, done.stdout + done.stderr)
    return done.stdout


def test_prefix_must_be_named():
    done = build("--install", "")
    tap.same((done.returncode != 0, "--install needs a directory" in done.stderr), (True, True), done.stderr)


def test_installed_program_runs():
    installed()
    tap.same(clones.must(PREFIX + "/bin/tally", "--version"), clones.must(SOURCE + "/build/tally", "--version"), "version")


def test_programs_build_and_run():
    """Check that the variables that the script prints are enough: the dynamic linker does not look in this directory."""
    export = re.search("^  (export PKG_CONFIG_PATH=.*)$", installed(), re.M)
    assert export, installed()
    program = f"{WORK}/program"
    command = f'eval "cc \'{SOURCE}/examples/region.c\' $(pkg-config --cflags --libs tally) -o \'{program}\'"'
    out = clones.must("sh", "-c", f"{export[1]}; {command} && '{program}'")
    tap.same("round " in out, True, out)


try:
    tap.main(__name__, functools.partial(clones.need_clone, ROOT))
finally:
    shutil.rmtree(WORK)
