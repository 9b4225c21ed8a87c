#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that every option and command that the installed perf prints with -h exists in tally, or is in the table with
the reason why it has no effect or with its replacement (src/cli/main/perf_options.c).

usage: perf_options.py TALLY
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
PERF = shutil.which("perf")
COMMANDS = ["stat", "record", "report", "script", "top", "list", "evlist", "buildid-list", "ftrace", "annotate", "diff", "data", "buildid-cache", "inject"]
# A line of a help text: an option's letter, long name or both, and whether the option takes an argument ("[=" if the
# argument is optional).
OPTION = re.compile(r"^ {4}(?:-(?P<letter>\w)|   )(?:,? +)?(?:--(?P<name>[\w-]+))?(?P<arg>\[=|=| <|)")
TAKEN, REFUSED = "perf options that have no effect in tally, and why", "perf options that tally does not support"


def options(text):
    """Return (letter, name, argument) for each line of a help text that describes an option."""
    found = [OPTION.match(line) for line in text.splitlines()]
    return [one.group("letter", "name", "arg") for one in found if one and (one["letter"] or one["name"])]


def perf_help(*words):
    machine.need_perf()
    run = tap.run(PERF, *words, "-h")
    return run.stdout + run.stderr


def rows(command, heading):
    """Return the rows of the table below a heading, up to the next heading."""
    text = tap.run(TALLY, "help", command).stdout
    if heading not in text:
        return []
    return options(re.split(r"^ \S", text.split(heading)[1], maxsplit=1, flags=re.M)[0])


def written(row):
    return f"--{row[1]}" if row[1] else f"-{row[0]}"


def names(options_):
    known = {name for _, name, _ in options_ if name}
    return known | {name[3:] for name in known if name.startswith("no-")} | {f"no-{name}" for name in known}


def add_test(command):
    def test():
        theirs = options(perf_help(command))
        ours = options(tap.run(TALLY, "help", command).stdout)
        assert theirs, f"perf {command} -h was not understood"
        letters, long = {letter for letter, _, _ in ours if letter}, names(ours)
        missing = [row for row in theirs if (row[0] and row[0] not in letters) or (row[1] and row[1] not in long)]
        tap.same([written(row) for row in missing], [], f"options of perf {command} in no table")

    globals()["test_every_option_of_" + command.replace("-", "_")] = test


for _command in COMMANDS:
    add_test(_command)


def test_refused_options_say_what_to_use():
    seen = 0
    for command in COMMANDS:
        for row in rows(command, REFUSED):
            words = [written(row) + ("=x" if row[1] and row[2] == "=" else "")]
            if row[0]:
                words.append(f"-{row[0]}")
            for word in words:
                run = tap.run(TALLY, command, word)
                what = f"{command} {word}: {run.stderr}"
                assert run.returncode == 129 and f"{word.split('=')[0]}' is not supported" in run.stderr, what
                assert re.search(r"hint: \S", run.stderr) and "unknown option" not in run.stderr, what
                seen += 1
    assert seen > 50, seen


def test_taken_options_say_why():
    """Check that options without an effect are parsed with their argument. The next word therefore belongs to the
    command: a file that does not exist."""
    seen = 0
    for command in set(COMMANDS) - {"top", "record", "stat", "list", "ftrace"}:
        for row in rows(command, TAKEN):
            path = {"diff": ["/nowhere/perf.data"], "data": ["convert", "--to-json", "-", "-i", "/nowhere/perf.data"],
                    "buildid-cache": ["-M", "/nowhere/perf.data"]}.get(
                command, ["-i", "/nowhere/perf.data"])
            run = tap.run(TALLY, command, written(row), *(["x"] if row[2] == "=" else []), *path)
            what = f"{command} {written(row)}: {run.stderr}"
            assert f"'{written(row)}' has no effect here: " in run.stderr, what
            assert "/nowhere/perf.data" in run.stderr and run.returncode == 1, what
            seen += 1
    assert seen > 15, seen


def test_taken_options_of_record_leave_it_as_it_is():
    taken = rows("record", TAKEN)
    assert len(taken) > 2, taken
    for row in taken:
        run = tap.run(TALLY, "record", written(row), *(["x"] if row[2] == "=" else []), "--dry-run", "-e", "cpu-clock", "true")
        assert run.returncode == 0 and "has no effect here" in run.stderr, f"{written(row)}: {run.stderr}"


def test_handles_misspelled_and_abbreviated_options():
    run = tap.run(TALLY, "report", "--hirarchy")
    assert "did you mean '--hierarchy'?" in run.stderr, run.stderr
    run = tap.run(TALLY, "report", "--exclude-oth")
    assert "is not supported" in run.stderr, run.stderr
    run = tap.run(TALLY, "script", "--no-list-dlfilters", "-i", "/nowhere/perf.data")
    assert "not supported" not in run.stderr and "/nowhere/perf.data" in run.stderr, run.stderr
    run = tap.run(TALLY, "report", "--objdump")
    assert run.returncode == 129 and "requires an argument" in run.stderr, run.stderr
    run = tap.run(TALLY, "report", "--modules=x")
    assert run.returncode == 129 and "does not take an argument" in run.stderr, run.stderr


def shortest(name, all_names):
    """Return the shortest abbreviation of at least two letters that is unique, or None."""
    for length in range(2, len(name)):
        if sum(other.startswith(name[:length]) for other in all_names) == 1:
            return name[:length]
    return None


def test_abbreviations_of_perf_are_known():
    seen = 0
    for command in COMMANDS:
        long = {name for _, name, _ in options(perf_help(command)) if name}
        for short in filter(None, (shortest(name, long) for name in sorted(long))):
            error = tap.run(TALLY, command, f"--{short}=x", "--help").stderr
            assert "ambiguous option" not in error and "unknown option" not in error, f"{command} --{short}: {error}"
            seen += 1
    assert seen > 300, seen


def test_options_without_a_reset_can_be_negated():
    for words in (["--no-count"], ["--no-clockid"], ["--no-switch-output"], ["--no-event"], ["--no-exclude-perf"]):
        run = tap.run(TALLY, "record", *words, "--help")
        assert run.returncode == 0 and not run.stderr, (words, run.stderr)
    run = tap.run(TALLY, "record", "-c", "5", "--no-count", "true")
    assert run.returncode == 129 and "'--no-count' cannot undo the earlier '--count'" in run.stderr, run.stderr


def test_newer_options_do_not_change_abbreviations():
    for command, short in (("record", "call-gr"), ("stat", "per-c"), ("top", "symb")):
        error = tap.run(TALLY, command, f"--{short}=x", "--help").stderr
        assert "ambiguous" not in error and "unknown" not in error, f"{command} --{short}: {error}"
    assert "ambiguous" in tap.run(TALLY, "record", "--no-bui").stderr, "still ambiguous"
    error = tap.run(TALLY, "record", "--off").stderr
    assert "'--off' is not supported" in error, error


def test_every_command():
    theirs = re.findall(r"^   ([\w-]+) {2,}\S", perf_help(), re.M)
    ours = re.findall(r"^   ([\w-]+) ", tap.run(TALLY, "help").stdout, re.M)
    assert len(theirs) > 20, theirs
    for command in set(theirs) - set(ours):
        run = tap.run(TALLY, command)
        assert run.returncode == 1 and f"perf's command '{command}' is not" in run.stderr, f"{command}: {run.stderr}"


tap.main(__name__)
