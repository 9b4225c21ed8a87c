#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Test tally export: read the tables with an independent reader of Parquet, and compare each row and column with the
output of tally script.

usage: export_tables.py TALLY FIXTURES SHARED_FIXTURES
"""
import collections
import glob
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import crafted  # noqa: E402
import fixtures  # noqa: E402
import parquet  # noqa: E402
import steps  # noqa: E402
import tap  # noqa: E402

TALLY = steps.tally()
WORK = tap.workplace("export")
FIELDS = ("comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "dso", "dsoff", "srcline")
TABLES = ("samples", "stacks", "frames", "recordings")


class Data:
    """The tables of a data set."""

    def __init__(self, folder):
        self.folder = folder
        self.names = {table: sorted(glob.glob(f"{glob.escape(folder)}/{table}/*/*/*.parquet")) for table in TABLES}
        assert len({len(names) for names in self.names.values()}) == 1, self.names
        files = {table: [parquet.File(path) for path in names] for table, names in self.names.items()}
        self.samples, self.stacks, self.frames, self.recordings = (
            [row for file in files[table] for row in file.table()] for table in TABLES)
        self.stack = {row["stack"]: row["frames"] for row in self.stacks}
        self.frame = collections.defaultdict(list)
        for row in self.frames:
            self.frame[row["frame"]].append(row)
        for rows in self.frame.values():
            # A frame may be in several files. Its rows are complete and equal.
            rows.sort(key=lambda row: row["depth"])
            unique = [row for i, row in enumerate(rows) if row not in rows[:i]]
            assert [row["depth"] for row in unique] == list(range(len(unique))), unique
            assert [row["inlined"] for row in unique] == [True] * (len(unique) - 1) + [False], unique
            rows[:] = unique
        assert all(frame in self.frame for frames in self.stack.values() for frame in frames), "frames without rows"
        assert all(row["stack"] in self.stack for row in self.samples if row["stack"] is not None), "stacks without rows"

    def offset(self, sample):
        return next(row["clock_offset_ns"] for row in self.recordings if row["recording"] == sample["recording"])


def export(folder, *words, status=0, **options):
    done = tap.run(TALLY, "export", "-o", folder, *words, status=status, **options)
    return Data(folder) if status == 0 else done


# ---- comparison with script ----------------------------------------------------------------------
# The tables must contain everything in the output of script, so that this output can be made from them.

def script(path, *options):
    """Return the fields that all events have, and the output of tally script with these fields."""
    fields = list(FIELDS)
    while True:
        done = tap.run(TALLY, "script", "-i", path, "--ns", "--full-source-path", "--max-stack", "1000000", "-F",
                       ",".join(fields), *options, errors="replace")
        lacks = re.search(r"so '(\w+)' cannot be shown", done.stderr)
        if not lacks:
            return fields, done
        fields.remove(lacks[1])


def function_of(row):
    """Return a function's name as script shows it. script has no names for functions that are known by their start."""
    name = row["function"]
    return "[unknown]" if name is None or re.fullmatch(r"fn@[0-9a-f]+", name) else name


def squeezed(line):
    return re.sub(r"\t +", "\t", re.sub(r" +", " ", line)).strip(" ")


