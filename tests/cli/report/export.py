#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test report --format: read back each format, and compare it with the samples printed by tally script and with the
rows of the report.

usage: export.py TALLY FIXTURES
"""
import collections
import itertools
import json
import os
import re
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import export_readers as readers  # noqa: E402
import fixtures  # noqa: E402
import machine  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402
from exported import (DATA, PROGRAM, STACKS, TALLY, TWO, WORK, crafted_file, export, report,  # noqa: E402
                      same_counts, script, setup)

# ---- same samples --------------------------------------------------------------------------------

def alike(stack):
    """Give all functions without symbols, such as those in ld.so, the same name. They are [unknown] in the output of
    script, and named after their address elsewhere."""
    return tuple("?" if re.match(r"\[|fn@", name) else name for name in stack)


def merged(stacks, key=alike):
    found = collections.Counter()
    for stack, value in stacks.items():
        found[key(stack)] += value
    return found


def check_stacks(form, want, *options, data=DATA):
    got = readers.READERS[form](export(form, *options, data=data))
    assert want.weight() and len(merged(want.stacks)) > 5, "nothing to compare"
    same_counts(merged(got.stacks), merged(want.stacks), f"stacks of {form} {options}")
    if got.numbers:
        same_counts(merged(got.numbers), merged(want.numbers), f"samples of {form} {options}")
    return got


def test_stacks_are_those_of_script():
    want = script()
    assert any(stack[-3:] == ("busy", "inlined_part", "innermost") for stack in want.stacks), list(want.stacks)[:5]
    for form in STACKS:
        got = check_stacks(form, want)
        if form in ("folded", "pprof", "otlp", "firefox"):
            same_counts(*(merged(of.comms, lambda key: (key[0], alike(key[1]))) for of in (got, want)), f"comms of {form}")
        if got.threads:
            same_counts(got.threads, want.threads, f"threads of {form}")


def test_without_inlined_functions():
    want = script("--no-inline")
    assert not any("innermost" in stack for stack in want.stacks)
    for form in STACKS:
        check_stacks(form, want, "--no-inline")


def test_folded_is_what_perf_script_says():
    machine.need_perf()
    text = tap.run("perf", "script", "-i", DATA, "--no-inline", "-F", "comm,pid,tid,cpu,time,period,ip,sym,dso").stdout
    want, got = (merged({stack: weight for stack, weight in found.stacks.items() if "outer" in stack}) for found in (
        readers.script(text), readers.folded(export("folded", "--no-inline"))))
    # perf names stubs by their order in the file, so only compare stacks that contain `outer`.
    assert len(want) > 5, want
    same_counts(got, want, "stacks of perf script")


def test_times():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    want = sorted(script("--ns").times)
    tap.same(sorted(readers.Perfetto(export("perfetto")).events["cpu-clock"].times), want, "perfetto")
    first = min(time for _, time in want)
    tap.same(sorted(readers.firefox(export("firefox")).times), [(tid, time - first) for tid, time in want], "firefox")
    data = export("otlp")
    [profile] = readers.Otlp(data).profiles
    offset = profile["time"] - first  # between the recorded clock and the clock of the day
    tap.same(sorted(readers.otlp(data).times), [(tid, time + offset) for tid, time in want], "otlp")
    tap.same(profile["duration"], max(time for _, time in want) - first + 1, "duration of otlp")
    assert abs(profile["time"] / 1e9 - os.stat(DATA).st_mtime) < 600, profile["time"]


def test_threads_of_perfetto():
    names = {name for _, name in readers.Perfetto(export("perfetto")).threads.values()}
    assert {"loop", "worker bee"} <= names, names


def test_speedscope_is_in_the_order_of_time():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    file = json.loads(export("speedscope"))
    text = tap.run(TALLY, "script", "-i", DATA, "-F", "comm,pid,tid,cpu,time,period,ip,sym,dso").stdout
    blocks = [readers.script(block) for block in filter(None, text.split("\n\n"))]
    names = [frame["name"] for frame in file["shared"]["frames"]]
    for profile in file["profiles"]:
        comm, pid, tid = re.match(r"(.*) (\d+)/(\d+), cpu-clock$", profile["name"]).groups()
        want = []
        for block in blocks:
            [[who, stack]] = block.comms
            if who == comm and (int(pid), int(tid)) in block.threads and (not want or want[-1] != stack):
                want.append(stack)
        got = [tuple(names[frame] for frame in stack) for stack in profile["samples"]]
        tap.same(*([stack for stack, _ in itertools.groupby(map(alike, stacks))] for stacks in (got, want)), profile["name"])


# ---- same sums as in the report ------------------------------------------------------------------

def report_sums(*options, data=DATA, event=0):
    """Return the self weight of each function, and the total weight of each function that has a name."""
    own, total = collections.Counter(), collections.Counter()
    found = report("-s", "dso,symbol", "--no-inline", *options, data=data)[event]
    for row in found["rows"]:
        name = row["symbol"].split("] ", 1)[1]
        is_named = not re.match("0x[0-9a-f]{16}$", name)
        own[name if is_named else readers.unnamed(row["dso"])] += row["self_period"]
        if is_named:
            total[name] += row["total_period"]
    return own, total, found


def by_name(table, event):
    """Return the costs of an event by name. Functions with the same name have a suffix, which is removed here."""
    found = collections.Counter()
    for (function, of), cost in table.items():
        if of == event:
            found[re.sub(r" @[0-9a-f]+( #\d+)?$", "", function)] += cost
    return found


def check_sums(form, *options, data=DATA, event=0):
    own, total, found = report_sums(*options, data=data, event=event)
    data = export(form, "--no-inline", *options, data=data)
    if form == "callgrind":
        costs = readers.Callgrind(data)
        name, samples = costs.events[2 * event:2 * event + 2]
        tap.same(costs.totals[2 * event:2 * event + 2], [found["period"], found["samples"]], "totals")
        got_own, got_total, calls = (by_name(table, name) for table in (costs.self_cost, costs.inclusive, costs.called))
        # Some readers use the inclusive cost as a function's total, others the cost of calls, so the two must be equal.
        same_counts(collections.Counter(calls), collections.Counter({key: got_total[key] for key in got_total if key != "[all]"}), "calls")
        tap.same(sum(cost for (_, of), cost in costs.self_cost.items() if of == samples), found["samples"], "samples")
    else:
        got = readers.READERS[form](data)
        got_own, got_total = got.own(), got.total()
        tap.same(got.weight(), found["period"], f"{form} {options}")
        if got.numbers:
            tap.same(got.count(), found["samples"], f"{form} {options}")
    same_counts(collections.Counter(got_own), own, f"{form} {options}: self")
    same_counts(collections.Counter({name: got_total[name] for name in total if name in got_total}), total,
                f"{form} {options}: total")


def test_sums_are_those_of_report():
    for form in STACKS + ("callgrind",):
        check_sums(form)


def test_filters():
    times = sorted(time for _, time in script("--ns").times)
    span = f"{times[len(times) // 4] / 1e9:.6f},{times[len(times) // 2] / 1e9:.6f}"
    tid = report("-s", "tid")[0]["rows"][0]["tid"]
    whole = report()[0]["samples"]
    cpu = re.search(r"\[(\d+)\]", tap.run(TALLY, "script", "-i", DATA, "-F", "comm,cpu").stdout)[1].lstrip("0") or "0"
    chosen = (["--comms", "worker bee"], ["--time", span], ["--time", "10%-40%"], ["-C", cpu], ["--tid", re.search(r"\d+", tid)[0]],
              ["--query", "sym:again"], ["--query", f"-sym:=again comm:worker time:{span}"], ["--symbols", "busy"],
              ["--max-stack", "2"])
    for number, options in enumerate(chosen):
        left = report(*options)[0]["samples"]
        assert 0 < left <= whole, (options, left, whole)
        # Check a third of the formats per option, since the options select different samples.
        for form in (STACKS + ("callgrind",))[number % 3::3]:
            check_sums(form, *options)


def test_leaves_no_descriptor_child_or_instance():
    for form in STACKS + ("callgrind", "csv"):
        data = export(form, "--comms", "nobody")
        if form == "callgrind":
            tap.same(readers.Callgrind(data).totals, [0, 0], form)
        elif form == "csv":
            tap.same(readers.rows_csv(data), [], form)
        else:
            tap.same(readers.READERS[form](data).weight(), 0, form)


def test_several_events():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    names = ["cpu-clock", "task-clock"]
    events = report("--no-inline", data=TWO)
    tap.same([event["event"] for event in events], names, "events")
    profile, trace = readers.Pprof(export("pprof", data=TWO)), readers.Perfetto(export("perfetto", data=TWO))
    tap.same([kind[0] for kind in profile.types], ["cpu-clock:samples", "cpu-clock", "task-clock:samples", "task-clock"], "types")
    kinds = [profile["sample_type"] for profile in readers.Otlp(export("otlp", data=TWO)).profiles]
    tap.same(kinds, [(name, "nanoseconds") for name in names], "types of otlp")
    for number, (name, event) in enumerate(zip(names, events)):
        check_sums("callgrind", data=TWO, event=number)
        of_speedscope = readers.speedscope(export("speedscope", data=TWO), name)
        of_otlp = readers.otlp(export("otlp", data=TWO), number)
        for got in (profile.samples(number), trace.events[name], of_speedscope, of_otlp):
            tap.same(got.weight(), event["period"], name)
        same_counts(profile.samples(number).stacks, trace.events[name].stacks, name)
        same_counts(of_otlp.stacks, trace.events[name].stacks, name)
        same_counts(of_speedscope.stacks, trace.events[name].stacks, name)
        for form in ("folded", "firefox", "pprof", "otlp"):
            one = readers.READERS[form](export(form, "--event-number", number + 1, data=TWO))
            same_counts(one.stacks, trace.events[name].stacks, f"{form} of {name} alone")
    run = tap.run(TALLY, "report", "-i", TWO, "--format", "folded")
    assert "supports only one event: exporting 'cpu-clock'" in run.stderr and "--event-number 2 is 'task-clock'" in run.stderr, run.stderr


@tap.always
def test_rows():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    for options in ([], ["-s", "comm,dso,symbol", "--no-children"], ["-s", "pid,tid"]):
        want = tap.run(TALLY, "report", "-i", DATA, "--json", *options).stdout
        tap.same(tap.run(TALLY, "report", "-i", DATA, "--format", "json", *options).stdout, want, "json")
        rows = json.loads(want)["events"][0]["rows"]
        got = readers.rows_csv(tap.run(TALLY, "report", "-i", DATA, "--format", "csv", *options, text=False).stdout)
        tap.same(len(got), len(rows), f"csv {options}")
        for one, row in zip(got, rows):
            tap.same(one.pop("event"), "cpu-clock", "event")
            keys = one.keys()
            tap.same(one, {key: str(row[key]) for key in keys}, f"csv {options}")


def periods(form, data):
    """Return the weight of each event in a file if the format distinguishes events, or otherwise the sum."""
    if form == "callgrind":
        return readers.Callgrind(data).totals[::2]
    if form == "pprof":
        profile = readers.Pprof(data)
        return [profile.samples(number).weight() for number in range(len(profile.types) // 2)]
    if form == "otlp":
        return [readers.otlp(data, number).weight() for number in range(len(readers.Otlp(data).profiles))]
    if form == "perfetto":
        return [samples.weight() for samples in readers.Perfetto(data).events.values()]
    return [readers.READERS[form](data).weight()]


def test_recordings_of_all_kinds():
    compared = 0
    for number, path in enumerate(fixtures.sets(sys.argv[2], "")[0].files()):
        report_run = tap.run(TALLY, "report", "-i", path, "--json", "-g", "none")
        found = [event for event in json.loads(report_run.stdout)["events"] if event["samples"]] if report_run.stdout else []
        for form in (STACKS + ("callgrind",))[number % 3::3]:
            run = tap.run(TALLY, "report", "-i", path, "--format", form, text=False)
            tap.same(run.returncode, report_run.returncode, f"{form} of {path}: {run.stderr[-300:]!r}")
            want = [event["period"] for event in found]
            if not want or not run.stdout:
                continue
            got = periods(form, run.stdout)
            if form == "perfetto" and len(got) < len(want):  # the reader keeps only the last event with each name
                continue
            if len(got) < len(want):
                want = [sum(want)] if form == "speedscope" else want[:1]
            tap.same(got, want, f"{form} of {path}")
            compared += 1
    assert compared > (5 if tap.QUICK else 80), compared


# ---- additional data in formats ------------------------------------------------------------------

def check_otlp(build_id, lines):
    file = readers.Otlp(export("otlp"))
    [mapping] = [one for one in file.dictionary["mappings"] if file.string(one["file"]).endswith("/loop")]
    tap.same(file.attributes(mapping["attributes"]), {"process.executable.build_id.gnu": build_id}, "otlp")
    [*found] = [one for number, one in enumerate(file.dictionary["locations"]) if file.names(number) == ["innermost", "inlined_part", "busy"]]
    for one in found:
        tap.same((one["lines"][0]["line"], one["lines"][2]["line"]), (lines["innermost"], lines["busy"]), "lines of otlp")
        tap.same(file.attributes(one["attributes"]), {"profile.frame.type": "native"}, "frames of otlp")
        assert mapping["start"] <= one["address"] < mapping["limit"] and mapping["offset"] == mapping["start"], (one, mapping)
    assert found, "no inlined functions"


def test_files_lines_and_build_ids():
    listed = tap.run(TALLY, "buildid-list", "-i", DATA).stdout
    build_id = re.search(r"^([0-9a-f]{40}) .*/loop$", listed, re.M)[1]
    lines = {name: next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if f"void {name}(int n)" in line)
             for name in ("innermost", "busy")}
    profile = readers.Pprof(export("pprof"))
    [mapping] = [one for one in profile.mappings.values() if profile.strings[one[5][0]].endswith("/loop")]
    tap.same(profile.strings[mapping[6][0]], build_id, "pprof")
    assert next(iter(profile.mappings.values())) is mapping, "the program comes first"
    location = next(number for number in profile.locations if profile.function_names(number) == ["innermost", "inlined_part", "busy"])
    inner, _, outer = map(readers.message, profile.locations[location][4])
    tap.same((inner[2], outer[2]), ([lines["innermost"]], [lines["busy"]]), "lines of pprof")
    address = profile.locations[location][3][0]
    assert mapping[2][0] <= address < mapping[3][0] and mapping[4] == mapping[2], mapping
    check_otlp(build_id, lines)
    file = json.loads(export("firefox"))
    [lib] = [lib for lib in file["libs"] if lib["name"] == "loop"]
    tap.same(lib["codeId"], build_id, "firefox")
    guid = "".join(build_id[at:at + 2] for at in (6, 4, 2, 0, 10, 8, 14, 12)) + build_id[16:32]
    tap.same(lib["breakpadId"], guid.upper() + "0", "firefox")
    frames, shared = file["shared"]["frameTable"], file["shared"]
    depths = {shared["stringArray"][shared["funcTable"]["name"][function]]: (depth, line) for function, depth, line in
              zip(frames["func"], frames["inlineDepth"], frames["line"])}
    tap.same(depths["innermost"], (2, lines["innermost"]), "firefox")
    costs = readers.Callgrind(export("callgrind"))
    source = os.path.join(WORK, "loop.c")
    own = costs.self_cost["innermost", "cpu_clock"]
    tap.same(costs.lines[source, lines["innermost"], "cpu_clock"], own, "callgrind")
    ids = {value[2][0].decode() for key, table in readers.Perfetto(export("perfetto")).interned.items() if key[1] == 16
           for value in table.values()}
    assert build_id in ids, ids


def linked(options):
    """Record a program linked with these options. Return the recording, the address range of `again`, and the address
    of the file's first segment."""
    program, path = (os.path.join(WORK, name) for name in ("linked", "linked.data"))
    steps.build(program, PROGRAM, "-g", "-O0", "-fno-omit-frame-pointer", "-pthread", *options, compiler="gcc", file=os.path.join(WORK, "loop.c"))
    steps.record(path, "-e", "cpu-clock", "-F", "500", "-g", program)
    start, size = re.search(r"^([0-9a-f]+) ([0-9a-f]+) T again$", tap.run("nm", "-S", program).stdout, re.M).groups()
    base = re.search(r"^ +LOAD +0x[0-9a-f]+ 0x([0-9a-f]+)", tap.run("readelf", "-lW", program).stdout, re.M)[1]
    return path, range(int(start, 16), int(start, 16) + int(size, 16)), int(base, 16)


