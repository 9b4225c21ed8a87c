/* SPDX-License-Identifier: BSD-2-Clause */
/* Load the symbols of the kernel and its modules from kallsyms, vmlinux and .ko files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "symbols/cache/index_sources.h"
#include "symbols/candidates.h"
#include "symbols/dso.h"
#include "symbols/dso_files.h"
#include "symbols/dso_path.h"
#include "symbols/kallsyms.h"
#include "symbols/load_errors.h"
#include "symbols/origin.h"
#include "symbols/symbols_load.h"

/* Read the recorded kernel's kallsyms from perf's cache. Returns -ESTALE if the cache does not have
 * it. */
static int cached_kallsyms(struct tally_symbols *symbols)
{
	const char *dir = symbols->kernel.dso ? symbols->options.buildid_dir : NULL;
	struct tally_str path = {0};
	int ret;

	if (!dir || !tally_build_id_add_path(&symbols->kernel.dso->build_id, dir, &path))
		return -ESTALE;
	tally_str_add(&path, "/kallsyms");
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_file_read_checked(tally_str_text(&path), NULL, TALLY_KALLSYMS_MAX,
					      &symbols->kernel.kallsyms,
					      &symbols->kernel.kallsyms_len);
	tally_str_free(&path);
	return ret == -ENOENT ? -ESTALE : ret;
}

/* Read the kallsyms that matches the recorded kernel, unless it has been read. */
static int need_kallsyms(struct tally_symbols *symbols)
{
	const char *path = symbols->options.kallsyms;
	int ret;

	if (path)
		return symbols->kernel.kallsyms ? 0
						: tally_file_read(path, TALLY_KALLSYMS_MAX,
								  &symbols->kernel.kallsyms,
								  &symbols->kernel.kallsyms_len);
	ret = tally_kernel_is_here(symbols);
	if (ret == -ESTALE)
		return symbols->kernel.kallsyms ? 0 : cached_kallsyms(symbols);
	return ret ? ret : tally_kallsyms_read_running(symbols);
}

/* Return the difference between the kernel's recorded address and its address in kallsyms. The
 * difference is nonzero after a reboot. */
static uint64_t kallsyms_bias(const struct tally_symbols *symbols)
{
	const struct tally_dso *kernel = symbols->kernel.dso;
	uint64_t here;

	if (!kernel || !kernel->has_address || !kernel->reference ||
	    tally_kallsyms_address(symbols->kernel.kallsyms, symbols->kernel.kallsyms_len,
				   kernel->reference, &here))
		return 0;
	return kernel->address - here;
}

/* Add the symbols of the core kernel or of a module. */
static int kallsyms_add(struct tally_dso *dso, const char *text, size_t len, const char *module)
{
	int ret = tally_kallsyms_parse(text, len, module, &dso->files.table, NULL);

	if (!ret && !dso->files.table.len)
		ret = -ENODATA;
	if (ret)
		tally_symtab_free(&dso->files.table);
	return ret;
}

static int load_kallsyms(struct tally_dso *dso, const char *module)
{
	struct tally_symbols *symbols = dso->owner;
	int ret = need_kallsyms(symbols);

	if (!ret && module && kallsyms_bias(symbols))
		ret = -ESTALE; /* module addresses change on reboot */
	if (!ret)
		ret = kallsyms_add(dso, symbols->kernel.kallsyms, symbols->kernel.kallsyms_len,
				   module);
	if (ret)
		return ret;
	if (!module) {
		/* Do not index relocated symbols, because they are from another boot. Matching
		 * symbols in perf's cache are indexed with their path. The contents of a caller's
		 * descriptor may include addresses that the index's owner is not permitted to
		 * see. */
		if (kallsyms_bias(symbols) || tally_kernel_is_here(symbols) ||
		    symbols->options.kallsyms_fd > 0)
			tally_sources_mark_unfit(dso->cached.sources);
		tally_sources_set_used_running(dso->cached.sources, symbols->kernel.kallsyms,
					       symbols->kernel.kallsyms_len);
		tally_symtab_shift(&dso->files.table, kallsyms_bias(symbols));
	}
	return tally_dso_set_source(dso, TALLY_DSO_SOURCE_KALLSYMS,
				    symbols->options.kallsyms ? symbols->options.kallsyms
							      : "/proc/kallsyms");
}

/* Return true if the kernel's address in kallsyms is the recorded one. */
static bool is_in_place(const struct tally_dso *kernel, const char *text, size_t len)
{
	uint64_t address;

	return kernel->has_address && kernel->reference &&
	       !tally_kallsyms_address(text, len, kernel->reference, &address) &&
	       address == kernel->address;
}

/* Use perf's copy of kallsyms if the kernel's address in the copy is the recorded one. This avoids
 * reading the running kernel's list again. Do not use the copy for modules, as their addresses may
 * have changed. */
static int load_cached_kernel(struct tally_dso *dso, const char *path)
{
	char *text = NULL;
	size_t len;
	int ret = tally_file_read_checked(path, NULL, TALLY_KALLSYMS_MAX, &text, &len);

	if (!ret && !is_in_place(dso, text, len))
		ret = -ESTALE;
	if (!ret)
		ret = kallsyms_add(dso, text, len, NULL);
	if (!ret)
		ret = tally_dso_set_source(dso, TALLY_DSO_SOURCE_KALLSYMS, path);
	free(text);
	return ret;
}

/* Get the address of the symbol `name` from the table's entries. */
static bool added_value(struct tally_symtab *table, const char *name, uint64_t *ret_value)
{
	tally_vec_for_each (entry, &table->entries) {
		if (!strcmp(entry->name, name)) {
			*ret_value = entry->start;
			return true;
		}
	}
	return false;
}

