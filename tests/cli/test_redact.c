/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arith.h"
#include "cli/recording/redact.h"

/* In this order: stand-ins are numbered as they are first seen. */
static const struct {
	const char *path, *shown;
} paths[] = {
	{"/home/me/bin/prog", "/redacted/dir1/file1"},
	{"/home/me/bin/other", "/redacted/dir1/file2"},
	{"/home/me/prog", "/redacted/dir2/file3"},
	{"/home/me/bin/prog", "/redacted/dir1/file1"},
	{"relative.c", "/redacted/dir3/file4"},
	{"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6"},
	{"/usr/bin/python3.11", "/usr/bin/python3.11"},
	{"/lib/modules/6.1/kernel/ext4.ko", "/lib/modules/6.1/kernel/ext4.ko"},
	{"/usr/lib/debug/home/me/prog.debug", "/redacted/dir4/file5"},
	{"/usr/lib/../../home/me/prog", "/redacted/dir5/file6"},
	{"/usr/libsecret/prog", "/redacted/dir6/file7"},
	{"/usr/local/bin/prog", "/redacted/dir7/file8"},
	{"/dev/zero", "/dev/zero"},
	{"/dev/shm/mine", "/redacted/dir8/file9"},
	{"/tmp/perf-123.map", "/tmp/perf-123.map"},
	{"/tmp/perf-123.mapped", "/redacted/dir9/file10"},
	{"[heap]", "[heap]"},
	{"[kernel.kallsyms]_text", "[kernel.kallsyms]_text"},
	{"[stack:12]", "[stack:12]"},
	{"//anon", "//anon"},
	{"/memfd:mine (deleted)", "/memfd:1"},
	{"[anon:mine]", "[anon:2]"},
	{"/memfd:mine (deleted)", "/memfd:1"},
	{"", ""},
};

static const struct {
	const char *name, *shown;
} names[] = {
	{"main", "main"},
	{"a/b operator/ of", "a/b operator/ of"},
	{"LazyCompile:*run /home/me/app.js:10:3", "LazyCompile:*run /redacted/dir1/file1:10:3"},
	{"Function:~again file:///home/me/app.js:7",
	 "Function:~again file:///redacted/dir1/file1:7"},
	{"py::work:/home/me/work.py", "py::work:/redacted/dir1/file2"},
	{"Lcom/acme/Main;::run", "Lcom/acme/Main;::run"},
	{"JS:^f node:internal/x:1:2", "JS:^f node:internal/x:1:2"},
	{"f (/home/me/a.js)", "f (/redacted/dir1/file3)"},
	{"py::work:/usr/lib/python3/os.py", "py::work:/usr/lib/python3/os.py"},
};

static void test_paths(void **state)
{
	struct tally_redactor redactor = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(paths); i++)
		assert_string_equal(tally_redact_path(&redactor, paths[i].path), paths[i].shown);
	assert_false(redactor.failed);
	tally_redactor_free(&redactor);
}

static void test_names(void **state)
{
	struct tally_redactor redactor = {0};

	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++)
			assert_string_equal(tally_redact_name(&redactor, names[i].name),
					    names[i].shown);
	}
	assert_false(redactor.failed);
	tally_redactor_free(&redactor);
}

static void test_comms(void **state)
{
	struct tally_redactor redactor = {0};

	assert_string_equal(tally_redact_comm(&redactor, "mine"), "comm1");
	assert_string_equal(tally_redact_comm(&redactor, "bash"), "comm2");
	assert_string_equal(tally_redact_comm(&redactor, "mine"), "comm1");
	assert_string_equal(tally_redact_cgroup(&redactor, "/"), "/");
	assert_string_equal(tally_redact_cgroup(&redactor, "/user.slice/mine"), "/cgroup1");
	tally_redactor_free(&redactor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_comms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
