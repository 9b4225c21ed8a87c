/* SPDX-License-Identifier: BSD-2-Clause */
/* Which models there are and which CPU has which: the map while it is made. Internal to jevents. */
#ifndef TALLY_JEVENTS_CATALOG_H
#define TALLY_JEVENTS_CATALOG_H

#include "base/vec.h"
#include "jevents/models.h"
#include "jevents/pool.h"

/* Texts live as long as the trees they come from. */
struct tally_catalog_model {
	const char *identifier;    /* "x86_silvermont" */
	struct tally_model *model; /* NULL where it is not kept; freed with the catalog */
};

struct tally_catalog_row {
	const char *arch, *cpuid, *version, *type;
	uint32_t model;
};

/* All zero is an empty catalog. */
struct tally_catalog {
	TALLY_VEC(struct tally_catalog_model) models;
	TALLY_VEC(struct tally_catalog_row) rows;
	TALLY_VEC(struct tally_models_row) packed; /* the rows, texts as offsets */
	struct tally_pool pool;                    /* of the packed rows */
};

/* Make `packed` and `pool` of the rows. 0, -ENOMEM, or -E2BIG beyond 4 GiB of text. */
int tally_catalog_pack(struct tally_catalog *catalog);
void tally_catalog_free(struct tally_catalog *catalog);

#endif
