/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/annotate/annotate_browse.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "cli/main/command_line.h"
#include "cli/main/output_stream.h"

bool annotate_wants_browser(const struct annotate_config *config)
{
	bool asks_text = config->is_stdio || config->is_json || config->is_quiet ||
			 config->raw_dump || config->data_type || config->has_type_stat ||
			 config->has_bytes || config->has_lines || config->has_paths ||
			 config->has_totals || config->show_samples || config->show_period ||
			 config->is_grouped || config->is_missing_skipped || config->percent_type ||
			 config->percent_limit || config->style || config->colour || config->dsos ||
			 config->source.prefix || config->objdump;

	return !asks_text && tally_output_takes_screens();
}

int annotate_browse(const struct annotate_config *config)
{
	const struct tally_session_options *session = &config->recording.session;
	char max_stack[24], jobs[24];
	const struct {
		const char *option, *value;
	} options[] = {
		{"-i", session->input},
		{"-C", session->filter.cpus},
		{"--time", session->filter.time},
		{"--comms", session->filter.comms},
		{"--pid", session->filter.pids},
		{"--tid", session->filter.tids},
		{"--vmlinux", session->symbols.vmlinux},
		{"--kallsyms", session->symbols.kallsyms},
		{"--symfs", session->symbols.symfs},
		{"--max-stack", config->max_stack ? max_stack : NULL},
		{"--jobs", session->jobs ? jobs : NULL},
	};
	struct tally_command_line line = {0};
	struct tally_str symbol = {0}, servers = {0};
	int status;

	snprintf(max_stack, sizeof(max_stack), "%" PRIu64, config->max_stack);
	snprintf(jobs, sizeof(jobs), "%" PRIu64, session->jobs);
	tally_str_addf(&symbol, "--annotate%s%s", config->symbol ? "=" : "",
		       config->symbol ? config->symbol : "");
	if (session->debuginfod)
		tally_str_addf(&servers, "--debuginfod=%s", session->debuginfod);
	line.failed = tally_str_error(&symbol) || tally_str_error(&servers);
	tally_command_line_add(&line, "report");
	tally_command_line_add(&line, tally_str_text(&symbol));
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(options); i++)
		tally_command_line_option(&line, options[i].option, options[i].value);
	tally_command_line_flag(&line, tally_str_text(&servers), session->debuginfod);
	tally_command_line_flag(&line, "--ignore-vmlinux", session->symbols.ignore_vmlinux);
	tally_command_line_flag(&line, "--no-demangle", session->symbols.no_demangle);
	tally_command_line_flag(&line, "--no-index", config->recording.no_index);
	tally_command_line_flag(&line, "--force", session->symbols.any_owner);
	status = tally_command_line_run(&line);
	tally_str_free(&symbol);
	tally_str_free(&servers);
	return status;
}
