/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "temporary.h"
#include "base/file.h"
#include "elf_image.h"
#include "test_names.h"
#include "symbols/elf/elf.h"
#include "symbols/symbols.h"
#include "probe.h"

static const struct image_symbol stripped[] = {
	{"short", IMAGE_TEXT, 4, STB_GLOBAL, STT_OBJECT},
};
static const struct image_symbol full[] = {
	{"_Z4funcv", IMAGE_TEXT + 0x10, 0x20, STB_GLOBAL, STT_FUNC},
	{"other", IMAGE_TEXT + 0x30, 0x20, STB_GLOBAL, STT_FUNC},
};
static uint8_t id[20];

struct tree {
	char dir[64], symfs[80], cache[80];
	struct tally_symbols *symbols;
};

static void write_file(const struct tree *tree, const char *path, const void *data, size_t len)
{
	char full_path[512];
	FILE *file;

	snprintf(full_path, sizeof(full_path), "%s/%s", tree->dir, path);
	for (char *at = full_path + strlen(tree->dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full_path, 0700);
		*at = '/';
	}
	file = fopen(full_path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

/* Write an image with a symbol table, or a stripped image. */
static void write_image(const struct tree *tree, const char *path, bool with_symbols)
{
	struct image image;

	if (with_symbols)
		image_build(&image, true, false, full, 2);
	else
		image_build(&image, true, false, stripped, 0);
	write_file(tree, path, image.data, image.len);
}

static int tree_setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	struct tally_symbols_options options = {0};

	strcpy(tree->dir, "/tmp/tally-symbols-XXXXXX");
	assert_non_null(mkdtemp(tree->dir));
	snprintf(tree->symfs, sizeof(tree->symfs), "%s/root", tree->dir);
	snprintf(tree->cache, sizeof(tree->cache), "%s/cache", tree->dir);
	options.symfs = tree->symfs;
	options.buildid_dir = tree->cache;
	assert_int_equal(tally_symbols_new(&options, &tree->symbols), 0);
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

static struct tally_dso *get(struct tree *tree, const char *name, bool with_id)
{
	struct tally_dso_key key = {TALLY_DSO_USER, name, with_id ? id : NULL, 20};
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	return dso;
}

static void expect_found(struct tally_dso *dso, enum tally_dso_source source)
{
	const struct tally_symbol *symbol;

	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_NOT_LOADED);
	symbol = tally_dso_find(dso, 0x1010);
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_LOADED);
	assert_int_equal(tally_dso_status(dso).source, source);
	assert_non_null(symbol);
	assert_string_equal(tally_symtab_name(&dso->files.table, symbol), "_Z4funcv");
	assert_ptr_equal(tally_symbol_name(dso, symbol), tally_symbol_name(dso, symbol));
}

static void expect_state(struct tally_dso *dso, enum tally_dso_state want)
{
	assert_null(tally_dso_find(dso, 0x1010));
	assert_int_equal(tally_dso_status(dso).state, want);
	assert_ptr_equal(tally_dso_status(dso).text, tally_dso_state_text(want));
}

static void finds_symbols_in_the_file_itself(void **state)
{
	struct tree *tree = *state;

	write_image(tree, "root/bin/prog", true);
	expect_found(get(tree, "/bin/prog", true), TALLY_DSO_SOURCE_SYMTAB);
	expect_found(get(tree, "/bin/prog", false), TALLY_DSO_SOURCE_SYMTAB);
	assert_ptr_equal(get(tree, "/bin/prog", true), get(tree, "/bin/prog", true));
	assert_ptr_not_equal(get(tree, "/bin/prog", true), get(tree, "/bin/prog", false));
}

/* Symbols are still found after the file is truncated, because the file does not stay mapped. */
static void keeps_symbols_of_a_truncated_file(void **state)
{
	struct tree *tree = *state;
	const struct tally_symbol *symbol;
	struct tally_dso *dso;

	write_image(tree, "root/usr/bin/prog", true);
	dso = get(tree, "/usr/bin/prog", false);
	expect_found(dso, TALLY_DSO_SOURCE_SYMTAB);
	write_file(tree, "root/usr/bin/prog", "", 0);
	symbol = tally_dso_find(dso, 0x1030);
	assert_non_null(symbol);
	assert_string_equal(tally_symbol_name(dso, symbol), "other");
}

