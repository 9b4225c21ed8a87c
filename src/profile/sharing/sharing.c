/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/sharing/sharing.h"

#include <errno.h>
#include <string.h>

#include "profile/process/branch_stack.h"

/* Keys; there is no padding. The same address in two processes is the same memory only if it is in
 * shared memory, in a file or in the kernel. Files are mapped at different addresses, so lines in
 * them are identified by the position in the file. */
struct line_key {
	uint64_t address;
	uintptr_t dso; /* file, or 0 */
	uint64_t pid;  /* process + 1, or 0 */
};

struct site_key {
	uint64_t line, address, code;
	uintptr_t dso;
	int64_t pid, tid;
};

/* An access, and the locations of its data and its code. */
struct access {
	const struct tally_feed_sample *sample;
	struct tally_location data, code;
};

static uint64_t line_of(const struct tally_sharing *sharing, uint64_t address)
{
	return address - address % sharing->line_size;
}

static bool is_file(const struct tally_location *data)
{
	return data->dso && tally_dso_kind(data->dso) == TALLY_DSO_USER;
}

/* Return true if other processes may have the same memory at this address. */
static bool is_common(const struct tally_location *data)
{
	const char *name;

	if (data->cpumode == PERF_RECORD_MISC_KERNEL)
		return true;
	name = data->dso ? tally_dso_name(data->dso) : "";
	return *name == '/' && strncmp(name, "//anon", 6) && strncmp(name, "/anon_hugepage", 14);
}

static int line_get(struct tally_sharing *sharing, const struct access *access, uint32_t *ret_line)
{
	uint64_t address = access->sample->sample.addr;
	bool in_file = is_file(&access->data);
	const struct line_key key = {
		.address = line_of(sharing, in_file ? access->data.addr : address),
		.dso = in_file ? (uintptr_t)access->data.dso : 0,
		.pid = is_common(&access->data) ? 0 : (uint64_t)access->sample->thread->pid + 1,
	};
	int ret = tally_intern(&sharing->line_keys, (const char *)&key, sizeof(key), ret_line);

	if (!ret && *ret_line == sharing->lines.len)
		ret = tally_vec_push(
			&sharing->lines,
			((struct tally_sharing_line){.address = line_of(sharing, address)}));
	return ret;
}

static struct site_key site_key(const struct tally_sharing *sharing, const struct access *access,
				uint32_t line)
{
	uint64_t address = access->sample->sample.addr;
	struct site_key key = {.line = line, .address = address % sharing->line_size};

	if (sharing->by & TALLY_SHARING_BY_CODE)
		key.code = access->code.addr;
	if (sharing->by & (TALLY_SHARING_BY_CODE | TALLY_SHARING_BY_FILE))
		key.dso = (uintptr_t)access->code.dso;
	if (sharing->by & TALLY_SHARING_BY_PID)
		key.pid = access->sample->thread->pid;
	if (sharing->by & TALLY_SHARING_BY_TID)
		key.tid = access->sample->thread->tid;
	return key;
}

static int site_new(struct tally_sharing *sharing, const struct access *access, uint32_t line)
{
	const struct tally_feed_sample *sample = access->sample;
	struct tally_sharing_line *of = &sharing->lines.data[line];
	int ret = tally_vec_push(&sharing->sites, ((struct tally_sharing_site){
							  .line = line,
							  .next = of->first,
							  .address = sample->sample.addr,
							  .ip = sample->sample.ip,
							  .pid = sample->thread->pid,
							  .tid = sample->thread->tid,
							  .comm = sample->thread->comm,
							  .dso = access->code.dso,
							  .symbol = access->code.symbol,
							  .code = access->code.addr,
							  .cpumode = access->code.cpumode,
						  }));

	if (!ret)
		of->first = (uint32_t)sharing->sites.len;
	return ret;
}

static int site_get(struct tally_sharing *sharing, const struct access *access, uint32_t line,
		    uint32_t *ret_site)
{
	const struct site_key key = site_key(sharing, access, line);
	int ret = tally_intern(&sharing->site_keys, (const char *)&key, sizeof(key), ret_site);

	if (!ret && *ret_site == sharing->sites.len)
		ret = site_new(sharing, access, line);
	return ret;
}

