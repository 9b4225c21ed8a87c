#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check documents and public headers against the sources:

- the page for a command describes each key in the command's --json output;
- each function named in a comment in a public header is declared in a public header;
- each tally function named on a page is declared in src, ports or include;
- each path named on a page exists;
- the newest release in CHANGELOG.md and the version in README.md are the version in meson.build;
- libtally's symbol version has the number of its SONAME.

usage: check_docs.py ROOT
"""
import glob
import os
import re
import sys

# For each page in docs/commands, the sources that write the JSON described there.
JSON = {
    "stat": ["stat/stat_json.c", "stat/stat_keys.c", "stat/plan.c"],
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


def found(pattern, *path):
    """Return the group of the first match in a file, or "nothing"."""
    return (re.search(pattern, read(*path), re.M) or ["", "nothing"])[1]


def wrong_versions(root):
    version = found(r"^    version: '(.*)',$", root, "meson.build")
    newest = found(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", root, "CHANGELOG.md")
    if newest != version:
        yield f"CHANGELOG.md: the newest release is {newest}, but meson.build has version {version}"
    if (told := found(r"^Version (\d[\d.]*\d)\b", root, "README.md")) != version:
        yield f"README.md: version {told}, but meson.build has version {version}"
    number = found(r"^ +soversion: '(\d+)',$", root, "src", "library", "meson.build")
    if (node := found(r"^TALLY_(\d+) \{$", root, "src", "library", "libtally.map")) != number:
        yield f"src/library/libtally.map: symbol version TALLY_{node}, but the SONAME has number {number}"
    if f"libtally.so.{number}`" not in read(root, "docs", "library.md"):
        yield f"docs/library.md does not mention libtally.so.{number}"


def wrong_changes(root):
    """Sections of CHANGELOG.md that Keep a Changelog does not have, and releases that are not in descending order."""
    text = read(root, "CHANGELOG.md")
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for kind in sorted(set(re.findall(r"^### (.*)$", text, re.M)) - kinds):
        yield f"CHANGELOG.md: section '{kind}' is none of {', '.join(sorted(kinds))}"
    heads = re.findall(r"^## (\S+)", text, re.M)
    releases = [[int(part) for part in head.split(".")] for head in heads[1:]]
    if heads[:1] != ["Unreleased"] or releases != sorted(releases, reverse=True):
        yield f"CHANGELOG.md: sections must be Unreleased, then the newest release first, not {', '.join(heads)}"


def main():
    root = sys.argv[1]
    wrong = [*undocumented_keys(root), *undeclared_functions(root), *absent_functions(root), *absent_paths(root),
             *wrong_versions(root), *wrong_changes(root)]
    print("\n".join(wrong) or "all keys are described; all functions and paths named in documents and headers exist; versions agree")
    sys.exit(bool(wrong))


main()
