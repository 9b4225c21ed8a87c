#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that comments, documentation, help and messages are free of words that make them hard to read.

usage: check_english.py [--count | --list [DIRECTORY] | --update] ROOT

MARKERS lists the words, each with advice on its replacement. A marker is not always wrong ("who" for a user, "behind"
for a debugger), but a file with many of them was not written for readers familiar with perf and kernels: libbpf has
markers in 2 of 100 comments, tmux in fewer than 1.

scripts/english_allowed.txt lists the number of passages with markers that each file may still contain. The check fails
if a file has more, so new or changed text must be clean. It also fails if a file has fewer, so the allowance can only
shrink. --update lowers the allowances to the current counts and never raises one; --count prints the share of passages
with a marker for each directory; --list prints those passages.
"""
import ast
import collections
import io
import os
import re
import sys
import tokenize

ALLOWED = "scripts/english_allowed.txt"
IGNORED = {"build", "corpus", "fixtures", "pmu-events", ".git"}

MARKERS = [
    (r"\bwho(?:se|m|ever)?\b", "name the caller, reader, owner or user"),
    (r"^(?:What|Whether|Where|Who|How|Which)\b(?! (?:many|much|long|often|to)\b)(?!.*\?)",
     "begin with a noun or a verb, not with a question"),
    (r"\bbehind\b", "after, following"),
    (r"\bbesides?\b", "next to, in addition to, except"),
    (r"\banew\b", "again"),
    (r"(?<!, )\bbut for\b", "except"),
    (r"(?<!\bthere )\b(?:is|are|was|were) none\b|\bnobody\b|\bthat (?:is|are) no(?:thing|ne)?\b(?! longer)", "is not a ..., no caller"),
    (r"\b(?:stands|stood)\b|\bstand (?:for|in|at|there|behind|before)\b", "is, appears, represents"),
    (r"\b(?:by|of|for) (?:itself|themselves|himself)\b", "self, automatically, alone"),
    (r"\b(?:say|says|said|tell|tells|told|speaks?)\b", "contain, return, report, indicate, distinguish"),
    (r"\b(?:of|for|with|by|in|to|from|at|on|than|as) what\b", "repeat the noun"),
    (r"\b(?:it|they|that|which|this) (?:goes|comes)\b|\bfor ever\b|\bso long\b|\bmakes? of\b|\ball that (?:is|are)\b"
     r"|\bmay not everything\b", "arrives, is added, is removed"),
    (r"\b(?:astray|fades?|faded|sweeps?|swept|twins?|judged|stand-ins?|waiting line|least host|made code|stored names"
     r"|laws?|rooms?|surface|by its own|turned? away)\b", "use the term of docs/glossary.md"),
]
MARKERS = [(re.compile(pattern, re.I if index != 1 else 0), advice) for index, (pattern, advice) in enumerate(MARKERS)]
QUESTION = MARKERS[1][0]

C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
Text = collections.namedtuple("Text", "kind line text")


# ---- texts of a file ---------------------------------------------------------------------------------------

def c_texts(source, messages):
    """Yield the comments in a C file and, if `messages` is set, the string literals that contain words."""
    strings = []  # adjacent literals form one string
    end = 0
    for match in C_TOKEN.finditer(source):
        token, line = match.group(), source.count("\n", 0, match.start()) + 1
        if token.startswith("/"):
            text = re.sub(r"\n\s*\*?[ \t]*", " ", re.sub(r"^/[/*]+|\*+/$", "", token))
            yield Text("comment", line, text.strip(" \t\n-*"))
        elif token.startswith('"') and messages:
            if strings and not source[end:match.start()].strip():
                strings[-1] = Text("message", strings[-1].line, strings[-1].text + token[1:-1])
            else:
                strings.append(Text("message", line, token[1:-1]))
            end = match.end()
    yield from (text for text in strings if SENTENCE.search(text.text))


def python_texts(source):
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text("comment", token.start[0], token.string.strip("# -"))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            yield Text("comment", node.body[0].lineno, " ".join(ast.get_docstring(node).split()))


def hash_texts(source):
    """Yield the comments of shell scripts and meson.build. Adjacent lines form one text."""
    block, start = [], 0
    for number, line in enumerate(source.split("\n") + [""], 1):
        match = re.match(r"\s*#(?!!)(.*)", line)
        if match:
            start = start if block else number
            block.append(match.group(1).strip(" -"))
        elif block:
            yield Text("comment", start, " ".join(block))
            block = []


def markdown_texts(source):
    """Yield paragraphs, list items, headings and table rows, without code."""
    block, start, fenced = [], 0, False
    for number, line in enumerate(source.split("\n") + [""], 1):
        fence = line.lstrip().startswith("```")
        item = re.match(r"\s*(?:[-*] |\d+\. |\||#)", line)
        if block and (fence or item or not line.strip()):
            yield Text("document", start, plain_markdown(" ".join(block)))
            block = []
        fenced ^= fence
        if fenced or fence or not line.strip() or (not block and line.startswith(("    ", "\t")) and not item):
            continue
        start = start if block else number
        block.append(line.strip())


def fields_texts(source):
    """Yield the descriptions in the .fields files of docs/schemas. A line with only a comment continues the description
    above it."""
    block, start = [], 0
    for number, line in enumerate(source.split("\n") + ["end"], 1):
        code, mark, text = line.partition("# ")
        if code.strip() and block:
            yield Text("document", start, " ".join(block))
            block = []
        if mark:
            start = start if block else number
            block.append(text.strip())


def plain_markdown(text):
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return text.strip(" |#*-")


def texts(path, source):
    if path.endswith((".c", ".h", ".cpp")):
        return c_texts(source, path.startswith(("src/", "ports/")))
    if path.endswith(".py"):
        return python_texts(source)
    if path.endswith((".sh", "meson.build", "meson_options.txt")):
        return hash_texts(source)
    if path.endswith(".md"):
        return markdown_texts(source)
    if path.endswith(".fields"):
        return fields_texts(source)
    return ()


# ---- the check ---------------------------------------------------------------------------------------------

def markers_of(text):
    """Return (word, advice) for each marker in `text`."""
    if "SPDX-License-Identifier" in text.text:
        return []
    found = []
    for pattern, advice in MARKERS:
        match = pattern.search(text.text) if pattern is not QUESTION or text.kind == "comment" else None
        if match:
            found.append((match.group(), advice))
    return found


def tree_texts(root):
    """Yield (path, texts) for every file that may contain texts."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in IGNORED and not name.startswith(("build", ".")))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if path.endswith((".c", ".h", ".cpp", ".py", ".sh", ".md", ".fields", "meson.build", "meson_options.txt")):
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    yield path, list(texts(path, file.read()))


