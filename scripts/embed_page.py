#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The page that `tally report --html` writes, as C arrays: page.html with style and viewer put in, and a content
security policy that allows these two alone, by their hashes. What tally writes at run time goes between the parts.

usage: embed_page.py OUTPUT.c PAGE.html PAGE.css SCRIPT.js...
"""
import base64
import hashlib
import re
import sys

# What tally puts in, in this order: the parts are what is before, between and behind.
RUNTIME = ["TITLE", "META", "DATA"]
BUILT = ["CSP", "STYLE", "SCRIPT"]
SPDX = re.compile(r"\A(//|/\*) SPDX[^\n]*\n")


def read(path):
    return open(path, encoding="utf-8").read()


def fail(text):
    sys.exit(f"embed_page.py: {text}")


def without_licence(text):
    """The page has a line of it for all its files."""
    return SPDX.sub("", text, count=1)


def joined(paths):
    """All files as one function: their names are in no object that a page has besides."""
    body = "".join(without_licence(read(path)) for path in paths)
    return f'/* SPDX-License-Identifier: BSD-2-Clause */\n(() => {{\n"use strict";\n{body}}})();\n'


def content_hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(style, script):
    return (f"default-src 'none'; script-src {content_hash(script)}; style-src {content_hash(style)}; "
            "img-src data:; base-uri 'none'; form-action 'none'")


def check(text, what, words):
    """What would end the element, or open a comment in which its end is not seen."""
    for word in words:
        if word in text.lower():
            fail(f"{word} may not be in the {what}")


def parts_of(page, built):
    for name in BUILT + RUNTIME:
        if page.count(f"<!--{name}-->") != 1:
            fail(f"page.html must have <!--{name}--> once")
    for name, text in built.items():
        page = page.replace(f"<!--{name}-->", text)
    at, parts = 0, []
    for name in RUNTIME:
        mark = f"<!--{name}-->"
        found = page.find(mark, at)
        if found < 0:
            fail(f"page.html must have {', '.join(RUNTIME)} in this order")
        parts.append(page[at:found])
        at = found + len(mark)
    return parts + [page[at:]]


def array(number, text):
    data = text.encode()
    lines = [", ".join(str(byte) for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"static const unsigned char part_{number}[] = {{\n\t" + ",\n\t".join(lines) + "\n};\n"


def page_parts(html, css, scripts):
    """The page's parts as texts, of the files' names."""
    style, script = "\n" + without_licence(read(css)), "\n" + joined(scripts)
    check(style, "style", ["</style"])
    check(script, "scripts", ["</script", "<script", "<!--"])
    return parts_of(read(html), {"CSP": policy(style, script), "STYLE": style, "SCRIPT": script})


def main():
    output, html, css, *scripts = sys.argv[1:]
    parts = page_parts(html, css, scripts)
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* SPDX-License-Identifier: BSD-2-Clause */\n/* Made by scripts/embed_page.py. */\n")
        out.write('#include "page/parts.h"\n\n')
        for number, part in enumerate(parts):
            out.write(array(number, part) + "\n")
        rows = ",\n\t".join(f"{{part_{i}, sizeof(part_{i})}}" for i in range(len(parts)))
        out.write(f"const struct tally_html_part tally_html_parts[TALLY_HTML_PARTS] = {{\n\t{rows},\n}};\n")


if __name__ == "__main__":
    main()
