/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of features, and tally check, which looks one up for scripts. */
#include "cli/main/built_features.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "base/suggest.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "disasm/disasm.h"
#include "dwarf/dwarf.h"
#include "symbols/demangle.h"

static bool yes(void)
{
	return true;
}

static bool no(void)
{
	return false;
}

/* The features of tally, and those of perf: `perf_names` are separated by blanks. */
static const struct feature {
	const char *name, *perf_names;
	bool (*is_on)(void);
	const char *what;
} features[] = {
	{"elf", "libelf", yes, "symbols and build IDs of ELF files (built-in)"},
	{"demangle", "libbfd cxa_demangle", tally_demangle_available, "C++, Rust and D names"},
	{"zstd", "", yes, "compressed recordings"},
	{"print-fmt", "libtraceevent", yes, "tracepoint payloads (built-in)"},
	{"dwarf", "debuginfo dwarf_getlocations libdw", tally_dwarf_available,
	 "source lines and inlined functions"},
	{"dwarf-unwind", "dwarf-unwind-support libunwind libdw-dwarf-unwind", yes,
	 "callers from stack dumps (built-in)"},
	{"debuginfod", "", yes, "with --debuginfod, if libdebuginfod.so.1 is installed"},
	{"libcapstone", "", tally_disasm_available, "instructions, if libcapstone is installed"},
	{"browser", "libslang slang", yes, "terminal browser"},
	{"aio", "", yes, "data is written while the ring buffers fill"},
	{"auxtrace", "get_cpuid libopencsd", no, "instruction traces"},
	{"bpf", "bpf_skeletons libbpf-strings", no, "BPF programs of tally"},
	{"scripts", "libperl libpython", no, "embedded interpreters"},
	{"numa", "libnuma numa_num_possible_cpus", no, "buffers on the node of their CPU"},
	{"pfm-events", "libpfm4", no, "event names of libpfm4"},
	{"libLLVM", "", no, "instructions by LLVM"},
};

static void print_feature(const struct feature *feature)
{
	printf("%22s: [ %s ]  # %s\n", feature->name, feature->is_on() ? "on " : "OFF",
	       feature->what);
}

void tally_features_print(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		print_feature(&features[i]);
}

/* ---- tally check ---------------------------------------------------------------- */

struct check_config {
	bool quiet;
};

static bool list_has(const char *list, const char *name, size_t len)
{
	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (strcspn(list, " ") == len && !strncasecmp(list, name, len))
			return true;
	return false;
}

static const struct feature *find_feature(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		if (list_has(features[i].name, name, len) ||
		    list_has(features[i].perf_names, name, len))
			return &features[i];
	return NULL;
}

static int unknown_feature(const char *name, size_t len)
{
	struct tally_suggest suggest;

	tally_print_error("unknown feature '%.*s'", (int)len, name);
	tally_suggest_start(&suggest, name, len);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		tally_suggest_offer(&suggest, features[i].name);
	if (!tally_print_typo(&suggest))
		tally_print_hint("'tally version --build-options' lists the features");
	return TALLY_EXIT_USAGE;
}

/* Check a comma-separated list. Returns the exit status: OK if all features are built in. */
static int check_features(const struct check_config *config, const char *list)
{
	int status = TALLY_EXIT_OK;

	for (; *list; list += strcspn(list, ","), list += *list == ',') {
		size_t len = strcspn(list, ",");
		const struct feature *feature = find_feature(list, len);

		if (!feature)
			return unknown_feature(list, len);
		if (!config->quiet)
			print_feature(feature);
		if (!feature->is_on())
			status = TALLY_EXIT_ERROR;
	}
	return status;
}

static const struct tally_option check_options[] = {
	{'q', "quiet", TALLY_OPTION_FLAG, offsetof(struct check_config, quiet), NULL,
	 "print nothing; only set the exit status"},
	TALLY_OPTION_END,
};

static int check_run(int argc, char **argv)
{
	struct check_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_check, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (argc - first != 2 || strcmp(argv[first], "feature") || !*argv[first + 1]) {
		tally_print_error("check requires the word 'feature' and the names of features");
		tally_print_hint("for example: tally check feature zstd,dwarf");
		return TALLY_EXIT_USAGE;
	}
	return check_features(&config, argv[first + 1]);
}

const struct tally_command tally_command_check = {
	.name = "check",
	.summary = "Check for scripts whether a feature is built in",
	.usage = "[-q] feature NAME[,NAME]...",
	.about = " The exit status is 0 if all features are built in, and 1 if not. The names of "
		 "perf's\n"
		 " features are accepted.\n",
	.options = check_options,
	.run = check_run,
};
