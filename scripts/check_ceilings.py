#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ceilings: no function over 50 lines, no file over 600. Tells the medians as well."""
import json
import statistics
import subprocess
import sys

FUNCTION, FILE = 50, 600


def main():
    root = sys.argv[1]
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.c", "*.h", "*.cpp"],
                           capture_output=True, text=True, check=True).stdout.split()
    paths = [f"{root}/{name}" for name in names]
    wrong, sizes = [], []
    for path in paths:
        lines = sum(1 for _ in open(path, encoding="utf-8"))
        if lines > FILE:
            wrong.append(f"{path}: {lines} lines (at most {FILE})")
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