def check_addresses(data, code, base):
    profile = readers.Pprof(export("pprof", data=data))
    found = [profile.locations[number] for number in profile.locations if profile.function_names(number)[-1] == "again"]
    assert found and all(location[3][0] in code for location in found), (code, found)
    for location in found:
        mapping = profile.mappings[location[2][0]]
        assert mapping[2][0] <= location[3][0] < mapping[3][0], mapping
    file = readers.Otlp(export("otlp", data=data))
    found = [one for number, one in enumerate(file.dictionary["locations"]) if number and file.names(number)[-1] == "again"]
    assert found and all(one["address"] in code for one in found), (code, found)
    trace = readers.Perfetto(export("perfetto", data=data))
    names = {number: name[2][0].decode() for number, name in trace.interned[1, 5].items()}
    found = [frame for frame in trace.interned[1, 6].values() if names[frame[2][0]] == "again"]
    assert found and all(frame[4][0] in code for frame in found), (code, found)
    bias = readers.number(trace.interned[1, 19][found[0][3][0]], 6)
    tap.same(bias, readers.number(mapping, 2) - readers.number(mapping, 4), "bias")
    shared = json.loads(export("firefox", data=data))["shared"]
    frames, functions, strings = shared["frameTable"], shared["funcTable"], shared["stringArray"]
    found = [address for address, function in zip(frames["address"], frames["func"]) if strings[functions["name"][function]] == "again"]
    assert found and all(address + base in code for address in found), (code, base, found)
    symbols = shared["nativeSymbols"]
    assert code.start - base in [address for address, name in zip(symbols["address"], symbols["name"]) if strings[name] == "again"], symbols


