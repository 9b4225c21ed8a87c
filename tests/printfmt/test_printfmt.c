/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare formatted text with libtraceevent 1.7.1's output for the same format and payload. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tally/events.h"

#include <cmocka.h>

static const struct {
	const char *declaration;
	unsigned size;
	bool is_signed;
} fields[] = {
	{"int a", 4, true},
	{"unsigned int b", 4, false},
	{"s64 c", 8, true},
	{"unsigned long p", 8, false},
	{"char comm[8]", 8, false},
	{"__data_loc char[] str", 4, true},
	{"__data_loc u8[] arr", 4, false},
	{"u8 ip[16]", 16, false},
	{"u32 w[4]", 16, false},
	{"short h", 2, true},
	{"char * ptr", 8, false},
	{"__data_loc u32[] d32", 4, false},
	{"u8 mac[6]", 6, false},
	{"u32 v4", 4, false},
	{"__data_loc u8[] sa", 4, false},
};

static uint8_t payload[256];
static size_t payload_len;

static void put(size_t *at, const void *bytes, size_t len)
{
	memcpy(payload + *at, bytes, len);
	*at += len;
}

static void put_u64(size_t *at, uint64_t value, size_t len)
{
	put(at, &value, len);
}

static void payload_make(void)
{
	enum { BASE = 108, STR = BASE, ARR = STR + 7, D32 = ARR + 4, SA = D32 + 12 };
	size_t at = 8;

	put_u64(&at, (uint64_t)-5, 4);
	put_u64(&at, 7, 4);
	put_u64(&at, (uint64_t)-9, 8);
	put_u64(&at, 0xffffffff81000010, 8);
	put(&at, "hello\0xx", 8);
	put_u64(&at, STR | 7 << 16, 4);
	put_u64(&at, ARR | 4 << 16, 4);
	for (unsigned i = 0; i < 16; i++)
		put_u64(&at, i, 1);
	put(&at, (uint32_t[]){1, 2, 3, 0xffffffff}, 16);
	put_u64(&at, (uint64_t)-2, 2);
	put_u64(&at, 0x1234, 8);
	put_u64(&at, D32 | 12 << 16, 4);
	put(&at, "\xde\xad\xbe\xef\x00\x01", 6);
	put(&at, "\xc0\xa8\x00\x01", 4);
	put_u64(&at, SA | 28 << 16, 4);
	assert_int_equal(at, BASE);
	put(&at, "dynstr", 7);
	put(&at, "\x01\xab\xff\x04", 4);
	put(&at, (uint32_t[]){10, 0xffffffff, 7}, 12);
	put(&at, "\x0a\x00\x1f\x90\x00\x00\x00\x00\x20\x01\x0d\xb8\x00\x00\x00\x00", 16);
	put(&at, "\x00\x00\xff\x00\x00\x42\x83\x29\x00\x00\x00\x00", 12);
	payload_len = at;
}

static struct tally_tp_format *format_make(const char *print_fmt)
{
	struct tally_str text = {0};
	struct tally_tp_format *format = NULL;
	unsigned offset = 8;

	tally_str_add(&text,
		      "name: t\nID: 77\nformat:\n\tfield:unsigned short common_type;\toffset:0;"
		      "\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;"
		      "\tsigned:1;\n\n");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		tally_str_addf(&text, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			       fields[i].declaration, offset, fields[i].size, fields[i].is_signed);
		offset += fields[i].size;
	}
	tally_str_addf(&text, "\nprint fmt: %s\n", print_fmt);
	assert_int_equal(tally_tp_format_parse(text.data, text.len, &format, NULL), 0);
	tally_str_free(&text);
	return format;
}

static const char *resolve(uint64_t addr, uint64_t *ret_start, void *data)
{
	if (addr < 0xffffffff81000000 || addr >= 0xffffffff82000000)
		return NULL;
	*ret_start = 0xffffffff81000000;
	return "somefunc";
}

static const struct {
	const char *print_fmt, *text;
} rows[] = {
#include "printfmt_rows.h"
};

static void texts_are_those_of_perf(void **state)
{
	const struct tally_tp_target target = {.long_size = 8};
	const struct tally_tp_env env = {resolve, NULL};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_tp_format *format = format_make(rows[i].print_fmt);
		struct tally_tp_print *print = NULL;
		struct tally_str out = {0};
		struct tally_error err = {0};
		int ret = tally_tp_print_compile(format, &target, &print, &err);

		tally_tp_format_free(format);
		if (ret)
			print_message("# %s: %s\n", rows[i].print_fmt, err.text);
		assert_int_equal(ret, 0);
		assert_int_equal(tally_tp_print_run(print, payload, payload_len, &env, &out), 0);
		if (strcmp(tally_str_text(&out), rows[i].text))
			print_message("# %s\n", rows[i].print_fmt);
		assert_string_equal(tally_str_text(&out), rows[i].text);
		tally_str_free(&out);
		tally_tp_print_free(print);
	}
}