/* A garbage collection removes unused DSOs. The other DSOs stay valid and can still be found by
 * their keys. */
static void collects_unused_dsos(void **state)
{
	struct tree *tree = *state;
	struct tally_dso *a = get(tree, "/a", false), *b, *c;
	const uint8_t keep[] = {1, 0, 1};

	b = get(tree, "/b", false);
	c = get(tree, "/c", false);
	assert_ptr_not_equal(a, b);
	tally_symbols_collect(tree->symbols, keep);
	assert_int_equal(tally_symbols_nr_dsos(tree->symbols), 2);
	assert_int_equal(tally_dso_number(a), 0);
	assert_int_equal(tally_dso_number(c), 1);
	assert_ptr_equal(get(tree, "/a", false), a);
	assert_ptr_equal(get(tree, "/c", false), c);
	assert_int_equal(tally_dso_number(get(tree, "/b", false)), 2);
}

static void finds_a_debug_file_by_build_id(void **state)
{
	struct tree *tree = *state;

	write_image(tree, "root/bin/prog", false);
	write_image(tree,
		    "root/usr/lib/debug/.build-id/a0/"
		    "a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3.debug",
		    true);
	expect_found(get(tree, "/bin/prog", true), TALLY_DSO_SOURCE_DEBUGFILE);
	expect_found(get(tree, "/bin/gone", true), TALLY_DSO_SOURCE_DEBUGFILE);
	expect_state(get(tree, "/bin/gone", false), TALLY_DSO_MISSING);
}

static void finds_files_in_the_build_id_cache(void **state)
{
	struct tree *tree = *state;

	write_image(tree, "cache/.build-id/a0/a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3/elf", true);
	expect_found(get(tree, "/bin/gone", true), TALLY_DSO_SOURCE_BUILDID);
}

static void searches_debuglink_paths(void **state)
{
	static const char *const places[] = {
		"root/bin/x.debug",
		"root/bin/.debug/x.debug",
		"root/usr/lib/debug/bin/x.debug",
	};
	struct tree *tree = *state;
	char name[64], path[128];

	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "/bin/prog%zu", i);
		snprintf(path, sizeof(path), "root%s", name);
		write_image(tree, path, false);
		write_image(tree, places[i], true);
		expect_found(get(tree, name, true), TALLY_DSO_SOURCE_DEBUGFILE);
		snprintf(path, sizeof(path), "%s/%s", tree->dir, places[i]);
		assert_int_equal(unlink(path), 0);
	}
}

/* If neither the file nor its debug file has a build ID, the CRC determines whether they match. */
static void checks_the_debuglink_crc(void **state)
{
	struct tree *tree = *state;
	struct image image, debug;

	image_build(&debug, true, false, full, 2);
	*(char *)memmem(debug.data, debug.len, "GNU", 3) = 'X';
	write_file(tree, "root/bin/x.debug", debug.data, debug.len);
	image_build(&image, true, false, stripped, 0);
	*(char *)memmem(image.data, image.len, "GNU", 3) = 'X';
	write_file(tree, "root/bin/wrong", image.data, image.len);
	tally_put_u32((char *)memmem(image.data, image.len, "x.debug", 8) + 8,
		      tally_elf_debuglink_crc(debug.data, debug.len));
	write_file(tree, "root/bin/right", image.data, image.len);
	expect_found(get(tree, "/bin/right", false), TALLY_DSO_SOURCE_DEBUGFILE);
	expect_state(get(tree, "/bin/wrong", false), TALLY_DSO_NO_SYMBOLS);
}

