/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/annotation_codes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/vec.h"

/* Limits on the number of open files, each of which needs a descriptor, and on the number of
 * addresses per source line look-up. */
enum { MOST_OPEN = 64, BATCH = 1 << 20 };

struct known_code {
	struct tally_code_file *file; /* NULL if not open */
	int error;
};

struct tally_annotation_codes {
	TALLY_VEC(struct known_code) by_dso;
	size_t nr_open;
	bool is_intel, has_memory;
	struct tally_disasm *disasm; /* disassembler for the following options */
	struct tally_disasm_options options;
};

int tally_annotation_codes_new(bool is_intel, struct tally_annotation_codes **ret_codes)
{
	struct tally_annotation_codes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return -ENOMEM;
	codes->is_intel = is_intel;
	*ret_codes = codes;
	return 0;
}

void annotation_codes_want_memory(struct tally_annotation_codes *codes)
{
	codes->has_memory = true;
}

static void close_all(struct tally_annotation_codes *codes)
{
	tally_vec_for_each (known, &codes->by_dso) {
		tally_code_file_close(known->file);
		known->file = NULL;
	}
	codes->nr_open = 0;
}

void tally_annotation_codes_free(struct tally_annotation_codes *codes)
{
	if (!codes)
		return;
	close_all(codes);
	tally_vec_free(&codes->by_dso);
	tally_disasm_free(codes->disasm);
	free(codes);
}

int annotation_codes_open(struct tally_annotation_codes *codes, struct tally_dso *dso,
			  const struct tally_code_file **ret_file)
{
	uint32_t number = tally_dso_number(dso);
	struct known_code *known;

	while (codes->by_dso.len <= number) {
		if (tally_vec_push(&codes->by_dso, (struct known_code){0}))
			return -ENOMEM;
	}
	known = &codes->by_dso.data[number];
	if (!known->file && !known->error) {
		if (codes->nr_open >= MOST_OPEN)
			close_all(codes);
		known->error = tally_code_file_open(dso, &known->file);
		codes->nr_open += !known->error;
		if (!known->error)
			tally_dso_prefer_files(dso);
	}
	*ret_file = known->file;
	return known->error;
}

int annotation_codes_disasm(struct tally_annotation_codes *codes, const struct tally_code *code,
			    struct tally_disasm **ret_disasm)
{
	struct tally_disasm_options options = {code->machine, code->is64, code->is_big_endian,
					       codes->is_intel, codes->has_memory};
	int ret = 0;

	if (!codes->disasm || options.machine != codes->options.machine ||
	    options.is64 != codes->options.is64 ||
	    options.is_big_endian != codes->options.is_big_endian) {
		tally_disasm_free(codes->disasm);
		codes->disasm = NULL;
		ret = tally_disasm_new(&options, &codes->disasm);
		codes->options = options;
	}
	*ret_disasm = codes->disasm;
	return ret;
}

int annotation_codes_read(struct tally_annotation_codes *codes,
			  const struct tally_annotate_function *function, uint64_t most,
			  const struct tally_code_file **ret_file, struct tally_code *ret_code)
{
	const struct tally_symbol *symbol = function->symbol;
	int ret = annotation_codes_open(codes, function->dso, ret_file);

	if (ret)
		return ret;
	most = TALLY_MIN(tally_symbol_size(function->dso, symbol),
			 most ? most : (uint64_t)TALLY_ANNOTATION_CODE_MAX);
	return tally_code_file_read(*ret_file, symbol->start, symbol->start + most, ret_code);
}

/* ---- lines of many functions ----------------------------------------------------------- */

struct addresses {
	TALLY_VEC(uint64_t) all;
};

/* Collect the addresses of a function's instructions. If the code cannot be read, the function has
 * no lines. */
