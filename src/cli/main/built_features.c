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
#include "session/debuginfod.h"
#include "symbols/demangle.h"
#include "symbols/elf/unpack.h"

#define LINES     "source lines and inlined functions"
#define TYPES     "types of variables"
#define UNWINDING "callers from stack dumps, by tally's unwinder"

static bool yes(void)
{
	return true;
}

static bool no(void)
{
	return false;
}

static bool with_glibc(void)
{
#ifdef __GLIBC__
	return true;
#else
	return false;
#endif
}

/*
 * The labels and macros of perf 6.1 to 7.1, which scripts look for. A feature is on if tally can do
 * what perf does with the library, whether tally uses the same library or its own code. A label is
 * listed once for each macro that versions of perf print after it. Names in `also`, separated by
 * blanks, are accepted by tally check only.
 */
static const struct feature {
	const char *name, *macro, *also;
	bool (*is_on)(void);
	const char *what;
} features[] = {
	{"dwarf", "HAVE_DWARF_SUPPORT", "debuginfo", tally_dwarf_available, LINES},
	{"dwarf", "HAVE_LIBDW_SUPPORT", "libdw", tally_dwarf_available, LINES},
	{"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", "", tally_dwarf_available, TYPES},
	{"dwarf_getlocations", "HAVE_LIBDW_SUPPORT", "", tally_dwarf_available, TYPES},
	{"glibc", "HAVE_GLIBC_SUPPORT", "", with_glibc, "built with glibc"},
	{"syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", "", yes, "names of system calls"},
	{"libbfd", "HAVE_LIBBFD_SUPPORT", "demangle cxa_demangle", tally_demangle_available,
	 "C++, Rust and D names, by libiberty"},
	{"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", "", tally_debuginfod_available,
	 "with --debuginfod, if libdebuginfod.so.1 is installed"},
	{"libelf", "HAVE_LIBELF_SUPPORT", "elf", yes, "symbols and build IDs, by tally's reader"},
	{"libnuma", "HAVE_LIBNUMA_SUPPORT", "numa", no, "buffers on the node of their CPU"},
	{"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", "", no,
	 "buffers on the node of their CPU"},
	{"libperl", "HAVE_LIBPERL_SUPPORT", "scripts", no, "scripts in Perl"},
	{"libpython", "HAVE_LIBPYTHON_SUPPORT", "", no, "scripts in Python"},
	{"libslang", "HAVE_SLANG_SUPPORT", "slang browser", yes, "terminal browser, built in"},
	{"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", "", yes, "build IDs of JIT code, by tally's hash"},
	{"libunwind", "HAVE_LIBUNWIND_SUPPORT", "", yes, UNWINDING},
	{"libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", "", yes, UNWINDING},
	{"libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", "", yes, UNWINDING},
	{"dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", "", yes, UNWINDING},
	{"dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", "", yes, UNWINDING},
	{"zlib", "HAVE_ZLIB_SUPPORT", "", yes, "files that are compressed with gzip"},
	{"lzma", "HAVE_LZMA_SUPPORT", "", tally_unpack_has_xz, "files that are compressed with xz"},
	{"get_cpuid", "HAVE_AUXTRACE_SUPPORT", "", no, "instruction traces"},
	{"auxtrace", "HAVE_AUXTRACE_SUPPORT", "", no, "instruction traces"},
	{"libopencsd", "HAVE_CSTRACE_SUPPORT", "", no, "instruction traces of ARM CPUs"},
	{"bpf", "HAVE_LIBBPF_SUPPORT", "", no, "tally loads no BPF programs"},
	{"bpf_skeletons", "HAVE_BPF_SKEL", "", no, "tally loads no BPF programs"},
	{"libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", "", no, "tally loads no BPF programs"},
	{"aio", "HAVE_AIO_SUPPORT", "", yes, "data is written while the ring buffers fill"},
	{"zstd", "HAVE_ZSTD_SUPPORT", "", yes, "compressed recordings"},
	{"libpfm4", "HAVE_LIBPFM", "pfm-events", no, "--pfm-events"},
	{"libtraceevent", "HAVE_LIBTRACEEVENT", "print-fmt", yes, "tracepoints, by tally's parser"},
	{"libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", "", tally_disasm_available,
	 "instructions, by libcapstone"},
	{"libLLVM", "HAVE_LIBLLVM_SUPPORT", "", no, "lines and instructions by LLVM"},
	{"libaudit", "HAVE_LIBAUDIT_SUPPORT", "", no, "perf trace with libaudit's names"},
	{"rust", "HAVE_RUST_SUPPORT", "", no, "test programs in Rust"},
};

static void print_feature(const struct feature *feature, bool explain)
{
	printf("%22s: [ %s ]  # %s%s%s\n", feature->name, feature->is_on() ? "on " : "OFF",
	       feature->macro, explain ? "  " : "", explain ? feature->what : "");
}

void tally_features_print(bool explain)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		print_feature(&features[i], explain);
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

static bool is_called(const struct feature *feature, const char *name, size_t len)
{
	return list_has(feature->name, name, len) || list_has(feature->macro, name, len) ||
	       list_has(feature->also, name, len);
}

static const struct feature *find_feature(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		if (is_called(&features[i], name, len))
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
			print_feature(feature, false);
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

/* Without a list, only its first word can be completed. */
static void print_names(const char *before)
{
	if (strcmp(before, "feature"))
		return;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(features); i++)
		printf("%s\n%s\n", features[i].name, features[i].macro);
}

static const struct tally_command_words check_words[] = {
	{NULL, print_names},
	{NULL, NULL},
};

const struct tally_command tally_command_check = {
	.name = "check",
	.summary = "Check for scripts whether a feature is built in",
	.usage = "[-q] feature NAME[,NAME]...",
	.about = " The exit status is 0 if all features are built in, and 1 if not. The names of "
		 "perf's\n"
		 " features and of its macros, such as HAVE_ZSTD_SUPPORT, are accepted.\n",
	.options = check_options,
	.words = check_words,
	.run = check_run,
};