/* Formats for which perf prints [FAILED TO PARSE] are rejected, unless extensions are enabled. */
static const struct {
	const char *print_fmt, *beyond; /* text with extensions, or NULL if also rejected */
} refused[] = {
	{"\"%d\", sizeof(REC->ip)", "16"},
	{"\"%d\", (int)sizeof(u32)", "4"},
	{"\"%d\", sizeof(void *)", "8"},
	{"\"%s\", __print_symbolic_u64(REC->b, {7,\"SEV\"})", "SEV"},
	{"\"%s\", __print_flags_u64(REC->b, \"|\", {7,\"SEV\"})", "SEV"},
	{"\"%*.*s|\", 10, 3, REC->comm", "       hel|"},
	{"\"%d\", REC->w[REC->b - 5]", "3"},
	{"\"a\tb\"", "a\tb"},
	{"\"%d\", jiffies_to_msecs(REC->b)", NULL},
	{"\"%d\", ({ int x = REC->b; x; })", NULL},
	{"\"%d\", &REC->b", NULL},
	{"\"%d\", *(u8 *)REC->p", NULL},
	{"\"%d %d\", REC->b", NULL},
	{"\"%d\", REC->b ? : 3", NULL},
	{"\"%d\", (REC->b", NULL},
	{"\"%s\", __print_symbolic(REC->b)", NULL},
	{"\"%s\", __print_symbolic(REC->b, {REC->a, \"x\"})", NULL},
	{"\"%pI4\", REC->ip", NULL},
	{"\"%*ph\", 4, REC->ip", NULL},
	{"\"%d\", REC->nosuch", NULL},
	{"\"%d\", 3 * -2", NULL},
};

static void rejects_other_formats_with_a_reason(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tally_tp_format *format = format_make(refused[i].print_fmt);
		struct tally_tp_target target = {.long_size = 8};
		struct tally_tp_print *print = NULL;
		struct tally_error err = {0};
		struct tally_str out = {0};

		assert_int_equal(tally_tp_print_compile(format, &target, &print, &err),
				 -EOPNOTSUPP);
		assert_null(print);
		assert_non_null(err.text);
		assert_true(err.offset <= strlen(refused[i].print_fmt));
		target.beyond_perf = true;
		assert_int_equal(tally_tp_print_compile(format, &target, &print, &err),
				 refused[i].beyond ? 0 : -EOPNOTSUPP);
		if (print) {
			assert_int_equal(
				tally_tp_print_run(print, payload, payload_len, NULL, &out), 0);
			assert_string_equal(tally_str_text(&out), refused[i].beyond);
		}
		tally_str_free(&out);
		tally_tp_print_free(print);
		tally_tp_format_free(format);
	}
}

static void no_print_fmt_is_invalid(void **state)
{
	static const char *const texts[] = {"", "REC->a", "\"open", "%d"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tally_tp_format *format = format_make(texts[i]);
		const struct tally_tp_target target = {.long_size = 8};
		struct tally_tp_print *print = NULL;

		assert_int_equal(tally_tp_print_compile(format, &target, &print, NULL), -EINVAL);
		tally_tp_format_free(format);
	}
}

/* Check that expressions that exceed the nesting or length limit are rejected before the stack
 * overflows. */
static void deep_expressions_are_refused(void **state)
{
	static const char *const pieces[] = {
		"(", "(u8)", "!", "1+", "1?", "-(", "((u8 *)REC->ip)["};
	const struct tally_tp_target target = {.long_size = 8};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct tally_str text = {0};
		struct tally_tp_format *format;
		struct tally_tp_print *print = NULL;

		tally_str_add(&text, "\"%d\", ");
		for (int n = 0; n < 100000; n++)
			tally_str_add(&text, pieces[i]);
		tally_str_add(&text, "1");
		format = format_make(text.data);
		assert_int_not_equal(tally_tp_print_compile(format, &target, &print, NULL), 0);
		assert_null(print);
		tally_tp_format_free(format);
		tally_str_free(&text);
	}
}

/* Truncate payloads at every length. Bytes beyond the end must not be used, and missing bytes are
 * an error. */
static void short_payloads_are_noticed(void **state)
{
	const struct tally_tp_target target = {.long_size = 8};
	struct tally_tp_format *format =
		format_make("\"%d %s %s %s %s\", REC->a, REC->comm, __get_str(str), "
			    "__print_hex(__get_dynamic_array(arr), __get_dynamic_array_len(arr)), "
			    "__print_array(__get_dynamic_array(d32), 3, 4)");
	struct tally_tp_print *print = NULL;
	struct tally_str out = {0};
	uint8_t cut[sizeof(payload)];

	assert_int_equal(tally_tp_print_compile(format, &target, &print, NULL), 0);
	for (size_t len = 0; len < 131; len++) {
		memcpy(cut, payload, len);
		tally_str_clear(&out);
		assert_int_equal(tally_tp_print_run(print, cut, len, NULL, &out), -ERANGE);
	}
	tally_str_clear(&out);
	assert_int_equal(tally_tp_print_run(print, payload, 131, NULL, &out), 0);
	assert_string_equal(out.data, "-5 hello dynstr 01 ab ff 04 10 4294967295 7");
	tally_str_free(&out);
	tally_tp_print_free(print);
	tally_tp_format_free(format);
}

