/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_decode.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "parquet/parquet_format.h"
#include "parquet/thrift_read.h"

static size_t left(const struct parquet_in *in)
{
	return (size_t)(in->end - in->at);
}

/* Read the lowest bytes of a number. There must be as many. */
static uint64_t number_read(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* Read number `i` of those that are packed in `bits` bits each. */
static uint64_t packed_read(const uint8_t *at, size_t i, unsigned bits)
{
	size_t first = i * bits;
	unsigned shift = first % 8;
	size_t bytes = (shift + bits + 7) / 8;
	unsigned __int128 value = number_read(at + first / 8, TALLY_MIN(bytes, (size_t)8));

	if (bytes > 8)
		value |= (unsigned __int128)at[first / 8 + 8] << 64;
	return (uint64_t)(value >> shift) & (bits ? UINT64_MAX >> (64 - bits) : 0);
}

/* Read an unsigned number of variable length. */
static bool varint_read(struct parquet_in *in, uint64_t *ret_value)
{
	struct thrift_in thrift = {in->at, in->end, false};

	*ret_value = thrift_in_varint(&thrift);
	in->at = thrift.at;
	return !thrift.failed;
}

/* ---- runs ------------------------------------------------------------------------ */

/* Append `nr` numbers, which are packed. */
static int packed_append(struct parquet_in *in, unsigned bits, uint64_t groups, size_t nr,
			 parquet_words *out)
{
	size_t size;

	if (bits && groups > left(in) / bits)
		return -EINVAL;
	size = (size_t)groups * bits;
	nr = (size_t)TALLY_MIN((uint64_t)nr, groups * 8);
	for (size_t i = 0; i < nr; i++)
		out->data[out->len++] = (uint32_t)packed_read(in->at, i, bits);
	in->at += size;
	return 0;
}

static int run_append(struct parquet_in *in, unsigned bits, uint64_t run, size_t nr,
		      parquet_words *out)
{
	size_t bytes = (bits + 7) / 8;
	uint32_t value;

	if (!run || bytes > left(in))
		return -EINVAL;
	value = (uint32_t)number_read(in->at, bytes);
	in->at += bytes;
	nr = (size_t)TALLY_MIN((uint64_t)nr, run);
	for (size_t i = 0; i < nr; i++)
		out->data[out->len++] = value;
	return 0;
}

int parquet_runs_read(struct parquet_in *in, unsigned bits, size_t nr, parquet_words *out)
{
	size_t end = out->len + nr;
	uint64_t head;
	int ret = 0;

	if (bits > 32)
		return -EINVAL;
	if (tally_vec_reserve(out, end))
		return -ENOMEM;
	while (out->len < end && !ret) {
		if (!varint_read(in, &head))
			return -EINVAL;
		if (head & 1)
			ret = head >> 1 ? packed_append(in, bits, head >> 1, end - out->len, out)
					: -EINVAL;
		else
			ret = run_append(in, bits, head >> 1, end - out->len, out);
	}
	return ret;
}

/* ---- plain ----------------------------------------------------------------------- */

static int bools_read(struct parquet_in *in, size_t nr, struct parquet_values *values)
{
	if ((nr + 7) / 8 > left(in))
		return -EINVAL;
	for (size_t i = 0; i < nr; i++)
		values->numbers.data[values->numbers.len++] = in->at[i / 8] >> i % 8 & 1;
	in->at += (nr + 7) / 8;
	return 0;
}

/* Convert the bits of a float to those of a double. */
static uint64_t widened(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	double value;
	float number;

	memcpy(&number, &narrow, sizeof(number));
	value = (double)number;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static int numbers_read(struct parquet_in *in, const struct parquet_leaf *leaf, size_t nr,
			struct parquet_values *values)
{
	bool is_narrow = leaf->physical == PARQUET_INT32 || leaf->physical == PARQUET_FLOAT;
	size_t width = is_narrow ? 4 : 8;

	if (nr > left(in) / width)
		return -EINVAL;
	for (size_t i = 0; i < nr; i++, in->at += width) {
		uint64_t value = number_read(in->at, width);

		if (leaf->physical == PARQUET_FLOAT)
			value = widened(value);
		else if (is_narrow && !leaf->shown.is_unsigned)
			value = (uint64_t)(int64_t)(int32_t)value;
		values->numbers.data[values->numbers.len++] = value;
	}
	return 0;
}

static int texts_read(struct parquet_in *in, size_t nr, struct parquet_values *values)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t len;

		if (left(in) < 4)
			return -EINVAL;
		len = number_read(in->at, 4);
		in->at += 4;
		if (len > left(in))
			return -EINVAL;
		values->texts.data[values->texts.len++] =
			(struct tally_parquet_text){(const char *)in->at, (uint32_t)len};
		in->at += len;
	}
	return 0;
}

