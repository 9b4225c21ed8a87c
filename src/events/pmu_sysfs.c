/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs described in /sys/bus/event_source/devices. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "events/pmu.h"

enum { MAX_FILE = 4096, MAX_NAMES = 65536, MAX_CPU = 65536 };

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int tally_dir_names(const char *path, struct tally_arena *arena, tally_name_vec *ret_names)
{
	tally_name_vec names = {0};
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && names.len < MAX_NAMES && (entry = readdir(dir))) {
		const char *copy;

		if (entry->d_name[0] == '.')
			continue;
		copy = tally_arena_strndup(arena, entry->d_name, strlen(entry->d_name));
		ret = copy ? tally_vec_push(&names, copy) : -ENOMEM;
	}
	closedir(dir);
	if (ret) {
		tally_vec_free(&names);
		return ret;
	}
	if (names.len)
		qsort(names.data, names.len, sizeof(*names.data), name_compare);
	*ret_names = names;
	return 0;
}

int tally_pmu_names(struct tally_events *events, const tally_name_vec **ret_names)
{
	int ret = 0;

	if (!events->listed)
		ret = tally_dir_names(events->devices, &events->arena, &events->pmu_names);
	if (ret)
		return ret;
	events->listed = true;
	*ret_names = &events->pmu_names;
	return 0;
}

int tally_pmu_read(struct tally_events *events, const char *pmu, const char *dir, const char *file,
		   const char *suffix, struct tally_arena *arena, const char **ret_text)
{
	char path[PATH_MAX], *data, *copy;
	size_t len;
	int ret;

	ret = snprintf(path, sizeof(path), "%s/%s/%s%s%s", events->devices, pmu, dir, file, suffix);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	ret = tally_file_read(path, MAX_FILE, &data, &len);
	if (ret)
		return ret;
	while (len && isspace((unsigned char)data[len - 1]))
		len--;
	copy = tally_arena_strndup(arena, data, len);
	free(data);
	if (!copy)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

static int number_read(struct tally_events *events, const char *pmu, const char *file,
		       long *ret_value)
{
	const char *text;
	char *end;
	long value;
	int ret = tally_pmu_read(events, pmu, "", file, "", &events->arena, &text);

	if (ret)
		return ret;
	value = strtol(text, &end, 10);
	if (end == text || *end || value < 0 || value > INT_MAX)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

/* Parse a CPU list such as "0,4-7". CPU numbers above the limit are rejected, to avoid large
 * allocations. */
static int cpus_parse(const char *text, struct tally_pmu *pmu)
{
	int ret = 0;

	while (!ret && isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= MAX_CPU)
			return -EINVAL;
		for (; !ret && first <= last; first++)
			ret = tally_vec_push(&pmu->cpus, (uint32_t)first);
		text = end + (*end == ',');
	}
	return ret ? ret : *text ? -EINVAL : 0;
}

static int cpus_read(struct tally_events *events, struct tally_pmu *pmu)
{
	const char *text;

	if (!tally_pmu_read(events, pmu->name, "", "cpumask", "", &events->arena, &text))
		pmu->uncore = true;
	else if (!tally_pmu_read(events, pmu->name, "", "cpus", "", &events->arena, &text))
		pmu->hybrid = true;
	else
		return 0;
	return cpus_parse(text, pmu);
}

/* Read the PMU's formats. Invalid formats are skipped, so that their terms are unknown. */
static int formats_read(struct tally_events *events, struct tally_pmu *pmu)
{
	tally_name_vec names = {0};
	char path[PATH_MAX];
	int ret;

	ret = snprintf(path, sizeof(path), "%s/%s/format", events->devices, pmu->name);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	ret = tally_dir_names(path, &events->arena, &names);
	if (ret)
		return ret == -ENOMEM ? ret : 0; /* many PMUs have no formats */
	tally_vec_for_each (name, &names) {
		struct tally_pmu_format format = {.name = *name};
		const char *text;

		if (tally_pmu_read(events, pmu->name, "format/", *name, "", &events->arena,
				   &text) ||
		    tally_pmu_format_parse(text, &format.field, &format.mask))
			continue;
		ret = tally_vec_push(&pmu->formats, format);
		if (ret)
			break;
	}
	tally_vec_free(&names);
	return ret;
}

static int pmu_load(struct tally_events *events, struct tally_pmu *pmu)
{
	long type, precise = -1;
	int ret = number_read(events, pmu->name, "type", &type);

	if (ret)
		return ret == -EINVAL ? ret : -ENOENT;
	pmu->type = (uint32_t)type;
	number_read(events, pmu->name, "caps/max_precise", &precise);
	pmu->max_precise = (int)precise;
	ret = cpus_read(events, pmu);
	if (!ret)
		ret = formats_read(events, pmu);
	pmu->core = !pmu->uncore && tally_pmu_is_core(pmu->name);
	return ret;
}

int tally_pmu_get(struct tally_events *events, const char *name, size_t len,
		  struct tally_pmu **ret_pmu)
{
	struct tally_pmu *pmu;
	int ret;

	tally_vec_for_each (known, &events->pmus) {
		if (tally_text_is((*known)->name, name, len)) {
			*ret_pmu = *known;
			return 0;
		}
	}
	if (!len || len > NAME_MAX || memchr(name, '/', len) || name[0] == '.')
		return -ENOENT;
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	pmu->name = tally_arena_strndup(&events->arena, name, len);
	ret = pmu->name ? pmu_load(events, pmu) : -ENOMEM;
	if (!ret)
		ret = tally_vec_push(&events->pmus, pmu);
	if (ret) {
		tally_pmu_free(pmu);
		return ret;
	}
	*ret_pmu = pmu;
	return 0;
}

static int cores_find(struct tally_events *events)
{
	const tally_name_vec *names;
	struct tally_pmu *pmu;
	int ret = tally_pmu_get(events, "cpu", 3, &pmu);

	if (ret != -ENOENT)
		return ret ? ret : tally_vec_push(&events->cores, pmu);
	if (tally_pmu_names(events, &names))
		return 0;
	ret = 0;
	for (size_t i = 0; !ret && i < names->len; i++) {
		const char *name = names->data[i];

		if (tally_pmu_is_core(name) && !tally_pmu_get(events, name, strlen(name), &pmu) &&
		    pmu->core)
			ret = tally_vec_push(&events->cores, pmu);
	}
	return ret;
}

int tally_pmu_cores_here(struct tally_events *events)
{
	int ret = 0;

	if (!events->cores_known)
		ret = cores_find(events);
	events->cores_known = true;
	return ret == -ENOMEM ? ret : 0;
}

void tally_pmu_free(struct tally_pmu *pmu)
{
	if (!pmu)
		return;
	tally_vec_free(&pmu->formats);
	tally_vec_free(&pmu->cpus);
	free(pmu);
}
