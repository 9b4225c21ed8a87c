/* SPDX-License-Identifier: BSD-2-Clause */
/* An index must only be used if its symbols equal those in the current files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"
#include "base/file.h"
#include "elf_image.h"
#include "test_names.h"
#include "probe.h"

enum { SYMBOLS = 300, STEP = 6 };

static const char debug_place[] = "root//usr/lib/debug/.build-id/a0/"
				  "a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3.debug";
static const char cache_place[] = "cache/.build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3/";
static const char index_place[] = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3.index";
static uint8_t id[20];

struct tree {
	char dir[64], symfs[80], cache[80], indexes[80];
	struct tally_symbols_options options;
	struct tally_symbols *symbols;
};

static int tree_setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	strcpy(tree->dir, "/tmp/tally-index-XXXXXX");
	assert_non_null(mkdtemp(tree->dir));
	snprintf(tree->symfs, sizeof(tree->symfs), "%s/root", tree->dir);
	snprintf(tree->cache, sizeof(tree->cache), "%s/cache", tree->dir);
	snprintf(tree->indexes, sizeof(tree->indexes), "%s/indexes", tree->dir);
	tree->options = (struct tally_symbols_options){.symfs = tree->symfs,
						       .buildid_dir = tree->cache,
						       .index_dir = tree->indexes,
						       .index_limit = 64 << 20};
	for (int i = 0; i < 20; i++)
		id[i] = (uint8_t)(0xa0 + i);
	*state = tree;
	return 0;
}

static int tree_teardown(void **state)
{
	struct tree *tree = *state;

	tally_symbols_free(tree->symbols);
	temporary_remove(tree->dir);
	free(tree);
	return 0;
}

static void tree_path(const struct tree *tree, const char *path, char full[512])
{
	snprintf(full, 512, "%s/%s", tree->dir, path);
}

static void write_file(const struct tree *tree, const char *path, const void *data, size_t len)
{
	char full[512];
	FILE *file;

	tree_path(tree, path, full);
	for (char *at = full + strlen(tree->dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0700);
		*at = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

static void remove_file(const struct tree *tree, const char *path)
{
	char full[512];

	tree_path(tree, path, full);
	assert_int_equal(unlink(full), 0);
}

/* Write an image of functions with names that begin with `letter`, or a stripped image if `letter`
 * is 0. */
static void write_image(const struct tree *tree, const char *path, char letter, size_t nr)
{
	struct image_symbol symbols[SYMBOLS];
	char names[SYMBOLS][24];
	struct image image;

	for (size_t i = 0; i < nr; i++) {
		snprintf(names[i], sizeof(names[i]), "%c_%zu", letter, i);
		symbols[i] = (struct image_symbol){names[i], IMAGE_TEXT + i * STEP, STEP - 1,
						   STB_GLOBAL, STT_FUNC};
	}
	image_build(&image, true, false, symbols, letter ? nr : 0);
	write_file(tree, path, image.data, image.len);
}

/* Wait until a change would be visible in file timestamps. Files that changed recently get no
 * index. */
static void wait_for_file_times(void)
{
	/* Two clock ticks, or more than two seconds on file systems with timestamps in whole
	 * seconds. */
	const int64_t least = probe_time_of_new_file().tv_nsec ? 40000000 : 2100000000;
	struct timespec start, now;

	clock_gettime(CLOCK_REALTIME, &start);
	do {
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
		clock_gettime(CLOCK_REALTIME, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < least);
}

static bool index_is_there(const struct tree *tree)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", tree->indexes, index_place);
	return !access(path, F_OK);
}

/* Look up an object as another process would. */
static struct tally_dso *look_up(struct tree *tree, const struct tally_dso_key *key)
{
	struct tally_dso *dso;

	tally_symbols_free(tree->symbols);
	assert_int_equal(tally_symbols_new(&tree->options, &tree->symbols), 0);
	assert_int_equal(tally_dso_get(tree->symbols, key, &dso), 0);
	(void)tally_dso_find(dso, 0x1000);
	return dso;
}

