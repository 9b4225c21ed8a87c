/* SPDX-License-Identifier: BSD-2-Clause */
/* Print counts and records as words that do not vary between runs. */
#include <stdio.h>
#include <string.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "base/arith.h"
#include "differential_script.h"

/* Words describing a record, collected for comparison with the previous record. */
struct record_text {
	struct script *script;
	struct tally_str words;
	uint64_t last_time;
	struct tally_str last; /* complete text of the previous record */
	unsigned times;        /* number of consecutive occurrences of `last` */
};

static void add(struct record_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct record_text *text, const char *format, ...)
{
	va_list args;

	if (text->words.len)
		tally_str_add_char(&text->words, ',');
	va_start(args, format);
	tally_str_addv(&text->words, format, args);
	va_end(args);
}

/* Add a timestamp's name, and whether the timestamp is 0 or earlier than the previous one. */
static void add_time(struct record_text *text, const char *name, uint64_t time)
{
	add(text, "%s%s", name, !time ? "=0" : time < text->last_time ? "=earlier" : "");
	text->last_time = time;
}

static void add_presence(struct record_text *text, const char *name, uint64_t value)
{
	add(text, "%s%s", name, value ? "" : "=0");
}

/* ---- counts ------------------------------------------------------------------------- */

static void add_read(struct record_text *text, const struct tally_read *read)
{
	if (read->format & PERF_FORMAT_GROUP)
		add(text, "nr=%llu", (unsigned long long)read->nr);
	if (read->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		add_presence(text, "enabled", read->time_enabled);
	if (read->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		add_presence(text, "running", read->time_running);
	if ((read->format & 3) == 3 && read->time_running > read->time_enabled)
		add(text, "running>enabled");
	for (uint64_t i = 0; i < read->nr; i++) {
		struct tally_read_value value = tally_read_get(read, i);

		add(text, "%llu", (unsigned long long)value.value);
		if (read->format & PERF_FORMAT_ID)
			add(text, "id=%s", script_id_name(text->script, value.id));
		if (read->format & PERF_FORMAT_LOST)
			add(text, "lost=%llu", (unsigned long long)value.lost);
	}
}

static const char *share_name(const struct tally_read *read)
{
	if (!read->time_running)
		return "none";
	return read->time_running == read->time_enabled ? "all" : "part";
}

static void add_about(struct record_text *text, const struct tally_read *read)
{
	bool timed = (read->format & 3) == 3;

	if (timed)
		add(text, "%s", share_name(read));
	if (timed && read->time_running != read->time_enabled)
		return;
	for (uint64_t i = 0; i < read->nr; i++)
		add(text, "%lluk",
		    (unsigned long long)(tally_read_get(read, i).value + 125000) / 250000 * 250);
}

void script_say_read(struct script *script, const void *bytes, size_t len, uint64_t format,
		     bool about)
{
	struct record_text text = {.script = script};
	struct tally_read read;
	size_t used;

	if (tally_read_decode(bytes, len, format, &read, &used, NULL))
		add(&text, "undecodable");
	else if (about)
		add_about(&text, &read);
	else
		add_read(&text, &read);
	if (used != len)
		add(&text, "%zd more bytes", (ssize_t)len - (ssize_t)used);
	script_say(script, "{%s}", tally_str_text(&text.words));
	tally_str_free(&text.words);
}

/* ---- samples and trailers ----------------------------------------------------------------- */

static void add_chain(struct record_text *text, struct tally_words chain)
{
	bool kernel = false, user = false, addresses = false;

	for (uint64_t i = 0; i < chain.nr; i++) {
		uint64_t entry = tally_words_get(chain, i);

		kernel |= entry == (uint64_t)PERF_CONTEXT_KERNEL;
		user |= entry == (uint64_t)PERF_CONTEXT_USER;
		addresses |= entry < (uint64_t)-4095;
	}
	add(text, "chain=%s%s%s", kernel ? "K" : "", user ? "U" : "", addresses ? "+" : "");
}

/* Add a sample field that consists of several values. */
static void add_part(struct record_text *text, const struct tally_sample *sample, uint64_t bit)
{
	switch (bit) {
	case PERF_SAMPLE_READ: add_read(text, &sample->read); break;
	case PERF_SAMPLE_CALLCHAIN: add_chain(text, sample->callchain); break;
	case PERF_SAMPLE_RAW: add(text, "raw=%llu", (unsigned long long)sample->raw.len); break;
	case PERF_SAMPLE_REGS_USER:
		add(text, "regs_user=%llu/%llu", (unsigned long long)sample->regs_user.abi,
		    (unsigned long long)sample->regs_user.values.nr);
		break;
	case PERF_SAMPLE_REGS_INTR:
		add(text, "regs_intr=%llu/%llu", (unsigned long long)sample->regs_intr.abi,
		    (unsigned long long)sample->regs_intr.values.nr);
		break;
	case PERF_SAMPLE_STACK_USER:
		add(text, "stack=%llu%s", (unsigned long long)sample->stack_user_size,
		    sample->stack_user.len ? "" : "/none");
		break;
	case PERF_SAMPLE_WEIGHT_TYPE:
		add(text, "weight=%llu", (unsigned long long)sample->weight);
		break;
	default: add(text, "field"); break;
	}
}

static void add_id(struct record_text *text, const char *name, uint64_t id)
{
	add(text, "%s=%s", name, script_id_name(text->script, id));
}

static void add_word(struct record_text *text, const struct tally_sample *sample, uint64_t bit)
{
	const struct script *script = text->script;

	switch (bit) {
	case PERF_SAMPLE_IDENTIFIER: add_id(text, "identifier", sample->identifier); break;
	case PERF_SAMPLE_IP: add_presence(text, "ip", sample->ip); break;
	case PERF_SAMPLE_TID:
		add(text, "%s/%s", script_pid_name(script, sample->pid),
		    script_tid_name(script, sample->tid));
		break;
	case PERF_SAMPLE_TIME: add_time(text, "time", sample->time); break;
	case PERF_SAMPLE_ADDR: add_presence(text, "addr", sample->addr); break;
	case PERF_SAMPLE_ID: add_id(text, "id", sample->id); break;
	case PERF_SAMPLE_STREAM_ID: add_id(text, "stream", sample->stream_id); break;
	case PERF_SAMPLE_CPU:
		add(text, "cpu%s", sample->cpu < SYSTEM_CPUS && !sample->cpu_reserved ? "" : "?");
		break;
	case PERF_SAMPLE_PERIOD:
		add(text, "period=%llu", (unsigned long long)sample->period);
		break;
	case PERF_SAMPLE_DATA_SRC:
		add(text, "src=%#llx", (unsigned long long)sample->data_src);
		break;
	case PERF_SAMPLE_TRANSACTION:
		add(text, "transaction=%llu", (unsigned long long)sample->transaction);
		break;
	case PERF_SAMPLE_PHYS_ADDR: add_presence(text, "phys", sample->phys_addr); break;
	case PERF_SAMPLE_CGROUP: add(text, "cgroup"); break;
	case PERF_SAMPLE_DATA_PAGE_SIZE: add(text, "data_page"); break;
	case PERF_SAMPLE_CODE_PAGE_SIZE: add(text, "code_page"); break;
	default: add_part(text, sample, bit); break;
	}
}

static void add_sample(struct record_text *text, const struct tally_sample_layout *layout,
		       const uint8_t *record, size_t len)
{
	struct tally_sample sample;

	if (tally_sample_decode(layout, record, len, &sample, NULL)) {
		add(text, "undecodable");
		return;
	}
	for (int i = 0; i < layout->nr; i++)
		add_word(text, &sample, tally_sample_fields[layout->rows[i]].bit);
}

static void add_trailer(struct record_text *text, const struct tally_sample_layout *layout,
			const uint8_t *record, size_t len)
{
	struct tally_sample sample;

	if (!layout->nr_trailer)
		return;
	add(text, "|");
	if (tally_trailer_decode(layout, record, len, &sample, NULL)) {
		add(text, "undecodable");
		return;
	}
	for (int i = 0; i < layout->nr_trailer; i++)
		add_word(text, &sample, tally_sample_fields[layout->trailer_rows[i]].bit);
}

/* ---- other records ------------------------------------------------------------------------- */

static bool name_ends(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len >= tail && !strcmp(name + len - tail, end);
}

static void add_string(struct record_text *text, const char *name, struct tally_bytes bytes)
{
	const char *slash = memrchr(bytes.data, '/', bytes.len);
	size_t skip = slash ? (size_t)(slash + 1 - (const char *)bytes.data) : 0;
	int shown = (int)strcspn((const char *)bytes.data + skip, ". ");

	add(text, "%s=%.*s", name, shown, bytes.data + skip);
}

static bool differs_by_run(const char *name)
{
	static const char *const names[] = {"start", "maj", "min", "ino", "ino_generation", "addr"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

static void add_number(struct record_text *text, const char *name, uint64_t number)
{
	const struct script *script = text->script;

	if (name_ends(name, "tid"))
		add(text, "%s=%s", name, script_tid_name(script, (int32_t)number));
	else if (name_ends(name, "pid"))
		add(text, "%s=%s", name, script_pid_name(script, (int32_t)number));
	else if (name_ends(name, "time_ns"))
		add_presence(text, name, number);
	else if (!strcmp(name, "id") || !strcmp(name, "stream_id"))
		add_id(text, name, number);
	else if (differs_by_run(name))
		add(text, "%s", name);
	else
		add(text, "%s=%llu", name, (unsigned long long)number);
}

static void add_fields(struct record_text *text, const struct tally_record_desc *desc,
		       const struct tally_sample_layout *layout, const uint8_t *record, size_t len)
{
	struct tally_record_cursor cursor;
	struct tally_record_value value;

	tally_record_walk(&cursor, desc, record, len, tally_trailer_size(layout),
			  layout->read_format);
	while (tally_record_next(&cursor, &value, NULL) > 0) {
		switch (value.field->kind) {
		case TALLY_FIELD_READ: add_read(text, &value.read); break;
		case TALLY_FIELD_STRING: add_string(text, value.field->name, value.bytes); break;
		case TALLY_FIELD_U8:
		case TALLY_FIELD_U16:
		case TALLY_FIELD_U32:
		case TALLY_FIELD_S32:
		case TALLY_FIELD_U64: add_number(text, value.field->name, value.number); break;
		default: add(text, "%s", value.field->name); break;
		}
	}
}

/* Print the previous record once, followed by the number of times it occurred in a row. */
static void records_flush(struct record_text *text)
{
	if (text->times)
		script_say(text->script, "%s", tally_str_text(&text->last));
	if (text->times > 1)
		tally_str_addf(&text->script->answer, "x%u", text->times);
	text->times = 0;
}

static void records_add(struct record_text *text, const struct tally_str *record)
{
	if (text->times && !strcmp(tally_str_text(record), tally_str_text(&text->last))) {
		text->times++;
		return;
	}
	records_flush(text);
	tally_str_clear(&text->last);
	tally_str_add(&text->last, tally_str_text(record));
	text->times = 1;
}

/* Format a record as NAME:bytes/mode+flags[fields|trailer]. */
static void record_text(struct record_text *text, const struct tally_sample_layout *layout,
			const uint8_t *record)
{
	static const char modes[] = "-KUHGV??";
	struct perf_event_header header = tally_record_header(record);
	const struct tally_record_desc *desc = tally_record_describe(header.type);
	struct tally_str whole = {0};

	tally_str_clear(&text->words);
	if (header.type == PERF_RECORD_SAMPLE) {
		add_sample(text, layout, record, header.size);
	} else if (desc) {
		add_fields(text, desc, layout, record, header.size);
		add_trailer(text, layout, record, header.size);
	}
	tally_str_addf(&whole, "%s:%u/%c", desc ? desc->name : "?", header.size,
		       modes[header.misc & 7]);
	if (header.misc & ~7)
		tally_str_addf(&whole, "+%x", header.misc & ~7);
	tally_str_addf(&whole, "[%s]", tally_str_text(&text->words));
	records_add(text, &whole);
	tally_str_free(&whole);
}

/* ---- the buffer ---------------------------------------------------------------------------- */

struct ring {
	const uint8_t *data;
	uint64_t size;
};

static void ring_copy(const struct ring *ring, uint64_t at, uint8_t *to, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = ring->data[(at + i) % ring->size];
}

/* Print the records between two positions, oldest first. In a backward buffer, print the records
 * that were not overwritten, newest first. Returns false if a record is corrupt. */
static bool say_between(struct record_text *text, const struct ring *ring,
			const struct tally_sample_layout *layout, uint64_t at, uint64_t end)
{
	static uint8_t record[65536];
	struct perf_event_header header;

	while (at != end) {
		ring_copy(ring, at, (uint8_t *)&header, sizeof(header));
		if (header.size < sizeof(header) || end - at < header.size)
			return false;
		ring_copy(ring, at, record, header.size);
		record_text(text, layout, record);
		at += header.size;
	}
	return true;
}

void script_say_records(struct script *script, struct script_event *event)
{
	struct perf_event_mmap_page *page = (void *)event->map;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = event->tail;
	struct ring ring = {event->map + page->data_offset, page->data_size};
	struct record_text text = {.script = script};
	struct tally_sample_layout layout;
	bool whole;

	tally_sample_layout_init(&layout, &event->attr);
	if (head == tail)
		script_say(script, "empty");
	if (event->attr.write_backward)
		whole = say_between(&text, &ring, &layout, head,
				    head + TALLY_MIN(tail - head, ring.size)) ||
			tail - head > ring.size;
	else
		whole = say_between(&text, &ring, &layout, tail, head);
	records_flush(&text);
	if (!whole)
		script_say(script, "torn");
	event->tail = head;
	if (!event->attr.write_backward)
		__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	tally_str_free(&text.words);
	tally_str_free(&text.last);
}
