# SPDX-License-Identifier: BSD-2-Clause
"""A minimal Debian in a directory, of the release of this machine, so that packages built here can be installed in it.
It is made once, by debootstrap, in the user's cache; remove the directory to make it again. Each test gets a copy."""
import hashlib
import os
import shutil
import subprocess
import urllib.request

import cache
import machine
import tap

MIRROR = "http://deb.debian.org/debian"
# For programs that are built with the libraries (static ones need libiberty and libbz2), manual pages and completion.
INCLUDED = ["gcc", "g++", "libc6-dev", "libiberty-dev", "libbz2-dev", "clang", "pkg-config", "man-db", "bash-completion"]
# Each command has its own mounts, which end with it.
ENTER = 'mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys" && exec chroot "$@"'
# tally's index of symbols belongs to a user, so no package removes it.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               "TALLY_INDEX": "off"}
PROXIES = ("http_proxy", "https_proxy", "no_proxy")


def release():
    """Return the name of this machine's Debian release, or None."""
    with open("/etc/os-release", encoding="utf-8") as file:
        words = dict(line.rstrip().replace('"', "").split("=", 1) for line in file if "=" in line)
    return words.get("VERSION_CODENAME") if words.get("ID") == "debian" else None


@machine.probe
def need_debootstrap():
    """Skip the test unless a Debian of this machine's release can be installed in a directory."""
    machine.need_root()
    machine.need_unshare("-m")
    machine.need_tool("debootstrap", "--version")
    return None if release() else "this machine's packages are not those of a Debian release"


@machine.probe
def need_mirror():
    """Skip the test unless Debian's packages can be fetched."""
    try:
        with urllib.request.urlopen(f"{MIRROR}/dists/{release()}/Release", timeout=60) as answer:
            answer.read(1)
    except OSError as error:
        return f"no packages from {MIRROR}: {error}"
    return None


def base():
    """Return the directory of the minimal Debian. Make it if it is not in the cache."""
    parent = os.path.join(cache.OUTSIDE.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tally-tests")
    path = os.path.join(parent, f"debian-{release()}-{hashlib.sha256(' '.join(INCLUDED).encode()).hexdigest()[:8]}")
    if os.path.isdir(path):
        return path
    os.makedirs(parent, exist_ok=True)
    shutil.rmtree(path + ".new", ignore_errors=True)
    tap.run("debootstrap", "--variant=minbase", "--include=" + ",".join(INCLUDED), release(), path + ".new", MIRROR,
            status=0, stderr=subprocess.STDOUT, timeout=3600)
    os.rename(path + ".new", path)
    return path


class Chroot:
    """A copy of the minimal Debian."""

    def __init__(self, path):
        self.path = path
        tap.run("cp", "-a", base(), path, status=0)
        shutil.copy("/etc/resolv.conf", path + "/etc/resolv.conf")

    def enter(self, *command):
        """Return the command line that runs a command in the directory."""
        return ["unshare", "-m", "sh", "-c", ENTER, "sh", self.path, *command]

    def run(self, *command, **options):
        """Run a command that must succeed, as root, and return its output."""
        env = dict(ENVIRONMENT, **{name: os.environ[name] for name in PROXIES if name in os.environ})
        return tap.run(*self.enter(*command), env=env, timeout=3600, **{"status": 0, **options}).stdout

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", *words, stderr=subprocess.STDOUT)

    def files(self):
        """Return all paths, except caches, logs and what dpkg keeps of its last change."""
        found = set()
        for folder, folders, files in os.walk(self.path):
            below = os.path.relpath(folder, self.path)
            folders[:] = [name for name in folders if os.path.join(below, name) not in ("var/log", "var/cache", "var/lib/apt", "./proc", "./sys")]
            found |= {os.path.normpath(os.path.join(below, name)) for name in folders + files}
        return {path for path in found if not path.endswith(("-old", ".cache~"))}
