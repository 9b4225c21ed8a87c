/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_reports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/intern.h"

enum { MAX_VALUES = 5, MAX_CELLS = 3, MAX_ERRNO = 4095 };

/* A row: its text, with tabs between the columns, is in `texts`. */
struct count_row {
	uint32_t text;
	uint64_t values[MAX_VALUES];
};

struct trace_counting {
	const char *comm;          /* only this thread name, or NULL */
	struct tally_intern texts; /* one for each row */
	TALLY_VEC(struct count_row) rows;
	struct tally_intern tids;  /* of woken threads */
	TALLY_VEC(uint64_t) woken; /* time of the last wakeup, or 0; by number of the TID */
	struct tally_str key;      /* of the current sample */
	bool knows_names;          /* `has_names` is set */
	bool has_names;            /* system calls have this machine's numbers */
};

struct count_table {
	const char *headings;               /* of the columns of the key, with tabs between them */
	const char *values[MAX_VALUES + 1]; /* headings of the values */
};

/* ---- fields and rows ------------------------------------------------------------- */

static void key_task(struct trace_report *report)
{
	struct trace_counting *counting = report->state;

	trace_report_add_comm(report, &counting->key);
	tally_str_addf(&counting->key, " [%d]", report->sample->sample.tid);
}

static const struct {
	uint32_t number;
	const char *name;
} syscall_names[] = {
#include "cli/syscall_names.inc"
};

/* System calls have names only if the recorded machine has the numbers of this one. */
static bool has_syscall_names(struct tally_session *session)
{
	const struct tally_perfdata_env *env;
	struct utsname here;

	return !tally_perfdata_env(session->data, &env) && !uname(&here) &&
	       !strcmp(env->arch, here.machine);
}