def read_allowed(root):
    try:
        with open(os.path.join(root, ALLOWED), encoding="utf-8") as file:
            rows = (line.split(maxsplit=1) for line in file if line.strip() and not line.startswith("#"))
            return {path.strip(): int(number) for number, path in rows}
    except FileNotFoundError:
        return {}


def write_allowed(root, counts):
    with open(os.path.join(root, ALLOWED), "w", encoding="utf-8") as file:
        file.write("# Texts with marker words that are left in each file: see check_english.py. Do not raise a number.\n")
        file.writelines(f"{number} {path}\n" for path, number in sorted(counts.items()) if number)


def describe(path, text, found):
    words = "; ".join(f"'{word}': {advice}" for word, advice in found)
    return f"{path}:{text.line}: {words}\n    {text.text[:200]}"


def check(found, allowed):
    """Yield messages about files with more or fewer marked texts than allowed."""
    for path in sorted(set(found) | set(allowed)):
        rows, limit = found.get(path, []), allowed.get(path, 0)
        if len(rows) > limit:
            yield f"{path}: {len(rows)} texts with marker words, {limit} allowed:"
            yield from (describe(path, text, markers) for text, markers in rows)
        elif len(rows) < limit:
            yield f"{path}: {len(rows)} texts with marker words, {limit} allowed: run check_english.py --update"


def directory_of(path):
    parts = path.split("/")
    depth = 3 if path.startswith("src/cli/") else 2 if parts[0] in ("src", "ports", "tests", "include") else 1
    return "/".join(parts[:depth]) if len(parts) > depth else "/".join(parts[:-1]) or "."


def print_shares(tree):
    total, marked = collections.Counter(), collections.Counter()
    for path, rows in tree:
        for text in rows:
            for name in (directory_of(path), f"all: {text.kind}s", "all"):
                total[name] += 1
                marked[name] += bool(markers_of(text))
    for name in sorted(total):
        print(f"{name:24} {total[name]:6} texts {100 * marked[name] / total[name]:5.1f} %")


def main():
    root, options = sys.argv[-1], sys.argv[1:-1]
    tree = list(tree_texts(root))
    if "--count" in options:
        print_shares(tree)
        return
    found = {path: [(text, markers_of(text)) for text in rows if markers_of(text)] for path, rows in tree}
    if "--list" in options:
        under = options[options.index("--list") + 1] if options[-1] != "--list" else ""
        for path, rows in found.items():
            if rows and path.startswith(under):
                print("\n".join(describe(path, text, markers) for text, markers in rows))
        return
    allowed = read_allowed(root)
    if "--update" in options:
        write_allowed(root, {path: min(len(found.get(path, [])), number) for path, number in allowed.items()})
        return
    messages = list(check(found, allowed))
    nr = sum(len(rows) for _, rows in tree)
    print("\n".join(messages) or f"{nr} texts of {len(tree)} files, {sum(allowed.values())} with marker words allowed")
    sys.exit(bool(messages) or not tree)


if __name__ == "__main__":
    main()
