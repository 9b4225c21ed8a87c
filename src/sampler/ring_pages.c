/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/ring_pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sampler/refuse.h"
#include "base/size.h"

int tally_ring_pages_parse(const char *text, bool quiet, const struct tally_messages *messages,
			   size_t *ret_pages)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes, pages = 1;
	bool is_mega;

	*ret_pages = 0;
	if (!text)
		return 0;
	if (!tally_size_parse(text, page, &bytes) || !bytes || bytes > 1ull << 40) {
		tally_message_error(messages, "-m %s: not a number of pages, nor a size (512K, 4M)",
				    text);
		return -EINVAL;
	}
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

static void warn_smaller(const struct tally_permits *permits, const struct tally_ring_pages *rings,
			 size_t pages)
{
	struct tally_refusal why;
	char what[96];

	snprintf(what, sizeof(what), "ring buffers of %zu KiB instead of %zu",
		 pages * permits->page_size / 1024, rings->wanted * permits->page_size / 1024);
	tally_permits_explain_rings(permits, rings->wanted, tally_rings_nr(rings->rings), &why);
	tally_refuse_limit(what, &why, rings->messages);
}

static void explain_refusal(const struct tally_permits *permits,
			    const struct tally_ring_pages *rings, size_t pages, int code)
{
	struct tally_refusal why;
	char what[96];

	snprintf(what, sizeof(what), "cannot map %zu ring buffers of %zu KiB",
		 tally_rings_nr(rings->rings), pages * permits->page_size / 1024);
	if (code != -EPERM) {
		tally_message_error(rings->messages, "%s: %s", what, strerror(-code));
		return;
	}
	tally_permits_explain_rings(permits, pages, tally_rings_nr(rings->rings), &why);
	tally_refuse(what, &why, rings->messages);
}

int tally_ring_pages_map(const struct tally_ring_pages *rings)
{
	struct tally_permits permits;
	size_t pages = rings->asked;
	int ret;

	tally_permits_read(NULL, &permits);
	if (!pages)
		pages = tally_permits_rings(&permits, rings->wanted, tally_rings_nr(rings->rings),
					    NULL);
	pages = pages ? pages : 1;
	/* Others of this user may have locked memory as well: the kernel knows. */
	while ((ret = tally_rings_map(rings->rings, pages)) == -EPERM && !rings->asked && pages > 1)
		pages /= 2;
	if (ret)
		explain_refusal(&permits, rings, pages, ret);
	else if (!rings->asked && pages < rings->wanted && !rings->quiet)
		warn_smaller(&permits, rings, pages);
	return ret;
}
