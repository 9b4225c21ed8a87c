/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the paths at which files are searched for. */
#include "symbols/dso_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

/* Split perf's ",flat" or ",hierarchy" from a symfs directory. Returns the length of the directory,
 * and whether files are looked up in it by their base names. */
static size_t symfs_split(const char *symfs, bool *ret_flat)
{
	const char *comma = strrchr(symfs, ',');
	bool is_flat = comma && !strcmp(comma, ",flat");

	*ret_flat = is_flat;
	return is_flat || (comma && !strcmp(comma, ",hierarchy")) ? (size_t)(comma - symfs)
								  : strlen(symfs);
}

void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path)
{
	const char *symfs = dso->owner->options.symfs;
	bool is_flat = false;

	if (symfs)
		tally_str_add_bytes(str, symfs, symfs_split(symfs, &is_flat));
	if (is_flat)
		path = tally_path_name(path);
	if (symfs && path[0] != '/')
		tally_str_add_char(str, '/');
	tally_str_add(str, path);
}

bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str)
{
	if (id->size < 2)
		return false;
	tally_str_add(str, dir);
	tally_str_add(str, "/.build-id/");
	tally_str_add_hex(str, id->id[0], 2);
	tally_str_add_char(str, '/');
	tally_str_add_hex_bytes(str, id->id + 1, id->size - 1);
	return true;
}

int tally_buildid_dir_find(struct tally_str *out)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (!dir && !home)
		return -ENOENT;
	tally_str_add(out, dir ? dir : home);
	if (!dir)
		tally_str_add(out, "/.debug");
	return tally_str_error(out);
}
