/* SPDX-License-Identifier: BSD-2-Clause */
/* tally-jevents: compile a tree of event descriptions to a C file. See
 * docs/commands/tally-jevents.md. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/path.h"
#include "base/str.h"
#include "jevents/generate.h"

enum { MESSAGES_SHOWN = 100 };

/* Values of the VERBOSITY argument. */
enum verbosity {
	VERBOSITY_ERRORS,
	VERBOSITY_WARNINGS,
	VERBOSITY_TABLES, /* also print all messages, without a limit */
	VERBOSITY_FILES,
};

static const char usage[] =
	"Usage: tally-jevents [OPTIONS] ARCH START_DIR OUTPUT.c [VERBOSITY]\n"
	"       jevents       [OPTIONS] ARCH START_DIR OUTPUT.c [VERBOSITY]\n"
	"\n"
	"Compile START_DIR/ARCH, a tree of JSON files that describe PMU events, to C.\n"
	"ARCH is a directory in START_DIR, a list such as x86,arm64, or all.\n"
	"When invoked as jevents, the program enables --classic and --keep-going.\n"
	"\n"
	"  --classic       write struct pmu_event pme_<name>[] and pmu_events_map[], for\n"
	"                  pmu-events.h\n"
	"  --keep-going    omit files with errors, write the rest, and exit with 0\n"
	"  --model DIR     write only the tables of ARCH/DIR, to build one object per model\n"
	"  --map           write only the map, for such a build\n"
	"  --strict        treat metrics that cannot be computed as errors\n"
	"  --depfile FILE  write the dependencies of OUTPUT.c, for ninja or make\n"
	"  -h, --help      print this text\n"
	"\n"
	"VERBOSITY is a number:\n"
	"  0  print errors only\n"
	"  1  also print warnings; at most 100 errors and 100 warnings (default)\n"
	"  2  print all errors and warnings, and a line for each table and map\n"
	"  3  also print a line for each file (larger numbers do the same)\n"
	"\n"
	"A missing directory or map results in an empty map and exit status 0, so that a "
	"build\ncontinues.\n"
	"Exit status: 0 if OUTPUT.c was written; 1 if not, because of errors in the tree without\n"
	"--keep-going or because it cannot be written; 129 for usage errors.\n";

static const struct option options[] = {
	{"classic", no_argument, NULL, 'c'},     {"keep-going", no_argument, NULL, 'k'},
	{"model", required_argument, NULL, 'm'}, {"map", no_argument, NULL, 'M'},
	{"strict", no_argument, NULL, 's'},      {"depfile", required_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},        {0},
};

struct printer {
	struct tally_diagnostics messages;
	const char *program; /* the program's name as invoked */
	enum verbosity verbosity;
};

static const char *kind_name(enum tally_diagnostic_kind kind)
{
	switch (kind) {
	case TALLY_DIAGNOSTIC_ERROR: return "error";
	case TALLY_DIAGNOSTIC_WARNING: return "warning";
	default: return "note";
	}
}

/* Return true if a message should be printed. Errors and warnings are limited separately. */
static bool is_shown(const struct printer *printer, enum tally_diagnostic_kind kind)
{
	const struct tally_diagnostics *messages = &printer->messages;
	size_t nr = kind == TALLY_DIAGNOSTIC_ERROR ? messages->errors : messages->warnings;

	if (kind == TALLY_DIAGNOSTIC_WARNING && printer->verbosity < VERBOSITY_WARNINGS)
		return false;
	if (printer->verbosity >= VERBOSITY_TABLES || nr <= MESSAGES_SHOWN)
		return true;
	if (nr == MESSAGES_SHOWN + 1)
		fprintf(stderr, "%s: further %ss are suppressed\n", printer->program,
			kind_name(kind));
	return false;
}

/* Print the position, kind, problem and reason on one line. */
static void message_print(void *context, const struct tally_diagnostic *message)
{
	const struct printer *printer = context;
	struct tally_str line = {0};

	if (!is_shown(printer, message->kind))
		return;
	/* File names and values are untrusted input. */
	tally_str_add_escaped(&line, message->path);
	tally_str_add(&line, ":");
	if (message->line)
		tally_str_addf(&line, "%u:%u:", message->line, message->column);
	tally_str_addf(&line, " %s: ", kind_name(message->kind));
	tally_str_add_escaped(&line, message->what);
	fprintf(stderr, "%s (%s)\n", tally_str_text(&line), message->why);
	tally_str_free(&line);
}

