/* SPDX-License-Identifier: BSD-2-Clause */
/* Script parser. A script has one statement per line. Words are separated by blanks, and a comment
 * extends from '#' to the end of the line. */
#include <errno.h>
#include <string.h>

#include "abi/attr_name.h"
#include "base/arith.h"
#include "emulate/emulate_script.h"
#include "emulate/script_words.h"
#include "tally/abi.h"

/* ---- pmu, paranoid, cpus, time ------------------------------------------- */

static int pmu_option(struct script_line *line, struct tally_script *script)
{
	uint64_t value;

	if (script_accept(line, "no-interrupt")) {
		script->no_interrupt = true;
		return 0;
	}
	if (script_accept(line, "counters")) {
		if (script_number(line, 1, 24, "a PMU must have 1 to 24 counters", &value))
			return -EINVAL;
		script->counters = (uint8_t)value;
		return 0;
	}
	if (!script_accept(line, "width"))
		return script_fail(line, "expected counters, width or no-interrupt");
	if (script_number(line, 8, 64, "counters must have 8 to 64 bits", &value))
		return -EINVAL;
	script->width = (uint8_t)value;
	return 0;
}

static int parse_pmu(struct script_line *line, struct tally_script *script)
{
	int ret = script_name(line, script->pmu);

	if (!ret && !strcmp(script->pmu, "none")) {
		script->pmu[0] = '\0';
		return 0;
	}
	while (!ret && script_has_word(line))
		ret = pmu_option(line, script);
	return ret;
}

static int parse_paranoid(struct script_line *line, struct tally_script *script)
{
	bool negative = script_accept(line, "-1");
	uint64_t value = 0;

	if (!negative && script_number(line, 0, 3, "expected a level from -1 to 3", &value))
		return -EINVAL;
	script->paranoid = negative ? -1 : (int32_t)value;
	return 0;
}

static int parse_cpus(struct script_line *line, struct tally_script *script)
{
	uint64_t value;
	int ret = script_number(line, 1, 128, "a machine must have 1 to 128 CPUs", &value);

	if (!ret)
		script->cpus = (uint32_t)value;
	return ret;
}

static int parse_time(struct script_line *line, struct tally_script *script)
{
	uint64_t *to;

	do {
		if (script_accept(line, "call"))
			to = &script->call_ns;
		else if (script_accept(line, "life"))
			to = &script->life_ns;
		else
			return script_fail(line, "expected 'call' or 'life'");
		if (script_time(line, to))
			return -EINVAL;
	} while (script_has_word(line));
	return 0;
}

/* ---- events ---------------------------------------------------------------- */

#define ROW(constant, name, alias, text) {name, alias, PERF_COUNT_HW_##constant},
static const struct {
	const char *name, *alias;
	uint64_t config;
} hardware[] = {TALLY_HARDWARE_EVENTS(ROW)};
#undef ROW

static bool find_hardware(const char *name, struct tally_script_event *event)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(hardware); i++) {
		if (strcmp(name, hardware[i].name) &&
		    (!hardware[i].alias || strcmp(name, hardware[i].alias)))
			continue;
		event->type = PERF_TYPE_HARDWARE;
		event->config = hardware[i].config;
		return true;
	}
	return false;
}

static bool find_cache(const char *name, struct tally_script_event *event)
{
	char known[TALLY_ATTR_NAME_MAX];

	for (uint64_t i = 0; i < PERF_COUNT_HW_CACHE_MAX * 6; i++) {
		uint64_t config = i / 6 | i / 2 % 3 << 8 | i % 2 << 16;

		if (!tally_cache_name(config, known) || strcmp(name, known))
			continue;
		event->type = PERF_TYPE_HW_CACHE;
		event->config = config;
		return true;
	}
	return false;
}

/* Parse a raw event: "r" followed by hexadecimal digits. */
static bool find_raw(const char *name, struct tally_script_event *event)
{
	uint64_t config = 0;
	size_t len = strlen(name);

	if (name[0] != 'r' || len < 2 || len > 17)
		return false;
	for (size_t i = 1; i < len; i++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, name[i]);

		if (!digit)
			return false;
		config = config << 4 | (uint64_t)(digit - digits);
	}
	event->type = PERF_TYPE_RAW;
	event->config = config;
	return true;
}

