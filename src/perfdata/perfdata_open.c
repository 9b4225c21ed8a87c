/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes perf.data files, directories, streams and memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "perfdata/ahead.h"
#include "perfdata/input.h"
#include "perfdata/reader.h"

enum { PROBE = 16 };

static int reader_new(struct tally_perfdata **ret_data)
{
	struct tally_perfdata *data = calloc(1, sizeof(*data));

	if (!data)
		return -ENOMEM;
	data->own_fd = -1;
	data->waiting_max = TALLY_QUEUED_MAX;
	*ret_data = data;
	return 0;
}

/* Read the header of a file in memory. */
static int open_memory(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		       struct tally_error *err)
{
	data->bytes = bytes;
	data->len = len;
	data->info.file_size = len;
	return tally_header_read(data, err);
}

static int map_fd(struct tally_perfdata *data, int fd, size_t len, struct tally_error *err)
{
	struct tally_file_map map = {0};
	int ret = len ? tally_file_map_fd(fd, len, &map) : 0;

	if (ret)
		return tally_error_at(err, ret, "cannot map the file", 0);
	ret = tally_vec_push(&data->maps, map);
	if (ret) {
		tally_file_unmap(&map);
		return tally_error_at(err, ret, "out of memory", 0);
	}
	return 0;
}

static int open_regular(struct tally_perfdata *data, int fd, size_t len, struct tally_error *err)
{
	int ret = map_fd(data, fd, len, err);

	if (ret)
		return ret;
	data->release.enabled = true;
	return open_memory(data, data->maps.data[0].data, len, err);
}

/* ---- streams ------------------------------------------------------------- */

static int read_some(int fd, uint8_t *to, size_t len, size_t *ret_got)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, to + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		got += (size_t)n;
	}
	*ret_got = got;
	return 0;
}

/* Read all of a file-mode recording that arrives through a pipe (`cat perf.data | ...`), because
 * the end of the file is needed before its middle. */
static int open_file_from_pipe(struct tally_perfdata *data, int fd, const uint8_t *first,
			       size_t len, struct tally_error *err)
{
	size_t cap = 0, room = 0;
	uint8_t *bytes = NULL;
	int ret;

	do {
		uint8_t *grown = tally_vec_grow(bytes, &cap, 1, len + TALLY_CHUNK_SIZE);

		if (!grown) {
			free(bytes);
			return tally_error_at(err, -ENOMEM, "out of memory", len);
		}
		if (!bytes)
			memcpy(grown, first, len);
		bytes = grown;
		ret = read_some(fd, bytes + len, cap - len, &room);
		len += ret ? 0 : room;
	} while (!ret && len == cap);
	data->slurped = bytes;
	if (ret)
		return tally_error_at(err, ret, "cannot read", len);
	return open_memory(data, bytes, len, err);
}

static int open_stream(struct tally_perfdata *data, int fd, struct tally_error *err)
{
	uint8_t first[PROBE];
	uint64_t size;
	size_t len = 0;
	int ret = read_some(fd, first, sizeof(first), &len);

	if (ret)
		return tally_error_at(err, ret, "cannot read", 0);
	ret = tally_header_probe(data, first, len, &size, err);
	if (ret)
		return ret;
	if (!data->info.is_pipe)
		return open_file_from_pipe(data, fd, first, len, err);
	data->info.is_stream = true;
	data->info.data_offset = PROBE;
	data->info.data_size = UINT64_MAX;
	ret = tally_input_start_stream(data, fd, first, len, PROBE);
	return ret ? tally_error_at(err, ret, "out of memory", 0) : 0;
}

/* ---- directories --------------------------------------------------------- */

/* Return N for a file named "data.N", or -1 for other names. */
static long data_number(const char *name)
{
	unsigned number;
	int end = 0;

	if (sscanf(name, "data.%7u%n", &number, &end) != 1 || name[end])
		return -1;
	return (long)number;
}

static int add_data_file(struct tally_perfdata *data, int dir, const char *name, uint32_t number,
			 struct tally_error *err)
{
	struct stat st;
	struct tally_file_map *map;
	int fd, ret = tally_file_open_at(dir, name, NULL, &fd);