static void reads_payloads_of_other_byte_order(void **state)
{
	const struct tally_tp_target target = {.long_size = 8, .swap = true, .big_endian = true};
	struct tally_tp_format *format = format_make("\"%d %x %s %s\", REC->a, REC->b, "
						     "__get_str(str), __get_cpumask(arr)");
	struct tally_tp_print *print = NULL;
	struct tally_str out = {0};
	uint8_t data[128] = {0};

	memcpy(data + 8, "\xff\xff\xff\xfe", 4);
	memcpy(data + 12, "\x00\x00\x12\x34", 4);
	memcpy(data + 40, "\x00\x04\x00\x6c", 4);
	memcpy(data + 44, "\x00\x08\x00\x70", 4);
	memcpy(data + 0x6c, "big", 4);
	memcpy(data + 0x70, "\x00\x00\x00\x00\x00\x00\x01\x03", 8);
	assert_int_equal(tally_tp_print_compile(format, &target, &print, NULL), 0);
	assert_int_equal(tally_tp_print_run(print, data, sizeof(data), NULL, &out), 0);
	assert_string_equal(out.data, "-2 1234 big 0-1,8");
	tally_str_free(&out);
	tally_tp_print_free(print);
	tally_tp_format_free(format);
}

/* Check the limit on the length of the output. Literals, delimiters and field names can have any
 * length and are repeated for each payload. */
static void truncates_text_at_the_limit(void **state)
{
	static const char *const fmts[] = {"\"%s literal\", __get_str(str)",
					   "\"%s\", __print_hex(__get_dynamic_array(arr), 4)"};
	static const char *const whole[] = {"dynstr literal", "01 ab ff 04"};
	const struct tally_tp_target target = {.long_size = 8};
	const struct tally_tp_raw raw = {payload, payload_len, false};
	struct tally_str out = {0};

	for (size_t i = 0; i < 2; i++) {
		struct tally_tp_format *format = format_make(fmts[i]);
		struct tally_tp_print *print = NULL;
		size_t len = strlen(whole[i]);

		assert_int_equal(tally_tp_print_compile(format, &target, &print, NULL), 0);
		for (size_t max = 1; max <= len; max++) {
			const struct tally_tp_env env = {.max_len = max};

			tally_str_clear(&out);
			tally_str_add(&out, "before ");
			assert_int_equal(
				tally_tp_print_run(print, payload, payload_len, &env, &out),
				max < len ? -E2BIG : 0);
			assert_int_equal(out.len, 7 + max);
			assert_memory_equal(out.data + 7, whole[i], max);
			assert_int_equal(out.data[out.len], 0);
		}
		tally_str_clear(&out);
		assert_int_equal(tally_tp_print_fields(format, &raw,
						       &(struct tally_tp_env){.max_len = 9}, &out),
				 -E2BIG);
		assert_string_equal(out.data, " a=-5 b=7");
		tally_tp_print_free(print);
		tally_tp_format_free(format);
	}
	tally_str_free(&out);
}

static void fields_as_text(void **state)
{
	struct tally_tp_format *format = format_make("\"\"");
	const struct tally_tp_raw raw = {payload, payload_len, false};
	struct tally_str out = {0};

	assert_int_equal(tally_tp_print_fields(format, &raw, NULL, &out), 0);
	assert_string_equal(
		out.data,
		" a=-5 b=7 c=-9 p=0xffffffff81000010 comm=hello str=dynstr arr=ARRAY[01, ab, ff, "
		"04] "
		"ip= w=ARRAY[01, 00, 00, 00, 02, 00, 00, 00, 03, 00, 00, 00, ff, ff, ff, ff] h=-2 "
		"ptr=0x1234 d32=ARRAY[0a, 00, 00, 00, ff, ff, ff, ff, 07, 00, 00, 00] "
		"mac=ARRAY[de, ad, be, ef, 00, 01] v4=16820416 sa=\n");
	tally_str_free(&out);
	tally_tp_format_free(format);
}

static int make(void **state)
{
	payload_make();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_those_of_perf),
		cmocka_unit_test(rejects_other_formats_with_a_reason),
		cmocka_unit_test(no_print_fmt_is_invalid),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(short_payloads_are_noticed),
		cmocka_unit_test(reads_payloads_of_other_byte_order),
		cmocka_unit_test(fields_as_text),
		cmocka_unit_test(truncates_text_at_the_limit),
	};

	return cmocka_run_group_tests(tests, make, NULL);
}