static int note_instructions(struct tally_annotation_codes *codes,
			     const struct tally_annotate_function *function,
			     const struct tally_annotation_options *options,
			     struct addresses *addresses)
{
	const struct tally_code_file *file;
	struct tally_disasm_code left;
	struct tally_instruction insn;
	struct tally_disasm *disasm;
	struct tally_code code;
	int ret = annotation_codes_read(codes, function, options->max_code, &file, &code);

	if (!ret)
		ret = annotation_codes_disasm(codes, &code, &disasm);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	left = (struct tally_disasm_code){code.bytes, code.len, function->symbol->start};
	while (!ret && tally_disasm_next(disasm, &left, &insn))
		ret = tally_vec_push(&addresses->all, insn.address);
	return ret;
}

/* Compare functions by file, then by address. */
static int compare_functions(const void *a, const void *b)
{
	const struct tally_annotate_function *left =
		*(const struct tally_annotate_function *const *)a;
	const struct tally_annotate_function *right =
		*(const struct tally_annotate_function *const *)b;
	uint32_t left_dso = tally_dso_number(left->dso), right_dso = tally_dso_number(right->dso);

	if (left_dso != right_dso)
		return left_dso < right_dso ? -1 : 1;
	return left->symbol->start < right->symbol->start
		       ? -1
		       : left->symbol->start > right->symbol->start;
}

static int prepare_sorted(struct tally_annotation_codes *codes,
			  const struct tally_annotate_function *const *functions, size_t nr,
			  const struct tally_annotation_options *options)
{
	struct addresses addresses = {0};
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		struct tally_dso *dso = functions[i]->dso;

		if (!tally_dso_has_lines(dso))
			continue;
		ret = note_instructions(codes, functions[i], options, &addresses);
		if (ret ||
		    (i + 1 < nr && functions[i + 1]->dso == dso && addresses.all.len < BATCH))
			continue;
		if (addresses.all.len)
			tally_dso_lines_prepare(dso, addresses.all.data, addresses.all.len);
		addresses.all.len = 0;
	}
	tally_vec_free(&addresses.all);
	return ret;
}

int tally_annotation_prepare_lines(struct tally_annotation_codes *codes,
				   const struct tally_annotate_function *const *functions,
				   size_t nr, const struct tally_annotation_options *options)
{
	const struct tally_annotate_function **sorted = malloc((nr ? nr : 1) * sizeof(*sorted));
	int ret;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sorted[i] = functions[i];
	qsort(sorted, nr, sizeof(*sorted), compare_functions);
	ret = prepare_sorted(codes, sorted, nr, options);
	free(sorted);
	return ret;
}

/* ---- explanations ----------------------------------------------------------------------- */

/* Return the reason why DSOs of this kind have no code. */
static const char *kind_reason(enum tally_dso_kind kind)
{
	switch (kind) {
	case TALLY_DSO_PERF_MAP:
		return "code generated at run time: perf-PID.map contains only its symbols; "
		       "record with jit-PID.dump to get its instructions (docs/jit.md)";
	case TALLY_DSO_UNKNOWN: return "anonymous memory, which is not backed by a file";
	default: return "the file is a debug file and contains no code";
	}
}

void tally_annotation_explain(const struct tally_dso *dso, int error, struct tally_str *out)
{
	static const struct {
		int error;
		const char *text;
	} texts[] = {
		{TALLY_CODE_ERROR_NO_KERNEL,
		 "cannot find an image of the recorded kernel: install its debug symbol package, "
		 "or specify an image with -k"},
		{-ERANGE, "the file has no code at the function's addresses"},
		{-EINVAL, "the symbol has no size"},
		{-ENOTSUP, "the instruction set is not supported"},
		{-ENOSYS, "no disassembler is available (libcapstone)"},
		{-E2BIG, "the disassembly is too large"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts); i++) {
		if (texts[i].error == error) {
			tally_str_add(out, texts[i].text);
			return;
		}
	}
	tally_str_add(out, error == -ENODATA ? kind_reason(tally_dso_kind(dso))
					     : tally_dso_state_text(tally_code_file_state(error)));
}
