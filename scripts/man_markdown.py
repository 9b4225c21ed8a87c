# SPDX-License-Identifier: BSD-2-Clause
"""Convert the Markdown of docs/ to scdoc, which writes manual pages."""
import os
import re


def file_title(root, base, target):
    """Return the title of a page of docs/ in lower case, or "" for another part of the same page."""
    path = target.partition("#")[0]
    if not path:
        return ""
    with open(os.path.join(root, base, path), encoding="utf-8") as file:
        return file.readline().strip("# \n").lower()


class Links:
    """The pages to which links may lead: `pages` are names such as tally-report.1. A link to another file of docs/
    becomes its path. The file must exist."""

    def __init__(self, root, pages):
        self.root = root
        self.pages = set(pages)
        self.base = "docs"

    def reference(self, target):
        """Return (scdoc reference, name of the page without "tally-")."""
        path, _, anchor = target.partition("#")
        heading = escape(anchor.replace("-", " ").upper())
        if not path:
            return heading, ""
        file = os.path.normpath(os.path.join(self.base, path))
        if not os.path.exists(os.path.join(self.root, file)):
            raise ValueError(f"a link leads to {file}, which does not exist")
        name = os.path.splitext(os.path.basename(file))[0].removeprefix("tally-")
        section = "1" if "/commands/" in file else "7"
        if f"tally-{name}.{section}" not in self.pages or os.path.dirname(file) not in ("docs", "docs/commands"):
            return f"*{escape(file)}* in the source", name
        return f"*tally-{name}*({section})" + (f", {heading}" if heading else ""), name

    def installed(self, text):
        """Replace the paths of pages in a comment or a help text."""
        def page(match):
            name = f"tally-{match[2]}.{'1' if match[1] else '7'}"
            return f"*{name[:-2]}*({name[-1]})" if name in self.pages else match[0]
        return re.sub(r"docs/(commands/)?([\w-]+)\.md", page, text)

    def convert(self, text, target, is_alone):
        """Convert a link; `is_alone` if nothing else is in the same parentheses."""
        reference, name = self.reference(target)
        if is_alone:
            return f"see {reference}"
        is_name = text.strip("`").lower().removeprefix("tally ").removesuffix(".md") == name
        if is_name or file_title(self.root, self.base, target).startswith(text.lower()):
            return reference.replace(", ", " (", 1) + ")" if ", " in reference else reference
        return f"{inline(text)} (see {reference})"


# scdoc has no markup for a full stop at the beginning of a line. scripts/man_pages.py replaces this character by "\\&".
NOTHING = "\u2060"


def escape(text):
    """Return the text with a backslash before each character that scdoc interprets as markup."""
    text = re.sub(r"([\\*_~`])", r"\\\1", text)
    if text.startswith("."):
        return NOTHING + text
    return "\\" + text if text[:1] in tuple("#-;|[]") else text


PARTS = re.compile(r"(?P<code>`[^`]*`)|\*\*(?P<bold>[^*]+)\*\*|\*(?P<italic>\w[^*]*)\*|"
                   r"(?P<before>\(?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)(?P<after>\)?)")


def inline(text, links=None):
    """Convert inline Markdown to scdoc: code is bold, and a link names the page."""
    text = text.replace("<br>", " ")

    def converted(match):
        if match["code"]:
            return f"*{escape(match['code'][1:-1])}*" if match["code"] != "``" else ""
        if match["bold"]:
            return f"*{escape(match['bold'].replace('`', ''))}*"
        if match["italic"]:
            return f"_{escape(match['italic'])}_"
        is_alone = bool(match["before"] and match["after"])
        return match["before"] + links.convert(match["text"], match["target"], is_alone) + match["after"]

    out, at = "", 0
    for match in PARTS.finditer(text):
        if match["text"] is not None and not links:
            continue
        between = text[at:match.start()]
        out += (escape(between) if not out else escape(" " + between)[1:]) + converted(match)
        at = match.end()
    return out + (escape(text[at:]) if not out else escape(" " + text[at:])[1:])


