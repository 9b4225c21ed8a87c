# SPDX-License-Identifier: BSD-2-Clause
"""Sets of recordings, tables and formats for tests: the project's own set, tests/fixtures, and a larger set of files
from other sources, if there is one next to the source tree. Both sets have the same layout."""
import os
import random

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


def mutants(found, number, seed):
    """Yield damaged copies of a set's small recordings, as bytes: in each, a few bytes are changed."""
    chance = random.Random(seed)
    sources = [path for path in found.all_files() if os.path.isfile(path) and os.path.getsize(path) < 200_000]
    for _ in range(number):
        with open(chance.choice(sources), "rb") as file:
            data = bytearray(file.read())
        for _ in range(chance.choice((1, 3, 20))):
            at = chance.randrange(len(data))
            data[at] = chance.choice((0, 0xFF, 0x80, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)))
        yield bytes(data)
