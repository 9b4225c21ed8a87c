#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The version and the build options, which scripts read in perf's format.

usage: build_options.py TALLY
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
LINE = re.compile(r"^ *([\w-]+): \[ (on |OFF) \]  # (HAVE_\w+)$")
# Labels and macros that versions of perf after 6.1 print.
NEWER = """aio=AIO_SUPPORT bpf=LIBBPF_SUPPORT bpf_skeletons=BPF_SKEL debuginfod=DEBUGINFOD_SUPPORT dwarf=LIBDW_SUPPORT
dwarf_getlocations=LIBDW_SUPPORT dwarf-unwind=DWARF_UNWIND_SUPPORT dwarf-unwind-support=DWARF_UNWIND_SUPPORT
auxtrace=AUXTRACE_SUPPORT libaudit=LIBAUDIT_SUPPORT libbfd=LIBBFD_SUPPORT libbpf-strings=LIBBPF_STRINGS_SUPPORT
libcapstone=LIBCAPSTONE_SUPPORT libdw-dwarf-unwind=LIBDW_SUPPORT libelf=LIBELF_SUPPORT libLLVM=LIBLLVM_SUPPORT
libopencsd=CSTRACE_SUPPORT libtraceevent=LIBTRACEEVENT zlib=ZLIB_SUPPORT"""


def parsed(text):
    """Return {(label, macro): is on}. All lines after the version must be in perf's format."""
    lines = text.splitlines()[1:]
    assert len(lines) > 15 and all(map(LINE.match, lines)), text
    return {(name, macro): state == "on " for name, state, macro in (LINE.match(line).groups() for line in lines)}


def options():
    text = tap.run(TALLY, "version", "--build-options", status=0).stdout
    assert re.match(r"tally version \d+\.\d+\.\d+\n", text), text
    return parsed(text)


def test_has_every_line_of_the_installed_perf():
    perf = shutil.which("perf")
    theirs = tap.run(perf, "version", "--build-options") if perf else None
    if not perf or theirs.returncode or not LINE.search(theirs.stdout.split("\n")[1]):
        raise tap.Skip("perf is not installed, or has no version --build-options")
    missing = set(parsed(re.sub(r" +\( tip:.*", "", theirs.stdout))) - set(options())
    tap.same(missing, set(), "labels and macros of perf that tally does not print")


def test_has_the_names_of_newer_versions_of_perf():
    names = [tuple(word.split("=")) for word in NEWER.split()]
    tap.same({(label, f"HAVE_{macro}") for label, macro in names} - set(options()), set(), "labels and macros")


def test_states_are_true_of_tally():
    states = options()
    on = {macro for (_, macro), is_on in states.items() if is_on}
    for macro in ("ZSTD_SUPPORT", "LIBELF_SUPPORT", "LIBTRACEEVENT", "SLANG_SUPPORT", "DWARF_UNWIND_SUPPORT"):
        assert f"HAVE_{macro}" in on, macro
    for macro in ("LIBBPF_SUPPORT", "BPF_SKEL", "LIBPERL_SUPPORT", "LIBPFM", "AUXTRACE_SUPPORT"):
        assert f"HAVE_{macro}" not in on, macro
    tap.run(TALLY, "stat", "--pfm-events", "x", "true", status=129, says="--pfm-events")


def test_check_prints_the_lines_of_build_options():
    lines = tap.run(TALLY, "version", "--build-options").stdout.splitlines(keepends=True)[1:]
    labels, macros = {}, {}
    for line in lines:
        name, state, macro = LINE.match(line.rstrip("\n")).groups()
        labels.setdefault(name, (line, state))
        macros.setdefault(macro, (line, state))
    for name, (line, state) in [*labels.items(), *macros.items()]:
        done = tap.run(TALLY, "check", "feature", name, status=0 if state == "on " else 1)
        tap.same(done.stdout, line, name)
    tap.run(TALLY, "check", "feature", "HAVE_NONSENSE", status=129, says="unknown feature 'HAVE_NONSENSE'")


def test_verbose_explains_every_line():
    plain = tap.run(TALLY, "version", "--build-options").stdout.splitlines()
    verbose = tap.run(TALLY, "version", "-v").stdout.splitlines()
    tap.same(len(verbose), len(plain), "lines")
    for short, long in list(zip(plain, verbose))[1:]:
        assert long.startswith(f"{short}  ") and len(long) > len(short) + 4, (short, long)


def test_spellings_of_the_version():
    want = tap.run(TALLY, "version").stdout
    assert want.count("\n") == 1, want
    for words in (["--version"], ["-v"]):
        tap.same(tap.run(TALLY, *words).stdout, want, words)
    tap.same(tap.run(TALLY, "-vv").stdout, tap.run(TALLY, "version", "--build-options").stdout, "-vv")


tap.main(__name__)
