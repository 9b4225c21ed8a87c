/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/script/branch.h"
#include "cli/script/branch_code.h"
#include "cli/script/script_sample.h"
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
	script_found_free(&printer->found);
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

/* ---- the recorded machine --------------------------------------------------- */

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

void script_print_time_of_day(struct tally_script_printer *printer, uint64_t time)
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

/* ---- addresses ----------------------------------------------------------- */

/* Print the data address. As in perf, its symbol is shown for page faults only. */
static void print_addr(struct tally_script_printer *printer, const struct tally_feed_sample *s,
		       uint64_t fields)
{
	const struct perf_event_attr *attr = s->attr;
	bool is_fault = attr->type == PERF_TYPE_SOFTWARE &&
			(attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
			 attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
			 attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	uint64_t key[TALLY_LOCATION_KEY_WORDS];
	const struct script_location place = {.key = key};
	uint8_t cpumode;

	script_add_hex(&printer->out, s->sample.addr);
	if (!is_fault)
		return;
	/* The kernel faults at addresses of user space, too. */
	cpumode = tally_branch_locate(printer->session->machine, s->thread, s->cpumode,
				      s->sample.addr)
			  ->cpumode;
	(void)tally_machine_location_key(printer->session->machine, s->thread, cpumode,
					 s->sample.addr, key);
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
	struct tally_str *out = &printer->out;
	struct script_found_at at;
	struct script_sample sample;

	script_places_grow(&printer->places);
	printer->found.words.len = printer->found.returns.len = 0;
	if (script_sample_take(printer, s, fields, &printer->found, &sample)) {
		out->failed = true;
		return;
	}
	at = script_found_start(&printer->found);
	script_sample_prefetch(printer, &sample, at);
	script_sample_add_start(printer, &sample);
	if (fields & SCRIPT_TRACE && s->sample.raw.len)
		print_trace(printer, s);
	if (fields & SCRIPT_ADDR)
		print_addr(printer, s, fields);
	if (fields & SCRIPT_DATA_SRC)
		script_add_data_src(out, s->sample.data_src, &printer->data_src_width);
	print_weights(out, &s->sample, fields);
	script_sample_add_places(printer, &sample, &at);
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
	if (fields & SCRIPT_BPF_OUTPUT && s->sample.raw.len)
		script_add_bpf_output(out, s->sample.raw.data, s->sample.raw.len);
	tally_str_add_char(out, '\n');
	if (fields & SCRIPT_SRCCODE && !(fields & SCRIPT_BRANCH_CODE))
		print_source(printer, s);
}
