/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a recording's functions, by which they are found in other recordings. */
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "profile/diff/diff_private.h"
#include "profile/frame_text.h"

enum { DEMANGLED_MAX = 64 << 20 }; /* limit for names with parameters, in bytes per recording */

struct namer {
	struct tally_diff *diff;
	struct tally_str text;
	uint64_t left; /* budget for demangling */
};

static int name_find(struct namer *namer, uint32_t *ret_name)
{
	if (tally_str_error(&namer->text))
		return -ENOMEM;
	return tally_intern(&namer->diff->names, tally_str_text(&namer->text), namer->text.len,
			    ret_name);
}

/* Return true if the address of a frame without a symbol is meaningful in another run, because it
 * belongs to a file and not to memory that differs between runs. */
static bool has_place(const struct tally_frame *frame)
{
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;

	return kind == TALLY_DSO_USER || kind == TALLY_DSO_VDSO || kind == TALLY_DSO_MODULE;
}

static int file_find(struct namer *namer, const struct tally_frame *frame, uint32_t *ret_name)
{
	uint32_t file;
	int ret = tally_file_names_find(&namer->diff->files, frame, &file);

	if (ret)
		return ret;
	tally_str_clear(&namer->text);
	tally_str_add(&namer->text, tally_file_names_text(&namer->diff->files, file));
	return name_find(namer, ret_name);
}

static int symbol_find(struct namer *namer, const struct tally_frame *frame,
		       struct diff_function *function)
{
	int ret;

	tally_str_clear(&namer->text);
	if (frame->symbol || has_place(frame))
		tally_frame_add_name(frame, &namer->text);
	else
		tally_str_add(&namer->text, "[no symbol]");
	ret = name_find(namer, &function->symbol);
	function->variant = function->symbol;
	if (ret || !frame->symbol)
		return ret;
	tally_str_clear(&namer->text);
	tally_frame_add_variant(frame, &namer->left, &namer->text);
	return name_find(namer, &function->variant);
}

static int function_find(struct namer *namer, const struct tally_frame *frame,
			 struct diff_function *function)
{
	int ret = file_find(namer, frame, &function->file);

	function->is_inlined = tally_frame_is_inlined(frame);
	return ret ? ret : symbol_find(namer, frame, function);
}

/* ---- functions without known parameters ---------------------------------------- */

/* Set in place of the only variant with parameters if there are several. */
#define SEVERAL TALLY_NAME_NONE

static uint64_t key_of(const struct diff_function *function)
{
	return (uint64_t)function->file << 32 | function->symbol;
}

/* Set the variants with parameters of all names in `variants`. */
static int variants_find(const struct diff_function *functions, size_t nr,
			 struct tally_map *variants)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t key = key_of(&functions[i]), known = tally_map_get(variants, key);

		if (functions[i].variant == functions[i].symbol || known == functions[i].variant)
			continue;
		ret = tally_map_set(variants, key,
				    known == TALLY_MAP_NONE ? functions[i].variant : SEVERAL);
	}
	return ret;
}

/* Debug information often has no parameters for inlined functions. Assume that these are the same
 * as the function that exists out of line, if there is only one. */
static int variants_complete(struct diff_function *functions, size_t nr)
{
	struct tally_map variants = {0};
	int ret = variants_find(functions, nr, &variants);

	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t known = tally_map_get(&variants, key_of(&functions[i]));

		if (known != TALLY_MAP_NONE && known != SEVERAL)
			functions[i].variant = (uint32_t)known;
	}
	tally_map_free(&variants);
	return ret;
}

int diff_functions_make(struct tally_diff *diff, struct tally_profile *profile,
			struct diff_function **ret_functions)
{
	const struct tally_frames *frames = &profile->frames;
	struct namer namer = {.diff = diff, .left = DEMANGLED_MAX};
	struct diff_function *functions = calloc(frames->all.len + 1, sizeof(*functions));
	int ret = functions ? 0 : -ENOMEM;

	tally_file_names_begin(&diff->files);
	for (size_t i = 0; i < frames->all.len && !ret; i++)
		ret = function_find(&namer, &frames->all.data[i], &functions[i]);
	if (!ret)
		ret = variants_complete(functions, frames->all.len);
	tally_str_free(&namer.text);
	if (ret)
		free(functions);
	else
		*ret_functions = functions;
	return ret;
}
