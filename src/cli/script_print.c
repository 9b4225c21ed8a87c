/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "cli/script_branch.h"
#include "cli/script_text.h"

int tally_script_printer_init(struct tally_script_printer *printer, struct tally_session *session)
{
	*printer = (struct tally_script_printer){.session = session,
						 .max_stack = PERF_MAX_STACK_DEPTH};
	printer->lines = calloc(SCRIPT_LINE_SLOTS, sizeof(*printer->lines));
	return printer->lines ? 0 : -ENOMEM;
}

void tally_script_printer_free(struct tally_script_printer *printer)
{
	free(printer->lines);
	tally_str_free(&printer->out);
	tally_tracing_free(printer->tracing);
	printer->tracing = NULL;
}

/* ---- who, where, when ---------------------------------------------------- */

static void print_ids(struct tally_str *out, const struct tally_sample *sample, uint32_t fields)
{
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

static void print_time(const struct tally_script_printer *printer, struct tally_str *out,
		       uint64_t time)
{
	size_t start = out->len, len;
	char text[40];

	script_add_s64(out, (int64_t)(time / 1000000000), 5, ' ');
	tally_str_add_char(out, '.');
	if (printer->nanoseconds)
		script_add_padded(out, time % 1000000000, 9, '0');
	else
		script_add_padded(out, time % 1000000000 / 1000, 6, '0');
	/* In a column of twelve; nanoseconds are not. */
	len = out->len - start;
	if (len < 12 && !printer->nanoseconds) {
		memcpy(text, out->data + start, len);
		out->len = start;
		tally_str_pad_to(out, start + 12 - len);
		tally_str_add_bytes(out, text, len);
	}
	tally_str_add_bytes(out, ": ", 2);
}

static void print_start(const struct tally_script_printer *printer, struct tally_str *out,
			const struct tally_session_sample *s, uint32_t fields, bool has_chain)
{
	const char *comm;

	if (fields & SCRIPT_COMM) {
		comm = tally_machine_comm(printer->session->machine, s->thread);
		script_add_right(out, comm, fields & SCRIPT_IP && has_chain ? 0 : 16);
		tally_str_add_char(out, ' ');
	}
	print_ids(out, &s->sample, fields);
	if (fields & SCRIPT_CPU) {
		tally_str_add_char(out, '[');
		script_add_s64(out, (int32_t)s->sample.cpu, 3, '0');
		tally_str_add_bytes(out, "] ", 2);
	}
	if (fields & SCRIPT_MISC)
		script_add_misc(out, s->cpumode);
	if (fields & SCRIPT_TIME)
		print_time(printer, out, s->sample.time);
}

static int longest_name(const struct tally_perfdata *data)
{
	size_t longest = 0;

	for (size_t i = 0; i < tally_perfdata_nr_events(data); i++)
		longest = TALLY_MAX(longest, strlen(tally_perfdata_event(data, i)->name));
	return (int)longest;
}

static void print_event(struct tally_script_printer *printer, struct tally_str *out,
			const struct tally_session_sample *s, uint32_t fields)
{
	if (fields & SCRIPT_PERIOD) {
		script_add_padded(out, s->period, 10, ' ');
		tally_str_add_char(out, ' ');
	}
	if (!(fields & SCRIPT_EVENT))
		return;
	if (!printer->name_width)
		printer->name_width = longest_name(printer->session->data);
	script_add_right(out, s->event->name, (size_t)printer->name_width);
	tally_str_add_bytes(out, ": ", 2);
}

/* ---- addresses ----------------------------------------------------------- */

static void print_symbol(struct tally_str *out, const struct tally_location *where, uint32_t fields)
{
	if (fields & SCRIPT_SYM) {
		tally_str_add_char(out, ' ');
		if (!where->symbol) {
			tally_str_add(out, "[unknown]");
		} else {
			tally_str_add(out, tally_symbol_name(where->dso, where->symbol));
			if (fields & SCRIPT_SYMOFF) {
				tally_str_add_bytes(out, "+0x", 3);
				tally_str_add_hex(out, where->addr - where->symbol->start, 1);
			}
		}
	}
	if (fields & SCRIPT_DSO) {
		tally_str_add_bytes(out, " (", 2);
		tally_str_add(out, where->dso ? tally_dso_name(where->dso) : "[unknown]");
		tally_str_add_char(out, ')');
	}
}

/* perf shows user addresses of callchains as offsets in their file. */
static uint64_t chain_address(const struct tally_location *where)
{
	return where->cpumode == PERF_RECORD_MISC_KERNEL ? where->ip : where->addr;
}

static struct script_line *line_slot(struct tally_script_printer *printer, uint64_t ip,
				     uint64_t space)
{
	return &printer->lines[tally_hash_u64(ip, space) & (SCRIPT_LINE_SLOTS - 1)];
}

/* Copied in blocks of one size, and more than is there: that takes a fraction of the time that
 * copying just so many bytes does. */
static void line_add(const struct script_line *line, struct tally_str *out)
{
	char *at = SCRIPT_LINE_MAX < out->cap - out->len ? out->data + out->len
							 : tally_str_room(out, SCRIPT_LINE_MAX);

	if (!at)
		return;
	for (size_t i = 0; i < line->len; i += SCRIPT_LINE_BLOCK)
		memcpy(at + i, line->text + i, SCRIPT_LINE_BLOCK);
	at[line->len] = '\0';
	out->len += line->len;
}

static void print_chain_line(struct tally_script_printer *printer,
			     const struct tally_session_sample *s, uint8_t cpumode, uint64_t ip,
			     uint32_t fields, uint64_t space)
{
	struct tally_str *out = &printer->out;
	struct script_line *line = line_slot(printer, ip, space);
	const struct tally_location *where;
	size_t start = out->len;

	if (line->len && line->ip == ip && line->space == space && line->cpumode == cpumode) {
		line_add(line, out);
		return;
	}
	where = tally_machine_locate(printer->session->machine, s->thread, cpumode, ip);
	tally_str_add_char(out, '\t');
	script_add_hex(out, chain_address(where), 16);
	print_symbol(out, where, fields);
	tally_str_add_char(out, '\n');
	if (out->len - start < SCRIPT_LINE_MAX && !out->failed) {
		line->space = space;
		line->ip = ip;
		line->cpumode = cpumode;
		line->len = (uint8_t)(out->len - start);
		memcpy(line->text, out->data + start, line->len);
	}
}

/* Ask for the lines of a chain's addresses, all at once, before the first is needed. */
static void fetch_lines(struct tally_script_printer *printer, struct tally_words chain,
			uint64_t space)
{
	for (uint64_t i = 0; i < chain.nr; i++) {
		const struct script_line *line =
			line_slot(printer, tally_words_get(chain, i), space);

		__builtin_prefetch(line);
		__builtin_prefetch(line + 1);
	}
}

static void print_chain(struct tally_script_printer *printer, const struct tally_session_sample *s,
			uint32_t fields)
{
	struct tally_words chain = s->sample.callchain;
	uint64_t space = tally_machine_space(printer->session->machine, s->thread) << 24 ^ fields;
	uint8_t cpumode = s->cpumode;
	uint32_t shown = 0;
	size_t start;

	tally_str_add_char(&printer->out, '\n');
	start = printer->out.len;
	fetch_lines(printer, chain, space);
	for (uint64_t i = 0; i < chain.nr && shown < printer->max_stack; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		/* No marker that is known: the chain was walked astray, and perf drops it whole. */
		if (mode == -1) {
			printer->out.len = start;
			return;
		}
		if (mode >= 0)
			cpumode = (uint8_t)mode;
		if (mode != -2)
			continue;
		print_chain_line(printer, s, cpumode, ip, fields, space);
		shown++;
	}
}

static void print_ip(struct tally_script_printer *printer, const struct tally_session_sample *s,
		     uint32_t fields, bool has_chain)
{
	const struct tally_location *where;

	if (has_chain) {
		print_chain(printer, s, fields);
		return;
	}
	where = tally_machine_locate(printer->session->machine, s->thread, s->cpumode,
				     s->sample.ip);
	tally_str_add_char(&printer->out, ' ');
	script_add_hex(&printer->out, s->sample.ip, 16);
	print_symbol(&printer->out, where, fields);
}

static void print_trace(struct tally_script_printer *printer, const struct tally_session_sample *s)
{
	if (!printer->tracing)
		tally_tracing_new(printer->session, &printer->tracing);
	if (printer->tracing)
		tally_tracing_print(printer->tracing, s->event, &s->sample, &printer->out);
}

void tally_script_print(struct tally_script_printer *printer, const struct tally_session_sample *s,
			uint32_t fields)
{
	bool has_chain =
		s->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !printer->hide_chains;
	struct tally_str *out = &printer->out;

	print_start(printer, out, s, fields, has_chain);
	print_event(printer, out, s, fields);
	if (fields & SCRIPT_TRACE && s->sample.raw.len)
		print_trace(printer, s);
	if (fields & SCRIPT_ADDR)
		script_add_hex(out, s->sample.addr, 16);
	if (fields & SCRIPT_DATA_SRC)
		script_add_data_src(out, s->sample.data_src);
	if (fields & SCRIPT_WEIGHT)
		script_add_padded(out, s->sample.weight, 16, ' ');
	if (fields & SCRIPT_IP)
		print_ip(printer, s, fields, has_chain);
	if (fields & SCRIPT_IREGS)
		script_add_regs(out, &s->sample.regs_intr);
	if (fields & SCRIPT_UREGS)
		script_add_regs(out, &s->sample.regs_user);
	if (fields & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM))
		script_add_branches(printer->session->machine, out, s, fields);
	if (fields & SCRIPT_PHYS_ADDR)
		script_add_hex(out, s->sample.phys_addr, 16);
	if (fields & SCRIPT_DATA_PAGE_SIZE)
		script_add_page_size(out, s->sample.data_page_size);
	if (fields & SCRIPT_CODE_PAGE_SIZE)
		script_add_page_size(out, s->sample.code_page_size);
	if (fields & SCRIPT_CGROUP)
		tally_str_addf(out, " %llu", (unsigned long long)s->sample.cgroup);
	tally_str_add_char(out, '\n');
}
