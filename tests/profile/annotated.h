/* SPDX-License-Identifier: BSD-2-Clause */
/* Test program: a file with functions that call each other, and a process that maps the file. Tests
 * add samples taken in these functions. */
#ifndef TALLY_TESTS_PROFILE_ANNOTATED_H
#define TALLY_TESTS_PROFILE_ANNOTATED_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "abi/abi_record.h"
#include "profile/annotate/annotation.h"
#include "symbols/elf_image.h"
#include "temporary.h"

enum {
	ANNOTATED_FUNCTIONS = 4,
	ANNOTATED_STEP = 0x40, /* distance between functions */
	ANNOTATED_SIZE = 14,
	ANNOTATED_RETURN = 9, /* offset of the call's return address */
	ANNOTATED_INSNS = 6,
	ANNOTATED_BASE = 0x7000000, /* where the file is mapped */
	ANNOTATED_PID = 1 << 23,    /* not a valid pid, so /proc is not read */
};

/* push; mov; call; test; jne to the start; ret */
static const uint8_t annotated_code[ANNOTATED_SIZE] =
	"\x55\x48\x89\xe5\xe8\0\0\0\0\x85\xc0\x75\xf3\xc3";
static const uint8_t annotated_starts[ANNOTATED_INSNS] = {0, 1, 4, 9, 11, 13};

struct annotated {
	char dir[64], path[80];
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_thread *thread;
	struct tally_annotate *annotate;
	struct tally_annotation_codes *codes;
};

/* Write the file. Each function calls the next one, and the last one calls the first. */
static inline void annotated_write(const struct annotated *f)
{
	static const struct image_symbol symbols[ANNOTATED_FUNCTIONS] = {
		{"f0", IMAGE_TEXT, ANNOTATED_SIZE, STB_GLOBAL, STT_FUNC},
		{"f1", IMAGE_TEXT + ANNOTATED_STEP, ANNOTATED_SIZE, STB_GLOBAL, STT_FUNC},
		{"f2", IMAGE_TEXT + 2 * ANNOTATED_STEP, ANNOTATED_SIZE, STB_GLOBAL, STT_FUNC},
		{"f3", IMAGE_TEXT + 3 * ANNOTATED_STEP, ANNOTATED_SIZE, STB_GLOBAL, STT_FUNC},
	};
	static struct image image;
	FILE *file = fopen(f->path, "w");

	image_build(&image, true, false, symbols, ANNOTATED_FUNCTIONS);
	assert_true(image.len <= IMAGE_TEXT_OFFSET);
	for (int i = 0; i < ANNOTATED_FUNCTIONS; i++) {
		uint8_t *at = image.data + IMAGE_TEXT_OFFSET + i * ANNOTATED_STEP;
		int next = (i + 1) % ANNOTATED_FUNCTIONS;

		memcpy(at, annotated_code, ANNOTATED_SIZE);
		tally_put_u32(at + 5, (uint32_t)((next - i) * ANNOTATED_STEP - ANNOTATED_RETURN));
	}
	assert_non_null(file);
	assert_int_equal(fwrite(image.data, 1, IMAGE_TEXT_OFFSET + IMAGE_TEXT_SIZE, file),
			 IMAGE_TEXT_OFFSET + IMAGE_TEXT_SIZE);
	fclose(file);
}

static inline void annotated_map(struct annotated *f)
{
	uint8_t record[160] = {0};
	struct perf_event_header header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(record)};

	memcpy(record, &header, sizeof(header));
	tally_put_u32(record + 8, ANNOTATED_PID);
	tally_put_u32(record + 12, ANNOTATED_PID);
	tally_put_u64(record + 16, ANNOTATED_BASE);
	tally_put_u64(record + 24, 0x2000);
	strcpy((char *)record + 40, f->path);
	assert_int_equal(tally_machine_record(f->machine, record, sizeof(record)), 0);
	f->thread = tally_machine_thread(f->machine, ANNOTATED_PID, ANNOTATED_PID);
}

static inline void annotated_open(struct annotated *f, const struct tally_annotate_options *options)
{
	*f = (struct annotated){0};
	assert_non_null(mkdtemp(strcpy(f->dir, "/tmp/tally-annotate-XXXXXX")));
	snprintf(f->path, sizeof(f->path), "%s/program", f->dir);
	annotated_write(f);
	assert_int_equal(tally_symbols_new(NULL, &f->symbols), 0);
	assert_int_equal(tally_machine_new(f->symbols, &f->machine), 0);
	annotated_map(f);
	assert_int_equal(tally_annotate_new(f->machine, options, &f->annotate), 0);
	assert_int_equal(tally_annotation_codes_new(false, &f->codes), 0);
}

static inline void annotated_close(struct annotated *f)
{
	tally_annotation_codes_free(f->codes);
	tally_annotate_free(f->annotate);
	tally_machine_free(f->machine);
	tally_symbols_free(f->symbols);
	temporary_remove(f->dir);
}

/* Return the address at offset `at` in a function. */
static inline uint64_t annotated_ip(int function, uint64_t at)
{
	return ANNOTATED_BASE + IMAGE_TEXT_OFFSET + (uint64_t)function * ANNOTATED_STEP + at;
}

/* Callers found with frame pointers, which are validated. */
static const struct perf_event_attr annotated_attr = {.sample_type = PERF_SAMPLE_CALLCHAIN};

/* Add a sample of an event at offset `at` in a function. The `nr` elements of `callers` are the
 * function's callers, innermost first. */
static inline void annotated_sample(struct annotated *f, uint32_t event, int function, uint64_t at,
				    uint64_t weight, const int *callers, size_t nr)
{
	uint64_t words[16] = {(uint64_t)PERF_CONTEXT_USER, annotated_ip(function, at)};
	struct tally_sample sample = {.ip = words[1]};

	for (size_t i = 0; i < nr; i++)
		words[2 + i] = annotated_ip(callers[i], ANNOTATED_RETURN);
	sample.callchain = (struct tally_words){(const uint8_t *)words, nr + 2};
	assert_int_equal(
		tally_annotate_add(f->annotate,
				   &(struct tally_feed_sample){.sample = sample,
							       .attr = &annotated_attr,
							       .thread = f->thread,
							       .period = weight,
							       .event = event,
							       .cpumode = PERF_RECORD_MISC_USER}),
		0);
}

/* Find function f0, f1, ... Returns NULL if it has no samples. */
static inline const struct tally_annotate_function *annotated_find(const struct annotated *f,
								   int function)
{
	for (size_t i = 0; i < tally_annotate_nr_functions(f->annotate); i++) {
		const struct tally_annotate_function *known =
			tally_annotate_function(f->annotate, i);

		if (known->symbol->start == IMAGE_TEXT_OFFSET + (uint64_t)function * ANNOTATED_STEP)
			return known;
	}
	return NULL;
}

static inline void annotated_make(struct annotated *f, int function, uint64_t max_code,
				  struct tally_annotation *ret_annotation)
{
	struct tally_annotation_options options = {.max_code = max_code};

	assert_int_equal(tally_annotation_build(f->codes, f->annotate, annotated_find(f, function),
						&options, ret_annotation),
			 0);
}

#endif
