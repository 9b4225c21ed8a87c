# SPDX-License-Identifier: BSD-2-Clause
"""Compare the manual pages and completion scripts with the program: check that they contain every command and every
option, that man formats the pages without warnings, and that the shells can complete with the scripts.

usage: documents.py ROOT TALLY DIRECTORY
"""
import glob
import os
import re
import shutil
import sys
import tempfile

ROOT, TALLY, DOCS = sys.argv[1:4]
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
sys.dont_write_bytecode = True
import help_tables  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

COMMANDS = help_tables.commands(TALLY)
COMPLETE = os.path.join(ROOT, "tests", "lib", "complete.bash")


def manuals():
    found = sorted(glob.glob(DOCS + "/*.[137]"))
    if not found:
        raise tap.Skip("scdoc is not installed: there are no manual pages")
    return found


def test_every_option_is_in_the_manual():
    manuals()
    for command in COMMANDS:
        page = open(f"{DOCS}/tally-{command.name}.1", encoding="utf-8").read().replace("\\", "")
        missing = [option.label for option in command.options() if option.label not in page]
        tap.same(missing, [], f"tally-{command.name}.1 lacks options")


def man(page):
    return tap.run("man", "--warnings", "-E", "UTF-8", "-l", page, env=dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8"))


@machine.probe
def need_man():
    """Skip the test unless man can format a page. On minimal systems, man only explains how to install the real
    program."""
    if not shutil.which("man"):
        return "man is not installed"
    with tempfile.NamedTemporaryFile("w", suffix=".1") as page:
        page.write(".TH trial 1\n.SH NAME\ntrial \\- a page\n")
        page.flush()
        done = man(page.name)
    works = not done.returncode and not done.stderr and re.search(r"^NAME\n +trial - a page$", done.stdout, re.M)
    return None if works else f"man does not format pages here: {(done.stderr or done.stdout).strip()[-200:]}"


def test_manuals_are_clean():
    pages = manuals()
    need_man()
    for page in tap.some(pages, 4):
        done = man(page)
        name, section = os.path.basename(page).rsplit(".", 1)
        tap.same((done.returncode, done.stderr), (0, ""), page)
        if not re.search(rf"^{re.escape(name)}\({section}\).*^NAME\n +{re.escape(name)}(, \S+)* - \S", done.stdout, re.S | re.M):
            raise AssertionError(f"{page}: {done.stdout[:300]!r}")


def complete(*words):
    done = tap.run("bash", "--norc", COMPLETE, DOCS + "/tally", *words,
                   env=dict(os.environ, PATH=os.path.dirname(TALLY) + ":" + os.environ["PATH"]))
    tap.same((done.returncode, done.stderr), (0, ""), f"completing {words}")
    return done.stdout.split()


def test_bash_completes_commands():
    tap.same(complete("tally", ""), [command.name for command in COMMANDS] + ["--version", "--help", "--no-pager"], "commands")
    tap.same(complete("tally", "--no-pager", "rec"), ["record"], "a command behind an option")
    tap.same(complete("tally", "help", "arc"), ["archive"], "help")


def test_bash_completes_options():
    for command in COMMANDS:
        names = [name for option in command.options() for name in option.names]
        tap.same(complete("tally", command.name, "-"), names, command.name)


def test_bash_completes_values():
    tap.same(complete("tally", "record", "--call-graph", "=", "d"), ["dwarf"], "--call-graph=d")
    tap.same(complete("tally", "record", "--call-graph", "="), ["fp", "dwarf", "auto", "lbr"], "--call-graph=")
    tap.same(complete("tally", "record", "--via", "k"), ["kernel"], "--via k")
    tap.same(complete("tally", "record", "--switch-output", "s"), [], "a value that has to follow =")
    tap.same(complete("tally", "record", "--switch-output", "=", "s"), ["signal", "size"], "--switch-output=s")
    tap.same(str(os.getpid()) in complete("tally", "stat", "-p", ""), True, "this process")
    tap.same(complete("tally", "report", "-i", ROOT + "/LICEN"), [ROOT + "/LICENSE"], "a file")


def test_bash_completes_events():
    tap.same(complete("tally", "stat", "-e", "{task-clock,context-sw"), ["{task-clock,context-switches"], "an event of a list")


def shell(name):
    if not shutil.which(name):
        raise tap.Skip(f"{name} is not installed")
    reason = machine.why_not([name, "-c", "true"])
    if reason:
        raise tap.Skip(f"{name} does not start here: {reason}")
    return name


def test_zsh_reads_its_file():
    done = tap.run(shell("zsh"), "-n", DOCS + "/_tally")
    tap.same((done.returncode, done.stderr), (0, ""), "zsh -n")


def test_fish_completes():
    done = tap.run(shell("fish"), "-c", f"source {DOCS}/tally.fish; complete -C 'tally record --call-gr'; complete -C 'tally repo'")
    tap.same(re.findall(r"^\S+", done.stdout, re.M), ["--call-graph", "--call-graph-default", "report"], "fish")
    done = tap.run(shell("fish"), "-c", f"source {DOCS}/tally.fish; complete -C 'tally report --'")
    want = {name for command in COMMANDS if command.name == "report" for option in command.options() for name in option.names}
    got = set(re.findall(r"^(--[^\s=]+)", done.stdout, re.M))
    tap.same(sorted({name for name in want if name.startswith("--")} - got), [], "options of report")


tap.main(__name__)
