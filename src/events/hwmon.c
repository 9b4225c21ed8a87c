/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/hwmon.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "events/cursor.h"
#include "events/lookup.h"
#include "events/events_error.h"
#include "events/events_specs.h"

#define PREFIX "hwmon_"

/* Kinds of sensors. The kernel defines the units. */
static const struct sensor_kind {
	const char *name, *unit;
	double scale;
} kinds[] = {
	{"temp", "'C", 1e-3}, {"fan", "rpm", 1},     {"in", "V", 1e-3},       {"curr", "A", 1e-3},
	{"power", "W", 1e-6}, {"energy", "J", 1e-6}, {"humidity", "%", 1e-3},
};

/* ---- sensors ---------------------------------------------------------------- */

/* Return the kind of a sensor's file, such as "temp1_input", and copy the sensor's name. The input
 * of power sensors may be an average. */
static const struct sensor_kind *kind_of(const char *file, char *ret_name, size_t size)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].name),
		       digits = strspn(file + TALLY_MIN(strlen(file), len), "0123456789");

		if (strncmp(file, kinds[i].name, len) || !digits || len + digits >= size ||
		    (strcmp(file + len + digits, "_input") &&
		     strcmp(file + len + digits, "_average")))
			continue;
		snprintf(ret_name, size, "%.*s", (int)(len + digits), file);
		return &kinds[i];
	}
	return NULL;
}

/* Read the first line of a file. Returns false if there is no such file. */
static bool read_line(const char *dir, const char *file, char *ret_line, size_t size)
{
	char path[2 * PATH_MAX], *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (tally_file_read(path, 4096, &text, &len))
		return false;
	snprintf(ret_line, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return true;
}

/* Write the type and the label in lower case, with "_" instead of other characters. */
static void alias_write(char *to, size_t size, const char *kind, const char *label)
{
	int len = snprintf(to, size, *label ? "%s_%s" : "", kind, label);

	for (int i = 0; i < len && (size_t)i + 1 < size; i++)
		to[i] = isalnum((unsigned char)to[i]) && (unsigned char)to[i] < 128
				? (char)tolower((unsigned char)to[i])
				: '_';
}

static int sensor_visit(const char *dir, const char *file, const char *pmu,
			tally_sensor_visit_fn *visit, void *data)
{
	char name[64], label_file[80], label[128] = "", alias[160] = "", path[2 * PATH_MAX];
	const struct sensor_kind *kind = kind_of(file, name, sizeof(name));
	struct tally_sensor sensor = {pmu, name, alias, label, path};

	if (!kind)
		return 0;
	snprintf(path, sizeof(path), "%s/%s_input", dir, name);
	/* A sensor with both files is visited once. */
	if (strstr(file, "_average")) {
		if (!access(path, F_OK))
			return 0;
		snprintf(path, sizeof(path), "%s/%s", dir, file);
	}
	snprintf(label_file, sizeof(label_file), "%s_label", name);
	if (read_line(dir, label_file, label, sizeof(label)))
		alias_write(alias, sizeof(alias), kind->name, label);
	sensor.unit = kind->unit;
	sensor.scale = kind->scale;
	return visit(&sensor, data);
}

/* Visit the sensors of a chip. The name of a chip becomes a part of event names. */
static int chip_visit(const char *dir, tally_sensor_visit_fn *visit, void *data)
{
	struct tally_arena arena = {0};
	tally_name_vec files = {0};
	char pmu[128] = PREFIX;
	char *chip = pmu + strlen(PREFIX);
	int ret = 0;

	if (!read_line(dir, "name", chip, sizeof(pmu) - strlen(PREFIX)) || !*chip)
		return 0;
	for (char *at = chip; *at; at++)
		if (!isalnum((unsigned char)*at) || (unsigned char)*at >= 128)
			*at = '_';
	if (tally_dir_names(dir, &arena, &files) == -ENOMEM)
		ret = -ENOMEM;
	for (size_t i = 0; i < files.len && !ret; i++)
		ret = sensor_visit(dir, files.data[i], pmu, visit, data);
	tally_vec_free(&files);
	tally_arena_free(&arena);
	return ret;
}

int tally_sensors_each(const struct tally_events *events, tally_sensor_visit_fn *visit, void *data)
{
	struct tally_arena arena = {0};
	tally_name_vec chips = {0};
	char root[PATH_MAX], dir[PATH_MAX + NAME_MAX + 2];
	int ret;

	if (events->tables.whose == TALLY_CPU_OTHER)
		return 0;
	snprintf(root, sizeof(root), "%s/class/hwmon", events->sysfs);
	ret = tally_dir_names(root, &arena, &chips) == -ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < chips.len && !ret; i++) {
		snprintf(dir, sizeof(dir), "%s/%s", root, chips.data[i]);
		ret = chip_visit(dir, visit, data);
	}
	tally_vec_free(&chips);
	tally_arena_free(&arena);
	return ret;
}

