/* SPDX-License-Identifier: BSD-2-Clause */
/* Write regions as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
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

/* Replace the file atomically, because it may be read at any time. */
static int file_replace(const char *path, const char *data, size_t len)
{
	char temporary[PATH_MAX];
	int fd, ret;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.new", path, (int)getpid()) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	ret = tally_file_write_all(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (ret)
		unlink(temporary);
	return ret;
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
		ret = file_replace(name.data, text.data, text.len);
	tally_str_free(&name);
	tally_str_free(&text);
	return ret;
}
