/* SPDX-License-Identifier: BSD-2-Clause */
#include "test_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/json.h"
#include "jevents/json_read.h"

#include "../random.h"

/* Write a tree as compact JSON that has the same content. */
static void tree_write(struct tally_str *out, const struct tally_json_value *value)
{
	static const char *const words[] = {"null", "false", "true"};

	switch (value->kind) {
	case TALLY_JSON_STRING: tally_json_text(out, value->key, value->text); break;
	case TALLY_JSON_ARRAY:
	case TALLY_JSON_OBJECT:
		tally_json_open(out, value->key, value->kind == TALLY_JSON_ARRAY ? '[' : '{');
		for (const struct tally_json_value *child = value->first; child;
		     child = child->next)
			tree_write(out, child);
		tally_json_close(out, value->kind == TALLY_JSON_ARRAY ? ']' : '}');
		break;
	default:
		if (out->len && !strchr("[{", out->data[out->len - 1]))
			tally_str_add_char(out, ',');
		if (value->key)
			tally_str_addf(out, "\"%s\":", value->key);
		tally_str_add(out,
			      value->kind == TALLY_JSON_NUMBER ? value->text : words[value->kind]);
	}
}

static int read_text(const char *text, size_t len, struct told *told, struct tally_str *out)
{
	struct tally_arena arena = {0};
	const struct tally_json_value *root;
	const struct tally_source source = {"t.json", text, len, &told->messages};
	int ret;

	told_init(told);
	ret = tally_json_read(&source, &arena, &root);
	if (!ret)
		tree_write(out, root);
	tally_arena_free(&arena);
	return ret;
}

static const struct {
	const char *text, *want, *told;
	int ret;
} rows[] = {
	{"[]", "[]", ""},
	{" {\"a\" : \"b\"}\r\n", "{\"a\":\"b\"}", ""},
	{"{\"a\":[]}", "{\"a\":[]}", ""},
	{"\"\\u0041\\u00e9\\ud83d\\ude00\\/\\\\\\\"\"", "\"A\303\251\360\237\230\200/\\\\\\\"\"",
	 ""},
	{"12", "12", ""},
	{"-1e400", "-1e400", ""},
	/* accepted extensions that occur in event files */
	{"[\"a\",]", "[\"a\"]", "1:6: warning: superfluous comma"},
	{"[,\"a\"]", "[\"a\"]", "1:2: warning: superfluous comma"},
	{"[\"a\",,\"b\"]", "[\"a\",\"b\"]", "1:6: warning: superfluous comma"},
	{"{,\"a\":\"b\"}", "{\"a\":\"b\"}", "1:2: warning: superfluous comma"},
	{"[{\"a\":\"b\"}\n {\"c\":\"d\"}]", "[{\"a\":\"b\"},{\"c\":\"d\"}]",
	 "2:2: warning: missing comma"},
	{"{\"a\":\"b\" \"c\":\"d\"}", "{\"a\":\"b\",\"c\":\"d\"}", "1:10: warning: missing comma"},
	{"[\"a\tb\"]", "[\"a\\tb\"]", "1:4: warning: control character"},
	{"[\"a\\-b\"]", "[\"a\\\\-b\"]", "1:4: warning: invalid escape"},
	{"[\"a\\u12g4\"]", "[\"a\\\\u12g4\"]", "1:4: warning: invalid escape"},
	{"[\"\\ud800x\"]", "[\"\357\277\275x\"]", "1:3: warning: incomplete surrogate"},
	{"[\"\\udc00\\ud800\"]", "[\"\357\277\275\357\277\275\"]",
	 "1:3: warning: incomplete surrogate"},
	{"[\"\xff\"]", "[\"\357\277\275\"]", "1:3: warning: bytes that are not UTF-8"},
	{"[\"\xc0\x80\"]", "[\"\357\277\275\357\277\275\"]", "1:3: warning: bytes that are not"},
	{"\xef\xbb\xbf[]", "[]", "1:1: warning: byte order mark"},
	/* rejected */
	{"", NULL, "1:1: error: not a JSON value", -EINVAL},
	{"[", NULL, "1:2: error: the file ends inside", -EINVAL},
	{"[\n\"a\": 1]", NULL, "2:4: error: missing comma or", -EINVAL},
	{"{1:2}", NULL, "1:2: error: missing key", -EINVAL},
	{"{\"a\" 2}", NULL, "1:6: error: missing colon", -EINVAL},
	{"{\"a\":}", NULL, "1:6: error: not a JSON value", -EINVAL},
	{"[}", NULL, "1:2: error: not a JSON value", -EINVAL},
	{"[nul]", NULL, "1:2: error: not a JSON value", -EINVAL},
	{"[1 2]", NULL, "1:4: error: missing comma or", -EINVAL},
	{"[\"a\nb\"]", NULL, "1:2: error: missing closing quote", -EINVAL},
	{"[\"a\\", NULL, "1:2: error: missing closing quote", -EINVAL},
	{"[\"a\\u0000b\"]", NULL, "1:4: error: NUL in a string", -EINVAL},
	{"[] []", NULL, "1:4: error: text after the end", -EINVAL},
};

