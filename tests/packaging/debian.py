# SPDX-License-Identifier: BSD-2-Clause
"""Build the Debian packages from a clone, check them with lintian, install them in a minimal Debian, use them as users
do, and remove them.

usage: debian.py ROOT BUILD
"""
import configparser
import functools
import glob
import os
import re
import shlex
import shutil
import sys
import tempfile

ROOT, BUILD = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import chroot  # noqa: E402
import clones  # noqa: E402
import machine  # noqa: E402
import same  # noqa: E402
import tap  # noqa: E402

WORK = tempfile.mkdtemp(prefix="debian.", dir=BUILD)
STATE = "/var/lib/tally"
PACKAGES = ["libtally-dev", "libtally-profile0", "libtally-profile0-dbgsym", "libtally0", "libtally0-dbgsym", "tally", "tally-dbgsym"]
BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
COMPLETION = "/usr/share/bash-completion/bash_completion"


@machine.probe
def need_build_packages():
    """Skip the test unless what debian/control needs for a build is installed."""
    machine.need_tool("dpkg-buildpackage", "--version")
    return machine.why_not(["dpkg-checkbuilddeps", ROOT + "/debian/control"])


@functools.cache
def built(which):
    """Build the packages in a clone, and return the directory that contains them."""
    source = clones.clone(ROOT, WORK, which)
    clones.must("dpkg-buildpackage", "-us", "-uc", "-b", cwd=source, **clones.options(which))
    return os.path.dirname(source)


def debs(which=clones.FIRST):
    """Return the packages of a clone, sorted by name."""
    return sorted(glob.glob(built(which) + "/*.deb"), key=lambda path: os.path.basename(path).split("_"))


@functools.cache
def unpacked(package):
    path, = (deb for deb in debs() if os.path.basename(deb).startswith(package + "_"))
    clones.must("dpkg-deb", "-x", path, f"{WORK}/{package}")
    return f"{WORK}/{package}"


@functools.cache
def installed():
    """Install the packages in a minimal Debian. Return it and the files it had before."""
    chroot.need_debootstrap()
    chroot.need_mirror()
    debian = chroot.Chroot(WORK + "/root")
    debian.apt("update")
    # systemd creates this directory when it starts.
    os.makedirs(debian.path + "/var/lib/private", exist_ok=True)
    before = debian.files()
    os.mkdir(debian.path + "/packages")
    for deb in debs():
        shutil.copy(deb, debian.path + "/packages")
    debian.apt("install", *("./packages/" + os.path.basename(deb) for deb in debs()))
    shutil.copy(ROOT + "/tests/lib/complete.bash", debian.path + "/packages")
    for source in ("tests/library/library_program.c", "examples/top_functions.c"):
        shutil.copy(os.path.join(ROOT, source), debian.path + "/packages")
    return debian, before


def unit_path(root):
    """Return the path of the unit. The directory depends on the version of debhelper."""
    return [path for lib in ("/lib", "/usr/lib") for path in glob.glob(root + lib + "/systemd/system/tally-record.service")][0]


def inside(*command, **options):
    return installed()[0].run(*command, **options)


def test_builds_all_packages():
    tap.same([os.path.basename(deb).split("_")[0] for deb in debs()], PACKAGES, "packages")


def test_lintian_finds_nothing():
    machine.need_tool("lintian", "--version")
    changes, = glob.glob(built(clones.FIRST) + "/*.changes")
    done = tap.run("lintian", "--allow-root", "--no-cfg", "--fail-on", "error,warning", changes, timeout=3600)
    tap.same((done.returncode, done.stdout), (0, ""), "lintian")


def test_packages_have_the_same_bytes():
    first, second = (debs(which) for which in clones.BUILDS)
    tap.same([os.path.basename(deb) for deb in second], [os.path.basename(deb) for deb in first], "packages")
    found = [text for pair in zip(first, second) for text in same.file_differ(os.path.basename(pair[0]), *pair)]
    tap.same("\n".join(found[:20]), "", f"{len(found)} differences between two builds")


