/* SPDX-License-Identifier: BSD-2-Clause */
#include "client/procfs.h"

#include <ctype.h>
#include <string.h>

#include "base/arith.h"

/* ---- numbers --------------------------------------------------------------- */

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

/* Parse digits at `*at` and move past them. Returns false if there are no digits or the value
 * exceeds 64 bits. */
static bool parse_digits(const char *data, size_t len, size_t *at, unsigned base,
			 uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t i = *at;

	for (; i < len && digit_value(data[i]) < (int)base; i++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(data[i]), &value))
			return false;
	}
	if (i == *at)
		return false;
	*at = i;
	*ret_value = value;
	return true;
}

static size_t skip_blanks(const char *data, size_t len, size_t at)
{
	while (at < len && (data[at] == ' ' || data[at] == '\t'))
		at++;
	return at;
}

bool procfs_number(const char *data, size_t len, int64_t *ret_value)
{
	size_t at = skip_blanks(data, len, 0);
	bool negative = at < len && data[at] == '-';
	uint64_t value;

	at += negative;
	if (!parse_digits(data, len, &at, 10, &value) || value > INT64_MAX)
		return false;
	while (at < len && isspace((unsigned char)data[at]))
		at++;
	if (at != len)
		return false;
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* ---- /proc/PID/status ------------------------------------------------------ */

enum status_kind { STATUS_MASK, STATUS_KIB, STATUS_INT };

static const struct status_key {
	const char *name;
	enum status_kind kind;
	size_t offset;
} status_keys[] = {
	{"CapEff:", STATUS_MASK, offsetof(struct procfs_status, effective)},
	{"CapPrm:", STATUS_MASK, offsetof(struct procfs_status, permitted)},
	{"CapInh:", STATUS_MASK, offsetof(struct procfs_status, inheritable)},
	{"CapBnd:", STATUS_MASK, offsetof(struct procfs_status, bounding)},
	{"CapAmb:", STATUS_MASK, offsetof(struct procfs_status, ambient)},
	{"VmPin:", STATUS_KIB, offsetof(struct procfs_status, pinned)},
	{"Tgid:", STATUS_INT, offsetof(struct procfs_status, tgid)},
	{"Seccomp:", STATUS_INT, offsetof(struct procfs_status, seccomp)},
	{"Threads:", STATUS_INT, offsetof(struct procfs_status, nr_threads)},
	{"NoNewPrivs:", STATUS_INT, offsetof(struct procfs_status, no_new_privileges)},
};

static void parse_value(const struct status_key *key, const char *data, size_t len, void *status)
{
	size_t at = skip_blanks(data, len, 0);
	uint64_t value;

	if (!parse_digits(data, len, &at, key->kind == STATUS_MASK ? 16 : 10, &value))
		return;
	if (key->kind == STATUS_MASK)
		*(uint64_t *)((char *)status + key->offset) = value;
	else if (key->kind == STATUS_KIB && value <= UINT64_MAX / 1024)
		*(uint64_t *)((char *)status + key->offset) = value * 1024;
	else if (key->kind == STATUS_INT && value <= INT32_MAX)
		*(int32_t *)((char *)status + key->offset) = (int32_t)value;
}

static void parse_line(const char *line, size_t len, struct procfs_status *status)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(status_keys); i++) {
		const struct status_key *key = &status_keys[i];
		size_t name_len = strlen(key->name);

		if (len > name_len && !memcmp(line, key->name, name_len))
			parse_value(key, line + name_len, len - name_len, status);
	}
}

void procfs_status_parse(const char *data, size_t len, struct procfs_status *status)
{
	const char *end = data + len;

	while (data < end) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));
		const char *line_end = newline ? newline : end;

		parse_line(data, (size_t)(line_end - data), status);
		data = newline ? newline + 1 : end;
	}
}

/* ---- namespaces ------------------------------------------------------------ */

bool procfs_namespace(const char *data, size_t len, uint64_t *ret_inode)
{
	const char *bracket = len ? memchr(data, '[', len) : NULL;
	uint64_t inode;
	size_t at;

	if (!bracket)
		return false;
	at = (size_t)(bracket - data) + 1;
	if (!parse_digits(data, len, &at, 10, &inode) || at >= len || data[at] != ']')
		return false;
	*ret_inode = inode;
	return true;
}
