/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/ring_pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "sampler/sampler_refuse.h"

/* Parse "DATA" or "DATA,AUX". The size of AUX areas has no effect. Before a comma, 0 or nothing
 * selects the default size, which results in 0 bytes. */
static bool parse_sizes(const char *text, uint64_t page, uint64_t *ret_bytes)
{
	const char *comma = strchr(text, ',');
	char *data = strndup(text, comma ? (size_t)(comma - text) : strlen(text));
	uint64_t aux;
	bool good = data && (!comma || !comma[1] || tally_size_parse(comma + 1, page, &aux));

	*ret_bytes = 0;
	if (good && (*data || !comma))
		good = tally_size_parse(data, page, ret_bytes) && (*ret_bytes || comma) &&
		       *ret_bytes <= 1ull << 40;
	free(data);
	return good;
}

int tally_ring_pages_parse(const char *text, bool quiet, const struct tally_messages *messages,
			   size_t *ret_pages)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes, pages = 1;
	bool is_mega;

	*ret_pages = 0;
	if (!text)
		return 0;
	if (!parse_sizes(text, page, &bytes)) {
		tally_message_error(messages,
				    "-m %s: must be a number of pages or a size (512K, 4M)", text);
		return -EINVAL;
	}
	if (!bytes)
		return 0;
	while (pages * page < bytes)
		pages *= 2;
	is_mega = pages * page >= 1 << 20;
	if (pages * page != bytes && !quiet)
		tally_message_info(messages, "rounding mmap pages size to %llu%s (%llu pages)",
				   (unsigned long long)(pages * page >> (is_mega ? 20 : 10)),
				   is_mega ? "M" : "K", (unsigned long long)pages);
	*ret_pages = pages;
	return 0;
}

static void warn_smaller(const struct tally_ring_pages *rings, size_t page,
			 const struct tally_refusal *why)
{
	char what[96];

	snprintf(what, sizeof(what), "ring buffers of %zu KiB instead of %zu",
		 rings->mapped * page / 1024, rings->usual * page / 1024);
	tally_refuse_limit(what, why, rings->messages);
}

static void explain_refusal(const struct tally_ring_pages *rings, size_t kib, int code,
			    const struct tally_refusal *why)
{
	char what[96];

	snprintf(what, sizeof(what), "cannot map %zu ring buffers of %zu KiB",
		 tally_rings_nr(rings->rings), kib);
	if (code == -EPERM)
		tally_refusal_report(what, why, rings->messages);
	else
		tally_message_error(rings->messages, "%s: %s", what, strerror(-code));
}

/* Find the size by trying, because this user's other processes may also have locked memory. */
static int map_most(const struct tally_ring_pages *rings, size_t *pages)
{
	int ret;

	while ((ret = tally_rings_map(rings->rings, *pages)) == -EPERM && !rings->asked &&
	       *pages > 1)
		*pages /= 2;
	return ret;
}

int tally_ring_pages_map(struct tally_ring_pages *rings, struct tally_refusal *ret_why)
{
	size_t nr = tally_rings_nr(rings->rings), pages = rings->asked;
	struct tally_access read;
	const struct tally_access *access = rings->access;
	int ret;

	if (!access) {
		tally_access_read(NULL, &read);
		access = &read;
	}
	if (!pages)
		pages = tally_access_rings(access, rings->wanted, nr, NULL);
	pages = pages ? pages : 1;
	ret = map_most(rings, &pages);
	if (ret) {
		*ret_why = (struct tally_refusal){.code = ret};
		if (ret == -EPERM)
			tally_access_explain_rings(access, pages, nr, ret_why);
		explain_refusal(rings, pages * access->page_size / 1024, ret, ret_why);
		return ret;
	}
	rings->mapped = pages;
	if (!rings->asked && pages < rings->usual) {
		tally_access_explain_rings(access, rings->usual, nr, ret_why);
		if (!rings->quiet)
			warn_smaller(rings, access->page_size, ret_why);
	}
	return 0;
}
