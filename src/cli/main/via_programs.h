/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that behave differently under ptrace(2): set-user-ID programs do not get their
 * privileges, and programs with LeakSanitizer fail on exit and lose their output. The user host
 * detects such programs when they are executed; a warning at the end lists them.
 */
#ifndef TALLY_CLI_MAIN_VIA_PROGRAMS_H
#define TALLY_CLI_MAIN_VIA_PROGRAMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "base/messages.h"

enum tally_via_trouble {
	TALLY_VIA_NO_RIGHTS, /* traced, but ran without its file's privileges */
	TALLY_VIA_LEAKS,     /* not traced, so not measured */
	TALLY_VIA_NR_TROUBLES
};

struct tally_via_paths {
	TALLY_VEC(char *) all; /* no duplicates */
};

struct tally_via_programs {
	pthread_mutex_t lock;
	struct tally_via_paths paths[TALLY_VIA_NR_TROUBLES];
};

void tally_via_programs_init(struct tally_via_programs *programs);
void tally_via_programs_free(struct tally_via_programs *programs);

/* The `executed` callback of tally_user_settings; `programs` is a struct tally_via_programs. */
bool tally_via_programs_executed(void *programs, int32_t pid);

/* Check that a command can be traced without losing privileges. Returns 0, or prints an error and
 * returns -EPERM. */
int tally_via_programs_check(const char *command, const struct tally_messages *messages);

/* Warn about the recorded programs. */
void tally_via_programs_warn(struct tally_via_programs *programs);

/* Append the recorded programs to an open JSON object, one array per kind. Kinds without programs
 * are omitted. */
void tally_via_programs_json(struct tally_via_programs *programs, struct tally_str *out);

#endif
