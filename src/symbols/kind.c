/* SPDX-License-Identifier: BSD-2-Clause */
/* Kind of a mapped object, determined by the file name of the mapping. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "symbols/dso.h"

struct name_rule {
	const char *text;
	bool whole; /* match the whole name, not only a prefix */
	enum tally_dso_kind kind;
};

/* The first matching rule is used. Names that match no rule are files. Names in /dev can also be
 * files (/dev/shm); devices are detected when they are opened. Memory without a file may contain
 * JIT code. */
static const struct name_rule user_names[] = {
	{"//anon", true, TALLY_DSO_PERF_MAP},
	{"[anon]", true, TALLY_DSO_PERF_MAP},
	{"[anon:", false, TALLY_DSO_PERF_MAP},
	{"[anon_shmem:", false, TALLY_DSO_PERF_MAP},
	{"[heap]", true, TALLY_DSO_PERF_MAP},
	{"[stack", false, TALLY_DSO_PERF_MAP},
	{"/dev/zero", false, TALLY_DSO_PERF_MAP},
	{"/dev/ashmem", false, TALLY_DSO_PERF_MAP},
	{"/anon_hugepage", false, TALLY_DSO_PERF_MAP},
	{"anon_inode:", false, TALLY_DSO_PERF_MAP},
	{"/SYSV", false, TALLY_DSO_PERF_MAP},
	{"/memfd:", false, TALLY_DSO_PERF_MAP},
	{"[vdso]", true, TALLY_DSO_VDSO},
	{"[vdso32]", true, TALLY_DSO_VDSO},
	{"[vdsox32]", true, TALLY_DSO_VDSO},
	{"[", false, TALLY_DSO_UNKNOWN},
	{"", true, TALLY_DSO_UNKNOWN},
};

/* Called for every mapping in a recording, so compare characters one by one: usually the first two
 * are enough. */
static bool rule_fits(const struct name_rule *rule, const char *filename)
{
	size_t i = 0;

	while (rule->text[i] && rule->text[i] == filename[i])
		i++;
	return !rule->text[i] && (!rule->whole || !filename[i]);
}

enum tally_dso_kind tally_dso_kind_of(const char *filename, bool kernel)
{
	if (kernel)
		return !strncmp(filename, "[kernel.", 8) || !strncmp(filename, "[guest.kernel.", 14)
			       ? TALLY_DSO_KERNEL
			       : TALLY_DSO_MODULE;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(user_names); i++) {
		if (rule_fits(&user_names[i], filename))
			return user_names[i].kind;
	}
	return TALLY_DSO_USER;
}

bool tally_jitdump_pid(const char *path, int *ret_pid)
{
	const char *at = tally_path_name(path);
	char *end;
	long pid;

	if (strncmp(at, "jit-", 4) || at[4] < '0' || at[4] > '9')
		return false;
	errno = 0;
	pid = strtol(at + 4, &end, 10);
	if (errno || pid <= 0 || pid > INT_MAX || strcmp(end, ".dump"))
		return false;
	*ret_pid = (int)pid;
	return true;
}

char *tally_module_bare(const char *name)
{
	const char *base = tally_path_name(name), *end;
	char *copy;

	base += *base == '[';
	end = strstr(base, ".ko");
	copy = strndup(base, end ? (size_t)(end - base) : strcspn(base, "]"));
	for (char *at = copy; at && *at; at++)
		*at = *at == '-' ? '_' : *at;
	return copy;
}
