/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "jevents/models.h"

static bool row_applies(const struct tally_models *models, const struct tally_models_row *row,
			const char *arch, const char *cpuid)
{
	return (!arch || !strcmp(arch, tally_models_text(models, row->arch))) &&
	       tally_cpuid_match(tally_models_text(models, row->cpuid), cpuid);
}

/* Return true if an earlier row of the same type also applies. */
static bool is_shadowed(const struct tally_models *models, const struct tally_models_row *row,
			const char *arch, const char *cpuid)
{
	const char *type = tally_models_text(models, row->type);

	for (const struct tally_models_row *before = models->rows; before < row; before++)
		if (!strcmp(tally_models_text(models, before->type), type) &&
		    row_applies(models, before, arch, cpuid))
			return true;
	return false;
}

const struct tally_models_row *tally_models_find(const struct tally_models *models,
						 const char *arch, const char *cpuid, uint32_t *pos)
{
	while (*pos < models->nr_rows) {
		const struct tally_models_row *row = &models->rows[(*pos)++];

		if (row_applies(models, row, arch, cpuid) && !is_shadowed(models, row, arch, cpuid))
			return row;
	}
	return NULL;
}
