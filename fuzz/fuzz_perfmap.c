/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbols/jit/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The lookup must find the last line that covers an address. */
static void look(struct tally_jit *jit, uint64_t addr)
{
	const struct tally_jit_code *code = tally_jit_find(jit, addr, TALLY_JIT_ALWAYS),
				    *last = NULL;

	tally_vec_for_each (each, &jit->codes) {
		if (addr >= each->where.start && addr < each->where.end)
			last = each;
	}
	if (code != last)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_jit jit = {0};
	struct tally_error err;
	size_t used;

	if (!tally_perfmap_parse((const char *)data, size, size & 1, &jit, &used, &err) &&
	    !tally_jit_finish(&jit)) {
		for (uint64_t addr = 0; addr < 0x4000; addr += 0x111)
			look(&jit, addr);
	}
	tally_jit_free(&jit);
	return 0;
}
