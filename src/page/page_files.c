/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches the files of two recordings. */
#include <errno.h>

#include "page/page_table.h"

/* Remember a file of the first recording. */
static int file_remember(struct page_files *files, uint32_t name, uint32_t path)
{
	uint32_t *of_name;

	while (files->paths.len <= name) {
		if (tally_vec_push(&files->paths, PAGE_PATH_NONE))
			return -ENOMEM;
	}
	of_name = &files->paths.data[name];
	if (*of_name == PAGE_PATH_NONE)
		*of_name = path;
	else if (*of_name != path)
		*of_name = PAGE_PATH_SEVERAL;
	return tally_map_set(&files->known, path, 1);
}

/* Return the path of the file in the first recording to which a file is compared, or its own. */
static uint32_t file_match(const struct page_files *files, uint32_t name, uint32_t path)
{
	uint32_t of_name = name < files->paths.len ? files->paths.data[name] : PAGE_PATH_NONE;

	if (tally_map_get(&files->known, path) != TALLY_MAP_NONE || of_name == PAGE_PATH_NONE ||
	    of_name == PAGE_PATH_SEVERAL)
		return path;
	return of_name;
}

int page_file(struct tally_html *page, const struct tally_frame *frame, uint32_t *ret_string)
{
	uint32_t name, path;
	int ret = page_string(page, tally_dso_name(frame->dso), &path);

	if (!ret)
		ret = tally_file_names_find(&page->files.names, frame, &name);
	if (!ret && !page->recordings.len)
		ret = file_remember(&page->files, name, path);
	if (!ret)
		*ret_string = page->recordings.len ? file_match(&page->files, name, path) : path;
	return ret;
}