static const struct tally_script_event *find_event(const struct tally_script *script,
						   const char *name)
{
	for (uint32_t i = 0; i < script->nr_events; i++)
		if (!strcmp(script->events[i].name, name))
			return &script->events[i];
	return NULL;
}

/* Parse the "per [NUMBER] EVENT" that follows a number. `nano` is that number in billionths. */
static int rate_per(struct script_line *line, const struct tally_script *script,
		    unsigned __int128 nano, struct tally_script_event *event)
{
	const struct tally_script_event *other;
	unsigned __int128 divisor = 1000000000, rate;
	char name[TALLY_SCRIPT_NAME];

	if (script_is_number(line) && script_decimal(line, &divisor))
		return -EINVAL;
	if (!divisor)
		return script_fail(line, "the number after 'per' must not be 0");
	if (script_name(line, name))
		return -EINVAL;
	other = find_event(script, name);
	if (!other)
		return script_fail(line, "the event is not defined by an earlier line");
	if (nano >> 64)
		return script_fail(line, "the rate exceeds what a counter can count");
	rate = nano * other->per_s / divisor;
	if (rate > TALLY_SCRIPT_RATE_MAX)
		return script_fail(line, "the rate exceeds what a counter can count");
	event->per_s = (uint64_t)rate;
	return 0;
}

static int parse_sequence(struct script_line *line, struct tally_script *script,
			  struct tally_script_event *event)
{
	uint64_t value;

	event->first = script->nr_sequence;
	do {
		if (script_number(line, 0, UINT64_MAX, "expected a count", &value))
			return -EINVAL;
		if (script->nr_sequence == TALLY_SCRIPT_SEQUENCE)
			return script_fail(line, "sequences have more than 4096 values in total");
		script->sequence[script->nr_sequence++] = value;
	} while (script_is_number(line));
	event->nr = script->nr_sequence - event->first;
	return 0;
}

/* Parse "NUMBER/s", "NUMBER per ..." or "sequence NUMBER...". */
static int parse_rate(struct script_line *line, struct tally_script *script,
		      struct tally_script_event *event)
{
	unsigned __int128 nano;

	if (script_accept(line, "sequence"))
		return parse_sequence(line, script, event);
	if (script_decimal(line, &nano))
		return -EINVAL;
	if (script_accept(line, "per"))
		return rate_per(line, script, nano, event);
	if (!script_accept(line, "/s"))
		return script_fail(line, "expected '/s' or 'per' after the number");
	if (nano / 1000000000 > TALLY_SCRIPT_RATE_MAX)
		return script_fail(line, "the rate exceeds what a counter can count");
	event->per_s = (uint64_t)(nano / 1000000000);
	return 0;
}

/* Parse "on NUMBER...". */
static int parse_counters(struct script_line *line, struct tally_script_event *event)
{
	uint64_t value;

	if (!script_accept(line, "on"))
		return script_fail(line, "expected 'on' after the rate");
	do {
		if (script_number(line, 0, 23, "expected a counter from 0 to 23", &value))
			return -EINVAL;
		event->counters |= 1u << value;
	} while (script_has_word(line));
	return 0;
}

static int parse_event(struct script_line *line, struct tally_script *script)
{
	struct tally_script_event event = {0};
	int ret = script_name(line, event.name);

	if (ret)
		return ret;
	if (!find_hardware(event.name, &event) && !find_cache(event.name, &event) &&
	    !find_raw(event.name, &event))
		return script_fail(line, "expected a generic event, a cache event or rNNN");
	if (find_event(script, event.name))
		return script_fail(line, "the event is already defined");
	if (script->nr_events == TALLY_SCRIPT_EVENTS)
		return script_fail(line, "more than 16 events");
	ret = parse_rate(line, script, &event);
	if (!ret && script_has_word(line))
		ret = parse_counters(line, &event);
	if (!ret)
		script->events[script->nr_events++] = event;
	return ret;
}

/* ---- places, failures --------------------------------------------------------- */

