# SPDX-License-Identifier: BSD-2-Clause
"""Check the parts of debian/ that repeat other files: the version, the exported functions, and the packages needed for a
build.

usage: version.py ROOT BUILD
"""
import json
import os
import re
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def test_changelog_has_the_version():
    with open(os.path.join(BUILD, "meson-info", "intro-projectinfo.json"), encoding="utf-8") as file:
        version = json.load(file)["version"]
    tap.same(re.match(r"tally \((.*?)\) ", read("debian/changelog")).group(1), version, "versions of debian/changelog and meson.build")


def test_versions_of_symbols_are_known():
    """Check that debian/*.symbols have a line for each version in the version scripts."""
    for library in ("tally", "tally-profile"):
        versions = re.findall(r"^(TALLY_\S+) \{", read(f"src/library/lib{library}.map"), re.M)
        lines = re.findall(r"^ \(symver\)(\S+) \S+$", read(f"debian/lib{library}0.symbols"), re.M)
        tap.same(lines, versions, f"versions in debian/lib{library}0.symbols")
        assert versions, library


def test_build_dependencies_are_installed_by_the_scripts():
    """Check that a machine on which scripts/build.sh built can also build the packages, with debhelper."""
    wanted = re.search(r"^Build-Depends: ((?:.*,\n)*.*)\n", read("debian/control"), re.M).group(1)
    wanted = {re.split(r"[ :]", name.strip())[0] for name in wanted.split(",") if "<cross>" not in name} - {"debhelper-compat"}
    build, test, full = (re.search(rf'^{name}_packages="(.*)"', read("scripts/lib.sh"), re.M).group(1).split() for name in ("build", "test", "full"))
    tap.same(sorted(wanted - set(build) - set(test)), [], "Build-Depends that scripts/lib.sh lacks")
    tap.same(sorted({"debhelper", "dpkg-dev", "lintian", "debootstrap"} - set(full)), [], "packages of tests/packaging/debian.py")


tap.main(__name__)
