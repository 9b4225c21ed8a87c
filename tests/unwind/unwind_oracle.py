# SPDX-License-Identifier: BSD-2-Clause
"""Compare the stacks that tally unwinds with those from libdwfl and perf, and with known stacks.

    unwind_oracle.py TALLY [ORACLE] [--all] [--table] [--keep DIR] [NAME...]

Builds each of the workloads, records it with perf and with tally, and compares the stacks. --all, or TALLY_UNWIND=all
in the environment, runs all workloads, which takes some minutes; otherwise only the quick ones run. If NAMEs are given,
only workloads with a matching name are run. --table prints the results as a table. ORACLE is the program built from
tests/unwind/oracle.c. If ORACLE is missing because libdw is not installed, all tests are skipped.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import workloads  # noqa: E402

# Outermost frames of complete stacks.
BOTTOM = re.compile(r"^(_start|_start_c|__?libc_start.*|libc_start_main.*|_dl_start_user|_dl_start|(__(GI___)?)?clone3?|start_thread|thread_start|_rt0_amd64.*|"
                    r"runtime\.(goexit|mstart|rt0_go|mcall|morestack|systemstack|asmcgocall|sigtramp|gogo).*)$")
SUFFIX = re.compile(r"(\.(isra|part|constprop|cold|lto_priv)(\.\d+)*)+$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")

# Signal trampolines and handlers, which interrupt the functions with known callers.
INTERRUPTED = re.compile(r"__restore_rt|__kernel_rt_sigreturn|on_")

Counts = collections.namedtuple("Counts", "stacks bottom chains")


def run(folder, *args):
    """Run a command on the recording in a folder. Caches are disabled, because they may contain a file from another
    build with the same build ID."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run([str(arg) for arg in args], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=600,
                          env={**os.environ, "DEBUGINFOD_URLS": "", "HOME": str(home), "XDG_CACHE_HOME": str(home)}, cwd=folder)


class Failed(Exception):
    """Raised if a comparison fails."""


def record(recorder, command, folder, name, *options):
    file = folder / f"{name}.data"
    result = run(folder, recorder, "record", *options, "--call-graph", "dwarf", "-e", "cpu-clock", "-F", "4999", "-o", file, "--", *command)
    if not file.exists() or not file.stat().st_size:
        raise Failed(f"{recorder} record: {result.stderr.strip()[-300:]}")
    return file


def chains(tool, file):
    """Return the user part of each callchain that a tool prints, innermost first, as names or as addresses if there is
    no name."""
    options = ["--no-inline"] if str(tool) == "perf" else []
    return chains_of(run(file.parent, tool, "script", "-i", file, "-F", "comm,tid,time,ip,sym,dso", *options).stdout)


def chains_of(text):
    for block in text.split("\n\n"):
        frames = [FRAME.match(line) for line in block.splitlines()[1:]]
        frames = [(int(m[1], 16), m[2], m[3]) for m in frames if m and int(m[1], 16) < 1 << 63]
        if frames:
            yield frames


def counts(tool, file):
    stacks = list(chains(tool, file))
    return Counts(len(stacks), sum(bool(BOTTOM.match(SUFFIX.sub("", frames[-1][1]))) for frames in stacks), stacks)


def bare(frames):
    return [SUFFIX.sub("", name) for _, name, _ in frames]


def short_dumps(tally, file):
    """Return the number of stacks that ended at the end of their dump. The kernel does not copy pages that are not
    present, such as those of a large frame in a program that has just started."""
    text = run(file.parent, tally, "report", "--health", "-i", file).stdout
    return sum(int(number) for number in re.findall(r"^# Stacks ended early: .*: (\d+) stack dump too short$", text, re.M))


def check_truth(wanted, stacks, short=0):
    """Check the callers of functions with known callers. Up to `short` stacks may end early."""
    seen = 0
    leaves = {chain[0] for chain in wanted}
    for frames in stacks:
        names = bare(frames)
        if names[0] not in leaves or any(INTERRUPTED.match(name) for name in names):
            continue
        seen += 1
        if any(names[:len(chain)] == chain and names.count(chain[-2]) == chain.count(chain[-2]) for chain in wanted):
            continue
        is_part = any(names == chain[:len(names)] for chain in wanted)
        short -= is_part
        if short < 0 or not is_part:
            raise Failed(f"a stack that cannot be: {' < '.join(names)}")
    if wanted and seen < 20:
        raise Failed(f"only {seen} stacks of {sorted(leaves)}")


def numbers(text):
    return {key: float(value) for key, value in re.findall(r"^([a-z ]+): ([0-9.]+)", text, re.M)}


