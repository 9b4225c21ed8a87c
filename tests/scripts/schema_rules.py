#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that scripts/check_schemas.py finds violations: break each rule once in a copy of the sources.

usage: schema_rules.py ROOT
"""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

ROOT = os.path.abspath(sys.argv[1])
WORK = tap.workplace("schemas")


def copied():
    tree = tempfile.mkdtemp(dir=WORK)
    for part in ("src", os.path.join("docs", "schemas")):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(tree, part))
    return tree


def checked(tree):
    return tap.run(sys.executable, os.path.join(ROOT, "scripts", "check_schemas.py"), tree)


def broken(path, old, new):
    """Return the check's output after one replacement."""
    tree = copied()
    path = os.path.join(tree, path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old in text, (path, old)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))
    run = checked(tree)
    tap.same(run.returncode, 1, f"exit status with {new}: {run.stdout}{run.stderr}")
    shutil.rmtree(tree)
    return run.stdout


def test_the_tree_is_right():
    run = checked(ROOT)
    tap.same(run.returncode, 0, run.stdout + run.stderr)


def test_a_new_key():
    found = broken("src/view/view_json.c", 'tally_json_u64(out, "self_period"', 'tally_json_u64(out, "frob", 1);\n\ttally_json_u64(out, "self_period"')
    assert "report.schema.json does not have the key 'frob'" in found, found


def test_a_new_key_of_a_table():
    found = broken("src/view/health.c", '{"leaf_only", "user', '{"frob", "user')
    assert "health.schema.json does not have the key 'frob'" in found and "has the key 'leaf_only'" in found, found
    found = broken("src/abi/record_table.c", 'U64("hw_id")', 'U64("frob")')
    assert "script.schema.json does not have the key 'frob'" in found, found


def test_a_word_of_a_table():
    found = broken("src/client/client_count.c", '= "estimated"', '= "guessed"')
    assert "quality: only the sources have 'guessed'" in found and "only the schema has 'estimated'" in found, found


def test_an_open_object():
    tree = copied()
    path = os.path.join(tree, "docs", "schemas", "doctor.schema.json")
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    del schema["properties"]["facts"]["items"]["additionalProperties"]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(schema, file)
    run = checked(tree)
    assert run.returncode == 1 and "/properties/facts/items allows unknown keys" in run.stdout, run


def test_a_schema_that_is_not_up_to_date():
    found = broken("docs/schemas/list.fields", "alias? string", "alias? number")
    assert "list.schema.json is not what scripts/generate_schemas.py generates" in found, found


def test_invalid_descriptions_of_schemas():
    for old, new, said in (("alias? string", "alias? strng", "'strng' is neither a type nor a definition"),
                           ("alias? string", "alias? one of \"a", "line 21: alias?: No closing quotation"),
                           ("alias? string", "name string", "line 21: 'name' appears twice"),
                           ("define count", "define count string\ndefine count", "'count' is defined twice"),
                           ("}]", "}", "this bracket does not close what is open")):
        found = broken("docs/schemas/list.fields", old, new)
        assert said in found and "Traceback" not in found, found


def test_a_writer_without_schema():
    found = broken("src/cli/top/top_rows.c", "#include", '#include "base/json.h"\n#include')
    assert "src/cli/top/top_rows.c writes JSON" in found, found


tap.main(__name__)
