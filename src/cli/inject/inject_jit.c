/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inject/inject_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "base/arith.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/inject/inject_elf.h"
#include "cli/main/print.h"
#include "symbols/jit/jitdump.h"
#include "symbols/jit/load_jit.h"
#include "symbols/load_errors.h"

/* Limit on the number of ELF files. The largest programs have some ten thousand functions. */
enum { MAX_FUNCTIONS = 200000 };

/* A dump that is being read. */
struct inject_dump {
	struct inject_jit *jit;
	struct inject_copy *copy;
	const struct tally_perfdata_record *record; /* its mapping */
	struct tally_mmap map;
	int pid; /* in the dump's name */
	struct tally_file_map file;
	struct tally_jit made;
};

/* ---- ELF files ----------------------------------------------------------------- */

/* The ID has to differ only from those of other files: it is a hash of the function. */
static void make_id(struct inject_elf *elf, uint64_t time, uint64_t number)
{
	uint64_t words[3];

	words[0] = tally_hash_bytes(elf->code, elf->size, time);
	words[1] = tally_hash_bytes(elf->name, strlen(elf->name), words[0] ^ number);
	words[2] = tally_hash_u64(words[1], words[0]);
	memcpy(elf->id, words, sizeof(elf->id));
}

/* Returns 0, or -ECANCELED after printing an error. */
static int write_file(struct inject_jit *jit, const char *path, const struct tally_str *bytes)
{
	int fd, ret = 0;

	if (!jit->nr_files && mkdir(jit->dir, 0755)) {
		ret = -errno;
		tally_print_error("cannot create the directory %s: %s", jit->dir, strerror(-ret));
		if (ret == -EEXIST)
			tally_print_hint("remove it, or choose another name with -o");
		return -ECANCELED;
	}
	jit->nr_files++;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		ret = -errno;
	if (!ret)
		ret = tally_file_write_all(fd, bytes->data, bytes->len);
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	if (ret)
		tally_print_error("cannot write %s: %s", path, strerror(-ret));
	return ret ? -ECANCELED : 0;
}

/* Write the file of function number `number` to `path`, and add its build ID to the copy. */
static int function_write(struct inject_dump *dump, size_t number, const char *path)
{
	const struct tally_symbol *symbol = dump->made.symbols.data[number];
	struct inject_elf elf = {.machine = tally_jitdump_header(&dump->made)->machine,
				 .code = dump->file.data + symbol->start,
				 .size = symbol->end - symbol->start,
				 .name = symbol->name_text};
	struct tally_perfdata_build_id row = {
		.pid = -1, .misc = PERF_RECORD_MISC_USER, .size = INJECT_ELF_ID, .filename = path};
	struct tally_str bytes = {0};
	int ret;

	make_id(&elf, dump->map.ino, number);
	ret = inject_elf_add(&elf, &bytes);
	if (!ret)
		ret = write_file(dump->jit, path, &bytes);
	memcpy(row.bytes, elf.id, sizeof(elf.id));
	if (!ret)
		ret = inject_copy_build_id(dump->copy, &row);
	tally_str_free(&bytes);
	return ret;
}

/* ---- mappings ------------------------------------------------------------------ */

/* Append the path of a function's file. */
static void add_path(const struct inject_dump *dump, uint64_t number, struct tally_str *out)
{
	tally_str_addf(out, "%s/jitted-%" PRId32 "-%" PRIu64 ".so", dump->jit->dir, dump->map.pid,
		       number);
}

/* Append the trailer of the dump's mapping, with another time. */
static void add_trailer(const struct inject_dump *dump, uint64_t time, struct tally_str *out)
{
	const struct tally_perfdata_event *event = dump->record->event;
	size_t size = event ? tally_trailer_size(event->layout) : 0;
	size_t at = out->len + (event && event->attr.sample_type & PERF_SAMPLE_TID ? 8 : 0);

	tally_str_add_bytes(out, (const uint8_t *)dump->record->data + dump->record->size - size,
			    size);
	if (size && event->attr.sample_type & PERF_SAMPLE_TIME && !tally_str_error(out))
		tally_put_u64(out->data + at, time);
}