def test_addresses_are_those_of_the_linker():
    kinds = [["-no-pie"]] + ([["-fuse-ld=lld"], ["-fuse-ld=lld", "-no-pie"]] if not machine.need_compiler.reason("gcc", "-fuse-ld=lld") else [])
    for options in kinds:
        data, code, base = linked(options)
        check_addresses(data, code, base)
    # Without the file, addresses are file offsets, so a mapping's start address equals its file offset.
    os.unlink(os.path.join(WORK, "linked"))
    profile = readers.Pprof(export("pprof", "--symfs", "/nonexistent", data=data))
    [mapping] = [one for one in profile.mappings.values() if profile.strings[one[5][0]].endswith("/linked")]
    assert mapping[2] == mapping[4] and mapping[2][0] < base, mapping


def test_tables_have_what_samples_refer_to():
    for options in ([], ["--comms", "worker bee", "--symbols", "busy"]):
        shared = json.loads(export("firefox", *options))["shared"]
        frames = shared["frameTable"]
        tap.same(set(shared["stackTable"]["frame"]), set(range(frames["length"])), f"frames {options}")
        tap.same(set(frames["func"]), set(range(shared["funcTable"]["length"])), f"functions {options}")
        profile = readers.Pprof(export("pprof", *options))
        used = {readers.number(readers.message(line), 1) for location in profile.locations.values() for line in location[4]}
        tap.same(set(profile.functions), used, f"functions of pprof {options}")
        interned = readers.Perfetto(export("perfetto", *options, data=TWO)).interned
        for event in (1, 2):
            used = {frame for stack in interned[event, 7].values() for frame in stack[2]}
            tap.same(set(interned[event, 6]), used, f"frames of perfetto {options}")
            tap.same({frame[2][0] for frame in interned[event, 6].values()}, set(interned[event, 5]), f"functions of perfetto {options}")


