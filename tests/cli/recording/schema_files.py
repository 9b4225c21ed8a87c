# SPDX-License-Identifier: BSD-2-Clause
"""Validators from python3-jsonschema for the schemas in docs/schemas, and invalid documents."""
import copy
import json
import os
import sys
import threading

import tap

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "schemas"))
# Call graphs are nested as deeply as callchains, and the validator needs a dozen nested calls per level.
DEPTH, STACK = 100000, 1 << 29


def load(name):
    with open(os.path.join(FOLDER, name + ".schema.json"), encoding="utf-8") as file:
        return json.load(file)


def names():
    return sorted(name.split(".")[0] for name in os.listdir(FOLDER) if name.endswith(".schema.json"))


def bundled(schema):
    """Return a schema with the schemas from other files in its own definitions, so that validators do not have to load
    them."""
    schema = copy.deepcopy(schema)

    def walk(node):
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if key == "$ref" and not value.startswith("#"):
                other = value.split(".")[0]
                schema["$defs"].setdefault(other, load(other))
                node[key] = f"#/$defs/{other}"
            elif isinstance(value, (dict, list)):
                walk(value)
    walk(schema)
    return schema


def validators():
    """Return a validator for each schema. The schemas themselves are also checked."""
    try:
        import jsonschema
    except ImportError as error:
        raise tap.Skip("python3-jsonschema is not installed") from error
    found = {}
    for name in names():
        schema = bundled(load(name))
        jsonschema.Draft202012Validator.check_schema(schema)
        found[name] = jsonschema.Draft202012Validator(schema)
    return found


def deeply(function):
    """Call a function with a large stack."""
    result = []

    def run():
        try:
            result.append((function(), None))
        except BaseException as error:  # noqa: BLE001 - handed on below
            result.append((None, error))
    sys.setrecursionlimit(DEPTH)
    threading.stack_size(STACK)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    value, error = result[0]
    if error:
        raise error
    return value


def places(document, path=()):
    """Yield every value in a document, together with its path from the top."""
    yield path, document
    inside = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in inside:
        yield from places(value, path + (key,))


def changed(document, path, value):
    """Return a copy in which the value at a path is replaced."""
    if not path:
        return value
    made = copy.copy(document)
    made[path[0]] = changed(document[path[0]], path[1:], value)
    return made


def shortened(document):
    """Return a copy with at most three items in each list."""
    if isinstance(document, dict):
        return {key: shortened(value) for key, value in document.items()}
    return [shortened(value) for value in document[:3]] if isinstance(document, list) else document


def wrong_ones(document, most):
    """Yield documents that no schema may accept, with unknown keys or with values of another type. `most` limits the
    number of places that are changed."""
    everywhere = list(places(document))
    step = max(1, len(everywhere) // most)
    for path, value in everywhere[::step]:
        kind = "/".join(map(str, path)) or "the top"
        if isinstance(value, dict):
            yield f"a key more in {kind}", changed(document, path, {**value, "frob": 1})
            yield f"a list as {kind}", changed(document, path, [value])
        elif isinstance(value, list):
            yield f"an object as {kind}", changed(document, path, {"0": value})
        else:
            yield f"an object as {kind}", changed(document, path, {"is": value})
            yield f"a list as {kind}", changed(document, path, [value])
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"text as {kind}", changed(document, path, str(value))
        if isinstance(value, str):
            yield f"a number as {kind}", changed(document, path, 7)
