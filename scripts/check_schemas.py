#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check docs/schemas against the sources:

- each JSON key that a command writes is in the schema of its output, and each key in a schema is written;
- the enumerations in a schema have the same values as the tables in the sources;
- the objects in a schema do not allow unknown keys;
- each source file that writes JSON is listed for a schema;
- each schema is identical to the output of scripts/generate_schemas.py.

usage: check_schemas.py ROOT
"""
import glob
import json
import os
import re
import sys

import generate_schemas

# For each schema, the sources, relative to src/, that write documents with this schema.
WRITERS = {
    "health": ["view/health.c", "view/health_jit.c", "view/health_lines.c", "view/health_stacks.c", "session/traces.c"],
    "report": ["cli/report/report_text.c", "view/view_json.c"],
    "annotate": ["cli/annotate/annotate.c", "view/annotate_json.c"],
    "diff": ["cli/diff/diff.c", "cli/diff/compare.c", "view/diff_json.c"],
    "list": ["cli/list/list_print.c"],
    "doctor": ["cli/doctor/doctor_print.c"],
    "stat": ["cli/stat/stat_json.c", "cli/stat/stat_keys.c", "cli/main/via_programs.c"],
    "stat-plan": ["cli/stat/plan.c"],
    "regions": ["cli/main/region_print.c"],
    "script": ["cli/main/dump.c", "cli/main/dump_sample.c"],
    "page": ["page/meta.c", "page/page_verdicts.c"],
    "page-code": ["page/page_code.c", "page/page_source.c"],
}
# Keys in tables: schema, source, and a regular expression that finds the keys.
TABLES = [
    ("health", "view/health.c", r'^\t\t\{"(\w+)", "'),
    ("health", "view/health_stacks.c", r'\[TALLY_UNWIND_\w+\] =\s*\{"(\w+)",'),
    ("report", "view/columns.c", r'^\t(?:\{|LABEL\(|WEIGHT\(|BRANCH\()"(\w+)", "[^"]*", (?:TALLY_KEY_|tally_cell_)|^\tPART\("(\w+)"'),
    ("stat", "cli/stat/stat_keys.c", r'\{"(\w+)", key->'),
    ("stat", "cli/main/via_programs.c", r'\[TALLY_VIA_\w+\] =\s*\{"(\w+)"'),
    ("page", "page/meta.c", r'add_lines\("(\w+)"'),
    ("diff", "cli/diff/diff.c", r'\\"(\w+)\\":'),
    ("script", "cli/main/dump_sample.c", r'dump_words\(out, "(\w+)"'),
    ("script", "abi/record_table.c", r'\b(?:U16|U32|U64|STRING)\("(\w+)"\)|\{"(\w+)", TALLY_FIELD_(?!READ)'),
    ("script", "perfdata/perfdata_records.c", r'\bFIELD\("(\w+)"|\{"(\w+)", TALLY_FIELD_|(?:true|false), "(\w+)"'),
    ("script", "abi/sample_fields.c", r'\{PERF_SAMPLE_\w+, "(\w+)"'),
    ("script", "abi/sample_fields.c", r'\{PERF_SAMPLE_\w+, "\w+", "(\w+)"'),
]
# Enumeration values: schema, key, source, a regular expression that finds the table, and additional values (None if the
# table is one of several).
WORDS = [
    ("stat", "quality", "client/client_count.c", r'\[TALLY_QUALITY_\w+\] = "([^"]*)"', set()),
    ("stat", "aggregation", "cli/stat/stat_keys.c", r'\[STAT_AGGR_\w+\] = \{"[^"]*", "([^"]*)"', {"all"}),
    ("stat-plan", "verdict", "cli/stat/plan.c", r'return (?:[^;]*\? )?"([^"]*)"(?: : "([^"]*)")?;', set()),
    ("diff", "verdict", "view/view_diff.c", r'\[TALLY_DIFF_(?:UNKNOWN|FEW|SAME|GREW|SHRANK)\] = "([^"]*)"', set()),
    ("diff", "state", "view/view_diff.c", r'^\t\[TALLY_DIFF_(?!UNKNOWN|SAME|SHRANK)\w+\] = "([^"]*)",$', set()),
    ("doctor", "section", "cli/doctor/doctor_print.c", r'\[DOCTOR_\w+\] = "([^"]*)"', set()),
    ("doctor", "state", "cli/doctor/doctor_print.c", r'\[DOCTOR_\w+\] = \{"(\w+)"', set()),
    ("list", "kind", "cli/main/overwrite_marks.c", r'^\t"([A-Z][A-Za-z ]+)",$', set()),
    ("health", "end", "view/health_stacks.c", r'\[TALLY_UNWIND_\w+\] =\s*\{"(\w+)",', set()),
    ("annotate", "kind", "view/annotate_json.c", r'\[TALLY_INSTRUCTION_\w+\] = "([^"]*)"', set()),
    ("page", "name", "page/column.c", r'\[PAGE_\w+\] = \{"(\w+)"', set()),
    ("page", "as", "page/column.c", r'\[PAGE_\w+\] = "(\w+)"', set()),
    ("script", "name", "abi/record_table.c", r'RECORD\(([A-Z]\w+),|PERF_RECORD_\w+, "(\w+)"', None),
    ("script", "name", "perfdata/perfdata_records.c", r'(?:DESC|EMPTY)\(TALLY_PERFDATA_\w+, "(\w+)"', None),
]
# Sources that write JSON without a schema, and the reasons.
OTHERS = {
    "cli/data/data_json.c": "the layout of perf data convert",
    "cli/stat/stat_csv.c": "perf's keys, for -j",
    **dict.fromkeys(["export/firefox.c", "export/firefox_tables.c", "export/firefox_threads.c"], "the Firefox Profiler's format"),
    "export/speedscope.c": "speedscope's format",
}
# Directories of the commands and of the modules that write their output.
DIRECTORIES = ("cli/*", "view", "page", "export")
CALL = re.compile(r"\b\w*json\w*\(")
CHARACTER = re.compile(r"'(?:\\.|[^'\\\n])'")  # brackets in character literals do not count
LITERAL = re.compile(r'"(\w+)"')


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def arguments(text, at):
    """Return the arguments of a call. `at` is the offset after the opening parenthesis."""
    depth, start, found, quoted = 1, at, [], False
    while depth and at < len(text):
        char = text[at]
        if char == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (char in "([{") - (char in ")]}")
            if depth == 1 and char == "," or not depth:
                found.append(text[start:at])
                start = at + 1
        at += 1
    return found


def keys_of_calls(text):
    """Yield the keys in calls to JSON writers: the strings in the first argument that contains string literals."""
    text = CHARACTER.sub("0", text)
    for match in CALL.finditer(text):
        for argument in arguments(text, match.end()):
            words = LITERAL.findall(argument)
            if words:
                yield from words
                break


def found_by(pattern, text):
    return {word for match in re.finditer(pattern, text, re.M) for word in match.groups() if word}


def written(source, schema):
    keys = {key for name in WRITERS[schema] for key in keys_of_calls(read(source, name))}
    for other, name, pattern in TABLES:
        if other == schema:
            more = found_by(pattern, read(source, name))
            if not more:
                raise SystemExit(f"src/{name}: found no keys with {pattern}")
            keys |= more
    return keys


def objects(node, path=""):
    """Yield (path, schema) for each object in a schema."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield path or "/", node
        for key, value in node.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from objects(value, f"{path}/{i}")


