/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts that describe emulated machines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/emulate_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_script *script = malloc(sizeof(*script));
	struct tally_script_error error = {0};
	char *text = malloc(size + !size);
	int ret;

	if (!script || !text)
		abort();
	memcpy(text, data, size);
	ret = tally_script_parse(text, size, script, &error);
	if (ret == -EINVAL && (!error.text || !error.line || error.column > size + 1))
		abort();
	if (!ret && (script->nr_events > TALLY_SCRIPT_EVENTS || !script->width ||
		     script->nr_sequence > TALLY_SCRIPT_SEQUENCE))
		abort();
	free(text);
	free(script);
	return 0;
}
