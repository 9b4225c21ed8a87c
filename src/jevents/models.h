/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The models of many CPUs and the map from a CPU's identity to them: what tally-jevents generates
 * from a tree of JSON, or what jevents/load.h reads at run time.
 */
#ifndef TALLY_JEVENTS_MODELS_H
#define TALLY_JEVENTS_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jevents/model.h"

/* A row of mapfile.csv. Texts are offsets into the map's pool. */
struct tally_models_row {
	uint32_t arch;    /* "x86" */
	uint32_t cpuid;   /* "GenuineIntel-6-(37|4A)": regular expression over the whole identity */
	uint32_t version; /* "v15" */
	uint32_t type;    /* "core" */
	uint32_t model;   /* index of the model */
};

struct tally_models {
	const struct tally_models_row
		*rows; /* in the order of the mapfiles: the first match counts */
	const char *pool;
	uint32_t nr_rows;
	uint32_t nr_models; /* those that the map names and system models */
	const struct tally_model *(*model)(const struct tally_models *models, uint32_t index);
};

/* The models built into this program; generated. Does no work: `models` becomes a view of constant
 * data that lives as long as the program. */
void tally_models_builtin(struct tally_models *ret_models);

/* The text at an offset of a row; never NULL. */
static inline const char *tally_models_text(const struct tally_models *models, uint32_t offset)
{
	return models->pool + offset;
}

/* The model of index `index` < nr_models. */
static inline const struct tally_model *tally_models_model(const struct tally_models *models,
							   uint32_t index)
{
	return models->model(models, index);
}

/* The next row that applies to a CPU: for each type ("core", "uncore") the first row whose pattern
 * matches. `arch` NULL means any. Start with `*pos` 0; NULL when there are no more. */
const struct tally_models_row *tally_models_find(const struct tally_models *models,
						 const char *arch, const char *cpuid,
						 uint32_t *pos);

/* Whether a map's pattern matches a CPU's identity: the whole of it, or for x86, whose identity is
 * vendor-family-model-stepping, all of it but the stepping. Patterns are POSIX extended regular
 * expressions without back references; a pattern that is none matches nothing. No locale, no
 * allocation; time is bounded by a step budget, beyond which nothing matches. */
bool tally_cpuid_match(const char *pattern, const char *cpuid);

/* 0 if `pattern` is one that tally_cpuid_match() understands; else -EINVAL with the reason, a
 * constant text, in `*ret_why`. */
int tally_cpuid_check(const char *pattern, const char **ret_why);

/* The same for a system PMU's identifier and a row's `compat`: whole match only. */
bool tally_compat_match(const char *pattern, const char *identifier);

#endif
