/* SPDX-License-Identifier: BSD-2-Clause */
/* Let models share one pool of texts. Internal to jevents. */
#ifndef TALLY_JEVENTS_LINK_H
#define TALLY_JEVENTS_LINK_H

#include "jevents/catalog.h"

/* Move the texts of all models of the catalog to `pool`, which must be empty, and convert all
 * offsets. The models then consist of their rows only, and `size` is adjusted. `pool.at` is the
 * distance from the model to the shared pool, assuming that the models are stored contiguously in
 * order, followed by the pool. Returns 0, -ENOMEM, or -E2BIG if the texts exceed the range of the
 * offsets; the models are unusable after an error. */
int tally_models_link(struct tally_catalog *catalog, struct tally_pool *pool);

#endif
