/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/path.h"
#include "profile/frame_text.h"
#include "profile/short_names.h"
#include "view/sample_cells.h"
#include "view/sample_labels.h"
#include "view/shorten.h"
#include "view/view.h"
#include "view/width.h"

static const struct tally_frame *row_frame(const struct tally_view *view,
					   const struct tally_row *row)
{
	return &view->profile->frames.all.data[row->frame];
}

static const struct tally_group *row_group(const struct tally_view *view,
					   const struct tally_row *row)
{
	return &view->hist->groups.data[row->group];
}

/* A fast printf("%.2f%%"). Falls back to printf if the value is too close to a rounding
 * boundary. */
void tally_view_percent(uint64_t part, uint64_t whole, struct tally_str *out)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;
	double cents = percent * 100 + 0.5;
	uint64_t rounded = cents < 1e9 ? (uint64_t)cents : 0;
	double rest = cents - (double)rounded;
	char text[4] = {'.', (char)('0' + rounded / 10 % 10), (char)('0' + rounded % 10), '%'};

	if (rest < 1e-6 || rest > 1 - 1e-6) {
		tally_str_addf(out, "%.2f%%", percent);
		return;
	}
	tally_str_add_u64(out, rounded / 100);
	tally_str_add_bytes(out, text, sizeof(text));
}

uint64_t tally_view_least(uint64_t total, double percent)
{
	double exact = (double)total * percent / 100;
	uint64_t least = (uint64_t)exact;

	return least + ((double)least < exact);
}

static void text_children(const struct tally_view *view, const struct tally_view_column *column,
			  const struct tally_row *row, struct tally_str *out)
{
	tally_view_percent(row->total, view->total, out);
}

static void text_self(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	tally_view_percent(row->self, view->total, out);
}

static void text_sample(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row, struct tally_str *out)
{
	tally_str_add_u64(out, row->self_nr);
}

static void text_period(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row, struct tally_str *out)
{
	tally_str_add_u64(out, row->self);
}

static const char *comm_text(const struct tally_view *view, uint32_t comm)
{
	return tally_intern_text(tally_machine_comms(view->profile->machine), comm);
}

static void text_comm(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	tally_str_add(out, comm_text(view, row_group(view, row)->comm));
}

static void add_thread(const struct tally_view *view, const struct tally_row *row, int32_t id,
		       struct tally_str *out)
{
	const struct tally_group *group = row_group(view, row);

	tally_str_addf(
		out, "%7" PRId32 ":%s", id,
		tally_machine_comm(view->profile->machine,
				   tally_machine_thread_at(view->profile->machine, group->thread)));
}

static void text_pid(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	add_thread(view, row, row_group(view, row)->pid, out);
}

static void text_tid(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	add_thread(view, row, row_group(view, row)->tid, out);
}

static void text_cpu(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	int32_t cpu = (int32_t)row_group(view, row)->cpu;

	/* As in perf, an unknown CPU is -001 in text. */
	if (cpu < 0 && view->has_short_names)
		tally_str_add(out, "unknown");
	else
		tally_str_addf(out, "%.3" PRId32, cpu);
}

static void text_dso(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	tally_frame_add_file(row_frame(view, row), true, out);
}

static void text_symbol(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row, struct tally_str *out)
{
	const struct tally_frame *frame = row_frame(view, row);
	char letter[4] = {'[', tally_cpumode_letter(frame->cpumode), ']', ' '};

	/* Short names do not show that a function is inlined. */
	if (view->has_short_names && tally_frame_is_inlined(frame))
		letter[1] = 'i';
	tally_str_add_bytes(out, letter, sizeof(letter));
	/* As in perf, addresses are relative to the module here, but absolute in graphs. */
	if (!frame->symbol) {
		tally_frame_add_name(frame, out);
		return;
	}
	tally_view_frame_name(view, row->frame, out);
}

static void text_parent(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row, struct tally_str *out)
{
	uint32_t parent = row_group(view, row)->parent;

	if (parent == TALLY_FRAME_NONE)
		tally_str_add(out, "[other]");
	else
		tally_view_frame_name(view, parent, out);
}

/* A cell of the row's label. */
static void text_label(const struct tally_view *view, const struct tally_view_column *column,
		       const struct tally_row *row, struct tally_str *out)
{
	if (view->labels)
		tally_labels_add_cell(view->labels, column, row_group(view, row)->label, out);
}

