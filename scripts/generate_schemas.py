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
    if match := re.fullmatch(r"(?:(string|integer|number|boolean) )?= (.+)", text):
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
    """The lines after the description: (line number, key, type, description)."""

    def __init__(self, text, first):
        self.rows = []
        self.at = 0
        for number, line in enumerate(text.split("\n"), first):
            if self.rows and self.rows[-1][2].endswith("\\"):
                line = f"{self.rows[-1][1]} {self.rows[-1][2][:-1]}{line}"
                number = self.rows.pop()[0]
            code, _, description = line.partition(" # ") if not line.lstrip().startswith("#") else ("", "", line.lstrip("# \t"))
            if code.strip():
                key, _, kind = code.strip().partition(" ")
                self.rows.append((number, key, kind.strip(), description.strip()))
            elif description.strip():
                if not self.rows:
                    raise Invalid(f"line {number}: a description without a key")
                self.rows[-1] = (*self.rows[-1][:3], f"{self.rows[-1][3]} {description.strip()}".strip())

    def next(self):
        if self.at == len(self.rows):
            return None
        self.at += 1
        return self.rows[self.at - 1]


def parse_value(lines, row):
    """Return the schema for the type in a row. The keys of an object are in the rows that follow."""
    number, key, kind, description = row
    try:
        if kind == "{":
            schema = parse_object(lines, row, "}")[0]
        elif kind == "[{":
            items, limits = parse_object(lines, row, "]")
            schema = {"type": "array", "items": items, **limits}
        else:
            schema = parse_type(kind)
    except (ValueError, re.error) as error:  # of json, shlex and int()
        raise Invalid(f"line {number}: {key}: {error}") from error
    return described(schema, description)


def described(schema, description):
    return {**schema, **({"description": description} if description else {})}


def closing_limits(row, bracket):
    """Return the limits in the row that closes an object or array."""
    number, key, kind, _ = row
    match = re.fullmatch(r"\}(?: (\d+)\.\.(\d+))?(\]?)", f"{key} {kind}".strip())
    if not match or (match[3] or "}") != bracket or (match[1] and bracket == "}"):
        raise Invalid(f"line {number}: this bracket does not close what is open")
    return {"minItems": int(match[1]), "maxItems": int(match[2])} if match[1] else {}


def parse_object(lines, opened, bracket):
    """Return the schema for an object, and the limits in its closing row."""
    properties, required = {}, []
    while row := lines.next():
        number, key, _, _ = row
        if key.startswith("}"):
            schema = {"type": "object", "properties": properties, **({"required": required} if required else {}),
                      "additionalProperties": False}
            return schema, closing_limits(row, bracket)
        name = key.removesuffix("?")
        if name in properties or not re.fullmatch(r"\w+", name):
            raise Invalid(f"line {number}: '{name}' appears twice, or is not a name")
        properties[name] = parse_value(lines, row)
        required += [] if key.endswith("?") else [name]
    raise Invalid(f"line {opened[0]}: {opened[1]}: the closing bracket is missing")


def select(schema, definitions, key):
    """Make the definitions named in capitals the alternatives for a document (see "selector" above)."""
    values = [name for name in definitions if name.isupper()]
    if not values or key not in schema.get("required", []) or any("properties" not in definitions[value] for value in values):
        raise Invalid(f"{key}: a selector is a required key, and the definitions in capitals are objects")
    for value in values:
        shared = {name: {"const": value} if name == key else True for name in schema["properties"]}
        definitions[value]["properties"] = {**shared, **definitions[value]["properties"]}
    schema["properties"][key] = described({"enum": values}, schema["properties"][key].get("description"))
    del schema["additionalProperties"]  # each definition has all keys
    schema["allOf"] = [{"if": {"properties": {key: {"const": value}}}, "then": {"$ref": f"#/$defs/{value}"}}
                       for value in values]


def split_definitions(lines):
    """Return the rows that describe the document, and the definitions."""
    document, definitions = [], {}
    while row := lines.next():
        start = lines.at - 1
        number, key, kind, description = row
        if key == "define":
            name, _, kind = kind.partition(" ")
            if name in definitions:
                raise Invalid(f"line {number}: '{name}' is defined twice")
            definitions[name] = parse_value(lines, (number, name, kind.strip(), description))
        else:
            parse_value(lines, row)
            document += lines.rows[start:lines.at]
    if not document:
        raise Invalid("there are no keys")
    return document, definitions


def references(node):
    """Yield the definitions that a schema refers to."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "$ref":
            yield value
        elif isinstance(value, (dict, list)):
            yield from references(value)


def parse_file(text, names):
    """Return the schema that a .fields file describes. `names` are the names of all schemas."""
    head, _, rest = text.partition("\n\n")
    title, _, description = head.partition("\n")
    if not description.strip():
        raise Invalid("the title and the description are missing")
    rows, definitions = split_definitions(Lines(rest, head.count("\n") + 3))
    document = Lines("", 0)
    document.rows = rows
    if rows[0][1] == "document":
        schema = parse_value(document, document.next())
        if document.next():
            raise Invalid("a file with the key 'document' has no other keys")
    else:
        document.rows = [*rows, (0, "}", "", "")]
        schema, _ = parse_object(document, (0, title, "", ""), "}")
        for key in [key for key, value in schema["properties"].items() if value.get("$ref") == "#/$defs/selector"]:
            select(schema, definitions, key)
    known = {f"#/$defs/{name}" for name in definitions} | {f"{name}.schema.json" for name in names}
    for name in references([schema, definitions]):
        if name not in known:
            raise Invalid(f"'{name.removeprefix('#/$defs/')}' is neither a type nor a definition")
    return {"$schema": DRAFT, "title": title, "description": " ".join(description.split()), **schema,
            **({"$defs": definitions} if definitions else {})}


def generate(root, write):
    """Generate all schemas. Return their number, and the names of those that were out of date."""
    paths = sorted(glob.glob(os.path.join(root, "docs", "schemas", "*.fields")))
    names = [os.path.basename(path)[:-len(".fields")] for path in paths]
    old = sorted(name for name in map(os.path.basename, glob.glob(os.path.join(root, "docs", "schemas", "*.schema.json")))
                 if name[:-len(".schema.json")] not in names)  # a schema without its source
    for path in paths:
        try:
            schema = json.dumps(parse_file(read(path), names), indent=2) + "\n"
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
