/* SPDX-License-Identifier: BSD-2-Clause */
/* Write imported stacks as a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/abi_sample.h"
#include "import/import_private.h"
#include "profile/process/machine.h"
#include "symbols/dso_key.h"
#include "tally/perfdata.h"

enum { RECORD_MAX = 65528, COMM_MAX = 255, NAME_MAX_BYTES = 4095 };

/* State of the writer. */
struct writing {
	struct imported *imported;
	struct import_layout layout;
	struct tally_perfdata_writer *writer;
	struct perf_event_attr attr; /* without what depends on the event */
	struct tally_sample_layout sample_layout;
	struct tally_str record;   /* buffer */
	struct tally_map mapped;   /* processes and modules with records */
	int32_t *pids, *tids;      /* by thread: numbers that are unique */
	uint32_t *comms;           /* by thread: the last comm that was written */
	struct tally_map owners;   /* the last thread with a number */
	TALLY_VEC(uint64_t) chain; /* buffer */
	uint8_t bytes[RECORD_MAX];
};

/* ---- threads --------------------------------------------------------------------- */

static int32_t unused_number(const struct tally_map *used, int32_t *next)
{
	while (tally_map_get(used, (uint32_t)*next) != TALLY_MAP_NONE)
		(*next)++;
	return (*next)++;
}

/* Keep a number unless it belongs to another machine already. `numbers` has the machine of each
 * number, `new_of` the new numbers of a machine's threads. */
static int number_unique(struct tally_map *hosts, struct tally_map *new_of, int32_t number,
			 uint64_t host, int32_t *next, int32_t *ret_number)
{
	uint64_t owner = tally_map_get(hosts, (uint32_t)number), known;
	uint64_t key = host * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t)number;

	*ret_number = number;
	if (owner == host)
		return 0;
	if (owner == TALLY_MAP_NONE)
		return tally_map_set(hosts, (uint32_t)number, host);
	known = tally_map_get(new_of, key);
	if (known == TALLY_MAP_NONE) {
		known = (uint32_t)unused_number(hosts, next);
		if (tally_map_set(hosts, known, host) || tally_map_set(new_of, key, known))
			return -ENOMEM;
	}
	*ret_number = (int32_t)known;
	return 0;
}

/* Give threads of different machines different numbers. */
static int threads_number(struct writing *writing)
{
	struct imported *imported = writing->imported;
	struct tally_map hosts = {0}, new_of = {0};
	size_t nr = imported->threads.len;
	int32_t next = 1 << 22; /* above the kernel's numbers */
	int ret = 0;

	writing->pids = calloc(nr + 1, sizeof(*writing->pids));
	writing->tids = calloc(nr + 1, sizeof(*writing->tids));
	writing->comms = malloc((nr + 1) * sizeof(*writing->comms));
	if (!writing->pids || !writing->tids || !writing->comms)
		return -ENOMEM;
	memset(writing->comms, 0xff, (nr + 1) * sizeof(*writing->comms));
	for (size_t i = 0; i < nr && !ret; i++) {
		const struct import_thread *thread = &imported->threads.data[i];

		ret = number_unique(&hosts, &new_of, thread->pid, thread->host, &next,
				    &writing->pids[i]);
		if (!ret)
			ret = number_unique(&hosts, &new_of, thread->tid, thread->host, &next,
					    &writing->tids[i]);
	}
	tally_map_free(&hosts);
	tally_map_free(&new_of);
	return ret;
}

/* ---- records --------------------------------------------------------------------- */

static void put(struct writing *writing, const void *bytes, size_t len)
{
	tally_str_add_bytes(&writing->record, bytes, len);
}

static void put_u32(struct writing *writing, uint32_t value)
{
	put(writing, &value, sizeof(value));
}

static void put_u64(struct writing *writing, uint64_t value)
{
	put(writing, &value, sizeof(value));
}

static void record_begin(struct writing *writing, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	tally_str_clear(&writing->record);
	put(writing, &header, sizeof(header));
}

/* Append a name, cut to `most` bytes and padded to 8 bytes. */
static void put_name(struct writing *writing, const char *name, size_t most)
{
	static const char zeros[8];
	size_t len = strnlen(name, most);

	put(writing, name, len);
	put(writing, zeros, 8 - len % 8);
}

/* Append the trailer, set the size, and write the record. */
static int record_end(struct writing *writing, const struct tally_sample *trailer)
{
	size_t len = writing->record.len, size = tally_trailer_size(&writing->sample_layout);
	char *at = tally_str_reserve(&writing->record, size);
	struct perf_event_header header;

	if (!at || tally_str_error(&writing->record))
		return -ENOMEM;
	tally_trailer_encode(&writing->sample_layout, trailer, at);
	len += size;
	memcpy(&header, writing->record.data, sizeof(header));
	header.size = (uint16_t)len;
	memcpy(writing->record.data, &header, sizeof(header));
	return tally_perfdata_writer_write(writing->writer, writing->record.data, len);
}

