/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the processes' mappings from /proc/PID/maps. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/file.h"
#include "hosts/user/user_maps.h"
#include "hosts/user/user_private.h"

/* Limits for reading the mappings. A program maps its libraries at startup, so the first FREE_READS
 * reads are always allowed when an address is unknown or the address space has been resized. Later
 * reads may take at most 1/SHARE_OF_TIME of the elapsed time if an address is unknown, or
 * 1/SHARE_OF_GROWTH if the address space has been resized. */
enum { MAPS_MAX = 16 << 20, FREE_READS = 8, SHARE_OF_TIME = 20, SHARE_OF_GROWTH = 400 };

static uint32_t protection_of(const char *flags)
{
	return (flags[0] == 'r' ? PROT_READ : 0u) | (flags[1] == 'w' ? PROT_WRITE : 0u) |
	       (flags[2] == 'x' ? PROT_EXEC : 0u);
}

/* Parse a line. Return false if the line is malformed. */
static bool parse_line(char *line, struct tally_core_mapping *ret_mapping)
{
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	int name = 0;
	char flags[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start,
		   &end, flags, &offset, &major, &minor, &inode, &name) < 7 ||
	    !name || end < start || strlen(flags) != 4)
		return false;
	*ret_mapping = (struct tally_core_mapping){
		.addr = start,
		.len = end - start,
		.pgoff = offset,
		.maj = major,
		.min = minor,
		.ino = inode,
		.prot = protection_of(flags),
		.flags = flags[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
		.executable = flags[2] == 'x',
		.filename = line[name] ? line + name : "//anon",
	};
	return true;
}

/* ---- known processes --------------------------------------------------------------- */

static struct user_process *process_find(const struct tally_user *user, int32_t pid)
{
	tally_vec_for_each (process, &user->processes) {
		if ((*process)->pid == pid)
			return *process;
	}
	return NULL;
}

static struct user_process *process_get(struct tally_user *user, int32_t pid)
{
	struct user_process *process = process_find(user, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	if (tally_vec_push(&user->processes, process)) {
		free(process);
		return NULL;
	}
	return process;
}

static void process_free(struct user_process *process)
{
	tally_vec_free(&process->known);
	free(process);
}

void user_maps_remove(struct tally_user *user, int32_t pid)
{
	tally_vec_for_each (process, &user->processes) {
		if ((*process)->pid != pid)
			continue;
		process_free(*process);
		*process = user->processes.data[--user->processes.len];
		return;
	}
}

void user_maps_copy(struct tally_user *user, int32_t from, int32_t to)
{
	const struct user_process *parent = process_find(user, from);
	struct user_process *child = parent ? process_get(user, to) : NULL;

	if (!child)
		return;
	child->known.len = 0;
	child->read_at = parent->read_at;
	tally_vec_for_each (range, &parent->known) {
		if (tally_vec_push(&child->known, *range))
			break;
	}
}

/* Return the range that contains `ip`, or NULL. The ranges are sorted by address, as they are in
 * procfs. */
static const struct user_range *range_of(const struct user_process *process, uint64_t ip)
{
	size_t low = 0, high = process->known.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct user_range *range = &process->known.data[middle];

		if (ip >= range->start && ip < range->end)
			return range;
		if (ip < range->start)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool user_maps_need_reading(struct tally_user *user, const struct user_task *task, uint64_t ip,
			    uint64_t space)
{
	struct user_process *process = process_get(user, task->perf.pid);
	uint64_t share = SHARE_OF_TIME;
	bool resized;

	if (!process)
		return false;
	resized = process->space != space;
	process->space = space;
	if (range_of(process, ip)) {
		if (!resized)
			return false;
		share = SHARE_OF_GROWTH;
	}
	return process->nr_reads <= FREE_READS ||
	       tally_clock_now() - process->read_at >= process->read_ns * share;
}

/* Report the new mappings to the core, and replace the list of known mappings. Both lists are
 * sorted. */
static void emit_text(struct tally_user *user, struct user_task *task, struct user_process *process,
		      char *text)
{
	struct user_process now = {0};
	struct tally_core_mapping mapping;
	char *save = NULL;
	size_t at = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct user_range range;

		if (!parse_line(line, &mapping) || !mapping.executable)
			continue;
		range = (struct user_range){mapping.addr, mapping.addr + mapping.len};
		while (at < process->known.len && process->known.data[at].start < range.start)
			at++;
		if (at == process->known.len || process->known.data[at].start != range.start ||
		    process->known.data[at].end != range.end)
			tally_core_mapped(user->core, &task->perf, &mapping, false);
		if (tally_vec_push(&now.known, range))
			break;
	}
	tally_vec_free(&process->known);
	process->known.data = now.known.data;
	process->known.len = now.known.len;
	process->known.cap = now.known.cap;
}

void user_maps_emit(struct tally_user *user, struct user_task *task, bool anew)
{
	struct user_process *process = process_get(user, task->perf.pid);
	char path[64], *text;
	size_t len;

	if (!process)
		return;
	if (anew)
		process->known.len = process->nr_reads = 0;
	process->nr_reads++;
	process->read_at = tally_clock_now();
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/maps", task->perf.pid);
	if (tally_file_read(path, MAPS_MAX, &text, &len))
		return;
	emit_text(user, task, process, text);
	process->read_ns = tally_clock_now() - process->read_at;
	free(text);
}
