/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/runs.h"

#include <stdbool.h>
#include <string.h>

enum { CHUNK = 512 };

struct tally_line_chunk {
	size_t nr;
	struct tally_line_run all[CHUNK];
};

/* Return the number of chunks that start at or before an address. */
static size_t chunks_before(const struct tally_line_runs *runs, uint64_t addr)
{
	size_t low = 0, high = runs->chunks.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runs->chunks.data[middle]->all[0].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the number of runs in a chunk that start at or before an address. */
static size_t runs_before(const struct tally_line_chunk *chunk, uint64_t addr)
{
	size_t low = 0, high = chunk->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (chunk->all[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tally_line_run *tally_line_runs_before(const struct tally_line_runs *runs, uint64_t addr,
					      uint64_t *ret_next)
{
	size_t at = chunks_before(runs, addr), in;
	struct tally_line_chunk *chunk;

	*ret_next = at < runs->chunks.len ? runs->chunks.data[at]->all[0].start : UINT64_MAX;
	if (!at)
		return NULL;
	chunk = runs->chunks.data[at - 1];
	in = runs_before(chunk, addr);
	if (in < chunk->nr)
		*ret_next = chunk->all[in].start;
	return &chunk->all[in - 1];
}

/* Insert an empty chunk at index `at`. */
static struct tally_line_chunk *chunk_add(struct tally_line_runs *runs, size_t at)
{
	struct tally_line_chunk *chunk = malloc(sizeof(*chunk));

	if (!chunk || tally_vec_reserve(&runs->chunks, runs->chunks.len + 1)) {
		free(chunk);
		return NULL;
	}
	chunk->nr = 0;
	memmove(&runs->chunks.data[at + 1], &runs->chunks.data[at],
		(runs->chunks.len - at) * sizeof(*runs->chunks.data));
	runs->chunks.data[at] = chunk;
	runs->chunks.len++;
	return chunk;
}

/* Split a full chunk: move its runs from index `from` on to a new chunk after it. */
static int chunk_split(struct tally_line_runs *runs, size_t number, size_t from)
{
	struct tally_line_chunk *chunk = runs->chunks.data[number];
	struct tally_line_chunk *next = chunk_add(runs, number + 1);

	if (!next)
		return -ENOMEM;
	next->nr = chunk->nr - from;
	memcpy(next->all, &chunk->all[from], next->nr * sizeof(*next->all));
	chunk->nr = from;
	return 0;
}

/* Insert a run into a chunk that has space. */
static void chunk_insert(struct tally_line_chunk *chunk, const struct tally_line_run *run)
{
	size_t at = runs_before(chunk, run->start);

	memmove(&chunk->all[at + 1], &chunk->all[at], (chunk->nr - at) * sizeof(*chunk->all));
	chunk->all[at] = *run;
	chunk->nr++;
}

/* Split the full chunk that a run belongs to, and return the half to insert the run into. Returns
 * NULL if out of memory. */
static struct tally_line_chunk *chunk_divide(struct tally_line_runs *runs, size_t number,
					     uint64_t start)
{
	struct tally_line_chunk *chunk = runs->chunks.data[number];
	/* If the run is appended at the end, leave the old chunk full. */
	bool is_last = number + 1 == runs->chunks.len && chunk->all[CHUNK - 1].start < start;

	if (chunk_split(runs, number, is_last ? CHUNK : CHUNK / 2))
		return NULL;
	return chunk->all[chunk->nr - 1].start < start ? runs->chunks.data[number + 1] : chunk;
}

int tally_line_runs_insert(struct tally_line_runs *runs, const struct tally_line_run *run)
{
	size_t at = chunks_before(runs, run->start);
	struct tally_line_chunk *chunk;

	at -= at > 0;
	chunk = at < runs->chunks.len ? runs->chunks.data[at] : chunk_add(runs, at);
	if (chunk && chunk->nr == CHUNK)
		chunk = chunk_divide(runs, at, run->start);
	if (!chunk)
		return -ENOMEM;
	chunk_insert(chunk, run);
	return 0;
}

void tally_line_runs_free(struct tally_line_runs *runs)
{
	tally_vec_for_each (chunk, &runs->chunks)
		free(*chunk);
	tally_vec_free(&runs->chunks);
}
