/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally report. */
#ifndef TALLY_CLI_REPORT_CONFIG_H
#define TALLY_CLI_REPORT_CONFIG_H

#include "cli/main/command.h"
#include "cli/main/recordings.h"
#include "cli/main/row_options.h"

struct report_config {
	struct tally_recording_options recording;
	struct tally_row_options rows;
	const char *ignore_callees, *parallelism;
	const char *separator, *colour, *percentage, *time_quantum;
	const char *annotate;        /* function to start the browser with, "", or NULL */
	const char *from;            /* rows that another program wrote, or NULL */
	const char *svg;             /* file to write a flame graph to, or NULL */
	const char *format, *output; /* --format and -o; NULL for text and standard output */
	const char *html, *baseline; /* see cli/main/html_file.h */
	uint64_t time_quantum_ns;    /* 0 for the default */
	uint64_t event_number;       /* 1-based; 0 for all events */
	uint64_t max_stack;
	uint64_t group_sort;     /* event of a group by which its rows are sorted */
	bool group, group_given; /* show all events side by side, or none; otherwise as recorded */
	bool event_given, csv;
	bool branch_stack,
		branch_given; /* rows are branches; decided by the recording if not given */
	bool mem_mode, hide_unresolved, nanoseconds;
	bool latency, cpu_utilization, raw_trace, branch_history, total_cycles, threads;
	bool raw_dump, stats, tasks, mmaps;
	bool own_code;   /* fold the functions of others into their callers */
	bool is_inlined; /* show inlined functions as frames */
	bool force, stdio, tui, no_bounds;
	bool html_source, html_source_given; /* see cli/main/html_file.h */
	bool whole_names;                    /* -w 0: function names are not shortened */
	bool summarizes;                     /* no option asks for rows, and there is no terminal */
	bool header, header_only, show_info, health, json, quiet, raw_chains;
};

extern const struct tally_option report_options[];

#endif
