/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules for the names of PMUs and of their files in sysfs. */
#include <fnmatch.h>
#include <string.h>

#include "base/arith.h"
#include "events/pmu.h"

bool tally_pmu_is_core(const char *name)
{
	static const char *const prefixes[] = {"cpu_core", "cpu_atom", "cpu_lowpower",
					       "armv",     "apple_",   "riscv-pmu"};

	if (!strcmp(name, "cpu"))
		return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

bool tally_pmu_fits(const char *name, const char *pattern, bool glob)
{
	size_t len = strlen(pattern);

	if (glob ? !fnmatch(pattern, name, 0)
		 : !strncmp(name, pattern, len) && name[len] == '_' &&
			    strspn(name + len + 1, "0123456789") == strlen(name + len + 1))
		return true;
	return !strncmp(name, "uncore_", 7) && strncmp(pattern, "uncore_", 7) &&
	       (!strcmp(name + 7, pattern) || tally_pmu_fits(name + 7, pattern, glob));
}

bool tally_pmu_is_attribute(const char *file)
{
	static const char *const suffixes[] = {".scale", ".unit", ".per-pkg", ".snapshot"};
	size_t len = strlen(file);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(file + len - n, suffixes[i]))
			return true;
	}
	return false;
}

bool tally_glob_has(const char *text, size_t len)
{
	return memchr(text, '*', len) || memchr(text, '?', len) || memchr(text, '[', len);
}
