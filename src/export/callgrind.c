/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callgrind format: the self cost of each line in a function, and the cost of the calls from
 * that line. As samples do not contain call counts, each edge in the graph has one call.
 *
 * Readers compute a function's total cost either as its self cost plus the cost of its calls, or as
 * the cost of the calls to it. For both results to be correct, each sample must count as one call
 * to, and one call from, each function on its stack. Therefore a function that occurs several times
 * on the stack is kept only at its outermost occurrence, except that the leaf function is kept only
 * at the leaf. The outermost functions are called by a function that represents the whole profile.
 * If all functions between two others are removed, an edge connects those two.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/slots.h"
#include "export/callgrind_names.h"
#include "export/formats.h"
#include "export/model.h"
#include "export/stream.h"

#define NO_CALLEE UINT32_MAX
#define NO_FRAME  UINT32_MAX /* the function "[all]" has no frame */
#define ALL       "[all]"

/* The cost of a line in a function: its self cost, or the cost of calls to `callee`. */
struct callgrind_cost {
	uint32_t function, callee; /* NO_CALLEE for self cost */
	uint32_t line;             /* 0 if unknown */
	size_t values;             /* index into callgrind.values: two values for each event */
};

struct callgrind {
	const struct tally_export *export;
	const struct tally_profile *profile;
	struct tally_export_model model;
	struct tally_export_stream stream;
	TALLY_VEC(struct callgrind_cost) costs;
	struct tally_slots slots; /* hash index of `costs` */
	TALLY_VEC(uint64_t) values;
	uint64_t *met;   /* by function: index + 1 of the last bucket counted for it */
	uint8_t *shares; /* from callgrind_suffixes() */
	struct tally_intern names, files, objects;
};

/* ---- adding up costs ----------------------------------------------------------- */

static int cost_new(struct callgrind *callgrind, const struct callgrind_cost *cost, uint32_t hash,
		    struct callgrind_cost **ret_cost)
{
	size_t values = callgrind->values.len, nr = 2 * callgrind->export->nr_events;
	struct callgrind_cost made = *cost;
	int ret = tally_vec_reserve(&callgrind->values, values + nr);

	made.values = values;
	if (callgrind->costs.len >= INT32_MAX)
		ret = -ENOMEM;
	if (!ret)
		ret = tally_slots_add(&callgrind->slots, hash, (uint32_t)callgrind->costs.len);
	if (!ret)
		ret = tally_vec_push(&callgrind->costs, made);
	if (ret)
		return ret;
	memset(callgrind->values.data + values, 0, nr * sizeof(uint64_t));
	callgrind->values.len += nr;
	*ret_cost = &callgrind->costs.data[callgrind->costs.len - 1];
	return 0;
}

static int cost_find(struct callgrind *callgrind, const struct callgrind_cost *cost,
		     struct callgrind_cost **ret_cost)
{
	uint64_t h = tally_hash_mix((uint64_t)cost->function << 32 | cost->callee,
				    (uint64_t)cost->line ^ 0x9e3779b97f4a7c15ull);
	uint32_t hash = (uint32_t)tally_hash_u64(h, 0), number;

	for (size_t pos = hash; tally_slots_next(&callgrind->slots, hash, &pos, &number);) {
		struct callgrind_cost *found = &callgrind->costs.data[number];

		if (found->function == cost->function && found->callee == cost->callee &&
		    found->line == cost->line) {
			*ret_cost = found;
			return 0;
		}
	}
	return cost_new(callgrind, cost, hash, ret_cost);
}

/* Return the line number, or 0 if the line is not in the function's file, for example because it
 * belongs to a macro from another file. Files are compared by name, as the compiler may omit the
 * directory from one of the paths. */
static uint32_t line_of(const struct callgrind *callgrind, uint32_t frame)
{
	const struct tally_line *line = callgrind->profile->frames.all.data[frame].line;
	const char *file =
		callgrind->model.functions.data[callgrind->model.function_of[frame]].file;
	const char *name = tally_line_file_name(line);

	return name && file && !strcmp(name, tally_path_name(file)) ? line->line : 0;
}

/* Add a bucket to the self cost of the function that `frame` is in, or to the cost of the
 * function's calls to `callee`. */
static int count(struct callgrind *callgrind, const struct tally_bucket *bucket, size_t event,
		 uint32_t frame, uint32_t callee)
{
	struct callgrind_cost cost = {
		.function = frame == NO_FRAME ? (uint32_t)callgrind->model.functions.len
					      : callgrind->model.function_of[frame],
		.callee = callee,
		.line = frame == NO_FRAME ? 0 : line_of(callgrind, frame),
	};
	struct callgrind_cost *found;
	uint64_t *values;
	int ret = cost_find(callgrind, &cost, &found);

	if (ret)
		return ret;
	values = &callgrind->values.data[found->values + 2 * event];
	values[0] = tally_export_sum(callgrind->export, values[0], bucket->period);
	values[1] += bucket->nr;
	return 0;
}

