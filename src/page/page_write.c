/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a page piece by piece: neither the compressed data nor its base64 encoding is ever held in
 * memory as a whole. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "pack/packer.h"
#include "page/meta.h"
#include "page/parts.h"
#include "page/xml.h"

/* Buffer sizes before and after compression. OUT_MAX is a multiple of three, for base64. */
enum { IN_MAX = 1 << 20, OUT_MAX = 3 << 14 };

struct page_writer {
	struct tally_html *page;
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
	uint64_t threads;
	size_t nr; /* number of compressed bytes in `out` */
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

/* Write the compressed bytes that are in the buffer. */
static int writer_emit(struct page_writer *writer)
{
	size_t nr = writer->nr;

	writer->nr = 0;
	return writer->write(writer->arg, writer->text, base64(writer->out, nr, writer->text));
}

/* Called with compressed bytes. */
static int writer_packed(void *arg, const void *bytes, size_t len)
{
	struct page_writer *writer = arg;
	const uint8_t *at = bytes;
	int ret = 0;

	while (len && !ret) {
		size_t nr = TALLY_MIN(len, OUT_MAX - writer->nr);

		memcpy(writer->out + writer->nr, at, nr);
		writer->nr += nr;
		at += nr;
		len -= nr;
		if (writer->nr == OUT_MAX)
			ret = writer_emit(writer);
	}
	return ret;
}

static int writer_at(struct page_writer *writer)
{
	const struct tally_html_options *options = &writer->page->options;

	return options->at ? options->at(options->arg, writer->done, writer->all) : 0;
}

static int write_column(struct page_writer *writer, struct tally_packer *packer,
			const struct tally_str *bytes)
{
	int ret = 0;

	for (size_t at = 0; at < bytes->len && !ret; at += IN_MAX) {
		size_t len = TALLY_MIN(bytes->len - at, (size_t)IN_MAX);

		ret = writer_at(writer);
		writer->done += len;
		if (!ret)
			ret = tally_packer_add(packer, bytes->data + at, len);
	}
	return ret;
}

static int write_columns(struct page_writer *writer, struct tally_packer *packer)
{
	const struct page_column *columns = writer->page->columns;
	int ret = 0;

	for (int i = 0; i < PAGE_NR_COLUMNS; i++)
		writer->all += page_column_is_written(columns, i) ? columns[i].bytes.len : 0;
	for (int i = 0; i < PAGE_NR_COLUMNS && !ret; i++) {
		if (page_column_is_written(columns, i))
			ret = write_column(writer, packer, &columns[i].bytes);
	}
	ret = ret ? ret : tally_packer_end(packer);
	return ret ? ret : writer_emit(writer);
}

static int write_data(struct page_writer *writer)
{
	const struct tally_packer_options options = {
		.format = TALLY_PACK_ZLIB,
		.threads = writer->threads,
		.write = writer_packed,
		.arg = writer,
	};
	struct tally_packer *packer;
	int ret = tally_packer_new(&options, &packer);

	if (ret)
		return ret;
	ret = write_columns(writer, packer);
	tally_packer_free(packer);
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

int tally_html_write(struct tally_html *page, uint64_t threads,
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
	writer->threads = threads;
	writer->write = write;
	writer->arg = arg;
	ret = write_page(writer);
	free(writer);
	return ret;
}
