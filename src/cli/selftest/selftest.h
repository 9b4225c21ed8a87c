/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of `tally test`, and the results that they return. */
#ifndef TALLY_CLI_SELFTEST_H
#define TALLY_CLI_SELFTEST_H

#include <stdbool.h>

#include "base/str.h"

enum selftest_result {
	SELFTEST_OK,
	SELFTEST_SKIPPED, /* this machine cannot do it; the reason is in `why` */
	SELFTEST_FAILED,
};

/* A running case. */
struct selftest {
	bool verbose;
	struct tally_str why; /* reason for the result */
};

struct selftest_case {
	const char *name;
	enum selftest_result (*run)(struct selftest *test);
	bool opens_events; /* runs with the program's capabilities raised */
};

/* The cases of each file, in their order; each array ends with a case without a name. */
extern const struct selftest_case selftest_parse_cases[];
extern const struct selftest_case selftest_count_cases[];
extern const struct selftest_case selftest_sample_cases[];
extern const struct selftest_case selftest_recording_cases[];

/* Record why a case was skipped or failed, and return that result. */
enum selftest_result selftest_skip(struct selftest *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
enum selftest_result selftest_fail(struct selftest *test, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return SELFTEST_OK if `ok`; otherwise record what was expected, and return SELFTEST_FAILED. */
enum selftest_result selftest_expect(struct selftest *test, bool ok, const char *what);

#endif
