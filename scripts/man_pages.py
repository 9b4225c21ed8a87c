#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the manual pages with scdoc: one for each command, from its page in docs/commands and the program's option
table; one for tally-jevents; one for each main library function, from the headers; and some from pages in docs/. The
NAMEs are the pages listed in docs/meson.build; they must match the pages that this script writes.

The pages contain the version. They contain a date only if SOURCE_DATE_EPOCH is set, so that two builds of the same
sources produce the same pages.

usage: man_pages.py ROOT TALLY SCDOC VERSION DIRECTORY NAME...
"""
import os
import re
import subprocess
import sys

import help_tables

# For each header, the main library functions that it declares.
FUNCTIONS = {
    "region": ["tally_regions_open", "tally_region_start", "tally_regions_count", "tally_regions_write"],
    "events": ["tally_events_parse"],
    "client": ["tally_counters_open", "tally_counters_read", "tally_count_scaled"],
    "perfdata": ["tally_perfdata_open", "tally_perfdata_next_ordered"],
    "rings": ["tally_rings_new"],
    "sample": ["tally_sample_decoder_new"],
    "profile": ["tally_analysis_read"],
}
TOPICS = {
    "event-names": "names of events",
    "privileges": "permissions for counting and sampling",
    "exports": "formats for other programs",
    "library": "the libraries for other programs",
}


def escape(text):
    """Return the text with a backslash before each character that scdoc interprets as markup."""
    return re.sub(r"([\\*_<>~`#.-])", r"\\\1", text) if text[:1] in "#.-" else re.sub(r"([\\*_~`])", r"\\\1", text)


def inline(text):
    """Convert inline Markdown to scdoc: code becomes bold, and a link becomes its text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"*{escape(part)}*" if number % 2 and part else escape(part) for number, part in enumerate(parts))


def table_row(line):
    cells = [inline(cell.strip()) for cell in line.strip().strip("|").replace("\\|", "\0").split("|")]
    cells = [cell.replace("\0", "|") for cell in cells]
    return f"{cells[0]}\n\t" + " - ".join(cell or "-" for cell in cells[1:]) + "\n"


def flush(paragraph, out):
    if paragraph:
        out.append(inline(" ".join(paragraph)) + "\n")
        paragraph.clear()


def body(text):
    """Convert a Markdown page to scdoc, without its title and the generated options."""
    text = re.sub(r"<!-- options:.*?<!-- end of options -->", "", text, flags=re.S)
    out, paragraph, literal = [], [], False
    for line in text.splitlines():
        if line.startswith("```") or literal:
            flush(paragraph, out)
            literal = literal != line.startswith("```")
            out.append(line[:3] + ("\n" if not literal else "") if line.startswith("```") else line)
        elif line.startswith("#"):
            flush(paragraph, out)
            if not line.startswith("# "):
                out.append("## " + escape(line.strip("# ").upper()) + "\n")
        elif line.startswith("|"):
            flush(paragraph, out)
            if not re.match(r"\|[ :-]*-+[ :-]*\|", line):
                out.append(table_row(line))
        elif re.match(r"- |\d+\. ", line):
            flush(paragraph, out)
            paragraph.append(line.split(" ", 1)[1])
        elif line.startswith("!["):
            continue
        elif line.strip():
            paragraph.append(line.strip())
        else:
            flush(paragraph, out)
    flush(paragraph, out)
    return "\n".join(out)


def options_text(command):
    for heading, options in command.sections:
        if heading and options:
            yield f"## {escape(heading.upper())}\n"
        for option in options:
            yield f"*{escape(option.label)}*\n\t{escape(option.text)}\n"


def command_page(root, command):
    with open(os.path.join(root, "docs", "commands", command.name + ".md"), encoding="utf-8") as file:
        text = file.read()
    usage = "\n\n".join(f"*{escape(line)}*" for line in command.usage)
    notes = "\n".join(escape(line) for line in command.notes)
    summary = command.summary[0].lower() + command.summary[1:]
    return (f"tally-{command.name}(1)\n\n# NAME\n\ntally-{command.name} - {escape(summary)}\n\n# SYNOPSIS\n\n{usage}\n\n"
            f"# DESCRIPTION\n\n{body(text)}\n\n# OPTIONS\n\n" + "\n".join(options_text(command)) +
            f"\n{notes}\n\n# SEE ALSO\n\n*tally*(1), *tally-event-names*(7), *tally-privileges*(7)\n")