/* Numbers with their bytes apart: first the lowest byte of all numbers. */
static int split_read(struct parquet_in *in, const struct parquet_leaf *leaf, size_t nr,
		      struct parquet_values *values)
{
	bool is_narrow = leaf->physical == PARQUET_INT32 || leaf->physical == PARQUET_FLOAT;
	size_t width = is_narrow ? 4 : 8;
	uint8_t *joined = malloc(nr * width + 1);
	struct parquet_in plain = {joined, joined + nr * width};
	int ret = joined ? 0 : -ENOMEM;

	if (!ret && nr > left(in) / width)
		ret = -EINVAL;
	for (size_t i = 0; i < nr * width && !ret; i++)
		joined[i % nr * width + i / nr] = in->at[i];
	if (!ret)
		ret = numbers_read(&plain, leaf, nr, values);
	in->at += ret ? 0 : nr * width;
	free(joined);
	return ret;
}

static int plain_read(struct parquet_in *in, const struct parquet_leaf *leaf, size_t nr,
		      struct parquet_values *values)
{
	if (leaf->physical == PARQUET_BOOLEAN)
		return bools_read(in, nr, values);
	return leaf->physical == PARQUET_BYTE_ARRAY ? texts_read(in, nr, values)
						    : numbers_read(in, leaf, nr, values);
}

/* ---- deltas ---------------------------------------------------------------------- */

struct deltas {
	uint64_t block, minis; /* numbers in a block, and the parts of a block */
	uint64_t value;
};

/* Append at most `*nr` numbers of a block, and subtract their number from it. */
static int block_read(struct parquet_in *in, struct deltas *deltas, size_t *nr, uint64_t *out)
{
	size_t part = (size_t)(deltas->block / deltas->minis);
	const uint8_t *widths;
	uint64_t head, least;

	if (!varint_read(in, &head) || left(in) < deltas->minis)
		return -EINVAL;
	least = head >> 1 ^ (0 - (head & 1));
	widths = in->at;
	in->at += deltas->minis;
	for (uint64_t i = 0; i < deltas->minis && *nr; i++) {
		size_t size = part / 8 * widths[i], len = TALLY_MIN(part, *nr);

		if (widths[i] > 64 || size > left(in))
			return -EINVAL;
		for (size_t k = 0; k < len; k++) {
			deltas->value += least + packed_read(in->at, k, widths[i]);
			*out++ = deltas->value;
		}
		in->at += size;
		*nr -= len;
	}
	return 0;
}

/* Read `nr` numbers. There must be memory for them at `out`. */
static int deltas_read(struct parquet_in *in, size_t nr, uint64_t *out)
{
	enum { BLOCK_MAX = 1 << 16 };
	struct deltas deltas;
	uint64_t total, head;
	size_t more, done;
	int ret = 0;

	if (!varint_read(in, &deltas.block) || !varint_read(in, &deltas.minis) ||
	    !varint_read(in, &total) || !varint_read(in, &head))
		return -EINVAL;
	if (total != nr || !deltas.minis || deltas.block > BLOCK_MAX ||
	    deltas.minis > deltas.block || deltas.block % deltas.minis ||
	    deltas.block / deltas.minis % 8)
		return -EINVAL;
	deltas.value = head >> 1 ^ (0 - (head & 1));
	if (nr)
		out[0] = deltas.value;
	for (more = nr ? nr - 1 : 0; more && !ret;) {
		done = nr - more;
		ret = block_read(in, &deltas, &more, out + done);
	}
	return ret;
}

static int delta_numbers_read(struct parquet_in *in, const struct parquet_leaf *leaf, size_t nr,
			      struct parquet_values *values)
{
	uint64_t *out = values->numbers.data + values->numbers.len;
	int ret;