def test_programs_are_hardened():
    for name in ("tally", "tally-jevents"):
        path = f"{unpacked('tally')}/usr/bin/{name}"
        tap.same(re.search(r"Type: +(\w+)", clones.must("readelf", "-h", path)).group(1), "DYN", f"{name} is position-independent")
        tap.same("BIND_NOW" in clones.must("readelf", "-d", path), True, f"{name} is bound at its start")
        tap.same("GNU_RELRO" in clones.must("readelf", "-lW", path), True, f"{name} has read-only relocations")
        tap.same("__stack_chk_fail" in clones.must("readelf", "-sW", "--dyn-syms", path), True, f"{name} has stack protection")


def test_static_libraries_have_code():
    """Check that compilers other than the one of the build can link the libraries."""
    for path in glob.glob(unpacked("libtally-dev") + "/usr/lib/*/*.a"):
        listed = clones.must("objdump", "-h", path)
        tap.same((".gnu.lto" in listed, ".text" in listed), (False, True), path)


def test_core_needs_no_libc():
    """Check that the options of a distribution, such as stack protection, add no calls to the core."""
    path, = glob.glob(unpacked("libtally-dev") + "/usr/lib/*/libtally-core.a")
    symbols = [line.split() for line in clones.must("nm", path).splitlines()]
    defined = {words[2] for words in symbols if len(words) == 3}
    needed = {words[1] for words in symbols if len(words) == 2 and words[0] == "U"}
    tap.same(sorted(needed - defined - {"_GLOBAL_OFFSET_TABLE_"}), [], "functions that libtally-core.a needs")


def test_build_leaves_no_files():
    """Check that git ignores all files of a build."""
    source = os.path.join(built(clones.FIRST), "tally")
    tap.same(clones.must("git", "status", "--short", cwd=source), "", "files of the build")


def test_unit_is_valid():
    """Verify the unit with the program where systemd will find it."""
    machine.need_tool("systemd-analyze", "--version")
    with open(unit_path(unpacked("tally")), encoding="utf-8") as file:
        text = file.read().replace("=/usr/bin/tally ", f"={unpacked('tally')}/usr/bin/tally ")
    os.makedirs(WORK + "/units", exist_ok=True)
    with open(WORK + "/units/tally-record.service", "w", encoding="utf-8") as file:
        file.write(text)
    done = tap.run("systemd-analyze", "--man=no", "verify", WORK + "/units/tally-record.service")
    tap.same((done.returncode, done.stdout + done.stderr), (0, ""), "systemd-analyze verify")


def test_installed_program_runs():
    tap.same(inside("tally", "--version"), "tally version " + re.search(r"_([^_]*)_", os.path.basename(debs()[-1])).group(1) + "\n", "version")
    tap.same(glob.glob(installed()[0].path + "/etc/systemd/system/*/tally-record.service"), [], "links that enable the unit")


def test_records_and_reports():
    machine.need_events()
    inside("tally", "record", "-q", "-e", "cpu-clock:u", "-o", "/packages/perf.data", "sh", "-c", BUSY)
    report = inside("tally", "report", "--stdio", "-i", "/packages/perf.data")
    tap.same(bool(re.search(r"^ +\d+\.\d+%  sh +\S+ +\[\.\] \S+", report, re.M)), True, report[:300])
    profile = inside("tally", "profile", "sh", "-c", BUSY)
    tap.same("Health: " in profile, True, profile[:300])


def test_manual_pages_are_found():
    for words in (["tally-record"], ["tally-jevents"], ["jevents"], ["3", "tally_regions_open"], ["7", "tally-privileges"]):
        page = inside("man", *words)
        tap.same(bool(re.search(r"^NAME\n +tally", page, re.M)), True, f"man {' '.join(words)}: {page[:200]}")


