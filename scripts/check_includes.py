#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The include law of docs/architecture.md: every #include of every room against its table."""
import os
import re
import sys

# room: the rooms it may include from, besides itself and the public headers
LAW = {
    "base": set(),
    "abi": {"base"},
    "core": {"abi", "base"},
    "hosts": {"abi", "base"},
    "client": {"abi", "base", "events"},
    "sampler": {"abi", "base", "client", "events", "symbols"},
    "jevents": {"base"},
    "events": {"abi", "base", "jevents"},
    "perfdata": {"abi", "base"},
    "unwind": {"base"},
    "dwarf": {"base"},
    "disasm": {"base"},
    "symbols": {"base", "dwarf", "unwind"},
    "profile": {"abi", "base", "disasm", "symbols", "unwind"},
    "view": {"profile", "base"},
    "page": {"abi", "base", "profile", "symbols"},
    "export": {"abi", "base", "profile", "symbols"},
    "emulate": {"abi", "base", "hosts", "symbols"},
    "cli": {"abi", "base", "client", "events", "sampler", "jevents", "perfdata", "symbols", "disasm", "dwarf", "unwind", "profile", "view", "page", "export", "emulate", "core", "hosts"},
}
# public header: the rooms that may use it
PUBLIC = {
    "abi.h": {"base", "abi", "core", "hosts", "client", "events", "sampler", "perfdata", "profile", "page", "emulate", "cli"},
    "events.h": {"events", "client", "sampler", "cli"},
    "client.h": {"client", "sampler", "cli"},
    "region.h": {"client"},
    "perfdata.h": {"perfdata", "sampler", "cli"},
    "classic.h": {"abi", "client", "core", "emulate"},
    "core.h": {"core", "hosts", "emulate", "cli"},
    "config.h": {"abi", "core", "hosts"},
    "host.h": {"core", "hosts"},
    "errno.h": {"abi", "core", "hosts"},
}
FREESTANDING = {"abi", "core"}
FREE_HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "stdatomic.h", "stdalign.h", "limits.h", "errno.h"}
PUBLIC_MAY = {"stdint.h", "stddef.h", "stdbool.h"}
PUBLIC_MAY_ALSO = {"errno.h": {"errno.h"}}  # what it stands in for
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def complaint(room, kind, target):
    """Why `room` may not include `target`, or None."""
    head, _, rest = target.partition("/")
    if kind == "<" and (head in LAW or head == "tally") and rest:
        return 'our own headers are included with "", not <>'
    if kind == "<":
        if room in FREESTANDING and target not in FREE_HEADERS:
            return f"{room}/ is freestanding"
        return None
    if head == "tally":
        return None if room in PUBLIC.get(rest, set()) else f"{room}/ may not use {target}"
    if not rest:
        return "includes are written with their room"
    if head != room and head not in LAW[room]:
        return f"{room}/ may not include {head}/"
    return None


def main():
    root = sys.argv[1]
    wrong, files = [], 0
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in names:
            if not name.endswith((".c", ".h")):
                continue
            files += 1
            path = os.path.join(folder, name)
            room = os.path.relpath(path, os.path.join(root, "src")).split(os.sep)[0]
            for number, line in enumerate(open(path, encoding="utf-8"), 1):
                match = INCLUDE.match(line)
                why = match and complaint(room, *match.groups())
                if why:
                    wrong.append(f"{os.path.relpath(path, root)}:{number}: {match.group(2)}: {why}")
    for name in os.listdir(os.path.join(root, "include", "tally")):
        path = os.path.join(root, "include", "tally", name)
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            match = INCLUDE.match(line)
            may = PUBLIC_MAY | PUBLIC_MAY_ALSO.get(name, set())
            if match and match.group(2) not in may and not match.group(2).startswith("tally/"):
                wrong.append(f"include/tally/{name}:{number}: {match.group(2)}: not a fixed-width header")
    print("\n".join(wrong) or f"{files} files keep the law")
    sys.exit(bool(wrong) or not files)


main()