static int usage_print(void)
{
	fputs(usage, stderr);
	return 129;
}

/* Parse decimal digits. Values above the highest level are clamped. Returns -1 for any other
 * string. */
static int verbosity_parse(const char *text)
{
	size_t len = strspn(text, "0123456789");
	size_t zeros = strspn(text, "0");

	if (!len || text[len])
		return -1;
	if (len - zeros > 1)
		return VERBOSITY_FILES;
	return len == zeros                          ? 0
	       : text[zeros] - '0' < VERBOSITY_FILES ? text[zeros] - '0'
						     : VERBOSITY_FILES;
}

/* Read the arguments. Returns 0 or the exit status. */
static int arguments_read(int argc, char **argv, struct tally_generate *generate,
			  struct printer *printer)
{
	int verbosity = VERBOSITY_WARNINGS;

	if (argc == 4)
		verbosity = verbosity_parse(argv[3]);
	if (argc < 3 || argc > 4 || verbosity < 0)
		return usage_print();
	generate->arch = argv[0];
	generate->start = argv[1];
	generate->output = argv[2];
	printer->verbosity = verbosity;
	if (verbosity >= VERBOSITY_TABLES)
		printer->messages.most = verbosity >= VERBOSITY_FILES ? TALLY_DIAGNOSTIC_DETAIL
								      : TALLY_DIAGNOSTIC_NOTE;
	return 0;
}

/* Read the options. Returns 0 or the exit status. */
static int options_read(int argc, char **argv, struct tally_generate *generate,
			struct printer *printer)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'c': generate->kind = TALLY_GENERATE_CLASSIC; break;
		case 'k': generate->keep_going = true; break;
		case 'M': generate->kind = TALLY_GENERATE_MAP; break;
		case 'm':
			generate->kind = TALLY_GENERATE_MODEL;
			generate->model = optarg;
			break;
		case 's': generate->strict = true; break;
		case 'd': generate->depfile = optarg; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: return usage_print();
		}
	}
	return arguments_read(argc - optind, argv + optind, generate, printer);
}

/* Append an item to a list such as "2 files, 1 directory, 1 map line", unless `nr` is 0. */
static void errors_add(struct tally_str *text, size_t nr, const char *one, const char *many)
{
	if (nr)
		tally_str_addf(text, "%s%zu %s", text->len ? ", " : "", nr, nr == 1 ? one : many);
}

/* Print the result of the run, as the last line on standard error. */
static void end_print(const struct printer *printer, const struct tally_generate *generate,
		      const struct tally_generate_errors *left, int ret)
{
	struct tally_str text = {0};

	errors_add(&text, left->files, "file", "files");
	errors_add(&text, left->dirs, "directory", "directories");
	errors_add(&text, left->lines, "map line", "map lines");
	if (ret == -EINVAL && text.len)
		fprintf(stderr, "%s: errors in %s: %s was not written%s\n", printer->program,
			text.data, generate->output,
			generate->keep_going ? "" : " (use --keep-going to omit them)");
	else if (ret && (ret != -EINVAL || !printer->messages.errors))
		fprintf(stderr, "%s: error: %s (not written)\n", generate->output, strerror(-ret));
	else if (!ret && text.len)
		fprintf(stderr, "%s: omitted because of errors: %s\n", printer->program, text.data);
	tally_str_free(&text);
}

int main(int argc, char **argv)
{
	struct printer printer = {.messages = {message_print, &printer},
				  .program = argc ? tally_path_name(argv[0]) : "tally-jevents"};
	struct tally_generate generate = {.messages = &printer.messages};
	struct tally_generate_errors left = {0};
	int ret;

	if (!strcmp(printer.program, "jevents")) {
		generate.kind = TALLY_GENERATE_CLASSIC;
		generate.keep_going = true;
	}
	ret = options_read(argc, argv, &generate, &printer);
	if (ret)
		return ret;
	ret = tally_generate(&generate, &left);
	end_print(&printer, &generate, &left, ret);
	return ret ? 1 : 0;
}
