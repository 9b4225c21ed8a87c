#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Plant the bugs in bugs.py one after the other, and check whether the quick tests find them.

usage: plant.py [--list] [--keep] [--jobs N] [NAME...]

NAME is the directory of a bug without "src/", as in "symbols" or "cli/record"; without names, all bugs are planted.

The tests run in a copy of HEAD, which is built as scripts/check.sh builds the quick tier. Without a bug, no test may
fail twice; a test that fails once is not used. A bug counts as found if a test fails with the bug, and fails again when
repeated. The tests in the bug's directory run first. The fixtures in ../shared are not used.

Progress is printed to standard error, and the table to standard output. The exit status is 0 if all bugs were found, 1
if not, and 2 if the trial could not be run.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bugs import BUGS  # noqa: E402

ROOT = os.path.abspath(__file__).rpartition("/tests/")[0]
REPEAT = re.compile(r"^repeat it: .*meson test -C .* -v (\S+)$", re.M)


class Result(NamedTuple):
    name: str
    failed: bool        # according to scripts/count_tests.py
    fails_meson: bool   # according to meson


def say(*lines):
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def give_up(*lines):
    say("plant.py:", *lines)
    raise SystemExit(2)


# ---- copy ----------------------------------------------------------------------------------------------------------


def options_of_quick(tree):
    """Return the build options that scripts/check.sh uses for the quick tier."""
    words = subprocess.run(["sh", "-c", ". ./lib.sh; echo $quick_options"], cwd=os.path.join(tree, "scripts"), check=True,
                           capture_output=True, text=True).stdout.split()
    if not words:
        give_up("scripts/lib.sh says no quick_options")
    return words


def copy_head(tree):
    os.mkdir(tree)
    subprocess.run(["git", "-C", ROOT, "archive", "--output", tree + ".tar", "HEAD"], check=True)
    subprocess.run(["tar", "-xf", tree + ".tar", "-C", tree], check=True)
    os.remove(tree + ".tar")


def leaks_are_refused(directory):
    """Return true if LeakSanitizer does not work. It stops threads with ptrace, which some machines do not permit."""
    probe = os.path.join(directory, "leak-probe")
    compiler = ["cc", "-fsanitize=address", "-x", "c", "-o", probe, "-"]

    def runs(leaks):
        environment = {**os.environ, "ASAN_OPTIONS": f"detect_leaks={leaks}"}
        return not subprocess.run([probe], env=environment, capture_output=True, check=False).returncode

    built = subprocess.run(compiler, input=b"int main(void) { return 0; }", capture_output=True, check=False)
    return not built.returncode and runs(0) and not runs(1)


def environment_of(directory, tree):
    leaks = 0 if leaks_are_refused(directory) else 1
    return {**os.environ, "CCACHE_BASEDIR": tree, "CCACHE_NOHASHDIR": "1",
            "ASAN_OPTIONS": f"detect_leaks={leaks}",
            "TALLY_STRESS_SECONDS": os.environ.get("TALLY_STRESS_SECONDS", "60")}


