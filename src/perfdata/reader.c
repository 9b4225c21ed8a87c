/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the reader's state that all of its source files change: notes and scratch space. */
#include "perfdata/reader.h"

#include "base/arith.h"

void tally_reader_add_note(struct tally_perfdata *data, struct tally_perfdata_note note)
{
	tally_vec_for_each (old, &data->notes) {
		bool is_feature = note.kind == TALLY_NOTE_BAD_FEATURE;

		if (old->kind != note.kind || old->text != note.text)
			continue;
		/* A feature occurs once, but may be parsed more than once. */
		if (is_feature && old->what == note.what)
			return;
		if (!is_feature) {
			old->count++;
			old->bytes += note.bytes;
			return;
		}
	}
	note.count = 1;
	(void)tally_vec_push(&data->notes, note);
}

uint8_t *tally_reader_scratch(struct tally_perfdata *data, size_t size)
{
	uint8_t *at;

	size = tally_round_up(size, 8);
	if (!data->scratch || data->scratch->cap - data->scratch_len < size) {
		struct tally_chunk *chunk = tally_chunk_new(&data->pool, size);

		if (!chunk)
			return NULL;
		tally_chunk_unref(data->scratch);
		data->scratch = chunk;
		data->scratch_len = 0;
	}
	at = data->scratch->data + data->scratch_len;
	data->scratch_len += size;
	return at;
}
