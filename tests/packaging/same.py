# SPDX-License-Identifier: BSD-2-Clause
"""Compare the files of two builds, and describe where they differ: the path, the section of an ELF file or member of an
archive, the offset, and the text around it."""
import os
import re
import stat
import subprocess
import tempfile

AROUND = 24


def read(path):
    with open(path, "rb") as file:
        return file.read()


def entries(root):
    """Return the type, permissions and target of each path below a directory, by path."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            found[os.path.relpath(path, root)] = stat.filemode(mode) + (" -> " + os.readlink(path) if stat.S_ISLNK(mode) else "")
    return found


def printable(data, offset):
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data[max(0, offset - AROUND):offset + AROUND])


def bytes_differ(what, a, b):
    offset = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{what} ({len(a)} and {len(b)} bytes) at {offset:#x}: {printable(a, offset)!r} and {printable(b, offset)!r}"


def sections(path):
    """Return the bytes of each section of an ELF file, by name. Sections of the same name are numbered."""
    listed = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    data, found = read(path), {}
    row = r"^ +\[ *(\d+)\] (\S*) +([A-Z_0-9]+) +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) "
    for number, name, kind, offset, size in re.findall(row, listed, re.M):
        begin = int(offset, 16)
        found[name if name not in found else f"{name}[{number}]"] = b"" if kind == "NOBITS" else data[begin:begin + int(size, 16)]
    return found


def elf_differ(path, a, b):
    here, there = sections(a), sections(b)
    for name in sorted(set(here) ^ set(there)):
        yield f"{path}: only one of the files has the section {name}"
    for name in here:
        if name in there and here[name] != there[name]:
            yield bytes_differ(f"{path}: section {name}", here[name], there[name])


def unpack(path, to):
    """Unpack an archive of objects or a Debian package into a directory. Return whether the file is one of these."""
    start = read(path)[:20]
    if not start.startswith(b"!<arch>\n"):
        return False
    os.makedirs(to)
    command = ["dpkg-deb", "-R"] if start[8:].startswith(b"debian-") else ["ar", "x"]
    subprocess.run([*command, path, *([to] if "-R" in command else [])], cwd=to, check=True)
    return True


def file_differ(path, a, b):
    """Yield a description of each difference between two files."""
    first, second = read(a), read(b)
    if first == second:
        return
    found = []
    with tempfile.TemporaryDirectory() as work:
        if unpack(a, work + "/a") and unpack(b, work + "/b"):
            found = [f"{path}: {text}" for text in tree_differ(work + "/a", work + "/b")]
    if not found and first.startswith(b"\x7fELF") and second.startswith(b"\x7fELF"):
        found = list(elf_differ(path, a, b))
    yield from found or [bytes_differ(path, first, second)]


def tree_differ(a, b):
    """Yield a description of each difference between two directories."""
    here, there = entries(a), entries(b)
    for path in sorted(set(here) | set(there)):
        if here.get(path) != there.get(path):
            yield f"{path}: {here.get(path, 'missing')} and {there.get(path, 'missing')}"
        elif here[path].startswith("-"):
            yield from file_differ(path, os.path.join(a, path), os.path.join(b, path))
