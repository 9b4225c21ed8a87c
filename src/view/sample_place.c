/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/sample_place.h"

#include <inttypes.h>

#include "profile/frame_kind.h"
#include "profile/frame_text.h"
#include "symbols/lines/symbols_lines.h"

/* Return the location as a frame, for the texts that rows use. */
static struct tally_frame frame_at(const struct tally_location *where)
{
	return (struct tally_frame){
		.dso = where->dso,
		.symbol = where->symbol,
		.addr = where->addr,
		.cpumode = where->cpumode,
	};
}

void tally_place_add_symbol(struct tally_machine *machine, const struct tally_thread *thread,
			    uint8_t cpumode, uint64_t addr, enum tally_place_form form,
			    struct tally_str *out)
{
	const struct tally_location *where = tally_branch_locate(machine, thread, cpumode, addr);
	const struct tally_frame frame = frame_at(where);

	tally_str_addf(out, "[%c] ", tally_cpumode_letter(where->cpumode));
	tally_frame_add_name(&frame, out);
	if (form == TALLY_PLACE_OFFSET && where->symbol && where->addr != where->symbol->start)
		tally_str_addf(out, "+0x%" PRIx64, where->addr - where->symbol->start);
}

void tally_place_add_file(struct tally_machine *machine, const struct tally_thread *thread,
			  uint8_t cpumode, uint64_t addr, struct tally_str *out)
{
	const struct tally_frame frame =
		frame_at(tally_branch_locate(machine, thread, cpumode, addr));

	tally_frame_add_file(&frame, true, out);
}

void tally_place_add_line(struct tally_machine *machine, const struct tally_thread *thread,
			  uint8_t cpumode, uint64_t addr, struct tally_str *out)
{
	const struct tally_location where = *tally_branch_locate(machine, thread, cpumode, addr);

	tally_place_add_location_line(&where, out);
}

void tally_place_add_location_line(const struct tally_location *where, struct tally_str *out)
{
	const struct tally_frame frame = frame_at(where);
	const struct tally_line *lines;
	size_t nr = where->dso ? tally_dso_lines(where->dso, where->addr, &lines, NULL) : 0;

	if (nr && lines[0].file) {
		tally_str_addf(out, "%s:%" PRIu32, tally_line_file_name(&lines[0]), lines[0].line);
		return;
	}
	tally_frame_add_place(&frame, out);
}
