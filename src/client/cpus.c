/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/vec.h"
#include "tally/client.h"

enum { CPU_LIMIT = 65536 };

static int cpus_from(const int32_t *numbers, size_t nr, struct tally_cpus **ret_cpus)
{
	struct tally_cpus *cpus = malloc(sizeof(*cpus) + nr * sizeof(cpus->cpu[0]));

	if (!cpus)
		return -ENOMEM;
	cpus->nr = nr;
	for (size_t i = 0; i < nr; i++)
		cpus->cpu[i].number = numbers[i];
	*ret_cpus = cpus;
	return 0;
}

int tally_cpus_any(struct tally_cpus **ret_cpus)
{
	return cpus_from(&(int32_t){-1}, 1, ret_cpus);
}

/* One number or range of a list; moves `*text` behind it and its comma. */
static int parse_range(const char **text, long *ret_first, long *ret_last)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*ret_first = *ret_last = strtol(*text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		*ret_last = strtol(end + 1, &end, 10);
	}
	if (*ret_last < *ret_first || *ret_last >= CPU_LIMIT)
		return -EINVAL;
	if (*end == ',' && end[1] && end[1] != '\n')
		end++;
	else if (*end && *end != '\n')
		return -EINVAL;
	*text = *end == '\n' ? end + 1 : end;
	return 0;
}

static int ascending(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static size_t without_doubles(int32_t *numbers, size_t nr)
{
	size_t kept = 0;

	qsort(numbers, nr, sizeof(*numbers), ascending);
	for (size_t i = 0; i < nr; i++) {
		if (!kept || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	}
	return kept;
}

int tally_cpus_parse(const char *text, struct tally_cpus **ret_cpus)
{
	TALLY_VEC(int32_t) list = {0};
	long first, last;
	int ret = *text && *text != '\n' ? 0 : -EINVAL;

	while (*text && !ret) {
		ret = parse_range(&text, &first, &last);
		for (; !ret && first <= last; first++)
			ret = tally_vec_push(&list, (int32_t)first);
		if (list.len > CPU_LIMIT)
			ret = -EINVAL;
	}
	if (!ret)
		ret = cpus_from(list.data, without_doubles(list.data, list.len), ret_cpus);
	tally_vec_free(&list);
	return ret;
}

int tally_cpus_online(const char *sysfs, struct tally_cpus **ret_cpus)
{
	char path[256], *text;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", sysfs ? sysfs : "/sys");
	ret = tally_file_read(path, 1 << 20, &text, &len);
	if (ret)
		return ret;
	ret = tally_cpus_parse(text, ret_cpus);
	free(text);
	return ret;
}

int tally_cpus_index(const struct tally_cpus *cpus, int32_t number)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		if (cpus->cpu[i].number == number)
			return (int)i;
	}
	return -1;
}
