/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arith.h"
#include "archive/redact.h"

/* The order matters, because placeholders are numbered in the order in which they are first
 * used. */
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
	/* Paths that leave the system directories, or that only resemble system paths. */
	{"/usr/lib//home/me/prog", "/redacted/dir10/file11"},
	{"/usr/lib/./prog", "/redacted/dir11/file12"},
	{"/usr/lib/..", "/redacted/dir12/file13"},
	{"//usr/lib/prog", "/redacted/dir13/file14"},
	{"/lib/debug/home/me/prog", "/redacted/dir14/file15"},
	{"/usr/lib64/debug/prog", "/redacted/dir15/file16"},
	/* Names of memory mappings, and names that merely have the same prefix. */
	{"//anonymous/me", "/redacted/dir16/file17"},
	{"/SYSV0000beef", "/SYSV0000beef"},
	{"/SYSV00000000 (deleted)", "/SYSV00000000 (deleted)"},
	{"/SYSV/home/me", "/SYSV:3"},
	{"/SYSV0000beefs", "/SYSV:4"},
	{"/anon_hugepage (deleted)", "/anon_hugepage (deleted)"},
	{"/anon_hugepage_of_me", "/anon_hugepage:5"},
	{"anon_inode:[perf_event]", "anon_inode:[perf_event]"},
	{"anon_inode:bpf-map", "anon_inode:bpf-map"},
	{"anon_inode:[mine]", "anon_inode:[6]"},
	{"anon_inode:[perf_event]mine", "anon_inode:[7]"},
	{"anon_inode:kvm-vcpu:12", "anon_inode:kvm-vcpu:12"},
	{"[stack:mine]", "[anon:8]"},
	{"[stack:]", "[anon:9]"},
	{"[stack:12]mine", "[anon:10]"},
	{"[nf_conntrack]", "[nf_conntrack]"},
	{"[snd-hda-intel]", "[snd-hda-intel]"},
	{"[vvar_vclock]", "[vvar_vclock]"},
	{"[my secret]", "[anon:11]"},
	{"[/home/me]", "[anon:12]"},
	{"[]", "[anon:13]"},
	{"[kernel.kallsyms]_stext", "[kernel.kallsyms]_stext"},
	{"[guest.kernel.kallsyms.12]_text", "[guest.kernel.kallsyms.12]_text"},
	{"[kernel.kallsyms]/home/me", "[kernel.14]"},
	{"/memfd:doublemapper (deleted)", "/memfd:doublemapper (deleted)"},
	{"/dev/ashmem/mine (deleted)", "/dev/ashmem/15"},
	{"/tmp/perf-.map", "/redacted/dir9/file18"},
	{"/tmp/perf- 1.map", "/redacted/dir9/file19"},
};

static const struct {
	const char *name, *shown;
} names[] = {
	{"main", "main"},
	{"LazyCompile:*run /home/me/app.js:10:3", "LazyCompile:*run /redacted/dir1/file1:10:3"},
	{"Function:~again /home/me/app.js:7", "Function:~again /redacted/dir1/file1:7"},
	{"JS:^f /home/me/app.js", "JS:^f /redacted/dir1/file1"},
	{"JS:^f node:internal/x:1:2", "JS:^f /redacted/dir2/file2:1:2"},
	{"py::work:/home/me/work.py", "/redacted/dir3/file3"},
	{"Lcom/acme/Main;::run", "/redacted/dir4/file4"},
	{"f /home/my own/a (1).js:1:22", "f /redacted/dir5/file5:1:22"},
	{"f (/home/me/a.js)", "f /redacted/dir6/file6"},
	{"f ~/a.js:1:2:3", "f /redacted/dir7/file7:2:3"},
	{"f src/mine.js", "f /redacted/dir8/file8"},
	{"f webpack:///./src/mine.js:1", "f /redacted/dir9/file9:1"},
	{"f file://host/home/me/a.js", "f /redacted/dir10/file10"},
	{"f http://me.example/a.js?b c", "f /redacted/dir11/file11"},
	{"f C:\\Users\\me\\a.js:1:2", "f /redacted/dir12/file12:1:2"},
	{"C:\\me\\a.js", "/redacted/dir12/file13"},
	{"f \xc3\xa9/home/me", "f /redacted/dir13/file14"},
	{"f\t/home/me:", "f\t/redacted/dir14/file15"},
	{" /:1", " /redacted/dir12/file16:1"},
	{"/", "/redacted/dir12/file16"},
	{"a.js:10 of me", "a.js:10 of me"},
};

static void replaces_paths(void **state)
{
	struct tally_redactor redactor = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(paths); i++)
		assert_string_equal(tally_redact_path(&redactor, paths[i].path), paths[i].shown);
	assert_false(redactor.failed);
	tally_redactor_free(&redactor);
}

static void replaces_names(void **state)
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

static void replaces_comms(void **state)
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
		cmocka_unit_test(replaces_paths),
		cmocka_unit_test(replaces_names),
		cmocka_unit_test(replaces_comms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