static void reports_why_symbols_are_missing(void **state)
{
	struct tree *tree = *state;
	struct image image;
	struct tally_dso *dso;

	expect_state(get(tree, "/bin/none", true), TALLY_DSO_MISSING);
	write_file(tree, "root/bin/script", "#!/bin/sh\n", 10);
	expect_state(get(tree, "/bin/script", false), TALLY_DSO_NOT_ELF);
	write_image(tree, "root/bin/stripped", false);
	expect_state(get(tree, "/bin/stripped", true), TALLY_DSO_NO_SYMBOLS);
	image_build(&image, true, false, full, 2);
	write_file(tree, "root/bin/cut", image.data, image.len - 100);
	expect_state(get(tree, "/bin/cut", false), TALLY_DSO_BROKEN);
	write_image(tree, "root/bin/prog", true);
	id[3]++;
	dso = get(tree, "/bin/prog", true);
	id[3]--;
	expect_state(dso, TALLY_DSO_MISMATCH);
	expect_state(get(tree, "/bin", false), TALLY_DSO_NOT_ELF);
}

static void build_ids(void **state)
{
	struct tree *tree = *state;
	const uint8_t *got;
	size_t size;

	write_image(tree, "root/bin/prog", true);
	got = tally_dso_build_id(get(tree, "/bin/prog", false), &size);
	assert_int_equal(size, 20);
	assert_memory_equal(got, id, 20);
	got = tally_dso_build_id(get(tree, "/bin/none", true), &size);
	assert_memory_equal(got, id, 20);
	assert_null(tally_dso_build_id(get(tree, "/bin/none", false), &size));
	assert_int_equal(size, 0);
}

static void running_build_ids(void **state)
{
	static const struct tally_dso_key without[] = {
		{TALLY_DSO_USER, "(unreachable)/bin/prog"},
		{TALLY_DSO_USER, "/nonexistent/prog"},
		{TALLY_DSO_VDSO, "[vdso32]"},
		{TALLY_DSO_MODULE, "[tally_has_no_such_module]"},
		{TALLY_DSO_PERF_MAP, "/bin/sh", .pid = 1},
		{TALLY_DSO_UNKNOWN, "/bin/sh"},
	};
	struct tree *tree = *state;
	struct tally_dso *dso;
	uint8_t got[TALLY_BUILD_ID_MAX] = {0};
	size_t size = 0;

	write_image(tree, "root/bin/prog", true);
	assert_int_equal(tally_dso_running_build_id(get(tree, "/bin/prog", false), got, &size), 0);
	assert_int_equal(size, 20);
	assert_memory_equal(got, id, 20);
	got[0] = 0;
	assert_int_equal(tally_dso_running_build_id(get(tree, "/bin/none", true), got, &size), 0);
	assert_memory_equal(got, id, 20);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		assert_int_equal(tally_dso_get(tree->symbols, &without[i], &dso), 0);
		assert_int_equal(tally_dso_running_build_id(dso, got, &size), -ENOENT);
	}
}

static void reads_perf_maps(void **state)
{
	static const char text[] = "7f0000001000 100 jitted\n";
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_PERF_MAP, "//anon", .pid = 1 << 29, .nspid = 7};
	struct tally_dso *dso;

	write_file(tree, "root/tmp/perf-7.map", text, sizeof(text) - 1);
	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	assert_string_equal(dso_name_at(dso, 0x7f0000001010), "jitted");
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_PERF_MAP);
	key.nspid = 0;
	key.pid++;
	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	assert_null(tally_dso_find(dso, 0x7f0000001010));
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_MISSING);
}

/* Start over with a kernel that was recorded at `address`. */
static struct tally_dso *begin_kernel(struct tree *tree,
				      const struct tally_symbols_options *options,
				      const struct tally_dso_key *kernel, uint64_t address)
{
	struct tally_dso *dso;

	tally_symbols_free(tree->symbols);
	assert_int_equal(tally_symbols_new(options, &tree->symbols), 0);
	assert_int_equal(tally_dso_get(tree->symbols, kernel, &dso), 0);
	assert_int_equal(tally_dso_set_address(dso, "_text", address), 0);
	return dso;
}

/* If a kernel was recorded at an address other than that of its symbols, the whole kernel was
 * moved. Module symbols do not apply in this case. */
