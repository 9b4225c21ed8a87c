# SPDX-License-Identifier: BSD-2-Clause
"""Test check_english.py on small source trees.

usage: english.py SCRIPTS
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, sys.argv[1])

import check_english  # noqa: E402
import tap  # noqa: E402

BAD_COMMENT = "/* The task behind the event. */\n"
GOOD_COMMENT = "/* The task after the event. */\n"


def run(files, *options):
    """Return the output and the exit status for a tree with `files`."""
    with tempfile.TemporaryDirectory(prefix="tally-english-") as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = tap.run(sys.executable, os.path.join(sys.argv[1], "check_english.py"), *options, root)
        allowed = os.path.join(root, check_english.ALLOWED)
        if "--update" in options:
            with open(allowed, encoding="utf-8") as file:
                return file.read(), done.returncode
        return done.stdout, done.returncode


def accepts(files):
    out, status = run(files)
    tap.same(status, 0, f"exit status: {out}")


def rejects(files, message):
    out, status = run(files)
    tap.same(status, 1, f"exit status: {out}")
    assert message in out, f"{out!r} does not contain {message!r}"


def test_accepts_plain_comments():
    accepts({"src/core/a.c": GOOD_COMMENT})


def test_reports_line_word_and_advice():
    rejects({"src/core/a.c": "int a;\n" + BAD_COMMENT}, "src/core/a.c:2: 'behind': after, following")


def test_finds_each_marker():
    samples = ["The one who asks.", "What is waited for.", "The call behind it.", "The one beside it.", "Grown anew.",
               "All but for one.", "A pointer that is none.", "The word that stands there.", "Read by itself.",
               "The file says so.", "The end of what is left.", "It comes late.", "A twin."]
    tap.same(len(samples), len(check_english.MARKERS), "samples")
    for sample, (pattern, advice) in zip(samples, check_english.MARKERS):
        assert pattern.search(sample), f"{pattern.pattern} does not find {sample!r}"
        rejects({"src/core/a.c": f"/* {sample} */\n"}, advice)


def test_accepts_questions_that_are_not_comments():
    accepts({"docs/a.md": "# What it does\n\nText.\n", "src/core/a.c": "/* How many there may be. */\n"})


def test_checks_comments_of_several_lines():
    rejects({"src/core/a.c": "/*\n * The first line of it, and\n * nobody knows.\n */\n"}, "'nobody'")


def test_checks_messages_of_the_source_but_not_of_tests():
    rejects({"src/cli/a/a.c": 'f("nothing is " "behind it\\n");\n'}, "'behind'")
    accepts({"tests/a.c": 'f("nothing is behind it");\n'})
    accepts({"src/cli/a/a.c": 'f("behind");\n'})


def test_ignores_comment_signs_in_strings():
    accepts({"tests/a.c": 'f("/* behind it all */");\n'})


def test_checks_python_and_shell():
    rejects({"tests/a.py": '"""The file tells it."""\n'}, "tests/a.py:1: 'tells'")
    rejects({"tests/a.py": "a = 1  # behind it\n"}, "tests/a.py:1: 'behind'")
    accepts({"tests/a.py": 'A = "behind it"\n'})
    rejects({"scripts/a.sh": "#!/bin/sh\n# first\n# behind\n"}, "scripts/a.sh:2: 'behind'")
    rejects({"src/meson.build": "# behind\n"}, "src/meson.build:1: 'behind'")


def test_checks_markdown_without_its_code():
    rejects({"docs/a.md": "First\nline.\n\n- an item that\n  goes on behind it\n"}, "docs/a.md:4: 'behind'")
    accepts({"docs/a.md": "Text `behind`, [link](behind.md).\n\n```\nbehind\n```\n\n    behind\n"})


def test_ignores_fixtures_and_builds():
    for path in ("tests/fixtures/a.c", "build-check/a.c", "fuzz/corpus/a.c"):
        accepts({path: BAD_COMMENT, "src/a.c": GOOD_COMMENT})


def test_an_allowance_permits_old_texts_and_no_new_one():
    allowed = {check_english.ALLOWED: "# comment\n1 src/a.c\n"}
    accepts({"src/a.c": BAD_COMMENT, **allowed})
    rejects({"src/a.c": 2 * BAD_COMMENT, **allowed}, "src/a.c: 2 texts with marker words, 1 allowed")


def test_an_allowance_must_shrink():
    allowed = {check_english.ALLOWED: "2 src/a.c\n1 src/gone.c\n"}
    rejects({"src/a.c": BAD_COMMENT, **allowed}, "src/a.c: 1 texts with marker words, 2 allowed: run")
    rejects({"src/a.c": 2 * BAD_COMMENT, **allowed}, "src/gone.c: 0 texts with marker words, 1 allowed: run")


def test_update_lowers_and_never_raises():
    allowed = {check_english.ALLOWED: "2 src/a.c\n1 src/b.c\n1 src/gone.c\n"}
    text, status = run({"src/a.c": BAD_COMMENT, "src/b.c": 3 * BAD_COMMENT, "src/c.c": BAD_COMMENT, **allowed}, "--update")
    tap.same(status, 0, "exit status")
    tap.same(text.split("\n")[1:], ["1 src/a.c", "1 src/b.c", ""], "allowances")


def test_count_prints_a_share_for_each_directory():
    out, _ = run({"src/core/a.c": BAD_COMMENT + 3 * GOOD_COMMENT, "docs/a.md": "Text.\n"}, "--count")
    for row in ("src/core 4 texts 25.0 %", "docs 1 texts 0.0 %", "all 5 texts 20.0 %", "all: comments 4 texts 25.0 %"):
        assert row in [" ".join(line.split()) for line in out.split("\n")], f"{row} is not in {out}"


def test_list_prints_the_texts_of_a_directory():
    files = {"src/core/a.c": BAD_COMMENT, "src/abi/a.c": BAD_COMMENT}
    out, _ = run(files, "--list", "src/core")
    assert "src/core/a.c:1: 'behind'" in out and "src/abi" not in out, out


def test_an_empty_tree_is_an_error():
    tap.same(run({})[1], 1, "exit status")


tap.main(__name__)
