/* SPDX-License-Identifier: BSD-2-Clause */
#include "differential_script.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"

/* ---- words ------------------------------------------------------------------------- */

void script_say(struct script *script, const char *format, ...)
{
	va_list args;

	if (script->answer.len)
		tally_str_add_char(&script->answer, ' ');
	va_start(args, format);
	tally_str_addv(&script->answer, format, args);
	va_end(args);
}

void script_say_result(struct script *script, int64_t result, bool number)
{
	if (result < 0)
		script_say(script, "%s", strerrorname_np((int)-result));
	else if (number)
		script_say(script, "%lld", (long long)result);
	else
		script_say(script, "ok");
}

struct script_event *script_event(struct script *script, const char *name)
{
	for (int i = 0; i < script->nr_events; i++) {
		if (!strcmp(script->events[i].name, name))
			return &script->events[i];
	}
	return NULL;
}

int script_task(const struct script *script, const char *name)
{
	for (int i = 0; i < script->nr_tasks; i++) {
		if (!strcmp(script->tasks[i], name))
			return i;
	}
	return -1;
}

const char *script_id_name(const struct script *script, uint64_t id)
{
	for (int i = 0; i < script->nr_events; i++) {
		if (script->events[i].id == id)
			return script->events[i].name;
	}
	return id ? "?" : "0";
}

/* Return the name of the first task with this PID or TID. Threads share a PID, so the first task
 * with a PID is the process. */
static const char *number_name(const struct script *script, int32_t number,
			       int32_t (*of)(struct system *system, int task))
{
	for (int i = 0; i < script->nr_tasks; i++) {
		if (of(script->system, i) == number)
			return script->tasks[i];
	}
	return number == -1 ? "-1" : number ? "?" : "0";
}

const char *script_pid_name(const struct script *script, int32_t pid)
{
	return number_name(script, pid, script->system->ops->pid);
}

const char *script_tid_name(const struct script *script, int32_t tid)
{
	return number_name(script, tid, script->system->ops->tid);
}

/* ---- commands on an event ------------------------------------------------------------- */

static struct script_event *event_named(struct script *script, int word)
{
	struct script_event *event =
		word < script->nr_words ? script_event(script, script->words[word]) : NULL;

	if (!event)
		script->wrong = "no such event";
	return event;
}

static uint64_t value_at(struct script *script, int word, uint64_t otherwise)
{
	uint64_t value;

	if (word >= script->nr_words)
		return otherwise;
	if (script_value(script, script->words[word], &value))
		return value;
	script->wrong = script->words[word];
	return otherwise;
}

static int event_ioctl(struct script *script, const struct script_event *event,
		       unsigned long request, uintptr_t arg)
{
	return script->system->ops->ioctl(script->system, event->task, event->fd, request, arg);
}

/* ENABLE, DISABLE, RESET, REFRESH and PAUSE_OUTPUT take an integer argument. */
static void simple_ioctl(struct script *script, unsigned long request)
{
	struct script_event *event = event_named(script, 1);
	uint64_t arg = value_at(script, 2, 0);

	if (event)
		script_say_result(script, event_ioctl(script, event, request, arg), false);
}

static void command_enable(struct script *script)
{
	simple_ioctl(script, PERF_EVENT_IOC_ENABLE);
}

static void command_disable(struct script *script)
{
	simple_ioctl(script, PERF_EVENT_IOC_DISABLE);
}

static void command_reset(struct script *script)
{
	simple_ioctl(script, PERF_EVENT_IOC_RESET);
}

static void command_refresh(struct script *script)
{
	simple_ioctl(script, PERF_EVENT_IOC_REFRESH);
}

static void command_pause(struct script *script)
{
	simple_ioctl(script, PERF_EVENT_IOC_PAUSE_OUTPUT);
}

/* Parse the name of an invalid pointer: "null" or "bad". */
static bool bad_pointer(const char *word, uintptr_t *ret_pointer)
{
	*ret_pointer = strcmp(word, "bad") ? 0 : 8;
	return !strcmp(word, "bad") || !strcmp(word, "null");
}

static void command_period(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	uintptr_t pointer;
	uint64_t value;

	if (!event)
		return;
	if (!bad_pointer(script->words[2], &pointer)) {
		value = value_at(script, 2, 0);
		pointer = (uintptr_t)&value;
	}
	script_say_result(script, event_ioctl(script, event, PERF_EVENT_IOC_PERIOD, pointer),
			  false);
}

