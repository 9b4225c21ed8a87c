#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/seeds/design-coverage.md against the tests and, where it is at hand, the design document: each test that a
row names exists, each row begins with words of its lines, each line of the document is in a row, and each
sentence begins one.

usage: check_design_coverage.py ROOT
"""
import glob
import os
import re
import sys

ROW = re.compile(r"^\| (\d+)(?:-(\d+))? \| (.+?) \| (.+) \|$")
CASE = re.compile(r"^([a-z]+/.*?): ")
SENTENCE = re.compile(r"(?<=[a-z)][.:])\s+(?=['\"(A-Z])")


def rows_of(text):
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            first, last, begins, tests = match.groups()
            yield int(first), int(last or first), begins, [test.strip() for test in tests.split(";")]


def cases_of(root):
    names = set()
    for path in glob.glob(f"{root}/tests/differential/cases/*.txt"):
        names |= {match.group(1) for match in map(CASE.match, open(path, encoding="utf-8")) if match}
    return names


def missing_test(root, cases, test):
    """Why `test` names none: "none: reason", "differential: case", or "room/name: function"."""
    where, _, name = test.partition(": ")
    if where == "none":
        return None if name else "no reason is given"
    if where == "differential":
        return None if name in cases else f"no case {name}"
    room, _, file = where.partition("/")
    path = f"{root}/tests/{room}/test_{file}.c"
    if not os.path.exists(path):
        return f"no file {path}"
    defined = re.search(rf"^static void {re.escape(name)}\(", open(path, encoding="utf-8").read(), re.M)
    return None if defined else f"no test {name} in {path}"


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def document_complaints(lines, rows):
    covered = {number for first, last, _, _ in rows for number in range(first, last + 1)}
    for number, line in enumerate(lines, 1):
        if line.strip() and number not in covered:
            yield f"line {number} is in no row: {line}"
    for first, last, begins, _ in rows:
        if plain(begins) not in plain("\n".join(lines[first - 1:last])):
            yield f"row {first}-{last}: its lines do not have: {begins}"
    begins = [plain(row[2]) for row in rows]
    for sentence in SENTENCE.split("\n".join(lines)):
        words = plain(sentence)
        example = " * " in words or re.match(r"[^ ]*[{}*#]", words)
        if words and not example and not any(words.startswith(begin) for begin in begins):
            yield f"no row begins with: {words[:70]}"


def main():
    root = sys.argv[1]
    rows = list(rows_of(open(f"{root}/tests/seeds/design-coverage.md", encoding="utf-8").read()))
    cases = cases_of(root)
    wrong = [f"row {first}: {why}" for first, _, _, tests in rows for test in tests
             if (why := missing_test(root, cases, test))]
    document = f"{root}/../shared/seeds/design.txt"
    seen = os.path.exists(document)
    if seen:
        wrong += document_complaints(open(document, encoding="utf-8").read().splitlines(), rows)
    nr = sum(len(tests) for _, _, _, tests in rows)
    untested = sum(tests[0].startswith("none") for _, _, _, tests in rows)
    print("\n".join(wrong) or f"{len(rows)} rows, {untested} of them without a behaviour to test, name {nr} tests" +
          ("" if seen else "; the document itself is not here"))
    sys.exit(bool(wrong) or not rows)


main()
