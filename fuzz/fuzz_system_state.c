/* SPDX-License-Identifier: BSD-2-Clause */
/* Apply arbitrary bytes as records to the state of the system, merge them, and emit the state. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "sampler/system_state.h"

enum { TRAILER = 16, LIMIT = 32 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all emitted records, so that the sanitizer detects invalid memory. */
static int on_written(void *arg)
{
	struct tally_synth *synth = arg;
	volatile uint64_t sum = 0;

	for (size_t i = 0; i < synth->out.len; i++)
		sum += (uint8_t)synth->out.data[i];
	tally_str_clear(&synth->out);
	return 0;
}

static bool is_any(void *arg, int32_t pid)
{
	(void)arg;
	(void)pid;
	return true;
}

static void use_records(struct tally_system *system, const uint8_t *data, size_t size)
{
	while (size >= sizeof(struct perf_event_header)) {
		size_t len = tally_record_header(data).size;

		if (len < sizeof(struct perf_event_header) || len > size)
			break;
		tally_system_record(system, data, len);
		data += len;
		size -= len;
	}
}

/* A nonzero first byte selects a merge of the second half of the records. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_synth synth = {.trailer = TRAILER};
	struct tally_system *system;
	/* The copy has the exact size, so that the sanitizer detects reads beyond its end. */
	uint8_t *copy = malloc(size + !size);

	if (!copy || !size || tally_system_new(TRAILER, LIMIT, &system)) {
		free(copy);
		return 0;
	}
	memcpy(copy, data + 1, size - 1);
	use_records(system, copy, size - 1);
	if (data[0])
		tally_system_merge(system, copy, size - 1, data[0] & 1);
	if (tally_system_bytes(system) > LIMIT ||
	    tally_system_emit(system, &synth, on_written, &synth))
		abort();
	tally_system_expire(system, is_any, NULL);
	tally_system_free(system);
	tally_str_free(&synth.out);
	free(copy);
	return 0;
}
