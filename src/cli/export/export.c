/* SPDX-License-Identifier: BSD-2-Clause */
/* tally export: write recordings for query engines and OpenTelemetry. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/export/export_files.h"
#include "cli/export/export_otlp.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"
#include "cli/main/replace.h"
#include "cli/main/symbol_options.h"
#include "cli/main/truncation.h"
#include "dataset/dataset.h"

struct export_config {
	struct tally_recording_options recording;
	const char *format, *output, *host;
	struct tally_option_list labels;
	bool no_inline, no_bounds, is_unresolved, quiet;
};

#define AT(member) offsetof(struct export_config, member)

static const struct tally_option export_options[] = {
	{0, "format", TALLY_OPTION_TEXT, AT(format), "format",
	 "write this format: parquet|otlp (default: parquet)"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "dir",
	 "add the files to those in this directory (required)"},
	{0, "label", TALLY_OPTION_LIST, AT(labels), "key=value",
	 "label the recordings, for example with a version (may be given several times)"},
	{0, "host", TALLY_OPTION_TEXT, AT(host), "name",
	 "set the name of the host (default: the recorded name)"},
	{0, "no-inline", TALLY_OPTION_FLAG, AT(no_inline), NULL, "do not write inlined functions"},
	{0, "unresolved", TALLY_OPTION_FLAG, AT(is_unresolved), NULL,
	 "do not look up functions in files with build IDs; see 'tally resolve'"},
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: the FILEs, or perf.data)"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(recording.session.symbols)),
	TALLY_OPTION_SYMFS(AT(recording.session.symbols)),
	TALLY_OPTION_NO_DEMANGLE(AT(recording.session.symbols)),
	TALLY_OPTION_NO_BOUNDS(AT(no_bounds)),
	TALLY_OPTION_DEBUGINFOD(AT(recording)),
	{'q', "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL, "print only errors and warnings"},
	TALLY_OPTION_END,
};

/* ---- options --------------------------------------------------------------------- */

/* Split "key=value" strings, in place of the '='. Returns 0, or -errno after printing an error. */
static int labels_parse(const struct tally_option_list *list, struct tally_dataset_label *labels)
{
	for (size_t i = 0; i < list->nr; i++) {
		const char *equals = strchr(list->items[i], '=');

		if (!equals || equals == list->items[i]) {
			tally_print_error("option '--label': '%s' is not KEY=VALUE",
					  list->items[i]);
			tally_print_hint("for example: --label version=1.4.2");
			return -EINVAL;
		}
		labels[i].value = equals + 1;
		labels[i].key = strndup(list->items[i], (size_t)(equals - list->items[i]));
		if (!labels[i].key)
			return -ENOMEM;
		for (size_t k = 0; k < i; k++) {
			if (strcmp(labels[k].key, labels[i].key))
				continue;
			tally_print_error("option '--label': '%s' is given twice", labels[i].key);
			return -EINVAL;
		}
	}
	return 0;
}

/* Formats; the first one is the default. */
static const char *const formats[] = {"parquet", "otlp"};

static void print_formats(const char *before)
{
	(void)before;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(formats); i++)
		puts(formats[i]);
}

static bool is_otlp(const struct export_config *config)
{
	return config->format && !strcmp(config->format, formats[1]);
}

static int format_check(const struct export_config *config)
{
	if (config->format && strcmp(config->format, formats[0]) && !is_otlp(config)) {
		tally_print_error("option '--format': unknown format '%s'", config->format);
		tally_print_hint("use 'parquet' or 'otlp'; 'tally report --format' writes others");
		return -EINVAL;
	}
	if (is_otlp(config) && config->is_unresolved) {
		tally_print_error("option '--unresolved' cannot be combined with --format otlp");
		tally_print_hint("'tally resolve' reads only Parquet files");
		return -EINVAL;
	}
	return 0;
}

static int config_check(const struct export_config *config, int nr_words)
{
	struct stat st;

	if (format_check(config))
		return -EINVAL;
	if (!config->output || !*config->output) {
		tally_print_error("option '-o DIR' is required");
		return -EINVAL;
	}
	if (!stat(config->output, &st) && !S_ISDIR(st.st_mode)) {
		tally_print_error("option '-o': %s is not a directory", config->output);
		return -EINVAL;
	}
	if (nr_words && config->recording.session.input) {
		tally_print_error("option '-i' cannot be combined with other recordings");
		tally_print_hint("give all recordings without -i");
		return -EINVAL;
	}
	if (config->host && !*config->host) {
		tally_print_error("option '--host' requires a name");
		return -EINVAL;
	}
	return 0;
}

/* ---- writing --------------------------------------------------------------------- */

struct exporting {
	const struct export_config *config;
	struct tally_session_options session; /* prepared */
	struct export_files files;
	struct tally_dataset *dataset; /* NULL for OTLP */
	struct export_otlp otlp;
	uint64_t samples, recordings;
	uint64_t unreadable; /* recordings that could not be opened */
	bool was_damaged;
};

/* Export a recording. Returns 0, or -errno after printing an error. A damaged recording is exported
 * up to the damage; one that cannot be opened and a copy of a recording are skipped. */
