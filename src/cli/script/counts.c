/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/intern.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "session/session_tracing.h"

enum { MAX_VALUES = 5, MAX_CELLS = 3, MAX_ERRNO = 4095, MAX_COMM = 64 };

/* A row: its text, with tabs between the columns, is in `texts`. */
struct count_row {
	uint32_t text;
	uint64_t values[MAX_VALUES];
};

struct trace_counting {
	const struct script_counts *counts;
	struct tally_session *session;
	const char *comm; /* only this thread name, or NULL */
	struct tally_tracing *tracing;
	struct tally_intern texts; /* one for each row */
	TALLY_VEC(struct count_row) rows;
	struct tally_intern tids;  /* of woken threads */
	TALLY_VEC(uint64_t) woken; /* time of the last wakeup, or 0; by number of the TID */
	struct tally_str key;
	bool has_names; /* system calls have this machine's numbers */
	uint64_t used;  /* samples of the report's events */
	/* The sample being counted. */
	const struct tally_tp_format *format;
	struct tally_tp_raw raw;
	const struct tally_feed_sample *sample;
};

struct script_counts {
	const char *name, *about;
	const char *events;                 /* what to record */
	const char *headings;               /* of the columns of the key, with tabs between them */
	const char *values[MAX_VALUES + 1]; /* headings of the values */
	int (*count)(struct trace_counting *counting);
	void (*summary)(struct trace_counting *counting, struct tally_str *out); /* NULL: a table */
};

/* ---- fields and rows ------------------------------------------------------------- */

static bool is_event(const struct trace_counting *counting, const char *name)
{
	return !strcmp(counting->format->name, name);
}

static uint64_t field(const struct trace_counting *counting, const char *name)
{
	const struct tally_tp_field *at = tally_tp_format_find(counting->format, name);
	uint64_t value = 0;

	if (at)
		(void)tally_tp_field_u64(at, &counting->raw, &value);
	return value;
}

static const char *comm_of(const struct trace_counting *counting)
{
	return tally_machine_comm(counting->session->machine, counting->sample->thread);
}

/* Append the thread's name. A name that no kernel made is cut. */
static void key_comm(struct trace_counting *counting)
{
	const char *comm = comm_of(counting);
	size_t start = counting->key.len;

	tally_str_add_bytes(&counting->key, comm, strnlen(comm, MAX_COMM));
	tally_str_escape(&counting->key, start);
}

static void key_task(struct trace_counting *counting)
{
	key_comm(counting);
	tally_str_addf(&counting->key, " [%d]", counting->sample->sample.tid);
}

static const struct {
	uint32_t number;
	const char *name;
} syscall_names[] = {
#include "cli/syscall_names.inc"
};

static void key_syscall(struct trace_counting *counting, uint64_t number)
{
	for (size_t i = 0; counting->has_names && i < TALLY_ARRAY_SIZE(syscall_names); i++) {
		if (syscall_names[i].number != number)
			continue;
		tally_str_add(&counting->key, syscall_names[i].name);
		return;
	}
	tally_str_add_u64(&counting->key, number);
}

/* Add `amount` to a value of the row with the key. */
static int add_to(struct trace_counting *counting, int value, uint64_t amount)
{
	uint32_t row;
	int ret = tally_str_error(&counting->key) ? -ENOMEM : 0;

	if (!ret)
		ret = tally_intern(&counting->texts, tally_str_text(&counting->key),
				   counting->key.len, &row);
	if (!ret && row == counting->rows.len)
		ret = tally_vec_push(&counting->rows, (struct count_row){.text = row});
	if (!ret)
		tally_sum_add(&counting->rows.data[row].values[value], amount);
	return ret;
}

/* ---- the reports ------------------------------------------------------------------ */

static int count_syscalls(struct trace_counting *counting)
{
	if (!is_event(counting, "sys_enter"))
		return 0;
	key_syscall(counting, field(counting, "id"));
	return add_to(counting, 0, 1);
}