class Text:
    """Compares each line of the output of script with the tables."""

    def __init__(self, data, path, *options):
        self.data, self.path = data, path
        self.fields, self.done = script(path, *options)
        self.lines = [squeezed(line) for line in self.done.stdout.split("\n")]
        self.at = 0
        self.starts = {}  # addresses of the kernel and its modules, by module

    def line(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self, want, what):
        assert self.line() == want, f"{self.path}, line {self.at + 1} of script, {what}: {self.line()!r}, wanted {want!r}"
        self.at += 1

    def head(self, sample):
        """Return the start of a sample's first line."""
        has = self.fields.__contains__
        parts = [sample["comm"]]
        tasks = [str(sample[name]) for name in ("pid", "tid") if has(name)]
        parts += ["/".join(tasks)] if tasks else []
        parts += [f"[{sample['cpu']:03d}]"] if has("cpu") else []
        if has("time"):
            time_ns = (sample["time_ns"] - self.data.offset(sample)) % 2**64
            parts += [f"{time_ns // 10**9}.{time_ns % 10**9:09d}:"]
        return squeezed(" ".join([*parts, str(sample["period"]), sample["event"] + ":"]))

    def shown_address(self, row, shown):
        """Return the address of a frame as script shows it; `shown` is what is shown."""
        if row["mode"] != "kernel" or row["module"] is None:
            return row["address"]
        # Addresses in the kernel and its modules are relative to a start that is not in the tables.
        start = self.starts.setdefault(row["module"], (shown - row["address"]) % 2**64)
        return (row["address"] + start) % 2**64

    def module(self, row, shown):
        if row["module"] is None:
            return "([unknown])"
        return f"({row['module']}+0x{self.shown_address(row, shown):x})"

    def source(self, row, suffix=""):
        if "ip" not in self.fields:
            return
        if row["file"] is not None:
            self.take(squeezed(f"{row['file']}:{row['line'] or 0}{suffix}"), "source")
        elif re.fullmatch(r".*\[[0-9a-f]+\]", self.line() or "") and "\t" not in self.line():
            self.at += 1

    def frame(self, rows):
        """Take the lines of a frame of a callchain."""
        shown = int(re.match(r"\t ?([0-9a-f]+)", self.line() or "")[1], 16)
        address = self.shown_address(rows[0], shown)
        for row in rows[:-1]:
            line = f"\t {address:x} {function_of(row)}"
            self.take(squeezed(line + ("" if row["file"] else " (inlined)")), "inlined function")
            if row["file"]:
                self.source(row, " (inlined)")
        self.take(squeezed(f"\t {address:x} {function_of(rows[-1])} {self.module(rows[-1], shown)}"), "frame")
        self.source(rows[-1])

    def place(self, head, rows):
        """Take the lines of a sample without callchain."""
        match = re.match(re.escape(head) + r" ([0-9a-f]+) ", self.line() or "")
        assert match, f"{self.path}, line {self.at + 1} of script: {self.line()!r}, wanted {head!r}"
        shown = int(match[1], 16)
        if rows[0]["module"] is None or rows[0]["mode"] == "kernel":
            assert shown == self.shown_address(rows[0], shown), self.line()
        self.take(squeezed(f"{head} {shown:x} {function_of(rows[-1])} {self.module(rows[-1], shown)}"), "place")
        self.source(rows[0])

    def sample(self, sample):
        head = self.head(sample)
        frames = self.data.stack[sample["stack"]] if sample["stack"] is not None else []
        if self.line() != head:
            self.place(head, self.data.frame[frames[0]])
            return
        self.at += 1
        if not frames or "ip" not in self.fields:
            return
        # An empty callchain is shown as one, but the sampled address is in the tables.
        if self.line() or len(frames) > 1:
            for frame in frames:
                self.frame(self.data.frame[frame])
        self.take("", "end of the callchain")

    def check(self):
        for sample in self.data.samples:
            self.sample(sample)
        assert self.at >= len(self.lines) - 1, f"{self.path}: script has more: {self.lines[self.at:self.at + 3]}"


def check_recording(path, folder, *options):
    """Compare the tables of a recording with the output of script. Return the number of samples."""
    done = tap.run(TALLY, "export", "-q", "-o", folder, path, *options, errors="replace")
    fields, shown = script(path, *options)
    if not glob.glob(f"{glob.escape(folder)}/*"):
        assert done.returncode and (shown.returncode or not shown.stdout), f"{path}: {done.stderr}"
        return 0
    data = Data(folder)
    assert len(data.recordings) == 1 and data.recordings[0]["samples"] == len(data.samples), path
    if not data.samples:
        return 0  # script prints other records of such recordings
    assert done.returncode == shown.returncode, f"{path}: {done.returncode}, but script {shown.returncode}: {done.stderr}"
    Text(data, path, *options).check()
    return len(data.samples)


