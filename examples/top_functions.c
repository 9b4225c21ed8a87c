/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print the ten functions of a recording (perf.data) with the most samples, for each event.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tally/profile.h>

enum { TOP = 10 };

/* Print a text of the recording, which is not trusted, without control characters. */
static void print_text(FILE *file, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, file);
}

static void print_message(void *arg, enum tally_analysis_message kind, const char *text)
{
	static const char *const prefixes[] = {"error: ", "warning: ", "  "};

	(void)arg;
	fputs(prefixes[kind], stderr);
	print_text(stderr, text);
	fputc('\n', stderr);
}

static int print_event(struct tally_analysis *analysis, size_t number,
		       const struct tally_analysis_event *event)
{
	const struct tally_analysis_row *row;
	struct tally_analysis_rows *rows;
	int ret = tally_analysis_rows(analysis, number,
				      TALLY_ROWS_BY_FUNCTION | TALLY_ROWS_BY_OBJECT, &rows);

	if (ret)
		return ret;
	print_text(stdout, event->name);
	printf(": %" PRIu64 " samples\n", event->samples);
	for (size_t i = 0; i < TOP && (row = tally_analysis_row(rows, i)); i++) {
		printf("%6.2f%%  ", 100.0 * (double)row->self / (double)event->period);
		print_text(stdout, row->place.function ? row->place.function : "?");
		fputs("  ", stdout);
		print_text(stdout, row->place.object ? row->place.object : "?");
		putchar('\n');
	}
	tally_analysis_rows_free(rows);
	return 0;
}

int main(int argc, char **argv)
{
	const struct tally_analysis_options options = {.message = print_message};
	struct tally_analysis_event event;
	struct tally_analysis *analysis;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: top_functions FILE\n");
		return 2;
	}
	ret = tally_analysis_read(argv[1], &options, &analysis);
	if (!ret) {
		for (size_t i = 0; !ret && tally_analysis_event(analysis, i, &event); i++)
			if (event.period)
				ret = print_event(analysis, i, &event);
		if (!ret)
			ret = tally_analysis_damage(analysis);
		tally_analysis_free(analysis);
	}
	if (fflush(stdout) && !ret)
		ret = -errno;
	if (ret)
		fprintf(stderr, "top_functions: %s\n", strerror(-ret));
	return ret ? 1 : 0;
}
