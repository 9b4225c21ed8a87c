#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Configuration files: how they are read, what tally config shows, and that settings become options.

usage: configuration.py TALLY
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
WORK = tap.workplace("configuration")
PERFS, OWN, DATA = (os.path.join(WORK, name) for name in ("perfconfig", "config", "perf.data"))
CONFIGURED = {**os.environ, "PERF_CONFIG": PERFS, "TALLY_CONFIG": OWN}


def write(path, text):
    with open(path, "wb") as file:
        file.write(text.encode())


def tally(*words, perfs="", own="", status=0, **options):
    write(PERFS, perfs)
    write(OWN, own)
    done = tap.run(TALLY, *words, env={**CONFIGURED, **options})
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def recording():
    parts = [crafted.comm(1, "a"), crafted.comm(2, "b"), crafted.mmap(1, 0x1000, 0x1000, "/nowhere/x")]
    for pid, nr in ((1, 19), (2, 1)):
        parts += [crafted.sample(0x1010, pid=pid, time=number + 1) for number in range(nr)]
    with open(DATA, "wb") as file:
        file.write(crafted.file_bytes(parts))
    return DATA


def rows(*words, **files):
    done = tally("report", "--stdio", "-q", "-i", recording(), *words, **files)
    return [line.split() for line in done.stdout.splitlines() if line.strip()]


def test_form_of_the_files():
    text = ('# comment\n[Report]\n\tpercent-limit = 5   # five\n; another\nflag\n quoted = "a # b"  ; rest\n empty =\n'
            '[a "sub"] \n x=y\\"z\n')
    tap.same(tally("config", perfs=text).stdout.splitlines(),
             ["report.percent-limit=5", "report.flag=true", "report.quoted=a # b", "report.empty=", 'a.sub.x=y"z'], "settings")
    tap.same(tally("config", "-l", "report.flag", perfs=text).stdout, "report.flag=true\n", "one setting")


def test_wrong_lines_are_reported_and_left_out():
    text = 'early = 1\n[report]\n?? = 2\nname value\nopen = "x\n[broken\nlost = 3\n[report]\nchildren = false\n'
    done = tally("config", perfs=text)
    tap.same(done.stdout, "report.children=false\n", "settings")
    for line in (1, 3, 4, 5, 6, 7):
        assert f"{PERFS}, line {line}: " in done.stderr, (line, done.stderr)
    done = tally("report", "-i", recording(), "--stdio", perfs="[report]\nchildren = perhaps\n")
    assert f"{PERFS}, line 2: report.children = perhaps: must be true or false" in done.stderr, done.stderr


def test_control_characters_are_escaped():
    done = tally("config", perfs="[x]\na = \x1b[31m\n")
    tap.same(done.stdout, "x.a=\\x1b[31m\n", "setting")


def test_perfs_settings_become_options():
    tap.same([row[0] for row in rows("-s", "comm")], ["95.00%", "5.00%"], "without settings")
    tap.same([row[0] for row in rows("-s", "comm", perfs="[report]\npercent-limit = 6\n")], ["95.00%"], "limit")
    tap.same(rows(perfs="[report]\nsort_order = comm\n"), [["95.00%", "a"], ["5.00%", "b"]], "sort_order")
    tap.same(rows("-s", "dso", perfs="[report]\nsort_order = comm\n")[0][1], "x", "the command line overrides")


def test_own_settings_override_perfs():
    tap.same([row[0] for row in rows("-s", "comm", perfs="[report]\npercent-limit = 6\n", own="[report]\npercent-limit = 1\n")],
             ["95.00%", "5.00%"], "limit")
    tap.same(rows(own="[report]\nsort = comm\nshow-nr-samples = true\n")[0], ["95.00%", "19", "a"], "options")
    done = tally("report", "-i", recording(), "--stdio", own="[report]\nbogus = 1\n")
    assert f"{OWN}, line 2: report.bogus = 1: the command has no such option" in done.stderr, done.stderr


def test_method_of_callchains():
    machine.need_events()
    words = ["record", "-q", "-e", "cpu-clock:u", "--keep-stacks", "-o", DATA]
    settings = "[call-graph]\nrecord-mode = dwarf\ndump-size = 4096\n"
    for more, wanted in ((["-g"], True), ([], False), (["--call-graph", "fp"], False)):
        tally(*words, *more, "true", perfs=settings)
        shown = tap.run(TALLY, "evlist", "-v", "-i", DATA).stdout
        tap.same("sample_stack_user: 4096" in shown, wanted, f"{more}: {shown}")
    done = tap.run(TALLY, *words, "-g", "true", env={**CONFIGURED, "PERF_CONFIG": "/nowhere/x"})
    assert done.returncode == 0, done.stderr


