/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor's parsing of procfs and sysfs: individual files and complete simulated machines. */
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

#include "base/arith.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_text.h"

/* ---- texts ---------------------------------------------------------------------- */

static void parses_addresses(void **state)
{
	static const struct {
		const char *text;
		bool has;
	} rows[] = {
		{"", false},
		{"0000000000000000 A fixed_percpu_data\n", false},
		{"0000000000000000 A a\n0000000000000000 T b\n", false},
		{"0000000000000000 A a\n0000000000001000 A b\n", true},
		{"ffffffff81000000 T _text\n", true},
		{"0000000000000000 A abc", false},
		{"0", false},
		{"\n\n00 T x\n", false},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		assert_int_equal(doctor_text_has_addresses(rows[i].text, strlen(rows[i].text)),
				 rows[i].has);
}

static void finds_words(void **state)
{
	static const char list[] = "flags : fpu vme hypervisor\nbugs:";

	assert_true(doctor_text_has_word(list, sizeof(list) - 1, "hypervisor"));
	assert_true(doctor_text_has_word(list, sizeof(list) - 1, "bugs:"));
	assert_false(doctor_text_has_word(list, sizeof(list) - 1, "visor"));
	assert_false(doctor_text_has_word(list, sizeof(list) - 1, "hyper"));
	assert_false(doctor_text_has_word(list, 15, "hypervisor"));
	assert_true(doctor_text_has("Microsoft-WSL2", 14, "microsoft"));
	assert_false(doctor_text_has("micro", 5, "microsoft"));
	assert_true(doctor_text_has("", 0, ""));
}

static void parses_variables(void **state)
{
	static const char all[] = "PATH=/bin\0containers=no\0container=lxc\0EMPTY=\0last";
	const char *value;
	size_t len;

	value = doctor_text_variable(all, sizeof(all), "container", &len);
	assert_non_null(value);
	assert_int_equal(len, 3);
	assert_memory_equal(value, "lxc", 3);
	assert_non_null(doctor_text_variable(all, sizeof(all), "EMPTY", &len));
	assert_int_equal(len, 0);
	assert_null(doctor_text_variable(all, sizeof(all), "last", &len));
	assert_null(doctor_text_variable("", 0, "container", &len));
}

static void finds_the_chosen_word(void **state)
{
	static const char text[] = "none [integrity] confidentiality\n";
	size_t len;
	const char *word = doctor_text_chosen(text, strlen(text), &len);

	assert_non_null(word);
	assert_int_equal(len, strlen("integrity"));
	assert_memory_equal(word, "integrity", len);
	assert_null(doctor_text_chosen("none", 4, &len));
	assert_null(doctor_text_chosen("[none", 5, &len));
	assert_null(doctor_text_chosen(text, 0, &len));
}

/* ---- machines -------------------------------------------------------------------- */

static void make_file(const char *root, const char *path, const char *text, size_t len)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0700);
		*at = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void remove_tree(const char *root)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

#define FILE_OF(path, text)                  \
	{                                    \
		path, text, sizeof(text) - 1 \
	}
static const struct host_row {
	struct {
		const char *path, *text;
		size_t len;
	} files[3];
	const char *container, *hypervisor;
} host_rows[] = {
	{{{NULL}}, NULL, NULL},
	{{FILE_OF("/.dockerenv", "")}, "docker", NULL},
	{{FILE_OF("/run/.containerenv", "engine=\"podman\"\n")}, "podman", NULL},
	{{FILE_OF("/.dockerenv", ""), FILE_OF("/proc/self/cgroup", "0::/kubepods/pod1\n")},
	 "kubernetes",
	 NULL},
	{{FILE_OF("/proc/1/environ", "A=1\0KUBERNETES_SERVICE_HOST=10.0.0.1\0")},
	 "kubernetes",
	 NULL},
	{{FILE_OF("/proc/1/environ", "TERM=x\0container=lxc\0")}, "lxc", NULL},
	{{FILE_OF("/proc/1/environ", "container=systemd-nspawn\0")}, "systemd-nspawn", NULL},
	{{FILE_OF("/run/systemd/container", "systemd-nspawn\n")}, "systemd-nspawn", NULL},
	{{FILE_OF("/run/host/container-manager", "bubbles\n")}, "other", NULL},
	{{FILE_OF("/proc/self/cgroup", "12:cpu:/docker/0123\n")}, "docker", NULL},
	{{FILE_OF("/proc/self/cgroup", "0::/user.slice\n")}, NULL, NULL},
	{{FILE_OF("/proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST "
				   "2016\n")},
	 "gvisor",
	 NULL},
	{{FILE_OF("/proc/version", "Linux version 5.15.1-microsoft-standard-WSL2 (x)\n"),
	  FILE_OF("/.dockerenv", "")},
	 "wsl2",
	 NULL},
	{{FILE_OF("/proc/cpuinfo", "flags\t: fpu hypervisor\n")}, NULL, "an unknown hypervisor"},
	{{FILE_OF("/proc/cpuinfo", "flags\t: fpu\n")}, NULL, NULL},
	{{FILE_OF("/sys/class/dmi/id/sys_vendor", "QEMU\n"),
	  FILE_OF("/proc/cpuinfo", "flags\t: hypervisor\n")},
	 NULL,
	 "QEMU/KVM"},
	{{FILE_OF("/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n")}, NULL, "VMware"},
	{{FILE_OF("/sys/hypervisor/type", "xen\n")}, NULL, "Xen"},
	{{FILE_OF("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n")}, NULL, NULL},
};

static void check_host(const struct host_row *row)
{
	char root[] = "/tmp/tally-doctor-XXXXXX";
	struct doctor_host host;

	assert_non_null(mkdtemp(root));
	for (size_t f = 0; f < 3 && row->files[f].path; f++)
		make_file(root, row->files[f].path, row->files[f].text, row->files[f].len);
	doctor_host_find(root, &host);
	remove_tree(root);
	print_message("# machine %zu: container %s, hypervisor %s\n", (size_t)(row - host_rows),
		      host.container ? host.container : "none",
		      host.hypervisor ? host.hypervisor : "none");
	assert_int_equal(!host.container, !row->container);
	assert_int_equal(!host.hypervisor, !row->hypervisor);
	if (row->container)
		assert_string_equal(host.container, row->container);
	if (row->hypervisor)
		assert_string_equal(host.hypervisor, row->hypervisor);
}

static void detects_kinds_of_hosts(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(host_rows); i++)
		check_host(&host_rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_addresses),       cmocka_unit_test(finds_words),
		cmocka_unit_test(parses_variables),       cmocka_unit_test(finds_the_chosen_word),
		cmocka_unit_test(detects_kinds_of_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
