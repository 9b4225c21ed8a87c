/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/ranges.h"
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

static int cpus_from_ranges(const struct tally_ranges *ranges, struct tally_cpus **ret_cpus)
{
	TALLY_VEC(int32_t) list = {0};
	int ret = ranges->all.data[ranges->all.len - 1].last < CPU_LIMIT ? 0 : -EINVAL;

	tally_vec_for_each (range, &ranges->all) {
		for (uint32_t i = range->first; !ret && i <= range->last; i++)
			ret = tally_vec_push(&list, (int32_t)i);
	}
	if (!ret)
		ret = cpus_from(list.data, list.len, ret_cpus);
	tally_vec_free(&list);
	return ret;
}

/* `text` may end with a newline, as in files in sysfs. */
int tally_cpus_parse(const char *text, struct tally_cpus **ret_cpus)
{
	size_t len = strcspn(text, "\n");
	char *line = strndup(text, len);
	struct tally_ranges ranges;
	int ret = line ? 0 : -ENOMEM;

	if (text[len] && text[len + 1])
		ret = -EINVAL;
	if (!ret)
		ret = tally_ranges_parse(line, &ranges);
	free(line);
	if (ret)
		return ret;
	ret = cpus_from_ranges(&ranges, ret_cpus);
	tally_ranges_free(&ranges);
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