static void moves_kernel_symbols_but_not_modules(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000100 T schedule\n"
				   "ffffffffc0000000 t ext4_read\t[ext4]\n";
	struct tree *tree = *state;
	struct tally_symbols_options options = {0};
	struct tally_dso_key kernel = {TALLY_DSO_KERNEL, "[kernel.kallsyms]"};
	struct tally_dso_key module = {TALLY_DSO_MODULE, "/lib/modules/6/ext4.ko.xz"};
	char path[128];
	struct tally_dso *dso;

	write_file(tree, "kallsyms", text, sizeof(text) - 1);
	snprintf(path, sizeof(path), "%s/kallsyms", tree->dir);
	options.kallsyms = path;
	for (uint64_t moved = 0; moved <= 0x1000000; moved += 0x1000000) {
		dso = begin_kernel(tree, &options, &kernel, 0xffffffff81000000 + moved);
		assert_string_equal(dso_name_at(dso, 0xffffffff81000110 + moved), "schedule");
		assert_null(tally_dso_find(dso, 0xffffffffc0000010));
		assert_int_equal(tally_dso_get(tree->symbols, &module, &dso), 0);
		assert_true(!tally_dso_find(dso, 0xffffffffc0000010) == (moved != 0));
	}
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_MISMATCH);
}

/* perf's cached kallsyms file is preferred to the running kernel's only if it has the recorded
 * kernel address. The cached file is not used after a reboot, or for modules. */
static void prefers_cached_kallsyms_at_the_recorded_address(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000100 T from_cache\n"
				   "ffffffffc0000000 t from_cache_too\t[ext4]\n";
	struct tree *tree = *state;
	struct tally_symbols_options options = {.buildid_dir = tree->cache, .ignore_vmlinux = true};
	struct tally_dso_key kernel = {TALLY_DSO_KERNEL, "[kernel.kallsyms]"};
	struct tally_dso_key module = {TALLY_DSO_MODULE, "[ext4]"};
	uint8_t running[TALLY_BUILD_ID_MAX];
	const char *found;
	struct tally_dso *dso;
	char path[128];
	int len;

	if (access("/sys/kernel/notes", R_OK))
		probe_skip("the kernel does not tell its build id");
	assert_int_equal(tally_kernel_build_id(running, &kernel.build_id_size), 0);
	kernel.build_id = running;
	len = snprintf(path, sizeof(path), "cache/.build-id/%02x/", running[0]);
	for (size_t i = 1; i < kernel.build_id_size; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", running[i]);
	snprintf(path + len, sizeof(path) - (size_t)len, "/kallsyms");
	write_file(tree, path, text, sizeof(text) - 1);
	for (uint64_t moved = 0; moved <= 0x1000000; moved += 0x1000000) {
		dso = begin_kernel(tree, &options, &kernel, 0xffffffff81000000 + moved);
		found = dso_name_at(dso, 0xffffffff81000110 + moved);
		assert_true((found && !strcmp(found, "from_cache")) == !moved);
		assert_int_equal(tally_dso_get(tree->symbols, &module, &dso), 0);
		found = dso_name_at(dso, 0xffffffffc0000010);
		assert_false(found && !strcmp(found, "from_cache_too"));
	}
}

static void moves_symbols_of_vmlinux(void **state)
{
	struct tree *tree = *state;
	struct tally_symbols_options options = {0};
	struct tally_dso_key kernel = {TALLY_DSO_KERNEL, "[kernel.kallsyms]"};
	char path[128];
	struct tally_dso *dso;

	write_image(tree, "vmlinux", true);
	snprintf(path, sizeof(path), "%s/vmlinux", tree->dir);
	options.vmlinux = path;
	tally_symbols_free(tree->symbols);
	assert_int_equal(tally_symbols_new(&options, &tree->symbols), 0);
	assert_int_equal(tally_dso_get(tree->symbols, &kernel, &dso), 0);
	assert_int_equal(tally_dso_set_address(dso, "_Z4funcv", 0xffffffff81000000), 0);
	assert_string_equal(dso_name_at(dso, 0xffffffff81000025), "other");
	/* Kernel names are not demangled. */
	assert_string_equal(tally_symbol_name(dso, tally_dso_find(dso, 0xffffffff81000000)),
			    "_Z4funcv");
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_VMLINUX);
}

