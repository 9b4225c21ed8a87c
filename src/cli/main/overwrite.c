/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/overwrite.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arith.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/main/print.h"
#include "tally/perfdata.h"

enum { HEAD = 1 << 16 };

/* The first bytes of a file. */
struct head {
	uint8_t bytes[HEAD + 1]; /* ends with a NUL */
	size_t len;
	bool is_cut; /* the file is longer than `bytes` */
	/* The file is gzip-compressed, and `bytes` holds the start of its uncompressed content. */
	bool is_packed;
	mode_t mode;
};

/* ---- output of tally -------------------------------------------------------------- */

/* Strings that identify each kind of output: its first bytes, and a string found soon after
 * them. */
static const struct signature {
	unsigned kind;
	const char *first, *later;
} signatures[] = {
	{TALLY_OVERWRITE_PAGE, "<!DOCTYPE html>\n", "<meta name=\"generator\" content=\"tally\">"},
	{TALLY_OVERWRITE_PICTURE, "<?xml ", "<title>Flame graph of "},
	{TALLY_OVERWRITE_EXPORT, "event,", ",self_period,self_samples,total_period,total_samples"},
	{TALLY_OVERWRITE_EXPORT, "{\"version\":1,\"events\":[", ""},
	{TALLY_OVERWRITE_EXPORT, "{\"$schema\":\"https://www.speedscope.app/",
	 "\"exporter\":\"tally "},
	{TALLY_OVERWRITE_EXPORT, "{\"meta\":{\"version\":", "\"importedFrom\":\"tally "},
	{TALLY_OVERWRITE_EXPORT, "# callgrind format\n", "\ncreator: tally "},
	{TALLY_OVERWRITE_EXPORT, "\n\x04\x08\x01\x10\x02", ""},   /* pprof: sample type */
	{TALLY_OVERWRITE_EXPORT, "\n", "P\x01h\x01\xb8\x05\x01"}, /* Perfetto: the first packet */
	{TALLY_OVERWRITE_COUNTS, "# started on ", ""},
	{TALLY_OVERWRITE_COUNTS, "{\"version\":1,\"kind\":\"", ""},
};

static bool has_signature(const struct head *head, const struct signature *signature)
{
	size_t first = strlen(signature->first), later = strlen(signature->later);

	return head->len >= first && !memcmp(head->bytes, signature->first, first) &&
	       memmem(head->bytes, head->len, signature->later, later);
}

/* Return true for a line of folded stacks: function names and a count. */
static bool is_folded(const char *line, size_t len)
{
	size_t digits = 0;

	while (digits < len && line[len - 1 - digits] >= '0' && line[len - 1 - digits] <= '9')
		digits++;
	return digits && digits < len && line[len - 1 - digits] == ' ' && memchr(line, ';', len);
}

/* Return true for a line of `stat -j` output, a JSON object. */
static bool is_perf_json(const char *line, size_t len)
{
	return len > 3 && !memcmp(line, "{\"", 2) && line[len - 1] == '}' &&
	       memmem(line, len, "\" : ", 4);
}

static bool has_lines(const struct head *head, bool (*is)(const char *line, size_t len))
{
	const char *line = (const char *)head->bytes, *end;
	size_t nr = 0;

	for (; (end = strchr(line, '\n')); line = end + 1, nr++) {
		if (!is(line, (size_t)(end - line)))
			return false;
	}
	return nr > 0;
}

/* ---- other files ------------------------------------------------------------------- */

static bool is_text(const struct head *head)
{
	for (size_t at = 0; at < head->len;) {
		uint32_t point;
		size_t len = tally_utf8_read(head->bytes + at, head->len - at, &point);

		/* The last character may be truncated. */
		if (!len)
			return head->is_cut && head->len - at < 4;
		if (point < ' ' && (!point || !strchr("\t\n\f\r\x1b", (int)point)))
			return false;
		at += len;
	}
	return true;
}

