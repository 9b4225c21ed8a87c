#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A file as a C array, for what has to be in the program itself.

usage: embed_bytes.py OUTPUT.c HEADER.h NAME [FILE]

Without a file the array has nothing in it: its length is 0.
"""
import sys


def main():
    output, header, name, *paths = sys.argv[1:]
    content = b"".join(open(path, "rb").read() for path in paths)
    with open(output, "w", encoding="utf-8") as file:
        file.write(f'/* Made by scripts/embed_bytes.py. */\n#include "{header}"\n\n')
        file.write(f"const unsigned char {name}[] = {{\n")
        file.write("" if content else "\t0,\n")
        for at in range(0, len(content), 16):
            file.write("\t" + " ".join(f"{byte}," for byte in content[at:at + 16]) + "\n")
        file.write(f"}};\nconst size_t {name}_len = {len(content)};\n")


main()
