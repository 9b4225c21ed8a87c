#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check documents and public headers against the sources:

- the page for a command describes each key in the command's --json output;
- each function named in a comment in a public header is declared in a public header;
- each tally function named on a page is declared in src, ports or include;
- each path named on a page exists.

usage: check_docs.py ROOT
"""
import glob
import os
import re
import sys

# For each page in docs/commands, the sources that write the JSON described there.
JSON = {
    "stat": ["stat/stat_json.c", "stat/plan.c"],
    "list": ["list/list_print.c"],
    "doctor": ["doctor/doctor_print.c"],
    "diff": ["diff/diff.c", "diff/compare.c", "../view/diff_json.c"],
    "report": ["report/report.c", "../view/health.c", "../view/view_json.c"],
}
KEY = re.compile(r'tally_json_[a-z0-9]+\(\s*[^,]+,\s*"([a-z_]+)"')
CALL = re.compile(r"\b(tally_[a-z0-9_]+)\(")
FAMILY = re.compile(r"`(tally_[a-z0-9_]+_)\*`")  # a family of functions
PLACEHOLDER = re.compile(r"(?:\b|_)frob\b|\bmodule/")  # placeholder names in examples
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def undocumented_keys(root):
    for command, files in JSON.items():
        page = read(root, "docs", "commands", command + ".md")
        keys = {key for name in files for key in KEY.findall(read(root, "src", "cli", name))}
        if not keys:
            yield f"{command}: found no JSON keys in {files}"
        for key in sorted(keys):
            if not re.search(rf"`(?:[^`]*\b)?{key}\b[^`]*`", page):
                yield f"docs/commands/{command}.md does not describe the key `{key}` of --json"


def undeclared_functions(root):
    headers = {path: read(path) for path in glob.glob(os.path.join(root, "include", "tally", "*.h"))}
    declared = {name for text in headers.values() for name in CALL.findall(COMMENT.sub("", text))}
    for path, text in sorted(headers.items()):
        named = {name for comment in COMMENT.findall(text) for name in CALL.findall(comment)}
        for name in sorted(named - declared):
            yield f"{os.path.relpath(path, root)}: a comment names {name}(), which no public header declares"


def pages_of(root):
    return sorted([*glob.glob(os.path.join(root, "*.md")),
                   *glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True)])


def absent_functions(root):
    sources = [name for top in ("src", "ports", "include")
               for name in glob.glob(os.path.join(root, top, "**", "*.[ch]"), recursive=True)]
    declared = {name for path in sources for name in CALL.findall(COMMENT.sub("", read(path)))}
    for page in pages_of(root):
        text = read(page)
        for name in sorted(set(CALL.findall(text))):
            if name not in declared and not PLACEHOLDER.search(name):
                yield f"{os.path.relpath(page, root)}: {name}() is not declared in src, ports or include"
        for family in sorted(set(FAMILY.findall(text))):
            if not any(name.startswith(family) for name in declared):
                yield f"{os.path.relpath(page, root)}: there is no function {family}*"


def absent_paths(root):
    modules = "|".join(sorted(os.listdir(os.path.join(root, "src"))))
    tops = "bench|demo|docs|fuzz|include|pmu-events|ports|scripts|src|tests"
    named = re.compile(rf"(?<![\w./*<>-])((?:{tops}|{modules})/[\w./-]*\w\.(?:[chS]|cpp|py|sh|md|json|csv))\b")
    for page in pages_of(root):
        for path in sorted(set(named.findall(read(page)))):
            places = (root, os.path.join(root, "src"), os.path.join(root, "include"), os.path.dirname(page))
            if not PLACEHOLDER.search(path) and not any(os.path.exists(os.path.join(place, path)) for place in places):
                yield f"{os.path.relpath(page, root)}: {path} does not exist"


def main():
    root = sys.argv[1]
    wrong = [*undocumented_keys(root), *undeclared_functions(root), *absent_functions(root), *absent_paths(root)]
    print("\n".join(wrong) or "all keys are described; all functions and paths named in documents and headers exist")
    sys.exit(bool(wrong))


main()
