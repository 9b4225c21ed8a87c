/* SPDX-License-Identifier: BSD-2-Clause */
/* Files used to validate return addresses. Only files known to be the recorded ones may be used,
 * and only a limited number of files may be open. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"
#include "elf_image.h"
#include "symbols/code.h"
#include "symbols/symbols.h"
#include "probe.h"

#include <cmocka.h>

/* Each file contains one call, which ends at CALL_END. */
enum { PAGE = 0x1000, CALL_END = PAGE + 0x25 };

enum { SECTIONS = 64, SECTION_TYPE = 4, TEXT = 1 }; /* size of Elf64_Shdr; index of .text */

struct fixture {
	char dir[64], cache[80];
	struct tally_symbols *symbols;
};

static uint8_t id[20];

static void symbols_renew(struct fixture *f, const struct tally_symbols_options *options)
{
	struct tally_symbols_options with = *options;

	tally_symbols_free(f->symbols);
	with.buildid_dir = f->cache;
	assert_int_equal(tally_symbols_new(&with, &f->symbols), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(mkdtemp(strcpy(f->dir, "/tmp/tally-code-XXXXXX")));
	snprintf(f->cache, sizeof(f->cache), "%s/cache", f->dir);
	for (int i = 0; i < 20; i++)
		id[i] = (uint8_t)(0xa0 + i);
	symbols_renew(f, &(struct tally_symbols_options){0});
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_symbols_free(f->symbols);
	temporary_remove(f->dir);
	free(f);
	return 0;
}

enum kind { WITH_CODE, WITHOUT_CODE, OF_ARM };

static void write_file(struct fixture *f, const char *name, enum kind kind)
{
	struct image image;
	char path[512];
	FILE *file;

	image_build(&image, true, false, NULL, 0);
	assert_true(image.len <= PAGE);
	if (kind == WITHOUT_CODE)
		image.data[image.len - SECTIONS * 7 + SECTIONS * TEXT + SECTION_TYPE] = SHT_NOBITS;
	if (kind == OF_ARM)
		image.data[EI_NIDENT + 2] = EM_ARM;
	memset(image.data + PAGE, 0xcc, PAGE);
	memcpy(image.data + CALL_END - 5, "\xe8\0\0\0\0", 5);
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	for (char *at = path + strlen(f->dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, 2 * PAGE, file), 2 * PAGE);
	fclose(file);
}

static struct tally_dso *get(struct fixture *f, const char *name, const uint8_t *build_id)
{
	char path[512];
	struct tally_dso_key key = {TALLY_DSO_USER, path, build_id, 20};
	struct tally_dso *dso;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(tally_dso_get(f->symbols, &key, &dso), 0);
	return dso;
}

static void expect_validated(struct tally_dso *dso, bool is_judged)
{
	assert_true(tally_dso_is_return_address(dso, CALL_END));
	assert_int_equal(tally_dso_is_return_address(dso, CALL_END + 1), !is_judged);
	assert_int_equal(tally_dso_is_return_address(dso, 2 * PAGE + 1), !is_judged);
	assert_int_equal(tally_dso_is_return_address(dso, UINT64_MAX), !is_judged);
}

static void uses_files_with_the_recorded_build_id(void **state)
{
	struct fixture *f = *state;
	uint8_t other[20] = {1, 2, 3};

	write_file(f, "prog", WITH_CODE);
	expect_validated(get(f, "prog", id), true);
	expect_validated(get(f, "prog", other), false);
	expect_validated(get(f, "prog", NULL), true);
	expect_validated(get(f, "missing", id), false);
	write_file(f, "arm", OF_ARM);
	expect_validated(get(f, "arm", id), false);
}

/* A debug file describes code, but does not contain it. The cache contains the file that was
 * mapped. */
static void does_not_use_debug_files(void **state)
{
	struct fixture *f = *state;
	struct tally_dso *dso;

	write_file(f, "prog", WITHOUT_CODE);
	expect_validated(get(f, "prog", id), false);
	write_file(f, "gone", WITHOUT_CODE);
	write_file(f, "cache/.build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3/debug",
		   WITHOUT_CODE);
	write_file(f, "cache/.build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3/elf", WITH_CODE);
	dso = get(f, "gone", id);
	expect_validated(dso, true);
	/* Looking up names and reading code do not interfere with each other. */
	(void)tally_dso_find(dso, CALL_END);
	expect_validated(dso, true);
}

/* Without a build ID, a file is the recorded file only if the recording was made on this machine
 * and the file has not changed since. */
static void uses_files_without_build_id_only_if_unchanged(void **state)
{
	struct fixture *f = *state;

	write_file(f, "prog", WITH_CODE);
	assert_int_equal(tally_symbols_set_origin(f->symbols, TALLY_SYMBOLS_UNKNOWN, NULL), 0);
	expect_validated(get(f, "prog", NULL), false);
	symbols_renew(f, &(struct tally_symbols_options){0});
	assert_int_equal(tally_symbols_set_origin(f->symbols, TALLY_SYMBOLS_ELSEWHERE, NULL), 0);
	expect_validated(get(f, "prog", NULL), false);
	symbols_renew(f, &(struct tally_symbols_options){.recorded = time(NULL) - 100});
	expect_validated(get(f, "prog", NULL), false);
	expect_validated(get(f, "prog", id), true);
	symbols_renew(f, &(struct tally_symbols_options){.recorded = time(NULL) + 100});
	expect_validated(get(f, "prog", NULL), true);
	symbols_renew(f, &(struct tally_symbols_options){.symfs = "/"});
	assert_int_equal(tally_symbols_set_origin(f->symbols, TALLY_SYMBOLS_ELSEWHERE, NULL), 0);
	expect_validated(get(f, "prog", NULL), true);
}

/* Check that no unwind rules are found, and that `state` is the reason: NO_SYMBOLS if the file was
 * read, because the images have no rules, or another reason if the file must not be read. */
static void expect_rules(struct tally_dso *dso, enum tally_dso_state state)
{
	assert_null(tally_dso_rules(dso));
	assert_int_equal(tally_dso_rules_state(dso), state);
}

static void uses_rules_without_build_id_only_if_unchanged(void **state)
{
	struct fixture *f = *state;

	write_file(f, "prog", WITH_CODE);
	symbols_renew(f, &(struct tally_symbols_options){.recorded = time(NULL) - 100});
	expect_rules(get(f, "prog", NULL), TALLY_DSO_CHANGED);
	expect_rules(get(f, "prog", id), TALLY_DSO_NO_SYMBOLS);
	symbols_renew(f, &(struct tally_symbols_options){.recorded = time(NULL) + 100});
	expect_rules(get(f, "prog", NULL), TALLY_DSO_NO_SYMBOLS);
	/* Rules are read even if the origin is unknown, as in an unfinished recording, because
	 * there is no better source. */
	assert_int_equal(tally_symbols_set_origin(f->symbols, TALLY_SYMBOLS_UNKNOWN, NULL), 0);
	write_file(f, "other", WITH_CODE);
	expect_rules(get(f, "other", NULL), TALLY_DSO_NO_SYMBOLS);
}

/* Linking and chmod change the inode's timestamp, but not the contents of the file. */
static void ignores_changes_of_inode_metadata(void **state)
{
	static const struct {
		int64_t mtime;
		bool is_same_inode, is_judged;
	} rows[] = {
		{-200, true, true},
		{-50, true, false},
		{-200, false, false},
	};
	struct fixture *f = *state;
	struct tally_dso_key key = {TALLY_DSO_USER};
	char path[96], link_path[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const time_t now = time(NULL);
		struct tally_dso *dso;
		struct stat st;

		snprintf(path, sizeof(path), "%s/prog%zu", f->dir, i);
		snprintf(link_path, sizeof(link_path), "%s.link", path);
		write_file(f, path + strlen(f->dir) + 1, WITH_CODE);
		assert_int_equal(utimensat(AT_FDCWD, path,
					   (struct timespec[]){{.tv_nsec = UTIME_OMIT},
							       {.tv_sec = now + rows[i].mtime}},
					   0),
				 0);
		assert_int_equal(link(path, link_path), 0);
		assert_int_equal(chmod(path, 0700), 0);
		assert_int_equal(stat(path, &st), 0);
		symbols_renew(f, &(struct tally_symbols_options){.recorded = now - 100});
		key.name = path;
		key.inode.ino = rows[i].is_same_inode ? st.st_ino : 0;
		key.inode.maj = major(st.st_dev);
		key.inode.min = minor(st.st_dev);
		assert_int_equal(tally_dso_get(f->symbols, &key, &dso), 0);
		expect_validated(dso, rows[i].is_judged);
	}
}

static size_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void limits_the_number_of_open_files(void **state)
{
	enum { FILES = 300, OPEN = 128, TURNS = 3 };
	struct fixture *f = *state;
	size_t before = count_descriptors();
	uint8_t keep[FILES] = {0};
	char name[16];

	for (int turn = 0; turn < TURNS; turn++) {
		for (int i = 0; i < FILES; i++) {
			snprintf(name, sizeof(name), "prog%d", i);
			if (!turn)
				write_file(f, name, WITH_CODE);
			expect_validated(get(f, name, NULL), true);
			expect_validated(get(f, "prog0", NULL), true);
		}
		assert_int_equal(count_descriptors() - before, OPEN);
	}
	/* A garbage collection closes files. */
	keep[0] = keep[7] = 1;
	tally_symbols_collect(f->symbols, keep);
	assert_in_range(count_descriptors() - before, 1, 2);
	expect_validated(get(f, "prog0", NULL), true);
	expect_validated(get(f, "prog7", NULL), true);
}

static void does_not_validate_memory_without_a_file(void **state)
{
	static const struct tally_dso_key keys[] = {
		{TALLY_DSO_PERF_MAP, "//anon", .pid = 1},
		{TALLY_DSO_UNKNOWN, "[uprobes]"},
		{TALLY_DSO_VDSO, "[vdso32]"},
	};
	struct fixture *f = *state;
	struct tally_dso *dso;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_int_equal(tally_dso_get(f->symbols, &keys[i], &dso), 0);
		expect_validated(dso, false);
	}
}

static void validates_with_the_vdso_of_this_process(void **state)
{
	const struct tally_dso_key key = {TALLY_DSO_VDSO, "[vdso]"};
	struct fixture *f = *state;
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(f->symbols, &key, &dso), 0);
	if (!getauxval(AT_SYSINFO_EHDR))
		probe_skip("this process has no vdso");
	assert_false(tally_dso_is_return_address(dso, 1));
	assert_false(tally_dso_is_return_address(dso, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(uses_files_with_the_recorded_build_id, setup,
						teardown),
		cmocka_unit_test_setup_teardown(does_not_use_debug_files, setup, teardown),
		cmocka_unit_test_setup_teardown(uses_files_without_build_id_only_if_unchanged,
						setup, teardown),
		cmocka_unit_test_setup_teardown(ignores_changes_of_inode_metadata, setup, teardown),
		cmocka_unit_test_setup_teardown(uses_rules_without_build_id_only_if_unchanged,
						setup, teardown),
		cmocka_unit_test_setup_teardown(limits_the_number_of_open_files, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_validate_memory_without_a_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(validates_with_the_vdso_of_this_process, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
