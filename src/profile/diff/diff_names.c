/* SPDX-License-Identifier: BSD-2-Clause */
/* Short names of the functions in a comparison. */
#include <errno.h>
#include <stdlib.h>

#include "profile/diff/diff_private.h"

/* Return the functions' names in `ret_functions`, and set each row's place in this list. */
static int collect_functions(struct tally_diff *diff, struct tally_function_name **ret_functions,
			     size_t *ret_nr)
{
	struct tally_function_name *functions =
		calloc(diff->names.strings.len + 1, sizeof(*functions));
	uint32_t *places = diff->short_of.data;
	size_t nr = 0;

	if (!functions)
		return -ENOMEM;
	tally_vec_for_each (row, &diff->rows) {
		const char *name = tally_diff_name(diff, row->symbol);

		if (!name || places[row->variant])
			continue;
		functions[nr++] =
			(struct tally_function_name){name, tally_diff_name(diff, row->variant), 0};
		places[row->variant] = (uint32_t)nr;
	}
	*ret_functions = functions;
	*ret_nr = nr;
	return 0;
}

int diff_make_short_names(struct tally_diff *diff)
{
	struct tally_function_name *functions = NULL;
	size_t nr_names = diff->names.strings.len, nr = 0;
	int ret = tally_vec_reserve(&diff->short_of, nr_names + 1);

	if (ret)
		return ret;
	diff->short_of.len = nr_names;
	for (size_t i = 0; i < nr_names; i++)
		diff->short_of.data[i] = 0;
	ret = collect_functions(diff, &functions, &nr);
	tally_short_names_free(&diff->short_names);
	if (!ret)
		ret = tally_short_names_make(functions, nr, &diff->short_names);
	free(functions);
	if (ret)
		diff->short_of.len = 0;
	return ret;
}

const char *tally_diff_short_name(const struct tally_diff *diff, uint32_t name)
{
	uint32_t place = name < diff->short_of.len ? diff->short_of.data[name] : 0;

	return place ? diff->short_names.texts.data[place - 1] : tally_diff_name(diff, name);
}
