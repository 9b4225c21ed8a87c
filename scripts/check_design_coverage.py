#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check tests/seeds/design-coverage.md, which lists the tests for each statement in the design document.

Each test named in a row must exist. If the document is available, every line in it must be covered by a row, each row
must quote the lines that it covers, and each sentence must begin with the quotation in a row.

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
    """Return the error in an entry "none: REASON", "differential: CASE" or "DIRECTORY/FILE: FUNCTION", or None if the
    entry is correct."""
    where, _, name = test.partition(": ")
    if where == "none":
        return None if name else "the reason is missing"
    if where == "differential":
        return None if name in cases else f"there is no differential case '{name}'"
    directory, _, file = where.partition("/")
    path = f"{root}/tests/{directory}/test_{file}.c"
    if not os.path.exists(path):
        return f"{path} does not exist"
    defined = re.search(rf"^static void {re.escape(name)}\(", open(path, encoding="utf-8").read(), re.M)
    return None if defined else f"{path} has no test {name}"


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def document_complaints(lines, rows):
    covered = {number for first, last, _, _ in rows for number in range(first, last + 1)}
    for number, line in enumerate(lines, 1):
        if line.strip() and number not in covered:
            yield f"line {number} of the document is not in any row: {line}"
    for first, last, begins, _ in rows:
        if plain(begins) not in plain("\n".join(lines[first - 1:last])):
            yield f"row {first}-{last}: the lines of the document do not contain: {begins}"
    begins = [plain(row[2]) for row in rows]
    for sentence in SENTENCE.split("\n".join(lines)):
        words = plain(sentence)
        example = " * " in words or re.match(r"[^ ]*[{}*#]", words)
        if words and not example and not any(words.startswith(begin) for begin in begins):
            yield f"no row begins with the sentence: {words[:70]}"


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
    print("\n".join(wrong) or f"{len(rows)} rows with {nr} tests; {untested} rows have no behaviour to test" +
          ("" if seen else "; not compared with the document, which is not available"))
    sys.exit(bool(wrong) or not rows)


main()
