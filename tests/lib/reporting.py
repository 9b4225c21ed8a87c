# SPDX-License-Identifier: BSD-2-Clause
"""Run "tally report" on crafted recordings."""
import os
import sys

import tap

TALLY = os.path.abspath(sys.argv[1])


def report(path, *words, status=0):
    done = tap.run(TALLY, "report", "--stdio", "-i", path, *words)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def rows(path, *words):
    """Return the rows as lists of cells."""
    text = report(path, "-q", "-x", ";", *words).stdout
    return [[cell.strip() for cell in line.split(";")] for line in text.splitlines() if line.strip()]