static int count_bucket(struct callgrind *callgrind, size_t i, size_t event)
{
	const struct tally_bucket *bucket = &callgrind->profile->buckets.data[i];
	const uint32_t *function_of = callgrind->model.function_of;
	uint32_t leaf = tally_export_frame(callgrind->profile, &bucket->key, 0);
	uint32_t caller = NO_FRAME;
	int ret = 0;

	callgrind->met[function_of[leaf]] = i + 1;
	for (uint32_t at = tally_export_depth(callgrind->profile, &bucket->key);
	     --at > 0 && !ret;) {
		uint32_t frame = tally_export_frame(callgrind->profile, &bucket->key, at);
		uint32_t function = function_of[frame];

		/* For direct recursion, attribute the next call to the innermost frame. */
		if (caller != NO_FRAME && function_of[caller] == function)
			caller = frame;
		if (callgrind->met[function] == i + 1)
			continue;
		callgrind->met[function] = i + 1;
		ret = count(callgrind, bucket, event, caller, function);
		caller = frame;
	}
	if (!ret)
		ret = count(callgrind, bucket, event, caller, function_of[leaf]);
	return ret ? ret : count(callgrind, bucket, event, leaf, NO_CALLEE);
}

static int count_all(struct callgrind *callgrind)
{
	const struct tally_export *export = callgrind->export;
	int ret = 0;

	for (size_t i = 0; i < callgrind->profile->buckets.len; i++) {
		const struct tally_bucket *bucket = &callgrind->profile->buckets.data[i];

		for (size_t event = 0; event < export->nr_events && !ret; event++) {
			if (bucket->nr && export->events[event].number == bucket->key.event)
				ret = count_bucket(callgrind, i, event);
		}
	}
	return ret;
}

/* ---- writing ------------------------------------------------------------------- */

/* Compare by function, then callee (self cost first), then line. */
static int by_place(const void *a, const void *b)
{
	const struct callgrind_cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee + 1 < y->callee + 1 ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->values > y->values) - (x->values < y->values);
}

/* Append an event name. As a space would end the name, replace characters other than letters and
 * digits with "_". */
static void add_event_name(struct tally_str *out, const char *name, const char *behind)
{
	tally_str_add_char(out, ' ');
	for (; *name; name++) {
		bool is_plain = (*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'z') ||
				(*name >= 'A' && *name <= 'Z');

		tally_str_add_char(out, is_plain ? *name : '_');
	}
	tally_str_add(out, behind);
}

static void add_head(struct callgrind *callgrind)
{
	const struct tally_export *export = callgrind->export;
	struct tally_str *out = &callgrind->stream.text;

	tally_str_add(out, "# callgrind format\nversion: 1\ncreator: ");
	tally_str_add(out, export->version);
	tally_str_add(out, "\ncmd: ");
	tally_str_add_escaped(out, export->title);
	tally_str_add(out, "\npositions: line\nevents:");
	for (size_t i = 0; i < export->nr_events; i++) {
		add_event_name(out, export->events[i].name, "");
		add_event_name(out, export->events[i].name, "_samples");
	}
	tally_str_add(out, "\n");
}

/* Append "fn=(3) name", or "fn=(3)" if the name is already defined. */
static int add_name(struct callgrind *callgrind, const char *what, struct tally_intern *table,
		    const char *name)
{
	struct tally_str *out = &callgrind->stream.text;
	size_t known = table->strings.len;
	uint32_t id;
	int ret = tally_intern(table, name, strlen(name), &id);

	if (ret)
		return ret;
	tally_str_add(out, what);
	tally_str_add(out, "=(");
	tally_str_add_u64(out, (uint64_t)id + 1);
	tally_str_add_char(out, ')');
	if (table->strings.len > known) {
		tally_str_add_char(out, ' ');
		tally_str_add_escaped(out, name);
	}
	tally_str_add_char(out, '\n');
	return 0;
}

static const char *const own_names[] = {"ob", "fl", "fn"};
static const char *const callee_names[] = {"cob", "cfi", "cfn"};