/* A weight is multiplied by the number of samples, as rows have equal weights. */
static void text_weight(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row, struct tally_str *out)
{
	size_t start = out->len;
	uint64_t weight;
	char *end;

	text_label(view, column, row, out);
	weight = strtoull(tally_str_text(out) + start, &end, 10);
	if (*end || out->failed || out->len == start)
		return;
	out->len = start;
	tally_str_add_u64(out, weight * row->self_nr);
}

/* The size of the row's function in bytes. */
static void text_symbol_size(const struct tally_view *view, const struct tally_view_column *column,
			     const struct tally_row *row, struct tally_str *out)
{
	const struct tally_symbol *symbol = row_frame(view, row)->symbol;

	tally_str_add_u64(out, symbol ? symbol->end - symbol->start : 0);
}

/* Return the name of a line's file, or NULL if it is unknown. */
static const char *line_file(const struct tally_view *view, const struct tally_line *line)
{
	return view->has_paths && line ? line->file : tally_line_file_name(line);
}

/* Append a source location such as "util.c:12". Without line information, append the offset in the
 * function or file, as in perf. */
static void text_line(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	const struct tally_frame *frame = row_frame(view, row);

	if (frame->line && frame->line->file) {
		tally_str_addf(out, "%s:%" PRIu32, line_file(view, frame->line), frame->line->line);
	} else {
		tally_frame_add_place(frame, out);
	}
}

static void text_file(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	const char *name = line_file(view, row_frame(view, row)->line);

	if (name)
		tally_str_add(out, name);
}

static void text_event(const struct tally_view *view, const struct tally_view_column *column,
		       const struct tally_row *row, struct tally_str *out)
{
	tally_str_add_u64(out, view->event);
}

unsigned tally_view_part(const struct tally_view_column *const *columns,
			 const struct tally_view_column *column)
{
	unsigned part = 0;

	for (; *columns != column; columns++)
		part += !!(*columns)->part;
	return part;
}

uint64_t tally_view_sum(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row)
{
	return tally_hist_part(view->hist, row, tally_view_part(view->columns, column));
}

/* An additional sum of the row, as a share of the event's total. */
static void text_part(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	tally_view_percent(tally_view_sum(view, column, row), view->total, out);
}

/* An additional sum of the row, as a share of that sum over all rows. */
static void text_latency(const struct tally_view *view, const struct tally_view_column *column,
			 const struct tally_row *row, struct tally_str *out)
{
	tally_view_percent(tally_view_sum(view, column, row),
			   view->part_totals[tally_view_part(view->columns, column)], out);
}

/* An additional sum of the row, as an average over its samples. */
static void text_mean(const struct tally_view *view, const struct tally_view_column *column,
		      const struct tally_row *row, struct tally_str *out)
{
	double sum = (double)tally_view_sum(view, column, row);

	tally_str_addf(out, "%.1f", row->self_nr ? sum / (double)row->self_nr : 0);
}

#define TEXT     TALLY_SHORTEN_TEXT, 0
#define THREAD   TALLY_SHORTEN_TEXT, 8
#define SENTENCE TALLY_SHORTEN_END, 0
#define PATH     TALLY_SHORTEN_PATH, 0
#define NAME     TALLY_SHORTEN_NAME, 0
#define SYMBOL   TALLY_SHORTEN_NAME, 4

/* A column that is computed from samples, with the function and the way to shorten its cells. */
#define LABEL(name, heading, cell, ...)                                                 \
	{                                                                               \
		name, heading, TALLY_KEY_LABEL, 0, false, text_label, __VA_ARGS__, cell \
	}
#define WEIGHT(name, heading, cell)                                               \
	{                                                                         \
		name, heading, TALLY_KEY_LABEL, 0, false, text_weight, TEXT, cell \
	}
#define BRANCH(name, heading, cell, ...)                                                      \
	{                                                                                     \
		name, heading, TALLY_KEY_LABEL, 0, false, text_label, __VA_ARGS__, cell, true \
	}

#define PART(name, heading, width, text, cell, part)                         \
	{                                                                    \
		name, heading, 0, width, true, text, TEXT, cell, false, part \
	}

