# SPDX-License-Identifier: BSD-2-Clause
"""Pages in section 3 of the manual, from the comments in include/tally: an overview of each header, and pages for the
main functions."""
import errno
import os
import re
import textwrap

from man_markdown import escape, inline

# For each header, the functions with a page. The others in the same list are described on the page of the first.
FUNCTIONS = {
    "region": [["regions_open", "regions_close"], ["region_start", "region_stop"],
               ["regions_count", "regions_get", "regions_nr", "regions_nr_events", "regions_event", "regions_refusal"],
               ["regions_write"]],
    "events": [["events_parse", "event_list_free"], ["events_new", "events_free"]],
    "client": [["counters_open", "counters_close"], ["counters_read"], ["count_scaled"]],
    "perfdata": [["perfdata_open", "perfdata_close"], ["perfdata_next_ordered", "perfdata_next"]],
    "rings": [["rings_new", "rings_free"], ["rings_map"], ["rings_poll", "rings_nr_alive"]],
    "sample": [["sample_decoder_new", "sample_decoder_free", "sample_decoder_read"]],
    "profile": [["analysis_read", "analysis_free"]],
}


def unwrapped(text):
    return re.sub(r"\s*\n\s*", " ", text.strip())


def marked(text):
    """Convert a comment to scdoc: names between backticks become italic."""
    return inline(re.sub(r"`([^`]*)`", r"\1", text)) if "`" not in text else "".join(
        f"_{escape(part)}_" if number % 2 else (escape(" " + part)[1:] if number else escape(part))
        for number, part in enumerate(text.split("`")))


def without_stars(comment):
    return re.sub(r"^[ \t]*\*(?!/) ?", "", comment.strip(), flags=re.M)


def sentences(text):
    return re.split(r"(?<=[.)])(?<!e\.g\.) (?=[A-Z`\"])", text)


def title(sentence):
    """Return the first clause of a sentence, for NAME."""
    first = re.split(r"[.:;](?: |$)", re.sub(r"`| \(docs/[^)]*\)", "", sentence))[0]
    return first[0].lower() + first[1:] if first[1:2].islower() or first[1:2] == " " else first


