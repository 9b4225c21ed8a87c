/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/data_src_text.h"

#include "base/arith.h"
#include "tally/abi.h"

/* Names of individual bits, starting with bit 0. Bits with an empty name are handled separately. */
#define NOT_AVAILABLE "N/A"

static const char *const ops[] = {NOT_AVAILABLE, "LOAD", "STORE", "PFETCH", "EXEC"};
static const char *const levels[] = {
	NOT_AVAILABLE,
	"",
	"",
	"L1",
	"LFB/MAB",
	"L2",
	"L3",
	"Local RAM",
	"Remote RAM (1 hop)",
	"Remote RAM (2 hops)",
	"Remote Cache (1 hop)",
	"Remote Cache (2 hops)",
	"I/O",
	"Uncached",
};
static const char *const snoops[] = {NOT_AVAILABLE, "None", "Hit", "Miss", "HitM"};
static const char *const more_snoops[] = {"Fwd", "Peer"};
static const char *const tlbs[] = {NOT_AVAILABLE, "", "", "L1", "L2", "Walker", "Fault"};
static const char *const blocks[] = {NOT_AVAILABLE, "Data", "Addr"};

/* Names of numeric values; 0 has no name. */
static const char *const level_numbers[] = {
	"",     "L1",          "L2",  "L3",  "L4",        "L2 MHB",  "Memory-side Cache",
	"L7",   "Uncached",    "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",
	"PMEM", NOT_AVAILABLE,
};
static const char *const hops[] = {
	"",       "core, same node", "node, same socket", "socket, same board", "board", "5 hops",
	"6 hops", "7 hops"};

/* Append the names of all set bits, separated by `between`. `before` is the number of names already
 * appended. Return the new number. */
static int add_bits(struct tally_str *out, uint64_t bits, const char *const *names, size_t nr,
		    const char *between, int before)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1) || !*names[i])
			continue;
		tally_str_add(out, before++ ? between : "");
		tally_str_add(out, names[i]);
	}
	return before;
}

/* Append " hit" if bit 1 of a cache or TLB level is set, and " miss" if bit 2 is set. */
static void add_hit(struct tally_str *out, uint64_t bits)
{
	tally_str_add(out, bits & 2 ? " hit" : "");
	tally_str_add(out, bits & 4 ? " miss" : "");
}

/* Append the operation's name. If several bits are set, use only the first name. */
void tally_data_src_add_op(struct tally_str *out, const union perf_mem_data_src *src)
{
	uint64_t bits = src->mem_op;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ops); i++) {
		if (bits >> i & 1) {
			tally_str_add(out, ops[i]);
			return;
		}
	}
	tally_str_add(out, "No");
}

/* Append the level. Older machines encode levels as bits, newer machines as a number and a
 * distance. */
void tally_data_src_add_level(struct tally_str *out, const union perf_mem_data_src *src)
{
	const char *number = level_numbers[src->mem_lvl_num];
	int nr = src->mem_remote || src->mem_hops;

	tally_str_add(out, src->mem_remote ? "Remote " : "");
	if (src->mem_hops) {
		tally_str_addf(out, "%s %s", hops[src->mem_hops], number);
	} else {
		int names =
			add_bits(out, src->mem_lvl, levels, TALLY_ARRAY_SIZE(levels), " or ", 0);

		tally_str_add(out, names && *number ? " or " : "");
		tally_str_add(out, number);
		nr += names + (*number != '\0');
	}
	tally_str_add(out, nr ? "" : NOT_AVAILABLE);
	add_hit(out, src->mem_lvl);
}

void tally_data_src_add_snoop(struct tally_str *out, const union perf_mem_data_src *src)
{
	int nr = add_bits(out, src->mem_snoop, snoops, TALLY_ARRAY_SIZE(snoops), " or ", 0);

	nr = add_bits(out, src->mem_snoopx, more_snoops, TALLY_ARRAY_SIZE(more_snoops), " or ", nr);
	tally_str_add(out, nr ? "" : NOT_AVAILABLE);
}

void tally_data_src_add_tlb(struct tally_str *out, const union perf_mem_data_src *src)
{
	uint64_t bits = src->mem_dtlb;
	int nr = add_bits(out, bits, tlbs, TALLY_ARRAY_SIZE(tlbs), " or ", 0);

	tally_str_add(out, nr ? "" : NOT_AVAILABLE);
	add_hit(out, bits);
}

void tally_data_src_add_lock(struct tally_str *out, const union perf_mem_data_src *src)
{
	tally_str_add(out, src->mem_lock & 1 ? NOT_AVAILABLE : src->mem_lock & 2 ? "Yes" : "No");
}

void tally_data_src_add_block(struct tally_str *out, const union perf_mem_data_src *src)
{
	uint64_t bits = src->mem_blk;

	/* If bit 0 is set (not available), ignore the other bits. */
	uint64_t known = bits && !(bits & 1) ? bits : 1;

	tally_str_add_char(out, ' ');
	add_bits(out, known, blocks, TALLY_ARRAY_SIZE(blocks), " ", 0);
}

void tally_data_src_add_words(struct tally_str *out, const union perf_mem_data_src *src)
{
	tally_str_add(out, " |OP ");
	tally_data_src_add_op(out, src);
	tally_str_add(out, "|LVL ");
	tally_data_src_add_level(out, src);
	tally_str_add(out, "|SNP ");
	tally_data_src_add_snoop(out, src);
	tally_str_add(out, "|TLB ");
	tally_data_src_add_tlb(out, src);
	tally_str_add(out, "|LCK ");
	tally_data_src_add_lock(out, src);
	tally_str_add(out, "|BLK ");
	tally_data_src_add_block(out, src);
}
