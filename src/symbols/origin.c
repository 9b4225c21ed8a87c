/* SPDX-License-Identifier: BSD-2-Clause */
/* Origin of a recording, which determines the files on this machine that may be used for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "symbols/dso.h"
#include "symbols/kallsyms.h"
#include "symbols/load_errors.h"
#include "symbols/origin.h"

int tally_symbols_set_origin(struct tally_symbols *symbols, enum tally_symbols_origin origin,
			     const char *release)
{
	const char *copy = NULL;

	if (release) {
		copy = tally_arena_strndup(&symbols->arena, release, strlen(release));
		if (!copy)
			return -ENOMEM;
	}
	symbols->origin = origin;
	symbols->release = copy;
	symbols->kernel.has_code_here = false;
	return 0;
}

static int compare_build_ids(const struct tally_dso *kernel)
{
	struct tally_build_id running = {0};

	if (tally_kernel_build_id(running.id, &running.size))
		return -ESTALE;
	return tally_build_id_equal(&running, &kernel->build_id) ? 0 : -ESTALE;
}

/* Addresses of kernels that are not relocated at boot. These addresses do not identify a kernel. */
static const uint64_t linked_at[] = {
	0xffffffff81000000,                                                             /* x86-64 */
	0xffff800008000000, 0xffff800010080000, 0xffff800080000000, 0xffffffc008000000, /* arm64 */
	0xffffffff80000000,                                                             /* riscv */
};

static bool is_moved(uint64_t address)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(linked_at); i++) {
		if (linked_at[i] == address)
			return false;
	}
	return true;
}

int tally_kallsyms_read_running(struct tally_symbols *symbols)
{
	int fd = symbols->options.kallsyms_fd;

	if (symbols->kernel.kallsyms)
		return 0;
	/* Another session may have read the file to its end. */
	if (fd > 0 && !lseek(fd, 0, SEEK_SET))
		return tally_file_read_fd(fd, TALLY_KALLSYMS_MAX, &symbols->kernel.kallsyms,
					  &symbols->kernel.kallsyms_len);
	return tally_file_read("/proc/kallsyms", TALLY_KALLSYMS_MAX, &symbols->kernel.kallsyms,
			       &symbols->kernel.kallsyms_len);
}

/* Compare the kernel's address, which changes at each boot. If the current address is the recorded
 * one, the same kernel is still running. If addresses are hidden (kptr_restrict), compare the host
 * and release instead. */
static int compare_addresses(struct tally_symbols *symbols)
{
	const struct tally_dso *kernel = symbols->kernel.dso;
	int without = symbols->origin == TALLY_SYMBOLS_HERE ? 0 : TALLY_DSO_ERROR_FOREIGN;
	uint64_t address = 0;

	if (!kernel || !kernel->has_address || !kernel->reference)
		return without;
	if (tally_kallsyms_read_running(symbols) ||
	    tally_kallsyms_address(symbols->kernel.kallsyms, symbols->kernel.kallsyms_len,
				   kernel->reference, &address) ||
	    !address)
		return without;
	if (address != kernel->address)
		return TALLY_DSO_ERROR_FOREIGN;
	return is_moved(address) ? 0 : without;
}

static int kernel_check(struct tally_symbols *symbols)
{
	if (symbols->kernel.dso && symbols->kernel.dso->build_id.size)
		return compare_build_ids(symbols->kernel.dso);
	if (symbols->origin == TALLY_SYMBOLS_ELSEWHERE || symbols->options.symfs)
		return TALLY_DSO_ERROR_FOREIGN;
	return compare_addresses(symbols);
}

int tally_kernel_is_here(struct tally_symbols *symbols)
{
	if (!symbols->kernel.has_code_here)
		symbols->kernel.code_here = kernel_check(symbols);
	/* Cache the result only once the kernel is known, because the record for the kernel may be
	 * read later. */
	symbols->kernel.has_code_here = symbols->kernel.dso;
	return symbols->kernel.code_here;
}

int tally_kernel_expected_id(const struct tally_dso *dso, struct tally_build_id *ret_want)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	int ret = 0;

	*ret_want = dso->build_id;
	if (ret_want->size || options->vmlinux || options->symfs)
		return 0;
	ret = tally_kernel_is_here(dso->owner);
	if (!ret && tally_kernel_build_id(ret_want->id, &ret_want->size))
		ret_want->size = 0;
	return ret;
}

int tally_dso_is_here(const struct tally_dso *dso)
{
	const struct tally_symbols *symbols = dso->owner;

	if (dso->build_id.size || symbols->options.symfs ||
	    symbols->origin != TALLY_SYMBOLS_ELSEWHERE)
		return 0;
	return TALLY_DSO_ERROR_FOREIGN;
}
