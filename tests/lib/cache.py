# SPDX-License-Identifier: BSD-2-Clause
"""A cache directory of the test's own: importing this keeps tally's indexes of symbols out of the user's, and gone
when the test ends."""
import atexit
import os
import shutil
import tempfile

# The environment as it was: for what is fetched once, and kept for later runs.
OUTSIDE = dict(os.environ)
DIRECTORY = tempfile.mkdtemp(prefix="tally-cache-")
os.environ["XDG_CACHE_HOME"] = DIRECTORY
os.environ.pop("TALLY_INDEX", None)


@atexit.register
def remove(owner=os.getpid()):
    if os.getpid() == owner:  # and not in a child that was forked
        shutil.rmtree(DIRECTORY, ignore_errors=True)