/* Append a function's object, file and name. */
static int add_function(struct callgrind *callgrind, const char *const *names, uint32_t number)
{
	static const struct tally_export_function all = {0};
	bool is_all = number == callgrind->model.functions.len;
	const struct tally_export_function *function =
		is_all ? &all : &callgrind->model.functions.data[number];
	struct tally_str name = {0};
	int ret;

	tally_export_add_dso(function->dso, &name);
	ret = add_name(callgrind, names[0], &callgrind->objects, tally_str_text(&name));
	if (!ret)
		ret = add_name(callgrind, names[1], &callgrind->files, callgrind_file(function));
	tally_str_clear(&name);
	if (is_all)
		tally_str_add(&name, ALL);
	else
		callgrind_add_name(&callgrind->model, callgrind->shares, number, &name);
	if (!ret)
		ret = add_name(callgrind, names[2], &callgrind->names, tally_str_text(&name));
	ret = ret ? ret : tally_str_error(&name);
	tally_str_free(&name);
	return ret;
}

static void add_values(struct callgrind *callgrind, const struct callgrind_cost *cost)
{
	struct tally_str *out = &callgrind->stream.text;

	tally_str_add_u64(out, cost->line);
	for (size_t i = 0; i < 2 * callgrind->export->nr_events; i++) {
		tally_str_add_char(out, ' ');
		tally_str_add_u64(out, callgrind->values.data[cost->values + i]);
	}
	tally_str_add_char(out, '\n');
}

static int add_cost(struct callgrind *callgrind, const struct callgrind_cost *cost)
{
	int ret = 0;

	if (cost->callee != NO_CALLEE) {
		ret = add_function(callgrind, callee_names, cost->callee);
		tally_str_add(&callgrind->stream.text, "calls=1 0\n");
	}
	add_values(callgrind, cost);
	return ret ? ret : tally_export_flush_some(&callgrind->stream);
}

static int add_costs(struct callgrind *callgrind)
{
	uint32_t function = UINT32_MAX;
	int ret = 0;

	tally_vec_for_each (cost, &callgrind->costs) {
		if (cost->function != function) {
			function = cost->function;
			tally_str_add_char(&callgrind->stream.text, '\n');
			ret = add_function(callgrind, own_names, function);
		}
		if (!ret)
			ret = add_cost(callgrind, cost);
		if (ret)
			break;
	}
	return ret;
}

static void add_totals(struct callgrind *callgrind)
{
	const struct tally_export *export = callgrind->export;
	struct tally_str *out = &callgrind->stream.text;

	tally_str_add(out, "\ntotals:");
	for (size_t i = 0; i < 2 * export->nr_events; i++) {
		uint64_t sum = 0;

		tally_vec_for_each (cost, &callgrind->costs) {
			if (cost->callee == NO_CALLEE)
				sum = tally_export_sum(export, sum,
						       callgrind->values.data[cost->values + i]);
		}
		tally_str_add_char(out, ' ');
		tally_str_add_u64(out, sum);
	}
	tally_str_add_char(out, '\n');
}

static int callgrind_write(struct callgrind *callgrind)
{
	int ret;

	callgrind->met = calloc(callgrind->model.functions.len + 1, sizeof(*callgrind->met));
	if (!callgrind->met)
		return -ENOMEM;
	ret = tally_export_model_link(&callgrind->model, TALLY_EXPORT_FROM_ZERO);
	if (ret)
		return ret;
	callgrind->shares = callgrind_suffixes(&callgrind->model);
	if (!callgrind->shares)
		return -ENOMEM;
	ret = count_all(callgrind);
	if (callgrind->costs.len)
		qsort(callgrind->costs.data, callgrind->costs.len, sizeof(*callgrind->costs.data),
		      by_place);
	add_head(callgrind);
	if (!ret)
		ret = add_costs(callgrind);
	add_totals(callgrind);
	return ret;
}

static int write_format(const struct tally_export *export)
{
	struct callgrind callgrind = {.export = export, .profile = export->profile};
	int ret = tally_export_model_build(export, &callgrind.model);

	if (!ret)
		ret = tally_export_stream_start(&callgrind.stream, export, export->packs);
	if (!ret)
		ret = callgrind_write(&callgrind);
	ret = tally_export_stream_end(&callgrind.stream, ret);
	tally_intern_free(&callgrind.names);
	tally_intern_free(&callgrind.files);
	tally_intern_free(&callgrind.objects);
	tally_vec_free(&callgrind.costs);
	tally_vec_free(&callgrind.values);
	tally_slots_free(&callgrind.slots);
	free(callgrind.shares);
	free(callgrind.met);
	tally_export_model_free(&callgrind.model);
	return ret;
}

const struct tally_export_format tally_export_callgrind = {
	.name = "callgrind",
	.help = "KCachegrind, callgrind_annotate",
	.lines = TALLY_LINES_ALL | TALLY_LINES_APART,
	.write = write_format,
};
