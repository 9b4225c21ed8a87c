/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#ifdef TALLY_HAVE_IBERTY
#include <setjmp.h>

#include "base/arith.h"
#include "base/vec.h"
#include "symbols/demangle_cxx.h"
#include "symbols/demangle_dlang.h"

enum {
	RAW_MAX = 32768,     /* longer names are not demangled */
	DLANG_MAX = 8192,    /* libiberty recurses once per byte */
	DLANG_EXPANDED = 64, /* limit for an expanded D name, in multiples of TEXT_MAX */
	TEXT_MAX = 32768,    /* longer results are discarded as unreadable */
	RETRIES_MAX = 8,     /* see is_retried_often() */
};

/*
 * A mangled name can refer to its earlier parts, which can contain references too, so a few hundred
 * bytes can expand to gigabytes. libiberty does not limit this. However, it passes C++ and Rust
 * names to a callback piece by piece, and holds no allocated memory during the callback. If the
 * text becomes too long, the callback leaves libiberty with longjmp(3).
 */
struct sink {
	char *text;
	size_t len, cap;
	jmp_buf full;
};

/* Return true if longjmp(3) out of the callback would leak memory. libiberty holds allocated memory
 * only while it passes the decoded punycode of a Rust name to the callback, and no other piece
 * contains non-ASCII bytes. */
static bool is_in_memory(const char *piece, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (piece[i] & 0x80)
			return true;
	}
	return false;
}

static void sink_add(const char *piece, size_t len, void *arg)
{
	struct sink *sink = arg;
	char *grown;

	if (len > TEXT_MAX - sink->len || sink->len == TEXT_MAX) {
		sink->len = TEXT_MAX;
		if (!is_in_memory(piece, len))
			longjmp(sink->full, 1);
		return;
	}
	grown = tally_vec_grow(sink->text, &sink->cap, 1, sink->len + len + 1);
	if (!grown) {
		sink->len = TEXT_MAX;
		return;
	}
	memcpy(grown + sink->len, piece, len);
	sink->text = grown;
	sink->len += len;
}

/* Each of the next three functions handles one kind of name. It returns 1, with the text in the
 * sink, if `raw` is of that kind. */
static int sink_fill_rust(struct sink *sink, const char *raw, int options)
{
	if (setjmp(sink->full))
		return 0;
	return rust_demangle_callback(raw, options, sink_add, sink);
}

static int sink_fill_unparsed(struct sink *sink, const char *raw, int options)
{
	if (setjmp(sink->full))
		return 0;
	return cplus_demangle_v3_callback(raw, options, sink_add, sink);
}

static int sink_fill_parsed(struct sink *sink, const struct tally_cxx_name *name, int options)
{
	if (setjmp(sink->full))
		return 0;
	return cplus_demangle_print_callback(options, name->tree, sink_add, sink);
}

static int sink_fill_cxx(struct sink *sink, const char *raw, int options, uint64_t *cost)
{
	struct tally_cxx_name name;
	int done;

	sink->len = 0;
	if (tally_cxx_name_parse(raw, options, &name))
		return 0;
	done = name.tree ? sink_fill_parsed(sink, &name, options)
			 : sink_fill_unparsed(sink, raw, options);
	*cost += name.work + sink->len * name.work_per_byte;
	free(name.memory);
	return done;
}

/* Return true if parsing would take too long. In the name of a conversion operator, the arguments
 * after a template parameter can belong to the parameter or to the operator. libiberty parses them
 * twice, and each level of nesting doubles the work. */
static bool is_retried_often(const char *raw)
{
	const char *at = strstr(raw, "cv");
	size_t nr = 0;

	while (at && (at = strstr(at, "_I"))) {
		const char *digit = at++;

		while (digit > raw && digit[-1] != 'T' && digit[-1] > '/' && digit[-1] <= 'Z')
			digit--;
		nr += digit > raw && digit[-1] == 'T';
	}
	return nr > RETRIES_MAX;
}