static int read_vmlinux(struct tally_dso *dso)
{
	struct tally_elf_load load = {.kernel = true};
	uint64_t linked;
	int ret;

	if (!tally_elf_has_symtab(&dso->files.image.elf))
		return -ENODATA;
	ret = tally_elf_add_symbols(&dso->files.image.elf, &load, &dso->files.table);
	if (ret)
		return ret;
	if (dso->has_address && dso->reference &&
	    added_value(&dso->files.table, dso->reference, &linked)) {
		tally_vec_for_each (entry, &dso->files.table.entries) {
			entry->start += dso->address - linked;
			entry->end += dso->address - linked;
		}
	}
	ret = tally_dso_finish(dso);
	return ret ? ret
		   : tally_dso_set_source(dso, TALLY_DSO_SOURCE_VMLINUX, dso->files.image.path);
}

static int try_vmlinux(struct tally_dso *dso, const char *path)
{
	struct tally_build_id want;
	int ret = tally_kernel_expected_id(dso, &want);

	if (!ret)
		ret = tally_image_open(path, &want, &dso->files.image);
	if (ret)
		return ret;
	ret = read_vmlinux(dso);
	if (ret) {
		tally_symtab_free(&dso->files.table);
		tally_image_free(&dso->files.image);
	}
	return ret;
}

/* Use the first matching image or copy of kallsyms. Returns 0, or the most informative error for
 * the images. */
static int search_kernel(struct tally_dso *dso, const struct tally_places *places)
{
	int ret = -ENOENT, one;

	tally_sources_set_count(dso->cached.sources, places->list.len, false);
	tally_vec_for_each (place, &places->list) {
		tally_sources_set_used(dso->cached.sources,
				       tally_sources_add(dso->cached.sources, place->path));
		one = place->source == TALLY_DSO_SOURCE_VMLINUX
			      ? try_vmlinux(dso, place->path)
			      : load_cached_kernel(dso, place->path);
		if (!one || one == -ENOMEM)
			return one;
		if (place->source == TALLY_DSO_SOURCE_VMLINUX)
			ret = tally_worse_error(ret, one);
	}
	return ret;
}

int tally_dso_load_kernel(struct tally_dso *dso)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	struct tally_places places;
	int ret, other;

	/* If the user named a file, use only that file. */
	if (options->kallsyms)
		return load_kallsyms(dso, NULL);
	if (options->vmlinux)
		return try_vmlinux(dso, options->vmlinux);
	ret = tally_places_kernel(dso, &places);
	if (ret)
		return ret;
	ret = search_kernel(dso, &places);
	tally_places_free(&places);
	if (!ret || ret == -ENOMEM)
		return ret;
	other = load_kallsyms(dso, NULL);
	return other ? tally_worse_error(other, ret) : 0;
}

/* Return the tag of a module's functions in kallsyms. All BPF programs have the same tag. */
static char *kallsyms_tag(const char *name)
{
	char *bare = tally_module_bare(name);

	if (!bare || strncmp(bare, "bpf_", 4))
		return bare;
	free(bare);
	return strdup("bpf");
}

/* Return true if the module is still the recorded one. A module that was reloaded may be different,
 * so compare the build-ids. */
static bool module_runs(const struct tally_dso *dso, const char *module)
{
	struct tally_build_id running = {0};

	if (!dso->build_id.size || tally_module_build_id(module, running.id, &running.size))
		return true;
	return tally_build_id_equal(&running, &dso->build_id);
}

int tally_dso_open_module(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_str path = {0};
	int ret;

	if (!dso->has_address || !strchr(dso->name, '/'))
		return -ENOENT;
	if (tally_dso_is_here(dso))
		return TALLY_DSO_ERROR_FOREIGN;
	tally_dso_add_path(dso, &path, dso->name);
	ret = tally_str_error(&path);
	if (!ret)
		ret = tally_image_open(tally_str_text(&path), &dso->build_id, ret_image);
	tally_str_free(&path);
	return ret;
}

static int load_ko(struct tally_dso *dso)
{
	struct tally_elf_load load = {.kernel = true, .bias = dso->address, .section = ".text"};
	int ret = tally_dso_open_module(dso, &dso->files.image);

	if (ret)
		return ret;
	ret = tally_elf_add_symbols(&dso->files.image.elf, &load, &dso->files.table);
	if (!ret)
		ret = tally_dso_finish(dso);
	if (!ret && !dso->files.table.len)
		ret = -ENODATA;
	return ret ? ret
		   : tally_dso_set_source(dso, TALLY_DSO_SOURCE_MODULE, dso->files.image.path);
}

/* Add the symbols of generated code, which the recording names. */
static int load_generated(struct tally_dso *dso)
{
	int ret = 0;

	tally_sources_mark_unfit(dso->cached.sources);
	tally_vec_for_each (range, &dso->generated) {
		const struct tally_symtab_entry entry = {
			.start = range->start, .end = range->end, .name = dso->name};

		if (!ret)
			ret = tally_symtab_add(&dso->files.table, &entry);
	}
	if (!ret)
		ret = tally_dso_finish(dso);
	if (ret)
		tally_symtab_free(&dso->files.table);
	return ret ? ret : tally_dso_set_source(dso, TALLY_DSO_SOURCE_STORED, NULL);
}

int tally_dso_load_module(struct tally_dso *dso)
{
	char *module;
	int ret, other;

	/* Other code may be at the same addresses now. */
	if (dso->generated.len)
		return load_generated(dso);
	module = kallsyms_tag(dso->name);
	if (!module)
		return -ENOMEM;
	ret = module_runs(dso, module) ? load_kallsyms(dso, module) : -ESTALE;
	free(module);
	if (!ret || ret == -ENOMEM)
		return ret;
	other = load_ko(dso);
	return other ? tally_worse_error(other, ret) : 0;
}
