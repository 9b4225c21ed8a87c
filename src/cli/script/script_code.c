/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/script_code.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/print.h"
#include "cli/script/fields.h"
#include "profile/annotate/annotation_codes.h"
#include "symbols/code_file.h"
#include "symbols/lines/symbols_lines.h"

/* Longer source lines are cut. */
enum { SOURCE_MAX = 512 };

void script_code_free(struct script_code *code)
{
	tally_annotation_codes_free(code->codes);
	tally_source_texts_free(code->texts);
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

bool script_code_read(struct script_code *code, const struct tally_location *where, uint64_t len,
		      struct script_code_reader *ret_reader)
{
	const struct tally_code_file *file;
	struct tally_code read;
	int ret = code->codes ? 0 : tally_annotation_codes_new(false, &code->codes);

	if (ret || !where->dso || annotation_codes_open(code->codes, where->dso, &file) ||
	    tally_code_file_read(file, where->addr, where->addr + len, &read))
		return false;
	ret = annotation_codes_disasm(code->codes, &read, &ret_reader->disasm);
	if (ret) {
		warn_no_decoder(code, ret);
		return false;
	}
	ret_reader->left = (struct tally_disasm_code){read.bytes, read.len, read.linked};
	return true;
}

/* Append text, escaped except for tabs. */
static void add_text(struct tally_str *out, const char *text, size_t len)
{
	while (len) {
		const char *tab = memchr(text, '\t', len);
		size_t part = tab ? (size_t)(tab - text) : len, start = out->len;

		tally_str_add_bytes(out, text, part);
		tally_str_escape(out, start);
		if (!tab)
			break;
		tally_str_add_char(out, '\t');
		text += part + 1;
		len -= part + 1;
	}
}

void script_add_source(struct script_code *code, const struct tally_location *where,
		       struct tally_str *out)
{
	const struct tally_line *lines;
	const char *text;
	size_t nr, len;

	nr = where->dso ? tally_dso_lines(where->dso, where->addr, &lines, NULL) : 0;
	if (!nr || !lines[0].file || (code->file == lines[0].file && code->line == lines[0].line))
		return;
	code->file = lines[0].file;
	code->line = lines[0].line;
	if (!code->texts && tally_source_texts_new(&code->source, &code->texts)) {
		out->failed = true;
		return;
	}
	if (tally_source_texts_get(code->texts, code->file, code->line, &text, &len))
		return;
	tally_str_addf(out, "|%-8" PRIu32 " ", code->line);
	add_text(out, text, TALLY_MIN(len, (size_t)SOURCE_MAX));
	tally_str_add_char(out, '\n');
}

void script_add_instruction(struct script_code *code, struct tally_machine *machine,
			    struct tally_str *out, const struct tally_feed_sample *sample,
			    uint64_t fields)
{
	const struct tally_location *where =
		tally_machine_locate(machine, sample->thread, sample->cpumode, sample->sample.ip);
	struct script_code_reader reader;
	struct tally_instruction insn;

	if (!script_code_read(code, where, SCRIPT_INSTRUCTION_MAX, &reader) ||
	    !tally_disasm_next(reader.disasm, &reader.left, &insn)) {
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