static void finds_symbols_of_this_process_vdso(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_VDSO, "[vdso]"};
	struct tally_dso *dso;

	/* With a symfs, this process's vdso is not used. */
	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	expect_state(dso, TALLY_DSO_FOREIGN);
	tally_symbols_free(tree->symbols);
	assert_int_equal(tally_symbols_new(NULL, &tree->symbols), 0);
	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	tally_dso_find(dso, 0);
	if (!getauxval(AT_SYSINFO_EHDR))
		probe_skip("this process has no vdso");
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_LOADED);
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_MEMORY);
}

static void finds_the_kind_of_a_dso(void **state)
{
	static const struct {
		const char *name;
		bool kernel;
		enum tally_dso_kind kind;
	} rows[] = {
		{"/usr/bin/x", false, TALLY_DSO_USER},
		{"//anon", false, TALLY_DSO_PERF_MAP},
		{"[anon:v8]", false, TALLY_DSO_PERF_MAP},
		{"/memfd:jit (deleted)", false, TALLY_DSO_PERF_MAP},
		{"anon_inode:[io_uring]", false, TALLY_DSO_PERF_MAP},
		{"[vdso]", false, TALLY_DSO_VDSO},
		{"[vsyscall]", false, TALLY_DSO_UNKNOWN},
		{"/dev/dri/card0", false, TALLY_DSO_USER},
		{"/dev/shm/bench/prog", false, TALLY_DSO_USER},
		{"/dev/zero (deleted)", false, TALLY_DSO_PERF_MAP},
		{"/dev/ashmem/dalvik-jit-code-cache (deleted)", false, TALLY_DSO_PERF_MAP},
		{"", false, TALLY_DSO_UNKNOWN},
		{"[kernel.kallsyms]_text", true, TALLY_DSO_KERNEL},
		{"[ext4]", true, TALLY_DSO_MODULE},
		{"/lib/modules/6.1/ext4.ko", true, TALLY_DSO_MODULE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tally_dso_kind_of(rows[i].name, rows[i].kernel), rows[i].kind);
}

static void walk(void **state)
{
	struct tree *tree = *state;
	struct tally_dso_key nameless = {0};
	struct tally_dso *a = get(tree, "/a", false), *b = get(tree, "/b", false);
	size_t pos = 0;

	assert_ptr_equal(tally_dso_next(tree->symbols, &pos), a);
	assert_ptr_equal(tally_dso_next(tree->symbols, &pos), b);
	assert_null(tally_dso_next(tree->symbols, &pos));
	assert_string_equal(tally_dso_name(b), "/b");
	assert_int_equal(tally_dso_kind(b), TALLY_DSO_USER);
	assert_int_equal(tally_dso_get(tree->symbols, &nameless, &a), -EINVAL);
	tally_symbols_free(NULL);
}

/* Find the symbols of a real program that binutils split into a stripped file and a debug file. */
static void finds_symbols_of_a_split_program(void **state)
{
	struct tree *tree = *state;
	char command[1024];
	struct tally_dso *dso;

	write_file(tree, "root/bin/.keep", "", 0);
	snprintf(command, sizeof(command),
		 "cd %s/root/bin && cp /proc/%d/exe prog && objcopy --only-keep-debug prog "
		 "prog.debug && objcopy -R .note.gnu.build-id -R .note.gnu.property -g -x -S prog "
		 "bare && objcopy --add-gnu-debuglink=prog.debug bare && mkdir .debug && mv "
		 "prog.debug .debug/",
		 tree->dir, (int)getpid());
	if (system(command))
		probe_skip("objcopy is missing, or does not split this program");
	dso = get(tree, "/bin/bare", false);
	tally_dso_find(dso, 0);
	assert_int_equal(tally_dso_status(dso).state, TALLY_DSO_LOADED);
	assert_int_equal(tally_dso_status(dso).source, TALLY_DSO_SOURCE_DEBUGFILE);
	assert_non_null(strstr(tally_dso_status(dso).path, "/.debug/prog.debug"));
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

/* Get the DSO of a file in the tree by its full path, as if mapped by `pid` from `inode`. */
static struct tally_dso *get_inode(struct tally_symbols *symbols, const char *path, pid_t pid,
				   struct tally_dso_inode inode)
{
	struct tally_dso_key key = {TALLY_DSO_USER, path, .pid = pid, .inode = inode};
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(symbols, &key, &dso), 0);
	return dso;
}

static void distinguishes_files_by_inode(void **state)
{
	static const struct tally_dso_inode disk = {7, 8, 1}, other_disk = {7, 8, 2},
					    overlay = {9, 0, 40}, other_overlay = {9, 0, 41},
					    other_file = {10, 0, 40}, none = {0};
	struct tree *tree = *state;
	struct tally_dso_key key = {TALLY_DSO_USER, "/lib/c", id, 20, .inode = disk};
	struct tally_dso *dso, *same;

	dso = get_inode(tree->symbols, "/lib/c", 1, disk);
	assert_ptr_equal(dso, get_inode(tree->symbols, "/lib/c", 2, disk));
	assert_ptr_not_equal(dso, get_inode(tree->symbols, "/lib/c", 1, other_disk));
	assert_ptr_not_equal(dso, get_inode(tree->symbols, "/lib/c", 1, none));
	dso = get_inode(tree->symbols, "/lib/c", 1, overlay);
	assert_ptr_equal(dso, get_inode(tree->symbols, "/lib/c", 1, other_overlay));
	assert_ptr_not_equal(dso, get_inode(tree->symbols, "/lib/c", 1, other_file));
	/* A build ID identifies the file, so the inode is ignored if there is a build ID. */
	assert_int_equal(tally_dso_get(tree->symbols, &key, &dso), 0);
	key.inode = other_disk;
	assert_int_equal(tally_dso_get(tree->symbols, &key, &same), 0);
	assert_ptr_equal(dso, same);
}

/* The file at the path must have the same inode as the mapped file. */
static void opens_only_the_file_with_the_inode(void **state)
{
	struct tree *tree = *state;
	struct tally_symbols *symbols;
	struct tally_dso_inode inode;
	struct tally_dso *dso;
	struct stat st;
	char path[128];

	write_image(tree, "bin/prog", true);
	snprintf(path, sizeof(path), "%s/bin/prog", tree->dir);
	assert_int_equal(stat(path, &st), 0);
	inode = (struct tally_dso_inode){st.st_ino, major(st.st_dev), minor(st.st_dev)};
	assert_int_equal(tally_symbols_new(NULL, &symbols), 0);
	dso = get_inode(symbols, path, 0, inode);
	assert_string_equal(tally_symbol_name(dso, tally_dso_find(dso, 0x1010)), "func");
	assert_string_equal(tally_dso_status(dso).path, path);
	inode.ino++;
	dso = get_inode(symbols, path, 0, inode);
	expect_state(dso, TALLY_DSO_REPLACED);
	assert_null(tally_dso_build_id(dso, &(size_t){0}));
	inode.ino++;
	expect_state(get_inode(symbols, path, getpid(), inode), TALLY_DSO_REPLACED);
	/* If the origin of the recording is unknown, the inode is ignored. */
	inode.ino++;
	assert_int_equal(tally_symbols_set_origin(symbols, TALLY_SYMBOLS_UNKNOWN, NULL), 0);
	assert_non_null(tally_dso_find(get_inode(symbols, path, 0, inode), 0x1010));
	tally_symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(finds_symbols_in_the_file_itself),
		TREE_TEST(finds_a_debug_file_by_build_id),
		TREE_TEST(keeps_symbols_of_a_truncated_file),
		TREE_TEST(collects_unused_dsos),
		TREE_TEST(finds_files_in_the_build_id_cache),
		TREE_TEST(searches_debuglink_paths),
		TREE_TEST(checks_the_debuglink_crc),
		TREE_TEST(reports_why_symbols_are_missing),
		TREE_TEST(build_ids),
		TREE_TEST(running_build_ids),
		TREE_TEST(reads_perf_maps),
		TREE_TEST(moves_kernel_symbols_but_not_modules),
		TREE_TEST(prefers_cached_kallsyms_at_the_recorded_address),
		TREE_TEST(moves_symbols_of_vmlinux),
		TREE_TEST(finds_symbols_of_this_process_vdso),
		cmocka_unit_test(finds_the_kind_of_a_dso),
		TREE_TEST(distinguishes_files_by_inode),
		TREE_TEST(opens_only_the_file_with_the_inode),
		TREE_TEST(walk),
		TREE_TEST(finds_symbols_of_a_split_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
