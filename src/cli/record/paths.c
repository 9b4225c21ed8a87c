/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/paths.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"

/* In an MMAP2 record: the offset of `misc`, and the offset and size of the field that holds either
 * the device and inode or the build ID. ID_MAX is the maximum size of a build ID. */
enum { AT_MISC = 4, AT_ID = 40, ID_BYTES = 24, ID_MAX = 20 };

/* Return true if only the path identifies the DSO, because the build ID table has no inodes. If the
 * mapping was recorded with a build ID, that ID identifies the DSO. */
static bool is_by_path(const struct tally_dso *dso)
{
	return tally_dso_kind(dso) == TALLY_DSO_USER && !tally_dso_has_recorded_id(dso);
}

static int path_get(struct record_paths *paths, const struct tally_dso *dso,
		    struct record_path **ret_path)
{
	const char *name = tally_dso_name(dso);
	uint32_t number;
	int ret = tally_intern(&paths->names, name, strlen(name), &number);

	if (!ret && number >= paths->list.len)
		ret = tally_vec_push(&paths->list, (struct record_path){.first = dso});
	if (!ret)
		*ret_path = &paths->list.data[number];
	return ret;
}

static bool write_at(int fd, const void *bytes, size_t len, uint64_t offset)
{
	return pwrite(fd, bytes, len, (off_t)offset) == (ssize_t)len;
}

/* Overwrite the mapping's device and inode with the build ID, which makes them redundant. The bit
 * that marks a build ID is written last. */
static bool map_set_id(const struct record_paths *paths, const struct tally_dso *dso,
		       const struct tally_perfdata_record *map)
{
	uint16_t misc = map->misc | PERF_RECORD_MISC_MMAP_BUILD_ID;
	uint8_t bytes[ID_BYTES] = {0}, id[TALLY_BUILD_ID_MAX];
	size_t size;

	if (map->type != PERF_RECORD_MMAP2 || map->offset == UINT64_MAX ||
	    map->size < AT_ID + ID_BYTES || tally_dso_running_build_id(dso, id, &size) ||
	    size > ID_MAX)
		return false;
	bytes[0] = (uint8_t)size;
	memcpy(bytes + 4, id, size);
	return write_at(paths->fd, bytes, sizeof(bytes), map->offset + AT_ID) &&
	       write_at(paths->fd, &misc, sizeof(misc), map->offset + AT_MISC);
}

int record_paths_add(struct record_paths *paths, const struct tally_dso *dso,
		     const struct tally_perfdata_record *map)
{
	struct record_path *path;
	int ret = is_by_path(dso) ? path_get(paths, dso, &path) : -ENOENT;

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (path->first != dso && !map_set_id(paths, dso, map))
		path->has_unknown = true;
	return 0;
}

int record_paths_allow(struct record_paths *paths, const struct tally_dso *dso)
{
	struct record_path *path;
	int ret;

	if (!is_by_path(dso))
		return 1;
	ret = path_get(paths, dso, &path);
	return ret ? ret : path->first == dso && !path->has_unknown;
}

void record_paths_free(struct record_paths *paths)
{
	tally_intern_free(&paths->names);
	tally_vec_free(&paths->list);
}
