/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of option tables for options that select symbols. `symbols` is the offset of a struct
 * tally_symbols_options in the command's config, and `recording` of struct
 * tally_recording_options. */
#ifndef TALLY_CLI_MAIN_SYMBOL_OPTIONS_H
#define TALLY_CLI_MAIN_SYMBOL_OPTIONS_H

#include "cli/main/command.h"
#include "cli/main/recordings.h"

#define TALLY_SYMBOLS_AT(symbols, member) \
	((symbols) + offsetof(struct tally_symbols_options, member))

/* clang-format off */
#define TALLY_OPTIONS_KERNEL_SYMBOLS(symbols)                                               \
	{'k', "vmlinux", TALLY_OPTION_TEXT, TALLY_SYMBOLS_AT(symbols, vmlinux), "file",     \
	 "read kernel symbols from this image"},                                            \
	{0, "kallsyms", TALLY_OPTION_TEXT, TALLY_SYMBOLS_AT(symbols, kallsyms), "file",     \
	 "read kernel symbols from this file instead of /proc/kallsyms"}

#define TALLY_OPTION_SYMFS(symbols)                                                         \
	{0, "symfs", TALLY_OPTION_TEXT, TALLY_SYMBOLS_AT(symbols, symfs), "dir[,flat]",     \
	 "look for files below this directory; flat: in it, by base name"}

#define TALLY_OPTION_NO_DEMANGLE(symbols)                                                   \
	{0, "no-demangle", TALLY_OPTION_FLAG, TALLY_SYMBOLS_AT(symbols, no_demangle), NULL, \
	 "show mangled C++, Rust and D names"}

/* `at` is the offset of a bool; its negation is tally_symbols_options.bounds. */
#define TALLY_OPTION_NO_BOUNDS(at)                                                          \
	{0, "no-bounds", TALLY_OPTION_FLAG, at, NULL,                                       \
	 "show addresses, as perf does, instead of fn@START for functions without a name"}

#define TALLY_OPTION_DEBUGINFOD(recording)                                                  \
	{0, "debuginfod", TALLY_OPTION_TEXT,                                                \
	 (recording) + offsetof(struct tally_recording_options, session.debuginfod), "urls", \
	 "fetch debug information from these servers, or those in $DEBUGINFOD_URLS", ""}

#define TALLY_OPTION_JOBS(recording)                                                        \
	{0, "jobs", TALLY_OPTION_U64,                                                       \
	 (recording) + offsetof(struct tally_recording_options, session.jobs), "n",         \
	 "use at most this many threads (default: up to 3 for large recordings)"}

/* `at` is the offset of a bool, for tally_index_apply(). */
#define TALLY_OPTION_NO_INDEX(at)                                                           \
	{0, "no-index", TALLY_OPTION_FLAG, at, NULL,                                        \
	 "do not read or write symbol indexes (see TALLY_INDEX)"}
/* clang-format on */

#endif
