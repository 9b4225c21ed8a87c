#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write each command's options into its page, docs/commands/NAME.md, from the program's help. With --check, only report
whether the pages are up to date.

usage: update_docs.py [--check] ROOT TALLY
"""
import os
import re
import subprocess
import sys

START, END = "<!-- options: made by scripts/update_docs.py -->", "<!-- end of options -->"


def shown(tally, *words):
    return subprocess.run([tally, "help", *words], capture_output=True, text=True, check=True).stdout


def page_with_options(text, options):
    block = f"{START}\n```\n{options.strip()}\n```\n{END}"
    if START not in text or END not in text:
        return None
    return text[:text.index(START)] + block + text[text.index(END) + len(END):]


def main():
    check = sys.argv[1] == "--check"
    root, tally = sys.argv[2 if check else 1:]
    commands = re.findall(r"^   (\S+) ", shown(tally), re.M)
    wrong = []
    for command in commands:
        path = os.path.join(root, "docs", "commands", f"{command}.md")
        if not os.path.exists(path):
            wrong.append(f"{path} does not exist; every command needs a page")
            continue
        old = open(path, encoding="utf-8").read()
        new = page_with_options(old, shown(tally, command))
        if new is None:
            wrong.append(f"{path}: the lines '{START}' and '{END}' are missing")
        elif new != old and check:
            wrong.append(f"{path}: options have changed: run scripts/update_docs.py")
        elif new != old:
            open(path, "w", encoding="utf-8").write(new)
    print("\n".join(wrong) or f"the options on the pages of {len(commands)} commands are up to date")
    sys.exit(bool(wrong) or not commands)


main()
