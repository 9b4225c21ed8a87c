#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check docs/internals/seeds.md: every command runs and prints the text in its row, and every path in a row exists. If
the seed documents are available, every line in them is covered by a row.

usage: seeds.py ROOT TALLY JEVENTS FOLDER   FOLDER has the programs of examples/classic, as classic-NAME
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.abspath(__file__).rpartition("/tests/")[0] + "/tests/lib")
import machine  # noqa: E402
import rights  # noqa: E402
import session  # noqa: E402
import tap  # noqa: E402

ROOT, TALLY, JEVENTS, FOLDER = map(os.path.abspath, sys.argv[1:5])
PAGE = os.path.join(ROOT, "docs", "internals", "seeds.md")
DOCUMENTS = os.path.join(ROOT, "..", "shared", "seeds")
MOST_WORDS = 8  # maximum number of words that a row may quote from a document
# Commands that run until they are interrupted.
ENDLESS = re.compile(r"\btally top\b")

Row = collections.namedtuple("Row", "document first last begins where command shows needs")


def unquoted(cell):
    return cell[1:-1] if re.fullmatch(r"`.*`", cell) else cell


def read_rows():
    """Return the rows of the three tables. Each table follows a heading that contains its document's name."""
    document = None
    with open(PAGE, encoding="utf-8") as page:
        for line in page:
            heading = re.match(r"## (\S+\.txt)$", line)
            document = heading.group(1) if heading else document
            if not document or not re.match(r"\| \d", line):
                continue
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
            if len(cells) != 6:
                raise SystemExit(f"{PAGE}: {len(cells)} cells, not 6: {line}")
            lines, begins, where, command, shows, needs = cells
            begins = begins.removeprefix('"').removesuffix(' ..."')
            first, _, last = lines.partition("-")
            yield Row(document, int(first), int(last or first), begins, re.findall(r"`([^`]+)`", where), unquoted(command),
                      unquoted(shows), [need for need in re.split(r",\s*", needs) if need])


ROWS = list(read_rows())
if not ROWS:
    raise SystemExit(f"{PAGE}: no rows")


# ---- requirements --------------------------------------------------------------------------


def make_workplace():
    """Create a directory, also readable by other users, with examples/seeds and the programs."""
    here = tap.workplace("seeds")
    os.chmod(here, 0o755)
    shutil.copytree(os.path.join(ROOT, "examples", "seeds"), here, dirs_exist_ok=True)
    bin_folder = os.path.join(here, "bin")
    os.mkdir(bin_folder)
    shutil.copy(TALLY, bin_folder)
    os.symlink(JEVENTS, os.path.join(bin_folder, "jevents"))
    for path in os.listdir(FOLDER):
        name = path.removeprefix("classic-")
        if name != path and os.path.isfile(os.path.join(FOLDER, path)):
            os.symlink(os.path.join(FOLDER, path), os.path.join(bin_folder, name))
    return here


HERE = make_workplace()
# tally emulate may run tally itself with a preloaded library, which sanitizers do not accept by default.
SANITIZERS = tap.without_leaks()
SANITIZERS["ASAN_OPTIONS"] = SANITIZERS.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
ENVIRONMENT = {**SANITIZERS, "TALLY": ROOT, "LC_ALL": "C", "PATH": os.path.join(HERE, "bin") + ":" + os.environ["PATH"]}
SESSION = session.Session(HERE)


@machine.probe
def need_restricted_nobody():
    """Skip the test unless an unprivileged user can run tally and count their own tasks, but neither the kernel nor
    whole CPUs."""
    rights.need("setpriv")
    machine.need_events_of_users()
    if machine.why_not([os.path.join(HERE, "bin", "tally"), "--version"], **machine.as_nobody()):
        return "user nobody cannot run programs of this test's directory"
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setresgid(machine.NOBODY, machine.NOBODY, machine.NOBODY)
            os.setresuid(machine.NOBODY, machine.NOBODY, machine.NOBODY)
            refused = machine.open_reason(pid=-1, cpu=min(os.sched_getaffinity(0))) and machine.open_reason()
            os._exit(1 if refused else 0)
        finally:
            os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return None if status == 1 else "every user can count the kernel or whole CPUs here"


def need_perf_user():
    SESSION.need()
    machine.need_system_wide()


NEEDS = {
    "events": machine.need_events,
    "kernel-events": machine.need_kernel_events,
    "system-wide": machine.need_system_wide,
    "ptrace": machine.need_ptrace,
    "process-vm": machine.need_process_vm,
    "tracefs": machine.need_tracepoints,
    "closed-tracefs": machine.need_closed_tracefs,
    "nobody": need_restricted_nobody,
    "session": SESSION.need,
    "perf-user": need_perf_user,
    "compiler": lambda: machine.need_compiler("cc"),
    "slow": lambda: None,  # the row is only tested in the full tier
}


# ---- commands ------------------------------------------------------------------------------


def in_output(shows, output):
    if len(shows) > 1 and shows[0] == shows[-1] == "/":
        return re.search(shows[1:-1], output, re.M)
    return shows in output


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def wait_for(process, row, path):
    """Wait until a command exits. A command that does not exit is interrupted after it has printed the expected
    output."""
    if not ENDLESS.search(row.command):
        process.wait(tap.PATIENCE)
        return
    tap.wait_until(lambda: process.poll() is not None or in_output(row.shows, read(path)),
                   lambda: f"{row.shows!r} in {read(path)[-1000:]!r}")
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    process.wait(tap.PATIENCE)


