/* SPDX-License-Identifier: BSD-2-Clause */
/* Build tables from a session and write them to the session's output. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/stat/stat_count.h"
#include "cli/stat/stat_record.h"
#include "cli/stat/stat_show.h"
#include "cli/stat/stat_stuck.h"

/* ---- output --------------------------------------------------------------- */

static bool is_plain_locale(const char *name)
{
	return !name || !*name || !strcmp(name, "C") || !strncmp(name, "C.", 2) ||
	       !strcmp(name, "POSIX");
}

/* Return the thousands separator of the user's locale. The decimal point is always '.'. */
static const char *locale_thousands(struct stat_session *session)
{
	const char *name = getenv("LC_ALL");
	const char *kept = "";
	locale_t locale;

	if (!name || !*name)
		name = getenv("LC_NUMERIC");
	if (!name || !*name)
		name = getenv("LANG");
	if (is_plain_locale(name))
		return "";
	locale = newlocale(LC_NUMERIC_MASK, name, (locale_t)0);
	if (!locale)
		return "";
	kept = nl_langinfo_l(THOUSEP, locale);
	kept = tally_arena_strndup(&session->strings, kept, strlen(kept));
	freelocale(locale);
	return kept ? kept : "";
}

static const char *thousands(struct stat_session *session)
{
	const char *separator;

	if (session->config->no_big_num)
		return "";
	separator = locale_thousands(session);
	return session->config->big_num && !*separator ? "," : separator;
}

static const struct stat_format *format_of(const struct stat_config *config)
{
	if (config->json)
		return &stat_format_json;
	if (config->perf_json)
		return &stat_format_perf_json;
	return config->separator ? &stat_format_csv : &stat_format_text;
}

/* Add perf's header lines of a file, except in JSON. */
static void add_heading(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	time_t now = time(NULL);
	char text[64];

	if (config->json || config->perf_json || !ctime_r(&now, text))
		return;
	tally_str_addf(&session->printer.out, "# started on %s\n", text);
}

static unsigned overwrites(const struct stat_config *config)
{
	return TALLY_OVERWRITE_COUNTS | (config->append ? TALLY_OVERWRITE_APPEND : 0);
}

/* Return the file to write, or NULL. As in perf, "-" is standard error. */
static const char *output_path(const struct stat_config *config)
{
	return config->output && strcmp(config->output, "-") ? config->output : NULL;
}

int stat_output_open(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	const char *path = output_path(config);
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (config->append ? O_APPEND : O_TRUNC), ret;

	session->printer = (struct stat_printer){
		.format = format_of(config),
		.separator = config->separator,
		.thousands = thousands(session),
	};
	ret = path ? tally_overwrite_check("-o", path, overwrites(config), config->force) : 0;
	if (ret)
		return ret;
	session->output = config->log_fd_given ? config->log_fd : STDERR_FILENO;
	if (path)
		session->output = open(path, flags, 0666);
	if (session->output < 0 || fcntl(session->output, F_GETFD) < 0) {
		ret = -errno;
		tally_print_error("%s: %s", path ? path : "--log-fd", strerror(-ret));
		return ret;
	}
	if (path)
		add_heading(session);
	return 0;
}

int stat_output_close(struct stat_session *session)
{
	int ret = 0;

	stat_printer_free(&session->printer);
	if (output_path(session->config) && session->output >= 0 && close(session->output))
		ret = -errno;
	session->output = -1;
	return ret;
}

/* ---- tables --------------------------------------------------------------- */

static void add_via(void *arg, struct tally_str *out)
{
	tally_via_programs_json(arg, out);
}

struct stat_table stat_table_of(struct stat_session *session)
{
	const struct stat_config *config = session->config;

	return (struct stat_table){
		.mode = &stat_modes[config->mode],
		.rows = session->rows.data,
		.keys = session->keys.data,
		.cells = session->cells,
		.parts = config->runs == 1 ? session->parts : NULL,
		.formulas = session->formulas.data,
		.nr_formulas = session->formulas.len,
		.metric_only = config->metric_only,
		.nr_rows = session->rows.len,
		.nr_keys = session->keys.len,
		.title = session->title,
		.via = tally_via_name(&session->via),
		.estimated = session->via.transport.estimates,
		.add_via = session->via.user ? add_via : NULL,
		.arg = &session->via.programs,
		.by_value = config->mode == STAT_AGGR_THREAD && !config->target.pids &&
			    !config->target.tids,
		.has_user = session->by_command,
		.regions = config->regions ? &session->regions.tables : NULL,
		.times = session->times,
	};
}

/* Print each event's count, time enabled and time running, for -v. */
static void show_counts(const struct stat_table *table)
{
	for (size_t i = 0; i < table->nr_rows; i++) {
		const struct stat_cell *cells = &table->cells[i * table->nr_keys];
		struct tally_count sum = {0};

		for (size_t key = 0; key < table->nr_keys; key++)
			if (cells[key].nr)
				sum = tally_count_add(sum, cells[key].count);
		fprintf(stderr, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", table->rows[i].name,
			sum.value, sum.enabled, sum.running);
	}
}

static int show(struct stat_session *session, const struct stat_table *table)
{
	struct tally_str *out = &session->printer.out;
	int ret;

	if (session->config->quiet)
		return 0;
	if (session->config->verbose)
		show_counts(table);
	ret = stat_print(&session->printer, table);
	if (!ret)
		ret = tally_file_write_all(session->output, out->data, out->len);
	tally_str_clear(out);
	if (ret)
		tally_print_error("cannot write the counts: %s", strerror(-ret));
	return ret;
}

int stat_show_interval(struct stat_session *session, uint64_t at)
{
	int ret;

	session->times.wall = at - session->last_print;
	session->last_print = at;
	ret = stat_count_read(session, true);
	if (ret) {
		tally_print_error("cannot read the counters: %s", strerror(-ret));
		return ret;
	}
	if (session->recorder)
		ret = stat_record_round(session, false, at);
	return ret ? ret : stat_show_counts(session, at);
}

int stat_show_counts(struct stat_session *session, uint64_t at)
{
	struct stat_table table = stat_table_of(session);

	/* Move to the top left corner, and clear. */
	if (session->config->interval_clear && isatty(session->output))
		tally_str_add(&session->printer.out, "\33[H\33[2J");
	table.interval = true;
	table.at = at;
	return show(session, &table);
}

int stat_show_total(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	struct stat_table table = stat_table_of(session);

	if (!config->quiet && !session->env)
		stat_stuck_check(session);
	table.summary = config->interval_ms && !config->no_csv_summary && !session->env;
	table.per_run = config->runs != 1;
	table.list_runs = config->table;
	if (table.per_run) {
		table.runs = stat_runs_of(session->walls.data, session->walls.len);
		table.times.wall = (uint64_t)table.runs.mean;
	}
	return show(session, &table);
}
