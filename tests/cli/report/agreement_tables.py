# SPDX-License-Identifier: BSD-2-Clause
"""Functions and their sums in each of tally's outputs, for agreement.py.

The page has every sample with its whole stack, and the whole name, short name, file and kind of each function. Whole sums
these samples up in the way of another output, which is then compared with it. The outputs differ in these ways only:

  - Unnamed code of a file is one function, except in rows (JSON, --stdio, the browser's rows): these have one for each
    address. Their self costs are added up; each of their totals is at most that of the function.
  - Functions of one file can have the same whole name, for example overloads, because whole names have no parameters.
    Only `diff`, which has nothing but names and parameters to find a function in another build, adds up those
    with equal parameters. An inlined function without known parameters counts towards the function with its name if
    there is only one.
  - Exports have short names and no mark of inlined functions, so that the inlined copies of a function and the function
    are one. Short names of different functions differ.
  - `diff` has no functions without self cost.
  - Rows have the base names of files, and "[JIT] tid N" instead of the path of a map of JIT code, as in perf. `diff`
    omits the thread, because two runs of a program have different threads.
"""
import collections
import os
import re

import decode

Function = collections.namedtuple("Function", "number name short file base is_inlined is_named")
Sums = collections.namedtuple("Sums", "nr weight total_nr total")  # self and total: samples and weights
Row = collections.namedtuple("Row", "shares mark name file whole", defaults=[None])  # as printed
CUT = re.compile(r"\.\.\.|\u2026")  # marks of left-out parts


def base_of(file):
    """Return the name of a file that rows show. Names in brackets are not paths."""
    jit = re.fullmatch(r"/tmp/perf-(\d+)\.map", file)
    if jit:
        return f"[JIT] tid {jit[1]}"
    return file if file.startswith("[") else os.path.basename(file) or "[unknown]"


class Whole:
    """The functions and the samples of a page's first event."""

    def __init__(self, page):
        shorts = page.columns.get("frame_short", [0] * len(page.frames))
        self.functions = [Function(number, frame.name, page.strings[short] or frame.name, frame.file, base_of(frame.file),
                                   bool(frame.flags & decode.INLINED), not frame.flags & decode.NAMELESS)
                          for number, (frame, short) in enumerate(zip(page.frames, shorts, strict=True))]
        self.stacks = {}  # by node: numbers of functions, innermost first, and sums
        parents, of = page.columns["node_parent"], page.columns["node_frame"]
        for sample in (sample for sample in page.samples if not sample.event):
            if sample.node not in self.stacks:
                numbers, node = [], sample.node
                while node:
                    numbers.append(of[node])
                    node = parents[node]
                self.stacks[sample.node] = [numbers, 0, 0]
            self.stacks[sample.node][1] += 1
            self.stacks[sample.node][2] += sample.weight
        self.nr = sum(nr for _, nr, _ in self.stacks.values())
        self.weight = sum(weight for _, _, weight in self.stacks.values())

    def sums(self, key):
        """Return the sums by key(function). A function with the key None is left out."""
        keys, found = list(map(key, self.functions)), collections.defaultdict(lambda: [0, 0, 0, 0])
        for numbers, nr, weight in self.stacks.values():
            own, all_of = keys[numbers[0]], {keys[number] for number in numbers} - {None}
            for one in all_of:
                found[one][2] += nr
                found[one][3] += weight
                if one == own:
                    found[one][0] += nr
                    found[one][1] += weight
        return {one: Sums(*sums) for one, sums in found.items()}

    def by_function(self):
        """Return pairs of function and sums."""
        return [(self.functions[number], sums) for number, sums in self.sums(lambda function: function.number).items()]

    def by_signature(self):
        """Return lists of the sums of named functions by (file, name), one for each signature, without functions that have
        no self cost. Short names of functions with one name differ if their signatures do."""
        def key(function):
            return (diff_file(function), function.name, function.short) if function.is_named else None
        found = collections.defaultdict(list)
        for (file, name, _), sums in self.sums(key).items():
            if sums.nr:
                found[file, name].append(sums)
        return {name: sorted(sums) for name, sums in found.items()}

    def heaviest(self, by, named=False):
        """Return pairs of function and sums of all functions that have a self cost, or for `by` 1, a total cost; only of
        functions with a name if `named` is set."""
        weight = (lambda one: one[1].total) if by else (lambda one: one[1].weight)
        found = sorted(filter(weight, self.by_function()), key=weight, reverse=True)
        return [one for one in found if one[0].is_named or not named]


def exported_name(function):
    """Return a function's name in exports."""
    if function.is_named:
        return function.short
    return function.file if function.file.startswith("[") else f"[{os.path.basename(function.file) or 'unknown'}]"


# ---- rows ----------------------------------------------------------------------------------------

UNNAMED = re.compile("0x[0-9a-f]{16}")


def json_rows(rows):
    """Return the named functions of report --json as pairs of (file, name, inlined) and sums, sorted, and the sums of
    unnamed code by file."""
    named, unnamed = [], collections.defaultdict(list)
    for row in rows:
        name, inlined = row["symbol"].split("] ", 1)[1], row.get("inlined", False)
        assert name.endswith(" (inlined)") == inlined, row
        sums = Sums(row["self_samples"], row["self_period"], row.get("total_samples", 0), row.get("total_period", 0))
        if UNNAMED.fullmatch(name):
            unnamed[row["dso"]].append(sums)
        else:
            named.append(((row["dso"], name.removesuffix(" (inlined)"), inlined), sums))
    return sorted(named), unnamed


