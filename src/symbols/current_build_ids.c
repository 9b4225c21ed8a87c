/* SPDX-License-Identifier: BSD-2-Clause */
/* Current build-ids of files, the kernel and modules on this machine. */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/arith.h"
#include "symbols/dso.h"
#include "symbols/mapped_file.h"

/* Read the vdso from this process's memory, because the vdso has no file. Whole pages are mapped,
 * so the mapping includes the section headers after the loaded segment. */
static int vdso_build_id(uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
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
	len = TALLY_MAX(len, ehdr->e_shoff + (uint64_t)ehdr->e_shnum * ehdr->e_shentsize);
	return tally_elf_image_build_id((const uint8_t *)ehdr, len, ret_id, ret_size);
}

int tally_loaded_module_build_id(const char *name, uint8_t ret_id[TALLY_BUILD_ID_MAX],
				 size_t *ret_size)
{
	char *module = tally_module_bare(name);
	int ret = module ? tally_module_build_id(module, ret_id, ret_size) : -ENOMEM;

	free(module);
	return ret;
}

static int user_build_id(const struct tally_dso *dso, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			 size_t *ret_size)
{
	struct tally_build_id id;
	/* The name is not an absolute path if the file is outside our root. */
	int ret = *dso->name == '/' ? tally_dso_own_build_id(dso, &id) : -ENOENT;

	if (ret)
		return ret;
	memcpy(ret_id, id.id, TALLY_BUILD_ID_MAX);
	*ret_size = id.size;
	return 0;
}

int tally_dso_running_build_id(const struct tally_dso *dso, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			       size_t *ret_size)
{
	if (dso->build_id.size) {
		memcpy(ret_id, dso->build_id.id, TALLY_BUILD_ID_MAX);
		*ret_size = dso->build_id.size;
		return 0;
	}
	switch (dso->kind) {
	case TALLY_DSO_USER: return user_build_id(dso, ret_id, ret_size);
	case TALLY_DSO_KERNEL: return tally_kernel_build_id(ret_id, ret_size);
	case TALLY_DSO_MODULE: return tally_loaded_module_build_id(dso->name, ret_id, ret_size);
	case TALLY_DSO_VDSO:
		return strcmp(dso->name, "[vdso]") ? -ENOENT : vdso_build_id(ret_id, ret_size);
	default: return -ENOENT;
	}
}
