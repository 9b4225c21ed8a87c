/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive/redact_known.h"

#include <ctype.h>
#include <string.h>

#include "base/arith.h"

/* Directories with the same files on every machine. */
static const char *const system_dirs[] = {
	"/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/usr/libexec/",
	"/usr/bin/", "/usr/sbin/",  "/lib/",       "/lib32/",      "/lib64/",
	"/libx32/",  "/bin/",       "/sbin/",      "/usr/include/"};

/* Patterns for names of memory regions. "#" matches decimal digits, "%" eight hexadecimal digits,
 * and "@" letters, digits, '_' and '-'; each wildcard matches at least one character. "[@]" covers
 * kernel modules and most regions of programs, but not "[anon:NAME]", where the program chooses
 * NAME. */
static const char *const memory_names[] = {
	"//anon",
	"/anon_hugepage",
	"/SYSV%",
	"/memfd:doublemapper",
	"/tmp/perf-#.map",
	"[@]",
	"[stack:#]",
	"[kernel.vmlinux]",
	"[kernel.kallsyms]",
	"[kernel.kallsyms]_text",
	"[kernel.kallsyms]_stext",
	"[guest.kernel.kallsyms]",
	"[guest.kernel.kallsyms]_text",
	"[guest.kernel.kallsyms]_stext",
	"[guest.kernel.kallsyms.#]",
	"[guest.kernel.kallsyms.#]_text",
	"[guest.kernel.kallsyms.#]_stext",
	"anon_inode:kvm-vcpu:#",
};

/* Names of the kernel's own anonymous inodes, which appear as "anon_inode:[eventfd]" or, for some
 * of them, without brackets. Other drivers may choose any name. */
static const char *const anon_inodes[] = {
	"bpf-map",  "bpf-prog",   "bpf_iter", "bpf_link",         "btf",        "dma_buf",
	"eventfd",  "eventpoll",  "fanotify", "fscontext",        "i915.gem",   "inotify",
	"io_uring", "kvm-device", "kvm-vm",   "landlock-ruleset", "perf_event", "pidfd",
	"signalfd", "sync_file",  "timerfd",  "userfaultfd",
};

/* Return how many characters of `text` (`len` bytes) a wildcard matches, or 0 if it does not
 * match. */
static size_t wildcard_len(char letter, const char *text, size_t len)
{
	size_t nr = 0;

	if (letter == '%') {
		while (nr < len && nr < 8 && isxdigit((unsigned char)text[nr]))
			nr++;
		return nr == 8 ? 8 : 0;
	}
	while (nr < len && (isdigit((unsigned char)text[nr]) ||
			    (letter == '@' && (isalpha((unsigned char)text[nr]) ||
					       text[nr] == '_' || text[nr] == '-'))))
		nr++;
	return nr;
}

static bool pattern_fits(const char *pattern, const char *text, size_t len)
{
	for (; *pattern; pattern++) {
		bool is_wild = strchr("#%@", *pattern);
		size_t nr = is_wild ? wildcard_len(*pattern, text, len) : 1;

		if (!nr || !len || (!is_wild && *text != *pattern))
			return false;
		text += nr;
		len -= nr;
	}
	return !len;
}

/* Match "anon_inode:NAME", with or without brackets around the name. */
static bool is_anon_inode(const char *text, size_t len)
{
	static const char prefix[] = "anon_inode:";

	if (len < strlen(prefix) || memcmp(text, prefix, strlen(prefix)))
		return false;
	text += strlen(prefix);
	len -= strlen(prefix);
	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(anon_inodes); i++) {
		if (strlen(anon_inodes[i]) == len && !memcmp(anon_inodes[i], text, len))
			return true;
	}
	return false;
}

static bool is_of_memory(const char *name)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(name), end = strlen(deleted);

	if (len > end && !strcmp(name + len - end, deleted))
		len -= end;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(memory_names); i++) {
		if (pattern_fits(memory_names[i], name, len))
			return true;
	}
	return is_anon_inode(name, len);
}

/* Return false if a path has "." or ".." components, which may make it refer to a file outside its
 * apparent directory. */
static bool is_plain_path(const char *path)
{
	size_t len = strlen(path);

	if (strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../"))
		return false;
	return !(len >= 2 && !strcmp(path + len - 2, "/.")) &&
	       !(len >= 3 && !strcmp(path + len - 3, "/.."));
}

/* Return true for files in system directories, but not for those in their debug subdirectories
 * (/usr/lib/debug), where the names may include any other directory's path. */
static bool is_of_system(const char *path)
{
	if (!is_plain_path(path))
		return false;
	/* /dev and /dev/dri contain devices; /dev/shm and other subdirectories contain users'
	 * files. */
	if (!strncmp(path, "/dev/", 5))
		return !strchr(path + 5, '/') || !strncmp(path, "/dev/dri/", 9);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(system_dirs); i++) {
		size_t len = strlen(system_dirs[i]);

		if (!strncmp(path, system_dirs[i], len))
			return strncmp(path + len, "debug/", 6) != 0;
	}
	return false;
}

bool tally_redact_is_known(const char *name)
{
	return !*name || is_of_system(name) || is_of_memory(name);
}