const struct tally_view_column tally_view_columns[] = {
	{"overhead_children", "Children", 0, 8, true, text_children, TEXT, .sum = TALLY_SUM_TOTAL},
	{"overhead", "Overhead", 0, 8, true, text_self, TEXT},
	{"self", "Self", 0, 8, true, text_self, TEXT},
	PART("latency", "Latency", 8, text_latency, tally_cell_parallelism, tally_part_latency),
	PART("overhead_sys", "sys", 8, text_part, tally_cell_mode, tally_part_kernel),
	PART("overhead_us", "usr", 8, text_part, tally_cell_mode, tally_part_user),
	PART("overhead_guest_sys", "guest sys", 9, text_part, tally_cell_mode,
	     tally_part_guest_kernel),
	PART("overhead_guest_us", "guest usr", 9, text_part, tally_cell_mode,
	     tally_part_guest_user),
	PART("weight1", "Weight1", 8, text_mean, tally_cell_weight, tally_part_weight),
	PART("weight2", "Weight2", 8, text_mean, tally_cell_weight2, tally_part_weight),
	PART("weight3", "Weight3", 8, text_mean, tally_cell_weight3, tally_part_weight),
	{"sample", "Samples", 0, 12, true, text_sample, TEXT, .sum = TALLY_SUM_SAMPLES},
	{"period", "Period", 0, 12, true, text_period, TEXT},
	{"comm", "Command", TALLY_KEY_COMM, 0, false, text_comm, TEXT},
	/* As in perf, this key also distinguishes threads. */
	{"pid", "    Pid:Command", TALLY_KEY_TID, 0, false, text_tid, THREAD},
	{"tgid", "   Tgid:Command", TALLY_KEY_PID, 0, false, text_pid, THREAD},
	{"tid", "    Tid:Command", TALLY_KEY_TID, 0, false, text_tid, THREAD},
	{"cpu", "CPU", TALLY_KEY_CPU, 0, false, text_cpu, TEXT},
	{"dso", "Shared Object", TALLY_KEY_DSO, 0, false, text_dso, PATH},
	{"symbol", "Symbol", TALLY_KEY_SYMBOL, 0, false, text_symbol, SYMBOL},
	{"sym", "Symbol", TALLY_KEY_SYMBOL, 0, false, text_symbol, SYMBOL},
	{"srcline", "Source:Line", TALLY_KEY_LINE, 0, false, text_line, PATH},
	{"srcfile", "Source File", TALLY_KEY_FILE, 0, false, text_file, PATH},
	{"parent", "Parent symbol", TALLY_KEY_PARENT, 0, false, text_parent, NAME},
	LABEL("trace", "Trace output", tally_cell_trace, SENTENCE),
	LABEL("time", "Time", tally_cell_time, TEXT),
	LABEL("addr", "Address", tally_cell_ip, TEXT),
	LABEL("symbol_iaddr", "Code Symbol", tally_cell_symbol_iaddr, SYMBOL),
	LABEL("symoff", "Symbol Offset", tally_cell_symbol_iaddr, SYMBOL),
	LABEL("dso_size", "DSO size", tally_cell_dso_size, TEXT),
	LABEL("parallelism", "Parallelism", tally_cell_parallelism, TEXT),
	LABEL("socket", "Socket", tally_cell_socket, TEXT),
	LABEL("cgroup", "Cgroup", tally_cell_cgroup, PATH),
	LABEL("cgroup_id", "cgroup id (dev/inode)", tally_cell_cgroup_id, TEXT),
	LABEL("comm_nodigit", "CommandNoDigit", tally_cell_comm_nodigit, TEXT),
	LABEL("transaction", "Transaction", tally_cell_transaction, TEXT),
	LABEL("code_page_size", "Code Page Size", tally_cell_code_page_size, TEXT),
	LABEL("local_weight", "Local Weight", tally_cell_weight, TEXT),
	WEIGHT("weight", "Weight", tally_cell_weight),
	LABEL("local_ins_lat", "Local INSTR Latency", tally_cell_weight2, TEXT),
	WEIGHT("ins_lat", "INSTR Latency", tally_cell_weight2),
	LABEL("local_p_stage_cyc", "Local Pipeline Stage Cycle", tally_cell_weight3, TEXT),
	WEIGHT("p_stage_cyc", "Pipeline Stage Cycle", tally_cell_weight3),
	LABEL("local_retire_lat", "Local Retire Latency", tally_cell_weight3, TEXT),
	WEIGHT("retire_lat", "Retire Latency", tally_cell_weight3),
	LABEL("op", "Memory operation", tally_cell_op, TEXT),
	LABEL("mem", "Memory access", tally_cell_mem, TEXT),
	LABEL("locked", "Locked", tally_cell_locked, TEXT),
	LABEL("tlb", "TLB access", tally_cell_tlb, TEXT),
	LABEL("snoop", "Snoop", tally_cell_snoop, TEXT),
	LABEL("blocked", "Blocked", tally_cell_blocked, TEXT),
	LABEL("symbol_daddr", "Data Symbol", tally_cell_symbol_daddr, SYMBOL),
	LABEL("dso_daddr", "Data Object", tally_cell_dso_daddr, PATH),
	LABEL("dcacheline", "Data Cacheline", tally_cell_dcacheline, SYMBOL),
	LABEL("phys_daddr", "Data Physical Address", tally_cell_phys_daddr, TEXT),
	LABEL("data_page_size", "Data Page Size", tally_cell_data_page_size, TEXT),
	LABEL("type", "Data Type", tally_cell_type, NAME),
	LABEL("typeoff", "Data Type Offset", tally_cell_typeoff, NAME),
	LABEL("typecln", "Data Type Cacheline", tally_cell_typecln, NAME),
	BRANCH("dso_from", "Source Shared Object", tally_cell_dso_from, PATH),
	BRANCH("dso_to", "Target Shared Object", tally_cell_dso_to, PATH),
	BRANCH("symbol_from", "Source Symbol", tally_cell_symbol_from, SYMBOL),
	BRANCH("symbol_to", "Target Symbol", tally_cell_symbol_to, SYMBOL),
	BRANCH("addr_from", "Source Address", tally_cell_addr_from, SYMBOL),
	BRANCH("addr_to", "Target Address", tally_cell_addr_to, SYMBOL),
	BRANCH("srcline_from", "From Source:Line", tally_cell_srcline_from, PATH),
	BRANCH("srcline_to", "To Source:Line", tally_cell_srcline_to, PATH),
	BRANCH("mispredict", "Branch Mispredicted", tally_cell_mispredict, TEXT),
	BRANCH("in_tx", "Branch in transaction", tally_cell_in_tx, TEXT),
	BRANCH("abort", "Transaction abort", tally_cell_abort, TEXT),
	BRANCH("cycles", "Basic Block Cycles", tally_cell_cycles, TEXT),
	{"symbol_size", "Symbol size", TALLY_KEY_SYMBOL, 0, false, text_symbol_size, TEXT},
	{"event", "Event", 0, 5, true, text_event, TEXT, .sum = TALLY_SUM_NONE},
	{NULL, NULL, 0, 0, false, NULL, TEXT},
};

