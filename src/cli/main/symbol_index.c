/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/symbol_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/main/print.h"
#include "symbols/cache/index_dir.h"

int tally_index_apply(bool off, struct tally_symbols_options *options, struct tally_str *dir)
{
	const char *text = getenv("TALLY_INDEX");
	uint64_t limit = TALLY_INDEX_LIMIT;

	if (off || (text && !strcmp(text, "off")))
		return 0;
	if (text && *text && !tally_size_parse(text, 1, &limit))
		tally_print_warning(
			"TALLY_INDEX: '%s' is neither 'off' nor a size such as 64M; ignored", text);
	if (!limit || !tally_index_default_dir(dir))
		return 0;
	options->index_dir = tally_str_text(dir);
	options->index_limit = limit;
	return tally_str_error(dir);
}
