/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_records.h"

#include <errno.h>
#include <sys/mman.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/escape.h"
#include "cli/script/script_print.h"
#include "cli/script/script_sample.h"

enum { SWITCH_PREEMPT = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT };

/* A line under construction, and the task it belongs to. Names are escaped when the line is
 * complete. */
struct record_line {
	struct tally_str *out;
	struct tally_str more; /* further lines, made of numbers and constants only */
	const struct tally_perfdata_record *record;
	int32_t pid, tid;
	/* The parent in a FORK record, otherwise -1. The task has the parent's name until the next
	 * COMM. */
	int32_t ppid, ptid;
};

static int print_comm(struct record_line *line)
{
	struct tally_comm comm;
	int ret = tally_record_comm(line->record->data, line->record->size, &comm);

	if (ret)
		return ret;
	line->pid = comm.pid;
	line->tid = comm.tid;
	tally_str_addf(line->out, "PERF_RECORD_COMM%s: ", comm.exec ? " exec" : "");
	tally_str_add(line->out, comm.comm);
	tally_str_addf(line->out, ":%d/%d", comm.pid, comm.tid);
	return 0;
}

static int print_task(struct record_line *line)
{
	const char *name = line->record->type == PERF_RECORD_FORK ? "FORK" : "EXIT";
	struct tally_task task;
	int ret = tally_record_task(line->record->data, line->record->size, &task);

	if (ret)
		return ret;
	line->pid = task.pid;
	line->tid = task.tid;
	if (line->record->type == PERF_RECORD_FORK) {
		line->ppid = task.ppid;
		line->ptid = task.ptid;
	}
	tally_str_addf(line->out, "PERF_RECORD_%s(%d:%d):(%d:%d)", name, task.pid, task.tid,
		       task.ppid, task.ptid);
	return 0;
}

/* Append the file's identity: build ID, or device, inode and generation. */
static void print_identity(struct tally_str *out, const struct tally_mmap *map)
{
	if (map->build_id_size) {
		tally_str_add(out, " <");
		tally_str_add_hex_bytes(out, map->build_id, map->build_id_size);
		tally_str_add_char(out, '>');
		return;
	}
	tally_str_addf(out, " %02x:%02x %llu %llu", map->maj, map->min,
		       (unsigned long long)map->ino, (unsigned long long)map->ino_generation);
}

static void print_protection(struct tally_str *out, const struct tally_mmap *map)
{
	tally_str_addf(out, "]: %c%c%c%c ", map->prot & PROT_READ ? 'r' : '-',
		       map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
		       map->flags & MAP_SHARED ? 's' : 'p');
}

static int print_map(struct record_line *line)
{
	bool is_second = line->record->type == PERF_RECORD_MMAP2;
	struct tally_mmap map;
	int ret = tally_record_mmap(line->record->data, line->record->size, &map);

	if (ret)
		return ret;
	line->pid = map.pid;
	line->tid = map.tid;
	tally_str_addf(line->out, "PERF_RECORD_MMAP%s %d/%d: [%#llx(%#llx) @ %#llx",
		       is_second ? "2" : "", map.pid, map.tid, (unsigned long long)map.start,
		       (unsigned long long)map.len, (unsigned long long)map.pgoff);
	if (is_second) {
		print_identity(line->out, &map);
		print_protection(line->out, &map);
	} else {
		tally_str_addf(line->out, "]: %c ", map.is_data ? 'r' : 'x');
	}
	tally_str_add(line->out, map.filename);
	return 0;
}

/* Append the PID and TID of the previous or next task, from a SWITCH_CPU_WIDE record. */
static int print_other(struct record_line *line, bool is_out)
{
	const uint8_t *at = line->record->data;

	if (line->record->size < sizeof(struct perf_event_header) + 8)
		return -EINVAL;
	tally_str_addf(line->out, " %s pid/tid: %5d/%-5d", is_out ? "next" : "prev",
		       (int32_t)tally_get_u32(at + 8), (int32_t)tally_get_u32(at + 12));
	return 0;
}

static int print_switch(struct record_line *line)
{
	bool is_wide = line->record->type == PERF_RECORD_SWITCH_CPU_WIDE;
	bool is_out = line->record->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool is_preempted = line->record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

	tally_str_addf(line->out, "PERF_RECORD_SWITCH%s %-11s", is_wide ? "_CPU_WIDE" : "",
		       !is_out        ? "IN"
		       : is_preempted ? "OUT preempt"
				      : "OUT");
	if (!is_wide)
		return 0;
	tally_str_add_char(line->out, ' ');
	return print_other(line, is_out);
}