def execute(row):
    """Run a command as a shell does. Its output is sent to a file, because `tally record` would write a recording to a
    pipe."""
    path = os.path.join(HERE, "output")
    command, environment = ["sh", "-c", row.command], ENVIRONMENT
    for user in ("session", "perf-user"):
        if user in row.needs:
            command, environment = SESSION.words(row.command, user == "perf-user", ENVIRONMENT)
    with open(path, "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=HERE,
                                   env=environment, start_new_session=True)
    try:
        wait_for(process, row, path)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    text, status = read(path), process.returncode
    if status in tap.CRASHES or status - 128 in tap.FAULTS or "Sanitizer: " in text:
        raise AssertionError(f"{row.command}: status {status}: {text[-3000:]}")
    return text


OUTPUTS = {}


def output_of(row):
    """Return the output of a row's command. The command runs only once."""
    key = row.command, "session" in row.needs, "perf-user" in row.needs
    if key not in OUTPUTS:
        OUTPUTS[key] = execute(row)
    return OUTPUTS[key]


def run_before(row):
    """Run the previous steps of the session, which this step needs because they create the user, the program and the
    recording."""
    for step in ROWS[:ROWS.index(row)]:
        if {"session", "perf-user"} & set(step.needs) and not ENDLESS.search(step.command):
            output_of(step)


def run_row(row):
    for need in row.needs:
        NEEDS[need]()
    if {"session", "perf-user"} & set(row.needs):
        run_before(row)
    output = output_of(row)
    if not in_output(row.shows, output):
        raise AssertionError(f"$ {row.command}\nprints\n{output[-1500:]}\nand not\n{row.shows}")


def add_points():
    """Add a point for each row that has a command, with a name like design.txt_1-6. Rows for the same lines are
    numbered."""
    for row in ROWS:
        if row.command.startswith("none:"):
            continue
        name = f"test_{row.document}_{row.first}" + (f"-{row.last}" if row.last != row.first else "")
        number = sum(other.startswith(name + "_") or other == name for other in globals())

        def test(row=row):
            run_row(row)
        test.full = True
        if "slow" not in row.needs:
            del test.full
        globals()[name + (f"_{number + 1}" if number else "")] = test


# ---- the document --------------------------------------------------------------------------


def complaints():
    for row in ROWS:
        what = f"{row.document} {row.first}-{row.last}"
        none = row.command.startswith("none:")
        if not (row.command[len("none:"):].strip() if none else row.command):
            yield f"{what}: no command"
        if bool(row.shows) == none:
            yield f"{what}: a row has a command and what it shows, or neither"
        if len(row.begins.split()) > MOST_WORDS:
            yield f"{what}: quotes more than {MOST_WORDS} words"
        yield from (f"{what}: no need is called {need!r}" for need in row.needs if need not in NEEDS)
        yield from (f"{what}: there is no {path}" for path in row.where if not os.path.exists(os.path.join(ROOT, path)))
        if not row.where:
            yield f"{what}: names no file"


@tap.always
@tap.anybody
def test_rows_are_whole_and_name_what_there_is():
    tap.same(list(complaints()), [], PAGE)
    needs = re.findall(r"`([a-z-]+)`", "\n".join(line.split("|")[1] for line in read(PAGE).splitlines()
                                                if re.match(r"\| `[a-z-]+`(, `[a-z-]+`)* \| [a-z`]", line)))
    tap.same(sorted(set(NEEDS) - set(needs)), [], "needs that the page does not explain")


@tap.always
@tap.anybody
def test_the_page_prepares_all_that_the_commands_use():
    page = read(PAGE)
    built = re.search(r"^for name in (.*?);", page.replace("\\\n", " "), re.M).group(1).split()
    there = sorted(name[:-2] for name in os.listdir(os.path.join(ROOT, "examples", "classic")) if name.endswith(".c"))
    tap.same(sorted(built), there, "programs of examples/classic")
    seeds = os.path.join(ROOT, "examples", "seeds")
    files = [*os.listdir(seeds), *(f"arch/{name}" for name in os.listdir(os.path.join(seeds, "arch")))]
    tap.same([name for name in files if name != "arch" and f"`{name}`" not in page], [], "files that the page does not name")


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def uncovered(document):
    lines = read(os.path.join(DOCUMENTS, document)).splitlines()
    rows = [row for row in ROWS if row.document == document]
    covered = {number for row in rows for number in range(row.first, row.last + 1)}
    for number, line in enumerate(lines, 1):
        if line.strip() and number not in covered:
            yield f"line {number} is in no row: {line[:80]}"
    for row in rows:
        if row.begins not in plain("\n".join(lines[row.first - 1:row.last])):
            yield f"lines {row.first}-{row.last} do not have: {row.begins}"


@tap.always
@tap.anybody
def test_every_line_of_the_documents_is_in_a_row():
    if not os.path.isdir(DOCUMENTS):
        raise tap.Skip("the seed documents are not here")
    for document in sorted(os.listdir(DOCUMENTS)):
        tap.same(list(uncovered(document)), [], document)


add_points()
tap.main(__name__)
