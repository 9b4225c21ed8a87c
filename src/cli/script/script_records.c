/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_records.h"

#include <errno.h>
#include <sys/mman.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/escape.h"
#include "cli/script/script_print.h"

/* A line under construction, and the task it belongs to. Names are escaped when the line is
 * complete. */
struct record_line {
	struct tally_str *out;
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
		for (size_t i = 0; i < map->build_id_size; i++)
			tally_str_add_hex(out, map->build_id[i], 2);
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

static int print_cgroup(struct record_line *line)
{
	const struct tally_record_desc *desc = tally_record_describe(PERF_RECORD_CGROUP);
	struct tally_record_cursor cursor;
	struct tally_record_value id, path;

	tally_record_walk(&cursor, desc, line->record->data, line->record->size,
			  tally_trailer_size(line->record->event->layout), 0);
	if (tally_record_next(&cursor, &id, NULL) <= 0 ||
	    tally_record_next(&cursor, &path, NULL) <= 0)
		return -EINVAL;
	tally_str_addf(line->out, "PERF_RECORD_CGROUP cgroup: %llu ",
		       (unsigned long long)id.number);
	tally_str_add_bytes(line->out, (const char *)path.bytes.data, path.bytes.len);
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

/* Print a record. The task is printed first, but it is known only after the record's text has been
 * built, so the text is built in a separate buffer. */
void script_print_record(struct tally_script_printer *printer,
			 const struct tally_perfdata_record *record, uint32_t fields)
{
	const struct tally_perfdata_event *event = record->event;
	struct tally_feed_sample sample = {0};
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
			tally_script_print_start(printer, &sample, fields);
			tally_str_add_line(&printer->out, "%s", tally_str_text(&text));
		} else {
			printer->out.failed = true;
		}
	}
	tally_str_free(&text);
}
