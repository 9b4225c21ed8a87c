#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check the rules for the source tree that cannot be checked on a single #include (docs/internals/architecture.md):

- no command's directory in src/cli includes files from another command's, and every file in src/cli is in a directory;
- no two files with a suffix in SUFFIXES have the same name, and each struct tag is defined only once;
- at most MAX_SOURCES source files implement a header, and every prototype has a definition;
- the header shared by the files of a command is small;
- only src/client calls a transport, and only src/sampler/target.c resolves targets.

usage: check_layers.py [--count] ROOT

Known violations are listed in ALLOWED; do not add to it. An entry that is no longer needed is also an error. With
--count, print figures that show how entangled the tree is, and check nothing.
"""
import collections
import json
import os
import re
import subprocess
import sys

ALLOWED = {
    # Entries are "src/cli/DIRECTORY/FILE -> DIRECTORY".
    "directories": set(),
    # Entries are files.
    "flat": set(),
    # Entries are struct tags.
    "tags": set(),
    # Entries are file names.
    "names": set(),
    # Entries are headers.
    "headers": set(),
    "shared": set(),
    # Entries are "HEADER: FUNCTION".
    "prototypes": set(),
    # Entries are calling files.
    "transport": set(),
    "targets": set(),
}

# Directories in src/cli that every command may include. Each directory may include those before it in the list.
SHARED = ["main", "browser"]
# Directories of files with unique names. A script run.sh runs the tests in its directory.
NAMED = ("bench", "demo", "examples", "fuzz", "include", "ports", "scripts", "src", "tests")
SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".js", ".py", ".sh")
SAME_NAMES = {"run.sh"}
MAX_SOURCES = 5
MAX_SHARED_LINES = 60
# A call through struct tally_transport, regardless of the name of the variable. core/ and hosts/ call PMU methods in
# the same way, but they implement perf_event_open and do not use transports.
TRANSPORT = re.compile(r"(?:->|\.)\s*(?:open|close|read|ioctl|mmap|munmap|poll)\s*\)?\s*\(|\btransport->\w+\s*\(")
TRANSPORT_USERS = ("src/client/", "src/core/", "src/hosts/")
# The functions that turn target options into threads and CPUs, whether called or passed as pointers.
RESOLVES = re.compile(r"\b(?:tally_threads_of_\w+|tally_threads_all)\b")
RESOLVER = "src/sampler/target.c"
TARGET_USERS = ("src/client/", RESOLVER)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
# Functions written in assembly, and functions in generated files.
GLOBAL = re.compile(r"^\s*\.globa?l\s+(\w+)", re.M)
GENERATED = {"tally_models_builtin"}  # src/jevents/emit.c
NOISE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
NAME = re.compile(r"(?<![.>\w])(?<!struct )[A-Za-z_]\w*")


class Tree:
    """The C files in src, ports and include below `root`, their text, and the names that they define."""

    def __init__(self, root):
        self.files = sorted(
            os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            for top in ("src", "ports", "include") for folder, _, names in os.walk(os.path.join(root, top))
            for name in names if name.endswith((".c", ".h")))
        self.named = collections.defaultdict(list)  # file name: paths
        for top in NAMED:
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith(SUFFIXES):
                        self.named[name].append(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
        self.text = {}
        for path in self.files:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self.text[path] = file.read()
        self.code = {path: NOISE.sub(" ", text) for path, text in self.text.items()}
        self.assembled = {
            name for top in ("src", "ports") for folder, _, names in os.walk(os.path.join(root, top))
            for path in names if path.endswith(".S")
            for name in GLOBAL.findall(open(os.path.join(folder, path), encoding="utf-8").read())}
        self.declared = collections.defaultdict(set)  # header: functions that it declares
        self.defined = collections.defaultdict(set)   # non-static function: its .c files
        self.tags = collections.defaultdict(list)     # struct tag: where it is defined
        for tag in self.ctags(root):
            if tag["kind"] == "prototype" and tag["path"].endswith(".h"):
                self.declared[tag["path"]].add(tag["name"])
            elif tag["kind"] == "function" and tag["path"].endswith(".c") and not tag.get("file"):
                self.defined[tag["name"]].add(tag["path"])
            elif tag["kind"] == "struct" and not tag["name"].startswith("__anon"):
                self.tags[tag["name"]].append(f"{tag['path']}:{tag['line']}")

    def ctags(self, root):
        command = ["ctags", "--output-format=json", "--fields=+nf", "--kinds-c=fps", "--languages=C",
                   "--langmap=C:.c.h", "-o", "-", *self.files]
        lines = self.files and subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
        tags = (json.loads(line) for line in (lines or "").splitlines())
        return (tag for tag in tags if tag.get("_type") == "tag")

    def sources(self, header):
        """Return the .c files that define the functions declared in `header`."""
        return {path for name in self.declared[header] for path in self.defined.get(name, ())}


def directory_of(path):
    """Return the directory of src/cli that contains `path` ("src/cli/..." or "cli/..."), or None if the file is
    directly in src/cli."""
    match = re.match(r"(?:src/)?cli/([^/]+)/", path)
    return match and match.group(1)


def may_include(directory, other):
    shared = SHARED[:SHARED.index(directory)] if directory in SHARED else SHARED
    return other in (None, directory) or other in shared


# ---- the rules: each yields (entry for ALLOWED, message) --------------------------------------------------

def directories(tree):
    for path in tree.files:
        directory = directory_of(path)
        for target in INCLUDE.findall(tree.text[path]) if directory else ():
            other = directory_of(target)
            if not may_include(directory, other):
                yield f"{path} -> {other}", f"{path}: {target}: cli/{directory} must not include cli/{other}"


def flat(tree):
    for path in tree.files:
        if path.startswith("src/cli/") and not directory_of(path):
            yield path, f"{path}: move this file into the directory of a command, or into a shared directory of src/cli"


def file_names(tree):
    for name, paths in sorted(tree.named.items()):
        if len(paths) > 1 and name not in SAME_NAMES:
            yield name, f"{' and '.join(sorted(paths))} have the same name: put the name of the module in front of one"


def tags(tree):
    for tag, locations in sorted(tree.tags.items()):
        if len(locations) > 1:
            yield tag, f"struct {tag} is defined {len(locations)} times: {', '.join(locations)}"


def headers(tree):
    """Yield the headers that too many source files implement. Public headers are exempt, because each is the interface
    of a whole module."""
    for header in sorted(tree.declared):
        sources = tree.sources(header)
        if len(sources) > MAX_SOURCES and not header.startswith("include/"):
            yield header, (f"{header}: implemented by {len(sources)} sources (at most {MAX_SOURCES}): "
                           f"{', '.join(sorted(os.path.basename(path) for path in sources))}")


def prototypes(tree):
    """Yield the prototypes without a definition, including those in public headers. A missing function would otherwise
    only be noticed when a program is linked."""
    defined = set(tree.defined) | tree.assembled | GENERATED
    for header in sorted(tree.declared):
        for name in sorted(tree.declared[header] - defined):
            yield f"{header}: {name}", f"{header}: {name}() is declared but not defined"


def shared_headers(tree):
    """Yield the shared headers that are too long. src/cli/DIRECTORY/DIRECTORY.h is for declarations that the files of a
    command share, not for the interface of each file."""
    for path in tree.files:
        match = re.fullmatch(r"src/cli/([^/]+)/\1\.h", path)
        lines = tree.text[path].count("\n")
        if match and lines > MAX_SHARED_LINES:
            yield path, (f"{path}: {lines} lines (at most {MAX_SHARED_LINES}): declare what FILE.c defines in FILE.h")


def transport(tree):
    for path in tree.files:
        if path.startswith("src/") and not path.startswith(TRANSPORT_USERS) and TRANSPORT.search(tree.code[path]):
            yield path, f"{path}: only src/client may call a transport"


def targets(tree):
    for path in tree.files:
        if path.startswith("src/") and not path.startswith(TARGET_USERS) and RESOLVES.search(tree.code[path]):
            yield path, f"{path}: only {RESOLVER} may resolve targets to threads and CPUs"


RULES = {"directories": directories, "flat": flat, "names": file_names, "tags": tags, "headers": headers, "prototypes": prototypes,
         "shared": shared_headers, "transport": transport, "targets": targets}


def violations(tree, allowed):
    for name, rule in RULES.items():
        found = list(rule(tree))
        for entry, message in found:
            if entry not in allowed[name]:
                yield message
        for entry in sorted(allowed[name] - {entry for entry, _ in found}):
            yield f"ALLOWED[\"{name}\"]: remove {entry!r}, which is no longer a violation"


# ---- figures ----------------------------------------------------------------------------------------------

def cycles(tree):
    """Return the cycles among source files. A source file depends on another if it uses a function that a header
    declares and the other source file defines."""
    public = set().union(*tree.declared.values()) if tree.declared else set()
    home = {name: next(iter(paths)) for name, paths in tree.defined.items() if name in public and len(paths) == 1}
    uses = {path: {home[name] for name in NAME.findall(code) if name in home} - {path}
            for path, code in tree.code.items() if path.endswith(".c")}
    return [cycle for cycle in components(uses) if len(cycle) > 1]


def components(graph):
    """Return the strongly connected components of {node: nodes}, found with Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def print_numbers(tree):
    flat = collections.Counter(os.path.dirname(path) for path in tree.files if path.startswith("src/"))
    directory, files = max(flat.items(), key=lambda item: item[1])
    found = cycles(tree)
    lines = {path: text.count("\n") for path, text in tree.text.items()}
    record = [path for path in lines if re.match(r"src/cli/record(/|[^/]*$)", path)]
    private = [path for path in record if path.endswith(".h")]
    print(f"files in the largest directory: {files} ({directory})")
    print(f"headers implemented by more than {MAX_SOURCES} sources: {len(list(headers(tree)))}")
    print(f"dependency cycles between sources: {len(found)} ({sum(map(len, found))} files)")
    print(f"lines of src/cli/record*: {sum(lines[path] for path in record)}, "
          f"of its headers: {sum(lines[path] for path in private)}")
    print(f"struct tags defined more than once: {len(list(tags(tree)))}")
    print(f"entries in ALLOWED: {sum(map(len, ALLOWED.values()))}")


def main():
    tree = Tree(sys.argv[-1])
    if "--count" in sys.argv[1:-1]:
        print_numbers(tree)
        return
    wrong = list(violations(tree, ALLOWED))
    allowed = sum(map(len, ALLOWED.values()))
    print("\n".join(wrong) or f"{len(tree.files)} files follow the rules, with {allowed} known violations")
    sys.exit(bool(wrong) or not tree.files)


if __name__ == "__main__":
    main()
