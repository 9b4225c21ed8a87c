#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds what the documents promise against the sources: every key of a command's --json is on its page, and every
function that a comment of a public header names is declared in one.

usage: check_docs.py ROOT
"""
import glob
import os
import re
import sys

# The pages that describe what these files write.
JSON = {
    "stat": ["stat/json.c", "stat/plan.c"],
    "list": ["list/print.c"],
    "doctor": ["doctor/print.c"],
    "report": ["report/report.c", "recording/health.c", "../view/json.c"],
}
KEY = re.compile(r'tally_json_[a-z0-9]+\(\s*[^,]+,\s*"([a-z_]+)"')
CALL = re.compile(r"\b(tally_[a-z0-9_]+)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def undocumented_keys(root):
    for command, files in JSON.items():
        page = read(root, "docs", "commands", command + ".md")
        keys = {key for name in files for key in KEY.findall(read(root, "src", "cli", name))}
        if not keys:
            yield f"{command}: no keys found in {files}"
        for key in sorted(keys):
            if not re.search(rf"`(?:[^`]*\b)?{key}\b[^`]*`", page):
                yield f"docs/commands/{command}.md: the key `{key}` of --json is not described"


def undeclared_functions(root):
    headers = {path: read(path) for path in glob.glob(os.path.join(root, "include", "tally", "*.h"))}
    declared = {name for text in headers.values() for name in CALL.findall(COMMENT.sub("", text))}
    for path, text in sorted(headers.items()):
        named = {name for comment in COMMENT.findall(text) for name in CALL.findall(comment)}
        for name in sorted(named - declared):
            yield f"{os.path.relpath(path, root)}: a comment names {name}(), which no header declares"


def main():
    root = sys.argv[1]
    wrong = [*undocumented_keys(root), *undeclared_functions(root)]
    print("\n".join(wrong) or "documents and headers name what there is")
    sys.exit(bool(wrong))


main()
