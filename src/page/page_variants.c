/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the overload in an earlier recording that is the same function. */
#include "page/page_table.h"

/* Find or add the variants of the functions with these words. */
static int variants_find(struct page_variants *variants, const uint32_t words[PAGE_FRAME_WORDS],
			 struct page_variant **ret_variant)
{
	uint32_t id;
	int ret = tally_intern(&variants->words, (const char *)words,
			       PAGE_FRAME_WORDS * sizeof(*words), &id);

	if (!ret && id == variants->all.len)
		ret = tally_vec_push(&variants->all, (struct page_variant){0});
	if (!ret)
		*ret_variant = &variants->all.data[id];
	return ret;
}

int page_variants_add(struct page_variants *variants, const uint32_t words[PAGE_FRAME_WORDS],
		      uint32_t variant)
{
	struct page_variant *found;
	int ret = variants_find(variants, words, &found);

	if (ret)
		return ret;
	if (!found->nr)
		*found = (struct page_variant){.first = variant, .nr = 1};
	else if (found->first != variant)
		found->nr = 2;
	return 0;
}

int page_variants_choose(struct page_variants *earlier, struct page_variants *own,
			 const uint32_t words[PAGE_FRAME_WORDS], uint32_t variant,
			 uint32_t *ret_variant)
{
	struct page_variant *before, *here;
	int ret = variants_find(earlier, words, &before);

	if (!ret)
		ret = variants_find(own, words, &here);
	if (!ret)
		*ret_variant = before->nr == 1 && here->nr == 1 ? before->first : variant;
	return ret;
}

void page_variants_free(struct page_variants *variants)
{
	tally_intern_free(&variants->words);
	tally_vec_free(&variants->all);
}