def told(form, data):
    run = tap.run(TALLY, "report", "-i", data, "--format", form, text=False, status=0)
    return run.stdout, run.stderr.decode()


def test_perfetto_has_no_fields_that_are_not_known():
    records = [crafted.record(crafted.SAMPLE, crafted.u64(0x1000 + at, 10 + at), crafted.USER) for at in range(3)]
    data = crafted_file("bare.data", records, sample_type=crafted.IP | crafted.PERIOD, flags=0)
    trace, said = told("perfetto", data)
    packets = [readers.message(packet) for packet in readers.message(trace)[1]]
    samples = [(packet[8], readers.message(packet[66][0])) for packet in packets if packet[66]]
    tap.same([time for time, _ in samples], [[0], [1000000], [2000000]], "times")
    assert all(not sample[1] and not sample[2] and not sample[3] and sample[4] for _, sample in samples), samples
    assert not any(readers.message(packet[2][0]) for packet in packets if packet[2]), "a process that is not known"
    assert "have no timestamps: --format perfetto places them 1 ms apart" in said, said
    firefox, said = told("firefox", data)
    tap.same([time for _, time in readers.firefox(firefox).times], [0, 1000000, 2000000], "firefox")
    assert "have no timestamps: --format firefox" in said, said
    # As recorded by tally record -g: with timestamps and thread IDs, but without CPUs.
    data = crafted_file("no-cpu.data", [crafted.comm(7, "x"), crafted.sample(0x1000, 7, 50)])
    trace, said = told("perfetto", data)
    [sample] = [readers.message(packet[66][0]) for packet in map(readers.message, readers.message(trace)[1]) if packet[66]]
    tap.same((sample[1], sample[2], sample[3], said), ([], [7], [7], ""), "sample")


