# SPDX-License-Identifier: BSD-2-Clause
"""The tables of Intel's CPUs equal the gatherer's output for Intel's files; those of other CPUs its output for the sources
that TALLY_ARM_DATA and TALLY_LIBPFM_SOURCE name. Differences are printed.

usage: fresh.py SHARED
"""
import contextlib
import importlib.util
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import external  # noqa: E402
import tap  # noqa: E402
import tree  # noqa: E402

ARCHIVE = Path(sys.argv[1]) / "pmu" / "intel-perfmon-all.tar.xz"
GATHER = tree.ARCH.parent / "gather"


def gatherer():
    sys.path.insert(0, str(GATHER))
    spec = importlib.util.spec_from_file_location("gather_main", GATHER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_intel_tables_are_fresh():
    if not ARCHIVE.exists():
        raise tap.Skip(f"{ARCHIVE} is not here")
    gather = gatherer()
    with tempfile.TemporaryDirectory(prefix="tally-gather-") as folder, contextlib.redirect_stdout(io.StringIO()) as told:
        rows = gather.write_intel(Path(folder), gather.Perfmon(ARCHIVE))
        made = {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*.json")}
    assert len(made) > 300 and "unc_pkg_energy_status" in told.getvalue(), "files and what was left out"
    stale = [name for name, data in made.items()
             if not (tree.ARCH / "x86" / name).exists() or (tree.ARCH / "x86" / name).read_bytes() != data]
    tap.same(stale, [], "files that the gatherer makes otherwise")
    there = {str(path.relative_to(tree.ARCH / "x86")) for row in rows
             for path in (tree.ARCH / "x86" / row.split(",")[-2]).glob("*.json")}
    tap.same(sorted(there - set(made)), [], "files that it does not make")
    text = (tree.ARCH / "x86" / "mapfile.csv").read_text(encoding="ascii")
    tap.same([row for row in rows if row not in text], [], "rows of the map")


def test_other_tables_are_fresh():
    arm, libpfm = external.arm_data(), external.libpfm_source()
    if not ARCHIVE.exists():
        raise tap.Skip(f"{ARCHIVE} is not here")
    gather = gatherer()
    sources = gather.Sources(ARCHIVE.parents[2], libpfm, arm)
    with tempfile.TemporaryDirectory(prefix="tally-gather-") as folder:
        for name, parts in gather.ARCHITECTURES.items():
            gather.write_architecture(Path(folder) / name, sources, [], *parts)
        made = {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*.json")}
        maps = {name: (Path(folder) / name / "mapfile.csv").read_text(encoding="ascii") for name in gather.ARCHITECTURES}
    stale = [name for name, data in made.items() if not (tree.ARCH / name).exists() or (tree.ARCH / name).read_bytes() != data]
    tap.same(stale, [], "files that the gatherer makes otherwise")
    assert len(made) > 400, len(made)
    for name, text in maps.items():
        there = (tree.ARCH / name / "mapfile.csv").read_text(encoding="ascii")
        tap.same(text if name != "x86" else text.splitlines()[-4:], there if name != "x86" else there.splitlines()[-4:], name)


def test_changes_are_told():
    gather = gatherer()
    with tempfile.TemporaryDirectory(prefix="tally-gather-") as folder:
        old, new = Path(folder) / "old", Path(folder) / "new"
        for path in (old, new):
            shutil.copytree(tree.ARCH / "riscv", path / "riscv")
        tap.same(gather.changes(gather.Snapshot(old), gather.Snapshot(new)), ["nothing changed"], "the same")
        topic = new / "riscv/sifive/u74/memory.json"
        topic.write_text(topic.read_text(encoding="ascii").replace("DATA_TLB_MISS", "DATA_TLB_MISSES"), encoding="ascii")
        shutil.rmtree(old / "riscv/generic")
        shutil.rmtree(new / "riscv/thead")
        told = "\n".join(gather.changes(gather.Snapshot(old), gather.Snapshot(new)))
    for line in ("riscv/generic: new table", "riscv/thead/c900-legacy: gone", "event new: DATA_TLB_MISSES",
                 "event gone: DATA_TLB_MISS"):
        assert line in told, f"{line}: {told}"


tap.main(__name__)
