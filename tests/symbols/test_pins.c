/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are removed or changed after their mapping was recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "temporary.h"
#include "elf_image.h"
#include "test_names.h"
#include "symbols/pins.h"
#include "probe.h"

struct tree {
	char dir[64], indexes[80], file[80];
	struct tally_symbols_options options;
	struct tally_symbols *symbols;
};

static int tree_setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	strcpy(tree->dir, "/tmp/tally-pins-XXXXXX");
	assert_non_null(mkdtemp(tree->dir));
	snprintf(tree->indexes, sizeof(tree->indexes), "%s/indexes", tree->dir);
	snprintf(tree->file, sizeof(tree->file), "%s/prog", tree->dir);
	tree->options = (struct tally_symbols_options){
		.buildid_dir = tree->dir, .index_dir = tree->indexes, .index_limit = 64 << 20};
	assert_int_equal(tally_pins_new(&tree->options.pins), 0);
	*state = tree;
	return 0;
}

static int tree_teardown(void **state)
{
	struct tree *tree = *state;

	tally_symbols_free(tree->symbols);
	tally_pins_free(tree->options.pins);
	temporary_remove(tree->dir);
	free(tree);
	return 0;
}

/* Write an image with a function named `letter` and with `id` in its build ID, or without a build
 * ID if `id` is 0. An existing file is overwritten. */
static void write_image(const char *path, char letter, char id)
{
	const char name[] = {letter, 0};
	const struct image_symbol symbol = {name, IMAGE_TEXT, 16, STB_GLOBAL, STT_FUNC};
	static const uint8_t note[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	struct image image;
	uint8_t *at;
	FILE *file;

	image_build(&image, true, false, &symbol, 1);
	at = memmem(image.data, image.len, note, sizeof(note));
	assert_non_null(at);
	if (id)
		at[sizeof(note)] = (uint8_t)id;
	else
		at[8] = 9; /* a note of another kind */
	file = fopen(path, "r+");
	if (!file)
		file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, image.len, file), image.len);
	fclose(file);
}

static void replace_image(const struct tree *tree, char letter, char id)
{
	char other[96];

	snprintf(other, sizeof(other), "%s.new", tree->file);
	write_image(other, letter, id);
	assert_int_equal(rename(other, tree->file), 0);
}

/* Return the key of the file that is now at `path`. */
static struct tally_dso_key key_of(const char *path)
{
	struct tally_dso_key key = {TALLY_DSO_USER, path};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	key.inode = (struct tally_dso_inode){st.st_ino, major(st.st_dev), minor(st.st_dev)};
	return key;
}

static struct tally_dso *get(struct tree *tree, const struct tally_dso_key *key)
{
	struct tally_dso *dso;

	tally_symbols_free(tree->symbols);
	assert_int_equal(tally_symbols_new(&tree->options, &tree->symbols), 0);
	assert_int_equal(tally_dso_get(tree->symbols, key, &dso), 0);
	return dso;
}

/* Look up a symbol, and check the DSO's state and, if the DSO was loaded, the symbol's one-letter
 * name. */
static void expect(struct tree *tree, const struct tally_dso_key *key, char letter,
		   enum tally_dso_state state)
{
	struct tally_dso *dso = get(tree, key);
	const char *name = dso_name_at(dso, IMAGE_TEXT_OFFSET);

	assert_int_equal(tally_dso_status(dso).state, state);
	if (state == TALLY_DSO_LOADED)
		assert_int_equal(*name, letter);
	else
		assert_null(name);
}

static void expect_id(struct tree *tree, const struct tally_dso_key *key, char letter)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size;

	assert_int_equal(tally_dso_running_build_id(get(tree, key), id, &size), 0);
	assert_int_equal(size, 20);
	assert_int_equal(id[0], letter);
}

static void finds_symbols_of_a_removed_file(void **state)
{
	struct tree *tree = *state;
	struct tally_pins *pins = tree->options.pins;
	struct tally_dso_key key;

	write_image(tree->file, 'a', 'A');
	key = key_of(tree->file);
	assert_int_equal(tally_pins_add(pins, &key), 0);
	assert_int_equal(unlink(tree->file), 0);
	expect(tree, &key, 'a', TALLY_DSO_LOADED);
	expect_id(tree, &key, 'A');
	/* Another process maps the file. A file that no longer exists is not opened again. */
	assert_int_equal(tally_pins_add(pins, &key), 0);
	expect(tree, &key, 'a', TALLY_DSO_LOADED);
	tree->options.pins = NULL;
	expect(tree, &key, 0, TALLY_DSO_REMOVED);
	tree->options.pins = pins;
}

