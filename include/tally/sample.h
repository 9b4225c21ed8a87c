/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode the samples that the kernel, or another implementation of perf_event_open(2), writes to a
 * ring buffer, and that perf.data files contain. Source: PERF_RECORD_SAMPLE in perf_event_open(2).
 *
 *	tally_sample_decoder_new(attr, &decoder);
 *	while ((record = tally_ring_next(ring)))
 *		if (!tally_sample_decoder_read(decoder, record, &sample))
 *			... sample->ip, sample->callchain ...
 *	tally_sample_decoder_free(decoder);
 *
 * Records are not trusted: every size in a record is checked against the record. Nothing is copied:
 * a decoded sample points into the record, to words that may be unaligned; read them with
 * tally_words_get(). The structures may become longer in later versions of the library, which
 * allocates them.
 *
 * Functions that return int return 0 or a negative errno; `ret_` pointers are untouched on failure.
 * Pointer arguments must not be NULL unless the description of the function allows it. A decoder
 * may be used by one thread at a time.
 */
#ifndef TALLY_SAMPLE_H
#define TALLY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array of `nr` u64 in host order, at a possibly unaligned address within a record. */
struct tally_words {
	const uint8_t *data;
	uint64_t nr;
};

/* Return the word with index `i`, which must be less than words.nr. */
static inline uint64_t tally_words_get(struct tally_words words, uint64_t i)
{
	uint64_t word;

	__builtin_memcpy(&word, words.data + 8 * i, sizeof(word));
	return word;
}

/* One count of a group. */
struct tally_read_value {
	uint64_t value, id, lost; /* id and lost are 0 unless requested */
};

/* Counts as returned by read(2) and PERF_SAMPLE_READ: one count or, with PERF_FORMAT_GROUP, one for
 * each group member. */
struct tally_read {
	uint64_t format;                     /* PERF_FORMAT_* */
	uint64_t time_enabled, time_running; /* 0 unless requested */
	uint64_t nr;                         /* 1 without PERF_FORMAT_GROUP */
	struct tally_read_value single;      /* without PERF_FORMAT_GROUP */
	/* With PERF_FORMAT_GROUP, the value of each of the `nr` members, followed by the member's
	 * ID and lost count if requested. */
	struct tally_words group;
};

/* Return the value with index `i`, which must be less than read->nr. Pure. */
struct tally_read_value tally_read_get(const struct tally_read *read, uint64_t i);

/* The values of registers. */
struct tally_regs {
	uint64_t abi;              /* PERF_SAMPLE_REGS_ABI_* */
	uint64_t mask;             /* the attr's mask of the registers in `values` */
	struct tally_words values; /* empty without registers */
	/* With PERF_SAMPLE_REGS_ABI_SIMD, the TALLY_SIMD_HEAD words and then the registers, each
	 * with its words from the least significant one: vectors first, then predicates. Otherwise
	 * empty. */
	struct tally_words simd;
};

/* The first words of tally_regs.simd. */
enum {
	TALLY_SIMD_NR_VECTORS,
	TALLY_SIMD_VECTOR_QWORDS,
	TALLY_SIMD_NR_PREDICATES,
	TALLY_SIMD_PREDICATE_QWORDS,
	TALLY_SIMD_HEAD,
};

/* Bytes within a record. */
struct tally_bytes {
	const uint8_t *data;
	uint64_t len;
};

/* All fields that a sample can have; `present` has the PERF_SAMPLE_* bits of the fields in this
 * sample. Absent fields are 0, except that cpu is UINT32_MAX, and pid and tid are -1. */
struct tally_sample {
	uint64_t present;
	uint64_t identifier;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time;
	uint64_t addr;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu, cpu_reserved;
	uint64_t period;
	struct tally_read read;
	struct tally_words callchain; /* including context markers */
	struct tally_bytes raw;
	uint64_t branch_hw_idx;             /* with PERF_SAMPLE_BRANCH_HW_INDEX, otherwise ~0 */
	struct tally_words branches;        /* 3 words each; nr is the number of words */
	struct tally_words branch_counters; /* with PERF_SAMPLE_BRANCH_COUNTERS */
	struct tally_regs regs_user;
	struct tally_bytes stack_user; /* the dyn_size bytes that are valid */
	uint64_t stack_user_size;      /* bytes dumped, dyn_size of which are valid */
	uint64_t weight; /* with WEIGHT_STRUCT, bits 0..31: var1, 32..47: var2, 48..63: var3 */
	uint64_t data_src;
	uint64_t transaction;
	struct tally_regs regs_intr;
	uint64_t phys_addr;
	struct tally_bytes aux;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t left; /* bytes after the last field of a decoded record, usually 0 */
};

/* ---- decoding ---------------------------------------------------------------------------- */

/* The layout of an event's records. */
struct tally_sample_decoder;

/* Make a decoder for the records of events with this attr: of a live event, the attr with which it
 * was opened (tally_counters_attr()); of a recording, the attr in the file. The caller frees
 * `*ret_decoder`. Return 0; -EOPNOTSUPP if sample_type or read_format has unknown bits, because
 * fields after an unknown one cannot be located; or -ENOMEM. */
int tally_sample_decoder_new(const struct perf_event_attr *attr,
			     struct tally_sample_decoder **ret_decoder);

/* Free a decoder. NULL is allowed. */
void tally_sample_decoder_free(struct tally_sample_decoder *decoder);

/* Decode a record: a sample, or the fields of the sample_id trailer of another record (pid, tid,
 * time, id, stream_id, cpu and identifier; none without attr.sample_id_all). The result belongs to
 * the decoder and is valid until the next call, and only as long as the record is. Return 0, or
 * -EINVAL if a size in the record does not fit. */
int tally_sample_decoder_read(struct tally_sample_decoder *decoder,
			      const struct perf_event_header *record,
			      const struct tally_sample **ret_sample);

#ifdef __cplusplus
}
#endif

#endif
