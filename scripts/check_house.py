#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The laws of the house that no single #include shows (docs/architecture.md): which folders of src/cli may see each
other and that every file there lies in one, one definition for each struct tag, few sources behind one header, no
prototype without a function, small headers for what the files of a command share, who calls a transport, who resolves
a target.

usage: check_house.py [--count] ROOT

ALLOWED lists what breaks a law today. The list only shrinks: an entry that breaks nothing any more is a failure too.
With --count it prints the numbers that say how tangled the tree is, and judges nothing.
"""
import collections
import json
import os
import re
import subprocess
import sys

ALLOWED = {
    # "src/cli/FOLDER/FILE -> FOLDER"
    "folders": set(),
    # the file
    "flat": set(),
    # the tag of a struct
    "tags": set(),
    # the header
    "headers": set(),
    "private": set(),
    # "HEADER: FUNCTION"
    "prototypes": set(),
    # the file that calls
    "transport": set(),
    "targets": set(),
}

# The folders of src/cli that every command may include from; each may include the ones before it.
SHARED = ["main", "recording", "browser"]
MOST_SOURCES = 5
MOST_PRIVATE_LINES = 60
# A call through struct tally_transport, whatever the variable is called. What core/ calls the same way is a method of a
# PMU: core/ and hosts/ implement perf_event_open and see no transport.
TRANSPORT = re.compile(r"(?:->|\.)\s*(?:open|close|read|ioctl|mmap|munmap|poll)\s*\)?\s*\(|\btransport->\w+\s*\(")
ANSWERS = ("src/client/", "src/core/", "src/hosts/")
# The functions that turn a user's words into threads and CPUs: called, or handed on as pointers.
RESOLVES = re.compile(r"\b(?:tally_threads_of_\w+|tally_threads_all)\b")
RESOLVER = "src/sampler/target.c"
RESOLVED = ("src/client/", RESOLVER)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
# Functions that are not written in C (GLOBAL in a .S file), and those that a generator writes.
GLOBAL = re.compile(r"^\s*\.globa?l\s+(\w+)", re.M)
GENERATED = {"tally_models_builtin"}  # src/jevents/emit.c
NOISE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
NAME = re.compile(r"(?<![.>\w])(?<!struct )[A-Za-z_]\w*")


class Tree:
    """The C files of src and include below `root`, their text, and what they define."""

    def __init__(self, root):
        self.files = sorted(
            os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            for top in ("src", "include") for folder, _, names in os.walk(os.path.join(root, top))
            for name in names if name.endswith((".c", ".h")))
        self.text = {}
        for path in self.files:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self.text[path] = file.read()
        self.code = {path: NOISE.sub(" ", text) for path, text in self.text.items()}
        self.assembled = {
            name for folder, _, names in os.walk(os.path.join(root, "src"))
            for path in names if path.endswith(".S")
            for name in GLOBAL.findall(open(os.path.join(folder, path), encoding="utf-8").read())}
        self.declared = collections.defaultdict(set)  # header: functions it has prototypes of
        self.defined = collections.defaultdict(set)   # function that is not static: its .c files
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
        """The .c files that implement what `header` declares."""
        return {path for name in self.declared[header] for path in self.defined.get(name, ())}


def folder_of(path):
    """The folder of src/cli that `path` is in ("src/cli/FOLDER/..." or "cli/FOLDER/..."), None for a flat file."""
    match = re.match(r"(?:src/)?cli/([^/]+)/", path)
    return match and match.group(1)


def may_see(folder, other):
    shared = SHARED[:SHARED.index(folder)] if folder in SHARED else SHARED
    return other in (None, folder) or other in shared


# ---- the laws: each gives (entry of the allow-list, what is wrong) ----------------------------------------

def folders(tree):
    for path in tree.files:
        folder = folder_of(path)
        for target in INCLUDE.findall(tree.text[path]) if folder else ():
            other = folder_of(target)
            if not may_see(folder, other):
                yield f"{path} -> {other}", f"{path}: {target}: cli/{folder}/ may not include cli/{other}/"


def flat(tree):
    for path in tree.files:
        if path.startswith("src/cli/") and not folder_of(path):
            yield path, f"{path}: every file of src/cli lies in the folder of a command or in one that all may use"


def tags(tree):
    for tag, places in sorted(tree.tags.items()):
        if len(places) > 1:
            yield tag, f"struct {tag} is defined {len(places)} times: {', '.join(places)}"


def headers(tree):
    """The public headers are exempt: each is the manual of a room, not the header of a source."""
    for header in sorted(tree.declared):
        sources = tree.sources(header)
        if len(sources) > MOST_SOURCES and not header.startswith("include/"):
            yield header, (f"{header}: {len(sources)} sources implement it (at most {MOST_SOURCES}): "
                           f"{', '.join(sorted(os.path.basename(path) for path in sources))}")


def prototypes(tree):
    """The public headers too: a library whose manual names what it has not got fails when somebody links it."""
    there = set(tree.defined) | tree.assembled | GENERATED
    for header in sorted(tree.declared):
        for name in sorted(tree.declared[header] - there):
            yield f"{header}: {name}", f"{header}: no .c file defines {name}()"


def private(tree):
    """src/cli/FOLDER/FOLDER.h is what the files of a command share, not where each of them is declared."""
    for path in tree.files:
        match = re.fullmatch(r"src/cli/([^/]+)/\1\.h", path)
        lines = tree.text[path].count("\n")
        if match and lines > MOST_PRIVATE_LINES:
            yield path, (f"{path}: {lines} lines (at most {MOST_PRIVATE_LINES}): what one .c file defines is declared in "
                         f"a header of its name")


def transport(tree):
    for path in tree.files:
        if path.startswith("src/") and not path.startswith(ANSWERS) and TRANSPORT.search(tree.code[path]):
            yield path, f"{path}: only src/client/ calls a transport"


def targets(tree):
    for path in tree.files:
        if path.startswith("src/") and not path.startswith(RESOLVED) and RESOLVES.search(tree.code[path]):
            yield path, f"{path}: only {RESOLVER} makes threads and CPUs of what a user wrote"


LAWS = {"folders": folders, "flat": flat, "tags": tags, "headers": headers, "prototypes": prototypes,
        "private": private, "transport": transport, "targets": targets}


def complaints(tree, allowed):
    for law, judge in LAWS.items():
        found = list(judge(tree))
        for entry, why in found:
            if entry not in allowed[law]:
                yield why
        for entry in sorted(allowed[law] - {entry for entry, _ in found}):
            yield f"ALLOWED[\"{law}\"] need not have {entry!r} any more: take it out"


# ---- the numbers ------------------------------------------------------------------------------------------

def circles(tree):
    """Circles of files: sets of sources each of which uses, through the others, every other one. A source uses
    another if its code names a function that some header declares and the other one defines."""
    public = set().union(*tree.declared.values()) if tree.declared else set()
    home = {name: next(iter(paths)) for name, paths in tree.defined.items() if name in public and len(paths) == 1}
    uses = {path: {home[name] for name in NAME.findall(code) if name in home} - {path}
            for path, code in tree.code.items() if path.endswith(".c")}
    return [circle for circle in components(uses) if len(circle) > 1]


def components(graph):
    """Tarjan's strongly connected components of {node: nodes}."""
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
    folder, files = max(flat.items(), key=lambda item: item[1])
    drawers = list(headers(tree))
    found = circles(tree)
    lines = {path: text.count("\n") for path, text in tree.text.items()}
    record = [path for path in lines if re.match(r"src/cli/record(/|[^/]*$)", path)]
    private = [path for path in record if path.endswith(".h")]
    print(f"files in the largest flat folder: {files} ({folder})")
    print(f"headers whose prototypes live in more than {MOST_SOURCES} sources: {len(drawers)}")
    print(f"circles of files: {len(found)} ({sum(map(len, found))} files)")
    print(f"lines of src/cli/record*: {sum(lines[path] for path in record)}, "
          f"of its headers: {sum(lines[path] for path in private)}")
    print(f"struct tags defined more than once: {len(list(tags(tree)))}")
    print(f"allow-list entries: {sum(map(len, ALLOWED.values()))}")


def main():
    tree = Tree(sys.argv[-1])
    if "--count" in sys.argv[1:-1]:
        print_numbers(tree)
        return
    wrong = list(complaints(tree, ALLOWED))
    allowed = sum(map(len, ALLOWED.values()))
    print("\n".join(wrong) or f"{len(tree.files)} files keep the laws of the house, {allowed} exceptions are left")
    sys.exit(bool(wrong) or not tree.files)


if __name__ == "__main__":
    main()