static char *demangle_bounded(const char *raw, int options, uint64_t *cost)
{
	struct sink sink = {0};
	bool done = sink_fill_rust(&sink, raw, options);

	if (!done && sink.len < TEXT_MAX && !is_retried_often(raw))
		done = sink_fill_cxx(&sink, raw, options, cost);
	*cost += sink.len;
	if (!done || sink.len == TEXT_MAX || !sink.text) {
		free(sink.text);
		return NULL;
	}
	sink.text[sink.len] = '\0';
	return sink.text;
}

/* Return the distance of a back reference in a D name ("QBa"), or 0 if it is not a reference. The
 * distance is a number in base 26, with a lower-case letter as the last digit. */
static size_t dlang_distance(const char *at)
{
	size_t distance = 0;

	for (at++; *at >= 'A' && *at <= 'Z' && distance < DLANG_MAX; at++)
		distance = distance * 26 + (size_t)(*at - 'A');
	return *at >= 'a' && *at <= 'z' ? distance * 26 + (size_t)(*at - 'a') : 0;
}

/* Return an upper bound for the length to which a D name can expand. A reference points back to a
 * type, or to an identifier, which is a number followed by that many letters. The end of a type is
 * unknown, so all references between the start of the type and the current reference are counted.
 * `costs[i]` is the expansion of the references before byte i. */
static uint64_t dlang_expanded(const char *raw, size_t len, uint64_t costs[DLANG_MAX + 1])
{
	costs[0] = 0;
	for (size_t i = 0; i < len; i++) {
		size_t distance = raw[i] == 'Q' ? dlang_distance(raw + i) : 0;
		const char *to = raw + i - distance;
		uint64_t cost = 0;

		if (distance && distance <= i)
			cost = *to >= '0' && *to <= '9' ? TALLY_MIN(strtoul(to, NULL, 10), len)
							: len + costs[i] - costs[i - distance];
		if (__builtin_add_overflow(costs[i], cost, &costs[i + 1]))
			return UINT64_MAX;
	}
	return costs[len] + len;
}

/* Check the cost before demangling, since libiberty's D demangler cannot be interrupted. */
static char *demangle_dlang(const char *raw, int options, uint64_t *cost)
{
	size_t len = strlen(raw);
	uint64_t *costs = len < DLANG_MAX ? malloc((len + 1) * sizeof(*costs)) : NULL;
	uint64_t expanded = costs ? dlang_expanded(raw, len, costs) : UINT64_MAX;
	char *text = NULL;

	free(costs);
	if (expanded <= (uint64_t)DLANG_EXPANDED * TEXT_MAX)
		text = tally_demangle_dlang(raw, options);
	*cost += text ? expanded : 0;
	if (text && strlen(text) >= TEXT_MAX) {
		free(text);
		text = NULL;
	}
	return text;
}

static char *demangle_plain(const char *raw, bool params, uint64_t *cost)
{
	int options = params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;

	if (raw[0] == '_' && raw[1] == 'D')
		return demangle_dlang(raw, options, cost);
	return raw[0] == '_' ? demangle_bounded(raw, options, cost) : NULL;
}

static char *demangle(const char *raw, bool params, uint64_t *cost)
{
	static const char suffix[] = "@plt";
	size_t len = strnlen(raw, RAW_MAX), tail = sizeof(suffix) - 1;
	char *base, *text, *grown;

	if (len >= RAW_MAX)
		return NULL;
	if (len <= tail || strcmp(raw + len - tail, suffix))
		return demangle_plain(raw, params, cost);
	base = strndup(raw, len - tail);
	text = base ? demangle_plain(base, params, cost) : NULL;
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

char *tally_demangle(const char *raw, bool params, uint64_t *left)
{
	uint64_t cost = 0;
	char *text;

	if (!*left)
		return NULL;
	text = demangle(raw, params, &cost);
	*left -= TALLY_MIN(cost, *left);
	return text;
}

bool tally_demangle_available(void)
{
	return true;
}
#else
char *tally_demangle(const char *raw, bool params, uint64_t *left)
{
	return NULL;
}

bool tally_demangle_available(void)
{
	return false;
}
#endif
