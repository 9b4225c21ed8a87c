#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ceilings: no function over 50 lines, no file over 600, in C and in the viewer's scripts; no line of a C comment over
100 columns, which clang-format leaves as they are, but for examples and tables behind a tab. Tells the medians as well."""
import json
import re
import statistics
import subprocess
import sys

FUNCTION, FILE, COLUMNS = 50, 600, 100
COMMENT = re.compile(r"^\s*(?:/\*| \*(?!\t))")


def script_functions(path):
    """(name, lines) of the functions of a script: ctags does not say where these end, but they do so at the left edge."""
    start, name = 0, None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        found = re.match(r"(?:async )?function (\w+)", line)
        if found:
            start, name = number, found.group(1)
        elif line == "}\n" and name:
            yield name, number - start + 1
            name = None


def main():
    root = sys.argv[1]
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.c", "*.h", "*.cpp", "*.js"],
                           capture_output=True, text=True, check=True).stdout.split()
    paths = [f"{root}/{name}" for name in names]
    wrong, sizes = [], []
    for path in paths:
        lines = open(path, encoding="utf-8").read().splitlines()
        if len(lines) > FILE:
            wrong.append(f"{path}: {len(lines)} lines (at most {FILE})")
        if not path.endswith(".js"):
            wrong += [f"{path}:{number}: a comment of {len(line.expandtabs(8))} columns (at most {COLUMNS})"
                      for number, line in enumerate(lines, 1) if COMMENT.match(line) and len(line.expandtabs(8)) > COLUMNS]
    scripts = [path for path in paths if path.endswith(".js")]
    for path in scripts:
        wrong += [f"{path}: {name} has {size} lines (at most {FUNCTION})" for name, size in script_functions(path) if size > FUNCTION]
    paths = [path for path in paths if path not in scripts]
    tags = subprocess.run(["ctags", "--output-format=json", "--fields=+ne", "--kinds-c=f", "-o", "-", *paths],
                          capture_output=True, text=True, check=True).stdout
    for line in tags.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag" or "end" not in tag:
            continue
        size = tag["end"] - tag["line"] + 1
        sizes.append(size)
        if size > FUNCTION:
            wrong.append(f"{tag['path']}:{tag['line']}: {tag['name']} has {size} lines (at most {FUNCTION})")
    sizes.sort()
    print("\n".join(wrong) or f"{len(paths)} files, {len(sizes)} functions: median "
          f"{statistics.median(sizes):.0f} lines, 9 in 10 up to {sizes[len(sizes) * 9 // 10]}, longest {sizes[-1]}")
    sys.exit(bool(wrong) or not sizes)


main()
