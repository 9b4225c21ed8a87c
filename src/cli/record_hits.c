/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pass over a file just written: how many samples it has, between which times, and the
 * build ids of the files they fell in. No symbols are read; maps are only followed.
 */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "abi/record.h"
#include "base/intern.h"
#include "base/map.h"
#include "cli/record.h"
#include "cli/say.h"
#include "profile/maps.h"
#include "symbols/elf.h"

#define KERNEL_NAME "[kernel.kallsyms]"

enum { KERNEL_PID = -1, VDSO_MAX = 1 << 16 };

/* A file that is mapped somewhere. */
struct hit_file {
	uint32_t cpumode;
	bool hit;
	uint8_t id_size; /* told by its map */
	uint8_t id[TALLY_BUILD_ID_MAX];
};

struct hits {
	struct tally_intern names;        /* cpumode and path */
	TALLY_VEC(struct hit_file) files; /* by id of the name */
	TALLY_VEC(struct tally_maps *) spaces;
	struct tally_map by_pid; /* index in spaces */
	uint64_t next_space;
	struct record_hits *result;
};

/* ---- maps ------------------------------------------------------------------- */

/* The address space of a process, empty if it is new. NULL when out of memory. */
static struct tally_maps **space_of(struct hits *hits, int32_t pid)
{
	uint64_t at = tally_map_get(&hits->by_pid, (uint32_t)pid);
	struct tally_maps *maps;

	if (at != TALLY_MAP_NONE)
		return &hits->spaces.data[at];
	maps = tally_maps_new(&hits->next_space);
	if (!maps || tally_vec_push(&hits->spaces, maps)) {
		tally_maps_put(maps);
		return NULL;
	}
	if (tally_map_put(&hits->by_pid, (uint32_t)pid, hits->spaces.len - 1))
		return NULL;
	return &hits->spaces.data[hits->spaces.len - 1];
}

/* Number of a file, from 0. The maps carry it in place of a DSO, plus 1. */
static int file_number(struct hits *hits, uint8_t cpumode, const char *name, uint32_t *ret_number)
{
	char key[4200];
	int len = snprintf(key, sizeof(key), "%c%s", '0' + cpumode, name);
	int ret;

	if (len >= (int)sizeof(key))
		return -ENAMETOOLONG;
	ret = tally_intern(&hits->names, key, (size_t)len, ret_number);
	if (!ret && *ret_number >= hits->files.len)
		ret = tally_vec_push(&hits->files, (struct hit_file){.cpumode = cpumode});
	return ret;
}

static int take_mmap(struct hits *hits, const struct tally_perfdata_record *record)
{
	uint8_t cpumode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct tally_mapping mapping;
	struct tally_maps **space;
	struct tally_mmap mmap;
	const char *name;
	uint32_t number;
	int ret;

	if (tally_record_mmap(record->data, record->size, &mmap) || mmap.is_data)
		return 0;
	name = mmap.filename;
	if (cpumode == PERF_RECORD_MISC_KERNEL && !strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME)))
		name = KERNEL_NAME;
	ret = file_number(hits, cpumode, name, &number);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (mmap.build_id_size) {
		struct hit_file *file = &hits->files.data[number];

		file->id_size = mmap.build_id_size;
		memcpy(file->id, mmap.build_id, sizeof(file->id));
	}
	mapping = (struct tally_mapping){
		.start = mmap.start,
		.end = mmap.start + mmap.len > mmap.start ? mmap.start + mmap.len : UINT64_MAX,
		.dso = (struct tally_dso *)(uintptr_t)(number + 1),
	};
	space = space_of(hits, cpumode == PERF_RECORD_MISC_KERNEL ? KERNEL_PID : mmap.pid);
	return space ? tally_maps_insert(space, &mapping, &hits->next_space) : -ENOMEM;
}

/* A new process has its parent's maps; synthesized ones bring their own. */
static int take_fork(struct hits *hits, const struct tally_perfdata_record *record)
{
	struct tally_maps **child, **parent;
	struct tally_task task;

	if (tally_record_task(record->data, record->size, &task) || task.pid == task.ppid ||
	    record->misc & PERF_RECORD_MISC_FORK_EXEC)
		return 0;
	child = space_of(hits, task.pid);
	parent = child ? space_of(hits, task.ppid) : NULL;
	if (!parent)
		return -ENOMEM;
	child = space_of(hits, task.pid); /* the vector may have moved */
	tally_maps_put(*child);
	*child = tally_maps_get(*parent);
	return 0;
}

static int take_comm(struct hits *hits, const struct tally_perfdata_record *record)
{
	struct tally_maps **space, *empty;
	struct tally_comm comm;

	if (tally_record_comm(record->data, record->size, &comm) || !comm.exec)
		return 0;
	space = space_of(hits, comm.pid);
	empty = space ? tally_maps_new(&hits->next_space) : NULL;
	if (!empty)
		return -ENOMEM;
	tally_maps_put(*space);
	*space = empty;
	return 0;
}