def test_effects_are_shown():
    text = tally("config", "-v", perfs="[report]\npercent-limit = 1\nqueue-size = 2\n", own="[stat]\nrepeat = 3\n").stdout
    assert "line 2; --percent-limit)" in text and "line 3; no effect in tally)" in text and "line 2; --repeat)" in text, text


def changed(before, *words, status=0):
    done = tally("config", *words, perfs=before, status=status)
    with open(PERFS, encoding="utf-8") as file:
        return file.read(), done.stderr


def test_settings_are_changed_where_they_are():
    before = "# mine\n[Report]\n\tpercent-limit = 1 # low\n\n\tchildren = true\n[top]\n\tchildren = no"
    tap.same(changed(before, "report.percent-limit=2")[0], before.replace("1 # low", "2") + "\n", "replaced")
    tap.same(changed(before, "report.sort_order=comm")[0], before.replace("true\n", "true\n\tsort_order = comm\n") + "\n", "added")
    tap.same(changed(before, "record.call-graph=fp")[0], before + "\n[record]\n\tcall-graph = fp\n", "a new section")
    tap.same(changed("", "top.children=no", "report.children=no", "top.children=yes")[0],
             "[top]\n\tchildren = yes\n[report]\n\tchildren = no\n", "several")
    tap.same(changed("[a]\nb = 1\n[a]\nb = 2\n", "a.b=3")[0], "[a]\nb = 1\n[a]\n\tb = 3\n", "the last one")
    for value in ("a # b", ' x"y\\ ', ";", "a=b"):
        changed("", "call-graph.dump-size=" + value)
        shown = tap.run(TALLY, "config", "call-graph.dump-size", env=CONFIGURED, status=0).stdout
        tap.same(shown, f"call-graph.dump-size={value}\n", "read back")
    tap.same(changed("[a]\nb = 1", "a.b.c=3")[0], "[a]\nb = 1\n[a.b]\n\tc = 3\n", "a section with a dot")
    text, said = changed("", "report.queue-size=2")
    assert "has no effect in tally" in said and "queue-size = 2" in text, (text, said)


def test_wrong_changes_change_nothing():
    before = "[report]\nx = 1\n"
    for words, text in ((["x=1"], "SECTION.NAME=VALUE"), (["a.b="], "there is no value"), (["a.b=1\n2"], "a single line"),
                        (["a.b=1", "[x].y=2"], "SECTION.NAME=VALUE"), ([".b=1"], "SECTION.NAME=VALUE"), (["a.=1"], "SECTION.NAME=VALUE")):
        after, said = changed(before, *words, status=1)
        assert after == before and text in said, (words, after, said)
    assert "shown and changed at once" in changed(before, "report.x", "report.x=2", status=129)[1]
    assert "cannot be used together" in changed(before, "--system", "--user", status=129)[1]
    done = tally("config", "no.such", status=1)
    assert "no setting 'no.such'" in done.stderr, done.stderr


def test_files_can_be_chosen():
    text = tally("config", "--user", perfs="[report]\nx = 1\n", own="[stat]\ny = 2\n").stdout
    tap.same(text, "report.x=1\n", "the user's")
    os.unlink(PERFS)
    done = tap.run(TALLY, "config", "--user", "report.children=false", env=CONFIGURED)
    with open(PERFS, encoding="ascii") as file:
        assert done.returncode == 0 and file.read() == "[report]\n\tchildren = false\n", done.stderr


def test_files_of_other_users_are_ignored():
    machine.need_root()
    machine.need_nobody()
    write(PERFS, "[report]\nx = 1\n")
    os.chown(PERFS, machine.NOBODY, machine.NOBODY)
    try:
        done = tap.run(TALLY, "config", env={**CONFIGURED, "TALLY_CONFIG": "/dev/null"})
        assert not done.stdout and "belongs to another user" in done.stderr, done.stderr
    finally:
        os.chown(PERFS, 0, 0)


def test_features_for_scripts():
    tap.same(tally("check", "feature", "zstd,libtraceevent").stdout.count("[ on  ]"), 2, "features")
    assert not tally("check", "-q", "feature", "ZSTD").stdout
    assert "[ OFF ]" in tally("check", "feature", "auxtrace", status=1).stdout
    for words in (["feature", "nonsense"], ["feature"], ["zstd"], []):
        assert tally("check", *words, status=129).stderr, words


tap.main(__name__)