/* Map a module. In the kernel, `pid` is -1. */
static int mmap_write(struct writing *writing, int32_t pid, uint32_t module,
		      const struct tally_sample *trailer)
{
	const struct import_range *range = &writing->layout.ranges[module];
	bool is_kernel = writing->imported->modules.data[module].is_kernel;

	record_begin(writing, PERF_RECORD_MMAP2,
		     is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	put_u32(writing, (uint32_t)pid);
	put_u32(writing, (uint32_t)pid);
	put_u64(writing, range->start);
	put_u64(writing, tally_round_up(range->end - range->start, 4096));
	put_u64(writing, is_kernel ? range->start : 0);
	put_u64(writing, 0); /* device */
	put_u64(writing, 0); /* inode */
	put_u64(writing, 0); /* its generation */
	put_u32(writing, PROT_READ | PROT_EXEC);
	put_u32(writing, MAP_PRIVATE);
	put_name(writing, import_module_name(writing->imported, module), NAME_MAX_BYTES);
	return record_end(writing, trailer);
}

/* Map the kernel and its modules. Readers show a kernel that is not mapped as hidden. */
static int kernel_write(struct writing *writing)
{
	const struct tally_sample trailer = {0};
	int ret = 0;

	for (uint32_t i = 0; i < writing->imported->modules.len && !ret; i++) {
		if (writing->imported->modules.data[i].is_kernel &&
		    strcmp(import_module_name(writing->imported, i), TALLY_HIDDEN_KERNEL))
			ret = mmap_write(writing, -1, i, &trailer);
	}
	return ret;
}

/* Write the thread's name if it changed, or if its number belonged to another process meanwhile. */
static int comm_write(struct writing *writing, const struct import_sample *sample,
		      const struct tally_sample *trailer)
{
	const char *comm = tally_intern_text(&writing->imported->texts, sample->comm);

	if (writing->comms[sample->thread] == sample->comm &&
	    tally_map_get(&writing->owners, (uint32_t)trailer->tid) == sample->thread)
		return 0;
	if (tally_map_set(&writing->owners, (uint32_t)trailer->tid, sample->thread))
		return -ENOMEM;
	writing->comms[sample->thread] = sample->comm;
	record_begin(writing, PERF_RECORD_COMM, 0);
	put_u32(writing, (uint32_t)trailer->pid);
	put_u32(writing, (uint32_t)trailer->tid);
	put_name(writing, comm, COMM_MAX);
	return record_end(writing, trailer);
}

/* Map a module into a process, unless this was done before. */
static int module_map(struct writing *writing, uint32_t module, const struct tally_sample *trailer)
{
	uint64_t key = (uint64_t)(uint32_t)trailer->pid << 32 | module;

	if (module == IMPORT_NONE || writing->imported->modules.data[module].is_kernel ||
	    tally_map_get(&writing->mapped, key) != TALLY_MAP_NONE)
		return 0;
	if (tally_map_set(&writing->mapped, key, 0))
		return -ENOMEM;
	return mmap_write(writing, trailer->pid, module, trailer);
}

/* ---- samples --------------------------------------------------------------------- */

/* Make the callchain of a stack, and map its modules. */
static int chain_make(struct writing *writing, struct tally_stack stack,
		      const struct tally_sample *trailer, bool *ret_is_kernel)
{
	struct imported *imported = writing->imported;
	int mode = -1, ret = 0;

	writing->chain.len = 0;
	*ret_is_kernel = false;
	if (tally_vec_reserve(&writing->chain, 2 * (size_t)IMPORT_FRAMES_MAX))
		return -ENOMEM;
	imported->notes.cut += stack.nr > IMPORT_FRAMES_MAX;
	for (uint32_t i = 0; i < TALLY_MIN(stack.nr, (uint32_t)IMPORT_FRAMES_MAX) && !ret; i++) {
		const struct import_place *place = &imported->places.data[stack.frames[i]];
		bool is_kernel = place->module != IMPORT_NONE &&
				 imported->modules.data[place->module].is_kernel;

		if (mode != is_kernel)
			writing->chain.data[writing->chain.len++] =
				is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		mode = is_kernel;
		*ret_is_kernel |= !i && is_kernel;
		writing->chain.data[writing->chain.len++] = place->address;
		ret = module_map(writing, place->module, trailer);
	}
	return ret;
}

static int sample_write(struct writing *writing, const struct import_sample *from)
{
	struct tally_stack stack = tally_stacks_get(&writing->imported->stacks, from->stack);
	struct tally_sample sample = {
		.present = writing->attr.sample_type,
		.identifier = from->event + 1,
		.pid = writing->pids[from->thread],
		.tid = writing->tids[from->thread],
		.time = from->time,
		.cpu = from->cpu,
		.period = from->weight,
	};
	bool is_kernel;
	size_t len;
	int ret = comm_write(writing, from, &sample);

	if (!ret)
		ret = chain_make(writing, stack, &sample, &is_kernel);
	if (ret)
		return ret;
	sample.callchain =
		(struct tally_words){(const uint8_t *)writing->chain.data, writing->chain.len};
	sample.ip = writing->chain.len ? writing->chain.data[1] : 0;
	ret = tally_sample_encode(&writing->sample_layout, &sample,
				  is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				  writing->bytes, sizeof(writing->bytes), &len);
	return ret ? ret : tally_perfdata_writer_write(writing->writer, writing->bytes, len);
}

static int by_time(const void *a_, const void *b_)
{
	const struct import_sample *a = a_, *b = b_;

	return (a->time > b->time) - (a->time < b->time);
}

static int lost_write(struct writing *writing)
{
	const struct tally_sample trailer = {.identifier = 1};

	if (!writing->imported->lost)
		return 0;
	record_begin(writing, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(writing, writing->imported->lost);
	return record_end(writing, &trailer);
}

static int records_write(struct writing *writing)
{
	struct imported *imported = writing->imported;
	int ret = kernel_write(writing);

	if (imported->has_times && imported->samples.len)
		qsort(imported->samples.data, imported->samples.len,
		      sizeof(*imported->samples.data), by_time);
	tally_vec_for_each (sample, &imported->samples) {
		ret = ret ? ret : sample_write(writing, sample);
		if (ret)
			return ret;
	}
	return ret ? ret : lost_write(writing);
}

/* ---- header ---------------------------------------------------------------------- */

/* Return true if `name` is `event`, possibly with modifiers. */
static bool is_event(const char *name, const char *event)
{
	size_t len = strlen(event);

	return !strncmp(name, event, len) && (!name[len] || name[len] == ':');
}

/* Events that readers know by their numbers, mainly for the unit of their periods. */
static void event_set(const char *name, struct perf_event_attr *attr)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} known[] = {
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	};

	attr->type = PERF_TYPE_RAW;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(known); i++) {
		if (!is_event(name, known[i].name))
			continue;
		attr->type = known[i].type;
		attr->config = known[i].config;
	}
}

