#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the manual pages with scdoc: one for each command, from its page in docs/commands and the program's option
table; one for tally-jevents; one for each header and each main library function, from the headers; and some from pages in
docs/. The NAMEs are the pages listed in docs/meson.build, and ALIAS=PAGE for other names of pages, which are installed as
links; they must match the pages that this script writes.

The pages contain the version. They contain a date only if SOURCE_DATE_EPOCH is set, so that two builds of the same
sources produce the same pages.

usage: man_pages.py ROOT TALLY SCDOC VERSION DIRECTORY NAME...
"""
import os
import re
import subprocess
import sys

import help_tables
import man_functions
import man_places
from man_markdown import NOTHING, Links, body, escape, sections

TOPICS = {
    "event-names": "names of events",
    "privileges": "permissions for counting and sampling",
    "exports": "export reports to flame graph, pprof, OpenTelemetry, Firefox and Perfetto formats",
    "library": "the libraries for other programs",
    "emulate": "programs with an emulated perf\\_event\\_open",
    "user-host": "counting and sampling without perf\\_event\\_open",
    "jit": "names of JIT code",
}


def options_text(sections_of_help):
    for heading, options in sections_of_help:
        if heading and options:
            yield f"## {escape(heading.upper())}\n"
        for option in options:
            text = "print a summary of the options" if option.text == "show this help" else option.text
            yield f"*{escape(option.label)}*\n\t{escape(text)}\n"


def rows(title, found):
    """Return a section that lists variables or files, or "" if there are none."""
    if not found:
        return ""
    return f"# {title}\n\n" + "\n".join(f"*{escape(name)}*\n\t{text}\n" for name, text in found) + "\n"


def references(names):
    parts = [name.partition("(") for name in names]
    return "# SEE ALSO\n\n" + ", ".join(f"*{escape(name)}*({section}" for name, _, section in parts) + "\n"


def read(root, *path):
    with open(os.path.join(root, "docs", *path), encoding="utf-8") as file:
        return file.read()


def page_end(name):
    """Return the last sections of a command's page."""
    return (rows("ENVIRONMENT", man_places.used(man_places.VARIABLES, name)) + rows("FILES", man_places.used(man_places.FILES, name)) +
            references(["tally(1)", *man_places.MORE[name]]))


def command_parts(text, links):
    """Return (DESCRIPTION, EXIT STATUS section) of a command's page in docs/."""
    description, status = [], ""
    for heading, part in sections(text):
        if heading == "exit status":
            status = "# EXIT STATUS\n\n" + body(part.split("\n", 1)[1], links) + "\n"
        elif heading != "options":
            description.append(body(part, links))
    return "\n".join(description), status


def command_page(root, command, links):
    description, status = command_parts(read(root, "commands", command.name + ".md"), links)
    usage = "\n\n".join(f"*{escape(line)}*" for line in command.usage)
    notes = "\n".join(escape(line) for line in command.notes)
    own = [part for part in command.sections if not part[0].startswith("perf options")]
    perf = [part for part in command.sections if part[0].startswith("perf options")]
    return (f"tally-{command.name}(1)\n\n# NAME\n\ntally-{command.name} - {escape(lower(command.summary))}\n\n# SYNOPSIS\n\n"
            f"{usage}\n\n# DESCRIPTION\n\n{description}\n\n# OPTIONS\n\n" + "\n".join(options_text(own)) + f"\n{notes}\n\n" +
            "\n".join(options_text(perf)) + f"\n{status}{page_end(command.name)}")


def lower(text):
    return text[0].lower() + text[1:]


def jevents_page(root, links):
    text = read(root, "commands", "tally-jevents.md")
    usage, options = re.search(r"## Usage\n+```\nUsage: (.*?)\n\n(.*?)```\n", text, re.S).groups()
    text = re.sub(r"## Usage\n+```.*?```\n", "", text, flags=re.S)
    description, status = command_parts(text, links)
    synopsis = "\n\n".join(f"*{escape(' '.join(line.split()))}*" for line in usage.splitlines())
    return ("tally-jevents(1)\n\n# NAME\n\ntally-jevents, jevents - compile descriptions of CPU events into C tables\n\n"
            f"# SYNOPSIS\n\n{synopsis}\n\n# DESCRIPTION\n\n{description}\n\n# OPTIONS\n\n```\n{options}```\n\n"
            f"{status}{page_end('jevents')}")


