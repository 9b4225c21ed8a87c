/* SPDX-License-Identifier: BSD-2-Clause */
/* Names from JIT compilers, and suffixes that compilers append to names. */
#include <stdint.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "symbols/short_name_private.h"

static const char *last_of(const char *text, size_t len, char c)
{
	return memrchr(text, c, len);
}

/* Return the length without the number at the end and the character before it, or `len`. */
static size_t without_number(const char *text, size_t len, char before)
{
	size_t at = len;

	while (at && tally_is_digit(text[at - 1]))
		at--;
	return at < len && at && text[at - 1] == before ? at - 1 : len;
}

/* ---- suffixes ----------------------------------------------------------------------- */

/* Return true for sixteen hexadecimal digits of a hash. */
static bool is_hash(const char *text)
{
	enum { LEAST_DIFFERENT = 5 };
	uint32_t seen = 0;

	for (size_t i = 0; i < 16; i++) {
		if (tally_digit(text[i]) > 15)
			return false;
		seen |= (uint32_t)1 << tally_digit(text[i]);
	}
	return __builtin_popcount(seen) >= LEAST_DIFFERENT;
}

size_t name_without_suffix(const char *name, size_t len)
{
	static const char llvm[] = ".llvm", rust[] = "::h";
	size_t size = 16 + sizeof(rust) - 1;
	size_t at = without_number(name, len, '.');

	if (at < len && at > sizeof(llvm) - 1 && name_part_ends((struct name_part){name, at}, llvm))
		len = at - (sizeof(llvm) - 1);
	if (len > size && name_part_begins((struct name_part){name + len - size, size}, rust) &&
	    is_hash(name + len - 16))
		len -= size;
	return len;
}

/* ---- Node.js -------------------------------------------------------------------------- */

/* Return the length of V8's kind of code and its mark: "LazyCompile:*" or "JS:~". */
static size_t node_prefix(struct name_part name)
{
	static const char *const kinds[] = {"LazyCompile:", "JS:", "Function:", "Script:", "Eval:"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i]);

		if (name_part_begins(name, kinds[i]) && name.len > len + 1 &&
		    memchr("*~^+", name.text[len], 4))
			return len + 1;
	}
	return 0;
}

/* "LazyCompile:*foo /path/file.js:12:3" is "foo file.js:12". */
static bool add_node(struct name_part name, struct tally_str *out)
{
	size_t len = node_prefix(name), line;
	const char *blank, *slash;

	if (!len)
		return false;
	name.text += len;
	name.len -= len;
	line = without_number(name.text, name.len, ':');
	if (without_number(name.text, line, ':') < line)
		name.len = line;
	blank = last_of(name.text, name.len, ' ');
	if (!blank) {
		tally_str_add_bytes(out, name.text, name.len);
		return true;
	}
	len = (size_t)(blank + 1 - name.text);
	slash = last_of(blank, name.len - len + 1, '/');
	tally_str_add(out, len == 1 ? "(anon)" : "");
	tally_str_add_bytes(out, name.text, len);
	slash = slash && slash + 1 < name.text + name.len ? slash : blank;
	tally_str_add_bytes(out, slash + 1, (size_t)(name.text + name.len - slash - 1));
	return true;
}

/* ---- Java and Python -------------------------------------------------------------------- */

/* "Lcom/foo/Bar;::baz" is "Bar.baz". */
static bool add_java(struct name_part name, struct tally_str *out)
{
	const char *end =
		name.len > 3 && name.text[0] == 'L' ? memmem(name.text, name.len, ";::", 3) : NULL;
	const char *slash = end ? last_of(name.text, (size_t)(end - name.text), '/') : NULL;
	const char *from = slash ? slash + 1 : name.text + 1;

	if (!end || from >= end)
		return false;
	tally_str_add_bytes(out, from, (size_t)(end - from));
	tally_str_add(out, ".");
	tally_str_add_bytes(out, end + 3, (size_t)(name.text + name.len - end - 3));
	return true;
}

/* "py::run:/path/file.py" is "py::run:file.py". */
static bool add_python(struct name_part name, struct tally_str *out)
{
	const char *path, *slash;

	if (!name_part_begins(name, "py::"))
		return false;
	path = memmem(name.text, name.len, ":/", 2);
	slash = last_of(name.text, name.len, '/');
	if (!path || slash + 1 == name.text + name.len)
		return false;
	tally_str_add_bytes(out, name.text, (size_t)(path + 1 - name.text));
	tally_str_add_bytes(out, slash + 1, (size_t)(name.text + name.len - slash - 1));
	return true;
}

bool name_add_jit(const char *name, size_t len, struct tally_str *out)
{
	struct name_part part = {name, len};

	return add_node(part, out) || add_java(part, out) || add_python(part, out);
}
