# SPDX-License-Identifier: BSD-2-Clause
"""Remove the section headers from a 64-bit ELF file, and keep everything that the kernel reads."""
import struct
import sys

with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    (shoff,) = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<Q", data, 40, 0)  # e_shoff
    struct.pack_into("<HH", data, 60, 0, 0)  # e_shnum, e_shstrndx
    file.seek(0)
    file.write(data[:shoff])
    file.truncate()
