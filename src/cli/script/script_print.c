/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/script/branch.h"
#include "cli/script/branch_code.h"
#include "cli/script/script_text.h"
#include "profile/process/branch_stack.h"
#include "symbols/lines/symbols_lines.h"

int tally_script_printer_init(struct tally_script_printer *printer, struct tally_session *session)
{
	*printer = (struct tally_script_printer){.session = session,
						 .max_stack = PERF_MAX_STACK_DEPTH};
	tally_lines_keep_workers(session->symbols);
	return script_places_init(&printer->places, session->machine);
}

void tally_script_printer_free(struct tally_script_printer *printer)
{
	script_places_free(&printer->places);
	script_code_free(&printer->code);
	tally_vec_free(&printer->chain);
	tally_str_free(&printer->out);
	tally_tracing_free(printer->tracing);
	printer->tracing = NULL;
}

static int write_out(struct tally_script_printer *printer)
{
	struct tally_str *out = &printer->out;
	int ret;

	if (!printer->document)
		return tally_output_flush(out);
	ret = tally_str_error(out)
		      ? -ENOMEM
		      : tally_document_write(printer->document, tally_str_text(out), out->len);
	tally_str_clear(out);
	return ret;
}

int tally_script_flush(struct tally_script_printer *printer, bool is_all)
{
	if (printer->failed ||
	    (!is_all && !script_places_are_due(&printer->places, printer->out.len)))
		return printer->failed;
	script_places_fill(&printer->places, &printer->out);
	printer->failed = write_out(printer);
	return printer->failed;
}

void tally_script_idle(void *arg)
{
	struct tally_script_printer *printer = arg;

	if (!tally_script_flush(printer, true) && fflush(stdout))
		printer->failed = -errno;
}

/* ---- task, CPU and time -------------------------------------------------- */

static void print_ids(struct tally_str *out, const struct tally_sample *sample, uint64_t fields)
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

static void print_time(struct tally_script_printer *printer, struct tally_str *out, uint64_t time)
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

static bool shows_chain(const struct tally_script_printer *printer,
			const struct tally_feed_sample *s)
{
	return s->attr->sample_type & PERF_SAMPLE_CALLCHAIN && !printer->hide_chains;
}

/* Return what is known about the recorded machine. If memory runs out, nothing is known. */
static const struct tally_perfdata_env *printer_env(struct tally_script_printer *printer)
{
	static const struct tally_perfdata_env unknown = {.arch = ""};

	if (!printer->env && tally_perfdata_env(printer->session->data, &printer->env))
		printer->env = &unknown;
	return printer->env;
}

/* Return the recorded machine; this machine if the recording does not name it. */
static const char *printer_arch(struct tally_script_printer *printer)
{
	const char *arch = printer_env(printer)->arch;

	if (*arch)
		return arch;
	if (!*printer->host.machine)
		(void)uname(&printer->host);
	return printer->host.machine;
}

int tally_script_check_clock(struct tally_script_printer *printer)
{
	if (tally_perfdata_env_has(printer_env(printer), TALLY_FEATURE_CLOCK_DATA))
		return 0;
	tally_print_error("%s has no time of day, so 'tod' cannot be shown",
			  printer->session->name);
	tally_print_hint("record with -k, such as 'tally record -k monotonic'");
	return -EINVAL;
}

/* Print the local time of day. The recording has the time of one moment on both clocks, which was
 * checked by tally_script_check_clock(). */
static void print_time_of_day(struct tally_script_printer *printer, uint64_t time)
{
	const struct tally_perfdata_env *env = printer_env(printer);
	uint64_t wall = env->clock_data_wall_ns + (time - env->clock_data_clock_ns);
	time_t seconds = (time_t)(wall / 1000000000);
	char text[32];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%F %T", &tm))
		return;
	tally_str_addf(&printer->out, "%s.%06u ", text, (unsigned)(wall % 1000000000 / 1000));
}

void tally_script_print_start(struct tally_script_printer *printer,
			      const struct tally_feed_sample *s, uint64_t fields)
{
	struct tally_str *out = &printer->out;

	if (fields & SCRIPT_COMM) {
		const struct tally_intern *comms = tally_machine_comms(printer->session->machine);
		const struct tally_interned *comm = &comms->strings.data[s->thread->comm];

		script_add_right(out, comm->text, comm->len,
				 fields & SCRIPT_IP && shows_chain(printer, s) ? 0 : 16);
		tally_str_add_char(out, ' ');
	}
	print_ids(out, &s->sample, fields);
	if (fields & SCRIPT_CPU) {
		tally_str_add_char(out, '[');
		script_add_s64(out, (int32_t)s->sample.cpu, 3, '0');
		tally_str_add_bytes(out, "] ", 2);
	}
	if (fields & SCRIPT_MISC)
		script_add_misc(out, s->cpumode, printer->flags ? printer->flags : "");
	if (fields & SCRIPT_TOD)
		print_time_of_day(printer, s->sample.time);
	if (fields & SCRIPT_TIME)
		print_time(printer, out, s->sample.time);
}