def check_recordings(found):
    """Check all recordings of a set, with and without inlined functions."""
    samples = files = 0
    for path in found.files():
        for options in ((), ("--no-inline",)):
            with tempfile.TemporaryDirectory(dir=WORK) as where:
                nr = check_recording(path, where, *options)
        samples += nr
        files += nr > 0
    print(f"# {samples} samples of {files} recordings")
    assert files, "nothing was compared"


# ---- data sets -----------------------------------------------------------------------------------

HOSTNAME, CLOCK_DATA = 3, 29


def recording(name, host="web1", day=0, samples=3, seconds=60, more=()):
    """Write a recording of a host. Its clock started at midnight of 2023-11-14 + `day` days."""
    wall = (19675 + day) * 86400 * 10**9
    features = {HOSTNAME: crafted.padded(host),
                CLOCK_DATA: struct.pack("<IIQQ", 1, 1, wall, 0)}
    records = [crafted.comm(1, f"{name}!"), crafted.mmap(1, 0x1000, 0x1000, "/bin/one"),
               *(crafted.sample(0x1000 + i, time=i + 1 + seconds * 10**9, period=i + 1) for i in range(samples)), *more]
    return crafted.write(WORK, name, crafted.file_bytes(records, features=features))


def only(rows):
    assert len(rows) == 1, rows
    return rows[0]


def test_recordings_of_hosts_and_days(folder):
    paths = [recording("a"), recording("b", seconds=61), recording("c", host="web2"), recording("d", day=1, seconds=86399)]
    done = tap.run(TALLY, "export", "-o", folder, *paths, status=0)
    assert re.search(r"wrote 12 samples of 4 recordings to .* \(0\.0\d\d MB\)", done.stderr), done.stderr
    data = Data(folder)
    assert {re.search(r"date=(.*)/host=(.*)/", name).groups() for name in data.names["samples"]} == {
        ("2023-11-14", "web1"), ("2023-11-14", "web2"), ("2023-11-15", "web1")}
    assert sorted(row["file"] for row in data.recordings) == ["a", "b", "c", "d"]
    assert sorted(row["period"] for row in data.samples) == [1] * 4 + [2] * 4 + [3] * 4
    assert len(data.stack) == 3, "the same stacks have different IDs"
    row = next(row for row in data.recordings if row["file"] == "d")
    assert (row["clock"], row["start_ns"]) == ("recorded", (19676 * 86400 + 86399) * 10**9 + 1), row
    # In any order, the same recordings are in the same files.
    before = {path: os.stat(path).st_ino for names in data.names.values() for path in names}
    export(folder, *reversed(paths[:2]), paths[3], paths[2])
    assert set(Data(folder).names["samples"]) == set(data.names["samples"])
    assert all(os.stat(path).st_ino != inode for path, inode in before.items()), "the files were not replaced"


def test_labels(folder):
    data = export(folder, recording("a"), "--label", "version=1.4=beta", "--label", "empty=", "--label", "odd=\x01\n\xff")
    assert only(data.recordings)["labels"] == {"version": "1.4=beta", "empty": "", "odd": "\\x01\\n\xff"}


def test_wrong_labels(folder):
    path = recording("a")
    export(folder, path, "--label", "version", status=129).stderr.index("'version' is not KEY=VALUE")
    export(folder, path, "--label", "=1", status=129)
    export(folder, path, "--label", "a=1", "--label", "a=2", status=129).stderr.index("'a' is given twice")
    assert not os.path.exists(folder)


def test_host_names(folder):
    """No host name, not even a hostile one, leaves the directory."""
    for host in ("../../etc", "a/b=c", "..", ".", "", "x" * 300, "\x1b[2J"):
        data = export(os.path.join(folder, str(len(host))), recording("a", host=host))
        path = os.path.relpath(only(data.names["samples"]), data.folder)
        assert path.count("/") == 3 and re.fullmatch(r"samples/date=2023-11-14/host=[\w.%-]+/[0-9a-f]{16}\.parquet", path), path
    assert only(export(os.path.join(folder, "h"), recording("a"), "--host", "db 7").names["samples"]).find("/host=db%207/") > 0
    export(folder, recording("a"), "--host", "", status=129)


