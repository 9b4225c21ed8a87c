/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of tally c2c report that consist of counts. */
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "cli/c2c/c2c.h"

enum { NAME_WIDTH = 33, TITLE_WIDTH = 49 };

void c2c_add_title(struct tally_str *out, const char *title)
{
	static const char line[] = "=================================================";
	int left = (TITLE_WIDTH - (int)strlen(title)) / 2;

	tally_str_addf(out, "%s\n%*s%s%*s\n%s\n", line, left, "", title,
		       TITLE_WIDTH - left - (int)strlen(title), "", line);
}

static void add_count(struct tally_str *out, const char *name, uint64_t count)
{
	tally_str_addf(out, "  %-*s : %10" PRIu64 "\n", NAME_WIDTH, name, count);
}

static void add_share(struct tally_str *out, const char *name, uint64_t part, uint64_t whole)
{
	tally_str_addf(out, "  %-*s : %9.1f%%\n", NAME_WIDTH, name,
		       whole ? 100.0 * (double)part / (double)whole : 0.0);
}

struct named_count {
	const char *name;
	enum tally_sharing_count count;
};

static void add_counts(struct tally_str *out, const struct tally_sharing_counts *counts,
		       const struct named_count *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add_count(out, names[i].name, counts->nr[names[i].count]);
}

static void add_loads(struct tally_str *out, const struct tally_sharing_counts *counts)
{
	static const struct named_count first[] = {
		{"Total records", TALLY_SHARING_RECORDS},
		{"Locked Load/Store Operations", TALLY_SHARING_LOCKED},
		{"Load Operations", TALLY_SHARING_LOADS},
		{"Loads - uncacheable", TALLY_SHARING_LOAD_UNCACHED},
		{"Loads - IO", TALLY_SHARING_LOAD_IO},
		{"Loads - Miss", TALLY_SHARING_LOAD_MISS},
		{"Loads - no mapping", TALLY_SHARING_LOAD_NO_ADDRESS},
		{"Load Fill Buffer Hit", TALLY_SHARING_FILL_BUFFER},
		{"Load L1D hit", TALLY_SHARING_L1},
		{"Load L2D hit", TALLY_SHARING_L2},
	};
	static const struct named_count then[] = {
		{"Load Local HITM", TALLY_SHARING_LOCAL_HITM},
		{"Load Remote HITM", TALLY_SHARING_REMOTE_HITM},
		{"Load Remote HIT", TALLY_SHARING_REMOTE_HIT},
		{"Load Local DRAM", TALLY_SHARING_LOCAL_DRAM},
		{"Load Remote DRAM", TALLY_SHARING_REMOTE_DRAM},
		{"Load MESI State Exclusive", TALLY_SHARING_EXCLUSIVE},
		{"Load MESI State Shared", TALLY_SHARING_SHARED},
	};
	static const struct named_count last[] = {
		{"Load access blocked by data", TALLY_SHARING_BLOCKED_DATA},
		{"Load access blocked by address", TALLY_SHARING_BLOCKED_ADDRESS},
		{"Load HIT Local Peer", TALLY_SHARING_LOCAL_PEER},
		{"Load HIT Remote Peer", TALLY_SHARING_REMOTE_PEER},
	};

	add_counts(out, counts, first, TALLY_ARRAY_SIZE(first));
	add_count(out, "Load LLC hit",
		  counts->nr[TALLY_SHARING_LLC] + counts->nr[TALLY_SHARING_LOCAL_HITM]);
	add_counts(out, counts, then, TALLY_ARRAY_SIZE(then));
	add_count(out, "Load LLC Misses", tally_sharing_llc_misses(counts));
	add_counts(out, counts, last, TALLY_ARRAY_SIZE(last));
}

