/* SPDX-License-Identifier: BSD-2-Clause */
/* Find and change settings, save their previous values, and detect other users of tracing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "ftrace/tracer_private.h"
#include "ftrace/tracer_explain.h"

enum { SETTING_MAX = 64 << 20, TRACE_HEADING_MAX = 1 << 14, PATH_SIZE = 512 };

/* ---- other users of tracing ----------------------------------------------- */

static bool file_holds(const char *path, const char *word)
{
	char *text;
	size_t len;
	bool holds;

	if (tally_file_read(path, SETTING_MAX, &text, &len))
		return false;
	text[strcspn(text, " \n")] = '\0';
	holds = !strcmp(text, word);
	free(text);
	return holds;
}

/* Find another instance that runs the same tracer and therefore shares its options. */
static bool instance_found(const struct tally_tracer *tracer, char *found, size_t size)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	bool is = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" TALLY_TRACER_INSTANCES, tracer->root);
	dir = opendir(path);
	while (dir && !is && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (*name == '.' ||
		    (!tracer->top_level && !strcmp(name, strrchr(tracer->dir, '/') + 1)))
			continue;
		snprintf(path, sizeof(path), "%s/" TALLY_TRACER_INSTANCES "/%s/current_tracer",
			 tracer->root, name);
		is = file_holds(path, tracer->name);
		if (is)
			snprintf(found, size, "instances/%.60s runs %.40s", name, tracer->name);
	}
	if (dir)
		closedir(dir);
	return is;
}

/* Check for other users at the top level. Their events would be mixed with ours, and records that
 * they have not read yet would be lost. */
static bool top_level_used(const struct tally_tracer *tracer, char *found, size_t size)
{
	char path[PATH_SIZE], *text;
	size_t len, heading = 0;
	bool used;

	snprintf(path, sizeof(path), "%s/set_event", tracer->root);
	if (!tally_file_read(path, SETTING_MAX, &text, &len)) {
		text[strcspn(text, "\n")] = '\0';
		used = *text;
		snprintf(found, size, "set_event contains %.80s", text);
		free(text);
		if (used)
			return true;
	}
	snprintf(path, sizeof(path), "%s/trace", tracer->root);
	snprintf(found, size, "%.80s contains records from another process", path);
	if (tally_file_read(path, TRACE_HEADING_MAX, &text, &len))
		return true;
	while (text[heading] == '#' || text[heading] == '\n')
		heading += strcspn(text + heading, "\n") + (strchr(text + heading, '\n') != NULL);
	used = text[heading];
	free(text);
	return used;
}

static bool others_found(const struct tally_tracer *tracer, char *found, size_t size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/current_tracer", tracer->root);
	snprintf(found, size, "%.100s is not nop", path);
	if (!file_holds(path, "nop") || instance_found(tracer, found, size))
		return true;
	return tracer->top_level && top_level_used(tracer, found, size);
}

/* Register the top-level trace to be cleared at the end, no matter how the process exits. Its
 * earlier contents are lost when the tracer is set. */
static int trace_register(struct tally_tracer *tracer, struct tally_refusal *why)
{
	char path[PATH_SIZE];
	int ret;

	snprintf(path, sizeof(path), "%s/trace", tracer->root);
	ret = tracer->top_level ? tally_restorer_add_file(&tracer->restorer, path, "") : 0;
	return ret ? tally_tracer_explain_error(why, ret, tracer->root, path, "", true) : 0;
}

int tally_tracer_claim(struct tally_tracer *tracer, struct tally_refusal *ret_why)
{
	char found[128];

	if (tracer->claimed)
		return 0;
	if (flock(tracer->lock, LOCK_EX | LOCK_NB))
		return tally_tracer_explain_busy(ret_why,
						 "another 'tally ftrace' is using these settings");
	if (!tracer->force && others_found(tracer, found, sizeof(found)))
		return tally_tracer_explain_busy(ret_why, found);
	tracer->claimed = true;
	return trace_register(tracer, ret_why);
}

/* ---- previous values ------------------------------------------------------ */

void tally_tracefs_as_input(char *text)
{
	char *to = text, *expanded = strstr(text, "(expanded: ");
	const char *line = text, *next;

	if (expanded)
		line = expanded + strlen("(expanded: ");
	for (; *line; line = next) {
		size_t len = strcspn(line, "\n"), word = strcspn(line, " \t)\n");

		next = line + len + (line[len] == '\n');
		if (*line == '#' || !word || memchr(line, ':', len) || !strncmp(line, "no pid", 6))
			continue;
		if (to != text)
			*to++ = '\n';
		memmove(to, line, word);
		to += word;
	}
	*to = '\0';
}

/* ---- setting -------------------------------------------------------------- */

/* Return true for tracer options, which appear in every instance but are shared by all
 * instances. */
static bool option_is_shared(const char *file)
{
	static const char *const starts[] = {"options/funcgraph-", "options/func_", "options/func-",
					     "options/sleep-time"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(starts); i++) {
		if (!strncmp(file, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

/* Find the instance's own file, or else the file at the top level. Return true if the setting is
 * shared. */
static bool setting_find(const struct tally_tracer *tracer, const char *file, char *path,
			 size_t size)
{
	struct stat st;

	snprintf(path, size, "%s/%s", tracer->dir, file);
	if (tracer->top_level)
		return true;
	if (!stat(path, &st))
		return option_is_shared(file);
	snprintf(path, size, "%s/%s", tracer->root, file);
	return true;
}

/* Write the values of a list one at a time, to find out which value was rejected. */
static int values_write(const char *path, const char *const *values, size_t nr,
			const char **ret_refused)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret = fd < 0 ? -errno : 0;
	struct tally_str line = {0};

	for (size_t i = 0; !ret && i < nr; i++) {
		*ret_refused = values[i];
		tally_str_clear(&line);
		tally_str_add(&line, values[i]);
		tally_str_add_char(&line, '\n');
		ret = tally_str_error(&line);
		if (!ret)
			ret = tally_file_write_all(fd, line.data, line.len);
	}
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	tally_str_free(&line);
	return ret;
}

static int shared_setting_register(struct tally_tracer *tracer, const char *path, const char *was,
				   struct tally_refusal *why)
{
	int ret = tally_tracer_claim(tracer, why);

	if (ret)
		return ret;
	ret = tally_restorer_add_file(&tracer->restorer, path, was);
	return ret ? tally_tracer_explain_error(why, ret, tracer->root, path, was, true) : 0;
}

int tally_tracer_set_list(struct tally_tracer *tracer, const char *file, const char *const *values,
			  size_t nr, struct tally_refusal *ret_why)
{
	const char *refused = "";
	char path[PATH_SIZE], *was;
	bool common = setting_find(tracer, file, path, sizeof(path));
	size_t len;
	int ret = tally_file_read(path, SETTING_MAX, &was, &len);

	if (ret)
		return tally_tracer_explain_error(ret_why, ret, tracer->root, path,
						  nr ? values[0] : "", true);
	tally_tracefs_as_input(was);
	if (nr == 1 ? !strcmp(was, values[0]) : !nr && !*was)
		goto out;
	if (common)
		ret = shared_setting_register(tracer, path, was, ret_why);
	if (ret)
		goto out;
	ret = values_write(path, values, nr, &refused);
	if (ret)
		tally_tracer_explain_error(ret_why, ret, tracer->root, path, refused, true);
out:
	free(was);
	return ret;
}

int tally_tracer_set(struct tally_tracer *tracer, const char *file, const char *value,
		     struct tally_refusal *ret_why)
{
	return tally_tracer_set_list(tracer, file, &value, 1, ret_why);
}
