# SPDX-License-Identifier: BSD-2-Clause
"""Read recordings with one thread and with several: output, errors and warnings must be the same.

usage: jobs.py TALLY FIXTURES SHARED
"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import fixtures  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402

TALLY = os.path.abspath(sys.argv[1])
SETS = fixtures.sets(*sys.argv[2:4])
WORK = tap.workplace("jobs")
VIEWS = (("report", "--stdio"), ("report", "--stdio", "--no-children", "-s", "comm,pid,cpu,dso,sym"), ("report", "--json", "-s", "srcline"),
         ("report", "--stdio", "--comms", "sh,cat,python3", "--dsos", "libc.so.6"), ("report", "--format", "folded"),
         ("report", "--format", "pprof", "-o", "-"), ("report", "--format", "firefox", "-o", "-"),
         ("report", "--format", "otlp", "-o", "-"), ("report", "--header"),
         ("script",), ("script", "-F", "comm,tid,pid,cpu,time,period,event,ip,sym,dso,symoff,srcline", "--reltime", "--ns"),
         ("script", "-G", "-F", "+dsoff"), ("script", "--show-task-events", "--show-mmap-events"), ("annotate", "-q"))


def read(view, jobs, *inputs):
    """Return the exit code, output and messages of a view."""
    done = tap.run(TALLY, *view, "--jobs", str(jobs), *inputs, text=False,
                   env={**os.environ, "HOME": WORK, "XDG_CACHE_HOME": WORK, "TZ": "UTC"})
    return done.returncode, done.stdout, done.stderr


def compare(view, *inputs, jobs=3):
    """Compare one and several threads, and return the size of the output."""
    want = read(view, 1, *inputs)
    tap.same(read(view, jobs, *inputs), want, f"{' '.join(view)} {inputs}")
    return len(want[1])


def check_files(found):
    size = 0
    for number, path in enumerate(found.files()):
        for view in (VIEWS if not tap.QUICK else VIEWS[number % 2::2]):
            size += compare(view, "-i", path, jobs=2 + number // 2 % 2)
    print(f"# {size} bytes")
    assert size > 10000, "hardly anything was compared"


def check_diff(found):
    """Compare pairs of recordings."""
    paths = list(found.files())[:6]
    for first, second in zip(paths[::2], paths[1::2]):
        compare(("diff", "--json"), first, second)


def test_page():
    """Compare HTML pages, which contain all samples."""
    machine.need_events()
    path = os.path.join(WORK, "page.data")
    tap.run(TALLY, "record", "-g", "-F", "999", "-o", path, "sh", "-c", "for i in $(seq 100); do ls -l /usr/bin | sort >/dev/null; done", status=0)
    pages = []
    for jobs in (1, 2, 3):
        pages.append(os.path.join(WORK, f"{jobs}.html"))
        tap.run(TALLY, "report", "--html", pages[-1], "--jobs", str(jobs), "-i", path, status=0)
    for page in pages[1:]:
        with open(pages[0], "rb") as one, open(page, "rb") as other:
            tap.same(one.read() == other.read(), True, "the pages are equal")
    for view in VIEWS:
        compare(view, "-i", path)


def test_zero_jobs_choose_by_size():
    """Check that 0 is the default, and that text is refused."""
    path = SETS[0].recording("perf61", "frames.data")
    tap.same(read(VIEWS[0], 0, "-i", path), read(VIEWS[0], 1, "-i", path), "0 and 1")
    code, _, messages = read(VIEWS[0], "many", "-i", path)
    tap.same((code, b"'jobs' takes a number" in messages), (129, True), messages)


fixtures.add_tests(sys.modules[__name__], SETS, check_files)
fixtures.add_tests(sys.modules[__name__], SETS, check_diff)
tap.main(__name__)
