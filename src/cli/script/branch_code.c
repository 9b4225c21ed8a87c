/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/branch_code.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/script/fields.h"
#include "profile/process/branch_stack.h"
#include "view/sample_place.h"

/* Longer blocks are left out, because the branch stack probably lacks a branch. Processors record
 * fewer branches than BRANCHES_MAX. BYTES_WIDTH is the width of the bytes of a branch. */
enum { BLOCK_MAX = 16384, BRANCHES_MAX = 1024, BYTES_WIDTH = 24 };

struct block_printer {
	struct script_code *code;
	struct tally_machine *machine;
	struct tally_str *out;
	const struct tally_feed_sample *sample;
	const struct script_branch_options *options;
	const struct tally_symbol *last; /* function of the last line, or NULL */
	uint64_t cycles;                 /* of all branches so far */
};

static struct tally_location locate(const struct block_printer *printer, uint64_t ip)
{
	return *tally_branch_locate(printer->machine, printer->sample->thread,
				    printer->sample->cpumode, ip);
}

/* Append a line with the function, unless it is that of the line before. */
static void add_function(struct block_printer *printer, const struct tally_location *where)
{
	struct tally_str *out = printer->out;
	size_t start;

	if (!where->symbol || where->symbol == printer->last)
		return;
	printer->last = where->symbol;
	tally_str_add_char(out, '\t');
	tally_str_add_escaped(out, tally_symbol_name(where->dso, where->symbol));
	if (where->addr != where->symbol->start)
		tally_str_addf(out, "+%" PRIu64, where->addr - where->symbol->start);
	tally_str_add_char(out, ':');
	if (printer->options->fields & SCRIPT_SRCLINE) {
		tally_str_add_char(out, '\t');
		start = out->len;
		tally_place_add_location_line(where, out);
		tally_str_escape(out, start);
	}
	tally_str_add_char(out, '\n');
}

/* Append what is known about a branch. `nr` is the number of instructions of its block, or 0. */
static void add_branch(struct block_printer *printer, const struct perf_branch_entry *branch,
		       uint64_t nr)
{
	struct tally_str *out = printer->out;

	tally_str_addf(out, "\t#%s%s%s%s", branch->predicted ? " PRED" : "",
		       branch->mispred ? " MISPRED" : "", branch->in_tx ? " INTX" : "",
		       branch->abort ? " ABORT" : "");
	if (!branch->cycles)
		return;
	printer->cycles += branch->cycles;
	tally_str_addf(out, " %d cycles [%" PRIu64 "]", (int)branch->cycles, printer->cycles);
	if (nr)
		tally_str_addf(out, " %.2f IPC", (double)nr / (double)branch->cycles);
}

/* Append an instruction at `ip`. `branch` is NULL if the instruction is not a branch. */
static void add_instruction(struct block_printer *printer, uint64_t ip,
			    const struct tally_instruction *insn,
			    const struct perf_branch_entry *branch, uint64_t nr)
{
	uint64_t fields = printer->options->fields;
	struct tally_str *out = printer->out;
	size_t start;

	tally_str_addf(out, "\t%016" PRIx64 "\t", ip);
	if (fields & SCRIPT_BRSTACKDISASM) {
		start = out->len;
		tally_str_addf(out, "%s%s%s", insn->mnemonic, *insn->operands ? " " : "",
			       insn->operands);
	} else {
		tally_str_add(out, "insn: ");
		start = out->len;
		for (int i = 0; i < insn->len; i++)
			tally_str_addf(out, "%02x ", insn->bytes[i]);
	}
	if (branch)
		tally_str_pad_to(out, TALLY_MAX(out->len, start + BYTES_WIDTH));
	if (fields & SCRIPT_BRSTACKINSNLEN)
		tally_str_addf(out, "\tilen: %d", insn->len);
	if (branch)
		add_branch(printer, branch, nr);
	tally_str_add_char(out, '\n');
	if (fields & SCRIPT_SRCCODE) {
		const struct tally_location where = locate(printer, ip);

		script_add_source(printer->code, &where, out);
	}
}

/* Append the instructions from `start` to the one at `end`, which is `branch` or, if that is NULL,
 * the sampled instruction. Returns false if the code is not available. */
static bool add_block(struct block_printer *printer, uint64_t start, uint64_t end,
		      const struct perf_branch_entry *branch)
{
	const struct tally_location where = locate(printer, start);
	struct script_code_reader reader;
	struct tally_instruction insn;
	uint64_t nr = 0, ip = start;

	if (end < start || end - start > BLOCK_MAX ||
	    !script_code_read(printer->code, &where, end - start + SCRIPT_INSTRUCTION_MAX, &reader))
		return false;
	add_function(printer, &where);
	while (ip <= end && tally_disasm_next(reader.disasm, &reader.left, &insn)) {
		nr++;
		add_instruction(printer, ip, &insn, ip == end ? branch : NULL, nr);
		ip += insn.len;
	}
	return true;
}

/* Append the instruction at the source of the oldest branch. */
static void add_first(struct block_printer *printer, const struct perf_branch_entry *branch)
{
	const struct tally_location where = locate(printer, branch->from);
	struct script_code_reader reader;
	struct tally_instruction insn;

	if (!script_code_read(printer->code, &where, SCRIPT_INSTRUCTION_MAX, &reader) ||
	    !tally_disasm_next(reader.disasm, &reader.left, &insn))
		return;
	add_function(printer, &where);
	add_instruction(printer, branch->from, &insn, branch, 0);
}

/* Append the code from the newest branch to the sampled instruction, or only the latter. */
static void add_last(struct block_printer *printer, const struct perf_branch_entry *branch)
{
	uint64_t ip = printer->sample->sample.ip;

	if (branch->from == ip || branch->abort)
		return;
	if (!add_block(printer, branch->to, ip, NULL))
		add_block(printer, ip, ip, NULL);
}

void script_add_branch_code(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    const struct script_branch_options *options)
{
	struct block_printer printer = {code, machine, out, sample, options, NULL, 0};
	uint64_t nr = tally_branches(&sample->sample);
	struct perf_branch_entry newer, older;

	if (!nr)
		return;
	nr = TALLY_MIN(nr, (uint64_t)BRANCHES_MAX);
	if (options->max_blocks && nr - 1 > options->max_blocks)
		nr = options->max_blocks + 1;
	tally_str_add_char(out, '\n');
	older = tally_branch(&sample->sample, nr - 1);
	add_first(&printer, &older);
	for (uint64_t i = nr - 1; i-- > 0; older = newer) {
		newer = tally_branch(&sample->sample, i);
		if (older.to && newer.from)
			add_block(&printer, older.to, newer.from, &newer);
		if (out->len >= TALLY_FLUSH_AT)
			options->flush(options->flush_arg);
	}
	add_last(&printer, &older);
}
