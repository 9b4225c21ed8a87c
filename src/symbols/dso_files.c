/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/dso_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path)
{
	dso->files.source = source;
	free(dso->files.path);
	dso->files.path = path ? strdup(path) : NULL;
	return path && !dso->files.path ? -ENOMEM : 0;
}

int tally_dso_finish(struct tally_dso *dso)
{
	struct tally_symtab_options options = {.shown_name = tally_dso_shown_name, .arg = dso};

	return tally_symtab_finish(&dso->files.table, &options);
}

int tally_dso_release(struct tally_dso *dso)
{
	struct tally_image *images[] = {&dso->files.debugdata, &dso->files.runtime,
					&dso->files.image};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(images); i++) {
		if (tally_file_map_check(&images[i]->map))
			ret = -EIO;
		tally_image_free(images[i]);
	}
	return ret;
}