def jevents_page(root):
    with open(os.path.join(root, "docs", "commands", "tally-jevents.md"), encoding="utf-8") as file:
        text = file.read()
    return ("tally-jevents(1)\n\n# NAME\n\ntally-jevents, jevents - compile descriptions of CPU events into C tables\n\n"
            f"# DESCRIPTION\n\n{body(text)}\n\n# SEE ALSO\n\n*tally*(1), *tally-list*(1)\n")


def main_page(commands):
    rows = "\n".join(f"*tally-{command.name}*(1)\n\t{escape(command.summary)}\n" for command in commands)
    return ("tally(1)\n\n# NAME\n\ntally - count and profile programs with perf\\_events\n\n# SYNOPSIS\n\n"
            f"*tally* [*--version*] [*--help*] [*--no-pager* | *-p*] COMMAND [ARGS]\n\n# COMMANDS\n\n{rows}\n"
            "# SEE ALSO\n\n*tally-event-names*(7), *tally-privileges*(7), *perf\\_event\\_open*(2)\n")


def declaration(text, name):
    """Return (prototype, comment) for a function. Several prototypes after one comment share that comment."""
    match = re.search(rf"/\*((?:[^*]|\*(?!/))*)\*/\n(?:[a-z][^;/]*;\n)*?([a-z][^;/]*?\b{name}\([^;]*\);)", text)
    comment = re.sub(r"^[ \t]*\*? ?", "", match.group(1).strip(), flags=re.M)
    return match.group(2), comment


def function_page(header, text, name):
    prototype, comment = declaration(text, name)
    general = re.sub(r"^ \* ?", "", re.search(r"/\*\n(.*?)\n \*/", text, re.S).group(1), flags=re.M)
    paragraphs = [re.sub(r"\s*\n\s*", " ", part) for part in comment.split("\n\n")]
    first = re.split(r"(?<=[a-z)])[.:;] ", paragraphs[0])[0].rstrip(".")
    described = "\n\n".join(escape(part) for part in paragraphs)
    return (f"{name}(3)\n\n# NAME\n\n{escape(name)} - {escape(first[0].lower() + first[1:])}\n\n# SYNOPSIS\n\n```\n"
            f"#include <tally/{header}.h>\n\n{prototype}\n```\n\n# DESCRIPTION\n\n{described}\n\n# THE HEADER\n\n"
            f"```\n{general.strip()}\n```\n\n# SEE ALSO\n\n*tally*(1), *pkg-config*(1)\n")


def pages(root, tally):
    commands = help_tables.commands(tally)
    yield "tally.1", main_page(commands)
    for command in commands:
        yield f"tally-{command.name}.1", command_page(root, command)
    yield "tally-jevents.1", jevents_page(root)
    for header, names in FUNCTIONS.items():
        with open(os.path.join(root, "include", "tally", header + ".h"), encoding="utf-8") as file:
            text = file.read()
        for name in names:
            yield f"{name}.3", function_page(header, text, name)
    for topic, what in TOPICS.items():
        with open(os.path.join(root, "docs", topic + ".md"), encoding="utf-8") as file:
            yield f"tally-{topic}.7", (f"tally-{topic}(7)\n\n# NAME\n\ntally-{topic} - {what}\n\n# DESCRIPTION\n\n"
                                       f"{body(file.read())}\n\n# SEE ALSO\n\n*tally*(1)\n")


def roff(scdoc, name, version, text):
    """Convert a page to roff, with the version in its footer."""
    text = re.sub(r"\n{3,}", "\n\n", text.replace("\n", f' "tally {version}"\n', 1))
    done = subprocess.run([scdoc], input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    if "SOURCE_DATE_EPOCH" in os.environ:
        return done.stdout
    # Without the variable, scdoc writes the date of the build.
    return re.sub(r'^(\.TH "[^"]*" "[^"]*") "[0-9-]*"', r'\1 ""', done.stdout, count=1, flags=re.M)


def main():
    root, tally, scdoc, version, directory, *names = sys.argv[1:]
    made = dict(pages(root, tally))
    if set(made) != set(names):
        sys.exit(f"docs/meson.build and scripts/man_pages.py do not have the same pages: {sorted(set(made) ^ set(names))}")
    os.makedirs(directory, exist_ok=True)
    for name, text in made.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(roff(scdoc, name, version, text))


if __name__ == "__main__":
    main()