def judge(tally, oracle, row, file):
    """Return the figures for one recording. Raise Failed if they are wrong."""
    result = run(file.parent, oracle, "-v", "--least", row.least, file)
    if result.returncode not in (0, 1):
        raise Failed(f"oracle: {result.stderr}")
    found = numbers(result.stdout)
    ours, theirs = counts(tally, file), counts("perf", file)
    found.update(bottom=ours.bottom, chains=ours.stacks, perf_bottom=theirs.bottom, perf_chains=theirs.stacks,
                 text="\n".join(result.stdout.splitlines()[-60:]))
    found["same"] = sum(a == b for a, b in zip(ours.chains, theirs.chains))
    if result.returncode:
        raise Failed(result.stdout[-3000:])
    if not found["stacks"]:
        raise Failed("no stacks")
    if ours.bottom * theirs.stacks < theirs.bottom * ours.stacks:
        raise Failed(f"{ours.bottom} of {ours.stacks} stacks reach the bottom, by perf {theirs.bottom} of {theirs.stacks}")
    check_truth(row.truth, ours.chains, found["stack dump too short"])
    # While libgcc installs the registers for a landing pad, unwinding is impossible, and libdwfl stops there as well.
    broken = found["incorrect unwind rule"] - found["of these both ended where libgcc installs registers"]
    if broken > found["stacks"] / 100:
        raise Failed("rules that do not hold\n" + result.stdout[-3000:])
    return found


def workload_run(tally, oracle, row, folder, everything):
    command = row.build(folder)
    yield "tally", judge(tally, oracle, row, record(tally, command, folder, "tally", "--keep-stacks"))
    if not everything:
        return
    yield "perf", judge(tally, oracle, row, record("perf", command, folder, "perf"))
    # This recording is unwound while it is made, so there is no dump to compare with.
    live = record(tally, command, folder, "live")
    check_truth(row.truth, counts(tally, live).chains, short_dumps(tally, live))


def table_row(row, recorder, found):
    print("%-44s %-6s %7d %9d %9.4f %6d %6d %7.2f %7.2f %7.2f" % (
        row.name, recorder, found["stacks"], found["frames compared"], found["share"], found["longer by us"],
        found["longer by libdwfl"], 100 * found["bottom"] / max(found["chains"], 1),
        100 * found["perf_bottom"] / max(found["perf_chains"], 1), 100 * found["same"] / max(found["chains"], 1)))


def missing(oracle):
    """Return the reason why comparisons are impossible on this machine, or None."""
    if not oracle:
        return "libdw is not installed"
    if not shutil.which("perf"):
        return "perf is not installed"
    with tempfile.TemporaryDirectory() as folder:
        result = run(pathlib.Path(folder), "perf", "record", "-q", "-e", "cpu-clock:u", "-o", "perf.data", "--", "true")
    return "perf may not record here: " + " ".join(result.stderr.split())[:200] if result.returncode else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tally")
    parser.add_argument("oracle", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_intermixed_args()
    reason = missing(options.oracle)
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    options.all = options.all or os.environ.get("TALLY_UNWIND") == "all"
    tally, oracle = pathlib.Path(options.tally).resolve(), pathlib.Path(options.oracle).resolve()
    rows = workloads.chosen(options.names, options.all)
    if options.table:
        print("%-44s %-6s %7s %9s %9s %6s %6s %7s %7s %7s" % ("workload", "by", "stacks", "frames", "equal %", "+ours", "+dwfl",
                                                              "bottom", "perf's", "text ="))
    else:
        print(f"1..{len(rows)}")
    failed = 0
    for number, row in enumerate(rows, 1):
        folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="tally-unwind-"))
        if options.keep:
            folder = folder / re.sub(r"[^a-z0-9.]+", "-", row.name)
            folder.mkdir(parents=True, exist_ok=True)
        line = f"ok {number} - {row.name}"
        try:
            for recorder, found in workload_run(tally, oracle, row, folder, options.all):
                if options.table:
                    table_row(row, recorder, found)
        except workloads.Missing as reason:
            line += " # SKIP " + str(reason).replace("\n", " ")
        except Failed as reason:
            line = f"not {line}\n" + "\n".join("# " + text for text in str(reason).splitlines())
            failed += 1
        finally:
            if not options.keep:
                shutil.rmtree(folder, ignore_errors=True)
        if not options.table or not line.startswith("ok") or "SKIP" in line:
            print(line)
        sys.stdout.flush()
    return 1 if failed and options.table else 0


if __name__ == "__main__":
    sys.exit(main())