static void command_id(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	uintptr_t pointer = 0;
	uint64_t value = 0;
	bool bad = script->nr_words > 2 && bad_pointer(script->words[2], &pointer);

	if (!event)
		return;
	if (!bad)
		pointer = (uintptr_t)&value;
	script_say_result(script, event_ioctl(script, event, PERF_EVENT_IOC_ID, pointer), false);
	if (!bad)
		script_say(script, "%s", script_id_name(script, value));
}

static void command_output(struct script *script)
{
	struct script_event *event = event_named(script, 1), *target;
	uintptr_t fd;

	if (!event || script->nr_words < 3)
		return;
	target = script_event(script, script->words[2]);
	if (target)
		fd = (uintptr_t)target->fd;
	else if (!strcmp(script->words[2], "other"))
		fd = (uintptr_t)script->system->ops->other_fd(script->system);
	else
		fd = value_at(script, 2, 0);
	script_say_result(script, event_ioctl(script, event, PERF_EVENT_IOC_SET_OUTPUT, fd), false);
}

/* filter NAME TEXT: set a filter. If TEXT ends with MINE, this word is replaced by a number that is
 * unique to this script's hits. */
static void command_filter(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	size_t len = strlen(script->rest);
	uintptr_t pointer;
	char text[8192];

	if (!event)
		return;
	snprintf(text, sizeof(text), "%s", script->rest);
	if (len > 4 && !strcmp(text + len - 4, "MINE"))
		snprintf(text + len - 4, sizeof(text) - len, "%d",
			 script->system->ops->tid(script->system, 0));
	if (!bad_pointer(script->rest, &pointer))
		pointer = (uintptr_t)text;
	script_say_result(script, event_ioctl(script, event, PERF_EVENT_IOC_SET_FILTER, pointer),
			  false);
}

/* ioctl NAME request [arg]: make any request by number. The argument "zeros" is a pointer to
 * zeros. */
static void command_ioctl(struct script *script)
{
	static const uint8_t zeros[256];
	struct script_event *event = event_named(script, 1);
	uint64_t request = value_at(script, 2, 0);
	uintptr_t arg = 0;

	if (script->nr_words > 3 && !strcmp(script->words[3], "zeros"))
		arg = (uintptr_t)zeros;
	else if (script->nr_words > 3 && !bad_pointer(script->words[3], &arg))
		arg = value_at(script, 3, 0);
	if (event)
		script_say_result(script, event_ioctl(script, event, request, arg), false);
}

static void command_close(struct script *script)
{
	struct script_event *event = event_named(script, 1);

	if (!event)
		return;
	script_say_result(
		script, script->system->ops->close(script->system, event->task, event->fd), false);
	event->fd = -1;
}

/* ---- reading ---------------------------------------------------------------------------- */

static int64_t event_read(struct script *script, const struct script_event *event, void *to,
			  size_t len)
{
	return script->system->ops->read(script->system, event->task, event->fd, to, len);
}

/* read NAME [bytes] [bad]: print the number of bytes read. */
static void command_read(struct script *script)
{
	static uint8_t bytes[65536];
	struct script_event *event = event_named(script, 1);
	uint64_t len = value_at(script, 2, sizeof(bytes));
	bool bad = script->nr_words > 3;

	if (event)
		script_say_result(script, event_read(script, event, bad ? (void *)8 : bytes, len),
				  true);
}

static void say_counts(struct script *script, bool about)
{
	struct script_event *event = event_named(script, 1);
	uint8_t bytes[4096];
	int64_t len;

	if (!event)
		return;
	len = event_read(script, event, bytes, sizeof(bytes));
	if (len <= 0)
		script_say_result(script, len, true);
	else
		script_say_read(script, bytes, (size_t)len, event->attr.read_format, about);
}

/* show NAME: print the counts. */
static void command_show(struct script *script)
{
	say_counts(script, false);
}

/* about NAME: print rounded counts, which are the same on all systems for the same work. */
static void command_about(struct script *script)
{
	say_counts(script, true);
}

static void command_records(struct script *script)
{
	struct script_event *event = event_named(script, 1);

	if (event && event->map)
		script_say_records(script, event);
	else
		script->wrong = "not mapped";
}