static int take_sample(struct hits *hits, const struct tally_perfdata_record *record)
{
	uint8_t cpumode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct tally_mapping *mapping;
	struct tally_maps **space;
	struct tally_sample sample;

	hits->result->samples++;
	if (record->time) {
		if (!hits->result->first_ns || record->time < hits->result->first_ns)
			hits->result->first_ns = record->time;
		if (record->time > hits->result->last_ns)
			hits->result->last_ns = record->time;
	}
	if (!record->event ||
	    tally_sample_decode(record->event->layout, record->data, record->size, &sample, NULL))
		return 0;
	space = space_of(hits, cpumode == PERF_RECORD_MISC_KERNEL ? KERNEL_PID : sample.pid);
	if (!space)
		return -ENOMEM;
	mapping = tally_maps_find(*space, sample.ip);
	if (mapping)
		hits->files.data[(uintptr_t)mapping->dso - 1].hit = true;
	return 0;
}

static int take_record(struct hits *hits, const struct tally_perfdata_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE: return take_sample(hits, record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return take_mmap(hits, record);
	case PERF_RECORD_FORK: return take_fork(hits, record);
	case PERF_RECORD_COMM: return take_comm(hits, record);
	}
	return 0;
}

/* ---- build ids -------------------------------------------------------------- */

/* The vDSO is nobody's file, but it is mapped here as well. */
static int vdso_build_id(uint8_t id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	const ElfW(Ehdr) *ehdr = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) * phdr;
	uint64_t len = 0;

	if (!ehdr)
		return -ENOENT;
	phdr = (const ElfW(Phdr) *)((const char *)ehdr + ehdr->e_phoff);
	for (int i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD)
			len = phdr[i].p_offset + phdr[i].p_filesz;
	}
	return tally_elf_image_build_id((const uint8_t *)ehdr, len, id, ret_size);
}

/* "ext4" of ".../ext4.ko.xz" and "[ext4]"; '-' reads as '_'. */
static void module_bare(const char *name, char *bare, size_t size)
{
	const char *slash = strrchr(name, '/');
	size_t n = 0;

	name = slash ? slash + 1 : name + (name[0] == '[');
	for (; *name && *name != '.' && *name != ']' && n + 1 < size; name++)
		bare[n++] = *name == '-' ? '_' : *name;
	bare[n] = '\0';
}

static int file_build_id(const struct hit_file *file, const char *name,
			 uint8_t id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	char module[128];

	if (file->id_size) {
		memcpy(id, file->id, sizeof(file->id));
		*ret_size = file->id_size;
		return 0;
	}
	if (file->cpumode == PERF_RECORD_MISC_KERNEL) {
		if (!strcmp(name, KERNEL_NAME))
			return tally_kernel_build_id(id, ret_size);
		module_bare(name, module, sizeof(module));
		return tally_module_build_id(module, id, ret_size);
	}
	if (!strcmp(name, "[vdso]"))
		return vdso_build_id(id, ret_size);
	return name[0] == '/' ? tally_elf_build_id(name, id, ret_size) : -ENOENT;
}

static int add_build_ids(struct record *record, struct hits *hits)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < hits->files.len; i++) {
		const char *name = tally_intern_text(&hits->names, i) + 1;
		const struct hit_file *file = &hits->files.data[i];
		struct tally_perfdata_build_id id = {.pid = -1, .filename = name};
		size_t size;

		if ((!file->hit && !record->config->buildid_all) ||
		    file_build_id(file, name, id.bytes, &size))
			continue;
		id.size = (uint8_t)size;
		id.misc = (uint16_t)file->cpumode;
		ret = tally_perfdata_writer_build_id(record->output.writer, &id);
	}
	return ret;
}

static void hits_free(struct hits *hits)
{
	tally_vec_for_each (maps, &hits->spaces)
		tally_maps_put(*maps);
	tally_vec_free(&hits->spaces);
	tally_vec_free(&hits->files);
	tally_map_free(&hits->by_pid);
	tally_intern_free(&hits->names);
}

int record_hits(struct record *record, struct record_hits *ret_hits)
{
	struct hits hits = {.next_space = 1, .result = ret_hits};
	struct tally_perfdata_record one;
	struct tally_perfdata *data;
	int ret = tally_perfdata_open_fd(record->output.fd, &data, NULL);

	if (ret)
		return ret;
	while (!ret && (ret = tally_perfdata_next_ordered(data, &one, NULL)) > 0)
		ret = take_record(&hits, &one);
	/* A record that cannot be read back is the readers' business. */
	ret = ret == -EINVAL ? 0 : ret;
	if (!ret && !record->config->no_buildid)
		ret = add_build_ids(record, &hits);
	tally_perfdata_close(data);
	hits_free(&hits);
	return ret;
}