def diff_sums(rows):
    """Return lists of the sums of the named functions of diff --json by (file, name), one for each signature, and the
    self samples of unnamed code by file. Both sides of each row must be the same, and its verdict undecided or unchanged."""
    named, unnamed = collections.defaultdict(list), collections.Counter()
    signatures = set()
    for row in rows:
        found = []
        for one in (row["self"], row["total"]):
            assert one["verdict"] not in ("grew", "shrank") and not one["delta"], row
            both = [tuple(one[side + name] for name in ("samples", "period")) for side in ("baseline_", "")]
            assert both[0] == both[1] and one["baseline"] == one["value"], row
            found += both[0]
        if UNNAMED.fullmatch(row["symbol"]) or row["symbol"] == "[no symbol]":
            unnamed[row["dso"]] += found[0]
        else:
            signature = row["dso"], row.get("signature", row["symbol"])
            assert signature not in signatures, f"two rows: {row}"
            signatures.add(signature)
            named[row["dso"], row["symbol"]].append(Sums(*found))
    return {name: sorted(sums) for name, sums in named.items()}, unnamed


def diff_file(function):
    return "[JIT]" if function.base.startswith("[JIT] ") else function.base


# ---- text ----------------------------------------------------------------------------------------

def section(text, heading):
    """Return the lines after a heading, to the next empty line."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(heading)) + 1
    end = next((number for number in range(at, len(lines)) if not lines[number].strip()), len(lines))
    return lines[at:end]


def footnotes(text):
    """Return the whole names in a summary's footnotes, by number. Long ones are wrapped."""
    found, last = {}, None
    for line in text.splitlines():
        note = re.match(r"\[(\d+)\](?: (.*))?$", line)
        if note:
            last = note[1]
            found[last] = note[2] or ""
        elif last and line.startswith("    "):
            found[last] += " " + line[4:]
    return found


def summary_rows(text, heading, columns):
    """Return the rows of a list of functions. `columns` is a pattern with the groups self, total, mark, name and file. The
    whole name is that of the row's footnote."""
    notes, found = footnotes(text), []
    for line in section(text, heading):
        row = re.match(columns, line)
        if row:
            cells = row.groupdict()
            name, number = re.match(r"(.*?)(?: \[(\d+)\])?$", cells["name"]).groups()
            found.append(Row((cells.get("self"), cells["total"]), cells["mark"], name, cells.get("file"), number and notes.get(number)))
    return found


SHARE = r" *(?P<%s>\d+\.\d+)%%"
FUNCTION = r" (?P<mark>i| ) (?P<name>.*?)"


def summary_self(text):
    return summary_rows(text, "Top functions, self", SHARE % "self" + SHARE % "total" + FUNCTION + r" +(?P<file>\[JIT\] tid \d+|\[.*\]|\S+(?: \(deleted\))?)$")


def summary_total(text):
    return summary_rows(text, "Top functions, total", SHARE % "total" + " " + FUNCTION + r"(?: in (?P<file>.*))?$")


def browser_rows(lines):
    """Return the rows of the browser's rows view, with self and total cost."""
    found = []
    for line in lines:
        row = re.match(rf"[+ ]? *([0-9.]+)%(?: *([0-9.]+)%)?  (.*?) +\[(.)\] (.*?) *$", line)
        if row:
            total, own = (row[1], row[2]) if row[2] else (None, row[1])
            found.append(Row((own, total), "i" if row[4] == "i" else " ", row[5], row[3]))
    return found


def without_spaces(text):
    """Footnotes are wrapped at spaces, and long words between any two characters."""
    return "".join(text.split())


def is_shown_as(function, row):
    """Return true if a row may be the function: its name, or a form in which parts are replaced by marks."""
    def form(text):
        return ".*".join(map(re.escape, CUT.split(text)))
    if (row.mark == "i") != function.is_inlined or (row.file and not re.fullmatch(form(row.file), function.base)):
        return False
    if row.whole is not None and without_spaces(function.name) not in without_spaces(row.whole):
        return False
    return re.fullmatch(form(row.name), exported_name(function), re.S) is not None


def check_rows(whole, rows, by, what, named=False):
    """Check that rows are the heaviest functions by `by`, 0 for self or 1 for total, that each row is a function of its own,
    and that printed shares are those of the function. `named` means that there are only rows of functions with names."""
    def printed(sums):
        return tuple(f"{100 * weight / whole.weight:.2f}" for weight in (sums.weight, sums.total))
    left = [(function, printed(sums)) for function, sums in whole.heaviest(by, named)]
    shares = [row.shares[by] for row in rows]
    wanted = [one[1][by] for one in left[:len(rows)]]
    assert shares == wanted, f"{what}: shares are {shares}, wanted {wanted}"

    def candidates(row):
        return [one for one in left if is_shown_as(one[0], row) and
                all(shown in (None, share) for shown, share in zip(row.shares, one[1]))]
    for row in sorted(rows, key=lambda row: len(candidates(row))):
        found = candidates(row)
        assert found, f"{what}: no function of the page is {row}"
        left.remove(next((one for one in found if exported_name(one[0]) == row.name), found[0]))
