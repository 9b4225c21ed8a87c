/* SPDX-License-Identifier: BSD-2-Clause */
/* Generate C source for models and maps. Internal to jevents. */
#ifndef TALLY_JEVENTS_EMIT_H
#define TALLY_JEVENTS_EMIT_H

#include <stdbool.h>

#include "base/str.h"
#include "jevents/catalog.h"
#include "jevents/reading.h"

/* All functions append to `out` and set its error state when out of memory. The output depends only
 * on the input. */

/* Append bytes as the contents of a C string literal in plain ASCII. The literal is valid in all
 * language modes. */
void tally_emit_text(struct tally_str *out, const char *text, size_t len);

/* Append the first lines of a generated file. */
void tally_emit_head(struct tally_str *out, const char *header);

/* Append a model with its own pool, and the function tally_model_of_<identifier>() that returns it.
 */
void tally_emit_model(struct tally_str *out, const struct tally_model *model,
		      const char *identifier);

/* Append the models in the catalog, which tally_models_link() has linked, their pool, and static
 * functions that return the models. `catalog` must have models. */
void tally_emit_models(struct tally_str *out, const struct tally_catalog *catalog,
		       const struct tally_str *pool);

/* Append the map and tally_models_builtin(). With `shared`, the models are declared extern. */
void tally_emit_map(struct tally_str *out, const struct tally_catalog *catalog, bool shared);

/* Append a classic table, struct pmu_event pme_<identifier>[]. Returns 0, -EINVAL (reported) or
 * -ENOMEM. */
int tally_emit_classic(struct tally_str *out, struct tally_reading *reading,
		       const char *identifier);

/* Append the classic map, struct pmu_events_map pmu_events_map[]. */
void tally_emit_classic_map(struct tally_str *out, const struct tally_catalog *catalog);

#endif
