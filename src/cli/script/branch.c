/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/branch.h"

#include "base/arith.h"
#include "base/escape.h"
#include "cli/script/fields.h"
#include "profile/process/branch_stack.h"

static const char *const branch_types[] = {
	"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
};

static void add_end(struct tally_machine *machine, struct tally_str *out,
		    const struct tally_feed_sample *s, uint64_t ip, uint64_t fields)
{
	const struct tally_location *where = NULL;

	if (fields & (SCRIPT_DSO | SCRIPT_BRSTACKSYM | SCRIPT_BRSTACKOFF))
		where = tally_branch_locate(machine, s->thread, s->cpumode, ip);
	if (fields & SCRIPT_BRSTACKOFF) {
		tally_str_add_bytes(out, "0x", 2);
		tally_str_add_hex(out, where->addr, 1);
	} else if (!(fields & SCRIPT_BRSTACKSYM)) {
		tally_str_add_bytes(out, "0x", 2);
		tally_str_add_hex(out, ip, 1);
	} else if (where->symbol) {
		tally_str_add(out, tally_symbol_name(where->dso, where->symbol));
		tally_str_add_bytes(out, "+0x", 3);
		tally_str_add_hex(out, where->addr - where->symbol->start, 1);
	} else {
		tally_str_add(out, "[unknown]");
	}
	if (fields & SCRIPT_DSO) {
		tally_str_add_char(out, '(');
		tally_str_add(out, where->dso ? tally_dso_name(where->dso) : "[unknown]");
		tally_str_add_char(out, ')');
	}
}

void script_add_branches(struct tally_machine *machine, struct tally_str *out,
			 const struct tally_feed_sample *s, uint64_t fields)
{
	struct perf_branch_entry entry;
	size_t start = out->len;

	for (uint64_t i = 0; i < tally_branches(&s->sample); i++) {
		entry = tally_branch(&s->sample, i);
		tally_str_add_char(out, ' ');
		add_end(machine, out, s, entry.from, fields);
		tally_str_add_char(out, '/');
		add_end(machine, out, s, entry.to, fields);
		tally_str_addf(out, "/%c/%c/%c/%d/%s ",
			       entry.mispred     ? 'M'
			       : entry.predicted ? 'P'
						 : '-',
			       entry.in_tx ? 'X' : '-', entry.abort ? 'A' : '-', (int)entry.cycles,
			       entry.type < TALLY_ARRAY_SIZE(branch_types)
				       ? branch_types[entry.type]
				       : "");
	}
	tally_str_escape(out, start);
}
