/* SPDX-License-Identifier: BSD-2-Clause */
/* Write regions as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/attr.h"
#include "base/file.h"
#include "base/json.h"
#include "client/region_private.h"

static void write_events(const struct tally_regions *regions, struct tally_str *out)
{
	tally_json_open(out, "events", '[');
	for (size_t i = 0; i < regions->list->nr; i++) {
		const struct tally_refusal *why = tally_regions_refusal(regions, i);

		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", tally_regions_event(regions, i));
		if (tally_attr_is_clock(&regions->list->specs[i].attr))
			tally_json_text(out, "unit", "ns");
		tally_json_bool(out, "self_read", tally_regions_is_self_read(regions, i));
		if (why) {
			tally_json_text(out, "refused", tally_rule_name(why->broken));
			tally_json_text(out, "rule", why->rule);
		}
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void write_counts(const struct tally_regions *regions, size_t region, struct tally_str *out)
{
	struct tally_count count = {0};

	tally_json_open(out, "counts", '[');
	for (size_t i = 0; i < regions->list->nr; i++) {
		tally_regions_count(regions, region, i, &count);
		tally_json_open(out, NULL, '{');
		tally_json_u64(out, "value", count.value);
		tally_json_u64(out, "enabled", count.enabled);
		tally_json_u64(out, "running", count.running);
		tally_json_text(out, "quality", tally_quality_name(count.quality));
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void write_regions(const struct tally_regions *regions, struct tally_str *out)
{
	tally_json_open(out, "regions", '[');
	for (size_t i = 0; i < regions->nodes.len; i++) {
		const struct region_node *node = &regions->nodes.data[i];

		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", node->name);
		tally_json_s64(out, "parent",
			       node->parent == REGION_NONE ? -1 : (int64_t)node->parent);
		tally_json_u64(out, "calls", node->calls);
		if (regions->time)
			tally_json_u64(out, "time", node->time);
		write_counts(regions, i, out);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void write_document(const struct tally_regions *regions, struct tally_str *out)
{
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "document", "tally regions");
	tally_json_u64(out, "version", 1);
	tally_json_s64(out, "pid", regions->pid);
	tally_json_s64(out, "tid", regions->tid);
	tally_json_u64(out, "unmeasured", regions->unmeasured);
	write_events(regions, out);
	write_regions(regions, out);
	tally_json_close(out, '}');
	tally_str_add(out, "\n");
}

/* Create a file next to `path`. Its name may be in use: by another thread, or because a process
 * with the same ID was terminated. */
static int temporary_open(const char *path, char ret_name[PATH_MAX])
{
	enum { TRIES = 100 };
	int fd = -1;

	errno = EEXIST;
	for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
		if (snprintf(ret_name, PATH_MAX, "%s.%d.%d.new", path, (int)getpid(), i) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		fd = open(ret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return fd < 0 ? -errno : fd;
}

static int write_and_close(int fd, const char *data, size_t len)
{
	int ret = tally_file_write_all(fd, data, len);

	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* Replace the file atomically, because it may be read at any time. */
static int file_replace(const char *path, const char *data, size_t len)
{
	char temporary[PATH_MAX];
	int fd = temporary_open(path, temporary), ret;

	if (fd < 0)
		return fd;
	ret = write_and_close(fd, data, len);
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (ret)
		unlink(temporary);
	return ret;
}

/* Return true if a new file must not take the place of this one: a device, a pipe, or a link, which
 * may lead to a device. */
static bool is_kept(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int file_write(const char *path, const char *data, size_t len)
{
	int fd;

	if (!is_kept(path))
		return file_replace(path, data, len);
	/* Do not wait for a pipe's reader: the program may be exiting. */
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	if (fd < 0 || fcntl(fd, F_SETFL, 0)) {
		int ret = -errno;

		if (fd >= 0)
			close(fd);
		return ret;
	}
	return write_and_close(fd, data, len);
}

/* Append `pattern`, replacing "%p" with the process ID and "%t" with the thread ID. */
static void path_fill(const struct tally_regions *regions, const char *pattern,
		      struct tally_str *out)
{
	for (const char *at = pattern; *at; at++) {
		bool is_pid = !strncmp(at, "%p", 2);

		if (is_pid || !strncmp(at, "%t", 2)) {
			tally_str_addf(out, "%d", is_pid ? regions->pid : regions->tid);
			at++;
		} else {
			tally_str_add_char(out, *at);
		}
	}
}

int tally_regions_write(const struct tally_regions *regions, const char *path)
{
	const char *pattern = path ? NULL : secure_getenv("TALLY_REGIONS");
	struct tally_str text = {0}, name = {0};
	int ret;

	if (!path && (!pattern || !*pattern))
		return 0;
	if (pattern)
		path_fill(regions, pattern, &name);
	else
		tally_str_add(&name, path);
	write_document(regions, &text);
	ret = tally_str_error(&text);
	ret = ret ? ret : tally_str_error(&name);
	if (!ret)
		ret = file_write(name.data, text.data, text.len);
	tally_str_free(&name);
	tally_str_free(&text);
	return ret;
}