def test_bash_completes():
    with open(installed()[0].path + "/packages/load", "w", encoding="ascii") as file:
        file.write(f". {COMPLETION}\n_completion_loader tally\n[ $? = 124 ]\n")
    tap.same(inside("bash", "--norc", "/packages/complete.bash", "/packages/load", "tally", "rec"), "record\n", "tally rec<TAB>")


def build(compiler, source, library, *more):
    """Build /packages/program as C, or as C++ if the compiler's name ends with ++."""
    static = ["--static"] if "-static" in more else []
    language = ["-x", "c++", "-std=c++17"] if compiler.endswith("++") else ["-std=c11"]
    flags = inside("pkg-config", *static, "--cflags", "--libs", library).split()
    inside(compiler, *language, "-Wall", "-Wextra", "-Werror", *more, "/packages/" + source, "-x", "none", *flags, "-o", "/packages/program")


def build_and_run(compiler, *more):
    build(compiler, "library_program.c", "tally", *more)
    out = inside("/packages/program")
    tap.same(bool(re.search(r"^task-clock:u: [1-9]\d* ns, (exact|scaled)$|^refused: ", out)), True, out)


def test_programs_link_with_gcc():
    build_and_run("gcc")
    build_and_run("gcc", "-static")


def test_programs_link_with_clang():
    build_and_run("clang")
    build_and_run("clang", "-static")


def test_programs_link_as_cxx():
    for compiler in ("g++", "clang++"):
        build_and_run(compiler)
        build_and_run(compiler, "-static")


def test_programs_read_profiles():
    machine.need_events()
    inside("tally", "record", "-q", "-e", "cpu-clock:u", "-o", "/packages/profiled.data", "sh", "-c", BUSY)
    for more in ([], ["-static"]):
        build("gcc", "top_functions.c", "tally-profile", *more)
        out = inside("/packages/program", "/packages/profiled.data")
        assert re.search(r"^ +\d+\.\d\d%  \S+  /\S+$", out, re.M), out


def unit_command(key):
    """Return a command line of the unit."""
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters="=")
    unit.optionxform = str
    unit.read(unit_path(installed()[0].path), encoding="utf-8")
    return shlex.split(unit["Service"][key])


def unit_state():
    """Create the directory of the unit as systemd does for a dynamic user, with a file of an earlier run. Return its
    path."""
    path = installed()[0].path + "/var/lib/private/tally"
    os.mkdir(path)
    os.chown(path, machine.NOBODY, machine.NOBODY)
    os.symlink("private/tally", installed()[0].path + STATE)
    with open(path + "/perf.data.1", "w", encoding="ascii"):
        os.utime(path + "/perf.data.1", (0, 0))
    return path


def test_unit_records_with_one_capability():
    """Run the unit's commands as an unprivileged user with CAP_PERFMON only."""
    machine.need_system_wide()
    machine.need_nobody()
    path = unit_state()
    caps = [f"--{which}=-all,+perfmon" for which in ("inh-caps", "ambient-caps", "bounding-set")]
    user = ["setpriv", "--reuid", str(machine.NOBODY), "--regid", str(machine.NOBODY), "--clear-groups", "--no-new-privs", *caps]
    inside(*user, *unit_command("ExecStartPre"))
    tap.same(os.listdir(path), [], "files of an earlier run")
    inside(*user, *unit_command("ExecStart"), "--switch-output=1s", "--switch-max-files=2", "--duration=4")
    found = sorted(os.listdir(path))
    tap.within(len(found), 1, 3, "files")
    samples = inside("tally", "script", "-F", "pid", "-i", f"{STATE}/{found[-1]}")
    tap.same(samples != "", True, "samples of the last file")


def test_purge_leaves_no_trace():
    debian, before = installed()
    debian.apt("purge", *PACKAGES)
    debian.apt("autoremove", "--purge")
    shutil.rmtree(debian.path + "/packages")
    tap.same(sorted(debian.files() ^ before), [], "files that were added or removed")


try:
    tap.main(__name__, need_build_packages, functools.partial(clones.need_clone, ROOT))
finally:
    shutil.rmtree(WORK)