/* Decode the first `nr` fields of a record, at most 5. */
static int read_fields(const struct record_line *line, struct tally_record_value *values, int nr)
{
	struct tally_record_cursor cursor;

	tally_record_walk(&cursor, tally_record_describe(line->record->type), line->record->data,
			  line->record->size, tally_trailer_size(line->record->event->layout), 0);
	for (int i = 0; i < nr; i++)
		if (tally_record_next(&cursor, &values[i], NULL) <= 0)
			return -EINVAL;
	return 0;
}

static void add_bytes(struct tally_str *out, struct tally_bytes bytes)
{
	tally_str_add_bytes(out, (const char *)bytes.data, bytes.len);
}

static int print_cgroup(struct record_line *line)
{
	struct tally_record_value of[2];

	if (read_fields(line, of, 2))
		return -EINVAL;
	tally_str_addf(line->out, "PERF_RECORD_CGROUP cgroup: %llu ",
		       (unsigned long long)of[0].number);
	add_bytes(line->out, of[1].bytes);
	return 0;
}

static int print_lost(struct record_line *line)
{
	struct tally_record_value of[2];

	if (read_fields(line, of, 2))
		return -EINVAL;
	tally_str_addf(line->out, "PERF_RECORD_LOST lost %llu", (unsigned long long)of[1].number);
	return 0;
}

static int print_ksymbol(struct record_line *line)
{
	struct tally_record_value of[5];

	if (read_fields(line, of, 5))
		return -EINVAL;
	tally_str_addf(line->out,
		       "PERF_RECORD_KSYMBOL addr %llx len %llu type %llu flags 0x%llx name ",
		       (unsigned long long)of[0].number, (unsigned long long)of[1].number,
		       (unsigned long long)of[2].number, (unsigned long long)of[3].number);
	add_bytes(line->out, of[4].bytes);
	return 0;
}

static int print_bpf(struct record_line *line)
{
	struct tally_record_value of[3];

	if (read_fields(line, of, 3))
		return -EINVAL;
	tally_str_addf(line->out, "PERF_RECORD_BPF_EVENT type %llu, flags %llu, id %llu",
		       (unsigned long long)of[0].number, (unsigned long long)of[1].number,
		       (unsigned long long)of[2].number);
	return 0;
}

/* Append a line of code bytes. It follows the end of the line, so it is not escaped. */
static void add_code(struct tally_str *out, const char *name, const uint8_t *bytes, uint64_t nr)
{
	tally_str_addf(out, "\n            %s bytes:", name);
	for (uint64_t i = 0; i < nr; i++) {
		tally_str_add_char(out, ' ');
		tally_str_add_hex(out, bytes[i], 2);
	}
}

static int print_text_poke(struct record_line *line)
{
	struct tally_record_value of[4];
	uint64_t old, new;

	if (read_fields(line, of, 4))
		return -EINVAL;
	old = of[1].number;
	new = of[2].number;
	if (old + new > of[3].bytes.len)
		return -EINVAL;
	tally_str_addf(line->out, "PERF_RECORD_TEXT_POKE %llx  old len %llu new len %llu",
		       (unsigned long long)of[0].number, (unsigned long long)old,
		       (unsigned long long)new);
	add_code(&line->more, "Old", of[3].bytes.data, old);
	add_code(&line->more, "New", of[3].bytes.data + old, new);
	return 0;
}

/* Append the namespaces, four to a line. */
static int print_namespaces(struct record_line *line)
{
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	struct tally_record_value of[4];
	uint64_t nr;

	if (read_fields(line, of, 4))
		return -EINVAL;
	nr = of[3].bytes.len / 16;
	line->pid = (int32_t)of[0].number;
	line->tid = (int32_t)of[1].number;
	tally_str_addf(line->out, "PERF_RECORD_NAMESPACES %d/%d - nr_namespaces: %llu", line->pid,
		       line->tid, (unsigned long long)of[2].number);
	tally_str_add(&line->more, "\n\t\t[");
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t dev = tally_get_u64(of[3].bytes.data + 16 * i);
		uint64_t inode = tally_get_u64(of[3].bytes.data + 16 * i + 8);

		if (i && i % 4 == 0)
			tally_str_add(&line->more, "\n\t\t ");
		tally_str_addf(&line->more, "%llu/%s: %llu/%#llx%s", (unsigned long long)i,
			       i < TALLY_ARRAY_SIZE(names) ? names[i] : "?",
			       (unsigned long long)dev, (unsigned long long)inode,
			       i + 1 < nr ? ", " : "");
	}
	tally_str_add_char(&line->more, ']');
	return 0;
}