static int longest_name(const struct tally_perfdata *data)
{
	struct tally_str name = {0};
	size_t longest = 0;

	for (size_t i = 0; i < tally_perfdata_nr_events(data); i++) {
		tally_str_clear(&name);
		tally_str_add_escaped(&name, tally_perfdata_event(data, i)->name);
		longest = TALLY_MAX(longest, name.len);
	}
	tally_str_free(&name);
	return (int)longest;
}

static void print_event(struct tally_script_printer *printer, struct tally_str *out,
			const struct tally_feed_sample *s, uint64_t fields)
{
	const char *name;

	if (fields & SCRIPT_PERIOD) {
		script_add_padded(out, s->period, 10, ' ');
		tally_str_add_char(out, ' ');
	}
	if (!(fields & SCRIPT_EVENT))
		return;
	if (!printer->name_width)
		printer->name_width = longest_name(printer->session->data);
	name = tally_perfdata_event(printer->session->data, s->event)->name;
	script_add_right(out, name, strlen(name), (size_t)printer->name_width);
	tally_str_add_bytes(out, ": ", 2);
}

/* ---- addresses ----------------------------------------------------------- */

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

/* Look up all callchain entries that will be printed, to prefetch their cache slots before
 * printing. */
static int find_chain(struct tally_script_printer *printer, const struct tally_feed_sample *s)
{
	struct tally_words chain = s->sample.callchain;
	bool is_walked = tally_attr_walks_user(s->attr);
	uint8_t cpumode = s->cpumode;
	uint64_t users = 0;

	printer->chain.len = 0;
	if (tally_vec_reserve(&printer->chain, TALLY_MIN(chain.nr, printer->max_stack) + 1))
		return -ENOMEM;
	for (uint64_t i = 0; i < chain.nr && printer->chain.len < printer->max_stack; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		if (mode == -2) {
			struct script_location *place = &printer->chain.data[printer->chain.len++];

			script_place_find(&printer->places, s->thread, cpumode, ip, place);
			/* The leaf entry in user space is not a return address from the stack. */
			place->is_return = cpumode == PERF_RECORD_MISC_KERNEL
						   ? printer->chain.len > 1
						   : is_walked && users++;
			if (ends_chain(printer, s->thread, cpumode, ip))
				break;
			continue;
		}
		/* After an unknown context marker, the rest of the chain is invalid. perf drops the
		 * whole chain, including the sampled address. */
		if (mode == -1)
			break;
		cpumode = (uint8_t)mode;
	}
	if (chain.nr && !printer->chain.len)
		script_place_find(&printer->places, s->thread, s->cpumode, s->sample.ip,
				  &printer->chain.data[printer->chain.len++]);
	return 0;
}

/* Print the callchain. As in perf, user addresses are printed as offsets in their file. */
static void print_chain(struct tally_script_printer *printer, uint64_t fields)
{
	tally_str_add_char(&printer->out, '\n');
	tally_vec_for_each (place, &printer->chain)
		script_add_line(&printer->places, &printer->out, place, fields);
}

static void print_ip(struct tally_script_printer *printer, const struct tally_feed_sample *s,
		     uint64_t fields)
{
	struct script_location place;

	script_place_find(&printer->places, s->thread, s->cpumode, s->sample.ip, &place);
	tally_str_add_char(&printer->out, ' ');
	script_add_hex(&printer->out, s->sample.ip);
	script_add_place(&printer->places, &printer->out, &place, fields);
}