static bool is_program(const struct head *head)
{
	return (head->mode & 0111) || !memcmp(head->bytes, ELFMAG, SELFMAG) ||
	       !memcmp(head->bytes, "#!", 2);
}

/* Return true if the file name is typical of output. The contents of a text file do not show that
 * it is output, because source files are text, too. */
static bool is_output_name(const char *path)
{
	static const char *const ends[] = {".txt", ".log", ".out",    ".dump", ".csv",
					   ".tsv", ".err", ".folded", ".stat"};
	const char *end = strrchr(tally_path_name(path), '.');

	for (size_t i = 0; end && i < TALLY_ARRAY_SIZE(ends); i++) {
		if (!strcmp(end, ends[i]))
			return true;
	}
	return false;
}

static bool may_replace(const struct head *head, const char *path, unsigned kinds)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(signatures); i++) {
		if ((signatures[i].kind & kinds) && has_signature(head, &signatures[i]))
			return true;
	}
	if ((kinds & TALLY_OVERWRITE_RECORDING) && tally_perfdata_is_recording(path))
		return true;
	if (!is_text(head))
		return false;
	if (((kinds & TALLY_OVERWRITE_EXPORT) && has_lines(head, is_folded)) ||
	    ((kinds & TALLY_OVERWRITE_COUNTS) && has_lines(head, is_perf_json)))
		return true;
	if (is_program(head) || head->is_packed)
		return false;
	return ((kinds & TALLY_OVERWRITE_TEXT) && is_output_name(path)) ||
	       (kinds & TALLY_OVERWRITE_APPEND);
}

/* ---- reading ------------------------------------------------------------------------ */

/* Decompress the head of an export if it is compressed. On failure the head is unchanged. */
static void head_unpack(struct head *head)
{
	enum { GZIP = 16 + MAX_WBITS };
	uint8_t packed[HEAD];
	z_stream stream = {.next_in = packed, .avail_in = (uInt)head->len};

	if (head->len < 2 || memcmp(head->bytes, "\x1f\x8b", 2) != 0 ||
	    inflateInit2(&stream, GZIP) != Z_OK)
		return;
	memcpy(packed, head->bytes, head->len);
	stream.next_out = head->bytes;
	stream.avail_out = HEAD;
	(void)inflate(&stream, Z_SYNC_FLUSH);
	if (stream.avail_out < HEAD) {
		head->len = HEAD - stream.avail_out;
		head->bytes[head->len] = 0;
		head->is_packed = true;
	}
	(void)inflateEnd(&stream);
}

/* Read the head of a file. `*ret_head` is empty if the file is missing, empty or not a regular
 * file. Returns 0 or -errno. */
static int head_read(const char *path, unsigned kinds, struct head *ret_head)
{
	struct stat st;
	ssize_t nr;
	int fd;

	memset(ret_head, 0, sizeof(*ret_head));
	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	nr = read(fd, ret_head->bytes, HEAD);
	close(fd);
	if (nr < 0)
		return -EIO;
	ret_head->len = (size_t)nr;
	ret_head->is_cut = st.st_size > nr;
	ret_head->mode = st.st_mode;
	if (kinds & TALLY_OVERWRITE_EXPORT)
		head_unpack(ret_head);
	return 0;
}

static const char *kind_name(const struct head *head, const char *path)
{
	if (tally_perfdata_is_recording(path))
		return "a recording";
	if (is_program(head))
		return "a program";
	return is_text(head) ? "a text file" : "a file of an unknown type";
}

int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force)
{
	struct head head;
	int ret = force ? 0 : head_read(path, kinds, &head);

	if (force || (!ret && (!head.len || may_replace(&head, path, kinds))))
		return 0;
	if (ret)
		tally_print_error(
			"%s %s: not replaced, because the existing file cannot be read (%s)",
			option, path, strerror(-ret));
	else
		tally_print_error("%s %s: refusing to replace %s", option, path,
				  kind_name(&head, path));
	tally_print_hint("choose another name, or use --force to replace any file");
	return ret ? -EACCES : -EEXIST;
}
