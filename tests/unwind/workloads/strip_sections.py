# SPDX-License-Identifier: BSD-2-Clause
"""Take the section headers out of an ELF file of 64 bits: what is left is what the kernel looks at."""
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