static int export_one(struct exporting *exporting, const char *input)
{
	struct tally_dataset_counts counts = {0};
	struct tally_session session;
	int ret;

	exporting->session.input = input;
	tally_replacement_release(); /* the input may be a slow pipe */
	ret = tally_session_open(&exporting->session, &session);
	tally_replacement_hold();
	if (ret && ret != -ENOMEM) {
		exporting->unreadable++;
		return 0;
	}
	if (ret)
		return ret;
	ret = exporting->dataset ? tally_dataset_add(exporting->dataset, &session, &counts)
				 : export_otlp_add(&exporting->otlp, &session, &counts);
	exporting->was_damaged |= ret == -EINVAL;
	if (ret == -EEXIST)
		tally_print_warning("%s: skipped: the same recording as one before it",
				    session.name);
	else if (ret == -ENOMEM)
		tally_print_error("out of memory");
	if (!exporting->config->quiet) {
		tally_session_warn_foreign(&session);
		tally_session_warn_lines(&session);
	}
	if (session.is_cut)
		(void)tally_truncation_pop();
	tally_session_close(&session);
	exporting->samples += counts.samples;
	exporting->recordings += ret != -EEXIST;
	return ret == -EINVAL || ret == -EEXIST ? 0 : ret;
}

static void print_done(const struct exporting *exporting)
{
	struct tally_str text = {0};

	tally_str_add(&text, "[ tally export: wrote ");
	tally_str_addf(&text, "%" PRIu64 " sample%s of %" PRIu64 " recording%s to ",
		       exporting->samples, tally_plural(exporting->samples), exporting->recordings,
		       tally_plural(exporting->recordings));
	tally_str_add_escaped(&text, exporting->config->output);
	tally_str_addf(&text, " (%.3f MB)", (double)exporting->files.bytes / 1024 / 1024);
	if (exporting->unreadable)
		tally_str_addf(&text, "; skipped %" PRIu64 " that cannot be read",
			       exporting->unreadable);
	tally_str_add(&text, " ]\n");
	fputs(tally_str_text(&text), stderr);
	tally_str_free(&text);
}

static int export_all(struct exporting *exporting, char **inputs, size_t nr,
		      const struct tally_dataset_label *labels)
{
	const struct export_config *config = exporting->config;
	const struct tally_dataset_options options = {
		.created_by = "tally version " TALLY_VERSION,
		.host = config->host,
		.labels = labels,
		.nr_labels = config->labels.nr,
		.no_inline = config->no_inline,
		.is_unresolved = config->is_unresolved,
	};
	const struct tally_dataset_output output = {export_files_begin, export_files_write,
						    export_files_end, &exporting->files};
	int ret = 0;

	exporting->otlp = (struct export_otlp){.options = &options, .files = &exporting->files};
	if (!is_otlp(config))
		ret = tally_dataset_open(&options, &output, &exporting->dataset);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = export_one(exporting, inputs[i]);
	ret = tally_dataset_close(exporting->dataset, ret);
	export_otlp_free(&exporting->otlp);
	if (!ret && !config->quiet)
		print_done(exporting);
	return ret;
}

/* Export the recordings, or the default one if there are none. Returns the exit status. */
static int export_files_all(const struct export_config *config, char **inputs, size_t nr,
			    const struct tally_dataset_label *labels)
{
	struct exporting exporting = {.config = config, .files.directory = config->output};
	struct tally_recording_options recording = config->recording;
	struct tally_str index_dir = {0};
	char *input;
	int ret;

	recording.goes_elsewhere = true;
	recording.session.symbols.bounds = !config->no_bounds;
	ret = tally_recording_prepare(&recording, &index_dir);
	exporting.session = recording.session;
	input = (char *)recording.session.input;
	if (!ret)
		ret = export_all(&exporting, nr ? inputs : &input, nr ? nr : 1, labels);
	tally_recording_finish(&recording.session);
	tally_str_free(&index_dir);
	return ret || exporting.was_damaged || exporting.unreadable ? TALLY_EXIT_ERROR
								    : TALLY_EXIT_OK;
}

static int export_labelled(const struct export_config *config, char **inputs, size_t nr)
{
	struct tally_dataset_label *labels = calloc(config->labels.nr + 1, sizeof(*labels));
	int ret = labels ? labels_parse(&config->labels, labels) : -ENOMEM;

	if (ret == -ENOMEM)
		tally_print_error("out of memory");
	if (ret)
		ret = ret == -EINVAL ? TALLY_EXIT_USAGE : TALLY_EXIT_ERROR;
	else
		ret = export_files_all(config, inputs, nr, labels);
	for (size_t i = 0; labels && i < config->labels.nr; i++)
		free((char *)labels[i].key);
	free(labels);
	return ret;
}

static int export_run(int argc, char **argv)
{
	struct export_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_export, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	if (config_check(&config, argc - first))
		ret = TALLY_EXIT_USAGE;
	else
		ret = export_labelled(&config, argv + first, (size_t)(argc - first));
	tally_options_free(&tally_command_export, &config);
	return ret;
}

static const struct tally_command_words export_words[] = {
	{"format", print_formats},
	{NULL, NULL},
};

const struct tally_command tally_command_export = {
	.name = "export",
	.summary = "Write recordings for query engines and OpenTelemetry",
	.usage = "[OPTIONS] -o DIR [FILE...]",
	.about = " The formats are Parquet tables, which DuckDB, ClickHouse and others read, and "
		 "the\n"
		 " profiles of OpenTelemetry (otlp), one file for each recording.\n"
		 " 'tally report --format' writes profiles in the formats of viewers.\n",
	.options = export_options,
	.words = export_words,
	.run = export_run,
};