struct tally_view_column tally_view_field_column(const struct tally_view_field *field)
{
	return (struct tally_view_column){.name = field->name,
					  .heading = field->name,
					  .key = TALLY_KEY_LABEL,
					  .text = text_label,
					  .how = TALLY_SHORTEN_END,
					  .field = field};
}

bool tally_view_column_is_recorded(const struct tally_view_column *column)
{
	static tally_cell_fn *const cells[] = {
		tally_cell_trace,       tally_cell_type,         tally_cell_typeoff,
		tally_cell_typecln,     tally_cell_srcline_from, tally_cell_srcline_to,
		tally_cell_parallelism,
	};

	for (size_t i = 0; column->cell && i < TALLY_ARRAY_SIZE(cells); i++)
		if (column->cell == cells[i])
			return true;
	return column->field != NULL;
}

const struct tally_view_column *tally_view_column_find(const char *name, size_t len)
{
	for (const struct tally_view_column *c = tally_view_columns; c->name; c++) {
		if (strlen(c->name) == len && !strncmp(c->name, name, len))
			return c;
	}
	return NULL;
}

bool tally_view_frame_is_inlined(const struct tally_view *view, uint32_t number)
{
	return tally_frame_is_inlined(&view->profile->frames.all.data[number]);
}

void tally_view_frame_name(const struct tally_view *view, uint32_t number, struct tally_str *out)
{
	const struct tally_frame *frame = &view->profile->frames.all.data[number];

	if (frame->symbol && view->has_short_names) {
		tally_str_add(out, tally_profile_short_name(view->profile, number));
		return;
	}
	if (frame->symbol) {
		tally_str_add(out, tally_symbol_name(frame->dso, frame->symbol));
		if (tally_view_frame_is_inlined(view, number))
			tally_str_add(out, " (inlined)");
		return;
	}
	tally_str_add_bytes(out, "0x", 2);
	tally_str_add_hex(out, frame->addr, 16);
}