static void command_poll(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	int events;

	if (!event)
		return;
	events = script->system->ops->poll(script->system, event->task, event->fd);
	script_say(script, "%s%s%s%s", events ? "" : "none", events & 1 ? "IN" : "",
		   events & 8 ? "ERR" : "", events & 16 ? "HUP" : "");
}

/* ---- mapping -------------------------------------------------------------------------------- */

/* mmap NAME pages [ro] [offset]: map a ring. Records are read from the first mapping. */
static void command_mmap(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	size_t len = (size_t)value_at(script, 2, 0) * SYSTEM_PAGE;
	bool readonly = script->nr_words > 3 && !strcmp(script->words[3], "ro");
	uint64_t offset = value_at(script, 3 + readonly, 0);
	void *memory = NULL;
	int error;

	if (!event)
		return;
	error = script->system->ops->mmap(script->system, event->task, event->fd, len, offset,
					  !readonly, &memory);
	script_say_result(script, error, false);
	if (!error && !event->map) {
		event->map = memory;
		event->map_len = len;
		event->tail = 0;
	}
}

static void command_munmap(struct script *script)
{
	struct script_event *event = event_named(script, 1);

	if (!event || !event->map)
		return;
	script_say_result(script,
			  script->system->ops->munmap(script->system, event->task, event->map,
						      event->map_len),
			  false);
	event->map = NULL;
}

/* page NAME: print the fields of the mmap page that are the same in every run. */
static void command_page(struct script *script)
{
	struct script_event *event = event_named(script, 1);
	const struct perf_event_mmap_page *page;

	if (!event || !event->map)
		return;
	page = (const void *)event->map;
	script_say(script, "version=%u compat=%u even=%d index=%u size=%u", page->version,
		   page->compat_version, !(page->lock & 1), page->index, page->size);
	script_say(script, "deprecated=%d bit0=%d rdpmc=%d", (int)page->cap_bit0_is_deprecated,
		   (int)page->cap_bit0, (int)page->cap_user_rdpmc);
	script_say(script, "data=%llu+%llu aux=%llu+%llu head=%llu",
		   (unsigned long long)page->data_offset, (unsigned long long)page->data_size,
		   (unsigned long long)page->aux_offset, (unsigned long long)page->aux_size,
		   (unsigned long long)page->data_head);
}

/* ---- tasks ------------------------------------------------------------------------------- */

static void command_prctl(struct script *script)
{
	int option = strcmp(script->words[1], "enable") ? 31 : 32;

	script_say_result(script, script->system->ops->prctl(script->system, script->task, option),
			  false);
}

static void act(struct script *script, enum system_act act, int64_t a, int64_t b, const char *text)
{
	int error = script->system->ops->act(script->system, script->task, act, a, b, text);

	if (error)
		script_say_result(script, error, false);
}

/* touch pages [NAME]: touch new pages. The event is enabled only while the pages are touched. */
static void command_touch(struct script *script)
{
	struct script_event *event = script->nr_words > 2 ? event_named(script, 2) : NULL;

	act(script, ACT_TOUCH, (int64_t)value_at(script, 1, 1), event ? event->fd : -1, NULL);
}

static void command_hit(struct script *script)
{
	act(script, ACT_HIT, (int64_t)value_at(script, 1, 1), (int64_t)value_at(script, 2, 0),
	    NULL);
}

static void command_sleep(struct script *script)
{
	act(script, ACT_SLEEP, (int64_t)value_at(script, 1, 1), 0, NULL);
}

static void command_spin(struct script *script)
{
	act(script, ACT_SPIN, (int64_t)value_at(script, 1, 1), 0, NULL);
}

static void command_work(struct script *script)
{
	act(script, ACT_WORK, (int64_t)value_at(script, 1, 1), 0, NULL);
}

static void command_pin(struct script *script)
{
	act(script, ACT_PIN, (int64_t)value_at(script, 1, 0), 0, NULL);
}

static void new_task(struct script *script, enum system_act how)
{
	int number = script->nr_tasks;

	if (number == SYSTEM_TASKS) {
		script->wrong = "too many tasks";
		return;
	}
	snprintf(script->tasks[number], sizeof(script->tasks[number]), "%s", script->words[1]);
	script->nr_tasks++;
	act(script, how, number, 0, NULL);
}

