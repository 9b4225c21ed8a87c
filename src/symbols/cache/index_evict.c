/* SPDX-License-Identifier: BSD-2-Clause */
/* Keep the index directory within its size limit. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "symbols/cache/index_dir.h"

/* Age in seconds at which an unfinished file is considered abandoned. Writing a file takes less
 * time. */
enum { ABANDONED = 3600 };

struct index_file {
	char name[64]; /* 40 digits and ".index" */
	time_t used;
	uint64_t size;
};

struct evictor {
	TALLY_VEC(struct index_file) list;
	uint64_t total;
	time_t now;
};

/* Match "HEX.index" or, for an unfinished file, ".HEX.index.HEX". Other files are never removed. */
static bool name_is_ours(const char *name, bool *ret_unfinished)
{
	static const char digits[] = "0123456789abcdef", suffix[] = ".index";
	bool unfinished = *name == '.';
	size_t len;

	name += unfinished;
	len = strspn(name, digits);
	if (len < 2 * 8 || len > 2 * TALLY_BUILD_ID_MAX || len % 2 ||
	    strncmp(name + len, suffix, sizeof(suffix) - 1))
		return false;
	name += len + sizeof(suffix) - 1;
	if (unfinished && (*name++ != '.' || strspn(name, digits) != 16))
		return false;
	*ret_unfinished = unfinished;
	return unfinished ? !name[16] : !*name;
}

/* Add a file to the list, or remove it if it was abandoned. */
static int evictor_add(struct evictor *evictor, int dir, const char *name)
{
	struct index_file found = {0};
	bool unfinished;
	struct stat st;

	if (!name_is_ours(name, &unfinished) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return 0;
	if (unfinished && st.st_mtime < evictor->now - ABANDONED)
		(void)unlinkat(dir, name, 0);
	if (unfinished)
		return 0;
	strcpy(found.name, name);
	found.used = st.st_mtime;
	found.size = (uint64_t)st.st_size;
	evictor->total += found.size;
	return tally_vec_push(&evictor->list, found);
}

static int evictor_scan(struct evictor *evictor, int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(stream)))
		ret = evictor_add(evictor, dir, entry->d_name);
	closedir(stream);
	return ret;
}

static int by_use(const void *a, const void *b)
{
	const struct index_file *first = a, *second = b;

	return (first->used > second->used) - (first->used < second->used);
}

/* Remove the least recently used files. A file that another process has already removed is counted
 * as removed. */
static void evictor_remove(struct evictor *evictor, int dir, uint64_t limit)
{
	if (evictor->list.len)
		qsort(evictor->list.data, evictor->list.len, sizeof(*evictor->list.data), by_use);
	tally_vec_for_each (found, &evictor->list) {
		if (evictor->total <= limit)
			break;
		if (!unlinkat(dir, found->name, 0) || errno == ENOENT)
			evictor->total -= found->size;
	}
}

/* Evict files. If another process is evicting, return immediately: the next eviction will include
 * files added in the meantime. */
static int evict(struct tally_index_dir *dir, uint64_t more)
{
	struct evictor evictor = {.now = time(NULL)};
	int ret = flock(dir->fd, LOCK_EX | LOCK_NB) ? -EWOULDBLOCK : 0;

	if (ret)
		return 0;
	ret = evictor_scan(&evictor, dir->fd);
	if (!ret)
		evictor_remove(&evictor, dir->fd, dir->limit - more);
	(void)flock(dir->fd, LOCK_UN);
	if (!ret) {
		dir->used = evictor.total;
		dir->has_used = true;
	}
	tally_vec_free(&evictor.list);
	return ret;
}

int tally_index_dir_evict(struct tally_index_dir *dir, uint64_t more)
{
	int ret = more > dir->limit ? -ENOSPC : 0;

	if (!ret && (!dir->has_used || dir->used + more > dir->limit))
		ret = evict(dir, more);
	if (!ret)
		dir->used += more;
	return ret;
}
