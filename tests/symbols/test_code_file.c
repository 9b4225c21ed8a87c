/* SPDX-License-Identifier: BSD-2-Clause */
/* Locate the code in each kind of DSO and determine the code's linked address. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_image.h"
#include "jit_image.h"
#include "symbols/code_file.h"
#include "symbols/dso.h"
#include "symbols/load_errors.h"
#include "temporary.h"

enum {
	PAGE = IMAGE_TEXT_OFFSET,
	SECTIONS = 64, /* size of Elf64_Shdr */
	SECTION_TYPE = 4,
	SECTION_SIZE = 32,
	MOVED = 0x5000, /* offset of the running kernel from its linked address */
	UNUSED_PID = 4194304,
};

struct fixture {
	char dir[64], path[128];
	struct tally_symbols *symbols;
	struct tally_code_file *file;
	struct tally_code code;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(mkdtemp(strcpy(f->dir, "/tmp/tally-bytes-XXXXXX")));
	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tally_code_file_close(f->file);
	tally_symbols_free(f->symbols);
	temporary_remove(f->dir);
	free(f);
	return 0;
}

/* Write a file with code bytes that count up. */
static void write_image(struct fixture *f, const char *name, bool has_code)
{
	static const struct image_symbol symbols[] = {
		{"_text", IMAGE_TEXT, 16, STB_GLOBAL, STT_FUNC},
	};
	static struct image image;
	FILE *file;

	image_build(&image, true, false, symbols, 1);
	assert_true(image.len <= PAGE);
	tally_put_u64(image.data + image.len - SECTIONS * 6 + SECTION_SIZE, IMAGE_TEXT_SIZE);
	if (!has_code)
		image.data[image.len - SECTIONS * 6 + SECTION_TYPE] = SHT_NOBITS;
	for (int i = 0; i < IMAGE_TEXT_SIZE; i++)
		image.data[PAGE + i] = (uint8_t)i;
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	file = fopen(f->path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, PAGE + IMAGE_TEXT_SIZE, file),
			 PAGE + IMAGE_TEXT_SIZE);
	fclose(file);
}

static struct tally_dso *get(struct fixture *f, enum tally_dso_kind kind, const char *name)
{
	struct tally_dso_key key = {.kind = kind, .name = name, .pid = UNUSED_PID};
	struct tally_dso *dso;

	assert_int_equal(tally_dso_get(f->symbols, &key, &dso), 0);
	return dso;
}

