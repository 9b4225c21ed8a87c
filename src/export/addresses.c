/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translate the profile's file offsets to linked addresses. The two differ if a segment is linked
 * at an address other than its file offset.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/model.h"
#include "symbols/code_file.h"

/* A file offset, and where to store the linked address. */
struct linked_address {
	struct tally_dso *dso;
	uint64_t offset, *linked;
};

/* State of the translation. Only one file is open at a time. */
struct linker {
	const struct tally_dso *dso;
	struct tally_code_file *file; /* NULL if not available */
	uint64_t base;                /* subtracted from linked addresses */
	uint64_t start, end, delta;   /* current segment's offsets; linked address minus offset */
};

static int by_place(const void *a, const void *b)
{
	const struct linked_address *x = a, *y = b;

	if (x->dso != y->dso)
		return tally_dso_number(x->dso) < tally_dso_number(y->dso) ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int linker_open(struct linker *linker, struct tally_dso *dso, enum tally_export_base base)
{
	int ret;

	tally_code_file_close(linker->file);
	*linker = (struct linker){.dso = dso};
	ret = tally_code_file_open(dso, &linker->file);
	if (ret == -ENOMEM)
		return ret;
	if (!ret && base == TALLY_EXPORT_FROM_IMAGE)
		linker->base = tally_code_file_base(linker->file);
	return 0;
}

static uint64_t link_offset(struct linker *linker, uint64_t offset)
{
	uint64_t linked, len;

	if (!linker->file)
		return offset;
	if (offset < linker->start || offset >= linker->end) {
		if (!tally_code_file_linked(linker->file, offset, &linked, &len))
			return offset;
		linker->start = offset;
		linker->end = offset + len;
		linker->delta = linked - offset - linker->base;
	}
	return offset + linker->delta;
}

static int link_all(struct linked_address *places, size_t nr, enum tally_export_base base)
{
	struct linker linker = {0};
	int ret = 0;

	if (nr)
		qsort(places, nr, sizeof(*places), by_place);
	for (size_t i = 0; i < nr && !ret; i++) {
		if (linker.dso != places[i].dso)
			ret = linker_open(&linker, places[i].dso, base);
		*places[i].linked = link_offset(&linker, places[i].offset);
	}
	tally_code_file_close(linker.file);
	return ret;
}

/* Add an address to the list to be translated. Only addresses in files need translation. */
static void place_add(struct linked_address *places, size_t *nr, struct tally_dso *dso,
		      uint64_t addr, uint64_t *linked)
{
	*linked = addr;
	if (dso && tally_dso_kind(dso) == TALLY_DSO_USER)
		places[(*nr)++] = (struct linked_address){dso, addr, linked};
}

int tally_export_model_link(struct tally_export_model *model, enum tally_export_base base)
{
	size_t most = model->frames.len + model->functions.len, nr = 0;
	struct linked_address *places = malloc((most + 1) * sizeof(*places));
	int ret;

	model->addresses = malloc((model->frames.len + 1) * sizeof(*model->addresses));
	if (!places || !model->addresses) {
		free(places);
		return -ENOMEM;
	}
	for (size_t i = 0; i < model->frames.len; i++) {
		const struct tally_frame *frame =
			&model->profile->frames.all.data[model->frames.data[i]];

		place_add(places, &nr, frame->dso, frame->addr, &model->addresses[i]);
	}
	tally_vec_for_each (function, &model->functions) {
		if (function->symbol)
			place_add(places, &nr, function->dso, function->symbol->start,
				  &function->start);
	}
	ret = link_all(places, nr, base);
	free(places);
	return ret;
}
