#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Generate docs/schemas/NAME.schema.json (JSON Schema, draft 2020-12) from docs/schemas/NAME.fields.

usage: generate_schemas.py ROOT   (scripts/check_schemas.py checks that they are up to date)

The first line of a .fields file is the title; the paragraph after it is the description. Each of the following lines
describes one key:

    name TYPE            # description; a line that has only a comment continues it
    name? TYPE           a key that is not in every document
    name {               an object; its keys follow, then a line with "}"
    name [{              an array of objects; its keys follow, then a line with "}]" or "} MIN..MAX]"
    define NAME TYPE     a definition, which a type can name

A type is one of:

    string integer number boolean null   or several with | between them
    1..9                                 an integer in a range
    = JSON                               a constant; "boolean = true" also states its type
    one of WORD...                       a string of these, quoted as in a shell
    /REGEX/                              a string that matches
    [TYPE]  [TYPE; MIN..MAX]             an array, of a limited length
    NAME                                 a definition of this file
    NAME.schema.json                     another schema
    selector                             the name of a definition in capitals, which lists the other keys of the document

A "\\" at the end of a line continues it on the next line. The key "document" specifies the type of the document itself,
for example an array.
"""
import glob
import json
import os
import re
import shlex
import sys

SIMPLE = {"string", "integer", "number", "boolean", "null"}
DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Invalid(Exception):
    """Raised for a .fields file that is not valid."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parse_type(text):
    """Return the schema for a type that is given on one line."""
    words = text.split("|")
    if set(words) <= SIMPLE:
        return {"type": words if len(words) > 1 else text}
    if match := re.fullmatch(r"(?:(\w+) )?= (.+)", text):
        return {**({"type": match[1]} if match[1] else {}), "const": json.loads(match[2])}
    if match := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text):
        return {"type": "integer", "minimum": int(match[1]), "maximum": int(match[2])}
    if text.startswith("one of "):
        return {"enum": shlex.split(text)[2:]}
    if match := re.fullmatch(r"/(.+)/", text):
        return {"type": "string", "pattern": match[1]}
    if match := re.fullmatch(r"\[(.+?)(?:; (\d+)\.\.(\d+))?\]", text):
        limits = {"minItems": int(match[2]), "maxItems": int(match[3])} if match[2] else {}
        return {"type": "array", "items": parse_type(match[1]), **limits}
    if re.fullmatch(r"[\w-]+\.schema\.json", text):
        return {"$ref": text}
    if re.fullmatch(r"\w+", text):
        return {"$ref": f"#/$defs/{text}"}
    raise Invalid(f"'{text}' is not a type")


class Lines:
    """The lines after the description, parsed into (key, type, description)."""

    def __init__(self, text):
        self.rows = []
        for line in text.replace("\\\n", " ").splitlines():
            code, _, description = line.partition(" # ") if not line.lstrip().startswith("#") else ("", "", line.lstrip("# \t"))
            if code.strip():
                self.rows.append([*(code.split(maxsplit=1) + [""])[:2], description.strip()])
            elif description.strip():
                self.rows[-1][2] += " " + description.strip()
        self.at = 0

    def next(self):
        if self.at == len(self.rows):
            return None
        self.at += 1
        key, kind, description = self.rows[self.at - 1]
        return key, kind.strip(), description.strip()


def parse_value(lines, kind):
    """Return the schema for a type. The keys of an object are on the lines that follow."""
    if kind == "{":
        return parse_object(lines)[0]
    if kind == "[{":
        items, limits = parse_object(lines)
        minimum, _, maximum = limits.rstrip("]").partition("..")
        return {"type": "array", "items": items, **({"minItems": int(minimum), "maxItems": int(maximum)} if maximum else {})}
    return parse_type(kind)


def described(schema, description):
    return {**schema, **({"description": description} if description else {})}


def parse_object(lines):
    """Return the schema for an object, and the text after its closing bracket."""
    properties, required = {}, []
    while row := lines.next():
        key, kind, description = row
        if key.startswith("}"):
            break
        name = key.rstrip("?")
        if name in properties:
            raise Invalid(f"the key '{name}' appears twice")
        properties[name] = described(parse_value(lines, kind), description)
        required += [] if key.endswith("?") else [name]
    else:
        raise Invalid("a '}' is missing")
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {}), "additionalProperties": False}
    return schema, key[1:] + kind


def select(schema, definitions, key):
    """Make the definitions named in capitals the alternatives for a document (see "selector" above)."""
    values = [name for name in definitions if name.isupper()]
    for value in values:
        shared = {name: {"const": value} if name == key else True for name in schema["properties"]}
        definitions[value]["properties"] = {**shared, **definitions[value]["properties"]}
    schema["properties"][key] = described({"enum": values}, schema["properties"][key].get("description"))
    del schema["additionalProperties"]  # each definition has all keys
    schema["allOf"] = [{"if": {"properties": {key: {"const": value}}}, "then": {"$ref": f"#/$defs/{value}"}}
                       for value in values]


def split_definitions(lines):
    """Return the lines that describe the document, and the definitions."""
    document, definitions = Lines(""), {}
    while row := lines.next():
        start = lines.at - 1
        if row[0] == "define":
            name, kind = row[1].split(maxsplit=1)
            definitions[name] = described(parse_value(lines, kind), row[2])
        else:
            parse_value(lines, row[1])
            document.rows += lines.rows[start:lines.at]
    return document, definitions


def parse_file(text):
    """Return the schema that a .fields file describes."""
    head, _, rest = text.partition("\n\n")
    title, _, description = head.partition("\n")
    document, definitions = split_definitions(Lines(rest))
    if document.rows[0][0] == "document":
        schema = parse_value(document, document.next()[1])
    else:
        document.rows.append(["}", "", ""])
        schema, _ = parse_object(document)
        for key in [key for key, value in schema["properties"].items() if value.get("$ref") == "#/$defs/selector"]:
            select(schema, definitions, key)
    return {"$schema": DRAFT, "title": title, "description": " ".join(description.split()), **schema,
            **({"$defs": definitions} if definitions else {})}


def generate(root, write):
    """Generate all schemas. Return their number, and the names of those that were out of date."""
    paths = sorted(glob.glob(os.path.join(root, "docs", "schemas", "*.fields")))
    old = []
    for path in paths:
        try:
            schema = json.dumps(parse_file(read(path)), indent=2) + "\n"
        except Invalid as error:
            raise Invalid(f"{path}: {error}") from error
        output = path[:-len(".fields")] + ".schema.json"
        if not os.path.exists(output) or read(output) != schema:
            old.append(os.path.basename(output))
            if write:
                with open(output, "w", encoding="utf-8") as file:
                    file.write(schema)
    return len(paths), old


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: generate_schemas.py ROOT")
    try:
        number, old = generate(sys.argv[1], write=True)
    except Invalid as error:
        sys.exit(f"generate_schemas.py: {error}")
    print(f"{number} schemas, {len(old)} of them rewritten")


if __name__ == "__main__":
    main()
