/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys shared by all frames of a row: the function, its DSO, its line, or nothing. */
#include <string.h>

#include "profile/hist_private.h"

/* All properties that may distinguish frames. Unused members are 0. */
struct fkey {
	uintptr_t dso, symbol;
	uint64_t addr;
	uint32_t file, line; /* `file` is the index of the file's name + 1 */
};

struct fkeys {
	bool has_paths; /* files are distinguished by directory */
	bool joins_unnamed;
	bool are_functions; /* each function, and each address outside functions, has one frame */
	struct tally_intern keys, files;
	TALLY_VEC(uint32_t) firsts; /* indexed by key: first frame with this key */
};

/* Store a file's number. Files are distinguished by their displayed name. */
static int key_file(struct fkeys *keys, const char *name, uint32_t *ret_number)
{
	int ret = tally_intern(&keys->files, name, strlen(name), ret_number);

	++*ret_number;
	return ret;
}

/* Set a key's line. Without line information, an address is identified by its position within the
 * function. */
static int key_line(struct fkeys *keys, const struct tally_frame *frame, unsigned wanted,
		    struct fkey *key)
{
	if (frame->line && frame->line->file) {
		key->line = wanted & TALLY_KEY_LINE ? frame->line->line : 0;
		return key_file(keys,
				keys->has_paths ? frame->line->file
						: tally_line_file_name(frame->line),
				&key->file);
	}
	if (wanted & TALLY_KEY_LINE) {
		key->dso = (uintptr_t)frame->dso;
		key->symbol = (uintptr_t)frame->symbol;
		key->addr = frame->addr;
	}
	return 0;
}

static int key_make(struct fkeys *keys, const struct tally_frame *frame, unsigned wanted,
		    struct fkey *key)
{
	memset(key, 0, sizeof(*key));
	if (wanted & (TALLY_KEY_DSO | TALLY_KEY_SYMBOL))
		key->dso = (uintptr_t)frame->dso;
	if (wanted & TALLY_KEY_SYMBOL) {
		key->symbol = (uintptr_t)frame->symbol;
		key->addr = frame->symbol || keys->joins_unnamed ? 0 : frame->addr;
	}
	return wanted & (TALLY_KEY_LINE | TALLY_KEY_FILE) ? key_line(keys, frame, wanted, key) : 0;
}

/* Return the first frame with the same key as `frame`. */
static int key_first(struct fkeys *keys, const struct tally_frame *frame, unsigned wanted,
		     uint32_t number, uint32_t *ret_first)
{
	bool is_alone = keys->are_functions && wanted & TALLY_KEY_SYMBOL &&
			(frame->symbol || !keys->joins_unnamed);
	struct fkey key;
	uint32_t id;
	int ret;

	if (is_alone) {
		*ret_first = number;
		return 0;
	}
	ret = key_make(keys, frame, wanted, &key);
	if (!ret)
		ret = tally_intern(&keys->keys, (const char *)&key, sizeof(key), &id);
	if (!ret && id == keys->firsts.len)
		ret = tally_vec_push(&keys->firsts, number);
	if (!ret)
		*ret_first = keys->firsts.data[id];
	return ret;
}

static int find_firsts(const struct hist_builder *builder, unsigned wanted, bool are_functions,
		       uint32_t *firsts)
{
	const struct tally_frames *frames = &builder->profile->frames;
	struct fkeys keys = {
		.has_paths = builder->options->has_paths,
		.joins_unnamed = builder->options->joins_unnamed,
		.are_functions = are_functions,
	};
	int ret = 0;

	for (uint32_t i = 0; i < frames->all.len && !ret; i++)
		ret = key_first(&keys, &frames->all.data[i], wanted, i, &firsts[i]);
	tally_intern_free(&keys.keys);
	tally_intern_free(&keys.files);
	tally_vec_free(&keys.firsts);
	return ret;
}

/* Return true if each frame is a function, because no frame is exact. */
static bool frames_are_functions(const struct tally_frames *frames)
{
	tally_vec_for_each (frame, &frames->all) {
		if (frame->is_exact)
			return false;
	}
	return true;
}

int hist_fkeys(struct hist_builder *builder)
{
	const unsigned of_frames =
		TALLY_KEY_DSO | TALLY_KEY_SYMBOL | TALLY_KEY_LINE | TALLY_KEY_FILE;
	const struct tally_frames *frames = &builder->profile->frames;
	const unsigned of_nodes =
		TALLY_KEY_DSO | TALLY_KEY_SYMBOL |
		(builder->options->graph_key == TALLY_GRAPH_LINE ? TALLY_KEY_LINE : 0);
	unsigned wanted = builder->options->keys & of_frames;
	bool are_functions = frames_are_functions(frames);
	int ret = 0;

	builder->fkeys = calloc(frames->all.len + 1, sizeof(*builder->fkeys));
	if (!builder->fkeys)
		return -ENOMEM;
	if (wanted)
		ret = find_firsts(builder, wanted, are_functions, builder->fkeys);
	builder->fkeys[hist_light_frame(builder)] = hist_light_frame(builder);
	if (ret || are_functions || builder->options->graph_key == TALLY_GRAPH_ADDRESS)
		return ret;
	builder->functions = calloc(frames->all.len + 1, sizeof(*builder->functions));
	return builder->functions ? find_firsts(builder, of_nodes, false, builder->functions)
				  : -ENOMEM;
}
