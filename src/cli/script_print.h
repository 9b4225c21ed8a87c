/* SPDX-License-Identifier: BSD-2-Clause */
/* One sample as perf script writes it. */
#ifndef TALLY_CLI_SCRIPT_PRINT_H
#define TALLY_CLI_SCRIPT_PRINT_H

#include "base/str.h"
#include "cli/script_fields.h"
#include "cli/session.h"
#include "cli/tracing.h"

enum {
	SCRIPT_LINE_SLOTS = 1 << 16,
	SCRIPT_LINE_BLOCK = 22,
	SCRIPT_LINE_MAX = 5 * SCRIPT_LINE_BLOCK
};

/* The text of one callchain line, remembered by what it depends on. */
struct script_line {
	uint64_t space, ip;
	uint8_t cpumode, len;
	char text[SCRIPT_LINE_MAX];
};

struct tally_script_printer {
	struct tally_session *session;
	struct tally_tracing *tracing;
	struct tally_str out;
	struct script_line *lines;
	int name_width;     /* of the longest event name; 0 until the first sample */
	uint32_t max_stack; /* callchain entries shown */
	bool hide_chains, nanoseconds;
};

/* 0 or -ENOMEM. */
int tally_script_printer_init(struct tally_script_printer *printer, struct tally_session *session);
void tally_script_printer_free(struct tally_script_printer *printer);

/* Append the sample's text, with the newline at its end, to printer->out. */
void tally_script_print(struct tally_script_printer *printer,
			const struct tally_session_sample *sample, uint32_t fields);

#endif
