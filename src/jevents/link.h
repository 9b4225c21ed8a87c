/* SPDX-License-Identifier: BSD-2-Clause */
/* Models that share one pool of texts. Internal to jevents. */
#ifndef TALLY_JEVENTS_LINK_H
#define TALLY_JEVENTS_LINK_H

#include "jevents/catalog.h"

/* Put the texts of all the catalog's models into `pool`, which has to be empty, and make every
 * offset one of it. The models then are their rows alone: `size` ends where the rows do, and
 * `pool.at` is how far from the model the shared pool lies if the models stand one behind the
 * other, in their order, with the pool behind the last. 0, -ENOMEM, or -E2BIG for more text than
 * offsets reach; then the models are as good as lost. */
int tally_models_link(struct tally_catalog *catalog, struct tally_pool *pool);

#endif