static void command_fork(struct script *script)
{
	new_task(script, ACT_FORK);
}

static void command_thread(struct script *script)
{
	new_task(script, ACT_THREAD);
}

static void command_exit(struct script *script)
{
	act(script, ACT_EXIT, 0, 0, NULL);
}

static void command_exec(struct script *script)
{
	act(script, ACT_EXEC, 0, 0, NULL);
}

static void command_comm(struct script *script)
{
	act(script, ACT_COMM, 0, 0, script->words[1]);
}

static void command_map(struct script *script)
{
	act(script, ACT_MAP, (int64_t)value_at(script, 1, 1),
	    script->nr_words < 3 || strcmp(script->words[2], "data"), "mapped");
}

static void command_store(struct script *script)
{
	act(script, ACT_STORE, (int64_t)value_at(script, 1, 1), 0, NULL);
}

static void command_load(struct script *script)
{
	act(script, ACT_LOAD, (int64_t)value_at(script, 1, 1), 0, NULL);
}

static void command_execute(struct script *script)
{
	act(script, ACT_EXECUTE, (int64_t)value_at(script, 1, 1), 0, NULL);
}

/* ---- running ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int words; /* minimum number of words, including the name */
	void (*run)(struct script *script);
} commands[] = {
	{"open", 2, script_open},        {"close", 2, command_close},
	{"enable", 2, command_enable},   {"disable", 2, command_disable},
	{"reset", 2, command_reset},     {"refresh", 3, command_refresh},
	{"pause", 3, command_pause},     {"period", 3, command_period},
	{"id", 2, command_id},           {"output", 3, command_output},
	{"filter", 2, command_filter},   {"ioctl", 3, command_ioctl},
	{"read", 2, command_read},       {"show", 2, command_show},
	{"records", 2, command_records}, {"poll", 2, command_poll},
	{"mmap", 3, command_mmap},       {"munmap", 2, command_munmap},
	{"page", 2, command_page},       {"prctl", 2, command_prctl},
	{"touch", 2, command_touch},     {"hit", 2, command_hit},
	{"sleep", 2, command_sleep},     {"spin", 2, command_spin},
	{"pin", 2, command_pin},         {"fork", 2, command_fork},
	{"thread", 2, command_thread},   {"exit", 1, command_exit},
	{"exec", 1, command_exec},       {"comm", 2, command_comm},
	{"map", 2, command_map},         {"work", 2, command_work},
	{"about", 2, command_about},     {"modify", 2, script_modify},
	{"store", 2, command_store},     {"load", 2, command_load},
	{"execute", 2, command_execute},
};

static void run_words(struct script *script)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, script->words[0]))
			continue;
		if (script->nr_words < commands[i].words)
			script->wrong = "too few words";
		else
			commands[i].run(script);
		return;
	}
	script->wrong = "no such command";
}

/* Run one command, which consists of an optional @task and words. */
static void run_command(struct script *script, char *text)
{
	char rest[8192], *save = NULL, *word;
	int skip = 2;

	text += strspn(text, " ");
	script->task = 0;
	script->nr_words = 0;
	if (*text == '@') {
		word = strsep(&text, " ") + 1;
		script->task = script_task(script, word);
		if (script->task < 0 || !text) {
			script->wrong = "no such task, or nothing to do";
			return;
		}
	}
	snprintf(rest, sizeof(rest), "%s", text);
	script->rest = rest;
	while (skip-- && *script->rest) {
		script->rest += strcspn(script->rest, " ");
		script->rest += strspn(script->rest, " ");
	}
	for (word = strtok_r(text, " ", &save); word && script->nr_words < SCRIPT_WORDS;
	     word = strtok_r(NULL, " ", &save))
		script->words[script->nr_words++] = word;
	if (script->nr_words && !script->wrong)
		run_words(script);
}

int script_run(struct script *script, struct system *system, const char *text)
{
	static char copy[16384];
	char *at = copy, *command;

	*script = (struct script){.system = system, .nr_tasks = 1};
	strcpy(script->tasks[0], "main");
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	while (!script->wrong && (command = strsep(&at, ";")))
		run_command(script, command);
	return script->wrong ? -EINVAL : 0;
}
