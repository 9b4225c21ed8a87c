# SPDX-License-Identifier: BSD-2-Clause
"""The environment variables and files of each command, and the pages that its page refers to. tests/library/documents.py
checks that each variable that src/ reads is in the table."""

RECORDERS = "c2c mem profile record script"
READERS = "annotate c2c diff export mem profile report script top"
COUNTERS = f"{RECORDERS} list stat top"
PAGED = "annotate c2c diff mem report script"
BROWSERS = "annotate diff mem profile report top"
ALL = ""

# (Variables, commands that read them, description). The variables for ALL commands are only on the page of tally.
VARIABLES = [
    ("PERF_CONFIG", ALL, "read perf's settings from this file instead of /etc/perfconfig and ~/.perfconfig"),
    ("TALLY_CONFIG", ALL, "read tally's settings from this file instead of ~/.config/tally/config"),
    ("HOME", ALL, "the home directory, ~"),
    ("TALLY_PAGER, PERF_PAGER, PAGER", PAGED,
     "the command that shows text on a terminal; the first one that is set is used (default: less). With an empty value or "
     "cat, no pager is started"),
    ("LESS", PAGED, "options of less; tally sets FRX if the variable is not set"),
    ("LV", PAGED, "options of lv; tally sets -c if the variable is not set"),
    ("NO_COLOR", f"{BROWSERS} doctor", "if set and not empty, do not use colours"),
    ("TERM", f"{BROWSERS} doctor script", "the kind of terminal; if it is dumb, no colours, browser or pager are used"),
    ("COLUMNS", BROWSERS, "the width of text on a terminal, instead of the terminal's own width"),
    ("TALLY_EVENTS_DIR", COUNTERS, "read event tables from this directory or file; --events-dir takes precedence"),
    ("PERF_CPUID", COUNTERS, "use the event table of the CPU with this identity, as it is written in mapfile.csv"),
    ("TALLY_INDEX", f"{READERS} record", "off: do not use symbol indexes; a size such as 100M: limit their total size"),
    ("XDG_CACHE_HOME", f"{READERS} record",
     "the directory of the symbol indexes is tally in this directory, instead of ~/.cache/tally"),
    ("PERF_BUILDID_DIR", f"{READERS} archive buildid-cache record", "use this directory instead of ~/.debug"),
    ("DEBUGINFOD_URLS", "annotate archive doctor export mem report script",
     "servers from which --debuginfod fetches debug information if its value names none; doctor only suggests their use"),
    ("TALLY_REGIONS", "record stat",
     "where a command writes the regions of its code (see *tally\\_regions\\_write*(3)); --regions sets it for the command"),
    ("LC_ALL, LC_NUMERIC, LANG", "stat", "the locale, which defines the thousands separator"),
    ("PATH", f"{RECORDERS} emulate ftrace stat top", "directories that are searched for the command"),
    ("LD_PRELOAD", "emulate", "tally adds its library to this variable of the command"),
    ("TALLY_EMULATE", "emulate", "set for the command: the name of the socket that its calls are sent to"),
    ("TMPDIR", f"{RECORDERS} emulate stat", "the directory for temporary files (default: /tmp)"),
]

# (File, commands, description), in the same way.
FILES = [
    ("/etc/perfconfig, ~/.perfconfig", ALL, "perf's settings (see *tally-config*(1))"),
    ("~/.config/tally/config", ALL, "tally's settings, which override perf's"),
    ("perf.data", "annotate archive buildid-list c2c data diff evlist export inject mem record report script stat",
     "the recording that is written or read if no other is given"),
    ("perf.data.old", "c2c diff mem record script", "the previous recording: record renames an existing perf.data to this name"),
    ("~/.cache/tally", f"{READERS} record", "indexes of symbols and unwind rules"),
    ("~/.debug", f"{READERS} archive buildid-cache record", "perf's cache of programs and libraries, found by build ID"),
    ("/usr/lib/debug", f"{READERS} archive doctor record", "separate debug information"),
    ("/tmp/perf-PID.map", f"{READERS} archive record", "names of JIT code (see *tally-jit*(7))"),
    ("/proc/kallsyms", f"{READERS} archive record", "kernel symbols"),
    ("/sys/bus/event_source/devices", COUNTERS, "the PMUs, and the kernel's names of their events"),
    ("/sys/kernel/tracing", f"{COUNTERS} ftrace", "tracepoints and the function tracer (tracefs)"),
]

EVENTS = ["tally-event-names(7)", "tally-privileges(7)"]
MORE = {
    "annotate": ["tally-report(1)", "tally-record(1)", "tally-jit(7)"],
    "archive": ["tally-record(1)", "tally-report(1)"],
    "bench": ["tally-stat(1)"],
    "buildid-cache": ["tally-archive(1)", "tally-buildid-list(1)"],
    "buildid-list": ["tally-evlist(1)", "tally-buildid-cache(1)"],
    "c2c": ["tally-mem(1)", "tally-record(1)", *EVENTS],
    "check": ["tally-version(1)", "tally-doctor(1)"],
    "config": ["tally-report(1)", "tally-record(1)"],
    "data": ["tally-script(1)", "tally-exports(7)"],
    "diff": ["tally-report(1)", "tally-record(1)"],
    "doctor": ["tally-test(1)", "tally-privileges(7)"],
    "emulate": ["tally-emulate(7)", "tally-user-host(7)", "perf_event_open(2)"],
    "evlist": ["tally-record(1)", "tally-buildid-list(1)"],
    "ftrace": ["tally-record(1)", "tally-privileges(7)"],
    "export": ["tally-record(1)", "tally-resolve(1)", "tally-report(1)", "tally-exports(7)"],
    "help": ["man(1)"],
    "inject": ["tally-record(1)", "tally-archive(1)", "tally-jit(7)"],
    "jevents": ["tally-list(1)", "tally-event-names(7)"],
    "list": ["tally-stat(1)", "tally-record(1)", *EVENTS],
    "mem": ["tally-c2c(1)", "tally-record(1)", "tally-report(1)", *EVENTS],
    "profile": ["tally-record(1)", "tally-report(1)", "tally-exports(7)", *EVENTS],
    "record": ["tally-report(1)", "tally-profile(1)", "tally-script(1)", "tally-archive(1)", *EVENTS, "tally-jit(7)",
               "tally-user-host(7)", "perf_event_open(2)"],
    "report": ["tally-record(1)", "tally-annotate(1)", "tally-diff(1)", "tally-script(1)", "tally-exports(7)", "tally-jit(7)"],
    "resolve": ["tally-export(1)"],
    "script": ["tally-record(1)", "tally-report(1)", "tally-data(1)"],
    "stat": ["tally-list(1)", "tally-record(1)", *EVENTS, "tally-user-host(7)", "tally_regions_open(3)", "perf_event_open(2)"],
    "test": ["tally-doctor(1)"],
    "top": ["tally-record(1)", "tally-report(1)", *EVENTS, "tally-jit(7)"],
    "version": ["tally-check(1)"],
}


def used(rows, command):
    """Return the rows for a command, or all rows for ""."""
    return [(name, text) for name, commands, text in rows if not command or command in commands.split()]
