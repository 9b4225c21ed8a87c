/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locations and mappings, as in pprof's profile.proto and in OTLP. A location is a code address
 * with the function that contains it and the functions inlined there. A mapping spans all pages of
 * a file that have samples, at their linked addresses, and represents the file in all processes.
 * Both are numbered from 1, because 0 means none.
 */
#ifndef TALLY_EXPORT_LOCATIONS_H
#define TALLY_EXPORT_LOCATIONS_H

#include "base/slots.h"
#include "export/model.h"

/* Pages of a file that have the same distance between their linked addresses and file offsets. */
struct tally_export_mapping {
	struct tally_dso *dso;
	uint64_t distance;
	uint64_t start, end;
	bool has_lines;
};

struct tally_export_locations {
	const struct tally_export_model *model;
	struct tally_export_inlining *inlining;
	uint32_t *location_of;      /* by frame; 0 if not added yet */
	TALLY_VEC(uint32_t) lines;  /* frames in all locations */
	TALLY_VEC(uint32_t) starts; /* start of each location in `lines` */
	TALLY_VEC(struct tally_export_mapping) mappings;
	struct tally_slots slots; /* hash index of `mappings` */
};

/* The frames of a location, innermost first. */
struct tally_export_location {
	const uint32_t *frames;
	uint32_t nr;
};

/* Initialize without locations. `model` must outlive `locations`, and must have addresses before
 * mappings are built. Returns 0 or -ENOMEM; call tally_export_locations_free() in any case. */
int tally_export_locations_init(const struct tally_export *export,
				const struct tally_export_model *model,
				struct tally_export_locations *locations);
void tally_export_locations_free(struct tally_export_locations *locations);

/* Get the location that begins with frame `*at` of a callchain, and advance `*at` to the next
 * location. The last one ends at tally_export_depth(). New locations are added in order of first
 * use. Returns 0 or -ENOMEM. */
int tally_export_location_next(struct tally_export_locations *locations,
			       const struct tally_bucket_key *key, uint32_t *at,
			       uint32_t *ret_number);

/* Return a location, by its number. */
struct tally_export_location
tally_export_location_get(const struct tally_export_locations *locations, uint32_t number);

/* Create the mappings when all locations are known: first those of programs, then those of
 * libraries, because pprof treats the first mapping as the main program. Returns 0 or -ENOMEM. */
int tally_export_mappings_build(struct tally_export_locations *locations);

/* Return the number of a location's mapping, or 0 if its code is not in a file. */
uint32_t tally_export_mapping_of(const struct tally_export_locations *locations, uint32_t number);

/* Return the address of a location. */
uint64_t tally_export_location_address(const struct tally_export_locations *locations,
				       uint32_t number);

#endif
