# SPDX-License-Identifier: BSD-2-Clause
"""A recording that looks the same on every machine: a shop with two threads on two CPUs. The recording is written byte
by byte, together with the files that contain its functions, which are placed below a directory for --symfs."""
import os

from crafted import *  # noqa: F403
from crafted_elf import PAGE, RETURN_AT, elf_file

PROGRAM, LIBRARY = "/usr/bin/shop", "/usr/lib/libprice.so.1"
PROGRAM_AT, LIBRARY_AT = 0x400000, 0x7f0000000000
KERNEL_AT = 0xffffffff81000000
START = 1000000000  # ns
# Each function is 0x100 bytes long. Addresses sampled in the leaf function are at this offset; addresses in callers are
# after the function's call.
LEAF_AT = 0x40
OF_PROGRAM = ("main", "serve", "parse_request", "find_item", "walk_tree", "render_page", "write_log", "worker_main",
              "std::vector<std::pair<unsigned long, Item>>::push_back(std::pair<unsigned long, Item> const&)")
OF_LIBRARY = ("price_of", "discount", "round_up")
VECTOR = OF_PROGRAM[-1]
# Samples: thread, CPU, callchain from the outermost function inwards, number of samples, and the range of tenths of a
# second in which they were taken. "k" is the kernel, which has no symbols here.
STACKS = (
    (100, 0, ("main", "serve", "parse_request"), 60, (0, 4)),
    (100, 0, ("main", "serve", "find_item", "walk_tree", "walk_tree", "walk_tree"), 90, (2, 8)),
    (100, 0, ("main", "serve", "find_item", "walk_tree", VECTOR), 45, (2, 8)),
    (100, 1, ("main", "serve", "find_item", "price_of", "discount"), 40, (3, 9)),
    (100, 1, ("main", "serve", "render_page"), 75, (5, 10)),
    (100, 1, ("main", "serve", "render_page", "price_of", "round_up"), 20, (6, 10)),
    (100, 0, ("main", "serve", "write_log", "k"), 25, (0, 10)),
    (101, 1, ("worker_main", "price_of", "discount"), 30, (1, 5)),
    (101, 1, ("worker_main", "price_of"), 10, (1, 5)),
    (101, 1, ("worker_main", "k"), 5, (0, 10)),
)
TENTH = 100000000
KINDS = IP | TID | TIME | CPU | PERIOD
IDS = (11, 12)


def places():
    """Return the address of each function in memory."""
    found = {name: PROGRAM_AT + 0x100 * i for i, name in enumerate(OF_PROGRAM)}
    found.update((name, LIBRARY_AT + 0x100 * i) for i, name in enumerate(OF_LIBRARY))
    found["k"] = KERNEL_AT + 0x1000
    return found


def write_files(root, renamed=None):
    """Write the program and the library below a directory. `renamed` maps functions to other names."""
    for path, functions in ((PROGRAM, OF_PROGRAM), (LIBRARY, OF_LIBRARY)):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        with open(root + path, "wb") as file:
            file.write(elf_file([((renamed or {}).get(name, name), 0x100 * i) for i, name in enumerate(functions)]))


def words_of(callers, at):
    """Return the callchain for these functions, which are given with the outermost one first."""
    words, leaf = [], callers[-1]
    if leaf == "k":
        words += [CONTEXT_KERNEL, at["k"] + LEAF_AT]
        callers = callers[:-1]
    words.append(CONTEXT_USER)
    for i, name in enumerate(reversed(callers)):
        words.append(at[name] + (LEAF_AT if i == 0 and leaf != "k" else RETURN_AT))
    return words


class Layout:
    """The contents of samples: callchains, timestamps, CPUs, and an ID if there are two events. The second event has no
    samples in the function `apart`."""

    def __init__(self, chains=True, times=True, cpus=True, events=1, apart=None):
        self.chains, self.times, self.cpus, self.events, self.apart = chains, times, cpus, events, apart
        self.kinds = KINDS | (CALLCHAIN if chains else 0) | (ID if events > 1 else 0)
        if not times:
            self.kinds &= ~TIME
        if not cpus:
            self.kinds &= ~CPU

    def on(self, cpu):
        return u32(cpu, 0) if self.cpus else b""

    def stamp(self, pid, tid, time, cpu, event=0):
        """Return the sample_id of a record that is not a sample."""
        return (u32(pid, tid) + (u64(time) if self.times else b"") + (u64(IDS[event]) if self.events > 1 else b"") +
                self.on(cpu))

    def sample(self, tid, cpu, time, words, event=0, period=1000000):
        ip = next(word for word in words if word < CONTEXT_USER and word != CONTEXT_KERNEL)
        body = u64(ip) + u32(100, tid) + (u64(time) if self.times else b"") + (u64(IDS[event]) if self.events > 1 else b"")
        body += self.on(cpu) + u64(period) + (u64(len(words), *words) if self.chains else b"")
        return record(SAMPLE, body, KERNEL if words[0] == CONTEXT_KERNEL else USER)

    def tasks(self):
        stamp = self.stamp(100, 100, START, 0)
        of_other = self.stamp(100, 101, START, 1)
        return [record(COMM, u32(100, 100) + text("shop") + stamp),
                record(MMAP, u32(100, 100) + u64(PROGRAM_AT, PAGE, PAGE) + text(PROGRAM) + stamp, USER),
                record(MMAP, u32(100, 100) + u64(LIBRARY_AT, PAGE, PAGE) + text(LIBRARY) + stamp, USER),
                record(FORK, u32(100, 100, 101, 100) + u64(START) + of_other),
                record(COMM, u32(100, 101) + text("price-worker") + of_other)]

    def file(self, records):
        """Return the bytes of a file with these records and the events' names."""
        attrs = [attr(self.kinds, kind=0, config=0), attr(self.kinds, kind=1, config=2)][:self.events]
        names = ("cycles:u", "page-faults")
        features = {FEATURE_HOSTNAME: padded("example"),
                    FEATURE_EVENT_DESC: event_desc(*((one, name, (number,)) for one, name, number in zip(attrs, names, IDS)))}
        if self.events == 1:
            return file_bytes(records, attrs, features)
        size = len(file_bytes(records, attrs, features))
        ids = [(size + 8 * i, 8) for i in range(self.events)]
        return file_bytes(records, attrs, features, ids) + u64(*IDS[:self.events])


def samples(layout):
    """Return all samples in time order."""
    at, found = places(), []
    for tid, cpu, callers, nr, (first, last) in STACKS:
        words = words_of(callers, at)
        for i in range(nr):
            time = START + first * TENTH + (last - first) * TENTH * (2 * i + 1) // (2 * nr)
            found.append((time, tid, cpu, words, 0))
            if layout.events > 1 and i % 10 == 0 and layout.apart not in callers:
                found.append((time + 1, tid, cpu, words, 1))
    return [layout.sample(tid, cpu, time, words, event) for time, tid, cpu, words, event in sorted(found)]


def write_recording(path, **options):
    """Write the recording. The options are those of Layout."""
    layout = Layout(**options)
    with open(path, "wb") as file:
        file.write(layout.file(layout.tasks() + samples(layout)))


def write_empty(path):
    layout = Layout()
    with open(path, "wb") as file:
        file.write(layout.file(layout.tasks()))
