# SPDX-License-Identifier: BSD-2-Clause
"""A cache directory for the test. Importing this module keeps tally's symbol indexes out of the user's cache, and the
user's settings out of the test. The directory is removed when the test ends."""
import atexit
import os
import shutil
import tempfile

# The original environment, for downloads that are kept in the user's cache for later runs.
OUTSIDE = dict(os.environ)
DIRECTORY = tempfile.mkdtemp(prefix="tally-cache-")
os.environ["XDG_CACHE_HOME"] = DIRECTORY
os.environ.pop("TALLY_INDEX", None)
# The user's settings do not apply to tests.
os.environ["PERF_CONFIG"] = os.environ["TALLY_CONFIG"] = "/dev/null"


@atexit.register
def remove(owner=os.getpid()):
    if os.getpid() == owner:  # not in a forked child
        shutil.rmtree(DIRECTORY, ignore_errors=True)
