/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of the callgrind format identify a function by its source file and name. Without debug
 * information, all functions have the same placeholder file, so static functions with the same name
 * would be merged, and would appear to call themselves. A suffix makes such names unique.
 */
#include "export/callgrind_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/intern.h"

/* Suffixes of a name. Each suffix is used if the previous one does not make the name unique. */
enum { SUFFIX_NONE, SUFFIX_START, SUFFIX_NUMBER };

const char *callgrind_file(const struct tally_export_function *function)
{
	return function->file ? function->file : CALLGRIND_NO_FILE;
}

void callgrind_add_name(const struct tally_export_model *model, const uint8_t *shares,
			uint32_t number, struct tally_str *out)
{
	const struct tally_export_function *function = &model->functions.data[number];

	tally_export_add_function(function, out);
	if (shares[number] >= SUFFIX_START) {
		tally_str_add(out, " @");
		if (function->symbol)
			tally_str_add_hex(out, function->start, 1);
		else
			tally_export_add_dso(function->dso, out);
	}
	if (shares[number] >= SUFFIX_NUMBER) {
		tally_str_add(out, " #");
		tally_str_add_u64(out, (uint64_t)number + 1);
	}
}

/* Number the functions as readers see them: functions with the same file and name get the same
 * number. `first[number]` is the index of the first function with that number. */
static int number_all(const struct tally_export_model *model, const uint8_t *shares,
		      struct tally_intern *seen, uint32_t *first, uint32_t *number_of)
{
	struct tally_str name = {0};
	int ret = 0;

	for (uint32_t i = 0; i < model->functions.len && !ret; i++) {
		size_t known = seen->strings.len;

		tally_str_clear(&name);
		tally_str_add(&name, callgrind_file(&model->functions.data[i]));
		tally_str_add_char(&name, '\0');
		callgrind_add_name(model, shares, i, &name);
		ret = tally_str_error(&name);
		if (!ret)
			ret = tally_intern(seen, name.data, name.len, &number_of[i]);
		if (!ret && seen->strings.len > known)
			first[number_of[i]] = i;
	}
	tally_str_free(&name);
	return ret;
}

/* For each function that has the same file and name as another function, set the suffix to
 * `step`. */
static int shares_step(const struct tally_export_model *model, uint8_t step, uint8_t *shares)
{
	size_t size = (model->functions.len + 1) * sizeof(uint32_t);
	uint32_t *first = malloc(size), *number_of = malloc(size);
	struct tally_intern seen = {0};
	int ret = first && number_of ? number_all(model, shares, &seen, first, number_of) : -ENOMEM;

	for (uint32_t i = 0; i < model->functions.len && !ret; i++) {
		uint32_t other = first[number_of[i]];

		if (other != i)
			shares[i] = shares[other] = step;
	}
	tally_intern_free(&seen);
	free(number_of);
	free(first);
	return ret;
}

uint8_t *callgrind_suffixes(const struct tally_export_model *model)
{
	uint8_t *shares = calloc(model->functions.len + 1, 1);

	if (!shares)
		return NULL;
	if (shares_step(model, SUFFIX_START, shares) || shares_step(model, SUFFIX_NUMBER, shares)) {
		free(shares);
		return NULL;
	}
	return shares;
}
