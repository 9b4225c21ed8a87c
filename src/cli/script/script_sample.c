/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_sample.h"

#include <errno.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/escape.h"
#include "cli/script/script_text.h"
#include "profile/process/callchain.h"

/* ---- taking a sample ------------------------------------------------------------ */

static bool shows_chain(const struct tally_script_printer *printer,
			const struct tally_feed_sample *from)
{
	return from->attr->sample_type & PERF_SAMPLE_CALLCHAIN && !printer->hide_chains;
}

/* Return true if callchains end at the function of this address, which is still shown. */
static bool ends_chain(const struct tally_script_printer *printer,
		       const struct tally_thread *thread, uint8_t cpumode, uint64_t ip)
{
	const struct tally_location *where;

	if (!printer->stop_at->nr)
		return false;
	where = tally_machine_locate(printer->session->machine, thread, cpumode, ip);
	return where->symbol &&
	       tally_word_list_has(printer->stop_at, tally_symbol_name(where->dso, where->symbol));
}

/* Reserve memory for `nr` locations. Returns 0 or -ENOMEM. */
static int found_reserve(struct script_found *found, size_t nr)
{
	if (tally_vec_reserve(&found->words, found->words.len + nr * TALLY_LOCATION_KEY_WORDS) ||
	    tally_vec_reserve(&found->returns, found->returns.len + nr))
		return -ENOMEM;
	return 0;
}

/* Add an address to `found`, where memory for it was reserved. */
static void found_add(const struct tally_script_printer *printer,
		      const struct tally_feed_sample *from, uint8_t cpumode, uint64_t ip,
		      bool is_return, struct script_found *found)
{
	uint64_t *key = &found->words.data[found->words.len];

	found->words.len += (size_t)tally_machine_location_key(printer->session->machine,
							       from->thread, cpumode, ip, key);
	found->returns.data[found->returns.len++] = is_return;
}

/* Add the entries of the callchain that are shown. Returns 0 or -ENOMEM. */
static int take_chain(const struct tally_script_printer *printer,
		      const struct tally_feed_sample *from, struct script_found *found)
{
	struct tally_callchain chain = tally_callchain_start(from);
	struct tally_callchain_address at;

	if (found_reserve(found, TALLY_MIN(chain.words.nr, printer->max_stack) + 1))
		return -ENOMEM;
	while (chain.nr < printer->max_stack && tally_callchain_next(&chain, &at)) {
		found_add(printer, from, at.cpumode, at.ip, at.is_return, found);
		if (ends_chain(printer, from->thread, at.cpumode, at.ip))
			break;
	}
	/* perf drops the whole chain after an unknown context marker, including the address. */
	if (chain.words.nr && !chain.nr)
		found_add(printer, from, from->cpumode, from->sample.ip, false, found);
	return 0;
}

static int take_places(const struct tally_script_printer *printer,
		       const struct tally_feed_sample *from, bool has_chain,
		       struct script_found *found)
{
	if (has_chain)
		return take_chain(printer, from, found);
	if (found_reserve(found, 1))
		return -ENOMEM;
	found_add(printer, from, from->cpumode, from->sample.ip, false, found);
	return 0;
}

static size_t longest_name(const struct tally_perfdata *data)
{
	struct tally_str name = {0};
	size_t longest = 0;

	for (size_t i = 0; i < tally_perfdata_nr_events(data); i++) {
		tally_str_clear(&name);
		tally_str_add_escaped(&name, tally_perfdata_event(data, i)->name);
		longest = TALLY_MAX(longest, name.len);
	}
	tally_str_free(&name);
	return longest;
}

void script_sample_take_task(struct tally_script_printer *printer,
			     const struct tally_feed_sample *from, uint64_t fields,
			     struct script_sample *ret_sample)
{
	const struct tally_intern *comms = tally_machine_comms(printer->session->machine);
	const struct tally_interned *comm = &comms->strings.data[from->thread->comm];

	*ret_sample = (struct script_sample){
		.fields = fields,
		.ip = from->sample.ip,
		.time = from->sample.time,
		.period = from->period,
		.comm = comm->text,
		.comm_len = comm->len,
		.cpu = from->sample.cpu,
		.pid = from->sample.pid,
		.tid = from->sample.tid,
		.cpumode = from->cpumode,
		.has_chain = shows_chain(printer, from),
	};
}

int script_sample_take(struct tally_script_printer *printer, const struct tally_feed_sample *from,
		       uint64_t fields, struct script_found *found,
		       struct script_sample *ret_sample)
{
	size_t first = found->returns.len;
	int ret;

	script_sample_take_task(printer, from, fields, ret_sample);
	if (fields & SCRIPT_EVENT) {
		ret_sample->event = tally_perfdata_event(printer->session->data, from->event)->name;
		if (!printer->has_name_width)
			printer->name_width = longest_name(printer->session->data);
		printer->has_name_width = true;
	}
	if (!(fields & SCRIPT_IP))
		return 0;
	ret = take_places(printer, from, ret_sample->has_chain, found);
	ret_sample->nr_places = (uint32_t)(found->returns.len - first);
	return ret;
}

