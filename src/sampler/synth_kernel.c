/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Synthesize maps of the kernel's text and its modules.
 *
 * The kernel takes tens of milliseconds to format all of /proc/kallsyms. Therefore only its first
 * lines are read, to find _text, and the length of the text is read from /proc/iomem. If iomem
 * hides addresses, kallsyms is read up to _etext.
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "sampler/synth.h"

enum { KALLSYMS_CHUNK = 1 << 14, PROC_MAX = 1 << 22, PATH_ROOM = 512 };

struct kernel_text {
	uint64_t start, end; /* 0 if not found */
	const char *symbol;  /* symbol at `start` */
};

/* Return the length of the physical range "Kernel code", from _text to _etext, or 0 if addresses
 * are hidden. */
static uint64_t text_length(const struct tally_synth *synth)
{
	uint64_t first, last, length = 0;
	char path[PATH_ROOM], *text, *line;
	size_t len;

	snprintf(path, sizeof(path), "%s/iomem", tally_synth_proc(synth));
	if (tally_file_read(path, PROC_MAX, &text, &len))
		return 0;
	line = strstr(text, " : Kernel code");
	while (line && line > text && line[-1] != '\n')
		line--;
	if (line && sscanf(line, " %" SCNx64 "-%" SCNx64, &first, &last) == 2 && last > first)
		length = last - first + 1;
	free(text);
	return length;
}

/* Parse a line "address type name". Return true if both the start and the end of the text have been
 * found. */
static bool on_line(struct kernel_text *text, const char *line, uint64_t length)
{
	char *name;
	uint64_t addr = strtoull(line, &name, 16);

	if (*name != ' ' || !name[1] || name[2] != ' ')
		return false;
	name += 3;
	if (!text->start && addr && (!strcmp(name, "_text") || !strcmp(name, "_stext"))) {
		text->start = addr;
		text->symbol = name[1] == 't' ? "_text" : "_stext";
		text->end = length ? addr + length : 0;
	} else if (text->start == addr && !strcmp(name, "_text")) {
		text->symbol = "_text";
	} else if (!strcmp(name, "_etext")) {
		text->end = addr;
	}
	/* _text and _stext can have the same address, so continue up to a higher address. */
	return text->end && addr > text->start;
}

/* Scan kallsyms. If the file cannot be read or is not in the expected format, `text` is not
 * changed. */
static void scan_kallsyms(int fd, struct kernel_text *text, uint64_t length)
{
	char buffer[KALLSYMS_CHUNK + 1];
	size_t have = 0;

	for (;;) {
		ssize_t n = read(fd, buffer + have, KALLSYMS_CHUNK - have);
		char *line = buffer, *end;

		if (n <= 0)
			return;
		have += (size_t)n;
		buffer[have] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			if (on_line(text, line, length))
				return;
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		memmove(buffer, line, have);
		if (have == KALLSYMS_CHUNK)
			return;
	}
}

static void add_mmap(struct tally_synth *synth, uint64_t start, uint64_t len, uint64_t pgoff,
		     const char *name)
{
	tally_synth_begin(synth, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
			  32 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u32(synth, UINT32_MAX); /* pid -1, as in all kernel maps */
	tally_synth_u32(synth, 0);
	tally_synth_u64(synth, start);
	tally_synth_u64(synth, len);
	tally_synth_u64(synth, pgoff);
	tally_synth_string(synth, name);
	tally_synth_end(synth);
}

int tally_synth_kernel(struct tally_synth *synth)
{
	struct kernel_text text = {0};
	char name[64], path[PATH_ROOM];
	int fd;

	snprintf(path, sizeof(path), "%s/kallsyms", tally_synth_proc(synth));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	scan_kallsyms(fd, &text, text_length(synth));
	close(fd);
	if (!text.start)
		return 0;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", text.symbol);
	/* If the end is unknown, the map extends to the end of the address space. */
	add_mmap(synth, text.start, (text.end ? text.end : UINT64_MAX) - text.start, text.start,
		 name);
	return tally_str_error(&synth->out);
}

/* Find a module's file below /lib/modules, using modules.dep. The path is "[name]" if the module is
 * not listed. */
static void module_path(const char *deps, const char *release, const char *module, char *ret_path,
			size_t size)
{
	char name[128], *line_end;

	snprintf(ret_path, size, "[%s]", module);
	for (const char *line = deps; line && *line; line = line_end ? line_end + 1 : NULL) {
		const char *colon = strchr(line, ':'), *base;
		size_t i = 0;

		line_end = strchr(line, '\n');
		if (!colon || (line_end && colon > line_end))
			continue;
		for (base = colon; base > line && base[-1] != '/'; base--)
			;
		for (; base + i < colon && base[i] != '.' && i + 1 < sizeof(name); i++)
			name[i] = base[i] == '-' ? '_' : base[i];
		name[i] = '\0';
		if (strcmp(name, module) != 0)
			continue;
		snprintf(ret_path, size, "/lib/modules/%s/%.*s", release, (int)(colon - line),
			 line);
		return;
	}
}

int tally_synth_modules(struct tally_synth *synth)
{
	char *modules, *deps = NULL, path[PATH_ROOM], *line, *save = NULL;
	struct utsname uts = {0};
	size_t len;

	snprintf(path, sizeof(path), "%s/modules", tally_synth_proc(synth));
	if (tally_file_read(path, PROC_MAX, &modules, &len))
		return 0;
	uname(&uts);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", uts.release);
	if (tally_file_read(path, 16 * PROC_MAX, &deps, &len))
		deps = NULL;
	for (line = strtok_r(modules, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[64];
		uint64_t size, addr;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &size, &addr) !=
			    3 ||
		    !addr)
			continue;
		module_path(deps, uts.release, name, path, sizeof(path));
		add_mmap(synth, addr, size, 0, path);
	}
	free(deps);
	free(modules);
	return tally_str_error(&synth->out);
}