enum { FILES_MAX = 700 };

struct files {
	struct tally_dso_key keys[FILES_MAX];
	char paths[FILES_MAX][128];
};

/* Pin `nr` files, then remove them. The first file is mapped repeatedly. */
static void pin_files(struct tree *tree, struct files *files, size_t nr)
{
	struct tally_pins *pins = tree->options.pins;

	for (size_t i = 0; i < nr; i++) {
		snprintf(files->paths[i], sizeof(files->paths[i]), "%s.%zu", tree->file, i);
		write_image(files->paths[i], 'a', 'A');
		files->keys[i] = key_of(files->paths[i]);
		assert_int_equal(tally_pins_add(pins, &files->keys[i]), 0);
		assert_int_equal(tally_pins_add(pins, &files->keys[0]), 0);
	}
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(unlink(files->paths[i]), 0);
}

static size_t nr_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void pack(const char *from, const char *to)
{
	char data[4096];
	FILE *in = fopen(from, "r");
	gzFile out = gzopen(to, "w");
	size_t len;

	assert_non_null(in);
	assert_non_null(out);
	while ((len = fread(data, 1, sizeof(data), in)))
		assert_int_equal(gzwrite(out, data, (unsigned)len), len);
	fclose(in);
	assert_int_equal(gzclose(out), Z_OK);
}

/* Compressed files are unpacked for symbol lookups, but never for pins. */
static void does_not_unpack_files_for_pins(void **state)
{
	struct tree *tree = *state;
	struct tally_pins *pins = tree->options.pins;
	struct tally_dso_key key, plain;
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size, before;
	char path[96];

	write_image(tree->file, 'a', 'A');
	snprintf(path, sizeof(path), "%s.gz", tree->file);
	pack(tree->file, path);
	key = key_of(path);
	expect(tree, &key, 'a', TALLY_DSO_LOADED);
	before = nr_open();
	assert_int_equal(tally_pins_add(pins, &key), 0);
	assert_int_equal(nr_open(), before);
	tree->options.no_unpack = true;
	expect(tree, &key, 0, TALLY_DSO_NOT_ELF);
	assert_int_not_equal(tally_dso_running_build_id(get(tree, &key), id, &size), 0);
	/* A compressed file that overwrites the pinned file is not unpacked either. */
	tree->options.no_unpack = false;
	plain = key_of(tree->file);
	assert_int_equal(tally_pins_add(pins, &plain), 0);
	pack(path, tree->file);
	expect(tree, &plain, 0, TALLY_DSO_NOT_ELF);
}

/* Two files that had the same path both keep their symbols. */
static void keeps_both_files_of_a_replaced_path(void **state)
{
	struct tree *tree = *state;
	struct tally_pins *pins = tree->options.pins;
	struct tally_dso_key old, new;

	write_image(tree->file, 'a', 'A');
	old = key_of(tree->file);
	assert_int_equal(tally_pins_add(pins, &old), 0);
	replace_image(tree, 'b', 'B');
	new = key_of(tree->file);
	expect(tree, &new, 'b', TALLY_DSO_LOADED); /* not pinned yet */
	assert_int_equal(tally_pins_add(pins, &new), 0);
	expect(tree, &old, 'a', TALLY_DSO_LOADED);
	expect(tree, &new, 'b', TALLY_DSO_LOADED);
	expect_id(tree, &old, 'A');
	expect_id(tree, &new, 'B');
	tree->options.pins = NULL;
	expect(tree, &old, 0, TALLY_DSO_REPLACED);
	expect(tree, &new, 'b', TALLY_DSO_LOADED);
	tree->options.pins = pins;
}

/* A file that was replaced before it could be pinned is not pinned. */
static void does_not_pin_a_file_replaced_before(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key key;

	write_image(tree->file, 'a', 'A');
	key = key_of(tree->file);
	replace_image(tree, 'b', 'B');
	assert_int_equal(tally_pins_add(tree->options.pins, &key), 0);
	expect(tree, &key, 0, TALLY_DSO_REPLACED);
}

