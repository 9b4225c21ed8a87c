/* SPDX-License-Identifier: BSD-2-Clause */
#include "ftrace/tracer.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "ftrace/tracer_private.h"
#include "ftrace/tracer_explain.h"

enum { LIST_MAX = 1 << 16, HEADING_MAX = 1 << 16, PATH_SIZE = 512 };

/* ---- available tracers ---------------------------------------------------- */

int tally_tracefs_find(const char **ret_root, struct tally_refusal *ret_why)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	const char *closed = NULL;
	char path[PATH_SIZE];
	struct stat st;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(roots); i++) {
		snprintf(path, sizeof(path), "%s/available_tracers", roots[i]);
		/* Use stat(2) because, unlike access(2), it uses the effective IDs and
		 * capabilities. */
		if (!stat(path, &st)) {
			*ret_root = roots[i];
			return 0;
		}
		if (errno == EACCES && !closed)
			closed = roots[i];
	}
	if (!closed)
		return tally_tracer_explain_absent(ret_why);
	return tally_tracer_explain_error(ret_why, -EACCES, closed, closed, "", true);
}

/* Search DIR/available_tracers for `name`. Returns 0, -ENODEV or a read error. If `ret_words` is
 * not NULL, it receives the file's text, which the caller frees. */
static int tracer_listed(const char *dir, const char *name, char **ret_words)
{
	size_t len, name_len = strlen(name);
	char path[PATH_SIZE], *words;
	int ret;

	snprintf(path, sizeof(path), "%s/available_tracers", dir);
	ret = tally_file_read(path, LIST_MAX, &words, &len);
	if (ret)
		return ret;
	ret = -ENODEV;
	for (const char *at = words; ret && *at; at += strspn(at, " \n")) {
		size_t word = strcspn(at, " \n");

		if (word == name_len && !memcmp(at, name, word))
			ret = 0;
		at += word;
	}
	if (ret_words)
		*ret_words = words;
	else
		free(words);
	return ret;
}

void tally_tracefs_explain(const char *root, const char *file, int code,
			   struct tally_refusal *ret_why)
{
	tally_tracer_explain_error(ret_why, code, root, file, "", false);
}

bool tally_tracer_available(const char *root, const char *name)
{
	return !tracer_listed(root, name, NULL);
}

static int tracer_check(const struct tally_tracer *tracer, struct tally_refusal *why)
{
	char path[PATH_SIZE], *words = NULL;
	int ret = tracer_listed(tracer->root, tracer->name, &words);

	snprintf(path, sizeof(path), "%s/available_tracers", tracer->root);
	if (ret && words)
		tally_tracer_explain_missing(why, tracer->name, words);
	else if (ret)
		tally_tracer_explain_error(why, ret, tracer->root, path, "", true);
	free(words);
	return ret;
}

/* ---- instances ------------------------------------------------------------ */

/* Remove the instances of processes that no longer exist. An instance that is being read is busy,
 * so no instance in use is removed, even if its process is not visible here. */
