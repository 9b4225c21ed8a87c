/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dictionary of OTLP profiles: tables to which profiles refer by index. An entry is an encoded
 * message. Entry 0 of each table is empty and means none. No table contains an entry twice.
 */
#ifndef TALLY_EXPORT_OTLP_DICTIONARY_H
#define TALLY_EXPORT_OTLP_DICTIONARY_H

#include "base/intern.h"
#include "export/locations.h"
#include "export/stream.h"

/* The tables, by field number. */
enum otlp_table {
	OTLP_MAPPINGS = 1,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_STACKS,
	OTLP_TABLES
};

struct otlp_dictionary {
	const struct tally_export *export;
	struct tally_export_model model;
	struct tally_export_locations locations;
	struct tally_intern tables[OTLP_TABLES];
	uint32_t *function_ids, *location_ids, *mapping_ids; /* by number in `model`, `locations` */
	struct tally_str name, entry, stack;                 /* buffers */
	int error;                                           /* first error */
};

/* Build the tables of functions, locations and mappings. `dictionary` must not be moved. Returns 0
 * or -errno. Call otlp_dictionary_free() in any case. */
int otlp_dictionary_build(struct otlp_dictionary *dictionary, const struct tally_export *export);
void otlp_dictionary_free(struct otlp_dictionary *dictionary);

/* Return the index of a string, which is escaped because it must be valid UTF-8, or of an
 * attribute. After an error, which is stored in dictionary->error, return 0. */
uint32_t otlp_string(struct otlp_dictionary *dictionary, const char *text);
uint32_t otlp_text_attribute(struct otlp_dictionary *dictionary, const char *key, const char *text);
uint32_t otlp_number_attribute(struct otlp_dictionary *dictionary, const char *key, int64_t value);

/* Return the index of a callchain's stack, or 0 after an error as above. */
uint32_t otlp_stack(struct otlp_dictionary *dictionary, const struct tally_bucket_key *key);

/* Return the size of the encoded dictionary, and write it. Nothing may be added in between.
 * otlp_dictionary_write() returns 0 or -errno. */
uint64_t otlp_dictionary_size(const struct otlp_dictionary *dictionary);
int otlp_dictionary_write(const struct otlp_dictionary *dictionary,
			  struct tally_export_stream *stream);

/* Append an AnyValue with a string, or a KeyValue, which is not in the dictionary. Escaped. */
void otlp_add_text_value(struct tally_str *out, unsigned field, const char *text);
void otlp_add_key_value(struct tally_str *out, unsigned field, const char *key, const char *text);

/* Append a number, unless it is 0, which is the value of an absent field. */
void otlp_add_u64(struct tally_str *out, unsigned field, uint64_t value);

#endif