def test_otlp_has_no_fields_that_are_not_known():
    records = [crafted.record(crafted.SAMPLE, crafted.u64(0x1000 + at, 10 + at), crafted.USER) for at in range(3)]
    data, said = told("otlp", crafted_file("bare.data", records, sample_type=crafted.IP | crafted.PERIOD, flags=0))
    file = readers.Otlp(data)
    [profile] = file.profiles
    tap.same((set(file.resource), said, profile["has_times"]), ({"tally.recording"}, "", False), "resource")
    tap.same(sorted(sample["values"] for sample in profile["samples"]), [[10], [11], [12]], "sums")
    tap.same((profile["duration"], profile["profile_id"], profile["attributes"]), (0, b"", {}), "profile")
    data = crafted_file("no-clock.data", [crafted.comm(7, "x"), *(crafted.sample(0x1000, 7, 50 + at) for at in range(3))])
    [profile] = readers.Otlp(told("otlp", data)[0]).profiles
    tap.same(profile["attributes"], {"tally.clock": "estimated"}, "clock")
    [sample] = profile["samples"]
    tap.same((sample["attributes"], [time - profile["time"] for time in sample["times"]]),
             ({"thread.name": "x", "process.pid": 7, "thread.id": 7}, [0, 1, 2]), "sample")