def cells(line):
    return [cell.strip().replace("\0", "|") for cell in line.strip().strip("|").replace("\\|", "\0").split("|")]


def table(lines, links):
    """Convert a table to a list of tagged paragraphs. In tables with three or more columns, each cell after the first is
    a line with the column's header; empty cells are omitted."""
    header, rows = cells(lines[0]), [cells(line) for line in lines[2:]]
    out = []
    if re.match("keys? of ", header[0]):
        out.append(f"{inline(header[0][0].upper() + header[0][1:], links)}:\n")
    for tag, *values in rows:
        found = [(name, value) for name, value in zip(header[1:], values) if value]
        if not tag and found:
            tag = found.pop(0)[1]
        texts = [("" if len(header) == 2 else f"{inline(name, links)}: ") + inline(value, links) for name, value in found]
        out.append(inline(tag, links) + "\n" + ("\t" + "++\n".join(texts) + "\n" if texts else ""))
    return out


def literal_end(lines, at):
    """Return the end of the code block that begins at this line: one in fences, or one indented by four spaces."""
    end = at + 1
    if lines[at].startswith("```"):
        while not lines[end].startswith("```"):
            end += 1
        return end + 1
    while "".join(lines[end:end + 2]).startswith("    "):  # an empty line in the block, too
        end += 1
    return end


def literal(lines):
    return lines[1:-1] if lines[0].startswith("```") else [line[4:] for line in lines]


def table_end(lines, at):
    while at < len(lines) and lines[at].startswith("|"):
        at += 1
    return at


def blocks(text):
    """Yield (kind, lines) for the blocks of a page: heading, literal, table, item, number or text."""
    lines, at, block = text.splitlines(), 0, None
    while at < len(lines):
        line, end = lines[at], at + 1
        mark = re.match(r"(- |\d+\. )(.*)", line)
        starts_literal = line.startswith("```") or line.startswith("    ") and not block
        if block and (mark or starts_literal or line[:1] in ("", "#", "|")):
            yield block
            block = None
        if starts_literal:
            end = literal_end(lines, at)
            yield "literal", literal(lines[at:end])
        elif line.startswith("|"):
            end = table_end(lines, at)
            yield "table", lines[at:end]
        elif line.startswith("#"):
            yield "heading", [line]
        elif mark:
            block = ("item" if mark[1] == "- " else "number", [mark[2]])
        elif block:
            block[1].append(line.strip())
        elif line.strip() and not line.startswith("!["):
            block = ("text", [line.strip()])
        at = end
    if block:
        yield block


MARKS = {"item": "- ", "number": ". ", "text": ""}


def body(text, links):
    """Convert a part of a Markdown page to scdoc. The title is omitted."""
    out, previous = [], ""
    for kind, lines in blocks(text):
        if previous in ("item", "number") and kind != previous:
            out.append("")
        if kind == "heading" and not lines[0].startswith("# "):
            out.append("## " + escape(lines[0].strip("# ").replace("`", "").upper()) + "\n")
        elif kind == "literal":
            out += ["```", *lines, "```\n"]
        elif kind == "table":
            out += table(lines, links)
        elif kind in MARKS:
            out.append(MARKS[kind] + inline(" ".join(lines), links) + ("\n" if kind == "text" else ""))
        previous = kind
    return "\n".join(out) + "\n"


def sections(text):
    """Split a page at its second-level headings: yield (heading in lower case or "", text with the heading)."""
    text = re.sub(r"<!-- options:.*?<!-- end of options -->", "", text, flags=re.S)
    parts = re.split(r"^(?=## )", text, flags=re.M)
    yield "", parts[0]
    for part in parts[1:]:
        yield part.splitlines()[0].strip("# ").lower(), part
