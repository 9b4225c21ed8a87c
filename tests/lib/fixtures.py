# SPDX-License-Identifier: BSD-2-Clause
"""Sets of recordings, tables and formats for tests: the project's own set, tests/fixtures, and a larger set of files
from other sources, if there is one next to the source tree. Both sets have the same layout."""
import os

import tap


class Set:
    """A set of fixtures."""

    def __init__(self, root, own):
        self.root, self.own = os.path.abspath(root), own
        self.name = "own" if own else "shared"

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def recording(self, *parts):
        return self.path("perfdata", *parts)

    def names(self, *parts):
        """Return the sorted contents of a directory, or an empty list if it does not exist."""
        folder = self.path(*parts)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def all_files(self):
        """Yield all recordings. A directory may be a recording."""
        for folder in self.names("perfdata"):
            for name in self.names("perfdata", folder):
                yield self.recording(folder, name)

    def files(self):
        """Return the recordings to test: all of them or, in the quick tier, only some."""
        return tap.some(self.all_files(), 9)


def sets(own, shared):
    """Return the sets of fixtures. The project's own set is first, and must exist."""
    if not os.path.isdir(own):
        raise SystemExit(f"{own} is missing")
    return [Set(own, True), *([Set(shared, False)] if os.path.isdir(shared) else [])]


def add_tests(module, found, check):
    """Add check(set) as a test for each set, named "NAME, own" and "NAME, shared"."""
    for one in found:
        vars(module)[f"{check.__name__.replace('check_', 'test_')}, {one.name}"] = lambda one=one: check(one)