static void detects_overwritten_files(void **state)
{
	static const struct {
		char id, new_id;
		enum tally_dso_state state;
	} rows[] = {
		{'A', 'B', TALLY_DSO_MISMATCH},
		{'A', 0, TALLY_DSO_MISMATCH},
		{0, 0, TALLY_DSO_REPLACED},
		{'A', 'A', TALLY_DSO_LOADED},
	};
	struct tree *tree = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_dso_key key;
		char path[96];

		snprintf(path, sizeof(path), "%s.%zu", tree->file, i);
		write_image(path, 'a', rows[i].id);
		key = key_of(path);
		assert_int_equal(tally_pins_add(tree->options.pins, &key), 0);
		probe_wait_for_later_files();
		write_image(path, 'b', rows[i].new_id);
		expect(tree, &key, 'b', rows[i].state);
		/* The build ID is the mapped file's. */
		if (rows[i].id)
			expect_id(tree, &key, rows[i].id);
	}
}

/* At the end of a recording, an index is written for each file that has been removed, whatever its
 * size, but not for files that still exist. */
static void writes_an_index_for_removed_files(void **state)
{
	struct tree *tree = *state;
	struct tally_pins *pins = tree->options.pins;
	uint8_t id[TALLY_BUILD_ID_MAX];
	struct tally_dso_key key, recorded;
	size_t size;

	write_image(tree->file, 'a', 'A');
	key = key_of(tree->file);
	assert_int_equal(tally_pins_add(pins, &key), 0);
	assert_int_equal(tally_dso_running_build_id(get(tree, &key), id, &size), 0);
	recorded = (struct tally_dso_key){TALLY_DSO_USER, tree->file, id, size};
	tally_dso_index_pinned(get(tree, &key));
	assert_int_equal(access(tree->indexes, F_OK), -1);
	replace_image(tree, 'b', 'B');
	tally_dso_index_pinned(get(tree, &key));
	tree->options.pins = NULL;
	expect(tree, &recorded, 'a', TALLY_DSO_LOADED);
	assert_int_equal(tally_dso_status(get(tree, &recorded)).source, TALLY_DSO_SOURCE_NONE);
	assert_string_equal(dso_name_at(get(tree, &recorded), IMAGE_TEXT_OFFSET), "a");
	assert_int_equal(tally_dso_status(tally_dso_at(tree->symbols, 0)).source,
			 TALLY_DSO_SOURCE_INDEX);
	/* The index is not used if the ID is unknown, or with a symfs. */
	expect(tree, &key, 0, TALLY_DSO_REPLACED);
	tree->options.symfs = tree->dir;
	expect(tree, &recorded, 0, TALLY_DSO_MISSING);
	tree->options.symfs = NULL;
	/* A file with the build ID takes precedence over the index. */
	replace_image(tree, 'c', 'A');
	expect(tree, &recorded, 'c', TALLY_DSO_LOADED);
	tree->options.pins = pins;
}

/* Another user's file can claim to have any build ID, so its symbols are not stored under that
 * ID. */
static void writes_no_index_for_files_of_other_users(void **state)
{
	enum { STRANGER = 12345 };
	struct tree *tree = *state;
	struct tally_dso_key key;
	char path[96];

	if (!probe_chown(STRANGER))
		probe_skip("files cannot be given to other users here");
	for (int uid = STRANGER; uid >= 0; uid -= STRANGER) {
		snprintf(path, sizeof(path), "%s.%d", tree->file, uid);
		write_image(path, 'a', 'A');
		assert_int_equal(chown(path, (uid_t)uid, (gid_t)uid), 0);
		key = key_of(path);
		assert_int_equal(tally_pins_add(tree->options.pins, &key), 0);
		assert_int_equal(unlink(path), 0);
		tally_dso_index_pinned(get(tree, &key));
		assert_int_equal(access(tree->indexes, F_OK), uid ? -1 : 0);
		/* The symbols are shown only in this recording. */
		expect(tree, &key, 'a', TALLY_DSO_LOADED);
	}
}

/* Check that the first file and the last `nr_last` files are open, and that the IDs of all files
 * are known. */
static void expect_last(struct tree *tree, const struct files *files, size_t nr, size_t nr_last)
{
	expect(tree, &files->keys[0], 'a', TALLY_DSO_LOADED);
	for (size_t i = 1; i < nr; i++) {
		if (i >= nr - nr_last)
			expect(tree, &files->keys[i], 'a', TALLY_DSO_LOADED);
		else
			expect(tree, &files->keys[i], 0, TALLY_DSO_REMOVED);
		expect_id(tree, &files->keys[i], 'A');
	}
}

