/* SPDX-License-Identifier: BSD-2-Clause */
#include "client/procfs.h"

#include <string.h>

#include "base/arith.h"
#include "base/scan.h"

/* ---- numbers --------------------------------------------------------------- */

bool procfs_number(const char *data, size_t len, int64_t *ret_value)
{
	struct tally_scan scan = tally_scan_of(data, len);
	uint64_t value;
	bool negative;

	tally_scan_blanks(&scan);
	negative = tally_scan_char(&scan, '-');
	if (tally_scan_number(&scan, 10, &value) || value > INT64_MAX)
		return false;
	while (scan.at < scan.end && tally_is_blank(*scan.at))
		scan.at++;
	if (scan.at != scan.end)
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
	struct tally_scan scan = tally_scan_of(data, len);
	uint64_t value;

	tally_scan_blanks(&scan);
	if (tally_scan_number(&scan, key->kind == STATUS_MASK ? 16 : 10, &value))
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
	struct tally_scan scan = {bracket ? bracket + 1 : NULL, data + len};
	uint64_t inode;

	if (!bracket || tally_scan_number(&scan, 10, &inode) || !tally_scan_char(&scan, ']'))
		return false;
	*ret_inode = inode;
	return true;
}
