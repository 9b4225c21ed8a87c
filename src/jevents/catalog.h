/* SPDX-License-Identifier: BSD-2-Clause */
/* The models in a tree and the map from CPUs to models, while they are being built. Internal to
 * jevents. */
#ifndef TALLY_JEVENTS_CATALOG_H
#define TALLY_JEVENTS_CATALOG_H

#include "base/vec.h"
#include "jevents/models.h"
#include "jevents/pool.h"

/* Strings live as long as the trees they were read from. */
struct tally_catalog_model {
	const char *identifier;    /* "x86_silvermont" */
	struct tally_model *model; /* NULL if not stored; freed with the catalog */
};

struct tally_catalog_row {
	const char *arch, *cpuid, *version, *type;
	uint32_t model;
};

/* A zeroed structure is an empty catalog. */
struct tally_catalog {
	TALLY_VEC(struct tally_catalog_model) models;
	TALLY_VEC(struct tally_catalog_row) rows;
	TALLY_VEC(struct tally_models_row) packed; /* the rows, with offsets instead of strings */
	struct tally_pool pool;                    /* strings of the packed rows */
};

/* Make `packed` and `pool` from the rows. Returns 0, -ENOMEM, or -E2BIG if the strings exceed 4
 * GiB. */
int tally_catalog_pack(struct tally_catalog *catalog);
void tally_catalog_free(struct tally_catalog *catalog);

#endif
