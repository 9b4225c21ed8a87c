/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "tally/events.h"

#include <cmocka.h>

static const char text[] = "name: demo\n"
			   "ID: 316\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			   "\n"
			   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			   "\tfield:s16 small;\toffset:24;\tsize:2;\tsigned:1;\n"
			   "\tfield:unsigned long args[3];\toffset:32;\tsize:24;\tsigned:0;\n"
			   "\tfield:__data_loc char[] name;\toffset:56;\tsize:4;\tsigned:1;\n"
			   "\tfield:__rel_loc u32[] list;\toffset:60;\tsize:4;\tsigned:0;\n"
			   "\tfield:const char * ptr;\toffset:64;\tsize:8;\tsigned:0;\n"
			   "\tfield:u8 wide[TASK_LEN];\toffset:72;\tsize:3;\tsigned:0;\n"
			   "\tfield:struct odd thing;\toffset:75;\tsize:3;\tsigned:0;\n"
			   "\n"
			   "print fmt: \"comm=%s\", REC->comm\n";

static const struct {
	const char *name, *type;
	uint32_t offset, size, elements, element_size;
	bool is_signed, array, string, dynamic, relative, pointer;
} fields[] = {
	{"common_type", "unsigned short", 0, 2, 1, 2},
	{"common_pid", "int", 4, 4, 1, 4, .is_signed = true},
	{"comm", "char[16]", 8, 16, 16, 1, .array = true, .string = true},
	{"small", "s16", 24, 2, 1, 2, .is_signed = true},
	{"args", "unsigned long[3]", 32, 24, 3, 8, .array = true},
	{"name", "__data_loc char[]", 56, 4, 1, 1, true, true, true, true},
	{"list", "__rel_loc u32[]", 60, 4, 1, 4, false, true, false, true, true},
	{"ptr", "const char *", 64, 8, 1, 8, .pointer = true},
	{"wide", "u8[TASK_LEN]", 72, 3, 3, 1, .array = true, .string = true},
	{"thing", "struct odd", 75, 3, 1, 3},
};

static void fields_are_read(void **state)
{
	struct tally_tp_format *format;

	assert_int_equal(tally_tp_format_parse(text, sizeof(text) - 1, &format, NULL), 0);
	assert_string_equal(format->name, "demo");
	assert_int_equal(format->id, 316);
	assert_int_equal(format->nr_common, 2);
	assert_int_equal(format->nr_fields, sizeof(fields) / sizeof(fields[0]));
	assert_string_equal(format->print_fmt, "\"comm=%s\", REC->comm");
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct tally_tp_field *field = &format->fields[i];

		assert_string_equal(field->name, fields[i].name);
		assert_string_equal(field->type, fields[i].type);
		assert_int_equal(field->offset, fields[i].offset);
		assert_int_equal(field->size, fields[i].size);
		assert_int_equal(field->elements, fields[i].elements);
		assert_int_equal(field->element_size, fields[i].element_size);
		assert_int_equal(field->is_signed, fields[i].is_signed);
		assert_int_equal(field->is_array, fields[i].array);
		assert_int_equal(field->is_string, fields[i].string);
		assert_int_equal(field->is_dynamic, fields[i].dynamic);
		assert_int_equal(field->is_relative, fields[i].relative);
		assert_int_equal(field->is_pointer, fields[i].pointer);
		assert_ptr_equal(tally_tp_format_find(format, field->name), field);
	}
	assert_null(tally_tp_format_find(format, "nosuch"));
	tally_tp_format_free(format);
	tally_tp_format_free(NULL);
}

static void reads_fields_of_a_payload(void **state)
{
	uint8_t data[96] = {0};
	struct tally_tp_raw raw = {data, sizeof(data), false};
	struct tally_tp_format *format;
	const uint8_t *bytes;
	uint64_t value;
	size_t len;

	tally_tp_format_parse(text, sizeof(text) - 1, &format, NULL);
	memcpy(data + 8, "hello", 5);
	data[24] = 0xfe;
	data[25] = 0xff;
	memcpy(data + 56, (uint8_t[]){80, 0, 5, 0}, 4); /* 5 bytes at 80 */
	memcpy(data + 60, (uint8_t[]){24, 0, 8, 0}, 4); /* 8 bytes at 64 + 24 */
	memcpy(data + 80, "name", 4);
	assert_int_equal(tally_tp_field_u64(tally_tp_format_find(format, "small"), &raw, &value),
			 0);
	assert_int_equal((int64_t)value, -2);
	raw.swap = true;
	tally_tp_field_u64(tally_tp_format_find(format, "small"), &raw, &value);
	assert_int_equal((int64_t)value, (int16_t)0xfeff);
	raw.swap = false;
	assert_int_equal(tally_tp_field_u64(tally_tp_format_find(format, "comm"), &raw, &value),
			 -EINVAL);
	assert_int_equal(
		tally_tp_field_bytes(tally_tp_format_find(format, "name"), &raw, &bytes, &len), 0);
	assert_ptr_equal(bytes, data + 80);
	assert_int_equal(len, 5);
	assert_int_equal(
		tally_tp_field_bytes(tally_tp_format_find(format, "list"), &raw, &bytes, &len), 0);
	assert_ptr_equal(bytes, data + 88);
	assert_int_equal(len, 8);
	data[58] = 200;
	assert_int_equal(
		tally_tp_field_bytes(tally_tp_format_find(format, "name"), &raw, &bytes, &len),
		-ERANGE);
	raw.len = 30;
	assert_int_equal(tally_tp_field_u64(tally_tp_format_find(format, "ptr"), &raw, &value),
			 -ERANGE);
	tally_tp_format_free(format);
}