static bool is_before(const struct inject_jit_map *x, const struct inject_jit_map *y)
{
	return x->time != y->time ? x->time < y->time : x->number < y->number;
}

static int maps_push(struct inject_jit *jit, struct inject_jit_map map)
{
	size_t at = jit->maps.len;
	int ret;

	map.number = jit->nr_maps++;
	ret = tally_vec_push(&jit->maps, map);
	if (ret)
		return ret;
	for (; at && is_before(&map, &jit->maps.data[(at - 1) / 2]); at = (at - 1) / 2)
		jit->maps.data[at] = jit->maps.data[(at - 1) / 2];
	jit->maps.data[at] = map;
	return 0;
}

/* Remove the first mapping. There must be one. */
static struct inject_jit_map maps_pop(struct inject_jit *jit)
{
	struct inject_jit_map *maps = jit->maps.data, first = maps[0];
	struct inject_jit_map last = maps[--jit->maps.len];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < jit->maps.len) {
		child += child + 1 < jit->maps.len && is_before(&maps[child + 1], &maps[child]);
		if (!is_before(&maps[child], &last))
			break;
		maps[at] = maps[child];
		at = child;
	}
	maps[at] = last;
	return first;
}

/* Add the mapping of a piece of code: MMAP2 with PID, TID, address, length, offset, device, inode,
 * generation, protection, flags and name. */
static int map_add(struct inject_dump *dump, const struct tally_jit_code *code, const char *path)
{
	struct inject_jit_map map = {.time = code->time};
	size_t room = tally_round_up(strlen(path) + 1, 8);
	uint8_t head[72] = {0};
	static const char zeros[8];
	int ret;

	tally_put_u32(head, PERF_RECORD_MMAP2);
	tally_put_u16(head + 4, PERF_RECORD_MISC_USER);
	tally_put_u32(head + 8, (uint32_t)dump->map.pid);
	tally_put_u32(head + 12, (uint32_t)dump->map.tid);
	tally_put_u64(head + 16, code->where.start);
	tally_put_u64(head + 24, code->where.end - code->where.start);
	tally_put_u64(head + 32, INJECT_ELF_CODE);
	tally_put_u32(head + 64, PROT_EXEC);
	tally_put_u32(head + 68, MAP_SHARED);
	tally_str_add_bytes(&map.record, head, sizeof(head));
	tally_str_add(&map.record, path);
	tally_str_add_bytes(&map.record, zeros, room - strlen(path));
	add_trailer(dump, code->time, &map.record);
	ret = tally_str_error(&map.record);
	if (!ret)
		tally_put_u16(map.record.data + 6, (uint16_t)map.record.len);
	if (!ret)
		ret = maps_push(dump->jit, map);
	if (ret)
		tally_str_free(&map.record);
	return ret;
}

