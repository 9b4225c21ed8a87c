/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoints: TRACEFS/events/SYSTEM/NAME/id. */
#include "events/tracefs.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "events/cursor.h"
#include "events/parse.h"
#include "events/events_error.h"
#include "events/events_specs.h"

#define MOUNT "mount -t tracefs tracefs /sys/kernel/tracing"

static int root_try(const char *root)
{
	char path[PATH_MAX];
	int ret = snprintf(path, sizeof(path), "%s/events", root);

	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	return access(path, R_OK | X_OK) ? -errno : 0;
}

static int tracefs_find(struct tally_events *events)
{
	const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int ret = -ENOENT, one;

	if (events->tracefs) {
		ret = root_try(events->tracefs);
		events->found = ret ? NULL : events->tracefs;
		return ret;
	}
	for (size_t i = 0; !events->found && i < TALLY_ARRAY_SIZE(roots); i++) {
		one = root_try(roots[i]);
		if (!one)
			events->found = roots[i];
		if (one == -EACCES || one == -EPERM)
			ret = -EACCES;
	}
	return events->found ? 0 : ret;
}

int tally_events_tracefs(struct tally_events *events, const char **ret_root,
			 struct tally_event_error *err)
{
	int ret = events->found ? 0 : tracefs_find(events);

	if (!ret) {
		*ret_root = events->found;
		return 0;
	}
	ret = ret == -EACCES || ret == -EPERM ? -EACCES : -ENOENT;
	if (!err)
		return ret;
	memset(err, 0, sizeof(*err));
	err->code = ret;
	err->text = ret == -EACCES ? "no permission to read tracefs" : "tracefs is not mounted";
	tally_error_fix(err, ret == -EACCES ? "as root: mount -o remount,gid=GROUP,mode=750 "
					      "/sys/kernel/tracing, or run as root"
					    : "as root: " MOUNT);
	return ret;
}

int tally_tracepoint_names(struct tally_events *events, const char *sys, struct tally_arena *arena,
			   tally_name_vec *ret_names)
{
	tally_name_vec names = {0};
	char path[PATH_MAX];
	size_t kept = 0;
	int ret =
		snprintf(path, sizeof(path), "%s/events%s%s", events->found, *sys ? "/" : "", sys);

	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	ret = tally_dir_names(path, arena, &names);
	if (ret)
		return ret;
	tally_vec_for_each (name, &names) {
		/* Skip plain files, which are not tracepoints. */
		if (strcmp(*name, "enable") && strcmp(*name, "filter") &&
		    strcmp(*name, "header_event") && strcmp(*name, "header_page"))
			names.data[kept++] = *name;
	}
	names.len = kept;
	*ret_names = names;
	return 0;
}

int tally_tracepoint_id(struct tally_events *events, const char *sys, const char *name,
			uint64_t *ret_id)
{
	char path[PATH_MAX], *data, *end;
	unsigned long long id;
	size_t len;
	int ret = snprintf(path, sizeof(path), "%s/events/%s/%s/id", events->found, sys, name);

	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	ret = tally_file_read(path, 64, &data, &len);
	if (ret)
		return ret;
	id = strtoull(data, &end, 10);
	if (end == data || (*end && *end != '\n') || id > UINT32_MAX)
		ret = -EINVAL;
	else
		*ret_id = id;
	free(data);
	return ret;
}

void tally_tracepoint_offer(struct tally_events *events, const char *name,
			    struct tally_suggest *suggest)
{
	tally_name_vec systems = {0};
	struct tally_arena arena = {0};
	char full[TALLY_SUGGEST_LEN * 2];
	uint64_t id;

	if (!strchr(name, '/') && !tally_tracepoint_names(events, "", &arena, &systems)) {
		tally_vec_for_each (sys, &systems) {
			if (tally_tracepoint_id(events, *sys, name, &id))
				continue;
			snprintf(full, sizeof(full), "%s:%s", *sys, name);
			tally_suggest_offer(suggest, full);
		}
	}
	tally_vec_free(&systems);
	tally_arena_free(&arena);
}