static void broken_formats_are_refused(void **state)
{
	static const struct {
		const char *text;
		uint64_t offset;
	} rows[] = {
		{"", 0},
		{"ID: 3\n", 0},
		{"name: x\n\tfield:int a;\tsize:4;\n", 9},
		{"name: x\n\tfield:int a;\toffset:4;\n", 9},
		{"name: x\n\tfield:int a\n", 9},
		{"name: x\n\tfield:;\toffset:4;\tsize:4;\n", 15},
		{"name: x\n\tfield:int a;\toffset:99999999999;\tsize:4;\n", 9},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_tp_format *format = NULL;
		struct tally_error err = {0};

		assert_int_equal(
			tally_tp_format_parse(rows[i].text, strlen(rows[i].text), &format, &err),
			-EINVAL);
		assert_null(format);
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(err.text);
	}
}

/* ---- files of real kernels ----------------------------------------------- */

static size_t nr_parsed, nr_compiled, nr_refused;

/* Parse a format file. Its print fmt must compile, or be rejected as unsupported. */
static struct tally_tp_format *parse_file(const char *path)
{
	const struct tally_tp_target target = {.long_size = 8};
	struct tally_tp_format *format = NULL;
	struct tally_tp_print *print = NULL;
	struct tally_error err = {0};
	char *data;
	size_t len;
	int ret;

	assert_int_equal(tally_file_read(path, 1 << 20, &data, &len), 0);
	ret = tally_tp_format_parse(data, len, &format, &err);
	if (ret)
		print_message("# %s: %s at %d\n", path, err.text, (int)err.offset);
	assert_int_equal(ret, 0);
	assert_true(format->nr_common >= 4);
	nr_parsed++;
	ret = tally_tp_print_compile(format, &target, &print, &err);
	assert_true(ret == 0 || ret == -EOPNOTSUPP);
	if (ret)
		nr_refused++;
	else
		nr_compiled++;
	tally_tp_print_free(print);
	free(data);
	return format;
}

/* Check a format file against its row in counts.tsv, which contains another parser's counts. */
static void check_row(const char *root, const char *row)
{
	char file[256], name[128], path[512];
	unsigned id, nr_common, nr_fields, bytes, sum = 0;
	struct tally_tp_format *format;

	assert_int_equal(sscanf(row, "%255[^\t]\t%127[^\t]\t%u\t%u\t%u\t%u", file, name, &id,
				&nr_common, &nr_fields, &bytes),
			 6);
	snprintf(path, sizeof(path), "%s/tracefs-formats/%s", root, file);
	format = parse_file(path);
	assert_string_equal(format->name, name);
	assert_int_equal(format->id, id);
	assert_int_equal(format->nr_common, nr_common);
	assert_int_equal(format->nr_fields, nr_fields);
	for (size_t i = 0; i < format->nr_fields; i++)
		sum += format->fields[i].size;
	assert_int_equal(sum, bytes);
	tally_tp_format_free(format);
}

static void own_formats_parse(void **state)
{
	const char *root = getenv("TALLY_FIXTURES");
	char path[512], line[512];
	FILE *rows;

	assert_non_null(root);
	snprintf(path, sizeof(path), "%s/tracefs-formats/counts.tsv", root);
	rows = fopen(path, "r");
	assert_non_null(rows);
	nr_parsed = nr_compiled = nr_refused = 0;
	assert_non_null(fgets(line, sizeof(line), rows));
	while (fgets(line, sizeof(line), rows))
		check_row(root, line);
	fclose(rows);
	print_message("# %zu formats, %zu print fmts compiled, %zu refused\n", nr_parsed,
		      nr_compiled, nr_refused);
	assert_true(nr_parsed >= 50);
	assert_true(nr_refused < nr_parsed / 10);
}

/* ---- archive of 2,751 files, if installed ---------------------------------- */

static int parse_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_F)
		tally_tp_format_free(parse_file(path));
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static const char *shared_archive(void)
{
	static char archive[512];
	const char *shared = getenv("TALLY_SHARED_FIXTURES");

	snprintf(archive, sizeof(archive), "%s/tracefs-formats/formats0.tar.xz",
		 shared ? shared : "");
	return access(archive, R_OK) ? NULL : archive;
}

static void shared_formats_parse(void **state)
{
	char command[1024], dir[] = "/tmp/tally-formats-XXXXXX";

	if (!shared_archive()) {
		print_message("# skipped: there are no shared fixtures\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "tar -C %s -xf '%s'", dir, shared_archive());
	if (system(command)) {
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		print_message("# skipped: tar cannot unpack %s\n", shared_archive());
		skip();
	}
	nr_parsed = nr_compiled = nr_refused = 0;
	nftw(dir, parse_one, 16, FTW_PHYS);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	print_message("# %zu formats, %zu print fmts compiled, %zu refused\n", nr_parsed,
		      nr_compiled, nr_refused);
	assert_int_equal(nr_parsed, 2751);
	assert_true(nr_refused < nr_parsed / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read),
		cmocka_unit_test(reads_fields_of_a_payload),
		cmocka_unit_test(broken_formats_are_refused),
		cmocka_unit_test(own_formats_parse),
		cmocka_unit_test(shared_formats_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
