/* SPDX-License-Identifier: BSD-2-Clause */
#include "pack/packer.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/arith.h"
#include "base/thread.h"

/* DICT is the size of deflate's window. MARGIN is for the empty block that ends a block that is not
 * the last. */
enum { BLOCK = 1 << 17, DICT = 1 << 15, LEVEL = 5, MEMORY = 9, MARGIN = 64 };

/* Most threads, including the caller's, and blocks for each of them: one that it compresses, and
 * one that waits. */
enum { THREADS_MAX = 8, BLOCKS_EACH = 2 };

struct pack_block {
	uint8_t in[DICT + BLOCK]; /* the last part of the dictionary, then the block */
	size_t dict_len, len, out_len;
	uint8_t *out;
	z_stream deflate;
	bool is_started; /* `deflate` is initialized */
	bool is_last, is_done;
	uint32_t checksum;
	int error;
};

struct tally_packer {
	struct tally_packer_options options;
	pthread_t threads[THREADS_MAX];
	size_t nr_threads; /* running, without the caller's */
	bool was_started;  /* starting threads was tried */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ending;
	/* Numbers of blocks so far. A block is given by the caller, taken to be compressed, and
	 * written by the caller. Block i is in blocks[i % nr_blocks]. */
	uint64_t given, taken, written;
	struct pack_block **blocks;
	size_t nr_blocks;
	uint64_t len; /* bytes of the blocks that were written */
	uint32_t checksum;
};

static struct pack_block *block_of(const struct tally_packer *packer, uint64_t number)
{
	return packer->blocks[number % packer->nr_blocks];
}

/* ---- compressing a block ------------------------------------------------------------- */

static uint32_t checksum_of(const struct tally_packer *packer, const uint8_t *bytes, size_t len)
{
	return packer->options.format == TALLY_PACK_GZIP ? (uint32_t)crc32(0, bytes, (uInt)len)
							 : (uint32_t)adler32(1, bytes, (uInt)len);
}

static size_t out_size(struct pack_block *block)
{
	return deflateBound(&block->deflate, BLOCK) + MARGIN;
}

static int block_start(struct pack_block *block)
{
	if (block->is_started)
		return deflateReset(&block->deflate) == Z_OK ? 0 : -EIO;
	if (deflateInit2(&block->deflate, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	block->is_started = true;
	block->out = malloc(out_size(block));
	return block->out ? 0 : -ENOMEM;
}

static int block_deflate(struct pack_block *block)
{
	z_stream *stream = &block->deflate;
	uInt size = (uInt)out_size(block);
	int ret = Z_OK;

	if (block->dict_len)
		ret = deflateSetDictionary(stream, block->in + DICT - block->dict_len,
					   (uInt)block->dict_len);
	stream->next_in = block->in + DICT;
	stream->avail_in = (uInt)block->len;
	stream->next_out = block->out;
	stream->avail_out = size;
	if (ret == Z_OK)
		ret = deflate(stream, block->is_last ? Z_FINISH : Z_SYNC_FLUSH);
	block->out_len = size - stream->avail_out;
	return ret == (block->is_last ? Z_STREAM_END : Z_OK) && !stream->avail_in ? 0 : -EIO;
}

static void block_pack(const struct tally_packer *packer, struct pack_block *block)
{
	block->error = block_start(block);
	if (!block->error)
		block->error = block_deflate(block);
	block->checksum = checksum_of(packer, block->in + DICT, block->len);
}

/* Take the next block and compress it. The lock must be held; it is released meanwhile. Returns
 * false if there is none. */
static bool pack_next(struct tally_packer *packer)
{
	struct pack_block *block;

	if (packer->taken == packer->given)
		return false;
	block = block_of(packer, packer->taken++);
	pthread_mutex_unlock(&packer->lock);
	block_pack(packer, block);
	pthread_mutex_lock(&packer->lock);
	block->is_done = true;
	pthread_cond_broadcast(&packer->changed);
	return true;
}

static void *thread_run(void *arg)
{
	struct tally_packer *packer = arg;

	pthread_mutex_lock(&packer->lock);
	while (!packer->is_ending) {
		if (!pack_next(packer))
			pthread_cond_wait(&packer->changed, &packer->lock);
	}
	pthread_mutex_unlock(&packer->lock);
	return NULL;
}

/* ---- writing blocks in order ---------------------------------------------------------- */

static int write_header(const struct tally_packer *packer)
{
	static const uint8_t zlib[] = {0x78, 0x5e};
	static const uint8_t gzip[] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3 /* Unix */};

	if (packer->options.format == TALLY_PACK_GZIP)
		return packer->options.write(packer->options.arg, gzip, sizeof(gzip));
	return packer->options.write(packer->options.arg, zlib, sizeof(zlib));
}

static int write_trailer(const struct tally_packer *packer)
{
	uint32_t sum = packer->checksum, len = (uint32_t)packer->len;
	const uint8_t zlib[] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8),
				(uint8_t)sum};
	const uint8_t gzip[] = {(uint8_t)sum,         (uint8_t)(sum >> 8), (uint8_t)(sum >> 16),
				(uint8_t)(sum >> 24), (uint8_t)len,        (uint8_t)(len >> 8),
				(uint8_t)(len >> 16), (uint8_t)(len >> 24)};

	if (packer->options.format == TALLY_PACK_GZIP)
		return packer->options.write(packer->options.arg, gzip, sizeof(gzip));
	return packer->options.write(packer->options.arg, zlib, sizeof(zlib));
}

