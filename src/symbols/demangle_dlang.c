/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle_dlang.h"

#include <setjmp.h>
#include <stdlib.h>

#include <libiberty/demangle.h>
#include <libiberty/safe-ctype.h>

/* ---- memory --------------------------------------------------------------------- */

/* Where to go if there is no memory: xmalloc() must not return NULL. */
static _Thread_local jmp_buf *no_memory;

static void *check_memory(void *memory)
{
	if (memory)
		return memory;
	if (!no_memory)
		abort(); /* not called by the demangler */
	longjmp(*no_memory, 1);
}

void *xmalloc(size_t size);
void *xmalloc(size_t size)
{
	return check_memory(malloc(size ? size : 1));
}

void *xrealloc(void *memory, size_t size);
void *xrealloc(void *memory, size_t size)
{
	return check_memory(realloc(memory, size ? size : 1));
}

char *tally_demangle_dlang(const char *raw, int options)
{
	jmp_buf failed;
	char *text;

	if (setjmp(failed)) {
		no_memory = NULL;
		return NULL;
	}
	no_memory = &failed;
	text = dlang_demangle(raw, options);
	no_memory = NULL;
	return text;
}

/* ---- characters ----------------------------------------------------------------- */

enum {
	CONTROL = _sch_iscntrl,
	BLANK = _sch_isspace | _sch_isblank | _sch_isnvsp,
	DIGIT = _sch_isdigit | _sch_isxdigit | _sch_isprint,
	LOWER = _sch_islower | _sch_isidst | _sch_isprint,
	UPPER = _sch_isupper | _sch_isidst | _sch_isprint,
	PUNCTUATION = _sch_ispunct | _sch_isprint,
};

/* The classes of ASCII characters, as in the C locale. */
const unsigned short _sch_istable[256] = {
	[0] = CONTROL | _sch_isnvsp,
	[1 ... 8] = CONTROL,
	['\t'] = CONTROL | BLANK,
	['\n'] = CONTROL | _sch_isspace | _sch_isvsp,
	['\v' ... '\f'] = CONTROL | _sch_isspace | _sch_isnvsp,
	['\r'] = CONTROL | _sch_isspace | _sch_isvsp,
	[14 ... 31] = CONTROL,
	[' '] = BLANK | _sch_isprint,
	['!' ... '/'] = PUNCTUATION,
	['0' ... '9'] = DIGIT,
	[':' ... '@'] = PUNCTUATION,
	['A' ... 'F'] = UPPER | _sch_isxdigit,
	['G' ... 'Z'] = UPPER,
	['[' ... '^'] = PUNCTUATION,
	['_'] = PUNCTUATION | _sch_isidst,
	['`'] = PUNCTUATION,
	['a' ... 'f'] = LOWER | _sch_isxdigit,
	['g' ... 'z'] = LOWER,
	['{' ... '~'] = PUNCTUATION,
	[127] = CONTROL,
};
