/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call scripts: "open a tp period=1; hit 3; show a". Commands are separated by semicolons. Each
 * command adds words to the answer, which contains nothing that differs between runs: results of
 * system calls, names of events and tasks instead of IDs, and only the presence of times and
 * addresses. README.md lists the commands.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_SCRIPT_H
#define TALLY_TESTS_DIFFERENTIAL_SCRIPT_H

#include "base/str.h"
#include "system.h"

enum { SCRIPT_EVENTS = 24, SCRIPT_WORDS = 40 };

/* An event, with its name in the script. */
struct script_event {
	char name[12];
	int fd;   /* -1 when closed */
	int task; /* opener */
	uint64_t id;
	struct perf_event_attr attr;
	uint8_t *map;
	size_t map_len;
	uint64_t tail; /* position in the ring up to which records were read */
};

struct script {
	struct system *system;
	struct tally_str answer;
	struct script_event events[SCRIPT_EVENTS];
	int nr_events;
	char tasks[SYSTEM_TASKS][12];
	int nr_tasks;
	/* Current command. */
	int task;
	const char *words[SCRIPT_WORDS];
	int nr_words;
	const char *rest;  /* text after the second word, not split */
	const char *wrong; /* error in the script */
};

/* Run a script. The answer is in script->answer. Returns 0, or -EINVAL for an invalid script, with
 * the reason in script->wrong. */
int script_run(struct script *script, struct system *system, const char *text);

/* Find an event or a task by name. Returns NULL or -1 if it does not exist. */
struct script_event *script_event(struct script *script, const char *name);
int script_task(const struct script *script, const char *name);

/* Parse a number, a name, or several of these joined by "|". Returns false for anything else. */
bool script_value(struct script *script, const char *text, uint64_t *ret_value);

/* Return the name of an event by ID, or of a task by PID or TID; "?" if it has none. */
const char *script_id_name(const struct script *script, uint64_t id);
const char *script_pid_name(const struct script *script, int32_t pid);
const char *script_tid_name(const struct script *script, int32_t tid);

/* Add a word to the answer. A result of a call is "ok", its number if it has a meaning, or the name
 * of its errno. */
void script_say(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void script_say_result(struct script *script, int64_t result, bool number);

/* ---- open (differential_script_open.c) ------------------------------------------------------------ */

void script_open(struct script *script);
void script_modify(struct script *script);

/* ---- counts and records (differential_script_text.c) --------------------------------------------- */

/* Add counts in the event's read format. With `about`, round them to a quarter of a million, and
 * add whether the event was on a counter all the time that it was enabled. Counts of multiplexed
 * events are left out, because they depend on the schedule. */
void script_say_read(struct script *script, const void *bytes, size_t len, uint64_t format,
		     bool about);

/* Add all new records of the event's buffer. */
void script_say_records(struct script *script, struct script_event *event);

#endif
