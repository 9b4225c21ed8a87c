/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call scripts: "open a tp period=1; hit 3; count a". Commands are separated by semicolons; each
 * adds a word or more to the answer, which holds nothing that differs from run to run: what a
 * system call returned, the names of events and tasks where there are ids, and only the presence of
 * times and addresses. README.md has the commands.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_SCRIPT_H
#define TALLY_TESTS_DIFFERENTIAL_SCRIPT_H

#include "base/str.h"
#include "system.h"

enum { SCRIPT_EVENTS = 24, SCRIPT_WORDS = 40 };

/* An event by the name that the script gave it. */
struct script_event {
	char name[12];
	int fd;   /* -1 when closed */
	int task; /* who opened it */
	uint64_t id;
	struct perf_event_attr attr;
	uint8_t *map;
	size_t map_len;
	uint64_t tail; /* what was read of the buffer */
};

struct script {
	struct system *system;
	struct tally_str answer;
	struct script_event events[SCRIPT_EVENTS];
	int nr_events;
	char tasks[SYSTEM_TASKS][12];
	int nr_tasks;
	/* The command being run. */
	int task;
	const char *words[SCRIPT_WORDS];
	int nr_words;
	const char *rest;  /* everything behind the second word, unsplit */
	const char *wrong; /* what is wrong with the script */
};

/* Run a script. The answer is in script->answer; 0, or -EINVAL for what is no script, and
 * script->wrong tells why. */
int script_run(struct script *script, struct system *system, const char *text);

/* An event or task by name; NULL or -1 if there is none. */
struct script_event *script_event(struct script *script, const char *name);
int script_task(const struct script *script, const char *name);

/* A number, a name, or several joined by "|". False for what is none. */
bool script_value(struct script *script, const char *text, uint64_t *ret_value);

/* The name of an event by its id, of a task by pid or tid; "?" if it has none. */
const char *script_id_name(const struct script *script, uint64_t id);
const char *script_pid_name(const struct script *script, int32_t pid);
const char *script_tid_name(const struct script *script, int32_t tid);

/* Add a word to the answer; a result of a call: "ok", its number if it has a meaning, or its
 * errno by name. */
void script_say(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void script_say_result(struct script *script, int64_t result, bool number);

/* ---- open (script_open.c) ------------------------------------------------------------ */

void script_open(struct script *script);
void script_modify(struct script *script);

/* ---- what is read (script_text.c) --------------------------------------------------- */

/* Counts in the event's read format, as words. With `about`, only to a quarter of a million, and
 * whether the event was on all the time that it was enabled; those that were not depend on who was
 * on when, and are left out. */
void script_say_read(struct script *script, const void *bytes, size_t len, uint64_t format,
		     bool about);

/* All new records of the event's buffer. */
void script_say_records(struct script *script, struct script_event *event);

#endif