static void stale_instances_remove(const char *root)
{
	const size_t prefix = strlen(TALLY_TRACER_PREFIX);
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" TALLY_TRACER_INSTANCES, root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *pid = entry->d_name + prefix;

		if (strncmp(entry->d_name, TALLY_TRACER_PREFIX, prefix) ||
		    !isdigit((unsigned char)*pid))
			continue;
		if (!kill((pid_t)atol(pid), 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/" TALLY_TRACER_INSTANCES "/%s", root,
			 entry->d_name);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

static int instance_make(struct tally_tracer *tracer)
{
	int ret = tally_restorer_add_directory(&tracer->restorer, tracer->dir);

	if (ret)
		return ret;
	ret = mkdir(tracer->dir, 0750) ? -errno : 0;
	/* Remove an instance left over from a process with the same PID. */
	if (ret == -EEXIST && !rmdir(tracer->dir))
		ret = mkdir(tracer->dir, 0750) ? -errno : 0;
	return ret;
}

/* Create an instance if this kernel supports instances for this tracer, or else use the top
 * level. */
static int trace_directory_create(struct tally_tracer *tracer, struct tally_refusal *why)
{
	int ret;

	snprintf(tracer->dir, sizeof(tracer->dir),
		 "%s/" TALLY_TRACER_INSTANCES "/" TALLY_TRACER_PREFIX "%d", tracer->root, getpid());
	ret = instance_make(tracer);
	if (!ret && !tracer_listed(tracer->dir, tracer->name, NULL))
		return 0;
	if (!ret)
		rmdir(tracer->dir);
	else if (ret != -ENOENT)
		return tally_tracer_explain_error(why, ret, tracer->root, tracer->dir, "", true);
	snprintf(tracer->dir, sizeof(tracer->dir), "%s", tracer->root);
	tracer->top_level = true;
	return tally_tracer_claim(tracer, why);
}

/* ---- the tracer ----------------------------------------------------------- */

static int file_open(const struct tally_tracer *tracer, const char *name, int flags,
		     struct tally_refusal *why, int *ret_fd)
{
	char path[PATH_SIZE];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", tracer->dir, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return tally_tracer_explain_error(why, -errno, tracer->root, path, "", true);
	*ret_fd = fd;
	return 0;
}

/* Open the lock's descriptor before forking the restorer, so that both processes share the lock. */
static int tracer_start(struct tally_tracer *tracer, struct tally_refusal *why)
{
	int ret = tracer_check(tracer, why);

	if (ret)
		return ret;
	tracer->lock = open(tracer->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tracer->lock < 0)
		return tally_tracer_explain_error(why, -errno, tracer->root, tracer->root, "",
						  true);
	stale_instances_remove(tracer->root);
	ret = tally_restorer_start(&tracer->restorer);
	if (ret)
		return tally_tracer_explain_error(
			why, ret, tracer->root, "the process that restores the settings", "", true);
	ret = trace_directory_create(tracer, why);
	if (!ret)
		ret = tally_tracer_set(tracer, "tracing_on", "0", why);
	if (!ret)
		ret = file_open(tracer, "tracing_on", O_WRONLY, why, &tracer->power);
	return ret;
}

int tally_tracer_open(const struct tally_tracer_options *options, struct tally_tracer **ret_tracer,
		      struct tally_refusal *ret_why)
{
	struct tally_tracer *tracer = calloc(1, sizeof(*tracer));
	int ret;

	if (!tracer)
		return -ENOMEM;
	tracer->lock = tracer->trace = tracer->power = -1;
	tracer->force = options->force;
	snprintf(tracer->name, sizeof(tracer->name), "%s", options->name);
	ret = tally_tracefs_find(&tracer->root, ret_why);
	if (!ret)
		ret = tracer_start(tracer, ret_why);
	if (ret)
		tally_tracer_close(tracer);
	else
		*ret_tracer = tracer;
	return ret;
}

bool tally_tracer_is_top_level(const struct tally_tracer *tracer)
{
	return tracer->top_level;
}

/* Set the tracer first, because it cannot be changed while trace_pipe is open. */
int tally_tracer_arm(struct tally_tracer *tracer, struct tally_refusal *ret_why)
{
	int ret = tally_tracer_set(tracer, "current_tracer", tracer->name, ret_why);

	if (ret)
		return ret;
	return file_open(tracer, "trace_pipe", O_RDONLY | O_NONBLOCK, ret_why, &tracer->trace);
}

int tally_tracer_switch(struct tally_tracer *tracer, bool on)
{
	return pwrite(tracer->power, on ? "1" : "0", 1, 0) == 1 ? 0 : -errno;
}

int tally_tracer_heading(const struct tally_tracer *tracer, char **ret_text)
{
	char path[PATH_SIZE], *text;
	size_t len, kept = 0;
	int ret;

	snprintf(path, sizeof(path), "%s/trace", tracer->dir);
	ret = tally_file_read(path, HEADING_MAX, &text, &len);
	if (ret)
		return ret;
	while (text[kept] == '#')
		kept += strcspn(text + kept, "\n") + (strchr(text + kept, '\n') != NULL);
	text[kept] = '\0';
	*ret_text = text;
	return 0;
}

int tally_tracer_fd(const struct tally_tracer *tracer)
{
	return tracer->trace;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Close trace_pipe first, because the instance cannot be removed while it is being read. */
int tally_tracer_close(struct tally_tracer *tracer)
{
	int ret;

	if (!tracer)
		return 0;
	close_if_open(tracer->trace);
	close_if_open(tracer->power);
	ret = tally_restorer_finish(&tracer->restorer);
	close_if_open(tracer->lock);
	free(tracer);
	return ret;
}
