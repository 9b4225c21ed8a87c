# SPDX-License-Identifier: BSD-2-Clause
"""Compare tables with the source of libpfm4, for CPUs that the installed library may not know. Its Arm tables and ours,
which come from Arm's lists, are independent. TALLY_LIBPFM_SOURCE names a clone."""
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import external  # noqa: E402
import tap  # noqa: E402
import tree  # noqa: E402

CHAIN = 0x1e  # joins two counters; the kernel uses it itself
OTHER_NAME = "libpfm4 has the name misspelled, or an older one"
# {table: (header, {code: why the names differ})}
ARM = {
    "arm/cortex-a55": ("arm_cortex_a55", {0x1b: OTHER_NAME, 0x22: OTHER_NAME}),
    "arm/cortex-a76": ("arm_cortex_a76", {0xa0: OTHER_NAME}),
    "arm/neoverse-n3": ("arm_neoverse_n3", {}),
    "arm/neoverse-v3": ("arm_neoverse_v3", {}),
    "cavium/thunderx2": ("arm_cavium_tx2", {}),
    "fujitsu/a64fx": ("arm_fujitsu_a64fx", {code: "names may not start with a number" for code in range(0x190, 0x195)}),
    "hisilicon/hip08": ("arm_hisilicon_kunpeng", {}),
}


# CPUs of which libpfm4 has names of its own: {table: (header, {code that only one has: why})}
IN_LINUX, IN_LISTS, IN_LIBPFM = "Linux has a name for it", "Arm's list has it", "Arm's list does not have it"
CODES = {
    "arm/neoverse-n1": ("arm_neoverse_n1", {0x72: IN_LIBPFM}),
    "arm/neoverse-n2": ("arm_neoverse_n2", {}),
    "arm/neoverse-v1": ("arm_neoverse_v1", {code: IN_LISTS for code in (0x29, 0x2a, 0x2b, 0xa0, 0x400b)}),
    "arm/neoverse-v2": ("arm_neoverse_v2", {0x400b: IN_LISTS}),
    "arm/cortex-a53": ("arm_cortex_a53", {0xe: IN_LISTS, **{code: IN_LINUX for code in (
        *range(0xc0, 0xcd), *range(0xd0, 0xd3), *range(0xe0, 0xe9))}}),
    "arm/cortex-a57": ("arm_cortex_a57", {0x77: IN_LISTS}),
}


def header(name):
    return (external.libpfm_source() / "lib" / "events" / f"{name}.h").read_text(encoding="utf-8")


def events_of(name):
    """Return {code: name} of libpfm4's table."""
    pairs = re.findall(r'\.name\s*=\s*"([^"]+)"[^}]*?\.code\s*=\s*(0x\w+)', header(f"{name}_events"))
    return {int(code, 16): event for event, code in pairs if int(code, 16) != CHAIN}


def tree_events(directory):
    return {tree.number(row, "EventCode"): row["EventName"] for row in tree.Table("arm64", directory).event_rows}


def compare_arm(directory):
    name, known = ARM[directory]
    theirs, ours = events_of(name), tree_events(directory)
    tap.same(sorted(ours), sorted(theirs), f"{directory}: codes")
    tap.same(sorted(code for code in ours if ours[code] != theirs[code]), sorted(known), f"{directory}: names that differ")
    print(f"# {directory}: {len(ours)} events")


for _directory in ARM:
    globals()[f"test_{_directory.rpartition('/')[2].replace('-', '_')}"] = lambda directory=_directory: compare_arm(directory)


def test_codes_where_names_differ():
    for directory, (name, known) in CODES.items():
        ours, theirs = tree_events(directory), events_of(name)
        tap.same(sorted(map(hex, ours.keys() ^ theirs.keys())), sorted(map(hex, known)), f"{directory}: codes that only one has")


def zen5_masks():
    """Return {code: {bits that unit masks have}} of libpfm4's table."""
    text = header("amd64_events_fam1ah_zen5")
    arrays, _, entries = text.partition("amd64_entry_t")
    units = {}
    for part in re.split(r"static const amd64_umask_t (?=\w+\[\])", arrays)[1:]:
        values = [int(value, 16) for value in re.findall(r"\.ucode\s*=\s*(0x\w+)", part)]
        units[part.partition("[")[0]] = sum({1 << bit for value in values for bit in range(8) if value >> bit & 1})
    found = {}
    for entry in re.split(r"\{ \.name", entries)[1:]:
        array = re.search(r"\.umasks\s*=\s*(\w+)", entry)
        found[int(re.search(r"\.code\s*=\s*(0x\w+)", entry)[1], 16)] = units[array[1]] if array else 0
    return found


def test_zen5():
    theirs, rows = zen5_masks(), tree.Table("x86", "amdzen5").event_rows
    ours = {}
    for row in rows:
        ours.setdefault(tree.number(row, "EventCode"), []).append(row)
    tap.same(sorted(ours), sorted(theirs), "codes")
    strange = [row["EventName"] for code, found in ours.items() for row in found if tree.number(row, "UMask") & ~theirs[code]]
    tap.same(strange, [], "events with bits that libpfm4 does not have")
    empty = [row["EventName"] for code, found in ours.items() for row in found if theirs[code] and not tree.number(row, "UMask")]
    tap.same(empty, [], "events of several units that count none")
    assert len(rows) >= 325, len(rows)


tap.main(__name__)
