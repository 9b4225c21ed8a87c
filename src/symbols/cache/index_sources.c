/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "symbols/cache/index_format.h"
#include "symbols/symbols_load.h"
#include "symbols/candidates.h"

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

int32_t tally_sources_add(const struct tally_dso *dso, const char *path)
{
	struct tally_sources *sources = dso->sources;
	struct tally_source_file file;

	if (!sources)
		return 0;
	file = tally_source_file_stat(path);
	if (tally_source_file_is_fresh(&file) || tally_vec_push(&sources->files, file))
		sources->is_unfit = true;
	return (int32_t)sources->files.len - 1;
}

void tally_sources_set_count(struct tally_dso *dso, size_t nr, bool is_own)
{
	if (!dso->sources)
		return;
	dso->sources->facts.nr_places = (uint32_t)nr;
	dso->sources->facts.is_own = is_own;
}

void tally_sources_set_used(struct tally_dso *dso, int32_t place)
{
	if (dso->sources)
		dso->sources->facts.place = place;
}

void tally_sources_set_object(struct tally_dso *dso, const struct tally_build_id *object,
			      const char *word)
{
	struct tally_sources *sources = dso->sources;

	if (!sources)
		return;
	sources->object = *object;
	free(sources->word);
	sources->word = strdup(word ? word : "");
	if (!sources->word)
		sources->is_unfit = true;
}

void tally_sources_mark_unfit(const struct tally_dso *dso)
{
	if (dso->sources)
		dso->sources->is_unfit = true;
}

void tally_sources_free(struct tally_dso *dso)
{
	if (!dso->sources)
		return;
	tally_vec_free(&dso->sources->files);
	free(dso->sources->word);
	free(dso->sources);
	dso->sources = NULL;
}

/* ---- the running kernel --------------------------------------------------------- */

/* Get the boot ID, because kallsyms is valid only for the boot in which it was read. */
static int boot_read(char boot[40])
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