/* Look up the symbols of `name`. They must begin with `letter`, whether or not they are from the
 * index. */
static void expect(struct tree *tree, const char *name, bool with_id, bool from_index, char letter,
		   const char *path)
{
	struct tally_dso_key key = {TALLY_DSO_USER, name, with_id ? id : NULL, 20};
	struct tally_dso *dso = look_up(tree, &key);
	struct tally_dso_status status = tally_dso_status(dso);
	char want[16], full[512];

	assert_int_equal(status.state, TALLY_DSO_LOADED);
	assert_int_equal(dso->files.table.is_mapped, from_index);
	assert_int_equal(status.nr_symbols, SYMBOLS);
	tree_path(tree, path, full);
	assert_string_equal(status.path, full);
	for (size_t i = 0; i < SYMBOLS; i++) {
		snprintf(want, sizeof(want), "%c_%zu", letter, i);
		assert_string_equal(dso_name_at(dso, 0x1000 + i * STEP), want);
		assert_ptr_equal(tally_dso_find(dso, 0x1000 + i * STEP),
				 tally_dso_find(dso, 0x1001 + i * STEP));
		assert_null(tally_dso_find(dso, 0x1000 + i * STEP + STEP - 1));
	}
}

static void uses_the_index_until_the_file_changes(void **state)
{
	static const char path[] = "root/bin/prog";
	struct tree *tree = *state;

	write_image(tree, path, 'a', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/prog", true, false, 'a', path);
	expect(tree, "/bin/prog", true, true, 'a', path);
	/* The index is found by the build ID in the file. */
	expect(tree, "/bin/prog", false, true, 'a', path);
	/* Write another file with the same ID and size. */
	write_image(tree, path, 'b', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/prog", true, false, 'b', path);
	expect(tree, "/bin/prog", true, true, 'b', path);
	remove_file(tree, path);
	assert_int_equal(
		tally_dso_status(
			look_up(tree, &(struct tally_dso_key){TALLY_DSO_USER, "/bin/prog", id, 20}))
			.state,
		TALLY_DSO_MISSING);
}

/* An index is also found through another path to the same file. */
static void uses_the_index_under_another_path(void **state)
{
	struct tree *tree = *state;
	char full[512];

	write_image(tree, "root/usr/bin/prog", 'a', SYMBOLS);
	tree_path(tree, "root/bin", full);
	assert_int_equal(symlink("usr/bin", full), 0);
	wait_for_file_times();
	expect(tree, "/usr/bin/prog", true, false, 'a', "root/usr/bin/prog");
	expect(tree, "/bin/prog", true, true, 'a', "root/bin/prog");
}

/* Add and remove debug files. */
static void drops_the_index_when_debug_files_change(void **state)
{
	struct tree *tree = *state;

	write_image(tree, "root/bin/prog", 'a', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/prog", true, false, 'a', "root/bin/prog");
	write_image(tree, debug_place, 'd', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/prog", true, false, 'd', debug_place);
	expect(tree, "/bin/prog", true, true, 'd', debug_place);
	/* This path is searched first, as in perf. */
	write_image(tree, "root//bin/x.debug", 'e', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/prog", true, false, 'e', "root//bin/x.debug");
	expect(tree, "/bin/prog", true, true, 'e', "root//bin/x.debug");
	/* The index also records paths at which there is no file. */
	remove_file(tree, debug_place);
	expect(tree, "/bin/prog", true, false, 'e', "root//bin/x.debug");
	remove_file(tree, "root//bin/x.debug");
	expect(tree, "/bin/prog", true, false, 'a', "root/bin/prog");
	expect(tree, "/bin/prog", true, true, 'a', "root/bin/prog");
}

/* If the file itself is missing, its symbols are read from the copy in the build ID cache, and
 * later from the index. */
static void uses_the_index_without_the_file(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_USER, "/bin/gone", id, 20, .pid = 1 << 29};
	char path[256];

	snprintf(path, sizeof(path), "%self", cache_place);
	write_image(tree, path, 'c', SYMBOLS);
	wait_for_file_times();
	expect(tree, "/bin/gone", true, false, 'c', path);
	expect(tree, "/bin/gone", true, true, 'c', path);
	assert_true(look_up(tree, &key)->files.table.is_mapped);
	/* For an existing process, the file at the recorded path may be a different file, so the
	 * index is not used. */
	key.pid = getpid();
	key.name = "/proc/self/exe";
	assert_false(look_up(tree, &key)->files.table.is_mapped);
	/* The index is not used if other debug directories are set, because those directories would
	 * have to be searched. */
	tree->options.debug_dirs = (const char *const[]){"/usr/lib/debug", "/opt/debug", NULL};
	expect(tree, "/bin/gone", true, false, 'c', path);
}

/* No index is written if there are few symbols, if names are not demangled in the default way, if
 * there is no index directory, or if the index would exceed the size limit. */
static void writes_no_index_for_special_cases(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_USER, "/bin/prog", id, 20};

	write_image(tree, "root/bin/small", 'a', 9);
	write_image(tree, "root/bin/prog", 'a', SYMBOLS);
	wait_for_file_times();
	key.name = "/bin/small";
	assert_int_equal(tally_dso_status(look_up(tree, &key)).nr_symbols, 9);
	key.name = "/bin/prog";
	tree->options.no_demangle = true;
	(void)look_up(tree, &key);
	tree->options.no_demangle = false;
	tree->options.demangle_params = true;
	(void)look_up(tree, &key);
	tree->options.demangle_params = false;
	tree->options.index_dir = NULL;
	(void)look_up(tree, &key);
	tree->options.index_dir = tree->indexes;
	tree->options.index_limit = 5000;
	(void)look_up(tree, &key);
	tree->options.index_limit = 1 << 20;
	tally_symbols_free(tree->symbols);
	tree->symbols = NULL;
	assert_false(index_is_there(tree));
	expect(tree, "/bin/prog", true, false, 'a', "root/bin/prog");
	expect(tree, "/bin/prog", true, true, 'a', "root/bin/prog");
	tree->options.no_demangle = true;
	expect(tree, "/bin/prog", true, false, 'a', "root/bin/prog");
}

/* Two files in one process have the same ID. The index keeps the symbols of one of them. */
static void two_files_with_one_id_do_not_share_an_index(void **state)
{
	struct tally_dso_key one = {TALLY_DSO_USER, "/bin/one", id, 20}, two = one;
	struct tree *tree = *state;
	struct tally_dso *dso;

	two.name = "/bin/two";
	write_image(tree, "root/bin/one", 'a', SYMBOLS);
	write_image(tree, "root/bin/two", 'b', SYMBOLS);
	wait_for_file_times();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(look_up(tree, &one)->files.table.is_mapped, i > 0);
		assert_int_equal(tally_dso_get(tree->symbols, &two, &dso), 0);
		assert_string_equal(dso_name_at(dso, 0x1000), "b_0");
		assert_false(dso->files.table.is_mapped);
	}
}

/* Check that the index is written immediately, because a closed pipe may kill the process while it
 * prints. */
static void writes_the_index_immediately(void **state)
{
	struct tally_dso_key key = {TALLY_DSO_USER, "/bin/prog", id, 20};
	struct tree *tree = *state;

	write_image(tree, "root/bin/prog", 'a', SYMBOLS);
	wait_for_file_times();
	assert_false(index_is_there(tree));
	(void)look_up(tree, &key);
	assert_true(index_is_there(tree));
}

/* Return a hash of the rules found at regular intervals in a file. */
static uint64_t rules_answers(struct tally_dso *dso, uint64_t end)
{
	const struct tally_unwind_table *rules = tally_dso_rules(dso);
	struct tally_unwind_rule rule;
	uint64_t sum = 0, start;

	assert_non_null(rules);
	for (uint64_t addr = 0; addr < end; addr += 13) {
		if (!tally_unwind_table_find(rules, addr, &rule))
			continue;
		sum = sum * 31 + rule.cfa_reg + (uint32_t)rule.cfa_value + rule.nr_regs;
		for (unsigned i = 0; i < rule.nr_regs; i++)
			sum = sum * 31 + (uint32_t)tally_unwind_rule_reg(&rule, i).value;
		sum += tally_unwind_table_function(rules, addr, &start) ? start : 0;
	}
	assert_true(sum != 0);
	return sum;
}

/* Unwind rules are stored together with symbols, but only used for the file they were read from. */
static void keeps_unwind_rules_in_the_index(void **state)
{
	struct tree *tree = *state;
	uint8_t own_id[TALLY_BUILD_ID_MAX];
	struct tally_dso_key key = {TALLY_DSO_USER, NULL, own_id};
	char path[512] = "", copy[512];
	uint64_t answers = 0, sum;
	struct tally_dso *dso;
	char *text;
	size_t len;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(tally_file_read(path, 1 << 28, &text, &len), 0);
	write_file(tree, "root/bin/this", text, len);
	free(text);
	tree_path(tree, "root/bin/this", copy);
	assert_int_equal(tally_elf_build_id(copy, own_id, &key.build_id_size), 0);
	key.name = "/bin/this";
	wait_for_file_times();
	for (int i = 0; i < 5; i++) {
		/* In the fourth round, the file's timestamps indicate that it is a different
		 * file. */
		if (i == 3)
			assert_int_equal(chmod(copy, 0700), 0);
		wait_for_file_times();
		tally_symbols_free(tree->symbols);
		assert_int_equal(tally_symbols_new(&tree->options, &tree->symbols), 0);
		assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
		if (i == 1)
			(void)tally_dso_find(dso, 0x1000);
		sum = rules_answers(dso, len);
		assert_true(!i || sum == answers);
		answers = sum;
		assert_int_equal(!dso->rules.block, i == 1 || i == 2 || i == 4);
		assert_true(tally_dso_has_frame_pointers(dso));
		/* Symbols are added to the same index without removing the rules. */
		if (i == 2)
			(void)tally_dso_find(dso, 0x1000);
		assert_int_equal(dso->files.table.is_mapped, i == 2);
	}
}

/* ---- kernels ------------------------------------------------------------------------ */

/* Use perf's cached kallsyms for a kernel that is not running on this machine. */
static void uses_the_index_of_cached_kallsyms(void **state)
{
	struct tally_dso_key key = {TALLY_DSO_KERNEL, "[kernel.kallsyms]", id, 20};
	struct tree *tree = *state;
	struct tally_str text = {0};
	struct tally_dso *dso;
	char path[256];

	tree->options.symfs = NULL;
	tree->options.ignore_vmlinux = true;
	tally_str_add(&text, "ffffffff81000000 T _text\n");
	for (int i = 0; i < SYMBOLS; i++)
		tally_str_addf(&text, "ffffffff81%06x T k_%d\n", 0x100 + i * 16, i);
	tally_str_add(&text, "ffffffffc0000000 t m_1\t[ext4]\n");
	snprintf(path, sizeof(path), "%skallsyms", cache_place);
	write_file(tree, path, tally_str_text(&text), text.len);
	tally_str_free(&text);
	wait_for_file_times();
	for (int i = 0; i < 4; i++) {
		/* In the third round, the kernel was recorded at another address. */
		uint64_t moved = i == 2 ? 0x1000000 : 0;

		tally_symbols_free(tree->symbols);
		assert_int_equal(tally_symbols_new(&tree->options, &tree->symbols), 0);
		assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
		tally_dso_set_address(dso, "_text", 0xffffffff81000000 + moved);
		assert_string_equal(dso_name_at(dso, 0xffffffff81000112 + moved), "k_1");
		assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_KALLSYMS);
		assert_null(tally_dso_find(dso, 0xffffffffc0000000));
		assert_int_equal(dso->files.table.is_mapped, i == 1 || i == 3);
	}
}

/* Return a hash over every seventh kernel symbol, or 0 if there are no symbols. */
static uint64_t kernel_answers(struct tree *tree, bool from_index)
{
	struct tally_dso_key key = {TALLY_DSO_KERNEL, "[kernel.kallsyms]"};
	uint8_t running[TALLY_BUILD_ID_MAX];
	const struct tally_symbol *symbol;
	struct tally_dso *dso;
	uint64_t sum = 0;

	if (!tally_kernel_build_id(running, &key.build_id_size))
		key.build_id = running;
	dso = look_up(tree, &key);
	if (tally_dso_status(dso).state != TALLY_DSO_LOADED || !key.build_id)
		return 0;
	assert_int_equal(dso->files.table.is_mapped, from_index);
	assert_string_equal(tally_dso_status(dso).path, "/proc/kallsyms");
	for (size_t i = 0; i < dso->files.table.len; i += 7) {
		symbol = tally_dso_find(dso, dso->files.table.symbols[i].start);
		sum = sum * 31 + symbol->start + symbol->end;
		for (const char *at = tally_symbol_name(dso, symbol); *at; at++)
			sum = sum * 31 + (uint8_t)*at;
	}
	return sum;
}

/* Return true if this process can see symbol addresses and the notes that contain the build ID. */
static bool kernel_shows_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0;

	for (int i = 0; file && !address && i < 5000; i++)
		if (fscanf(file, "%llx%*[^\n]", &address) != 1)
			break;
	if (file)
		fclose(file);
	return address && !access("/sys/kernel/notes", R_OK);
}

