/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a page piece by piece: neither the compressed data nor its base64 encoding is ever held in
 * memory as a whole. */
#include <errno.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/arith.h"
#include "page/meta.h"
#include "page/parts.h"
#include "page/xml.h"

/* Buffer sizes before and after compression. OUT_MAX is a multiple of three, for base64. */
enum { LEVEL = 6, MEMORY = 9, IN_MAX = 1 << 20, OUT_MAX = 3 << 14 };

struct page_writer {
	struct tally_html *page;
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
	z_stream deflate;
	uint8_t out[OUT_MAX];
	char text[OUT_MAX / 3 * 4];
	uint64_t done, all; /* column bytes written and in total, for progress */
};

/* Encode `len` bytes as base64. Returns the number of characters. */
static size_t base64(const uint8_t *bytes, size_t len, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *at = out;

	for (size_t i = 0; i < len; i += 3) {
		size_t nr = TALLY_MIN(len - i, (size_t)3);
		uint32_t word = (uint32_t)bytes[i] << 16;

		word |= nr > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= nr > 2 ? bytes[i + 2] : 0;
		*at++ = digits[word >> 18];
		*at++ = digits[word >> 12 & 63];
		*at++ = nr > 1 ? digits[word >> 6 & 63] : '=';
		*at++ = nr > 2 ? digits[word & 63] : '=';
	}
	return (size_t)(at - out);
}

/* Write the output buffer if it is full or `is_end` is set. */
static int writer_emit(struct page_writer *writer, bool is_end)
{
	size_t nr = OUT_MAX - writer->deflate.avail_out;
	int ret;

	if (!nr || (writer->deflate.avail_out && !is_end))
		return 0;
	ret = writer->write(writer->arg, writer->text, base64(writer->out, nr, writer->text));
	writer->deflate.next_out = writer->out;
	writer->deflate.avail_out = OUT_MAX;
	return ret;
}

static int writer_at(struct page_writer *writer)
{
	const struct tally_html_options *options = &writer->page->options;

	return options->at ? options->at(options->arg, writer->done, writer->all) : 0;
}

static int writer_put(struct page_writer *writer, const char *bytes, size_t len)
{
	int ret = writer_at(writer);

	writer->deflate.next_in = (const Bytef *)bytes;
	writer->deflate.avail_in = (uInt)len;
	writer->done += len;
	while (!ret && writer->deflate.avail_in) {
		if (deflate(&writer->deflate, Z_NO_FLUSH) != Z_OK)
			return -EIO;
		ret = writer_emit(writer, false);
	}
	return ret;
}

static int writer_finish(struct page_writer *writer)
{
	int done = Z_OK, ret = 0;

	while (!ret && done == Z_OK) {
		done = deflate(&writer->deflate, Z_FINISH);
		ret = writer_emit(writer, done == Z_STREAM_END);
	}
	return ret ? ret : done == Z_STREAM_END ? 0 : -EIO;
}

static int write_columns(struct page_writer *writer)
{
	const struct page_column *columns = writer->page->columns;
	int ret = 0;

	for (int i = 0; i < PAGE_NR_COLUMNS; i++)
		writer->all += page_column_is_written(columns, i) ? columns[i].bytes.len : 0;
	for (int i = 0; i < PAGE_NR_COLUMNS && !ret; i++) {
		const struct tally_str *bytes = &columns[i].bytes;
		size_t len = page_column_is_written(columns, i) ? bytes->len : 0;

		for (size_t at = 0; at < len && !ret; at += IN_MAX)
			ret = writer_put(writer, bytes->data + at,
					 TALLY_MIN(len - at, (size_t)IN_MAX));
	}
	return ret ? ret : writer_finish(writer);
}

static int write_data(struct page_writer *writer)
{
	int ret;

	if (deflateInit2(&writer->deflate, LEVEL, Z_DEFLATED, MAX_WBITS, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	writer->deflate.next_out = writer->out;
	writer->deflate.avail_out = OUT_MAX;
	ret = write_columns(writer);
	deflateEnd(&writer->deflate);
	return ret;
}

static int write_pieces(struct page_writer *writer, const char *bytes, size_t len)
{
	enum { PIECE = 1 << 16 };
	int ret = 0;

	for (size_t at = 0; at < len && !ret; at += PIECE)
		ret = writer->write(writer->arg, bytes + at, TALLY_MIN(len - at, (size_t)PIECE));
	return ret;
}

static int write_text(struct page_writer *writer, struct tally_str *text)
{
	int ret = tally_str_error(text);

	if (!ret)
		ret = write_pieces(writer, tally_str_text(text), text->len);
	tally_str_free(text);
	return ret;
}

static int write_part(struct page_writer *writer, int number)
{
	const struct tally_html_part *part = &tally_html_parts[number];

	return write_pieces(writer, (const char *)part->bytes, part->len);
}

static int write_page(struct page_writer *writer)
{
	struct tally_str title = {0}, html = {0}, meta = {0};
	int ret = write_part(writer, 0);

	page_title_add(writer->page, &title);
	tally_xml_add(&html, tally_str_text(&title));
	html.failed |= title.failed;
	tally_str_free(&title);
	if (!ret)
		ret = write_text(writer, &html);
	if (!ret)
		ret = write_part(writer, 1);
	if (!ret)
		page_meta_add(writer->page, &meta);
	if (!ret)
		ret = write_text(writer, &meta);
	if (!ret)
		ret = write_part(writer, 2);
	if (!ret)
		ret = write_data(writer);
	tally_str_free(&html);
	return ret ? ret : write_part(writer, 3);
}

int tally_html_write(struct tally_html *page,
		     int (*write)(void *arg, const void *bytes, size_t len), void *arg)
{
	struct page_writer *writer;
	int ret = tally_str_error(&page->notes);

	for (int i = 0; i < PAGE_NR_COLUMNS && !ret; i++)
		ret = tally_str_error(&page->columns[i].bytes);
	writer = ret ? NULL : calloc(1, sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	writer->page = page;
	writer->write = write;
	writer->arg = arg;
	ret = write_page(writer);
	free(writer);
	return ret;
}