@tap.always
def test_otlp_says_where_samples_are_from():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    file = readers.Otlp(export("otlp"))
    host = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    want = {"tally.recording": "perf.data", "host.name": os.uname().nodename, "host.arch": host, "os.type": "linux", "os.version": os.uname().release}
    tap.same({key: file.resource.get(key) for key in want}, want, "resource")
    version = tap.run(TALLY, "--version").stdout.split()[-1]
    tap.same(file.scope, ("tally", version), "scope")
    [profile] = file.profiles
    tap.same((profile["sample_type"], profile["period_type"]), (("cpu-clock", "nanoseconds"),) * 2, "types")
    assert 500000 <= profile["period"] < 10**9, profile["period"]


def test_weights_beyond_63_bits():
    most = 2**63 - 1
    records = [crafted.comm(7, "x")] + [crafted.sample(0x1000, 7, 50 + at, period=2**63 + at) for at in range(3)]
    heavy, light = (crafted_file(name, some) for name, some in (("heavy.data", records), ("light.data", records[:1] + [crafted.sample(1, 7)])))
    for form in STACKS + ("callgrind",):
        data, said = told(form, heavy)
        weights = readers.Callgrind(data).totals[:1] if form == "callgrind" else readers.READERS[form](data).stacks.values()
        if form == "otlp":  # each sample is listed separately
            weights = [value for sample in readers.Otlp(data).profiles[0]["samples"] for value in sample["values"]]
        if form == "firefox":  # each sample is listed separately
            texts = re.search(rb'"weight":\[([^]]*)\]', data)[1].split(b",")
            weights = [int(text.replace(b".", b"")) for text in texts]  # in ms, at full precision
        assert weights and set(weights) == {most}, (form, weights)
        assert f"weights exceed the range of --format {form} and are limited to 2^63 - 1" in said, said
        tap.same(told(form, light)[1], "", form)


