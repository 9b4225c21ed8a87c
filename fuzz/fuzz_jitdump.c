/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbols/jit/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The symbol and line of a code address must match those of the corresponding dump offset. */
static void check_lookup(struct tally_jit *jit, uint64_t addr, uint64_t time)
{
	const struct tally_jit_code *code = tally_jit_find(jit, addr, time);
	const struct tally_symbol *symbol = code ? code->symbol : NULL;
	struct tally_span span;
	uint64_t place = code ? symbol->start + (addr - code->where.start) : 0;

	if (code && (code->time > time || tally_jit_find_place(jit, place) != symbol))
		abort();
	if (tally_jit_find_line(jit, place, &span) && (place < span.start || place >= span.end))
		abort();
}

static void look_at_all(struct tally_jit *jit)
{
	for (size_t i = 0; i < jit->codes.len && i < 256; i++) {
		const struct tally_jit_code code = jit->codes.data[i];

		check_lookup(jit, code.where.start, code.time);
		check_lookup(jit, code.where.end - 1, UINT64_MAX);
		check_lookup(jit, code.where.end, code.time - 1);
	}
}

/* Simulate a dump that is still being written. The first byte of the input determines where the
 * first read ends. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first = size ? (size - 1) * data[0] / 255 : 0, used = 0, more = 0;
	struct tally_jit jit = {0};
	struct tally_error err;

	if (!size)
		return 0;
	data++;
	if (!tally_jitdump_parse(data, first, 0, &jit, &used, &err) && !tally_jit_finish(&jit)) {
		look_at_all(&jit);
		if (!tally_jitdump_parse(data + used, size - 1 - used, used, &jit, &more, &err) &&
		    !tally_jit_finish(&jit))
			look_at_all(&jit);
	}
	tally_jit_free(&jit);
	return 0;
}