/* Return the number of the function that starts at this place in the dump. */
static uint64_t function_number(const struct tally_jit *made, uint64_t place)
{
	size_t low = 0, high = made->symbols.len;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (made->symbols.data[mid]->start <= place)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static int functions_write(struct inject_dump *dump)
{
	struct tally_str path = {0};
	int ret = 0;

	for (size_t i = 0; i < dump->made.symbols.len && !ret; i++) {
		tally_str_clear(&path);
		add_path(dump, i, &path);
		ret = tally_str_error(&path);
		if (!ret)
			ret = function_write(dump, i, tally_str_text(&path));
	}
	for (size_t i = 0; i < dump->made.codes.len && !ret; i++) {
		const struct tally_jit_code *code = &dump->made.codes.data[i];

		tally_str_clear(&path);
		add_path(dump, function_number(&dump->made, code->symbol->start), &path);
		ret = tally_str_error(&path);
		if (!ret)
			ret = map_add(dump, code, tally_str_text(&path));
	}
	tally_str_free(&path);
	return ret;
}

/* ---- dumps --------------------------------------------------------------------- */

static int dump_parse(struct inject_dump *dump)
{
	struct tally_error err = {0};
	size_t used;
	int ret = tally_jitdump_parse(dump->file.data, dump->file.len, 0, &dump->made, &used, &err);

	if (!ret && tally_jitdump_header(&dump->made)->pid != (uint32_t)dump->pid)
		return -EBADMSG;
	if (!ret && tally_jitdump_header(&dump->made)->has_arch_clock)
		return -EOPNOTSUPP;
	if (!ret && dump->made.symbols.len > MAX_FUNCTIONS - dump->jit->nr_files)
		ret = -E2BIG;
	return ret ? ret : tally_jit_finish(&dump->made);
}

/* Return the reason why a dump was not read. */
static const char *dump_error(int code)
{
	switch (code) {
	case -EOPNOTSUPP: return "its times are those of a CPU's counter";
	case -E2BIG: return "there are more than 200,000 functions";
	case -EBADMSG: return "not a jitdump of the process in its name";
	case TALLY_DSO_ERROR_NOT_TRUSTED:
		return "it is not owned by root, you or the process's user; use -f to accept it";
	case -ENODATA: return "the file has no header";
	default: return strerror(-code);
	}
}

/* Map a dump that has a trusted owner. */
static int dump_map(struct inject_dump *dump)
{
	struct stat st;
	int fd, ret = tally_jit_file_open(dump->map.filename, dump->pid, dump->jit->any_owner, &fd);

	if (ret)
		return ret;
	if (fstat(fd, &st))
		ret = -errno;
	else
		ret = st.st_size ? tally_file_map_fd(fd, (size_t)st.st_size, &dump->file)
				 : -ENODATA;
	close(fd);
	return ret;
}

/* Read the dump in a mapping. A dump that cannot be read is skipped, and its mapping is kept. */
static int dump_read(struct inject_dump *dump)
{
	int ret = dump_map(dump);

	if (!ret)
		ret = dump_parse(dump);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		tally_print_warning("cannot read %s: %s", dump->map.filename, dump_error(ret));
		return 0;
	}
	ret = functions_write(dump);
	return ret ? ret : 1;
}

static bool is_first_of_process(struct inject_jit *jit, int32_t pid)
{
	return tally_map_get(&jit->pids, (uint32_t)pid) == TALLY_MAP_NONE &&
	       !tally_map_set(&jit->pids, (uint32_t)pid, 1);
}

static int on_mapping(struct inject_jit *jit, struct inject_copy *copy,
		      const struct tally_perfdata_record *record)
{
	struct inject_dump dump = {.jit = jit, .copy = copy, .record = record};
	int ret;

	if (tally_record_mmap(record->data, record->size, &dump.map) ||
	    !tally_jitdump_pid(dump.map.filename, &dump.pid) ||
	    !is_first_of_process(jit, dump.map.pid))
		return 0;
	ret = dump_read(&dump);
	tally_jitdump_end(&dump.made);
	tally_jit_free(&dump.made);
	tally_file_unmap(&dump.file);
	return ret;
}

int inject_jit_record(void *arg, struct inject_copy *copy,
		      const struct tally_perfdata_record *record)
{
	struct inject_jit *jit = arg;

	while (record->time && jit->maps.len && jit->maps.data[0].time <= record->time) {
		struct inject_jit_map map = maps_pop(jit);

		tally_str_add_bytes(&copy->batch, map.record.data, map.record.len);
		tally_str_free(&map.record);
	}
	if (record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2)
		return 0;
	return on_mapping(jit, copy, record);
}

void inject_jit_free(struct inject_jit *jit)
{
	tally_vec_for_each (map, &jit->maps)
		tally_str_free(&map->record);
	tally_vec_free(&jit->maps);
	tally_map_free(&jit->pids);
}