def test_same_recording_twice(folder):
    path = recording("a")
    done = tap.run(TALLY, "export", "-o", folder, path, path, status=0)
    assert "a: skipped: the same recording as one before it" in done.stderr, done.stderr
    assert "wrote 3 samples of 1 recording " in done.stderr, done.stderr
    assert len(Data(folder).samples) == 3


def leftovers(folder):
    return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]


def test_errors(folder):
    path = recording("a")
    assert "option '-o DIR' is required" in tap.run(TALLY, "export", path, status=129).stderr
    assert "is not a directory" in export(path, path, status=129).stderr
    assert "unknown format 'csv'" in export(folder, path, "--format", "csv", status=129).stderr
    assert "'-i' cannot be combined" in export(folder, path, "-i", path, status=129).stderr
    export(folder, os.path.join(WORK, "missing"), status=1)
    assert not leftovers(folder), leftovers(folder)


def test_unreadable_recordings_are_skipped(folder):
    """A file that a crash left empty does not keep the others from being exported."""
    done = tap.run(TALLY, "export", "-o", folder, recording("a"), os.path.join(WORK, "missing"),
                   crafted.write(WORK, "empty", b""), recording("b", seconds=61), status=1)
    assert "wrote 6 samples of 2 recordings" in done.stderr and "skipped 2 that cannot be read" in done.stderr, done.stderr
    assert len(Data(folder).samples) == 6


def test_full_disk(folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    done = export(folder, recording("a"), status=1, preexec_fn=limit)
    assert "cannot write" in done.stderr and "File too large" in done.stderr, done.stderr
    assert not leftovers(folder), leftovers(folder)


def test_damaged_recording(folder):
    path = recording("cut", samples=50)
    with open(path, "rb+") as file:
        file.truncate(os.path.getsize(path) - 700)
    data_or_done = tap.run(TALLY, "export", "-o", folder, path)
    text = tap.run(TALLY, "script", "-i", path)
    assert data_or_done.returncode == text.returncode, (data_or_done.stderr, text.stderr)
    assert len(Data(folder).samples) == text.stdout.count("one") > 10


def test_stream(folder):
    with open(recording("a"), "rb") as file:
        done = tap.run(TALLY, "export", "-o", folder, "-i", "-", stdin=file, status=0)
    assert len(Data(folder).samples) == 3, done.stderr


def test_without_times(folder):
    data = export(folder, crafted.write(WORK, "timeless", crafted.file_bytes(
        [crafted.record(9, crafted.u64(0x1000))], attrs=[crafted.attr(sample_type=1)])))
    sample, row = only(data.samples), only(data.recordings)
    assert (sample["time_ns"], sample["pid"], sample["tid"], sample["cpu"]) == (None,) * 4, sample
    assert (row["start_ns"], row["clock"], row["clock_offset_ns"]) == (None, None, 0), row


def test_interrupted(folder):
    """Ctrl-C leaves no files."""
    path = recording("long", samples=200_000)
    with subprocess.Popen([TALLY, "export", "-o", folder, path], stderr=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        tap.wait_until(lambda: leftovers(folder) or process.poll() is not None, "files")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=tap.PATIENCE)
    if process.returncode == 0:
        raise tap.Skip("the export ended before the signal")
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT), process.returncode
    assert not leftovers(folder), leftovers(folder)


def test_interrupted_while_it_waits_for_input(folder):
    """Also a slow pipe after a complete recording."""
    fifo = os.path.join(WORK, "fifo")
    os.mkfifo(fifo)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen([TALLY, "export", "-o", folder, recording("a"), fifo], stderr=subprocess.PIPE,
                              preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL)) as process:
            with open(fifo, "wb"):  # returns when the export has opened it
                assert len(leftovers(folder)) == 4, leftovers(folder)
                process.send_signal(number)
                process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == -number, process.returncode
        assert not leftovers(folder), leftovers(folder)