static void key_syscall(struct trace_report *report)
{
	struct trace_counting *counting = report->state;
	uint64_t number = trace_report_field(report, "id");

	if (!counting->knows_names)
		counting->has_names = has_syscall_names(report->session);
	counting->knows_names = true;
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

/* Start the key of a sample. Returns false if the sample is of a thread that is not wanted. */
static bool starts_key(struct trace_report *report)
{
	struct trace_counting *counting = report->state;
	const char *comm = tally_machine_comm(report->session->machine, report->sample->thread);

	tally_str_clear(&counting->key);
	return !counting->comm || !strcmp(comm, counting->comm);
}

/* ---- the reports ------------------------------------------------------------------ */

static int count_syscall(struct trace_report *report)
{
	if (!starts_key(report))
		return 0;
	key_syscall(report);
	return add_to(report->state, 0, 1);
}

static int count_syscall_by_pid(struct trace_report *report)
{
	struct trace_counting *counting = report->state;

	if (!starts_key(report))
		return 0;
	key_task(report);
	tally_str_add_char(&counting->key, '\t');
	key_syscall(report);
	return add_to(counting, 0, 1);
}

/* Return the error of a sys_exit sample, or 0. */
static int syscall_error(const struct trace_report *report)
{
	int64_t ret = (int64_t)trace_report_field(report, "ret");

	return ret < 0 && ret >= -MAX_ERRNO ? (int)-ret : 0;
}

static int count_failed(struct trace_report *report)
{
	struct trace_counting *counting = report->state;

	if (!starts_key(report) || !syscall_error(report))
		return 0;
	trace_report_add_comm(report, &counting->key);
	return add_to(counting, 0, 1);
}

static int count_failed_by_pid(struct trace_report *report)
{
	struct trace_counting *counting = report->state;
	int error = starts_key(report) ? syscall_error(report) : 0;

	if (!error)
		return 0;
	key_task(report);
	tally_str_add_char(&counting->key, '\t');
	key_syscall(report);
	tally_str_addf(&counting->key, "\t%s", strerror(error));
	return add_to(counting, 0, 1);
}

/* Values of reads and writes. */
enum { READS, READ_WANTED, READ_DONE, WRITES, WRITTEN };

/* Count a call for a file or a thread. `calls` is READS or WRITES, `bytes` is the value to which
 * the size is added. */
static int count_call(struct trace_report *report, bool by_file, int calls, int bytes)
{
	struct trace_counting *counting = report->state;
	int ret;

	if (!starts_key(report))
		return 0;
	if (by_file)
		tally_str_add_u64(&counting->key, trace_report_field(report, "fd"));
	else
		key_task(report);
	ret = add_to(counting, calls, 1);
	return ret ? ret : add_to(counting, bytes, trace_report_field(report, "count"));
}

static int count_file_read(struct trace_report *report)
{
	return count_call(report, true, READS, READ_WANTED);
}

static int count_file_write(struct trace_report *report)
{
	return count_call(report, true, WRITES, WRITTEN);
}

static int count_task_read(struct trace_report *report)
{
	return count_call(report, false, READS, READ_WANTED);
}

static int count_task_write(struct trace_report *report)
{
	return count_call(report, false, WRITES, WRITTEN);
}

static int count_task_read_exit(struct trace_report *report)
{
	int64_t done = (int64_t)trace_report_field(report, "ret");

	if (!starts_key(report) || done <= 0)
		return 0;
	key_task(report);
	return add_to(report->state, READ_DONE, (uint64_t)done);
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

static int count_wakeup(struct trace_report *report)
{
	uint64_t *since;
	int ret;

	if (!starts_key(report))
		return 0;
	ret = wakeup_of(report->state, (int32_t)trace_report_field(report, "pid"), &since);
	if (!ret)
		*since = report->sample->sample.time;
	return ret;
}

/* Add the time from a wakeup to row 0. */
static int add_wait(struct trace_counting *counting, uint64_t waited)
{
	int ret = add_to(counting, WAKEUPS, 1);
	uint64_t *values;

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

static int count_switch(struct trace_report *report)
{
	uint64_t now = report->sample->sample.time, *since, start;
	int ret;

	if (!starts_key(report))
		return 0;
	ret = wakeup_of(report->state, (int32_t)trace_report_field(report, "next_pid"), &since);
	if (ret || !*since || now < *since)
		return ret;
	start = *since;
	*since = 0;
	return add_wait(report->state, now - start);
}

static void print_wakeups(struct trace_report *report, struct tally_str *out)
{
	static const struct count_row none;
	const struct trace_counting *counting = report->state;
	const uint64_t *values = counting->rows.len ? counting->rows.data[0].values : none.values;

	tally_str_addf(out, "total_wakeups: %" PRIu64 "\n", values[WAKEUPS]);
	if (!values[WAKEUPS])
		return;
	tally_str_addf(out, "avg_wakeup_latency (ns): %" PRIu64 "\n",
		       values[WAKEUP_TOTAL] / values[WAKEUPS]);
	tally_str_addf(out, "min_wakeup_latency (ns): %" PRIu64 "\n", values[WAKEUP_LEAST]);
	tally_str_addf(out, "max_wakeup_latency (ns): %" PRIu64 "\n", values[WAKEUP_MOST]);
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

static void print_table(struct trace_report *report, struct tally_str *out)
{
	struct trace_counting *counting = report->state;
	const struct count_table *table = report->kind->detail;
	size_t widths[MAX_CELLS] = {0};

	if (counting->rows.len)
		qsort_r(counting->rows.data, counting->rows.len, sizeof(*counting->rows.data),
			compare_rows, &counting->texts);
	measure_cells(table->headings, widths);
	tally_vec_for_each (row, &counting->rows)
		measure_cells(tally_intern_text(&counting->texts, row->text), widths);
	add_cells(out, table->headings, widths);
	for (int i = 0; table->values[i]; i++)
		if (*table->values[i])
			tally_str_addf(out, "  %12s", table->values[i]);
	tally_str_add(out, "\n\n");
	tally_vec_for_each (row, &counting->rows) {
		add_cells(out, tally_intern_text(&counting->texts, row->text), widths);
		for (int i = 0; table->values[i]; i++)
			if (*table->values[i])
				tally_str_addf(out, "  %12" PRIu64, row->values[i]);
		tally_str_add_char(out, '\n');
	}
}

/* ---- the table of reports ------------------------------------------------------------ */

static int start_counting(struct trace_report *report, int nr, char **args)
{
	struct trace_counting *counting = report->state;

	counting->comm = nr ? args[0] : NULL;
	return 0;
}

static void free_counting(void *state)
{
	struct trace_counting *counting = state;

	tally_intern_free(&counting->texts);
	tally_intern_free(&counting->tids);
	tally_vec_free(&counting->rows);
	tally_vec_free(&counting->woken);
	tally_str_free(&counting->key);
}

#define TABLE(...)                  \
	&(const struct count_table) \
	{                           \
		__VA_ARGS__         \
	}
#define COUNTS(name_, about_, print_, detail_, ...)                                         \
	{                                                                                   \
		.name = (name_), .about = (about_), .usage = "[COMM]", .detail = (detail_), \
		.handlers = TRACE_HANDLERS(__VA_ARGS__), .max_args = 1, .print = (print_),  \
		.state_size = sizeof(struct trace_counting), .start = start_counting,       \
		.free = free_counting,                                                      \
	}

const struct trace_report_kind trace_count_reports[] = {
	COUNTS("failed-syscalls", "failed system calls by thread name", print_table,
	       TABLE("comm", {"errors"}), {"raw_syscalls:sys_exit", count_failed, "ret"}),
	COUNTS("failed-syscalls-by-pid", "failed system calls by thread, call and error",
	       print_table, TABLE("comm [tid]\tsyscall\terror", {"count"}),
	       {"raw_syscalls:sys_exit", count_failed_by_pid, "id ret"}),
	COUNTS("rw-by-file", "reads and writes by file descriptor", print_table,
	       TABLE("fd", {"reads", "bytes wanted", "", "writes", "bytes"}),
	       {"syscalls:sys_enter_read", count_file_read, "fd count"},
	       {"syscalls:sys_enter_write", count_file_write, "fd count"}),
	COUNTS("rw-by-pid", "reads and writes by thread", print_table,
	       TABLE("comm [tid]", {"reads", "bytes wanted", "bytes read", "writes", "bytes"}),
	       {"syscalls:sys_enter_read", count_task_read, "count"},
	       {"syscalls:sys_exit_read", count_task_read_exit, "ret"},
	       {"syscalls:sys_enter_write", count_task_write, "count"}),
	COUNTS("syscall-counts", "system calls", print_table, TABLE("syscall", {"count"}),
	       {"raw_syscalls:sys_enter", count_syscall, "id"}),
	COUNTS("syscall-counts-by-pid", "system calls by thread", print_table,
	       TABLE("comm [tid]\tsyscall", {"count"}),
	       {"raw_syscalls:sys_enter", count_syscall_by_pid, "id"}),
	COUNTS("wakeup-latency", "time from wakeups to running", print_wakeups, NULL,
	       {"sched:sched_wakeup", count_wakeup, "pid"},
	       {"sched:sched_wakeup_new", count_wakeup, "pid"},
	       {"sched:sched_switch", count_switch, "next_pid"}),
	{0},
};
