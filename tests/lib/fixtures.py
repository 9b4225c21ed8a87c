# SPDX-License-Identifier: BSD-2-Clause
"""Sets of recordings, tables and formats for tests: the project's own set, tests/fixtures, and a larger set of files
from other sources, if it exists next to the tree. Both have the same layout."""
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
        """Return the sorted contents of a directory; empty if it does not exist."""
        folder = self.path(*parts)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def all_files(self):
        """Return all recordings. A directory can be a recording."""
        for folder in self.names("perfdata"):
            for name in self.names("perfdata", folder):
                yield self.recording(folder, name)

    def files(self):
        """Return the recordings to test: all, or in the quick tier a part of them."""
        return tap.some(self.all_files(), 9)


def sets(own, shared):
    """Return the sets. The own set is first, and must exist."""
    if not os.path.isdir(own):
        raise SystemExit(f"{own} is missing")
    return [Set(own, True), *([Set(shared, False)] if os.path.isdir(shared) else [])]


def add_tests(module, found, check):
    """Add check(set) as a test of each set, named "NAME, own" and "NAME, shared"."""
    for one in found:
        vars(module)[f"{check.__name__.replace('check_', 'test_')}, {one.name}"] = lambda one=one: check(one)
