/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the models of a catalog share one string pool. Internal to jevents. */
#ifndef TALLY_JEVENTS_LINK_H
#define TALLY_JEVENTS_LINK_H

#include "jevents/catalog.h"

/* Move the strings of all models in the catalog to `pool`, which must be empty, and convert all
 * offsets. The models then consist only of their rows, and `size` is adjusted. `pool.at` is the
 * distance from the model to the shared pool, assuming that the models are stored contiguously in
 * order, followed by the pool. Returns 0; -ENOMEM; or -E2BIG if the strings exceed the range of the
 * offsets. After an error, the models are unusable. */
int tally_models_link(struct tally_catalog *catalog, struct tally_pool *pool);

#endif
