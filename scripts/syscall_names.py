#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the names of the target's system calls as rows of a C table, {number, "name"}, in ascending order.

usage: syscall_names.py OUTPUT COMPILER [ARG...]
"""
import re
import subprocess
import sys


def main():
    output, *compiler = sys.argv[1:]
    macros = subprocess.run([*compiler, "-dM", "-E", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                            capture_output=True, text=True, check=True).stdout
    names = {int(number): name for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", macros, re.M)}
    with open(output, "w", encoding="ascii") as file:
        file.writelines(f'{{{number}, "{name}"}},\n' for number, name in sorted(names.items()))


main()