def test_callgrind_tells_functions_of_one_name_apart():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    first, second, program, data = (os.path.join(WORK, name) for name in ("first.c", "second.c", "twins", "twins.data"))
    work = "__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) sink += i; %s }\n"
    with open(first, "w", encoding="ascii") as file:
        file.write("volatile unsigned long sink;\nvoid enter(int n);\n" + work % "enter(n); sink++;" +
                   "int main(void) { for (int i = 0; i < 100; i++) work(500000); }\n")
    with open(second, "w", encoding="ascii") as file:
        file.write("extern volatile unsigned long sink;\n" + work % "sink++;" + "void enter(int n) { work(n); sink++; }\n")
    for options in ([], ["-g"]):
        tap.run("gcc", *options, "-O0", "-fno-omit-frame-pointer", "-o", program, first, second, status=0)
        steps.record(data, "-e", "cpu-clock", "-F", "1000", "-g", program)
        costs = readers.Callgrind(export("callgrind", data=data))
        # If there is debug information, the functions are distinguished by file.
        starts = re.findall(r"^0*([0-9a-f]+) t work$", tap.run("nm", program).stdout, re.M)
        names = {"work (first.c)", "work (second.c)"} if options else {f"work @{start}" for start in starts}
        tap.same({name for name, _ in costs.self_cost if name.startswith("work")}, names, options)
        for name in names if not options else ():
            assert 0 < costs.inclusive[name, "cpu_clock"] <= costs.totals[0], (name, costs.inclusive, costs.totals)
            tap.same(costs.called[name, "cpu_clock"], costs.inclusive[name, "cpu_clock"], name)
        tap.same(len({file for file, _, of in costs.lines if of == "cpu_clock" and file.startswith(WORK)}), 2 if options else 0, "files")


@tap.always
def test_the_period_of_pprof_is_in_the_unit_of_its_type():
    machine.need_kernel_events()  # otherwise the event is cpu-clock:u
    profile = readers.Pprof(export("pprof"))
    tap.same(profile.period_type, ("cpu-clock", "nanoseconds"), "the type of the period")
    # 2,000 Hz, or less if the kernel does not permit that rate.
    assert 500000 <= profile.period < 10**9, profile.period
    tap.same(profile.types[1], profile.period_type, "what samples weigh")


def test_pprof_says_whether_functions_are_inlined():
    for options, want in (([], [1]), (["--no-inline"], [0])):
        profile = readers.Pprof(export("pprof", *options))
        [mapping] = [one for one in profile.mappings.values() if profile.strings[one[5][0]].endswith("/loop")]
        tap.same((mapping[9], mapping[10]), ([1], want), options)


tap.main(__name__, lambda: machine.need_compiler("gcc"), machine.need_events, setup=setup)
