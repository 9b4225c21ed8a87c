/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_code.h"

#include <errno.h>

#include "base/escape.h"
#include "cli/main/print.h"
#include "cli/script/fields.h"
#include "profile/annotate/annotation_codes.h"
#include "symbols/code_file.h"

/* No instruction is longer. */
enum { INSTRUCTION_MAX = 16 };

void script_code_free(struct script_code *code)
{
	tally_annotation_codes_free(code->codes);
	*code = (struct script_code){0};
}

static void warn_no_decoder(struct script_code *code, int error)
{
	if (code->has_warned)
		return;
	code->has_warned = true;
	tally_print_warning("instructions cannot be decoded: %s",
			    error == -ENOSYS ? "the Capstone library is not installed"
					     : "Capstone does not decode this machine's code");
}

/* Decode the instruction at a location. Returns false if its code is not available. */
static bool decode(struct script_code *code, const struct tally_location *where,
		   struct tally_instruction *ret_insn)
{
	const struct tally_code_file *file;
	struct tally_disasm_code left;
	struct tally_disasm *disasm;
	struct tally_code read;
	int ret;

	if (!where->dso || annotation_codes_open(code->codes, where->dso, &file) ||
	    tally_code_file_read(file, where->addr, where->addr + INSTRUCTION_MAX, &read))
		return false;
	ret = annotation_codes_disasm(code->codes, &read, &disasm);
	if (ret) {
		warn_no_decoder(code, ret);
		return false;
	}
	left = (struct tally_disasm_code){read.bytes, read.len, read.linked};
	return tally_disasm_next(disasm, &left, ret_insn);
}

void script_add_instruction(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    uint64_t fields)
{
	const struct tally_location *where =
		tally_machine_locate(machine, sample->thread, sample->cpumode, sample->sample.ip);
	struct tally_instruction insn;

	if (!code->codes && tally_annotation_codes_new(false, &code->codes)) {
		out->failed = true;
		return;
	}
	if (!decode(code, where, &insn)) {
		tally_str_add(out, fields & SCRIPT_INSNLEN ? " ilen: 0" : "");
		return;
	}
	if (fields & SCRIPT_INSNLEN)
		tally_str_addf(out, " ilen: %d", insn.len);
	if (fields & SCRIPT_INSN) {
		tally_str_add(out, " insn:");
		for (int i = 0; i < insn.len; i++)
			tally_str_addf(out, " %02x", insn.bytes[i]);
	}
	if (fields & SCRIPT_DISASM)
		tally_str_addf(out, "\t%s%s%s", insn.mnemonic, *insn.operands ? " " : "",
			       insn.operands);
}