	if (ret)
		return tally_error_at(err, ret, "cannot open a data file", 0);
	if (fstat(fd, &st) < 0)
		ret = tally_error_at(err, -errno, "cannot stat a data file", 0);
	if (!ret && st.st_size) {
		ret = map_fd(data, fd, (size_t)st.st_size, err);
		map = ret ? NULL : &data->maps.data[data->maps.len - 1];
		if (!ret)
			ret = tally_vec_push(
				&data->input.ranges,
				(struct tally_range){map->data, map->len, 0, number + 1});
	}
	close(fd);
	return ret;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Add data.0, data.1 and so on, in numerical order. `dir` is consumed. */
static int add_data_files(struct tally_perfdata *data, int dir, struct tally_error *err)
{
	TALLY_VEC(uint32_t) numbers = {0};
	char name[24];
	struct dirent *entry;
	DIR *list = fdopendir(dir);
	int ret = 0;

	if (!list) {
		ret = tally_error_at(err, -errno, "cannot read the directory", 0);
		close(dir);
		return ret;
	}
	while (!ret && (entry = readdir(list))) {
		long number = data_number(entry->d_name);

		if (number >= 0)
			ret = tally_vec_push(&numbers, (uint32_t)number);
	}
	if (numbers.len)
		qsort(numbers.data, numbers.len, sizeof(numbers.data[0]), compare_numbers);
	for (size_t i = 0; !ret && i < numbers.len; i++) {
		snprintf(name, sizeof(name), "data.%u", numbers.data[i]);
		ret = add_data_file(data, dir, name, numbers.data[i], err);
	}
	tally_vec_free(&numbers);
	closedir(list);
	return ret;
}

static int open_fd(struct tally_perfdata *data, int fd, struct tally_error *err);

static int open_dir(struct tally_perfdata *data, int dir, struct tally_error *err)
{
	int fd, ret = tally_file_open_at(dir, "data", NULL, &fd);

	if (ret)
		return tally_error_at(err, ret, "the directory contains no perf.data", 0);
	data->info.is_dir = true;
	ret = open_fd(data, fd, err);
	close(fd);
	if (ret)
		return ret;
	if (data->info.is_stream)
		return tally_error_at(err, -EINVAL, "the directory contains no perf.data", 0);
	dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (dir < 0)
		return tally_error_at(err, -errno, "cannot read the directory", 0);
	return add_data_files(data, dir, err);
}

/* ---- entry points -------------------------------------------------------- */

static int open_fd(struct tally_perfdata *data, int fd, struct tally_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return tally_error_at(err, -errno, "cannot stat", 0);
	if (S_ISDIR(st.st_mode))
		return data->info.is_dir ? tally_error_at(err, -EINVAL, "not a perf.data file", 0)
					 : open_dir(data, fd, err);
	if (S_ISREG(st.st_mode))
		return open_regular(data, fd, (size_t)st.st_size, err);
	return open_stream(data, fd, err);
}

int tally_perfdata_open_fd(int fd, struct tally_perfdata **ret_data, struct tally_error *err)
{
	struct tally_perfdata *data;
	int ret = reader_new(&data);

	if (ret)
		return tally_error_at(err, ret, "out of memory", 0);
	ret = open_fd(data, fd, err);
	if (ret)
		tally_perfdata_close(data);
	else
		*ret_data = data;
	return ret;
}

int tally_perfdata_open(const char *path, struct tally_perfdata **ret_data, struct tally_error *err)
{
	int fd, ret;

	if (!strcmp(path, "-"))
		return tally_perfdata_open_fd(STDIN_FILENO, ret_data, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tally_error_at(err, -errno, "cannot open", 0);
	ret = tally_perfdata_open_fd(fd, ret_data, err);
	if (!ret && (*ret_data)->info.is_stream)
		(*ret_data)->own_fd = fd;
	else
		close(fd);
	return ret;
}

int tally_perfdata_open_bytes(const void *bytes, size_t len, struct tally_perfdata **ret_data,
			      struct tally_error *err)
{
	struct tally_perfdata *data;
	int ret = reader_new(&data);

	if (ret)
		return tally_error_at(err, ret, "out of memory", 0);
	ret = open_memory(data, bytes, len, err);
	if (ret)
		tally_perfdata_close(data);
	else
		*ret_data = data;
	return ret;
}

/* Reset the state for another pass over the records. */
static void reader_reset(struct tally_perfdata *data)
{
	tally_perfdata_stop_ahead(data);
	tally_order_free(&data->order);
	tally_chunk_unref(data->held);
	data->held = NULL;
	tally_inflater_free(data->inflater);
	data->inflater = NULL;
	data->failed = (struct tally_error){0};
	data->ended = data->fills = false;
	data->read = 0;
	data->info.nr_late = 0;
	data->input.range = 0;
	data->input.at = 0;
}

int tally_perfdata_rewind(struct tally_perfdata *data)
{
	if (data->info.is_stream)
		return -ESPIPE;
	reader_reset(data);
	return 0;
}

int tally_perfdata_check(const struct tally_perfdata *data, struct tally_error *err)
{
	tally_vec_for_each (map, &data->maps) {
		struct stat st = {0};
		int ret = tally_file_map_check(map);

		if (ret == -EIO && !fstat(map->fd, &st))
			return tally_error_at(err, -EINVAL,
					      "the file was truncated while it was being read",
					      (uint64_t)st.st_size);
		if (ret)
			return tally_error_at(err, ret, "cannot read", 0);
	}
	return 0;
}

void tally_perfdata_on_idle(struct tally_perfdata *data, void (*idle)(void *arg), void *arg)
{
	data->input.idle = idle;
	data->input.idle_arg = arg;
}

void tally_perfdata_select(struct tally_perfdata *data, const uint64_t *bits, uint64_t nr)
{
	data->wanted = bits;
	data->nr_wanted = nr;
}

void tally_perfdata_close(struct tally_perfdata *data)
{
	if (!data)
		return;
	reader_reset(data);
	tally_perfdata_tracing_free(data->tracing);
	tally_arena_free(&data->env_arena);
	tally_arena_free(&data->texts);
	tally_vec_free(&data->notes);
	tally_vec_free(&data->build_ids);
	tally_vec_free(&data->features);
	tally_names_free(&data->names);
	tally_perfdata_events_free(&data->events);
	tally_chunk_unref(data->scratch);
	tally_window_free(&data->input.stream);
	tally_chunk_pool_free(&data->pool);
	tally_vec_free(&data->input.ranges);
	if (data->own_fd >= 0)
		close(data->own_fd);
	free(data->slurped);
	tally_vec_for_each (map, &data->maps)
		tally_file_unmap(map);
	tally_vec_free(&data->maps);
	free(data);
}

bool tally_perfdata_is_recording(const char *path)
{
	struct tally_perfdata probe = {0};
	uint8_t bytes[PROBE];
	size_t len = 0;
	uint64_t size;
	struct stat st;
	char data[PATH_MAX];
	int fd, ret;

	if (stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode)) {
		snprintf(data, sizeof(data), "%s/data", path);
		return !stat(data, &st) && S_ISREG(st.st_mode);
	}
	if (!S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	ret = read_some(fd, bytes, sizeof(bytes), &len);
	close(fd);
	return !ret && !tally_header_probe(&probe, bytes, len, &size, NULL);
}

/* ---- accessors ----------------------------------------------------------- */

const struct tally_perfdata_info *tally_perfdata_info(const struct tally_perfdata *data)
{
	return &data->info;
}

const struct tally_perfdata_note *tally_perfdata_note(const struct tally_perfdata *data, size_t i)
{
	return i < data->notes.len ? &data->notes.data[i] : NULL;
}

size_t tally_perfdata_nr_events(const struct tally_perfdata *data)
{
	return data->events.list.len;
}

const struct tally_perfdata_event *tally_perfdata_event(const struct tally_perfdata *data, size_t i)
{
	return i < data->events.list.len ? &data->events.list.data[i]->pub : NULL;
}

const struct tally_perfdata_event *tally_perfdata_event_by_id(const struct tally_perfdata *data,
							      uint64_t id)
{
	const struct tally_event *event = tally_perfdata_events_by_id(&data->events, id);

	return event ? &event->pub : NULL;
}