class Build:
    """A copy of HEAD and its build directory."""

    def __init__(self, directory, jobs):
        self.tree, self.build = os.path.join(directory, "tree"), os.path.join(directory, "build")
        self.log, self.jobs = os.path.join(directory, "log"), jobs
        copy_head(self.tree)
        self.environment = environment_of(directory, self.tree)

    def run(self, *command):
        with open(self.log, "wb") as log:
            return subprocess.run(command, stdout=log, stderr=log, env=self.environment, check=False).returncode

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()[-20:]

    def setup(self):
        if self.run("meson", "setup", self.build, self.tree, *options_of_quick(self.tree)) or not self.make():
            give_up("the copy cannot be built", *self.tail())

    def make(self):
        return not self.run("ninja", "-C", self.build, "-j", str(self.jobs))

    def names(self):
        with open(os.path.join(self.build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
            return [test["name"] for test in json.load(file)]

    def failing(self):
        """Return the names of failed tests printed by scripts/count_tests.py, including tests that did not run."""
        counter = [sys.executable, os.path.join(self.tree, "scripts", "count_tests.py"), self.build]
        output = subprocess.run(counter, capture_output=True, text=True, check=True).stdout
        names = set(REPEAT.findall(output))
        if not names and output.split()[-2] != "0":
            give_up("scripts/count_tests.py does not say how to repeat tests that fail", *output.splitlines()[-20:])
        return names

    def test(self, names, limit):
        """Run tests. With a limit, stop after this many tests that meson reports as failed. Results are in order of
        completion."""
        path = os.path.join(self.build, "meson-logs", "testlog.json")
        if os.path.exists(path):
            os.remove(path)
        options = ["--no-rebuild", f"--num-processes={self.jobs}", f"--maxfail={limit}"]
        self.run("meson", "test", "-C", self.build, *options, *names)
        if not os.path.exists(path):
            give_up("meson ran no tests", *self.tail())
        failing = self.failing()
        with open(path, encoding="utf-8") as file:
            tests = [test for test in map(json.loads, file) if test["result"] != "INTERRUPT"]
        if not tests:
            give_up("meson ended no test", *self.tail())
        return [Result(test["name"], test["name"] in failing, test["result"] not in ("OK", "SKIP")) for test in tests]

    def fails_again(self, name):
        return self.test([name], 0)[0].failed

    def first_failure(self, names, limit):
        """Return the first test that fails twice, or None."""
        while names:
            results = self.test(names, limit)
            for result in results:
                if result.failed and self.fails_again(result.name):
                    return result.name
            ended = {result.name for result in results}
            names = [name for name in names if name not in ended]
        return None


# ---- trial ---------------------------------------------------------------------------------------------------------


class Trial:
    def __init__(self, build):
        self.build = build
        results = build.test(build.names(), 0)
        failed = [result.name for result in results if result.failed]
        broken = [name for name in failed if build.fails_again(name)]
        if broken:
            give_up("these tests fail without a bug:", *broken)
        for name in failed:
            say(f"not used, as it failed once without a bug: {name}")
        self.names = [result.name for result in results if not result.failed]
        # meson reports tests with skipped cmocka points as failed, so these tests run without stopping at the first
        # failure.
        self.misjudged = {result.name for result in results if result.fails_meson}

    def groups(self, bug):
        """Yield groups of tests, those in the directories nearest to the bug first."""
        parts = [part for part in bug.name.split("/") if part != "hosts"]
        rest = self.names
        for prefix in ("/".join(parts) + "/" * (len(parts) == 1), parts[0] + "/", ""):
            yield [name for name in rest if name.startswith(prefix)]
            rest = [name for name in rest if not name.startswith(prefix)]

    def find(self, bug):
        """Return the test that finds the planted bug, or None."""
        for group in self.groups(bug):
            judged = [name for name in group if name not in self.misjudged]
            others = [name for name in group if name in self.misjudged]
            found = self.build.first_failure(judged, 1) or self.build.first_failure(others, 0)
            if found:
                return found
        return None

    def plant(self, bug):
        """Plant a bug. Return (whether the bug was found, short explanation)."""
        path = os.path.join(self.build.tree, bug.path)
        text = read(path)
        write(path, text.replace(bug.now, bug.becomes))
        try:
            if not self.build.make():
                say(*self.build.tail())
                return False, "DOES NOT BUILD"
            test = self.find(bug)
            return bool(test), f"found by {test}" if test else "NOT FOUND"
        finally:
            write(path, text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_table(tree, bugs):
    wrong = [f"{bug.path} has this {count} times, not once: {bug.now}" for bug in bugs
             if (count := read(os.path.join(tree, bug.path)).count(bug.now)) != 1]
    if len({bug.name for bug in BUGS}) != len(BUGS):
        wrong.append("two bugs are in the same directory")
    if wrong:
        give_up(*wrong)


def run_trial(build, bugs):
    """Return rows of (bug, whether the bug was found, short explanation)."""
    check_table(build.tree, bugs)
    say("building")
    build.setup()
    say("testing without a bug")
    trial, rows = Trial(build), []
    for number, bug in enumerate(bugs, 1):
        say(f"{number}/{len(bugs)} {bug.name}: {bug.wrong}")
        start = time.monotonic()
        rows.append((bug, *trial.plant(bug)))
        say(f"    {rows[-1][2]}, {time.monotonic() - start:.0f} s")
    return rows


# ---- command -------------------------------------------------------------------------------------------------------


def list_bugs(bugs):
    for bug in bugs:
        print(f"{bug.name}: {bug.wrong}", f"    {bug.path}", f"    - {bug.now}", f"    + {bug.becomes}", sep="\n")
    print(len(bugs), "bugs")


def print_rows(rows):
    width = max(len(bug.name) for bug, _, _ in rows)
    words = max(len(verdict) for _, _, verdict in rows)
    for bug, _, verdict in rows:
        print(f"{bug.name:{width}}  {verdict:{words}}  {bug.wrong}")
    print(f"found {sum(is_found for _, is_found, _ in rows)} of {len(rows)}")


def parse_arguments():
    parser = argparse.ArgumentParser(description="Plant bugs and see whether the quick tests find them.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="plant only these bugs: symbols, cli/record")
    parser.add_argument("--list", action="store_true", help="list the bugs and check the table, then exit")
    parser.add_argument("--keep", action="store_true", help="keep the temporary directory")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(), help="run N tests at a time")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {bug.name for bug in BUGS}
    if unknown:
        parser.error(f"no such bug: {', '.join(sorted(unknown))}")
    return arguments


def main():
    arguments = parse_arguments()
    bugs = [bug for bug in BUGS if not arguments.names or bug.name in arguments.names]
    if arguments.list:
        check_table(ROOT, bugs)
        list_bugs(bugs)
        return 0
    directory = tempfile.mkdtemp(prefix="tally-planted-")
    os.chmod(directory, 0o755)  # some tests run programs as another user
    try:
        rows = run_trial(Build(directory, arguments.jobs), bugs)
    finally:
        if arguments.keep:
            say(f"kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    print_rows(rows)
    return 0 if all(is_found for _, is_found, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
