# SPDX-License-Identifier: BSD-2-Clause
"""Common code for tests of `tally report --html`: the pages, and reports on the same recordings."""
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
    """Return the decoded page of a recording, or None if the report fails."""
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
    """Write browser_data's recording and its programs. Return the path and the options."""
    path, root = path_of("shop.data"), path_of("root")
    browser_data.write_recording(path, **options)
    browser_data.write_files(root)
    return path, ("--symfs", root)


def rows_of(recording, *options):
    """Return the rows of a report by event and function. Functions with the same name in several files are merged."""
    run = tap.run(TALLY, "report", "-i", recording, "--json", "-g", "none", "--children", "-s", "symbol", *options)
    return json.loads(run.stdout)["events"]


def function_of(row):
    """Return a page's name for the function in a row. Unnamed code is a single unnamed function in each file."""
    name = row["symbol"][4:].removesuffix(" (inlined)")
    return "" if re.fullmatch("0x[0-9a-f]{16}", name) else name
