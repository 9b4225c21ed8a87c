# SPDX-License-Identifier: BSD-2-Clause
"""Compare our x86 tables with libpfm4: names that both have (EVENT.UMASK here, EVENT:UMASK there) must be encoded
equally. AMD names differ, so codes are compared instead. The library knows every PMU, on any machine."""
import ctypes
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402
import tree  # noqa: E402

VERSION = "4.13"
PLM3 = 8  # user level only: this bit is masked off
OS_NONE = 0  # raw register values
# Event, unit mask, edge, any, inv, counter mask, and AMD's upper event bits; without USR, OS, INT and EN.
REGISTER = 0xffff | 1 << 18 | 1 << 21 | 0xff << 23 | 1 << 31 | 0xf << 32


ATTRIBUTE_UMASK = 1
PMU_LIMIT = 1000


class Encoding(ctypes.Structure):
    _fields_ = [("codes", ctypes.POINTER(ctypes.c_uint64)), ("fstr", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("count", ctypes.c_int), ("index", ctypes.c_int)]


class Pmu(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pmu", ctypes.c_int),
                ("type", ctypes.c_int), ("nevents", ctypes.c_int), ("first_event", ctypes.c_int),
                ("max_encoding", ctypes.c_int), ("counters", ctypes.c_int), ("fixed", ctypes.c_int),
                ("flags", ctypes.c_uint)]


class Event(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("pmu", ctypes.c_int), ("dtype", ctypes.c_int),
                ("index", ctypes.c_int), ("nattrs", ctypes.c_int), ("reserved", ctypes.c_int), ("flags", ctypes.c_uint)]


class Attribute(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("equiv", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("type", ctypes.c_int), ("index", ctypes.c_int),
                ("ctrl", ctypes.c_int), ("flags", ctypes.c_uint), ("default", ctypes.c_uint64)]


def library():
    """Return libpfm4, configured to encode events of PMUs that this machine does not have."""
    os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
    try:
        pfm = ctypes.CDLL("libpfm.so.4")
    except OSError as error:
        raise tap.Skip(f"libpfm4 is not installed: {error}") from error
    if pfm.pfm_initialize():
        raise tap.Skip("libpfm4 does not start")
    with open("/proc/self/maps", encoding="utf-8") as maps:  # the library reports version 4.0 for all releases
        found = re.search(r"libpfm\.so\.([\d.]+)", maps.read()).group(1)
    if not found.startswith(VERSION):
        raise tap.Skip(f"how libpfm {VERSION} differs from us is written down, and here is libpfm {found}")
    return pfm


def encode(pfm, name):
    """Return (config, MSR) of a libpfm4 event string, or None if the event does not exist."""
    codes = (ctypes.c_uint64 * 4)()
    encoding = Encoding(ctypes.cast(codes, ctypes.POINTER(ctypes.c_uint64)), None, ctypes.sizeof(Encoding), 4, 0)
    if pfm.pfm_get_os_event_encoding(name.encode(), PLM3, OS_NONE, ctypes.byref(encoding)):
        return None
    return codes[0] & REGISTER, codes[1] if encoding.count > 1 else 0


def spelling(pmu, name):
    """Return libpfm4's spelling of one of our names: the first dot becomes a colon, others become underscores."""
    event, _, unit = name.upper().partition(".")
    return f"{pmu}::{event}:{unit.replace('.', '_')}" if unit else f"{pmu}::{event}"


def asked(function, kind, *arguments):
    """Return a structure filled in by a call of libpfm4, or None if it fails."""
    answer = kind(size=ctypes.sizeof(kind))
    return None if function(*arguments, ctypes.byref(answer)) else answer


def codes_of(pfm, pmu):
    """Return {event code: {unit masks}} of all events of a PMU."""
    every = (asked(pfm.pfm_get_pmu_info, Pmu, number) for number in range(PMU_LIMIT))
    index = next(info.first_event for info in every if info and info.name == pmu.encode())
    found = {}
    while index != -1:
        event = asked(pfm.pfm_get_event_info, Event, index, OS_NONE)
        attributes = [asked(pfm.pfm_get_event_attr_info, Attribute, index, number, OS_NONE)
                      for number in range(event.nattrs)]
        masks = {attribute.code for attribute in attributes if attribute.type == ATTRIBUTE_UMASK}
        found.setdefault(event.code & 0xfff, set()).update(masks or {0})
        index = pfm.pfm_get_event_next(index)
    return found


FIXED = "libpfm4 has the fixed counter's pseudo code, we have an event that can be programmed too"
PSEUDO = "libpfm4 has the pseudo code of the metrics register, we have the event that counts slots"
MASK = "libpfm4 has another unit mask or counter mask than Intel's files"
MSR = "libpfm4 folds the register's value into the unit mask, or has one where Intel's files have none"
KNOWN = {
    "intel-generic": {"unhalted_reference_cycles": FIXED},
    "skylakex": {"uops_retired.stall_cycles": MASK, "uops_retired.total_cycles": MASK},
    "cascadelakex": {"uops_retired.stall_cycles": MASK, "uops_retired.total_cycles": MASK},
    "icelakex": {"inst_retired.any": FIXED, "mem_load_misc_retired.uc": "libpfm4's event code is another event's",
                 "topdown.backend_bound_slots": PSEUDO},
    "sapphirerapids": {"inst_retired.any": FIXED, "cpu_clk_unhalted.thread": FIXED, "arith.int_divider_active": MASK,
                       "arith.idiv_active": MASK, "mem_trans_retired.store_sample": MASK, "exe.amx_busy": MSR,
                       "int_misc.unknown_branch_cycles": MSR, "uops_retired.ms": MSR,
                       "topdown.backend_bound_slots": PSEUDO, "topdown.bad_spec_slots": PSEUDO,
                       "topdown.br_mispredict_slots": PSEUDO, "topdown.memory_bound_slots": PSEUDO},
}

ALL_BITS = "the union of all masks is spelled 0xff"
UNLISTED = "libpfm4 leaves this mask out"
OTHERS = {
    "amdzen3": {
        "bp_l1_tlb_fetch_hit": ALL_BITS, "bp_l1_tlb_miss_l2_tlb_miss": ALL_BITS, "fp_ret_sse_avx_ops.all": ALL_BITS,
        "ls_pref_instr_disp": ALL_BITS, "l1_data_cache_fills_all": ALL_BITS,
        "de_dis_dispatch_token_stalls1.int_sched_misc_token_stall": UNLISTED,
        "de_dis_dispatch_token_stalls2.agsq_token_stall": UNLISTED,
        "l2_request_g1.all_no_prefetch": UNLISTED, "l2_request_g1.group2": UNLISTED, "ls_locks.non_spec_lock": UNLISTED,
        "ls_locks.spec_lock_hi_spec": UNLISTED, "ls_locks.spec_lock_lo_spec": UNLISTED,
    },
}


def compare(directory, pmu, least):
    """Compare events with the same name: they are equal, except for known differences."""
    pfm = library()
    events = tree.Table("x86", directory).core_events
    theirs = {name: encode(pfm, spelling(pmu, name)) for name in events}
    common = [name for name, codes in theirs.items() if codes]
    different = [name for name in common if theirs[name] != tree.x86_config(events[name])]
    print(f"# {directory}: {len(events)} ours, {len(common)} in common, {len(different)} differ")
    for name in different:
        ours = tree.x86_config(events[name])
        print(f"# {name}: libpfm4 {theirs[name][0]:#x} {theirs[name][1]:#x}, ours {ours[0]:#x} {ours[1]:#x}")
    tap.same(sorted(different), sorted(KNOWN.get(directory, {})), f"{directory}: names that differ")
    if len(common) < least:
        raise AssertionError(f"{directory}: {len(common)} names in common, {least} wanted")


def compare_codes(directory, pmu, least_codes, least_masks):
    """Compare events with the same code: each unit mask consists of libpfm4's bits, except for known differences."""
    theirs = codes_of(library(), pmu)
    ours = [(row["EventName"], tree.number(row, "EventCode"), tree.number(row, "UMask"))
            for row in tree.Table("x86", directory).event_rows]
    shared = [row for row in ours if row[1] in theirs]
    equal = [row for row in shared if row[2] in theirs[row[1]]]
    print(f"# {directory}: {len(ours)} ours, {len(shared)} of the same code, {len(equal)} of the same mask too")
    bits = {code: sum({1 << bit for mask in masks for bit in range(8) if mask >> bit & 1})
            for code, masks in theirs.items()}
    strange = sorted(name for name, code, mask in shared if mask & ~bits[code])
    tap.same(strange, sorted(OTHERS.get(directory, {})), f"{directory}: events with bits that libpfm4 does not have")
    if len(shared) < least_codes or len(equal) < least_masks:
        raise AssertionError(f"{directory}: {least_codes} and {least_masks} wanted")


def test_intel_architectural():
    compare("intel-generic", "slm", 7)


def test_silvermont():
    compare("silvermont", "slm", 56)


def test_skylakex():
    compare("skylakex", "skx", 255)


def test_cascadelakex():
    compare("cascadelakex", "clx", 255)


def test_icelakex():
    compare("icelakex", "icx", 325)


def test_sapphirerapids():
    compare("sapphirerapids", "spr", 345)


def test_amd_core():
    for pmu in ("amd64_fam17h_zen1", "amd64_fam17h_zen2", "amd64_fam19h_zen3", "amd64_fam19h_zen4"):
        compare_codes("amd-generic", pmu, 18, 18)


def test_amdzen3():
    compare_codes("amdzen3", "amd64_fam19h_zen3", 178, 144)


def test_amdzen4():
    compare_codes("amdzen4", "amd64_fam19h_zen4", 321, 303)


tap.main(__name__)
