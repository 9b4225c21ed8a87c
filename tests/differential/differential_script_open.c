/* SPDX-License-Identifier: BSD-2-Clause */
/* "open NAME word...": build an attr from words and call perf_event_open(2). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/endian.h"
#include "differential_script.h"

/* Named constants for scripts. */
static const struct {
	const char *name;
	uint64_t value;
} numbers[] = {
	{"IP", PERF_SAMPLE_IP},
	{"TID", PERF_SAMPLE_TID},
	{"TIME", PERF_SAMPLE_TIME},
	{"ADDR", PERF_SAMPLE_ADDR},
	{"READ", PERF_SAMPLE_READ},
	{"CALLCHAIN", PERF_SAMPLE_CALLCHAIN},
	{"ID", PERF_SAMPLE_ID},
	{"CPU", PERF_SAMPLE_CPU},
	{"PERIOD", PERF_SAMPLE_PERIOD},
	{"STREAM_ID", PERF_SAMPLE_STREAM_ID},
	{"RAW", PERF_SAMPLE_RAW},
	{"BRANCH_STACK", PERF_SAMPLE_BRANCH_STACK},
	{"REGS_USER", PERF_SAMPLE_REGS_USER},
	{"STACK_USER", PERF_SAMPLE_STACK_USER},
	{"WEIGHT", PERF_SAMPLE_WEIGHT},
	{"DATA_SRC", PERF_SAMPLE_DATA_SRC},
	{"IDENTIFIER", PERF_SAMPLE_IDENTIFIER},
	{"TRANSACTION", PERF_SAMPLE_TRANSACTION},
	{"REGS_INTR", PERF_SAMPLE_REGS_INTR},
	{"PHYS_ADDR", PERF_SAMPLE_PHYS_ADDR},
	{"AUX", PERF_SAMPLE_AUX},
	{"CGROUP", PERF_SAMPLE_CGROUP},
	{"DATA_PAGE_SIZE", PERF_SAMPLE_DATA_PAGE_SIZE},
	{"CODE_PAGE_SIZE", PERF_SAMPLE_CODE_PAGE_SIZE},
	{"WEIGHT_STRUCT", PERF_SAMPLE_WEIGHT_STRUCT},
	{"F_ENABLED", PERF_FORMAT_TOTAL_TIME_ENABLED},
	{"F_RUNNING", PERF_FORMAT_TOTAL_TIME_RUNNING},
	{"F_ID", PERF_FORMAT_ID},
	{"F_GROUP", PERF_FORMAT_GROUP},
	{"F_LOST", PERF_FORMAT_LOST},
	{"B_USER", PERF_SAMPLE_BRANCH_USER},
	{"B_KERNEL", PERF_SAMPLE_BRANCH_KERNEL},
	{"B_HV", PERF_SAMPLE_BRANCH_HV},
	{"B_ANY", PERF_SAMPLE_BRANCH_ANY},
	{"BP_R", HW_BREAKPOINT_R},
	{"BP_W", HW_BREAKPOINT_W},
	{"BP_RW", HW_BREAKPOINT_RW},
	{"BP_X", HW_BREAKPOINT_X},
};

typedef uint64_t (*place_fn)(struct system *system);

static place_fn place_tracepoint(const struct system_ops *ops)
{
	return ops->tracepoint;
}

static place_fn place_watched(const struct system_ops *ops)
{
	return ops->watched;
}

static place_fn place_watched_code(const struct system_ops *ops)
{
	return ops->watched_code;
}

/* Names of values that depend on the system. */
static const struct {
	const char *name;
	place_fn (*of)(const struct system_ops *ops);
} places[] = {
	{"TP", place_tracepoint},
	{"WATCHED", place_watched},
	{"WATCHED_CODE", place_watched_code},
};