/* If there are more files than may be open, the last files stay open. */
static void keeps_the_last_files_open(void **state)
{
	enum { OPEN = 512 };
	static struct files files;
	size_t before = nr_open();

	pin_files(*state, &files, FILES_MAX);
	assert_int_equal(nr_open() - before, OPEN);
	expect_last(*state, &files, FILES_MAX, OPEN - 1);
}

/* Pin files with a low limit on descriptors, some of which are reserved for other uses. */
static void respects_the_limit_on_descriptors(void **state)
{
	enum { SPARE = 64, OPEN = 10, FILES = 40 };
	struct rlimit limit, low;
	static struct files files;
	/* Do not count ".", ".." and the directory. Descriptors are numbered without gaps. */
	size_t before = nr_open(), used = before - 3;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = used + OPEN + SPARE;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	pin_files(*state, &files, FILES);
	/* A file that is being pinned is also open. */
	assert_in_range(nr_open() - before, OPEN - 4, OPEN);
	expect_last(*state, &files, FILES, nr_open() - before - 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static bool map_file_opens(const void *map)
{
	uintptr_t start = (uintptr_t)map;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%zx-%zx", (size_t)start,
		 (size_t)start + 4096);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A file that was removed before its mapping was seen is opened through /proc/PID/map_files. */
static void opens_a_removed_file_by_map_files(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key key;
	void *map;
	int fd;

	write_image(tree->file, 'a', 'A');
	key = key_of(tree->file);
	fd = open(tree->file, O_RDONLY);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	if (!map_file_opens(map)) {
		munmap(map, 4096);
		probe_skip("/proc/self/map_files cannot be opened here");
	}
	replace_image(tree, 'b', 'B');
	key.pid = getpid();
	expect(tree, &key, 0, TALLY_DSO_REPLACED);
	key.start = (uintptr_t)map;
	key.end = key.start + 4096;
	expect(tree, &key, 'a', TALLY_DSO_LOADED);
	expect_id(tree, &key, 'A');
	munmap(map, 4096);
	expect(tree, &key, 0, TALLY_DSO_REPLACED);
}

/* A program in a memfd is found by its mapping, not by its name. JIT code in a memfd is not a
 * program. */
static void finds_programs_in_memfds(void **state)
{
	static const char name[] = "/memfd:prog (deleted)";
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_USER, name, .pid = getpid()};
	int fd = memfd_create("prog", MFD_CLOEXEC);
	char path[64];
	struct stat st;
	void *map;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	write_image(path, 'a', 'A');
	assert_int_equal(fstat(fd, &st), 0);
	key.inode = (struct tally_dso_inode){st.st_ino, major(st.st_dev), minor(st.st_dev)};
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	if (!map_file_opens(map)) {
		munmap(map, 4096);
		probe_skip("/proc/self/map_files cannot be opened here");
	}
	key.start = (uintptr_t)map;
	key.end = key.start + 4096;
	assert_int_equal(tally_pins_add(tree->options.pins, &key), 0);
	munmap(map, 4096);
	expect(tree, &key, 'a', TALLY_DSO_LOADED);
	key.inode.ino++; /* another memfd with the same name */
	expect(tree, &key, 0, TALLY_DSO_REMOVED);
	key.inode.ino--;
	tally_pins_free(tree->options.pins);
	tree->options.pins = NULL;
	expect(tree, &key, 0, TALLY_DSO_REMOVED);
	assert_int_equal(pwrite(fd, path, sizeof(path), 0), sizeof(path));
	map = mmap(map, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	expect(tree, &key, 0, TALLY_DSO_NOT_ELF);
	munmap(map, 4096);
	close(fd);
}

#define TREE_TEST(function) cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(does_not_unpack_files_for_pins),
		TREE_TEST(finds_symbols_of_a_removed_file),
		TREE_TEST(keeps_both_files_of_a_replaced_path),
		TREE_TEST(does_not_pin_a_file_replaced_before),
		TREE_TEST(detects_overwritten_files),
		TREE_TEST(writes_an_index_for_removed_files),
		TREE_TEST(keeps_the_last_files_open),
		TREE_TEST(respects_the_limit_on_descriptors),
		TREE_TEST(finds_programs_in_memfds),
		TREE_TEST(opens_a_removed_file_by_map_files),
		TREE_TEST(writes_no_index_for_files_of_other_users),
	};

	return cmocka_run_group_tests_name("pins", tests, NULL, NULL);
}
