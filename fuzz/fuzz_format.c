/* SPDX-License-Identifier: BSD-2-Clause */
/* The input up to the first NUL is a tracepoint format, followed by a payload: parse, compile,
 * print. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tally/events.h"

static void payload_print(const struct tally_tp_format *format, const uint8_t *data, size_t len,
			  bool foreign)
{
	const struct tally_tp_target target = {foreign ? 4 : 8, foreign, foreign, foreign};
	struct tally_tp_print *print = NULL;
	struct tally_error err = {0};
	struct tally_str out = {0};
	int ret = tally_tp_print_compile(format, &target, &print, &err);

	if (ret && (ret != err.code || !err.text))
		abort();
	if (!ret)
		ret = tally_tp_print_run(print, data, len, NULL, &out);
	if (ret > 0)
		abort();
	tally_str_free(&out);
	tally_tp_print_free(print);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t text = nul ? (size_t)(nul - data) : size, len = nul ? size - text - 1 : 0;
	/* Make a copy of the exact size, to detect reads beyond its end. */
	uint8_t *payload = malloc(len + 1);
	struct tally_tp_raw raw = {payload, len, false};
	struct tally_tp_format *format = NULL;
	struct tally_str out = {0};
	const uint8_t *bytes;
	uint64_t value;
	size_t nr;

	if (!payload)
		return 0;
	payload = realloc(payload, len ? len : 1);
	raw.data = payload;
	if (len)
		memcpy(payload, nul + 1, len);
	if (!tally_tp_format_parse(data, text, &format, NULL)) {
		for (size_t i = 0; i < format->nr_fields; i++) {
			tally_tp_field_u64(&format->fields[i], &raw, &value);
			tally_tp_field_bytes(&format->fields[i], &raw, &bytes, &nr);
		}
		tally_tp_print_fields(format, &raw, NULL, &out);
		payload_print(format, payload, len, false);
		payload_print(format, payload, len, true);
	}
	tally_str_free(&out);
	tally_tp_format_free(format);
	free(payload);
	return 0;
}
