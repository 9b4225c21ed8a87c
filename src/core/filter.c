/* SPDX-License-Identifier: BSD-2-Clause */
/* Set and evaluate tracepoint filters, and handle tracepoint hits. */
#include "core/filter.h"

#include "core/pmus.h"
#include "core/software.h"

#if TALLY_CORE_TRACEPOINTS

/* ---- evaluating ------------------------------------------------------------------------- */

static uint64_t field_number(const struct tally_core_field *field, const uint8_t *raw, uint32_t len)
{
	const uint8_t *at = raw + field->offset;

	if ((uint32_t)field->offset + field->size > len)
		return 0;
	switch (field->size) {
	case 1: return field->is_signed ? (uint64_t)(int8_t)*at : *at;
	case 2: return field->is_signed ? (uint64_t)(int16_t)tally_get_u16(at) : tally_get_u16(at);
	case 4: return field->is_signed ? (uint64_t)(int32_t)tally_get_u32(at) : tally_get_u32(at);
	case 8: return tally_get_u64(at);
	}
	return 0;
}

/* Return a < b, as signed numbers if the field is signed. Flipping the top bits turns signed order
 * into unsigned order. */
static bool less(const struct tally_core_field *field, uint64_t a, uint64_t b)
{
	uint64_t turn = field->is_signed ? UINT64_C(1) << 63 : 0;

	return (a ^ turn) < (b ^ turn);
}

static bool number_passes(const struct tally_filter_node *node, uint64_t value)
{
	switch ((enum tally_filter_op)node->op) {
	case TALLY_FILTER_EQ: return value == node->number;
	case TALLY_FILTER_NE: return value != node->number;
	case TALLY_FILTER_LT: return less(node->field, value, node->number);
	case TALLY_FILTER_LE: return !less(node->field, node->number, value);
	case TALLY_FILTER_GT: return less(node->field, node->number, value);
	case TALLY_FILTER_GE: return !less(node->field, value, node->number);
	case TALLY_FILTER_BITS: return value & node->number;
	default: return false;
	}
}

/* Match the wildcards '*' and '?'. On a mismatch, extend the match of the last '*' by one
 * character. */
static bool like(const char *text, size_t len, const char *pattern, size_t pattern_len)
{
	size_t t = 0, p = 0, star = SIZE_MAX, from = 0;

	while (t < len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern_len && (pattern[p] == '?' || pattern[p] == text[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}

static bool string_passes(const struct tally_core_filter *filter,
			  const struct tally_filter_node *node, const uint8_t *raw, uint32_t len)
{
	const struct tally_core_field *field = node->field;
	uint32_t room = field->offset < len ? TALLY_MIN(field->size, len - field->offset) : 0;
	const char *text = (const char *)raw + field->offset;
	size_t text_len = 0;

	while (text_len < room && text[text_len])
		text_len++;
	if (node->op == TALLY_FILTER_LIKE)
		return like(text, text_len, filter->text + node->text, node->text_len);
	return (text_len == node->text_len &&
		!__builtin_memcmp(text, filter->text + node->text, text_len)) ==
	       (node->op == TALLY_FILTER_EQ);
}

/* Evaluate the filter. The stack of truth values fits in a word, because no filter needs more than
 * TALLY_FILTER_TRUTHS values. */
bool tally_filter_passes(const struct tally_core_filter *filter, const void *raw, uint32_t len)
{
	uint64_t stack = 0;

	for (uint32_t i = 0; i < filter->nr; i++) {
		const struct tally_filter_node *node = &filter->nodes[i];

		switch ((enum tally_filter_kind)node->kind) {
		case TALLY_FILTER_NOT: stack ^= 1; break;
		case TALLY_FILTER_AND: stack = (stack >> 1) & ~(~stack & 1); break;
		case TALLY_FILTER_OR: stack = (stack >> 1) | (stack & 1); break;
		case TALLY_FILTER_NUMBER:
			stack = stack << 1 |
				number_passes(node, field_number(node->field, raw, len));
			break;
		case TALLY_FILTER_STRING:
			stack = stack << 1 | string_passes(filter, node, raw, len);
			break;
		}
	}
	return stack & 1;
}

/* ---- setting ---------------------------------------------------------------------------- */

static const struct tally_core_refusal bad_address =
	TALLY_WHY(-EFAULT, "argument", "the filter string cannot be read", "");
static const struct tally_core_refusal no_memory = TALLY_WHY(-ENOMEM, "", "out of memory", "");
static const struct tally_core_refusal too_long =
	TALLY_WHY(-EINVAL, "argument", "the filter is empty or too long", "");
static const struct tally_core_refusal no_tracepoint =
	TALLY_WHY(-EINVAL, "type", "only tracepoints have fields to filter by", "");
static const struct tally_core_refusal second =
	TALLY_WHY(-EEXIST, "argument", "the event already has a filter",
		  "open another event to use another filter");
static const struct tally_core_refusal bad_filter[] = {
	TALLY_WHY(-EPERM, "argument", "unexpected text after the expression", ""),
	TALLY_WHY(-ENOENT, "argument", "missing closing parenthesis", ""),
	TALLY_WHY(-ESRCH, "argument", "unterminated string", ""),
	TALLY_WHY(-E2BIG, "argument", "the expression is too long or nested too deeply", ""),
	TALLY_WHY(-EINVAL, "argument", "invalid comparison, or not a field of the tracepoint",
		  "use: field operator value"),
};

/* Copy a string from user memory byte by byte, as the memory after it may be unreadable. */
static const struct tally_core_refusal *copy_text(struct tally_core *core, const char *user,
						  char *text, size_t *ret_len)
{
	for (size_t len = 0; len < TALLY_FILTER_TEXT_MAX; len++) {
		if (core->ops->copy_from_user(core->host, text + len,
					      (const void *)((uintptr_t)user + len), 1))
			return &bad_address;
		if (!text[len]) {
			*ret_len = len;
			return len ? NULL : &too_long;
		}
	}
	return &too_long;
}

/* Copy the nodes, followed by the string, to a filter of exactly the size needed. */
static const struct tally_core_refusal *make_filter(const struct tally_core *core,
						    const struct tally_filter_node *nodes,
						    uint32_t nr, const char *text, size_t len,
						    struct tally_core_filter **ret_filter)
{
	size_t size = sizeof(struct tally_core_filter) + nr * sizeof(*nodes) + len;
	struct tally_core_filter *filter = tally_core_alloc(core, size);
	char *copy;

	if (!filter)
		return &no_memory;
	copy = (char *)&filter->nodes[nr];
	__builtin_memcpy(filter->nodes, nodes, nr * sizeof(*nodes));
	__builtin_memcpy(copy, text, len);
	filter->text = copy;
	filter->nr = nr;
	filter->size = (uint32_t)size;
	*ret_filter = filter;
	return NULL;
}

static const struct tally_core_refusal *why_bad_filter(int error)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad_filter); i++) {
		if (bad_filter[i].code == error)
			return &bad_filter[i];
	}
	return &no_memory;
}

