/* SPDX-License-Identifier: BSD-2-Clause */
/* Print samples in perf script's format. */
#ifndef TALLY_CLI_SCRIPT_PRINT_H
#define TALLY_CLI_SCRIPT_PRINT_H

#include <sys/utsname.h>

#include "base/str.h"
#include "base/vec.h"
#include "session/session.h"
#include "session/session_tracing.h"
#include "cli/main/arguments.h"
#include "cli/main/document.h"
#include "cli/script/script_code.h"
#include "cli/script/fields.h"
#include "cli/script/place.h"

enum script_times {
	SCRIPT_TIMES_ABSOLUTE,
	SCRIPT_TIMES_RELATIVE, /* relative to the first timestamp */
	SCRIPT_TIMES_DELTA,    /* relative to the previous timestamp */
};

/* Locations of one or several samples: their keys from tally_machine_location_key(), and for each
 * location, 1 for a return address. */
struct script_found {
	TALLY_VEC(uint64_t) words;
	TALLY_VEC(uint8_t) returns;
};

struct tally_script_printer {
	struct tally_session *session;
	struct tally_tracing *tracing;
	struct tally_str out;
	struct tally_document *document; /* where the text is written; NULL for stdout */
	int failed;                      /* 0 or the -errno of a failed write */
	struct script_locations places;
	struct script_code code;
	struct script_found found;             /* locations of the current sample */
	size_t name_width;                     /* length of the longest event name */
	bool has_name_width;                   /* it is known */
	size_t data_src_width;                 /* length of the longest data source so far */
	uint32_t max_stack;                    /* maximum number of callchain entries */
	uint64_t max_blocks;                   /* see struct script_branch_options */
	const struct tally_word_list *stop_at; /* functions at which callchains end */
	bool hide_chains, nanoseconds;
	enum script_times times;
	const struct tally_perfdata_env *env; /* NULL if not used yet */
	struct utsname host;                  /* zero if not used yet */
	uint64_t since;                       /* reference for the next relative time, or 0 */
	const char *flags; /* letters that follow the CPU mode in the field "misc"; NULL if none */
};

/* Initialise the printer. Returns 0 or -ENOMEM. */
int tally_script_printer_init(struct tally_script_printer *printer, struct tally_session *session);
void tally_script_printer_free(struct tally_script_printer *printer);

/* Return 0 if the recording has what the field "tod" needs, or -EINVAL after printing an error. */
int tally_script_check_clock(struct tally_script_printer *printer);

/* Append the sample's text, including the final newline, to printer->out. */
void tally_script_print(struct tally_script_printer *printer,
			const struct tally_feed_sample *sample, uint64_t fields);

/* Write printer->out if it is due, or if `is_all` is set. Returns 0, -ENOMEM, or
 * a write error, which is returned again by later calls. */
int tally_script_flush(struct tally_script_printer *printer, bool is_all);

/* Callback for tally_perfdata_on_idle(). Flushes printer->out and stdout. The next
 * tally_script_flush() returns any error. */
void tally_script_idle(void *printer);

/* Append the local time of day. The recording has the time of one moment on both clocks, which was
 * checked by tally_script_check_clock(). */
void script_print_time_of_day(struct tally_script_printer *printer, uint64_t time);

#endif
