/* SPDX-License-Identifier: BSD-2-Clause */
/* Read lists of threads from procfs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/ranges.h"
#include "base/vec.h"
#include "tally/client.h"

enum { THREAD_LIMIT = 1 << 20, STATUS_MAX = 1 << 16 };

struct thread_list {
	TALLY_VEC(struct tally_thread_id) ids;
	size_t nr_gone;
	int32_t gone;
};

static int threads_from(const struct thread_list *list, struct tally_threads **ret_threads)
{
	size_t bytes = list->ids.len * sizeof(*list->ids.data);
	struct tally_threads *threads;

	if (!list->ids.len)
		return -ESRCH;
	threads = malloc(sizeof(*threads) + bytes);
	if (!threads)
		return -ENOMEM;
	threads->nr = list->ids.len;
	threads->nr_gone = list->nr_gone;
	threads->gone = list->gone;
	memcpy(threads->thread, list->ids.data, bytes);
	*ret_threads = threads;
	return 0;
}

int tally_threads_any(struct tally_threads **ret_threads)
{
	struct thread_list list = {0};
	int ret = tally_vec_push(&list.ids, (struct tally_thread_id){-1, -1});

	if (!ret)
		ret = threads_from(&list, ret_threads);
	tally_vec_free(&list.ids);
	return ret;
}

/* Return the PID of a thread's process, from the Tgid line in its status file, or `tid` if
 * unknown. */
static int32_t process_of(int32_t tid)
{
	char path[64], *text, *line;
	int32_t pid = tid;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (!tally_proc_matches_us() || tally_file_read(path, STATUS_MAX, &text, &len))
		return tid;
	line = strstr(text, "\nTgid:");
	if (line)
		pid = (int32_t)strtol(line + 6, NULL, 10);
	free(text);
	return pid;
}

static int add_tid(struct thread_list *list, int32_t tid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (stat(path, &st))
		return 0; /* gone or never existed; the caller checks the number of threads */
	return tally_vec_push(&list->ids, (struct tally_thread_id){tid, process_of(tid)});
}

/* Add all threads of a process. Add nothing if the process is gone. */
static int add_pid(struct thread_list *list, int32_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (list->ids.len >= THREAD_LIMIT)
			ret = -E2BIG;
		else
			ret = tally_vec_push(&list->ids,
					     (struct tally_thread_id){atoi(entry->d_name), pid});
	}
	closedir(dir);
	return ret;
}

static int add_listed(struct thread_list *list, int32_t id,
		      int (*add)(struct thread_list *list, int32_t id))
{
	size_t before = list->ids.len;
	int ret = add(list, id);

	if (!ret && list->ids.len == before && !list->nr_gone++)
		list->gone = id;
	return ret;
}

static int threads_of_list(const char *text, int (*add)(struct thread_list *list, int32_t id),
			   struct tally_threads **ret_threads)
{
	struct thread_list list = {0};
	int ret = *text ? 0 : -EINVAL;

	while (*text && !ret) {
		uint32_t id;

		ret = tally_list_number(&text, &id);
		if (!ret)
			ret = tally_list_next(&text);
		if (!ret)
			ret = id > INT32_MAX ? -EINVAL : add_listed(&list, (int32_t)id, add);
	}
	if (!ret)
		ret = threads_from(&list, ret_threads);
	tally_vec_free(&list.ids);
	return ret;
}

int tally_threads_of_pids(const char *pids, struct tally_threads **ret_threads)
{
	return threads_of_list(pids, add_pid, ret_threads);
}

int tally_threads_of_tids(const char *tids, struct tally_threads **ret_threads)
{
	return threads_of_list(tids, add_tid, ret_threads);
}

int tally_threads_of_tid(int32_t tid, struct tally_threads **ret_threads)
{
	struct thread_list list = {0};
	int ret = tally_vec_push(&list.ids, (struct tally_thread_id){tid, process_of(tid)});

	if (!ret)
		ret = threads_from(&list, ret_threads);
	tally_vec_free(&list.ids);
	return ret;
}

#ifdef TALLY_STATIC
/* In a static program, getpwnam() would load the machine's NSS modules, which need another libc. */
static struct passwd *user_find(const char *user)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry = NULL;

	if (!file)
		return NULL;
	do {
		entry = fgetpwent(file);
	} while (entry && strcmp(entry->pw_name, user));
	fclose(file);
	return entry;
}
#else
static struct passwd *user_find(const char *user)
{
	return getpwnam(user);
}
#endif

static int user_id(const char *user, uid_t *ret_uid)
{
	struct passwd *entry = user_find(user);
	char *end;
	unsigned long number;

	if (entry) {
		*ret_uid = entry->pw_uid;
		return 0;
	}
	number = strtoul(user, &end, 10);
	if (!isdigit((unsigned char)*user) || *end)
		return -EINVAL;
	*ret_uid = (uid_t)number;
	return 0;
}

/* Return the threads of all processes that belong to a user, or to any user if `uid` is NULL. */
static int threads_of_processes(const uid_t *uid, struct tally_threads **ret_threads)
{
	struct thread_list list = {0};
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		struct stat st;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (!uid || (!fstatat(dirfd(dir), entry->d_name, &st, 0) && st.st_uid == *uid))
			ret = add_pid(&list, atoi(entry->d_name));
	}
	closedir(dir);
	if (!ret)
		ret = threads_from(&list, ret_threads);
	tally_vec_free(&list.ids);
	return ret;
}

int tally_threads_of_user(const char *user, struct tally_threads **ret_threads)
{
	uid_t uid;
	int ret = user_id(user, &uid);

	return ret ? ret : threads_of_processes(&uid, ret_threads);
}

int tally_threads_all(struct tally_threads **ret_threads)
{
	return threads_of_processes(NULL, ret_threads);
}