/* Check that four bytes at `addr` count up from `first`. */
static void assert_code(struct fixture *f, uint64_t addr, uint8_t first, uint64_t linked)
{
	uint64_t back, at, len;

	assert_int_equal(tally_code_file_read(f->file, addr, addr + 4, &f->code), 0);
	assert_int_equal(f->code.len, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(f->code.bytes[i], first + i);
	assert_int_equal(f->code.linked, linked);
	assert_false(f->code.is_cut);
	assert_true(tally_code_file_linked(f->file, addr, &at, &len));
	assert_int_equal(at, linked);
	assert_true(len >= 4);
	assert_true(tally_code_file_address(f->file, linked, &back));
	assert_int_equal(back, addr);
}

static void reads_code_of_user_files(void **state)
{
	struct fixture *f = *state;

	write_image(f, "program", true);
	assert_int_equal(tally_code_file_open(get(f, TALLY_DSO_USER, f->path), &f->file), 0);
	assert_code(f, PAGE + 8, 8, IMAGE_TEXT + 8);
	assert_int_equal(f->code.machine, EM_X86_64);
	assert_true(f->code.is64);
	assert_false(f->code.is_big_endian);
	assert_string_equal(tally_code_file_path(f->file), f->path);
	/* Reads stop at the end of the code. */
	assert_int_equal(
		tally_code_file_read(f->file, PAGE + IMAGE_TEXT_SIZE - 2, UINT64_MAX, &f->code), 0);
	assert_int_equal(f->code.len, 2);
	assert_true(f->code.is_cut);
	assert_int_equal(
		tally_code_file_read(f->file, PAGE + IMAGE_TEXT_SIZE, UINT64_MAX, &f->code),
		-ERANGE);
	assert_int_equal(tally_code_file_read(f->file, 8, 16, &f->code), -ERANGE);
	assert_int_equal(tally_code_file_read(f->file, PAGE, PAGE, &f->code), -EINVAL);
	assert_int_equal(tally_code_file_read(f->file, UINT64_MAX, 1, &f->code), -EINVAL);
	assert_int_equal(truncate(f->path, PAGE), 0);
	assert_int_equal(tally_code_file_read(f->file, PAGE, PAGE + 4, &f->code), -EIO);
}

static void rejects_files_without_code(void **state)
{
	struct fixture *f = *state;

	write_image(f, "program.debug", false);
	assert_int_equal(tally_code_file_open(get(f, TALLY_DSO_USER, f->path), &f->file), -ENODATA);
	assert_int_equal(tally_code_file_open(get(f, TALLY_DSO_USER, "/none/such"), &f->file),
			 TALLY_DSO_ERROR_REMOVED);
	assert_int_equal(tally_code_file_state(TALLY_DSO_ERROR_REMOVED), TALLY_DSO_REMOVED);
	assert_int_equal(tally_code_file_state(-ENOENT), TALLY_DSO_MISSING);
	assert_int_equal(tally_code_file_open(get(f, TALLY_DSO_UNKNOWN, "[heap]"), &f->file),
			 -ENODATA);
	assert_int_equal(tally_code_file_open(get(f, TALLY_DSO_PERF_MAP, "perf"), &f->file),
			 -ENODATA);
	assert_null(f->file);
	tally_code_file_close(NULL);
}

/* A kernel image contains the linked address, while the recording contains the run-time address. */
static void reads_code_of_kernel_images(void **state)
{
	struct fixture *f = *state;
	struct tally_symbols_options options = {.vmlinux = f->path};
	struct tally_dso *kernel;

	write_image(f, "vmlinux", true);
	tally_symbols_free(f->symbols);
	assert_int_equal(tally_symbols_new(&options, &f->symbols), 0);
	kernel = get(f, TALLY_DSO_KERNEL, "[kernel.kallsyms]");
	assert_int_equal(tally_dso_set_address(kernel, "_text", IMAGE_TEXT + MOVED), 0);
	assert_int_equal(tally_code_file_open(kernel, &f->file), 0);
	assert_code(f, IMAGE_TEXT + MOVED + 4, 4, IMAGE_TEXT + 4);
}

static void reports_a_missing_kernel_image(void **state)
{
	struct tally_symbols_options options = {.ignore_vmlinux = true};
	struct fixture *f = *state;

	tally_symbols_free(f->symbols);
	assert_int_equal(tally_symbols_new(&options, &f->symbols), 0);
	assert_int_equal(
		tally_code_file_open(get(f, TALLY_DSO_KERNEL, "[kernel.kallsyms]"), &f->file),
		TALLY_CODE_ERROR_NO_KERNEL);
}

/* A jitdump contains the code and its address in memory. */
static void reads_code_of_jitdumps(void **state)
{
	struct jit_image image = jit_image_begin(UNUSED_PID, false);
	struct fixture *f = *state;
	struct tally_dso *dso;
	uint64_t place, back;
	FILE *file;

	jit_image_load(&image, 1, 0x7f0000001000, 8, 1, "first");
	jit_image_load(&image, 2, 0x7f0000002000, 8, 2, "second");
	snprintf(f->path, sizeof(f->path), "%s/jit-%d.dump", f->dir, UNUSED_PID);
	file = fopen(f->path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, image.len, file), image.len);
	fclose(file);
	dso = get(f, TALLY_DSO_JITDUMP, f->path);
	assert_int_equal(tally_code_file_open(dso, &f->file), 0);
	place = image.len - 8;
	assert_int_equal(tally_code_file_read(f->file, place, place + 8, &f->code), 0);
	assert_int_equal(f->code.linked, 0x7f0000002000);
	assert_int_equal(f->code.machine, 62);
	assert_int_equal(f->code.bytes[7], JIT_IMAGE_CODE);
	assert_true(tally_code_file_address(f->file, 0x7f0000002004, &back));
	assert_int_equal(back, place + 4);
	assert_false(tally_code_file_address(f->file, 0x7f0000003000, &back));
	free(image.data);
}

/* A module has a single section, which is at the recorded address. */
static void reads_code_of_modules(void **state)
{
	struct fixture *f = *state;
	struct tally_dso *module;

	write_image(f, "module.ko", true);
	module = get(f, TALLY_DSO_MODULE, f->path);
	assert_int_equal(tally_code_file_open(module, &f->file), -ENOENT);
	assert_int_equal(tally_dso_set_address(module, NULL, 0xffffffffc0000000), 0);
	assert_int_equal(tally_code_file_open(module, &f->file), 0);
	assert_code(f, 0xffffffffc0000008, 8, 8);
	assert_true(f->code.is_relocatable);
	assert_int_equal(tally_code_file_read(f->file, 0xffffffffc0000000 + IMAGE_TEXT_SIZE,
					      UINT64_MAX, &f->code),
			 -ERANGE);
	assert_int_equal(tally_code_file_read(f->file, 0, 4, &f->code), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_code_of_user_files, setup, teardown),
		cmocka_unit_test_setup_teardown(rejects_files_without_code, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_code_of_kernel_images, setup, teardown),
		cmocka_unit_test_setup_teardown(reports_a_missing_kernel_image, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_code_of_jitdumps, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_code_of_modules, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