static void add_misses(struct tally_str *out, const struct tally_sharing_counts *counts)
{
	static const struct named_count shares[] = {
		{"LLC Misses to Local DRAM", TALLY_SHARING_LOCAL_DRAM},
		{"LLC Misses to Remote DRAM", TALLY_SHARING_REMOTE_DRAM},
		{"LLC Misses to Remote cache (HIT)", TALLY_SHARING_REMOTE_HIT},
		{"LLC Misses to Remote cache (HITM)", TALLY_SHARING_REMOTE_HITM},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(shares); i++)
		add_share(out, shares[i].name, counts->nr[shares[i].count],
			  tally_sharing_llc_misses(counts));
}

static void add_all(struct tally_str *out, const struct tally_sharing_counts *counts)
{
	static const struct named_count stores[] = {
		{"Store Operations", TALLY_SHARING_STORES},
		{"Store - uncacheable", TALLY_SHARING_STORE_UNCACHED},
		{"Store - no mapping", TALLY_SHARING_STORE_NO_ADDRESS},
		{"Store L1D Hit", TALLY_SHARING_STORE_L1_HIT},
		{"Store L1D Miss", TALLY_SHARING_STORE_L1_MISS},
		{"Store No available memory level", TALLY_SHARING_STORE_NO_LEVEL},
		{"No Page Map Rejects", TALLY_SHARING_UNMAPPED},
		{"Unable to parse data source", TALLY_SHARING_UNKNOWN},
	};

	c2c_add_title(out, "Trace Event Information");
	add_loads(out, counts);
	add_misses(out, counts);
	add_counts(out, counts, stores, TALLY_ARRAY_SIZE(stores));
}

/* Return true if other CPUs modified the line, or had it. */
static bool is_shared(const struct tally_sharing_counts *counts)
{
	return tally_sharing_hitm(counts) || tally_sharing_peer(counts);
}

static void add_shared(struct tally_str *out, const struct tally_sharing *sharing)
{
	struct tally_sharing_counts sum = {0};
	const uint64_t *nr = sum.nr;
	uint64_t lines = 0;

	tally_vec_for_each (line, &sharing->lines) {
		if (!is_shared(&line->counts))
			continue;
		lines++;
		tally_sharing_add(&sum, &line->counts);
	}
	tally_str_add_char(out, '\n');
	c2c_add_title(out, "Global Shared Cache Line Event Information");
	add_count(out, "Total Shared Cache Lines", lines);
	add_count(out, "Load HITs on shared lines", nr[TALLY_SHARING_LOADS]);
	add_count(out, "Fill Buffer Hits on shared lines", nr[TALLY_SHARING_FILL_BUFFER]);
	add_count(out, "L1D hits on shared lines", nr[TALLY_SHARING_L1]);
	add_count(out, "L2D hits on shared lines", nr[TALLY_SHARING_L2]);
	add_count(out, "LLC hits on shared lines",
		  nr[TALLY_SHARING_LLC] + nr[TALLY_SHARING_LOCAL_HITM]);
	add_count(out, "Load hits on peer cache or nodes", tally_sharing_peer(&sum));
	add_count(out, "Locked Access on shared lines", nr[TALLY_SHARING_LOCKED]);
	add_count(out, "Blocked Access on shared lines",
		  nr[TALLY_SHARING_BLOCKED_DATA] + nr[TALLY_SHARING_BLOCKED_ADDRESS]);
	add_count(out, "Store HITs on shared lines", nr[TALLY_SHARING_STORES]);
	add_count(out, "Store L1D hits on shared lines", nr[TALLY_SHARING_STORE_L1_HIT]);
	add_count(out, "Store No available memory level", nr[TALLY_SHARING_STORE_NO_LEVEL]);
	add_count(out, "Total Merged records", tally_sharing_hitm(&sum) + nr[TALLY_SHARING_STORES]);
}

void c2c_add_counts(struct c2c_report *report)
{
	add_all(&report->out, &report->sharing.total);
	add_shared(&report->out, &report->sharing);
}
