/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are known: a cache from mapped files to DSOs, because processes that run one after the
 * other map the same few files, and the build IDs that the recording lists. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/process/machine_private.h"

enum { SLOTS = 64, NAME_SIZE = 72 };

struct machine_file {
	struct tally_dso *dso; /* NULL if the slot is empty */
	uint64_t ino;
	uint32_t maj, min, prot;
	uint8_t build_id[20], build_id_size;
	bool is_data;
	char name[NAME_SIZE];
};

static bool file_is(const struct machine_file *file, const struct tally_mmap *mmap, size_t size)
{
	return file->dso && file->ino == mmap->ino && file->maj == mmap->maj &&
	       file->min == mmap->min && file->prot == mmap->prot &&
	       file->is_data == mmap->is_data && file->build_id_size == mmap->build_id_size &&
	       !memcmp(file->build_id, mmap->build_id, sizeof(file->build_id)) &&
	       !memcmp(file->name, mmap->filename, size);
}

struct tally_dso *machine_file_find(struct tally_machine *machine, const struct tally_mmap *mmap,
				    struct machine_file **ret_slot)
{
	size_t size = strlen(mmap->filename) + 1;

	*ret_slot = NULL;
	if (!machine->files)
		machine->files = calloc(SLOTS, sizeof(*machine->files));
	if (size > NAME_SIZE || !machine->files)
		return NULL;
	*ret_slot = &machine->files[tally_hash_bytes(mmap->filename, size, mmap->ino) % SLOTS];
	return file_is(*ret_slot, mmap, size) ? (*ret_slot)->dso : NULL;
}

void machine_file_set(struct machine_file *slot, const struct tally_mmap *mmap,
		      struct tally_dso *dso)
{
	if (!slot)
		return;
	*slot = (struct machine_file){
		.dso = dso,
		.ino = mmap->ino,
		.maj = mmap->maj,
		.min = mmap->min,
		.prot = mmap->prot,
		.build_id_size = mmap->build_id_size,
		.is_data = mmap->is_data,
	};
	memcpy(slot->build_id, mmap->build_id, sizeof(slot->build_id));
	memcpy(slot->name, mmap->filename, strlen(mmap->filename) + 1);
}

void machine_files_clear(struct tally_machine *machine)
{
	free(machine->files);
	machine->files = NULL;
}

/* ---- build IDs -------------------------------------------------------------------- */

/* Assign the last build ID to a name, unless the name already has a build ID. */
static int build_id_name(struct tally_machine *machine, uint32_t name)
{
	while (machine->build_id_of.len <= name) {
		if (tally_vec_push(&machine->build_id_of, 0))
			return -ENOMEM;
	}
	if (!machine->build_id_of.data[name])
		machine->build_id_of.data[name] = (uint32_t)machine->build_ids.len;
	return 0;
}

int tally_machine_build_id(struct tally_machine *machine, uint8_t cpumode, const char *filename,
			   const uint8_t *build_id, size_t size)
{
	struct known_build_id known = {.size = (uint8_t)TALLY_MIN(size, sizeof(known.bytes))};
	char module[128];
	int ret = tally_intern(&machine->names, filename, strlen(filename), &known.name);

	known.module = known.name;
	if (!ret && cpumode == PERF_RECORD_MISC_KERNEL) {
		tally_module_name(filename, module, sizeof(module));
		ret = tally_intern(&machine->names, module, strlen(module), &known.module);
		/* This is the kernel's name unless it is a module's file name or is in brackets
		 * (other than "[kernel..."). */
		if (known.module == known.name && !machine->kernel_name &&
		    (filename[0] != '[' || !strncmp(filename, "[kernel", 7)))
			machine->kernel_name = known.name + 1;
	}
	if (ret)
		return ret;
	memcpy(known.bytes, build_id, known.size);
	machine_files_clear(machine);
	ret = tally_vec_push(&machine->build_ids, known);
	if (!ret)
		ret = build_id_name(machine, known.name);
	return ret ? ret : build_id_name(machine, known.module);
}
