/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/selftest/selftest.h"

#include <stdarg.h>

static enum selftest_result result(struct selftest *test, enum selftest_result result,
				   const char *format, va_list args)
{
	tally_str_clear(&test->why);
	tally_str_addv(&test->why, format, args);
	return result;
}

enum selftest_result selftest_skip(struct selftest *test, const char *format, ...)
{
	enum selftest_result ret;
	va_list args;

	va_start(args, format);
	ret = result(test, SELFTEST_SKIPPED, format, args);
	va_end(args);
	return ret;
}

enum selftest_result selftest_fail(struct selftest *test, const char *format, ...)
{
	enum selftest_result ret;
	va_list args;

	va_start(args, format);
	ret = result(test, SELFTEST_FAILED, format, args);
	va_end(args);
	return ret;
}

enum selftest_result selftest_expect(struct selftest *test, bool ok, const char *what)
{
	return ok ? SELFTEST_OK : selftest_fail(test, "expected: %s", what);
}