static int events_write(struct writing *writing)
{
	const struct imported *imported = writing->imported;
	int ret = 0;

	for (size_t i = 0; i < imported->events.len && !ret; i++) {
		const char *name = tally_intern_text(&imported->texts, imported->events.data[i]);
		struct perf_event_attr attr = writing->attr;
		uint64_t id = i + 1;

		event_set(name, &attr);
		attr.config += attr.type == PERF_TYPE_RAW ? i : 0;
		ret = tally_perfdata_writer_add_event(writing->writer, &attr, name, &id, 1);
	}
	return ret;
}

static bool has_callers(const struct imported *imported)
{
	tally_vec_for_each (sample, &imported->samples) {
		if (tally_stacks_get(&imported->stacks, sample->stack).nr > 1)
			return true;
	}
	return false;
}

/* Readers keep callchains as they are, unless they were found by walking frame pointers. Then they
 * replace what follows an address outside all code with [cut], as in the original recording. */
static void attr_set(struct writing *writing)
{
	writing->attr = (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
		.exclude_callchain_user = !writing->imported->is_walked,
		.sample_period = 1,
	};
	if (has_callers(writing->imported))
		writing->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (writing->imported->has_times)
		writing->attr.sample_type |= PERF_SAMPLE_TIME;
	if (writing->imported->has_cpus)
		writing->attr.sample_type |= PERF_SAMPLE_CPU;
}

static int names_write(struct writing *writing)
{
	struct tally_str names = {0};
	int ret = import_names_make(&writing->layout, &names);

	if (!ret)
		ret = tally_perfdata_writer_feature(writing->writer, TALLY_FEATURE_EMBEDDED_SYMBOLS,
						    names.data, names.len);
	/* A host name that no machine has, so that no files of this machine are used. */
	if (!ret)
		ret = tally_perfdata_writer_string(writing->writer, TALLY_FEATURE_HOSTNAME,
						   "(imported)");
	tally_str_free(&names);
	return ret;
}

static int recording_write(struct writing *writing)
{
	int ret;

	attr_set(writing);
	ret = tally_sample_layout_init(&writing->sample_layout, &writing->attr);
	ret = ret ? ret : threads_number(writing);
	ret = ret ? ret : import_layout_make(writing->imported, &writing->layout);
	ret = ret ? ret : events_write(writing);
	ret = ret ? ret : names_write(writing);
	ret = ret ? ret : tally_perfdata_writer_start(writing->writer);
	ret = ret ? ret : records_write(writing);
	return ret ? ret : tally_perfdata_writer_finish(writing->writer);
}

int import_write(struct imported *imported, int fd)
{
	struct writing *writing = calloc(1, sizeof(*writing));
	int ret;

	if (!writing)
		return -ENOMEM;
	writing->imported = imported;
	ret = tally_perfdata_writer_new(fd, NULL, &writing->writer);
	if (!ret)
		ret = recording_write(writing);
	tally_perfdata_writer_free(writing->writer);
	import_layout_free(&writing->layout);
	tally_str_free(&writing->record);
	tally_map_free(&writing->mapped);
	tally_map_free(&writing->owners);
	tally_vec_free(&writing->chain);
	free(writing->pids);
	free(writing->tids);
	free(writing->comms);
	free(writing);
	return ret;
}