static void checksum_add(struct tally_packer *packer, const struct pack_block *block)
{
	z_off_t len = (z_off_t)block->len;

	packer->checksum =
		packer->options.format == TALLY_PACK_GZIP
			? (uint32_t)crc32_combine(packer->checksum, block->checksum, len)
			: (uint32_t)adler32_combine(packer->checksum, block->checksum, len);
	packer->len += block->len;
}

/* Write the oldest block, compressing blocks until it is done. */
static int write_oldest(struct tally_packer *packer)
{
	struct pack_block *block = block_of(packer, packer->written);
	int ret = packer->written ? 0 : write_header(packer);

	pthread_mutex_lock(&packer->lock);
	while (!block->is_done) {
		if (!pack_next(packer))
			pthread_cond_wait(&packer->changed, &packer->lock);
	}
	pthread_mutex_unlock(&packer->lock);
	ret = ret ? ret : block->error;
	if (!ret)
		ret = packer->options.write(packer->options.arg, block->out, block->out_len);
	checksum_add(packer, block);
	packer->written++;
	return ret;
}

/* ---- the caller's side ------------------------------------------------------------------ */

static void threads_start(struct tally_packer *packer)
{
	uint64_t nr = TALLY_MIN(packer->options.threads, (uint64_t)THREADS_MAX);

	packer->was_started = true;
	while (packer->nr_threads + 1 < nr &&
	       !tally_thread_start(&packer->threads[packer->nr_threads], thread_run, packer))
		packer->nr_threads++;
}

/* Give the current block, and make the next one current. */
static int block_give(struct tally_packer *packer, bool is_last)
{
	struct pack_block *block = block_of(packer, packer->given), *next;
	int ret = 0;

	block->is_last = is_last;
	block->is_done = false;
	if (packer->given && !packer->was_started)
		threads_start(packer);
	pthread_mutex_lock(&packer->lock);
	packer->given++;
	pthread_cond_broadcast(&packer->changed);
	pthread_mutex_unlock(&packer->lock);
	while (!ret && (packer->given - packer->written == packer->nr_blocks ||
			(is_last && packer->written < packer->given)))
		ret = write_oldest(packer);
	if (ret || is_last)
		return ret;
	next = block_of(packer, packer->given);
	next->dict_len = TALLY_MIN(block->len, (size_t)DICT);
	memmove(next->in + DICT - next->dict_len, block->in + DICT + block->len - next->dict_len,
		next->dict_len);
	next->len = 0;
	return 0;
}

int tally_packer_add(struct tally_packer *packer, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	int ret = 0;

	while (len && !ret) {
		struct pack_block *block = block_of(packer, packer->given);
		size_t nr = TALLY_MIN(len, BLOCK - block->len);

		memcpy(block->in + DICT + block->len, at, nr);
		block->len += nr;
		at += nr;
		len -= nr;
		if (block->len == BLOCK)
			ret = block_give(packer, false);
	}
	return ret;
}

int tally_packer_end(struct tally_packer *packer)
{
	int ret = block_give(packer, true);

	return ret ? ret : write_trailer(packer);
}

static int blocks_alloc(struct tally_packer *packer)
{
	uint64_t threads = TALLY_MIN(packer->options.threads, (uint64_t)THREADS_MAX);
	size_t nr = threads > 1 ? (size_t)threads * BLOCKS_EACH : 1;

	packer->blocks = calloc(nr, sizeof(*packer->blocks));
	for (; packer->blocks && packer->nr_blocks < nr; packer->nr_blocks++) {
		struct pack_block *block = calloc(1, sizeof(*block));

		if (!block)
			return -ENOMEM;
		packer->blocks[packer->nr_blocks] = block;
	}
	return packer->blocks ? 0 : -ENOMEM;
}

int tally_packer_new(const struct tally_packer_options *options, struct tally_packer **ret_packer)
{
	struct tally_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return -ENOMEM;
	packer->options = *options;
	packer->checksum = options->format == TALLY_PACK_ZLIB; /* of nothing */
	pthread_mutex_init(&packer->lock, NULL);
	pthread_cond_init(&packer->changed, NULL);
	if (blocks_alloc(packer)) {
		tally_packer_free(packer);
		return -ENOMEM;
	}
	*ret_packer = packer;
	return 0;
}

void tally_packer_free(struct tally_packer *packer)
{
	if (!packer)
		return;
	pthread_mutex_lock(&packer->lock);
	packer->is_ending = true;
	pthread_cond_broadcast(&packer->changed);
	pthread_mutex_unlock(&packer->lock);
	for (size_t i = 0; i < packer->nr_threads; i++)
		pthread_join(packer->threads[i], NULL);
	for (size_t i = 0; i < packer->nr_blocks; i++) {
		struct pack_block *block = packer->blocks[i];

		if (block->is_started)
			deflateEnd(&block->deflate);
		free(block->out);
		free(block);
	}
	free(packer->blocks);
	pthread_mutex_destroy(&packer->lock);
	pthread_cond_destroy(&packer->changed);
	free(packer);
}