/* Names of events. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} kinds[] = {
	{"cpu_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"minor", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"alignment", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	{"bpf_output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
	{"cgroup_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"tp", PERF_TYPE_TRACEPOINT, 0},
	{"breakpoint", PERF_TYPE_BREAKPOINT, 0},
};

/* Arguments of perf_event_open(2). */
struct opening {
	uint8_t bytes[SYSTEM_ATTR_BYTES];
	int32_t pid, cpu;
	int group_fd;
	unsigned long flags;
	bool null;
};

/* Parse one term of a value: a name, a number, or a shifted number. */
static bool term_value(struct script *script, const char *text, uint64_t *ret_value)
{
	uint64_t value;
	char *end;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(numbers); i++) {
		if (!strcmp(numbers[i].name, text)) {
			*ret_value = numbers[i].value;
			return true;
		}
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(places); i++) {
		if (!strcmp(places[i].name, text)) {
			const struct system_ops *ops = script->system->ops;

			*ret_value = places[i].of(ops)(script->system);
			return true;
		}
	}
	if (!strcmp(text, "MINE")) {
		*ret_value = (uint64_t)script->system->ops->tid(script->system, 0);
		return true;
	}
	value = strtoull(text, &end, 0);
	if (!strncmp(end, "<<", 2))
		value <<= strtoul(end + 2, &end, 0) & 63;
	*ret_value = value;
	return end != text && !*end;
}

bool script_value(struct script *script, const char *text, uint64_t *ret_value)
{
	uint64_t all = 0, value;
	char copy[128], *save = NULL;

	if (!*text || strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	for (char *term = strtok_r(copy, "|", &save); term; term = strtok_r(NULL, "|", &save)) {
		if (!term_value(script, term, &value))
			return false;
		all |= value;
	}
	*ret_value = all;
	return true;
}

static bool opening_kind(struct script *script, struct opening *opening, const char *word)
{
	struct perf_event_attr *attr = (void *)opening->bytes;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, word))
			continue;
		attr->type = kinds[i].type;
		attr->config = kinds[i].config;
		if (attr->type == PERF_TYPE_TRACEPOINT)
			attr->config = script->system->ops->tracepoint(script->system);
		return true;
	}
	return false;
}

/* Parse pid=, which is a task name or a number. */
static bool opening_pid(struct script *script, struct opening *opening, const char *text)
{
	int task = script_task(script, text);
	uint64_t value;

	if (task >= 0) {
		opening->pid = script->system->ops->tid(script->system, task);
		return true;
	}
	if (!script_value(script, text, &value))
		return false;
	opening->pid = (int32_t)value;
	return true;
}

/* Parse group=, which is an event name, "other" for a descriptor that is not an event, or a
 * number. */
static bool opening_group(struct script *script, struct opening *opening, const char *text)
{
	const struct script_event *event = script_event(script, text);
	uint64_t value;

	if (event) {
		opening->group_fd = event->fd;
		return true;
	}
	if (!strcmp(text, "other")) {
		opening->group_fd = script->system->ops->other_fd(script->system);
		return true;
	}
	if (!script_value(script, text, &value))
		return false;
	opening->group_fd = (int)value;
	return true;
}

static bool opening_argument(struct script *script, struct opening *opening, const char *key,
			     const char *text)
{
	struct perf_event_attr *attr = (void *)opening->bytes;
	uint64_t value;

	if (!strcmp(key, "pid"))
		return opening_pid(script, opening, text);
	if (!strcmp(key, "group"))
		return opening_group(script, opening, text);
	if (!script_value(script, text, &value))
		return false;
	if (!strcmp(key, "cpu"))
		opening->cpu = (int32_t)value;
	else if (!strcmp(key, "flags"))
		opening->flags = value;
	else if (!strcmp(key, "tail") && value < SYSTEM_ATTR_BYTES)
		opening->bytes[value] = 1;
	else if (!strcmp(key, "bit"))
		tally_put_u64(opening->bytes + 40,
			      tally_get_u64(opening->bytes + 40) | 1ull << value);
	else if (!strcmp(key, "reserved_2"))
		attr->__reserved_2 = (uint16_t)value;
	else
		return false;
	return true;
}

