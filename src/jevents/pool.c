/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/pool.h"

int tally_pool_add(struct tally_pool *pool, const char *text, size_t len, bool near,
		   uint32_t *ret_id)
{
	uint32_t id;
	int ret = tally_intern(&pool->texts, text, len, &id);

	if (!ret && id >= pool->near.len)
		ret = tally_vec_push(&pool->near, false);
	if (ret)
		return ret;
	pool->near.data[id] |= near;
	*ret_id = id;
	return 0;
}

/* An entry to be sorted. Strings are compared from their last bytes backwards, and a suffix follows
 * the longer strings that end with it. */
struct pool_entry {
	const char *text;
	uint32_t len, id;
	bool far;
};

/* Sort near strings first. Within each group, sort by trailing bytes, with longer strings before
 * their suffixes. */
static int place_compare(const void *a, const void *b)
{
	const struct pool_entry *left = a, *right = b;
	uint32_t len = TALLY_MIN(left->len, right->len);

	if (left->far != right->far)
		return left->far - right->far;
	for (uint32_t i = 1; i <= len; i++) {
		int order = (unsigned char)left->text[left->len - i] -
			    (unsigned char)right->text[right->len - i];

		if (order)
			return order;
	}
	return left->len < right->len ? 1 : left->len > right->len ? -1 : 0;
}

static bool is_end_of(const struct pool_entry *end, const struct pool_entry *whole)
{
	return end->far == whole->far && end->len <= whole->len &&
	       !memcmp(whole->text + whole->len - end->len, end->text, end->len);
}

/* Append a string to the pool, or reuse the end of the previous string. */
static int entry_store(struct tally_pool *pool, const struct pool_entry *place,
		       const struct pool_entry *whole)
{
	uint64_t offset = pool->bytes.len;

	if (whole && is_end_of(place, whole)) {
		offset = (uint64_t)pool->offsets.data[whole->id] + whole->len - place->len;
	} else {
		tally_str_add_bytes(&pool->bytes, place->text, place->len + 1);
		if (tally_str_error(&pool->bytes))
			return -ENOMEM;
	}
	if (offset > (place->far ? UINT32_MAX / 2 : UINT16_MAX))
		return -E2BIG;
	pool->offsets.data[place->id] = offset;
	return 0;
}

int tally_pool_layout(struct tally_pool *pool)
{
	struct pool_entry *places = NULL;
	uint32_t empty, nr;
	int ret = tally_pool_add(pool, "", 0, true, &empty);

	if (ret)
		return ret;
	nr = pool->texts.strings.len;
	places = calloc(nr, sizeof(*places));
	if (!places || tally_vec_reserve(&pool->offsets, nr)) {
		free(places);
		return -ENOMEM;
	}
	pool->offsets.len = nr;
	for (uint32_t i = 0; i < nr; i++)
		places[i] = (struct pool_entry){pool->texts.strings.data[i].text,
						pool->texts.strings.data[i].len, i,
						!pool->near.data[i]};
	qsort(places, nr, sizeof(*places), place_compare);
	tally_str_add_bytes(&pool->bytes, "", 1);
	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = entry_store(pool, &places[i], i ? &places[i - 1] : NULL);
	pool->offsets.data[empty] = 0;
	free(places);
	return ret;
}

void tally_pool_free(struct tally_pool *pool)
{
	tally_intern_free(&pool->texts);
	tally_vec_free(&pool->offsets);
	tally_vec_free(&pool->near);
	tally_str_free(&pool->bytes);
}
