/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine to which tests feed records. */
#ifndef TALLY_TESTS_PROFILE_FED_MACHINE_H
#define TALLY_TESTS_PROFILE_FED_MACHINE_H

#include <string.h>

#include "profile/process/machine_private.h"

struct fixture {
	struct tally_symbols *symbols;
	struct tally_machine *machine;
};

static int setup(void **state)
{
	static struct fixture f;

	assert_int_equal(tally_symbols_new(NULL, &f.symbols), 0);
	assert_int_equal(tally_machine_new(f.symbols, &f.machine), 0);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	return 0;
}

static inline void feed(struct fixture *f, uint32_t type, uint16_t misc, uint8_t *record,
			size_t len)
{
	struct perf_event_header header = {type, misc, (uint16_t)len};

	memcpy(record, &header, sizeof(header));
	assert_int_equal(tally_machine_record(f->machine, record, len), 0);
}

#endif