static int count_syscalls_by_pid(struct trace_counting *counting)
{
	if (!is_event(counting, "sys_enter"))
		return 0;
	key_task(counting);
	tally_str_add_char(&counting->key, '\t');
	key_syscall(counting, field(counting, "id"));
	return add_to(counting, 0, 1);
}

/* Return the error of a sys_exit sample, or 0. */
static int syscall_error(const struct trace_counting *counting)
{
	int64_t ret = is_event(counting, "sys_exit") ? (int64_t)field(counting, "ret") : 0;

	return ret < 0 && ret >= -MAX_ERRNO ? (int)-ret : 0;
}

static int count_failed(struct trace_counting *counting)
{
	if (!syscall_error(counting))
		return 0;
	key_comm(counting);
	return add_to(counting, 0, 1);
}

static int count_failed_by_pid(struct trace_counting *counting)
{
	int error = syscall_error(counting);

	if (!error)
		return 0;
	key_task(counting);
	tally_str_add_char(&counting->key, '\t');
	key_syscall(counting, field(counting, "id"));
	tally_str_addf(&counting->key, "\t%s", strerror(error));
	return add_to(counting, 0, 1);
}

/* Values of reads and writes. */
enum { READS, READ_WANTED, READ_DONE, WRITES, WRITTEN };

static int count_io(struct trace_counting *counting, bool by_file)
{
	bool reads = is_event(counting, "sys_enter_read"),
	     writes = is_event(counting, "sys_enter_write");
	int64_t done = is_event(counting, "sys_exit_read") ? (int64_t)field(counting, "ret") : 0;
	int ret = 0;

	if (by_file)
		tally_str_add_u64(&counting->key, field(counting, "fd"));
	else
		key_task(counting);
	if (reads || writes)
		ret = add_to(counting, reads ? READS : WRITES, 1);
	if (!ret && (reads || writes))
		ret = add_to(counting, reads ? READ_WANTED : WRITTEN, field(counting, "count"));
	if (!ret && done > 0 && !by_file)
		ret = add_to(counting, READ_DONE, (uint64_t)done);
	return ret;
}

static int count_io_by_pid(struct trace_counting *counting)
{
	return count_io(counting, false);
}

static int count_io_by_file(struct trace_counting *counting)
{
	return count_io(counting, true);
}

/* Values of wakeups, in row 0. */
enum { WAKEUPS, WAKEUP_TOTAL, WAKEUP_LEAST, WAKEUP_MOST };

/* Get the place for the time of a thread's last wakeup. */
static int wakeup_of(struct trace_counting *counting, int32_t tid, uint64_t **ret_time)
{
	uint32_t number;
	int ret = tally_intern(&counting->tids, (const char *)&tid, sizeof(tid), &number);

	if (!ret && number == counting->woken.len)
		ret = tally_vec_push(&counting->woken, 0);
	if (!ret)
		*ret_time = &counting->woken.data[number];
	return ret;
}

static int count_wakeups(struct trace_counting *counting)
{
	bool wakes = is_event(counting, "sched_wakeup") || is_event(counting, "sched_wakeup_new");
	uint64_t now = counting->sample->sample.time, *since, waited, *values;
	int ret;

	if (!wakes && !is_event(counting, "sched_switch"))
		return 0;
	ret = wakeup_of(counting, (int32_t)field(counting, wakes ? "pid" : "next_pid"), &since);
	if (ret)
		return ret;
	if (wakes) {
		*since = now;
		return 0;
	}
	if (!*since || now < *since)
		return 0;
	waited = now - *since;
	*since = 0;
	ret = add_to(counting, WAKEUPS, 1);
	if (!ret)
		ret = add_to(counting, WAKEUP_TOTAL, waited);
	if (ret)
		return ret;
	values = counting->rows.data[0].values;
	if (values[WAKEUPS] == 1 || waited < values[WAKEUP_LEAST])
		values[WAKEUP_LEAST] = waited;
	values[WAKEUP_MOST] = TALLY_MAX(values[WAKEUP_MOST], waited);
	return 0;
}