	if (leaf->physical != PARQUET_INT32 && leaf->physical != PARQUET_INT64)
		return -EOPNOTSUPP;
	ret = deltas_read(in, nr, out);
	if (ret)
		return ret;
	values->numbers.len += nr;
	for (size_t i = 0; i < nr && leaf->physical == PARQUET_INT32; i++)
		out[i] = leaf->shown.is_unsigned ? (uint32_t)out[i]
						 : (uint64_t)(int64_t)(int32_t)out[i];
	return 0;
}

/* ---- texts with lengths ---------------------------------------------------------- */

/* Read the lengths of texts and, after them, the texts. Prefixes are lengths of the beginnings that
 * texts share with the text before them; NULL if they share none. */
static int lengths_read(struct parquet_in *in, size_t nr, const uint64_t *prefixes,
			uint64_t *lengths, struct parquet_values *values,
			struct tally_arena *memory)
{
	struct tally_parquet_text before = {"", 0};
	int ret = deltas_read(in, nr, lengths);

	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t prefix = prefixes ? prefixes[i] : 0;
		const char *rest = (const char *)in->at;
		char *joined;

		if (lengths[i] > left(in) || prefix > before.len ||
		    lengths[i] + prefix > UINT32_MAX)
			return -EINVAL;
		in->at += lengths[i];
		if (prefix) {
			if (memory->total > PARQUET_MEMORY_MAX)
				return -EINVAL;
			joined = tally_arena_bytes(memory, (size_t)(prefix + lengths[i]));
			if (!joined)
				return -ENOMEM;
			memcpy(joined, before.bytes, (size_t)prefix);
			memcpy(joined + prefix, rest, (size_t)lengths[i]);
			rest = joined;
		}
		before = (struct tally_parquet_text){rest, (uint32_t)(prefix + lengths[i])};
		values->texts.data[values->texts.len++] = before;
	}
	return ret;
}

static int delta_texts_read(struct parquet_in *in, int encoding, size_t nr,
			    struct parquet_values *values, struct tally_arena *memory)
{
	bool has_prefixes = encoding == PARQUET_DELTA_BYTE_ARRAY;
	uint64_t *numbers = calloc(2 * nr + 1, sizeof(*numbers));
	int ret = numbers ? 0 : -ENOMEM;

	if (!ret && has_prefixes)
		ret = deltas_read(in, nr, numbers + nr);
	if (!ret)
		ret = lengths_read(in, nr, has_prefixes ? numbers + nr : NULL, numbers, values,
				   memory);
	free(numbers);
	return ret;
}

/* ---- values ---------------------------------------------------------------------- */

/* BOOLEAN columns may have runs of one bit, with their size before them. */
static int bool_runs_read(struct parquet_in *in, size_t nr, struct parquet_values *values)
{
	parquet_words words = {0};
	int ret;

	if (left(in) < 4)
		return -EINVAL;
	in->at += 4;
	ret = parquet_runs_read(in, 1, nr, &words);
	for (size_t i = 0; i < nr && !ret; i++)
		values->numbers.data[values->numbers.len++] = words.data[i];
	tally_vec_free(&words);
	return ret;
}

int parquet_values_read(struct parquet_in *in, const struct parquet_leaf *leaf, int encoding,
			size_t nr, struct parquet_values *values, struct tally_arena *memory)
{
	bool is_text = leaf->physical == PARQUET_BYTE_ARRAY;

	if (is_text ? tally_vec_reserve(&values->texts, values->texts.len + nr)
		    : tally_vec_reserve(&values->numbers, values->numbers.len + nr))
		return -ENOMEM;
	switch (encoding) {
	case PARQUET_PLAIN: return plain_read(in, leaf, nr, values);
	case PARQUET_RLE:
		return leaf->physical == PARQUET_BOOLEAN ? bool_runs_read(in, nr, values)
							 : -EOPNOTSUPP;
	case PARQUET_BYTE_STREAM_SPLIT:
		return leaf->shown.kind == TALLY_PARQUET_TEXTS || leaf->physical == PARQUET_BOOLEAN
			       ? -EOPNOTSUPP
			       : split_read(in, leaf, nr, values);
	case PARQUET_DELTA_BINARY_PACKED: return delta_numbers_read(in, leaf, nr, values);
	case PARQUET_DELTA_LENGTH_BYTE_ARRAY:
	case PARQUET_DELTA_BYTE_ARRAY:
		return is_text ? delta_texts_read(in, encoding, nr, values, memory) : -EOPNOTSUPP;
	default: return -EOPNOTSUPP;
	}
}
