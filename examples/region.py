#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Count events in a region of this program by calling the library through ctypes, without a compiler.

usage: region.py [LIBRARY]
"""
import ctypes
import sys

QUALITIES = ("exact", "scaled", "never ran", "not supported", "not permitted", "estimated")


class Count(ctypes.Structure):
    """The ctypes equivalent of struct tally_count."""
    _fields_ = [("value", ctypes.c_uint64), ("enabled", ctypes.c_uint64), ("running", ctypes.c_uint64), ("lost", ctypes.c_uint64),
                ("quality", ctypes.c_int)]


def main():
    tally = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libtally.so.0")
    regions = ctypes.c_void_p()
    ret = tally.tally_regions_open(b"{task-clock:u,faults:u}", None, ctypes.byref(regions), None)
    if ret:
        sys.exit(f"cannot open the regions: {ret}")
    tally.tally_regions_event.restype = ctypes.c_char_p
    tally.tally_region_start(regions, b"sort")
    sorted(i * 2654435761 % 1000003 for i in range(100000))
    tally.tally_region_stop(regions)
    for event in range(2):
        count = Count()
        tally.tally_regions_count(regions, ctypes.c_size_t(0), ctypes.c_size_t(event), ctypes.byref(count))
        name = tally.tally_regions_event(regions, ctypes.c_size_t(event)).decode()
        print(f"sort {name}: {count.value}, {QUALITIES[count.quality]}")
    tally.tally_regions_close(regions)


main()