/* ---- locations ------------------------------------------------------------------- */

/* Return the location at `at`, and advance `at`. */
static struct script_location found_next(struct script_found_at *at)
{
	struct script_location place = {.key = at->word, .is_return = *at->is_return++};

	at->word += tally_location_key_is_odd(at->word) ? TALLY_LOCATION_KEY_WORDS : 1;
	return place;
}

struct script_found_at script_sample_prefetch(const struct tally_script_printer *printer,
					      const struct script_sample *sample,
					      struct script_found_at at)
{
	for (size_t i = 0; i < sample->nr_places; i++)
		script_place_prefetch(&printer->places, found_next(&at).key);
	return at;
}

void script_sample_add_places(struct tally_script_printer *printer,
			      const struct script_sample *sample, struct script_found_at *at)
{
	struct tally_str *out = &printer->out;
	struct script_location place;

	if (!(sample->fields & SCRIPT_IP))
		return;
	if (!sample->has_chain) {
		place = found_next(at);
		tally_str_add_char(out, ' ');
		script_add_hex(out, sample->ip);
		script_add_place(&printer->places, out, &place, sample->fields);
		return;
	}
	/* As in perf, user addresses of callchains are offsets in their file. */
	tally_str_add_char(out, '\n');
	for (size_t i = 0; i < sample->nr_places; i++) {
		place = found_next(at);
		script_add_line(&printer->places, out, &place, sample->fields);
	}
}

/* ---- task, CPU, time and event ---------------------------------------------------- */

static void add_ids(struct tally_str *out, const struct script_sample *sample)
{
	uint64_t fields = sample->fields;

	if (fields & SCRIPT_PID && fields & SCRIPT_TID) {
		script_add_s64(out, sample->pid, 5, ' ');
		tally_str_add_char(out, '/');
		script_add_left(out, sample->tid, 5);
		tally_str_add_char(out, ' ');
	} else if (fields & (SCRIPT_PID | SCRIPT_TID)) {
		script_add_s64(out, fields & SCRIPT_PID ? sample->pid : sample->tid, 5, ' ');
		tally_str_add_char(out, ' ');
	}
}

/* Return the timestamp to show: absolute, or relative to the first or the previous timestamp. */
static uint64_t shown_time(struct tally_script_printer *printer, uint64_t time)
{
	uint64_t since = printer->since;

	if (printer->times == SCRIPT_TIMES_ABSOLUTE)
		return time;
	if (!since || printer->times == SCRIPT_TIMES_DELTA)
		printer->since = time;
	if (!since)
		return 0;
	return time - since;
}

static void add_time(struct tally_script_printer *printer, struct tally_str *out, uint64_t time)
{
	size_t start = out->len, len;
	char text[40];

	time = shown_time(printer, time);

	script_add_s64(out, (int64_t)(time / 1000000000), 5, ' ');
	tally_str_add_char(out, '.');
	if (printer->nanoseconds)
		script_add_padded(out, time % 1000000000, 9, '0');
	else
		script_add_padded(out, time % 1000000000 / 1000, 6, '0');
	/* Right-align the time in 12 columns, unless it includes nanoseconds. */
	len = out->len - start;
	if (len < 12 && !printer->nanoseconds) {
		memcpy(text, out->data + start, len);
		out->len = start;
		tally_str_pad_to(out, start + 12 - len);
		tally_str_add_bytes(out, text, len);
	}
	tally_str_add_bytes(out, ": ", 2);
}

void script_sample_add_task(struct tally_script_printer *printer,
			    const struct script_sample *sample)
{
	struct tally_str *out = &printer->out;
	uint64_t fields = sample->fields;

	if (fields & SCRIPT_COMM) {
		script_add_right(out, sample->comm, sample->comm_len,
				 fields & SCRIPT_IP && sample->has_chain ? 0 : 16);
		tally_str_add_char(out, ' ');
	}
	add_ids(out, sample);
	if (fields & SCRIPT_CPU) {
		tally_str_add_char(out, '[');
		script_add_s64(out, (int32_t)sample->cpu, 3, '0');
		tally_str_add_bytes(out, "] ", 2);
	}
	if (fields & SCRIPT_MISC)
		script_add_misc(out, sample->cpumode, printer->flags ? printer->flags : "");
	if (fields & SCRIPT_TOD)
		script_print_time_of_day(printer, sample->time);
	if (fields & SCRIPT_TIME)
		add_time(printer, out, sample->time);
}

void script_sample_add_start(struct tally_script_printer *printer,
			     const struct script_sample *sample)
{
	struct tally_str *out = &printer->out;

	script_sample_add_task(printer, sample);
	if (sample->fields & SCRIPT_PERIOD) {
		script_add_padded(out, sample->period, 10, ' ');
		tally_str_add_char(out, ' ');
	}
	if (sample->fields & SCRIPT_EVENT) {
		script_add_right(out, sample->event, strlen(sample->event), printer->name_width);
		tally_str_add_bytes(out, ": ", 2);
	}
}
