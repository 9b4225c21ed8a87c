/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jevents/catalog.h"

/* Add a row's strings to the pool. If `offsets` is set, also store their offsets in `packed`. */
static int row_texts(struct tally_catalog *catalog, const struct tally_catalog_row *row,
		     bool offsets, struct tally_models_row *packed)
{
	const char *texts[] = {row->arch, row->cpuid, row->version, row->type};
	uint32_t *places[] = {&packed->arch, &packed->cpuid, &packed->version, &packed->type};
	uint32_t id;
	int ret = 0;

	for (int i = 0; i < 4 && !ret; i++) {
		ret = tally_pool_add(&catalog->pool, texts[i], strlen(texts[i]), false, &id);
		if (!ret && offsets)
			*places[i] = catalog->pool.offsets.data[id];
	}
	return ret;
}

int tally_catalog_pack(struct tally_catalog *catalog)
{
	struct tally_models_row packed = {0};
	int ret = 0;

	tally_vec_for_each (row, &catalog->rows) {
		packed.model = row->model;
		if (!ret)
			ret = row_texts(catalog, row, false, &packed);
		if (!ret)
			ret = tally_vec_push(&catalog->packed, packed);
	}
	if (!ret)
		ret = tally_pool_layout(&catalog->pool);
	for (size_t i = 0; i < catalog->rows.len && !ret; i++)
		ret = row_texts(catalog, &catalog->rows.data[i], true, &catalog->packed.data[i]);
	return ret;
}

void tally_catalog_free(struct tally_catalog *catalog)
{
	tally_vec_for_each (model, &catalog->models)
		free(model->model);
	tally_vec_free(&catalog->models);
	tally_vec_free(&catalog->rows);
	tally_vec_free(&catalog->packed);
	tally_pool_free(&catalog->pool);
	*catalog = (struct tally_catalog){0};
}
