/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call scripts, such as "open a tp period=1; hit 3; show a". Semicolons separate commands. Each
 * command adds words to the answer: results of system calls, and names of events and tasks instead
 * of IDs. The answer contains nothing that differs between runs, so times and addresses are only
 * shown as present or zero. README.md lists the commands.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_SCRIPT_H
#define TALLY_TESTS_DIFFERENTIAL_SCRIPT_H

#include "base/str.h"
#include "system.h"

enum { SCRIPT_EVENTS = 24, SCRIPT_WORDS = 40 };

/* An event and its name in the script. */
struct script_event {
	char name[12];
	int fd;   /* -1 when closed */
	int task; /* task that opened the event */
	uint64_t id;
	struct perf_event_attr attr;
	uint8_t *map;
	size_t map_len;
	uint64_t tail; /* position in the ring after the last record read */
};

struct script {
	struct system *system;
	struct tally_str answer;
	struct script_event events[SCRIPT_EVENTS];
	int nr_events;
	char tasks[SYSTEM_TASKS][12];
	int nr_tasks;
	/* State of the current command. */
	int task;
	const char *words[SCRIPT_WORDS];
	int nr_words;
	const char *rest;  /* text after the second word, not split into words */
	const char *wrong; /* error in the script, or NULL */
};

/* Run a script and store the answer in script->answer. Returns 0, or -EINVAL for an invalid script,
 * with the reason in script->wrong. */
int script_run(struct script *script, struct system *system, const char *text);

/* Find an event or a task by name. Returns NULL or -1 if the name does not exist. */
struct script_event *script_event(struct script *script, const char *name);
int script_task(const struct script *script, const char *name);

/* Parse a number or a name, or several of these joined with "|". Returns false for anything
 * else. */
bool script_value(struct script *script, const char *text, uint64_t *ret_value);

/* Return the name of an event by ID, or of a task by PID or TID. Returns "?" if there is none. */
const char *script_id_name(const struct script *script, uint64_t id);
const char *script_pid_name(const struct script *script, int32_t pid);
const char *script_tid_name(const struct script *script, int32_t tid);

/* Add a word to the answer. For a system call that failed, the word is the name of the errno.
 * Otherwise it is the result if `number` is set, and "ok" if not. */
void script_say(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void script_say_result(struct script *script, int64_t result, bool number);

/* ---- open (differential_script_open.c) ------------------------------------------- */

void script_open(struct script *script);
void script_modify(struct script *script);

/* ---- counts and records (differential_script_text.c) ------------------------------- */

/* Add counts in the event's read format. With `about`, round them to a quarter of a million, and
 * add whether the event was on a counter for the whole time it was enabled. Omit counts of
 * multiplexed events, because they depend on scheduling. */
void script_say_read(struct script *script, const void *bytes, size_t len, uint64_t format,
		     bool about);

/* Add all new records in the event's buffer. */
void script_say_records(struct script *script, struct script_event *event);

#endif