def functions(text):
    """Yield (name, prototype, comment) for each function of a header. Prototypes that follow each other without a comment
    share the comment of the first."""
    for match in re.finditer(r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:(?:const )?[a-z][^;/{}#]*?\([^;{}]*\);\n)+)", text):
        for prototype in re.findall(r"[^;]+;", match[2].rstrip()):
            name = re.search(r"(\w+)\(", prototype)[1]
            if name.startswith("tally_") and not prototype.strip().startswith("typedef"):
                yield name, unwrapped(prototype), without_stars(match[1])


def wrapped(prototype):
    """Break a prototype between its parameters, so that it fits into 80 columns."""
    kept = re.sub(r"(?<!,) ", "\0", prototype)
    if len(kept.split(", ")[0]) > 74:
        kept = kept.replace("(", "( ", 1)
    lines = textwrap.fill(kept, 70, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return lines.replace("\0", " ")


def structure(text, name):
    """Return (comment, members) of a structure; members are (declaration, comment)."""
    match = re.search(rf"/\*((?:[^*]|\*(?!/))*)\*/\nstruct {name} \{{\n(.*?)\n\}};", text, re.S)
    pattern = r"(?:/\*(.*?)\*/\s*)?([^/;{}]+;)[ \t]*(?:/\*(.*?)\*/)?"
    members = [(unwrapped(line), unwrapped(without_stars(before or after)))
               for before, line, after in re.findall(pattern, match[2], re.S)]
    return unwrapped(without_stars(match[1])), members


def options_of(text, prototypes):
    """Return the names of the option structures that the functions take."""
    names = re.findall(r"const struct (tally_\w+_options) \*", " ".join(prototypes))
    return [name for name in dict.fromkeys(names) if f"struct {name} {{" in text]


def error_items(sentence):
    """Split "Return 0; -EINVAL for X; or an error from Y." into the value and the errors."""
    text = re.sub(r"^Returns? ", "", sentence).rstrip(".")
    text = re.sub(r"such as -E\w+ or -E", lambda found: found[0].replace(" ", "\0"), text)
    items = re.split(r"(?:[;,] or |; otherwise |; | or |, )(?=-E[A-Z0-9]+\b|an error |the error )", text)
    return [item.replace("\0", " ") for item in items]


def error_row(item):
    match = re.match(r"(-E[A-Z0-9]+)\s*(.*)", item, re.S)
    if not match:
        return f"Other errors\n\t{marked(item)}\n"
    text = match[2] or os.strerror(getattr(errno, match[1][1:])).lower()
    return f"*{match[1]}*\n\t{marked(text)}\n"


def is_error(item):
    return re.match(r"-E[A-Z0-9]+|an error |the error ", item)


def split_comment(comment):
    """Return (description, values, errors) of a function's comment."""
    description, values, errors = [], [], []
    for paragraph in comment.split("\n\n"):
        kept = []
        for sentence in sentences(unwrapped(paragraph)):
            items = error_items(sentence) if re.match(r"Returns? (?!values)", sentence) else []
            if not items or not description and not kept and not any(map(is_error, items)):
                kept.append(sentence)
            errors += [item for item in items if is_error(item)]
            values += [item for item in items if not is_error(item)]
        if kept:
            description.append(" ".join(kept))
    return description, values, errors


def value_text(values, errors):
    text = "; ".join(value[0].upper() + value[1:] for value in values) or "0"
    if not errors:
        return f"{marked(text)}.\n"
    return marked(text) + (" on success" if text == "0" else "") + ". On failure, a negative error number; see ERRORS.\n"


def described(found, several):
    """Return (DESCRIPTION, RETURN VALUE, ERRORS) of the functions of a page."""
    parts = ([], [], [])
    seen = set()
    for name, _, comment in found:
        head = f"*{escape(name)}*()\n\n" if several else ""
        description, values, errors = split_comment(comment)
        if comment in seen:
            continue
        seen.add(comment)
        text = description or [unwrapped(comment)]
        parts[0].append(head + "\n\n".join(marked(part) for part in text) + "\n")
        if values or errors:
            parts[1].append(head + value_text(values, errors))
        if errors:
            parts[2].append(head + "\n".join(error_row(error) for error in errors))
    return ["\n".join(part) for part in parts]


def see_also(header, name):
    pages = [f"tally_{group[0]}" for group in FUNCTIONS[header]]
    return ", ".join(f"*{escape(page)}*(3)" for page in [f"tally_{header}", *pages] if page != name) + ", *tally-library*(7)"


def member_name(declaration):
    """Return the name in "bool time;", "const char *path;" or "void (*message)(void *arg);"."""
    return re.search(r"\(\*(\w+)\)|(\w+);", declaration).expand(r"\1\2")


def option_parts(text, prototypes):
    """Return the option structures for SYNOPSIS, and the description of their members."""
    code, out = "", []
    for name in options_of(text, prototypes):
        comment, members = structure(text, name)
        code += f"struct {name} {{\n" + "".join(textwrap.indent(wrapped(line), "    ") + "\n" for line, _ in members) + "};\n\n"
        out.append(f"## struct {escape(name)}\n\n{marked(comment)}\n")
        out += [f"*{escape(member_name(line))}*\n\t{marked(about)}\n" for line, about in members if about]
    return code, "\n".join(out)


def function_page(header, text, names):
    found = {name: (name, prototype, comment) for name, prototype, comment in functions(text)}
    chosen = [found["tally_" + name] for name in names]
    prototypes = [prototype for _, prototype, _ in chosen]
    structs, members = option_parts(text, prototypes)
    description, value, errors = described(chosen, len(chosen) > 1)
    synopsis = structs + "\n\n".join(wrapped(prototype) for prototype in prototypes)
    first = title(unwrapped(chosen[0][2]))
    first = first.split(", ")[0] if len(first) > 60 else first
    names = ", ".join(escape(name) for name, _, _ in chosen)
    page = (f"{chosen[0][0]}(3)\n\n# NAME\n\n{names} - {escape(first)}\n\n# SYNOPSIS\n\n```\n#include <tally/{header}.h>\n\n"
            f"{synopsis}\n```\n\n# DESCRIPTION\n\n{description}\n{members}\n")
    page += f"# RETURN VALUE\n\n{value}\n" if value else ""
    page += f"# ERRORS\n\n{errors}\n" if errors else ""
    return page + f"# SEE ALSO\n\n{see_also(header, chosen[0][0])}\n"


def prose(comment):
    """Convert the comment at the beginning of a header, in which code is indented with tabs."""
    out = []
    for part in comment.split("\n\n"):
        if part.startswith("\t"):
            out.append("```\n" + textwrap.dedent(part).expandtabs(4) + "\n```\n")
        else:
            out.append(marked(unwrapped(part)) + "\n")
    return "\n".join(out)


def overview_page(header, text):
    comment = re.sub(r"^ \* ?", "", re.search(r"/\*\n(.*?)\n \*/", text, re.S)[1], flags=re.M)
    pages = {f"tally_{name}": f"tally_{group[0]}" for group in FUNCTIONS[header] for name in group}
    rows = "\n".join(f"*{escape(name)}*" + ("(3)" if name in pages else "()") + f"\n\t{marked(sentences(unwrapped(about))[0])}\n"
                     for name, _, about in functions(text))
    return (f"tally_{header}(3)\n\n# NAME\n\ntally\\_{header} - {escape(title(unwrapped(comment)))}\n\n# SYNOPSIS\n\n```\n"
            f"#include <tally/{header}.h>\n```\n\n# DESCRIPTION\n\n{prose(comment)}\n# FUNCTIONS\n\n{rows}\n"
            f"# SEE ALSO\n\n{see_also(header, 'tally_' + header)}, *pkg-config*(1)\n")


def pages(root):
    """Yield (name, text) of all pages in section 3."""
    for header, groups in FUNCTIONS.items():
        with open(os.path.join(root, "include", "tally", header + ".h"), encoding="utf-8") as file:
            text = file.read()
        yield f"tally_{header}.3", overview_page(header, text)
        for names in groups:
            yield f"tally_{names[0]}.3", function_page(header, text, names)


def aliases():
    """Return the other names of pages: alias -> page."""
    return {f"tally_{name}.3": f"tally_{group[0]}.3" for groups in FUNCTIONS.values() for group in groups for name in group[1:]}
