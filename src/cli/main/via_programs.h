/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that do not do under ptrace(2) what they do without: set-uid ones do not get their
 * rights, and those with LeakSanitizer fail at their end and lose their output. The user host meets
 * them when they are executed; what it met is told at the end.
 */
#ifndef TALLY_CLI_MAIN_VIA_PROGRAMS_H
#define TALLY_CLI_MAIN_VIA_PROGRAMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "sampler/messages.h"

enum tally_via_trouble {
	TALLY_VIA_NO_RIGHTS, /* it is traced and runs without the rights of its file */
	TALLY_VIA_LEAKS,     /* it is not traced, and not measured */
	TALLY_VIA_NR_TROUBLES
};

struct tally_via_paths {
	TALLY_VEC(char *) all; /* each once */
};

struct tally_via_programs {
	pthread_mutex_t lock;
	struct tally_via_paths paths[TALLY_VIA_NR_TROUBLES];
};

void tally_via_programs_init(struct tally_via_programs *programs);
void tally_via_programs_free(struct tally_via_programs *programs);

/* The `executed` of struct tally_user_settings; `programs` is a struct tally_via_programs. */
bool tally_via_programs_executed(void *programs, int32_t pid);

/* Whether a command can be traced without losing its rights; says why not. 0 or -EPERM. */
int tally_via_programs_check(const char *command, const struct tally_messages *messages);

/* Warn of what was met. */
void tally_via_programs_warn(struct tally_via_programs *programs);

/* The same as arrays of an open JSON object, of those kinds that were met. */
void tally_via_programs_json(struct tally_via_programs *programs, struct tally_str *out);

#endif
