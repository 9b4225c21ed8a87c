#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check with doxygen that each function, structure and enumeration in the public headers has a comment, and that doxygen
understands the comments. Members do not need one.

usage: check_doxygen.py ROOT    (exits with 77 if doxygen is not installed)
       check_doxygen.py --filter HEADER    (doxygen's input filter: print the header with doxygen's comments)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Findings that are accepted. tally/abi.h contains Linux's definitions, which perf_event_open(2) describes.
ACCEPTED = re.compile(r"Member .* \((variable|macro definition|enumvalue|enumeration value)\)|/abi\.h:\d+: |"
                      # "#include" and "#define" in text
                      r"explicit link request to '(include|define)'")
FINDING = re.compile(r": (?:warning|error): ")


def filtered(text):
    """Turn comments before declarations, and comments after members, into doxygen's."""
    is_first = True
    for line in text.split("\n"):
        before = re.match(r"(\s*)/\*(?: (.*)|)$", line)
        after = re.match(r"(\s*[^\s#*].*?)\s*/\* (.*)$", line)
        if re.match(r"/\* (SPDX|----)", line):
            yield line
        elif before and is_first:
            is_first = False
            yield f"/** @file\n * {before[2] or ''}"
        elif before:
            yield f"{before[1]}/** {before[2] or ''}"
        elif after:
            yield f"{after[1]} /**< {after[2]}"
        else:
            yield line


def findings(root, work):
    config = os.path.join(work, "Doxyfile")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"INPUT = {os.path.join(root, 'include', 'tally')}\nFILE_PATTERNS = *.h\nOUTPUT_DIRECTORY = {work}\n"
                   "GENERATE_HTML = NO\nGENERATE_LATEX = NO\nGENERATE_XML = YES\nQUIET = YES\nOPTIMIZE_OUTPUT_FOR_C = YES\n"
                   f"INPUT_FILTER = \"{sys.executable} {os.path.abspath(__file__)} --filter\"\n"
                   "MACRO_EXPANSION = YES\nPREDEFINED = __attribute__(x)=\nWARN_NO_PARAMDOC = NO\n")
    run = subprocess.run(["doxygen", config], capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"doxygen failed:\n{run.stderr[-2000:]}")
    return [line for line in run.stderr.splitlines() if FINDING.search(line)]


def main():
    if sys.argv[1] == "--filter":
        with open(sys.argv[2], encoding="utf-8") as file:
            print("\n".join(filtered(file.read())))
        return 0
    if not shutil.which("doxygen"):
        print("doxygen is not installed")
        return 77
    with tempfile.TemporaryDirectory() as work:
        found = findings(sys.argv[1], work)
    wrong = [line for line in found if not ACCEPTED.search(line)]
    print("\n".join(wrong) if wrong else f"all functions and types of the public headers are documented ({len(found)} members are not)")
    return 1 if wrong or not found else 0


sys.exit(main())