/* Parse the string into a filter. The string has at least as many characters as the filter has
 * nodes. */
static const struct tally_core_refusal *compile(const struct tally_core_event *event,
						const struct tally_core_tracepoint *tracepoint,
						const char *text, size_t len,
						struct tally_core_filter **ret_filter)
{
	const struct tally_core_refusal *why;
	size_t size = len * sizeof(struct tally_filter_node);
	struct tally_filter_node *nodes = tally_core_alloc(event->core, size);
	uint32_t nr;
	int ret;

	if (!nodes)
		return &no_memory;
	ret = tally_filter_parse(tracepoint->fields, tracepoint->nr_fields, text, len, nodes,
				 (uint32_t)len, &nr, NULL);
	why = ret ? why_bad_filter(ret)
		  : make_filter(event->core, nodes, nr, text, len, ret_filter);
	tally_core_free(event->core, nodes, size);
	return why;
}

/* If two callers set a filter at the same time, the second one fails with -EEXIST. */
static const struct tally_core_refusal *attach_filter(struct tally_core_event *event,
						      struct tally_core_filter *filter)
{
	struct tally_core_filter *none = NULL;

	if (tally_compare_exchange(&event->filter, &none, filter))
		return NULL;
	tally_core_free(event->core, filter, filter->size);
	return &second;
}

const struct tally_core_refusal *tally_filter_set(struct tally_core_event *event,
						  const char *user_text)
{
	struct tally_core *core = event->core;
	const struct tally_core_refusal *why;
	char *text = tally_core_alloc(core, TALLY_FILTER_TEXT_MAX);
	struct tally_core_tracepoint *tracepoint;
	struct tally_core_filter *filter = NULL;
	size_t len = 0;

	if (!text)
		return &no_memory;
	why = copy_text(core, user_text, text, &len);
	tracepoint = tally_tracepoint_get(event);
	if (!why && !tracepoint)
		why = &no_tracepoint;
	if (!why && tally_load_relaxed(&event->filter))
		why = &second;
	if (!why)
		why = compile(event, tracepoint, text, len, &filter);
	if (!why)
		why = attach_filter(event, filter);
	tally_tracepoint_put(tracepoint);
	tally_core_free(core, text, TALLY_FILTER_TEXT_MAX);
	return why;
}

void tally_filter_free(struct tally_core_event *event)
{
	if (event->filter)
		tally_core_free(event->core, event->filter, event->filter->size);
}

/* ---- hits ------------------------------------------------------------------------------- */

void tally_core_watched_tracepoint_hit(struct tally_core *core,
				       const struct tally_core_tracepoint *tracepoint,
				       const void *raw, uint32_t len,
				       const struct tally_core_sample_data *sample_data)
{
	const struct tally_bytes bytes = {raw, len};
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	tally_list_for_each (link, tally_tracepoint_bucket(cpu, tracepoint->id)) {
		struct tally_core_event *event =
			tally_container_of(link, struct tally_core_event, hook);
		const struct tally_core_filter *filter =
			tally_load_acquire(&tally_event_root(event)->filter);

		if (event->tracepoint != tracepoint)
			continue;
		if (!filter || tally_filter_passes(filter, raw, len))
			tally_software_count(event, 1, sample_data, &bytes);
	}
}

#else

const struct tally_core_refusal *tally_filter_set(struct tally_core_event *event,
						  const char *user_text)
{
	static const struct tally_core_refusal no_filters =
		TALLY_WHY(-EOPNOTSUPP, "request", "this core is built without filters", "");

	return &no_filters;
}

void tally_core_watched_tracepoint_hit(struct tally_core *core,
				       const struct tally_core_tracepoint *tracepoint,
				       const void *raw, uint32_t len,
				       const struct tally_core_sample_data *sample_data)
{
}

#endif