struct globs {
	const char *sys, *name;
	struct tally_word text; /* system and name, for errors */
};

static int tracepoint_add(struct tally_event_parser *p, const char *sys, const char *name)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	size_t sys_len = strlen(sys), len = sys_len + 1 + strlen(name);
	char *full;
	int ret;

	spec.attr.type = PERF_TYPE_TRACEPOINT;
	ret = tally_tracepoint_id(p->events, sys, name, &spec.attr.config);
	if (ret)
		return ret;
	full = tally_arena_bytes(p->arena, len + 1);
	if (!full)
		return -ENOMEM;
	snprintf(full, len + 1, "%s:%s", sys, name);
	spec.name = full;
	return tally_parser_add(p, &spec);
}

/* Add the matching tracepoints in a system. Unreadable tracepoints are skipped, because events in
 * the "ftrace" system cannot be opened. */
static int system_add(struct tally_event_parser *p, const char *sys, const struct globs *globs)
{
	tally_name_vec names = {0};
	struct tally_arena arena = {0};
	int ret = tally_tracepoint_names(p->events, sys, &arena, &names);

	if (ret && ret != -ENOMEM)
		ret = 0;
	for (size_t i = 0; !ret && i < names.len; i++) {
		if (fnmatch(globs->name, names.data[i], 0))
			continue;
		ret = tracepoint_add(p, sys, names.data[i]);
		if (ret && ret != -ENOMEM && ret != -E2BIG)
			ret = 0;
	}
	tally_vec_free(&names);
	tally_arena_free(&arena);
	return ret;
}

static int globs_add(struct tally_event_parser *p, const struct globs *globs)
{
	tally_name_vec systems = {0};
	struct tally_arena arena = {0};
	int ret;

	if (!tally_glob_has(globs->sys, strlen(globs->sys)))
		return system_add(p, globs->sys, globs);
	ret = tally_tracepoint_names(p->events, "", &arena, &systems);
	for (size_t i = 0; !ret && i < systems.len; i++)
		if (!fnmatch(globs->sys, systems.data[i], 0))
			ret = system_add(p, systems.data[i], globs);
	tally_vec_free(&systems);
	tally_arena_free(&arena);
	return ret;
}

/* Suggest similar tracepoints in the system. Returns false if the system does not exist. */
static bool offer_of_system(struct tally_event_parser *p, const char *sys,
			    struct tally_suggest *suggest)
{
	tally_name_vec names = {0};
	struct tally_arena arena = {0};
	char full[256];
	bool found = !tally_tracepoint_names(p->events, sys, &arena, &names);

	tally_vec_for_each (name, &names) {
		snprintf(full, sizeof(full), "%s:%s", sys, *name);
		tally_suggest_offer(suggest, full);
	}
	tally_vec_free(&names);
	tally_arena_free(&arena);
	return found;
}

/* If the system does not exist, suggest systems that have the tracepoint, or systems with similar
 * names. */
static void offer_other_systems(struct tally_event_parser *p, const struct globs *globs,
				struct tally_suggest *suggest)
{
	tally_name_vec systems = {0};
	struct tally_arena arena = {0};
	struct tally_suggest near;

	tally_tracepoint_offer(p->events, globs->name, suggest);
	tally_suggest_start(&near, globs->sys, strlen(globs->sys));
	if (!suggest->nr && !tally_tracepoint_names(p->events, "", &arena, &systems)) {
		tally_vec_for_each (sys, &systems)
			tally_suggest_offer(&near, *sys);
	}
	if (tally_suggest_typo(&near))
		offer_of_system(p, tally_suggest_typo(&near), suggest);
	tally_vec_free(&systems);
	tally_arena_free(&arena);
}

