#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally diff: perf diff's numbers, and verdicts on recordings of a program that has or has not changed.

Recordings for the two sides are made alternately, on a machine that may be busy. TALLY_LONG=1 runs 200 pairs without a
change and 40 comparisons with a planted change, which takes ten minutes; docs/internals/diff-statistics.md has the
results.

usage: diff.py TALLY
"""
import collections
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/page")
import decode  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
import tmux  # noqa: E402
from crafted import *  # noqa: F403, E402
from terminal import on_terminal  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
LONG = bool(os.environ.get("TALLY_LONG"))
WORK = tap.workplace("diff")
# A program with sixteen functions, which together do about 1000 units of work. The program's second argument is the
# number of units for the second function. The last eight functions are called at the end of a recursion. With a fourth
# argument, each function runs once, as a separate phase.
SOURCE = r"""
#include <stdint.h>
#include <stdlib.h>
static volatile uint64_t sink;
#define LEAF(n) __attribute__((noinline)) static void f##n(long k) { uint64_t x = n + 1; \
  for (long i = 0; i < k; i++) x = x * 6364136223846793005ull + 1442695040888963407ull; sink += x; }
LEAF(0) LEAF(1) LEAF(2) LEAF(3) LEAF(4) LEAF(5) LEAF(6) LEAF(7) LEAF(8) LEAF(9) LEAF(10) LEAF(11) LEAF(12) LEAF(13)
LEAF(14) LEAF(15)
static void (*const leaves[16])(long) = {f0,f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,f13,f14,f15};
static long shares[16] = {200,100,150,120,80,60,50,40,40,30,30,20,20,20,20,20};
__attribute__((noinline)) static void group(int from, int to, long unit)
{ for (int i = from; i < to; i++) leaves[i](shares[i] * unit); sink++; }
__attribute__((noinline)) static void recurse(int depth, long unit)
{ if (depth > 0) recurse(depth - 1, unit); else group(8, 16, unit); sink++; }
int main(int argc, char **argv)
{
  long rounds = atol(argv[1]);
  shares[1] = atol(argv[2]);
  if (argc > 4)
    group(0, 16, 9 * rounds);
  else
    for (long i = 0; i < rounds; i++) { group(0, 8, 7 + i % 5); recurse(atoi(argv[3]), 7 + i % 5); sink++; }
  return 0;
}
"""
SECOND = 100000  # approximate number of rounds per second
FLAGS = ("-g", "-fno-omit-frame-pointer", "-O1")


def program():
    return steps.build(os.path.join(WORK, "work"), SOURCE, *FLAGS, once=True)


def recorded(name, *command, options=("-F", "997")):
    return steps.record(os.path.join(WORK, name), "-q", "-e", "cpu-clock", *options, *command, preexec_fn=lambda: os.nice(10))


def work(name, rounds=SECOND // 2, share=100, depth=3, options=("-F", "997")):
    return recorded(name, program(), rounds, share, depth, options=options)


def diff(*words, status=0):
    return tap.run(TALLY, "diff", *words, status=status)


def event(*words):
    return json.loads(diff("--json", *words).stdout)["events"][0]


def sides(a, b):
    return [*a, "--", *b]


def rows_of(an_event, measure="self"):
    return {row["symbol"]: row for row in an_event["rows"] if row[measure]["baseline_samples"] + row[measure]["samples"]}


def changed(an_event, measure="self"):
    return [name for name, row in rows_of(an_event, measure).items() if row[measure]["verdict"] in ("grew", "shrank")]


def unchanged(record_pair, *words, measure="self"):
    """Check that recordings of the same program are not reported as changed. If a row is, try once more: this happens
    by chance in one of 20 comparisons."""
    for again in (True, False):
        pair = record_pair()
        an_event = event(*words, *pair)
        found = changed(an_event, measure)
        if not found or not again:
            break
    tap.same(found, [], f"changed, {[rows_of(an_event, measure)[name][measure] for name in found]}")
    return an_event, pair


def removed(*paths):
    for path in paths:
        os.unlink(path)


# ---- perf's numbers ----------------------------------------------------------------------------

def perf_pair():
    machine.need_perf_records()
    paths = [os.path.join(WORK, name) for name in ("old.perf", "new.perf")]
    for path, share in zip(paths, (100, 200)):
        if not os.path.exists(path):
            done = tap.run("perf", "record", "-q", "-F", "997", "-g", "-e", "cpu-clock", "-o", path, program(), SECOND // 2,
                           share, 3)
            if done.returncode:
                raise tap.Skip("perf record: " + done.stderr)
    return paths


def lines_of(text):
    """Count the lines, without trailing blanks. Rows of equal rank may be in any order."""
    return collections.Counter(line.rstrip() for line in text.splitlines())


@tap.full
def test_perfs_numbers():
    pair = perf_pair()
    for options in ([], ["-s", "dso"], ["-s", "comm,dso,symbol"], ["-s", "sym"], ["-c", "delta"], ["-c", "ratio"],
                    ["-c", "wdiff:1,2"], ["-c", "wdiff:3,2", "-F"], ["-c", "ratio", "-F", "-p"], ["-p"], ["-F"], ["-o", "0"], ["-b"],
                    ["-q"], ["-d", "work"], ["-d", "work", "--percentage", "relative"], ["-C", "work"],
                    ["--time", "10%-50%"]):
        theirs, ours = tap.run("perf", "diff", *options, *pair), diff("--no-verdicts", "--no-bounds", *options, *pair)
        tap.same(theirs.returncode, 0, theirs.stderr)
        want, got = lines_of(theirs.stdout), lines_of(ours.stdout)
        assert want == got, f"{options}: perf {want - got}, tally {got - want}"
        assert len(want) > (1 if "dso" in options else 10), theirs.stdout


def test_perfs_order():
    """Check that our first row is one of perf's rows with the maximum in the sorted column: column 0 is the baseline,
    and column 1 is the result of the comparison."""
    pair = perf_pair()
    for options, column in tap.some([(["-q"], 1), (["-q", "-c", "delta"], 1), (["-q", "-c", "ratio", "-d", "work"], 1),
                                     (["-q", "-o", "0"], 0)], 3):
        theirs, ours = tap.run("perf", "diff", *options, *pair), diff("--no-verdicts", *options, *pair)
        rows = [line.rstrip() for line in theirs.stdout.splitlines()]
        firsts = [row for row in rows if row.split()[column] == rows[0].split()[column]]
        assert ours.stdout.splitlines()[0].rstrip() in firsts, f"{options}: {ours.stdout[:300]!r}, wanted one of {firsts}"


def test_separated_values():
    pair = perf_pair()
    theirs = tap.run("perf", "diff", "-t", ";", *pair).stdout.splitlines()
    ours = diff("--no-verdicts", "-t", ";", *pair).stdout.splitlines()
    want, got = (collections.Counter(";".join(cell.strip().rstrip("%") for cell in line.split(";")) for line in lines)
                 for lines in (theirs, ours))
    assert want == got, (want - got, got - want)


def test_uses_default_file_names():
    """Check that the default files are perf.data.old and perf.data, and that a single file is compared with
    perf.data.old."""
    folder = tempfile.mkdtemp(dir=WORK)
    for name, share in (("perf.data.old", 100), ("perf.data", 150), ("third", 200)):
        shutil.copy(work(name, SECOND // 5, share), os.path.join(folder, name))
    plain = [os.path.join(folder, name) for name in ("perf.data.old", "perf.data", "third")]
    for words, pair in (([], plain[:2]), (["third"], [plain[0], plain[2]])):
        done = tap.run(TALLY, "diff", "-q", *words, cwd=folder)
        tap.same(done.stdout, diff("-q", *pair).stdout, words)
    os.remove(plain[0])
    for words, new in (([], "perf.data"), (["third"], "third"), (["--", "third"], None)):
        done = tap.run(TALLY, "diff", *words, cwd=folder)
        if not new:
            assert done.returncode == 129, done
            continue
        tap.same((done.returncode, done.stdout, done.stderr),
                 (1, "", f"tally: there is no previous recording perf.data.old to compare {new} with\n"
                  "  hint: specify both: tally diff BASELINE FILE\n"), words)


# ---- verdicts ----------------------------------------------------------------------------------

def test_programs_that_did_not_change():
    """Check that at most 1 % of the rows in alternating pairs are reported as changed, with and without callchains."""
    pairs, rows, wrong, bad = (100 if LONG else 3), 0, 0, []
    for i in range(pairs):
        for options in (["-F", "997"], ["-F", "3999", "-g"]):
            pair = [work(f"same.{side}", SECOND // 2, options=options) for side in "ab"]
            an_event = event(*pair)
            for measure in ("self", "total") if "-g" in options else ("self",):
                rows += len(rows_of(an_event, measure))
                found = changed(an_event, measure)
                wrong += len(found)
                bad += [(i, options, measure, name, rows_of(an_event, measure)[name][measure]) for name in found]
            removed(*pair)
    print(f"# {2 * pairs} pairs: {wrong} of {rows} rows ({100 * wrong / rows:.3f} %)")
    for one in bad:
        print("#", *one)
    assert rows > 60 * pairs
    assert wrong * 100 <= max(rows, 200), bad


@tap.full
def test_planted_changes():
    """Check that a function that grows from 10 % to 12 % is found in 95 of 100 comparisons, with five recordings per
    side."""
    often, found = (40 if LONG else 1), 0
    share, rounds, rate = (123, SECOND, 3999) if LONG else (140, 2 * SECOND, 1999)
    for i in range(often):
        a, b = [], []
        for n in range(5):
            a.append(work(f"a{n}", rounds, options=["-F", str(rate)]))
            b.append(work(f"b{n}", rounds, share, options=["-F", str(rate)]))
        an_event = event(*sides(a, b))
        row = rows_of(an_event)["f1"]["self"]
        found += row["verdict"] == "grew"
        print(f"# comparison {i}: {row['baseline']:.4f} {row['value']:.4f} noise {row['noise']:.4f} {row['verdict']}; changed: "
              f"{' '.join(changed(an_event))}")
        alone = rows_of(event("-S", "f1", *sides(a, b)))["f1"]["self"]
        tap.same((alone["baseline"], alone["value"]), (row["baseline"], row["value"]), "a row alone")
        assert alone["noise"] < row["noise"], (alone, row)
        removed(*a, *b)
    assert found >= 0.95 * often, f"{found} of {often}"


def test_finds_changes_in_functions_that_run_in_one_phase():
    """Check that a change is found in a function that runs in only one phase, 10 % of the time, and then takes twice as
    long. Comparing blocks of time cannot show this."""
    for again in (True, False):
        a, b = ([recorded(f"phase{share}.{n}", program(), SECOND // 2, share, 0, "phases") for n in range(3)] for share in (100, 200))
        row = rows_of(event(*sides(a, b)))["f1"]["self"]
        # Other programs on the machine can make a recording differ from the others of its side.
        if row["verdict"] == "grew" or not again:
            break
    tap.same(row["verdict"], "grew", row)
    removed(*a, *b)


def test_a_recording_does_not_differ_from_itself():
    """Check that nothing differs between a recording and itself. Without other recordings, the noise between runs
    cannot be estimated."""
    path = work("itself")
    for pair in ([path, path], sides([path, path], [path, path])):
        rows = rows_of(event(*pair)).values()
        tap.same({row["self"]["delta"] for row in rows}, {0}, pair)
        assert not {row["self"]["verdict"] for row in rows} & {"grew", "shrank"}, rows
    removed(path)


def test_rates_change_nothing():
    """Check that sampling at 99 Hz and at 999 Hz results in the same percentages."""
    an_event, _ = unchanged(lambda: [work(f"rate{rate}", 2 * SECOND, options=["-F", str(rate)]) for rate in (99, 999)])
    low, high = (recording["samples"] for recording in an_event["recordings"])
    assert high > 8 * low, (low, high)
    row = rows_of(an_event)["f0"]["self"]
    assert abs(row["delta"]) < 0.15 and row["baseline"] > 0.05, row


def test_lengths_change_nothing():
    an_event, _ = unchanged(lambda: [work(f"long{n}", n * SECOND // 2) for n in (1, 2)])
    short, long = (recording["samples"] for recording in an_event["recordings"])
    assert long > 1.4 * short, (short, long)


def test_recursions_change_nothing():
    an_event, pair = unchanged(
        lambda: [work(f"deep{depth}", SECOND // 2, depth=depth, options=["-g", "-F", "1999"]) for depth in (10, 20)],
        measure="total")
    recursion = rows_of(an_event, "total")["recurse"]
    assert 0.1 < recursion["total"]["value"] < 0.35, recursion
    tap.same(recursion["state"], "both", recursion)
    paths = [row for row in event("--by", "path", *pair)["rows"] if row["path"][-1] == "f8"]
    heavy = max(paths, key=lambda row: row["self"]["value"])
    tap.same(heavy["path"].count("recurse"), 1, heavy)
    assert heavy["self"]["baseline"] > 0.015 and heavy["self"]["value"] > 0.015, paths


def test_times_and_counts():
    """Check that twice as many rounds take twice the time, but the same time per round."""
    a, b = ([work(f"time{n}{i}", n * SECOND // 4, options=["-F", "1999"]) for i in range(3)] for n in (1, 2))
    for normalize, ratio in ((["--normalize", "time"], 2), (["--count-a", "1000", "--count-b", "2000"], 1), ([], 1)):
        row = rows_of(event(*normalize, *sides(a, b)))["f0"]["self"]
        assert abs(row["value"] / row["baseline"] / ratio - 1) < 0.35, (normalize, row)
        tap.same(row["verdict"] == "grew", ratio == 2, (normalize, row))
    tap.same(event("--normalize", "time", *sides(a, b))["unit"], "s", "unit")
    tap.same(event("--normalize", "count=7", *sides(a, b))["unit"], "ns", "unit")
    assert re.search(r" [0-9.]+s +\+[0-9.]+s +[0-9.]+s +grew +work +\[\.\] f0", diff("--normalize", "time", *sides(a, b)).stdout)
    places = {line.index("[.]") for line in diff("-q", "--normalize", "time", *sides(a, b)).stdout.splitlines() if "[.]" in line}
    tap.same(len(places), 1, places)


# ---- changed functions -------------------------------------------------------------------------

MOVING = r"""
#include <stdint.h>
volatile uint64_t sink;
void spin(long k) HOW;
SPIN
static void __attribute__((noinline)) only_here(long k) { for (long i = 0; i < k; i++) sink += i; }
int main(void) { for (int i = 0; i < 400; i++) { spin(300000); only_here(300000); } return 0; }
"""
SPIN = "{ for (long i = 0; i < k; i++) sink += i * i; }"


def moving(name, here, how="__attribute__((noinline))", other="only_here"):
    """Build a program with a function spin() that is either in the program itself or in a library."""
    path = os.path.join(WORK, name, "moving")
    os.makedirs(os.path.dirname(path))
    declared = MOVING.replace("only_here", other)
    if here:
        source = declared.replace("void spin(long k) HOW;\nSPIN", f"static inline {how} void spin(long k) {SPIN}")
        steps.build(path, source, *FLAGS)
    else:
        library = os.path.join(WORK, name, "libspin.so")
        steps.build(library, "#include <stdint.h>\nextern volatile uint64_t sink;\nvoid spin(long k) " + SPIN, *FLAGS, "-shared", "-fPIC")
        steps.build(path, declared.replace("SPIN", "").replace(" HOW", ""), *FLAGS, "-rdynamic", file=path + ".c",
                    libraries=[library, "-Wl,-rpath," + os.path.dirname(library)])
    return recorded(name + ".data", path, options=["-g", "-F", "1999"])


def test_shows_added_and_removed_functions():
    itself, library = moving("itself", True), moving("library", False)
    inlined = moving("inlined", True, "__attribute__((always_inline))", "renamed")
    moved = [row for row in event(itself, library)["rows"] if row["symbol"] == "spin"]
    tap.same(sorted((row["dso"], row["state"], row.get("other_dso"), row["self"]["verdict"]) for row in moved),
             [("libspin.so", "moved-from", "moving", "grew"), ("moving", "moved-to", "libspin.so", "shrank")], moved)
    back = {row["dso"]: row["state"] for row in event(library, itself)["rows"] if row["symbol"] == "spin"}
    tap.same(back, {"libspin.so": "moved-to", "moving": "moved-from"}, "back")
    states = {name: row["state"] for name, row in rows_of(event(itself, inlined)).items()}
    tap.same([states.get(name) for name in ("spin", "only_here", "renamed")], ["inlined-now", "gone", "new"], states)
    tap.same(rows_of(event(inlined, itself))["spin"]["state"], "was-inlined", "the other way round")
    total = rows_of(event(itself, inlined), "total")["spin"]["total"]
    assert abs(total["delta"]) < 0.4 and min(total["value"], total["baseline"]) > 0.2, total
    text = diff(itself, inlined).stdout
    # spin did not change: its samples are its own, whether it is inlined or not.
    for verdict, name in ((r"(undecided|same to [\d.]+%)", "spin"), ("gone", "only_here"), ("new", "renamed")):
        assert re.search(rf"{verdict} +moving +\[\.\] {name}$", text, re.M), text
    assert re.search(r"moved to libspin\.so +moving +\[\.\] spin$", diff(itself, library).stdout, re.M)


OVERLOADED = r"""
static volatile double sink;
#define WORK(name, type) __attribute__((noinline)) void name(type n) { for (int i = 0; i < 300000; i++) sink = sink + n; }
WORK(both, int) WORK(both, double) WORK(changed, TYPE)
template <typename A, typename B> struct pair_of {};
struct a_type_with_a_very_long_name {}; struct another_type_with_a_very_long_name {};
template <typename A, typename B, typename C> WORK(several_types, int)
int main()
{
	for (int i = 0; i < 200; i++) {
		if (!SKIPS) both(i);
		both(i * .5); both(i * .5); changed(i);
		several_types<pair_of<a_type_with_a_very_long_name, another_type_with_a_very_long_name>,
			      pair_of<another_type_with_a_very_long_name, a_type_with_a_very_long_name>, long>(i);
	}
}
"""


def overloaded(name, kind, skips=0):
    """Record a program with overloads of both(). The one for int is not called if `skips` is set."""
    path = os.path.join(WORK, name, "overloaded")
    os.makedirs(os.path.dirname(path))
    steps.build(path, OVERLOADED, "-O1", f"-DTYPE={kind}", f"-DSKIPS={skips}", compiler="g++", file=path + ".cc")
    return recorded(name + ".data", path, options=["-F", "1999"])


def test_distinguishes_overloads():
    pair = overloaded("int", "int"), overloaded("long", "long")
    rows = [row for row in event(*pair)["rows"] if row["symbol"] in ("both", "changed")]
    tap.same(sorted((row["signature"], row["state"]) for row in rows),
             [("both(double)", "both"), ("both(int)", "both"), ("changed(long)", "both")], rows)
    shown = diff(*pair).stdout
    for name in ("both(int)", "both(double)", "changed"):
        assert re.search(rf" {re.escape(name)}$", shown, re.M), shown
    # A long name has at most 100 columns and a footnote with the whole name.
    [row] = re.findall(r"\[\.\] (.*several_types.* \[1\])$", shown, re.M)
    assert len(row) <= 100, row
    note = re.sub(r"\n#  +", " ", shown).split("# [1] ")[1].split("\n")[0]
    assert re.search(r"several_types<pair_of<.*, long>\(int\)$", note), shown


def test_pages_distinguish_overloads():
    out = os.path.join(WORK, "overloads.html")
    diff(overloaded("all", "int"), overloaded("one", "long", 1), f"--html={out}")
    page = decode.read(out)
    names = [page.strings[short] or frame.name for short, frame in zip(page.columns["frame_short"], page.frames)]
    found = collections.defaultdict(set)
    for sample in page.samples:
        found[names[page.columns["node_frame"][sample.node]]].add(sample.recording)
    wanted = {"both(int)": {0}, "both(double)": {0, 1}, "changed": {0, 1}}
    tap.same({name: found[name] for name in wanted}, wanted, found)
    verdicts = {names[one["frame"]]: one["text"] for one in page.meta["verdicts"]}
    tap.same((verdicts["both(int)"], verdicts["changed"]), ("gone", verdicts["changed"]), verdicts)


def test_sorts_removed_functions_by_their_change():
    """Check that a function that was removed comes before smaller changes."""
    old, new = (moving(name, True, other=other) for name, other in (("with", "only_here"), ("without", "renamed")))
    shown = [line.split()[-1] for line in diff("-q", old, new).stdout.splitlines()]
    tap.same({*shown[:2]}, {"only_here", "renamed"}, shown)


# ---- output ------------------------------------------------------------------------------------

def crafted(name, addresses, **options):
    path = os.path.join(WORK, name)
    records = [comm(7, "prog"), mmap(7, 0x1000, 0x1000, "/nonexistent/prog")]
    records += [sample(0x1000 + address, 7, 1000 + i * 1000000, period=weight)
                for i, (address, weight) in enumerate(addresses)]
    with open(path, "wb") as file:
        file.write(file_bytes(records, **options))
    return path


def test_computes_known_numbers():
    a = crafted("hand.a", [(0x10, 30), (0x20, 10)] * 10)
    b = crafted("hand.b", [(0x10, 10), (0x30, 30)] * 10)
    rows = {row["symbol"]: row for row in event(a, b)["rows"]}
    for symbol, baseline, value, state in ((0x10, 0.75, 0.25, "both"), (0x20, 0.25, 0, "gone"), (0x30, 0, 0.75, "new")):
        row = rows[f"0x{symbol:016x}"]
        tap.same((row["self"]["baseline"], row["self"]["value"], row["state"]), (baseline, value, state), row)
        tap.same(row["self"]["values"], [baseline, value], row)
    rows = {row["symbol"]: row["self"] for row in event("--normalize", "samples", a, b)["rows"]}
    tap.same(rows[f"0x{0x10:016x}"]["baseline"], 0.5, rows)
    two = event(*sides([a, b], [b]))
    tap.same([one["side"] for one in two["recordings"]], ["a", "a", "b"], two["recordings"])
    tap.same({row["symbol"]: row["self"]["baseline"] for row in two["rows"]}[f"0x{0x10:016x}"], 0.5, "the mean")


def test_phases_are_not_noise_of_the_same_work():
    """Check that a function that runs in one phase and takes twice as long has a verdict with --same-work, that the
    output mentions this option, and that unchanged functions get no verdict by it. Several recordings show how runs
    differ, so the option changes nothing."""
    a, b, same = (crafted(f"phases.{name}", [(0x10, 1)] * 400 + [(0x20, 1)] * middle + [(0x30, 1)] * 400)
                  for name, middle in (("a", 200), ("b", 400), ("same", 205)))
    verdicts = lambda *words: {row["symbol"][-2:]: row["self"]["verdict"] for row in event(*words)["rows"]}
    tap.same(verdicts(a, b), {"10": "unknown", "20": "unknown", "30": "unknown"}, "a part of a longer time")
    tap.same(verdicts("--same-work", a, b), {"10": "shrank", "20": "grew", "30": "shrank"}, "the same work")
    assert not set(verdicts("--same-work", a, same).values()) & {"grew", "shrank"}, verdicts("--same-work", a, same)
    text = " ".join(diff("--stdio", a, b).stdout.split())
    assert "3 rows are undecided because costs change during a recording, in phases. If both runs do the same work, --same-work compares them." in text, text
    assert "in phases" not in diff("--stdio", "--same-work", a, b).stdout
    pairs = sides([a, a], [b, same])
    tap.same(verdicts("--same-work", *pairs), verdicts(*pairs), "several recordings")
    assert "in phases" not in diff("--stdio", *pairs).stdout


def test_does_not_compare_addresses_of_anonymous_memory():
    """Check that addresses in anonymous memory and in the kernel are not compared. Unlike addresses in a file, they
    have no fixed meaning across runs."""
    pair = []
    for side, shift in (("a", 0), ("b", 0x100000)):
        records = [comm(7, "prog"), mmap(7, 0x1000 + shift, 0x1000, "/nonexistent/prog")]
        records += [sample(0x1010 + shift, 7, 1000 + i) for i in range(20)]
        records += [sample(0x90000000 + shift + i, 7, 2000 + i) for i in range(20)]
        records += [sample(0xffffffff81000000 + shift + i, 7, 3000 + i, misc=KERNEL) for i in range(20)]
        pair.append(os.path.join(WORK, "places." + side))
        with open(pair[-1], "wb") as file:
            file.write(file_bytes(records))
    rows = sorted((row["symbol"], row["state"], round(row["self"]["value"], 3)) for row in event(*pair)["rows"])
    tap.same(rows, [("0x0000000000000010", "both", 0.333)] + [("[no symbol]", "both", 0.333)] * 2, "rows")


def test_gives_no_verdict_with_few_samples():
    a, b = (crafted(f"few.{n}", [(0x10, 1)] * 3 + [(0x20, 1)] * 20 * n) for n in (1, 2))
    verdicts = {row["symbol"][-2:]: row["self"]["verdict"] for row in event(a, b)["rows"]}
    tap.same(verdicts["10"], "few-samples", verdicts)
    same = event(crafted("all.a", [(0x10, 1)] * 50), crafted("all.b", [(0x10, 1)] * 500))["rows"]
    tap.same([row["self"]["verdict"] for row in same], ["same"], same)


def test_lines_fit_a_terminal():
    pair = perf_pair()
    for columns in (80, 100):
        shown = on_terminal(TALLY, "diff", "--stdio", *pair, columns=columns).decode()
        assert re.search(r"Verdict +Shared Object +Symbol", shown), shown
        for line in shown.splitlines():
            assert len(line) <= columns or " " not in line.strip("# "), line


def test_the_browser_shows_the_same():
    """Check the browser: it shows the same rows as JSON, sorted by the change. Also check the view of changed rows, the
    details of each recording, and the filter by name."""
    pair = [crafted("seen.a", [(0x10, 1)] * 300 + [(0x110, 1)] * 300),
            crafted("seen.b", [(0x10, 1)] * 500 + [(0x110, 1)] * 100)]
    nr = len(changed(event(*pair)))
    with tmux.Screen(90, 12) as screen:
        screen.type(f"{TALLY} diff {' '.join(pair)}")
        screen.press("Enter")
        lines = screen.until(lambda s: s[0].startswith("diff of ") and s[-1].startswith(" h Help"), "rows")
        assert re.match(r" +50\.00% +[+-]33\.33% +\d+\.\d\d% +(\u2588{6}\u2502|\u2502\u2588{6}) +(grew|shrank|undecided) ", lines[2]), lines
        assert re.match(r" +50\.00% +[+-]33\.33% ", lines[3]) and lines[-2].endswith("1/2"), lines
        screen.press("Enter")
        screen.until(lambda s: any(re.search(r"\u2502 baseline 50\.00%  /.*seen\.a", line) for line in s) and
                     any(re.search(r"\u2502 compared (83\.33|16\.67)%  /.*seen\.b", line) for line in s), "each recording's")
        screen.press("c")
        screen.until(lambda s: not any("Recordings" in line for line in s[:-1]), "the box go")
        screen.press("c")
        screen.until(lambda s: s[-2].startswith("only changed rows") and s[-2].endswith(f"{min(nr, 1)}/{nr}"), "only changed rows")
        screen.type("/no such name")
        screen.press("Enter")
        screen.until(lambda s: s[-2].endswith("0/0") and s[1].startswith("no changed row matches the filter"), "no rows")
        screen.press("q")
        screen.until(lambda s: any(line.startswith("# File on side A") for line in s), "what is left")


def test_the_browser_says_that_nothing_changed():
    same = [crafted(name, [(0x10, 1)] * 300 + [(0x110, 1)] * 300) for name in ("same.a", "same.b")]
    with tmux.Screen(90, 12) as screen:
        screen.type(f"{TALLY} diff {' '.join(same)}")
        screen.press("Enter")
        screen.until(lambda s: s[0].startswith("diff of ") and s[-2].endswith("1/2"), "rows")
        screen.press("c")
        screen.until(lambda s: s[1].startswith("no changed rows: press c to show all rows") and s[-2].endswith("0/0"), "no rows")
        screen.press("Enter", "Down", "c")
        screen.until(lambda s: s[-2].endswith("1/2"), "rows again")


def test_the_browser_in_narrow_windows():
    """Check that in narrow windows, names keep some width, with a gap before files. The bar, noise, baseline and
    verdict columns are dropped in this order; the difference is never dropped."""
    pair = [crafted("narrow.a", [(0x10, 1)] * 300 + [(0x110, 1)] * 300),
            crafted("narrow.b", [(0x10, 1)] * 500 + [(0x110, 1)] * 100)]
    headings = ("Baseline", "Delta", "Noise", "Verdict", "Self")
    for columns, shown, bar in ((90, headings, True), (80, headings, False), (55, ("Delta", "Verdict", "Self"), False),
                                (40, ("Delta", "Verdict", "Self"), False), (20, ("Delta", "Self"), False)):
        with tmux.Screen(columns, 8) as screen:
            screen.type(f"{TALLY} diff {' '.join(pair)}")
            screen.press("Enter")
            lines = screen.until(lambda s: s[0].startswith("diff of ") and s[-1].startswith(" h Help"), "rows")
            tap.same(re.findall("[A-Z][a-z]+", lines[1]), list(shown), f"headings of {columns} columns")
            assert ("\u2588" in lines[2]) == bar, lines
            cells = re.split(" {2,}", lines[2][lines[1].index("Self"):].strip())
            assert len(cells) == (2 if columns > 40 else 1) and len(cells[0]) > 3, (columns, cells)


def test_escapes_hostile_names():
    pair = []
    for side in "ab":
        records = [comm(7, "e\x1b[31m\nvil"), mmap(7, 0x1000, 0x1000, "/x/p\x1b]0;\x07\nrog")]
        records += [sample(0x1010, 7, 1000 + i) for i in range(20)]
        pair.append(os.path.join(WORK, "stranger." + side))
        with open(pair[-1], "wb") as file:
            file.write(file_bytes(records))
    for options in (["-s", "comm,dso,symbol"], ["-t", ";"], ["--json"], ["--by", "path"]):
        text = diff(*options, *pair).stdout
        assert "rog" in text and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), text


def test_compares_each_of_several_files_with_the_first():
    """Test that three files without "--" are two comparisons."""
    files = [crafted(f"several.{name}", [(0x10, 50), (0x20, nr)]) for name, nr in (("a", 50), ("b", 50), ("c", 150))]
    text = diff(*files).stdout
    tap.same([line for line in text.splitlines() if re.match(r"#  \[", line)],
             [f"#  [0] {files[0]} (Baseline)", f"#  [1] {files[1]}", f"#  [0] {files[0]} (Baseline)", f"#  [2] {files[2]}"], "files")
    tables = [[line.split()[:2] for line in part.splitlines() if line.strip() and line[0] != "#"] for part in text.split("# Data files:")[1:]]
    tap.same(tables, [[["50.00%", "+0.00%"]] * 2, [["50.00%", "-25.00%"], ["50.00%", "+25.00%"]]], "differences")


def test_modifiers_do_not_separate_the_same_counter():
    def recording(*events):
        path = os.path.join(WORK, "modifiers." + "-".join(name.replace("/", "_") for name, _ in events))
        with open(path, "wb") as file:
            file.write(events_bytes(events, [of_event(10 + at % len(events), time=at) for at in range(40)]))
        return path
    plain, user, kernel, precise, other = ("cycles", 0), ("cycles:u", 0), ("cycles:k", 0), ("cycles:ppp", 0), ("cycles:u", 7)
    for a, b, want in (([plain], [user], ["cycles"]), ([user], [precise], ["cycles:u"]), ([user], [plain, user], ["cycles:u"]),
                       ([("cpu/cycles/", 0)], [("cpu/cycles/u", 0)], ["cpu/cycles/"]), ([plain, user], [precise], []),
                       ([plain], [user, kernel], []), ([plain], [other], []), ([("loads", 0)], [user], [])):
        files = recording(*a), recording(*b)
        done = tap.run(TALLY, "diff", *files, status=0 if want else 1)
        tap.same(re.findall("# Event '(.*)'", done.stdout), want, f"{a} against {b}")
        assert ("is compared with" in done.stderr) == (bool(want) and a[0] not in b), (a, b, done.stderr)
        page = tap.run(TALLY, "diff", *files, f"--html={WORK}/modifiers.html")
        assert (page.returncode == 0) == bool(want) and page.stderr.count("is compared with") == done.stderr.count(
            "is compared with"), (a, b, page.stderr)


def test_reports_usage_errors():
    a = crafted("wrong.a", [(0x10, 1)] * 20)
    other = crafted("wrong.other", [(0x10, 1)] * 20, attrs=[attr(config=1)])
    faults = crafted("wrong.faults", [(0x10, 1)] * 20, attrs=[attr(config=2)])
    empty = crafted("wrong.empty", [])
    for words, status, want in (
            (["--json", a, a, a], 129, "separate the sides with '--'"), ([a, "--"], 129, "no recording after '--'"),
            (["--", a], 129, "no recording before '--'"), ([a, other], 1, "no event was recorded on both sides"),
            ([a, empty], 1, "side B has no samples"), ([a, "/nonexistent"], 1, "/nonexistent"),
            (["-c", "cycles", a, a], 129, "unknown value 'cycles'"), (["-c", "wdiff:1", a, a], 129, "wdiff:1,2"),
            (["-s", "pid", a, a], 129, "valid values: comm, dso"), (["--normalize", "count", a, a], 129, "--count-a"),
            (["--normalize", "count=x", a, a], 129, "unknown value"), (["--normalize", "time", faults, faults], 1, "does not measure time"),
            (["--same", "x", a, a], 129, "takes a percentage"), (["-o", "2", a, a], 129, "from 0 to 1, not '2'"),
            (["-o", "3", a, a, a], 129, "from 0 to 2, not '3'"), (["-o", "-1", a, a], 129, "not '-1'"),
            (["--by", "line", a, a], 129, "function, path")):
        done = tap.run(TALLY, "diff", *words, status=status)
        assert want in done.stderr, (words, done.stderr)
    assert "no rows left after filtering" in diff("-C", "nobody", a, a).stderr
    tap.same(diff("-o", "2", a, a, a).stdout, diff(a, a, a).stdout, "the order of the second comparison")


if __name__ == "__main__":
    tap.main(__name__)
