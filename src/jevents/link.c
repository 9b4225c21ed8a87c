/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/link.h"

/* Location of a string offset in each row of a table. */
struct link_field {
	uint16_t span, row_size, at;
	bool near;      /* the offset is 16 bits wide */
	uint8_t follow; /* number of strings that follow the first */
};

#define ROW(table, type) offsetof(struct tally_model, table), sizeof(struct tally_model_##type)
#define IN(type, member) offsetof(struct tally_model_##type, member)

static const struct link_field fields[] = {
	{ROW(pmus, pmu), IN(pmu, name), false, 0},
	{ROW(events, event), IN(event, name), false, 2},
	{ROW(events, event), IN(event, terms), false, 0},
	{ROW(traits, traits), IN(traits, topic), true, 0},
	{ROW(traits, traits), IN(traits, unit), true, 0},
	{ROW(traits, traits), IN(traits, compat), true, 0},
	{ROW(metrics, metric), IN(metric, name), false, 0},
	{ROW(metrics, metric), IN(metric, expr), false, 0},
	{ROW(metrics, metric), IN(metric, threshold), false, 0},
	{ROW(metrics, metric), IN(metric, desc), false, 0},
	{ROW(metrics, metric), IN(metric, long_desc), false, 0},
	{ROW(metrics, metric), IN(metric, groups), false, 0},
	{ROW(metrics, metric), IN(metric, no_groups), true, 0},
	{ROW(metrics, metric), IN(metric, default_group), true, 0},
	{ROW(metrics, metric), IN(metric, unit), true, 0},
	{ROW(metrics, metric), IN(metric, compat), true, 0},
	{ROW(groups, group), IN(group, name), false, 0},
	{ROW(groups, group), IN(group, desc), false, 0},
};

/* Add the string at a row's offset to the pool. If `write` is set, replace the offset. */
static int offset_link(const struct tally_model *model, const struct link_field *field, char *at,
		       bool write, struct tally_pool *pool)
{
	uint32_t offset = 0, id;
	uint16_t near = 0;
	const char *text;
	size_t len;
	int ret;

	if (field->near)
		memcpy(&near, at, sizeof(near));
	else
		memcpy(&offset, at, sizeof(offset));
	text = tally_model_text(model, field->near ? near : offset);
	len = strlen(text);
	for (int i = 0; i < field->follow; i++)
		len += 1 + strlen(text + len + 1);
	ret = tally_pool_add(pool, text, len, field->near, &id);
	if (ret || !write)
		return ret;
	offset = pool->offsets.data[id];
	near = (uint16_t)offset;
	if (field->near)
		memcpy(at, &near, sizeof(near));
	else
		memcpy(at, &offset, sizeof(offset));
	return 0;
}

static int model_link(struct tally_model *model, bool write, struct tally_pool *pool)
{
	static const struct link_field whole = {.follow = 0};
	int ret = offset_link(model, &whole, (char *)&model->arch, write, pool);

	if (!ret)
		ret = offset_link(model, &whole, (char *)&model->name, write, pool);
	for (size_t f = 0; f < TALLY_ARRAY_SIZE(fields) && !ret; f++) {
		const struct link_field *field = &fields[f];
		const struct tally_model_span *span =
			(const void *)((const char *)model + field->span);

		for (uint32_t i = 0; i < span->nr && !ret; i++)
			ret = offset_link(model, field,
					  (char *)model + span->at + (size_t)i * field->row_size +
						  field->at,
					  write, pool);
	}
	return ret;
}

static int models_pass(struct tally_catalog *catalog, bool write, struct tally_pool *pool)
{
	int ret = 0;

	tally_vec_for_each (entry, &catalog->models) {
		if (!ret)
			ret = model_link(entry->model, write, pool);
	}
	return ret;
}

int tally_models_link(struct tally_catalog *catalog, struct tally_pool *pool)
{
	uint64_t rest = 0;
	int ret = models_pass(catalog, false, pool);

	if (!ret)
		ret = tally_pool_layout(pool);
	if (!ret)
		ret = models_pass(catalog, true, pool);
	for (size_t i = catalog->models.len; i-- > 0 && !ret;) {
		struct tally_model *model = catalog->models.data[i].model;

		model->size = model->pool.at;
		rest += model->size;
		if (rest > UINT32_MAX)
			ret = -E2BIG;
		model->pool = (struct tally_model_span){rest, pool->bytes.len};
	}
	return ret;
}