int tally_sensor_value(const struct tally_event_spec *spec, int64_t *ret_value)
{
	char *text, *end;
	size_t len;
	int64_t value;
	int ret = tally_file_read(spec->file, 64, &text, &len);

	if (ret)
		return ret;
	errno = 0;
	value = strtoll(text, &end, 10);
	ret = end == text || errno ? -EINVAL : 0;
	free(text);
	if (!ret)
		*ret_value = value;
	return ret;
}

/* ---- events ----------------------------------------------------------------- */

struct sensor_search {
	struct tally_event_parser *p;
	const char *pmu; /* pattern, or NULL for any chip */
	struct tally_word name;
	const struct tally_terms *terms;
	bool has_pmu; /* a chip fits the pattern */
};

static int spec_add(struct tally_event_parser *p, const struct tally_sensor *sensor)
{
	struct tally_event_spec spec = {
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
		.tool = TALLY_TOOL_SENSOR,
		.unit = sensor->unit,
		.scale = sensor->scale,
		.snapshot = true,
		.pmu = tally_arena_strndup(p->arena, sensor->pmu, strlen(sensor->pmu)),
		.file = tally_arena_strndup(p->arena, sensor->path, strlen(sensor->path)),
	};

	return spec.pmu && spec.file ? tally_parser_add(p, &spec) : -ENOMEM;
}

static int terms_apply(struct sensor_search *search)
{
	struct tally_event_spec *spec = &search->p->specs.data[search->p->specs.len - 1];

	for (size_t i = 1; search->terms && i < search->terms->nr; i++) {
		const struct tally_term *term = &search->terms->term[i];
		int ret = tally_term_apply(search->p, term, spec);

		if (!ret)
			ret = tally_parser_fail(search->p, -ENOENT, "unknown term", term->name);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int sensor_try(const struct tally_sensor *sensor, void *data)
{
	struct sensor_search *search = data;
	int ret;

	if (search->pmu && !tally_pmu_fits(sensor->pmu, search->pmu, true))
		return 0;
	search->has_pmu = true;
	if (!tally_word_is(search->name, sensor->name) &&
	    !(*sensor->alias && tally_word_is(search->name, sensor->alias)))
		return 0;
	ret = spec_add(search->p, sensor);
	return ret ? ret : terms_apply(search);
}

/* Name the events of several sensors after their PMUs. */
static int name_apart(struct tally_event_parser *p, size_t first, struct tally_word name)
{
	char text[256];

	for (size_t i = first; p->specs.len - first > 1 && i < p->specs.len; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];

		if (spec->name)
			continue;
		snprintf(text, sizeof(text), "%s/%.*s/", spec->pmu, (int)TALLY_MIN(name.len, 120),
			 name.text);
		spec->name = tally_arena_strndup(p->arena, text, strlen(text));
		if (!spec->name)
			return -ENOMEM;
	}
	return p->specs.len > first;
}

int tally_sensor_parse(struct tally_event_parser *p, struct tally_word name)
{
	struct sensor_search search = {.p = p, .name = name};
	size_t first = p->specs.len;
	int ret = tally_sensors_each(p->events, sensor_try, &search);

	return ret ? ret : name_apart(p, first, name);
}

int tally_sensor_pmu_parse(struct tally_event_parser *p, struct tally_word pmu,
			   const struct tally_terms *terms)
{
	struct sensor_search search = {.p = p, .terms = terms};
	size_t first = p->specs.len;
	int ret;

	if (pmu.len < strlen(PREFIX) || strncmp(pmu.text, PREFIX, strlen(PREFIX)))
		return 0;
	search.pmu = tally_word_dup(p, pmu);
	if (!search.pmu)
		return -ENOMEM;
	if (!terms->nr || terms->term[0].value.text)
		return tally_parser_fail(p, -EINVAL, "expected a sensor, such as temp1", pmu);
	search.name = terms->term[0].name;
	ret = tally_sensors_each(p->events, sensor_try, &search);
	if (!ret && search.has_pmu && p->specs.len == first)
		ret = tally_parser_fail(p, -ENOENT, "this chip has no such sensor", search.name);
	return ret ? ret : name_apart(p, first, search.name);
}
