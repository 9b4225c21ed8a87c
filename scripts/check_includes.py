#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check every #include against the dependency rules of docs/internals/architecture.md."""
import os
import re
import sys

# for each module, the modules it may include, in addition to itself and the public headers
DEPENDENCIES = {
    "base": set(),
    "abi": {"base"},
    "core": {"abi", "base"},
    "hosts": {"abi", "base"},
    "client": {"abi", "base", "events"},
    "ftrace": {"base"},
    "sampler": {"abi", "base", "client", "events", "symbols"},
    "jevents": {"base"},
    "printfmt": {"base"},
    "events": {"abi", "base", "jevents", "printfmt"},
    "perfdata": {"abi", "base"},
    "unwind": {"base"},
    "dwarf": {"base"},
    "disasm": {"base"},
    "symbols": {"base", "dwarf", "unwind"},
    "profile": {"abi", "base", "disasm", "symbols", "unwind"},
    "session": {"abi", "base", "events", "perfdata", "profile", "sampler", "symbols"},
    "archive": {"abi", "base", "perfdata", "profile", "session", "symbols"},
    "view": {"abi", "base", "profile", "session", "symbols"},
    "page": {"abi", "base", "profile", "session", "symbols", "view"},
    "export": {"abi", "base", "profile", "symbols"},
    "emulate": {"abi", "base", "hosts", "symbols"},
    "cli": {"abi", "base", "client", "events", "ftrace", "printfmt", "sampler", "jevents", "perfdata", "symbols", "disasm", "dwarf", "unwind", "profile", "session", "archive", "view", "page", "export", "emulate", "core", "hosts"},
}
# for each public header, the modules that may include it
PUBLIC = {
    "abi.h": {"base", "abi", "core", "hosts", "client", "events", "sampler", "perfdata", "profile", "session", "archive", "view", "page", "emulate", "cli"},
    "events.h": {"printfmt", "events", "client", "sampler", "session", "cli"},
    "client.h": {"client", "ftrace", "sampler", "view", "cli"},
    "region.h": {"client"},
    "perfdata.h": {"perfdata", "sampler", "session", "archive", "view", "page", "cli"},
    "classic.h": {"abi", "client", "core", "emulate"},
    "core.h": {"core", "hosts", "emulate", "cli"},
    "config.h": {"abi", "core", "hosts"},
    "host.h": {"core", "hosts"},
    "errno.h": {"abi", "core", "hosts"},
}
FREESTANDING = {"abi", "core"}
FREE_HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "stdatomic.h", "stdalign.h", "limits.h", "errno.h"}
PUBLIC_MAY = {"stdint.h", "stddef.h", "stdbool.h"}
PUBLIC_MAY_ALSO = {"errno.h": {"errno.h"}}  # C library header that this public header replaces
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def violation(module, kind, target):
    """Return the reason why `module` must not include `target`, or None."""
    head, _, rest = target.partition("/")
    if kind == "<" and (head in DEPENDENCIES or head == "tally") and rest:
        return 'include our own headers with "", not <>'
    if kind == "<":
        if module in FREESTANDING and target not in FREE_HEADERS:
            return f"{module} is freestanding"
        return None
    if head == "tally":
        return None if module in PUBLIC.get(rest, set()) else f"{module} must not include {target}"
    if not rest:
        return "write the module in front of the file name"
    if head != module and head not in DEPENDENCIES[module]:
        return f"{module} must not include {head}"
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
            module = os.path.relpath(path, os.path.join(root, "src")).split(os.sep)[0]
            for number, line in enumerate(open(path, encoding="utf-8"), 1):
                match = INCLUDE.match(line)
                why = match and violation(module, *match.groups())
                if why:
                    wrong.append(f"{os.path.relpath(path, root)}:{number}: {match.group(2)}: {why}")
    for name in os.listdir(os.path.join(root, "include", "tally")):
        path = os.path.join(root, "include", "tally", name)
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            match = INCLUDE.match(line)
            may = PUBLIC_MAY | PUBLIC_MAY_ALSO.get(name, set())
            if match and match.group(2) not in may and not match.group(2).startswith("tally/"):
                wrong.append(f"include/tally/{name}:{number}: {match.group(2)}: not a freestanding header")
    print("\n".join(wrong) or f"{files} files follow the dependency rules")
    sys.exit(bool(wrong) or not files)


main()
