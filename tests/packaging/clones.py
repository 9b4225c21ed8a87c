# SPDX-License-Identifier: BSD-2-Clause
"""Clones of the source tree, and how two builds of the same sources differ in these tests."""
import functools
import os
import subprocess

import machine
import tap

# The builds, by the directory of the clone. They differ in properties that must not have an effect: path, environment
# and umask.
BUILDS = {
    "first": ({"LC_ALL": "C", "TZ": "UTC"}, 0o022),
    "second/in/a/longer/path": ({"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}, 0o027),
}
FIRST, SECOND = BUILDS


def must(*command, **options):
    """Run a command that must succeed, and return its output. If it fails, the message has the end of the output."""
    return tap.run(*command, status=0, stderr=subprocess.STDOUT, timeout=3600, **options).stdout


@machine.probe
def need_clone(root):
    """Skip the test unless the source tree is a git repository."""
    return machine.why_not(["git", "-C", root, "rev-parse", "--verify", "HEAD"])


@functools.cache
def head(root):
    """Return the commit of the source tree. All clones have the same commit, even if somebody commits meanwhile."""
    return must("git", "-C", root, "rev-parse", "HEAD").strip()


def clone(root, work, which):
    """Clone the committed state of the source tree. Return the path of the clone."""
    path, commit = os.path.join(work, which, "tally"), head(root)
    must("git", "clone", "-q", root, path)
    must("git", "-C", path, "checkout", "-q", "--detach", commit)
    return path


def options(which):
    """Return the subprocess options for a build. ccache is off, because an object from the other clone would hide a
    difference."""
    more, umask = BUILDS[which]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DEB_", "ASAN_", "UBSAN_", "SOURCE_DATE"))}
    return {"env": dict(kept, **more, CCACHE_DISABLE="1"), "umask": umask}