static void every_form_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_str out = {0};
		struct told told;

		assert_int_equal(read_text(rows[i].text, strlen(rows[i].text), &told, &out),
				 rows[i].ret);
		if (rows[i].want)
			assert_string_equal(tally_str_text(&out), rows[i].want);
		told_has(&told, rows[i].told);
		assert_int_equal(told.messages.errors, rows[i].ret != 0);
		tally_str_free(&out);
		tally_str_free(&told.text);
	}
}

static void warns_once_for_each_irregularity(void **state)
{
	static const char text[] = "[{\"a\":1,},{\"a\":2,},{\"a\":3,},]";
	struct tally_str out = {0};
	struct told told;

	(void)state;
	assert_int_equal(read_text(text, strlen(text), &told, &out), 0);
	assert_int_equal(told.messages.warnings, 1);
	tally_str_free(&out);
	tally_str_free(&told.text);
}

/* Check that a million brackets are an error and do not overflow the stack. 32 levels are
 * accepted. */
static void depth_is_bounded(void **state)
{
	enum { DEEP = 1000000 };
	char *text = malloc(DEEP);
	struct tally_str out = {0};
	struct told told;

	(void)state;
	assert_non_null(text);
	memset(text, '[', DEEP);
	assert_int_equal(read_text(text, DEEP, &told, &out), -E2BIG);
	told_has(&told, "1:33: error: nested too deeply");
	tally_str_free(&told.text);
	memset(text + 32, ']', 32);
	assert_int_equal(read_text(text, 64, &told, &out), 0);
	told_has(&told, "");
	tally_str_free(&out);
	free(text);
}

static void rejects_nul_bytes(void **state)
{
	struct tally_str out = {0};
	struct told told;

	(void)state;
	assert_int_equal(read_text("[\"a\0b\"]", 7, &told, &out), -EINVAL);
	told_has(&told, "1:4: error: NUL in a string");
	tally_str_free(&told.text);
	assert_int_equal(read_text("[\0]", 3, &told, &out), -EINVAL);
	told_has(&told, "1:2: error: not a JSON value");
	tally_str_free(&told.text);
	tally_str_free(&out);
}

/* Check that input truncated anywhere is an error: it must neither crash the parser nor be accepted
 * as complete. */
static void every_cut_is_an_error(void **state)
{
	static const char whole[] = "[{\"a\":\"\\u0041\\n\",\"b\":[1,true]},{\"c\":\"\303\251\"}]";

	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		struct tally_str out = {0};
		struct told told;

		assert_int_equal(read_text(whole, len, &told, &out), -EINVAL);
		assert_int_equal(told.messages.errors, 1);
		tally_str_free(&told.text);
		tally_str_free(&out);
	}
}

/* Check that any string is unchanged after it is written and read back. */
static void strings_are_written_and_read_unchanged(void **state)
{
	struct random random = random_start();

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char text[40], len = random_below(&random, sizeof(text));
		struct tally_str json = {0}, again = {0};
		struct told told;

		for (int i = 0; i < len; i++)
			text[i] = random_below(&random, 3) ? 1 + random_below(&random, 127)
							   : "\"\\u?/\n"[random_below(&random, 6)];
		tally_json_bytes(&json, NULL, text, len);
		assert_int_equal(read_text(json.data, json.len, &told, &again), 0);
		told_has(&told, "");
		assert_string_equal(again.data, json.data);
		tally_str_free(&told.text);
		tally_str_free(&json);
		tally_str_free(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(warns_once_for_each_irregularity),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(rejects_nul_bytes),
		cmocka_unit_test(every_cut_is_an_error),
		cmocka_unit_test(strings_are_written_and_read_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