/* Get the checksum of the start of kallsyms, as read with the current permissions. */
static int head_read(const struct tally_symbols *symbols, uint64_t *ret_sum)
{
	int fd = symbols->options.kallsyms_fd, own = -1;
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

void tally_sources_set_used_running(struct tally_dso *dso, const char *text, size_t len)
{
	struct tally_sources *sources = dso->sources;

	if (!sources)
		return;
	sources->facts.place = TALLY_SOURCE_RUNNING;
	sources->facts.kallsyms = len < HEAD ? 0 : tally_index_sum(text, HEAD);
	/* Do not save an index if the caller passed a descriptor: its contents may include
	 * addresses that the index's owner is not permitted to see. */
	if (len < HEAD || boot_read(sources->facts.boot) || dso->owner->options.kallsyms_fd > 0)
		sources->is_unfit = true;
}

static bool running_is_same(const struct tally_dso *dso, const struct tally_source_facts *facts)
{
	char boot[40] = {0};
	uint64_t sum;

	return !facts->kernel && !boot_read(boot) && !memcmp(boot, facts->boot, sizeof(boot)) &&
	       !head_read(dso->owner, &sum) && sum == facts->kallsyms;
}

/* ---- comparison with the present state -------------------------------------------- */

/* The sections of an index, with their bounds checked. */
struct recorded_sources {
	const struct tally_source_facts *facts;
	const struct tally_source_file *files;
	const char *word;
	size_t nr_files;
};

static int recorded_sources_open(struct tally_index *index, struct recorded_sources *past)
{
	size_t facts_len, files_len, word_len;

	past->facts = tally_index_section(index, TALLY_INDEX_FACTS, &facts_len);
	past->files = tally_index_section(index, TALLY_INDEX_PLACES, &files_len);
	past->word = tally_index_section(index, TALLY_INDEX_TEXT, &word_len);
	past->nr_files = files_len / sizeof(*past->files);
	if (facts_len < sizeof(*past->facts) || !past->word || past->word[word_len - 1] ||
	    past->facts->source > TALLY_DSO_SOURCE_MODULE ||
	    past->facts->place < TALLY_SOURCE_RUNNING ||
	    past->facts->place >= (int64_t)past->nr_files)
		return -ESTALE;
	/* A missing file cannot have been the source of symbols. */
	if (past->facts->place >= 0 && past->files[past->facts->place].error)
		return -ESTALE;
	return 0;
}

/* Append the path at which the object's own file would be searched for. */
static int own_place(const struct tally_dso *dso, const struct recorded_sources *past,
		     struct tally_str *path)
{
	int pid = atomic_load(&dso->mapper);

	tally_dso_add_path(dso, path, dso->name);
	if (pid > 0 && !past->facts->is_own) {
		struct tally_str other = {0};
		int ret;

		/* An index is never made from a file in a process's root. */
		tally_str_addf(&other, "/proc/%d/root%s", pid, dso->name);
		ret = tally_str_error(&other);
		if (!ret && !access(tally_str_text(&other), F_OK))
			ret = -ESTALE;
		tally_str_free(&other);
		if (ret)
			return ret;
	}
	return tally_str_error(path);
}

/* List the current candidate paths. For a user-space object, its own name is the first
 * candidate. */
static int places_list(const struct tally_dso *dso, const struct tally_build_id *object,
		       const struct recorded_sources *past, struct tally_places *places)
{
	struct tally_str path = {0};
	struct tally_place own;
	int ret;

	if (dso->kind == TALLY_DSO_KERNEL)
		return tally_places_kernel(dso, places);
	ret = tally_places_user(dso, *past->word ? past->word : NULL, object, places);
	if (!ret)
		ret = own_place(dso, past, &path);
	if (!ret)
		ret = tally_vec_reserve(&places->list, places->list.len + 1);
	own.path = ret ? NULL : strdup(tally_str_text(&path));
	tally_str_free(&path);
	if (!ret && !own.path)
		ret = -ENOMEM;
	if (ret) {
		tally_places_free(places);
		return ret;
	}
	memmove(places->list.data + 1, places->list.data,
		places->list.len++ * sizeof(*places->list.data));
	places->list.data[0] = own;
	return 0;
}

static bool files_are_same(const struct recorded_sources *past, const struct tally_places *places)
{
	if (past->facts->nr_places != places->list.len || past->nr_files > places->list.len)
		return false;
	for (size_t i = 0; i < past->nr_files; i++) {
		struct tally_source_file now = tally_source_file_stat(places->list.data[i].path);

		if (memcmp(&now, &past->files[i], sizeof(now)))
			return false;
	}
	return true;
}

static bool kernel_is_same(const struct tally_dso *dso, const struct recorded_sources *past)
{
	const struct tally_source_facts *facts = past->facts;

	return facts->kernel == tally_kernel_is_here(dso->owner) &&
	       facts->has_address == dso->has_address && facts->address == dso->address &&
	       !strcmp(past->word, dso->reference ? dso->reference : "") &&
	       (facts->place != TALLY_SOURCE_RUNNING || running_is_same(dso, facts));
}

int tally_sources_check(const struct tally_dso *dso, const struct tally_build_id *object,
			struct tally_index *index, enum tally_dso_source *ret_source,
			char **ret_path)
{
	struct tally_places places = {0};
	struct recorded_sources past;
	const char *path;
	int ret = recorded_sources_open(index, &past);

	if (!ret && (past.facts->kind != dso->kind ||
		     (past.facts->place < 0 && dso->kind != TALLY_DSO_KERNEL)))
		ret = -ESTALE;
	if (!ret)
		ret = places_list(dso, object, &past, &places);
	if (ret)
		return ret;
	if (!files_are_same(&past, &places) ||
	    (dso->kind == TALLY_DSO_KERNEL && !kernel_is_same(dso, &past)))
		ret = -ESTALE;
	if (!ret) {
		path = past.facts->place < 0 ? "/proc/kallsyms"
					     : places.list.data[past.facts->place].path;
		*ret_source = past.facts->source;
		*ret_path = strdup(path);
		ret = *ret_path ? 0 : -ENOMEM;
	}
	tally_places_free(&places);
	return ret;
}