/* Return the name that the table of attr fields uses for a field. The table has only one name for
 * each union. */
static const char *field_name(const char *key)
{
	static const char *const others[][2] = {
		{"period", "sample_period"}, {"bp_addr", "config1"}, {"bp_len", "config2"}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(others); i++) {
		if (!strcmp(key, others[i][0]))
			return others[i][1];
	}
	return key;
}

/* Apply a word key=value. An attr field given without a value is set to 1. */
static bool opening_word(struct script *script, struct opening *opening, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct tally_attr_field *field;
	uint64_t value = 1;
	char key[32];

	snprintf(key, sizeof(key), "%.*s", (int)(equals ? equals - word : 31), word);
	if (!equals && opening_kind(script, opening, word))
		return true;
	if (!equals && !strcmp(word, "null")) {
		opening->null = true;
		return true;
	}
	field = tally_attr_find_field(field_name(key));
	if (!field)
		return equals && opening_argument(script, opening, key, equals + 1);
	if (equals && !script_value(script, equals + 1, &value))
		return false;
	tally_attr_set((void *)opening->bytes, field, value);
	return true;
}

static struct script_event *event_new(struct script *script, const char *name)
{
	struct script_event *event = script_event(script, name);

	if (!event && script->nr_events < SCRIPT_EVENTS)
		event = &script->events[script->nr_events++];
	if (event) {
		*event = (struct script_event){.fd = -1, .task = script->task};
		snprintf(event->name, sizeof(event->name), "%s", name);
	}
	return event;
}

static void opening_call(struct script *script, struct opening *opening, struct script_event *event)
{
	const struct system_ops *ops = script->system->ops;
	uint32_t size = tally_get_u32(opening->bytes + 4), after;
	int fd;

	fd = ops->open(script->system, script->task, opening->null ? NULL : opening->bytes,
		       opening->pid, opening->cpu, opening->group_fd, opening->flags);
	script_say_result(script, fd, false);
	after = tally_get_u32(opening->bytes + 4);
	if (after == ops->attr_size && after != size)
		script_say(script, "size=known");
	else if (after != size)
		script_say(script, "size=%u", after);
	if (fd < 0)
		return;
	event->fd = fd;
	memcpy(&event->attr, opening->bytes, sizeof(event->attr));
	ops->ioctl(script->system, script->task, fd, PERF_EVENT_IOC_ID, (uintptr_t)&event->id);
}

void script_open(struct script *script)
{
	static struct opening opening;
	struct perf_event_attr *attr = (void *)opening.bytes;
	struct script_event *event;

	opening = (struct opening){.cpu = -1, .group_fd = -1};
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	for (int i = 2; i < script->nr_words; i++) {
		if (!opening_word(script, &opening, script->words[i])) {
			script->wrong = script->words[i];
			return;
		}
	}
	event = event_new(script, script->words[1]);
	if (event)
		opening_call(script, &opening, event);
	else
		script->wrong = "too many events";
}

void script_modify(struct script *script)
{
	static struct opening opening;
	struct script_event *event = script_event(script, script->words[1]);
	int result;

	if (!event) {
		script->wrong = "no such event";
		return;
	}
	opening = (struct opening){.cpu = -1, .group_fd = -1};
	memcpy(opening.bytes, &event->attr, sizeof(event->attr));
	for (int i = 2; i < script->nr_words; i++) {
		if (!opening_word(script, &opening, script->words[i])) {
			script->wrong = script->words[i];
			return;
		}
	}
	result = script->system->ops->ioctl(script->system, event->task, event->fd,
					    PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
					    (uintptr_t)(opening.null ? NULL : opening.bytes));
	script_say_result(script, result, false);
	if (!result)
		memcpy(&event->attr, opening.bytes, sizeof(event->attr));
}
