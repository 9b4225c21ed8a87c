# SPDX-License-Identifier: BSD-2-Clause
"""The page that promises.py prints: tables of ratios, in which cells that break a promise are marked."""
import glob
import os
import subprocess
import typing

INLINES_MOST = 1.3  # with inlined functions from the index, relative to without


class Row(typing.NamedTuple):
    """CPU seconds of a command."""
    name: str
    perf: float | None  # None if perf was stopped
    cold: float
    warm: float
    aged: float
    plain: float | None  # warm, without inlined functions; None if the command never shows them
    is_inlining: bool = True  # `plain` differs only in inlined functions


def has_debug_information(path):
    return ".debug_info" in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout


class Page:
    def __init__(self, options):
        self.options, self.where = options, ""
        self.cells, self.broken = 0, []
        files = glob.glob("/usr/lib/debug/.build-id/*/*.debug")
        python = os.path.realpath(options.python)
        libraries = subprocess.run(["ldd", python], capture_output=True, text=True).stdout.split()
        own = any(has_debug_information(path) for path in [python, *libraries] if path.startswith("/") and "python" in path)
        perf = subprocess.run(["perf", "version"], capture_output=True, text=True).stdout.strip()
        print(f"# tally beside {perf}\n\n"
              f"CPU seconds, medians of {options.runs} runs in turn; {os.cpu_count()} CPUs, kernel {os.uname().release}, load "
              f"{os.getloadavg()[0]:.1f}. Debug files in /usr/lib/debug: {len(files)}; the recorded Python ({python}) contains "
              f"{'its own' if own else 'no'} debug information, with and without packages.\n\n"
              "- perf:cold, perf:warm and perf:aged are perf's time divided by tally's: below 1.0, tally is slower.\n"
              f"- warm:plain and aged:plain are tally's time divided by the time with --no-inline: at most {INLINES_MOST}.\n"
              "- annotate has no --no-inline. Its plain is --no-source, which also prints less, so its ratio is no promise.\n"
              "- For page and exports, perf is `perf script` piped into a script that folds stacks.\n"
              f"- `>` is a bound: perf was stopped after {options.limit} s of wall time.\n"
              "- `!` marks a broken promise.")

    def begin(self, kind, samples, size, debug):
        """Begin a table."""
        if samples is None:
            self.where = f"{kind}, {debug}"
            title = f"top --stdio for {self.options.top_seconds} s at 4000 Hz, one run, {debug}"
        else:
            self.where = f"{kind}, {samples:,} samples, {debug}"
            title = f"{kind}, {samples:,} samples ({size / 1e6:.1f} MB), {debug}"
        print(f"\n## {title}\n\n| command | perf | cold | warm | aged | plain | perf:cold | perf:warm | perf:aged | warm:plain | "
              "aged:plain |\n| -- |" + " --: |" * 10)

    def mark(self, row, column, text, is_broken):
        self.cells += 1
        if is_broken:
            self.broken.append(f"{row.name}, {column}: {text} ({self.where})")
        return text + " !" * is_broken

    def beside_perf(self, row, column):
        """Return perf's time divided by tally's. If perf was stopped, this is a lower bound, which breaks no promise."""
        ratio = (self.options.limit if row.perf is None else row.perf) / max(getattr(row, column), 1e-4)
        sign = ">" if row.perf is None else ""
        return self.mark(row, f"perf:{column}", f"{sign}{ratio:.{2 if ratio < 1.1 else 1}f}", row.perf is not None and ratio < 1)

    def beside_plain(self, row, column):
        if row.plain is None:
            return "-"
        ratio = getattr(row, column) / max(row.plain, 1e-4)
        if not row.is_inlining:
            return f"{ratio:.2f}"
        return self.mark(row, f"{column}:plain", f"{ratio:.2f}", ratio > INLINES_MOST)

    def add(self, row):
        perf = f">{self.options.limit}" if row.perf is None else f"{row.perf:.3f}"
        seconds = ["-" if value is None else f"{value:.3f}" for value in (row.cold, row.warm, row.aged, row.plain)]
        words = [row.name, perf, *seconds, *(self.beside_perf(row, column) for column in ("cold", "warm", "aged")),
                 *(self.beside_plain(row, column) for column in ("warm", "aged"))]
        print(f"| {' | '.join(words)} |", flush=True)

    def note(self, text):
        print(f"\n{text}")

    def end(self):
        print(f"\n{self.cells} cells, of which {len(self.broken)} break a promise{':' if self.broken else '.'}")
        for line in self.broken:
            print(f"- {line}")
