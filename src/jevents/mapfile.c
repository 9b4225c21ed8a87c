/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "jevents/mapfile.h"
#include "jevents/models.h"

enum { COLUMNS = 7, NEEDED = 4 };

/* Split a line at its commas. Missing columns are "". Return the number of columns, or 0 when out
 * of memory. */
static int columns_split(const char *line, size_t len, struct tally_arena *arena,
			 const char *columns[COLUMNS])
{
	const char *end = line + len;
	int nr = 0;

	for (int i = 0; i < COLUMNS; i++) {
		const char *comma = line ? memchr(line, ',', end - line) : NULL;
		const char *stop = comma ? comma : end;

		columns[i] = line ? tally_arena_strndup(arena, line, stop - line) : "";
		if (!columns[i])
			return 0;
		nr += line != NULL;
		line = comma ? comma + 1 : NULL;
	}
	return nr;
}

static int row_add(const struct tally_source *source, size_t offset, size_t len,
		   struct tally_arena *arena, struct tally_mapfile *mapfile)
{
	const char *columns[COLUMNS], *why = "expected CPUID,Version,Dir/path/name,Type";
	const char *line = source->text + offset;
	int nr = memchr(line, '\0', len) ? NEEDED - 1 : columns_split(line, len, arena, columns);

	if (!nr)
		return -ENOMEM;
	if (nr < NEEDED || !*columns[0] || !*columns[2]) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, offset, why, "invalid map line");
		return -EINVAL;
	}
	if (tally_cpuid_check(columns[0], &why)) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, offset, why,
				  "\"%s\" is not a valid regular expression", columns[0]);
		return -EINVAL;
	}
	if (mapfile->rows.len == TALLY_MAPFILE_ROWS) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, offset, "the limit is 4096",
				  "too many lines");
		return -E2BIG;
	}
	return tally_vec_push(&mapfile->rows,
			      (struct tally_mapfile_row){columns[0], columns[1], columns[2],
							 columns[3], columns[6], offset});
}

int tally_mapfile_read(const struct tally_source *source, struct tally_arena *arena,
		       struct tally_mapfile *mapfile)
{
	int ret = 0, wrong = 0;

	for (size_t at = 0, next; at < source->len && (!ret || ret == -EINVAL); at = next) {
		const char *line = source->text + at;
		const char *newline = memchr(line, '\n', source->len - at);
		size_t len = newline ? (size_t)(newline - line) : source->len - at;

		next = at + len + 1;
		while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
			len--;
		if (!at || !len || *line == '#')
			continue;
		ret = row_add(source, at, len, arena, mapfile);
		mapfile->wrong += ret != 0;
		wrong = ret ? ret : wrong;
	}
	return wrong;
}

int tally_mapfile_move(struct tally_mapfile *mapfile, const char *dir, struct tally_arena *arena)
{
	struct tally_str path = {0};
	int ret = 0;

	for (size_t i = 0; i < mapfile->rows.len && *dir && !ret; i++) {
		struct tally_mapfile_row *row = &mapfile->rows.data[i];

		tally_str_clear(&path);
		tally_str_addf(&path, "%s/%s", dir, row->dir);
		ret = tally_str_error(&path);
		if (!ret)
			row->dir = tally_arena_strndup(arena, path.data, path.len);
		if (!ret && !row->dir)
			ret = -ENOMEM;
	}
	tally_str_free(&path);
	return ret;
}