static int add_cpu(struct tally_sharing *sharing, uint32_t number, uint32_t cpu,
		   const struct tally_sharing_counts *counts)
{
	struct tally_sharing_site *site = &sharing->sites.data[number];
	const uint32_t key[2] = {number, cpu};
	uint32_t at;
	int ret = tally_intern(&sharing->cpu_keys, (const char *)key, sizeof(key), &at);

	if (!ret && at == sharing->cpus.len) {
		ret = tally_vec_push(&sharing->cpus, ((struct tally_sharing_cpu){
							     .cpu = cpu, .next = site->first_cpu}));
		if (!ret)
			site->first_cpu = (uint32_t)sharing->cpus.len;
		site->nr_cpus += !ret;
	}
	if (!ret) {
		sharing->cpus.data[at].hitms += tally_sharing_hitm(counts);
		sharing->cpus.data[at].stores += counts->nr[TALLY_SHARING_STORES];
	}
	return ret;
}

static void add_cost(struct tally_sharing_site *site, const struct tally_sharing_counts *counts,
		     uint64_t weight)
{
	static const enum tally_sharing_count kinds[TALLY_SHARING_COSTS] = {
		[TALLY_SHARING_COST_REMOTE_HITM] = TALLY_SHARING_REMOTE_HITM,
		[TALLY_SHARING_COST_LOCAL_HITM] = TALLY_SHARING_LOCAL_HITM,
		[TALLY_SHARING_COST_REMOTE_PEER] = TALLY_SHARING_REMOTE_PEER,
		[TALLY_SHARING_COST_LOCAL_PEER] = TALLY_SHARING_LOCAL_PEER,
		[TALLY_SHARING_COST_LOAD] = TALLY_SHARING_LOADS,
	};

	for (int i = 0; i < TALLY_SHARING_COSTS; i++) {
		if (!counts->nr[kinds[i]])
			continue;
		site->costs[i].sum += weight;
		site->costs[i].nr++;
		return;
	}
}

static void add_memory(struct tally_sharing_memory *memory, const struct tally_sample *sample)
{
	if (!(sample->present & PERF_SAMPLE_PHYS_ADDR) || !sample->phys_addr ||
	    sample->phys_addr == memory->last)
		return;
	memory->last = sample->phys_addr;
	memory->changes++;
}

static int add_site(struct tally_sharing *sharing, const struct access *access,
		    const struct tally_sharing_counts *counts)
{
	const struct tally_sample *sample = &access->sample->sample;
	struct tally_sharing_site *site;
	uint32_t line, number;
	int ret = line_get(sharing, access, &line);

	if (!ret)
		ret = site_get(sharing, access, line, &number);
	if (!ret)
		ret = add_cpu(sharing, number, sample->cpu, counts);
	if (ret)
		return ret;
	site = &sharing->sites.data[number];
	tally_sharing_add(&sharing->lines.data[line].counts, counts);
	tally_sharing_add(&site->counts, counts);
	add_cost(site, counts, tally_sample_weight(sample));
	add_memory(&sharing->lines.data[line].memory, sample);
	add_memory(&site->memory, sample);
	return 0;
}

int tally_sharing_add_sample(struct tally_sharing *sharing, struct tally_machine *machine,
			     const struct tally_feed_sample *sample)
{
	struct tally_sharing_counts counts = {0};
	struct access access = {.sample = sample};

	access.data =
		*tally_branch_locate(machine, sample->thread, sample->cpumode, sample->sample.addr);
	access.code =
		*tally_machine_locate(machine, sample->thread, sample->cpumode, sample->sample.ip);
	tally_sharing_count(&counts, sample->sample.data_src, sample->sample.addr,
			    access.data.dso && access.code.dso);
	tally_sharing_add(&sharing->total, &counts);
	return sample->sample.addr ? add_site(sharing, &access, &counts) : 0;
}

void tally_sharing_free(struct tally_sharing *sharing)
{
	tally_vec_free(&sharing->lines);
	tally_vec_free(&sharing->sites);
	tally_vec_free(&sharing->cpus);
	tally_intern_free(&sharing->line_keys);
	tally_intern_free(&sharing->site_keys);
	tally_intern_free(&sharing->cpu_keys);
}