# The options before the command's name. `tally --help` shows only the first three.
GLOBAL_OPTIONS = [
    ("--version", "print the version"),
    ("--help", "list the commands"),
    ("--no-pager", "do not start a pager"),
    ("-p, --paginate", "start a pager, except for commands that use capabilities, such as record"),
    ("--buildid-dir <dir>", "use this directory instead of ~/.debug, as PERF\\_BUILDID\\_DIR"),
    ("--exec-path", "print the directory of the program"),
    ("--list-cmds", "print the names of the commands"),
    ("--list-opts", "print these options"),
    ("--debug <kind>", "ignored; accepted for perf compatibility"),
]


def main_page(commands):
    listed = "\n".join(f"*tally-{command.name}*(1)\n\t{escape(lower(command.summary))}\n" for command in commands)
    topics = [f"tally-{topic}(7)" for topic in TOPICS]
    return ("tally(1)\n\n# NAME\n\ntally - count and profile programs with perf\\_events\n\n# SYNOPSIS\n\n"
            "*tally* [*--version*] [*--help*] [*--no-pager* | *-p*] COMMAND [ARGS]\n\n# COMMANDS\n\n" + listed +
            "\n" + rows("OPTIONS", GLOBAL_OPTIONS) + rows("ENVIRONMENT", man_places.used(man_places.VARIABLES, "")) +
            rows("FILES", man_places.used(man_places.FILES, "")) + references([*topics, "perf_event_open(2)"]))


def topic_page(root, topic, what, links):
    return (f"tally-{topic}(7)\n\n# NAME\n\ntally-{topic} - {what}\n\n# DESCRIPTION\n\n"
            f"{body(read(root, topic + '.md'), links)}\n\n" +
            references(["tally(1)", *(f"tally-{other}(7)" for other in TOPICS if other != topic)]))


def pages(root, tally, links):
    commands = help_tables.commands(tally)
    yield "tally.1", main_page(commands)
    links.base = "docs/commands"
    for command in commands:
        yield f"tally-{command.name}.1", command_page(root, command, links)
    yield "tally-jevents.1", jevents_page(root, links)
    yield from man_functions.pages(root)
    links.base = "docs"
    for topic, what in TOPICS.items():
        yield f"tally-{topic}.7", topic_page(root, topic, what, links)


def minus_signs(roff_text):
    """Write the hyphens of code and options as minus signs, at which lines are not broken. Long words may be broken after
    other punctuation."""
    out, is_code = [], False
    for line in roff_text.split("\n"):
        is_code = line == ".nf" or is_code and line != ".fi"
        if is_code and line != ".nf":
            line = re.sub(r"(?<!\\)-", r"\\-", line)
        elif not line.startswith((".", "\\h")):
            line = re.sub(r"\\fB.*?\\fR", lambda bold: re.sub(r"(?<!\\)-", r"\\-", bold[0]), line)
            line = re.sub(r"(?<![\w\\-])-(-?)(?=\w)", lambda found: "\\-" * len(found[0]), line)
            line = re.sub(r"\S{50,}", lambda word: re.sub(r"(?<=[|,/])(?=\w)", r"\\:", word[0]), line)
        out.append(line)
    return "\n".join(out)


def roff(scdoc, name, version, text):
    """Convert a page to roff, with the version in its footer."""
    manual = ' "libtally"' if name.endswith(".3") else ""  # the default title is too long next to long names
    text = re.sub(r"\n{3,}", "\n\n", text.replace("\n", f' "tally {version}"{manual}\n', 1))
    done = subprocess.run([scdoc], input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    made = minus_signs(done.stdout).replace(NOTHING, r"\&")
    # .TH switches hyphenation on.
    made = re.sub(r"^(\.TH .*\n)", r"\1.nh\n.ad l\n", made, count=1, flags=re.M)
    if "SOURCE_DATE_EPOCH" in os.environ:
        return made
    # Without the variable, scdoc writes the date of the build.
    return re.sub(r'^(\.TH "[^"]*" "[^"]*") "[0-9-]*"', r'\1 ""', made, count=1, flags=re.M)


def main():
    root, tally, scdoc, version, directory, *names = sys.argv[1:]
    links = Links(root, [name for name in names if "=" not in name])
    made = dict(pages(root, tally, links))
    aliases = {f"{alias}={page}" for alias, page in man_functions.aliases().items()}
    if set(made) | aliases != set(names):
        different = sorted((set(made) | aliases) ^ set(names))
        sys.exit(f"docs/meson.build and the scripts/man_*.py do not have the same pages: {different}")
    os.makedirs(directory, exist_ok=True)
    for name, text in made.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(roff(scdoc, name, version, links.installed(text)))


if __name__ == "__main__":
    main()
