/* SPDX-License-Identifier: BSD-2-Clause */
/* tally-jevents: a tree of event descriptions becomes a C file. docs/commands/tally-jevents.md */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "jevents/generate.h"

enum { MESSAGES_SHOWN = 100 };

static const char usage[] =
	"Usage: tally-jevents [OPTIONS] ARCH START_DIR OUTPUT.c\n"
	"\n"
	"Compile START_DIR/ARCH, a tree of JSON files that describe PMU events, to C.\n"
	"ARCH all means every directory of START_DIR; x86,arm64 means these two.\n"
	"\n"
	"  --classic       struct pmu_event pme_<dir>[] and pmu_events_map[], for pmu-events.h\n"
	"  --model DIR     only the tables of ARCH/DIR, for a build with one object a model\n"
	"  --map           only the map, for such a build\n"
	"  --strict        metrics that cannot be computed are errors\n"
	"  --depfile FILE  write what OUTPUT.c was made of, for ninja or make\n"
	"  -h, --help      this text\n"
	"\n"
	"A missing directory or map gives an empty map, and success, so that a build goes on.\n"
	"Exit status: 0 done, 1 errors in the tree or its files, 129 usage.\n";

static const struct option options[] = {
	{"classic", no_argument, NULL, 'c'},
	{"model", required_argument, NULL, 'm'},
	{"map", no_argument, NULL, 'M'},
	{"strict", no_argument, NULL, 's'},
	{"depfile", required_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* Position, kind, what and why, one line a message. */
static void message_print(void *context, const struct tally_diagnostic *message)
{
	const struct tally_diagnostics *messages = context;
	size_t emitted = messages->errors + messages->warnings;

	if (emitted > MESSAGES_SHOWN) {
		if (emitted == MESSAGES_SHOWN + 1)
			fprintf(stderr, "tally-jevents: more messages are not shown\n");
		return;
	}
	fprintf(stderr, "%s:", message->path);
	if (message->line)
		fprintf(stderr, "%u:%u:", message->line, message->column);
	fprintf(stderr, " %s: %s (%s)\n",
		message->kind == TALLY_DIAGNOSTIC_ERROR ? "error" : "warning", message->what,
		message->why);
}

/* 0, or the exit status. */
static int options_read(int argc, char **argv, struct tally_generate *generate)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'c': generate->kind = TALLY_GENERATE_CLASSIC; break;
		case 'M': generate->kind = TALLY_GENERATE_MAP; break;
		case 'm':
			generate->kind = TALLY_GENERATE_MODEL;
			generate->model = optarg;
			break;
		case 's': generate->strict = true; break;
		case 'd': generate->depfile = optarg; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs(usage, stderr); return 129;
		}
	}
	if (argc - optind != 3) {
		fputs(usage, stderr);
		return 129;
	}
	generate->arch = argv[optind];
	generate->start = argv[optind + 1];
	generate->output = argv[optind + 2];
	return 0;
}

int main(int argc, char **argv)
{
	struct tally_diagnostics messages = {message_print, &messages};
	struct tally_generate generate = {.messages = &messages};
	int ret = options_read(argc, argv, &generate);

	if (ret)
		return ret;
	ret = tally_generate(&generate);
	if (ret && !messages.errors)
		fprintf(stderr, "%s: error: %s (not written)\n", generate.output, strerror(-ret));
	return ret ? 1 : 0;
}