def enums(node, key):
    """Return the values allowed by all enumerations for a key, including definitions with that name."""
    if isinstance(node, list):
        return set().union(*(enums(value, key) for value in node))
    if not isinstance(node, dict):
        return set()
    found = set(node[key].get("enum", [])) if isinstance(node.get(key), dict) else set()
    return found.union(*(enums(value, key) for value in node.values()))


def complaints_of_keys(source, name, schema):
    known = {key for _, node in objects(schema) for key in node["properties"]}
    keys = written(source, name)
    # A shared part, such as health or regions, has its own schema. Documents that contain the part use the part's name as the key.
    for key in sorted(keys - known - {name}):
        yield f"docs/schemas/{name}.schema.json does not have the key '{key}', which the sources write"
    for key in sorted(known - keys - {"health", "regions"}):
        yield f"docs/schemas/{name}.schema.json has the key '{key}', which no source writes"
    for path, node in objects(schema):
        is_closed = node.get("additionalProperties") is False
        if not is_closed and not (name == "script" and path == "/"):
            yield f"docs/schemas/{name}.schema.json: {path} allows unknown keys; set additionalProperties to false"


def complaints_of_words(source, schemas):
    named = {}
    for name, key, path, pattern, besides in WORDS:
        words = found_by(pattern, read(source, path))
        if not words:
            raise SystemExit(f"src/{path}: found no values with {pattern}")
        if besides is None:  # one of several tables
            named.setdefault((name, key), {"UNKNOWN"}).update(words)
        else:
            named[name, key] = words | besides
    for (name, key), words in named.items():
        taken = enums(schemas[name], key)
        for word in sorted(words ^ taken):
            where = "the sources have" if word in words else "the schema has"
            yield f"docs/schemas/{name}.schema.json: {key}: only {where} '{word}'"


def complaints_of_files(source, names):
    known = {path for paths in WRITERS.values() for path in paths} | set(OTHERS)
    for path in sorted(path for directory in DIRECTORIES for path in glob.glob(os.path.join(source, directory, "*.c"))):
        name = os.path.relpath(path, source).replace(os.sep, "/")
        if '#include "base/json.h"' in read(path) and name not in known:
            yield f"src/{name} writes JSON, but scripts/check_schemas.py lists no schema for it"
    for name in sorted(names ^ set(WRITERS)):
        yield f"docs/schemas/{name}.schema.json: the file or its entry in WRITERS is missing"


def main():
    root = sys.argv[1]
    source, folder = os.path.join(root, "src"), os.path.join(root, "docs", "schemas")
    paths = glob.glob(os.path.join(folder, "*.schema.json"))
    schemas = {os.path.basename(path).split(".")[0]: json.loads(read(path)) for path in paths}
    wrong = list(complaints_of_files(source, set(schemas)))
    if not wrong:
        for name, schema in sorted(schemas.items()):
            wrong += complaints_of_keys(source, name, schema)
        wrong += complaints_of_words(source, schemas)
    try:
        _, old = generate_schemas.generate(root, write=False)
        wrong += [f"docs/schemas/{name} is not what scripts/generate_schemas.py generates: run it" for name in old]
    except generate_schemas.Invalid as error:
        wrong.append(str(error))
    page = read(folder, "README.md")
    wrong += [f"docs/schemas/README.md does not name {name}.schema.json" for name in sorted(schemas) if f"{name}.schema.json" not in page]
    print("\n".join(wrong) or f"{len(schemas)} schemas match the sources")
    sys.exit(bool(wrong) or not schemas)


main()
