/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU identifiers for looking up event tables. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/str.h"
#include "events/parse.h"
#include "events/tables.h"

enum { HEAD = 8192 }; /* bytes of /proc/cpuinfo to read; enough for one CPU */

/* Return the value from the first line of the form "key : value", or an empty word. */
static struct tally_word field(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text) {
		const char *at = text + len, *next = strchr(text, '\n');

		if (!strncmp(text, key, len)) {
			at += strspn(at, " \t");
			if (*at == ':') {
				at += 1 + strspn(at + 1, " \t");
				return (struct tally_word){at, strcspn(at, "\n")};
			}
		}
		text = next ? next + 1 : NULL;
	}
	return (struct tally_word){"", 0};
}

static unsigned long number(const char *text, const char *key)
{
	return strtoul(field(text, key).text, NULL, 0);
}

/* Format the CPU ID as in GenuineIntel-6-8F-8: family in decimal, model and stepping in
 * hexadecimal. */
static void x86(const char *text, struct tally_str *out)
{
	struct tally_word vendor = field(text, "vendor_id");

	if (vendor.len)
		tally_str_addf(out, "%.*s-%lu-%lX-%lX", (int)vendor.len, vendor.text,
			       number(text, "cpu family"), number(text, "model"),
			       number(text, "stepping"));
}

/* Format the main ID register (MIDR) without variant and revision. */
static void arm64(const char *text, struct tally_str *out)
{
	if (field(text, "CPU implementer").len)
		tally_str_addf(out, "0x%016lx",
			       number(text, "CPU implementer") << 24 | 0xful << 16 |
				       number(text, "CPU part") << 4);
}

static void riscv(const char *text, struct tally_str *out)
{
	static const char *const keys[] = {"mvendorid", "marchid", "mimpid"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++) {
		struct tally_word value = field(text, keys[i]);

		if (!value.len) {
			tally_str_clear(out);
			return;
		}
		tally_str_addf(out, "%s%.*s", i ? "-" : "", (int)value.len, value.text);
	}
}

/* Get the PVR from a line such as "revision : 2.1 (pvr 004b 0201)". */
static void powerpc(const char *text, struct tally_str *out)
{
	struct tally_word revision = field(text, "revision");
	char high[5], low[5];
	const char *pvr = memmem(revision.text, revision.len, "(pvr ", 5);

	if (pvr && sscanf(pvr, "(pvr %4[0-9a-f] %4[0-9a-f])", high, low) == 2)
		tally_str_addf(out, "0x%s%s", high, low);
}

static const struct {
	const char *machine, *arch; /* `machine` is a prefix of the kernel's machine name */
	void (*identity)(const char *text, struct tally_str *out);
} archs[] = {
	{"x86_64", "x86", x86},    {"i386", "x86", x86},
	{"i486", "x86", x86},      {"i586", "x86", x86},
	{"i686", "x86", x86},      {"aarch64", "arm64", arm64},
	{"riscv", "riscv", riscv}, {"ppc", "powerpc", powerpc},
	{"s390", "s390", NULL},    {"loongarch", "loongarch", NULL},
};

const char *tally_identity_arch(const char *machine)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(archs); i++)
		if (!strncmp(machine, archs[i].machine, strlen(archs[i].machine)))
			return archs[i].arch;
	return machine;
}

int tally_identity_parse(const char *arch, const char *cpuinfo, struct tally_arena *arena,
			 const char **ret_cpuid)
{
	struct tally_str out = {0};
	const char *copy;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(archs); i++) {
		if (strcmp(archs[i].arch, arch))
			continue;
		if (archs[i].identity)
			archs[i].identity(cpuinfo, &out);
		break;
	}
	copy = tally_str_error(&out) ? NULL
				     : tally_arena_strndup(arena, tally_str_text(&out), out.len);
	tally_str_free(&out);
	if (!copy)
		return -ENOMEM;
	*ret_cpuid = copy;
	return 0;
}

/* Read a CPU's MIDR from sysfs. Returns false if it is not available. */
static bool midr_read(struct tally_events *events, uint32_t cpu, uint64_t *ret_midr)
{
	enum { VARIANT_REVISION = 0xf0000f };
	char path[PATH_MAX], *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u/regs/identification/midr_el1",
		 events->sysfs, (unsigned)cpu);
	if (tally_file_read(path, 64, &text, &len))
		return false;
	*ret_midr = strtoull(text, NULL, 16) & ~(uint64_t)VARIANT_REVISION;
	free(text);
	return true;
}

/* Read the start of /proc/cpuinfo. The string is empty if that fails. */
static void cpuinfo_read(char text[HEAD])
{
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, HEAD - 1);

	text[TALLY_MAX(len, 0)] = '\0';
	if (fd >= 0)
		close(fd);
}

int tally_identity_get(struct tally_events *events, uint32_t cpu, const char **ret_arch,
		       const char **ret_cpuid)
{
	struct utsname name;
	const char *arch;
	char hex[24], text[HEAD];
	uint64_t midr;
	int ret;

	if (uname(&name))
		return -errno;
	arch = tally_arena_strndup(&events->arena, tally_identity_arch(name.machine),
				   strlen(tally_identity_arch(name.machine)));
	if (!arch)
		return -ENOMEM;
	if (midr_read(events, cpu, &midr)) {
		snprintf(hex, sizeof(hex), "0x%016llx", (unsigned long long)midr);
		*ret_cpuid = tally_arena_strndup(&events->arena, hex, strlen(hex));
		ret = *ret_cpuid ? 0 : -ENOMEM;
	} else {
		cpuinfo_read(text);
		ret = tally_identity_parse(arch, text, &events->arena, ret_cpuid);
	}
	if (!ret)
		*ret_arch = arch;
	return ret;
}
