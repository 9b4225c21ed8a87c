/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/jit/jit_lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include "symbols/jit/jit_code.h"
#include "symbols/jit/load_jit.h"
#include "symbols/load_errors.h"
#include "symbols/symbols_load.h"

bool tally_dso_jit_offset(struct tally_dso *dso, uint64_t addr, uint64_t time, uint64_t *ret_place)
{
	const struct tally_jit_code *code;

	tally_dso_load(dso);
	if (!dso->jit)
		return false;
	if (dso->jit->has_arch_clock)
		time = TALLY_JIT_ALWAYS;
	code = tally_jit_find(&dso->jit->file.made, addr, time);
	if (!code && tally_dso_jit_refresh(dso, TALLY_JIT_CHECK_NS))
		code = tally_jit_find(&dso->jit->file.made, addr, time);
	if (code)
		*ret_place = code->symbol->start + (addr - code->where.start);
	return code;
}

const struct tally_line *tally_dso_jit_find_line(struct tally_dso *dso, uint64_t place,
						 struct tally_span *ret_span)
{
	tally_dso_load(dso);
	return dso->jit ? tally_jit_find_line(&dso->jit->file.made, place, ret_span) : NULL;
}

bool tally_dso_jit_has_lines(struct tally_dso *dso)
{
	tally_dso_load(dso);
	return dso->jit && dso->jit->file.made.lines.len;
}

int tally_dso_jit_open(struct tally_dso *dso, int *ret_fd, uint16_t *ret_machine)
{
	struct stat st;
	int fd, ret;

	tally_dso_load(dso);
	if (!dso->jit || !dso->files.path)
		return -ENOENT;
	ret = tally_dso_jit_file_open(dso, dso->files.path, &fd);
	if (ret)
		return ret;
	if (fstat(fd, &st) || st.st_dev != dso->jit->file.dev || st.st_ino != dso->jit->file.ino) {
		close(fd);
		return TALLY_DSO_ERROR_REPLACED;
	}
	*ret_fd = fd;
	*ret_machine = dso->jit->machine;
	return 0;
}

uint64_t tally_dso_jit_bias(const struct tally_dso *dso, uint64_t place)
{
	uint64_t addr;

	return tally_jit_find_address(&dso->jit->file.made, place, &addr) ? addr - place : 0;
}
