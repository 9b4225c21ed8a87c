/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms of function names. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/name_text.h"
#include "symbols/short_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Return the length of the identifier at the end of a plain scoped name ("a::b::name"), or 0 for
 * all other names. */
static size_t own_len(const char *name, size_t len)
{
	size_t own = 0;

	for (size_t i = 0; i < len; i++) {
		if (!tally_name_is_word(name[i]) && name[i] != ':')
			return 0;
		own = name[i] == ':' ? 0 : own + 1;
	}
	return own;
}

/* A short name must not be longer than the name, must be its own short name, and must keep the
 * function's own name. A hash in the form of an old Rust name is the only exception. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = (const char *)data;
	struct tally_str out = {0}, again = {0};
	size_t own;

	if (tally_short_name(&out, name, size) || out.len > size)
		abort();
	if (tally_short_name(&again, tally_str_text(&out), out.len) || again.len != out.len ||
	    memcmp(tally_str_text(&again), tally_str_text(&out), out.len) != 0)
		abort();
	own = own_len(name, size);
	if (own && own != 17 &&
	    (own > out.len || memcmp(name + size - own, out.data + out.len - own, own) != 0))
		abort();
	tally_str_free(&out);
	tally_str_free(&again);
	return 0;
}