def test_ignored_signals():
    """nohup tally export is not interrupted by SIGHUP."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        with subprocess.Popen([TALLY, "export", "-o", folder, recording("long", samples=200_000)], stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            tap.wait_until(lambda: leftovers(folder) or process.poll() is not None, "files")
            process.send_signal(signal.SIGHUP)
            said = process.communicate(timeout=tap.PATIENCE)[1]
        assert process.returncode == 0, (process.returncode, said)
        assert len(leftovers(folder)) == 4, leftovers(folder)


# ---- unresolved exports --------------------------------------------------------------------------

def built(path):
    """Build a program with an inlined function, and record it."""
    program = steps.build(os.path.join(WORK, "program"), """
volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void outer(int n) { innermost(n); sink++; }
int main(void) { for (int i = 0; i < 300; i++) outer(1000000); return 0; }
""", "-O2", "-g", "-Wl,--build-id")
    return program, steps.record(path, "--no-symbols", "-e", "cpu-clock:u", program)


def functions(data):
    return collections.Counter(
        tuple((row["function"], row["file"], row["line"], row["address"], row["inlined"]) for row in data.frame[data.stack[sample["stack"]][0]])
        for sample in data.samples if sample["stack"] is not None)


def test_resolve(path):
    """An unresolved export becomes equal to a resolved one, with other IDs."""
    program, recording_path = built(path)
    want = export(path + ".resolved", recording_path)
    data = export(path + ".unresolved", "--unresolved", recording_path)
    assert not only(data.recordings)["resolved"] and only(want.recordings)["resolved"]
    of_program = [row for row in data.frames if row["module"] == os.path.realpath(program)]
    assert of_program and not any(row["function"] or row["file"] for row in of_program), of_program
    assert all(row["build_id"] for row in of_program)
    done = tap.run(TALLY, "resolve", path + ".unresolved", status=0)
    assert re.search(r"found the functions of \d+ of \d+ frames in 1 file", done.stderr), done.stderr
    found = Data(path + ".unresolved")
    assert only(found.recordings)["resolved"]
    assert functions(found) == functions(want), (functions(found), functions(want))
    if "dwarf" in os.environ["TALLY_BUILT_WITH"]:
        assert any(names[0][0] == "innermost" and names[0][4] for names in functions(found)), functions(found)
    assert [row["stack"] for row in found.samples] == [row["stack"] for row in data.samples]
    assert "0 of 0 frames in 0 files" in tap.run(TALLY, "resolve", path + ".unresolved", status=0).stderr


def test_resolve_without_the_file(path):
    """A file with another build ID is not used."""
    program, recording_path = built(path)
    export(path + ".set", "--unresolved", recording_path)
    steps.build(program, "int main(void) { return 1; }", "-O1", "-Wl,--build-id")
    tap.run(TALLY, "resolve", path + ".set", status=0)
    found = [row["function"] for row in Data(path + ".set").frames if row["module"] == os.path.realpath(program)]
    assert found and not any(found), found


def test_resolve_again(path):
    """Functions that were not found are looked up again on request."""
    program, recording_path = built(path)
    export(path + ".set", "--unresolved", recording_path)
    os.rename(program, program + ".moved")
    tap.run(TALLY, "resolve", path + ".set", status=0)
    os.rename(program + ".moved", program)
    found = lambda: {row["function"] for row in Data(path + ".set").frames if row["module"] == os.path.realpath(program)}  # noqa: E731
    tap.run(TALLY, "resolve", path + ".set", status=0)
    assert found() == {None}, found()
    tap.run(TALLY, "resolve", "--again", path + ".set", status=0)
    assert "outer" in found(), found()


def test_functions_of_another_host(path):
    """Rows of one frame are read from the host that has its function."""
    recording_path = built(path)[1]
    for hosts in ("ab", "ba"):
        folder = path + hosts
        export(folder, "--unresolved", "--host", hosts[0], recording_path)
        tap.run(TALLY, "resolve", folder, status=0)
        want = tap.run(TALLY, "report", "--from", folder, "--stdio", status=0).stdout
        tap.run(TALLY, "export", "--unresolved", "--host", hosts[1], "-o", folder, recording_path, status=0)
        got = tap.run(TALLY, "report", "--from", folder, "--stdio", status=0).stdout
        assert "outer" in want, want
        tap.same(*(re.sub("^#.*", "", text, flags=re.M) for text in (got, want)), hosts)


def test_resolve_goes_on(folder):
    """A damaged file, or one in a linked directory, does not keep the others from being resolved."""
    for host in "abc":
        tap.run(TALLY, "export", "-q", "--unresolved", "--host", host, "-o", folder, recording("x"), status=0)
    names = sorted(glob.glob(f"{folder}/frames/*/*"))
    outside = folder + ".outside"
    os.rename(names[1], outside)
    os.symlink(outside, names[1])
    with open(glob.glob(f"{names[0]}/*")[0], "wb") as file:
        file.write(b"PAR1")
    before = os.stat(glob.glob(f"{outside}/*")[0]).st_ino
    done = tap.run(TALLY, "resolve", folder, status=1)
    assert "not a complete Parquet file" in done.stderr and "reached by a symbolic link" in done.stderr, done.stderr
    resolved = {host: parquet.File(glob.glob(f"{folder}/recordings/*/host={host}/*")[0]).table()[0]["resolved"] for host in "abc"}
    assert resolved == {"a": False, "b": False, "c": True}, resolved
    assert os.stat(glob.glob(f"{outside}/*")[0]).st_ino == before


def test_resolve_marks_no_linked_file(folder):
    """A host cannot have the recordings of another host marked as resolved."""
    for host in "ab":
        tap.run(TALLY, "export", "-q", "--unresolved", "--host", host, "-o", folder, recording("x"), status=0)
    evil, victim = sorted(glob.glob(f"{folder}/recordings/*/*/*"))
    for path in sorted(glob.glob(f"{folder}/frames/*/host=b/*")):
        os.truncate(path, 4)
    os.remove(evil)
    os.symlink(victim, evil)
    said = tap.run(TALLY, "resolve", folder, status=1).stderr
    assert "reached by a symbolic link" in said, said
    assert not parquet.File(victim).table()[0]["resolved"]


def test_resolve_errors(folder):
    assert "requires the directory" in tap.run(TALLY, "resolve", status=129).stderr
    assert "cannot read" in tap.run(TALLY, "resolve", folder, status=1).stderr
    export(folder, "--unresolved", recording("a"))
    path = only(Data(folder).names["recordings"])
    os.rename(only(Data(folder).names["stacks"]), path)
    assert "not a table of this version" in tap.run(TALLY, "resolve", folder, status=1).stderr


# ---- hostile recordings --------------------------------------------------------------------------

def test_mutated_recordings():
    """Whatever a recording contains, the files are valid."""
    own = fixtures.sets(*sys.argv[2:3], "/nonexistent")[0]
    written = 0
    for number, data in enumerate(fixtures.mutants(own, 400 if not tap.QUICK else 30, 7)):
        path = crafted.write(WORK, "mutated", data)
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            done = tap.run(TALLY, "export", "-q", "-o", folder, path, errors="replace")
            assert done.returncode in (0, 1), (number, done.returncode, done.stderr)
            if not leftovers(folder):
                assert done.returncode == 1, f"{number}: no files"
                continue
            found = Data(folder)
            assert only(found.recordings)["samples"] == len(found.samples), number
            written += 1
    print(f"# {written} data sets")
    assert written > 5


fixtures.add_tests(sys.modules[__name__], fixtures.sets(*sys.argv[2:4]), check_recordings)
tap.main(__name__)
