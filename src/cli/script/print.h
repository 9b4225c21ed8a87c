/* SPDX-License-Identifier: BSD-2-Clause */
/* One sample as perf script writes it. */
#ifndef TALLY_CLI_SCRIPT_PRINT_H
#define TALLY_CLI_SCRIPT_PRINT_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/recording/session.h"
#include "cli/recording/tracing.h"
#include "cli/script/fields.h"
#include "cli/script/place.h"

enum script_times {
	SCRIPT_TIMES_ABSOLUTE,
	SCRIPT_TIMES_RELATIVE, /* to the first */
	SCRIPT_TIMES_DELTA,    /* to the one before */
};

struct tally_script_printer {
	struct tally_session *session;
	struct tally_tracing *tracing;
	struct tally_str out;
	int failed; /* writing it; 0 or -errno */
	struct script_places places;
	TALLY_VEC(struct script_place) chain; /* of the sample that is printed */
	int name_width;        /* of the longest event name; 0 until the first sample */
	size_t data_src_width; /* of the longest data source so far */
	uint32_t max_stack;    /* callchain entries shown */
	bool hide_chains, nanoseconds;
	enum script_times times;
	uint64_t since; /* what the next time is relative to; 0: none was shown yet */
};

/* 0 or -ENOMEM. */
int tally_script_printer_init(struct tally_script_printer *printer, struct tally_session *session);
void tally_script_printer_free(struct tally_script_printer *printer);

/* Append the sample's text, with the newline at its end, to printer->out. */
void tally_script_print(struct tally_script_printer *printer,
			const struct tally_session_sample *sample, uint32_t fields);

/* Write printer->out to standard output if it has grown long enough, or all of it. 0, -ENOMEM, or
 * the error of writing, which is returned again from then on. */
int tally_script_flush(struct tally_script_printer *printer, bool is_all);

/* The same, for the reader of a stream before it waits (tally_perfdata_on_idle()): as far as the
 * terminal or the pipe. An error is kept for the next tally_script_flush(). */
void tally_script_idle(void *printer);

/* Append its beginning alone, those of `fields` that tell who, where and when; of `sample` event,
 * thread, cpumode and sample are looked at. */
void tally_script_print_start(struct tally_script_printer *printer,
			      const struct tally_session_sample *sample, uint32_t fields);

#endif
