# SPDX-License-Identifier: BSD-2-Clause
"""The sets of recordings, tables and formats that tests walk: the project's own, tests/fixtures, and a larger one of
other people's files where it lies beside the tree. Both have one layout."""
import os

import tap


class Set:
    """One of them."""

    def __init__(self, root, own):
        self.root, self.own = os.path.abspath(root), own
        self.name = "own" if own else "shared"

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def recording(self, *parts):
        return self.path("perfdata", *parts)

    def names(self, *parts):
        """What is in a folder, sorted; nothing if there is none."""
        folder = self.path(*parts)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def all_files(self):
        """Every recording; one that is a directory is one."""
        for folder in self.names("perfdata"):
            for name in self.names("perfdata", folder):
                yield self.recording(folder, name)

    def files(self):
        """The recordings to walk: all, or in the quick tier a part of them."""
        return tap.some(self.all_files(), 9)


def sets(own, shared):
    """The own one first, which must be there."""
    if not os.path.isdir(own):
        raise SystemExit(f"{own} is missing")
    return [Set(own, True), *([Set(shared, False)] if os.path.isdir(shared) else [])]


def add_tests(module, found, check):
    """check(set) as a test of each set, called "NAME, own" and "NAME, shared"."""
    for one in found:
        vars(module)[f"{check.__name__.replace('check_', 'test_')}, {one.name}"] = lambda one=one: check(one)
