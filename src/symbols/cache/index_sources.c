/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbols/cache/index_format.h"

/* HEAD is the number of bytes at the start of the running kernel's kallsyms that must be unchanged.
 * One read returns a page. The bytes include addresses, so they also differ if we are not permitted
 * to see addresses. */
enum { HEAD = 2048, PAGE = 4096 };

/* A file that changes twice within a clock tick has the same timestamps after both changes. On file
 * systems without fractional seconds, a tick is a second or more. */
static const uint64_t second = 1000000000, tick = 20000000;

static uint64_t nanoseconds(struct timespec time)
{
	return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

static struct tally_source_file source_file(const struct stat *st)
{
	return (struct tally_source_file){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime = nanoseconds(st->st_mtim),
		.ctime = nanoseconds(st->st_ctim),
	};
}

struct tally_source_file tally_source_file_stat(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return (struct tally_source_file){.error = errno};
	return source_file(&st);
}

struct tally_source_file tally_source_file_fstat(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return (struct tally_source_file){.error = errno};
	return source_file(&st);
}

bool tally_source_file_is_fresh(const struct tally_source_file *file)
{
	struct timespec now;

	if (file->error)
		return false;
	if (clock_gettime(CLOCK_REALTIME, &now))
		return true;
	return file->ctime + (file->ctime % second ? tick : 2 * second) > nanoseconds(now);
}

int32_t tally_sources_add(struct tally_sources *sources, const char *path)
{
	struct tally_source_file file;

	if (!sources)
		return 0;
	file = tally_source_file_stat(path);
	if (tally_source_file_is_fresh(&file) || tally_vec_push(&sources->files, file))
		sources->is_unfit = true;
	return (int32_t)sources->files.len - 1;
}

void tally_sources_set_count(struct tally_sources *sources, size_t nr, bool is_own)
{
	if (!sources)
		return;
	sources->facts.nr_places = (uint32_t)nr;
	sources->facts.is_own = is_own;
}

void tally_sources_set_used(struct tally_sources *sources, int32_t place)
{
	if (sources)
		sources->facts.place = place;
}

void tally_sources_set_object(struct tally_sources *sources, const struct tally_build_id *object,
			      const char *word)
{
	if (!sources)
		return;
	sources->object = *object;
	free(sources->word);
	sources->word = strdup(word ? word : "");
	if (!sources->word)
		sources->is_unfit = true;
}

void tally_sources_mark_unfit(struct tally_sources *sources)
{
	if (sources)
		sources->is_unfit = true;
}

void tally_sources_free(struct tally_sources *sources)
{
	if (!sources)
		return;
	tally_vec_free(&sources->files);
	free(sources->word);
	free(sources);
}

/* ---- the running kernel --------------------------------------------------------- */

int tally_boot_read(char boot[40])
{
	char *text;
	size_t len;
	int ret = tally_file_read("/proc/sys/kernel/random/boot_id", PAGE, &text, &len);

	if (ret)
		return ret;
	if (len < 40)
		memcpy(boot, text, len);
	else
		ret = -EINVAL;
	free(text);
	return ret;
}

int tally_kallsyms_head_read(int fd, uint64_t *ret_sum)
{
	int own = -1;
	char page[PAGE];
	ssize_t len;

	if (fd <= 0)
		fd = own = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = pread(fd, page, sizeof(page), 0);
	if (own >= 0)
		close(own);
	if (len < HEAD)
		return -ENODATA;
	*ret_sum = tally_index_sum(page, HEAD);
	return 0;
}

void tally_sources_set_used_running(struct tally_sources *sources, const char *text, size_t len)
{
	if (!sources)
		return;
	sources->facts.place = TALLY_SOURCE_RUNNING;
	sources->facts.kallsyms = len < HEAD ? 0 : tally_index_sum(text, HEAD);
	if (len < HEAD || tally_boot_read(sources->facts.boot))
		sources->is_unfit = true;
}
