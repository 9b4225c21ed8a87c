# SPDX-License-Identifier: BSD-2-Clause
"""Generate ELF files byte by byte, with functions that have one call each and are at addresses chosen by the test."""
import struct

PAGE = 0x1000
CALL_AT, RETURN_AT = 0x10, 0x15  # offsets in each function
X86_64 = 62


def symbol(name_at, start, size):
    return struct.pack("<IBBHQQ", name_at, 1 << 4 | 2, 0, 1, start, size)


def elf_file(functions, size=0x100, machine=X86_64):
    """Return the bytes of a file with one code segment, which begins at PAGE both in the file and in memory.
    `functions` lists (name, offset in the code). Each function has `size` bytes and a call at CALL_AT."""
    last = max(start for _, start in functions) + size
    code = bytearray(b"\xcc" * (-(-last // PAGE) * PAGE))
    names, table = b"\0", bytes(24)
    for name, start in functions:
        code[start + CALL_AT:start + RETURN_AT] = b"\xe8\0\0\0\0"
        table += symbol(len(names), PAGE + start, size)
        names += (name.encode() if isinstance(name, str) else name) + b"\0"
    sections = "\0.text\0.symtab\0.strtab\0".encode()
    places, blob = [], b""
    for one in (bytes(code), table, names, sections):
        places.append((PAGE + len(blob), len(one)))
        blob += one + bytes(-len(one) % 8)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, PAGE + len(blob), 0, 64, 56, 1, 64, 5, 4)
    header += struct.pack("<IIQQQQQQ", 1, 5, PAGE, PAGE, PAGE, len(code), len(code), PAGE)
    rows = [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 6, PAGE, *places[0], 0, 0, 16, 0), (7, 2, 0, 0, *places[1], 3, 1, 8, 24),
            (15, 3, 0, 0, *places[2], 0, 0, 1, 0), (0, 3, 0, 0, *places[3], 0, 0, 1, 0)]
    return header.ljust(PAGE, b"\0") + blob + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)
