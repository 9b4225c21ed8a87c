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
    "ports": {"abi", "base"},
    "client": {"abi", "base", "events"},
    "ftrace": {"base"},
    "sampler": {"abi", "base", "client", "events", "symbols"},
    "jevents": {"base"},
    "printfmt": {"base"},
    "events": {"abi", "base", "jevents", "printfmt"},
    "http": {"base"},
    "pack": {"base"},
    "parquet": {"base"},
    "perfdata": {"abi", "base"},
    "unwind": {"base"},
    "dwarf": {"base"},
    "disasm": {"base"},
    "symbols": {"base", "dwarf", "unwind"},
    "profile": {"abi", "base", "disasm", "symbols", "unwind"},
    "live": {"abi", "base", "client", "profile", "sampler", "symbols"},
    "import": {"abi", "base", "parquet", "perfdata", "profile", "symbols"},
    "session": {"abi", "base", "events", "import", "perfdata", "profile", "symbols"},
    "archive": {"abi", "base", "perfdata", "profile", "session", "symbols"},
    "dataset": {"abi", "base", "parquet", "perfdata", "profile", "session", "symbols"},
    "view": {"abi", "base", "profile", "session", "symbols"},
    "page": {"abi", "base", "pack", "profile", "session", "symbols", "view"},
    "export": {"abi", "base", "pack", "perfdata", "profile", "symbols"},
    "emulate": {"abi", "base", "hosts", "symbols"},
    "cli": {"abi", "base", "client", "events", "ftrace", "http", "printfmt", "sampler", "jevents", "perfdata", "symbols", "disasm", "dwarf", "unwind", "profile", "live", "session", "archive", "view", "page", "export", "dataset", "emulate", "core", "hosts"},
}
# for each public header, the modules that may include it
PUBLIC = {
    "abi.h": {"base", "abi", "core", "hosts", "ports", "client", "events", "sampler", "perfdata", "profile", "live", "import", "session", "archive", "view", "page", "emulate", "cli"},
    "events.h": {"printfmt", "events", "client", "sampler", "session", "cli"},
    "client.h": {"client", "ftrace", "sampler", "view", "cli"},
    "region.h": {"client", "cli"},
    "rings.h": {"client", "sampler", "live"},
    "sample.h": {"abi"},
    "texts.h": {"base"},
    "profile.h": {"session"},
    "perfdata.h": {"perfdata", "sampler", "import", "session", "archive", "dataset", "view", "page", "export", "cli"},
    "perfdata_env.h": {"perfdata"},
    "classic.h": {"abi", "client", "core", "emulate"},
    "core.h": {"core", "hosts", "ports", "emulate", "cli"},
    "config.h": {"abi", "core", "hosts", "ports"},
    "host.h": {"core", "hosts", "ports"},
    "errno.h": {"abi", "core", "hosts", "ports"},
}
FREESTANDING = {"abi", "core", "ports"}
SEPARATE = {"hosts", "ports"}  # the directories in these modules must not include each other
FREE_HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "stdatomic.h", "stdalign.h", "limits.h", "errno.h"}
PUBLIC_MAY = {"stdint.h", "stddef.h", "stdbool.h"}
PUBLIC_MAY_ALSO = {"errno.h": {"errno.h"}}  # C library header that this public header replaces
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def module_of(path):
    """Return the module that contains `path`, and its directory in the module if the module is in SEPARATE."""
    parts = path.split(os.sep)
    module, *rest = parts if parts[0] == "ports" else parts[1:]
    return module, rest[0] if module in SEPARATE else None


def violation(path, kind, target):
    """Return the reason why `path` must not include `target`, or None."""
    module, directory = module_of(path)
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
    if head == module and directory not in (None, rest.split("/")[0]):
        return f"{module}/{directory} must not include other directories of {module}"
    if head != module and head not in DEPENDENCIES[module]:
        return f"{module} must not include {head}"
    return None


def includes(path):
    """Yield (line number, kind, target) for each #include."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, *match.groups()


def main():
    root = sys.argv[1]
    wrong, files = [], 0
    for top in ("src", "ports"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if not name.endswith((".c", ".h", ".S")):
                    continue
                files += 1
                path = os.path.relpath(os.path.join(folder, name), root)
                for number, kind, target in includes(os.path.join(root, path)):
                    why = violation(path, kind, target)
                    if why:
                        wrong.append(f"{path}:{number}: {target}: {why}")
    for name in os.listdir(os.path.join(root, "include", "tally")):
        for number, _, target in includes(os.path.join(root, "include", "tally", name)):
            may = PUBLIC_MAY | PUBLIC_MAY_ALSO.get(name, set())
            if target not in may and not target.startswith("tally/"):
                wrong.append(f"include/tally/{name}:{number}: {target}: not a freestanding header")
    print("\n".join(wrong) or f"{files} files follow the dependency rules")
    sys.exit(bool(wrong) or not files)


main()
