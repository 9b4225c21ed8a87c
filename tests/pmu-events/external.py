# SPDX-License-Identifier: BSD-2-Clause
"""Sources of the tables that are not in the fixtures. Tests that need them are skipped if the environment does not say
where they are."""
import os
from pathlib import Path

import tap


def source(variable, what):
    """Return the directory that an environment variable names."""
    if not os.environ.get(variable):
        raise tap.Skip(f"{variable} does not name a clone of github.com/{what}")
    path = Path(os.environ[variable])
    assert path.is_dir(), f"{variable}: {path} is not a directory"
    return path


def arm_data():
    return source("TALLY_ARM_DATA", "ARM-software/data")


def libpfm_source():
    return source("TALLY_LIBPFM_SOURCE", "wcohen/libpfm4")