/* Systems for probes. Their tracepoints exist only after a user has created them. */
static const struct {
	const char *system, *what, *place, *file, *perf;
} probes[] = {
	{"probe_*", "no such user probe", "FILE:OFFSET", "uprobe_events",
	 ", or: perf probe -x FILE FUNCTION"},
	{"sdt_*", "no probe exists for this marker", "FILE:OFFSET", "uprobe_events",
	 ", or: perf buildid-cache --add FILE, then perf probe"},
	{"uprobes", "no such user probe", "FILE:OFFSET", "uprobe_events", ""},
	{"probe", "no such kernel probe", "FUNCTION", "kprobe_events", ", or: perf probe FUNCTION"},
	{"kprobes", "no such kernel probe", "FUNCTION", "kprobe_events", ""},
};

static const char *unless_glob(const char *name, const char *stand_in)
{
	return tally_glob_has(name, strlen(name)) ? stand_in : name;
}

/* Explain how to create a probe. Returns false for the kernel's own tracepoints. */
static bool probe_explain(struct tally_event_parser *p, const struct globs *globs)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(probes); i++) {
		if (fnmatch(probes[i].system, globs->sys, 0))
			continue;
		tally_parser_fail(p, -ENOENT, probes[i].what, globs->text);
		snprintf(p->err->fix, sizeof(p->err->fix),
			 "to create it: echo 'p:%.40s/%.40s %s' >>%.60s/%s%s",
			 unless_glob(globs->sys, "SYSTEM"), unless_glob(globs->name, "NAME"),
			 probes[i].place, p->events->found, probes[i].file, probes[i].perf);
		return true;
	}
	return false;
}

static int tracepoint_unknown(struct tally_event_parser *p, const struct globs *globs)
{
	struct tally_suggest suggest;
	bool system;

	tally_suggest_start(&suggest, globs->text.text, globs->text.len);
	system = offer_of_system(p, globs->sys, &suggest);
	if (!probe_explain(p, globs)) {
		tally_parser_fail(p, -ENOENT,
				  system ? "unknown tracepoint" : "unknown tracepoint system",
				  globs->text);
		snprintf(p->err->fix, sizeof(p->err->fix),
			 "'tally list %.80s:*' lists the available tracepoints",
			 system ? globs->sys : "*");
		if (!system)
			offer_other_systems(p, globs, &suggest);
	}
	tally_error_near(p->err, &suggest);
	return -ENOENT;
}

/* Reject names that refer to files outside the directory. */
static bool word_is_safe(struct tally_word word)
{
	return word.len && word.len <= NAME_MAX && word.text[0] != '.' &&
	       !memchr(word.text, '/', word.len) && !memchr(word.text, '\0', word.len);
}

int tally_tracepoint_parse(struct tally_event_parser *p, struct tally_word sys,
			   struct tally_word name)
{
	struct globs globs = {.text = {sys.text, (size_t)(name.text + name.len - sys.text)}};
	struct tally_event_error why;
	size_t first = p->specs.len;
	const char *root;
	int ret;

	if (!word_is_safe(sys) || !word_is_safe(name))
		return tally_parser_fail(
			p, -EINVAL, "expected a tracepoint of the form SYSTEM:NAME", globs.text);
	ret = tally_events_tracefs(p->events, &root, &why);
	if (ret) {
		tally_parser_fail(p, ret, why.text, globs.text);
		tally_error_fix(p->err, why.fix);
		return ret;
	}
	globs.sys = tally_word_dup(p, sys);
	globs.name = tally_word_dup(p, name);
	if (!globs.sys || !globs.name)
		return -ENOMEM;
	if (tally_glob_has(globs.text.text, globs.text.len)) {
		ret = globs_add(p, &globs);
		if (!ret && p->specs.len == first)
			ret = tracepoint_unknown(p, &globs);
		return ret;
	}
	ret = tracepoint_add(p, globs.sys, globs.name);
	if (ret == -ENOENT || ret == -ENOTDIR)
		return tracepoint_unknown(p, &globs);
	if (ret == -EINVAL)
		return tally_parser_fail(p, ret, "the id of this tracepoint is not a number",
					 globs.text);
	if (ret == -EACCES || ret == -EPERM) {
		ret = -EACCES;
		tally_parser_fail(p, ret, "no permission to read this tracepoint's id", globs.text);
		tally_error_fix(p->err,
				"run as root, or remount tracefs with one of your groups as gid");
	}
	return ret;
}
