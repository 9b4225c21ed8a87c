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
#include "cli/main/overwrite_marks.h"
#include "cli/main/print.h"
#include "tally/perfdata.h"

enum { HEAD = 1 << 16 };

/* The first bytes of a file. */
struct head {
	uint8_t bytes[HEAD + 1]; /* ends with a NUL */
	size_t len;
	bool is_cut; /* the file is longer than `bytes` */
	mode_t mode;
};

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

/* Return true for a name that script --per-event-dump makes. The text of samples has no mark. */
static bool is_dump_name(const char *path)
{
	const char *end = strrchr(tally_path_name(path), '.');

	return end && !strcmp(end, ".dump");
}

static bool may_replace(const struct head *head, const char *path, unsigned kinds)
{
	if (tally_overwrite_is_own((const char *)head->bytes, head->len, kinds))
		return true;
	if ((kinds & TALLY_OVERWRITE_RECORDING) && tally_perfdata_is_recording(path))
		return true;
	return (kinds & TALLY_OVERWRITE_DUMP) && is_dump_name(path) && is_text(head) &&
	       !is_program(head);
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

int tally_overwrite_check_mode(const char *option, const char *path, mode_t mode)
{
	const char *what = S_ISBLK(mode)    ? "a block device"
			   : S_ISDIR(mode)  ? "a directory"
			   : S_ISSOCK(mode) ? "a socket"
					    : NULL;

	if (!what)
		return 0;
	tally_print_error("%s %s: refusing to write to %s", option, path, what);
	tally_print_hint("use the name of a file");
	return -EINVAL;
}

int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force)
{
	struct head head;
	struct stat st;
	int ret;

	if (!stat(path, &st) && tally_overwrite_check_mode(option, path, st.st_mode))
		return -EINVAL;
	ret = force ? 0 : head_read(path, kinds, &head);
	if (force || (!ret && (!head.len || may_replace(&head, path, kinds))))
		return 0;
	if (ret)
		tally_print_error(
			"%s %s: not replaced, because the existing file cannot be read (%s)",
			option, path, strerror(-ret));
	else
		tally_print_error("%s %s: refusing to replace %s that tally does not recognize "
				  "as its own output",
				  option, path, kind_name(&head, path));
	tally_print_hint("choose another name, or use --force to replace any file");
	return ret ? -EACCES : -EEXIST;
}

int tally_overwrite_open(const char *option, const char *path, unsigned kinds, bool force,
			 struct tally_replacement *ret_replacement)
{
	/* Open first: the replacement notes whether a file exists, and that file is checked. */
	int ret = tally_replacement_open(path, ret_replacement);

	if (ret)
		return ret;
	ret = tally_overwrite_check(option, path, kinds, force);
	if (ret)
		tally_replacement_close(ret_replacement);
	else if (force)
		ret_replacement->is_new = false;
	return ret;
}