static void summarize_wakeups(struct trace_counting *counting, struct tally_str *out)
{
	static const struct count_row none;
	const uint64_t *values = counting->rows.len ? counting->rows.data[0].values : none.values;

	tally_str_addf(out, "total_wakeups: %" PRIu64 "\n", values[WAKEUPS]);
	if (!values[WAKEUPS])
		return;
	tally_str_addf(out, "avg_wakeup_latency (ns): %" PRIu64 "\n",
		       values[WAKEUP_TOTAL] / values[WAKEUPS]);
	tally_str_addf(out, "min_wakeup_latency (ns): %" PRIu64 "\n", values[WAKEUP_LEAST]);
	tally_str_addf(out, "max_wakeup_latency (ns): %" PRIu64 "\n", values[WAKEUP_MOST]);
}

#define IO_EVENTS                                                                  \
	"syscalls:sys_enter_read,syscalls:sys_exit_read,syscalls:sys_enter_write," \
	"syscalls:sys_exit_write"

static const struct script_counts all_counts[] = {
	{"failed-syscalls",
	 "failed system calls by thread name",
	 "raw_syscalls:sys_exit",
	 "comm",
	 {"errors"},
	 count_failed,
	 NULL},
	{"failed-syscalls-by-pid",
	 "failed system calls by thread, call and error",
	 "raw_syscalls:sys_exit",
	 "comm [tid]\tsyscall\terror",
	 {"count"},
	 count_failed_by_pid,
	 NULL},
	{"rw-by-file",
	 "reads and writes by file descriptor",
	 IO_EVENTS,
	 "fd",
	 {"reads", "bytes wanted", "", "writes", "bytes"},
	 count_io_by_file,
	 NULL},
	{"rw-by-pid",
	 "reads and writes by thread",
	 IO_EVENTS,
	 "comm [tid]",
	 {"reads", "bytes wanted", "bytes read", "writes", "bytes"},
	 count_io_by_pid,
	 NULL},
	{"syscall-counts",
	 "system calls",
	 "raw_syscalls:sys_enter",
	 "syscall",
	 {"count"},
	 count_syscalls,
	 NULL},
	{"syscall-counts-by-pid",
	 "system calls by thread",
	 "raw_syscalls:sys_enter",
	 "comm [tid]\tsyscall",
	 {"count"},
	 count_syscalls_by_pid,
	 NULL},
	{"wakeup-latency",
	 "time from wakeups to running",
	 "sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_switch",
	 "",
	 {""},
	 count_wakeups,
	 summarize_wakeups},
};

/* ---- reading ------------------------------------------------------------------------ */

static int count_sample(void *arg, struct tally_session *session,
			const struct tally_perfdata_record *record,
			struct tally_feed_sample *sample)
{
	struct trace_counting *counting = arg;

	(void)record;
	if (!sample || sample->attr->type != PERF_TYPE_TRACEPOINT)
		return 0;
	if (counting->comm &&
	    strcmp(tally_machine_comm(session->machine, sample->thread), counting->comm))
		return 0;
	if (!counting->tracing && tally_tracing_new(session, &counting->tracing))
		return -ENOMEM;
	counting->format = tally_tracing_format(counting->tracing, sample->attr);
	if (!counting->format)
		return 0;
	counting->sample = sample;
	counting->raw = (struct tally_tp_raw){sample->sample.raw.data, sample->sample.raw.len,
					      tally_perfdata_info(session->data)->is_foreign};
	if (strstr(counting->counts->events, counting->format->name))
		counting->used++;
	tally_str_clear(&counting->key);
	return counting->counts->count(counting);
}

/* System calls have names only if the recorded machine has the numbers of this one. */
static bool has_syscall_names(struct tally_session *session)
{
	const struct tally_perfdata_env *env;
	struct utsname here;

	return !tally_perfdata_env(session->data, &env) && !uname(&here) &&
	       !strcmp(env->arch, here.machine);
}