static const struct {
	uint32_t type;
	unsigned kind;
	int (*print)(struct record_line *line);
} printers[] = {
	{PERF_RECORD_COMM, SCRIPT_SHOW_TASKS, print_comm},
	{PERF_RECORD_FORK, SCRIPT_SHOW_TASKS, print_task},
	{PERF_RECORD_EXIT, SCRIPT_SHOW_TASKS, print_task},
	{PERF_RECORD_MMAP, SCRIPT_SHOW_MAPS, print_map},
	{PERF_RECORD_MMAP2, SCRIPT_SHOW_MAPS, print_map},
	{PERF_RECORD_SWITCH, SCRIPT_SHOW_SWITCHES, print_switch},
	{PERF_RECORD_SWITCH_CPU_WIDE, SCRIPT_SHOW_SWITCHES, print_switch},
	{PERF_RECORD_CGROUP, SCRIPT_SHOW_CGROUPS, print_cgroup},
	{PERF_RECORD_LOST, SCRIPT_SHOW_LOST, print_lost},
	{PERF_RECORD_KSYMBOL, SCRIPT_SHOW_BPF, print_ksymbol},
	{PERF_RECORD_BPF_EVENT, SCRIPT_SHOW_BPF, print_bpf},
	{PERF_RECORD_TEXT_POKE, SCRIPT_SHOW_TEXT_POKES, print_text_poke},
	{PERF_RECORD_NAMESPACES, SCRIPT_SHOW_NAMESPACES, print_namespaces},
};

unsigned script_record_kind(uint32_t type)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(printers); i++)
		if (printers[i].type == type)
			return printers[i].kind;
	return 0;
}

static int print_line(struct record_line *line)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(printers); i++)
		if (printers[i].type == line->record->type)
			return printers[i].print(line);
	return -ENOENT;
}

static struct tally_thread *line_thread(struct tally_machine *machine,
					const struct record_line *line)
{
	struct tally_thread *thread = tally_machine_thread(machine, line->pid, line->tid);

	struct tally_thread *parent;

	if (!thread || thread->has_comm || line->ptid == -1)
		return thread;
	parent = tally_machine_thread(machine, line->ppid, line->ptid);
	return parent && !parent->has_comm && parent->tid ? thread : parent;
}

/* Append a record's line, escaped, and the lines after it. */
static void add_record(struct tally_str *out, struct tally_str *text, const struct tally_str *more)
{
	tally_str_escape(text, 0);
	tally_str_add(out, tally_str_text(text));
	tally_str_add(out, tally_str_text(more));
	tally_str_add_char(out, '\n');
	out->failed |= text->failed | more->failed;
}

/* Return the letters of a record's flags, as in perf. */
static const char *record_flags(const struct tally_perfdata_record *record)
{
	static const struct {
		uint32_t type, misc;
		const char *letters;
	} rows[] = {
		{PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA, "M"},
		{PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_DATA, "M"},
		{PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, "E"},
		{PERF_RECORD_SWITCH, SWITCH_PREEMPT, "Sp"},
		{PERF_RECORD_SWITCH_CPU_WIDE, SWITCH_PREEMPT, "Sp"},
		{PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, "S"},
		{PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, "S"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (rows[i].type == record->type && (record->misc & rows[i].misc) == rows[i].misc)
			return rows[i].letters;
	return NULL;
}

/* Print a record. The task is printed first, but it is known only after the record's text has been
 * built, so the text is built in a separate buffer. */
void script_print_record(struct tally_script_printer *printer,
			 const struct tally_perfdata_record *record, uint64_t fields)
{
	const struct tally_perfdata_event *event = record->event;
	struct tally_feed_sample sample = {0};
	struct script_sample task;
	struct tally_str text = {0};
	struct record_line line = {.out = &text, .record = record, .ppid = -1, .ptid = -1};

	if (!event || !event->layout ||
	    tally_trailer_decode(event->layout, record->data, record->size, &sample.sample, NULL))
		return;
	sample.attr = &event->attr;
	sample.event = event->index;
	if (printer->session->cpus.all.len && sample.sample.present & PERF_SAMPLE_CPU &&
	    !tally_ranges_have(&printer->session->cpus, sample.sample.cpu))
		return;
	line.pid = sample.sample.pid;
	line.tid = sample.sample.tid;
	if (!print_line(&line)) {
		sample.cpumode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		sample.thread = line_thread(printer->session->machine, &line);
		if (sample.thread && !tally_str_error(&text)) {
			printer->flags = record_flags(record);
			script_sample_take_task(printer, &sample, fields, &task);
			script_sample_add_task(printer, &task);
			printer->flags = NULL;
			add_record(&printer->out, &text, &line.more);
		} else {
			printer->out.failed = true;
		}
	}
	tally_str_free(&text);
	tally_str_free(&line.more);
}
