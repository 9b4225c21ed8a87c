/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inject/inject_build_ids.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "abi/abi_record.h"
#include "symbols/elf/elf.h"

/* Return true for the first call with this name. Out of memory counts as a later call. */
static bool is_new(struct inject_build_ids *ids, const char *name)
{
	uint32_t id;

	if (tally_intern(&ids->names, name, strlen(name), &id) || id < ids->nr_seen)
		return false;
	ids->nr_seen = id + 1;
	return true;
}

static bool differs(const char *recorded, const char *here)
{
	return *recorded && strcmp(recorded, here) != 0;
}

int inject_build_ids_start(struct inject_build_ids *ids, struct tally_perfdata *data)
{
	const struct tally_perfdata_build_id *known;
	const struct tally_perfdata_env *env;
	struct utsname uts;
	int ret = tally_perfdata_env(data, &env);

	if (ret)
		return ret;
	ids->is_elsewhere = uname(&uts) || differs(env->hostname, uts.nodename) ||
			    differs(env->osrelease, uts.release);
	for (size_t i = 0; (known = tally_perfdata_build_id(data, i)); i++)
		(void)is_new(ids, known->filename);
	return 0;
}

/* Return true if the file at the recorded path is another one than the mapped file. MMAP records
 * have no inode, and inode 0 is unknown. */
static bool is_replaced(const struct tally_mmap *map)
{
	struct stat st;

	return map->ino && !stat(map->filename, &st) && st.st_ino != map->ino;
}

/* Get the build ID of a mapped file: as recorded, or of the running kernel, or of the file. */
static int find_id(struct inject_build_ids *ids, const struct tally_mmap *map, bool is_kernel,
		   uint8_t id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	if (map->build_id_size) {
		memcpy(id, map->build_id, map->build_id_size);
		*ret_size = map->build_id_size;
		return 0;
	}
	if (ids->is_elsewhere)
		return -ENOENT;
	if (is_kernel && !strncmp(map->filename, "[kernel.", strlen("[kernel.")))
		return tally_kernel_build_id(id, ret_size);
	if (map->filename[0] != '/')
		return -ENOENT;
	if (is_replaced(map)) {
		ids->changed++;
		return -ENOENT;
	}
	return tally_elf_build_id(map->filename, id, ret_size);
}

/* Return the name in a table of build IDs: the kernel's mapping is called "[kernel.kallsyms]_text".
 * `name` has `size` bytes. */
static const char *table_name(const char *filename, bool is_kernel, char *name, size_t size)
{
	size_t len = strcspn(filename, "]");

	if (!is_kernel || filename[0] != '[' || !filename[len] || len + 2 > size)
		return filename;
	memcpy(name, filename, len + 1);
	name[len + 1] = '\0';
	return name;
}

int inject_build_ids_record(void *arg, struct inject_copy *copy,
			    const struct tally_perfdata_record *record)
{
	struct inject_build_ids *ids = arg;
	struct tally_perfdata_build_id row = {.pid = -1};
	bool is_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct tally_mmap map;
	char name[128];
	size_t size = 0;
	int ret;

	if ((record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2) ||
	    tally_record_mmap(record->data, record->size, &map))
		return 0;
	row.filename = table_name(map.filename, is_kernel, name, sizeof(name));
	if (!is_new(ids, row.filename) || find_id(ids, &map, is_kernel, row.bytes, &size) || !size)
		return 0;
	row.size = (uint8_t)size;
	row.misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	ret = inject_copy_build_id(copy, &row);
	ids->added += !ret;
	return ret == -EINVAL ? 0 : ret;
}

void inject_build_ids_free(struct inject_build_ids *ids)
{
	tally_intern_free(&ids->names);
}
