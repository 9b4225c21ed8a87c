# SPDX-License-Identifier: BSD-2-Clause
"""Untrusted recordings for the browser, with extreme values and strange names."""
import os
import random

import browser_data
from browser_data import KERNEL_AT, PROGRAM, PROGRAM_AT, START, Layout
from crafted import *  # noqa: F403
from crafted_elf import RETURN_AT, elf_file

MAX64, MAX32 = (1 << 64) - 1, (1 << 32) - 1
EVIL = ("\x1b]0;EVIL\x07", "\x1b[1337zEVIL", "a\nb\rc\td\be", "\u202eLIVE\u202c\u2066x", "\u009b31mEVIL", "\x0e\x0f\x7f", "%s%n%d",
        "e" + "\u0301" * 60, "\u6f22" * 40, "\ufeff\u200b\u200e", "'\"\\|:", " ", "-sym:x (")
FUNCTIONS = 16


def at_function(number, leaf=False):
    return PROGRAM_AT + 0x100 * (number % FUNCTIONS) + (0x40 if leaf else RETURN_AT)


def chain_of(functions):
    """Return the callchain for these functions, innermost first."""
    return [CONTEXT_USER] + [at_function(one, i == 0) for i, one in enumerate(functions)]


def random_chains(chance, nr, deepest):
    return [chain_of([chance.randrange(FUNCTIONS) for _ in range(chance.randint(1, deepest))]) for _ in range(nr)]


def write(folder, name, samples, layout=None, tasks=()):
    layout = layout or Layout()
    path = os.path.join(folder, name + ".data")
    with open(path, "wb") as file:
        file.write(layout.file(layout.tasks() + list(tasks) + samples))
    return path


def names(folder, chance):
    """Write a recording with threads, files and functions that have names with control sequences."""
    layout, tasks, samples = Layout(), [], []
    for i, evil in enumerate(EVIL):
        stamp = layout.stamp(100, 200 + i, START, i)
        tasks.append(record(FORK, u32(100, 100, 200 + i, 100) + u64(START) + stamp))
        tasks.append(record(COMM, u32(100, 200 + i) + text(evil[:40]) + stamp))
        tasks.append(record(MMAP, u32(100, 100) + u64(0x10000000 * (i + 1), 0x1000, 0) + text("/tmp/" + evil) + stamp, USER))
        samples += [layout.sample(200 + i, i, START + 1000 * (i + k), chain_of([i, k, 0])[:3] + [0x10000000 * (i + 1) + 0x20 * k])
                    for k in range(5)]
        samples.append(layout.sample(200 + i, i, START + i, [CONTEXT_USER, 0x10000000 * (i + 1) + 5]))
    return write(folder, "names", samples, layout, tasks)


def recursion(folder, chance):
    """Write a recording with functions that call themselves and each other, 127 levels deep, with the same weights."""
    layout = Layout()
    chains = [chain_of([3] * 127), chain_of([1, 2] * 63), chain_of([1, 2, 3] * 42), chain_of(list(range(127)))]
    chains += [chain_of([i % 3 for i in range(n)]) for n in range(1, 127)] + random_chains(chance, 300, 127)
    return write(folder, "recursion", [layout.sample(100, 0, START + i, words) for i, words in enumerate(chains)], layout)


def deep(folder, chance):
    """Write a recording with callchains as long as a record permits, which differ at every level."""
    layout = Layout()
    chains = [chain_of([i % 2 if i < cut else 5 for i in range(8000)]) for cut in range(0, 8000, 800)]
    return write(folder, "deep", [layout.sample(100, 0, START + i, words) for i, words in enumerate(chains)], layout)


def threads(folder, chance):
    layout = Layout()
    tasks = []
    for tid in range(1000, 11000):
        stamp = layout.stamp(100, tid, START, 0)
        tasks.append(record(COMM, u32(100, tid) + text(f"thread-{tid}") + stamp))
    samples = [layout.sample(tid, tid % 300, START + tid, chain_of([tid, tid >> 4, tid >> 8])) for tid in range(1000, 11000)]
    return write(folder, "threads", samples, layout, tasks)


def times(folder, chance):
    """Write a recording with extreme and random timestamps, including zero."""
    layout = Layout()
    at = [0, 1, 2, MAX64, MAX64 - 1, 1 << 63, START] + [chance.getrandbits(64) for _ in range(60)]
    chains = random_chains(chance, len(at), 9)
    return write(folder, "times", [layout.sample(100 + i % 2, i % 2, time, words) for i, (time, words) in enumerate(zip(at, chains))],
                 layout)


def last_times(folder, chance):
    layout = Layout()
    return write(folder, "last-times", [layout.sample(100, 0, MAX64 - i % 3, words)
                                        for i, words in enumerate(random_chains(chance, 40, 9))], layout)


def periods(folder, chance):
    """Write a recording with periods that overflow when they are summed."""
    layout = Layout()
    some = [MAX64, MAX64 - 1, 1 << 63, 1, 0, 1 << 62, MAX32]
    samples = [layout.sample(100 + i % 2, i % 3, START + i, words, period=some[i % len(some)] if i < 40 else chance.getrandbits(64))
               for i, words in enumerate(random_chains(chance, 120, 12))]
    return write(folder, "periods", samples, layout)


def no_periods(folder, chance):
    layout = Layout()
    samples = [layout.sample(100, 0, START + i, words, period=0) for i, words in enumerate(random_chains(chance, 30, 12))]
    return write(folder, "no-periods", samples, layout)


def numbers(folder, chance):
    """Write a recording with the largest CPU numbers and thread IDs, and with negative ones."""
    layout = Layout()
    some = [0, 1, MAX32, MAX32 - 1, 1 << 31, (1 << 31) - 1, 65536]
    samples = [layout.sample(some[i // 7 % 7], some[i % 7], START + 1000 * i, words)
               for i, words in enumerate(random_chains(chance, 98, 5))]
    return write(folder, "numbers", samples, layout)


def markers(folder, chance):
    """Write a recording with callchains of context markers, zeros and kernel addresses."""
    layout = Layout()
    some = [CONTEXT_KERNEL, CONTEXT_USER, 0, MAX64, KERNEL_AT, KERNEL_AT + 5, -100, at_function(1), at_function(2, True)]
    samples = [layout.sample(100, 0, START + i, [at_function(1, True)] + [chance.choice(some) for _ in range(chance.randrange(40))])
               for i in range(200)]
    return write(folder, "markers", samples, layout)


def two_events(folder, chance):
    layout = Layout(events=2)
    samples = [layout.sample(100, 0, START + i, words, event=i % 2) for i, words in enumerate(random_chains(chance, 100, 12))]
    return write(folder, "two-events", samples, layout)


CRAFTED = (names, recursion, deep, threads, times, last_times, periods, no_periods, numbers, markers, two_events)


def write_root(root):
    """Write the program. Its functions have names of 100 kB, names with control sequences, and other names."""
    browser_data.write_files(root)
    given = [*EVIL, "n" * 100000, "std::vector<" * 4000 + "int" + ">" * 4000 + "::f()", "_ZN" + "1a" * 3000 + "Ev"]
    given = [one.replace("\0", "") or "empty" for one in given]
    with open(root + PROGRAM, "wb") as file:
        file.write(elf_file([(given[i % len(given)], 0x100 * i) for i in range(FUNCTIONS)]))


def write_all(folder, root, seed):
    write_root(root)
    return [make(folder, random.Random(seed)) for make in CRAFTED]
