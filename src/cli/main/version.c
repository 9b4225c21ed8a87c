/* SPDX-License-Identifier: BSD-2-Clause */
/* tally version: print the version and the build options. */
#include <stdio.h>

#include "cli/main/commands.h"
#include "cli/main/global_options.h"
#include "disasm/disasm.h"
#include "dwarf/dwarf.h"
#include "symbols/demangle.h"

/* The version of perf to which options and output are compared. Programs that start perf require
 * at least some version. */
#define PERF_VERSION "6.1.0"

struct version_config {
	bool build_options;
};

static const struct tally_option version_options[] = {
	{0, "build-options", TALLY_OPTION_FLAG, offsetof(struct version_config, build_options),
	 NULL, "show which features are built in"},
	{'v', "verbose", TALLY_OPTION_FLAG, offsetof(struct version_config, build_options), NULL,
	 "alias for --build-options"},
	TALLY_OPTION_END,
};

/* Print one build option in perf's format, which scripts parse. */
static void print_option(const char *name, bool on, const char *what)
{
	printf("%22s: [ %s ]  # %s\n", name, on ? "on " : "OFF", what);
}

static int version_run(int argc, char **argv)
{
	struct version_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_version, &config, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	if (tally_is_perf())
		printf("perf version %s (tally %s)\n", PERF_VERSION, TALLY_VERSION);
	else
		printf("tally version %s\n", TALLY_VERSION);
	if (!config.build_options)
		return TALLY_EXIT_OK;
	print_option("elf", true, "symbols and build IDs of ELF files (built-in)");
	print_option("demangle", tally_demangle_available(), "C++, Rust and D names");
	print_option("zstd", true, "compressed recordings");
	print_option("print-fmt", true, "tracepoint payloads (built-in)");
	print_option("dwarf", tally_dwarf_available(), "source lines and inlined functions");
	print_option("dwarf-unwind", true, "callers from stack dumps (built-in)");
	print_option("debuginfod", true, "with --debuginfod, if libdebuginfod.so.1 is installed");
	print_option("libcapstone", tally_disasm_available(),
		     "instructions, if libcapstone is installed");
	return TALLY_EXIT_OK;
}

const struct tally_command tally_command_version = {
	.name = "version",
	.summary = "Show the version and the build options",
	.usage = "[--build-options]",
	.options = version_options,
	.run = version_run,
};
