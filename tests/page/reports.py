# SPDX-License-Identifier: BSD-2-Clause
"""Pages of `tally report --html`, and what the report says of the same recordings."""
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
    """The page of a recording; None if there is none."""
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
    """The recording of browser_data, and where its programs are."""
    path, root = path_of("shop.data"), path_of("root")
    browser_data.write_recording(path, **options)
    browser_data.write_files(root)
    return path, ("--symfs", root)


def rows_of(recording, *options):
    """The rows of a report by event and function; names that several files have are put together."""
    run = tap.run(TALLY, "report", "-i", recording, "--json", "-g", "none", "--children", "-s", "symbol", *options)
    return json.loads(run.stdout)["events"]


def function_of(row):
    """What a page calls the function of a row: code without names has none, and is one in each file."""
    name = row["symbol"][4:]
    return "" if re.fullmatch("0x[0-9a-f]{16}", name) else name