static void uses_the_index_of_the_running_kernel(void **state)
{
	struct tally_dso_key key = {TALLY_DSO_KERNEL, "[kernel.kallsyms]"};
	struct tree *tree = *state;
	uint8_t running[TALLY_BUILD_ID_MAX];
	struct tally_str text = {0};
	uint64_t answers;
	char path[512];
	int fd;

	tree->options.symfs = NULL;
	tree->options.ignore_vmlinux = true;
	/* The descriptor may show more than this user is allowed to see, so nothing is written to
	 * the index. */
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	tree->options.kallsyms_fd = fd;
	if (!kernel_shows_symbols()) {
		close(fd);
		probe_skip("the kernel hides its symbols, or has no build id");
	}
	answers = kernel_answers(tree, false);
	assert_true(answers);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_true(kernel_answers(tree, false) == answers);
	tree->options.kallsyms_fd = 0;
	assert_true(kernel_answers(tree, false) == answers);
	assert_true(kernel_answers(tree, true) == answers);
	/* Reading an index is allowed, because the descriptor shows the same symbols. */
	tree->options.kallsyms_fd = fd;
	assert_true(kernel_answers(tree, true) == answers);
	close(fd);
	/* Users without permission see only zero addresses. */
	for (int i = 0; i < 200; i++)
		tally_str_addf(&text, "0000000000000000 T hidden_%d\n", i);
	write_file(tree, "hidden", tally_str_text(&text), text.len);
	tally_str_free(&text);
	tree_path(tree, "hidden", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	tree->options.kallsyms_fd = fd;
	key.build_id = running;
	assert_int_equal(tally_kernel_build_id(running, &key.build_id_size), 0);
	assert_int_equal(tally_dso_status(look_up(tree, &key)).state, TALLY_DSO_DENIED);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define WITH_TREE(function) cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)
		WITH_TREE(uses_the_index_until_the_file_changes),
		WITH_TREE(uses_the_index_under_another_path),
		WITH_TREE(drops_the_index_when_debug_files_change),
		WITH_TREE(uses_the_index_without_the_file),
		WITH_TREE(writes_no_index_for_special_cases),
		WITH_TREE(two_files_with_one_id_do_not_share_an_index),
		WITH_TREE(writes_the_index_immediately),
		WITH_TREE(keeps_unwind_rules_in_the_index),
		WITH_TREE(uses_the_index_of_cached_kallsyms),
		WITH_TREE(uses_the_index_of_the_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
