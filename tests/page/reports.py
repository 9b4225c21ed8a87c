# SPDX-License-Identifier: BSD-2-Clause
"""Pages of `tally report --html`, and reports of the same recordings."""
import json
import os
import re
import tempfile

import browser_data
import decode
import steps
import tap

TALLY = steps.tally()
WORK = tempfile.TemporaryDirectory(prefix="tally-page-")


def path_of(name):
    return os.path.join(WORK.name, name)


def page_of(recording, *options, command="report"):
    """Return the page of a recording, or None if the report fails."""
    path = path_of("page.html")
    if os.path.exists(path):
        os.unlink(path)
    inputs = ["-i", recording] if command == "report" else recording
    run = tap.run(TALLY, command, *inputs, "--html", path, *options)
    if not os.path.exists(path):
        assert run.returncode, f"{recording}: no page, and no error"
        return None
    page = decode.read(path)
    decode.check_policy(page.text)
    return page


def shop(**options):
    """Write the recording of browser_data and its programs. Returns the path and options."""
    path, root = path_of("shop.data"), path_of("root")
    browser_data.write_recording(path, **options)
    browser_data.write_files(root)
    return path, ("--symfs", root)


def rows_of(recording, *options):
    """Return the rows of a report by event and function. Functions of several files with the same name are merged."""
    run = tap.run(TALLY, "report", "-i", recording, "--json", "-g", "none", "--children", "-s", "symbol", *options)
    return json.loads(run.stdout)["events"]


def function_of(row):
    """Return the name that a page has for the function of a row: code without names is one unnamed function in each
    file."""
    name = row["symbol"][4:]
    return "" if re.fullmatch("0x[0-9a-f]{16}", name) else name
