#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check that `tally report --html` pages have the same contents as the report, for any recording.

usage: report.py TALLY FIXTURES SHARED
"""
import collections
import json
import os
import random
import shutil
import struct
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import browser_data  # noqa: E402
import browser_hostile  # noqa: E402
import decode  # noqa: E402
import fixtures  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from crafted import *  # noqa: F403, E402
from reports import TALLY, WORK, function_of, page_of, path_of, rows_of, shop  # noqa: E402

SETS = fixtures.sets(*sys.argv[2:4])
LOST = 2


# ---- same contents as the report ---------------------------------------------------------------------


def check_sums(recording, by_function, *options):
    page = page_of(recording, *options)
    try:
        events = rows_of(recording, *options)
    except json.JSONDecodeError:
        return 0
    if not page:
        return 0
    events = [event for event in events if event["samples"]]
    tap.same([event["name"] for event in page.meta["events"] if event["name"]][:len(events)], [one["event"] for one in events], recording)
    for number, event in enumerate(events):
        of_page = [sample for sample in page.samples if sample.event == number]
        tap.same(len(of_page), event["samples"], recording)
        if "2^53" in str(page.meta["notes"]):
            tap.same(max(sample.weight for sample in of_page), (1 << 53) - 1, recording)
        else:
            tap.same(sum(sample.weight for sample in of_page), event["period"], recording)
        if not by_function:
            continue
        wanted, got = collections.Counter(), collections.Counter()
        for row in event["rows"]:
            wanted[function_of(row)] += row["self_samples"]
        for frame, sums in page.sums(number).items():
            got[frame.name] += sums[0]
        tap.same(sorted((+got).items()), sorted((+wanted).items()), f"{recording}: samples by function")
    return len(page.samples)


def check_recordings(one):
    """Compare the events of each recording, the numbers of samples and their weights. Functions are compared only if
    callchains begin at the sampled addresses, which is not the case for precise events on other machines."""
    seen = sum(check_sums(path, one.own) for path in one.files())
    assert seen > (100 if tap.QUICK else 1000), f"{seen} samples"


def test_sums_are_those_of_the_report():
    for one in SETS:
        check_recordings(one)


def test_children_are_those_of_the_report():
    """Check that totals by function use whole stacks: each sample counts only once, even for a recursive function."""
    recording, symfs = shop()
    page = page_of(recording, *symfs)
    wanted = {row["symbol"][4:]: [row["self_samples"], row["self_period"], row["total_samples"], row["total_period"]]
              for row in rows_of(recording, *symfs)[0]["rows"] if function_of(row)}
    tap.same({frame.name: sums for frame, sums in page.sums(0).items() if frame.name}, wanted, "functions")


def test_samples_are_those_that_were_written():
    recording, symfs = shop()
    page = page_of(recording, *symfs)
    wanted = []
    for tid, cpu, callers, nr, (first, last) in browser_data.STACKS:
        for i in range(nr):
            time = first * browser_data.TENTH + (last - first) * browser_data.TENTH * (2 * i + 1) // (2 * nr)
            wanted.append((time, tid, cpu, tuple(callers)))
    start = min(wanted)[0]
    got = [(sample.time, sample.tid, sample.cpu, tuple("k" if frame.flags & 3 else frame.name for frame in reversed(page.stack(sample.node))))
           for sample in page.samples]
    unit = page.meta["time_unit"]
    tap.same(unit, 1000, "unit")
    tap.same(int(page.meta["recordings"][0]["origin"]), browser_data.START + start, "origin")
    tap.same(sorted(got), sorted(((time - start) // unit, *more) for time, *more in wanted), "samples")
    assert [sample.time for sample in page.samples] == sorted(sample.time for sample in page.samples)
    tap.same({(sample.pid, sample.tid, sample.comm) for sample in page.samples}, {(100, 100, "shop"), (100, 101, "price-worker")}, "threads")
    tap.same({sample.weight for sample in page.samples}, {1000000}, "weights")


def test_frames_say_what_they_are():
    recording, symfs = shop()
    frames = page_of(recording, *symfs).frames
    flags = {frame.name: (frame.flags, frame.file) for frame in frames}
    tap.same(flags["main"], (0, browser_data.PROGRAM), "main")
    tap.same(flags["price_of"], (decode.FOREIGN, browser_data.LIBRARY), "price_of")
    tap.same([frame.name for frame in frames if frame.flags & 3 == decode.KERNEL and frame.flags & decode.NAMELESS], [""], "kernel")
    # Without the binaries, all names are missing, and the page shows one function for each file.
    page = page_of(recording, "--no-bounds")
    tap.same({(frame.name, frame.flags & decode.NAMELESS) for frame in page.frames}, {("", decode.NAMELESS)}, "nameless")
    tap.same(len({frame.file for frame in page.frames}), len(page.frames), "frames and files")
    tap.same(sum(sums[0] for sums in page.sums(0).values()), len(page.samples), "samples of them")


def test_short_names_are_distinct_and_the_same_in_exports():
    recording, _ = shop()
    symfs = path_of("short")
    browser_data.write_files(symfs, {"walk_tree": "_ZNSt6vectorIiSaIiEE9push_backEOi", "find_item": "_Z4findi", "serve": "_Z4findl"})
    page = page_of(recording, "--symfs", symfs)
    short = page.columns["frame_short"]
    names = {frame.name: page.strings[number] or frame.name for frame, number in zip(page.frames, short, strict=True)}
    if not any(name.startswith("std::vector<int") for name in names):
        raise tap.Skip("this build has no demangler")
    tap.same(names["std::vector<int, std::allocator<int> >::push_back"], "std::vector<int>::push_back", "short name")
    tap.same(names["main"], "main", "name of a C function")
    got = {page.strings[number] for number in short}
    assert {"find(int)", "find(long)"} <= got, got
    folded = tap.run(TALLY, "report", "-i", recording, "--symfs", symfs, "--format", "folded").stdout
    assert "main;find(long);find(int);std::vector<int>::push_back;" in folded, folded


def test_code_that_programs_made_says_so():
    pid, start = 4194304 + os.getpid(), 0x10000
    recording, named = path_of("jit.data"), f"/tmp/perf-{pid}.map"
    with open(recording, "wb") as file:
        file.write(file_bytes([comm(pid, "vm"), mmap(pid, start, 0x1000, "//anon", misc=USER), sample(start + 8, pid, 5),
                               sample(start + 0x800, pid, 6), sample(start + 0x900, pid, 7), sample(start + 0x48, pid, 8)]))
    try:
        with open(named, "w", encoding="ascii") as file:
            file.write(f"{start:x} 40 made_here\n{start + 0x40:x} 40 made_here\n")
        page = page_of(recording)
    finally:
        os.unlink(named)
    # Two functions with the same name stay separate; all code without a name is one function.
    tap.same(sorted((frame.name, frame.flags) for frame in page.frames),
             [("", decode.JIT | decode.NAMELESS), ("made_here", decode.JIT), ("made_here", decode.JIT)], "frames")
    frames = [page.columns["node_frame"][sample.node] for sample in page.samples]
    tap.same([frames[1], len(set(frames))], [frames[2], 3], "functions of samples")


def test_broken_chains_end_with_cut():
    layout = browser_data.Layout()
    words = [CONTEXT_USER, browser_data.PROGRAM_AT + 0x40, 0x123456789]
    path = browser_hostile.write(WORK.name, "astray", [layout.sample(100, 0, browser_data.START, words)])
    page = page_of(path, *shop()[1])
    tap.same([frame.flags & decode.CUT for frame in page.stack(page.samples[0].node)], [0, decode.CUT], "astray")
    page = page_of(path, "--raw-chains", *shop()[1])
    tap.same([frame.flags & decode.CUT for frame in page.stack(page.samples[0].node)], [0, 0], "raw")


def test_losses_have_times_and_cpus():
    layout = browser_data.Layout()
    samples = [layout.sample(100, 0, browser_data.START + 1000000 * i, [CONTEXT_USER, browser_data.PROGRAM_AT + 0x40]) for i in range(4)]
    samples.insert(3, record(LOST, u64(0, 77) + layout.stamp(100, 100, browser_data.START + 2500000, 3)))
    samples.insert(2, record(LOST, u64(0, 5) + layout.stamp(100, 100, browser_data.START + 1500000, 0)))
    path = browser_hostile.write(WORK.name, "lost", samples)
    tap.same(page_of(path).losses(), [(0, 1500, 1, 5), (0, 2500, 4, 77)], "losses")
    tap.same(page_of(path, "--time", "1.002,").losses(), [(0, 500, 4, 77)], "losses in a span")
    assert "82 records lost" in " ".join(page_of(path).meta["recordings"][0]["health"])


# ---- options -----------------------------------------------------------------------------------------


def test_filters_hold():
    recording, symfs = shop()
    for options in (("--comms", "shop"), ("--query", "comm:price"), ("--query", "sym:walk_tree -self-sym:walk_tree"),
                    ("--query", "time:1.15,1.6"), ("--time", "1.2,1.4"), ("-C", "1"), ("--tid", "101"), ("--dsos", "shop"),
                    ("--symbols", "main,discount"), ("--max-stack", "2"), ("-C", "7")):
        events = [event for event in rows_of(recording, *symfs, *options) if event["samples"]]
        page = page_of(recording, *symfs, *options)
        tap.same(len(page.samples), sum(event["samples"] for event in events), str(options))
        tap.same(page.meta["recordings"][0]["samples"], len(page.samples), str(options))
        if events:
            wanted = {row["symbol"][4:]: row["total_samples"] for row in events[0]["rows"] if function_of(row)}
            tap.same({frame.name: sums[2] for frame, sums in page.sums(0).items() if frame.name}, wanted, str(options))


def test_a_word_keeps_samples_by_their_function():
    recording, symfs = shop()
    tap.same(len(page_of(recording, *symfs, "--symbol-filter", "walk").samples), 90, "--symbol-filter")


def test_two_events_are_two():
    page = page_of(shop(events=2)[0], *shop(events=2)[1])
    tap.same([event["name"] for event in page.meta["events"]], ["cycles:u", "page-faults"], "events")
    assert {sample.event for sample in page.samples} == {0, 1}


def test_what_was_not_recorded_is_not_known():
    recording, symfs = shop(chains=False, times=False, cpus=False)
    page = page_of(recording, *symfs)
    tap.same(page.meta["time_unit"], 0, "unit")
    tap.same({(sample.time, sample.cpu) for sample in page.samples}, {(0, -1)}, "times and CPUs")
    tap.same({len(page.stack(sample.node)) for sample in page.samples}, {1}, "frames")
    path = path_of("empty.data")
    browser_data.write_empty(path)
    tap.same(page_of(path).samples, [], "no samples")


def test_files_that_are_not_for_others_are_not_handed_on():
    """Check which source files are included in a page. Their paths are from the recording or from debug information,
    which may be untrusted."""
    machine.need_events()
    machine.need_built_with("disassembler")
    folder = path_of("closed")
    os.mkdir(folder, 0o700)
    for name, mode, is_there in (("shadow", 0o600, False), ("shadow.c", 0o600, True), ("open", 0o644, False)):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write("root:SECRET:1\n" * 5)
        os.chmod(path, mode)
        program, data = path_of("innocent"), path_of("innocent.data")
        text = f'int main(void)\n{{\n\tvolatile unsigned long n = 0;\n#line 1 "{path}"\n\twhile (n < 60000000) n++;\n\treturn 0;\n}}\n'
        steps.build(program, text, "-g", "-O1", compiler="gcc", file=program + ".c")
        steps.record(data, "-e", "cpu-clock:u", program)
        page = page_of(data, "--html-source")
        code = page.columns["annotations"]
        tap.same("SECRET" in (code if isinstance(code, str) else code.decode()), is_there, name)
        tap.same(any("1 source file named by the recording omitted, because they do not have the name of a source file" in note for note in page.meta["notes"]), not is_there, page.meta["notes"])
        note = next(one for one in json.loads(code) if one["name"] == "main")
        source = next(one for one in note["sources"] if one["file"] == path)
        tap.same(bool(source["lines"]), is_there, f"{name}: text")
        tap.same(sum(source["weights"]), sum(row["weight"] for row in note["rows"] if row.get("source") == note["sources"].index(source)), f"{name}: costs of lines")
        assert sum(source["weights"]) > 0, source


def test_code_is_that_of_annotate():
    machine.need_built_with("disassembler")
    recording, symfs = shop()
    page = page_of(recording, *symfs, "--html-source")
    notes = json.loads(page.columns["annotations"])
    assert len(notes) >= 5, notes
    for note in notes:
        frame = page.frames[note["frame"]]
        tap.same((note["name"], note["file"]), (frame.name, frame.file), "function")
        sums = page.sums(note["event"])[frame]
        tap.same([note["samples"], note["weight"]], sums[:2], "sums")
        run = tap.run(TALLY, "annotate", "-i", recording, "--json", *symfs, note["name"])
        if run.returncode:  # the name looks like an option
            continue
        wanted = json.loads(run.stdout)["functions"][0]["instructions"]
        tap.same([(int(row["addr"], 16), row["samples"], row["weight"]) for row in note["rows"]],
                 [(one["address"], *([one["events"][0]["samples"], one["events"][0]["period"]] if one.get("events") else [0, 0]))
                  for one in wanted], note["name"])
    tap.same(sorted((note["weight"] for note in notes), reverse=True), [note["weight"] for note in notes], "the heaviest first")
    part = page_of(recording, *symfs, "--html-source", "--comms", "price-worker")
    for note in json.loads(part.columns["annotations"]):
        tap.same(note["samples"], sum(row["samples"] for row in note["rows"]), "filtered")
    assert "annotations" in page_of(recording, *symfs).columns
    assert "annotations" not in page_of(recording, *symfs, "--no-html-source").columns
    run = tap.run(TALLY, "report", "--html-source", "-i", recording)
    assert run.returncode == 129 and "--html" in run.stderr, run.stderr


def test_two_recordings_are_compared():
    recording, symfs = shop()
    before = path_of("before.data")
    shutil.copy(recording, before)
    browser_data.write_recording(recording, events=2)
    both = page_of(recording, "--baseline", before, *symfs)
    tap.same([one["name"] for one in both.meta["recordings"]], ["before.data", "shop.data"], "names")
    tap.same(both.sums(0, 0), page_of(before, *symfs).sums(0), "baseline")
    alone = page_of(recording, *symfs)
    for number in (0, 1):
        tap.same(both.sums(number, 1), alone.sums(number), "the other one")
    tap.same(page_of([before, recording], *symfs, command="diff").columns, both.columns, "tally diff")
    both, alone = page_of([before, recording], *symfs, "--html-source", command="diff"), page_of(recording, *symfs, "--html-source")
    code = [[(note["name"], note["samples"], note["rows"]) for note in json.loads(page.columns["annotations"])] for page in (both, alone)]
    tap.same(code[0], code[1], "code of the second one")


def test_files_of_two_builds_are_matched():
    """Check that a file of the second recording is matched by build ID, by path, and by its name if there is only one."""
    def files_of(name, *paths):
        body = comm(1, "prog")
        for i, path in enumerate(paths):
            body += mmap(1, (i + 1) << 20, 1 << 20, path)
        for i in range(len(paths)):
            body += sample((i + 1 << 20) + 64, time=i + 1)
        ids = [(path, identity) for path, identity in (("/a/old", b"I" * 20), ("/b/new", b"I" * 20)) if path in paths]
        with open(path_of(name), "wb") as file:
            file.write(file_bytes(body, features={FEATURE_BUILD_ID: b"".join(build_id(*one) for one in ids)}))
        return path_of(name)

    before = files_of("one.data", "/a/prog", "/a/twice", "/b/twice", "/a/old", "/a/same")
    after = files_of("two.data", "/b/prog", "/c/twice", "/b/twice", "/b/new", "/a/same")
    page = page_of([before, after], command="diff")
    seen = [sorted(frame.file for frame in page.sums(0, number)) for number in (0, 1)]
    tap.same(seen[0], sorted(["/a/prog", "/a/twice", "/b/twice", "/a/old", "/a/same"]), "before")
    tap.same(seen[1], sorted(["/a/prog", "/c/twice", "/b/twice", "/a/old", "/a/same"]), "after")


def broken(name, whole):
    """Write a copy of a recording with an invalid record in the middle, at which reading ends."""
    with open(whole, "rb") as file:
        data = bytearray(file.read())
    at, size = struct.unpack_from("<QQ", data, 0x28)
    middle = at + size // 2
    while at < middle:
        at += struct.unpack_from("<H", data, at + 6)[0]
    struct.pack_into("<H", data, at + 6, 3)
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def test_what_could_be_read_of_a_broken_recording():
    recording, symfs = shop()
    other = broken("broken.data", recording)
    whole = len(page_of(recording).samples)
    for options in ((), ("--html-source",)):
        page = page_of(other, *symfs, *options)
        assert 0 < len(page.samples) < whole, len(page.samples)
        assert any("reading broken.data ended early: record shorter" in note for note in page.meta["notes"]), page.meta["notes"]
        tap.same(tap.run(TALLY, "report", "-i", other, "--html", path_of("page.html"), *options).returncode, 1, "status")
    for names in ([other, recording], [recording, other]):
        page = page_of(names, *symfs, command="diff")
        tap.same([one["name"] for one in page.meta["recordings"]], [os.path.basename(name) for name in names], "names")
        assert "reading broken.data ended early" in " ".join(page.meta["notes"]), page.meta["notes"]


def test_what_has_nothing_in_common_is_not_compared():
    """Check that the error is the same as from tally diff."""
    recording, _ = shop()
    other, empty, out = path_of("other.data"), path_of("empty.data"), path_of("none.html")
    with open(recording, "rb") as file:
        data = file.read()
    tap.same(data.count(b"cycles:u"), 1, "names of the event")
    with open(other, "wb") as file:
        file.write(data.replace(b"cycles:u", b"others:u"))
    browser_data.write_empty(empty)
    for names in ([recording, other], [recording, empty], [empty, recording]):
        said = tap.run(TALLY, "diff", "--stdio", *names)
        run = tap.run(TALLY, "diff", "--html", out, *names)
        tap.same((run.returncode, said.returncode), (1, 1), "status")
        tap.same([line for line in run.stderr.splitlines() if "warning" not in line],
                 [line for line in said.stderr.splitlines() if "warning" not in line], names)
        assert not os.path.exists(out)


def test_an_event_alone():
    recording, symfs = shop(events=2)
    page = page_of(recording, *symfs, "--event-number", "2")
    tap.same([event["name"] for event in page.meta["events"]], ["page-faults"], "events")
    tap.same(len(page.samples), rows_of(recording, *symfs)[1]["samples"], "samples")
    for options in (("--html", path_of("none.html")), ("--svg", path_of("none.svg")), ("--format", "folded")):
        run = tap.run(TALLY, "report", "-i", recording, "--event-number", "3", *options)
        assert run.returncode == 1 and "no event 3; the recording has 2 events" in run.stderr, (options, run)


def test_times_that_are_too_far_apart():
    """Check that times fit into the numbers of the page, which the viewer rejects otherwise, and that a note reports it."""
    layout = browser_data.Layout()
    times = [1, 10, 2**64 - 1]
    path = browser_hostile.write(WORK.name, "far", [layout.sample(100, 0, time, [CONTEXT_USER, browser_data.PROGRAM_AT + 0x40]) for time in times])
    page = page_of(path)
    assert max(sample.time for sample in page.samples) < 2**52, page.samples
    assert any("the timestamps differ by too much" in note for note in page.meta["notes"]), page.meta["notes"]


def test_samples_without_a_time():
    layout = browser_data.Layout()
    times = [0, browser_data.START, browser_data.START + 5000000]
    path = browser_hostile.write(WORK.name, "timeless", [layout.sample(100, 0, time, [CONTEXT_USER, browser_data.PROGRAM_AT + 0x40]) for time in times])
    page = page_of(path)
    tap.same(sorted(sample.time * page.meta["time_unit"] for sample in page.samples), [0, 0, 5000000], "times")
    note, = page.meta["notes"]
    assert "1 sample without a time" in note and "at the start of the recording" in note, note


def test_rejects_options_without_effect_on_pages():
    recording, _ = shop()
    out = path_of("refused.html")
    for options in (["--json"], ["--stdio"], ["--tui"], ["-x", ";"], ["--sort", "comm"], ["-g", "none"], ["-n"], ["--health"]):
        run = tap.run(TALLY, "report", "-i", recording, "--html", out, *options)
        assert run.returncode == 129 and "--html" in run.stderr, (options, run.stderr)
    for document in (["--html", out], ["--svg", out], ["--format", "folded", "-o", out]):
        for options in (["--sort", "comm"], ["--fields", "overhead"], ["--children"], ["-n"], ["--show-total-period"], ["--full-source-path"],
                        ["-p", "main"], ["-w", "9"], ["-g", "none"], ["-G"], ["--percent-limit", "5"]):
            run = tap.run(TALLY, "report", "-i", recording, *document, *options)
            if (document[0], options[0]) == ("--svg", "--percent-limit"):
                tap.same(run.returncode, 0, run.stderr)
                os.unlink(out)
            else:
                assert run.returncode == 129 and f"applies to rows and cannot be combined with {document[0]}" in run.stderr, (document, options, run.stderr)
    rows = tap.run(TALLY, "report", "-i", recording, "--format", "csv", "--sort", "comm", "-n", "--percent-limit", "5")
    assert rows.returncode == 0 and len(rows.stdout.splitlines()) == 3, rows
    for words in (["report", "-i", recording, "--html"], ["report", "-i", recording, "--svg"], ["diff", recording, recording, "--html"],
                  ["profile", "--html"]):
        run = tap.run(TALLY, *words, out + ".gz", *(["true"] if words[0] == "profile" else []))
        assert run.returncode == 129 and f"{words[-1]} does not write compressed files" in run.stderr, (words, run.stderr)
    assert not os.path.exists(out + ".gz")
    for words in (["report", "-i", recording, "--baseline", recording], ["diff", "--html", out, recording, recording, "--", recording],
                  ["diff", "--html", out, "--sort", "dso", recording, recording], ["profile", "--html-source", "true"],
                  ["diff", "--html-source", recording, recording], ["profile", "--html", out, "--stdio", "true"]):
        run = tap.run(TALLY, *words)
        assert run.returncode == 129 and "--html" in run.stderr, (words, run.stderr)
    assert not os.path.exists(out)


# ---- untrusted recordings ----------------------------------------------------------------------------


def test_names_are_not_markup():
    """Check that nothing in a recording is interpreted as markup or controls a terminal, and that nothing is lost."""
    root = path_of("hostile")
    browser_hostile.write_root(root)
    chance = random.Random(3)
    for make in browser_hostile.CRAFTED:
        recording = make(WORK.name, chance)
        page = page_of(recording, "--symfs", root)
        outside = page.text.replace("\n", "")
        assert not any(ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e for c in outside), recording
        for sample in page.samples:
            assert 0 <= sample.weight < 1 << 53 and 0 <= sample.time < 1 << 53, sample
        times = [sample.time for sample in page.samples]
        tap.same(times, sorted(times), f"{recording}: times")
    page = page_of(browser_hostile.recursion(WORK.name, chance), "--symfs", root)
    assert any("\u202eLIVE" in text for text in page.strings) and any(len(text) == 100000 for text in page.strings)
    for name in ("<script>alert(1)</script>", "<!--<script>", '"><img src=x>', "a&b;\u2028"):
        layout = browser_data.Layout()
        tasks = [record(COMM, u32(100, 100) + text(name.encode()) + layout.stamp(100, 100, browser_data.START, 0))]
        samples = [layout.sample(100, 0, browser_data.START, [CONTEXT_USER, browser_data.PROGRAM_AT + 0x40])]
        path = browser_hostile.write(WORK.name, "named", samples, layout, tasks)
        evil = path_of(name.replace("/", "|") + ".data")
        os.rename(path, evil)
        page = page_of(evil)
        tap.same(page.meta["title"], os.path.basename(evil), "title")
        assert name in page.strings, name
        title = page.text[page.text.index("<title>") + 7:page.text.index("</title>")]
        assert "<" not in title and '"' not in title, title


def test_many_samples_take_few_bytes():
    """Check the size of a page with 20,000 samples of 2,000 different stacks."""
    chance, layout = random.Random(7), browser_data.Layout()
    chains = browser_hostile.random_chains(chance, 2000, 30)
    samples = [layout.sample(100 + i % 7, i % 4, browser_data.START + 25000 * i, chains[min(int(chance.expovariate(0.0025)), 1999)])
               for i in range(20000)]
    path = browser_hostile.write(WORK.name, "many", samples, layout)
    page = page_of(path)
    tap.same(len(page.samples), 20000, "samples")
    data = page.element('<script type="text/plain" id="tally-data">')
    nodes = len(page.columns["node_frame"])
    assert len(data) < 5 * 20000 + 5 * nodes, f"{len(data)} bytes of data for {nodes} nodes"


if __name__ == "__main__":
    tap.main(__name__)
