/* SPDX-License-Identifier: BSD-2-Clause */
/* C text of models and maps. Internal to jevents. */
#ifndef TALLY_JEVENTS_EMIT_H
#define TALLY_JEVENTS_EMIT_H

#include <stdbool.h>

#include "base/str.h"
#include "jevents/catalog.h"
#include "jevents/reading.h"

/* All append to `out`, whose error tells of lack of memory. Output depends on the input only. */

/* Bytes as the inside of a C string, plain ASCII, whatever the compiler's language mode. */
void tally_emit_text(struct tally_str *out, const char *text, size_t len);

/* The first lines of a generated file. */
void tally_emit_head(struct tally_str *out, const char *header);

/* A model with a pool of its own, and the function that gives it: tally_model_of_<identifier>(). */
void tally_emit_model(struct tally_str *out, const struct tally_model *model,
		      const char *identifier);

/* The catalog's models, linked with tally_models_link(), their pool, and static functions that give
 * them. Nothing for no models. */
void tally_emit_models(struct tally_str *out, const struct tally_catalog *catalog,
		       const struct tally_str *pool);

/* The map and tally_models_builtin(); with `shared` the models are declared as elsewhere. */
void tally_emit_map(struct tally_str *out, const struct tally_catalog *catalog, bool shared);

/* One classic table: struct pmu_event pme_<identifier>[]. 0, -EINVAL (told) or -ENOMEM. */
int tally_emit_classic(struct tally_str *out, struct tally_reading *reading,
		       const char *identifier);

/* The classic map: struct pmu_events_map pmu_events_map[]. */
void tally_emit_classic_map(struct tally_str *out, const struct tally_catalog *catalog);

#endif