static int parse_place(struct script_line *line, struct tally_script *script)
{
	struct tally_script_place place = {.weight = 1};
	uint64_t weight;
	int ret;

	if (script->nr_places == TALLY_SCRIPT_PLACES)
		return script_fail(line, "more than 64 places");
	if (script_is_number(line))
		ret = script_number(line, 1, UINT64_MAX, "expected an address", &place.address);
	else
		ret = script_name(line, place.symbol);
	if (!ret && script_accept(line, "+"))
		ret = *place.symbol ? script_number(line, 0, UINT32_MAX, "expected an offset",
						    &place.address)
				    : script_fail(line, "an offset requires a symbol");
	if (ret || script_number(line, 1, 1000000, "expected a weight from 1 to 1000000", &weight))
		return -EINVAL;
	place.weight = (uint32_t)weight;
	script->places[script->nr_places++] = place;
	return 0;
}

static const struct {
	const char *name;
	int error;
} errors[] = {
	{"EPERM", EPERM},
	{"ENOENT", ENOENT},
	{"ESRCH", ESRCH},
	{"EINTR", EINTR},
	{"EIO", EIO},
	{"E2BIG", E2BIG},
	{"EBADF", EBADF},
	{"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM},
	{"EACCES", EACCES},
	{"EFAULT", EFAULT},
	{"EBUSY", EBUSY},
	{"ENODEV", ENODEV},
	{"EINVAL", EINVAL},
	{"EMFILE", EMFILE},
	{"ENOTTY", ENOTTY},
	{"ENOSPC", ENOSPC},
	{"ENOSYS", ENOSYS},
	{"EOVERFLOW", EOVERFLOW},
	{"EOPNOTSUPP", EOPNOTSUPP},
};

static const char *const call_names[] = {"open", "ioctl", "mmap", "read"};

static int parse_fail(struct script_line *line, struct tally_script *script)
{
	struct tally_script_failure failure = {0};
	size_t i = 0;

	if (script->nr_failures == TALLY_SCRIPT_FAILURES)
		return script_fail(line, "more than 64 failures");
	while (i < TALLY_ARRAY_SIZE(call_names) && !script_accept(line, call_names[i]))
		i++;
	if (i == TALLY_ARRAY_SIZE(call_names))
		return script_fail(line, "expected open, ioctl, mmap or read");
	failure.call = (enum tally_script_call)i;
	if (!script_accept(line, "each") &&
	    script_number(line, 1, UINT64_MAX, "expected a call number, counted from 1, or 'each'",
			  &failure.nth))
		return -EINVAL;
	for (i = 0; i < TALLY_ARRAY_SIZE(errors); i++)
		if (script_accept(line, errors[i].name))
			break;
	if (i == TALLY_ARRAY_SIZE(errors))
		return script_fail(line, "unknown error name");
	failure.error = errors[i].error;
	script->failures[script->nr_failures++] = failure;
	return 0;
}

/* ---- lines ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*parse)(struct script_line *line, struct tally_script *script);
} statements[] = {
	{"pmu", parse_pmu},   {"paranoid", parse_paranoid}, {"cpus", parse_cpus},
	{"time", parse_time}, {"event", parse_event},       {"place", parse_place},
	{"fail", parse_fail},
};

static int parse_line(struct script_line *line, struct tally_script *script)
{
	int ret;

	if (!script_has_word(line))
		return 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(statements); i++) {
		if (!script_accept(line, statements[i].name))
			continue;
		ret = statements[i].parse(line, script);
		if (!ret && script_has_word(line))
			return script_fail(line, "unexpected text at the end of the statement");
		return ret;
	}
	return script_fail(line,
			   "expected a statement: pmu, paranoid, cpus, time, event, place or fail");
}

int tally_script_parse(const char *text, size_t len, struct tally_script *ret_script,
		       struct tally_script_error *ret_error)
{
	struct script_line line = {.error = ret_error};
	size_t at = 0;

	if (len > TALLY_SCRIPT_BYTES)
		return -E2BIG;
	*ret_script = (struct tally_script){
		.pmu = "cpu",
		.counters = 4,
		.width = 48,
		.paranoid = -1,
		.call_ns = 1000000,
		.life_ns = 10000000,
	};
	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line_len = end ? (size_t)(end - text) - at : len - at;

		script_line_begin(&line, text + at, line_len);
		if (parse_line(&line, ret_script))
			return -EINVAL;
		at += line_len + 1;
	}
	return 0;
}