/* ---- output ------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct tally_intern *texts = arg;
	const struct count_row *x = a, *y = b;

	for (int i = 0; i < MAX_VALUES; i++)
		if (x->values[i] != y->values[i])
			return x->values[i] > y->values[i] ? -1 : 1;
	return strcmp(tally_intern_text(texts, x->text), tally_intern_text(texts, y->text));
}

/* Enlarge the widths of the columns, which are separated by tabs in `cells`. */
static void measure_cells(const char *cells, size_t *widths)
{
	for (int i = 0; *cells && i < MAX_CELLS; i++) {
		size_t len = strcspn(cells, "\t");

		widths[i] = TALLY_MAX(widths[i], len);
		cells += len + (cells[len] == '\t');
	}
}

static void add_cells(struct tally_str *out, const char *cells, const size_t *widths)
{
	for (int i = 0; *cells && i < MAX_CELLS; i++) {
		size_t len = strcspn(cells, "\t");

		tally_str_addf(out, "%s%-*.*s", i ? "  " : "", (int)widths[i], (int)len, cells);
		cells += len + (cells[len] == '\t');
	}
}

static void add_table(const struct trace_counting *counting, struct tally_str *out)
{
	const struct script_counts *counts = counting->counts;
	size_t widths[MAX_CELLS] = {0};

	measure_cells(counts->headings, widths);
	tally_vec_for_each (row, &counting->rows)
		measure_cells(tally_intern_text(&counting->texts, row->text), widths);
	add_cells(out, counts->headings, widths);
	for (int i = 0; counts->values[i]; i++)
		if (*counts->values[i])
			tally_str_addf(out, "  %12s", counts->values[i]);
	tally_str_add(out, "\n\n");
	tally_vec_for_each (row, &counting->rows) {
		add_cells(out, tally_intern_text(&counting->texts, row->text), widths);
		for (int i = 0; counts->values[i]; i++)
			if (*counts->values[i])
				tally_str_addf(out, "  %12" PRIu64, row->values[i]);
		tally_str_add_char(out, '\n');
	}
}

static int print_counts(struct trace_counting *counting)
{
	struct tally_str out = {0};
	int ret;

	if (counting->rows.len && !counting->counts->summary)
		qsort_r(counting->rows.data, counting->rows.len, sizeof(*counting->rows.data),
			compare_rows, &counting->texts);
	if (counting->counts->summary)
		counting->counts->summary(counting, &out);
	else
		add_table(counting, &out);
	ret = tally_str_error(&out) ? -ENOMEM : tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}

static int count_session(struct trace_counting *counting)
{
	int ret = tally_session_run(counting->session, count_sample, counting), printed;

	if (!counting->used) {
		tally_print_warning("%s has no samples of the events that %s counts",
				    counting->session->name, counting->counts->name);
		tally_print_hint("tally record -a -e %s", counting->counts->events);
	}
	printed = ret == -ENOMEM ? ret : print_counts(counting);
	if (printed == -ENOMEM)
		tally_session_out_of_memory(counting->session);
	return ret ? ret : printed;
}

int script_counts_run(const struct script_counts *counts,
		      const struct tally_recording_options *options, const char *arg)
{
	struct trace_counting counting = {.counts = counts, .comm = arg};
	struct tally_session session;
	int ret = tally_recording_open(options, &session);

	if (ret)
		return ret;
	counting.session = &session;
	counting.has_names = has_syscall_names(&session);
	tally_pager_start();
	ret = count_session(&counting);
	tally_tracing_free(counting.tracing);
	tally_intern_free(&counting.texts);
	tally_intern_free(&counting.tids);
	tally_vec_free(&counting.rows);
	tally_vec_free(&counting.woken);
	tally_str_free(&counting.key);
	tally_recording_close(&session);
	return ret;
}

const struct script_counts *script_counts_find(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(all_counts); i++)
		if (!strcmp(all_counts[i].name, name))
			return &all_counts[i];
	return NULL;
}

void script_counts_list(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(all_counts); i++)
		printf("  %-24s %s\n  %-24s   record -a -e %s\n", all_counts[i].name,
		       all_counts[i].about, "", all_counts[i].events);
}