void tally_view_frame_line(const struct tally_view *view, uint32_t number, struct tally_str *out)
{
	const struct tally_frame *frame = &view->profile->frames.all.data[number];

	if (frame->line && frame->line->file)
		tally_str_addf(out, "%s:%" PRIu32, line_file(view, frame->line), frame->line->line);
	else if (frame->symbol && view->graph_key == TALLY_GRAPH_ADDRESS)
		tally_str_addf(out, "+%" PRIu64, frame->addr - frame->symbol->start);
}

/* Append the file of a frame if there is space for it next to a name. Returns its width. */
static size_t add_node_file(const struct tally_view *view, uint32_t number, size_t columns,
			    const char *mark, struct tally_str *out)
{
	enum { FILE_WIDTH = 20, LEAST = 60 };
	size_t start = out->len;

	if (!view->has_short_names || columns < LEAST)
		return 0;
	tally_str_add(out, "  ");
	tally_frame_add_file(&view->profile->frames.all.data[number], true, out);
	tally_str_escape(out, start);
	tally_shorten(out, start + 2, TALLY_SHORTEN_TEXT, FILE_WIDTH, mark);
	return tally_width(tally_str_text(out) + start, out->len - start);
}

void tally_view_frame_text(const struct tally_view *view, uint32_t number, size_t columns,
			   const char *mark, struct tally_str *out)
{
	size_t start = out->len, line;
	struct tally_str file = {0};

	columns -= add_node_file(view, number, columns, mark, &file);
	if (view->has_short_names && tally_view_frame_is_inlined(view, number))
		tally_str_add(out, "[i] ");
	tally_view_frame_name(view, number, out);
	if (view->graph_key != TALLY_GRAPH_FUNCTION) {
		tally_str_add_char(out, ' ');
		line = out->len;
		tally_view_frame_line(view, number, out);
		if (out->len == line && out->len > start)
			out->len--;
	}
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_NAME, columns, mark);
	tally_str_add_bytes(out, tally_str_text(&file), file.len);
	out->failed |= file.failed;
	tally_str_free(&file);
}

void tally_view_metric(const struct tally_view *view, const struct tally_view_column *column,
		       const struct tally_row *rows, struct tally_str *out)
{
	size_t start = out->len;

	for (uint32_t i = 0; i <= view->nr_members; i++) {
		struct tally_str value = {0};
		size_t end = start + (size_t)column->width * (i + 1);

		column->text(i ? &view->members[i - 1] : view, column, &rows[i], &value);
		if (!view->separator && out->len + value.len < end)
			tally_str_pad_to(out, end - value.len);
		else if (i)
			tally_str_add_char(out, ' ');
		tally_str_add_bytes(out, tally_str_text(&value), value.len);
		out->failed |= value.failed;
		tally_str_free(&value);
	}
}

/* Append the metric of a row of the view. */
static void add_metric(const struct tally_view *view, const struct tally_view_column *column,
		       const struct tally_row *row, struct tally_str *out)
{
	struct tally_row rows[TALLY_VIEW_MAX_EVENTS] = {*row};

	for (uint32_t i = 0; i < view->nr_members; i++)
		rows[i + 1] = tally_hist_member_row(view->hist, row, i);
	tally_view_metric(view, column, rows, out);
}

void tally_view_cell(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out)
{
	size_t start = out->len;

	if (column->width && view->nr_members)
		add_metric(view, column, row, out);
	else
		column->text(view, column, row, out);
	tally_str_escape(out, start);
}

void tally_view_short_cell(const struct tally_view *view, const struct tally_view_column *column,
			   const struct tally_row *row, size_t columns, const char *mark,
			   struct tally_str *out)
{
	/* The prefix to keep is ASCII. Numbers are not shortened, because a truncated number would
	 * be misleading. */
	size_t start = out->len, kept = column->kept < columns ? column->kept : 0;

	tally_view_cell(view, column, row, out);
	kept = TALLY_MIN(kept, out->len - start);
	if (!column->width)
		tally_shorten(out, start + kept, column->how, columns - kept, mark);
}
