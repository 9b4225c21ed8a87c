#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the size limits of C sources and the viewer's scripts: at most 50 lines per function and 600 lines per file.
Lines of C comments are limited to 100 columns, which clang-format does not check. Examples and tables that are indented
with a tab are exempt from this limit. Also print the median function length.

usage: check_ceilings.py ROOT
"""
import json
import re
import statistics
import subprocess
import sys

FUNCTION, FILE, COLUMNS = 50, 600, 100
COMMENT = re.compile(r"^\s*(?:/\*| \*(?!\t))")


def script_functions(path):
    """Yield (name, lines) for each function in a script. ctags does not report where functions end; each ends at a "}"
    in the first column."""
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
            wrong.append(f"{path}: {len(lines)} lines (limit: {FILE})")
        if not path.endswith(".js"):
            wrong += [f"{path}:{number}: comment line of {len(line.expandtabs(8))} columns (limit: {COLUMNS})"
                      for number, line in enumerate(lines, 1) if COMMENT.match(line) and len(line.expandtabs(8)) > COLUMNS]
    scripts = [path for path in paths if path.endswith(".js")]
    for path in scripts:
        wrong += [f"{path}: {name} has {size} lines (limit: {FUNCTION})" for name, size in script_functions(path) if size > FUNCTION]
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
            wrong.append(f"{tag['path']}:{tag['line']}: {tag['name']} has {size} lines (limit: {FUNCTION})")
    sizes.sort()
    print("\n".join(wrong) or f"{len(paths)} files, {len(sizes)} functions: median "
          f"{statistics.median(sizes):.0f} lines, 90th percentile {sizes[len(sizes) * 9 // 10]}, longest {sizes[-1]}")
    sys.exit(bool(wrong) or not sizes)


main()