/* Print the data address. As in perf, its symbol is shown for page faults only. */
static void print_addr(struct tally_script_printer *printer, const struct tally_feed_sample *s,
		       uint64_t fields)
{
	const struct perf_event_attr *attr = s->attr;
	bool is_fault = attr->type == PERF_TYPE_SOFTWARE &&
			(attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
			 attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
			 attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	struct script_location place;
	uint8_t cpumode;

	script_add_hex(&printer->out, s->sample.addr);
	if (!is_fault)
		return;
	/* The kernel faults at addresses of user space, too. */
	cpumode = tally_branch_locate(printer->session->machine, s->thread, s->cpumode,
				      s->sample.addr)
			  ->cpumode;
	script_place_find(&printer->places, s->thread, cpumode, s->sample.addr, &place);
	script_add_place(&printer->places, &printer->out, &place, fields & ~SCRIPT_SRCLINE);
}

static void print_trace(struct tally_script_printer *printer, const struct tally_feed_sample *s)
{
	size_t start = printer->out.len;

	if (!printer->tracing)
		tally_tracing_new(printer->session, &printer->tracing);
	if (printer->tracing)
		tally_tracing_print(printer->tracing, s->attr, &s->sample, &printer->out);
	tally_str_escape(&printer->out, start);
}

static void print_weights(struct tally_str *out, const struct tally_sample *sample, uint64_t fields)
{
	if (fields & SCRIPT_WEIGHT)
		script_add_padded(out, tally_sample_weight(sample), 16, ' ');
	if (fields & SCRIPT_INS_LAT)
		script_add_padded(out, sample->weight >> 32 & UINT16_MAX, 16, ' ');
	if (fields & SCRIPT_RETIRE_LAT)
		script_add_padded(out, sample->weight >> 48, 16, ' ');
}

/* Write the text of a long sample so far. The next tally_script_flush() returns any error. */
static void flush_part(void *arg)
{
	(void)tally_script_flush(arg, true);
}

static void print_branch_code(struct tally_script_printer *printer,
			      const struct tally_feed_sample *s, uint64_t fields)
{
	const struct script_branch_options options = {
		.fields = fields,
		.max_blocks = printer->max_blocks,
		.flush = flush_part,
		.flush_arg = printer,
	};

	if (fields & SCRIPT_BRANCH_CODE)
		script_add_branch_code(&printer->code, printer->session->machine, &printer->out, s,
				       &options);
}

static void print_source(struct tally_script_printer *printer, const struct tally_feed_sample *s)
{
	script_add_source(&printer->code,
			  tally_machine_locate(printer->session->machine, s->thread, s->cpumode,
					       s->sample.ip),
			  &printer->out);
}

void tally_script_print(struct tally_script_printer *printer, const struct tally_feed_sample *s,
			uint64_t fields)
{
	bool has_chain = shows_chain(printer, s);
	struct tally_str *out = &printer->out;

	script_places_grow(&printer->places);
	if (fields & SCRIPT_IP && has_chain && find_chain(printer, s)) {
		out->failed = true;
		return;
	}
	tally_script_print_start(printer, s, fields);
	print_event(printer, out, s, fields);
	if (fields & SCRIPT_TRACE && s->sample.raw.len)
		print_trace(printer, s);
	if (fields & SCRIPT_ADDR)
		print_addr(printer, s, fields);
	if (fields & SCRIPT_DATA_SRC)
		script_add_data_src(out, s->sample.data_src, &printer->data_src_width);
	print_weights(out, &s->sample, fields);
	if (fields & SCRIPT_IP && has_chain)
		print_chain(printer, fields);
	else if (fields & SCRIPT_IP)
		print_ip(printer, s, fields);
	if (fields & SCRIPT_IREGS)
		script_add_regs(out, printer_arch(printer), &s->sample.regs_intr);
	if (fields & SCRIPT_UREGS)
		script_add_regs(out, printer_arch(printer), &s->sample.regs_user);
	if (fields & (SCRIPT_BRSTACK | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF))
		script_add_branches(printer->session->machine, out, s, fields);
	if (fields & (SCRIPT_INSN | SCRIPT_INSNLEN | SCRIPT_DISASM))
		script_add_instruction(&printer->code, printer->session->machine, out, s, fields);
	if (fields & SCRIPT_PHYS_ADDR)
		script_add_hex(out, s->sample.phys_addr);
	if (fields & SCRIPT_DATA_PAGE_SIZE)
		script_add_page_size(out, s->sample.data_page_size);
	if (fields & SCRIPT_CODE_PAGE_SIZE)
		script_add_page_size(out, s->sample.code_page_size);
	if (fields & SCRIPT_CGROUP)
		tally_str_addf(out, " %llu", (unsigned long long)s->sample.cgroup);
	print_branch_code(printer, s, fields);
	if (fields & SCRIPT_BPF_OUTPUT && tally_attr_is_bpf_output(s->attr) && s->sample.raw.len)
		script_add_bpf_output(out, s->sample.raw.data, s->sample.raw.len);
	tally_str_add_char(out, '\n');
	if (fields & SCRIPT_SRCCODE && !(fields & SCRIPT_BRANCH_CODE))
		print_source(printer, s);
}
