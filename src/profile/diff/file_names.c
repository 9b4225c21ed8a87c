/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/diff/file_names.h"

#include <errno.h>

#include "profile/frame_text.h"

void tally_file_names_begin(struct tally_file_names *files)
{
	tally_map_free(&files->of_dso);
}

/* Find the name of the first file with this build ID, which is `name` if the build ID is new. */
static int name_of_build_id(struct tally_file_names *files, const uint8_t *id, size_t size,
			    uint32_t *name)
{
	size_t nr = files->build_ids.strings.len;
	uint32_t number;
	int ret = tally_intern(&files->build_ids, (const char *)id, size, &number);

	if (ret)
		return -ENOMEM;
	if (number == nr && tally_vec_push(&files->of_build_id, *name))
		return -ENOMEM;
	if (number >= files->of_build_id.len)
		return -ENOMEM;
	*name = files->of_build_id.data[number];
	return 0;
}

static int name_make(struct tally_file_names *files, const struct tally_frame *frame,
		     uint32_t *ret_name)
{
	struct tally_str text = {0};
	const uint8_t *id = NULL;
	size_t size = 0;
	int ret;

	tally_frame_add_file(frame, false, &text);
	ret = tally_str_error(&text);
	if (!ret)
		ret = tally_intern(&files->names, tally_str_text(&text), text.len, ret_name);
	tally_str_free(&text);
	if (frame->dso)
		id = tally_dso_build_id(frame->dso, &size);
	if (!ret && size)
		ret = name_of_build_id(files, id, size, ret_name);
	return ret ? -ENOMEM : 0;
}

int tally_file_names_find(struct tally_file_names *files, const struct tally_frame *frame,
			  uint32_t *ret_name)
{
	uint64_t key = (uint64_t)(uintptr_t)frame->dso, known = tally_map_get(&files->of_dso, key);
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_name = (uint32_t)known;
		return 0;
	}
	ret = name_make(files, frame, ret_name);
	return ret ? ret : tally_map_set(&files->of_dso, key, *ret_name);
}

const char *tally_file_names_text(const struct tally_file_names *files, uint32_t name)
{
	return tally_intern_text(&files->names, name);
}

void tally_file_names_free(struct tally_file_names *files)
{
	tally_intern_free(&files->names);
	tally_intern_free(&files->build_ids);
	tally_vec_free(&files->of_build_id);
	tally_map_free(&files->of_dso);
}
