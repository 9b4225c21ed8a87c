/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#ifdef TALLY_HAVE_IBERTY
#include <libiberty/demangle.h>

/* A longer name is no name; the demangler's time grows faster than its input. */
enum { RAW_MAX = 32768 };

static char *demangle_plain(const char *raw, bool params)
{
	int options = params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;

	if (raw[0] == '_' && raw[1] == 'D')
		return dlang_demangle(raw, options);
	if (raw[0] != '_' && raw[0] != '?' && raw[0] != '.')
		return NULL;
	/* Without a style libiberty would read a global variable of its own. */
	return cplus_demangle(raw, options | DMGL_AUTO);
}

char *tally_demangle(const char *raw, bool params)
{
	static const char suffix[] = "@plt";
	size_t len = strnlen(raw, RAW_MAX), tail = sizeof(suffix) - 1;
	char *base, *text, *grown;

	if (len >= RAW_MAX)
		return NULL;
	if (len <= tail || strcmp(raw + len - tail, suffix))
		return demangle_plain(raw, params);
	base = strndup(raw, len - tail);
	text = base ? demangle_plain(base, params) : NULL;
	free(base);
	if (!text)
		return NULL;
	len = strlen(text);
	grown = realloc(text, len + sizeof(suffix));
	if (!grown) {
		free(text);
		return NULL;
	}
	memcpy(grown + len, suffix, sizeof(suffix));
	return grown;
}

bool tally_demangle_available(void)
{
	return true;
}
#else
char *tally_demangle(const char *raw, bool params)
{
	return NULL;
}

bool tally_demangle_available(void)
{
	return false;
}
#endif
